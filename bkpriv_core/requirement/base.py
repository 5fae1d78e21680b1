"""Interface of requirements, comparison of figures with bounds, and bounds that cannot be met."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.posterior import (
    EXACT,
    Estimator,
    Inferred,
    UsedArray,
)
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.schema import read
from bkpriv_core.table.combination import Marginal
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups

__all__ = [
    "SLACK",
    "Bound",
    "Measurement",
    "Requirement",
    "Shift",
    "satisfied",
]

R = TypeVar("R", bound="Requirement")

SLACK = 1e-9
"""Rounding allowed for when a figure is held against its threshold."""


@dataclass(frozen=True)
class Bound:
    """One bounded figure."""

    requirement: str
    parameters: Mapping[str, Any]
    threshold: float
    upper: bool
    """Whether figures must not exceed the threshold (else: not fall below it)."""
    strict: bool = False
    """Whether figures must not equal the threshold either."""
    remembers: bool = False
    """Whether figures depend on what an adversary remembers of earlier releases."""

    @property
    def relation(self) -> str:
        """Relation of figures to the threshold, in words that stand before it."""
        if self.strict:
            return "below" if self.upper else "above"
        return "at most" if self.upper else "at least"

    @property
    def bounded(self) -> str:
        """Name of the parameter that is the threshold."""
        stated = [key for key in self.parameters if key != "bandwidth"]
        return [key for key in stated if self.parameters[key] == self.threshold][-1]

    def broken(self, figures: FloatArray) -> BoolArray:
        """Mark figures that break the bound.

        Rounding is forgiven where the threshold itself is allowed. Where it is not, a figure that
        only rounding may keep apart from the threshold breaks the bound.
        """
        slack = -SLACK if self.strict else SLACK
        # Stated so that a figure that is not a number breaks every bound.
        if self.upper:
            limit = self.threshold + slack
            return ~(figures < limit if self.strict else figures <= limit)
        limit = self.threshold - slack
        return ~(figures > limit if self.strict else figures >= limit)

    def worst(self, figures: FloatArray) -> float:
        """Figure nearest to breaking the bound, or beyond it."""
        return float(figures.max() if self.upper else figures.min())


@dataclass(frozen=True, eq=False)
class Measurement(Inferred):
    """Figures of one requirement."""

    figures: FloatArray
    """Shape (b, e). Figure of each membership's records under each of the requirement's bounds; may
    be infinite.
    """
    used: UsedArray
    """Shape (g,). Place in `ESTIMATORS` of how posteriors were inferred; exact where none are
    needed.
    """

    def select(self, chosen: AnyArray, members: AnyArray) -> Measurement:
        """Keep some groups, and the memberships of these in their order."""
        return Measurement(self.figures[:, members], self.used[chosen])


@dataclass(frozen=True)
class Shift:
    """The value at fault in a group, and how its probability moves when the group is published."""

    cell: int | None
    """The cell whose records are believed to have the value; None if it is about the whole
    group.
    """
    value: int
    """Code of the sensitive value, or of the class of an aspect."""
    before: float
    """Share of the value in the table; or, for a cell, the adversary's prior belief."""
    after: float
    """Share of the value in the group; or, for a cell, the adversary's posterior belief, and where
    none is inferred the mean of the prior beliefs about the group.
    """
    aspect: Marginal | None = None
    """Aspect of combinations whose class the value is; None for whole sensitive values."""

    def label(self, sensitive: Domain) -> str | None:
        """The value as text, where the table has such a sensitive attribute."""
        return (
            sensitive.labels[self.value] if self.aspect is None else self.aspect.label(self.value)
        )


