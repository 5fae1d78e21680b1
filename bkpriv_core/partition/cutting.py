"""Cuts of groups in two along a dimension: where they can lie, and which are preferred.

A cut takes a run of values out of a group: those that follow each other in the dimension, leaves
being in the order of their hierarchy and NULL beyond all numbers. What is taken out is one half,
the rest is the other. Parts are never split.

- *Between two values*: the run begins with the group's first value. In a categorical dimension it
  ends between two children of the lowest common ancestor of the group's values, so that halves fit
  the hierarchy's nodes. The *median cut* is the one of these that comes nearest to halving the
  records.
- *A node*: the values of one node below the lowest common ancestor, at any level, be it in the
  middle. The rest is still published as the ancestor, as the whole was, but the node is not.

Numbers are cut between two values only, and not taken out of the middle: so the ranges of groups do
not overlap along the dimension that parts them.

Rules:

- Cuts of a group stand in the order of preference: those that come nearest to halving its records
  first, and of such as come equally near those that begin, and then end, with lower values.
- Where there are more of a kind than are asked for, they are taken at even distances in that order,
  beginning with the first: even distances in values, that is, on either side of the median.

A cut is two places in the order of its group's memberships. Halves are made of it only where they
are asked for; how many records with each sensitive value each half holds is known without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import AnyArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Cuts", "find_cuts", "median_cuts"]

_ADDED_AT_ONCE = 8_000_000
"""Counts that are added up at a time, 64 MB."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of some groups, each in two; a group may have none or several."""

    groups: Groups
    """The groups, their members in the order of values along the dimension that is cut."""
    parents: IntArray
    """Shape (b,). Group that each cut is of."""
    starts: IntArray
    ends: IntArray
    """Shape (b,). The memberships that one half begins with, and ends before: some of the group's,
    not all.
    """

    def __len__(self) -> int:
        return len(self.parents)

    def select(self, chosen: AnyArray) -> Cuts:
        """Keep the cuts of a boolean mask or index array, in that order."""
        return Cuts(self.groups, self.parents[chosen], self.starts[chosen], self.ends[chosen])

    def chunks(self, size: int) -> Iterator[Cuts]:
        """Consecutive cuts whose halves have at most `size` members, or one cut that has more."""
        widths = self.groups.widths[self.parents]
        numbered = Groups(self.parents, np.concatenate(([0], np.cumsum(widths))))
        for first, last in numbered.chunks(size):
            yield self.select(np.arange(first, last))

    def halves(self) -> Groups:
        """Make the halves: groups ``2i`` and ``2i + 1`` are those of cut ``i``."""
        first, last = (self.groups.offsets[self.parents + end] for end in (0, 1))
        # What is taken out; then what is before it, and after it.
        starts = np.column_stack((self.starts, first, self.ends)).ravel()
        widths = np.column_stack((self.ends, self.starts, last)).ravel() - starts
        offsets = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], widths)
        bounds = np.delete(offsets, np.arange(2, len(offsets), 3))
        return Groups(self.groups.members[places], bounds)

    def histograms(self, counts: IntArray) -> IntArray:
        """Add up counts of parts, shape (p, x), over the halves, which are not made: (2b, x)."""
        histograms = np.empty((len(self), 2, counts.shape[1]), dtype=np.int64)
        cut, parents = np.unique(self.parents, return_inverse=True)
        groups = self.groups.select(cut)
        shift = (groups.offsets[:-1] - self.groups.offsets[cut])[parents]
        for first, last in groups.chunks(_ADDED_AT_ONCE // counts.shape[1]):
            here = np.flatnonzero((parents >= first) & (parents < last))
            start, end = groups.offsets[[first, last]]
            running = np.zeros((end - start + 1, counts.shape[1]), dtype=np.int64)
            np.cumsum(counts[groups.members[start:end]], axis=0, out=running[1:])
            whole = np.diff(running[groups.offsets[first : last + 1] - start], axis=0)
            one = running[(self.ends + shift)[here] - start]
            one -= running[(self.starts + shift)[here] - start]
            histograms[here, 0], histograms[here, 1] = one, whole[parents[here] - first] - one
        return histograms.reshape(-1, counts.shape[1])

    def preferred(self, parts: Parts, most: int | None = None) -> Cuts:
        """Sort the cuts group by group in the order of preference, and keep `most` of each."""
        running = np.concatenate(([0], np.cumsum(parts.weights[self.groups.members])))
        sizes = np.diff(running[self.groups.offsets])[self.parents]
        uneven = np.abs(2 * (running[self.ends] - running[self.starts]) - sizes)
        order = np.lexsort((self.ends, self.starts, uneven, self.parents))
        if most is not None:
            parents = self.parents[order]
            first, last = (np.searchsorted(parents, parents, side) for side in ("left", "right"))
            rank = np.arange(len(self)) - first
            number = np.maximum(last - first, most)
            order = order[rank * most // number != (rank - 1) * most // number]
        return self.select(order)


def median_cuts(parts: Parts, groups: Groups, axes: IntArray) -> Cuts:
    """Find the median cut of each group along its dimension; see `find_cuts`."""
    groups, along = _sorted(parts, groups, axes)
    return _between(groups, _branches(parts, groups, axes, along)).preferred(parts, 1)


def find_cuts(parts: Parts, groups: Groups, axes: IntArray, most: int) -> Cuts:
    """Find cuts of every kind of each group along its dimension.

    Args:
        groups: The groups; one may stand there several times, for several dimensions.
        axes: Shape (g,). The dimension that each is to be cut along.
        most: Limit of the cuts of each kind that a group is given.

    Returns:
        Group after group, those of one in the order of preference; none of a group that has only
        one value to be cut along, else the median cut among others.
    """
    groups, along = _sorted(parts, groups, axes)
    domains = parts.table.quasi_identifiers
    numeric = np.array([domain.numeric for domain in domains], dtype=bool)[axes]
    between = _between(groups, _branches(parts, groups, axes, along))
    heights = [domain.height for domain in domains if not domain.numeric]
    levels = [
        _runs(groups, _branches(parts, groups, axes, along, depth=depth))
        for depth in range(max(heights, default=0))
    ]
    nodes = _distinct(_joined(groups, levels))
    nodes = nodes.select(~numeric[nodes.parents])
    kinds = [kind.preferred(parts, most) for kind in (between, nodes)]
    return _distinct(_joined(groups, kinds)).preferred(parts)


def _sorted(parts: Parts, groups: Groups, axes: IntArray) -> tuple[Groups, IntArray]:
    """Sort members of each group by their leaf places along its dimension, and give those."""
    along: IntArray = parts.places[groups.members, axes[groups.owner]]
    order = np.lexsort((along, groups.owner)).astype(np.int64)
    return Groups(groups.members[order], groups.offsets), along[order]


def _branches(
    parts: Parts, groups: Groups, axes: IntArray, along: IntArray, depth: int = 0
) -> IntArray:
    """Node of each membership, so far below the children of the lowest common ancestor.

    It is the value itself in a numeric dimension, and the same for all members of groups whose
    ancestor has nothing so far below.
    """
    nodes: IntArray = along.copy()
    level = np.zeros(len(groups), dtype=np.int64)
    low, high = along[groups.offsets[:-1]], along[groups.offsets[1:] - 1]
    for axis, domain in enumerate(parts.table.quasi_identifiers):
        if not domain.numeric:
            chosen = axes == axis
            level[chosen] = domain.ancestor_level(low[chosen], high[chosen])
            here = chosen[groups.owner]
            above = level[groups.owner[here]] - depth
            nodes[here] = np.where(above > 0, domain.branch_start(above, along[here]), 0)
    return nodes


def _runs(groups: Groups, keys: IntArray) -> Cuts:
    """Take out each run of members that have the same key, unless that is all of a group."""
    first = np.ones(len(keys), dtype=bool)
    first[1:] = (keys[1:] != keys[:-1]) | (groups.owner[1:] != groups.owner[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(keys))
    parents = groups.owner[starts]
    some = ends - starts < groups.widths[parents]
    return Cuts(groups, parents[some], starts[some], ends[some])


def _between(groups: Groups, keys: IntArray) -> Cuts:
    """Take out what is before each run but the first."""
    runs = _runs(groups, keys)
    cuts = replace(runs, starts=groups.offsets[runs.parents], ends=runs.starts)
    return cuts.select(cuts.starts < cuts.ends)


def _distinct(cuts: Cuts) -> Cuts:
    """Keep one of those cuts that have the same halves."""
    first, last = (cuts.groups.offsets[cuts.parents + end] for end in (0, 1))
    rest = cuts.ends == last
    starts, ends = np.where(rest, first, cuts.starts), np.where(rest, cuts.starts, cuts.ends)
    kept, _, _ = distinct_rows(np.column_stack((starts, ends)))
    return Cuts(cuts.groups, cuts.parents[kept], starts[kept], ends[kept])


def _joined(groups: Groups, lists: Sequence[Cuts]) -> Cuts:
    """Join lists of cuts of the same groups."""
    empty = np.zeros(0, dtype=np.int64)
    return Cuts(
        groups,
        np.concatenate([empty, *(cuts.parents for cuts in lists)]),
        np.concatenate([empty, *(cuts.starts for cuts in lists)]),
        np.concatenate([empty, *(cuts.ends for cuts in lists)]),
    )
