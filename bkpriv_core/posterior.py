r"""Posterior beliefs: what Adv(B) believes once a group and its sensitive values are published.

A group of ``k`` records has priors ``P (k, m)`` and releases the multiset of its sensitive values,
counts ``n_1 ... n_m``. The posterior is proportional to the prior times the likelihood that the
other records take the other values (Li, Li, Zhang 2009, equation 3):

``P*(s_i | t_j) = P(s_i | t_j) L(E \ t_j, n - e_i) / L(E, n)``

where ``L(E, n)`` sums the product of priors over the distinct assignments of values to records.

Estimators
----------
``exact``
    Exact up to rounding. Seen as a transport problem, `items` are placed one after another into
    `slots` with capacities: records into values of capacity ``n_i``, or, just as well, values into
    cells of capacity the cell's number of records. The state after some items is how full each
    slot is, and its level, the number of items placed, is the sum of its digits; so a forward
    and a backward pass touch each of the ``prod(capacity + 1)`` states once. The smaller of the two
    lattices is taken. Groups with equal capacities go through together.
``omega``
    The Omega-estimate (equation 5), ``n_i P(s_i | t_j) / sum_j' P(s_i | t_j')``, normalised.
    Neither an upper nor a lower bound: it may understate what the adversary learns.
``auto``
    Exact for every group whose lattice is within a budget, omega for the others; the result says
    which.

Cells share priors, so figures are computed per membership (a cell within a group), not per record.
A posterior that does not exist, because the prior gives the release probability 0, is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge
from bkpriv_core.groups import FloatArray, Groups, IntArray
from bkpriv_core.lattice import Lattice

__all__ = [
    "AUTO_STATES",
    "EXACT_STATES",
    "Estimator",
    "Posterior",
    "check_estimator",
    "exact_posterior",
    "lattice_states",
    "omega_posterior",
    "posterior",
]

Estimator = Literal["auto", "exact", "omega"]

AUTO_STATES = 1_000_000
"""Largest lattice, in states, for which `auto` is exact."""

EXACT_STATES = 40_000_000
"""Largest lattice, in states, that `exact` accepts."""


def check_estimator(name: str) -> Estimator:
    """Return `name` if it is an estimator, else raise `InvalidParameter`."""
    if name not in get_args(Estimator):
        raise InvalidParameter(
            f"there is no estimator {name!r}",
            detail="It decides how posterior beliefs are inferred.",
            hint=f"Estimators are {', '.join(get_args(Estimator))}.",
        )
    return name  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior beliefs of all memberships of some groups.

    Parameters
    ----------
    beliefs : tuple of (e, m) float array
        One array per prior; rows sum to 1.
    exact : (g,) bool array
        Which groups were inferred exactly; the others by omega.
    """

    beliefs: tuple[FloatArray, ...]
    exact: npt.NDArray[np.bool_]


