"""t-closeness (Li, Li, Venkatasubramanian 2007): earth mover's distance of group and table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from bkpriv_core.belief.distance import emd_equal, emd_hierarchical, emd_ordered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import ShareRequirement
from bkpriv_core.requirement.scope import refuse_combined
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, FloatArray

__all__ = ["Ground", "TCloseness"]

Ground = Literal["equal", "ordered", "hierarchical"]
"""Scale on which mass is moved."""


@dataclass(frozen=True)
class TCloseness(ShareRequirement):
    """Every group's distribution within earth mover's distance `t` of the table's."""

    t: Annotated[float, Range(at_least=0, at_most=1)]
    ground: Ground = "equal"
    key: ClassVar[str] = "t_closeness"
    monotone = True
    cost: ClassVar[int] = 2

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the distance."""
        parameters = {"t": self.t, "ground": self.ground, **self.sight.parameters}
        return (Bound(self.key, parameters, self.t, upper=True),)

    def loosened(self, share: float, values: int) -> TCloseness:
        """Let `t` rise to 1; see `Requirement.loosened`."""
        return replace(self, t=self.t + share * (1.0 - self.t))

    @property
    def having(self) -> bool:
        """See `ColumnRequirement`."""
        return self.ground == "equal"

    @property
    def of_several(self) -> str:
        """See `ColumnRequirement`; jointly there is no other ground either."""
        return 'Take the ground "equal"'

    def figures(self, threat: ThreatModel, histograms: AnyArray) -> AnyArray:
        """Measure the distance to the table's distribution."""
        seen = self.seen(threat)
        shares, overall = seen.shares(histograms), seen.overall
        if seen.several:  # Of each value, of those who have it and those who have not.
            return np.asarray(np.abs(shares - overall).max(axis=1))
        if self.ground == "equal":
            return emd_equal(shares, overall)
        refuse_combined(f"the {self.ground} ground of {self.key}", seen)
        if self.ground == "ordered":
            return emd_ordered(shares, overall)
        return emd_hierarchical(shares, overall, seen.table.sensitive.membership)

    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Blame the value whose share differs most, up or down."""
        return np.abs(shares - overall)
