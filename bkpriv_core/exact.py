r"""Exact posteriors, by lattices of how full values or cells are.

Seen as a transport problem, `items` are placed one after another into `slots` with capacities:
records into values of capacity ``n_i``, or, just as well, values into cells of capacity the cell's
number of records. The state after some items is how full each slot is, and its level, the number
of items placed, is the sum of its digits; so a forward and a backward pass touch each of the
``prod(capacity + 1)`` states once. The smaller of the two lattices is taken. Groups with equal
capacities go through together, and so do several priors. Exact up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bkpriv_core.groups import FloatArray, Groups, IntArray
from bkpriv_core.lattice import Lattice

__all__ = ["exact", "lattice_states"]


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


def exact(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    priors: tuple[FloatArray, ...],
    poll: Callable[[], None] = lambda: None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[FloatArray]:
    """Exact posterior beliefs about each membership, for each prior.

    Parameters
    ----------
    groups : Groups
        Groups of cells.
    weights : (e,) int array
        Records of each membership.
    histograms : (g, m) int array
        Records of each group with each value.
    priors : tuple of (c, m) float array
        Priors of all cells.
    poll : callable
        Called between batches; may raise to cancel.
    progress : callable
        Told the share of the lattices' states that is done.

    Returns
    -------
    list of (e, m) float array
        Rows sum to 1, or to 0 in groups whose values have probability 0 under the prior.
    """
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
