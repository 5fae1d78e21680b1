"""The joint distribution that a release leaves to its reader, over the grid of the domains' values.

Here a generalized record is spread uniformly over the *values of the domains* that lie in its
group's box, for the original distribution lives on these; the counts of queries are spread over
all points of a range, see `extent`. A label stands for the values under it.

All figures are records, or expected records; nothing is expected for suppressed ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.extent import axes_of
from bkpriv_core.query.predicate import EVERYTHING, BoolArray
from bkpriv_core.release.release import Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["CellJoint", "GeneralizedJoint", "Joint"]

_SHARES = 1_000_000
"""Shares of groups in values at a time."""

_ROWS = 64
"""Cells, or groups, at a time: few enough that neighbours have most groups in common."""


_BITS = 5
"""Into how many parts, as a power of 2, an axis is cut to tell which rows are near."""


class Joint(ABC):
    """Records of each combination of quasi-identifiers and sensitive value."""

    @abstractmethod
    def at(self, codes: IntArray) -> FloatArray:
        """Records of some distinct cells, (k, d) codes, by sensitive value, shape (k, m)."""

    @abstractmethod
    def square(self) -> float:
        """Sum of squares over the whole grid; exact."""

    @abstractmethod
    def pair(self, one: int, other: int) -> FloatArray:
        """Records by the values of two attributes, shape (size of one, size of other)."""


class CellJoint(Joint):
    """Records of cells: of a source, or expected where a release keeps the quasi-identifiers.

    Parameters
    ----------
    counted : CellCounts
        The cells; their rows of codes may recur.
    """

    def __init__(self, counted: CellCounts) -> None:
        self._counted = counted
        self.codes, self.counts = _merged(counted.codes, counted.counts)

    def at(self, codes: IntArray) -> FloatArray:
        """See `Joint`."""
        # Cells that are asked for stand there with no records.
        rows = np.vstack((self.codes, codes))
        counts = np.vstack((self.counts, np.zeros((len(codes), self.counts.shape[1]))))
        _, merged, place = _merge(rows, counts)
        return merged[place[len(self.codes) :]]

    def square(self) -> float:
        """See `Joint`."""
        return float((self.counts**2).sum())

    def pair(self, one: int, other: int) -> FloatArray:
        """See `Joint`."""
        return self._counted.tabulate(EVERYTHING, (one, other))


def _merge(codes: IntArray, counts: npt.NDArray[Any]) -> tuple[IntArray, FloatArray, IntArray]:
    """Distinct rows of codes, their counts summed, and the place of each row among them."""
    first, place, _ = distinct_rows(codes)
    merged = np.zeros((len(first), counts.shape[1]))
    np.add.at(merged, place, counts)
    return codes[first], merged, place


def _merged(codes: IntArray, counts: npt.NDArray[Any]) -> tuple[IntArray, FloatArray]:
    distinct, merged, _ = _merge(codes, counts)
    return distinct, merged


class GeneralizedJoint(Joint):
    """Records spread over the values of the domains in their group's box.

    Parameters
    ----------
    release : Release
        The release.
    progress : Progress
        Polled between steps.
    """

    def __init__(self, release: Release, progress: Progress = SILENT) -> None:
        parts, groups = release.parts, release.groups
        self._histograms = parts.histograms(groups).astype(np.float64)
        axes = axes_of(parts, groups, release.steps)
        self._spread = [axis.spread() for axis in axes]
        self._owner = [axis.owner for axis in axes]
        self._domains = release.table.quasi_identifiers
        self._low, _ = parts.boxes(groups)
        self._progress = progress

    def at(self, codes: IntArray) -> FloatArray:
        """See `Joint`."""
        found = np.zeros((len(codes), self._histograms.shape[1]))
        places = [domain.leaf_order[codes[:, axis]] for axis, domain in enumerate(self._domains)]
        for rows in self._neighbours(np.column_stack(places)):
            sides = [side[codes[rows, axis]] for axis, side in enumerate(self._spread)]
            common, shares = self._product([side.toarray() for side in sides])
            found[rows] = shares @ self._histograms[common]
        return found

    def square(self) -> float:
        """See `Joint`."""
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
        """See `Joint`."""
        found = np.zeros((self._size(one), self._size(other)))
        step = max(1, _SHARES // max(found.shape))
        for start in range(0, len(self._histograms), step):
            self._progress.poll()
            part = slice(start, start + step)
            left, right = self._factor(one, part), self._factor(other, part)
            if len(self._spread) not in (one, other):
                left = left * self._histograms[part].sum(axis=1)
            found += left @ right.T
        return found

    def _size(self, attribute: int) -> int:
        """Number of values of an attribute."""
        last = attribute == len(self._spread)
        return int(self._histograms.shape[1] if last else self._spread[attribute].shape[0])

    def _factor(self, attribute: int, part: slice) -> FloatArray:
        """Share of some groups in each value; records, for the sensitive attribute."""
        if attribute == len(self._spread):
            return np.asarray(self._histograms[part].T)
        found: FloatArray = self._spread[attribute][:, self._owner[attribute][part]].toarray()
        return found
