"""Kernel weights along one quasi-identifier, of any number of values.

The weight of two values is the Epanechnikov kernel ``1 - (x / B)^2`` of their distance ``x < B``.
A matrix of all pairs would take the square of the number of values, but is needed for few only:

- *numbers*: the kernel is a quadratic, so what a run of values weighs follows from its sums of
  counts, of counts times offset, and of counts times squared offset;
- *a hierarchy*, also the flat one of a column without: the weight depends on the level of the
  lowest common ancestor, so what a value sees is a combination of the sums of its ancestors.

Sums of a quadratic cancel badly if taken as they come: values near the edge of a window weigh
almost nothing, but their count is large. So nothing here is a difference of running sums. With
``s = (T - gap) / T``, the share of the reach ``T`` that is left between a value and the edge, the
weight is ``s (2 - s)``, and ``s`` is a sum of non-negative steps: from the edge to where a run of
values begins, and on to each value. All that is ever subtracted is ``s^2`` from ``2 s``, at most
half of it. Weights are therefore exact up to rounding *relative to themselves* in whatever way
they are summed, if the gaps of values are: those of integers, dates and whole seconds are. Another
gap is rounded once, which moves its weight by some 1e-16; that matters only to a value for which
10,000 times more records lie at the very edge than within.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from bkpriv_core.belief.distance_scale import DistanceScale, steps_of
from bkpriv_core.belief.kernels import epanechnikov
from bkpriv_core.progress import Progress
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.kronecker import Factor

__all__ = ["Axis", "Strata", "kernel_axis"]

_TABLED = 256
"""Largest number of values of which a matrix of weights is made: the fastest way, for so few."""

_BLOCK = 128
"""Neighbouring values that are weighed together."""

_STEP_BYTES = 8 * 2**20
"""Largest slab of a tensor that is multiplied between two polls."""


Strata = tuple[tuple[float, IntArray], ...]
"""Partitions of the values, each with its weight, and the number of each value's class, (size,).

