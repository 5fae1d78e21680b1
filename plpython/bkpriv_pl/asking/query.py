"""Query accuracy: actual counts from the history of a release, estimates from what it shows.

The actual counts are those of the source as it was when the release was made, which the history
keeps: an auditor need not be able to read the source, and a source may have changed since.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.grouping import GroupedCounts, Query, answer_groups
from bkpriv_core.query.workload import draw_workload, relative_errors
from bkpriv_core.release.release import Exhibit, Release
from bkpriv_core.release.rewriting.fragment import ShownColumn
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.notation import json_objects
from bkpriv_core.utility.divergence import association as associate
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.payload import attributes_of
from bkpriv_pl.publishing.literal import literal_resolver
from bkpriv_pl.publishing.values import ADDED, Read, read_extent, read_label, read_value
from bkpriv_pl.publishing.view import View, find_view
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.server.session import check_origin
from bkpriv_pl.tables.persons import tell_bounded

__all__ = [
    "association",
    "query_accuracy",
    "query_workload",
    "rewrite_query",
]

Row = tuple[str, float, float, float | None]


@dataclass(frozen=True)
class _Origin:
    """Origin of a release, and the views that show it."""

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


@entry(Access.RELEASES)
def query_accuracy(release: int | None, query: str | None) -> Iterator[Row]:
    """See ``bkpriv.query_accuracy``."""
    recorded = find_release(release)
    understood = _parse(recorded, require(query, "query"))
    counted = recorded.counted
    answers = [
        answer_groups(
            counted.by_column(counted.actual),
            counted.by_column(counted.estimated),
            understood.predicate,
            keys,
            progress=POLLED,
        )
        for keys in understood.grouping_sets
    ]
    tell_bounded(recorded.release)
    return iter([row for answer in answers for row in _rows(recorded, answer)])


def _parse(recorded: RecordedRelease, text: str) -> Query:
    """Understand a query about a release."""
    # The parser takes a quarter of a second to load, and few sessions need it.
    parsing = importlib.import_module("bkpriv_core.query.parsing")
    check_origin("sqlglot", run("SELECT bkpriv_internal.python_path() AS path")[0]["path"])
    origin = _origin(recorded.release)
    relations = [(origin.dataset,), origin.source, origin.source[1:]]
    names = [domain.name for domain in recorded.columns]
    passing = attributes_of(recorded.release)
    query: Query = parsing.parse_query(
        text, relations, names, literal_resolver(recorded), progress=POLLED, passing=passing
    )
    return query


def _rows(release: Release, answer: GroupedCounts) -> Iterator[Row]:
    """Rows of one grouping set."""
    keys = json_objects([release.columns[key] for key in answer.keys], answer.codes)
    return _judged(keys, answer.actual, answer.estimate)


def _judged(texts: Sequence[str], actual: FloatArray, estimate: FloatArray) -> Iterator[Row]:
    """Rows with their errors, NULL where undefined."""
    errors = relative_errors(actual, estimate).tolist()
    for text, count, expected, error in zip(
        texts, actual.tolist(), estimate.tolist(), errors, strict=True
    ):
        yield text, count, expected, None if math.isnan(error) else error


@entry(Access.RELEASES)
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
    counted = recorded.counted
    # A generator takes no negative seeds.
    random = np.random.default_rng(None if seed is None else seed % 2**64)
    workload = draw_workload(
        counted.domains, queries, dimensions, selectivity, random=random, progress=POLLED
    )
    actual = counted.actual.answer(workload, POLLED)
    estimate = counted.estimated.answer(workload, POLLED)
    relation = plpy.quote_ident(_origin(recorded.release).dataset)
    texts = []
    for query in range(len(workload)):
        POLLED.poll()
        texts.append(workload.text(query, relation))
    tell_bounded(recorded.release)
    return iter(list(_judged(texts, actual, estimate)))


@entry(Access.RELEASES)
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


@entry(Access.RELEASES)
def rewrite_query(release: int | None, query: str | None) -> str:
    """See ``bkpriv.rewrite_query``."""
    recorded = find_release(release)
    origin = _origin(recorded.release)
    views, columns = _shown(recorded, origin)
    return recorded.form.rewrite(
        recorded, _parse(recorded, require(query, "query")), views, columns, progress=POLLED
    )


def _shown(
    recorded: RecordedRelease, origin: _Origin
) -> tuple[dict[Exhibit, str], list[ShownColumn]]:
    """The views of a release, and all attributes as they show them.

    A view that shows ranges by their ends or as text is one that has ranges, made of it.
    """
    form = recorded.form
    known = len(recorded.table.quasi_identifiers)
    at = [form.exhibit_of("quasi_identifiers")] * known
    at += [form.exhibit_of("sensitive")] * (len(recorded.columns) - known)
    columns = []
    selected: dict[Exhibit, list[str]] = {exhibit: [] for exhibit in form.exhibits}
    made: set[Exhibit] = set()
    shown = {exhibit: _columns(origin, recorded.release, exhibit) for exhibit in form.exhibits}
    placed = zip(recorded.columns, recorded.types, at, strict=True)
    for place, (domain, type_, exhibit) in enumerate(placed):
        reader: Callable[[Domain, str, Mapping[str, str]], Read]
        if form.exact or place >= known:
            reader = read_value
        else:
            reader = read_extent if domain.numeric else read_label
        try:
            read = reader(domain, type_, shown[exhibit])
        except KeyError:
            raise _other_columns(recorded.release, domain.name, shown[exhibit]) from None
        name = plpy.quote_ident(domain.name)
        # Statements call the view of the records r, its companion s.
        columns.append(read.of(f"{exhibit[0]}.{name}"))
        selected[exhibit].append(name if read.made is None else f"{read.made} AS {name}")
        if read.made is not None:
            made.add(exhibit)
    views = {}
    for exhibit, fields in form.exhibits.items():
        view = str(origin.view.of(exhibit))
        if exhibit in made:
            others = [field for field in fields if field in ADDED]
            view = f"(SELECT {', '.join([*selected[exhibit], *others])} FROM {view})"
        views[exhibit] = view
    return views, columns


def _columns(origin: _Origin, release: int, exhibit: Exhibit) -> dict[str, str]:
    """Columns and types of the view that shows an exhibit of a release."""
    view = origin.view.of(exhibit)
    shown = find_view(view, exhibit, origin.dataset, origin.owner, only=release)
    if shown is None:
        raise Refusal(
            "55000",
            f"release {release} is not shown by view {view}",
            detail="It is superseded or withdrawn, or the view was dropped or changed.",
            hint="Ask about the release that is shown; see the view bkpriv.releases.",
        )
    return dict(shown.columns)


def _other_columns(release: int, attribute: str, columns: Mapping[str, str]) -> Refusal:
    """Refuse a release whose tables somebody else than a publication made."""
    listed = ", ".join(f"{plpy.quote_ident(name)} {type_}" for name, type_ in columns.items())
    return Refusal(
        "55000",
        f"the views of release {release} do not show what its history says",
        detail=f'Attribute "{attribute}" is not among the columns {listed}, or of another type.',
        hint="No publication made them so. Ask its owner to publish again.",
    )
