"""k-anonymity primacy: within clusters, each group is made of the records nearest to one another.

The second stage of one of two algorithms of Amiri, Yazdani, Shakery and Chinaei (2016), of which
the details are ours. In each cluster a record is the *seed* of a group, and records join it,
nearest first, until the group meets every requirement. Rules:

- As near is as little as publishing the two as one costs; among equals as little as places are
  apart, see `neighbours.box_centres`.
- Beta-likeness allows a value so many records as are a share of the group. So the second-nearest
  record of a value *needs* a group of a certain size, the third one of a larger size, and one of a
  rare value a large group by itself. Those come first that need none larger than the seed, or k,
  asks for anyway, nearest first; then the others, by what they need. The group is the shortest
  prefix of that order that holds, see `prefix`.
- The seed is a record of those whose value needs the largest group, as that group takes the
  frequent values with it; of these that which is farthest from the last group's centre, at first
  from that of all. So groups are begun at the rim, and no frequent value is used up before the
  rare ones have found enough others.
- Where a seed needs a larger group than k, that loses detail for others. Where more is lost than
  records with its value are published, counting each as one of which nothing is told, it is left
  over, to be taken up by another group if that is large enough.
- A seed whose group never holds is left over likewise. So much is tried in vain as is in proportion
  to the number of parts; then the rest is left over.
- Large clusters are divided, in the order in which their parts stand, into blocks of bounded size,
  as a group takes the longer to form the more records there are to choose from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.joint import formed_together
from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.partition.prefix import Prefixes
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import BetaLikeness, KAnonymity, Requirement
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["Alike", "nearest_classes"]

_BLOCK = 4_096
"""Records of a cluster that groups are formed of together."""

_IN_VAIN = 64
"""Prefixes that are judged in vain, for each part of a block, before the rest is left over."""

_PRICE = 1.0
"""Penalty of a record that is left over: nothing is told of it."""


def nearest_classes(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    clusters: Groups,
    *,
    widest: float = 1.0,
    progress: Progress = SILENT,
) -> Groups:
    """Form groups within clusters that meet all requirements, beliefs estimated by omega.

    Args:
        threat: The table and its adversaries, all records told apart.
        requirements: Requirements that every group must meet, k-anonymity and beta-likeness among
            them.
        clusters: Clusters within which groups are formed, near parts near to each other; of equal
            ones those come first that stand first.
        widest: Certainty penalty of a group at most.
        progress: Receives the share of parts that are done with.

    Returns:
        Groups of parts; those that are left over are in none.
    """

    def form(alone: Sequence[Requirement]) -> Groups:
        work = _Nearest.of(threat, alone, widest)
        made: list[IntArray] = []
        done = 0
        for members in clusters:
            for block in np.array_split(members, -(-len(members) // _BLOCK)):
                made += work.classes(block)
                done += len(block)
                progress.report(done / len(clusters.members))
        progress.report(1.0)
        return Groups.from_lists(made)

    return formed_together(threat, requirements, form)


@dataclass(frozen=True, eq=False)
class Alike:
    """Demands of k-anonymity and beta-likeness on groups of single records.

    Of beta-likeness of several columns, or of persons with several values, it is less than they
    ask: that one column's rarest values of each are not too many. All are asked of what is formed.
    """

    k: int
    """Fewest records of a group."""
    likeness: BetaLikeness
    """Bound of the share of each value."""
    overall: FloatArray
    """Shape (m,). Share of each value in the table."""
    value: IntArray
    """Shape (p,). Value of each part's record; the rarest, of a person with several."""

    @classmethod
    def of(cls, threat: ThreatModel, requirements: Sequence[Requirement]) -> Alike:
        """Find out what requirements ask, among which the two must be."""
        k = max(item.k for item in requirements if isinstance(item, KAnonymity))
        likeness = next(item for item in requirements if isinstance(item, BetaLikeness))
        seen = likeness.seen(threat)
        overall = seen.overall
        has = seen.counts[:, : len(overall)] > 0
        return cls(k, likeness, overall, np.where(has, overall, np.inf).argmin(axis=1))

    @cached_property
    def caps(self) -> FloatArray:
        """Largest share that each value may have in a group, (m,)."""
        return self.likeness.caps(self.overall)

    def admitted(self, histograms: IntArray) -> IntArray:
        """See `BetaLikeness.admitted`."""
        return self.likeness.admitted(histograms, self.overall)

    def needs(self, values: IntArray, records: IntArray | int) -> IntArray:
        """Size of the smallest group that may have so many records with these values.

        It has at least k.
        """
        sizes: IntArray = np.ceil(records / self.caps[values]).astype(np.int64)
        return np.maximum(sizes, self.k)


