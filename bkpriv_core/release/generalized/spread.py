"""Spread: how a record of an extent spreads over the values of the domain that lie in it.

Each value that an extent holds has the same share of it. Ranges are runs of values, and are written
out for the values and extents that are asked for; labels hold any values, and stand in a sparse
array of all. All figures are exact but for rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["LabelSpread", "RangeSpread", "Spread"]

_DENSE = 1_000_000
"""Largest number of entries of an array that is looked up as a whole, 8 MB."""


class Spread(ABC):
    """Spread of ``x`` extents of an attribute, each uniform over the values in it."""

    @property
    @abstractmethod
    def hull(self) -> tuple[IntArray, IntArray]:
        """First and last leaf place of the values in each extent, two arrays of shape (x,)."""

    @abstractmethod
    def holds(self, codes: IntArray, extents: IntArray) -> BoolArray:
        """Whether each of some values lies in each of some extents, shape (codes, extents)."""

    @abstractmethod
    def shares(self, codes: IntArray, extents: IntArray) -> FloatArray:
        """Share of some extents that each of some values is, shape (codes, extents)."""

    @abstractmethod
    def meets(self, ones: IntArray, others: IntArray) -> BoolArray:
        """Whether a value lies in both of two extents, shape (ones, others)."""

    @abstractmethod
    def overlaps(self, ones: IntArray, others: IntArray) -> FloatArray:
        """Chance that records of two extents have one value, shape (ones, others)."""


class RangeSpread(Spread):
    """Spread of ranges, which are runs of values.

    Args:
        first, last: Shape (x,). Codes of the first and the last value in each range.
    """

    def __init__(self, first: IntArray, last: IntArray) -> None:
        self._first, self._last = first, last
        self._share = 1 / (last - first + 1)

    @property
    def hull(self) -> tuple[IntArray, IntArray]:
        """See `Spread`."""
        return self._first, self._last

    def holds(self, codes: IntArray, extents: IntArray) -> BoolArray:
        """See `Spread`."""
        held: BoolArray = self._first[extents] <= codes[:, None]
        held &= codes[:, None] <= self._last[extents]
        return held

    def shares(self, codes: IntArray, extents: IntArray) -> FloatArray:
        """See `Spread`."""
        return self.holds(codes, extents) * self._share[extents]

    def meets(self, ones: IntArray, others: IntArray) -> BoolArray:
        """See `Spread`."""
        met: BoolArray = self._first[others] <= self._last[ones, None]
        met &= self._first[ones, None] <= self._last[others]
        return met

    def overlaps(self, ones: IntArray, others: IntArray) -> FloatArray:
        """See `Spread`."""
        common = np.minimum(self._last[ones, None], self._last[others])
        common -= np.maximum(self._first[ones, None], self._first[others])
        chance: FloatArray = np.maximum(common + 1, 0) * self._share[ones, None]
        chance *= self._share[others]
        return chance


class LabelSpread(Spread):
    """Spread of labels, each over the values that may stand under it.

    Args:
        by_value: Shape (size, x). Share of each label that each value is.
    """

    def __init__(self, domain: Domain, by_value: sparse.csr_array) -> None:
        self._domain, self.by_value = domain, by_value

    @cached_property
    def hull(self) -> tuple[IntArray, IntArray]:
        """See `Spread`."""
        under = self.by_value.tocoo()
        places = self._domain.leaf_order[under.row]
        first = np.full(self.by_value.shape[1], self._domain.size)
        last = np.full(self.by_value.shape[1], -1)
        np.minimum.at(first, under.col, places)
        np.maximum.at(last, under.col, places)
        return first, last

    def holds(self, codes: IntArray, extents: IntArray) -> BoolArray:
        """See `Spread`."""
        return self.shares(codes, extents) > 0

    def shares(self, codes: IntArray, extents: IntArray) -> FloatArray:
        """See `Spread`."""
        return self._share_of(codes, extents)

    def meets(self, ones: IntArray, others: IntArray) -> BoolArray:
        """See `Spread`."""
        return self.overlaps(ones, others) > 0

    def overlaps(self, ones: IntArray, others: IntArray) -> FloatArray:
        """See `Spread`."""
        return self._overlap_of(ones, others)

    @cached_property
    def _share_of(self) -> _Lookup:
        return _Lookup(self.by_value)

    @cached_property
    def _overlap_of(self) -> _Lookup:
        from scipy import sparse  # slow to import, and only wanted here

        return _Lookup(sparse.csr_array(self.by_value.T @ self.by_value))


class _Lookup:
    """Entries of a sparse array in some rows and columns, both of which may recur."""

    def __init__(self, array: sparse.csr_array) -> None:
        self._array = array
        rows, columns = array.shape
        self._dense = array.toarray() if rows * columns <= _DENSE else None

    def __call__(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Look up, shape (rows, columns)."""
        table = self._dense
        if table is None:
            distinct_rows, rows = np.unique(rows, return_inverse=True)
            distinct_columns, columns = np.unique(columns, return_inverse=True)
            table = self._array[distinct_rows][:, distinct_columns].toarray()
        entries: FloatArray = table[rows[:, None], columns]
        return entries
