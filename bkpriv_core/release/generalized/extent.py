"""Extents: what a generalized release publishes in place of values, and how records spread there.

Each record of a group may be anywhere in the group's box with equal probability, independently in
each attribute. Along one attribute the box's side is an *extent*, which many groups share:

- a range of integers or dates: each point of the range is as likely, whether or not it occurs;
- a range of other numbers or of timestamps: a part is as likely as it is long; a range from a value
  to itself is that value;
- a range of bins, which has whole bins: likewise. A record in a bin that occurs has the start of
  that bin for a value, so a condition holds for all of the bin or for nothing of it; elsewhere in
  the range a record has its place for a value;
- a label: each of the occurring values that may stand under that label is as likely. The same label
  at two places of the hierarchy cannot be told apart, so it stands for the values under both;
- NULL alone: NULL. A range without bounds, where numbers and NULL are mixed: NULL counts as one of
  the domain's values, and numbers are spread over the range of the domain.

Positions are floats: integers beyond 2^53 are spread over a range that is rounded as they are.

A part of an extent has a *mass* in the extent's own units (points, length, values); its share is
that over the extent's whole mass, so that shares of whole numbers of points are exact ratios.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_core.query.predicate import (
    Codes,
    Comparison,
    Criterion,
    Line,
    Membership,
    Point,
)
from bkpriv_core.release.generalized.runs import Runs
from bkpriv_core.release.generalized.spread import LabelSpread, RangeSpread, Spread
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Boxes", "Extents", "Labels", "Pieces", "Ranges", "by_column"]

_SHARES = 100_000_000
"""Largest number of pieces times extents of an attribute, an array of 800 MB."""


class Extents(ABC):
    """The extents of all groups in one quasi-identifier.

    Args:
        owner: Shape (g,). Extent of each group; there are ``x`` of them.
    """

    def __init__(self, domain: Domain, owner: IntArray) -> None:
        self.domain = domain
        self.owner = owner

    @abstractmethod
    def pieces(self, criteria: Sequence[Criterion]) -> tuple[Line, FloatArray | sparse.csr_array]:
        """Cut the line so that no comparison tells two values of a piece apart.

        Returns:
            The pieces, ``t`` of them.
            Shape (t, x). Share of each extent in each piece; columns sum to 1.

        Raises:
            TooLarge: If there are too many pieces and extents.
        """

    @abstractmethod
    def runs(self, chosen: BoolArray) -> Runs:
        """Shares of extents that are exactly some values of the domain.

        Args:
            chosen: Shape (size,). Values of the domain.
        """

    def _check_size(self, pieces: int) -> None:
        extents = int(self.owner.max(initial=-1)) + 1
        if pieces * extents > _SHARES:
            raise TooLarge(
                f'attribute "{self.domain.name}" has {extents} published values, too many to weigh '
                f"{pieces} of its own in each",
                detail=f"That takes {pieces * extents} shares; at most {_SHARES} are taken.",
                hint="Name fewer values at a time.",
            )

    @abstractmethod
    def spread(self) -> Spread:
        """Spread of each extent, uniform over the values of the domain in it."""

    @abstractmethod
    def covered(self, chosen: BoolArray) -> FloatArray:
        """Share of each extent that a workload's conditions ask for.

        Args:
            chosen: Shape (q, size). The values asked for, see `Workload`.

        Returns:
            Shape (q, x).
        """


class Labels(Extents):
    """Labels of a hierarchy; attribute `labels` has that of each extent."""

    def __init__(self, domain: Domain, group_labels: Sequence[str | None]) -> None:
        from scipy import sparse  # slow to import, and only wanted here

        distinct: dict[str | None, int] = {
            label: extent for extent, label in enumerate(dict.fromkeys(group_labels))
        }
        super().__init__(
            domain, np.array([distinct[label] for label in group_labels], dtype=np.int64)
        )
        codes, extents = [], []
        for code, labels in enumerate(_labels(domain)):
            for label in labels & distinct.keys():
                codes.append(code)
                extents.append(distinct[label])
        self.labels = tuple(distinct)
        shape = (domain.size, len(distinct))
        under = sparse.csr_array((np.ones(len(codes)), (codes, extents)), shape=shape)
        self._shares = sparse.csr_array(under / under.sum(axis=0))

    def pieces(self, criteria: Sequence[Criterion]) -> tuple[Line, FloatArray | sparse.csr_array]:
        """See `Extents`."""
        return Codes.of(self.domain), self._shares

    def runs(self, chosen: BoolArray) -> Runs:
        """See `Extents`."""
        return by_column(self._shares, chosen)

    def spread(self) -> LabelSpread:
        """See `Extents`."""
        return LabelSpread(self.domain, self._shares)

    def covered(self, chosen: BoolArray) -> FloatArray:
        """See `Extents`."""
        return np.asarray(chosen.astype(np.float64) @ self._shares)


def by_column(shares: sparse.csr_array, chosen: BoolArray) -> Runs:
    """Runs of the columns of an array with a row for each value; only some rows."""
    from scipy import sparse  # slow to import, and only wanted here

    part = sparse.csc_array(shares[chosen])
    part.sort_indices()
    return Runs(
        np.flatnonzero(chosen)[part.indices],
        part.data,
        part.indptr[:-1].astype(np.int64),
        np.diff(part.indptr).astype(np.int64),
        scale=np.ones(part.shape[1]),
    )


def _labels(domain: Domain) -> list[set[str | None]]:
    """Labels under which each value may be published."""
    if domain.hierarchy is None:
        return [{label, ROOT} for label in domain.labels]
    paths = domain.hierarchy.paths
    root = next(iter(paths.values()))[-1]
    return [{None, root} if label is None else set(paths[label]) for label in domain.labels]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Points and the open intervals between them, from the left, and NULL at the end."""

    cuts: dict[tuple[int, float, bool], int]
    """Number of each cut; it has as many pieces to its left, and one more."""
    has_null: bool

    @property
    def _pieces(self) -> IntArray:
        return np.arange(len(self.cuts) + 1 + self.has_null, dtype=np.int64)

    @property
    def null(self) -> BoolArray:
        """See `Line`."""
        null: BoolArray = self._pieces == len(self.cuts) + 1
        return null

    def below(self, point: Point) -> BoolArray:
        """See `Line`."""
        return self._pieces <= self.cuts[_before(point)]

    def through(self, point: Point) -> BoolArray:
        """See `Line`."""
        return self._pieces <= self.cuts[_after(point)]


