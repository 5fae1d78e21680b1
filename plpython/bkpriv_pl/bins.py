"""Bins: half-open intervals that take the place of a column's values, throughout its dataset.

A bin goes by its start, which cells, priors, hierarchies and queries see as the value, and is
published as a range. Numbers have bins of one width, counted from 0; days and times those of the
calendar, in UTC, whose lengths differ.

Starts and ends of numbers are `numeric` and exact; a float is taken to be the shortest decimal that
is read back as it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bkpriv_core.errors import InvalidParameter

__all__ = ["Bin", "parse_bin", "parse_bins"]

_UNITS = {
    "year": "1 year",
    "quarter": "3 months",
    "month": "1 month",
    "week": "7 days",
    "day": "1 day",
    "hour": "1 hour",
}
"""Units of the calendar, as `date_trunc` names them, and how long each is."""

_WHOLE = {"int2", "int4", "int8"}
_FLOATS = {"float4", "float8"}
_TIMES = {"date", "timestamp", "timestamptz"}

_HINT = (
    f"A bin of days or times is {', '.join(_UNITS)}, one of numbers a positive number: "
    '{"birth_date": "year", "age": 5}.'
)


@dataclass(frozen=True)
class Bin:
    """How the values of a column are binned.

    Parameters
    ----------
    type_name : str
        Catalog name of the column's type, such as "int4".
    unit : str or None
        The unit of the calendar, for days and times.
    width : Decimal or None
        The width, for numbers.
    """

    type_name: str
    unit: str | None = None
    width: Decimal | None = None

    def start(self, value: str) -> str:
        """SQL of the start of the bin that holds the SQL expression `value`."""
        if self.unit is not None:
            return self._as_time(f"date_trunc('{self.unit}', {self._clock(value)})")
        cast = "::text::numeric" if self.type_name in _FLOATS else "::numeric"
        number = f"{value}{cast}"
        # Not by division, which rounds: the remainder is exact, and that of a negative is negative.
        return (
            f"trim_scale({number} - mod(mod({number}, {self._step}) + {self._step}, {self._step}))"
        )

    def end(self, start: str) -> str:
        """SQL of the end of the bin that starts at the SQL expression `start`."""
        if self.unit is not None:
            return self._as_time(f"({self._clock(start)} + interval '{_UNITS[self.unit]}')")
        return f"trim_scale({start}::numeric + {self._step})"

    @property
    def _step(self) -> str:
        return f"{self.width:f}::numeric"

    def _clock(self, value: str) -> str:
        """SQL of a day or time as a timestamp without a zone, that of UTC."""
        if self.type_name == "timestamptz":
            return f"({value} AT TIME ZONE 'UTC')"
        return f"{value}::timestamp"

    def _as_time(self, clock: str) -> str:
        """SQL of a timestamp without a zone as a value of the column's type."""
        if self.type_name == "timestamptz":
            return f"({clock} AT TIME ZONE 'UTC')"
        return f"{clock}::{self.type_name}"


def parse_bins(stated: Any, types: Mapping[str, str]) -> dict[str, Bin]:
    """Bins of a dataset as they are declared.

    Parameters
    ----------
    stated : object
        Decoded JSON: by column a unit or a width.
    types : mapping of str to str
        Catalog names of the types of the dataset's attributes.

    Raises
    ------
    InvalidParameter
        If a column is none of the dataset's attributes, or the bin does not suit its type.
    """
    if not isinstance(stated, dict):
        raise InvalidParameter(
            "the bins are not a JSON object",
            detail="They state, by column, a unit or a width.",
            hint=_HINT,
        )
    for name in stated:
        if name not in types:
            raise InvalidParameter(
                f'column "{name}" is binned, but is no attribute of the dataset',
                detail="It is neither a quasi-identifier nor the sensitive column.",
                hint=f"The attributes are {', '.join(types)}.",
            )
    return {name: parse_bin(name, types[name], size) for name, size in stated.items()}


def parse_bin(name: str, type_name: str, size: Any) -> Bin:
    """Bin of one column; see `parse_bins`."""
    if type_name in _TIMES:
        units = [unit for unit in _UNITS if unit != "hour" or type_name != "date"]
        if size not in units:
            raise _refused(name, f"its bins are given by {', '.join(units)}")
        return Bin(type_name, unit=size)
    if type_name not in _WHOLE | _FLOATS | {"numeric"}:
        raise _refused(name, "only numbers, dates and timestamps have bins")
    if isinstance(size, bool) or not isinstance(size, int | float):
        raise _refused(name, "its bins are given by a width, a number")
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
