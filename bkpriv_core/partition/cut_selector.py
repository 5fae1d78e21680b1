"""Sieve: of many cuts of groups those are kept whose halves may be published, and the best taken.

The cheapest requirements, on counts, see all cuts; of those they let pass the ones are tried by
inference, and together with all other groups, that leave the records the least penalty. A record
that a cut leaves out counts as one of which nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.cutting import Cuts
from bkpriv_core.partition.neighbours import losses
from bkpriv_core.requirement import CountedRequirement, Keeper, Requirement, alone_and_joint
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["CutSelector", "FindCuts", "cut_cheapest"]

FindCuts = Callable[[Parts, Groups, IntArray], Cuts]
"""Function that of groups, each in one way, such as along a dimension: the groups stand there once
for each way. Halves need not be all of a group; what is in neither is left out."""

_TRIED = 128
"""Limit of a group's cuts, along all dimensions, that are tried by inference or all together."""

_LEFT_OUT = 1.0
"""Penalty of a record that is left out: nothing is told of it."""

_SAVED = 1e-9
"""Least saving of a cut, as rounding may pretend that it saves."""

_AT_ONCE = 4_000_000
"""Memberships times sensitive values that are judged at a time."""


@dataclass(frozen=True, eq=False)
class CutSelector:
    """Requirements on cuts: on their halves' counts, by inference, and on all groups together."""

    threat: ThreatModel
    counted: Sequence[CountedRequirement]
    inferred: Sequence[Requirement]
    keepers: Sequence[Keeper]

    @classmethod
    def of(
        cls, threat: ThreatModel, requirements: Sequence[Requirement], groups: Groups
    ) -> CutSelector:
        """Sift cuts of groups, and of what they are cut into."""
        alone, joint = alone_and_joint(requirements)
        # Halves of a group that meets what is hereditary do, and of one that does not, need not.
        alone = sorted((i for i in alone if not i.hereditary), key=lambda item: item.cost)
        return cls(
            threat,
            [item for item in alone if isinstance(item, CountedRequirement)],
            [item for item in alone if not isinstance(item, CountedRequirement)],
            [item.keeper(threat, groups) for item in joint],
        )

    def count(self, cuts: Cuts) -> Cuts:
        """Keep the cuts whose halves meet what counts decide, or need not."""
        for requirement in self.counted:
            histograms = cuts.histograms(requirement.counts(self.threat))
            met = requirement.met(self.threat, histograms)
            fit = met[0::2] & met[1::2]
            if not requirement.coarse:
                fit |= ~requirement.met(self.threat, histograms[0::2] + histograms[1::2])
            cuts = cuts.select(fit)
        return cuts

    def infer(self, cuts: Cuts) -> Cuts:
        """Keep the cuts whose halves meet what is inferred, by omega."""
        size = _AT_ONCE // self.threat.table.sensitive.size
        for requirement in self.inferred:
            halves = (chunk.halves() for chunk in cuts.chunks(size))
            met = [requirement.satisfied(self.threat, some) for some in halves]
            flat = np.concatenate([np.zeros(0, dtype=bool), *met])
            cuts = cuts.select(flat[0::2] & flat[1::2])
        return cuts

    def split(self, cuts: Cuts, groups: IntArray) -> Cuts:
        """Take of each group the first cut that all keepers let pass; `groups` says whose it is."""
        taken = [np.zeros(0, dtype=np.int64)]
        waiting = np.arange(len(cuts))
        while waiting.size:
            _, first = np.unique(groups[waiting], return_index=True)
            tried = waiting[first]
            for place, keeper in enumerate(self.keepers):
                some = cuts.select(tried)
                split = keeper.split(some.groups.select(some.parents), some.halves())
                if not split.all():
                    refused = some.select(np.flatnonzero(~split))
                    parents = refused.groups.select(refused.parents)
                    for other in self.keepers[
                        :place
                    ]:  # Joining groups never breaks what they keep.
                        other.exchange(refused.halves(), parents)
                tried = tried[split]
            taken.append(tried)
            waiting = np.delete(waiting, first)
            waiting = waiting[~np.isin(groups[waiting], groups[tried])]
        return cuts.select(np.concatenate(taken))


def cut_cheapest(
    sieve: CutSelector, groups: Groups, find: FindCuts, ways: int
) -> tuple[Groups, Groups]:
    """Cut groups in whatever way leaves the least penalty.

    Args:
        sieve: Requirements that halves must meet.
        find: Finds the cuts among which to choose.
        ways: Number of ways in which each group is to be cut.

    Returns:
        Halves of those that could be cut so that anything is saved, and those that could not.
    """
    parts = sieve.threat.parts
    sizes, lost = parts.sizes(groups), losses(parts, groups)
    left = np.ones(len(groups), dtype=bool)
    halves: list[Groups] = []
    for first, last in groups.chunks(_AT_ONCE // (ways * parts.table.sensitive.size)):
        sieve.threat.progress.poll()
        whose = np.repeat(np.arange(first, last), ways)
        way = np.tile(np.arange(ways), last - first)
        cuts = sieve.count(find(parts, groups.select(whose), way))
        owner = whose[cuts.parents]
        left_out = sizes[owner] - parts.sizes(cuts.groups)[cuts.parents]
        penalties = _penalties(parts, cuts) + _LEFT_OUT * left_out
        saving = penalties < lost[owner] - _SAVED
        cuts, penalties = cuts.select(saving), penalties[saving]
        cuts = cuts.select(np.lexsort((penalties, whose[cuts.parents])))
        owner = whose[cuts.parents]
        if sieve.inferred or sieve.keepers:
            cuts = cuts.select(np.arange(len(cuts)) - np.searchsorted(owner, owner) < _TRIED)
            cuts = sieve.infer(cuts)
        cuts = sieve.split(cuts, whose[cuts.parents])
        halves.append(cuts.halves())
        left[whose[cuts.parents]] = False
    return Groups.joined(halves), groups.select(left)


def _penalties(parts: Parts, cuts: Cuts) -> FloatArray:
    """Certainty penalty of all records of the group of each cut, as they then are, shape (b,)."""
    penalties = [np.zeros(0)]
    for chunk in cuts.chunks(_AT_ONCE // len(parts.table.quasi_identifiers)):
        halves = chunk.halves()
        penalty = parts.sizes(halves) * parts.table.penalty(*parts.boxes(halves))
        penalties.append(penalty[0::2] + penalty[1::2])
    return np.concatenate(penalties)
