"""Prior beliefs of the adversary Adv(B): kernel regression over the quasi-identifiers.

The adversary's prior about a person with quasi-identifiers ``q`` is the Nadaraya-Watson average of
the table's sensitive values, weighted by a product of Epanechnikov kernels, one bandwidth per
attribute (Li, Li, Zhang 2009, equation 2). All records of a cell share one prior.

Three ways to compute the same figures, chosen by cost:

- ``grid``: the product kernel over the grid of domains is a Kronecker product, so the numerator is
  the tensor of counts contracted with the kernel of one axis after another (`axis`), some sensitive
  values at a time: the cost is that of the grid, whatever the number of records;
- ``strands``: hierarchies as sums over their levels, and running sums along one numeric attribute
  (`strands`), unless several attributes have many numbers within reach of one another. The cost
  is that of the cells times the levels, be all cells unique;
- ``cells``: weights of pairs of occupied cells, in blocks, for all else. Cells are paired only if
  some chain of values leads from the one to the other in every attribute, and they lie within
  reach of one another in one numeric attribute. Each sees as much of the other as the other of it,
  so a pair is weighed once.

All are exact up to rounding and agree to 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from bkpriv_core.belief.hierarchical_sums import HierarchicalSums
from bkpriv_core.belief.kernel_axis import Axis, kernel_axis
from bkpriv_core.belief.kernels import check_bandwidth
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table import kronecker
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["Bandwidth", "column_prior", "kernel_effort", "kernel_prior", "resolve_bandwidth"]

Bandwidth = float | Mapping[str, float]
"""Bandwidth for every quasi-identifier, or one for each by name."""

Path = Literal["auto", "grid", "strands", "cells"]

_GRID_BYTES = 256 * 2**20
"""Largest tensor of one sensitive value's counts for which the grid is considered."""

_SLAB_BYTES = 64 * 2**20
"""Largest tensor of counts that is contracted at once, unless one sensitive value's is larger."""

_BLOCK_PAIRS = 2**17
"""Pairs of cells weighed at a time, few enough for the processor's cache."""

_MARGIN = 64
"""Cells beyond twice those that a cell may see, with which it is still weighed in one block."""

_BLOCK_EFFORT = 3e5
"""Multiply-adds, in products of matrices, worth beginning a block of pairs."""

_PASS_EFFORT = 20.0
"""Multiply-adds, in products of matrices, worth writing and reading an element once."""


def resolve_bandwidth(bandwidth: Bandwidth, attributes: tuple[str, ...]) -> tuple[float, ...]:
    """Bandwidth of each attribute, in order.

    Raises:
        InvalidParameter: If a bandwidth is not a positive number, an attribute has none, or a name
            is unknown.
    """
    if not isinstance(bandwidth, Mapping):
        value = check_bandwidth(bandwidth, "the bandwidth")
        return tuple(value for _ in attributes)
    listed = ", ".join(f'"{name}"' for name in attributes)
    for name in bandwidth:
        if name not in attributes:
            raise InvalidParameter(
                f'the bandwidth names "{name}", which is not a quasi-identifier',
                detail=f"It is {as_json(dict(bandwidth))}.",
                hint=f"The quasi-identifiers are {listed}.",
            )
    for name in attributes:
        if name not in bandwidth:
            raise InvalidParameter(
                f'the bandwidth leaves out the quasi-identifier "{name}"',
                detail=f"It is {as_json(dict(bandwidth))}.",
                hint=f"Give a number for all of {listed}, or one number for every attribute.",
            )
    return tuple(
        check_bandwidth(bandwidth[name], f'the bandwidth of "{name}"') for name in attributes
    )


def kernel_prior(
    table: Table,
    bandwidth: Bandwidth,
    *,
    path: Path = "auto",
    progress: Progress = SILENT,
) -> FloatArray:
    """Prior beliefs of Adv(B) about the records of each cell.

    Args:
        bandwidth: The adversary's bandwidths, positive. Smaller means a better informed adversary.
        path: Algorithm; the result is the same.

    Returns:
        Shape (c, m). Rows sum to 1. Exact up to rounding.

    Raises:
        InvalidParameter: See `resolve_bandwidth`. Or if the path is not one that the table admits.

    References:
    .. [1] T. Li, N. Li, J. Zhang, "Modeling and Integrating Background Knowledge in Data
       Anonymization", ICDE 2009, equation 2.
    """
    axes = _axes(table, bandwidth)
    if path not in get_args(Path):
        raise InvalidParameter(
            f"there is no path {path!r}",
            detail="It says how priors are computed, not what they are.",
            hint=f"Paths are {', '.join(get_args(Path))}.",
        )
    sums = _way(path, table, axes, _Grid.of(table, axes)).weigh(progress)
    prior: FloatArray = sums / sums.sum(axis=1, keepdims=True)
    return prior


