"""Quantiles: bounds of intervals that cut a distribution of numbers or times into equal parts.

A bound stands where the share of the values below it comes nearest to the share that is asked for;
of values that recur, no bound can part some from others, so that intervals may be larger, and
fewer. It is then rounded, to few digits or to a unit of the calendar: to the roundest that moves no
more than `_MOVED` of the records of an interval to its neighbour. So bounds are readable, and few
are somebody's value to the last digit.

Coarser intervals have some of the bounds of finer ones, and so nest.

Values are texts, as their types write them; times as ISO 8601 has them, in UTC. Infinities lie
beyond all bounds. NaN lies nowhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from bkpriv_core.errors import InvalidData, InvalidParameter, as_json

__all__ = [
    "LEAST_PEOPLE",
    "MOST_PARTS",
    "POINTS",
    "Bounds",
    "Kind",
    "Place",
    "check_parts",
    "cut_quantiles",
    "place_of",
]

Kind = Literal["numbers", "times"]
"""Kinds of values that have an order that bounds are of."""

Place = Decimal | tuple[int, str]
"""Places of values on their line; those of one kind compare."""

Bounds = tuple[tuple[str, ...], ...]
"""Bounds of each level of intervals, rising; those of a coarser level are some of the finer."""

MOST_PARTS = 100
"""Largest number of intervals."""

LEAST_PEOPLE = 20
"""Least number of people of an interval: a bound that few make tells of them."""

POINTS = 100_000
"""Points of a distribution by which it is cut; of more, bounds are as exact as that."""

_MOVED = Fraction(1, 10)

_FRACTION = re.compile(r"(?<=:\d\d)(\.\d+)?([+-]\d\d)?$")
"""Fraction and zone of a time, behind its seconds."""

_TIME = re.compile(r"(\d{4,})(-\d\d-\d\d.*?)( BC)?")

_LAST_YEAR = 9800
"""Year from which on times are not rounded."""

_PLAIN = 20
"""Largest exponent of a number that is written without one."""

_EXACT = Context(prec=200_000, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Arithmetic that rounds no number that PostgreSQL has."""


def check_parts(attribute: str, parts: Any) -> tuple[int, ...]:
    """Validate numbers of intervals, level by level.

    Raises
    ------
    InvalidParameter
        If they are no whole numbers from 2, or one is no proper divisor of the one before.
    """
    hint = "Give for example ARRAY[16, 4, 2]; the root, *, comes by itself."
    if not isinstance(parts, list) or not parts or not all(type(each) is int for each in parts):
        raise InvalidParameter(
            f'the parts of attribute "{attribute}" are missing',
            detail="They must be a plain array of whole numbers, without NULL.",
            hint=hint,
        )
    nested = all(fine > coarse > 0 and not fine % coarse for fine, coarse in pairwise(parts))
    if not nested or not 2 <= parts[-1] <= parts[0] <= MOST_PARTS:
        raise InvalidParameter(
            f'the parts of attribute "{attribute}" do not refine each other',
            detail=f"They are {as_json(parts)}; each must divide the one before, and all lie from "
            f"2 to {MOST_PARTS}.",
            hint=hint,
        )
    return tuple(parts)


def place_of(kind: Kind, text: str) -> Place | None:
    """Place of a value on its line; None for NaN, and for what is no value of the kind."""
    if kind == "numbers":
        try:
            number = Decimal(text)
        except ArithmeticError:
            return None
        return None if number.is_nan() else number
    if text in ("infinity", "-infinity"):
        return (10**9, "") if text == "infinity" else (-(10**9), "")
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    # The year before 1 is 1 BC.
    return (1 - int(found[1]) if found[3] else int(found[1])), found[2]


