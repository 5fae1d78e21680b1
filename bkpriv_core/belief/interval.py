"""Intervals of beliefs: what is known of figures if beliefs are known within bounds.

A belief within bounds is any distribution ``q`` with ``low <= q <= high``. The bounds here enclose
the figures of all of them: they are upper and lower bounds, and not always the narrowest.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.table.groups import FloatArray

__all__ = ["blends_within", "classes_within", "divergence_within"]

_ROUNDING = 1e-12
"""Error of sums of probabilities that is allowed for."""

_Bounds = tuple[FloatArray, FloatArray]


def classes_within(having: FloatArray | None, low: FloatArray, high: FloatArray) -> _Bounds:
    """Bounds of the probability of classes of values, (q, i).

    Args:
        having: Shape (m, i). Whether each value is in each class, 0 or 1; None: each value is one.
        low, high: Shape (q, m). Bounds of beliefs.
    """
    if having is None:
        return low, high
    without = 1.0 - having
    # What is not in the class is in none of its values.
    least = np.maximum(low @ having, 1.0 - high @ without - _ROUNDING)
    most = np.minimum(high @ having, 1.0 - low @ without + _ROUNDING)
    return np.maximum(least, 0.0), np.minimum(most, 1.0)


def blends_within(smoother: FloatArray, low: FloatArray, high: FloatArray) -> _Bounds:
    """Bounds of blended and renormalised beliefs, (q, i).

    Args:
        smoother: Shape (m, i). Matrix by which beliefs are blended before they are renormalised,
            not negative.
        low, high: Shape (q, m). Bounds of beliefs.
    """
    least, most = low @ smoother, high @ smoother
    others = 1.0 - np.eye(smoother.shape[1])
    below, above = least + most @ others, most + least @ others
    return (
        np.divide(least, below, out=np.zeros_like(least), where=below > 0),
        np.divide(most, above, out=np.ones_like(most), where=above > 0),
    )


def divergence_within(prior: FloatArray, low: FloatArray, high: FloatArray) -> _Bounds:
    """Bounds of the Jensen-Shannon divergence of beliefs and others within bounds, in bits.

    Args:
        prior: Shape (q, i). The beliefs, rows summing to 1.
        low, high: Shape (q, i). Bounds of the others, whose rows sum to 1, too.

    Returns:
        least, most: Shape (q,).

    Notes:
    The divergence is a sum of convex functions of each ``q_i``. On an interval each is at most its
    chord; the largest sum of chords with ``sum q = 1`` takes ``q`` from low to high by falling
    slope. For a lower bound, to tell only whether a value is i diverges no more (data processing),
    and least where ``q_i`` is as near to ``p_i`` as it may.
    """
    at_low, at_high, width = _share(prior, low), _share(prior, high), high - low
    slope = np.divide(at_high - at_low, width, out=np.full_like(width, -np.inf), where=width > 0)
    order = np.argsort(-slope, axis=1)
    falling = np.take_along_axis(width, order, axis=1)
    room = 1.0 - low.sum(axis=1, keepdims=True) + _ROUNDING
    moved = np.clip(room - (np.cumsum(falling, axis=1) - falling), 0.0, falling)
    slopes = np.take_along_axis(slope, order, axis=1)
    rise = np.multiply(moved, slopes, out=np.zeros_like(moved), where=moved > 0).sum(axis=1)
    most = np.clip(at_low.sum(axis=1) + rise + _ROUNDING, 0.0, 1.0)
    nearest = np.clip(prior, low, high)
    apart = _share(prior, nearest) + _share(1.0 - prior, 1.0 - nearest)
    least = np.clip(apart.max(axis=1) - _ROUNDING, 0.0, most)
    return least, most


def _share(p: FloatArray, q: FloatArray) -> FloatArray:
    """Term of the divergence, in bits: ``(p log2(p/m) + q log2(q/m)) / 2`` with ``m = (p+q)/2``."""
    middle = (p + q) / 2.0
    share = np.zeros(np.broadcast_shapes(p.shape, q.shape))
    for each in (p, q):
        ratio = np.divide(each, middle, out=np.ones_like(share), where=(middle > 0) & (each > 0))
        share += each * np.log2(ratio)
    half: FloatArray = share / 2.0
    return half