def column_prior(
    table: Table, attribute: str, bandwidth: float, progress: Progress = SILENT
) -> FloatArray:
    """Prior beliefs of Adv(B) who compares people by one quasi-identifier alone.

    Returns:
        See `kernel_prior`.
    """
    place = [domain.name for domain in table.quasi_identifiers].index(attribute)
    values, of_cell = np.unique(table.codes[:, place], return_inverse=True)
    counts = np.zeros((len(values), table.sensitive.size), dtype=np.int64)
    np.add.at(counts, of_cell, table.counts)
    alone = replace(
        table,
        quasi_identifiers=(table.quasi_identifiers[place],),
        codes=values[:, None],
        counts=counts,
    )
    return kernel_prior(alone, bandwidth, progress=progress)[of_cell]


def kernel_effort(table: Table, bandwidth: Bandwidth) -> float:
    """Estimate the multiply-adds of `kernel_prior`: some hundred millions take a second."""
    axes = _axes(table, bandwidth)
    return _cheapest(table, axes, _Grid.of(table, axes)).cost


def _axes(table: Table, bandwidth: Bandwidth) -> list[Axis]:
    names = tuple(domain.name for domain in table.quasi_identifiers)
    return [
        kernel_axis(domain, width)
        for domain, width in zip(
            table.quasi_identifiers, resolve_bandwidth(bandwidth, names), strict=True
        )
    ]


def _way(
    path: Path, table: Table, axes: Sequence[Axis], grid: _Grid
) -> _Grid | HierarchicalSums | _Pairs:
    if path == "auto":
        return _cheapest(table, axes, grid)
    if path == "grid":
        return grid
    if path == "cells":
        return _Pairs.of(table, axes)
    strands = HierarchicalSums.of(table, axes)
    if strands is None:
        raise InvalidParameter(
            "the table has no strands along which exact sums could be taken",
            detail="More than one numeric attribute has values within the bandwidth of one "
            "another, or one has values that are no multiples of a step.",
            hint="The path cells is always there.",
        )
    return strands


def _cheapest(table: Table, axes: Sequence[Axis], grid: _Grid) -> _Grid | HierarchicalSums | _Pairs:
    strands = HierarchicalSums.of(table, axes)
    ways: list[_Grid | HierarchicalSums | _Pairs] = [_Pairs.of(table, axes)]
    if strands is not None:
        ways.append(strands)
    if grid.bytes <= _GRID_BYTES:
        ways.append(grid)
    return min(ways, key=lambda way: way.cost)


def _apart(table: Table, axes: Sequence[Axis]) -> IntArray:
    """Number of each cell's combination of values in the attributes that tell all values apart.

    Cells that differ in it have nothing to do with each other.
    """
    return table.kinds(tuple(place for place, axis in enumerate(axes) if axis.sharp))


def _realms(table: Table, axes: Sequence[Axis]) -> IntArray:
    """Number of each cell's combination of realms; cells of different ones see nothing of another.

    Realms are as `_apart` where values see all others or none.
    """
    realms = [(place, axis.realms) for place, axis in enumerate(axes)]
    several = [realm[table.codes[:, place]] for place, realm in realms if realm.any()]
    if not several:
        return np.zeros(table.cells, dtype=np.int64)
    return distinct_rows(np.column_stack(several))[1]


