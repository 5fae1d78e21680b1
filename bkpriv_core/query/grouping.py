"""GROUP BY: counts by the values of attributes, in several grouping sets at once.

The keys are values of the domains. A key is answered where the source or the estimate has a count;
an estimate may have one where no record is, and its error is undefined. Grouping by no attribute
gives one count, be it 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import Predicate
from bkpriv_core.query.tally import Tally, check_keys
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = [
    "GroupedCounts",
    "GroupingSet",
    "Query",
    "answer_groups",
    "cross",
    "cube",
    "rollup",
    "together",
]

GroupingSet = tuple[int, ...]
"""Attributes to group by; none of them twice."""

_SETS = 4_096
"""Largest number of grouping sets; PostgreSQL has the same."""


@dataclass(frozen=True)
class Query:
    """A query as it is understood."""

    predicate: Predicate
    """Condition on the records that are counted."""
    grouping_sets: tuple[GroupingSet, ...]
    """Attributes to count by, set after set; one empty set where there is no GROUP BY."""

    @property
    def grouped(self) -> list[int]:
        """Attributes that any set groups by, in order."""
        return sorted({key for keys in self.grouping_sets for key in keys})


@dataclass(frozen=True, eq=False)
class GroupedCounts:
    """Counts of one grouping set."""

    keys: GroupingSet
    """The attributes grouped by, ``k`` of them."""
    codes: IntArray
    """Shape (r, k). Values of the attributes grouped by, for each key."""
    actual: FloatArray
    estimate: FloatArray
    """Shape (r,). Counts."""


def cube(parts: Sequence[GroupingSet]) -> list[GroupingSet]:
    """Grouping sets of ``CUBE (...)``, whose parts are attributes or lists of them."""
    _check_sets(2 ** len(parts))
    return [
        _union(chosen) for size in range(len(parts), -1, -1) for chosen in combinations(parts, size)
    ]


def rollup(parts: Sequence[GroupingSet]) -> list[GroupingSet]:
    """Grouping sets of ``ROLLUP (...)``."""
    _check_sets(len(parts) + 1)
    return [_union(parts[:size]) for size in range(len(parts), -1, -1)]


def cross(items: Sequence[Sequence[GroupingSet]]) -> list[GroupingSet]:
    """Grouping sets of a ``GROUP BY`` list, from those of its items."""
    _check_sets(prod(map(len, items)))
    return [_union(chosen) for chosen in product(*items)]


def together(items: Iterable[Sequence[GroupingSet]]) -> list[GroupingSet]:
    """Grouping sets of ``GROUPING SETS (...)``, from those of its items."""
    union: list[GroupingSet] = []
    for sets in items:
        union += sets
        _check_sets(len(union))
    return union


def _union(sets: Sequence[GroupingSet]) -> GroupingSet:
    return tuple(dict.fromkeys(attribute for some in sets for attribute in some))


def _check_sets(count: int) -> None:
    if count > _SETS:
        raise TooLarge(
            f"there are more than {_SETS} grouping sets",
            detail="No more are answered.",
            hint="Use fewer attributes in CUBE.",
        )


def answer_groups(
    actual: Tally,
    estimated: Tally,
    predicate: Predicate,
    keys: GroupingSet,
    progress: Progress = SILENT,
) -> GroupedCounts:
    """Actual and estimated counts of one grouping set.

    Args:
        predicate: Condition on the records that are counted.

    Raises:
        TooLarge: If there are too many keys, or a tally refuses.
    """
    counted = actual.by_key(predicate, keys, progress)
    expected = estimated.by_key(predicate, keys, progress)
    if not keys:
        return GroupedCounts(keys, *counted, expected[1])
    codes = np.concatenate((counted[0], expected[0]))
    first, place, _ = distinct_rows(codes)
    check_keys(actual.domains, keys, len(first))
    both = np.zeros((2, len(first)))
    both[0, place[: len(counted[0])]] = counted[1]
    both[1, place[len(counted[0]) :]] = expected[1]
    return GroupedCounts(keys, codes[first], *both)
