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
from bkpriv_core.release.generalized.extent import Boxes
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["BoxJoint"]

_SHARES = 1_000_000
"""Shares of groups in values at a time."""

_ROWS = 64
"""Cells, or groups, at a time: few enough that neighbours have most groups in common."""

_BITS = 5
"""Into how many parts, as a power of 2, an axis is cut to tell which rows are near."""


class BoxJoint(JointDistribution):
    """Records spread over the values of the domains in their group's box.

    Parameters
    ----------
    boxes : Boxes
        The groups.
    """

    def __init__(self, boxes: Boxes, progress: Progress = SILENT) -> None:
        self._histograms = boxes.histograms
        self._spread = [side.spread() for side in boxes.extents]
        self._owner = [side.owner for side in boxes.extents]
        self._domains = boxes.domains[:-1]
        self._low = boxes.low
        self._progress = progress

    def at(self, codes: IntArray) -> FloatArray:
        """See `JointDistribution`."""
        distribution = np.zeros((len(codes), self._histograms.shape[1]))
        places = [domain.leaf_order[codes[:, axis]] for axis, domain in enumerate(self._domains)]
        for rows in self._neighbours(np.column_stack(places)):
            sides = [side[codes[rows, axis]] for axis, side in enumerate(self._spread)]
            common, shares = self._product([side.toarray() for side in sides])
            distribution[rows] = shares @ self._histograms[common]
        return distribution

    def square(self) -> float:
        """See `JointDistribution`."""
        total = 0.0
        for rows in self._neighbours(self._low):
            sides = [
                (side[:, owner[rows]].T @ side).toarray()
                for side, owner in zip(self._spread, self._owner, strict=True)
            ]
            common, overlap = self._product(sides)
            alike = self._histograms[rows] @ self._histograms[common].T
            total += float((overlap * alike).sum())
        return total

    def _neighbours(self, places: IntArray) -> Iterator[IntArray]:
        """Rows in parts, near ones together: in Morton order of their leaf places."""
        sizes = np.array([domain.size for domain in self._domains])
        finest = np.argsort(-sizes, kind="stable")[: 60 // _BITS]
        cubes = places[:, finest] * 2**_BITS // sizes[finest]
        key = np.zeros(len(places), dtype=np.int64)
        for bit in reversed(range(_BITS)):
            for cube in cubes.T:
                key = key << 1 | cube >> bit & 1
        order = np.argsort(key, kind="stable").astype(np.int64)
        for start in range(0, len(order), _ROWS):
            self._progress.poll()
            yield order[start : start + _ROWS]

    def _product(self, sides: list[FloatArray]) -> tuple[IntArray, FloatArray]:
        """Groups that have a share on every axis in some row, and their products of shares."""
        possible = np.ones(len(self._histograms), dtype=bool)
        for side, owner in zip(sides, self._owner, strict=True):
            some: BoolArray = np.any(side > 0, axis=0)
            possible &= some[owner]
        common = np.flatnonzero(possible).astype(np.int64)
        product = np.ones((len(sides[0]), len(common)))
        for side, owner in zip(sides, self._owner, strict=True):
            product *= side[:, owner[common]]
        return common, product

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
        return int(self._histograms.shape[1] if last else self._spread[attribute].shape[0])

    def _factor(self, attribute: int, part: slice) -> FloatArray:
        """Share of some groups in each value; records, for the sensitive attribute."""
        if attribute == len(self._spread):
            return np.asarray(self._histograms[part].T)
        share: FloatArray = self._spread[attribute][:, self._owner[attribute][part]].toarray()
        return share