@dataclass(frozen=True, eq=False)
class _Grid:
    """The tensor of counts by value of each attribute that is smoothed.

    The others make up one last axis, of their combinations that occur.
    """

    axes: tuple[Axis, ...]
    shape: tuple[int, ...]
    """Sizes of the axes, and the number of combinations of values in the others."""
    place: IntArray
    """Shape (c, len(shape). Place of each cell."""
    counts: IntArray
    """Shape (c, m). Counts of each cell."""

    @classmethod
    def of(cls, table: Table, axes: Sequence[Axis]) -> _Grid:
        """Lay out a table's cells; the longest axis first, so that it is one large product."""
        smooth = [place for place, axis in enumerate(axes) if not axis.sharp]
        smooth.sort(key=lambda place: -axes[place].size)
        apart = _apart(table, axes)
        return cls(
            tuple(axes[place] for place in smooth),
            (*(axes[place].size for place in smooth), int(apart.max()) + 1),
            np.column_stack((table.codes[:, smooth], apart)),
            table.counts,
        )

    @property
    def bytes(self) -> float:
        """Size of the tensor of one sensitive value."""
        return 8.0 * float(math.prod(self.shape))

    @property
    def cost(self) -> float:
        """Multiply-adds, about."""
        effort = _PASS_EFFORT + sum(_PASS_EFFORT + axis.effort for axis in self.axes)
        return self.bytes / 8.0 * float(self.counts.shape[1]) * effort

    def weigh(self, progress: Progress) -> FloatArray:
        """Weighted counts that each cell sees, shape (c, m)."""
        flat = np.ravel_multi_index(tuple(self.place.T), self.shape)
        numerator = np.empty(self.counts.shape)
        step = max(1, int(_SLAB_BYTES / self.bytes))
        for start in range(0, self.counts.shape[1], step):
            progress.poll()
            values = slice(start, start + step)
            counts = self.counts[:, values]
            tensor = np.zeros((math.prod(self.shape), counts.shape[1]))
            tensor[flat] = counts
            numerator[:, values] = kronecker.apply(self.axes, tensor, progress)[flat]
        return numerator


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Occupied cells in an order in which those that see one another stand near each other."""

    axes: tuple[Axis, ...]
    order: IntArray
    """Shape (c,). The cells in this order."""
    apart: IntArray
    """Shape (c,). Combination of realms of each cell."""
    codes: IntArray
    counts: FloatArray
    """Shape (c, axes). Codes of the cells in the smoothed axes, and their counts."""
    last: IntArray
    """Shape (c,). One past the last cell that each cell may see; rising."""

    @classmethod
    def of(cls, table: Table, axes: Sequence[Axis]) -> _Pairs:
        """Sort a table's cells by what sets them apart, then by the axis that reaches least."""
        smooth = [place for place, axis in enumerate(axes) if not axis.sharp]
        apart = _realms(table, axes)
        keys, high = apart, apart + 1
        reaches = [
            (table.codes[:, place], axes[place].size, *axes[place].in_reach()) for place in smooth
        ]
        if reaches:
            code, size, _, stop = min(
                reaches, key=lambda reach: float((reach[3] - reach[2])[reach[0]].sum()) / reach[1]
            )
            keys = apart * size + code
            high = apart * size + stop[code]
        order = np.argsort(keys, kind="stable")
        return cls(
            tuple(axes[place] for place in smooth),
            order,
            apart[order],
            table.codes[order][:, smooth],
            counts=table.counts[order].astype(np.float64),
            last=np.searchsorted(keys[order], high[order]),
        )

    @property
    def cost(self) -> float:
        """Multiply-adds that are worth the same, about."""
        effort = sum(axis.pair_effort for axis in self.axes) + float(self.counts.shape[1])
        seen = (self.last - np.arange(len(self.last)) + _MARGIN).astype(np.float64)
        blocks = 1.0 / np.clip(_BLOCK_PAIRS / seen, 1.0, seen)
        return (_PASS_EFFORT + effort) * float(seen.sum()) + _BLOCK_EFFORT * float(blocks.sum())

    def weigh(self, progress: Progress) -> FloatArray:
        """Weighted counts that each cell sees, shape (c, m)."""
        weighed = np.zeros_like(self.counts)
        start = 0
        while start < len(self.order):
            progress.poll()
            stop = start + self._rows_from(start)
            end = int(self.last[stop - 1])
            here, there, beyond = slice(start, stop), slice(start, end), slice(stop, end)
            weights = (self.apart[here, None] == self.apart[there]).astype(np.float64)
            for axis, codes in zip(self.axes, self.codes.T, strict=True):
                weights *= axis.pairs(codes[here], codes[there])
            weighed[here] += weights @ self.counts[there]
            weighed[beyond] += weights[:, stop - start :].T @ self.counts[here]
            start = stop
        numerator = np.empty_like(weighed)
        numerator[self.order] = weighed
        return numerator

    def _rows_from(self, start: int) -> int:
        """Cells from `start` on that are weighed in one block, because they see much the same."""
        seen = int(self.last[start]) - start
        most = max(1, _BLOCK_PAIRS // seen)
        widths = self.last[start : start + most] - start
        few = np.arange(1, len(widths) + 1) * widths <= _BLOCK_PAIRS
        near = widths <= 2 * seen + _MARGIN
        return max(1, int(np.count_nonzero(few & near)))
