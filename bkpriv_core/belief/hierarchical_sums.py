"""Weighted counts around the cells of a table, by sums over strands of cells, without pairs.

A hierarchy weighs two values by the level of their lowest common ancestor. Such a weight is a sum
over levels: what common ancestors of one level add to those of the next (`Axis.strata`). A product
over several hierarchies is thus a sum over combinations of levels, and each term is a partition of
the cells: a *strand* holds those with the same ancestors on these levels.

One attribute may be numbers. In each strand its cells stand in their order, and the kernel is a
quadratic, so what a cell sees there follows from the number of records within reach, the sum of
their places and that of their squares: differences of running sums. Such differences cancel, but
not here, where places are whole numbers of steps and all arithmetic that cancels is of integers.
With the reach ``T`` in steps, ``n`` the largest gap of a pair within it, and gaps ``g``,

    T^2 sum c (1 - (g / T)^2) = (n^2 sum c - sum c g^2) + (T - n) (T + n) sum c.

The first term is an integer, at most ``n^2`` times the number of records. Where that is below 2^62
it is right although the running sums of squares may run over: they do modulo 2^64. Neither term is
negative. So what is seen is exact up to rounding relative to itself, however many more records
stand at the edge of the reach than near.

Where several attributes are numbers that see one another, strands are ordered along the one of most
values. The others must be so few that their weights are tabled: they part strands as well, and each
cell looks at the strand of every value within reach of its own.

The cost is that of sorting the cells for each combination of levels within the bandwidths, and of
passing over them for each such value and each sensitive value; be all cells unique or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from bkpriv_core.belief.distance_scale import ONE_PLACE, DistanceScale
from bkpriv_core.belief.kernel_axis import Axis, Strata
from bkpriv_core.progress import Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["HierarchicalSums"]

_EXACT = 2**62
"""Bound of the integers that are computed from running sums, and of the numbers of places."""

_SLAB_BYTES = 128 * 2**20
"""Memory for counts and sums by place, of some sensitive values at a time; one at least."""

_COUNTED = 1_000
"""Combinations of levels so few that the places of each are estimated."""

_SORT_EFFORT = 900.0
"""Multiply-adds, in products of matrices, worth a cell's share of sorting cells into strands."""

_VALUE_EFFORT = 150.0
"""Multiply-adds worth counting a cell's records of one sensitive value, and adding what it sees."""

_LOOK_EFFORT = 300.0
"""Multiply-adds worth finding what one place sees of one strand."""

_SEEN_EFFORT = 300.0
"""Multiply-adds worth adding that up for one sensitive value."""


