"""k-anonymity (Sweeney 2002)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import CountedRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, IntArray

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(CountedRequirement):
    """At least `k` records in every group."""

    k: Annotated[int, Range(at_least=1)]
    key: ClassVar[str] = "k_anonymity"
    monotone, absorbing = True, True
    of_values = False

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the group's records."""
        return (Bound(self.key, {"k": self.k}, self.k, upper=False),)

    def loosened(self, share: float, values: int) -> KAnonymity:
        """Let `k` fall, but not below 2; see `Requirement.loosened`."""
        return replace(self, k=self.k - math.floor(share * max(self.k - 2, 0)))

    def counts(self, threat: ThreatModel) -> IntArray:
        """Records of each part, whatever their values."""
        return threat.parts.weights[:, None]

    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Count records."""
        sizes: AnyArray = histograms.sum(axis=1)
        return sizes
