"""How fast priors are, against products over pairs of occupied cells.

The baseline is what one writes in numpy for lack of a better idea, and writes well: the kernel
weight of every pair of occupied cells, times the counts, in blocks of rows that fit the cache.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bench.figure import Figure, alternate
from bkpriv_core import domain
from bkpriv_core.cli.source import Source
from bkpriv_core.prior import kernel_prior

__all__ = ["measure_priors"]

_BANDWIDTH = 0.3
_BLOCK = 32
_TOLERANCE = 1e-12
_TARGET = 15


def measure_priors(source: Source, rounds: int) -> list[Figure]:
    """Measure the prior of one adversary.

    Raises
    ------
    AssertionError
        If the two ways do not agree.
    """
    table = _cells(source)
    fast = kernel_prior(table, _BANDWIDTH, path="grid")
    slow = _pairwise_prior(table)
    difference = float(np.abs(fast - slow).max())
    if difference > _TOLERANCE:
        raise AssertionError(f"priors differ by {difference}")
    ours, baseline = alternate(
        rounds,
        lambda: kernel_prior(table, _BANDWIDTH, path="grid"),
        lambda: _pairwise_prior(table),
    )
    return [
        Figure(
            f"priors of {table.cells:,} cells, B = {_BANDWIDTH}",
            f"{ours:.3f} s",
            f"by pairs {baseline:.2f} s",
            baseline / ours,
            f"{_TARGET} times faster",
            baseline >= _TARGET * ours,
        ),
        Figure("    largest difference", f"{difference:.0e}", "", None, "1e-12", True),
    ]


def _pairwise_prior(table: domain.Table) -> npt.NDArray[np.float64]:
    """Nadaraya-Watson averages with Epanechnikov weights, by pairs of cells."""
    counts = table.counts.astype(np.float64)
    axes = []
    for axis, attribute in enumerate(table.quasi_identifiers):
        scaled = attribute.distances / _BANDWIDTH
        axes.append((np.where(scaled < 1, 1 - scaled**2, 0), table.codes[:, axis].copy()))
    blocks = []
    for start in range(0, table.cells, _BLOCK):
        weights = np.ones((1, 1))
        for kernel, codes in axes:
            weights = weights * np.take(kernel[codes[start : start + _BLOCK]], codes, axis=1)
        blocks.append(weights @ counts)
    numerator = np.concatenate(blocks)
    prior: npt.NDArray[np.float64] = numerator / numerator.sum(axis=1, keepdims=True)
    return prior


def _cells(source: Source) -> domain.Table:
    """Count the cells of a source."""
    domains = []
    codes = []
    for name in (*source.quasi_identifiers, source.sensitive):
        column = source.columns[name]
        numeric = column.type == "integer"
        values = np.array(column.values, dtype=np.int64 if numeric else np.str_)
        occurring, coded = np.unique(values, return_inverse=True)
        paths = source.hierarchies.get(name)
        domains.append(
            domain.Domain(
                name,
                tuple(str(value) for value in occurring),
                positions=occurring.astype(np.float64) if numeric else None,
                hierarchy=domain.Hierarchy.from_rows(name, paths) if paths else None,
            )
        )
        codes.append(coded)
    *quasi_identifiers, sensitive = domains
    cells, cell = np.unique(np.column_stack(codes[:-1]), axis=0, return_inverse=True)
    counts = np.zeros((len(cells), sensitive.size), dtype=np.int64)
    np.add.at(counts, (cell.ravel(), codes[-1]), 1)
    return domain.Table(tuple(quasi_identifiers), sensitive, cells, counts)