def cut_quantiles(
    attribute: str,
    kind: Kind,
    values: Sequence[str],
    below: Sequence[int],
    records: int,
    parts: tuple[int, ...],
) -> Bounds:
    """Bounds of intervals that hold about as many records each.

    Parameters
    ----------
    values : sequence of str
        Finite values, rising and distinct: all, or some from the first on.
    below : sequence of int
        Records whose value is smaller than each.
    records : int
        Records that have a finite value.
    parts : tuple of int
        Number of intervals of each level; see `check_parts`.

    Returns
    -------
    tuple of tuple of str
        Levels with fewer bounds than asked for where values recur; one that has those of the level
        before is left out.

    Raises
    ------
    InvalidData
        If nearly all records have one value, or none has any.
    """
    finest = parts[0]
    bounds = {
        cut: _bound(kind, values, below, records, Fraction(cut * records, finest), finest)
        for cut in range(1, finest)
        if len(values) > 1
    }
    levels: list[tuple[str, ...]] = []
    for part in parts:
        chosen = {bounds[cut] for cut in bounds if not cut * part % finest}
        level = tuple(sorted(chosen, key=lambda bound: _place(kind, bound)))
        if level and (not levels or level != levels[-1]):
            levels.append(level)
    if not levels:
        raise InvalidData(
            f'attribute "{attribute}" cannot be cut into intervals',
            detail=f"It has {len(values)} different finite values.",
            hint="A hierarchy by quantiles is for columns of many values.",
        )
    return tuple(levels)


def _place(kind: Kind, text: str) -> Any:
    """Place of a finite value."""
    place = place_of(kind, text)
    assert place is not None
    return place


def _bound(
    kind: Kind,
    values: Sequence[str],
    below: Sequence[int],
    records: int,
    wanted: Fraction,
    finest: int,
) -> str:
    """Round bound that as many records as wanted are below, or nearly."""
    # The first value bounds nothing.
    after = bisect_left(below, wanted, 1)
    near = [place for place in (after - 1, after) if 1 <= place < len(values)]
    best = min(near, key=lambda place: abs(below[place] - wanted))
    moved = _MOVED * records / finest
    first = bisect_left(below, below[best] - moved, 1)
    last = bisect_right(below, below[best] + moved) - 1
    low, high = _place(kind, values[first - 1]), _place(kind, values[last])
    bounds = (
        _round_numbers(values[best], (values[first - 1], values[last]))
        if kind == "numbers"
        else _round_times(values[best])
    )
    return next((bound for bound in bounds if low < _place(kind, bound) <= high), values[best])


def _round_numbers(value: str, ends: tuple[str, str]) -> Iterator[str]:
    """Numbers near a value, the roundest first: multiples of 10, of 5, of 1, of .5, ..."""
    number = Fraction(value)
    exponent = max(Decimal(end).adjusted() for end in ends) + 1
    while True:
        for step in (Fraction(10) ** exponent, Fraction(10) ** exponent / 2):
            start = number // step * step
            nearest = sorted((start, start + step), key=lambda each: abs(each - number))
            yield from map(_as_text, nearest)
            if start == number:
                return
        exponent -= 1


def _as_text(number: Fraction) -> str:
    """Decimal of a fraction that has one, as PostgreSQL reads it."""
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    decimal = Decimal(int(number * 10**digits)).scaleb(-digits, _EXACT).normalize(_EXACT)
    return f"{decimal:f}" if abs(decimal.adjusted()) <= _PLAIN else str(decimal)


def _round_times(value: str) -> Iterator[str]:
    """Times near a value, the roundest first, from half centuries to seconds."""
    found = _TIME.fullmatch(value)
    if found is None or found[3] or int(found[1]) > _LAST_YEAR:
        return
    year = int(found[1])
    for years in (100, 50, 10, 5, 1):
        start = year // years * years
        yield from (f"{each:04}-01-01" for each in (start, start + years) if each)
    moment = datetime.fromisoformat(_FRACTION.sub("", value))
    for months in (6, 3, 1):
        month = (moment.month - 1) // months * months
        for each in (month, month + months):
            yield f"{year + each // 12:04}-{each % 12 + 1:02}-01"
    midnight = moment.replace(hour=0, minute=0, second=0)
    for unit in (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)):
        since = midnight + (moment - midnight) // unit * unit
        for then in (since, since + unit):
            day = f"{then.year:04}-{then:%m-%d}"
            yield day if then.time() == time() else f"{day} {then:%H:%M:%S}"
