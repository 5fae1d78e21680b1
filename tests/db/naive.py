"""Expected views of a release, worked out record by record from the source.

Nothing here knows arrays, lattices or how bkpriv forms groups: only which cell went to which group,
as `bkpriv.disclosure` tells an auditor, and what a person would then write down by hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from psycopg.types.range import Range

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import KINDS, REGIONS

__all__ = ["INTEGER", "PATHS", "boxes_of", "expected_rows", "labels", "records_of"]

Paths = Mapping[str, tuple[str, ...]]
Generalize = Callable[[Sequence[Any]], Any]

PATHS: dict[str, Paths] = {
    "city": {leaf: (leaf, top, "*") for top, leaves in REGIONS.items() for leaf in leaves},
    "disease": {leaf: (leaf, top, "*") for top, leaves in KINDS.items() for leaf in leaves},
    "sex": {"f": ("f", "*"), "m": ("m", "*")},
}
"""Hierarchies of the clinic."""

INTEGER: Generalize = lambda values: Range(min(values), max(values) + 1, "[)")  # noqa: E731


def labels(paths: Paths) -> Generalize:
    """Generalize categories to the label of their lowest common ancestor."""

    def generalize(values: Sequence[Any]) -> Any:
        levels = zip(*(paths[value] for value in values), strict=True)
        return next(level[0] for level in levels if len(set(level)) == 1)

    return generalize


def boxes_of(rows: Sequence[tuple[Any, ...]]) -> dict[tuple[Any, ...], Counter[Any]]:
    """Sensitive values of each box of a published view; the sensitive column is the last."""
    found: dict[tuple[Any, ...], Counter[Any]] = defaultdict(Counter)
    for *box, value in rows:
        found[tuple(box)][value] += 1
    return dict(found)


def expected_rows(
    connection: Connection,
    release: int,
    source: Sequence[tuple[Any, ...]],
    generalizations: Mapping[str, Generalize],
) -> tuple[Counter[tuple[Any, ...]], int]:
    """Rows that a release must show, and how many records it must leave out.

    Args:
        connection: Connection of a role that may measure the release.
        source: The source's records: quasi-identifiers, then the sensitive value.
        generalizations: Generalization of a group's values into one, for each quasi-identifier, in
            order.
    """
    cells = connection.execute(
        "SELECT group_id, qi, records FROM bkpriv.disclosure(%s, '1')", [release]
    ).fetchall()
    group_of = {tuple(qi[name] for name in generalizations): group for group, qi, _ in cells}
    assert len(group_of) == len(cells), "a cell is in two groups"
    members: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    left_out = 0
    for record in source:
        if record[:-1] in group_of:
            members[group_of[record[:-1]]].append(record)
        else:
            left_out += 1
    assert {group for group, _, _ in cells} == set(members), "a group without records"
    counted = Counter(record[:-1] for record in source)
    for _, qi, records in cells:
        assert counted[tuple(qi.values())] == records
    rows: Counter[tuple[Any, ...]] = Counter()
    for group in members.values():
        columns = list(zip(*group, strict=True))
        box = [
            generalize(column)
            for generalize, column in zip(generalizations.values(), columns[:-1], strict=True)
        ]
        rows.update((*box, value) for value in columns[-1])
    return rows, left_out


def records_of(
    source: Sequence[tuple[Any, ...]],
    numbers: Sequence[str],
    paths: Mapping[str, Paths],
    names: Sequence[str],
) -> oracles.Records:
    """Hand the source to the oracles of the core.

    Args:
        source: Quasi-identifiers, then the sensitive value.
        names: All attributes in order, the sensitive one last.
    """
    attributes = []
    for place, name in enumerate(names):
        values = sorted({record[place] for record in source})
        attributes.append(
            oracles.Attribute(
                name,
                tuple(map(str, values)),
                {str(value): value for value in values} if name in numbers else None,
                paths.get(name),
            )
        )
    rows = tuple(tuple(map(str, record)) for record in source)
    return oracles.Records(tuple(attributes[:-1]), attributes[-1], rows)
