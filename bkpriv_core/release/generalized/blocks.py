"""Blocks: rows a few at a time, near ones together, and the boxes that may have to do with them.

Rows, be they cells or boxes themselves, stand along a curve that passes through near places one
after the other: in Morton order. The rows are halved along it, and each half again, down to blocks
of few rows; each half is handed those boxes only that reach into the hull of its rows. So a box is
compared with the rows near it and no others, and where boxes overlap little the work grows with the
rows, not with rows times boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, IntArray

__all__ = ["Hulls", "along_curve", "blocks", "narrowed"]

_BITS = 5
"""Into how many parts, as a power of 2, an axis is cut to tell which rows are near."""

Hulls = Sequence[tuple[IntArray, IntArray]]
"""First and last leaf places along each axis, two arrays of one shape."""

Side = Callable[[IntArray, IntArray], BoolArray]
"""Test of which values or extents along an axis have to do with which extents of boxes."""


def blocks(
    places: IntArray,
    rows: Hulls,
    boxes: Hulls,
    sizes: Sequence[int],
    most: int,
    progress: Progress = SILENT,
) -> Iterator[tuple[IntArray, IntArray]]:
    """Divide rows into blocks, each with the boxes whose hulls meet that of its rows.

    Parameters
    ----------
    places : (r, d) int array
        Leaf place of each row, by which it is told which are near.
    rows : sequence of (pair of (r,) int arrays)
        Hull of each row along each axis.
    boxes : sequence of (pair of (g,) int arrays)
        Hull of each box.
    sizes : sequence of int
        Number of places of each axis.
    most : int
        Limit of the rows of a block.
    progress : Progress
        Polled for each block.

    Yields
    ------
    rows : (b,) int array
        The rows of the block.
    boxes : (x,) int array
        Boxes that may have to do with them, rising; no other has.
    """
    order = along_curve(places, np.array(sizes))
    starts = np.arange(0, len(order), most)
    if not len(starts):
        return
    lows = np.array([np.minimum.reduceat(low[order], starts) for low, _ in rows])
    highs = np.array([np.maximum.reduceat(high[order], starts) for _, high in rows])
    whole = [(0, size - 1) for size in sizes]
    everything = np.arange(len(boxes[0][0]), dtype=np.int64)
    waiting = [(0, len(starts), whole, everything)]
    while waiting:
        start, stop, hull, some = waiting.pop()
        met = list(
            zip(
                lows[:, start:stop].min(axis=1).tolist(),
                highs[:, start:stop].max(axis=1).tolist(),
                strict=True,
            )
        )
        for (low, high), before, (first, last) in zip(met, hull, boxes, strict=True):
            if low > before[0]:
                some = some[last[some] >= low]
            if high < before[1]:
                some = some[first[some] <= high]
        if stop - start > 1:
            middle = (start + stop) // 2
            # The first half is next.
            waiting += [(middle, stop, met, some), (start, middle, met, some)]
        else:
            progress.poll()
            yield order[start * most : stop * most], some


def narrowed(
    rows: IntArray, near: IntArray, owners: Sequence[IntArray], sides: Sequence[Side]
) -> tuple[IntArray, BoolArray]:
    """Narrow boxes down to those that have to do with some row of a block.

    Parameters
    ----------
    rows : (b, d) int array
        Value or extent of each row along each axis.
    near : (x,) int array
        The boxes.
    owners : sequence of (g,) int array
        Extent of each box along each axis.
    sides : sequence of callable
        Test along each axis, which makes a matrix.

    Returns
    -------
    boxes : (y,) int array
        The boxes, in order.
    held : (b, y) bool array
        Whether each has to do with each row, on every axis.
    """
    factors: list[BoolArray] = []
    places = []
    for column, owner, side in zip(rows.T, owners, sides, strict=True):
        # Neighbours are alike along most axes.
        distinct, place = np.unique(column, return_inverse=True)
        factor = side(distinct, owner[near])
        some = factor.any(axis=0)
        if not some.all():
            near = near[some]
            factors = [former[:, some] for former in factors]
            factor = factor[:, some]
        factors.append(factor)
        places.append(place)
    held = np.ones((len(rows), len(near)), dtype=bool)
    for factor, place in zip(factors, places, strict=True):
        held &= factor[place]
    some = held.any(axis=0)
    return near[some], held[:, some]


def along_curve(places: IntArray, sizes: IntArray) -> IntArray:
    """Rows in Morton order of their leaf places."""
    finest = np.argsort(-sizes, kind="stable")[: 60 // _BITS]
    cubes = places[:, finest] * 2**_BITS // sizes[finest]
    key = np.zeros(len(places), dtype=np.int64)
    for bit in reversed(range(_BITS)):
        for cube in cubes.T:
            key = key << 1 | cube >> bit & 1
    return np.argsort(key, kind="stable").astype(np.int64)
