r"""Exact posteriors, by states of how full values or parts are.

Seen as a transport problem, `items` are placed one after another into `slots` with capacities:
records into values of capacity ``n_i``, or, just as well, values into parts of capacity the part's
number of records. The state after some items is how full each slot is, and its level, the number
of items placed, is the sum of its digits; so a forward and a backward pass touch each of the
``prod(capacity + 1)`` states once. The way with fewer states is taken. Groups with equal
capacities go through together, and so do several priors. Exact up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.placement import Placement
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["exact", "exact_states"]


def exact_states(groups: Groups, weights: IntArray, histograms: IntArray) -> FloatArray:
    """Number of states that exact inference needs for each group, shape (g,), maybe infinite.

    Parameters
    ----------
    groups : Groups
        Groups of parts.
    weights : (e,) int array
        Records of each membership.
    histograms : (g, m) int array
        Records of each group with each value.
    """
    by_value = np.log(histograms + 1.0).sum(axis=1)
    by_part = groups.sum(np.log(weights + 1.0))
    with np.errstate(over="ignore"):
        states: FloatArray = np.rint(np.exp(np.minimum(by_value, by_part)))
    return states


def exact(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    priors: tuple[FloatArray, ...],
    progress: Progress = SILENT,
) -> list[FloatArray]:
    """Exact posterior beliefs about each membership, for each prior.

    Parameters
    ----------
    groups : Groups
        Groups of parts.
    weights : (e,) int array
        Records of each membership.
    histograms : (g, m) int array
        Records of each group with each value.
    priors : tuple of (p, m) float array
        Priors of all parts.
    progress : Progress
        Receives the share of the states that is done.

    Returns
    -------
    list of (e, m) float array
        Rows sum to 1, or to 0 in groups whose values have probability 0 under the prior.
    """
    inference = _Inference(groups, weights, histograms, priors)
    value_states = np.log(histograms + 1.0).sum(axis=1)
    part_states = groups.sum(np.log(weights + 1.0))
    by_value = value_states <= part_states
    batches: dict[tuple[bool, tuple[int, ...]], list[int]] = {}
    for group in range(len(groups)):
        if by_value[group]:
            capacities = histograms[group]
        else:
            capacities = weights[groups.offsets[group] : groups.offsets[group + 1]]
        signature = tuple(sorted(capacities[capacities > 0].tolist(), reverse=True))
        batches.setdefault((bool(by_value[group]), signature), []).append(group)
    states = np.exp(np.minimum(value_states, part_states))
    done, total = 0.0, float(states.sum())
    for (records_are_items, capacities), batch in batches.items():
        place = inference.place_records if records_are_items else inference.place_values
        place(Placement(capacities), batch, progress)
        done += float(states[batch].sum())
        progress.report(done / total)
    return inference.beliefs


@dataclass(frozen=True, eq=False)
class _Inference:
    """Beliefs that are filled in batch by batch.

    Parameters
    ----------
    groups, weights, histograms, priors
        See `exact`.
    """

    groups: Groups
    weights: IntArray
    histograms: IntArray
    priors: tuple[FloatArray, ...]

    @cached_property
    def beliefs(self) -> list[FloatArray]:
        """Posterior beliefs for each prior, (e, m)."""
        shape = len(self.groups.members), self.histograms.shape[1]
        return [np.zeros(shape) for _ in self.priors]

    def place_records(self, placement: Placement, chosen: list[int], progress: Progress) -> None:
        """Infer groups whose records are the items and whose values are the slots."""
        groups, size, batch = self.groups, placement.items, len(chosen)
        # Values in order of falling count match the placement's sorted capacities.
        order = np.argsort(-self.histograms[chosen], axis=1, kind="stable")
        values = order[:, : placement.slots]
        members = np.concatenate(
            [np.arange(groups.offsets[group], groups.offsets[group + 1]) for group in chosen]
        )
        owner = np.repeat(np.arange(batch), groups.widths[chosen])
        records = np.repeat(members, self.weights[members]).reshape(batch, size)
        parts = groups.members[records]
        marginals, first = self._marginals(
            placement, parts[:, :, None], values[:, None, :], records, progress
        )
        for belief, marginal in zip(self.beliefs, marginals, strict=True):
            belief[members[:, None], values[owner]] = marginal[first]

    def place_values(self, placement: Placement, chosen: list[int], progress: Progress) -> None:
        """Infer groups whose values are the items and whose parts are the slots."""
        groups, histograms = self.groups, self.histograms
        members = np.empty((len(chosen), placement.slots), dtype=np.int64)
        items = np.empty((len(chosen), placement.items), dtype=np.int64)
        for row, group in enumerate(chosen):
            span = np.arange(groups.offsets[group], groups.offsets[group + 1])
            members[row] = span[np.argsort(-self.weights[span], kind="stable")]
            items[row] = np.repeat(np.arange(histograms.shape[1]), histograms[group])
        parts = groups.members[members]
        marginals, first = self._marginals(
            placement, parts[:, None, :], items[:, :, None], items, progress
        )
        problem, item = np.nonzero(first)
        value = items[problem, item]
        copies = histograms[np.asarray(chosen)[problem], value]
        for belief, marginal in zip(self.beliefs, marginals, strict=True):
            share = marginal[problem, item] * copies[:, None] / self.weights[members[problem]]
            belief[members[problem], value[:, None]] = share

    def _marginals(
        self,
        placement: Placement,
        parts: IntArray,
        values: IntArray,
        items: IntArray,
        progress: Progress,
    ) -> tuple[list[FloatArray], npt.NDArray[np.bool_]]:
        """Marginals for each prior, and which items are the first of their kind.

        Items of one kind, which stand side by side, have the same marginals.
        """
        first = np.ones(items.shape, dtype=bool)
        first[:, 1:] = items[:, 1:] != items[:, :-1]
        likelihood = np.concatenate([prior[parts, values] for prior in self.priors])
        marginals = placement.marginals(likelihood, np.tile(first, (len(self.priors), 1)), progress)
        return np.split(marginals, len(self.priors)), first
