"""Slow, obvious answers about randomized releases: sums over everything that may be shown.

As in `tests.core.oracles`, records are counted in fractions, straight from the definitions. A
distortion is given by the retention of each attribute, the sensitive one last, in fractions.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from bkpriv_core.randomization.channel import Channel
from bkpriv_core.table.groups import FloatArray
from tests.core.oracles import Records, Value

Row = tuple[Value, ...]
Retentions = Sequence[Fraction]


def dense(size: int, retention: float) -> FloatArray:
    """Matrix of Pr(shown | true)."""
    matrix = np.empty((size, size))
    for shown in range(size):
        for true in range(size):
            if shown == true:
                matrix[shown, true] = retention
            else:
                matrix[shown, true] = (1.0 - retention) / (size - 1)
    return matrix


def kron(matrices: Sequence[FloatArray]) -> FloatArray:
    """Kronecker product, formed."""
    product: FloatArray = np.ones((1, 1))
    for matrix in matrices:
        product = np.asarray(np.kron(product, matrix), dtype=np.float64)
    return product


def norm_of_inverses(sizes: Sequence[int], retentions: Sequence[float]) -> float:
    """Logarithm of the squared Frobenius norm of the inverse of the whole channel's matrix."""
    return sum(
        math.log(np.linalg.norm(np.linalg.inv(dense(size, retention))) ** 2)
        for size, retention in zip(sizes, retentions, strict=True)
        if size > 1
    )


def domains(records: Records) -> list[tuple[Value, ...]]:
    """Values of each quasi-identifier and, last, of the sensitive attribute."""
    return [attribute.values for attribute in (*records.attributes, records.sensitive)]


def becomes(values: Sequence[Value], retention: Fraction, true: Value, shown: Value) -> Fraction:
    """Probability that one value is shown where another is true."""
    if len(values) == 1:
        return Fraction(1)
    return retention if shown == true else (1 - retention) / (len(values) - 1)


def turns(records: Records, retentions: Retentions, true: Row, shown: Row) -> Fraction:
    """Probability that quasi-identifiers are shown where others are true."""
    return math.prod(
        (
            becomes(values, retention, one, other)
            for values, retention, one, other in zip(
                domains(records), retentions, true, shown, strict=False
            )
        ),
        start=Fraction(1),
    )


def risks(records: Records, retentions: Retentions) -> dict[tuple[Row, Value], Fraction]:
    """Probability of guessing the value of a record, of each cell and value that occur."""
    cells = Counter(row[:-1] for row in records.rows)
    found = {}
    for row in set(records.rows):
        cell, value = row[:-1], row[-1]
        within = Counter(other[-1] for other in records.rows if other[:-1] == cell)
        conditional = Fraction(within[value], cells[cell])
        found[cell, value] = (
            conditional
            * recognized(records, retentions, cells, cell)
            * guessed(records, retentions, within, value)
        )
    return found


def recognized(
    records: Records, retentions: Retentions, cells: Counter[Row], cell: Row
) -> Fraction:
    """Probability that a guess of a record's cell from what is shown of it is right."""
    right = Fraction(0)
    for shown in itertools.product(*domains(records)[:-1]):
        likely = {
            other: count * turns(records, retentions, other, shown)
            for other, count in cells.items()
        }
        if likely[cell]:
            chance = Fraction(likely[cell], cells[cell])
            right += chance * likely[cell] / sum(likely.values())
    return right


def guessed(
    records: Records, retentions: Retentions, within: Counter[Value], value: Value
) -> Fraction:
    """Probability that a guess of a record's value from what is shown of it is right."""
    values = records.sensitive.values
    right = Fraction(0)
    for shown in values:
        likely = {
            other: count * becomes(values, retentions[-1], other, shown)
            for other, count in within.items()
        }
        if likely[value]:
            right += Fraction(likely[value], within[value]) * likely[value] / sum(likely.values())
    return right


def channels(records: Records, retentions: Sequence[Fraction | float]) -> tuple[Channel, ...]:
    """The channels of such retentions."""
    return tuple(
        Channel(len(values), 1.0 if len(values) == 1 else float(retention))
        for values, retention in zip(domains(records), retentions, strict=True)
    )


# --- In floats, for many distortions at a time ----------------------------------------------------


def joint(records: Records) -> FloatArray:
    """Share of the records in each combination of quasi-identifiers, and with each value."""
    rows = Counter(records.rows)
    shares = [rows[row] / len(records.rows) for row in itertools.product(*domains(records))]
    return np.array(shares).reshape(-1, len(records.sensitive.values))


def largest_risk(shares: FloatArray, sizes: Sequence[int], retentions: Sequence[float]) -> float:
    """Largest risk of a record, with every matrix formed."""
    matrices = [
        np.ones((1, 1)) if size == 1 else dense(size, retention)
        for size, retention in zip(sizes, retentions, strict=True)
    ]
    grid, sensitive = kron(matrices[:-1]), matrices[-1]
    cells = shares.sum(axis=1)
    occur = np.flatnonzero(cells)
    recognized = cells[occur] * _over(grid[:, occur] ** 2, (grid @ cells)[:, None]).sum(axis=0)
    conditional = shares[occur] / cells[occur, None]
    # By cell, what is shown of the value, and the value.
    shown = (conditional @ sensitive.T)[:, :, None]
    guessed = conditional * _over(sensitive**2, shown).sum(axis=1)
    return float((conditional * recognized[:, None] * guessed).max())


def _over(some: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotients, 0 of what is never shown."""
    some, whole = np.broadcast_arrays(some, whole)
    return np.divide(some, whole, out=np.zeros(some.shape), where=whole > 0)