def posterior(
    groups: Groups,
    counts: IntArray,
    priors: tuple[FloatArray, ...],
    estimator: Estimator = "auto",
    *,
    poll: Callable[[], None] = lambda: None,
    progress: Callable[[float], None] = lambda share: None,
) -> Posterior:
    """Posterior beliefs about the records of each cell in each group.

    Parameters
    ----------
    groups : Groups
        Groups of cells.
    counts : (c, m) int array
        Records of each cell with each value.
    priors : tuple of (c, m) float array
        Prior beliefs of one or several adversaries, inferred together.
    estimator : {"auto", "exact", "omega"}
        See the module.
    poll : callable
        Called between batches; may raise to cancel.
    progress : callable
        Told the share of the lattices' states that is done.

    Returns
    -------
    Posterior

    Raises
    ------
    ContradictoryKnowledge
        If a prior gives a group's release probability 0; names the group's place.
    TooLarge
        If `estimator` is "exact" and a group's lattice is beyond `EXACT_STATES`.
    """
    weights = counts[groups.members].sum(axis=1)
    histograms: IntArray = groups.sum(counts[groups.members])
    states = lattice_states(groups, weights, histograms)
    limit = {"omega": -1.0, "auto": AUTO_STATES, "exact": np.inf}[estimator]
    exact = states <= limit
    if estimator == "exact" and (states > EXACT_STATES).any():
        worst = int(np.argmax(states))
        raise TooLarge(
            f"exact inference is not feasible for group {worst}",
            detail=f"Its lattice has {states[worst]:.3g} states; at most {EXACT_STATES} are "
            f"handled. {int((states > EXACT_STATES).sum())} groups are too large.",
            hint="Use the estimator auto.",
        )
    beliefs = tuple(np.empty((len(groups.members), counts.shape[1])) for _ in priors)
    member_exact = exact[groups.owner]
    if exact.any():
        part = groups.select(exact)
        for belief, found in zip(
            beliefs,
            _exact(part, weights[member_exact], histograms[exact], priors, poll, progress),
            strict=True,
        ):
            belief[member_exact] = found
    if not exact.all():
        part = groups.select(~exact)
        for belief, prior in zip(beliefs, priors, strict=True):
            poll()
            belief[~member_exact] = _omega(
                part, weights[~member_exact], histograms[~exact], prior[part.members]
            )
    for belief in beliefs:
        _refuse_contradiction(groups, belief)
    return Posterior(beliefs, exact)


def exact_posterior(prior: FloatArray, counts: IntArray) -> FloatArray:
    """Exact posterior of one group of records.

    Parameters
    ----------
    prior : (k, m) float array
        Prior of each record, rows summing to 1.
    counts : (m,) int array
        How often each value occurs; sums to ``k``.

    Returns
    -------
    (k, m) float array
        Rows sum to 1, columns to `counts`. Exact up to rounding.

    Raises
    ------
    InvalidParameter
        If shapes, priors or counts do not fit together.
    ContradictoryKnowledge
        If the counts have probability 0 under the priors.
    TooLarge
        If the lattice is beyond `EXACT_STATES`.
    """
    return _of_records(prior, counts, "exact")


def omega_posterior(prior: FloatArray, counts: IntArray) -> FloatArray:
    """Omega-estimate of the posterior of one group of records; see `exact_posterior`."""
    return _of_records(prior, counts, "omega")


