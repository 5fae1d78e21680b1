"""Bins in SQL: where the bin of a value starts, and where it ends.

A bin goes by its start, which cells, priors, hierarchies and queries see as the value, and is
published as a range. Days and times have bins of the calendar, in UTC.

Starts and ends of numbers are `numeric` and exact; a float is taken to be the shortest decimal that
is read back as it.
"""

from __future__ import annotations

from bkpriv_core.table.bins import CALENDAR, FLOATS, Bin

__all__ = ["bin_end", "bin_start"]


def bin_start(bin_: Bin, value: str) -> str:
    """SQL of the start of the bin that holds the SQL expression `value`."""
    if bin_.unit is not None:
        return _as_time(bin_, f"date_trunc('{bin_.unit}', {_clock(bin_, value)})")
    number = f"{value}{'::text::numeric' if bin_.type_name in FLOATS else '::numeric'}"
    step = _step(bin_)
    # Not by division, which rounds: the remainder is exact, and that of a negative is negative.
    return f"trim_scale({number} - mod(mod({number}, {step}) + {step}, {step}))"


def bin_end(bin_: Bin, start: str) -> str:
    """SQL of the end of the bin that starts at the SQL expression `start`."""
    if bin_.unit is not None:
        return _as_time(bin_, f"({_clock(bin_, start)} + interval '{CALENDAR[bin_.unit]}')")
    return f"trim_scale({start}::numeric + {_step(bin_)})"


def _step(bin_: Bin) -> str:
    return f"{bin_.width:f}::numeric"


def _clock(bin_: Bin, value: str) -> str:
    """SQL of a day or time as a timestamp without a zone, that of UTC."""
    if bin_.type_name == "timestamptz":
        return f"({value} AT TIME ZONE 'UTC')"
    return f"{value}::timestamp"


def _as_time(bin_: Bin, clock: str) -> str:
    """SQL of a timestamp without a zone as a value of the column's type."""
    if bin_.type_name == "timestamptz":
        return f"({clock} AT TIME ZONE 'UTC')"
    return f"{clock}::{bin_.type_name}"
