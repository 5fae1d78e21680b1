"""Hilbert's curve: an order of places in many dimensions in which neighbours are near.

The curve goes through every place of a cube of ``d`` dimensions with ``2 ** b`` places each, from
one place to a next one. The cube is laid over the quasi-identifiers in the units of
`neighbours.box_centres`, so that a step is as long in one dimension as in another, and what costs
little to publish as one is near.

A place of the curve is a number of ``d b`` bits, too large for any integer if there are many
dimensions. It is never made: sorted are its bits, as many at a time as an integer holds.

Source: Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 2004.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["along_curve", "curve_ranks", "hilbert_ranks"]

_BITS = 16
"""Bits of a place in each dimension: penalties that differ by less are all the same."""

_WORD = 32
"""Dimensions whose bits stand in one integer."""


def hilbert_ranks(parts: Parts) -> IntArray:
    """Rank of each part on the curve, shape (p,): equal where quasi-identifiers are, from 0."""
    table = parts.table
    along = box_centres(table, table.places, table.places)
    span = float(along.max(initial=0.0)) or 1.0
    points = np.rint(along / span * (2**_BITS - 1)).astype(np.int64)
    return curve_ranks(points, _BITS)[parts.cell]


def along_curve(parts: Parts, chance: Chance, chosen: IntArray | None = None) -> IntArray:
    """Put all parts, or some, in the order of the curve, those at one place in a random order."""
    some = np.arange(len(parts)) if chosen is None else chosen
    drawn = some[chance.order(len(some))]
    along: IntArray = drawn[np.argsort(hilbert_ranks(parts)[drawn], kind="stable")]
    return along


def curve_ranks(points: IntArray, bits: int) -> IntArray:
    """Rank of places along the curve.

    Args:
        points: Shape (n, d). Places, in each dimension from 0 to ``2 ** bits - 1``.
        bits: At most 62.

    Returns:
        Shape (n,). Ranks from 0, without gaps; equal for equal places.
    """
    axes = list(points.T.copy())
    if not axes:
        return np.zeros(len(points), dtype=np.int64)
    # From the largest subcubes to the smallest, undo how the curve is turned in each.
    for bit in range(bits - 1, 0, -1):
        below = (1 << bit) - 1
        for axis in axes:
            inverted = (axis >> bit & 1).astype(bool)
            swapped = np.where(inverted, 0, (axes[0] ^ axis) & below)
            axes[0] ^= np.where(inverted, below, swapped)
            axis ^= swapped
    for axis, before in zip(axes[1:], axes[:-1], strict=True):
        axis ^= before
    turned = np.zeros(len(points), dtype=np.int64)
    for bit in range(bits - 1, 0, -1):
        turned ^= np.where(axes[-1] >> bit & 1, (1 << bit) - 1, 0)
    for axis in axes:
        axis ^= turned
    # Now the curve counts by the highest bit of every dimension, then by the next one of each.
    words = []
    for bit in range(bits - 1, -1, -1):
        for first in range(0, len(axes), _WORD):
            word = np.zeros(len(points), dtype=np.int64)
            for axis in axes[first : first + _WORD]:
                word = word << 1 | axis >> bit & 1
            words.append(word)
    _, ranks, _ = distinct_rows(np.column_stack(words))
    return ranks
