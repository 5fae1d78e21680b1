r"""Belief propagation between people and groups that hang together.

Each group is asked for posteriors of its members (see `belief.posterior`: exact where the group is
small, which groups mostly are), given what the other groups say of each of them, and answers by
what it adds to that:

``cavity_jg(v) ~ P_j(v) prod_{h != g} message_hj(v)``     what is believed of a member elsewhere,
``message_gj(v) = posterior_g(j has v | cavities) / cavity_jg(v)``,

until no message changes. The belief about a person is the prior times all messages. For people in
one group that is the posterior. It is exact, too, where groups and people make up trees: where no
two groups are connected by people in two ways. Elsewhere it is an *estimate*, neither an upper nor
a lower bound: what comes back around a loop is taken for news.

Rules
-----
- Messages are damped geometrically: each keeps half of its logarithm.
- A group is asked again only if it was told something new. It *rests* once no cavity of it changes
  by more than 1e-6. People of whose groups one does not rest have no estimate.
- A value that the group says is impossible, given what other groups exclude, is so: its message is
  0, which is no estimate.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.together.problem import Problem

__all__ = ["propagated"]

BoolArray = npt.NDArray[np.bool_]

_STEPS = 200
"""Rounds after which messages are left."""

_TOLERANCE = 1e-6
"""Largest change of a cavity for its group to rest."""

_KEPT = 0.5
"""Share of the logarithm of a message that it keeps."""


def propagated(
    problem: Problem, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Beliefs by propagation, for each adversary.

    Parameters
    ----------
    problem : Problem
        The people and constraints; they may hang together or not.
    progress : Progress
        Polled between steps.

    Returns
    -------
    beliefs : (a, k, m) float array
        Rows sum to 1.
    rests : (a, k) bool array
        Whose messages came to rest.
    contradicted : (a, k) bool array
        Whom a group contradicts: no values agree with it to which the prior and other groups give
        a chance.
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
    counts = replace(problem, histograms=histograms).split
    closed = (own < 0) | ~np.take_along_axis(problem.possible[kinds], np.maximum(own, 0), axis=1)
    with np.errstate(divide="ignore"):
        base = np.log(np.where(problem.possible, prior, 0.0))
    message = np.zeros(own.shape)
    told = np.full(own.shape, -1.0)
    rests = np.zeros(len(groups), dtype=bool)
    contradicted = np.zeros(len(groups), dtype=bool)
    for _ in range(_STEPS):
        progress.poll()
        total = _total(base, kinds, own, message, closed)
        cavity = _cavity(total, kinds, own, message, closed)
        changed = groups.max(np.abs(cavity - told).max(axis=1))
        active = (changed > _TOLERANCE) & ~contradicted
        rests = ~active
        if not active.any():
            break
        rows = active[groups.owner]
        some = groups.select(active)
        some = Groups(np.arange(len(some.members)), some.offsets)
        given = cavity[rows]
        told[rows] = given
        answer = posterior(
            some, counts[rows], (given,), "auto", refuse=False, progress=progress.quiet
        )
        contradicted[active] |= answer.contradicted[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            fresh = np.log(answer.beliefs[0]) - np.log(given)
            fresh -= np.nanmax(np.where(given > 0, fresh, np.nan), axis=1, keepdims=True)
            kept = _KEPT * message[rows] + (1.0 - _KEPT) * fresh
        # What is excluded elsewhere needs no message; what the group excludes is so at once.
        message[rows] = np.where(given > 0, np.where(np.isneginf(fresh), -np.inf, kept), 0.0)
    beliefs = np.exp(_total(base, kinds, own, message, closed))
    sums = beliefs.sum(axis=1, keepdims=True)
    beliefs = np.divide(beliefs, sums, out=np.zeros_like(beliefs), where=sums > 0)
    unrest = np.zeros((2, len(problem.weights)), dtype=bool)
    unrest[0, kinds[~rests[groups.owner]]] = True
    unrest[1, kinds[contradicted[groups.owner]]] = True
    return beliefs, ~unrest[0], unrest[1]


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
    logarithms = total[kinds[:, None], np.maximum(own, 0)]
    # A value that the group itself excludes stays excluded.
    excluded = np.isneginf(message)
    logarithms = np.where(excluded, -np.inf, logarithms - np.where(excluded, 0.0, message))
    logarithms[closed] = -np.inf
    top = logarithms.max(axis=1, keepdims=True)
    cavity = np.exp(logarithms - np.where(np.isfinite(top), top, 0.0))
    sums = cavity.sum(axis=1, keepdims=True)
    normalized: FloatArray = np.divide(cavity, sums, out=np.zeros_like(cavity), where=sums > 0)
    return normalized
