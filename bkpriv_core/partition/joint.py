"""Joint requirements where groups are formed one by one: each is held to what it does by itself.

A requirement on all groups together, such as (c,k)-safety, is broken by any group that breaks it by
itself. If groups that do not break it so are not safe together, all are formed anew, to disclose
less by themselves than the least of those that would have to be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement import (
    Bound,
    CountedRequirement,
    Requirement,
    TableRequirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["formed_together"]

_TIGHTENED = 16
"""Limit of how often all groups are formed anew."""


@dataclass(frozen=True)
class _ByItself(CountedRequirement):
    """A bound of a joint requirement on each group as if it were all that is published."""

    joint: TableRequirement
    bound: Bound
    cost: ClassVar[int] = 1_000

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bound."""
        return (self.bound,)

    def counts(self, threat: ThreatModel) -> IntArray:
        """Counts of the joint requirement."""
        return self.joint.counts(threat)

    def figures(self, threat: ThreatModel, histograms: IntArray) -> FloatArray:
        """Measure what each group discloses by itself."""
        return self.joint.by_itself(threat, histograms)

    def tightened(self, threat: ThreatModel, groups: Groups) -> _ByItself:
        """Bound what is less than the least of some groups."""
        least = float(self.figures(threat, self.histograms(threat, groups)).min())
        return replace(self, bound=replace(self.bound, threshold=least, strict=True))


def formed_together(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    form: Callable[[Sequence[Requirement]], Groups],
) -> Groups:
    """Form groups that meet all requirements, those on all groups together among them.

    Args:
        threat: The table and its adversaries; beliefs are estimated by omega.
        form: Forms groups that meet requirements by themselves; called with ever stricter ones, as
            long as the groups do not meet all requirements together.
    """
    alone, joint = alone_and_joint(requirements)
    by_themselves = [_ByItself(item, bound) for item in joint for bound in item.bounds]
    for _ in range(_TIGHTENED):
        groups = form([*alone, *by_themselves])
        met = satisfied(joint, threat, groups)
        if met.all():
            break
        left_out = groups.select(~met)
        by_themselves = [item.tightened(threat, left_out) for item in by_themselves]
    return groups