def _before(point: Point) -> tuple[int, float, bool]:
    """The cut just before a literal: values of the domain below it, its position, its side."""
    return (point.below, point.position, False)


def _after(point: Point) -> tuple[int, float, bool]:
    """The cut just after a literal."""
    return (point.through, point.position, True)


class Ranges(Extents):
    """Ranges of numbers.

    Args:
        low, high: Shape (g,). Codes of the smallest and largest value of each group.
    """

    def __init__(self, domain: Domain, low: IntArray, high: IntArray) -> None:
        assert domain.positions is not None
        last = domain.size - 1 - domain.has_null  # -1 if there is nothing but NULL
        null = high > last
        mixed = null & (low < high)
        sides = np.column_stack((np.where(mixed, 0, low), np.where(mixed, last, high), mixed))
        first, owner, _ = distinct_rows(sides)
        distinct = sides[first]
        super().__init__(domain, owner)
        self._first, self._last = distinct[:, 0], distinct[:, 1]
        self._low = domain.positions[self._first]
        self._high = domain.positions[self._last]
        if domain.ends is not None:
            # The last point of the last bin; its end, of a continuum.
            self._high = domain.ends[self._last] - (domain.step or 0.0)
        self._null = np.where(distinct[:, 2] > 0, 1 / domain.size, self._first > last)
        ends = np.array([last + 1])
        self._mass = self._below(ends, np.zeros(1), np.ones(1, dtype=bool))[0]
        self._scale = np.zeros(len(distinct))
        np.divide(1 - self._null, self._mass, out=self._scale, where=self._mass > 0)

    def _below(self, rank: IntArray, position: FloatArray, after: BoolArray) -> FloatArray:
        """Mass of each extent below some cuts, shape (cuts, x).

        Args:
            rank: Shape (cuts,). Number of values of the domain that are below each cut.
            position: Shape (cuts,). Position of each cut.
            after: Shape (cuts,). Whether what is exactly there is below the cut.
        """
        rank, position, after = self.located(rank, position, after)
        # Values that no double tells apart are one point of a continuum.
        point = ~(self._low < self._high)  # NULL alone, whose place is NaN, is one too.
        whole = np.where(point, 1.0, self._high - self._low)
        along = position[:, None] - self._low
        if self.domain.step is None:
            along = np.where(point, (along > 0) | (after[:, None] & (along == 0)), along)
        else:
            steps = along / self.domain.step
            along = np.where(after[:, None], np.floor(steps) + 1, np.ceil(steps))
            whole = np.where(point, 1.0, np.round(whole / self.domain.step) + 1)
        # What is before the first or after the last value is told by rank: that is exact.
        along = np.where(rank[:, None] > self._last, whole, along)
        return np.where(rank[:, None] <= self._first, 0.0, along)

    def located(
        self, rank: IntArray, position: FloatArray, after: BoolArray
    ) -> tuple[IntArray, FloatArray, BoolArray]:
        """Locate cuts among what is published: one inside of a bin falls behind the bin.

        Args:
            rank, position, after: See `_below`.
        """
        if self.domain.ends is None:
            return rank, position, after
        reached = np.where(rank > 0, self.domain.ends[np.maximum(rank, 1) - 1], -np.inf)
        inside = position < reached
        return rank, np.where(inside, reached, position), after & ~inside

    @property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Beginning and end of the range of each number, for `_below`."""
        assert self.domain.positions is not None
        size = self.domain.size - self.domain.has_null
        low = self.domain.positions[:size]
        if self.domain.ends is None:
            return low, low
        return low, self.domain.ends[:size] - (self.domain.step or 0.0)

    def placed(self, rank: IntArray, position: FloatArray, after: BoolArray) -> BoolArray:
        """Whether positions alone tell which ranges end before some cuts or begin after them.

        Args:
            rank, position, after: See `_below`; as they are located.
        """
        low, high = self._ends
        # Before a cut is what ends there, if it has a length: a bin of a continuum.
        open_ = np.append(False, low < high)[rank] & (self.domain.step is None)
        before = np.append(-np.inf, high)[rank]
        behind = np.append(low, np.inf)[rank]
        placed: BoolArray = ((before < position) | (before == position) & (after | open_)) & (
            (behind > position) | (behind == position) & ~after
        )
        return placed

    @property
    def told_apart(self) -> bool:
        """Whether positions alone tell which values of the domain a range holds."""
        low, high = self._ends
        if self.domain.step is None:
            high = low  # Where a bin of a continuum ends, another may begin.
        return bool((high[:-1] < low[1:]).all())

    @cached_property
    def masses(self) -> FloatArray:
        """Mass of each value in an extent that holds it, shape (size,); of NULL alone, 1.

        Raises:
            InvalidData: If double precision does not tell where a bin of a continuum begins and
                ends.
        """
        mass = np.ones(self.domain.size)
        if self.domain.ends is None:
            return mass
        assert self.domain.positions is not None
        size = self.domain.size - self.domain.has_null
        lengths = (self.domain.ends - self.domain.positions)[:size]
        if self.domain.step is None and (lengths <= 0).any():
            raise InvalidData(
                f'bins of attribute "{self.domain.name}" are too narrow to be weighed',
                detail="In double precision the bin of value "
                f"{self.domain.quote(int(lengths.argmin()))} has no length.",
                hint="Do not group by it; or register a dataset with wider bins.",
            )
        mass[:size] = (
            lengths if self.domain.step is None else np.maximum(lengths / self.domain.step, 1.0)
        )
        return mass

    def pieces(self, criteria: Sequence[Criterion]) -> tuple[Pieces, FloatArray]:
        """See `Extents`."""
        points: set[Point] = set()
        for criterion in criteria:
            if isinstance(criterion, Membership):
                points.update(criterion.points)
            elif isinstance(criterion, Comparison):
                points.add(criterion.point)
        cuts = sorted({*map(_before, points), *map(_after, points)})
        self._check_size(len(cuts))
        ranks = np.array([cut[0] for cut in cuts], dtype=np.int64)
        positions = np.array([cut[1] for cut in cuts], dtype=np.float64)
        after = np.array([cut[2] for cut in cuts], dtype=bool)
        mass = np.vstack(
            (np.zeros_like(self._mass), self._below(ranks, positions, after), self._mass)
        )
        shares = np.diff(mass, axis=0) * self._scale
        if self.domain.has_null:
            shares = np.vstack((shares, self._null))
        numbered = {cut: place for place, cut in enumerate(cuts)}
        return Pieces(numbered, self.domain.has_null), shares

    def runs(self, chosen: BoolArray) -> Runs:
        """See `Extents`."""
        size = self.domain.size - self.domain.has_null
        mixed = (self._null > 0) & (self._null < 1)
        first, last = self._first, self._last
        if self.domain.step is None and self.domain.ends is None:
            # Of a continuum no value has a share, unless it is all there is.
            last = np.where(first == last, last, first - 1)
        numbers = np.flatnonzero(chosen[:size])
        before = np.concatenate(([0], np.cumsum(chosen[:size])))
        start, end = before[np.minimum(first, size)], before[np.minimum(last + 1, size)]
        # The list is the numbers, NULL alone, and the numbers and NULL as they are mixed.
        null = np.flatnonzero(chosen[size:]) + size
        alone = self._first >= size
        start = np.where(alone, len(numbers), start)
        end = np.where(alone, len(numbers) + len(null), end)
        values, shares = [numbers, null], [self.masses[np.concatenate((numbers, null))]]
        scale = np.where(alone, 1.0, self._scale)
        for extent in np.flatnonzero(mixed):  # there is one at most
            spread = numbers[start[extent] : end[extent]]
            start[extent] = sum(map(len, values))
            values += [spread, null]
            shares += [self.masses[spread] * scale[extent], np.full(len(null), self._null[extent])]
            end[extent] = start[extent] + len(spread) + len(null)
            scale[extent] = 1.0
        return Runs(np.concatenate(values), np.concatenate(shares), start, end - start, scale=scale)

    def spread(self) -> RangeSpread:
        """See `Extents`."""
        # An extent that mixes numbers and NULL holds every value of the domain, NULL being last.
        mixed = (self._null > 0) & (self._null < 1)
        return RangeSpread(self._first, np.where(mixed, self.domain.size - 1, self._last))

    def unbounded(self) -> Ranges:
        """The one range that mixes numbers and NULL, for a domain that has both."""
        return Ranges(self.domain, np.array([0]), np.array([self.domain.size - 1]))

    def covered(self, chosen: BoolArray) -> FloatArray:
        """See `Extents`."""
        assert self.domain.positions is not None
        numbers = chosen[:, : self.domain.size - self.domain.has_null]
        first = numbers.argmax(axis=1)
        last = first + numbers.sum(axis=1) - 1
        after = np.ones(len(chosen), dtype=bool)
        mass = self._below(last + 1, self.domain.positions[last], after)
        mass -= self._below(first, self.domain.positions[first], ~after)
        shares = mass * self._scale
        # Without a condition the last value is asked for, which is NULL if there is one.
        return shares + chosen[:, -1:] * self._null


@dataclass(frozen=True, eq=False)
class Boxes:
    """The groups of a generalized release, as a reader sees them."""

    domains: tuple[Domain, ...]
    low: IntArray
    """Shape (g, d). First leaf place of each box in each quasi-identifier."""
    extents: tuple[Extents, ...]
    """Sides of the boxes in each quasi-identifier."""
    histograms: FloatArray
    """Shape (g, m). Records of each group with each sensitive value."""

    @property
    def hulls(self) -> list[tuple[IntArray, IntArray]]:
        """First and last leaf place of what each box may hold, along each axis: (g,) arrays."""
        ends = [(side.spread().hull, side.owner) for side in self.extents]
        return [(first[owner], last[owner]) for (first, last), owner in ends]
