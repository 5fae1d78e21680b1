"""Repair: groups that break a requirement are mended, at the least loss of detail.

A failing group takes part in exchanges with its neighbours, as `bkpriv_core.partition.exchange`
has them, until every group holds:

1. With one neighbour at a time, nearest first: a recut of the two, a move of one part from either
   to the other, or their union, whichever costs least of what holds.
2. Where that mends nothing, with ever more neighbours at once, united or cut in two.
3. Where that does not either, a part is *peeled* off, so that the rest of the group holds, or else
   all its parts are by themselves; each then looks for a group that it can join.
4. Parts that find none are united again, those of one former group and then all. Only an estimate
   can say that so large a group holds.

The caller gives up what is still failing then.

Rules:

- Proof comes first; see `Evaluator`. Only what no proof mends is mended by an estimate, if that is
  allowed. What holds by an estimate stays only where nothing else is proved with little effort.
- A group is given up only where no union with any of the groups near it holds, nor one with all
  that would be given up.
- Two groups that were tried in vain are not tried again with the same effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bkpriv_core.partition.evaluation import Evaluator, InferenceBudget, Measured
from bkpriv_core.partition.exchange import (
    Exchanges,
    GroupIndex,
    Round,
    chunks,
    move,
    peel,
    recut,
    unite,
)
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Keeper
from bkpriv_core.table.groups import BoolArray, Groups, IntArray

__all__ = ["repair"]

_NEAR = 8
"""Neighbours tried at a time, nearest first; then ever more."""

_REARRANGED = 24
"""Number of neighbours to recut with; with others as far as an effort reaches, unions only."""

_PLACES = 8
"""Number of places of each dimension in which a union is cut."""

_MOVED = 16
"""Limit of the moves between two groups that are tried."""

_ROUNDS = 3
"""Number of rounds whose work is done with each effort in all."""

_WITHOUT_INFERENCE = 2
"""Number of efforts, of those that prove, with which what rests on an estimate is mended, too."""

_PEELED = 64
"""Parts of the largest group of which one is peeled off; a larger one is dissolved at once."""

_WIDER = (2, 4, 8, 16)
"""Numbers of neighbours that are united at once."""

_REMEMBERED = 4_000_000
"""Limit of the pairs that are remembered to have been tried in vain, of each kind."""


def repair(
    judge: Evaluator,
    state: Measured,
    met: BoolArray,
    keepers: Sequence[Keeper] = (),
    *,
    rearranging: bool = True,
    progress: Progress = SILENT,
) -> tuple[Measured, BoolArray]:
    """Mend the groups of a partition that fail.

    Args:
        judge: Judge of the groups that may be published.
        met: Shape (g,). Groups that hold.
        keepers: Keepers of requirements on all groups together.
        rearranging: Whether groups may be cut and parts be moved; otherwise they are united only.
        progress: Receives the share of what fails that is mended.

    Returns:
        The partition, some of its groups exchanged. Failing groups that were never exchanged are
        measured as before; what was peeled off has no figures that mean anything.
        Shape (h,). Groups that hold.
    """
    efforts = list(judge.efforts())
    proofs = [effort for effort in efforts if effort.proves] or efforts
    allowed = {effort: _ROUNDS * effort.work for effort in efforts}
    work = _Repair(
        judge,
        keepers,
        rearranging,
        progress,
        failing=_failing(state, met),
        work=allowed,
        vain=_Vain.of(len(judge.threat.parts)),
    )
    dissolved = state.groups
    for free in (None, work.peel, work.dissolve) if rearranging else (None,):
        if met.all():
            break
        dissolved = state.groups
        if free is not None:
            state, met = free(state, met)
        for effort in proofs:
            state, met = work.mend(state, met, effort)
    for effort in efforts[len(proofs) :]:
        state, met = work.mend(state, met, effort)
        for before in (dissolved, Groups.whole(len(judge.threat.parts))):
            if met.all():
                break
            state, met = work.mend(*work.unite(state, met, before), effort)
    resting = met & judge.resting(state)
    if resting.any():
        for effort in proofs[:_WITHOUT_INFERENCE]:
            state, met = work.mend(state, met & ~judge.resting(state), effort)
        met |= judge.resting(state) & judge.met(state)
    progress.report(1.0)
    return state, met


_State = tuple[Measured, BoolArray]

_Marks = npt.NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Factor by which a pair's key tells the first from the second."""


