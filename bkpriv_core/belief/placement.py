"""Placing items into slots of given capacities: marginals by a forward and a backward pass.

Items ``0 ... k-1`` are placed one after another; item ``t`` goes to slot ``s`` with weight
``w[t, s]``, and in the end slot ``s`` holds exactly ``capacity[s]`` items. The weight of a complete
placement is the product of its items' weights. The sum over placements is the permanent of a
matrix with repeated columns, and the share of those with item ``t`` in slot ``s`` is its marginal.

A state says how full each slot is. The number of items placed so far is the sum of its digits, so
a state belongs to one level, and each pass touches each of the ``prod(capacity + 1)`` states once:
``O(slots * states)`` in all, whatever the number of items. Many problems with equal capacities run
through the states together. So do problems of fewer items, whose slots are *filled* in part from
the start: they begin at a later level, at the state that says so.

Rules:

- The backward pass is a forward pass over the items in reverse, from the full slots down: what is
  left to fill is a state too. So both passes look neighbours up in one table.
- Items and slots are *balanced* before: scaled, which leaves the marginals unchanged, so that the
  weights of each item sum to 1 and those of each slot nearly to its capacity. Then a state's weight
  is the probability that independent items fill the slots so, and that of the given capacities is
  no rare one: were the scaling perfect, at least that of a multinomial's mode, by van der Waerden's
  bound on permanents. So what matters does not underflow, however many items there are. Scaling
  to a maximum of 1 at every level would not do: what weighs little halfway may be all that counts.
  Where no product of weights can underflow, nothing is balanced.
- Only products and sums of numbers that are not negative are taken, so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["Placement"]

_BATCH_FLOATS = 2**22
"""Size to which the arrays of one batch of problems are limited, where one fits."""

_KEPT_PLACES = 2**23
"""Size of the table of neighbours up to which it is kept from pass to pass, and made at once."""

_KEPT_DIGITS = 2**26
"""Number of digits of all states up to which they are kept, a byte each."""

_BALANCED = 0.1
"""Largest share by which a slot's weights may differ from its capacity."""

_BALANCINGS = 100
"""Times that weights are scaled at most; they need not come to balance where some are 0."""

_HARMLESS = 500.0
"""Logarithm up to which products of weights neither underflow nor overflow."""

_SPREAD = 200.0
"""Logarithm of the largest scale, by which no number overflows."""

_Digits = npt.NDArray[np.integer[Any]]
"""Digits of states, shape (n,)."""

_Places = npt.NDArray[np.intp]
"""Places in the level before, for slots and states, shape (s, n): of the state with an item less in
the slot; beyond the last place where there is none."""


