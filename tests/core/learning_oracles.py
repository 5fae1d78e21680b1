"""Classifiers learned record by record, and folds dealt by whole numbers: slow, and independent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from bkpriv_core.belief.classifier import learn
from bkpriv_core.table.groups import FloatArray
from tests.core.oracles import Attribute, Group, Records, Value

__all__ = ["deal", "features", "learned", "precise", "trained"]

KNOTS = 12
MASK = 2**64 - 1


def mixed(number: int) -> int:
    """SplitMix64 of a number."""
    z = number * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def deal(records: Records, folds: int, seed: int) -> list[Group]:
    """Records of each fold, of those alike whichever."""

    def place(record: int) -> tuple[int, ...]:
        known = zip(records.attributes, records.rows[record], strict=False)
        told = records.sensitive.values.index(records.rows[record][-1])
        return (*(attribute.values.index(value) for attribute, value in known), told)

    ordered = sorted(records.everything(), key=place)
    first = mixed(seed)
    lots = sorted(range(len(ordered)), key=lambda number: mixed((number + 1 + first) & MASK))
    dealt: list[Group] = [[] for _ in range(folds)]
    for turn, number in enumerate(lots):
        dealt[turn % folds].append(ordered[number])
    return dealt


def features(records: Records, axis: int) -> dict[Value, list[Fraction]]:
    """Shares of the features of a quasi-identifier, by value."""
    attribute: Attribute = records.attributes[axis]
    numbers = attribute.numbers
    if numbers is None or len(numbers) <= KNOTS:
        return {
            value: [Fraction(value == other) for other in attribute.values]
            for value in attribute.values
        }
    known = [value for value in records.column(records.everything(), axis) if value is not None]
    line = sorted(numbers[value] for value in known)
    knots = {line[0], line[-1]}
    for step in range(1, KNOTS):
        # The least number that so large a share of the records does not exceed.
        knots.add(line[-(-step * len(line) // (KNOTS - 1)) - 1])
    ordered = sorted(knots)
    null = [Fraction(0)] if None in attribute.values else []
    shares: dict[Value, list[Fraction]] = {}
    for value, number in numbers.items():
        hats = [Fraction(number == knot) for knot in ordered]
        for place, (low, high) in enumerate(pairwise(ordered)):
            if low < number < high:
                hats[place] = Fraction(high - number, high - low)
                hats[place + 1] = Fraction(number - low, high - low)
        shares[value] = hats + null
    if null:
        shares[None] = [Fraction(0)] * len(ordered) + [Fraction(1)]
    return shares


def trained(
    rows: Sequence[Sequence[float]], sizes: Sequence[int], targets: FloatArray, model: str
) -> Any:
    """Classifier of records with features and targets: from features to probabilities."""
    design = np.array(rows, dtype=float).reshape(len(rows), sum(sizes))
    values = targets.shape[1]
    totals = targets.sum(axis=0)
    offset = np.log((totals + 1) / (totals.sum() + values))
    weights = np.zeros((sum(sizes), values))
    if model == "bayes":
        of = np.repeat(sizes, sizes)
        for feature in range(len(weights)):
            for value in range(values):
                seen = sum(design[row, feature] * targets[row, value] for row in range(len(rows)))
                weights[feature, value] = np.log((seen + 1) / (totals[value] + of[feature]))
    else:

        def loss(point: FloatArray) -> tuple[float, FloatArray]:
            matrix = point.reshape(weights.shape)
            total, slope = (point**2).sum() / 2, matrix.copy()
            for row, target in zip(design, targets, strict=True):
                logits = row @ matrix + offset
                chances = np.exp(logits) / np.exp(logits).sum()
                total -= target @ np.log(chances)
                slope += np.outer(row, target.sum() * chances - target)
            return total, slope.ravel()

        found = minimize(loss, weights.ravel(), jac=True, method="BFGS", options={"gtol": 1e-7})
        weights[:] = found.x.reshape(weights.shape)

    def predict(row: Sequence[float]) -> FloatArray:
        logits = np.array(row, dtype=float) @ weights + offset
        return np.asarray(np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum())

    return predict


def learned(records: Records, model: str, folds: int, seed: int) -> list[FloatArray]:
    """Belief about each record, as the mean over its cell, without the records of its fold."""
    of_axis = [features(records, axis) for axis in range(len(records.attributes))]
    sizes = [len(next(iter(shares.values()))) for shares in of_axis]

    def row(record: int) -> list[float]:
        values = records.rows[record]
        return [float(s) for axis, shares in enumerate(of_axis) for s in shares[values[axis]]]

    values = len(records.sensitive.values)
    beliefs = {record: np.zeros(values) for record in records.everything()}
    for left_out in deal(records, folds, seed):
        others = [record for record in records.everything() if record not in left_out]
        targets = np.eye(values)[records.secrets(others)].reshape(len(others), values)
        predict = trained([row(record) for record in others], sizes, targets, model)
        for record in left_out:
            beliefs[record] = predict(row(record))
    of_cells = [np.mean([beliefs[record] for record in cell], axis=0) for cell in records.cells()]
    placed = list(beliefs.values())
    for cell, belief in zip(records.cells(), of_cells, strict=True):
        for record in cell:
            placed[record] = belief
    return placed


@pytest.fixture(scope="module")
def precise() -> Iterator[None]:
    """Classifiers at their optimum, which oracles find, too."""
    defaults = learn.__kwdefaults__
    assert defaults is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(defaults, "steep", 1e-6)
        yield
