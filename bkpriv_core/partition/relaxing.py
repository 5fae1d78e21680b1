"""Relaxing: records that no group takes are published in groups that meet less.

A reader who knows who is in a table sees who was left out, and may ask why (Riboni, Pareschi,
Bettini 2012, section 6.3). So records that a policy leaves over can be published all the same, by
requirements that are loosened in steps until all are grouped: k falls to 2, t rises to 1 and j to
the largest possible divergence, each by the same share of its way at every step. Other requirements
are not loosened. Rules:

- In every step groups of the remaining records are grown along the given order, see `growth`, and
  measured as they will be published. Groups that meet the requirements of the step are final.
- A group that a reader could not tell from another one is united with it, also if the other meets
  the policy. It is made only if the union meets the requirements of the step.
- What no step groups is left out.

Groups are then measured against the policy as it was stated. So an audit tells how many records are
in groups that break it, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.certification import Beyond, Certificate, Pool
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.growth import grow
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray

__all__ = ["relax"]

_STEPS = 10
"""Number of steps in which requirements are loosened to the last."""


def relax(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    certificate: Certificate,
    order: IntArray,
    estimator: Estimator,
    *,
    pool: Pool,
    beyond: Beyond = "estimate",
    progress: Progress = SILENT,
) -> Certificate:
    """Group what is left over by requirements that are loosened as far as it takes.

    Args:
        threat: The table and its adversaries, for groups that are only tried.
        requirements: Requirements that groups should meet.
        certificate: Groups that do, of the setting's parts.
        order: Shape (q,). The parts that are in none, near ones near to each other.
        pool: Joins groups that will be published alike; see `Form.pool`.
        beyond: Whether a group is published that only an estimate says to hold.
        progress: Receives the share of steps.

    Returns:
        Certificate whose groups may break requirements, as its measurements tell.
    """
    values, groups = threat.table.sensitive.size, certificate.groups
    for step in range(1, _STEPS + 1):
        order = order[~np.isin(order, groups.members)]
        if not order.size:
            break
        progress.report((step - 1) / _STEPS)
        loosened = [item.loosened(step / _STEPS, values) for item in requirements]
        made = grow(threat, loosened, order, progress=progress.quiet)
        if not len(made):
            continue
        alone, joint = alone_and_joint(loosened)
        judge = Evaluator(threat, alone, estimator, beyond=beyond == "estimate")
        more = _joined(judge, groups, made, pool)
        if satisfied(joint, threat, more).all():
            groups = more
    progress.report(1.0)
    parts, groups = threat.parts.unite(groups)
    threat = threat.over(parts)
    return Certificate(
        parts,
        groups,
        np.flatnonzero(groups.labels(len(parts)) == SUPPRESSED),
        tuple(item.measure(threat, groups, estimator) for item in requirements),
        failed=certificate.failed,
    )


def _joined(judge: Evaluator, groups: Groups, made: Groups, pool: Pool) -> Groups:
    """Groups, and those of what was made that hold, with all that are alike to a reader."""
    together = Groups.joined([groups, made])
    parts = judge.threat.parts
    pooled = pool(parts, together)
    into = pooled.labels(len(parts))[together.members[together.offsets[:-1]]]
    new = np.unique(into[len(groups) :])
    kept = new[judge.met(judge.measured_somehow(pooled.select(new)))]
    apart = ~np.isin(into[: len(groups)], kept)
    return Groups.joined([groups.select(apart), pooled.select(kept)])
