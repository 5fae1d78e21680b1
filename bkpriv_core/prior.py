"""Prior beliefs of the adversary Adv(B): kernel regression over the quasi-identifiers.

The adversary's prior about a person with quasi-identifiers ``q`` is the Nadaraya-Watson average of
the table's sensitive values, weighted by a product of Epanechnikov kernels, one bandwidth per
attribute (Li, Li, Zhang 2009, equation 2). All records of a cell share one prior, and so do the
parts of a cell in a table that was split.

Two ways to compute the same figures, chosen by cost:

- ``grid``: the product kernel over the grid of domains is a Kronecker product, so the numerator is
  the tensor of counts contracted with one small kernel matrix per axis,
  ``O(prod(d_i) * m * sum(d_i))`` whatever the number of records;
- ``cells``: weights of every pair of occupied cells, in blocks, ``O(c^2 * (d + m))``, for grids
  that are too large.

Both are exact up to rounding and agree to 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from bkpriv_core.domain import Table
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.groups import FloatArray, IntArray
from bkpriv_core.kernels import check_bandwidth, epanechnikov

__all__ = ["Bandwidth", "kernel_prior", "resolve_bandwidth"]

Bandwidth = float | Mapping[str, float]
"""One bandwidth for every quasi-identifier, or one for each by name."""

Path = Literal["auto", "grid", "cells"]

_GRID_BYTES = 256 * 2**20
"""Largest count tensor for which the grid is considered."""

_BLOCK_PAIRS = 2**19
"""Pairs of cells weighed at a time, few enough for the processor's cache."""

_CELL_PAIR_COST = 3.0
"""Cost of a weight or product for a pair of cells, relative to one multiply-add on the grid."""


@dataclass(frozen=True)
class _Cost:
    grid: float
    cells: float
    grid_bytes: float


def resolve_bandwidth(bandwidth: Bandwidth, attributes: tuple[str, ...]) -> tuple[float, ...]:
    """Bandwidth of each attribute, in order.

    Raises
    ------
    InvalidParameter
        If a bandwidth is not a positive number, an attribute has none, or a name is unknown.
    """
    if not isinstance(bandwidth, Mapping):
        value = check_bandwidth(bandwidth, "the bandwidth")
        return tuple(value for _ in attributes)
    known = ", ".join(f'"{name}"' for name in attributes)
    for name in bandwidth:
        if name not in attributes:
            raise InvalidParameter(
                f'the bandwidth names "{name}", which is not a quasi-identifier',
                detail=f"It is {dict(bandwidth)!r}.",
                hint=f"The quasi-identifiers are {known}.",
            )
    for name in attributes:
        if name not in bandwidth:
            raise InvalidParameter(
                f'the bandwidth leaves out the quasi-identifier "{name}"',
                detail=f"It is {dict(bandwidth)!r}.",
                hint=f"Give a number for all of {known}, or one number for every attribute.",
            )
    return tuple(
        check_bandwidth(bandwidth[name], f'the bandwidth of "{name}"') for name in attributes
    )


