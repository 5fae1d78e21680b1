"""(c,k)-safety (Martin, Kifer, Machanavajjhala, Gehrke, Halpern 2007).

An adversary who knows any k implications about the persons of a release gives any value of any
person a probability below c. The figure of a group is the maximum disclosure of its own persons,
helped by implications about all groups; see `bkpriv_core.implication`.

Where people are told of by several columns, implications are about one of them at a time, or about
combinations as one value (`joint`); those from one column to another are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import TableRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups, IntArray

if TYPE_CHECKING:
    from bkpriv_core.implication import Buckets

__all__ = ["CkSafety"]


@dataclass(frozen=True)
class CkSafety(TableRequirement):
    """Maximum disclosure below `c` against any `k` implications."""

    c: Annotated[float, Range(above=0, at_most=1)]
    k: Annotated[int, Range(at_least=0)]
    key: ClassVar[str] = "ck_safety"
    cost: ClassVar[int] = 2
    monotone = True

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the maximum disclosure."""
        parameters = {"c": self.c, "k": self.k, **self.sight.parameters}
        return (Bound(self.key, parameters, self.c, upper=True, strict=True),)

    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Maximum disclosure of each group's persons; the groups must be all that are published."""
        buckets = _buckets(self.k, threat)
        buckets.add(histograms)
        return buckets.figures(histograms)

    def by_itself(self, threat: ThreatModel, histograms: IntArray) -> FloatArray:
        """Maximum disclosure of each group's persons by implications about them alone."""
        return _buckets(self.k, threat).by_themselves(histograms)

    def satisfied(
        self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
    ) -> BoolArray:
        """Mark groups that are safe together, without those that disclose most by themselves.

        One group that is certain helps to disclose all others; so the groups are not judged by
        their figures, but left out one by one from the most to the least disclosing until the rest
        is safe. Fewer might sometimes do.
        """
        buckets = _buckets(self.k, threat)
        return buckets.safe_subset(self.seen(threat).parts.histograms(groups), self.c)

    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Blame the most frequent value of the group, which is the one disclosed."""
        return shares

    def keeper(self, threat: ThreatModel, groups: Groups) -> _Keeper:
        """Keep a partition that is safe."""
        return _Keeper(threat, self, groups)


class _Keeper:
    """See `Keeper`."""

    def __init__(self, threat: ThreatModel, safety: CkSafety, groups: Groups) -> None:
        self._parts = safety.seen(threat).parts
        self._c = safety.c
        self._buckets = _buckets(safety.k, threat)
        self._buckets.add(self._parts.histograms(groups))

    def split(self, parents: Groups, halves: Groups) -> BoolArray:
        histograms = self._parts.histograms
        return self._buckets.split(histograms(parents), histograms(halves), self._c)

    def exchange(self, before: Groups, after: Groups) -> bool:
        histograms = self._parts.histograms
        return self._buckets.exchange(histograms(before), histograms(after), self._c)


def _buckets(k: int, threat: ThreatModel) -> Buckets:
    """Buckets of who knows k implications; few policies bound those."""
    from bkpriv_core.implication import Buckets

    return Buckets(k, threat.progress)
