"""Groups within one another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["equal", "nested", "nested_by_part", "overlaps", "weighed"]

_OVERLAPS = 200_000_000
"""Largest number of pairs of groups with members in common, counted once for each member."""

_AT_ONCE = 2_000_000
"""Pairs that are looked at at a time."""


def equal(groups: Groups, progress: Progress = SILENT) -> tuple[IntArray, IntArray]:
    """Find groups of the same members.

    Returns:
        first: Shape (u,). The first group of each kind.
        same: Shape (g,). The kind of each group.
    """
    one = np.arange(len(groups))  # the first group of the same members as each
    # Groups that differ in this differ, as almost all do that are not the same.
    least, total = groups.min(groups.members), groups.sum(groups.members)
    _, look, counts = distinct_rows(np.stack((groups.widths, least, total), axis=1), progress)
    alike = np.flatnonzero(counts[look] > 1)
    kinds: dict[bytes, int] = {}
    some = groups.select(alike)
    rows = some.members[np.lexsort((some.members, some.owner))]
    for group, (start, end) in zip(alike.tolist(), pairwise(some.offsets.tolist()), strict=True):
        progress.poll()
        one[group] = kinds.setdefault(rows[start:end].tobytes(), group)
    first, same = np.unique(one, return_inverse=True)
    return first, same.astype(np.int64)


def nested(groups: Groups, progress: Progress = SILENT) -> tuple[IntArray, IntArray]:
    """All pairs of a group and one within it.

    Returns:
        outer, inner: Shape (x,). Equal groups are within each other.

    Raises:
        TooLarge: If too many groups overlap.
    """
    pairs = int(overlaps(groups).sum())
    if pairs > _OVERLAPS:
        raise TooLarge(
            f"{len(groups)} groups overlap too much to be judged together",
            detail=f"They have members in common in {pairs} ways; {_OVERLAPS} can be held.",
            hint="Judge fewer releases together.",
        )
    none = np.zeros(0, dtype=np.int64)
    outers, inners = zip((none, none), *nested_by_part(groups, progress), strict=True)
    return np.concatenate(outers), np.concatenate(inners)


def overlaps(groups: Groups) -> IntArray:
    """Members that each group has in common with any, itself too, counted for each."""
    degrees = np.bincount(groups.members)
    counted: IntArray = groups.sum(degrees[groups.members])
    return counted


def nested_by_part(groups: Groups, progress: Progress) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a group and one within it, some at a time."""
    from scipy.sparse import csr_array  # slow to import, and only wanted here

    ones = np.ones(len(groups.members), dtype=np.int64)
    shape = len(groups), int(groups.members.max(initial=-1)) + 1
    matrix = csr_array((ones, groups.members, groups.offsets), shape)
    turned = matrix.T.tocsr()
    for first, last in weighed(overlaps(groups)).chunks(_AT_ONCE):
        progress.poll()
        common = (matrix[first:last] @ turned).tocoo()
        inner, outer = (np.asarray(axis, dtype=np.int64) for axis in (common.row, common.col))
        inner += first
        within = (common.data == groups.widths[inner]) & (inner != outer)
        yield outer[within], inner[within]


def weighed(widths: IntArray) -> Groups:
    """Groups of such widths, of nothing: to be chunked."""
    return Groups(np.zeros(0, dtype=np.int64), np.concatenate(([0], np.cumsum(widths))))
