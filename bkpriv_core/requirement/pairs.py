"""Divergence of prior beliefs in pairs: no two records of a group are believed to differ much.

`JsDivergence` bounds how far beliefs about a group's records differ on the whole; one of many may
differ as it likes. Here every two must be alike, as where groups are formed within clusters of
records about which adversaries believe alike (Amiri, Yazdani, Shakery, Chinaei 2016, the first of
two stages). The figure is the largest Jensen-Shannon divergence of two beliefs, in bits:

``max_{r, s in group} JS(P_r, P_s)``, between 0 and 1.

A part of a group never has a larger figure than the group. Each of several adversaries has a figure
of their own. `bkpriv_core.belief.pairs` explains the figures of large groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.knowledge import Knowledge, Remembered, Stated, listed, state_knowledge
from bkpriv_core.belief.posterior import EXACT, Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Bound, Measurement, Shift
from bkpriv_core.requirement.scope import ColumnRequirement
from bkpriv_core.schema import ErrorText, Range
from bkpriv_core.table.groups import BoolArray, Groups

__all__ = ["PairDivergence"]

_Adversaries = Annotated[
    tuple[Stated, ...],
    ErrorText(hint="Write 0.3, or [0.3, 0.5] for several adversaries.", item="adversary"),
]


@dataclass(frozen=True)
class PairDivergence(ColumnRequirement):
    """Prior beliefs about any two records of a group diverge by at most `theta`."""

    theta: Annotated[float, Range(at_least=0, at_most=1)]
    """Largest Jensen-Shannon divergence of two, in bits."""
    bandwidth: _Adversaries | None = None
    """Knowledge of the adversaries, one or several. If it is not stated, `bkpriv_core.policy` fills
    it in, and nothing can be measured before.
    """
    key: ClassVar[str] = "pair_divergence"
    cost: ClassVar[int] = 2
    hereditary = True
    coarse = False

    @cached_property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """See `Requirement`."""
        if self.bandwidth is None:
            raise ValueError(f"the bandwidth of {self.key} was not completed")
        return tuple(one for stated in self.bandwidth for one in listed(stated))

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Bounds, one for each adversary."""
        return tuple(
            Bound(
                self.key,
                {
                    "theta": self.theta,
                    "bandwidth": state_knowledge(knowledge),
                    **self.sight.parameters,
                },
                self.theta,
                upper=True,
                remembers=isinstance(knowledge, Remembered),
            )
            for knowledge in self.knowledge
        )

    def most(self, threat: ThreatModel, progress: Progress = SILENT) -> list[float]:
        """See `Requirement`: that of two beliefs without anything in common."""
        several = self.seen(threat).table.sensitive.size > 1 and len(threat.parts) > 1
        return [float(several)] * len(self.bounds)

    def loosened(self, share: float, values: int) -> PairDivergence:
        """Let `theta` rise to the most that beliefs can diverge; see `Requirement.loosened`."""
        return replace(self, theta=self.theta + share * (1.0 - self.theta))

    def measure(
        self,
        threat: ThreatModel,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Measure the largest divergence of two beliefs; nothing is inferred."""
        seen = self.seen(threat)
        polled = threat.progress if progress is None else progress.quiet
        figures = np.vstack(
            [seen.pairs(knowledge).largest(groups, polled) for knowledge in self.knowledge]
        )
        return Measurement(figures[:, groups.owner], np.full(len(groups), EXACT, dtype=np.int8))

    def satisfied(
        self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
    ) -> BoolArray:
        """Mark groups that meet every bound; those that fail by far are told at once."""
        alive = np.arange(len(groups))
        for knowledge, bound in zip(self.knowledge, self.bounds, strict=True):
            least = self.seen(threat).pairs(knowledge).at_least(groups.select(alive))
            alive = alive[~bound.broken(least)]
        met = np.zeros(len(groups), dtype=bool)
        met[alive] = super().satisfied(threat, groups.select(alive), estimator)
        return met

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the belief that is farthest from the others; see `Requirement.explain`.

        It is one of the two that diverge most, that which diverges more from the mean of the
        beliefs about the group; and the value whose probability differs most from it, up or down.
        """
        (members,) = group
        seen = self.seen(threat)
        pairs = seen.pairs(self.knowledge[bound])
        kinds, first, kind = np.unique(pairs.kind[members], return_index=True, return_inverse=True)
        weights = np.bincount(kind.ravel(), threat.parts.weights[members])
        mean = np.average(pairs.beliefs[kinds], axis=0, weights=weights)
        _, *both = pairs.farthest(kinds, threat.progress)
        beliefs = pairs.beliefs[kinds[both]]
        end = int(js_divergence(beliefs, mean).argmax())
        value = int(np.abs(beliefs[end] - mean).argmax())
        member = first[both[end]]
        cell = int(threat.parts.cell[members[member]])
        before, after = float(beliefs[end, value]), float(mean[value])
        return Shift(cell, value, before, after, aspect=seen.aspect)