@dataclass(frozen=True, eq=False)
class HierarchicalSums:
    """Cells of a table, to be arranged in strands."""

    table: Table
    strata: tuple[tuple[int, Strata], ...]
    """Attributes whose common ancestors make up strands, by number, and their partitions."""
    tabled: tuple[tuple[int, FloatArray], ...]
    """Attributes of which a cell looks at the strands of several values, and their weights."""
    along: int | None
    """Attribute along which strands are ordered, by number; None if there is none."""
    ruler: DistanceScale

    @classmethod
    def of(cls, table: Table, axes: Sequence[Axis]) -> HierarchicalSums | None:
        """Plan strands for a table; None if there are none, or their sums would not be exact."""
        partitions = [(number, axis.strata) for number, axis in enumerate(axes)]
        strata = tuple((number, how) for number, how in partitions if how is not None)
        lines = [number for number, how in partitions if how is None]
        if not lines:
            return cls(table, strata, (), None, ONE_PLACE)
        along = max(lines, key=lambda number: axes[number].size)
        others = [(number, axes[number].tabled) for number in lines if number != along]
        tabled = tuple((number, weights) for number, weights in others if weights is not None)
        ruler = axes[along].ruler
        if ruler is None or len(tabled) < len(others):
            return None
        places = table.cells * math.prod(len(weights) for _, weights in tabled) * ruler.size
        if max(ruler.farthest**2 * table.records, places) >= _EXACT:
            return None
        return cls(table, strata, tabled, along, ruler)

    @cached_property
    def cost(self) -> float:
        """Multiply-adds that are worth the same, about."""
        cells, values = self.table.counts.shape
        sizes = float(math.prod((self.ruler.size, *(len(weights) for _, weights in self.tabled))))
        looks = float(math.prod(len(_shifts(weights)) for _, weights in self.tabled))
        kinds = [[float(classes.max()) + 1 for _, classes in how] for _, how in self.strata]
        choices = float(math.prod(map(len, kinds)))
        places: float = cells * choices
        if choices <= _COUNTED:
            places = sum(min(float(cells), sizes * math.prod(some)) for some in product(*kinds))
        effort: float = float(cells) * choices * (_SORT_EFFORT + values * _VALUE_EFFORT)
        effort += places * looks * (_LOOK_EFFORT + values * _SEEN_EFFORT)
        return float(effort)

    def weigh(self, progress: Progress) -> FloatArray:
        """Weighted counts that each cell sees, shape (c, m)."""
        counts = self.table.counts
        sums = np.zeros(counts.shape)
        for choice in product(*(how for _, how in self.strata)):
            weight = math.prod(part for part, _ in choice)
            places, place = self._arrange([classes for _, classes in choice], progress)
            step = max(1, _SLAB_BYTES // (16 * len(places.steps)))
            for start in range(0, counts.shape[1], step):
                values = slice(start, start + step)
                # Sums of whole numbers are exact in double precision, up to 2^53.
                here = [
                    np.bincount(place, column, len(places.steps)).astype(np.int64)
                    for column in counts[:, values].T
                ]
                for column, seen in zip(sums[:, values].T, places.see(here, progress), strict=True):
                    column += weight * seen[place]
        return sums

    def _arrange(
        self, partitions: Sequence[IntArray], progress: Progress
    ) -> tuple[_Places, IntArray]:
        """Arrange cells in strands of those of the same classes; and places of cells."""
        codes = self.table.codes
        classes = [
            kinds[codes[:, number]]
            for (number, _), kinds in zip(self.strata, partitions, strict=True)
        ]
        others = codes[:, [number for number, _ in self.tabled]]
        code = np.zeros_like(codes[:, :1]) if self.along is None else codes[:, [self.along]]
        rows = np.column_stack((*classes, others, code))
        first, place, _ = distinct_rows(rows, progress)
        rows, parting = rows[first], len(classes)
        kind = np.zeros(len(rows), dtype=np.int64)
        np.cumsum((rows[1:, :parting] != rows[:-1, :parting]).any(axis=1), out=kind[1:])
        rows = np.column_stack((kind, rows[:, parting:]))
        tabled = tuple(weights for _, weights in self.tabled)
        return _Places.of(rows, tabled, self.ruler), place


def _shifts(weights: FloatArray) -> list[int]:
    """Differences of codes that see each other."""
    size = len(weights)
    return [shift for shift in range(1 - size, size) if np.diagonal(weights, shift).any()]


@dataclass(frozen=True, eq=False)
class _Places:
    """Occupied places in all strands, one strand after the other."""

    tabled: tuple[FloatArray, ...]
    """Weights of the attributes that part strands and of which a place looks at several values."""
    ruler: DistanceScale
    """Steps of the values along strands."""
    codes: IntArray
    """Shape (r, len(tabled). Codes of each place: in those attributes, and along its strand."""
    strands: IntArray
    """Shape (r,). Number of the first place that its strand has room for."""
    steps: IntArray
    """Shape (r,). Steps from the ruler's first value; 0 for NULL."""

    @classmethod
    def of(cls, rows: IntArray, tabled: tuple[FloatArray, ...], ruler: DistanceScale) -> _Places:
        """Number places, by rows in order: kind of strand, codes that are tabled, code along."""
        strands = rows[:, 0]
        for weights, codes in zip(tabled, rows[:, 1:-1].T, strict=True):
            strands = strands * len(weights) + codes
        steps = np.append(ruler.places, 0)[rows[:, -1]]
        return cls(tabled, ruler, rows[:, 1:], strands * ruler.size, steps)

    def see(self, counts: Sequence[IntArray], progress: Progress) -> list[FloatArray]:
        """Weighted sums, as each place sees them, of several arrays of counts by place, (r,)."""
        sums = [np.zeros(len(self.steps)) for _ in counts]
        for look in self._looks():
            for here, seen in zip(counts, sums, strict=True):
                progress.poll()
                seen[look.looking] += look.weights * look.see(here, self.steps, self.ruler)
        return sums

    def _looks(self) -> Iterator[_Look]:
        """Looks of all places at the strands of values with each difference from their own."""
        numbers = self.strands + self.codes[:, -1]
        count, reach = len(self.ruler.places), self.ruler.farthest
        low = np.searchsorted(self.ruler.places, self.ruler.places - reach, side="left")
        high = np.searchsorted(self.ruler.places, self.ruler.places + reach, side="right")
        if self.ruler.null is not None:
            low, high = np.append(low, count), np.append(high, count + 1)
        for shifts in product(*map(_shifts, self.tabled)):
            weights, off = np.ones(len(numbers)), 0
            for matrix, shift, codes in zip(self.tabled, shifts, self.codes.T[:-1], strict=True):
                size = len(matrix)
                other = np.clip(codes + shift, 0, size - 1)
                weights *= np.where(other == codes + shift, matrix[codes, other], 0.0)
                off = off * size + shift
            looking = np.flatnonzero(weights)
            code, start = self.codes[looking, -1], self.strands[looking] + off * self.ruler.size
            bounds = [low[code], high[code]]
            if self.ruler.null:
                number = code < count
                bounds += [np.where(number, count, 0), np.where(number, count + 1, count)]
            found = np.array([np.searchsorted(numbers, start + bound) for bound in bounds])
            some = np.flatnonzero(found.max(axis=0) > found.min(axis=0))
            yield _Look(looking[some], weights[looking[some]], found[:, some])


@dataclass(frozen=True, eq=False)
class _Look:
    """A look of some places at one strand each."""

    looking: IntArray
    """Shape (q,). The places that look."""
    weights: FloatArray
    """Shape (q,). Weights of what they see."""
    bounds: IntArray
    """Shape (2 or 4, q). First place in reach along the strand, and one past the last. If numbers
    and NULL see each other, the same of the NULL that a number sees, and of the numbers that NULL
    sees.
    """

    def see(self, counts: IntArray, steps: IntArray, ruler: DistanceScale) -> FloatArray:
        """Sums of counts by place, weighted along strands, shape (q,)."""
        number = _running(counts)
        first, last, *across = self.bounds
        within = number[last] - number[first]
        offsets = counts * steps
        linear = _between(offsets, first, last)
        squares = _between(offsets * steps, first, last)
        # sum c (p - q)^2 = (p sum c - 2 sum c q) p + sum c q^2, modulo 2^64.
        here = steps[self.looking]
        gaps = (here * within - 2 * linear) * here + squares
        farthest, reach = ruler.farthest, ruler.reach
        seen: FloatArray = (farthest**2 * within - gaps).astype(np.float64)
        seen /= reach
        seen /= reach
        seen += (reach - farthest) / reach * (1.0 + farthest / reach) * within
        if ruler.null:
            start, end = across
            seen += ruler.null * (number[end] - number[start])
        return seen


def _running(values: IntArray) -> IntArray:
    """Sums of the values before each place, and of all, modulo 2^64."""
    running = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=running[1:])
    return running


def _between(values: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """Sums of the values from some places on to others, modulo 2^64."""
    running = _running(values)
    sums: IntArray = running[last] - running[first]
    return sums
