"""Anatomy: groups of different values, by the l of the policy's l-diversity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method.base import GroupMethod, Job
from bkpriv_core.method.mondrian import Bucketize
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.partition.anatomy import anatomy, check_eligible
from bkpriv_core.partition.coarsening import coarsen
from bkpriv_core.release.bucketized.form import Anatomized
from bkpriv_core.release.release import Form
from bkpriv_core.requirement import LDiversity, Requirement, check_attainable
from bkpriv_core.table.groups import Groups

__all__ = ["Anatomy"]


class Anatomy(GroupMethod[GroupOptions]):
    """Groups by `anatomy`, joined by `coarsen` where other requirements fail."""

    name = "anatomy"
    form = Anatomized()
    options = GroupOptions
    draws = True
    needs = (LDiversity,)

    @property
    def plain(self) -> Bucketize:
        """See `Method`: groups that draw records by their values are nothing without an l."""
        return Bucketize()

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: GroupOptions
    ) -> None:
        """Refuse what cannot be met; see `Method.check`."""
        # First of all, since it names the value at fault.
        check_eligible(threat.table, _diversity(requirements))
        check_attainable(requirements, threat)

    def partition(
        self,
        job: Job[GroupOptions],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        threat = job.threat
        parts, groups = anatomy(
            threat.parts, _diversity(job.requirements), job.chance, progress=job.progress
        )
        threat = threat.over(parts)
        groups = coarsen(threat, job.requirements, groups, progress=job.progress)
        parts, groups = parts.unite(groups)
        return (threat if parts is threat.parts else threat.over(parts)), groups, self.form


def _diversity(requirements: Sequence[Requirement]) -> int:
    """Number of values from which each group is to draw its records."""
    diversity = [item.l for item in requirements if isinstance(item, LDiversity)]
    if not diversity:
        raise InvalidParameter(
            "method anatomy needs the requirement l_diversity",
            detail="Its l says from how many values each group draws its records.",
            hint='Add for example {"l_diversity": {"l": 4}} to the policy.',
        )
    return math.ceil(max(diversity))
