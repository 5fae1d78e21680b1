"""Microaggregation: groups of k records that are near one another, by MDAV.

While at least ``3 k`` records are left, the record farthest from the centre of all that are left
founds a group, with the ``k - 1`` nearest to it; then the record farthest from that one founds
another. If ``2 k`` records or more are left then, one more group is founded so; the rest is the
last group. Sensitive values are not looked at. Rules:

- Records are at the places of `neighbours.box_centres`, and distances are Euclidean: a step is as
  long in one dimension as in another, and what costs little to publish as one is near.
- Records of one cell may fall into different groups, as parts of it; which of them is drawn by lot.
- Among equals the first cell comes first, so which cells a group is of depends on nothing random.
- A group takes as long as there are cells, and there are as many groups as records in k. Above
  20,000 cells they are halved first, at the median of their widest dimension, and each half again:
  no group reaches across, so that those along the seams may be wider than they had to be.

References:
.. [1] J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical data-oriented microaggregation for
   statistical disclosure control", IEEE TKDE 14(1), 2002.
.. [2] J. Domingo-Ferrer, V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation", Data Mining and Knowledge Discovery 11(2), 2005, algorithm MDAV-generic.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["microaggregate"]

_CELLS = 20_000
"""Largest number of cells whose records are grouped together."""


def microaggregate(
    parts: Parts, k: int, chance: Chance, *, progress: Progress = SILENT
) -> tuple[Parts, Groups]:
    """Partition records into groups of `k` that are near one another, the last of more.

    Args:
        parts: Parts of a table's cells, of at least `k` records.
        k: Records of a group, at least 1.
        chance: Draws which records of a cell a group takes.
        progress: Receives the share of records that are in groups.

    Returns:
        parts: Parts of the cells: one for each group and given part that have a record in common.
        groups: The groups as sets of these parts, in the order in which they were formed.
    """
    table = parts.table
    # Of a table that grows, some cells have no part, and others fewer records than are in it.
    there, kind = np.unique(parts.cell, return_inverse=True)
    weights = np.bincount(kind, parts.weights).astype(np.int64)
    places = box_centres(table, table.places[there], table.places[there])
    taken: list[tuple[IntArray, IntArray]] = []
    done = 0
    for block in _blocks(places, weights, k):
        formation = _Formation(places[block], weights[block])
        for cells, records in formation.run(k):
            taken.append((there[block[cells]], records))
            done += int(records.sum())
            progress.report(done / weights.sum())
    cells = np.concatenate([cells for cells, _ in taken])
    group = np.repeat(np.arange(len(taken)), [len(cells) for cells, _ in taken])
    by_cell = np.argsort(cells, kind="stable")
    records = np.concatenate([records for _, records in taken])
    which, values = parts.enumerate_records()
    drawn = chance.order(len(which))
    drawn = drawn[np.argsort(parts.cell[which[drawn]], kind="stable")]
    return parts.dealt(which[drawn], values[drawn], np.repeat(group[by_cell], records[by_cell]))


def _blocks(places: FloatArray, weights: IntArray, k: int) -> Iterator[IntArray]:
    """Cut cells into blocks: few enough, unless a block would have fewer than `k` records."""
    waiting = [np.arange(len(places), dtype=np.int64)]
    while waiting:
        block = waiting.pop()
        if len(block) <= _CELLS:
            yield block
            continue
        widest = np.ptp(places[block], axis=0).argmax()
        along = block[np.argsort(places[block, widest], kind="stable")]
        upto = np.cumsum(weights[along])
        cut = int(np.searchsorted(upto, upto[-1] / 2)) + 1
        if min(upto[cut - 1], upto[-1] - upto[cut - 1]) < k:
            yield block
        else:
            waiting += [np.sort(along[cut:]), np.sort(along[:cut])]


class _Formation:
    """Groups being formed of records at places.

    Args:
        places: Shape (c, d). Places of the records.
        left: Shape (c,). Number of records at each place that are in no group yet, at least 1.
    """

    def __init__(self, places: FloatArray, left: IntArray) -> None:
        self._places = places
        self._left = left
        self._cells = np.arange(len(left), dtype=np.int64)

    def run(self, k: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Form groups of `k`: the cells of each, and how many of their records it takes."""
        while (left := int(self._left.sum())) >= 2 * k:
            centre = self._left @ self._places / left
            founder = self._places[self._from(centre).argmax()]
            yield self._take(founder, k)
            if left >= 3 * k:
                yield self._take(self._places[self._from(founder).argmax()], k)
        yield self._cells, self._left

    def _from(self, place: FloatArray) -> FloatArray:
        """Squared distance of what is left from a place."""
        apart = self._places - place
        squares: FloatArray = np.einsum("ij,ij->i", apart, apart)
        return squares

    def _take(self, founder: FloatArray, k: int) -> tuple[IntArray, IntArray]:
        """Take the `k` records nearest to a founder, itself among them."""
        apart = self._from(founder)
        # Of the nearest k cells each has a record, so no others are needed.
        enough = min(k, len(apart)) - 1
        near = np.flatnonzero(apart <= np.partition(apart, enough)[enough])
        near = near[np.argsort(apart[near], kind="stable")]
        records = np.diff(np.minimum(np.cumsum(self._left[near]), k), prepend=0)
        near, records = near[records > 0], records[records > 0]
        cells = self._cells[near]
        self._left[near] -= records
        stay = self._left > 0
        if not stay.all():
            self._places, self._left = self._places[stay], self._left[stay]
            self._cells = self._cells[stay]
        return cells, records
