r"""Posterior beliefs: what an adversary believes once a group and its values are published.

A group of ``k`` records has priors ``P (k, m)`` and releases the multiset of its sensitive values,
counts ``n_1 ... n_m``. The posterior is proportional to the prior times the likelihood that the
other records take the other values (Li, Li, Zhang 2009, equation 3):

``P*(s_i | t_j) = P(s_i | t_j) L(E \ t_j, n - e_i) / L(E, n)``

where ``L(E, n)`` sums the product of priors over the distinct assignments of values to records.

Estimators
----------
``exact``
    Exact up to rounding, by `bkpriv_core.belief.exact`; groups beyond its budget are refused.
``bethe``
    Belief propagation, by `bethe`; where it does not converge for every prior, exact
    within the budget of ``auto``, else omega. Neither an upper nor a lower bound.
``omega``
    The Omega-estimate (equation 5), ``n_i P(s_i | t_j) / sum_j' P(s_i | t_j')``, normalised.
    Neither an upper nor a lower bound: it may understate what the adversary learns.
``additive``
    Assignments weigh by the sum, not the product, of beliefs (Riboni, Pareschi, Bettini 2012,
    algorithm 2, in closed form). No posterior by Bayes: in groups of more than a few records it
    understates what the adversary learns. For comparison with the paper.
``auto``
    Exact for every group whose states are within a budget, else bethe, else, where that does not
    converge for every prior, omega.

The result says for each group which one was used.

Records of a part share a prior, so figures are computed per membership (a part in a group), not per
record.
A posterior that does not exist, because the prior gives the release probability 0, is an error,
whatever the estimator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.exact import exact, exact_states
from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge, as_shape
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.schema import ErrorText, read
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = [
    "ADDITIVE",
    "AUTO_STATES",
    "BETHE",
    "BOUND",
    "ESTIMATORS",
    "EXACT",
    "EXACT_STATES",
    "FEW_STATES",
    "OMEGA",
    "Asked",
    "Estimator",
    "Inferred",
    "Posterior",
    "Sound",
    "UsedArray",
    "additive_posterior",
    "bethe_posterior",
    "check_estimator",
    "exact_posterior",
    "exact_states",
    "may_understate",
    "omega_posterior",
    "posterior",
]

Sound = Literal["auto", "exact", "bethe", "omega"]
"""Estimators that may certify a release."""

Asked = Literal["auto", "exact", "bethe", "omega", "additive"]
"""Estimators that users may ask for."""

Estimator = Literal[Asked, "bound"]
"""Estimators; ``bound``, of figures that have limits only, is exact or else an upper bound."""

ESTIMATORS: Final = ("exact", "bound", "bethe", "omega", "additive")
"""Estimators that may have been used, best first; a bound is an upper bound of a figure."""

EXACT, BOUND, BETHE, OMEGA, ADDITIVE = range(len(ESTIMATORS))
"""Places in `ESTIMATORS`."""

UsedArray = npt.NDArray[np.int8]
"""Estimator of each group, as its place in `ESTIMATORS`."""

FEW_STATES = 20_000
"""States of a group up to which exact inference takes less time than bounds are worth."""

AUTO_STATES = 1_000_000
"""Largest number of states of a group for which `auto` and `bethe` are exact."""

EXACT_STATES = 40_000_000
"""Largest number of states of a group that `exact` accepts."""


_CERTAIN = re.compile(r"(exact|bound)(, but bound for \d+ groups? \(\d+ (record|person)s?\))?")


def may_understate(described: str) -> bool:
    """Whether figures rest on more than exact inference and upper bounds, as an audit words it."""
    return _CERTAIN.fullmatch(described) is None


def check_estimator(name: str) -> Estimator:
    """Return `name` if it is an estimator, else raise `InvalidParameter`."""
    stated = Annotated[Asked, ErrorText("It decides how posterior beliefs are inferred.")]
    estimator: Estimator = read(stated, name, "estimator")
    return estimator


class Inferred:
    """Results inferred group by group, by one estimator or by several."""

    used: UsedArray
    """Shape (g,). Estimator of each group: a place in `ESTIMATORS`."""

    @property
    def exact(self) -> BoolArray:
        """Groups that were inferred exactly, shape (g,)."""
        exact: BoolArray = self.used == EXACT
        return exact

    @property
    def certain(self) -> BoolArray:
        """Groups whose figures rest on no estimate: exact ones, and upper bounds, shape (g,)."""
        certain: BoolArray = self.used <= BOUND
        return certain


@dataclass(frozen=True, eq=False)
class Posterior(Inferred):
    """Posterior beliefs of all memberships of some groups."""

    beliefs: tuple[FloatArray, ...]
    """Beliefs by each prior; rows sum to 1."""
    used: UsedArray
    """Shape (g,). Estimator of each group: a place in `ESTIMATORS`, the same for all priors."""
    contradicted: BoolArray
    """Shape (a, g). Groups that contradict each prior, if that was not to be refused. The beliefs
    about them are left as they were.
    """


def posterior(
    groups: Groups,
    counts: IntArray,
    priors: tuple[FloatArray, ...],
    estimator: Estimator = "auto",
    *,
    refuse: bool = True,
    progress: Progress = SILENT,
) -> Posterior:
    """Posterior beliefs about the records of each membership.

    Args:
        counts: Shape (p, m). Records of each part with each value.
        priors: Prior beliefs of one or several adversaries, inferred together.
        refuse: Whether a group that contradicts a prior is an error.
        progress: Receives the share of the states that is done.

    Raises:
        ContradictoryKnowledge: If a prior gives a group's release probability 0, and `refuse` says
            so; names the group's place and, where one is at fault, the value or the part.
        TooLarge: If `estimator` is "exact" and a group has more than `EXACT_STATES` states.
    """
    held = counts[groups.members]
    weights = held.sum(axis=1)
    histograms: IntArray = groups.sum(held)
    states = exact_states(groups, weights, histograms)
    if estimator == "exact":
        _refuse_too_large(states)
    budgets = {"exact": np.inf, "omega": -1.0, "additive": -1.0}
    affordable = states <= budgets.get(estimator, AUTO_STATES)
    beliefs = tuple(np.zeros((len(groups.members), counts.shape[1])) for _ in priors)
    closed = ADDITIVE if estimator == "additive" else OMEGA
    used = np.full(len(groups), closed, dtype=np.int8)

    chosen = {"bethe": np.ones_like(affordable), "auto": ~affordable}.get(estimator)
    if chosen is not None and chosen.any():
        from bkpriv_core.belief.bethe import bethe  # only wanted where states are many

        subset, rows = groups.select(chosen), chosen[groups.owner]
        rests = np.ones(len(subset), dtype=bool)
        for belief, prior in zip(beliefs, priors, strict=True):
            belief[rows], converged = bethe(
                subset, weights[rows], histograms[chosen], prior[subset.members], progress=progress
            )
            rests &= converged
        used[np.flatnonzero(chosen)[rests]] = BETHE

    chosen = affordable & (used != BETHE)
    if chosen.any():
        subset, rows = groups.select(chosen), chosen[groups.owner]
        inferred = exact(subset, weights[rows], histograms[chosen], priors, progress=progress)
        for belief, inferred_rows in zip(beliefs, inferred, strict=True):
            belief[rows] = inferred_rows
        used[chosen] = EXACT

    chosen = used == closed
    if chosen.any():
        estimate = _additive if estimator == "additive" else _omega
        subset, rows = groups.select(chosen), chosen[groups.owner]
        for belief, prior in zip(beliefs, priors, strict=True):
            progress.poll()
            mine = prior[subset.members]
            belief[rows] = estimate(subset, weights[rows], histograms[chosen], mine)

    contradicted = np.zeros((len(priors), len(groups)), dtype=bool)
    for place, (prior, belief) in enumerate(zip(priors, beliefs, strict=True)):
        contradicted[place] = _contradicted(
            groups, held, prior, belief, used=used, progress=progress
        )
        if refuse and contradicted[place].any():
            from bkpriv_core.belief.contradiction import contradiction

            group = int(np.argmax(contradicted[place]))
            raise contradiction(group, groups[group], held[groups.owner == group], prior)
        rows = contradicted[place, groups.owner]
        belief[rows] = prior[groups.members[rows]]
    return Posterior(beliefs, used, contradicted)


def exact_posterior(prior: FloatArray, counts: IntArray, progress: Progress = SILENT) -> FloatArray:
    """Exact posterior of one group of records.

    Args:
        prior: Shape (k, m). Prior of each record, rows summing to 1.
        counts: Shape (m,). Records with each value; sums to ``k``.

    Returns:
        Shape (k, m). Rows sum to 1, columns to `counts`. Exact up to rounding.

    Raises:
        InvalidParameter: If shapes, priors or counts do not fit together.
        ContradictoryKnowledge: If the counts have probability 0 under the priors.
        TooLarge: If there are more than `EXACT_STATES` states.
    """
    return _of_records(prior, counts, "exact", progress).beliefs[0]


def bethe_posterior(prior: FloatArray, counts: IntArray, progress: Progress = SILENT) -> FloatArray:
    """Bethe estimate of the posterior of one group of records; see `exact_posterior`.

    Raises:
        TooLarge: If belief propagation does not converge, as it may not in groups of a few records.
    """
    inferred = _of_records(prior, counts, "bethe", progress)
    if inferred.used[0] != BETHE:
        raise TooLarge(
            "belief propagation did not converge",
            detail=f"Its messages about the {len(prior)} records did not come to rest.",
            hint="Use exact_posterior, or omega_posterior where that is not feasible.",
        )
    return inferred.beliefs[0]


def omega_posterior(prior: FloatArray, counts: IntArray, progress: Progress = SILENT) -> FloatArray:
    """Omega-estimate of the posterior of one group of records; see `exact_posterior`."""
    return _of_records(prior, counts, "omega", progress).beliefs[0]


def additive_posterior(
    prior: FloatArray, counts: IntArray, progress: Progress = SILENT
) -> FloatArray:
    """Additive estimate of the posterior of one group of records; see `exact_posterior`."""
    return _of_records(prior, counts, "additive", progress).beliefs[0]


def _of_records(
    prior: FloatArray, counts: IntArray, estimator: Estimator, progress: Progress
) -> Posterior:
    """Posterior of one group whose records are parts of their own, after validation."""
    if prior.ndim != 2 or counts.ndim != 1 or prior.shape[1] != len(counts) or not prior.size:
        raise InvalidParameter(
            "the prior must be records x values and the counts one per value",
            detail=f"The shapes are {as_shape(prior.shape)} and {as_shape(counts.shape)}.",
            hint="Give the prior one row per record and one column per value.",
        )
    if not np.isfinite(prior).all() or (prior < 0).any():
        raise InvalidParameter(
            "the prior has a negative or non-finite probability",
            detail=f"It ranges from {prior.min()} to {prior.max()}.",
            hint="Every row is a distribution over the values.",
        )
    sums = prior.sum(axis=1)
    if np.abs(sums - 1.0).max() > 1e-6:
        record = int(np.argmax(np.abs(sums - 1.0)))
        raise InvalidParameter(
            f"the prior of record {record + 1} does not sum to 1",
            detail=f"It sums to {sums[record]:.9g}.",
            hint="Every row is a distribution over the values.",
        )
    if (counts < 0).any() or counts.sum() != len(prior):
        raise InvalidParameter(
            "the counts must be non-negative and sum to the number of records",
            detail=f"They sum to {counts.sum()}; the prior has {len(prior)} records.",
            hint="Count how often each value occurs among the records of the group.",
        )
    # Which record holds which value is unknown; any split of the histogram over records will do.
    held = np.zeros_like(prior, dtype=np.int64)
    held[np.arange(len(prior)), np.repeat(np.arange(len(counts)), counts)] = 1
    whole = Groups.whole(len(prior))
    try:
        return posterior(whole, held, (prior,), estimator, progress=progress)
    except ContradictoryKnowledge as error:
        # The group is the only one, and its parts are records, which users count from 1.
        fault = ""
        if error.value is not None:
            fault = f": value {error.value + 1}"
        elif error.part is not None:
            fault = f": record {error.part + 1}"
        raise ContradictoryKnowledge(
            f"the prior contradicts the counts{fault}",
            detail=error.detail,
            hint=error.hint,
            value=error.value,
            part=error.part,
        ) from None


def _omega(
    groups: Groups, weights: IntArray, histograms: IntArray, prior: FloatArray
) -> FloatArray:
    """Omega-estimate per membership; `prior` is per membership, rows of zeros where undefined."""
    expected = groups.sum(prior * weights[:, None])
    ratio = np.divide(
        histograms, expected, out=np.zeros(expected.shape), where=(histograms > 0) & (expected > 0)
    )
    share = prior * ratio[groups.owner]
    total = share.sum(axis=1, keepdims=True)
    missed = np.any((histograms > 0) & (expected <= 0), axis=1, keepdims=True)
    total[missed[groups.owner]] = 0.0
    belief: FloatArray = np.divide(share, total, out=np.zeros_like(share), where=total > 0)
    return belief


def _additive(
    groups: Groups, weights: IntArray, histograms: IntArray, prior: FloatArray
) -> FloatArray:
    """Additive estimate per membership; `prior` is per membership, rows of zeros where undefined.

    Of the ``k!`` assignments ``(k - 1)!`` give record r the slot t. Each weighs the belief in that,
    and the sum over them of the beliefs about the others is ``(k - 2)!`` times what ``T`` keeps
    without the row of r and the column of t: so r has t with ``(k W + T - R - C) / ((k - 1) T)``.
    """
    held = histograms[groups.owner]
    columns = groups.sum(prior * weights[:, None])
    total = (columns * histograms).sum(axis=1)[groups.owner, None]
    size = histograms.sum(axis=1)[groups.owner, None]
    rows = (prior * held).sum(axis=1, keepdims=True)
    weight = size * prior + total - rows - columns[groups.owner]
    # A record alone has what it was published with.
    share = held * np.where(size > 1, weight, 1.0)
    defined = np.broadcast_to(total > 0, share.shape)
    scale = np.where(size > 1, (size - 1) * total, 1.0)
    belief: FloatArray = np.divide(share, scale, out=np.zeros_like(share), where=defined)
    return np.maximum(belief, 0.0)


def _refuse_too_large(states: FloatArray) -> None:
    """Raise where exact inference is not feasible."""
    beyond = states > EXACT_STATES
    if beyond.any():
        largest = int(np.argmax(states))
        raise TooLarge(
            f"exact inference is not feasible for group {largest}",
            detail=f"It takes {states[largest]:.3g} states; at most {EXACT_STATES} are "
            f"handled. {int(beyond.sum())} groups are too large.",
            hint="Of such groups only an estimate can be had, as the estimator auto gives it; the "
            "smaller groups of a less strict policy can be measured exactly.",
        )


def _contradicted(
    groups: Groups,
    held: IntArray,
    prior: FloatArray,
    belief: FloatArray,
    used: UsedArray,
    progress: Progress,
) -> BoolArray:
    """Mark groups without a posterior, though an estimate may exist, shape (g,).

    What has converged cannot contradict the prior, and exact inference finds out. Closed forms do
    not always; but the true values are a way to hand them out, so that only groups in which the
    prior rules some of them out are in doubt.
    """
    failed: BoolArray = groups.max(~(belief.sum(axis=1) > 0.5))
    doubtful = (used >= OMEGA) & ~failed
    if doubtful.any():
        rows = doubtful[groups.owner]
        ruled_out = ((held > 0) & (prior[groups.members] <= 0)).any(axis=1)
        doubtful &= groups.max(ruled_out & rows)
    if doubtful.any():
        from bkpriv_core.belief.contradiction import contradictory

        subset = groups.select(doubtful)
        failed[doubtful] = contradictory(subset, held[doubtful[groups.owner]], prior, progress)
    return failed
