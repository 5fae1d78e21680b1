"""Exchange: groups of a partition are given up for others of the same parts.

That is all that is ever done to a partition that stands, be it to mend a group or to lose less
detail, and there are few ways of doing it:

- a *union* makes one group of several;
- a *recut* cuts the union of some groups in two, along any dimension and in other places than they
  were cut before;
- a *move* hands one part of a group over to another group;
- a group is *peeled* if one of its parts is left out.

The *cost* of an exchange is the loss of detail that it adds; it may be negative. A record that is
left out loses all detail.

Rules:

- In one round a group takes part in at most one exchange; the cheaper go first. The first of the
  groups that a proposal gives up is the one that it is made for; the cheapest for each group are
  judged before others are.
- An exchange holds if all its groups do: see `bkpriv_core.partition.evaluation`. Recuts and moves
  must be promising by a fast estimate before more is spent on them. Unions, after which nothing
  better may come, are judged in any case, but last.
- Requirements on all groups together never fail by a union; other exchanges that would make one
  fail are refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.partition.cutting import find_cuts
from bkpriv_core.partition.evaluation import Evaluator, InferenceBudget, Measured
from bkpriv_core.partition.neighbours import losses
from bkpriv_core.requirement import Keeper
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Exchanges", "GroupIndex", "Round", "chunks", "move", "peel", "recut", "unite"]

_JUDGED_AT_ONCE = 8
"""Proposals for a group judged at a time, cheapest first; then ever more."""

_TURNS = 20
"""Limit of how often proposals are measured, each time the cheapest, if some were accepted."""

_GROWTH = 3
"""Factor by which more proposals come next."""

_MEMBERS = 2_000_000
"""Memberships of all groups that are proposed at a time."""

_MOST_MEMBERS = 20_000_000
"""Memberships of what is proposed for one group; where there are more, nothing is."""


@dataclass(frozen=True, eq=False)
class GroupIndex:
    """A partition, and what depends on its boxes."""

    parts: Parts
    groups: Groups

    @cached_property
    def boxes(self) -> tuple[IntArray, IntArray]:
        """See `Parts.boxes`."""
        return self.parts.boxes(self.groups)

    @cached_property
    def sizes(self) -> IntArray:
        """Records of each group, shape (g,)."""
        return self.parts.sizes(self.groups)

    @cached_property
    def lost(self) -> FloatArray:
        """Loss of detail of each group, shape (g,)."""
        lost: FloatArray = self.sizes * self.parts.table.penalty(*self.boxes)
        return lost

    @cached_property
    def relief(self) -> FloatArray:
        """Loss of detail that a group is spared without each membership, shape (e,)."""
        groups, parts = self.groups, self.parts
        low, high = (ends[groups.owner] for ends in self.boxes)
        places = parts.places[groups.members]
        starts, ends = groups.offsets[:-1], groups.offsets[1:] - 1
        for axis in range(places.shape[1]):
            order = np.lexsort((places[:, axis], groups.owner))
            ranked = places[order, axis]
            # Without the lowest the second lowest is the lowest; the same at the other end.
            low[order[starts], axis] = ranked[np.minimum(starts + 1, ends)]
            high[order[ends], axis] = ranked[np.maximum(ends - 1, starts)]
        left = self.sizes[groups.owner] - parts.weights[groups.members]
        spared: FloatArray = self.lost[groups.owner] - left * parts.table.penalty(low, high)
        return spared

    def cost_of_moves(self, memberships: IntArray, groups: IntArray) -> FloatArray:
        """Cost of handing each membership over to a group, two arrays of one shape."""
        parts, members = self.parts, self.groups.members[memberships]
        low, high = self.boxes
        places = parts.places[members]
        wider = parts.table.penalty(
            np.minimum(low[groups], places), np.maximum(high[groups], places)
        )
        grown = wider * (self.sizes[groups] + parts.weights[members]) - self.lost[groups]
        cost: FloatArray = grown - self.relief[memberships]
        return cost


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Proposals to exchange groups of a partition."""

    before: Groups
    """The groups of the partition that each of ``x`` proposals gives up, the one that it is made
    for first.
    """
    after: Groups
    """The groups that it puts in their place, proposal after proposal."""
    spans: Groups
    """Groups of `after` that belong to each proposal, in order."""
    costs: FloatArray
    """Shape (x,). Loss of detail that each adds."""

    def __len__(self) -> int:
        return len(self.before)

    @property
    def made_for(self) -> IntArray:
        """The group that each is made for, shape (x,)."""
        return self.before.members[self.before.offsets[:-1]]

    def select(self, chosen: IntArray) -> Exchanges:
        """Keep the proposals of an index array, in that order."""
        spans = self.spans.select(chosen)
        return Exchanges(
            self.before.select(chosen),
            self.after.select(spans.members),
            Groups(np.arange(len(spans.members)), spans.offsets),
            self.costs[chosen],
        )

    def in_order(self) -> Exchanges:
        """Sort the exchanges: those for one group together, cheapest first."""
        return self.select(np.lexsort((self.costs, self.made_for)))

    @classmethod
    def joined(cls, lists: Sequence[Exchanges]) -> Exchanges:
        """Join lists of proposals."""
        spans = Groups.joined([item.spans for item in lists])
        return cls(
            Groups.joined([item.before for item in lists]),
            Groups.joined([item.after for item in lists]),
            Groups(np.arange(len(spans.members)), spans.offsets),
            np.concatenate([item.costs for item in lists]),
        )


