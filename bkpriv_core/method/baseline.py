"""Baseline: the same table published k-anonymously and no more, which a release's loss is held to.

What a release loses is the price of two things: that nobody is alone, which nearly everybody asks
for, and whatever else its policy requires. The baseline tells them apart. Rules:

- It is made of the whole table, the records that the release suppressed among them, by the same
  method with the same options; by another only where k-anonymity alone means nothing to the method,
  see `GroupMethod.plain`.
- k is that of the policy. Where the policy states none, it is the number of records of the smallest
  published group: the k that the release attains.
- It depends on nothing random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method.base import GroupMethod, Job, OfGroups
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import KAnonymity, Requirement
from bkpriv_core.table.chance import SeededChance

__all__ = ["k_anonymous"]


def k_anonymous(
    release: Release,
    requirements: Sequence[Requirement],
    method: GroupMethod[OfGroups],
    options: OfGroups,
    progress: Progress = SILENT,
) -> Release:
    """Publish a release's table k-anonymously and no more.

    Raises:
        UnattainableRequirement: If the table cannot be published so, which does not happen where
            the release was.
    """
    stated = [item.k for item in requirements if isinstance(item, KAnonymity)]
    k = stated[0] if stated else int(release.sizes.min())
    plain = method.plain
    if not isinstance(options, plain.options):
        shared = {key.name: getattr(options, key.name) for key in fields(GroupOptions)}
        options = plain.options(**shared)
    baseline, _ = plain.certified(
        Job(
            ThreatModel(release.table, progress=progress.quiet),
            (KAnonymity(k),),
            options,
            # Nobody sees its numbers of groups, which may tell of the making.
            SeededChance(0),
            progress=progress.quiet,
        ),
    )
    return baseline
