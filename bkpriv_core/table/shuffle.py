"""Random orders of records.

Where a method draws records at random, who was drawn together with whom must stay hidden. A
generator whose state can be guessed or recovered gives that away: whoever replays it on a guess of
the table sees the groups form. So orders are drawn from the operating system's randomness;
a seed makes them repeatable, for tests only.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from bkpriv_core.table.groups import IntArray

__all__ = ["Shuffle", "secret_shuffle", "seeded_shuffle"]

Shuffle = Callable[[int], IntArray]
"""Draws a random order of so many items: a permutation of 0 ... size - 1, anew at every call."""

_KEY_BYTES = 8


def secret_shuffle(size: int) -> IntArray:
    """Order that nobody can foresee or repeat.

    Items are sorted by random keys of 64 bits. Two of a million keys are equal with a chance of
    3e-8, and only then is the order of those two not a fair draw.

    Parameters
    ----------
    size : int
        How many items.

    Returns
    -------
    (size,) int array
    """
    keys = np.frombuffer(os.urandom(_KEY_BYTES * size), dtype=np.uint64)
    return np.argsort(keys).astype(np.int64)


def seeded_shuffle(seed: int) -> Shuffle:
    """Return a shuffle whose sequence of orders is that of `seed`: for tests only."""
    generator = np.random.default_rng(seed)

    def shuffle(size: int) -> IntArray:
        return generator.permutation(size).astype(np.int64)

    return shuffle
