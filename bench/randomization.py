"""Speed of finding optimal channels, against the same search with the full Kronecker matrix.

Two tables with the attributes of Guo, Ying and Wu 2011: education, marital status, sex and race,
with the class of work as the sensitive attribute (EMGRW), and education, salary, sex and race, with
the occupation (ESGRO). All of them are distorted. The baseline forms the matrix of all combinations
of the quasi-identifiers wherever ours applies its factors one after the other; everything else is
the same. Both must find the same optimum. The matrix has the square of the combinations, the
factors together hardly more than the combinations themselves: so what is saved grows with them,
1,120 of EMGRW and 320 of ESGRO, and is wanted in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from unittest.mock import patch

import numpy as np

from bench.figure import Figure, alternate
from bkpriv_client.source import Source
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Blend
from bkpriv_core.randomization.optimization import Optimum, optimize
from bkpriv_core.table import kronecker
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table

__all__ = ["measure_randomization"]

_TAU = 1 / 3
_TARGET = 10
"""Ratio of times that the search is to reach with the combinations of EMGRW.

A matrix of 320 combinations stays in the processor's cache, one of 1,120 does not: so what is saved
by not forming it is less than what is counted.
"""

_COMBINATIONS = 1_120

_TOLERANCE = 1e-6

_EMGRW = ("education", "marital_status", "sex", "race", "workclass")
_ESGRO = ("education", "salary", "sex", "race", "occupation")


def measure_randomization(source: Source, rounds: int) -> list[Figure]:
    """Measure the search on a census, by scheme rr-both.

    Args:
        source: Adult, or a census of its shape; where it has no salary, that is every other marital
            status.
        rounds: Runs of which the median counts.

    Raises:
        AssertionError: If the two ways do not agree.
    """
    return [
        _measure("EMGRW", _table(source, _EMGRW), rounds),
        _measure("ESGRO", _table(source, _ESGRO), rounds),
    ]


def _measure(title: str, table: Table, rounds: int) -> Figure:
    found: dict[str, Optimum] = {}

    def ours() -> None:
        found["ours"] = optimize(table, "rr-both", _TAU)

    def baseline() -> None:
        with patch.object(kronecker, "apply", _formed):
            found["baseline"] = optimize(table, "rr-both", _TAU)

    quick, slow = alternate(rounds, ours, baseline)
    combinations = math.prod(domain.size for domain in table.quasi_identifiers)
    target = _TARGET * combinations / _COMBINATIONS
    difference = abs(found["ours"].objective - found["baseline"].objective)
    if difference > _TOLERANCE:
        raise AssertionError(f"optima of {title} differ by {difference}")
    return Figure(
        f"optimal channels, {title}",
        f"{quick:.3f} s",
        f"full matrix {slow:.2f} s",
        slow / quick,
        f"{target:.0f} times faster",
        slow >= target * quick,
    )


def _formed(
    factors: Iterable[Blend], tensor: FloatArray, progress: Progress = SILENT
) -> FloatArray:
    """Apply the Kronecker product of blends by forming it; see `kronecker.apply`."""
    product = np.ones((1, 1))
    for factor in factors:
        matrix = np.full((factor.size, factor.size), factor.other)
        np.fill_diagonal(matrix, factor.own)
        product = np.kron(product, matrix)
    mapped: FloatArray = product @ tensor.reshape(len(product), -1)
    return mapped.reshape(tensor.shape)


def _table(source: Source, names: Sequence[str]) -> Table:
    """Count the records of a source by some of its columns, the sensitive one last."""
    domains, codes = [], []
    for name in names:
        if name in source.columns:
            labels, column = np.unique(np.array(source.columns[name].values), return_inverse=True)
        else:
            marital = np.unique(source.columns["marital_status"].values, return_inverse=True)[1]
            labels, column = np.unique(marital % 2, return_inverse=True)
        domains.append(Domain(name, tuple(map(str, labels))))
        codes.append(column)
    ones = np.ones(source.records, np.int64)
    rows = np.column_stack(codes).astype(np.int64)
    return Table.from_rows(tuple(domains[:-1]), domains[-1], rows, ones)[0]
