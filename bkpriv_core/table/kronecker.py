"""Kronecker products, applied axis by axis.

The product of matrices, one for each axis of a grid, maps a tensor over the grid to another. It is
never formed: each matrix is applied along its own axis, so the cost is that of the grid, not of its
square, and a factor may do with less than a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray

__all__ = ["Factor", "apply"]


class Factor(Protocol):
    """A square matrix, as far as it is applied along an axis."""

    @property
    def size(self) -> int:
        """Length of the axis."""
        ...

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        """Apply it along the middle axis of a tensor of shape (before, size, after)."""
        ...


def apply(factors: Iterable[Factor], tensor: FloatArray, progress: Progress = SILENT) -> FloatArray:
    """Apply the Kronecker product of factors to a tensor.

    Args:
        tensor: Any shape whose elements, in C order, are those of a tensor with an axis for each
            factor, and perhaps one more.

    Returns:
        Product of the shape of the tensor. Exact up to rounding.
    """
    shape, before = tensor.shape, 1
    for factor in factors:
        tensor = factor.contract(tensor.reshape(before, factor.size, -1), progress)
        before *= factor.size
    return tensor.reshape(shape)
