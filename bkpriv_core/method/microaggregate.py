"""Microaggregate: groups of the policy's k records that are near one another."""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method.base import GroupMethod, Job
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.partition.microaggregation import microaggregate
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form
from bkpriv_core.requirement import KAnonymity, Requirement
from bkpriv_core.table.groups import Groups

__all__ = ["Microaggregate"]


class Microaggregate(GroupMethod[GroupOptions]):
    """Groups by `microaggregate`, generalized; other requirements are left to certification."""

    name = "microaggregate"
    form = Generalized()
    options = GroupOptions
    draws = True

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: GroupOptions
    ) -> None:
        """Refuse what cannot be met; see `Method.check`."""
        _size(requirements)
        super().check(threat, requirements, options)

    def partition(
        self,
        job: Job[GroupOptions],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        parts, groups = microaggregate(
            job.threat.parts, _size(job.requirements), job.chance, progress=job.progress
        )
        parts, groups = parts.unite(groups)
        return job.threat.over(parts), groups, self.form


def _size(requirements: Sequence[Requirement]) -> int:
    """Number of records that each group is to have."""
    stated = [item.k for item in requirements if isinstance(item, KAnonymity)]
    if not stated:
        raise InvalidParameter(
            "method microaggregate needs the requirement k_anonymity",
            detail="Its k says how many records each group has.",
            hint='Add for example {"k_anonymity": {"k": 5}} to the policy.',
        )
    return max(stated)
