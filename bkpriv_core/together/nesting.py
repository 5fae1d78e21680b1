"""Groups within one another, and what is left of those around when those within are taken away.

Whoever holds a group and others within it can take away any of these that are disjoint. The
*remainder* beside somebody is the least number of people that is left so, of all groups that he is
in, with him among them.

Groups within one that hang together, by having members in common, are a *tangle*. What can be taken
away at most is what can be of each tangle, and of that with somebody in it by groups that do not
show him. If the largest group of a tangle has all others within, he is told of better by that group
itself. Otherwise the best of all disjoint choices is sought:

- of up to twelve groups, *exactly*: ``best(A) = max(best(A - g), |g| + best(A that g misses))``
  over sets ``A`` of groups, ``g`` the last of each;
- of more, all that any of them shows is taken to go, though groups that cross cannot both be
  subtracted: so that too many do, and the remainder is a *lower bound*.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["equal", "nested", "remainders"]

BoolArray = npt.NDArray[np.bool_]

_OVERLAPS = 200_000_000
"""Most pairs of groups that have members in common, each counted for every one of them."""

_OF_A_TANGLE = 20_000_000
"""Most pairs of members of a tangle in a group of it; of more, each is left with those like it."""

_AT_ONCE = 2_000_000
"""Pairs, memberships, or choices of groups that are looked at at a time."""

_CHOSEN = 12
"""Most groups of a tangle of which all disjoint choices are compared."""


def equal(groups: Groups, progress: Progress = SILENT) -> tuple[IntArray, IntArray]:
    """Find groups of the same members.

    Returns
    -------
    first : (u,) int array
        The first group of each kind.
    same : (g,) int array
        The kind of each group.
    """
    kinds: dict[bytes, int] = {}
    rows = groups.members[np.lexsort((groups.members, groups.owner))]
    same = np.empty(len(groups), dtype=np.int64)
    for group, (start, end) in enumerate(pairwise(groups.offsets.tolist())):
        progress.poll()
        same[group] = kinds.setdefault(rows[start:end].tobytes(), len(kinds))
    return np.unique(same, return_index=True)[1], same


def nested(groups: Groups, progress: Progress = SILENT) -> tuple[IntArray, IntArray]:
    """All pairs of a group and one within it.

    Returns
    -------
    outer, inner : (x,) int array
        Equal groups are within each other.

    Raises
    ------
    TooLarge
        If too many groups overlap.
    """
    pairs = int(_overlaps(groups).sum())
    if pairs > _OVERLAPS:
        raise TooLarge(
            f"{len(groups)} groups overlap too much to be judged together",
            detail=f"They have members in common in {pairs} ways; {_OVERLAPS} can be held.",
            hint="Judge fewer releases together.",
        )
    none = np.zeros(0, dtype=np.int64)
    outers, inners = zip((none, none), *_nested(groups, progress), strict=True)
    return np.concatenate(outers), np.concatenate(inners)


def _overlaps(groups: Groups) -> IntArray:
    """Members that each group has in common with any, itself too, counted for each."""
    degrees = np.bincount(groups.members)
    overlaps: IntArray = groups.sum(degrees[groups.members])
    return overlaps


def _nested(groups: Groups, progress: Progress) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a group and one within it, some at a time."""
    from scipy.sparse import csr_array  # slow to import, and only wanted here

    ones = np.ones(len(groups.members), dtype=np.int64)
    shape = len(groups), int(groups.members.max(initial=-1)) + 1
    matrix = csr_array((ones, groups.members, groups.offsets), shape)
    turned = matrix.T.tocsr()
    for first, last in _weighed(_overlaps(groups)).chunks(_AT_ONCE):
        progress.poll()
        common = (matrix[first:last] @ turned).tocoo()
        inner, outer = (np.asarray(axis, dtype=np.int64) for axis in (common.row, common.col))
        inner += first
        within = (common.data == groups.widths[inner]) & (inner != outer)
        yield outer[within], inner[within]


def _weighed(widths: IntArray) -> Groups:
    """Groups of such widths, of nothing: to be chunked."""
    return Groups(np.zeros(0, dtype=np.int64), np.concatenate(([0], np.cumsum(widths))))


