"""Statements about a CSV file at the command line."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Sequence

from bkpriv_client.failure import ClientError
from bkpriv_client.reading import date_reading

__all__ = ["listed", "one_sign", "read_dates", "read_decimal", "read_nulls", "said_null"]


_LONGEST = 200
"""Characters of values that are proposed at the command line."""


def one_sign(text: str, what: str) -> str:
    """Read a character, a tab also by its names.

    Raises:
        ClientError: If it is none, or several.
    """
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(text) != 1 or text in "\r\n\0":
        raise ClientError(
            f"the {what} {text!r} is not one character",
            hint="For a tab, write: --delimiter tab",
        )
    return text


def listed(text: str) -> tuple[str, ...]:
    """Read values that are separated by commas."""
    return tuple(next(csv.reader([text], skipinitialspace=True), []))


def read_nulls(stated: Sequence[str], names: Sequence[str]) -> dict[str, frozenset[str]]:
    """Read values that mean missing by column; those of all columns by the empty name."""
    nulls: dict[str, frozenset[str]] = {}
    for text in stated:
        named = [name for name in names if text.startswith(f"{name}=")]
        name = max(named, key=len, default="")
        values = listed(text.removeprefix(f"{name}=") if name else text)
        nulls[name] = nulls.get(name, frozenset()).union(values)
    return nulls


def said_null(values: Iterable[str], name: str = "") -> str:
    """Write the option by which values are missing, of one column or of all, as for a shell.

    It is what `read_nulls` reads. Values that are too long are left for the user to write.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    stated = line.getvalue()
    if len(stated) > _LONGEST:
        return "--null with that value"
    return f"--null {shlex.quote(f'{name}={stated}' if name else stated)}"


def read_decimal(decimal: str) -> str:
    """Read a decimal sign; it may be empty.

    Raises:
        ClientError: If it is none.
    """
    if decimal not in ("", ".", ","):
        raise ClientError(f"{decimal!r} is no decimal sign", hint="It is . or ,")
    return decimal


def read_dates(formats: Sequence[str], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read forms of dates by column; those of all columns by the empty name.

    Raises:
        ClientError: If there is no such column, or it is not the form of a date.
    """
    dates: dict[str, tuple[str, ...]] = {}
    for text in formats:
        name, equals, form = text.rpartition("=")
        if equals and name not in names:
            raise ClientError(
                f"--date-format names a column {name!r} that is not there",
                detail=f"The columns are {', '.join(names)}.",
            )
        date_reading(form)
        dates[name] = (*dates.get(name, ()), form)
    return dates
