"""Figures of an attack: how often it is right, of whom it is sure, and of whom it should not be.

Of each sensitive column by itself, for beliefs about combinations say something of each. Where a
person may have several values of a column, what is believed is that they have one, each value by
itself. All are exact for the outcome.

======================  ============================================================================
``people``              people about whom there are beliefs
``accuracy``            share of them who have the value that is believed most; ties count in shares
``baseline_accuracy``   the same without the release
``log_loss``            mean of ``-ln`` of the belief in what is true
``baseline_log_loss``   the same without the release
``breached``            people of whom the attacker is sure, and right, where the baseline was not
``claimed``             values of people of which the attacker is sure
``claimed_right``       those that are true
``worst``               largest distance of beliefs with and without the release, unblended, in bits
``over_t``              people for whom it is above t of an adversary of the policy's
                        ``bt_privacy``, compared as for that adversary; absent where there is none
======================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.attack.attacker import Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.belief.distance import Comparison
from bkpriv_core.requirement import BtPrivacy, Requirement
from bkpriv_core.table.combination import Combination, columns_of
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["Found", "Metric", "findings", "metrics"]

_TIED = 1e-12
"""Difference of beliefs that rounding may make, in shares."""


@dataclass(frozen=True)
class Metric:
    """One figure."""

    name: str
    value: float
    column: str | None = None
    """The sensitive column that it is about; None where it is about none."""


@dataclass(frozen=True)
class Found:
    """Belief of an attacker about people of one row of an outcome, and a column."""

    group: int
    cell: int
    value: str | None
    """The value that is believed most, as text; of those that a person may have, one by which
    somebody is breached, if there is one.
    """
    baseline: float
    believed: float
    """Belief in it without the release and with it."""
    records: int
    correct: int
    breached: int
    """People of the row, those who have the value, and those who are breached by it."""
    distance: float
    """Distance of the two beliefs about the column, unblended, in bits."""


def metrics(
    outcome: Outcome, requirements: Sequence[Requirement], options: Options
) -> list[Metric]:
    """Figures of an outcome, column after column.

    Args:
        outcome: The outcome. About nobody there are no figures but those of the attacker.
        requirements: Requirements of the release's policy.
        options: Limits that define what is claimed, and what is open.
    """
    found = [Metric("people", float(outcome.counts.sum()))]
    if not len(outcome.cell):
        return found + [Metric(name, value) for name, value in outcome.figures.items()]
    for seen in _columns(outcome):
        found += [Metric(name, float(value), seen.column) for name, value in seen.figures(options)]
        found += _over(outcome, requirements, seen.column)
    if isinstance(outcome.threat.table.sensitive, Combination):
        found += _over(outcome, requirements, None)
    return found + [Metric(name, value) for name, value in outcome.figures.items()]


def findings(outcome: Outcome, options: Options) -> list[Found]:
    """Most believed value of each row and column, the most damaging first.

    Those come first by which people are breached; then those by which beliefs move farthest.
    """
    found = [each for seen in _columns(outcome) for each in seen.findings(options)]
    return sorted(found, key=lambda each: (not each.breached, -each.distance))


def _columns(outcome: Outcome) -> Iterator[_Seen]:
    for column in columns_of(outcome.threat.table.sensitive):
        yield _Seen(outcome, column.name)


def _over(
    outcome: Outcome, requirements: Sequence[Requirement], column: str | None
) -> list[Metric]:
    """People above t of an adversary who is kept from a column, or from all as one (None)."""
    threat, over, asked = outcome.threat, np.zeros(len(outcome.cell), dtype=bool), False
    combined = isinstance(threat.table.sensitive, Combination)
    for requirement in requirements:
        if not isinstance(requirement, BtPrivacy):
            continue
        for bound, regard in zip(requirement.bounds, requirement.regarding, strict=True):
            if not combined or regard.column(threat) == column:
                asked = True
                distance = regard.distance(threat)
                over |= bound.broken(distance(outcome.baseline, outcome.believed))
    people = float(outcome.counts.sum(axis=1)[over].sum())
    return [Metric("over_t", people, column)] if asked else []


class _Seen:
    """An outcome as far as one sensitive column tells: beliefs that people have its values."""

    def __init__(self, outcome: Outcome, column: str) -> None:
        self.column = column
        self._outcome = outcome
        self._sensitive = outcome.threat.table.sensitive
        self._people = outcome.counts.sum(axis=1)
        self._believed, self._baseline = (
            beliefs @ self._having if isinstance(self._sensitive, Combination) else beliefs
            for beliefs in (outcome.believed, outcome.baseline)
        )
        self._has = (outcome.counts @ self._having).astype(np.int64)

    @cached_property
    def _several(self) -> bool:
        return isinstance(self._sensitive, Combination) and self._sensitive.several

    @cached_property
    def _having(self) -> FloatArray:
        """Whether somebody with a sensitive value has each value of the column, shape (m, v)."""
        if not isinstance(self._sensitive, Combination):
            return np.eye(self._sensitive.size)
        aspects = [each for each in self._sensitive.aspects if each.column == self.column]
        if self._several:
            return np.column_stack([each.classes == 0 for each in aspects]).astype(np.float64)
        (aspect,) = aspects
        return np.asarray(aspect.classes[:, None] == np.arange(aspect.domain.size), np.float64)

    def _label(self, value: int) -> str | None:
        if not isinstance(self._sensitive, Combination):
            return self._sensitive.labels[value]
        aspects = [each for each in self._sensitive.aspects if each.column == self.column]
        return aspects[value].label(0) if self._several else aspects[0].label(value)

    def figures(self, options: Options) -> Iterator[tuple[str, float]]:
        """Figures of the column by name; see the module."""
        people = self._people.sum()
        yield "accuracy", self._right(self._believed) / people
        yield "baseline_accuracy", self._right(self._baseline) / people
        yield "log_loss", self._loss(self._believed) / people
        yield "baseline_log_loss", self._loss(self._baseline) / people
        claimed = self._believed > options.sure
        found = self._breaching(options) @ self._having.T > 0
        yield "breached", float(self._outcome.counts[found].sum())
        yield "claimed", float((self._people[:, None] * claimed).sum())
        yield "claimed_right", float((self._has * claimed).sum())
        yield "worst", float(self._distances.max())

    def _breaching(self, options: Options) -> BoolArray:
        """Values by which whoever has them is breached, shape (r, v)."""
        breaching: BoolArray = self._believed > options.sure
        return breaching & (self._baseline < options.unsure)

    def _right(self, beliefs: FloatArray) -> float:
        """People who have what is believed most of them."""
        most = beliefs >= beliefs.max(axis=1, keepdims=True) * (1.0 - _TIED)
        return float(((self._has * most).sum(axis=1) / most.sum(axis=1)).sum())

    def _loss(self, beliefs: FloatArray) -> float:
        """Sum of the negative logarithms of the beliefs in what is true."""
        has, beliefs = self._has, np.minimum(beliefs, 1.0)
        with np.errstate(divide="ignore"):
            loss = -(has * np.log(beliefs, where=has > 0, out=np.zeros_like(beliefs))).sum()
            if self._several:
                lacks = self._people[:, None] - has
                loss -= (
                    lacks * np.log1p(-beliefs, where=lacks > 0, out=np.zeros_like(beliefs))
                ).sum()
        return float(loss)

    @cached_property
    def _distances(self) -> FloatArray:
        """Distance of the beliefs of each row, shape (r,)."""
        combined = isinstance(self._sensitive, Combination)
        comparison = Comparison(column=self.column if combined else None)
        distance = self._outcome.threat.distance(comparison)
        return distance(self._outcome.baseline, self._outcome.believed)

    def findings(self, options: Options) -> Iterator[Found]:
        """Belief about the people of each row."""
        breaching = self._breaching(options) & (self._has > 0)
        rows = np.arange(len(self._believed))
        value: IntArray = (self._believed + breaching).argmax(axis=1)
        columns = (
            self._outcome.group,
            self._outcome.cell,
            value,
            self._baseline[rows, value],
            self._believed[rows, value],
            self._people,
            self._has[rows, value],
            (self._has * breaching)[rows, value],
            self._distances,
        )
        for group, cell, code, *rest in zip(*(each.tolist() for each in columns), strict=True):
            yield Found(group, cell, self._label(code), *rest)
