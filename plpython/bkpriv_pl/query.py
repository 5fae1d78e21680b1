"""Query accuracy: actual counts from the history of a release, estimates from what it shows.

The actual counts are those of the source as it was when the release was made, which the history
keeps: an auditor need not be able to read the source, and a source may have changed since.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.grouping import GroupedCounts, Query, answer_groups
from bkpriv_core.query.workload import draw_workload, relative_errors
from bkpriv_core.release.form import Exhibit
from bkpriv_core.release.release import Release
from bkpriv_core.release.rewriting.fragment import Bounds, ShownColumn
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.notation import json_objects
from bkpriv_core.utility.divergence import association as associate
from bkpriv_pl.boundary import Refusal, entry, require, run
from bkpriv_pl.history import RecordedRelease, find_release
from bkpriv_pl.literal import NUMBERS, TIMES, literal_resolver
from bkpriv_pl.progress import POLLED
from bkpriv_pl.session import check_origin
from bkpriv_pl.view import View, find_view

__all__ = [
    "association",
    "query_accuracy",
    "query_workload",
    "rewrite_query",
]

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
    recorded = find_release(release)
    understood = _parse(recorded, require(query, "query"))
    answers = [
        answer_groups(recorded.actual, recorded.estimated, understood.predicate, keys, POLLED)
        for keys in understood.grouping_sets
    ]
    return iter([row for answer in answers for row in _rows(recorded, answer)])


def _parse(recorded: RecordedRelease, text: str) -> Query:
    """Understand a query about a release."""
    # The parser takes a quarter of a second to load, and few sessions need it.
    parsing = importlib.import_module("bkpriv_core.query.parsing")
    check_origin("sqlglot", run("SELECT bkpriv_internal.python_path() AS path")[0]["path"])
    origin = _origin(recorded.release)
    relations = [(origin.dataset,), origin.source, origin.source[1:]]
    names = [domain.name for domain in recorded.domains]
    query: Query = parsing.parse_query(text, relations, names, literal_resolver(recorded), POLLED)
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
    recorded = find_release(release)
    # A generator takes no negative seeds.
    random = np.random.default_rng(None if seed is None else seed % 2**64)
    workload = draw_workload(recorded.domains, queries, dimensions, selectivity, random, POLLED)
    actual = recorded.actual.answer(workload, POLLED)
    estimate = recorded.estimated.answer(workload, POLLED)
    relation = plpy.quote_ident(_origin(recorded.release).dataset)
    texts = []
    for query in range(len(workload)):
        POLLED.poll()
        texts.append(workload.text(query, relation))
    return iter(list(_judged(texts, actual, estimate)))


@entry
def association(release: int | None) -> list[tuple[str, str, float | None, float | None]]:
    """See ``bkpriv.association``."""
    recorded = find_release(release)
    names = [domain.name for domain in recorded.domains]
    return [
        (names[one], names[other], _defined(before), _defined(after))
        for one, other, before, after in associate(recorded, POLLED)
    ]


def _defined(figure: float) -> float | None:
    return None if math.isnan(figure) else figure


@entry
def rewrite_query(release: int | None, query: str | None) -> str:
    """See ``bkpriv.rewrite_query``."""
    recorded = find_release(release)
    origin = _origin(recorded.release)
    return recorded.form.rewrite(
        recorded,
        _parse(recorded, require(query, "query")),
        {exhibit: str(origin.view.of(exhibit)) for exhibit in recorded.form.exhibits},
        _columns(recorded, origin),
        POLLED,
    )


def _columns(recorded: RecordedRelease, origin: _Origin) -> list[ShownColumn]:
    """All attributes as the release's views show them."""
    form = recorded.form
    at = [form.exhibit_of("quasi_identifiers")] * len(recorded.table.quasi_identifiers)
    at.append(form.exhibit_of("sensitive"))
    placed = list(zip(recorded.domains, recorded.types, at, strict=True))
    exhibited = {}
    for exhibit in form.exhibits:
        expected = [domain.name for domain, _, where in placed if where == exhibit]
        exhibited[exhibit] = _shown(origin, recorded.release, exhibit, expected)
    columns = []
    for domain, type_, exhibit in placed:
        # Statements call the view of the records r, its companion s.
        name = f"{exhibit[0]}.{plpy.quote_ident(domain.name)}"
        shown_type = exhibited[exhibit][domain.name]
        if form.exact or domain is recorded.table.sensitive or not domain.numeric:
            columns.append(_value(name, shown_type, type_))
        else:
            bounds = _bounds(recorded.release, name, shown_type, domain, type_)
            columns.append(ShownColumn(name, shown_type, bounds))
    return columns


def _value(column: str, shown_type: str, type_: str) -> ShownColumn:
    """A column that shows single values; of bins, which it shows as ranges, the starts."""
    if shown_type in _STARTS and shown_type != type_ and type_ in (*NUMBERS, *TIMES):
        return ShownColumn(f"lower({column})", _STARTS[shown_type])
    return ShownColumn(column, shown_type)


def _shown(
    origin: _Origin, release: int, exhibit: Exhibit, expected: Sequence[str]
) -> dict[str, str]:
    """Columns and types of the view that shows an exhibit of a release."""
    view = origin.view.of(exhibit)
    view_read = find_view(view, exhibit, origin.dataset, origin.owner, only=release)
    if view_read is None:
        raise Refusal(
            "55000",
            f"release {release} is not shown by view {view}",
            detail="It is superseded or withdrawn, or the view was dropped or changed.",
            hint="Ask about the release that is shown; see the view bkpriv.releases.",
        )
    columns = dict(view_read.columns)
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


def _bounds(release: int, column: str, range_type: str, domain: Domain, type_: str) -> Bounds:
    if range_type not in _BOUNDS:
        raise _other_columns(release, f"Column {column} is of type {range_type}.")
    binned = domain.ends is not None
    if binned and domain.step is not None and range_type == "numrange":
        range_type = "int8range"  # Bins beyond the integers have a next integer all the same.
    bounds = _BOUNDS[range_type]
    # The position of a real is that of the double it widens to; bins of reals are numeric.
    narrow = "::float4::float8" if type_ == "real" and not binned else "::float8"
    return Bounds(
        bounds.low.format(column).replace("::float8", narrow),
        bounds.high.format(column).replace("::float8", narrow),
    )
