"""Bins as they are declared: half-open intervals that take the place of a column's values.

Numbers have bins of one width, counted from 0, so that a value ``x`` is in the one from ``w floor(x
/ w)``; those of whole numbers have whole widths. Days and times have bins of the calendar, whose
lengths differ.

Numbers that are codes have no bins: they are declared to be labels, by `LABEL`, which are alike or
not, however near the numbers are.

Types go by the names that PostgreSQL's catalogue has for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bkpriv_core.errors import InvalidParameter

__all__ = ["CALENDAR", "FLOATS", "LABEL", "TIMES", "Bin", "parse_bins"]

CALENDAR = {
    "year": "1 year",
    "quarter": "3 months",
    "month": "1 month",
    "week": "7 days",
    "day": "1 day",
    "hour": "1 hour",
}
"""Units of the calendar, and how long each is."""

LABEL = "label"
"""Statement for a column of numbers that are codes, in place of a bin."""

_WHOLE = {"int2", "int4", "int8"}
TIMES = {"date", "timestamp", "timestamptz"}
"""Types of days and times."""

FLOATS = {"float4", "float8"}
"""Types of numbers that stand for the shortest decimal that is read back as them."""

_HINT = (
    f"A bin of days or times is {', '.join(CALENDAR)}, one of numbers a positive number; numbers "
    'that are codes are labels: {"birth_date": "year", "age": 5, "method": "label"}.'
)


@dataclass(frozen=True)
class Bin:
    """Rule by which the values of a column are binned."""

    type_name: str
    """The column's type, such as "int4"."""
    unit: str | None = None
    """The unit of the calendar, for days and times."""
    width: Decimal | None = None


def parse_bins(stated: Any, types: Mapping[str, str]) -> dict[str, Bin | None]:
    """Bins of a dataset as they are declared.

    Args:
        stated: Decoded JSON: by column a unit, a width, or `LABEL`.
        types: Types of the dataset's attributes and of its period.

    Returns:
        None for a column whose numbers are labels.

    Raises:
        InvalidParameter: If a column is none of the dataset's attributes, or the bin does not suit
            its type.
    """
    if not isinstance(stated, dict):
        raise InvalidParameter(
            "the bins are not a JSON object",
            detail="They state, by column, a unit, a width or that numbers are labels.",
            hint=_HINT,
        )
    for name in stated:
        if name not in types:
            raise InvalidParameter(
                f'column "{name}" is binned, but is no attribute of the dataset',
                detail="It is neither a quasi-identifier nor the sensitive column, nor the period.",
                hint=f"The columns that may be binned are {', '.join(types)}.",
            )
    return {name: _parse_bin(name, types[name], size) for name, size in stated.items()}


def _parse_bin(name: str, type_name: str, size: Any) -> Bin | None:
    """Bin of one column, or None where its numbers are labels."""
    if size == LABEL and type_name in _WHOLE | FLOATS | {"numeric"}:
        return None
    if type_name in TIMES:
        units = [unit for unit in CALENDAR if unit != "hour" or type_name != "date"]
        if size not in units:
            raise _refused(name, f"its bins are given by {', '.join(units)}")
        return Bin(type_name, unit=size)
    if type_name not in _WHOLE | FLOATS | {"numeric"}:
        raise _refused(
            name,
            "only numbers, dates and timestamps have bins; a view makes numbers of other types, "
            "as extract(hour FROM a_time), extract(epoch FROM an_interval), money::numeric do",
        )
    if isinstance(size, bool) or not isinstance(size, int | float):
        raise _refused(name, f'its bins are given by a width, a number, or it is a "{LABEL}"')
    width = Decimal(str(size))
    if not width.is_finite() or width <= 0:
        raise _refused(name, "a width is above 0 and finite")
    if type_name in _WHOLE and width != width.to_integral_value():
        raise _refused(name, "it holds whole numbers, whose bins have whole widths")
    return Bin(type_name, width=width)


def _refused(name: str, why: str) -> InvalidParameter:
    return InvalidParameter(
        f'column "{name}" cannot be binned so', detail=f"{why[0].upper()}{why[1:]}.", hint=_HINT
    )