def unite(layout: GroupIndex, before: Groups) -> Exchanges:
    """Propose unions of some groups each."""
    united = layout.groups.united(before)
    return Exchanges(
        before,
        united,
        Groups(np.arange(len(before)), np.arange(len(before) + 1)),
        losses(layout.parts, united) - before.sum(layout.lost[before.members]),
    )


def recut(layout: GroupIndex, before: Groups, places: int) -> Exchanges:
    """Propose to cut the union of some groups each, in up to so many places of every dimension."""
    parts = layout.parts
    dimensions = parts.codes.shape[1]
    along = np.repeat(np.arange(len(before)), dimensions)
    axes = np.tile(np.arange(dimensions), len(before))
    cuts = find_cuts(parts, layout.groups.united(before).select(along), axes, places)
    halves = cuts.halves()
    chosen = along[cuts.parents]
    lost = losses(parts, halves)
    given_up = before.sum(layout.lost[before.members])[chosen]
    return Exchanges(
        before.select(chosen),
        halves,
        Groups(np.arange(len(halves)), 2 * np.arange(len(cuts) + 1)),
        lost[0::2] + lost[1::2] - given_up,
    )


def chunks(layout: GroupIndex, before: Groups, places: int) -> Iterator[Groups]:
    """Divide groups to exchange into as many at a time as may be recut in so many places.

    What has no room even by itself is left out.
    """
    dimensions = layout.parts.codes.shape[1]
    members = before.sum(layout.groups.widths[before.members]) * dimensions * places
    roomy = before.select(members <= _MOST_MEMBERS)
    ends = np.cumsum(members[members <= _MOST_MEMBERS])
    for first, last in Groups(ends, np.concatenate(([0], ends))).chunks(_MEMBERS):
        yield roomy.select(np.arange(first, last))


def move(
    layout: GroupIndex, memberships: IntArray, receivers: IntArray, made_for: IntArray
) -> Exchanges:
    """Propose to hand memberships over to other groups.

    Args:
        memberships: Shape (x,). Memberships to move, of groups that have others.
        receivers: Shape (x,). The group that receives each.
        made_for: Shape (x,). Group of the two for which the move is made.
    """
    groups = layout.groups
    donors = groups.owner[memberships]
    halves = groups.select(np.column_stack((donors, receivers)).ravel())
    given = halves.offsets[:-1:2] + memberships - groups.offsets[donors]
    order = np.insert(np.arange(len(halves.members)), halves.offsets[2::2], given)
    kept = np.ones(len(order), dtype=bool)
    kept[given + np.arange(len(given))] = False
    widths = halves.widths.copy()
    widths[0::2] -= 1
    widths[1::2] += 1
    others = np.where(made_for == donors, receivers, donors)
    return Exchanges(
        Groups(np.column_stack((made_for, others)).ravel(), 2 * np.arange(len(memberships) + 1)),
        Groups(halves.members[order[kept]], np.concatenate(([0], np.cumsum(widths)))),
        Groups(np.arange(2 * len(memberships)), 2 * np.arange(len(memberships) + 1)),
        layout.cost_of_moves(memberships, receivers),
    )


