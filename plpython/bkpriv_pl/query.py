"""Query accuracy: actual counts from the history of a release, estimates from what it shows.

The actual counts are those of the source as it was when the release was made, which the history
keeps: an auditor need not be able to read the source, and a source may have changed since.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.bucketized import Bucketized
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.divergence import association as associate
from bkpriv_core.query.estimator import Estimator
from bkpriv_core.query.generalized import Generalized
from bkpriv_core.query.grouping import GroupedCounts, answer_groups
from bkpriv_core.query.joint import CellJoint, GeneralizedJoint, Joint
from bkpriv_core.query.rewriting import Bounds, Column, rewrite_bucketized, rewrite_generalized
from bkpriv_core.query.workload import draw_workload, relative_errors
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.notation import json_objects
from bkpriv_pl import history
from bkpriv_pl.boundary import Refusal, entry, require, run
from bkpriv_pl.literal import NUMBERS, TIMES, literal_resolver
from bkpriv_pl.progress import POLLED
from bkpriv_pl.session import check_origin
from bkpriv_pl.snapshot import parts_of
from bkpriv_pl.view import Part, View, find_view

if TYPE_CHECKING:
    from bkpriv_core.query.parsing import Query

__all__ = [
    "Asked",
    "association",
    "query_accuracy",
    "query_workload",
    "rewrite_query",
]

_STEPS = {"smallint": 1.0, "integer": 1.0, "bigint": 1.0, "date": 86400.0}
"""Distance of neighbouring values of a type, in units of its positions; others are a continuum."""

_BOUNDS = {
    "int4range": Bounds("lower({0})::float8", "(upper({0}) - 1)::float8"),
    "int8range": Bounds("lower({0})::float8", "(upper({0}) - 1)::float8"),
    "numrange": Bounds("lower({0})::float8", "upper({0})::float8"),
    "daterange": Bounds(
        "extract(epoch FROM lower({0}))::float8", "extract(epoch FROM upper({0}) - 1)::float8"
    ),
    "tsrange": Bounds(
        "extract(epoch FROM lower({0}))::float8", "extract(epoch FROM upper({0}))::float8"
    ),
    "tstzrange": Bounds(
        "extract(epoch FROM lower({0}))::float8", "extract(epoch FROM upper({0}))::float8"
    ),
}
"""Positions of the ends of published ranges, by their type; ranges of days and integers are shown
without their upper bound, others with it."""

_STARTS = {
    "int4range": "integer",
    "int8range": "bigint",
    "numrange": "numeric",
    "daterange": "date",
    "tsrange": "timestamp without time zone",
    "tstzrange": "timestamp with time zone",
}
"""Type of the bounds of the ranges as which bins are published."""

Row = tuple[str, float, float, float | None]


@dataclass(frozen=True, eq=False)
class Asked:
    """A release that is asked about.

    Parameters
    ----------
    found : history.Release
        The release.
    """

    found: history.Release

    @cached_property
    def release(self) -> Release:
        """The release as estimators see it."""
        steps = tuple(
            _STEPS.get(type_) if domain.numeric else None
            for domain, type_ in zip(
                self.found.table.quasi_identifiers, self.found.types[:-1], strict=True
            )
        )
        return Release(self.found.parts, self.found.groups, steps)

    @cached_property
    def estimator(self) -> Estimator:
        """The estimator for the form in which it is shown."""
        if self.found.method.generalizes:
            return Generalized(self.release)
        return Bucketized(self.release)

    def joints(self) -> tuple[CellJoint, Joint]:
        """The original joint distribution, and the one that the release leaves."""
        original = CellJoint(CellCounts.of(self.found.table))
        if isinstance(self.estimator, Bucketized):
            return original, CellJoint(self.estimator.expected)
        return original, GeneralizedJoint(self.release, POLLED)


@dataclass(frozen=True)
class _Origin:
    """Where a release comes from and where it is shown."""

    dataset: str
    owner: str
    source: tuple[str, str]
    view: View


def _origin(release: int) -> _Origin:
    row = run(
        "SELECT dataset, owner, source_schema, source_name, view_schema, view_name "
        "FROM bkpriv.release WHERE release = $1",
        ["bigint"],
        [release],
    )[0]
    return _Origin(
        row["dataset"],
        row["owner"],
        (row["source_schema"], row["source_name"]),
        View(row["view_schema"], row["view_name"]),
    )


@entry
def query_accuracy(release: int | None, query: str | None) -> Iterator[Row]:
    """See ``bkpriv.query_accuracy``."""
    asked = Asked(history.find_release(release))
    understood = _parse(asked.found, require(query, "query"))
    answers = []
    for keys in understood.grouping_sets:
        answers.append(
            answer_groups(asked.release, asked.estimator, understood.predicate, keys, POLLED)
        )
    return iter([row for answer in answers for row in _rows(asked.release, answer)])


def _parse(found: history.Release, text: str) -> Query:
    """Understand a query about a release."""
    # The parser takes a quarter of a second to load, and few sessions need it.
    parsing = importlib.import_module("bkpriv_core.query.parsing")
    check_origin("sqlglot", run("SELECT bkpriv_internal.python_path() AS path")[0]["path"])
    origin = _origin(found.release)
    relations = [(origin.dataset,), origin.source, origin.source[1:]]
    names = [*(domain.name for domain in found.table.quasi_identifiers), found.table.sensitive.name]
    query: Query = parsing.parse_query(text, relations, names, literal_resolver(found), POLLED)
    return query


def _rows(release: Release, answer: GroupedCounts) -> Iterator[Row]:
    """Rows of one grouping set."""
    keys = json_objects([release.domains[key] for key in answer.keys], answer.codes)
    return _judged(keys, answer.actual, answer.estimate)


def _judged(texts: Sequence[str], actual: FloatArray, estimate: FloatArray) -> Iterator[Row]:
    """Rows with their errors, NULL where undefined."""
    errors = relative_errors(actual, estimate).tolist()
    for text, count, expected, error in zip(
        texts, actual.tolist(), estimate.tolist(), errors, strict=True
    ):
        yield text, count, expected, None if math.isnan(error) else error


@entry
def query_workload(
    release: int | None,
    queries: int | None,
    dimensions: int | None,
    selectivity: float | None,
    seed: int | None,
) -> Iterator[Row]:
    """See ``bkpriv.query_workload``."""
    for name, given in (
        ("number of queries", queries),
        ("number of dimensions", dimensions),
        ("selectivity", selectivity),
    ):
        if given is None:
            raise InvalidParameter(
                f"the {name} is missing",
                detail="It is NULL.",
                hint="Such as bkpriv.query_workload(1, 1000, 3, 0.05).",
            )
    assert queries is not None
    assert dimensions is not None
    assert selectivity is not None
    asked = Asked(history.find_release(release))
    # A generator takes no negative seeds.
    random = np.random.default_rng(None if seed is None else seed % 2**64)
    workload = draw_workload(
        asked.release.domains, queries, dimensions, selectivity, random, POLLED
    )
    actual = CellCounts.of(asked.found.table).answer(workload, POLLED)
    estimate = asked.estimator.answer(workload, POLLED)
    relation = plpy.quote_ident(_origin(asked.found.release).dataset)
    texts = []
    for query in range(len(workload)):
        POLLED.poll()
        texts.append(workload.text(query, relation))
    return iter(list(_judged(texts, actual, estimate)))


@entry
def association(release: int | None) -> list[tuple[str, str, float | None, float | None]]:
    """See ``bkpriv.association``."""
    asked = Asked(history.find_release(release))
    names = [domain.name for domain in asked.release.domains]
    return [
        (names[one], names[other], _defined(before), _defined(after))
        for one, other, before, after in associate(asked.release, *asked.joints(), POLLED)
    ]


def _defined(figure: float) -> float | None:
    return None if math.isnan(figure) else figure


@entry
def rewrite_query(release: int | None, query: str | None) -> str:
    """See ``bkpriv.rewrite_query``."""
    asked = Asked(history.find_release(release))
    understood = _parse(asked.found, require(query, "query"))
    origin = _origin(asked.found.release)
    columns = _columns(asked.found, origin)
    if asked.found.method.generalizes:
        return rewrite_generalized(
            asked.release,
            understood.predicate,
            understood.grouping_sets,
            str(origin.view),
            columns,
            POLLED,
        )
    return rewrite_bucketized(
        asked.release,
        understood.predicate,
        understood.grouping_sets,
        (str(origin.view), str(origin.view.of("sensitive"))),
        columns,
        POLLED,
    )


def _columns(found: history.Release, origin: _Origin) -> list[Column]:
    """All attributes as the release's views show them."""
    parts = parts_of(found.method.form)
    quasi_identifiers = [domain.name for domain in found.table.quasi_identifiers]
    expected = {part: [] if part == "sensitive" else quasi_identifiers for part in parts}
    expected[parts[-1]] = [*expected[parts[-1]], found.table.sensitive.name]
    shown = {part: _shown(origin, found.release, part, expected[part]) for part in parts}
    columns = []
    for domain, type_ in zip(found.table.quasi_identifiers, found.types[:-1], strict=True):
        name, shown_type = f"r.{plpy.quote_ident(domain.name)}", shown["records"][domain.name]
        if found.method.generalizes and domain.numeric:
            bounds = _bounds(found.release, name, shown_type, type_, binned=domain.ends is not None)
            columns.append(Column(name, shown_type, bounds))
        else:
            columns.append(_value(name, shown_type, type_))
    sensitive = found.table.sensitive.name
    alias = "s" if "sensitive" in parts else "r"
    name = f"{alias}.{plpy.quote_ident(sensitive)}"
    columns.append(_value(name, shown[parts[-1]][sensitive], found.types[-1]))
    return columns


