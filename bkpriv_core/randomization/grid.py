"""Grids: the combinations of values that records may truly have, as far as a reader can tell.

An attribute that is kept as it is tells itself: of such attributes there are only the combinations
that are shown, the *rows* of a grid. In the other attributes every record may have any value, so
the grid is dense in them. Tensors over a grid have an axis for each of these and one, the last, for
the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Grid", "GridAxis"]

_PLACES = 4_000_000
"""Largest number of places of a grid; estimates take a dozen arrays as large, of 32 MB each."""


@dataclass(frozen=True)
class GridAxis:
    """An attribute of a grid."""

    name: str
    size: int
    kept: bool


@dataclass(frozen=True, eq=False)
class Grid:
    """Combinations of values of some attributes."""

    axes: tuple[GridAxis, ...]
    """The attributes, ``k`` of them."""
    rows: IntArray
    """Shape (u, ...). The combinations of codes of those that are kept."""
    places: IntArray
    """Shape (r,). Place in the grid of each of the shown records."""

    @classmethod
    def of(cls, axes: Sequence[GridAxis], codes: IntArray) -> Grid:
        """Find the grid of shown records.

        Args:
            codes: Shape (r, k). The value codes of the records.

        Raises:
            TooLarge: If it has too many places.
        """
        kept = [place for place, axis in enumerate(axes) if axis.kept]
        first, row, _ = distinct_rows(codes[:, kept])
        dense = [axis for axis in axes if not axis.kept]
        count = prod(axis.size for axis in dense) * len(first)
        if dense and count > _PLACES:
            largest = sorted(dense, key=lambda axis: -axis.size)
            listed = ", ".join(f'"{axis.name}" ({axis.size})' for axis in largest)
            # The largest, up to the first without which the others would do.
            rest = accumulate(largest, lambda left, axis: left // axis.size, initial=count)
            wide = sum(left > _PLACES for left in rest)
            coarser = ", ".join(f'"{axis.name}"' for axis in largest[:wide])
            raise TooLarge(
                f"the randomized attributes have {count} combinations of values",
                detail=f"Any may be that of a record; they are {listed}, by the number of their "
                f"values, and at most {_PLACES} combinations are handled.",
                hint=f"Coarsen {coarser}, or do with fewer attributes.",
            )
        places = np.zeros(len(codes), dtype=np.int64)
        for place, axis in enumerate(axes):
            if not axis.kept:
                places = places * axis.size + codes[:, place]
        return cls(tuple(axes), codes[first][:, kept], places * len(first) + row)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a tensor over it: the dense attributes, and the rows."""
        return (*(axis.size for axis in self.axes if not axis.kept), len(self.rows))

    def sum(self, weights: FloatArray) -> FloatArray:
        """Sum weights of the shown records, (r,), by place."""
        summed = np.bincount(self.places, weights, prod(self.shape))
        return summed.reshape(self.shape).astype(np.float64)

    def codes(self, chosen: tuple[IntArray, ...]) -> IntArray:
        """Codes of some places, (z, k), given their indices along the axes of a tensor."""
        *dense, row = chosen
        columns, kept = iter(dense), iter(self.rows.T)
        listed = [next(kept)[row] if axis.kept else next(columns) for axis in self.axes]
        return np.column_stack(listed) if listed else np.zeros((len(row), 0), dtype=np.int64)

    def find(self, codes: IntArray) -> tuple[IntArray, ...]:
        """Indices of combinations of codes, (z, k), along the axes of a tensor.

        The row is as many as there are, where those of what is kept are not among the rows.
        """
        kept = [place for place, axis in enumerate(self.axes) if axis.kept]
        _, kind, _ = distinct_rows(np.vstack((self.rows, codes[:, kept])))
        row = np.full(len(self.rows) + len(codes), len(self.rows), dtype=np.int64)
        row[kind[: len(self.rows)]] = np.arange(len(self.rows))
        dense = [codes[:, place] for place, axis in enumerate(self.axes) if not axis.kept]
        return (*dense, row[kind[len(self.rows) :]])