def remainders(
    groups: Groups, weights: IntArray, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray, tuple[IntArray, IntArray]]:
    """Fewest people left beside each by subtraction, of all groups that he is in; see the module.

    Parameters
    ----------
    groups : Groups
        Groups of atoms, no two of the same.
    weights : (a,) int array
        People of each atom.
    progress : Progress
        Polled between steps.

    Returns
    -------
    fewest : (a,) float array
        Infinite for who is in no group.
    exact : (a,) bool array
        Where it is not, it is a lower bound.
    crossing : (c,) int array, (c,) int array
        Groups, and those within them that hang together with others within that they cross.

    Raises
    ------
    TooLarge
        If too many groups overlap.
    """
    sizes = groups.sum(weights[groups.members])
    known, bounded = np.full((2, len(weights)), np.inf)
    np.minimum.at(known, groups.members, sizes[groups.owner])
    outer, inner = nested(groups, progress)
    order = np.argsort(outer, kind="stable")
    outer, inner = outer[order], inner[order]
    starts = np.flatnonzero(np.diff(outer, prepend=-1))
    pairs = Groups(inner, np.append(starts, len(inner)))
    shown = pairs.sum(groups.widths[inner])
    crossing = np.zeros(len(inner), dtype=bool)
    for first, last in _weighed(shown).chunks(_AT_ONCE):
        progress.poll()
        around = groups.select(outer[starts[first:last]])
        within = pairs.select(np.arange(first, last))
        inside = groups.select(within.members)
        left, exact, crossed = _left(around, inside, within.owner, weights, progress)
        crossing[pairs.offsets[first] : pairs.offsets[last]] = crossed
        np.minimum.at(known, around.members[exact], left[exact])
        np.minimum.at(bounded, around.members[~exact], left[~exact])
    return np.minimum(known, bounded), known <= bounded, (outer[crossing], inner[crossing])