def peel(layout: GroupIndex, chosen: IntArray) -> Exchanges:
    """Propose to leave one part out of groups that have several, any of their parts."""
    groups, parts = layout.groups, layout.parts
    memberships = np.flatnonzero(np.isin(groups.owner, chosen))
    owner = groups.owner[memberships]
    rests = groups.select(owner)
    kept = np.ones(len(rests.members), dtype=bool)
    kept[rests.offsets[:-1] + memberships - groups.offsets[owner]] = False
    counted = np.arange(len(memberships) + 1)
    rests = Groups(rests.members[kept], rests.offsets - counted)
    return Exchanges(
        Groups(owner, counted),
        rests,
        Groups(counted[:-1], counted),
        parts.weights[groups.members[memberships]] - layout.relief[memberships],
    )


class Round:
    """One round of exchanges.

    Args:
        judge: Judge of the groups that may be published.
        met: Shape (g,). Groups of the partition that hold; the others are not published unless they
            are exchanged.
        keepers: Keepers of the requirements on all groups together.
        effort: Effort that selects the groups to judge.
        work: Limit of their work, in states, if that is less than the effort allows.

    Attributes:
        taken: Shape (g,). Groups that were exchanged.
        work: Work that may still be spent.
        scarce: Whether proposals were not judged because they would have taken more.
    """

    def __init__(
        self,
        judge: Evaluator,
        layout: GroupIndex,
        met: BoolArray,
        keepers: Sequence[Keeper],
        effort: InferenceBudget,
        work: float | None = None,
    ) -> None:
        self._judge = judge
        self._groups = layout.groups
        self._met = met
        self._keepers = keepers
        self.effort = effort
        self.work = effort.work if work is None else min(effort.work, work)
        self.scarce = False
        self._made: list[Measured] = []
        self.taken = np.zeros(len(layout.groups), dtype=bool)

    def __len__(self) -> int:
        return sum(len(item.groups) for item in self._made)

    @property
    def groups(self) -> Groups:
        """Groups as the round leaves them: those that were not exchanged, then new ones."""
        made = [item.groups for item in self._made]
        return Groups.joined([self._groups.select(~self.taken), *made])

    def after(self, state: Measured) -> Measured:
        """Partition after the round, with its measurements."""
        return Measured.joined([state.select(~self.taken), *self._made])

    def met(self) -> BoolArray:
        """Groups of the outcome that hold."""
        return np.concatenate((self._met[~self.taken], np.ones(len(self), dtype=bool)))

    def offer(self, proposed: Exchanges) -> None:
        """Accept for every group the cheapest proposal that holds, where one does."""
        unpromising: list[Exchanges] = []
        for tried in self._in_turn(proposed.in_order()):
            self._judge.threat.progress.poll()
            fit = tried.select(np.flatnonzero(self._fitting(tried)))
            if not len(fit):
                continue
            if self.effort.screens:
                # Where bethe does not converge, it is exact after all.
                fit = self._afforded(fit, self._judge.states(fit.after))
            promising = fit.spans.min(self._judge.promising(fit.after, self.effort))
            self._accept(fit.select(np.flatnonzero(promising)))
            unpromising.append(fit.select(np.flatnonzero(~promising & (fit.spans.widths == 1))))
        if unpromising and not self.effort.screens:
            self._accept(Exchanges.joined(unpromising).in_order())

    def _in_turn(self, proposed: Exchanges) -> Iterator[Exchanges]:
        """Proposals that are still open, at first some for each group, then ever more.

        Those for one group stand together.
        """
        made_for = proposed.made_for
        rank = np.arange(len(made_for)) - np.searchsorted(made_for, made_for)
        start, stop = 0, _JUDGED_AT_ONCE
        while (rank >= start).any():
            closed = proposed.before.max(self.taken[proposed.before.members])
            rows = np.flatnonzero((rank >= start) & (rank < stop) & ~closed)
            start, stop = stop, stop * _GROWTH
            if rows.size:
                yield proposed.select(rows)

    def _fitting(self, proposed: Exchanges) -> BoolArray:
        """Proposals that meet what needs no inference, and take states that are to be taken."""
        counted = proposed.spans.min(self._judge.counted(proposed.after))
        most = proposed.spans.max(self._judge.states(proposed.after))
        fitting: BoolArray = counted & (most > self.effort.above) & (most <= self.effort.most)
        return fitting

    def _afforded(self, proposed: Exchanges, prices: FloatArray) -> Exchanges:
        """Select proposals, the first ones first, for whose groups there is work left."""
        if np.isinf(self.work):
            return proposed
        price = proposed.spans.sum(prices)
        afforded = np.cumsum(price) <= self.work
        self.work -= float(price[afforded].sum())
        self.scarce |= not afforded.all()
        return proposed.select(np.flatnonzero(afforded))

    def _accept(self, proposed: Exchanges) -> None:
        """Measure proposals, at first the cheapest, and accept of those that hold the cheapest.

        Those for one group stand together, by rising cost.
        """
        left = np.ones(len(proposed), dtype=bool)
        for turn in itertools.count():
            left &= ~proposed.before.max(self.taken[proposed.before.members])
            if not left.any() or (turn >= _TURNS and len(self)):
                return
            # At first no two that give up one group, lest it be in vain; then ever more for each
            # group for which nothing has held, since few at a time take long.
            rows = np.flatnonzero(left)
            made_for = proposed.made_for[rows]
            rank = np.arange(len(rows)) - np.searchsorted(made_for, made_for)
            rows = rows[rank < 2**turn]
            if not turn:
                rows = rows[self._cheapest(proposed.select(rows))]
            left[rows] = False
            tried = proposed.select(rows)
            prices = self._judge.states if self.effort.by == "exact" else self._judge.estimating
            tried = self._afforded(tried, prices(tried.after))
            if not len(tried):
                return
            held, measured = self._judge.holding(tried.after, self.effort)
            chosen = self._borne(tried, np.flatnonzero(tried.spans.min(held)))
            self._made.append(measured.select(chosen[tried.spans.owner][held]))

    def _cheapest(self, proposed: Exchanges) -> IntArray:
        """Proposals than which no cheaper one gives up one of their groups."""
        groups, owner = proposed.before, proposed.before.owner
        rank = np.empty(len(proposed), dtype=np.int64)
        rank[np.argsort(proposed.costs, kind="stable")] = np.arange(len(proposed))
        best = np.full(len(self._groups), len(proposed))
        np.minimum.at(best, groups.members, rank[owner])
        return np.flatnonzero(~groups.max(best[groups.members] < rank[owner]))

    def _borne(self, proposed: Exchanges, held: IntArray) -> BoolArray:
        """Take the cheapest of those that hold, as far as all groups together bear it."""
        borne = np.zeros(len(proposed), dtype=bool)
        while held.size:
            cheapest = held[self._cheapest(proposed.select(held))]
            for some in self._kept(proposed, cheapest):
                borne[some] = True
                self.taken[proposed.before.select(some).members] = True
            held = np.setdiff1d(held, cheapest)
            closed = proposed.before.max(self.taken[proposed.before.members])
            held = held[~closed[held]]
        return borne

    def _kept(self, proposed: Exchanges, chosen: IntArray) -> Iterator[IntArray]:
        """Chosen proposals that all groups together bear, by bisection."""
        if not chosen.size:
            return
        exchanged = proposed.select(chosen)
        given_up = exchanged.before.members
        before = self._groups.select(given_up[self._met[given_up]])
        for place, keeper in enumerate(self._keepers):
            if not keeper.exchange(before, exchanged.after):
                for other in self._keepers[:place]:
                    other.exchange(exchanged.after, before)
                if chosen.size > 1:
                    yield from self._kept(proposed, chosen[: chosen.size // 2])
                    yield from self._kept(proposed, chosen[chosen.size // 2 :])
                return
        yield chosen
