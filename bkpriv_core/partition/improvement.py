"""Improvement: less detail is lost by exchanges that the policy bears.

A group's box is as wide as its outermost part makes it. Where a neighbour would hardly be widened
by that part, and both hold without and with it, it is moved; where a group can be cut in two, it
is.

Rules:

- Every group that an exchange makes is judged as it will be published, so that nothing is lost of
  what was certified. Only such are tried as take few states to prove.
- Each round the exchanges that save most come first. A move is tried once: again only after one of
  the two groups has changed.
- It ends where nothing that is tried saves anything, or what a round saves is not worth its time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bkpriv_core.partition.exchange import Layout, Round, alone, move, recut
from bkpriv_core.partition.judging import Judge, Measured
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Keeper
from bkpriv_core.table.groups import IntArray

__all__ = ["improve"]

_NEAR = 8
"""How many of the groups nearest to a part may receive it."""

_PROPOSED = 8
"""Moves of a group's parts that are tried in a round."""

_ROUNDS = 30
"""Most rounds."""

_PLACES = 8
"""In how many places of each dimension a group is cut."""

_WORTH = 1e-3
"""Share of the loss of detail that a round must save for another one to follow."""

_SAVED = 1e-9
"""What an exchange must save at least, as rounding may pretend that it does."""


def improve(
    judge: Judge,
    state: Measured,
    keepers: Sequence[Keeper] = (),
    progress: Progress = SILENT,
) -> Measured:
    """Exchange groups that hold for others that hold and lose less detail.

    Parameters
    ----------
    judge : Judge
        What says which groups may be published.
    state : Measured
        A partition, or some of its groups, all of which hold.
    keepers : sequence of Keeper
        Of requirements on all groups together.
    progress : Progress
        Receives the share of rounds.

    Returns
    -------
    Measured
        The same parts in groups that hold, and lose no more detail.
    """
    fresh = np.ones(len(state.groups), dtype=bool)
    for done in range(_ROUNDS):
        if len(state.groups) < 2 or not fresh.any():
            break
        layout = Layout(judge.setting.parts, state.groups)
        effort = next(judge.efforts())
        made = Round(judge, layout, np.ones(len(fresh), dtype=bool), keepers, effort)
        cut = recut(layout, alone(np.flatnonzero(fresh)), _PLACES)
        made.offer(cut)
        memberships, receivers = _saving(layout, fresh & ~made.taken, progress)
        donors = layout.groups.owner[memberships]
        open_ = ~made.taken[donors] & ~made.taken[receivers]
        memberships, receivers, donors = memberships[open_], receivers[open_], donors[open_]
        made.offer(move(layout, memberships, receivers, donors))
        if not len(made):
            break
        state = made.after(state)
        saved = layout.lost.sum()
        fresh = np.arange(len(state.groups)) >= (~made.taken).sum()
        if saved - Layout(layout.parts, state.groups).lost.sum() < _WORTH * saved:
            break
        progress.report((done + 1) / _ROUNDS)
    progress.report(1.0)
    return state


def _saving(
    layout: Layout, fresh: npt.NDArray[np.bool_], progress: Progress
) -> tuple[IntArray, IntArray]:
    """Moves that save detail, of which one group is fresh: memberships, and who receives each."""
    from scipy.spatial import KDTree  # slow to import, and only wanted here

    groups, parts = layout.groups, layout.parts
    several = groups.widths[groups.owner] > 1
    outermost = np.flatnonzero((layout.relief > _SAVED) & several)
    low, high = layout.boxes
    scale = np.array([max(domain.size - 1, 1) for domain in parts.table.quasi_identifiers])
    tree = KDTree((low + high) / (2.0 * scale))
    places = parts.places[groups.members[outermost]]
    progress.poll()
    _, near = tree.query(places / scale, k=min(_NEAR + 1, len(groups)))
    memberships = np.repeat(outermost, near.shape[1])
    receivers = near.ravel().astype(np.int64)
    donors = groups.owner[memberships]
    open_ = (receivers != donors) & (fresh[receivers] | fresh[donors])
    memberships, receivers, donors = memberships[open_], receivers[open_], donors[open_]
    costs = layout.cost_of_moves(memberships, receivers)
    order = np.lexsort((costs, donors))
    order = order[costs[order] < -_SAVED]
    starts = np.searchsorted(donors[order], donors[order])
    order = order[np.arange(len(order)) - starts < _PROPOSED]
    return memberships[order], receivers[order]
