"""Improvement: less detail is lost by exchanges that the policy bears.

A group's box is as wide as its outermost part makes it. Where a neighbour would hardly be widened
by that part, and both hold without and with it, it is moved; where a group can be cut in two, it
is.

Rules:

- Every group that an exchange makes is judged as it will be published, so that nothing is lost of
  what was certified. Only such are tried as take few states to prove.
- Rounds of cuts and rounds of moves take turns, each as long as a round saves what is worth its
  time. In a round the exchanges that save most come first.
- What was tried in vain is tried again only after one of the groups has changed. Parts of groups
  that have changed may move to the groups nearest to them; to such a group may move, of parts of
  others, those nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.partition.evaluation import Evaluator, Measured
from bkpriv_core.partition.exchange import GroupIndex, Round, chunks, move, recut
from bkpriv_core.partition.neighbours import losses, nearest_groups, nearest_members
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Keeper
from bkpriv_core.table.groups import BoolArray, Groups, IntArray

__all__ = ["improve"]

_NEAR = 8
"""Number of the nearest groups of a part that may receive it."""

_PROPOSED = 8
"""Moves of a group's parts that are tried in a round."""

_ROUNDS = (3, 60)
"""Fewest and most rounds; there are as many as `_LOOKED_AT` allows."""

_LOOKED_AT = 1_000_000
"""Memberships that all rounds look at."""

_WEIGHED_AT_ONCE = 1_000_000
"""Moves whose costs are computed at a time."""

_PLACES = 8
"""Number of places of each dimension in which a group is cut."""

_WORTH = 4e-3
"""Share of the loss of detail that a round must save for another one of its kind to follow."""

_SAVED = 1e-9
"""Least saving of an exchange, as rounding may pretend that it saves."""


def improve(
    judge: Evaluator,
    state: Measured,
    keepers: Sequence[Keeper] = (),
    progress: Progress = SILENT,
) -> Measured:
    """Exchange groups that hold for others that hold and lose less detail.

    Args:
        judge: Judge of the groups that may be published.
        state: A partition, or some of its groups, all of which hold.
        keepers: Keepers of requirements on all groups together.
        progress: Receives the share of rounds.

    Returns:
        The same parts in groups that hold, and lose no more detail.
    """
    parts, effort = judge.threat.parts, next(judge.efforts())
    untried = {_cut: np.ones(len(state.groups), dtype=bool)}
    untried[_move] = untried[_cut]
    idle, way = 0, _cut
    rounds = int(np.clip(_LOOKED_AT // max(len(state.groups.members), 1), *_ROUNDS))
    for done in range(rounds):
        progress.report(done / rounds)
        layout = GroupIndex(parts, state.groups)
        everything_holds = np.ones(len(state.groups), dtype=bool)
        made = Round(judge, layout, everything_holds, keepers, effort=effort)
        way(made, layout, untried[way])
        state = made.after(state)
        new = np.ones(len(made), dtype=bool)
        for other, groups in untried.items():
            left = groups & (other is not way)
            untried[other] = np.concatenate((left[~made.taken], new))
        lost = layout.lost.sum()
        saved = lost - losses(parts, state.groups).sum()
        idle = idle + 1 if saved <= _WORTH * lost else 0
        if idle == len(untried):
            break
        if idle:
            way = _move if way is _cut else _cut
    progress.report(1.0)
    return state


def _cut(made: Round, layout: GroupIndex, chosen: BoolArray) -> None:
    """Offer to cut the chosen groups."""
    for some in chunks(layout, Groups.from_rows(np.flatnonzero(chosen)), _PLACES):
        made.offer(recut(layout, some, _PLACES))


def _move(made: Round, layout: GroupIndex, chosen: BoolArray) -> None:
    """Offer moves of parts from or to the chosen groups."""
    if len(layout.groups) < 2:
        return
    memberships, receivers = _saving(layout, chosen)
    made.offer(move(layout, memberships, receivers, layout.groups.owner[memberships]))


def _saving(layout: GroupIndex, chosen: BoolArray) -> tuple[IntArray, IntArray]:
    """Moves that save detail, from or to the chosen groups: memberships, and their receivers."""
    groups, parts = layout.groups, layout.parts
    several = groups.widths[groups.owner] > 1
    outermost = np.flatnonzero((layout.relief > _SAVED) & several)
    given = chosen[groups.owner[outermost]]
    giving, others = outermost[given], outermost[~given]
    near = nearest_groups(parts, groups, groups.members[giving], _NEAR)
    receiving = np.flatnonzero(chosen)
    # As many as have a group, on average, among their nearest.
    reach = -(-_NEAR * len(groups.members) // len(groups))
    coming = nearest_members(parts, groups, receiving, others, near=reach)
    memberships = np.concatenate((np.repeat(giving, near.shape[1]), coming.ravel()))
    receivers = np.concatenate((near.ravel(), np.repeat(receiving, coming.shape[1])))
    open_ = receivers != groups.owner[memberships]
    memberships, receivers = memberships[open_], receivers[open_]
    donors = groups.owner[memberships]
    weighed = [np.zeros(0)]
    for start in range(0, len(memberships), _WEIGHED_AT_ONCE):
        some = slice(start, start + _WEIGHED_AT_ONCE)
        weighed.append(layout.cost_of_moves(memberships[some], receivers[some]))
    costs = np.concatenate(weighed)
    order = np.lexsort((costs, donors))
    order = order[costs[order] < -_SAVED]
    starts = np.searchsorted(donors[order], donors[order])
    order = order[np.arange(len(order)) - starts < _PROPOSED]
    return memberships[order], receivers[order]
