r"""The Bethe estimate of posteriors: belief propagation for a permanent with repeated columns.

A group's likelihood ``L(E, n)`` is the permanent of its priors with the column of value ``i``
repeated ``n_i`` times (see `posterior`), and posteriors are marginals of the perfect
matchings of records and copies of values. Belief propagation passes messages along the edges of
that bipartite graph. The copies of a value receive the same messages, and so do the records of a
part, so there is one pair of messages for each part ``j`` and value ``i``, with ``w_j`` records
and ``n_i`` copies behind them:

``mu_ji = P_ji / (sum_l n_l P_jl nu_lj - P_ji nu_ij)``    from a record to a copy of a value,
``nu_ij = 1 / (sum_j' w_j' mu_j'i - mu_ji)``              from a copy of a value to a record,

from ``nu = 1`` until no message changes; then record ``j`` has value ``i`` with probability
proportional to ``n_i P_ji nu_ij``. At a fixed point the columns sum to the counts, as those of the
true posterior do: with ``b`` the belief in one copy, ``mu nu = b / (1 - b)``, and the second
equation then reads ``sum_j w_j b_ji = 1``.

The outcome is an *estimate*: the marginals at the minimum of the Bethe free energy, which is not
the likelihood unless the graph is a tree. It is neither an upper nor a lower bound of what an
adversary learns, but on groups of some size it errs far less than omega. It is less apt for tiny
groups, for which exact inference costs nothing.

Rules
-----
- Whoever must have a value is *settled* first: a record with one possible value, and every record
  that may have a value which no more records may have than do. That is exact, and leaves every
  message a positive number. A tree is settled as a whole.
- Messages are damped geometrically: each keeps an eighth of its logarithm. A group has *converged*
  when the largest relative change of its messages is at most 1e-9. Messages, not beliefs: where the
  free energy has its minimum at a corner (always for two records that do not have the same value),
  beliefs come to rest at certainties that nobody has, while messages grow without end.
- So what has converged is a fixed point with finite positive messages, and its beliefs are a way
  to hand the values to the records by shares: no group that contradicts the prior converges.
- Groups do not influence one another; the batch is only faster.

Sources: Huang, Jebara 2009, "Approximating the permanent with belief propagation"; Vontobel 2013,
"The Bethe permanent of a nonnegative matrix".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["bethe", "demand"]


_STEPS = 500
"""Updates of all messages after which a group has not converged."""

_TOLERANCE = 1e-9
"""Largest relative change of a message in a step, for a group to have converged."""

_CHUNK_FLOATS = 200_000
"""Size to which arrays are limited, so that they stay in a cache, unless one group is larger."""


def bethe(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    prior: FloatArray,
    progress: Progress = SILENT,
) -> tuple[FloatArray, BoolArray]:
    """Bethe estimate of the posterior beliefs about each membership.

    Args:
        weights: Shape (e,). Records of each membership, at least 1.
        histograms: Shape (g, m). Records of each group with each value.
        prior: Shape (e, m). Prior of each membership's records.

    Returns:
        beliefs: Shape (e, m). Rows sum to 1 and, weighted by records, columns to the group's
            counts; zero in groups that have not converged.
        converged: Shape (g,). Groups in which the iteration reached a fixed point.
    """
    beliefs = np.zeros(prior.shape)
    converged = np.zeros(len(groups), dtype=bool)
    for first, last in groups.chunks(_CHUNK_FLOATS // prior.shape[1]):
        rows = slice(int(groups.offsets[first]), int(groups.offsets[last]))
        chunk = Groups(
            np.arange(rows.stop - rows.start), groups.offsets[first : last + 1] - rows.start
        )
        beliefs[rows], converged[first:last] = _infer(
            chunk, weights[rows], histograms[first:last], prior[rows], progress=progress
        )
    return beliefs, converged


def _infer(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    prior: FloatArray,
    progress: Progress,
) -> tuple[FloatArray, BoolArray]:
    """Settle what is certain, then pass messages about the rest."""
    certain = _settle(groups, weights, histograms, prior, progress=progress)
    beliefs = certain.beliefs
    converged = certain.possible.copy()
    rows = np.flatnonzero(~certain.settled & certain.possible[groups.owner])
    owners, starts = np.unique(groups.owner[rows], return_index=True)
    rest = Groups(rows, np.append(starts, len(rows)).astype(np.int64))
    chance = np.where(certain.open[rows], prior[rows], 0.0)
    beliefs[rows], converged[owners] = _propagate(
        rest, weights[rows], certain.left[owners], chance, progress=progress
    )
    beliefs[~converged[groups.owner]] = 0.0
    return beliefs, converged


@dataclass(frozen=True, eq=False)
class _Certain:
    """Consequences of prior beliefs that are 0: certain values, and what is left to infer."""

    settled: BoolArray
    """Shape (e,). Memberships whose records' value is certain."""
    beliefs: FloatArray
    """Shape (e, m). 1 at that value; zero elsewhere."""
    left: IntArray
    """Shape (g, m). Records with each value among those not settled."""
    open: BoolArray
    """Shape (e, m). Values that the others may have, two or more for each."""
    possible: BoolArray
    """Shape (g,). False where a group contradicts the prior."""