class Requirement(ABC):
    """A privacy requirement as stated in a policy; a dataclass, see `bkpriv_core.schema`."""

    key: ClassVar[str]
    """Name in a policy."""

    of_values: ClassVar[bool] = True
    """Whether it is about sensitive values, and so needs a sensitive column."""

    cost: ClassVar[int] = 0
    """Order of evaluation: cheap requirements are tried first."""

    infers: ClassVar[bool] = False
    """Whether its figures depend on posterior beliefs, and so on the estimator."""

    monotone: ClassVar[bool] = False
    """Whether a union of groups that meet it meets it too."""

    absorbing: ClassVar[bool] = False
    """Whether even every group that contains one that meets it does."""

    hereditary: ClassVar[bool] = False
    """Whether any part of a group that meets it does."""

    coarse: ClassVar[bool] = True
    """Whether it is asked of the whole table as one group before others are tried.

    Where it is monotone, no groups meet it if that one does not; of beliefs smaller ones might.
    """

    @classmethod
    def parse(cls: type[R], value: object) -> R:
        """Read what a policy states under `key`: the fields, by name."""
        requirement: R = read(cls, value, cls.key)
        return requirement

    @classmethod
    def parse_all(cls: type[R], value: object) -> tuple[R, ...]:
        """Read all that a policy states under `key`; one, where it cannot be several."""
        return (cls.parse(value),)

    def about(self: R, columns: Sequence[str], combined: bool) -> tuple[R, ...]:
        """Apply the requirement to a table with such sensitive columns.

        Args:
            combined: Whether the sensitive values are combinations, be it of several columns or
                records.

        Returns:
            Requirements, one for each column, or one for all jointly; itself, if it counts records
            alone.

        Raises:
            InvalidParameter: If it names another column, or is not defined where there are several.
        """
        return (self,)

    @property
    @abstractmethod
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds, in the order of a measurement's figures."""

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """Knowledge of the adversaries that it names."""
        return ()

    @property
    def tells_apart(self) -> bool:
        """Whether it is about respondents, so that parts must not have records of several.

        So it is where adversaries remember, who believe different things of records in a cell.
        """
        return any(bound.remembers for bound in self.bounds)

    @abstractmethod
    def measure(
        self,
        threat: ThreatModel,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Measure the figures of `groups`; `estimator` and `progress` matter to beliefs only."""

    def most(self, threat: ThreatModel, progress: Progress = SILENT) -> Sequence[float]:
        """Figure that no group of a table exceeds, by each of the bounds; an upper bound.

        A bound on something that is not to become large cannot bind where its threshold is as much.
        """
        return [math.inf] * len(self.bounds)

    def loosened(self: R, share: float, values: int) -> R:
        """Loosen it by a share of the way to where it requires next to nothing.

        Args:
            share: Above 0 and at most 1.

        Returns:
            The same, if it is none that can be loosened.
        """
        return self

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift | None:
        """Name the value at fault in one group, or None if no single value is.

        Args:
            group: The one group, usually that with the worst figure.
            bound: Place among `bounds` of the bound that is broken or nearest to it.
            estimator: Estimator of beliefs; best the one that the figures were measured with.
        """
        return None

    def satisfied(
        self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
    ) -> BoolArray:
        """Mark groups that meet every bound, shape (g,)."""
        figures = self.measure(threat, groups, estimator).figures
        broken = np.zeros(figures.shape[1], dtype=bool)
        for bound, figure in zip(self.bounds, figures, strict=True):
            broken |= bound.broken(figure)
        met: BoolArray = ~groups.max(broken)
        return met

    def _of_groups(self, groups: Groups, figures: AnyArray) -> Measurement:
        """Measurement of one exact figure per group."""
        spread = np.asarray(figures, dtype=np.float64)[groups.owner]
        return Measurement(spread[None, :], np.full(len(groups), EXACT, dtype=np.int8))


def satisfied(
    requirements: Sequence[Requirement],
    threat: ThreatModel,
    groups: Groups,
    estimator: Estimator = "omega",
) -> BoolArray:
    """Mark groups that meet all requirements, shape (g,); costly ones see only the survivors."""
    alive = np.arange(len(groups))
    for requirement in sorted(requirements, key=lambda item: item.cost):
        if not alive.size:
            break
        alive = alive[requirement.satisfied(threat, groups.select(alive), estimator)]
    met = np.zeros(len(groups), dtype=bool)
    met[alive] = True
    return met