def _value(column: str, shown_type: str, type_: str) -> Column:
    """A column that shows single values; of bins, which it shows as ranges, the starts."""
    if shown_type in _STARTS and shown_type != type_ and type_ in (*NUMBERS, *TIMES):
        return Column(f"lower({column})", _STARTS[shown_type])
    return Column(column, shown_type)


def _shown(origin: _Origin, release: int, part: Part, expected: Sequence[str]) -> dict[str, str]:
    """Columns and types of the view that shows a part of a release."""
    view = origin.view.of(part)
    found = find_view(view, part, origin.dataset, origin.owner, only=release)
    if found is None:
        raise Refusal(
            "55000",
            f"release {release} is not shown by view {view}",
            detail="It is superseded or withdrawn, or the view was dropped or changed.",
            hint="Ask about the release that is shown; see the view bkpriv.releases.",
        )
    columns = dict(found.columns)
    for name in expected:
        if name not in columns:
            raise _other_columns(release, f'View {view} has no column "{name}".')
    return columns


def _other_columns(release: int, detail: str) -> Refusal:
    """Refuse a release whose tables somebody else than a publication made."""
    return Refusal(
        "55000",
        f"the views of release {release} do not show what its history says",
        detail=detail,
        hint="No publication made them so. Ask its owner to publish again.",
    )


def _bounds(release: int, column: str, range_type: str, type_: str, *, binned: bool) -> Bounds:
    if range_type not in _BOUNDS:
        raise _other_columns(release, f"Column {column} is of type {range_type}.")
    if binned and type_ in _STEPS and range_type == "numrange":
        range_type = "int8range"  # Bins beyond the integers have a next integer all the same.
    bounds = _BOUNDS[range_type]
    # The position of a real is that of the double it widens to; bins of reals are numeric.
    narrow = "::float4::float8" if type_ == "real" and not binned else "::float8"
    return Bounds(
        bounds.low.format(column).replace("::float8", narrow),
        bounds.high.format(column).replace("::float8", narrow),
    )
