"""Joint distributions over the grid of the domains' values: original, or as a release leaves them.

All figures are records, or expected records; nothing is expected for suppressed ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray

__all__ = ["CellJoint", "JointDistribution"]


class JointDistribution(ABC):
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


class CellJoint(JointDistribution):
    """Records of cells: of a source, or expected where a release keeps the quasi-identifiers.

    Args:
        counted: The cells; their rows of codes may recur.
    """

    def __init__(self, counted: CellCounts) -> None:
        self._counted = counted
        self.codes, self.counts = _merged(counted.codes, counted.counts)

    def at(self, codes: IntArray) -> FloatArray:
        """See `JointDistribution`."""
        # Cells that are asked for stand there with no records.
        rows = np.vstack((self.codes, codes))
        counts = np.vstack((self.counts, np.zeros((len(codes), self.counts.shape[1]))))
        _, merged, place = _merge(rows, counts)
        return merged[place[len(self.codes) :]]

    def square(self) -> float:
        """See `JointDistribution`."""
        return float((self.counts**2).sum())

    def pair(self, one: int, other: int) -> FloatArray:
        """See `JointDistribution`."""
        return self._counted.tabulate(EVERYTHING, (one, other))


def _merge(codes: IntArray, counts: AnyArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Distinct rows of codes, their counts summed, and the place of each row among them."""
    first, place, _ = distinct_rows(codes)
    merged = np.zeros((len(first), counts.shape[1]))
    np.add.at(merged, place, counts)
    return codes[first], merged, place


def _merged(codes: IntArray, counts: AnyArray) -> tuple[IntArray, FloatArray]:
    distinct, merged, _ = _merge(codes, counts)
    return distinct, merged
