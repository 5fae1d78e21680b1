"""What a method made, beside earlier releases: certified together with what those told.

A method groups records; whose they are is settled here, since whoever holds several releases knows
people by their groups in each. Of records that are alike, it is drawn by lot whose is in which
group, and those are judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_core.audit import Finding, findings
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, GroupOptions, OfGroups
from bkpriv_core.method.growing import grouped
from bkpriv_core.partition.judging import Judge
from bkpriv_core.partition.together import Mended, certify_together, known_groups
from bkpriv_core.progress import Progress
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, alone_and_joint
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.together.earlier import Earlier

__all__ = ["begin_again", "make_together"]

_GROWN = 'Publish with the option {"grow": true}, which keeps the groups that were published'
_WARNED = 'State the policy with {"overlap": "warn"}, and audit_together says what all tell'


def begin_again(
    method: GroupMethod[OfGroups],
    respondents: Respondents,
    earlier: Earlier,
    setting: Setting,
    requirements: Sequence[Requirement],
    options: OfGroups,
    chance: Chance,
    progress: Progress,
) -> Release:
    """Begin a release with groups that earlier ones tell; see `bkpriv_core.partition.together`.

    Parameters
    ----------
    method : GroupMethod
        What groups all others.
    respondents : Respondents
        Those of the table.
    earlier : Earlier
        What was published before.
    setting, requirements, options, chance, progress
        See `Method.make`.

    Returns
    -------
    Release
        It is yet to be mended by `make_together`: not all of its groups need hold.
    """
    setting = setting.over(respondents.apart(setting.table))
    known = known_groups(_judge(setting, requirements, options), earlier)
    labels = known.labels(len(setting.parts))
    coming = labels == SUPPRESSED
    labels, _ = grouped(method, labels, coming, setting, requirements, options, chance, progress)
    return Release(setting.parts, Groups.from_labels(labels), method.form)


def make_together(
    made: Release,
    respondents: Respondents,
    earlier: Earlier,
    setting: Setting,
    requirements: Sequence[Requirement],
    options: GroupOptions,
    chance: Chance,
    progress: Progress,
) -> tuple[Release, list[Finding], Mended]:
    """Mend a release so that nobody is exposed whom earlier releases did not expose.

    Parameters
    ----------
    made : Release
        What the method made, or began with.
    respondents : Respondents
        Those of its table.
    earlier : Earlier
        What was published before.
    setting : Setting
        The table and its adversaries.
    requirements, options, chance, progress
        See `Method.make`.

    Returns
    -------
    Release, list of Finding, Mended
        The release, whose parts tell respondents apart; how it keeps each bound by itself; and what
        it tells together with others.

    Raises
    ------
    UnattainableRequirement
        If nothing is left to publish.
    """
    parts = respondents.apart(made.table)
    groups = Groups.from_labels(made.labels[respondents.places(made.parts, chance)])
    setting = setting.over(parts)
    mended = certify_together(
        _judge(setting, requirements, options),
        groups,
        earlier,
        requirements,
        options.estimator,
        pool=made.form.pool,
        # What is generalized by whole columns has no unions that are.
        uniting=made.form.levels is None,
        grown=options.grow,
        progress=progress.step("judging releases together"),
    )
    groups = mended.groups
    if not len(groups):
        several = "releases" if len(earlier.releases) > 1 else "release"
        listed = ", ".join(map(str, earlier.releases))
        raise UnattainableRequirement(
            "nothing can be published beside earlier releases",
            detail=f"Together with {several} {listed} "
            "every group exposes somebody, and so do their unions.",
            # What grows has one value of each person.
            hint=f"{_WARNED}."
            if isinstance(made.table.sensitive, Combination)
            else f"{_GROWN}. {_WARNED}.",
        )
    groups = groups.select(chance.order(len(groups)))
    # What was kept may be too large for exact inference.
    estimator = "auto" if options.grow and options.estimator == "exact" else options.estimator
    measurements = [item.measure(setting, groups, estimator) for item in requirements]
    rows = findings(setting, groups, requirements, measurements)
    return Release(parts, groups, made.form), rows, mended


def _judge(setting: Setting, requirements: Sequence[Requirement], options: GroupOptions) -> Judge:
    """What says which groups hold by themselves."""
    alone, _ = alone_and_joint(requirements)
    beyond = options.beyond == "estimate"
    return Judge(setting.tried(), alone, options.estimator, beyond=beyond)
