"""Remainders of groups when groups within them are taken away.

A reader who holds a group and others within it can subtract any of these that are disjoint. The
*remainder* beside a person is the least that such subtractions leave of any group that shows the
person: people, or records with a value that the person may have. The person is among them.

Groups within one group that are linked, by having members in common, are a *tangle*. The most that
can be taken away is the sum over tangles; from the person's own tangle only groups count that do
not show the person. If the largest group of a tangle contains all its others, that group itself
tells more about the person. Otherwise the best of all disjoint choices is sought:

- of up to twelve groups, *exactly*: ``best(A) = max(best(A - g), |g| + best(A that g misses))``
  over sets ``A`` of groups, ``g`` the last of each; ``|g|`` is the number of people it shows, or of
  records with a value that the person may have;
- of more, everything that any of them shows is taken away, though groups that cross cannot both be
  subtracted. That is too much, so the remainder is a *lower bound*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.composition.nesting import equal, nested, nested_by_part, overlaps, weighed
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["Held", "remainders"]


_OF_A_TANGLE = 20_000_000
"""Limit of pairs of members of a tangle in a group; of more, each is left with its likes."""

_AT_ONCE = 2_000_000
"""Memberships, or choices of groups, that are looked at at a time."""

_CHOSEN = 12
"""Largest number of groups of a tangle of which all disjoint choices are compared."""


@dataclass(frozen=True, eq=False)
class Held:
    """Records of groups of atoms, and which may be somebody's."""

    histograms: IntArray
    """Shape (g, m). Records of each group with each value."""
    may: BoolArray
    """Shape (a, m). Values that people of each atom may have."""


