"""Judging: decides which groups may be published, by the estimator of the publication.

Partitioning tries groups by omega, which may understate what an adversary learns. Published groups
are measured by the policy's estimator, and so is every group that mending or improvement proposes.

Rules:

- Inference by ``auto`` is exact within a budget of states; of groups of more than a few it first
  asks whether bounds decide (`bkpriv_core.belief.disclosure`), which is proof, too. An *effort*
  says which groups are judged at all, and how: those of few states; those of more by bounds alone;
  those that need exact inference, and hold by bethe, which is fast; and only then those beyond the
  budget by bethe, where that converges.
- Under ``exact`` everything is inferred exactly, and under ``omega`` everything is judged by omega.
  Where groups beyond the budget are to be suppressed, nothing of ``auto`` rests on bethe either.
- What needs no inference is judged first: most proposals fail there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bkpriv_core.belief.posterior import (
    AUTO_STATES,
    BETHE,
    BOUND,
    EXACT,
    EXACT_STATES,
    FEW_STATES,
    OMEGA,
    Estimator,
    UsedArray,
    exact_states,
)
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Measurement, Requirement, satisfied
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups
from bkpriv_core.table.parts import Parts

__all__ = ["BETHE_COST", "EFFORTS", "Evaluator", "InferenceBudget", "Measured"]


@dataclass(frozen=True)
class InferenceBudget:
    """Effort: the selection of groups that are judged."""

    near: int
    """Number of neighbours of a failing group that are considered."""
    above: float
    most: float
    """Range of states: groups that have more than the one and at most the other are judged."""
    work: float
    """Limit of the work of all groups that are judged in one round, in states."""
    by: Literal["exact", "bound", "bethe"]

    @property
    def proves(self) -> bool:
        """Whether groups that are judged to hold do so for certain."""
        return self.by != "bethe"

    @property
    def screens(self) -> bool:
        """Whether groups must hold by bethe before they are inferred exactly."""
        return self.above > 0 and self.by == "exact"


_NONE = InferenceBudget(256, -1, np.inf, np.inf, "bethe")
"""Effort without inference: every group is judged."""

# Groups of few states are proved in no time, and most failing groups need no others.
EFFORTS = (
    InferenceBudget(256, 0, FEW_STATES, np.inf, "exact"),
    InferenceBudget(256, FEW_STATES, np.inf, 20_000_000, "bound"),
    InferenceBudget(64, FEW_STATES, AUTO_STATES, 20_000_000, "exact"),
    InferenceBudget(256, AUTO_STATES, np.inf, 20_000_000, "bethe"),
)

_SHARPENED = 20_000_000
"""States of all groups that are inferred only to know by how much they keep their bounds."""

BETHE_COST = 30
"""States that take as long as bethe takes for one part and one value."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Groups with their measurements."""

    groups: Groups
    measurements: tuple[Measurement, ...]
    """Measurements, one per requirement, over `groups`."""

    @property
    def used(self) -> UsedArray:
        """The worst estimator of each group's figures, shape (g,)."""
        used = np.full(len(self.groups), EXACT, dtype=np.int8)
        for measured in self.measurements:
            np.maximum(used, measured.used, out=used)
        return used

    def select(self, chosen: BoolArray) -> Measured:
        """Keep the groups of a mask."""
        members = chosen[self.groups.owner]
        return Measured(
            self.groups.select(chosen),
            tuple(item.select(chosen, members) for item in self.measurements),
        )

    @classmethod
    def joined(cls, lists: Sequence[Measured]) -> Measured:
        """Join lists of groups, at least one list."""
        measurements = zip(*(item.measurements for item in lists), strict=True)
        return cls(
            Groups.joined([item.groups for item in lists]),
            tuple(
                Measurement(
                    np.concatenate([item.figures for item in same], axis=1),
                    np.concatenate([item.used for item in same]),
                )
                for same in measurements
            ),
        )


