"""Bounds on beliefs, and (B,t)-privacy with its skyline (Li, Li, Zhang 2009, definitions 1 and 2).

A range of bandwidths is several adversaries of the skyline, which have the same bound. It says
nothing about bandwidths between theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import numpy as np

from bkpriv_core.belief.distance import Comparison, Distance, Smoothing
from bkpriv_core.belief.knowledge import Knowledge, Remembered, Stated, listed, state_knowledge
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Bound, Measurement, Requirement, Shift
from bkpriv_core.requirement.scope import Scope
from bkpriv_core.schema import ErrorText, Range, read
from bkpriv_core.table.groups import BoolArray, Groups

if TYPE_CHECKING:
    from bkpriv_core.belief.disclosure import Adversaries

__all__ = ["BeliefRequirement", "BeliefScope", "BtPrivacy"]

B = TypeVar("B", bound="BeliefRequirement")


@dataclass(frozen=True, kw_only=True)
class BeliefScope(Scope):
    """Object of an adversary's beliefs, and the rule by which they are compared."""

    smoothing: Smoothing | None = None
    """Bandwidth within which values blend before beliefs are compared; without it values are alike
    or not.
    """

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Scope`; and the smoothing, where there is one."""
        smoothing = {} if self.smoothing is None else {"smoothing": _plain(self.smoothing)}
        return {**super().parameters, **smoothing}

    def comparison(self, threat: ThreatModel) -> Comparison:
        """Rule by which beliefs are compared in a setting."""
        return Comparison(column=self.column(threat), smoothing=self.smoothing)

    def distance(self, threat: ThreatModel) -> Distance:
        """The distance of beliefs in a setting."""
        return threat.distance(self.comparison(threat))


@dataclass(frozen=True)
class BeliefRequirement(Requirement):
    """Bounds on what adversaries come to believe, one for each of a *skyline*.

    Adversaries are Adv(B), or know what a `Knowledge` of another form says.
    """

    skyline: tuple[tuple[Knowledge, float], ...]
    regards: tuple[BeliefScope, ...] = ()
    """Sensitive columns that each adversary is kept from, and the comparison of beliefs; whole
    sensitive values, unblended, for adversaries beyond the end.
    """
    cost: ClassVar[int] = 3
    infers: ClassVar[bool] = True
    bounded: ClassVar[str]
    """Key of the bound of an adversary."""

    def about(self: B, columns: Sequence[str], combined: bool) -> tuple[B, ...]:
        """Return one requirement on all columns: beliefs are inferred once for them."""
        pairs = [
            (one, regard)
            for one, stated in self._pairs
            for regard in stated.of(columns, combined, self.key)
        ]
        return (self._of(pairs),)

    @property
    def regarding(self) -> tuple[BeliefScope, ...]:
        """Sight and comparison of each adversary of the skyline."""
        return (*self.regards, *[BeliefScope()] * (len(self.skyline) - len(self.regards)))

    @property
    def _pairs(self) -> list[tuple[tuple[Knowledge, float], BeliefScope]]:
        """Pairs of what is stated of each adversary."""
        return list(zip(self.skyline, self.regarding, strict=True))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bounds, one for each adversary."""
        return tuple(
            Bound(
                self.key,
                {"bandwidth": state_knowledge(knowledge), self.bounded: t, **regard.parameters},
                t,
                upper=True,
                remembers=isinstance(knowledge, Remembered),
            )
            for (knowledge, t), regard in self._pairs
        )

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """See `Requirement`."""
        return tuple(knowledge for knowledge, _ in self.skyline)

    def of_bounds(self: B, places: Sequence[int]) -> B:
        """The same with some of its bounds only, by their places."""
        pairs = self._pairs
        return self._of([pairs[place] for place in places])

    def _of(self: B, pairs: Sequence[tuple[tuple[Knowledge, float], BeliefScope]]) -> B:
        skyline, regards = zip(*pairs, strict=True)
        return replace(self, skyline=skyline, regards=_said(regards))

    def measure(
        self,
        threat: ThreatModel,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Infer every adversary's posterior and measure how far beliefs move."""
        limits = [t for _, t in self.skyline]
        disclosure = self._adversaries(threat).disclosure(groups, estimator, progress, limits)
        return Measurement(disclosure.figures, disclosure.used)

    def satisfied(
        self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
    ) -> BoolArray:
        """Mark groups that meet every bound; see `Requirement`.

        By omega, which infers for each adversary by itself, each is asked about those groups only
        that the ones before let pass.
        """
        if estimator != "omega":
            return super().satisfied(threat, groups, estimator)
        alive, bounds = np.arange(len(groups)), self.bounds
        for rows, adversary in self._adversaries(threat).apart:
            some = groups.select(alive)
            figures = adversary.disclosure(some, estimator).figures
            broken = [bounds[row].broken(told) for row, told in zip(rows, figures, strict=True)]
            alive = alive[~some.max(np.any(broken, axis=0))]
        met = np.zeros(len(groups), dtype=bool)
        met[alive] = True
        return met

    def most(self, threat: ThreatModel, progress: Progress = SILENT) -> list[float]:
        """See `Requirement`: of any two beliefs, whatever the adversary knows."""
        values = threat.table.sensitive.size
        return [regard.distance(threat).most(values) for regard in self.regarding]

    def _adversaries(self, threat: ThreatModel) -> Adversaries:
        compared = [regard.comparison(threat) for regard in self.regarding]
        return threat.adversaries(self.knowledge, compared)

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the belief that moves most; see `Requirement.explain`.

        It is about the cell whose records disclose most to the adversary of the bound, and the
        value whose probability moves most, up or down, in the belief about them.
        """
        (_,) = group
        # All adversaries at once, as when the group is measured, so that the estimator does alike.
        most = self._adversaries(threat).explain(group, estimator, bound)
        (member,), (value,) = most.members, most.values
        cell = int(threat.parts.cell[group.members[member]])
        before, after = float(most.before[0]), float(most.after[0])
        return Shift(cell, int(value), before, after, aspect=most.aspects[0])


@dataclass(frozen=True)
class _Adversary(BeliefScope):
    """Adversary of a skyline, as stated."""

    bandwidth: Stated
    t: Annotated[float, Range(at_least=0, at_most=1)]


_Skyline = Annotated[
    tuple[_Adversary, ...],
    ErrorText(
        hint='Write [{"bandwidth": 0.3, "t": 0.2}], one object for each adversary.',
        item="adversary",
    ),
]


@dataclass(frozen=True)
class BtPrivacy(BeliefRequirement):
    """Skyline (B,t)-privacy: no adversary i of the skyline moves a belief by more than t_i."""

    key: ClassVar[str] = "bt_privacy"
    bounded: ClassVar[str] = "t"

    @classmethod
    def parse(cls, value: object) -> BtPrivacy:
        """Read ``[{"bandwidth": 0.3, "t": 0.2}, ...]`` or one such object."""
        stated = read(_Skyline, value, cls.key)
        for item in stated:
            item.check(cls.key)
        each = [(one, item) for item in stated for one in listed(item.bandwidth)]
        regards = [
            BeliefScope(sensitive=item.sensitive, joint=item.joint, smoothing=item.smoothing)
            for _, item in each
        ]
        return cls(tuple((one, item.t) for one, item in each), _said(regards))


def _said(regards: Sequence[BeliefScope]) -> tuple[BeliefScope, ...]:
    """Shorten regards: empty if they state nothing of any adversary."""
    return tuple(regards) if any(regard != BeliefScope() for regard in regards) else ()


def _plain(number: float) -> float:
    """Number as it is mostly stated in JSON: 1 rather than 1.0."""
    return int(number) if number.is_integer() else number