class Placement:
    """Forward-backward inference over all states of slots with the given capacities."""

    def __init__(self, capacities: tuple[int, ...]) -> None:
        self._radix = np.asarray(capacities, dtype=np.int64) + 1
        self._strides = np.concatenate((np.cumprod(self._radix[::-1])[::-1][1:], [1]))
        self.slots = len(capacities)
        self.items = int(sum(capacities))
        self._states = int(np.prod(self._radix))
        # States are numbers whose digits say how full slots are; they are listed level by level.
        level = np.zeros(1, dtype=np.int16 if self.items < 2**15 else np.int32)
        for radix in self._radix:
            level = (level[:, None] + np.arange(radix, dtype=level.dtype)).ravel()
        self._order = np.argsort(level, kind="stable").astype(np.int32)
        self._sizes = np.bincount(level).tolist()
        self._bounds = np.concatenate(([0], np.cumsum(self._sizes)))

    def _level(self, level: int) -> slice:
        return slice(int(self._bounds[level]), int(self._bounds[level + 1]))

    @cached_property
    def _kept_digits(self) -> list[_Digits]:
        """Digits of all states in order, by slot; empty if that is too much to keep."""
        if self._states * self.slots > _KEPT_DIGITS:
            return []
        dtype = np.min_scalar_type(int(self._radix.max()))
        digits = []
        for stride, radix in zip(self._strides, self._radix, strict=True):
            repeated = np.empty((self._states // (stride * radix), radix, stride), dtype)
            repeated[:] = np.arange(radix, dtype=dtype)[:, None]
            digits.append(repeated.take(self._order))
        return digits

    def _digits(self, slot: int, some: slice) -> _Digits:
        """Number of items in a slot, in each of some states."""
        if self._kept_digits:
            return self._kept_digits[slot][some]
        # Division by one number is several times faster than by an array, or than a remainder.
        radix = np.int32(self._radix[slot])
        above = self._order[some] // np.int32(self._strides[slot])
        digits: _Digits = above - above // radix * radix
        return digits

    @cached_property
    def _kept(self) -> list[_Places]:
        """Places for all slots, level by level; empty if that is too much to keep."""
        if self._states * self.slots > _KEPT_PLACES:
            return []
        # For each state the place within its level, along one axis for each slot.
        within = np.arange(self._states, dtype=np.int32)
        within -= np.repeat(self._bounds[:-1].astype(np.int32), self._sizes)
        places = np.empty(self._states, dtype=np.int32)
        places[self._order] = within
        table = np.empty((self.slots, self._states), dtype=np.int32)
        for row, stride, radix in zip(table, self._strides, self._radix, strict=True):
            moved = np.full(
                (self._states // (stride * radix), radix, stride), self._states, np.int32
            )
            moved[:, 1:] = places.reshape(moved.shape)[:, :-1]
            moved.take(self._order, out=row, mode="clip")
        return [table[:, self._level(level)].astype(np.intp) for level in range(1, self.items + 1)]

    def _arrivals(self, level: int) -> Iterable[tuple[slice, _Places]]:
        """Slots and from where an item in each leads to the states of a level; see `_Places`."""
        if self._kept:
            return ((slice(None), self._kept[level - 1]),)
        return self._arrivals_by_slot(self._level(level - 1), self._level(level))

    def _arrivals_by_slot(self, before: slice, here: slice) -> Iterator[tuple[slice, _Places]]:
        for slot, radix in enumerate(self._radix.tolist()):
            places = np.full((1, here.stop - here.start), before.stop - before.start, np.intp)
            room = self._digits(slot, before) < radix - 1
            # With an item more in the slot states keep their order.
            places[0, self._digits(slot, here) > 0] = np.flatnonzero(room)
            yield slice(slot, slot + 1), places

    def marginals(
        self,
        weights: FloatArray,
        wanted: BoolArray,
        capacities: IntArray | None = None,
        progress: Progress = SILENT,
    ) -> FloatArray:
        """Probability that each item lies in each slot.

        Args:
            weights: Shape (b, k, s). Non-negative weights of `b` problems. The items of one that
                has fewer than `k` come last, and the others weigh nothing, as do all in slots that
                are full.
            wanted: Shape (b, k). Items for which marginals are needed; the rows of the others are
                left zero.
            capacities: Shape (b, s). Room that is left in each slot, if some are filled in part
                from the start.

        Returns:
            Shape (b, k, s). Rows sum to 1, or to 0 in problems without any placement of positive
            weight.
        """
        if capacities is None:
            capacities = np.broadcast_to(self._radix - 1, (len(weights), self.slots))
        if self.slots == 1:
            # There is but one placement, which is possible or not.
            items = weights.shape[1]
            placed = np.arange(items) >= items - capacities
            possible = ((weights[:, :, 0] > 0) | ~placed).all(axis=1)[:, None, None]
            return np.where(wanted[:, :, None] & possible, 1.0, 0.0)
        step = max(1, _BATCH_FLOATS // (self._states * self.slots))
        batches = [
            self._batch(weights[some], wanted[some], capacities[some], progress)
            for some in (slice(start, start + step) for start in range(0, len(weights), step))
        ]
        return np.concatenate(batches)

    def _batch(
        self,
        weights: FloatArray,
        wanted: BoolArray,
        capacities: IntArray,
        progress: Progress,
    ) -> FloatArray:
        moves = np.ascontiguousarray(_balanced(weights, capacities).transpose(1, 0, 2))
        needed: list[bool] = np.any(wanted, axis=0).tolist()
        items, first_level = len(moves), self.items - len(moves)
        # How heavy what comes after each item is, for each state that it may lead to. How full and
        # how empty slots are run in opposite order.
        after: dict[int, FloatArray] = {}
        ahead = np.repeat([[1.0, 0.0]], len(weights), axis=0)
        for item in reversed(range(items)):
            if needed[item]:
                after[item] = ahead[:, -2::-1, None]
            if item:
                progress.poll()
                ahead = self._step(ahead, items - item, moves[item])
        marginals = np.zeros(moves.shape)
        reached = np.zeros((len(weights), self._sizes[first_level] + 1))
        begun = items - capacities.sum(axis=1)
        filled = (self._radix - 1 - capacities) @ self._strides
        for item, move in enumerate(moves):
            progress.poll()
            level = first_level + item
            beginning = np.flatnonzero(begun == item)
            if beginning.size:
                states = self._order[self._level(level)]
                reached[beginning, np.searchsorted(states, filled[beginning])] = 1.0
            reached = self._step(
                reached, level + 1, move, after.pop(item, None), through=marginals[item]
            )
        totals = marginals.sum(axis=2, keepdims=True)
        shares = np.divide(marginals, totals, out=np.zeros_like(marginals), where=totals > 0)
        return np.where(wanted[:, :, None], shares.transpose(1, 0, 2), 0.0)

    def _step(
        self,
        before: FloatArray,
        level: int,
        move: FloatArray,
        after: FloatArray | None = None,
        through: FloatArray | None = None,
    ) -> FloatArray:
        """Place one more item.

        Args:
            before: Shape (b, n' + 1). Weights of the states of the level before, with a last one
                that is 0.
            move: Shape (b, s). Weights of the item.
            after, through: Shape (b, n, 1). If it is given what comes after each state of the
                level, how heavy all is in which the item goes to each slot is written into the
                other.

        Returns:
            Shape (b, n + 1). Weights of the states of the level, likewise.
        """
        here = np.zeros((len(before), self._sizes[level] + 1))
        for slots, places in self._arrivals(level):
            arrived = before.take(places, axis=1, mode="clip")
            here[:, None, :-1] += np.matmul(move[:, None, slots], arrived)
            if after is not None and through is not None:
                through[:, slots] = move[:, slots] * np.matmul(arrived, after)[:, :, 0]
        return here


def _balanced(weights: FloatArray, capacities: IntArray) -> FloatArray:
    """Scale items to sum 1 and slots near to their capacities, (b, s); see the module."""
    balanced = np.array(weights)
    for axis in (1, 2):
        top = balanced.max(axis=axis, keepdims=True)
        np.divide(balanced, top, out=balanced, where=top > 0)
    least = balanced.min(initial=1.0, where=balanced > 0)
    if balanced.shape[1] * (np.log(balanced.shape[2]) - np.log(least)) < _HARMLESS:
        return balanced
    open_ = np.arange(len(balanced))
    left, room = balanced, capacities[:, None, :]
    by_slot = np.ones(room.shape)
    for turn in range(_BALANCINGS):
        by_item = np.matmul(left, by_slot.transpose(0, 2, 1))
        by_item = np.divide(1.0, by_item, out=np.zeros_like(by_item), where=by_item > 0)
        filled = np.matmul(by_item.transpose(0, 2, 1), left)
        held = by_slot * filled
        short = np.divide(room, held, out=np.ones_like(held), where=held > 0)
        done = (np.abs(short - 1.0) <= _BALANCED).all(axis=(1, 2))
        if turn == _BALANCINGS - 1:
            done[:] = True
        if done.any():
            balanced[open_[done]] *= by_slot[done] * by_item[done]
            if done.all():
                break
            open_, left, room = open_[~done], left[~done], room[~done]
            by_slot, short = by_slot[~done], short[~done]
        # Where there is no placement at all, the scales would run away.
        scaled = by_slot * short
        spread = np.abs(np.log(scaled, out=np.zeros_like(scaled), where=scaled > 0))
        by_slot = np.where(spread.max(axis=2, keepdims=True) < _SPREAD, scaled, by_slot)
    return balanced
