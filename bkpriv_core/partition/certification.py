"""Certification: no group is published whose disclosure was not inferred, or breaks a bound.

Partitioning judges thousands of candidate groups and does so by omega, which may understate what
an adversary learns. So the finished partition is measured once more, with the policy's estimator.
Groups that break a requirement are mended (`bkpriv_core.partition.repair`), or, where nothing
helps, *suppressed*: their records are not published. Then detail is won back where the policy bears
it (`bkpriv_core.partition.improvement`). Every group of the outcome was measured with the estimator
and met every bound.

Rules:

- Groups that come to be published alike are one group to a reader, and are measured as one; so are
  parts of a cell that come to lie in one group. Such a group is mended by unions only, lest it be
  cut into the same again.
- Where everything would be suppressed, the whole table is one group if that holds: when a policy is
  no stricter than that, something can be published.
- Requirements on all groups together are judged last, on what is left, and groups are suppressed
  until the rest meets them. Neither mending nor suppression make such a requirement fail, so this
  does not happen to a partition that met it.

Suppression does not change priors: the adversary's knowledge is that of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.evaluation import Evaluator, Measured
from bkpriv_core.partition.improvement import improve
from bkpriv_core.partition.repair import repair
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import (
    Measurement,
    Requirement,
    TableRequirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Beyond", "Certificate", "Pool", "certify"]

Pool = Callable[[Parts, Groups], Groups]
"""Function that joins groups of parts that a reader cannot tell apart."""

Beyond = Literal["estimate", "suppress"]
"""Treatment of groups beyond the budget of exact inference for which no others are found."""

_MEASURED = 0.3
"""Share of certifying at which the partition is measured."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """A partition whose every group met every requirement under the estimator.

    If it was relaxed some groups may not; see `bkpriv_core.partition.relaxing`.
    """

    parts: Parts
    """The parts of cells that were given, or those united that came to lie in one group."""
    groups: Groups
    suppressed: IntArray
    """Shape (s,). Parts whose records are not published."""
    measurements: tuple[Measurement, ...]
    """Measurements, one per requirement, over `groups`."""
    failed: int
    """Groups that broke a requirement."""

    def reordered(self, order: IntArray) -> Certificate:
        """Give the groups other numbers: group ``i`` is then the former ``order[i]``."""
        memberships = Groups(np.arange(len(self.groups.members)), self.groups.offsets)
        members = memberships.select(order).members
        return replace(
            self,
            groups=self.groups.select(order),
            measurements=tuple(item.select(order, members) for item in self.measurements),
        )


def certify(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    groups: Groups,
    estimator: Estimator,
    *,
    pool: Pool,
    beyond: Beyond = "estimate",
    rearranging: bool = True,
    improving: bool = False,
    progress: Progress = SILENT,
) -> Certificate:
    """Measure a partition, mend the groups that break a requirement, and win detail back.

    Args:
        requirements: Requirements that every published group must meet.
        pool: Joins groups that will be published alike; see `Form.pool`.
        beyond: Whether a group is published that only an estimate says to hold, where none that is
            inferred exactly takes its place.
        rearranging: Whether groups that fail may be mended by others than unions.
        improving: Whether groups that hold may be exchanged for others that lose less detail.
        progress: Has the steps certifying and, where something is improved, improving.
    """
    alone, joint = alone_and_joint(requirements)
    judge = Evaluator(threat, alone, estimator, beyond=beyond == "estimate")
    groups = pool(threat.parts, groups)
    failed, state = 0, None
    while True:
        threat = judge.threat
        certifying = progress.step("certifying")
        measuring = certifying.part(0.0, _MEASURED)
        if state is None:
            state = judge.measure(groups, measuring)
        else:
            state = judge.measured_again(groups, state)
        met = judge.met(state)
        failed += int((~met).sum())
        keepers = [item.keeper(threat, groups.select(met)) for item in joint]
        mending = certifying.part(_MEASURED, 1.0)
        state, met = repair(judge, state, met, keepers, rearranging=rearranging, progress=mending)
        state = state.select(met)
        if improving:
            state = improve(judge, state, keepers, progress.step("improving"))
        # Exchanges may make two groups alike to a reader; then they are one, and measured as one.
        # Or they bring parts of a cell together.
        parts, groups = threat.parts.unite(pool(threat.parts, state.groups))
        if parts is threat.parts and len(groups) == len(state.groups):
            break
        rearranging = improving = False
        if parts is not threat.parts:
            judge, state = judge.over(parts), None
    if not len(state.groups):
        parts, whole = threat.parts.unite(Groups.whole(len(threat.parts)))
        judge = judge.over(parts)
        threat = judge.threat
        state = _as_one(judge, whole)
    met = satisfied(joint, threat, state.groups, estimator)
    state = state.select(met)
    parts, groups = threat.parts.unite(state.groups)
    if parts is not threat.parts:  # Groups that are given up may have shared a cell.
        judge = judge.over(parts)
        threat, state = judge.threat, judge.measure(groups)
    state = judge.sharpened(state)
    together = [item.measure(threat, state.groups, estimator) for item in joint]
    singly, jointly = iter(state.measurements), iter(together)
    suppressed = np.flatnonzero(state.groups.labels(len(threat.parts)) == SUPPRESSED)
    return Certificate(
        threat.parts,
        state.groups,
        suppressed,
        tuple(
            next(jointly if isinstance(item, TableRequirement) else singly) for item in requirements
        ),
        failed=failed + int((~met).sum()),
    )


def _as_one(judge: Evaluator, whole: Groups) -> Measured:
    """The table as one group, if that holds and was inferred well enough; else no group."""
    state = judge.measured_somehow(whole)
    return state.select(judge.met(state))
