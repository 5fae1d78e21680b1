"""Losses of columns and telling attributes, record by record; see `oracles`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

from tests.core.oracles import Group, Records, certainty_penalty

__all__ = ["column_loss", "least_loss", "unique_rows"]


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


def least_loss(records: Records, k: int, suppressed: int = 0) -> Fraction | None:
    """Least penalty of all partitions into groups of `k` or more, so many left out, in sum.

    None if there is no such partition.
    """

    @cache
    def penalty(group: tuple[int, ...]) -> Fraction:
        every = [
            certainty_penalty(attribute, records.column(list(group), axis))
            for axis, attribute in enumerate(records.attributes)
        ]
        return len(group) * sum(every, Fraction(0)) / len(every)

    @cache
    def best(waiting: tuple[int, ...], leaving: int) -> Fraction | None:
        if not waiting:
            return None if leaving else Fraction(0)
        first, *others = waiting
        found = [best(tuple(others), leaving - 1)] if leaving else []
        for size in range(k - 1, len(others) + 1):
            for chosen in combinations(others, size):
                rest = best(tuple(each for each in others if each not in chosen), leaving)
                if rest is not None:
                    found.append(penalty((first, *chosen)) + rest)
        return min((each for each in found if each is not None), default=None)

    return best(tuple(records.everything()), suppressed)
