"""Runs: which values of an attribute lie in each extent, and sums over boxes made of them.

The values that lie in an extent are a run of a list, which extents share: for ranges the list is
the domain itself. So a box is a few pairs of numbers, however many combinations of values are in
it, and these are written out for some boxes at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Runs", "sum_boxes"]

_CHUNK = 1_000_000
"""Combinations of values that are written out at a time; one box may have more."""

_TABLE = 4_000_000
"""Combinations of values up to which sums stand in a table of them all."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Values of an attribute, as far as they lie in extents."""

    values: IntArray
    """Shape (n,). The list of values, of which extents are runs."""
    shares: FloatArray
    """Shape (n,). The share of an extent of scale 1 that each of them is."""
    start: IntArray
    length: IntArray
    """Shape (x,). The run of each extent; its length may be 0."""
    scale: FloatArray
    """Shape (x,). Factor of the shares in each extent."""

    def written(self, extents: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Write out the runs of some extents, one after the other.

        Returns:
            which: Shape (b,). Place of the extent of each value in a run, among those asked for.
            values: Shape (b,). The value.
            shares: Shape (b,). Share of the extent that the value is.
        """
        length = self.length[extents]
        which = np.repeat(np.arange(len(extents)), length)
        skipped = self.start[extents] - (np.cumsum(length) - length)
        places = np.arange(len(which)) + skipped[which]
        return which, self.values[places], self.shares[places] * self.scale[extents][which]


def sum_boxes(
    sides: Sequence[tuple[Runs, IntArray]],
    weights: FloatArray,
    check: Callable[[int], None],
    progress: Progress = SILENT,
) -> tuple[IntArray, FloatArray]:
    """Sum weighted products of shares, by combination of values.

    Args:
        sides: Runs, and the extent of each group, of each of ``k`` attributes.
        weights: Shape (g,). Weight of each group, not negative.
        check: Called with a number of combinations that have a sum, as more of them are found; may
            raise.

    Returns:
        codes: Shape (r, k). The combinations that have a sum, in lexicographic order.
        sums: Shape (r,). The sums, positive.
    """
    boxes, weights, sizes = _boxes(sides, weights)
    check(int(min(sizes.max(initial=0), 2.0**62)))
    ends = [int(runs.values.max(initial=-1)) + 1 for runs, _ in sides]
    sums: _Sums = _Table(ends) if prod(ends) <= _TABLE else _Rows(len(sides), check)
    for part in _parts(sizes):
        progress.poll()
        codes: list[IntArray] = []
        figures = weights[part]
        which = np.arange(len(figures))
        for place, (runs, _) in enumerate(sides):
            more, values, shares = runs.written(boxes[part, place][which])
            codes = [*(code[more] for code in codes), values]
            figures, which = figures[more] * shares, which[more]
        sums.add(codes, figures)
    return sums.collected()


def _boxes(
    sides: Sequence[tuple[Runs, IntArray]], weights: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Distinct boxes that are not empty, as extents; the weights of their groups; their sizes."""
    owners = np.column_stack([owner for _, owner in sides])
    lengths = [runs.length[owner] for runs, owner in sides]
    some = np.flatnonzero((weights > 0) & (np.min(lengths, axis=0) > 0))
    first, kind, _ = distinct_rows(owners[some])
    boxes = owners[some][first]
    sizes = np.prod(
        [runs.length[boxes[:, place]].astype(float) for place, (runs, _) in enumerate(sides)],
        axis=0,
    )
    summed = np.bincount(kind, weights[some], minlength=len(first)).astype(np.float64)
    return boxes, summed, np.asarray(sizes)


def _parts(sizes: FloatArray) -> Iterator[slice]:
    """Cut boxes into parts of moderate size."""
    before = np.cumsum(sizes) - sizes
    start = 0
    while start < len(sizes):
        end = int(np.searchsorted(before, before[start] + _CHUNK))
        yield slice(start, end)
        start = end


class _Table:
    """Sums in a table of all combinations; `ends` are the numbers of values."""

    def __init__(self, ends: Sequence[int]) -> None:
        self._ends = tuple(ends)
        self._sums = np.zeros(prod(ends))

    def add(self, codes: Sequence[IntArray], figures: FloatArray) -> None:
        """Add to some combinations, given as a column for each attribute."""
        np.add.at(self._sums, np.ravel_multi_index(tuple(codes), self._ends), figures)

    def collected(self) -> tuple[IntArray, FloatArray]:
        """Combinations that have a sum, and the sums."""
        places = np.flatnonzero(self._sums > 0)
        codes = np.column_stack(np.unravel_index(places, self._ends))
        return codes.astype(np.int64), self._sums[places]


class _Rows:
    """Sums of the combinations that were added to; they are merged from time to time."""

    def __init__(self, attributes: int, check: Callable[[int], None]) -> None:
        self._codes = [np.zeros((0, attributes), dtype=np.int64)]
        self._sums = [np.zeros(0)]
        self._check = check

    def add(self, codes: Sequence[IntArray], figures: FloatArray) -> None:
        """See `_Table`."""
        self._codes.append(np.column_stack(codes))
        self._sums.append(figures)
        # What was merged is no part of the count: merging costs in proportion to what it saves.
        if sum(map(len, self._sums[1:])) > max(_CHUNK, len(self._sums[0])):
            self._merge()

    def _merge(self) -> None:
        codes, sums = np.concatenate(self._codes), np.concatenate(self._sums)
        first, kind, _ = distinct_rows(codes)
        self._check(len(first))
        self._codes = [codes[first]]
        self._sums = [np.bincount(kind, sums, minlength=len(first)).astype(np.float64)]

    def collected(self) -> tuple[IntArray, FloatArray]:
        """See `_Table`."""
        self._merge()
        return self._codes[0], self._sums[0]


_Sums = _Table | _Rows