def _settle(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    prior: FloatArray,
    progress: Progress,
) -> _Certain:
    """Give their value to records that have one choice, until none has."""
    owner = groups.owner
    left = histograms.copy()
    settled = np.zeros(len(prior), dtype=bool)
    beliefs = np.zeros(prior.shape)
    choices = prior > 0
    while True:
        progress.poll()
        choices &= (left > 0)[owner] & ~settled[:, None]
        takers = groups.sum(weights[:, None] * choices)
        demanded = choices & ((takers == left) & (left > 0))[owner]
        choices = np.where(demanded.any(axis=1, keepdims=True), demanded, choices)
        single = choices.sum(axis=1) == 1
        if not single.any():
            break
        beliefs[single] = choices[single]
        left -= groups.sum(weights[:, None] * (choices & single[:, None]))
        settled |= single
    stuck = groups.max(~settled & ~choices.any(axis=1))
    possible = ~stuck & (left >= 0).all(axis=1) & (takers >= left).all(axis=1)
    return _Certain(settled, beliefs, left, choices, possible=possible)


def _propagate(
    groups: Groups,
    weights: IntArray,
    copies: IntArray,
    chance: FloatArray,
    progress: Progress,
) -> tuple[FloatArray, BoolArray]:
    """Pass messages until they rest: beliefs, zero where they do not, and which groups' do."""
    beliefs = np.zeros(chance.shape)
    converged = np.zeros(len(groups), dtype=bool)
    active = np.arange(len(groups))
    rows = np.arange(len(chance))
    held = copies[groups.owner]
    # Only the ratios of a record's chances matter, and these may be all but 0.
    chance = chance / chance.max(axis=1, keepdims=True)
    closed = chance == 0
    to_record = np.ones(chance.shape)
    for _ in range(_STEPS):
        if not active.size:
            break
        progress.poll()
        # A message that runs away ends as 0, infinite or no number, none of which ever rests.
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            factor = demand(groups, weights, held, chance, to_record=to_record)
            factor *= to_record
            # Three square roots are an eighth root, and take less time than a power.
            np.divide(np.sqrt(np.sqrt(np.sqrt(factor))), factor, out=factor)
            np.copyto(factor, 1.0, where=closed)
            to_record *= factor
            factor -= 1.0
            resting = groups.max(np.abs(factor, out=factor)).max(axis=1) <= _TOLERANCE
        if not resting.any():
            continue
        done = resting[groups.owner]
        belief = held[done] * chance[done] * to_record[done]
        beliefs[rows[done]] = belief / belief.sum(axis=1, keepdims=True)
        converged[active[resting]] = True
        groups, active = groups.select(~resting), active[~resting]
        rows, weights, held = rows[~done], weights[~done], held[~done]
        chance, closed, to_record = chance[~done], closed[~done], to_record[~done]
    return beliefs, converged


def demand(
    groups: Groups, weights: IntArray, held: IntArray, chance: FloatArray, to_record: FloatArray
) -> FloatArray:
    """Demand for a copy of a value by other records: the reciprocal of the new message to a record.

    Args:
        weights: Shape (e,). Records of each membership.
        held: Shape (e, m). Copies of each value in each membership's group.
        chance: Shape (e, m). Prior of each membership's records, up to a factor.
        to_record: Shape (e, m). The messages to records.
    """
    to_value = _others_in_row(held, chance * to_record)
    np.divide(chance, to_value, out=to_value)
    return _others_in_column(groups, weights, to_value)


# A sum less a term that is nearly all of it would be mere rounding, and a message made of that may
# come to rest anywhere. So the largest term is kept apart from the others.


def _others_in_row(copies: IntArray, each: FloatArray) -> FloatArray:
    """Sum over all copies of values of a record's `each`, less one copy of the value itself."""
    terms = copies * each
    at = (np.arange(len(terms)), terms.argmax(axis=1))
    largest = terms[at]
    terms[at] = 0.0
    low = terms.sum(axis=1)
    others: FloatArray = (low + largest)[:, None] - each
    others[at] = low + (largest - each[at])
    return others


def _others_in_column(groups: Groups, weights: IntArray, each: FloatArray) -> FloatArray:
    """Sum over all records of a group of `each`, less one record of the membership itself."""
    terms = weights[:, None] * each
    owner = groups.owner
    top = groups.max(terms)
    top[top == 0] = np.inf  # A value that nobody may have has no largest term.
    at = np.nonzero(terms == top[owner])
    spot = (owner[at[0]], at[1])
    largest = np.zeros(top.shape)
    np.add.at(largest, spot, terms[at])
    terms[at] = 0.0
    low = groups.sum(terms)
    others: FloatArray = (low + largest)[owner] - each
    others[at] = low[spot] + (largest[spot] - each[at])
    return others
