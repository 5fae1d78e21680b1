"""Agglomeration: from the cells up, each group united with the neighbour that costs least.

Every part is a group to begin with. As long as groups fall short of the requirements, they are
united with near ones, in rounds over arrays; what grew larger than it must is cut again, as by
`mondrian`. Rules:

- What a group lacks is its *shortfall*, which is 0 where it meets the requirements. A requirement
  that holds in every group that contains one that meets it, as k-anonymity does, is lacking once in
  a group. Of any other, each record of a group lacks the share by which its figure is beyond the
  threshold, and a tenth, so that what is nearly met is not neglected. If there are several
  requirements, the largest shortfall counts.
- A union is ranked by its *price*: the loss of detail that it costs (see `neighbours`) for what it
  takes off the shortfall of its two groups. So a group is united with one that makes up for what it
  lacks, if that costs not much more, and two groups that are mended at once come before one.
- Only unions of a group that falls short with near groups are considered, of which the cheapest are
  measured. Where very many fall short, fewer near ones are considered of each. Unions are judged
  by sums of their groups' counts, and made only where something must be inferred.
- What a union of two groups lacks is measured once, in whichever round it is considered first.
- A group takes part in at most one union a round, and of the unions that do not exclude each other
  the lower-priced half is made: the others may find better ones in the next round.
- What large groups may break where small ones meet it, as they may a bound on divergence, is kept:
  no union is made that falls short of it by more than its two groups. So groups may be left that
  fall short, with no union to mend them.
- Requirements on all groups together, such as (c,k)-safety, hold of no partition with a group that
  breaks them by itself. So they are lacking in such groups; and once there are none, in those that
  would have to be left out for the rest to meet them: every group must then disclose less by itself
  than the least of these. Unions never raise such a figure above the largest before.

- Where groups come to have many parts, as under a bound that only large ones keep, those of
  `mondrian` are few cuts away, and taken if they lose less. That is so only of what sums decide:
  what is inferred of groups is judged otherwise in the end.

At least one union is made in a round, as long as one may be, so that in the end one group of the
whole table is left where nothing less meets the requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import cheapest_neighbours, losses
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Bound, CountedRequirement, Requirement, alone_and_joint
from bkpriv_core.table.groups import AnyArray, FloatArray, Groups, IntArray

__all__ = ["agglomerate"]

_NEAR = (8, 32)
"""Fewest and most near groups whose unions with one that falls short are considered."""

_CONSIDERED = 400_000
"""Unions that are considered in a round, unless the fewest of each group are more."""

_TRIED = 8
"""Limit of the unions that are measured, the cheapest first."""

_TRIED_IN_ALL = 10_000
"""Unions that are measured in a round if that makes more, unless beliefs are inferred for them."""

_MEASURED_AT_ONCE = 3_000_000
"""Memberships of the unions that are measured at a time, times sensitive values."""

_SLIGHT = 0.1
"""Shortfall of a record if a requirement is just not met; 1 if nothing of it is."""

_LEAST = 1e-3
"""Share of the shortfall that a union counts to take off if it takes off less."""

_ROUNDING = 1e-9
"""Rounding error: excess of a union's shortfall over that of its groups that is ignored."""

_PASSES = 32
"""Limit of how often a round looks for further unions among groups that have none."""

_GROWN = 0.9
"""Share of the progress that uniting makes; the rest is cutting."""

_CUT = 0.95
"""Share of the progress at which what was united is cut; the rest is cutting the whole table."""

_LARGE = 32
"""Parts of a group, on average, above which groups of `mondrian` may lose less."""


