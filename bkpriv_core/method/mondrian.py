"""Mondrian: the table is cut top-down, and shown as the extents of groups or as buckets."""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method.base import GroupMethod, Job
from bkpriv_core.method.options import RefinedOptions
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form
from bkpriv_core.table.groups import Groups

__all__ = ["Bucketize", "Mondrian", "MondrianOptions"]


@dataclass(frozen=True, kw_only=True)
class MondrianOptions(RefinedOptions):
    """Options of the methods.

    Args:
        refine: Whether groups that no median cuts are cut elsewhere, and those that hold are
            improved. If not, they are those of LeFevre, DeWitt and Ramakrishnan, but for those that
            must be mended.
    """


class Mondrian(GroupMethod[MondrianOptions]):
    """Groups by `mondrian`, generalized."""

    name = "mondrian"
    form: Form = Generalized()
    options = MondrianOptions

    def partition(
        self,
        job: Job[MondrianOptions],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        groups = mondrian(
            job.threat, job.requirements, elsewhere=job.options.refine, progress=job.progress
        )
        return job.threat, groups, self.form


class Bucketize(Mondrian):
    """The same groups, bucketized."""

    name = "bucketize"
    form = Bucketized()
