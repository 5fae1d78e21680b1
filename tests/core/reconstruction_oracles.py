"""Slow, obvious reconstruction: record by record, with whole matrices, in fractions.

A *shown* row has one value for each attribute, the sensitive one last, as it was drawn. A retention
is the probability that a value is kept; the others share the rest.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from tests.core.oracles import Attribute, Value
from tests.core.query_oracles import Condition, Key, truth, value_of

Matrix = list[list[Fraction]]


def distortion(size: int, retention: Fraction) -> Matrix:
    """Probability of each shown value (row) for each true one (column)."""
    other = (1 - retention) / (size - 1) if size > 1 else Fraction(0)
    return [[retention if i == j else other for j in range(size)] for i in range(size)]


def inverse(matrix: Matrix) -> Matrix:
    """The inverse, by elimination."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for place in range(size):
        pivot = next(i for i in range(place, size) if rows[i][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for i in range(size):
            if i != place:
                factor = rows[i][place]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[place], strict=True)]
    return [row[size:] for row in rows]


def reconstructed(
    attributes: Sequence[Attribute],
    retentions: Sequence[Fraction],
    shown: Sequence[Sequence[Value]],
    condition: Condition,
    keys: Sequence[int] = (),
) -> dict[Key, tuple[Fraction, Fraction]]:
    """Estimated records that meet a condition, by some attributes, and estimated variances.

    The weight of a shown record in a count is the sum, over all true records that would be counted,
    of the products of entries of the inverse matrices.
    """
    inverses = [
        inverse(distortion(len(attribute.values), retention))
        for attribute, retention in zip(attributes, retentions, strict=True)
    ]
    met: dict[Key, list[tuple[int, ...]]] = {}
    for codes in product(*(range(len(attribute.values)) for attribute in attributes)):
        point = [item.values[code] for item, code in zip(attributes, codes, strict=True)]
        values = [value_of(item, value) for item, value in zip(attributes, point, strict=True)]
        counted = met.setdefault(tuple(point[key] for key in keys), [])
        if truth(condition, attributes, values):
            counted.append(codes)
    totals: dict[Key, tuple[Fraction, Fraction]] = {}
    for key, counted in met.items():
        estimate = variance = Fraction(0)
        for row in shown:
            seen = [item.values.index(value) for item, value in zip(attributes, row, strict=True)]
            weight = Fraction(0)
            for codes in counted:
                weight += math.prod(
                    (side[mu][nu] for side, mu, nu in zip(inverses, codes, seen, strict=True)),
                    start=Fraction(1),
                )
            estimate += weight
            variance += weight * (weight - 1)
        totals[key] = (estimate, variance)
    return totals


def likeliest(
    attributes: Sequence[Attribute],
    retentions: Sequence[Fraction],
    shown: Sequence[Sequence[Value]],
    prior: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts that maximise the likelihood, found by a general method over the whole grid.

    Returns:
        counts, seen: Shape (grid). The counts, the prior among them, and how often each combination
            is shown.
        matrix: Shape (grid, grid). Probability of each shown combination for each true one.
    """
    matrix = np.ones((1, 1))
    for attribute, retention in zip(attributes, retentions, strict=True):
        whole = distortion(len(attribute.values), retention)
        matrix = np.kron(matrix, np.array(whole, dtype=float))
    seen: dict[tuple[Value, ...], int] = defaultdict(int)
    for row in shown:
        seen[tuple(row)] += 1
    grid = product(*(attribute.values for attribute in attributes))
    counts = np.array([float(seen[point]) for point in grid])
    each = prior / len(counts)
    records = len(shown) + prior
    used = counts > 0

    def loss(x: np.ndarray) -> float:
        likelihood = counts[used] @ np.log(matrix[used] @ x)
        return -float(likelihood + (each * np.log(x).sum() if prior else 0.0))

    def slope(x: np.ndarray) -> np.ndarray:
        gradient: np.ndarray = matrix[used].T @ (counts[used] / (matrix[used] @ x))
        if prior:
            gradient += each / x
        return -gradient

    found = minimize(
        loss,
        np.full(len(counts), records / len(counts)),
        jac=slope,
        method="SLSQP",
        bounds=[(1e-9, None)] * len(counts),
        constraints=LinearConstraint(np.ones(len(counts)), records, records),
        options={"ftol": 1e-12, "maxiter": 2000},
    )
    return found.x, counts, matrix
