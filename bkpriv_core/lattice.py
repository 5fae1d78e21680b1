"""Placing items into slots of given capacities: marginals by a forward-backward lattice.

Items ``0 ... k-1`` are placed one after another; item ``t`` goes to slot ``s`` with weight
``w[t, s]``, and in the end slot ``s`` holds exactly ``capacity[s]`` items. The weight of a complete
placement is the product of its items' weights. The sum over placements is the permanent of a
matrix with repeated columns, and the share of those with item ``t`` in slot ``s`` is its marginal.

A state says how full each slot is. The number of items placed so far is the sum of its digits, so
a state belongs to one level, and each pass touches each of the ``prod(capacity + 1)`` states once:
``O(slots * states)`` in all, whatever the number of items. Many problems with equal capacities run
through one lattice together. Slots, items and levels are scaled to a maximum of 1, which leaves the
marginals unchanged and keeps products of many small probabilities from underflowing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bkpriv_core.groups import FloatArray

__all__ = ["Lattice"]

_BATCH_FLOATS = 2**22
"""Size to which the arrays of one batch of problems are limited, where one fits."""

_BLOCK_STATES = 2**20
"""States whose neighbours are looked up at a time, where a level fits."""


class Lattice:
    """Forward-backward inference over all states of slots with the given capacities.

    Parameters
    ----------
    capacities : tuple of int
        Positive capacity of each slot.
    """

    def __init__(self, capacities: tuple[int, ...]) -> None:
        self._radix = np.asarray(capacities, dtype=np.int64) + 1
        self._strides = np.concatenate((np.cumprod(self._radix[::-1])[::-1][1:], [1]))
        self.slots = len(capacities)
        self.items = int(sum(capacities))
        self._states = int(np.prod(self._radix))
        # States are stored level by level: `_order` lists them so, `_rank` is its inverse. The
        # last rank is that of a state of weight 0, to which moves beyond a capacity lead.
        level = np.zeros(1, dtype=np.int32)
        for radix in self._radix:
            level = (level[:, None] + np.arange(radix, dtype=np.int32)).ravel()
        self._order = np.argsort(level, kind="stable").astype(np.int32)
        self._rank = np.empty(self._states + 1, dtype=np.int32)
        self._rank[self._order] = np.arange(self._states, dtype=np.int32)
        self._rank[self._states] = self._states
        self._bounds = np.concatenate(([0], np.cumsum(np.bincount(level))))

        self._blocks = self._cut_into_blocks()
        self._whole: dict[int, npt.NDArray[np.int32]] = {}

    def _cut_into_blocks(self) -> list[range]:
        """Ranges of consecutive levels whose neighbours are looked up together."""
        blocks = []
        first = 0
        for level in range(self.items + 1):
            if self._bounds[level + 1] - self._bounds[first] > _BLOCK_STATES and level > first:
                blocks.append(range(first, level))
                first = level
        return [*blocks, range(first, self.items + 1)]

    def _level(self, level: int) -> slice:
        return slice(int(self._bounds[level]), int(self._bounds[level + 1]))

    def _neighbours(self, block: range, step: int) -> npt.NDArray[np.int32]:
        """Ranks of the states one item more (step 1) or less (step -1) in each slot.

        Shape (n, s) for the n states of the block's levels.
        """
        if step in self._whole:
            return self._whole[step]
        states = self._order[self._bounds[block.start] : self._bounds[block.stop]]
        ranks = np.empty((len(states), self.slots), dtype=np.int32)
        for slot, (stride, radix) in enumerate(zip(self._strides, self._radix, strict=True)):
            # Division by one number at a time is several times faster than by an array of them.
            digit = states // np.int32(stride) % np.int32(radix)
            within = digit < np.int32(radix - 1) if step > 0 else digit > 0
            moved = np.where(within, states + np.int32(step * stride), np.int32(self._states))
            ranks[:, slot] = self._rank[moved]
        if len(self._blocks) == 1:
            self._whole[step] = ranks
        return ranks

    def marginals(
        self,
        weights: FloatArray,
        wanted: npt.NDArray[np.bool_],
        poll: Callable[[], None] = lambda: None,
    ) -> FloatArray:
        """Probability that each item lies in each slot.

        Parameters
        ----------
        weights : (b, k, s) float array
            Non-negative weights of `b` problems.
        wanted : (b, k) bool array
            For which items marginals are needed; the rows of the others are left zero.
        poll : callable
            Called at every level; may raise to cancel.

        Returns
        -------
        (b, k, s) float array
            Rows sum to 1, or to 0 in problems without any placement of positive weight.
        """
        step = max(1, _BATCH_FLOATS // (self._states * self.slots))
        parts = [
            self._batch(weights[start : start + step], wanted[start : start + step], poll)
            for start in range(0, len(weights), step)
        ]
        return np.concatenate(parts)

    def _batch(
        self, weights: FloatArray, wanted: npt.NDArray[np.bool_], poll: Callable[[], None]
    ) -> FloatArray:
        batch = len(weights)
        moves = np.ascontiguousarray(_balanced(weights).transpose(1, 2, 0))
        forward = np.zeros((self._states + 1, batch))
        forward[0] = 1.0
        for block in self._blocks:
            arrivals = self._neighbours(block, -1)
            start = self._bounds[block.start]
            for level in block:
                poll()
                if 0 < level < self.items:
                    here = self._level(level)
                    arrived = forward[arrivals[here.start - start : here.stop - start]]
                    total = np.einsum("nsb,sb->nb", arrived, moves[level - 1])
                    forward[here] = _scaled(total)
        marginals = np.zeros((self.items, self.slots, batch))
        needed: list[bool] = np.any(wanted, axis=0).tolist()
        # Of the backward pass only one level is kept, with a last row of weight 0.
        ahead = np.array([[1.0], [0.0]]) * np.ones(batch)
        for block in reversed(self._blocks):
            departures = self._neighbours(block, 1)
            start = self._bounds[block.start]
            for item in reversed(block):
                poll()
                if item == self.items:
                    continue
                here = self._level(item)
                reached = departures[here.start - start : here.stop - start]
                onward = ahead[np.minimum(reached - self._bounds[item + 1], len(ahead) - 1)]
                if needed[item]:
                    marginals[item] = np.einsum("nb,nsb->sb", forward[here], onward) * moves[item]
                ahead = _scaled(np.einsum("nsb,sb->nb", onward, moves[item]))
                ahead = np.concatenate((ahead, np.zeros((1, batch))))
        totals = marginals.sum(axis=1, keepdims=True)
        shares = np.divide(marginals, totals, out=np.zeros_like(marginals), where=totals > 0)
        return np.where(wanted[:, :, None], shares.transpose(2, 0, 1), 0.0)


def _balanced(weights: FloatArray) -> FloatArray:
    """Scale slots, then items, to a largest weight of 1, which leaves the marginals unchanged."""
    by_slot = weights.max(axis=1, keepdims=True)
    balanced: FloatArray = np.divide(
        weights, by_slot, out=np.zeros_like(weights), where=by_slot > 0
    )
    by_item = balanced.max(axis=2, keepdims=True)
    np.divide(balanced, by_item, out=balanced, where=by_item > 0)
    return balanced


def _scaled(level: FloatArray) -> FloatArray:
    """Divide each problem's weights by the largest, where there is any."""
    top = level.max(axis=0)
    return level / np.where(top > 0, top, 1.0)
