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
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, Job, Made, Make, Method, OfGroups
from bkpriv_core.method.growing import Growth, grouped, make_grown
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.partition.judging import Judge
from bkpriv_core.partition.together import certify_together, known_groups
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, alone_and_joint
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.together.earlier import Earlier

__all__ = ["layered"]

_GROWN = 'Publish with the option {"grow": true}, which keeps the groups that were published'
_WARNED = 'State the policy with {"overlap": "warn"}, and audit_together says what all tell'


def layered(method: Method[Any], growth: Growth, earlier: Earlier | None = None) -> Make:
    """Wrap a method in what a release is made by beside it, from within.

    Args:
        growth: Part of the last release that stays, if the release grows; and its people.
        earlier: Earlier releases that the release is certified together with; its people are known.
    """
    make: Make = method.make
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
    earlier: Earlier,
    job: Job[OfGroups],
) -> Made:
    """Begin a release with groups that earlier ones tell; see `bkpriv_core.partition.together`.

    Returns:
        Release that is yet to be mended by `make_together`: not all of its groups need hold.
    """
    setting = job.setting.over(respondents.apart(job.setting.table))
    known = known_groups(_judge(setting, job.requirements, job.options), earlier)
    labels = known.labels(len(setting.parts))
    coming = labels == SUPPRESSED
    labels, _ = grouped(method, labels, coming, replace(job, setting=setting))
    return Made(Release(setting.parts, Groups.from_labels(labels), method.form), [])


def make_together(
    make: Make,
    respondents: Respondents,
    earlier: Earlier,
    job: Job[GroupOptions],
) -> Made:
    """Mend a release so that nobody is exposed whom earlier releases did not expose.

    Returns:
        The parts of the release tell respondents apart.

    Raises:
        UnattainableRequirement: If nothing is left to publish.
    """
    made = make(job).release
    parts = respondents.apart(made.table)
    groups = Groups.from_labels(made.labels[respondents.places(made.parts, job.chance)])
    setting = job.setting.over(parts)
    mended = certify_together(
        _judge(setting, job.requirements, job.options),
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
    measurements = [item.measure(setting, groups, estimator) for item in job.requirements]
    rows = findings(setting, groups, job.requirements, measurements)
    return Made(Release(parts, groups, made.form), rows, mended)


def _judge(setting: Setting, requirements: Sequence[Requirement], options: GroupOptions) -> Judge:
    """Judge of the groups that hold by themselves."""
    alone, _ = alone_and_joint(requirements)
    beyond = options.beyond == "estimate"
    return Judge(setting.tried(), alone, options.estimator, beyond=beyond)