def _of_records(prior: FloatArray, counts: IntArray, estimator: Estimator) -> FloatArray:
    """Posterior of one group whose records are cells of their own, after validation."""
    if prior.ndim != 2 or counts.ndim != 1 or prior.shape[1] != len(counts) or not prior.size:
        raise InvalidParameter(
            "the prior must be records x values and the counts one per value",
            detail=f"The shapes are {prior.shape} and {counts.shape}.",
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
    return posterior(whole, held, (prior,), estimator).beliefs[0]


def lattice_states(groups: Groups, weights: IntArray, histograms: IntArray) -> FloatArray:
    """Number of states that exact inference needs for each group, shape (g,), maybe infinite.

    Parameters
    ----------
    groups : Groups
        Groups of cells.
    weights : (e,) int array
        Records of each membership.
    histograms : (g, m) int array
        Records of each group with each value.
    """
    by_value = np.log(histograms + 1.0).sum(axis=1)
    by_cell = groups.sum(np.log(weights + 1.0))
    with np.errstate(over="ignore"):
        states: FloatArray = np.rint(np.exp(np.minimum(by_value, by_cell)))
    return states


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


def _exact(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    priors: tuple[FloatArray, ...],
    poll: Callable[[], None],
    progress: Callable[[float], None],
) -> list[FloatArray]:
    """Exact posteriors per membership, for each prior."""
    beliefs = [np.zeros((len(groups.members), histograms.shape[1])) for _ in priors]
    value_states = np.log(histograms + 1.0).sum(axis=1)
    cell_states = groups.sum(np.log(weights + 1.0))
    by_value = value_states <= cell_states
    batches: dict[tuple[bool, tuple[int, ...]], list[int]] = {}
    for group in range(len(groups)):
        if by_value[group]:
            capacities = histograms[group]
        else:
            capacities = weights[groups.offsets[group] : groups.offsets[group + 1]]
        signature = tuple(sorted(capacities[capacities > 0].tolist(), reverse=True))
        batches.setdefault((bool(by_value[group]), signature), []).append(group)
    states = np.exp(np.minimum(value_states, cell_states))
    done, total = 0.0, float(states.sum())
    for (records_are_items, capacities), batch in batches.items():
        infer = _place_records if records_are_items else _place_values
        infer(Lattice(capacities), groups, weights, histograms, priors, batch, beliefs, poll)
        done += float(states[batch].sum())
        progress(done / total)
    return beliefs


def _place_records(
    lattice: Lattice,
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    priors: tuple[FloatArray, ...],
    chosen: list[int],
    beliefs: list[FloatArray],
    poll: Callable[[], None],
) -> None:
    """Infer groups whose records are the items and whose values are the slots."""
    size = lattice.items
    batch = len(chosen)
    # Values in order of falling count match the lattice's sorted capacities.
    values = np.argsort(-histograms[chosen], axis=1, kind="stable")[:, : lattice.slots]
    members = np.concatenate(
        [np.arange(groups.offsets[group], groups.offsets[group + 1]) for group in chosen]
    )
    owner = np.repeat(np.arange(batch), groups.widths[chosen])
    records = np.repeat(members, weights[members]).reshape(batch, size)
    first = np.ones((batch, size), dtype=bool)
    first[:, 1:] = records[:, 1:] != records[:, :-1]
    cells = groups.members[records]
    likelihood = np.concatenate([prior[cells[:, :, None], values[:, None, :]] for prior in priors])
    marginals = lattice.marginals(likelihood, np.tile(first, (len(priors), 1)), poll)
    for belief, found in zip(beliefs, np.split(marginals, len(priors)), strict=True):
        belief[members[:, None], values[owner]] = found[first]


def _place_values(
    lattice: Lattice,
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    priors: tuple[FloatArray, ...],
    chosen: list[int],
    beliefs: list[FloatArray],
    poll: Callable[[], None],
) -> None:
    """Infer groups whose values are the items and whose cells are the slots."""
    size, slots = lattice.items, lattice.slots
    members = np.empty((len(chosen), slots), dtype=np.int64)
    items = np.empty((len(chosen), size), dtype=np.int64)
    for row, group in enumerate(chosen):
        span = np.arange(groups.offsets[group], groups.offsets[group + 1])
        members[row] = span[np.argsort(-weights[span], kind="stable")]
        items[row] = np.repeat(np.arange(histograms.shape[1]), histograms[group])
    first = np.ones((len(chosen), size), dtype=bool)
    first[:, 1:] = items[:, 1:] != items[:, :-1]
    cells = groups.members[members]
    likelihood = np.concatenate([prior[cells[:, None, :], items[:, :, None]] for prior in priors])
    marginals = lattice.marginals(likelihood, np.tile(first, (len(priors), 1)), poll)
    problem, item = np.nonzero(first)
    value = items[problem, item]
    copies = histograms[np.asarray(chosen)[problem], value]
    for belief, found in zip(beliefs, np.split(marginals, len(priors)), strict=True):
        share = found[problem, item] * copies[:, None] / weights[members[problem]]
        belief[members[problem], value[:, None]] = share


def _refuse_contradiction(groups: Groups, beliefs: FloatArray) -> None:
    """Raise where the posterior does not exist."""
    impossible = ~(beliefs.sum(axis=1) > 0.5)
    if impossible.any():
        group = int(groups.owner[np.argmax(impossible)])
        raise ContradictoryKnowledge(
            f"the prior contradicts the release in group {group}",
            detail="It gives probability 0 to the values that the group was released with.",
            hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
        )