def agglomerate(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Unite parts to groups that meet all requirements, beliefs estimated by omega.

    Args:
        threat: The table and its adversaries. Its one group of the whole table must meet the
            requirements; if it does not, one group of everything may be the outcome.
        requirements: Requirements that every group must meet.
        progress: Receives the share of groups that were mended, after each round.
    """
    lacking = _Lacking(threat, requirements)
    names = np.arange(len(threat.parts), dtype=np.int64)
    grown = _Grown(lambda: Groups.from_rows(names), lacking.counts, names)
    needs = lacking.shortfall(grown)
    most = max(int((needs > 0).sum()), 1)
    mended, tried = 0.0, _Tried.none(lacking)
    growing = progress.part(0.0, _GROWN)
    while len(grown) > 1 and (needs.any() or lacking.more(grown.groups)):
        if not needs.any():
            needs, tried = lacking.shortfall(grown), _Tried.none(lacking)
        chosen, tried = _round(lacking, grown, needs, tried, progress=growing)
        if not chosen.first.size:
            break
        grown, needs = _united(grown, needs, chosen)
        mended = max(mended, 1.0 - float((needs > 0).sum()) / most)
        growing.report(mended)
    cutting, comparing = progress.part(_GROWN, _CUT), progress.part(_CUT, 1.0)
    groups = mondrian(threat, requirements, groups=grown.groups, progress=cutting)
    if lacking.coarsely and len(threat.parts) > _LARGE * len(groups):
        cut = mondrian(threat, requirements, progress=comparing)
        groups = min(groups, cut, key=lambda each: float(losses(threat.parts, each).sum()))
    progress.report(1.0)
    return groups


@dataclass(frozen=True, eq=False)
class _Grown:
    """Groups with sums over their parts, which of unions are known without making them."""

    make: Callable[[], Groups]
    sums: Sequence[AnyArray]
    """Sums over each group of each of `_Lacking.counts`."""
    names: IntArray
    """Shape (g,). Numbers that groups keep from round to round, and never share: the first ones are
    the parts.
    """

    def __len__(self) -> int:
        return len(self.sums[0])

    @cached_property
    def groups(self) -> Groups:
        """The groups."""
        return self.make()

    @property
    def sizes(self) -> IntArray:
        """Records of each group, shape (g,)."""
        sizes: IntArray = self.sums[0][:, 0]
        return sizes

    def unions(self, first: IntArray, second: IntArray) -> _Grown:
        """Unite pairs of groups."""
        begun = int(self.names.max()) + 1
        return _Grown(
            lambda: self.groups.united(Groups.from_rows(np.column_stack((first, second)))),
            [some[first] + some[second] for some in self.sums],
            np.arange(begun, begun + len(first), dtype=np.int64),
        )


class _Lacking:
    """Shortfall of groups: how far they are from meeting requirements.

    Attributes:
        counts: Records of each part, shape (p, 1), and what else requirements add up in groups.
    """

    def __init__(self, threat: ThreatModel, requirements: Sequence[Requirement]) -> None:
        self.threat = threat
        self.counts: list[AnyArray] = [threat.parts.weights[:, None]]
        alone, joint = alone_and_joint(requirements)
        self._alone = [(item, self._summed(item)) for item in alone]
        self._fine = [pair for pair in self._alone if not pair[0].coarse]
        # What groups must disclose less than by themselves.
        self._joint = [
            (item, place, bound)
            for item, place in zip(joint, map(self._summed, joint), strict=True)
            for bound in item.bounds
        ]

    def _summed(self, requirement: Requirement) -> int:
        """Place in `counts` of what is added up to judge by; -1 if groups must be looked at."""
        if not isinstance(requirement, CountedRequirement):
            return -1
        counts = requirement.counts(self.threat)
        for place, known in enumerate(self.counts):
            if known is counts or np.array_equal(known, counts):
                return place
        self.counts.append(counts)
        return len(self.counts) - 1

    @property
    def kept(self) -> int:
        """Number of requirements that small groups meet and large ones may break."""
        return len(self._fine)

    @property
    def infers(self) -> bool:
        """Whether beliefs are inferred to tell."""
        return any(item.infers for item, _ in self._alone)

    @property
    def coarsely(self) -> bool:
        """Whether sums suffice to tell, and whatever small groups meet large ones meet."""
        return not self.looks and not self._fine

    @property
    def looks(self) -> bool:
        """Whether groups must be looked at to tell, as sums do not suffice."""
        return any(place < 0 for _, place in self._alone)

    def shortfall(self, grown: _Grown) -> FloatArray:
        """Shortfall of each group, shape (g,)."""
        most = np.zeros(len(grown))
        for item, place in self._alone:
            most = np.maximum(most, self._of(item, place, grown))
        for joint, place, bound in self._joint:
            figures = joint.by_itself(self.threat, grown.sums[place])
            most = np.maximum(most, _lacks(bound, figures, grown.sizes, joint.absorbing))
        return most

    def fine(self, grown: _Grown) -> FloatArray:
        """Shortfall of each group in what small groups meet, shape (requirements, g)."""
        lacks = [self._of(item, place, grown) for item, place in self._fine]
        return np.array(lacks).reshape(len(lacks), len(grown))

    def _of(self, requirement: Requirement, place: int, grown: _Grown) -> FloatArray:
        """Shortfall of each group in one requirement."""
        absorbing = requirement.absorbing
        if isinstance(requirement, CountedRequirement):
            figures = requirement.figures(self.threat, grown.sums[place])
            (bound,) = requirement.bounds
            return _lacks(bound, figures, grown.sizes, absorbing)
        groups, most = grown.groups, np.zeros(len(grown))
        weights = self.threat.parts.weights[groups.members]
        measured = requirement.measure(self.threat, groups).figures
        for bound, figures in zip(requirement.bounds, measured, strict=True):
            lacks = _lacks(bound, figures, weights, absorbing)
            most = np.maximum(most, groups.max(lacks) if absorbing else groups.sum(lacks))
        return most

    def more(self, groups: Groups) -> bool:
        """Ask more of groups that do not fall short, if they do not meet all requirements so."""
        asked = False
        for number, (joint, place, bound) in enumerate(self._joint):
            met = joint.satisfied(self.threat, groups)
            if not met.all():
                histograms = joint.histograms(self.threat, groups.select(~met))
                least = float(joint.by_itself(self.threat, histograms).min())
                self._joint[number] = joint, place, replace(bound, threshold=least, strict=True)
                asked = True
        return asked


def _lacks(bound: Bound, figures: AnyArray, weights: IntArray, absorbing: bool) -> FloatArray:
    """Lack of records, so many with each of some figures, by a bound: in sum of those alike."""
    broken = bound.broken(figures)
    if absorbing:
        return np.asarray(broken, dtype=np.float64)
    # The share of the figure that is beyond the threshold, or of the threshold that is missing.
    with np.errstate(divide="ignore", invalid="ignore"):
        met = bound.threshold / figures if bound.upper else figures / bound.threshold
    share = np.where(np.isnan(met), 1.0, np.clip(1.0 - met, 0.0, 1.0))
    return np.where(broken, (_SLIGHT + share) * weights, 0.0)


class _Unions(NamedTuple):
    """Unions of pairs of groups, of which each takes part in one at most."""

    first: IntArray
    second: IntArray
    """Shape (u,). The two groups of each."""
    needs: FloatArray
    """Shape (u,). Shortfall of each union."""


@dataclass(frozen=True, eq=False)
class _Tried:
    """Unions that were measured, each once, whichever of its two groups it was for."""

    pairs: IntArray
    """Shape (u,). Names of the two groups, as one number, rising."""
    lacks: FloatArray
    """Shape (1 + requirements, u). Shortfall of each union, and that in what small groups meet."""

    @classmethod
    def none(cls, lacking: _Lacking) -> _Tried:
        """No union yet."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((1 + lacking.kept, 0)))

    def further(
        self,
        lacking: _Lacking,
        grown: _Grown,
        first: IntArray,
        second: IntArray,
        progress: Progress,
    ) -> tuple[_Tried, IntArray]:
        """Measure unions but for those of two groups that did not change.

        Returns:
            Shape (u,). Place of each union among them.
        """
        one, other = grown.names[first], grown.names[second]
        numbers = np.minimum(one, other) << 32 | np.maximum(one, other)
        pairs, chosen, place = np.unique(numbers, return_index=True, return_inverse=True)
        lacks = np.empty((len(self.lacks), len(pairs)))
        known = np.isin(pairs, self.pairs, assume_unique=True)
        lacks[:, known] = self.lacks[:, np.searchsorted(self.pairs, pairs[known])]
        new = np.flatnonzero(~known)
        first, second = first[chosen[new]], second[chosen[new]]
        looked_at = np.ones(len(new), dtype=np.int64)
        if lacking.looks:
            looked_at = grown.groups.widths[first] + grown.groups.widths[second]
        most = _MEASURED_AT_ONCE // lacking.threat.table.sensitive.size
        for start, stop in _chunks(looked_at, most):
            progress.poll()
            unions = grown.unions(first[start:stop], second[start:stop])
            lacks[0, new[start:stop]] = lacking.shortfall(unions)
            lacks[1:, new[start:stop]] = lacking.fine(unions)
        return _Tried(pairs, lacks), place


def _round(
    lacking: _Lacking, grown: _Grown, needs: FloatArray, tried: _Tried, progress: Progress
) -> tuple[_Unions, _Tried]:
    """Unions to make at once, and all that were considered, some of which had been tried before."""
    failing, groups = np.flatnonzero(needs), grown.groups
    reach = int(np.clip(_CONSIDERED // len(failing), *_NEAR))
    near, costs = cheapest_neighbours(
        lacking.threat.parts, groups, failing, reach, progress=progress
    )
    in_all = 0 if lacking.infers else _TRIED_IN_ALL
    most = min(max(_TRIED, in_all // len(failing)), near.shape[1])
    first = np.repeat(failing, most)
    second, cost = near[:, :most].ravel(), costs[:, :most].ravel()
    tried, place = tried.further(lacking, grown, first, second, progress)
    after, fine_after = tried.lacks[0, place], tried.lacks[1:, place]
    before, fine = needs[first] + needs[second], lacking.fine(grown)
    price = cost / np.maximum(before - after, _LEAST * before)
    open_ = (fine_after <= fine[:, first] + fine[:, second] + _ROUNDING).all(axis=0)
    first, second, price = first[open_], second[open_], price[open_]
    chosen = _matching(first, second, price, len(groups))
    cheap = chosen[np.argsort(price[chosen], kind="stable")[: (len(chosen) + 1) // 2]]
    return _Unions(first[cheap], second[cheap], after[cheap]), tried


def _matching(first: IntArray, second: IntArray, price: FloatArray, groups: int) -> IntArray:
    """Choose unions that do not exclude each other, the lowest-priced first.

    Args:
        first, second: Shape (u,). The groups that each union is of.
        price: Shape (u,). Price by which the unions are ranked; among equals the first one comes
            first.

    Returns:
        Shape (v,). The unions that one would choose one by one, or of very many the first ones of
        each chain.
    """
    open_unions = np.argsort(price, kind="stable")
    chosen: list[IntArray] = []
    for _ in range(_PASSES):
        if not open_unions.size:
            break
        one, other = first[open_unions], second[open_unions]
        rank = np.arange(len(open_unions))
        best = np.full(groups, len(open_unions))
        np.minimum.at(best, one, rank)
        np.minimum.at(best, other, rank)
        # Nobody has a better union than one that is the best of both of its groups.
        agreed = (best[one] == rank) & (best[other] == rank)
        chosen.append(open_unions[agreed])
        taken = np.zeros(groups, dtype=bool)
        taken[one[agreed]] = taken[other[agreed]] = True
        open_unions = open_unions[~(taken[one] | taken[other])]
    return np.concatenate([np.zeros(0, dtype=np.int64), *chosen])


def _united(grown: _Grown, needs: FloatArray, chosen: _Unions) -> tuple[_Grown, FloatArray]:
    """Unite pairs of groups: the groups then, and their shortfall."""
    unions = grown.unions(chosen.first, chosen.second)
    kept = np.ones(len(grown), dtype=bool)
    kept[chosen.first] = kept[chosen.second] = False
    groups = Groups.joined([grown.groups.select(kept), unions.groups])
    sums = [
        np.concatenate((one[kept], two)) for one, two in zip(grown.sums, unions.sums, strict=True)
    ]
    names = np.concatenate((grown.names[kept], unions.names))
    return _Grown(lambda: groups, sums, names), np.concatenate((needs[kept], chosen.needs))


def _chunks(widths: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of unions of such widths that are measured at a time, of so many members at most."""
    ends = np.cumsum(widths)
    start = 0
    while start < len(widths):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + most, side="right")), start + 1)
        yield start, stop
        start = stop
