"""Agglomerate: groups grown from the cells up, by `bkpriv_core.partition.agglomeration`."""

from __future__ import annotations

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method.base import GroupMethod, Job
from bkpriv_core.method.options import RefinedOptions
from bkpriv_core.partition.agglomeration import agglomerate
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form
from bkpriv_core.table.groups import Groups

__all__ = ["Agglomerate"]


class Agglomerate(GroupMethod[RefinedOptions]):
    """Groups by `agglomerate`, generalized."""

    name = "agglomerate"
    form = Generalized()
    options = RefinedOptions

    def partition(
        self,
        job: Job[RefinedOptions],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        return (
            job.threat,
            agglomerate(job.threat, job.requirements, progress=job.progress),
            self.form,
        )
