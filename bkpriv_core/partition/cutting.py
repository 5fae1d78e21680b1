"""Cuts of groups in two along a dimension: where they can lie, and which are tried first.

A numeric dimension is cut between two values, NULL being beyond all others; a categorical one
between two children of the lowest common ancestor of the group's values, in the order of leaves, so
that halves fit the hierarchy's nodes. Parts are never split.

Rules:

- Cuts of a group stand in the order of preference: those that come nearest to halving its records
  first, and of two that come equally near that of the lower values.
- Where a group has more places than are asked for, its records are divided into as many stretches
  of equal length, and of the places in each the one nearest to halving is kept. The first of all is
  therefore always among them: the *median cut*.

A cut is a place in the order of a group's memberships. Halves are made of it only where they are
asked for; how many records with each sensitive value each half holds is known without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Cuts", "find_cuts"]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of some groups, each in two; a group may have none or several.

    Parameters
    ----------
    groups : Groups
        The groups, their members in the order of values along the dimension that is cut.
    parents : (b,) int array
        Which of the groups each cut is of.
    places : (b,) int array
        The membership that the second half begins with.
    """

    groups: Groups
    parents: IntArray
    places: IntArray

    def __len__(self) -> int:
        return len(self.parents)

    def select(self, chosen: npt.NDArray[Any]) -> Cuts:
        """Keep the cuts of a boolean mask or index array, in that order."""
        return Cuts(self.groups, self.parents[chosen], self.places[chosen])

    def chunks(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of consecutive cuts whose halves have at most `size` members, or of one cut."""
        widths = self.groups.widths[self.parents]
        return Groups(self.parents, np.concatenate(([0], np.cumsum(widths)))).chunks(size)

    def halves(self) -> Groups:
        """Make the halves: groups ``2i`` and ``2i + 1`` are those of cut ``i``."""
        starts, ends = self._ranges()
        offsets = np.concatenate(([0], np.cumsum(ends - starts))).astype(np.int64)
        shift = np.repeat(starts - offsets[:-1], ends - starts)
        return Groups(self.groups.members[np.arange(offsets[-1]) + shift], offsets)

    def histograms(self, parts: Parts) -> IntArray:
        """Records of each half with each sensitive value, shape (2b, m), the halves not made."""
        counts = parts.counts[self.groups.members]
        running = np.concatenate((np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)))
        starts, ends = self._ranges()
        histograms: IntArray = running[ends] - running[starts]
        return histograms

    def _ranges(self) -> tuple[IntArray, IntArray]:
        """First membership of each half, and the one after its last."""
        offsets = self.groups.offsets
        starts = np.column_stack((offsets[self.parents], self.places)).ravel()
        ends = np.column_stack((self.places, offsets[self.parents + 1])).ravel()
        return starts, ends


def find_cuts(parts: Parts, groups: Groups, axes: IntArray, most: int = 1) -> Cuts:
    """Find the cuts of each group along its dimension, or the median cut alone.

    Parameters
    ----------
    parts : Parts
        What groups consist of.
    groups : Groups
        The groups; one may stand there several times, for several dimensions.
    axes : (g,) int array
        The dimension that each is to be cut along.
    most : int
        How many cuts of a group are wanted at most.

    Returns
    -------
    Cuts
        Group after group, those of one in the order of preference; none of a group that has only
        one value to be cut along.
    """
    keys = _cut_keys(parts, groups, axes)
    order = np.lexsort((keys, groups.owner))
    ordered = Groups(groups.members[order], groups.offsets)
    keys = keys[order]
    # A cut lies before a membership whose predecessor in the same group has another key.
    places = np.flatnonzero((keys[1:] != keys[:-1]) & (ordered.owner[1:] == ordered.owner[:-1])) + 1
    parents = ordered.owner[places]
    running = np.concatenate(([0], np.cumsum(parts.weights[ordered.members])))
    first = running[groups.offsets[:-1]][parents]
    sizes = running[groups.offsets[1:]][parents] - first
    before = running[places] - first
    preferred = np.lexsort((places, np.abs(2 * before - sizes), parents))
    numerous = np.bincount(parents, minlength=len(groups))[parents] > most
    stretches = np.where(numerous, before * most // sizes, np.arange(len(places)) + most)
    # Of each stretch the first in the order of preference.
    stretches = parents * (len(places) + most) + stretches
    _, kept = np.unique(stretches[preferred], return_index=True)
    chosen = preferred[np.sort(kept)]
    return Cuts(ordered, parents[chosen], places[chosen])


def _cut_keys(parts: Parts, groups: Groups, axes: IntArray) -> IntArray:
    """Value of each membership that a cut along its group's axis may separate."""
    keys = np.empty(len(groups.members), dtype=np.int64)
    for axis, domain in enumerate(parts.table.quasi_identifiers):
        chosen = axes == axis
        if not chosen.any():
            continue
        subset = groups.select(chosen)
        places = parts.places[subset.members, axis]
        if not domain.numeric:
            level = domain.ancestor_level(subset.min(places), subset.max(places))
            places = domain.branch_start(level[subset.owner], places)
        keys[chosen[groups.owner]] = places
    return keys
