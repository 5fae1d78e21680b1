"""Divergence of prior beliefs (Riboni, Pareschi, Bettini 2012, section 6.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from bkpriv_core.belief.dispersion import Dispersion
from bkpriv_core.belief.knowledge import Knowledge, Remembered, Stated, state_knowledge
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Bound, Shift
from bkpriv_core.requirement.counted import CountedRequirement
from bkpriv_core.requirement.scope import ColumnRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, Groups, IntArray

__all__ = ["JsDivergence"]


@dataclass(frozen=True)
class JsDivergence(CountedRequirement, ColumnRequirement):
    """Prior beliefs about the records of a group diverge by at most `j`.

    Where they are alike, which record has which of the group's values is not for knowledge to tell.
    """

    j: Annotated[float, Range(at_least=0)]
    """Largest Jensen-Shannon divergence, in bits."""
    bandwidth: Stated | None = None
    """Knowledge of the adversary. If it is not stated, `bkpriv_core.policy` fills it in, and
    nothing can be measured before.
    """
    key: ClassVar[str] = "js_divergence"
    cost: ClassVar[int] = 2
    coarse = False

    @property
    def _knowledge(self) -> Knowledge:
        if self.bandwidth is None:
            raise ValueError(f"the bandwidth of {self.key} was not completed")
        return self.bandwidth

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """See `Requirement`."""
        return (self._knowledge,)

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the divergence."""
        parameters = {"j": self.j, "bandwidth": state_knowledge(self._knowledge)}
        parameters |= self.sight.parameters
        remembers = isinstance(self._knowledge, Remembered)
        return (Bound(self.key, parameters, self.j, upper=True, remembers=remembers),)

    def most(self, threat: ThreatModel, progress: Progress = SILENT) -> list[float]:
        """See `Requirement`: the logarithm of how many beliefs there are, or values."""
        values = self.seen(threat).table.sensitive.size
        return [math.log2(min(values, len(threat.parts)))]

    def loosened(self, share: float, values: int) -> JsDivergence:
        """Let `j` rise to the most that beliefs can diverge; see `Requirement.loosened`."""
        most = max(self.j, math.log2(values))
        return replace(self, j=self.j + share * (most - self.j))

    def _dispersion(self, threat: ThreatModel) -> Dispersion:
        return self.seen(threat).dispersion(self._knowledge)

    def counts(self, threat: ThreatModel) -> IntArray:
        """Sums of beliefs and of their entropies, in each part."""
        return self._dispersion(threat).columns

    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Measure the divergence of beliefs."""
        return self._dispersion(threat).divergence(histograms)

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the belief that is farthest from the others; see `Requirement.explain`.

        It is about the cell whose records add most to the divergence, and the value whose
        probability differs most, up or down, from the mean of the beliefs about the group.
        """
        (members,) = group
        seen = self.seen(threat)
        beliefs = seen.prior(self._knowledge)[members]
        mean = np.average(beliefs, axis=0, weights=threat.parts.weights[members])
        # The divergence is the mean of these, over records.
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(beliefs > 0, beliefs * np.log2(beliefs / mean), 0.0).sum(axis=1)
        member = int(apart.argmax())
        value = int(np.abs(beliefs[member] - mean).argmax())
        cell = int(threat.parts.cell[members[member]])
        before, after = float(beliefs[member, value]), float(mean[value])
        return Shift(cell, value, before, after, aspect=seen.aspect)
