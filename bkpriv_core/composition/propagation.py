r"""Belief propagation between people and groups that hang together.

Each group is asked for posteriors of its members, given what the other groups say of each of them,
and answers by what it adds to that:

``cavity_jg(v) ~ P_j(v) prod_{h != g} message_hj(v)``     what is believed of a member elsewhere,
``message_gj(v) = posterior_g(j has v | cavities) / cavity_jg(v)``,

until no message changes. Small groups answer by exact posteriors, large ones by the messages of
`belief.bethe`, of which each round is a step. The belief about a person is the prior times all
messages. For people in one group that is the posterior. With small groups it is exact, too, where
groups and people make up trees: where no two groups are connected by people in two ways. Elsewhere
it is an *estimate*, neither an upper nor a lower bound: what comes back around a loop is taken for
news.

Rules
-----
- Messages are damped geometrically: each keeps half of its logarithm. Those of small groups are not
  in the first rounds, in which small trees come to rest.
- A group is asked again only if it was told something new. It *rests* once no cavity of it changes
  by more than 1e-4. People of whose groups one does not rest have no estimate.
- No message excludes a value altogether, as rounding might. What priors exclude stays so; groups
  that contradict them by themselves are found, but not those that do so only together.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.belief.bethe import demand
from bkpriv_core.belief.contradiction import contradictory
from bkpriv_core.belief.posterior import exact_states, posterior
from bkpriv_core.composition.problem import Problem, split
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["propagated"]


_STEPS = 100
"""Rounds after which messages are left."""

_TOLERANCE = 1e-4
"""Largest change of a cavity for its group to rest."""

_STATES = 500
"""Largest number of states of a group that is small."""

_FAR = 1e-150
"""No message of a large group is less, and the inverse of none."""

_LEAST = -70.0
"""Least logarithm of a message of a small group, or of a cavity, less the largest."""

_FREE = 20
"""Rounds in which small groups answer undamped: trees of so many are done."""

_KEPT = 0.5
"""Share of the logarithm of a message that it keeps."""


def propagated(
    problem: Problem, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Beliefs by propagation, for each adversary.

    Args:
        problem: The people and constraints; they may hang together or not.

    Returns:
        beliefs: Shape (a, k, m). Rows sum to 1.
        rests: Shape (a, k). Kinds whose messages came to rest.
        contradicted: Shape (a, k). Kinds that a group contradicts: no values agree with it to which
            the prior gives a chance.
    """
    each = [_propagated(problem, prior, progress) for prior in problem.priors]
    beliefs, rests, contradicted = (np.stack(part) for part in zip(*each, strict=True))
    return beliefs, rests, contradicted


def _propagated(
    problem: Problem, prior: FloatArray, progress: Progress
) -> tuple[FloatArray, BoolArray, BoolArray]:
    groups, kinds = problem.groups, problem.groups.members
    # Within a group only values that it shows are told apart: few, where values are many.
    values = _shown(problem.histograms)
    own = values[groups.owner]
    histograms = np.take_along_axis(problem.histograms, np.maximum(values, 0), axis=1)
    histograms[values < 0] = 0
    asked = _Asked(groups, problem.weights[kinds], histograms)
    closed = (own < 0) | ~np.take_along_axis(problem.possible[kinds], np.maximum(own, 0), axis=1)
    with np.errstate(divide="ignore"):
        base = np.log(np.where(problem.possible, prior, 0.0))
    message = np.zeros(own.shape)
    told = np.full(own.shape, -1.0)
    rests = np.zeros(len(groups), dtype=bool)
    for step in range(_STEPS):
        progress.poll()
        cavity = _cavity(
            _total(base, kinds, own, message, closed=closed), kinds, own, message, closed=closed
        )
        news = groups.max(np.abs(cavity - told).max(axis=1)) > _TOLERANCE
        rests = ~(news | asked.restless)
        if rests.all():
            break
        rows = ~rests[groups.owner]
        told[rows] = cavity[rows]
        asked.kept = 0.0 if step < _FREE else _KEPT
        message[rows] = asked.answers(~rests, cavity[rows], message[rows], progress)
    beliefs = np.exp(_total(base, kinds, own, message, closed=closed))
    sums = beliefs.sum(axis=1, keepdims=True)
    beliefs = np.divide(beliefs, sums, out=np.zeros_like(beliefs), where=sums > 0)
    unrest = np.zeros((2, len(problem.weights)), dtype=bool)
    unrest[0, kinds[~rests[groups.owner]]] = True
    if ((prior == 0) & problem.possible).any():
        alone = Groups(np.arange(len(kinds)), groups.offsets)
        allowed = np.where(
            closed, 0.0, np.take_along_axis(prior[kinds], np.maximum(own, 0), axis=1)
        )
        against = contradictory(alone, asked.counts, allowed, progress)
        unrest[1, kinds[against[groups.owner]]] = True
    return beliefs, ~unrest[0], unrest[1]