def _left(
    around: Groups, within: Groups, outer: IntArray, weights: IntArray, progress: Progress
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """What is left of groups beside each of their members; infinite who is told of better.

    Parameters
    ----------
    around, within : Groups
        Groups, and some within them.
    outer : (g,) int array
        Which each of these is within.

    Returns
    -------
    left, exact : float array, bool array
        By members of the groups around.
    crossing : (g,) bool array
        Which groups within hang together with others, none of which has all of these within.
    """
    tangles = _Tangles.of(around, within, outer, weights)
    tangles.choose(progress)
    tangles.unite(progress)
    size = around.sum(weights[around.members])
    of_outer = np.bincount(tangles.outer, tangles.taken, minlength=len(around))
    left = np.asarray(size - of_outer, dtype=np.float64)[around.owner]
    bounds = np.bincount(tangles.outer, ~tangles.exact, minlength=len(around))
    exact: BoolArray = np.equal(bounds, 0)[around.owner]
    mine, tangle = tangles.cells, tangles.of_cell
    crossed = tangles.crossing[tangle]
    left[mine] = np.where(crossed, left[mine] + tangles.taken[tangle] - tangles.beside, np.inf)
    return left, exact, tangles.crossing[tangles.of_group]


class _Tangles:
    """Groups that hang together within others; see the module.

    A *cell* is an atom of a group that others within show.

    Attributes
    ----------
    groups : Groups
        Cells of each group within.
    cells : (c,) int array
        Which member of the groups around each cell is.
    weights : (c,) int array
        People of each cell.
    of_group, of_cell : int arrays
        The tangle of each group and cell.
    outer : (t,) int array
        Which group each tangle is within.
    crossing : (t,) bool array
        Whether no group of it has all others within.
    taken : (t,) float array
        How many people can be taken away.
    exact : (t,) bool array
        Where that is not, it is an upper bound.
    beside : (c,) float array
        How many of the tangle can be beside each cell, if groups cross.
    """

    def __init__(self, groups: Groups, cells: IntArray, weights: IntArray, outer: IntArray) -> None:
        from scipy.sparse import csr_array  # slow to import, and only wanted here
        from scipy.sparse.csgraph import connected_components

        self.groups, self.cells, self.weights = groups, cells, weights
        nodes = len(groups) + len(cells)
        ties = (np.ones(len(groups.members)), (groups.owner, len(groups) + groups.members))
        count, tangle = connected_components(csr_array(ties, shape=(nodes, nodes)), directed=False)
        self.of_group = tangle[: len(groups)].astype(np.int64)
        self.of_cell = tangle[len(groups) :].astype(np.int64)
        self.outer = np.zeros(count, dtype=np.int64)
        self.outer[self.of_group] = outer
        self.taken = np.bincount(self.of_cell, weights, minlength=count)
        self.sizes = groups.sum(weights[groups.members])
        largest = np.zeros(count)
        np.maximum.at(largest, self.of_group, self.sizes)
        self.crossing = largest < self.taken
        self.exact = np.ones(count, dtype=bool)
        self.beside = np.zeros(len(cells))
        by_tangle = np.argsort(self.of_group, kind="stable")
        counts = np.bincount(self.of_group, minlength=count)
        self.members = Groups(by_tangle, np.concatenate(([0], np.cumsum(counts))))

    @classmethod
    def of(cls, around: Groups, within: Groups, outer: IntArray, weights: IntArray) -> _Tangles:
        """Find the tangles; see `_left`."""
        span = len(weights)
        keys = around.owner * span + around.members
        order = np.argsort(keys)
        place = order[np.searchsorted(keys[order], outer[within.owner] * span + within.members)]
        cells, cell = np.unique(place, return_inverse=True)
        groups = Groups(cell.astype(np.int64), within.offsets)
        return cls(groups, cells, weights[around.members[cells]], outer)

    def choose(self, progress: Progress) -> None:
        """Find the best disjoint choice in tangles of few groups."""
        groups, counts = self.groups, self.members.widths
        bit = np.empty(len(groups), dtype=np.int64)
        bit[self.members.members] = np.arange(len(groups)) - np.repeat(
            self.members.offsets[:-1], counts
        )
        few = self.crossing & (counts <= _CHOSEN)
        here = few[self.of_group[groups.owner]]
        shown = np.zeros(len(self.cells), dtype=np.int64)
        np.bitwise_or.at(shown, groups.members[here], 1 << bit[groups.owner[here]])
        met = np.bitwise_or.reduceat(shown[groups.members], groups.offsets[:-1])
        for count in np.unique(counts[few]).tolist():
            alike = np.flatnonzero(few & (counts == count))
            for start in range(0, len(alike), most := max(1, _AT_ONCE >> count)):
                progress.poll()
                some = alike[start : start + most]
                chosen = self.members.select(some).members.reshape(-1, count)
                best = _best(self.sizes[chosen], met[chosen])
                row = np.full(len(counts), -1)
                row[some] = np.arange(len(some))
                mine = np.flatnonzero(row[self.of_cell] >= 0)
                self.taken[some] = best[:, -1]
                self.beside[mine] = best[row[self.of_cell[mine]], best.shape[1] - 1 - shown[mine]]

    def unite(self, progress: Progress) -> None:
        """Bound what can be taken away of tangles of many groups by all that they show."""
        many = self.crossing & (self.members.widths > _CHOSEN)
        if not many.any():
            return
        self.exact = ~many
        # The groups of each cell: beside one, those are left that are in some of its groups only.
        order = np.argsort(self.groups.members, kind="stable")
        every = np.searchsorted(self.groups.members[order], np.arange(len(self.cells) + 1))
        mine = np.flatnonzero(many[self.of_cell])
        shown_by = Groups(self.groups.owner[order], every).select(mine)
        first, same = equal(shown_by, progress)
        kinds, weights = shown_by.select(first), np.bincount(same, self.weights[mine])
        tangle = self.of_cell[mine[first]]
        overlaps = np.bincount(tangle, _overlaps(kinds), minlength=len(many))
        few = np.flatnonzero(overlaps[tangle] <= _OF_A_TANGLE)
        left = weights.copy()
        for outer, inner in _nested(kinds.select(few), progress):
            np.add.at(left, few[outer], weights[few[inner]])
        self.beside[mine] = self.taken[self.of_cell[mine]] - left[same]


def _best(sizes: IntArray, met: IntArray) -> IntArray:
    """Most people that disjoint groups show, of all sets of some.

    Parameters
    ----------
    sizes : (t, k) int array
        People of the k groups of each of t tangles.
    met : (t, k) int array
        Those that each has members in common with, as bits; itself, too.

    Returns
    -------
    (t, 2 ** k) int array
        By the set, as bits.
    """
    best = np.zeros((len(sizes), 1), dtype=np.int64)
    for last in range(sizes.shape[1]):
        others = np.arange(1 << last) & ~met[:, last, None]
        with_it = sizes[:, last, None] + np.take_along_axis(best, others, axis=1)
        best = np.concatenate((best, np.maximum(best, with_it)), axis=1)
    return best
