"""The joint distribution that a generalized release leaves to its reader.

Here a record is spread uniformly over the *values of the domains* that lie in its group's box, for
the original distribution lives on these; the counts of queries are spread over all points of a
range, see `extent`. A label stands for the values under it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.joint import JointDistribution
from bkpriv_core.release.generalized.blocks import Hulls, blocks, narrowed
from bkpriv_core.release.generalized.extent import Boxes
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["BoxJoint"]

_SHARES = 1_000_000
"""Shares of groups in values at a time."""

_ROWS = 32
"""Cells, or groups, at a time: few enough that neighbours have most groups in common."""


class BoxJoint(JointDistribution):
    """Records spread over the values of the domains in their group's box."""

    def __init__(self, boxes: Boxes, progress: Progress = SILENT) -> None:
        self._histograms = boxes.histograms
        self._spread = [side.spread() for side in boxes.extents]
        self._owner = [side.owner for side in boxes.extents]
        self._domains = boxes.domains[:-1]
        self._low = boxes.low
        self._hulls = boxes.hulls
        self._progress = progress

    def at(self, codes: IntArray) -> FloatArray:
        """See `JointDistribution`."""
        distribution = np.zeros((len(codes), self._histograms.shape[1]))
        places = [domain.leaf_order[codes[:, axis]] for axis, domain in enumerate(self._domains)]
        points = [(place, place) for place in places]
        sides = [spread.holds for spread in self._spread]
        for rows, near in self._blocks(np.column_stack(places), points):
            common, _ = narrowed(codes[rows], near, self._owner, sides)
            shares = np.ones((len(rows), len(common)))
            for axis, spread in enumerate(self._spread):
                shares *= spread.shares(codes[rows, axis], self._owner[axis][common])
            distribution[rows] = shares @ self._histograms[common]
        return distribution

    def square(self) -> float:
        """See `JointDistribution`."""
        total = 0.0
        owners = np.column_stack(self._owner)
        sides = [spread.meets for spread in self._spread]
        for rows, near in self._blocks(self._low, self._hulls):
            common, _ = narrowed(owners[rows], near, self._owner, sides)
            overlap = self._histograms[rows] @ self._histograms[common].T
            for spread, owner in zip(self._spread, self._owner, strict=True):
                overlap *= spread.overlaps(owner[rows], owner[common])
            total += float(overlap.sum())
        return total

    def _blocks(self, places: IntArray, hulls: Hulls) -> Iterator[tuple[IntArray, IntArray]]:
        sizes = [domain.size for domain in self._domains]
        return blocks(places, hulls, self._hulls, sizes, _ROWS, progress=self._progress)

    def pair(self, one: int, other: int) -> FloatArray:
        """See `JointDistribution`."""
        joint = np.zeros((self._size(one), self._size(other)))
        step = max(1, _SHARES // max(joint.shape))
        for start in range(0, len(self._histograms), step):
            self._progress.poll()
            part = slice(start, start + step)
            left, right = self._factor(one, part), self._factor(other, part)
            if len(self._spread) not in (one, other):
                left = left * self._histograms[part].sum(axis=1)
            joint += left @ right.T
        return joint

    def _size(self, attribute: int) -> int:
        """Number of values of an attribute."""
        last = attribute == len(self._spread)
        return int(self._histograms.shape[1] if last else self._domains[attribute].size)

    def _factor(self, attribute: int, part: slice) -> FloatArray:
        """Share of some groups in each value; records, for the sensitive attribute."""
        if attribute == len(self._spread):
            return np.asarray(self._histograms[part].T)
        values = np.arange(self._domains[attribute].size)
        return self._spread[attribute].shares(values, self._owner[attribute][part])