The weight of two values is the sum of the weights of the partitions in which they are of one class.
"""


class Axis(Factor, Protocol):
    """Kernel weights between the values of one attribute.

    `contract` replaces what each value has by the weighted sum of what it sees.
    """

    @property
    def sharp(self) -> bool:
        """Whether every value sees itself only."""

    @property
    def realms(self) -> IntArray:
        """Realm of each value, shape (size,): values of different realms do not see each other."""

    @property
    def strata(self) -> Strata | None:
        """Weights as a sum over partitions; None of numbers some of which see one another."""

    @property
    def tabled(self) -> FloatArray | None:
        """Weights of all pairs of values, shape (size, size); None if there are too many."""

    @property
    def ruler(self) -> DistanceScale | None:
        """Numbers in steps; None without numbers, and if they are no multiples of one step."""

    @property
    def effort(self) -> float:
        """Multiply-adds, in products of matrices, worth one element of `contract`."""

    @property
    def pair_effort(self) -> float:
        """Multiply-adds, in products of matrices, worth one of `pairs`."""

    def pairs(self, one: IntArray, other: IntArray) -> FloatArray:
        """Weights between codes: shapes (a,) and (b,) to (a, b)."""

    def in_reach(self) -> tuple[IntArray, IntArray]:
        """First code that each code may see and one past the last, rising: two of shape (size,)."""


def kernel_axis(domain: Domain, bandwidth: float) -> Axis:
    """Weights between the values of a domain under a positive bandwidth."""
    axis: Axis
    if domain.positions is not None:
        least = float(epanechnikov(np.ones(1), bandwidth)[0])
        if least and domain.span > domain.scale:
            axis = _Beyond(_Line.of(domain, 1.0), least)
        else:
            axis = _Line.of(domain, bandwidth)
    else:
        axis = _Tree(domain.nodes, epanechnikov(_steps(domain.height), bandwidth))
    return axis if axis.size > _TABLED else _Matrix.of(axis)


def _steps(height: int) -> FloatArray:
    """Distances that a hierarchy of a height has."""
    return np.arange(height + 1) / height


@dataclass(frozen=True, eq=False)
class _Matrix:
    """Weights that are tabled."""

    weights: FloatArray
    plain: Axis
    pair_effort: float = 30.0

    @classmethod
    def of(cls, axis: Axis) -> _Matrix:
        everything = np.arange(axis.size)
        return cls(axis.pairs(everything, everything), axis)

    @property
    def size(self) -> int:
        return len(self.weights)

    @cached_property
    def sharp(self) -> bool:
        return self.plain.sharp

    @property
    def realms(self) -> IntArray:
        return self.plain.realms

    @property
    def strata(self) -> Strata | None:
        return self.plain.strata

    @property
    def tabled(self) -> FloatArray:
        return self.weights

    @property
    def ruler(self) -> DistanceScale | None:
        return self.plain.ruler

    @property
    def effort(self) -> float:
        return float(self.size)

    def pairs(self, one: IntArray, other: IntArray) -> FloatArray:
        weights: FloatArray = np.take(self.weights[one], other, axis=1)
        return weights

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        result = np.empty_like(tensor)
        step = max(1, _STEP_BYTES // tensor[:1].nbytes)
        for start in range(0, len(tensor), step):
            progress.poll()
            slab = slice(start, start + step)
            np.matmul(self.weights, tensor[slab], out=result[slab])
        return result

    def in_reach(self) -> tuple[IntArray, IntArray]:
        return self.plain.in_reach()


@dataclass(frozen=True, eq=False)
class _Beyond:
    """Weights of numbers some of which are farther apart than the scale, under a bandwidth above 1.

    What is farther counts as so far, so all weigh at least ``1 - 1 / B^2``; and of what is left,
    ``1 - (x / B)^2 = (1 - 1 / B^2) + (1 - x^2) / B^2``, a kernel of bandwidth 1.
    """

    line: _Line
    """Weights under the bandwidth 1."""
    least: float
    """Weight at distance 1."""

    sharp = False
    strata = None
    tabled = None
    ruler = None

    @property
    def size(self) -> int:
        return self.line.size

    @property
    def realms(self) -> IntArray:
        return np.zeros(self.size, np.int64)

    @property
    def effort(self) -> float:
        return self.line.effort

    @property
    def pair_effort(self) -> float:
        return self.line.pair_effort

    def pairs(self, one: IntArray, other: IntArray) -> FloatArray:
        return self.least + (1.0 - self.least) * self.line.pairs(one, other)

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        near = self.line.contract(tensor, progress)
        near *= 1.0 - self.least
        near += self.least * tensor.sum(axis=1, keepdims=True)
        return near

    def in_reach(self) -> tuple[IntArray, IntArray]:
        return np.zeros(self.size, np.int64), np.full(self.size, self.size)


@dataclass(frozen=True, eq=False)
class _Tree:
    """Weights by the level of the lowest common ancestor."""

    nodes: IntArray
    """Shape (height + 1, size). Number of each value's ancestor on each level, beginning with the
    value itself.
    """
    weights: FloatArray
    """Shape (height + 1,). Weight of two values by the level of their lowest common ancestor;
    falling.
    """

    ruler = None
    tabled = None

    @property
    def size(self) -> int:
        return int(self.nodes.shape[1])

    @property
    def _top(self) -> int:
        """Highest level of a common ancestor through which values still see each other."""
        return int(np.flatnonzero(self.weights)[-1])

    @property
    def sharp(self) -> bool:
        return len(np.unique(self.nodes[self._top])) == self.size

    @property
    def realms(self) -> IntArray:
        realms: IntArray = self.nodes[self._top]
        return realms

    @cached_property
    def _falls(self) -> FloatArray:
        """Weight that common ancestors on each level add to those on higher ones."""
        falls: FloatArray = self.weights - np.append(self.weights[1:], 0.0)
        return falls

    @property
    def strata(self) -> Strata:
        falls = self._falls[: self._top + 1]
        kinds = [len(np.unique(level)) for level in self.nodes[: self._top + 1]]
        # Levels that part values alike are one partition.
        return tuple(
            (float(falls[np.equal(kinds, kind)].sum()), self.nodes[kinds.index(kind)])
            for kind in sorted(set(kinds), reverse=True)
        )

    @property
    def effort(self) -> float:
        return 16.0 * (1 + self._top)

    @property
    def pair_effort(self) -> float:
        return 20.0 * len(self.nodes)

    def pairs(self, one: IntArray, other: IntArray) -> FloatArray:
        # The lowest common ancestor is as high as there are levels on which two values differ.
        height = np.zeros((len(one), len(other)), dtype=np.int16)
        for level in self.nodes[:-1]:
            height += level[one][:, None] != level[other]
        return self.weights[height]

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        # sum_j w(i, j) t_j = sum over levels of (w_level - w_level+1) times the ancestor's sum.
        result: FloatArray = self._falls[0] * tensor
        for level in range(1, self._top + 1):
            progress.poll()
            order = np.argsort(self.nodes[level], kind="stable")
            ranked = self.nodes[level][order]
            first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
            place = np.searchsorted(ranked[first], self.nodes[level])
            sums = np.add.reduceat(tensor[:, order], first, axis=1)
            result += self._falls[level] * sums[:, place]
        return result

    def in_reach(self) -> tuple[IntArray, IntArray]:
        return np.zeros(self.size, np.int64), np.full(self.size, self.size)


@dataclass(frozen=True, eq=False)
class _Line:
    """Weights by the gap between numbers."""

    positions: FloatArray
    """Shape (numbers,). The numbers, in order."""
    reach: float
    """Gap at which the weight is 0, the bandwidth times the scale."""
    null: float | None
    """Weight between NULL, which has the last code, and a number; None if there is no NULL."""
    ruler: DistanceScale | None

    pair_effort = 40.0
    tabled = None

    @classmethod
    def of(cls, domain: Domain, bandwidth: float) -> _Line:
        assert domain.positions is not None
        # Scaled by a power of two, which rounds nothing, so that the scale is about 1.
        exponent = np.frexp(domain.scale)[1]
        numbers = np.ldexp(domain.positions[: domain.size - domain.has_null], -exponent)
        span = np.ldexp(domain.scale, -exponent)
        reach = max(bandwidth * span, np.finfo(np.float64).smallest_subnormal)
        null = float(epanechnikov(np.ones(1), bandwidth)[0]) if domain.has_null else None
        places = steps_of(domain.positions[: len(numbers)])
        ruler = None
        if places is not None:
            # Exactly the last place if the scale is the range.
            steps = float(places[-1]) * (domain.scale / domain.span) if places.any() else 1.0
            ruler = DistanceScale(
                places, min(bandwidth * steps, float(np.finfo(np.float64).max)), null
            )
        return cls(numbers, float(reach), null, ruler)

    @property
    def size(self) -> int:
        return len(self.positions) + (self.null is not None)

    @property
    def sharp(self) -> bool:
        return not (np.diff(self.positions) < self.reach).any() and not self.null

    @property
    def realms(self) -> IntArray:
        if self.null:
            return np.zeros(self.size, np.int64)
        realms = np.zeros(self.size, np.int64)
        np.cumsum(np.diff(self.positions) >= self.reach, out=realms[1 : len(self.positions)])
        if self.null is not None:
            realms[-1] = realms[:-1].max(initial=-1) + 1
        return realms

    @property
    def strata(self) -> Strata | None:
        return ((1.0, np.arange(self.size)),) if self.sharp else None

    @property
    def effort(self) -> float:
        return 5.0 * _BLOCK

    def pairs(self, one: IntArray, other: IntArray) -> FloatArray:
        if self.null is None:
            return self._between(self.positions[one], self.positions[other])
        numbers = np.append(self.positions, np.nan)
        weights = self._between(numbers[one], numbers[other])
        from_null, to_null = one == len(self.positions), other == len(self.positions)
        weights[from_null] = self.null
        weights[:, to_null] = self.null
        weights[np.ix_(from_null, to_null)] = 1.0
        return weights

    def _between(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Weights between numbers."""
        left = np.subtract.outer(one, other)
        np.abs(left, out=left)
        np.subtract(self.reach, left, out=left)
        np.maximum(left, 0.0, out=left)
        left /= self.reach
        weights = 2.0 - left
        weights *= left
        return weights

    def in_reach(self) -> tuple[IntArray, IntArray]:
        if self.null:
            return np.zeros(self.size, np.int64), np.full(self.size, self.size)
        # Rounding keeps the order: all in reach is included, at most with some that is not.
        first = np.searchsorted(self.positions, self.positions - self.reach, side="left")
        last = np.searchsorted(self.positions, self.positions + self.reach, side="right")
        if self.null is not None:
            first, last = np.append(first, self.size - 1), np.append(last, self.size)
        return first, last

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        count = len(self.positions)
        numbers = tensor[:, :count]
        result = np.empty_like(tensor)
        upward, downward = self._moments(numbers)
        for block in range(len(self._bounds[0])):
            progress.poll()
            own = slice(block * _BLOCK, (block + 1) * _BLOCK)
            result[:, :count][:, own] = self._seen_from(block, numbers, upward, downward)
        if self.null is not None:
            result[:, count] = tensor[:, count] + self.null * numbers.sum(axis=1)
            result[:, :count] += self.null * tensor[:, count:]
        return result

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        """First and last number of each block."""
        ends = np.append(np.arange(_BLOCK, len(self.positions), _BLOCK), len(self.positions)) - 1
        return self.positions[::_BLOCK], self.positions[ends[: len(self.positions[::_BLOCK])]]

    def _moments(self, numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sums over each block of counts times powers 0, 1, 2 of the offset, in units of the reach.

        Offsets are from the block's first number, and from its last: two arrays of shape
        (before, blocks, 3, after).
        """
        powers = np.arange(3)[:, None]
        blocks = len(self._bounds[0])
        upward = np.empty((len(numbers), blocks, 3, numbers.shape[2]))
        downward = np.empty_like(upward)
        for block, (low, high) in enumerate(zip(*self._bounds, strict=True)):
            own = slice(block * _BLOCK, (block + 1) * _BLOCK)
            for moments, offsets in (
                (upward, self.positions[own] - low),
                (downward, high - self.positions[own]),
            ):
                # A block wider than the reach is never wholly within it, and its sums not used.
                shares = np.minimum(offsets, self.reach) / self.reach
                np.matmul(shares**powers, numbers[:, own], out=moments[:, block])
        return upward, downward

    def _seen_from(
        self, block: int, numbers: FloatArray, upward: FloatArray, downward: FloatArray
    ) -> FloatArray:
        """Weighted sums that the values of a block see, shape (before, values, after)."""
        start, end = block * _BLOCK, min((block + 1) * _BLOCK, len(self.positions))
        here = self.positions[start:end]
        # Blocks that every value of this one sees as a whole: left ... block, and block ... right.
        low, high = self._bounds
        left = np.count_nonzero(here[-1] - low[:block] >= self.reach)
        right = block + 1 + np.count_nonzero(high[block + 1 :] - here[0] < self.reach)
        # What is seen in part, or too near to matter how: one by one.
        first = np.searchsorted(self.positions, here[0] - self.reach, side="left")
        last = np.searchsorted(self.positions, here[-1] + self.reach, side="right")
        weights = self._between(here, self.positions[start:end])
        seen: FloatArray = weights @ numbers[:, start:end]
        for near in (slice(first, left * _BLOCK), slice(right * _BLOCK, last)):
            if near.start < near.stop:
                seen += self._between(here, self.positions[near]) @ numbers[:, near]
        if left < block:
            edge = low[left]
            seen += self._whole(here - edge, low[left:block] - edge, upward[:, left:block])
        if block + 1 < right:
            edge = high[right - 1]
            inner = slice(block + 1, right)
            seen += self._whole(edge - here, edge - high[inner], downward[:, inner])
        return seen

    def _whole(self, gaps: FloatArray, offsets: FloatArray, moments: FloatArray) -> FloatArray:
        """Weighted sums of blocks on one side of some values, and within the reach of all.

        Args:
            gaps: Shape (values,). Distance from each value to the far end of the farthest block.
            offsets: Shape (blocks,). Distance from there to the far end of each block.
            moments: Shape (before, blocks, 3, after). Moments of the blocks about their far ends.
        """
        # Moments of all blocks together about the farthest end, all terms non-negative:
        # sum c (d + z)^2 = d^2 sum c + 2 d sum c z + sum c z^2.
        d = offsets / self.reach
        shift = np.zeros((3, len(d), 3))
        shift[[0, 1, 2], :, [0, 1, 2]] = 1.0
        shift[1, :, 0], shift[2, :, 0], shift[2, :, 1] = d, d**2, 2.0 * d
        joint = shift.reshape(3, -1) @ moments.reshape(len(moments), -1, moments.shape[3])
        # sum c s (2 - s), s = left + z: what is subtracted, z^2, is at most half of 2 (1 - left) z.
        left = (self.reach - gaps) / self.reach
        terms = np.column_stack((left * (2.0 - left), 2.0 * (1.0 - left), np.full(len(left), -1.0)))
        seen: FloatArray = terms @ joint
        return seen
