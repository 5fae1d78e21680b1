"""Losses of columns and telling attributes, record by record; see `oracles`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from tests.core.oracles import Group, Records, certainty_penalty

__all__ = ["column_loss", "unique_rows"]


def column_loss(records: Records, groups: Sequence[Group], axis: int) -> Fraction | None:
    """Mean certainty penalty of published records in one attribute; None if there are none."""
    penalties = [
        certainty_penalty(records.attributes[axis], records.column(group, axis))
        for group in groups
        for _ in group
    ]
    return sum(penalties, Fraction(0)) / len(penalties) if penalties else None


def unique_rows(rows: Sequence[tuple[Hashable, ...]]) -> list[int]:
    """Rows, each of a group and values, that no other of the group is like in a column; in all."""
    found = []
    for columns in (*([place] for place in range(1, len(rows[0]))), range(1, len(rows[0]))):
        seen = [(row[0], *(row[place] for place in columns)) for row in rows]
        found.append(sum(seen.count(one) == 1 for one in seen))
    return found