def kernel_prior(
    table: Table,
    bandwidth: Bandwidth,
    *,
    path: Path = "auto",
    poll: Callable[[], None] = lambda: None,
) -> FloatArray:
    """Prior beliefs of Adv(B) about the records of each cell.

    Parameters
    ----------
    table : Table
        Cells and counts.
    bandwidth : float or mapping of str to float
        The adversary's bandwidths, positive. Smaller means a better informed adversary.
    path : {"auto", "grid", "cells"}
        How to compute it; the result is the same.
    poll : callable
        Called between large steps; may raise to cancel.

    Returns
    -------
    (c, m) float array
        Rows sum to 1. Exact up to rounding.

    Raises
    ------
    InvalidParameter
        See `resolve_bandwidth`.

    References
    ----------
    .. [1] T. Li, N. Li, J. Zhang, "Modeling and Integrating Background Knowledge in Data
       Anonymization", ICDE 2009, equation 2.
    """
    names = tuple(domain.name for domain in table.quasi_identifiers)
    widths = resolve_bandwidth(bandwidth, names)
    kernels = [
        epanechnikov(domain.distances, width)
        for domain, width in zip(table.quasi_identifiers, widths, strict=True)
    ]
    if path not in get_args(Path):
        raise InvalidParameter(
            f"there is no path {path!r}",
            detail="It says how priors are computed, not what they are.",
            hint=f"Paths are {', '.join(get_args(Path))}.",
        )
    # Figures are those of whole cells, whichever groups hold their parts.
    table, whole = table.join_parts()
    if path == "auto":
        cost = _cost(table)
        path = "grid" if cost.grid_bytes <= _GRID_BYTES and cost.grid < cost.cells else "cells"
    numerator = (_on_grid if path == "grid" else _on_cells)(table, kernels, poll)
    prior: FloatArray = numerator / numerator.sum(axis=1, keepdims=True)
    return prior[whole]


def _cost(table: Table) -> _Cost:
    """Multiply-adds of either path, and the bytes of the count tensor."""
    sizes = [domain.size for domain in table.quasi_identifiers]
    cube = float(np.prod(sizes, dtype=float)) * table.sensitive.size
    pairs = float(table.cells) ** 2
    return _Cost(
        grid=cube * sum(sizes),
        cells=_CELL_PAIR_COST * pairs * (len(sizes) + table.sensitive.size),
        grid_bytes=8.0 * cube,
    )


def _on_grid(table: Table, kernels: list[FloatArray], poll: Callable[[], None]) -> FloatArray:
    """Contract the count tensor with each axis's kernel matrix in turn.

    With a bandwidth below its least distance an attribute's kernel is the identity, and cells that
    differ in it have nothing to do with each other. Such attributes make up one last axis, of their
    combinations that occur.
    """
    smooth = [axis for axis, kernel in enumerate(kernels) if np.count_nonzero(kernel) > len(kernel)]
    sharp = [axis for axis in range(len(kernels)) if axis not in smooth]
    sizes = [len(kernel) for kernel in kernels]
    _, apart = np.unique(_raveled(table.codes, sharp, sizes), return_inverse=True)
    shape = [*(sizes[axis] for axis in smooth), int(apart.max()) + 1]
    flat = np.ravel_multi_index((*(table.codes[:, axis] for axis in smooth), apart), shape)
    m = table.sensitive.size
    poll()
    tensor = np.zeros((int(np.prod(shape)), m))
    tensor[flat] = table.counts
    # Axis i lies between the axes before it (outer) and those after it with the values (inner).
    outer = 1
    for axis in smooth:
        tensor = np.matmul(kernels[axis], tensor.reshape(outer, sizes[axis], -1))
        outer *= sizes[axis]
        poll()
    numerator: FloatArray = tensor.reshape(-1, m)[flat]
    return numerator


def _raveled(codes: IntArray, axes: list[int], sizes: list[int]) -> IntArray:
    """One number for each cell's combination of values in some attributes."""
    place = np.zeros(len(codes), dtype=np.int64)
    for axis in axes:
        place = place * sizes[axis] + codes[:, axis]
    return place


def _on_cells(table: Table, kernels: list[FloatArray], poll: Callable[[], None]) -> FloatArray:
    """Weigh all pairs of occupied cells, a block of rows at a time."""
    counts = table.counts.astype(np.float64)
    numerator = np.empty_like(counts)
    rows = max(1, _BLOCK_PAIRS // table.cells)
    for start in range(0, table.cells, rows):
        poll()
        block = table.codes[start : start + rows]
        weights = np.ones((len(block), table.cells))
        for axis, kernel in enumerate(kernels):
            weights *= np.take(kernel[block[:, axis]], table.codes[:, axis], axis=1)
        numerator[start : start + rows] = weights @ counts
    return numerator
