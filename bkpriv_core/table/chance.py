"""Chance: where random orders and numbers come from.

Where a method draws records at random, who was drawn together with whom must stay hidden, and so
must which records were moved to other values. A generator whose state can be guessed or recovered
gives that away: whoever replays it on a guess of the table sees the groups form, and the values
move. So all is drawn from the operating system's randomness; a seed makes it repeatable, for tests
only.
"""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Chance", "SecretChance", "SeededChance"]

_BYTES = 8
_UNIFORM_BITS = 53


class Chance(Protocol):
    """Source of random draws, different at every call."""

    def order(self, size: int) -> IntArray:
        """Random order of so many items: a permutation of 0 ... size - 1."""
        ...

    def uniform(self, size: int) -> FloatArray:
        """So many numbers in [0, 1): multiples of ``2**-53``, each as likely."""
        ...


class SecretChance:
    """Random draws that nobody can foresee or repeat."""

    def order(self, size: int) -> IntArray:
        """See `Chance`.

        Items are sorted by random keys of 64 bits. Two of a million keys are equal with a chance of
        3e-8, and only then is the order of those two not a fair draw.
        """
        return np.argsort(_secret_bits(size)).astype(np.int64)

    def uniform(self, size: int) -> FloatArray:
        """See `Chance`."""
        drawn = _secret_bits(size) >> np.uint64(8 * _BYTES - _UNIFORM_BITS)
        numbers: FloatArray = drawn * 2.0**-_UNIFORM_BITS
        return numbers


class SeededChance:
    """Random draws that a seed repeats, call by call: for tests only."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def order(self, size: int) -> IntArray:
        """See `Chance`."""
        return self._generator.permutation(size).astype(np.int64)

    def uniform(self, size: int) -> FloatArray:
        """See `Chance`."""
        return self._generator.random(size)


def _secret_bits(size: int) -> npt.NDArray[np.uint64]:
    return np.frombuffer(os.urandom(_BYTES * size), dtype=np.uint64)
