"""Sentinels: numbers that stand for a missing value, such as -9, 99 or 777.

People who fill in forms write them for *refused*, *unknown* or *does not apply*. As numbers they
are wrong: an age of 999 is nearer to one of 90 than to none. They are never taken as missing here,
for that is a matter of opinion; what inspects a file or a table says that they may be.

Rules, of numbers that are written plainly; one that occurs once is none:

- *repeated*: 77, 999 or 88.8, or the last before a power of ten, as 97, 98 or 9996, at least half
  as much again as the greatest of the others;
- *single*: 7, 8 or 9 with at most eight others that are codes: whole numbers without a gap from 0
  or 1 on, at least two below, each of which occurs five times as often;
- *negative*: -1 to -9, -77 or -999, where no other is negative, and none is near or many are far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FEW", "SUSPECT", "Suspect", "odd_numbers"]

SUSPECT = r"-[1-9]|-?(7+(\.7*0*)?|8+(\.8*0*)?|9+(\.9*0*)?|9+[678])"
"""Pattern of numbers that may be sentinels."""

FEW = 8
"""Largest number of codes with 7, 8 or 9 for missing."""

_OFTEN = 5
"""Smallest number of times that each of these occurs for one 7, 8 or 9."""

_BEYOND = 1.5
"""Smallest quotient of 77 or 999 and the largest of the others."""

_FAR = 20
"""Smallest maximum of the others, where -1 is next to 0, in units of the largest negative."""


@dataclass(frozen=True)
class Suspect:
    """Number that may be a sentinel."""

    value: str
    count: int
    row: int

    @property
    def number(self) -> float:
        """The number."""
        return float(self.value)


def odd_numbers(
    suspects: list[Suspect], others: Mapping[float, int], low: float, high: float
) -> list[Suspect]:
    """Return the numbers that may stand for a missing value.

    Args:
        suspects: Numbers that may be sentinels by their form.
        others: Counts of the other numbers, of at least `FEW` + 1 of them if there are so many.
    """
    others = dict(others)
    left = [each for each in suspects if each.count > 1]
    dropped = [each for each in suspects if each.count == 1]
    while left:
        for each in dropped:
            others[each.number] = others.get(each.number, 0) + each.count
            low, high = min(low, each.number), max(high, each.number)
        dropped = [each for each in left if not _stands_out(each, suspects, others, low, high)]
        if not dropped:
            break
        # The nearest to the others first: what is beyond it may be one of them no longer.
        dropped = [min(dropped, key=lambda each: (_distance(each.number, low, high), each.value))]
        left = [each for each in left if each not in dropped]
    return sorted(left, key=lambda each: each.number)


def _stands_out(
    each: Suspect, suspects: list[Suspect], others: Mapping[float, int], low: float, high: float
) -> bool:
    if not others:
        return False
    if each.number < 0:
        nearest = max(suspect.number for suspect in suspects if suspect.number < 0)
        return low >= 0 and (low - nearest >= 2 or high >= _FAR * -nearest)
    if each.number >= 10:
        return each.number >= _BEYOND * high
    codes = sorted(others)
    return (
        len(codes) <= FEW
        and codes == [codes[0] + place for place in range(len(codes))]
        and codes[0] in (0, 1)
        and each.number >= codes[-1] + 2
        and each.count * _OFTEN <= min(others.values())
    )


def _distance(number: float, low: float, high: float) -> float:
    """Distance of a number from others; 0 within them."""
    return max(low - number, number - high, 0.0)
