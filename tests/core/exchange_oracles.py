"""Exchanges of groups and what they cost, from records: the oracles of repair and improvement.

Groups are lists of parts here, and parts are lists of records, so that all is said of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.partition.exchange import GroupIndex
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core import oracles
from tests.core.oracles import Group, Records
from tests.core.strategies import as_groups, as_table, partitions, tables

__all__ = [
    "Partition",
    "as_partition",
    "by_part",
    "holding",
    "layouts",
    "moves",
    "recuts",
    "total_loss",
    "unions",
]

Partition = frozenset[frozenset[int]]
"""Groups of parts, in no order."""


def as_partition(groups: Groups | Iterable[Iterable[int]]) -> Partition:
    """Groups without their order."""
    return frozenset(frozenset(int(part) for part in group) for group in groups)


def by_part(records: Records, parts: Parts) -> list[Group]:
    """Records of each part: of those of its cell that no part before has, as many as it counts."""
    left = [list(cell) for cell in records.cells()]
    members = []
    for cell, counts in zip(parts.cell.tolist(), parts.counts.tolist(), strict=True):
        mine: Group = []
        for value, count in enumerate(counts):
            alike = [record for record in left[cell] if records.secrets([record]) == [value]]
            mine += alike[:count]
        left[cell] = [record for record in left[cell] if record not in mine]
        members.append(mine)
    assert not any(left)
    return members


def total_loss(
    records: Records, members: Sequence[Group], groups: Iterable[Iterable[int]]
) -> float:
    """Loss of detail of groups of parts: certainty penalties of their records, in sum."""
    total = 0.0
    for group in groups:
        mine = [record for part in group for record in members[part]]
        penalties = [
            oracles.certainty_penalty(attribute, records.column(mine, axis))
            for axis, attribute in enumerate(records.attributes)
        ]
        total += float(len(mine) * sum(penalties) / len(penalties))
    return total


def unions(groups: Sequence[Iterable[int]]) -> Partition:
    """The union of some groups, as a partition of one group."""
    return as_partition([[part for group in groups for part in group]])


def recuts(
    records: Records, members: Sequence[Group], groups: Sequence[Iterable[int]]
) -> set[Partition]:
    """Every way of cutting the union of some groups in two."""
    (united,) = unions(groups)
    home = {record: part for part in united for record in members[part]}
    return {
        as_partition([[home[record] for record in half] for half in halves])
        for axis in range(len(records.attributes))
        for halves in oracles.all_cuts(records, list(home), axis)
    }


def moves(one: Iterable[int], other: Iterable[int]) -> set[Partition]:
    """Every way of handing a part of one group over to another, so that something is left."""
    found = set()
    for giver, taker in ((set(one), set(other)), (set(other), set(one))):
        for part in giver if len(giver) > 1 else ():
            found.add(as_partition([giver - {part}, taker | {part}]))
    return found


def holding(
    found: Iterable[Partition], members: Sequence[Group], allowed: Callable[[Group], bool]
) -> set[Partition]:
    """Select the partitions whose every group is allowed."""
    return {
        partition
        for partition in found
        if all(
            allowed([record for part in group for record in members[part]]) for group in partition
        )
    }


@st.composite
def layouts(
    draw: st.DrawFn, *, min_records: int = 2, max_records: int = 14, most: int = 5
) -> tuple[Records, GroupIndex, list[Group]]:
    """A partition, records of one cell being one part or several, and the records of each part."""
    records = draw(tables(min_records=min_records, max_records=max_records))
    parts = Parts.of(as_table(records))
    if draw(st.booleans()):
        cells, values = parts.enumerate_records()
        drawn = draw(st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells)))
        _, labels = np.unique(drawn, return_inverse=True)
        parts, _ = Parts.of(parts.table).dealt(cells, values, labels)
    groups = as_groups(draw(partitions(len(parts), most=most)))
    return records, GroupIndex(parts, groups), by_part(records, parts)