class _Asked:
    """Groups that are asked again and again.

    Args:
        weights: Shape (e,). People of each membership.
        histograms: Shape (g, d). People of each group with each value that it shows.

    Attributes:
        counts: Shape (e, d). People of each membership with each value, in some way that agrees
            with each group.
        restless: Shape (g,). Groups that would answer otherwise if they were told the same again.
        kept: Share of the logarithm of a message that small groups keep.
    """

    def __init__(self, groups: Groups, weights: IntArray, histograms: IntArray) -> None:
        self._groups, self._weights, self._histograms = groups, weights, histograms
        self.counts = split(groups, weights, histograms)
        self._small = exact_states(groups, weights, histograms) <= _STATES
        self._to_record = np.ones((len(weights), histograms.shape[1]))
        self.restless = np.zeros(len(groups), dtype=bool)
        self.kept = 0.0

    def answers(
        self, chosen: BoolArray, told: FloatArray, message: FloatArray, progress: Progress
    ) -> FloatArray:
        """Messages anew of some groups, of the cavities and messages of their memberships."""
        rows = chosen[self._groups.owner]
        small = self._small[self._groups.owner[rows]]
        answer = np.empty_like(message)
        if small.any():
            some = chosen & self._small
            answer[small] = self._exactly(some, told[small], message[small], progress)
        if not small.all():
            answer[~small] = self._by_step(chosen & ~self._small, told[~small])
        return answer

    def _exactly(
        self, chosen: BoolArray, told: FloatArray, message: FloatArray, progress: Progress
    ) -> FloatArray:
        groups, rows = self._groups.select(chosen), chosen[self._groups.owner]
        parts = Groups(np.arange(len(groups.members)), groups.offsets)
        found = posterior(
            parts, self.counts[rows], (told,), "exact", refuse=False, progress=progress.quiet
        )
        open_ = told > 0
        fresh = np.full_like(told, -np.inf)
        with np.errstate(divide="ignore"):
            np.log(found.beliefs[0], where=open_, out=fresh)
        fresh -= np.log(told, where=open_, out=np.zeros_like(told))
        fresh = np.maximum(fresh - fresh.max(axis=1, keepdims=True), _LEAST)
        return np.where(open_, self.kept * message + (1.0 - self.kept) * fresh, 0.0)

    def _by_step(self, chosen: BoolArray, told: FloatArray) -> FloatArray:
        groups, rows = self._groups.select(chosen), chosen[self._groups.owner]
        parts = Groups(np.arange(len(groups.members)), groups.offsets)
        held = self._histograms[chosen][parts.owner]
        to_record = self._to_record[rows]
        open_ = told > 0
        # A message that runs away ends as 0, infinite or no number, none of which ever rests.
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            factor = demand(parts, self._weights[rows], held, told, to_record=to_record) * to_record
            factor = np.where(open_, factor, 1.0)
            factor = factor ** (_KEPT - 1.0)
            change = np.abs(factor - 1.0).max(axis=1)
            to_record = np.clip(to_record * factor, _FAR, 1.0 / _FAR)
            to_record = np.where(np.isnan(to_record), 1.0, to_record)
            message = np.log(held * to_record, where=open_, out=np.zeros_like(told))
        self.restless[chosen] = ~(parts.max(change) <= _TOLERANCE)
        self._to_record[rows] = to_record
        return message


def _shown(histograms: IntArray) -> IntArray:
    """Values that each group shows, first, then -1: shape (g, most)."""
    most = int((histograms > 0).sum(axis=1).max(initial=1))
    order = np.argsort(histograms == 0, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(histograms, order, axis=1) > 0, order, -1)


def _total(
    base: FloatArray, kinds: IntArray, own: IntArray, message: FloatArray, closed: BoolArray
) -> FloatArray:
    """Logarithms of priors times all messages, the largest of each row 0; shape (k, m)."""
    total = base.copy()
    open_ = ~closed
    row = np.broadcast_to(kinds[:, None], own.shape)[open_]
    np.add.at(total, (row, own[open_]), message[open_])
    top = total.max(axis=1, keepdims=True)
    scaled: FloatArray = total - np.where(np.isfinite(top), top, 0.0)
    return scaled


def _cavity(
    total: FloatArray, kinds: IntArray, own: IntArray, message: FloatArray, closed: BoolArray
) -> FloatArray:
    """Beliefs about each membership without what its group says, at the group's values."""
    logarithms = total[kinds[:, None], np.maximum(own, 0)] - message
    logarithms[closed] = -np.inf
    top = logarithms.max(axis=1, keepdims=True)
    logarithms -= np.where(np.isfinite(top), top, 0.0)
    # What is all but excluded is not excluded.
    cavity = np.exp(np.where(np.isneginf(logarithms), -np.inf, np.maximum(logarithms, _LEAST)))
    sums = cavity.sum(axis=1, keepdims=True)
    normalized: FloatArray = np.divide(cavity, sums, out=np.zeros_like(cavity), where=sums > 0)
    return normalized
