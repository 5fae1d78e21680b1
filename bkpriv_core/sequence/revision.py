r"""Revision: what is believed before a release, from what is believed after earlier ones.

Somebody's last values are uncertain; with belief ``PK_j`` in the value at the ``j``-th last
appearance (Riboni, Pareschi, Bettini 2012, section 5.3 and algorithm 3),

``RBK(s) = sum over sequences lambda of p(s | lambda) prod_j PK_j(lambda_j)``

where ``p(s | lambda)`` is what knowledge says of the longest context that agrees with ``lambda``.
The sequences are too many to go through, but contexts are not: with ``W(v) = prod_j PK_j(v_j)``
over the values of context ``v``, the sequences whose longest context is ``v`` weigh

``mass(v) = W(v) - sum of W over the children of v``

which is all of ``W(v)`` where the person's past ends, and

``RBK = sum over contexts v of mass(v) p(. | v) + mass(root) BKsv``.

That is algorithm 3 with back-off, exact up to contexts that weigh less than 1e-9, which are taken
for their suffixes. The walk is down the trie, from all persons' roots at once, along values that a
person may have had. Work grows with the contexts that persons may be in, and memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.sparse import SparseBeliefs, ranges
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Past", "revise"]

_NEGLIGIBLE = 1e-9
"""Weight of a context below which it is not gone into."""

_PAIRS = 1_000_000
"""Pairs of context and value that are looked at together, unless one has more."""


@dataclass(frozen=True, eq=False)
class Past:
    """Places of the beliefs about persons' earlier values."""

    rows: IntArray
    """Shape (h,). Rows of beliefs, person after person, newest first."""
    offsets: IntArray
    """Shape (n + 1,). Person ``i`` has the rows ``rows[offsets[i]:offsets[i + 1]]``; none is no
    past.
    """

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def newest(self, reach: int | None) -> IntArray:
        """Rows of everybody, so many of the newest of each; all, if that is None."""
        if reach is None:
            return self.rows
        back = ranges(np.zeros(len(self), dtype=np.int64), np.diff(self.offsets))
        return self.rows[back < reach]


@dataclass(frozen=True, eq=False)
class _Frontier:
    """Contexts of one length that persons may be in: who, which node, and its weight."""

    persons: IntArray
    nodes: IntArray
    weights: FloatArray
    depth: int

    def __getitem__(self, rows: slice) -> _Frontier:
        return _Frontier(self.persons[rows], self.nodes[rows], self.weights[rows], self.depth)


def revise(
    transitions: Transitions,
    beliefs: SparseBeliefs,
    past: Past,
    columns: IntArray,
    size: int,
    progress: Progress = SILENT,
) -> tuple[FloatArray, FloatArray]:
    """Beliefs about the next value, as far as past values tell.

    Args:
        transitions: Knowledge of how values follow one another.
        beliefs: Beliefs about earlier values, in the codes of `transitions`; rows sum to 1.
        past: Places of the beliefs about each person's earlier values.
        columns: Shape (len(transitions.values). Column of each value in the outcome; -1 leaves it
            out.

    Returns:
        known: Shape (n, size). Beliefs by contexts, weighed by their masses. Rows sum to 1 less
            `unknown` and less what values without a column have.
        unknown: Shape (n,). Mass of the root: the weight that BKsv has.
    """
    from scipy import sparse  # slow to import, and only wanted here

    column = columns[transitions.following]
    held = column >= 0
    following = sparse.csr_matrix(
        (transitions.probabilities[held], (transitions.owner[held], column[held])),
        shape=(len(transitions), size),
    )
    known = np.zeros((len(past), size))
    unknown = np.zeros(len(past))
    for persons, nodes, mass in _walk(transitions, beliefs, past, progress):
        rest = nodes == 0
        first, last = int(persons[0]), int(persons[-1]) + 1
        within = persons - first
        unknown[first:last] += np.bincount(within[rest], mass[rest], minlength=last - first)
        if not rest.all():
            masses = sparse.csr_matrix(
                (mass[~rest], (within[~rest], nodes[~rest])),
                shape=(last - first, len(transitions)),
            )
            known[first:last] += (masses @ following).toarray()
    return known, unknown


def _walk(
    transitions: Transitions, beliefs: SparseBeliefs, past: Past, progress: Progress
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Persons, in ascending order, the nodes that speak for their contexts, and masses."""
    if not len(past):
        return
    lengths = np.diff(past.offsets)
    everybody = np.arange(len(past), dtype=np.int64)
    waiting = [_Frontier(everybody, np.zeros_like(everybody), np.ones(len(past)), 0)]
    while waiting:
        progress.poll()
        frontier = waiting.pop()
        # Who has a value further back that a longer context speaks of.
        on = transitions.branches[frontier.nodes] & (lengths[frontier.persons] > frontier.depth)
        rows = past.rows[past.offsets[frontier.persons[on]] + frontier.depth]
        widths = np.zeros(len(on), dtype=np.int64)
        widths[on] = beliefs.widths[rows]
        ends = np.cumsum(widths)
        if len(on) > 1 and ends[-1] > _PAIRS:
            at = int(np.clip(np.searchsorted(ends, _PAIRS), 1, len(on) - 1))
            waiting += [frontier[at:], frontier[:at]]
            continue
        places = ranges(beliefs.offsets[rows], widths[on])
        origin = np.repeat(np.arange(len(on)), widths)
        child = transitions.child(frontier.nodes[origin], beliefs.values[places])
        weights = frontier.weights[origin] * beliefs.weights[places]
        seen = (child >= 0) & (weights >= _NEGLIGIBLE)
        child, weights, origin = child[seen], weights[seen], origin[seen]
        gone = np.bincount(origin, weights, minlength=len(on))
        # Where every sequence goes on, the difference is mere rounding, which may be below 0.
        mass = np.maximum(frontier.weights - gone, 0.0)
        yield frontier.persons, transitions.source[frontier.nodes], mass
        if len(child):
            waiting.append(_Frontier(frontier.persons[origin], child, weights, frontier.depth + 1))
