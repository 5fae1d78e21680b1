"""Ways to read the values of a column: as numbers, days and times, or truths.

A reading says of a value whether it fits, and writes it as PostgreSQL reads it. Blanks around a
value mean nothing. What no reading fits is text, as it stands.

Rules
-----
- A number has no leading zero: those of postcodes and keys would be lost. It may have one sign of a
  percentage or currency, which is left out.
- A decimal comma, and signs between thousands, are read where every value of the column agrees.
- A day exists. Its form is stated as in PostgreSQL: ``YYYY``, ``YY``, ``MM``, ``DD``, ``MON`` (an
  English name). A time of day may follow. Years of two digits are read only where that is stated:
  those from 70 on are of the last century.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from bkpriv_client.failure import ClientError

__all__ = [
    "BOOLEANS",
    "DATES",
    "MARKERS",
    "NUMBERS",
    "Family",
    "Reading",
    "any_date",
    "date_reading",
    "number_reading",
    "numberlike",
]

Family = Literal["number", "date", "boolean"]


@dataclass(frozen=True, eq=False)
class Reading:
    """A way to read values.

    Parameters
    ----------
    family : str
        Kind of what it reads.
    name : str
        Particularity, for people.
    write : callable
        A value without outer blanks, as PostgreSQL reads it, with its kind; None if it does not
        fit. The kind is for numbers the sign that was left out, for dates the type.
    """

    family: Family
    name: str
    write: Callable[[str], tuple[str, str] | None]


_AFFIX = r"[%€$£¥]"
_AFFIXED = re.compile(rf"(?P<before>{_AFFIX})?\s?(?P<number>.*?)\s?(?P<after>{_AFFIX})?", re.DOTALL)
_NUMBERLIKE = re.compile(rf"{_AFFIX}?\s?[-+.,\d][\d.,eE+'\u2019\s-]*{_AFFIX}?")


def numberlike(value: str) -> bool:
    """Whether a value consists of what numbers consist of."""
    return _NUMBERLIKE.fullmatch(value) is not None


def number_reading(decimal: str, group: str, name: str) -> Reading:
    """Return the reading of numbers with a decimal sign, and perhaps one between thousands.

    Parameters
    ----------
    decimal : str
        The decimal sign.
    group : str
        Characters one of which may be between thousands.
    name : str
        Particularity.
    """
    point = re.escape(decimal)
    whole = r"(?:0|[1-9]\d*)"
    if group:
        sign = f"[{re.escape(group)}]"
        whole = rf"(?:[1-9]\d{{0,2}}(?:(?P<sign>{sign})\d{{3}}(?:(?P=sign)\d{{3}})*)|{whole})"
    # In the plain notation, as programs write it, either side of the point may be empty.
    fraction = rf"(?:{point}\d*)?" if not group else rf"(?:{point}\d+)?"
    pattern = re.compile(rf"[-+]?(?:{whole}{fraction}|{point}\d+)(?:[eE][+-]?\d{{1,3}})?", re.ASCII)
    dropped = str.maketrans(decimal, ".", group)

    def write(value: str) -> tuple[str, str] | None:
        affix = ""
        if not pattern.fullmatch(value):
            parts = _AFFIXED.fullmatch(value)
            if parts is None or bool(parts["before"]) == bool(parts["after"]):
                return None
            value, affix = parts["number"], parts["before"] or parts["after"]
            if not pattern.fullmatch(value):
                return None
        return value.translate(dropped), affix

    return Reading("number", name, write)


NUMBERS: dict[tuple[str, str], Reading] = {
    (".", ""): number_reading(".", "", ""),
    (",", ""): number_reading(",", "", "decimal comma"),
    (".", ","): number_reading(".", ",", "commas between thousands"),
    (",", "."): number_reading(",", ".", "decimal comma, points between thousands"),
    (".", " "): number_reading(".", " \u00a0\u202f\u2009", "blanks between thousands"),
    (",", " "): number_reading(
        ",", " \u00a0\u202f\u2009", "decimal comma, blanks between thousands"
    ),
    (".", "'"): number_reading(".", "'\u2019", "apostrophes between thousands"),
}  # fmt: skip
"""Readings of numbers by their decimal sign and that between thousands, the plainest first."""


_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_PARTS = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d{2})",
    "MM": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
    "MON": r"(?P<month>[A-Za-z]{3,9})\.?",
}
_PIECE = re.compile("YYYY|YY|MON|MM|DD|.", re.DOTALL)
_TIME = re.compile(
    r"(?:[ Tt]|, )(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(?P<second>:[0-5]\d(?:\.\d{1,6})?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"(?P<zone> ?(?:Z|z|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?))?",
    re.ASCII,
)


@cache
def date_reading(form: str) -> Reading:
    """Return the reading of days of one form.

    Parameters
    ----------
    form : str
        Form such as DD.MM.YYYY; a time of day behind it need not be stated.

    Raises
    ------
    ClientError
        If it does not say where year, month and day are.
    """
    stated = form.strip().upper()
    pieces = _PIECE.findall(stated)
    kinds = sorted("M" if piece == "MON" else piece[0] for piece in pieces if piece in _PARTS)
    between = "".join(piece for piece in pieces if piece not in _PARTS)
    if kinds != ["D", "M", "Y"] or re.search(r"[A-Z0-9%]", between):
        raise ClientError(
            f"{form!r} is not the form of a date",
            hint="Say where year, month and day stand: YYYY-MM-DD, DD.MM.YYYY, MM/DD/YY, DD MON "
            "YYYY. A time of day behind it is read by itself.",
        )
    pattern = "".join(_PARTS.get(piece, re.escape(piece)) for piece in pieces)
    if not between or stated.startswith("YYYY-"):
        # Nothing stands between them, or it is the form of programs: each has all of its digits.
        pattern = pattern.replace("{1,2}", "{2}")
    day = re.compile(pattern, re.ASCII)

    def write(value: str) -> tuple[str, str] | None:
        read = day.match(value)
        if read is None:
            return None
        date = _date(read["year"], read["month"], read["day"])
        rest = value[read.end() :]
        if date is None or not rest:
            return None if date is None else (date, "date")
        time = _TIME.fullmatch(rest)
        if time is None or (time["half"] is None and len(time["hour"]) < 2):
            return None
        hour = int(time["hour"])
        if time["half"] is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if time["half"] in "Pp" else 0)
        kind = "timestamp" if time["zone"] is None else "timestamptz"
        zone = (time["zone"] or "").strip()
        return f"{date} {hour:02}:{time['minute']}{time['second'] or ''}{zone}", kind

    return Reading("date", stated, write)


def _date(year: str, month: str, day: str) -> str | None:
    """Day in ISO 8601 form; None if there is none."""
    if month.isdigit():
        number = int(month)
    else:
        name = month.lower()
        fitting = [
            place
            for place, full in enumerate(_MONTHS, start=1)
            if name in (full, full[:3], "sept" if place == 9 else full)
        ]
        number = fitting[0] if fitting else 0
    full_year = int(year)
    if len(year) == 2:
        full_year += 1900 if full_year >= 70 else 2000
    try:
        return datetime.date(full_year, number, int(day)).isoformat()
    except ValueError:
        return None


@cache
def any_date(forms: tuple[str, ...]) -> Reading:
    """Return the reading of days of any of some forms, the first of which goes first."""
    readings = [date_reading(form) for form in forms]

    def write(value: str) -> tuple[str, str] | None:
        return next((made for each in readings if (made := each.write(value)) is not None), None)

    return Reading("date", " or ".join(each.name for each in readings), write)


DATES: tuple[Reading, ...] = tuple(
    date_reading(form)
    for form in (
        "YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD",
        "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "MM-DD-YYYY",
        "DD.MM.YY", "DD/MM/YY", "MM/DD/YY", "YY-MM-DD", "DD-MM-YY",
        "DD MON YYYY", "DD-MON-YYYY", "DD-MON-YY", "MON DD, YYYY", "DD. MON YYYY",
    )
)  # fmt: skip
"""Readings of days that are tried."""


def _truths(yes: str, no: str, *more: str) -> Reading:
    words = {yes: "true", no: "false", **dict.fromkeys(more, "true")}

    def write(value: str) -> tuple[str, str] | None:
        word = value.casefold()
        return (words[word], word) if word in words else None

    return Reading("boolean", f"{yes}, {no}", write)


BOOLEANS: tuple[Reading, ...] = (
    _truths("true", "false"),
    _truths("yes", "no"),
    _truths("y", "n"),
    _truths("t", "f"),
    _truths("ja", "nein"),
    _truths("ja", "nee"),
    _truths("j", "n"),
    _truths("oui", "non"),
    _truths("sí", "no", "si"),
    _truths("sim", "não"),
    _truths("vrai", "faux"),
    _truths("wahr", "falsch"),
)
"""Readings of truths: a pair of words, in any case."""

MARKERS = frozenset(
    {
        "na",
        "n/a",
        "#n/a",
        "n.a.",
        "nan",
        "null",
        "none",
        "nil",
        "?",
        "??",
        "-",
        "--",
        "---",
        "–",
        "—",
        ".",
        "..",
        "...",
        "\\n",
        "#value!",
        "#div/0!",
        "#null!",
        "missing",
        "unknown",
        "unbekannt",
        "k.a.",
        "n.v.",
        "k. a.",
        "not available",
        "keine angabe",
        "(null)",
        "<na>",
        "<null>",
    }
)
"""Usual marks of a missing value, in lower case."""
