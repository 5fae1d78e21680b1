"""Blocks: rows a few at a time, near ones together, and the boxes that may have to do with them.

Rows, be they cells or boxes themselves, are halved along the axis on which they lie farthest apart,
and each half again, down to blocks of few rows; each half is handed those boxes only that reach
into the hull of its rows. So a box is compared with the rows near it and no others, and where boxes
overlap little the work grows with the rows, not with rows times boxes. Runs of a curve
through near places have hulls that two to three times as many boxes reach into, on eight axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, IntArray

__all__ = ["Hulls", "blocks", "narrowed"]

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

    Args:
        places: Shape (r, d). Leaf place of each row, by which it is told which are near.
        rows: Hull of each row along each axis.
        sizes: Number of places of each axis.
        most: Limit of the rows of a block.

    Yields:
        rows: Shape (b,). The rows of the block.
        boxes: Shape (x,). Boxes that may have to do with them, rising; no other has.
    """
    order = _halved(places, sizes, most)
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

    Args:
        rows: Shape (b, d). Value or extent of each row along each axis.
        near: Shape (x,). The boxes.
        owners: Extent of each box along each axis.
        sides: Test along each axis, which makes a matrix.

    Returns:
        boxes: Shape (y,). The boxes, in order.
        held: Shape (b, y). Whether each has to do with each row, on every axis.
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


def _halved(places: IntArray, sizes: Sequence[int], most: int) -> IntArray:
    """Rows in an order of which each run of `most` is a block of near ones.

    Args:
        places: Shape (r, d). Leaf place of each row.
        sizes: Number of places of each axis, which count as equally long.
        most: Rows of each block but the last.

    Returns:
        Shape (r,). The rows. Halves of the blocks, in number, are near ones, too, and so on.
    """
    along = places / np.array(sizes)
    done: list[IntArray] = []
    waiting = [np.arange(len(places), dtype=np.int64)]
    while waiting:
        rows = waiting.pop()
        middle = -(-len(rows) // most) // 2 * most
        if middle:
            here = along[rows]
            axis = np.argmax(here.max(axis=0) - here.min(axis=0))
            order = rows[np.argpartition(here[:, axis], middle)]
            # The first half is next.
            waiting += [order[middle:], order[:middle]]
        else:
            done.append(rows)
    return np.concatenate(done)
