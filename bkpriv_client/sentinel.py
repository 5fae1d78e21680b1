"""Sentinels: numbers that stand for a missing value, such as -9, 99 or 777.

People who fill in forms write them for *refused*, *unknown* or *does not apply*. As numbers they
are wrong: an age of 999 is nearer to one of 90 than to none. They are never taken as missing here,
for that is a matter of opinion; it is said that they may be.

Rules, of numbers that are written plainly; one that occurs once is none:

- *repeated*: 77, 999 or 88.8, at least half as much again as the greatest of the others;
- *single*: 7, 8 or 9 beside at most eight others that are codes: whole numbers without a gap from 0
  or 1 on, at least two below, each of which occurs five times as often;
- *negative*: -1 to -9, -77 or -999, where no other is negative, and none is near or many are far.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

__all__ = ["Numbers"]

_PLAIN = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_SUSPECT = re.compile(r"-[1-9]|-?([789])\1*(?:\.\1*0*)?", re.ASCII)
_LONGEST = 12
"""Characters of a suspect; so there are few of them, whatever the column holds."""

_FEW = 8
"""Other codes at most beside 7, 8 or 9 for missing."""

_OFTEN = 5
"""Least number of times that each of these occurs for one 7, 8 or 9."""

_BEYOND = 1.5
"""Least quotient of 77 or 999 and the greatest of the others."""

_FAR = 20
"""Least greatest number, where -1 is next to 0, in units of the greatest negative."""


class Numbers:
    """Numbers of a column, as far as they tell which stand for a missing value."""

    def __init__(self) -> None:
        self._suspects: dict[str, list[int]] = {}
        self._others: Counter[float] = Counter()
        self._low, self._high = math.inf, -math.inf
        self._plain = True

    def take(self, value: str, count: int, line: Callable[[], int]) -> None:
        """See a value so many more times; the line is that of the first."""
        if not self._plain:
            return
        if not _PLAIN.fullmatch(value):
            self._plain = False
        elif len(value) <= _LONGEST and _SUSPECT.fullmatch(value):
            if value not in self._suspects:
                self._suspects[value] = [0, line()]
            self._suspects[value][0] += count
        else:
            self._note(float(value), count)

    def _note(self, number: float, count: int) -> None:
        self._low, self._high = min(self._low, number), max(self._high, number)
        if len(self._others) <= _FEW:
            self._others[number] += count

    def odd(self) -> list[tuple[str, int, int]]:
        """Values that may stand for a missing one, how often each occurs, and its first line."""
        if not self._plain or not self._suspects:
            return []
        return sorted(
            ((value, count, line) for value, (count, line) in self._found().items()),
            key=lambda each: float(each[0]),
        )

    def _found(self) -> dict[str, list[int]]:
        """Suspects that remain; one that is dropped is a number like the others."""
        left = {value: seen for value, seen in self._suspects.items() if seen[0] > 1}
        others = Counter(self._others)
        low, high = self._low, self._high
        dropped = [value for value in self._suspects if value not in left]
        while left:
            for value in dropped:
                others[float(value)] += self._suspects[value][0]
                low, high = min(low, float(value)), max(high, float(value))
            dropped = [value for value in left if not self._stands_out(value, others, low, high)]
            if not dropped:
                break
            # The nearest to the others first: what is beyond it may be one of them no longer.
            dropped = [min(dropped, key=lambda value: (_distance(float(value), low, high), value))]
            left = {value: seen for value, seen in left.items() if value not in dropped}
        return left

    def _stands_out(self, value: str, others: Counter[float], low: float, high: float) -> bool:
        if not others:
            return False
        number = float(value)
        if number < 0:
            nearest = max(float(each) for each in self._suspects if float(each) < 0)
            return low >= 0 and (low - nearest >= 2 or high >= _FAR * -nearest)
        if number >= 10:
            return number >= _BEYOND * high
        codes = sorted(others)
        return (
            len(codes) <= _FEW
            and codes == [codes[0] + place for place in range(len(codes))]
            and codes[0] in (0, 1)
            and number >= codes[-1] + 2
            and self._suspects[value][0] * _OFTEN <= min(others.values())
        )


def _distance(number: float, low: float, high: float) -> float:
    """Distance of a number from others; 0 within them."""
    return max(low - number, number - high, 0.0)