class Evaluator:
    """Judge of whether groups may be published.

    Args:
        threat: The table and its adversaries, for groups that are only tried.
        requirements: Requirements that each group must meet by itself.
        beyond: Whether ``auto`` may publish groups that only an estimate says to hold.

    Attributes:
        proof_only: Whether no group is published that only an estimate says to hold.
    """

    def __init__(
        self,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        estimator: Estimator,
        *,
        beyond: bool = True,
    ) -> None:
        self.threat = threat
        self.requirements = tuple(requirements)
        self._estimator = estimator
        self.proof_only = estimator == "exact" or (estimator == "auto" and not beyond)
        self._proof = EXACT if estimator == "exact" else BOUND
        self._bounds = estimator == "auto"
        self._infers = estimator != "omega" and any(item.infers for item in requirements)
        self._counted = [item for item in requirements if not item.infers]
        self._inferred = [item for item in requirements if item.infers]

    def over(self, parts: Parts) -> Evaluator:
        """Judge groups of other parts of the table alike."""
        if parts is self.threat.parts:
            return self
        threat = self.threat.over(parts)
        return Evaluator(threat, self.requirements, self._estimator, beyond=not self.proof_only)

    def efforts(self) -> Iterator[InferenceBudget]:
        """Efforts of looking for groups that hold, one after the other."""
        if not self._infers:
            yield _NONE
            return
        for effort in EFFORTS:
            if effort.by == "exact" or (
                self._bounds if effort.by == "bound" else not self.proof_only
            ):
                yield effort

    def measure(self, groups: Groups, progress: Progress = SILENT) -> Measured:
        """Measure groups as they are to be published."""
        return self._measure(groups, self._estimator, progress)

    def measured_somehow(self, groups: Groups) -> Measured:
        """The same, where groups too large for exact inference are no error, but do not hold."""
        feasible = self._estimator != "exact" or (self.states(groups) <= EXACT_STATES).all()
        return self._measure(groups, self._estimator if feasible else "auto")

    def measured_again(self, groups: Groups, state: Measured) -> Measured:
        """Measure groups of which some were measured as they are; these come first."""
        place = np.zeros(len(self.threat.parts), dtype=np.int64)
        place[state.groups.members] = np.arange(len(state.groups.members))
        labels = state.groups.labels(len(self.threat.parts))[groups.members]
        former = groups.min(labels)
        known = (former >= 0) & (former == groups.max(labels))
        known &= groups.widths == state.groups.widths[former]
        kept, members = groups.select(known), known[groups.owner]
        measurements = [
            item.select(former[known], place[groups.members[members]])
            for item in state.measurements
        ]
        return Measured.joined(
            [Measured(kept, tuple(measurements)), self.measure(groups.select(~known))]
        )

    def sharpened(self, state: Measured) -> Measured:
        """Infer exactly what was bounded, the fewest states first, as far as little work does."""
        bounded = np.flatnonzero(state.used == BOUND)
        states = self.states(state.groups.select(bounded))
        order = np.argsort(states, kind="stable")
        affordable = (np.cumsum(states[order]) <= _SHARPENED) & (states[order] <= AUTO_STATES)
        chosen = np.zeros(len(state.groups), dtype=bool)
        chosen[bounded[order[affordable]]] = True
        if not chosen.any():
            return state
        exact = self._measure(state.groups.select(chosen), "exact")
        return Measured.joined([state.select(~chosen), exact])

    def resting(self, state: Measured) -> BoolArray:
        """Measured groups of which a figure rests on an estimate, where that was not asked for."""
        if self._estimator != "auto":
            return np.zeros(len(state.groups), dtype=bool)
        resting: BoolArray = state.used > BOUND
        return resting

    def met(self, state: Measured) -> BoolArray:
        """Measured groups that meet every bound, by an inference that is good enough."""
        return self._met(state, self._proof if self.proof_only else OMEGA)

    def states(self, groups: Groups) -> FloatArray:
        """States that exact inference takes for each group; none where nothing is inferred."""
        if not self._infers:
            return np.zeros(len(groups))
        parts = self.threat.parts
        return exact_states(groups, parts.weights[groups.members], parts.histograms(groups))

    def estimating(self, groups: Groups) -> FloatArray:
        """States that could be gone through in the time that bethe takes for each group."""
        values = self.threat.table.sensitive.size
        prices: FloatArray = BETHE_COST * values * groups.widths.astype(np.float64)
        return prices

    def counted(self, groups: Groups) -> BoolArray:
        """Groups that meet every requirement that needs no inference."""
        return satisfied(self._counted, self.threat, groups)

    def promising(self, groups: Groups, effort: InferenceBudget) -> BoolArray:
        """Groups that meet the other requirements by a fast estimate, if there is a faster one."""
        if not self._infers or effort.by != "exact":
            return np.ones(len(groups), dtype=bool)
        estimator: Estimator = "bethe" if effort.screens else "omega"
        return satisfied(self._inferred, self.threat, groups, estimator)

    def holding(self, groups: Groups, effort: InferenceBudget) -> tuple[BoolArray, Measured]:
        """Measure groups that meet what needs no inference: which hold, and what they measure."""
        estimator: Estimator = "exact" if self._estimator == "exact" else "auto"
        if effort.by == "bound":
            estimator = "bound"
        state = self._measure(groups, estimator if self._infers else "omega")
        most = OMEGA if not self._infers else self._proof if effort.proves else BETHE
        held = self._met(state, most)
        return held, state.select(held)

    def _measure(
        self, groups: Groups, estimator: Estimator, progress: Progress = SILENT
    ) -> Measured:
        return Measured(
            groups,
            tuple(
                item.measure(self.threat, groups, estimator, progress) for item in self.requirements
            ),
        )

    def _met(self, state: Measured, most: int) -> BoolArray:
        broken = np.zeros(len(state.groups.members), dtype=bool)
        rests = np.ones(len(state.groups), dtype=bool)
        for requirement, measured in zip(self.requirements, state.measurements, strict=True):
            rests &= measured.used <= most
            for bound, figures in zip(requirement.bounds, measured.figures, strict=True):
                broken |= bound.broken(figures)
        met: BoolArray = ~state.groups.max(broken) & rests
        return met
