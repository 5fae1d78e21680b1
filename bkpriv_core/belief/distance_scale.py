"""Rulers: numbers as whole multiples of a step, of which sums of products are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["ONE_PLACE", "DistanceScale", "steps_of"]

_DIGITS = 6
"""Decimal digits of numbers that are taken for multiples of a step."""

_WHOLE = 2.0**52
"""Bound of numbers of steps, which double precision distinguishes."""


@dataclass(frozen=True, eq=False)
class DistanceScale:
    """Numbers as multiples of a step, so that sums of counts times offsets are whole."""

    places: IntArray
    """Shape (numbers,). Steps of each number from the first, rising."""
    reach: float
    """Steps at which the weight is 0."""
    null: float | None = None
    """Weight between NULL, which has the last code, and a number; None if there is no NULL."""

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.places) + (self.null is not None)

    @property
    def farthest(self) -> int:
        """Most steps between numbers that see each other, or more."""
        return int(min(self.reach, self.places[-1])) if len(self.places) else 0


ONE_PLACE = DistanceScale(np.zeros(1, dtype=np.int64), 1.0)
"""Ruler of what has no numbers: all in one place."""


def steps_of(numbers: FloatArray) -> IntArray | None:
    """Steps of numbers from the first of them, if all are whole multiples of some decimal step.

    A number that is no multiple itself, but the one nearest to a multiple in double precision, is
    taken for it.
    """
    for digits in range(_DIGITS + 1):
        scaled = numbers * 10.0**digits
        whole = np.rint(scaled)
        if (np.abs(whole) >= _WHOLE).any():
            return None
        if (whole / 10.0**digits == numbers).all():
            steps = whole.astype(np.int64) - np.int64(whole[0] if len(whole) else 0)
            return np.asarray(steps // max(1, np.gcd.reduce(steps, initial=0)))
    return None
