"""Largest disclosure: how sure anybody may be of a record's sensitive value.

To whoever knows in which group a record is, and nothing else, a value is as probable as its share
in the group. Bounded by ``tau``, that is probabilistic l-diversity with ``l = 1 / tau``, and what
(c,k)-safety bounds where ``k`` is 0 (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006;
Martin, Kifer, Machanavajjhala, Gehrke, Halpern 2007).

A randomized release has no groups. There the figure of a record is its *risk*: how probable it is
that whoever knows its quasi-identifiers finds the record by them, and its value, as they were
(Guo, Ying, Wu 2011); see `bkpriv_core.randomization.risk`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import ShareRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, FloatArray

__all__ = ["MaxDisclosure"]


@dataclass(frozen=True)
class MaxDisclosure(ShareRequirement):
    """No sensitive value disclosed with more than probability `tau`."""

    tau: Annotated[float, Range(above=0, at_most=1)]
    key: ClassVar[str] = "max_disclosure"
    monotone = True
    cost: ClassVar[int] = 1

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the probability."""
        return (Bound(self.key, {"tau": self.tau, **self.sight.parameters}, self.tau, upper=True),)

    @property
    def having(self) -> bool:
        """See `ColumnRequirement`."""
        return True

    def figures(self, threat: ThreatModel, histograms: AnyArray) -> AnyArray:
        """Measure the largest share of a value."""
        largest: AnyArray = self.seen(threat).shares(histograms).max(axis=1)
        return largest

    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Blame the most frequent value of the group."""
        return shares
