"""k-anonymity (Sweeney 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.progress import Progress
from bkpriv_core.requirement.base import Bound, Measurement, Requirement
from bkpriv_core.stated import Range
from bkpriv_core.table.groups import Groups

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """At least `k` records in every group."""

    k: Annotated[int, Range(at_least=1)]
    key: ClassVar[str] = "k_anonymity"
    monotone, absorbing = True, True

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the group's records."""
        return (Bound(self.key, {"k": self.k}, self.k, upper=False),)

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Count records."""
        return self._of_groups(groups, setting.parts.sizes(groups))
