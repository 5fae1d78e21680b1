"""Common part of methods that gather groups from single records, and leave some over.

Records are told apart, since what is believed of them may be. Groups are *gathered*, which is each
method's own, at once or in several steps. After each of them those groups are made one, or given
up, that a reader could not tell from one another, and what is left over is inserted where it can
be. Last, what lies together in a group is united.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method.base import GroupMethod, Job, OfGroups
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.insertion import insert, told_from_others
from bkpriv_core.progress import Progress
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["Gathered", "GatheringMethod"]

_FORMED = 0.7
"""Share of the progress of a step at which groups are formed; the rest is inserting."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """Formation of groups of some of a setting's parts."""

    steps: Sequence[Callable[[Groups, Progress], Groups]]
    """Steps, each of which forms groups of parts that are not yet in groups, given those that
    are.
    """
    order: IntArray
    """Shape (p,). All parts, near ones near to each other: those that are left over are inserted in
    that order, and mended as its runs.
    """
    requirements: Sequence[Requirement]
    """Requirements that groups must meet to take up what is left over: the policy's, or what is
    sufficient.
    """
    kin: IntArray | None = None
    """Shape (p,). See `insert`."""


class GatheringMethod(GroupMethod[OfGroups]):
    """A way to make a release of groups that are gathered from records; see the module."""

    form: Form = Generalized()
    tells_apart = True
    draws = True

    @abstractmethod
    def gather(
        self,
        job: Job[OfGroups],
    ) -> Gathered:
        """Say how groups that meet the requirements are formed of the parts, all told apart."""

    def partition(
        self,
        job: Job[OfGroups],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`.

        What is left over is in none, or is to be mended where groups are improved.
        """
        threat = job.threat
        parts = threat.parts
        if parts.respondent is None:
            parts = parts.apart()
            threat = threat.over(parts)
        gathered = self.gather(replace(job, threat=threat))
        alone, joint = alone_and_joint(gathered.requirements)
        judge = Evaluator(threat, alone, "omega")
        groups = Groups.joined([])
        for number, form in enumerate(gathered.steps):
            begun, ended = (place / len(gathered.steps) for place in (number, number + 1))
            step = job.progress.part(begun, ended)
            more = told_from_others(
                judge,
                Groups.joined([groups, form(groups, step.part(0.0, _FORMED))]),
                self.form.pool,
            )
            if joint and len(groups) and not satisfied(joint, threat, more).all():
                break
            groups = insert(
                judge,
                joint,
                more,
                Groups.from_rows(gathered.order[~np.isin(gathered.order, more.members)]),
                pool=self.form.pool,
                kin=gathered.kin,
                progress=step.part(_FORMED, 1.0),
            )
        if job.options.improves:
            groups = Groups.joined([groups, _left_over(groups, gathered.order)])
        parts, groups = parts.unite(groups)
        return (threat if parts is threat.parts else threat.over(parts)), groups, self.form


def _left_over(groups: Groups, order: IntArray) -> Groups:
    """Runs of the order that are in no group."""
    left = ~np.isin(order, groups.members)
    runs = np.cumsum(np.diff(left, prepend=False))
    _, owner = np.unique(runs[left], return_inverse=True)
    along = Groups.from_labels(owner)
    return Groups(order[left][along.members], along.offsets)