@dataclass(frozen=True, eq=False)
class _Nearest:
    """Formation of groups; see the module."""

    threat: ThreatModel
    prefixes: Prefixes
    """Judge of prefixes: it tells where a group may end."""
    alike: Alike
    """Demands of k-anonymity and beta-likeness."""
    centres: FloatArray
    """Shape (p, d). Places of the parts."""
    widest: float
    """Certainty penalty of a group at most."""

    @classmethod
    def of(
        cls, threat: ThreatModel, requirements: Sequence[Requirement], widest: float
    ) -> _Nearest:
        """Prepare to form groups that meet requirements by themselves."""
        places = threat.parts.places
        return cls(
            threat,
            Prefixes.of(threat, requirements),
            Alike.of(threat, requirements),
            box_centres(threat.table, places, places),
            widest=widest,
        )

    def classes(self, block: IntArray) -> list[IntArray]:
        """Form groups of some parts until no other can be begun."""
        values, centres = self.alike.value[block], self.centres[block]
        # What a group must have that has one record with the value.
        needs = self.alike.needs(values, 1)
        free, seeds = np.ones(len(block), dtype=bool), np.ones(len(block), dtype=bool)
        centre = centres.mean(axis=0)
        made: list[IntArray] = []
        in_vain = 0
        while in_vain <= _IN_VAIN * len(block):
            self.threat.progress.poll()
            rest = np.flatnonzero(free)
            histogram = np.bincount(values[rest], minlength=len(self.alike.caps))
            most = int(self.alike.admitted(histogram[None, :]).sum())
            begun = rest[seeds[rest] & (needs[rest] <= most)]
            if not begun.size:
                break
            begun = begun[needs[begun] == needs[begun].max()]
            seed = begun[np.abs(centres[begun] - centre).sum(axis=1).argmax()]
            order, dear = self._around(block, rest, seed, needs)
            held, length = (False, 1) if dear else self.prefixes.shortest(block[order])
            chosen = order[:length]
            if held and self._penalty(block[chosen]) <= self.widest:
                made.append(block[chosen])
                free[chosen] = False
                centre = centres[chosen].mean(axis=0)
            else:
                seeds[seed] = False
                in_vain += length
        return made

    def _around(
        self, block: IntArray, rest: IntArray, seed: np.int64, needs: IntArray
    ) -> tuple[IntArray, bool]:
        """Put what is left of a block in the order in which it joins a seed.

        Returns:
            Shape (q,). The seed first.
            Whether the group that it asks for costs more than what is with its value is worth.
        """
        table = self.threat.table
        places, values = self.threat.parts.places[block], self.alike.value[block]
        cost = table.penalty(
            np.minimum(places[rest], places[seed]), np.maximum(places[rest], places[seed])
        )
        apart = np.abs(self.centres[block[rest]] - self.centres[block[seed]]).sum(axis=1)
        near = rest[np.lexsort((apart, cost, rest != seed))]
        place = np.arange(len(near))
        by_value = np.argsort(values[near], kind="stable")
        own = values[near][by_value]
        records = np.empty(len(near), dtype=np.int64)
        records[by_value] = place - np.searchsorted(own, own) + 1
        each = self.alike.needs(values[near], records)
        size = int(needs[seed])
        order = near[np.lexsort((place, np.maximum(each, size)))]
        k = self.alike.k
        if size == k:
            return order, False
        # What the seed's group loses for each record, and what the nearest would lose without it.
        with_it = self._penalty(block[order[:size]])
        without = self._penalty(block[near[np.lexsort((place, each))[:k]]])
        shared = int((values[order[:size]] == values[seed]).sum())
        return order, size * (with_it - without) > _PRICE * shared

    def _penalty(self, group: IntArray) -> float:
        """Certainty penalty of each record of a group."""
        places = self.threat.parts.places[group]
        low, high = places.min(axis=0, keepdims=True), places.max(axis=0, keepdims=True)
        return float(self.threat.table.penalty(low, high)[0])
