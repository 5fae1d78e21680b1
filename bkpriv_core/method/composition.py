"""Releases certified beside earlier ones: a method's groups, and what earlier releases told.

A method groups records. This module decides whose they are, since a reader of several releases
knows people by their groups in each. Among records that are alike, a lot decides whose record is in
which group, and these groups are judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bkpriv_core.audit import findings
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, Job, Method, OfGroups, ReleaseMaker, Result
from bkpriv_core.method.growing import IncrementalPopulation, grouped, make_grown
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.partition.composition import certify_together, known_groups
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, alone_and_joint
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.respondent import Respondents

__all__ = ["layered"]

_GROWN = 'Publish with the option {"grow": true}, which keeps the groups that were published'
_WARNED = 'State the policy with {"overlap": "warn"}, and audit_together says what all tell'


def layered(
    method: Method[Any], growth: IncrementalPopulation, earlier: PriorReleases | None = None
) -> ReleaseMaker:
    """Wrap a method in what a release is made by beside it, from within.

    Args:
        growth: Part of the last release that stays, if the release grows; and its people.
        earlier: Earlier releases that the release is certified together with; its people are known.
    """
    make: ReleaseMaker = method.make
    if not isinstance(method, GroupMethod):
        return make
    if growth.grows:
        make = partial(make_grown, method, growth)
    if earlier is not None:
        if not growth.grows and method.rearranging:
            make = partial(begin_again, method, growth.respondents, earlier)
        make = partial(make_together, make, growth.respondents, earlier)
    return make


def begin_again(
    method: GroupMethod[OfGroups],
    respondents: Respondents,
    earlier: PriorReleases,
    job: Job[OfGroups],
) -> Result:
    """Begin a release with groups that earlier ones tell; see `bkpriv_core.partition.composition`.

    Returns:
        Release that is yet to be mended by `make_together`: not all of its groups need hold.
    """
    threat = job.threat.over(respondents.apart(job.threat.table))
    known = known_groups(_judge(threat, job.requirements, job.options), earlier)
    labels = known.labels(len(threat.parts))
    coming = labels == SUPPRESSED
    labels, _ = grouped(method, labels, coming, replace(job, threat=threat))
    return Result(Release(threat.parts, Groups.from_labels(labels), method.form), [])


def make_together(
    make: ReleaseMaker,
    respondents: Respondents,
    earlier: PriorReleases,
    job: Job[GroupOptions],
) -> Result:
    """Mend a release so that nobody is exposed whom earlier releases did not expose.

    Returns:
        The parts of the release tell respondents apart.

    Raises:
        UnattainableRequirement: If nothing is left to publish.
    """
    made = make(job).release
    parts = respondents.apart(made.table)
    groups = Groups.from_labels(made.labels[respondents.places(made.parts, job.chance)])
    threat = job.threat.over(parts)
    mended = certify_together(
        _judge(threat, job.requirements, job.options),
        groups,
        earlier,
        job.requirements,
        estimator=job.options.estimator,
        pool=made.form.pool,
        # What is generalized by whole columns has no unions that are.
        uniting=made.form.levels is None,
        grown=job.options.grow,
        progress=job.progress.step("judging releases together"),
    )
    groups = mended.groups
    if not len(groups):
        several = "releases" if len(earlier.releases) > 1 else "release"
        listed = ", ".join(map(str, earlier.releases))
        raise UnattainableRequirement(
            "nothing can be published beside earlier releases",
            detail=f"Together with {several} {listed} "
            "every group exposes somebody, and so do their unions.",
            hint=f"{_GROWN}. {_WARNED}.",
        )
    groups = groups.select(job.chance.order(len(groups)))
    # What was kept may be too large for exact inference.
    estimator = (
        "auto" if job.options.grow and job.options.estimator == "exact" else job.options.estimator
    )
    measurements = [item.measure(threat, groups, estimator) for item in job.requirements]
    rows = findings(threat, groups, job.requirements, measurements)
    return Result(Release(parts, groups, made.form), rows, mended)


def _judge(
    threat: ThreatModel, requirements: Sequence[Requirement], options: GroupOptions
) -> Evaluator:
    """Judge of the groups that hold by themselves."""
    alone, _ = alone_and_joint(requirements)
    beyond = options.beyond == "estimate"
    return Evaluator(threat.tried(), alone, options.estimator, beyond=beyond)
