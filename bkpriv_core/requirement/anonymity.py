"""k-anonymity (Sweeney 2002)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.setting import Setting
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import CountedRequirement
from bkpriv_core.stated import Range
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.together.measurement import Joint

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(CountedRequirement):
    """At least `k` records in every group."""

    k: Annotated[int, Range(at_least=1)]
    key: ClassVar[str] = "k_anonymity"
    monotone, absorbing = True, True

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the group's records."""
        return (Bound(self.key, {"k": self.k}, self.k, upper=False),)

    def loosened(self, share: float, values: int) -> KAnonymity:
        """Let `k` fall, but not below 2; see `Requirement.loosened`."""
        return replace(self, k=self.k - math.floor(share * max(self.k - 2, 0)))

    def counts(self, setting: Setting) -> IntArray:
        """Records of each part, whatever their values."""
        return setting.parts.weights[:, None]

    def figures(self, setting: Setting, histograms: IntArray) -> npt.NDArray[Any]:
        """Count records."""
        sizes: npt.NDArray[Any] = histograms.sum(axis=1)
        return sizes

    @property
    def jointly(self) -> KAnonymity:
        """All of it; see `Requirement`."""
        return self

    @property
    def adversaries(self) -> tuple[None]:
        """Who knows nothing: what a person may have does not depend on it; see `Requirement`."""
        return (None,)

    def together(self, joint: Joint) -> FloatArray:
        """Count records that may be a person's; see `Requirement`."""
        return joint.crowds[None, :]

    def manners(self, joint: Joint) -> tuple[Sequence[str], npt.NDArray[Any]]:
        """Records are counted, whatever is believed; see `Requirement`."""
        ways = np.where(joint.overlooked, 2, np.where(joint.counted, 0, 1))
        return ("exact", "bounds", "estimates"), ways