@dataclass(frozen=True, eq=False)
class _Vain:
    """Pairs of groups that were tried in vain.

    A group is known by the sum of its parts' random marks, in whatever round it stands; that two
    are taken for one, so that a pair is not tried, is as good as impossible.
    """

    parts: _Marks
    """Shape (p,). Mark of each part."""
    tried: dict[tuple[InferenceBudget, bool], _Marks] = field(default_factory=dict)
    """Keys of pairs, by the effort that they were tried with, and whether they were rearranged."""

    @classmethod
    def of(cls, parts: int) -> _Vain:
        """Begin with no pair of groups of so many parts."""
        return cls(np.random.default_rng(0).integers(2**64, size=parts, dtype=np.uint64))

    def marks(self, groups: Groups) -> _Marks:
        """Mark of each group, shape (g,)."""
        marks: _Marks = groups.sum(self.parts[groups.members])
        return marks

    def open(self, keys: _Marks, effort: InferenceBudget, rearranging: bool) -> BoolArray:
        """Pairs that were not yet tried with an effort, or only united and not rearranged."""
        known = [self.tried.get((effort, True))]
        if not rearranging:
            known.append(self.tried.get((effort, False)))
        closed = np.zeros(len(keys), dtype=bool)
        for some in known:
            if some is not None:
                closed |= np.isin(keys, some)
        return ~closed

    def add(self, keys: _Marks, effort: InferenceBudget, rearranging: bool) -> None:
        """Remember pairs, as long as they are not too many."""
        known = self.tried.get((effort, rearranging), keys[:0])
        if len(known) + len(keys) <= _REMEMBERED:
            self.tried[effort, rearranging] = np.concatenate((known, keys))


