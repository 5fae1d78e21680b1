"""MINIMIZE1: the least probability that none of ``j`` atoms about one bucket holds.

A bucket has ``n`` persons and counts ``r_0 >= r_1 >= ...`` of its values, with prefix sums
``S_c``. Where ``c_0 >= c_1 >= ...`` of the atoms are about persons ``0, 1, ...``, ``j`` in all, it
is best to give every person the most frequent values (lemma 12), and then none holds with
probability ::

    prod_i (n - i - S_{c_i}) / (n - i)

in which a factor below 0 stands for 0: once the values left over do not reach for all persons, some
earlier factor is 0 already. The least product over all ``c`` is computed by dynamic programming
over the persons, for all buckets at once, in ``O(K^2 log K)`` for ``j = 0 ... K``.

Factors are quotients of integers and products have at most ``K`` of them, so a figure is exact up
to a relative rounding error of ``2K`` units; there are no differences to cancel. It is 0 exactly
from ``j`` = the bucket's number of distinct values on.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["atoms_per_person", "least_failing", "signatures"]

_ROWS = 2**14
"""Buckets that are sorted at a time, few enough for the processor's cache."""

_FLOATS = 2**22
"""Size to which the layers of one batch of buckets are limited."""


def signatures(histograms: IntArray, pieces: int) -> IntArray:
    """Part of each bucket that matters to `pieces` atoms.

    Args:
        histograms: Shape (b, m). Persons of each bucket with each value.
        pieces: Number of atoms, ``K >= 1``.

    Returns:
        Shape (b, K + 1). The bucket's persons, then its ``K`` largest counts, descending,
        zero-padded.
    """
    kept = min(pieces, histograms.shape[1])
    signed = np.zeros((len(histograms), pieces + 1), dtype=np.int64)
    for start in range(0, len(histograms), _ROWS):
        block, rows = histograms[start : start + _ROWS], signed[start : start + _ROWS]
        rows[:, 0] = block.sum(axis=1)
        rows[:, 1 : kept + 1] = np.sort(block, axis=1)[:, ::-1][:, :kept]
    return signed


def least_failing(signed: IntArray, progress: Progress = SILENT) -> FloatArray:
    """Least probability that none of ``j = 0 ... K`` atoms about a bucket holds.

    Args:
        signed: Shape (u, K + 1). Signatures of buckets.

    Returns:
        Shape (u, K + 1). Non-increasing rows that begin with 1.
    """
    pieces = signed.shape[1] - 1
    step = max(1, _FLOATS // _states(pieces))
    batches = []
    for start in range(0, len(signed), step):
        progress.poll()
        batches.append(_layers(signed[start : start + step])[0][pieces].T)
    return np.concatenate(batches) if batches else np.zeros((0, pieces + 1))


def atoms_per_person(signed: IntArray, atoms: int) -> list[int]:
    """Into how many atoms about each person the least probability divides `atoms`.

    Args:
        signed: Shape (K + 1,). Signature of one bucket.
        atoms: At most ``K``, and at most as many as the bucket has distinct values.

    Returns:
        Descending and positive; it sums to `atoms`.
    """
    pieces = len(signed) - 1
    layers = _layers(signed[None, :])
    shares: list[int] = []
    most = pieces
    while atoms:
        person = len(shares)
        choices = range(1, min(most, atoms, pieces // (person + 1)) + 1)
        below = layers[person + 1]
        # Ties go to the largest number, and so to the fewest persons.
        most = -min(
            (float(_factor(signed[None, :], person, c)[0] * _entry(below, c, atoms - c)[0]), -c)
            for c in choices
        )[1]
        shares.append(most)
        atoms -= most
    return shares


def _states(pieces: int) -> int:
    """Floats that the layers of one bucket take."""
    return (pieces + 1) * sum(pieces // person + 1 for person in range(1, pieces + 1))


def _factor(signed: IntArray, person: int, atoms: int) -> FloatArray:
    """Probability that none of `atoms` atoms about this person holds, as those before it failed."""
    left = signed[:, 0] - person
    failing = left - signed[:, 1 : atoms + 1].sum(axis=1)
    factor: FloatArray = np.maximum(failing, 0) / np.maximum(left, 1)
    return factor


def _entry(layer: FloatArray, most: int, atoms: int) -> FloatArray:
    """Figure of a layer: `atoms` atoms, at most `most` about one person."""
    figure: FloatArray = layer[min(most, len(layer) - 1), atoms]
    return figure


def _layers(signed: IntArray) -> list[FloatArray]:
    """Least probabilities from each person on, by the most atoms per person and their number.

    Person ``i`` is about ``K // (i + 1)`` atoms at most, since those before are about as many each.
    So layer ``i`` has shape ``(K // (i + 1) + 1, K + 1, u)``. Of the row for at most ``c`` atoms a
    person, the first ``K - i c`` figures are meant; the others are never read.
    """
    pieces = signed.shape[1] - 1
    last = np.zeros((1, pieces + 1, len(signed)))
    last[0, 0] = 1.0
    layers = [last]
    for person in reversed(range(pieces)):
        below = layers[-1]
        layer = np.empty((pieces // (person + 1) + 1, pieces + 1, len(signed)))
        layer[0] = np.inf
        layer[0, 0] = 1.0
        for most in range(1, len(layer)):
            end = pieces - person * most
            after = below[min(most, len(below) - 1), : end - most + 1]
            layer[most] = layer[most - 1]
            here = layer[most, most : end + 1]
            np.minimum(here, _factor(signed, person, most) * after, out=here)
        layers.append(layer)
    return layers[::-1]
