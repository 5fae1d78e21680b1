"""Requirements on sums over a group's records, such as how often each sensitive value occurs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Measurement, Requirement, Shift
from bkpriv_core.requirement.scope import ColumnRequirement
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups, IntArray

__all__ = [
    "CountedRequirement",
    "HistogramRequirement",
    "Keeper",
    "ShareRequirement",
    "TableRequirement",
    "alone_and_joint",
    "shares_of",
]

_ROWS = 256
"""Groups of one value each whose figures are found at a time."""


class CountedRequirement(Requirement):
    """A requirement on sums over a group's records, such as how many have each sensitive value.

    Its figures are exact, and groups need not be made to be judged.
    """

    def counts(self, threat: ThreatModel) -> IntArray:
        """Counts of each part, shape (p, x), that are added up in groups: of each value."""
        return threat.parts.counts

    @abstractmethod
    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Figures of groups with `histograms` of shape (g, x), shape (g,)."""

    def measure(
        self,
        threat: ThreatModel,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Measure the figures of `groups`; nothing is inferred."""
        return self._of_groups(groups, self.figures(threat, self.histograms(threat, groups)))

    def histograms(self, threat: ThreatModel, groups: Groups) -> IntArray:
        """Counts of each group, shape (g, x)."""
        sums: IntArray = groups.sum(self.counts(threat)[groups.members])
        return sums

    def met(self, threat: ThreatModel, histograms: IntArray) -> BoolArray:
        """Mark groups, of `histograms` of shape (g, x), that meet the bound, shape (g,)."""
        (bound,) = self.bounds
        return ~bound.broken(self.figures(threat, histograms))


class HistogramRequirement(CountedRequirement, ColumnRequirement):
    """A requirement on how often each sensitive value occurs in a group."""

    def counts(self, threat: ThreatModel) -> IntArray:
        """Records of each part with each value of what it is about; see `ThreatModel.counts`."""
        return self.seen(threat).counts

    @abstractmethod
    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Contribution of each value to the figure.

        Args:
            shares: Shape (g, m). Shares of the values in each group.
            overall: Shape (m,). Shares of the values in the table.

        Returns:
            Shape (g, m). Comparable within a group only.
        """

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the value whose share is at fault in one group; see `Requirement.explain`."""
        seen = self.seen(threat)
        (share,) = shares = seen.shares(self.histograms(threat, group))
        overall = seen.overall
        value = int(np.argmax(self.faults(shares, overall)))
        code, aspect = seen.told_as(value)
        return Shift(None, code, float(overall[value]), float(share[value]), aspect=aspect)


class ShareRequirement(HistogramRequirement):
    """A requirement on shares in a group, whatever its size.

    Of several releases it is about what who has no knowledge believes: of one, these are shares.
    """

    def most(self, threat: ThreatModel, progress: Progress = SILENT) -> list[float]:
        """See `Requirement`: those that are bounded from above are convex in the shares.

        So a group has the largest in which everybody has the same.
        """
        (bound,) = self.bounds
        there = np.flatnonzero(threat.table.counts.any(axis=0))
        if not bound.upper or bound.strict:
            return [np.inf]
        seen, size = self.seen(threat), threat.table.sensitive.size
        most = 0.0
        for start in range(0, len(there), _ROWS):
            progress.poll()
            alike = np.zeros((len(there[start : start + _ROWS]), size))
            alike[np.arange(len(alike)), there[start : start + _ROWS]] = 1.0
            most = max(most, float(self.figures(threat, seen.marginal(alike)).max()))
        return [most]

    @abstractmethod
    def figures(self, threat: ThreatModel, histograms: AnyArray) -> AnyArray:
        """Figures of groups with `histograms`, sums of `counts`, shape (g,).

        These may be shares as well as counts.
        """


class Keeper(Protocol):
    """Groups of a partition that meets a joint requirement, and goes on to meet it."""

    def split(self, parents: Groups, halves: Groups) -> BoolArray:
        """Split some of the groups, those first that come first.

        Args:
            parents: Groups that are to be split, ``g`` of them.
            halves: Groups ``2i`` and ``2i + 1`` are what group ``i`` of the parents would become.

        Returns:
            Shape (g,). Parents that were split; the others cannot be, now or later.
        """

    def exchange(self, before: Groups, after: Groups) -> bool:
        """Put groups in the place of some of the groups, unless that breaks the requirement.

        Returns:
            Whether it was done. Where the requirement is broken already, it is.
        """


class TableRequirement(HistogramRequirement):
    """A requirement whose figures depend on all groups that are published.

    `measure` must be given all of them. Candidates for groups cannot be judged apart from the rest,
    so a partitioning method that cuts groups has a `Keeper` split them. Joining groups, and leaving
    some out, must never raise a figure above the largest before.
    """

    @abstractmethod
    def by_itself(self, threat: ThreatModel, histograms: IntArray) -> FloatArray:
        """Figure of each group with `histograms`, (g, m), if it were all that is published.

        In a partition its figure is not below that.
        """

    @abstractmethod
    def keeper(self, threat: ThreatModel, groups: Groups) -> Keeper:
        """Keep a partition that meets the requirement."""


def alone_and_joint(
    requirements: Sequence[Requirement],
) -> tuple[list[Requirement], list[TableRequirement]]:
    """Separate requirements that groups meet one by one from those that they meet together."""
    alone = [item for item in requirements if not isinstance(item, TableRequirement)]
    return alone, [item for item in requirements if isinstance(item, TableRequirement)]


def shares_of(histograms: AnyArray) -> FloatArray:
    """Share of each value in groups with `histograms`, both of shape (g, m)."""
    shares: FloatArray = histograms / histograms.sum(axis=1, keepdims=True)
    return shares