def remainders(
    groups: Groups, weights: IntArray, held: Held | None = None, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray]:
    """Least that subtraction leaves beside each atom, over all groups that show it.

    Args:
        groups: Groups of atoms, no two of the same.
        weights: Shape (a,). People of each atom.
        held: Have records count with values that somebody may have; else people do, whatever they
            have. Of a group by itself, and where those within do not cross, people count all the
            same.

    Returns:
        fewest: Shape (a,). Infinite for people who are in no group.
        exact: Shape (a,). Whether the figure is exact; otherwise it is a lower bound.

    Raises:
        TooLarge: If too many groups overlap.
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
    for first, last in weighed(shown).chunks(_AT_ONCE):
        progress.poll()
        around = groups.select(outer[starts[first:last]])
        within = pairs.select(np.arange(first, last))
        tangles = _Tangles.of(around, groups.select(within.members), within.owner, weights)
        tangles.choose(progress)
        tangles.unite(progress)
        left, exact = tangles.left()
        np.minimum.at(known, around.members[exact], left[exact])
        np.minimum.at(bounded, around.members[~exact], left[~exact])
        if held is not None:
            here = held.histograms[outer[starts[first:last]]]
            of_some = _OfSome(tangles, here, held.histograms[within.members], held.may)
            some, records, exact = of_some.left(np.isfinite(left), progress)
            np.minimum.at(known, around.members[some[exact]], records[exact])
            np.minimum.at(bounded, around.members[some[~exact]], records[~exact])
    return np.minimum(known, bounded), known <= bounded


class _Tangles:
    """Groups that hang together within others; see the module.

    A *cell* is an atom of a group that others within show.

    Attributes:
        size: Shape (o,). People of each of these.
        cells: Shape (c,). Member of the groups around that each cell is.
        weights: Shape (c,). People of each cell.
        outer: Shape (t,). Group that each tangle is within.
        crossing: Shape (t,). Whether no group of it has all others within.
        taken: Shape (t,). Number of people that can be taken away.
        exact: Shape (t,). Whether that number is exact; otherwise it is an upper bound.
        shown, met: Shape (c,). Masks of tangles of few groups that cross: groups that show each
            cell, and those that each group has members in common with, itself too; as bits.
        beside: Shape (c,). Number of people of the tangle that can be beside each cell, if groups
            cross.
    """

    def __init__(
        self,
        around: Groups,
        size: IntArray,
        groups: Groups,
        cells: IntArray,
        weights: IntArray,
        outer: IntArray,
    ) -> None:
        from scipy.sparse import csr_array  # slow to import, and only wanted here
        from scipy.sparse.csgraph import connected_components

        self.around, self.size = around, size
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
        self.shown = np.zeros(len(cells), dtype=np.int64)
        self.met = np.zeros(len(groups), dtype=np.int64)

    @classmethod
    def of(cls, around: Groups, within: Groups, outer: IntArray, weights: IntArray) -> _Tangles:
        """Find the tangles.

        Args:
            outer: Shape (g,). Group that each of these is within.
            weights: Shape (a,). People of each atom.
        """
        span = len(weights)
        keys = around.owner * span + around.members
        order = np.argsort(keys)
        place = order[np.searchsorted(keys[order], outer[within.owner] * span + within.members)]
        cells, cell = np.unique(place, return_inverse=True)
        groups = Groups(cell.astype(np.int64), within.offsets)
        size = around.sum(weights[around.members])
        return cls(around, size, groups, cells, weights=weights[around.members[cells]], outer=outer)

    def choose(self, progress: Progress) -> None:
        """Find the best disjoint choice in tangles of few groups."""
        groups, counts = self.groups, self.members.widths
        bit = np.empty(len(groups), dtype=np.int64)
        bit[self.members.members] = np.arange(len(groups)) - np.repeat(
            self.members.offsets[:-1], counts
        )
        few = self.crossing & (counts <= _CHOSEN)
        here = few[self.of_group[groups.owner]]
        np.bitwise_or.at(self.shown, groups.members[here], 1 << bit[groups.owner[here]])
        if len(groups):
            self.met = np.bitwise_or.reduceat(self.shown[groups.members], groups.offsets[:-1])
        for count in np.unique(counts[few]).tolist():
            alike = np.flatnonzero(few & (counts == count))
            for start in range(0, len(alike), most := max(1, _AT_ONCE >> count)):
                progress.poll()
                some = alike[start : start + most]
                chosen = self.members.select(some).members.reshape(-1, count)
                best = _best(self.sizes[chosen], self.met[chosen])
                row = np.full(len(counts), -1)
                row[some] = np.arange(len(some))
                mine = np.flatnonzero(row[self.of_cell] >= 0)
                self.taken[some] = best[:, -1]
                others = best.shape[1] - 1 - self.shown[mine]
                self.beside[mine] = best[row[self.of_cell[mine]], others]

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
        pairs = np.bincount(tangle, overlaps(kinds), minlength=len(many))
        few = np.flatnonzero(pairs[tangle] <= _OF_A_TANGLE)
        left = weights.copy()
        for outer, inner in nested_by_part(kinds.select(few), progress):
            np.add.at(left, few[outer], weights[few[inner]])
        self.beside[mine] = self.taken[self.of_cell[mine]] - left[same]

    def left(self) -> tuple[FloatArray, BoolArray]:
        """People left of groups beside each member; infinite in a better known group."""
        of_outer = np.bincount(self.outer, self.taken, minlength=len(self.around))
        left = np.asarray(self.size - of_outer, dtype=np.float64)[self.around.owner]
        bounds = np.bincount(self.outer, ~self.exact, minlength=len(self.around))
        exact: BoolArray = np.equal(bounds, 0)[self.around.owner]
        mine, tangle = self.cells, self.of_cell
        beside = left[mine] + self.taken[tangle] - self.beside
        left[mine] = np.where(self.crossing[tangle], beside, np.inf)
        return left, exact


class _OfSome:
    """Records left of groups in which others cross, with values that somebody may have.

    Args:
        tangles: Tangles within some groups, chosen of.
        around, within: Shape (o, m). Records of the groups around, and of those within.
        may: Shape (a, m). Values that people of each atom may have.
    """

    def __init__(
        self, tangles: _Tangles, around: IntArray, within: IntArray, may: BoolArray
    ) -> None:
        self._tangles, self._within, self._may = tangles, within, may
        crossing = np.flatnonzero(tangles.crossing)
        order = crossing[np.argsort(tangles.outer[crossing], kind="stable")]
        ends = np.searchsorted(tangles.outer[order], np.arange(len(around) + 1))
        self._of_outer = Groups(order, ends)
        # The largest group of a tangle in which none cross has all others within.
        order = np.lexsort((-tangles.sizes, tangles.of_group))
        largest = order[np.flatnonzero(np.diff(tangles.of_group[order], prepend=-1))]
        largest = largest[~tangles.crossing[tangles.of_group[largest]]]
        self._rest = around.copy()
        np.subtract.at(self._rest, tangles.outer[tangles.of_group[largest]], within[largest])

    def left(self, told: BoolArray, progress: Progress) -> tuple[IntArray, FloatArray, BoolArray]:
        """Records that are left beside some members of the groups around.

        Args:
            told: Members of the groups around of whom it may matter.

        Returns:
            some: Shape (x,). Members who cannot have some value that is left, where groups cross.
            records: Shape (x,). Records that are left beside each.
            exact: Shape (x,). Whether the figure is exact; otherwise it is a lower bound.
        """
        around = self._tangles.around
        some, records, exact = [], [], []
        for outer in np.flatnonzero(self._of_outer.widths).tolist():
            progress.poll()
            start, end = around.offsets[outer : outer + 2]
            mine = start + np.flatnonzero(told[start:end])
            may = self._may[around.members[mine]]
            lacking = (may < (self._rest[outer] > 0)).any(axis=1)
            mine = mine[lacking]
            if len(mine):
                some.append(mine)
                records.append(self._beside(outer, mine, may[lacking], progress))
                known = self._tangles.exact[self._of_outer[outer]].all()
                exact.append(np.full(len(mine), known))
        if not some:
            return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=bool)
        return np.concatenate(some), np.concatenate(records), np.concatenate(exact)

    def _beside(self, outer: int, mine: IntArray, may: BoolArray, progress: Progress) -> FloatArray:
        """Records that are left of one group beside members that may have such values."""
        tangles = self._tangles
        first, kind, _ = distinct_rows(may.astype(np.int64))
        kinds = may[first].astype(np.int64)
        left = (kinds @ self._rest[outer])[kind].astype(np.float64)
        cell = np.searchsorted(tangles.cells, mine)
        cell = np.minimum(cell, len(tangles.cells) - 1)
        tangle_of = np.where(tangles.cells[cell] == mine, tangles.of_cell[cell], -1)
        for tangle in self._of_outer[outer].tolist():
            progress.poll()
            groups = tangles.members[tangle]
            sizes = kinds @ self._within[groups].T
            here = tangle_of == tangle
            if not tangles.exact[tangle]:
                most = np.minimum(sizes.sum(axis=1), tangles.taken[tangle])[kind]
                left -= np.where(here, np.minimum(tangles.beside[cell], most), most)
                continue
            for start in range(0, len(kinds), step := max(1, _AT_ONCE >> len(groups))):
                some = sizes[start : start + step]
                best = _best(some, np.broadcast_to(tangles.met[groups], some.shape))
                rows = np.flatnonzero((kind >= start) & (kind < start + step))
                every = best.shape[1] - 1
                others = np.where(here[rows], every - tangles.shown[cell[rows]], every)
                left[rows] -= best[kind[rows] - start, others]
        beside: FloatArray = np.maximum(left, 1.0)
        return beside


def _best(sizes: IntArray, met: IntArray) -> IntArray:
    """Largest number that disjoint groups show, of all sets of some.

    Args:
        sizes: Shape (t, k). Sizes of the k groups of each of t tangles.
        met: Shape (t, k). Groups that each group has members in common with, as bits; itself, too.

    Returns:
        Shape (t, 2 ** k). Numbers by the set, as bits.
    """
    best = np.zeros((len(sizes), 1), dtype=np.int64)
    for last in range(sizes.shape[1]):
        others = np.arange(1 << last) & ~met[:, last, None]
        with_it = sizes[:, last, None] + np.take_along_axis(best, others, axis=1)
        best = np.concatenate((best, np.maximum(best, with_it)), axis=1)
    return best
