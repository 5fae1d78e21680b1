r"""Exact posteriors, by states of how full values or parts are.

Seen as a transport problem, `items` are placed one after another into `slots` with capacities:
records into values of capacity ``n_i``, or, just as well, values into parts of capacity the part's
number of records. The state after some items is how full each slot is, and its level, the number
of items placed, is the sum of its digits; so a forward and a backward pass touch each of the
``prod(capacity + 1)`` states once. The way with fewer states is taken.

Groups go through together, and so do several priors. Small ones take no time but that of the calls,
so groups of various capacities are *hosted* by the states of larger ones, filled in part from the
start, where that is less work than states of their own. Exact up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.placement import Placement
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["exact", "exact_states"]

_Capacities = tuple[int, ...]
"""Capacities of slots, falling."""

_CALLS = 3000.0
"""States and slots of one, in both passes, that take as long as the calls for one item."""


def exact_states(groups: Groups, weights: IntArray, histograms: IntArray) -> FloatArray:
    """Number of states that exact inference needs for each group, shape (g,), maybe infinite.

    Args:
        weights: Shape (e,). Records of each membership.
        histograms: Shape (g, m). Records of each group with each value.
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

    Args:
        weights: Shape (e,). Records of each membership.
        histograms: Shape (g, m). Records of each group with each value.
        progress: Receives the share of the states that is done.

    Returns:
        Rows sum to 1, or to 0 in groups whose values have probability 0 under the prior.
    """
    inference = _Inference(groups, weights, histograms, priors)
    value_states = np.log(histograms + 1.0).sum(axis=1)
    part_states = groups.sum(np.log(weights + 1.0))
    by_value = value_states <= part_states
    alike: dict[bool, dict[_Capacities, list[int]]] = {True: {}, False: {}}
    for group in range(len(groups)):
        if by_value[group]:
            capacities = histograms[group]
        else:
            capacities = weights[groups.offsets[group] : groups.offsets[group + 1]]
        signature = tuple(sorted(capacities[capacities > 0].tolist(), reverse=True))
        alike[bool(by_value[group])].setdefault(signature, []).append(group)
    states = np.exp(np.minimum(value_states, part_states))
    done, total = 0.0, float(states.sum())
    for records_are_items, batches in alike.items():
        place = inference.place_records if records_are_items else inference.place_values
        for capacities, batch in _hosted(batches):
            place(Placement(capacities), batch, progress)
            done += float(states[batch].sum())
            progress.report(done / total)
    return inference.beliefs


def _hosted(batches: dict[_Capacities, list[int]]) -> list[tuple[_Capacities, list[int]]]:
    """Merge batches of groups of various capacities, as long as that is less work.

    Returns:
        Capacities that those of each of some groups fit into, and the groups. One slot alone takes
        no work.
    """
    merged: list[tuple[_Capacities, list[int]]] = [
        (capacities, batch) for capacities, batch in batches.items() if len(capacities) == 1
    ]
    several = [capacities for capacities in batches if len(capacities) > 1]
    if not several:
        return merged
    needed = np.zeros((len(several), max(map(len, several))), dtype=np.int64)
    for row, capacities in zip(needed, several, strict=True):
        row[: len(capacities)] = capacities
    alone = _work(needed)
    # Of each host what it holds, the work of a group in it, and its groups.
    hosts, work, held = (
        np.zeros_like(needed),
        np.zeros(len(several)),
        [list[int]() for _ in several],
    )
    sizes = np.zeros(len(several))
    count = 0
    for place in np.argsort(-alone, kind="stable"):
        batch = batches[several[place]]
        united = np.maximum(hosts[:count], needed[place])
        shared = _work(united)
        added = sizes[:count] * (shared - work[:count]) + len(batch) * (shared - alone[place])
        host = int(added.argmin()) if count else 0
        if count and added[host] <= _CALLS * needed[place].sum():
            hosts[host], work[host] = united[host], shared[host]
        else:
            host, count = count, count + 1
            hosts[host], work[host] = needed[place], alone[place]
        sizes[host] += len(batch)
        held[host] += batch
    hosted = zip(hosts[:count], held[:count], strict=True)
    return merged + [(tuple(host[host > 0].tolist()), batch) for host, batch in hosted]


def _work(capacities: IntArray) -> FloatArray:
    """States times slots of each row of capacities, some of which may be 0."""
    work: FloatArray = (capacities + 1.0).prod(axis=1) * (capacities > 0).sum(axis=1)
    return work


@dataclass(frozen=True, eq=False)
class _Inference:
    """Beliefs that are filled in batch by batch."""

    groups: Groups
    weights: IntArray
    histograms: IntArray
    priors: tuple[FloatArray, ...]
    """See `exact`."""

    @cached_property
    def beliefs(self) -> list[FloatArray]:
        """Posterior beliefs for each prior, (e, m)."""
        shape = len(self.groups.members), self.histograms.shape[1]
        return [np.zeros(shape) for _ in self.priors]

    def place_records(self, placement: Placement, chosen: list[int], progress: Progress) -> None:
        """Infer groups whose records are the items and whose values are the slots."""
        groups, histograms = self.groups, self.histograms[chosen]
        # Values in order of falling count match the placement's sorted capacities.
        values = np.argsort(-histograms, axis=1, kind="stable")[:, : placement.slots]
        members = _positions(groups, chosen)
        owner = np.repeat(np.arange(len(chosen)), groups.widths[chosen])
        records = _at_the_end(members, self.weights[members], owner, len(chosen))
        marginals, first = self._marginals(
            placement,
            groups.members[records][:, :, None],
            values[:, None, :],
            records,
            capacities=np.take_along_axis(histograms, values, axis=1),
            progress=progress,
        )
        for belief, marginal in zip(self.beliefs, marginals, strict=True):
            belief[members[:, None], values[owner]] = marginal[first]

    def place_values(self, placement: Placement, chosen: list[int], progress: Progress) -> None:
        """Infer groups whose values are the items and whose parts are the slots."""
        groups, histograms = self.groups, self.histograms[chosen]
        positions = _positions(groups, chosen)
        widths = groups.widths[chosen]
        owner = np.repeat(np.arange(len(chosen)), widths)
        # Parts in order of falling weight match the placement's sorted capacities.
        order = np.lexsort((-self.weights[positions], owner))
        slot = np.arange(len(owner)) - np.repeat(np.cumsum(widths) - widths, widths)
        members = np.zeros((len(chosen), placement.slots), dtype=np.int64)
        capacities = np.zeros_like(members)
        members[owner, slot] = positions[order]
        capacities[owner, slot] = self.weights[positions[order]]
        problem, value = np.nonzero(histograms)
        copies = histograms[problem, value]
        items = _at_the_end(value, copies, problem, len(chosen))
        marginals, first = self._marginals(
            placement,
            groups.members[members][:, None, :],
            items[:, :, None],
            items,
            capacities=capacities,
            progress=progress,
        )
        rows, slots = np.nonzero(capacities[problem])
        place = members[problem[rows], slots]
        for belief, marginal in zip(self.beliefs, marginals, strict=True):
            share = marginal[first] * copies[:, None]
            belief[place, value[rows]] = share[rows, slots] / self.weights[place]

    def _marginals(
        self,
        placement: Placement,
        parts: IntArray,
        values: IntArray,
        items: IntArray,
        capacities: IntArray,
        progress: Progress,
    ) -> tuple[list[FloatArray], BoolArray]:
        """Marginals for each prior, and which items are the first of their kind.

        Items of one kind, which stand side by side, have the same marginals. Those that a group
        does not have, to which any part and value stand, weigh nothing; so do slots.
        """
        there = np.arange(items.shape[1]) >= items.shape[1] - capacities.sum(axis=1)[:, None]
        first = there.copy()
        first[:, 1:] &= (items[:, 1:] != items[:, :-1]) | ~there[:, :-1]
        open_ = there[:, :, None] & (capacities > 0)[:, None, :]
        likelihood = np.concatenate([prior[parts, values] * open_ for prior in self.priors])
        several = len(self.priors)
        marginals = placement.marginals(
            likelihood,
            np.tile(first, (several, 1)),
            np.tile(capacities, (several, 1)),
            progress,
        )
        return np.split(marginals, several), first


def _positions(groups: Groups, chosen: list[int]) -> IntArray:
    """Memberships of some groups, one group after the other."""
    return np.concatenate(
        [np.arange(groups.offsets[group], groups.offsets[group + 1]) for group in chosen]
    )


def _at_the_end(kinds: IntArray, copies: IntArray, owner: IntArray, problems: int) -> IntArray:
    """Items of each problem, copies side by side, at the end of a row each; before them 0."""
    owners = np.repeat(owner, copies)
    sizes = np.bincount(owners, minlength=problems)
    rows = np.zeros((problems, int(sizes.max())), dtype=np.int64)
    rank = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows[owners, rows.shape[1] - sizes[owners] + rank] = np.repeat(kinds, copies)
    return rows