@dataclass(frozen=True)
class _Repair:
    """Repair of groups; see `repair`."""

    judge: Evaluator
    keepers: Sequence[Keeper]
    rearranging: bool
    progress: Progress
    failing: int
    work: dict[InferenceBudget, float]
    vain: _Vain

    def mend(self, state: Measured, met: BoolArray, effort: InferenceBudget) -> _State:
        """Exchange groups until every one holds or nothing helps."""
        while not met.all() and len(met) > 1 and self.work[effort] > 0:
            self.judge.threat.progress.poll()
            layout = GroupIndex(self.judge.threat.parts, state.groups)
            failing = self._failing(layout, met, effort)
            if not failing.size:
                break
            neighbours, _ = cheapest_neighbours(
                layout.parts,
                layout.groups,
                failing,
                effort.near,
                progress=self.judge.threat.progress,
            )
            made = Round(
                self.judge, layout, met, self.keepers, effort=effort, work=self.work[effort]
            )
            allowed = made.work
            self._try_pairs(made, layout, failing, neighbours)
            if not len(made):
                self._try_wider(made, layout, failing, neighbours)
            if np.isfinite(allowed):
                self.work[effort] -= allowed - made.work
            if not len(made):
                break
            state, met = made.after(state), made.met()
            self.progress.report(max(0.0, 1.0 - _failing(state, met) / max(self.failing, 1)))
        return state, met

    def _failing(self, layout: GroupIndex, met: BoolArray, effort: InferenceBudget) -> IntArray:
        """Failing groups that are not so large that even halves of them have too many states."""
        failing = np.flatnonzero(~met)
        states = self.judge.states(layout.groups.select(failing))
        return failing[np.sqrt(states) <= effort.most]

    def peel(self, state: Measured, met: BoolArray) -> _State:
        """Take one part off each failing group that then holds, to be by itself."""
        layout = GroupIndex(self.judge.threat.parts, state.groups)
        widths = state.groups.widths
        failing = np.flatnonzero(~met & (widths > 1) & (widths <= _PEELED))
        made = Round(self.judge, layout, met, self.keepers, effort=next(self.judge.efforts()))
        for some in chunks(layout, Groups.from_rows(failing), 1):
            made.offer(peel(layout, some.members))
        return self._with_rest(made.after(state), made.met(), state.groups)

    def dissolve(self, state: Measured, met: BoolArray) -> _State:
        """Make each part of a failing group a group by itself, if there are groups to join."""
        kept = met | (state.groups.widths == 1) | ~met.any()
        return self._with_rest(state.select(kept), met[kept], state.groups)

    def unite(self, state: Measured, met: BoolArray, before: Groups) -> _State:
        """Unite the failing groups whose first parts were in one group before."""
        failing = state.groups.select(~met)
        labels = before.labels(len(self.judge.threat.parts))
        former = labels[failing.members[failing.offsets[:-1]]]
        which = Groups.from_labels(np.unique(former, return_inverse=True)[1])
        measured = self.judge.measure(failing.united(which))
        return (
            Measured.joined([state.select(met), measured]),
            np.concatenate((met[met], self.judge.met(measured))),
        )

    def _with_rest(self, state: Measured, met: BoolArray, before: Groups) -> _State:
        """Make what was left out of the groups before a group by itself, part for part."""
        rest = Groups.from_rows(np.setdiff1d(before.members, state.groups.members))
        measured = self.judge.measure(rest)
        return (
            Measured.joined([state, measured]),
            np.concatenate((met, self.judge.met(measured))),
        )

    def _try_pairs(
        self, made: Round, layout: GroupIndex, failing: IntArray, neighbours: IntArray
    ) -> None:
        """Offer each failing group exchanges with one neighbour at a time."""
        start, stop = 0, _NEAR
        marks = self.vain.marks(layout.groups)
        tried: list[tuple[IntArray, _Marks, bool]] = []
        while start < neighbours.shape[1]:
            rows = np.flatnonzero(~made.taken[failing])
            partners = neighbours[rows, start:stop]
            rearranging = self.rearranging and start < _REARRANGED
            start, stop = stop, 2 * stop
            pairs = np.column_stack((np.repeat(failing[rows], partners.shape[1]), partners.ravel()))
            keys = marks[pairs[:, 0]] * _ODD + marks[pairs[:, 1]]
            open_ = self.vain.open(keys, made.effort, rearranging)
            pairs = pairs[open_]
            tried.append((pairs, keys[open_], rearranging))
            for some in chunks(layout, Groups.from_rows(pairs), _PLACES if rearranging else 1):
                proposed = [unite(layout, some)]
                if rearranging:
                    proposed += [recut(layout, some, _PLACES), _moves(layout, some)]
                made.offer(Exchanges.joined(proposed))
        if made.scarce or self.keepers:  # Another time there may be room for what was refused.
            return
        for pairs, keys, rearranging in tried:
            left = ~made.taken[pairs].any(axis=1)
            self.vain.add(keys[left], made.effort, rearranging)

    def _try_wider(
        self, made: Round, layout: GroupIndex, failing: IntArray, neighbours: IntArray
    ) -> None:
        """Offer each failing group exchanges with several neighbours at once."""
        for count in _WIDER:
            if count > 2 * neighbours.shape[1]:
                break
            rows = np.flatnonzero(~made.taken[failing])
            several = np.column_stack((failing[rows], neighbours[rows, :count]))
            for some in chunks(layout, Groups.from_rows(several), _PLACES):
                proposed = [unite(layout, some)]
                if self.rearranging:
                    proposed.append(recut(layout, some, _PLACES))
                made.offer(Exchanges.joined(proposed))


def _failing(state: Measured, met: BoolArray) -> int:
    """Parts in groups that fail."""
    return int(state.groups.widths[~met].sum())


def _moves(layout: GroupIndex, pairs: Groups) -> Exchanges:
    """Propose to move a part of a group to the other, those few that cost least."""
    groups = layout.groups
    both = groups.select(pairs.members)
    shift = groups.offsets[:-1][pairs.members] - both.offsets[:-1]
    memberships = np.arange(len(both.members)) + shift[both.owner]
    receivers = pairs.members.reshape(-1, 2)[:, ::-1].ravel()[both.owner]
    costs = layout.cost_of_moves(memberships, receivers)
    pair = both.owner // 2
    order = np.lexsort((costs, pair))
    rank = np.arange(len(order)) - np.searchsorted(pair[order], pair[order])
    several = groups.widths[groups.owner[memberships[order]]] > 1
    chosen = order[(rank < _MOVED) & several]
    made_for = pairs.members[::2][pair[chosen]]
    return move(layout, memberships[chosen], receivers[chosen], made_for)
