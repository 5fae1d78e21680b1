"""Bins worked out anew, by Python's calendar and fractions, and what ranges of them must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["Bin", "calendar", "matched", "multiples"]

Bin = tuple[Any, Any]


def multiples(width: str) -> Callable[[Any], Bin]:
    """Bins of numbers, exactly."""

    def bin_of(value: Any) -> Bin:
        size = Fraction(width)
        start = Fraction(str(value)) // size * size
        return as_decimal(start), as_decimal(start + size)

    return bin_of


def as_decimal(number: Fraction) -> Decimal:
    """A decimal fraction as such."""
    scale = next(n for n in range(400) if (number * 10**n).denominator == 1)
    return Decimal(int(number * 10**scale)).scaleb(-scale)


def calendar(unit: str) -> Callable[[Any], Bin]:
    """Bins of days and times."""

    def bin_of(value: Any) -> Bin:
        if isinstance(value, datetime):
            zone = value.tzinfo
            value = value.astimezone(timezone.utc) if zone else value
            if unit == "hour":
                hour = value.replace(minute=0, second=0, microsecond=0)
                return hour, hour + timedelta(hours=1)
            utc = timezone.utc if zone else None
            first, last = bounds(value.date())
            return (
                datetime(first.year, first.month, first.day, tzinfo=utc),
                datetime(last.year, last.month, last.day, tzinfo=utc),
            )
        return bounds(value)

    def bounds(day: date) -> tuple[date, date]:
        if unit == "day":
            return day, day + timedelta(days=1)
        if unit == "week":
            monday = day - timedelta(days=day.weekday())
            return monday, monday + timedelta(days=7)
        months = {"month": 1, "quarter": 3, "year": 12}[unit]
        count = (12 * day.year + day.month - 1) // months * months
        after = count + months
        return date(count // 12, count % 12 + 1, 1), date(after // 12, after % 12 + 1, 1)

    return bin_of


def matched(bins: Sequence[Bin], ranges: Sequence[Bin]) -> bool:
    """Whether each bin can be given a range of its own that holds it, and none is left over."""
    waiting = sorted(ranges, key=lambda shown: shown[0], reverse=True)
    begun: list[Bin] = []
    for start, end in sorted(bins):
        while waiting and waiting[-1][0] <= start:
            begun.append(waiting.pop())
        # Of those that begin early enough the one that ends first is of least use to later bins.
        if not begun:
            return False
        first = min(begun, key=lambda shown: shown[1])
        if first[1] < end:
            return False
        begun.remove(first)
    return not waiting and not begun
