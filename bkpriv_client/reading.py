"""Readings of values, in SQL for DuckDB: as numbers, days and times, or truths.

A reading decides of a value ``v`` whether it fits, and writes it as PostgreSQL reads it. What no
reading fits stays text. DuckDB's own detection of types is not used: it decides by a sample,
drops leading zeros, and takes 03/04/2024 for one of two days.

Rules
-----
- A number has no leading zero: those of postcodes and keys would be lost. It may have one sign of a
  percentage or currency, which is left out.
- A decimal comma, and signs between thousands, are read if every value of the column agrees.
- A day exists. Its form is stated as in PostgreSQL: ``YYYY``, ``YY``, ``MM``, ``DD``, ``MON`` (an
  English name). A time of day may follow. Years of two digits are read only if that is stated:
  those from 69 on are of the last century.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from bkpriv_client.failure import ClientError

__all__ = [
    "BOOLEANS",
    "DATES",
    "MARKERS",
    "NUMBERS",
    "Reading",
    "any_date",
    "date_reading",
    "literal",
    "literals",
    "matches",
    "trimmed",
]


def trimmed(value: str) -> str:
    """Write in SQL a value without blanks around it."""
    return rf"regexp_replace({value}, '^[\s\p{{Z}}]+|[\s\p{{Z}}]+$', '', 'g')"


@dataclass(frozen=True)
class Reading:
    """A way to read values."""

    family: Literal["number", "date", "boolean"]
    name: str
    fits: str
    """SQL: whether the value ``v`` fits."""
    write: str
    """SQL: the value as PostgreSQL reads it, if it fits."""
    kind: str
    """SQL: of numbers the sign that is left out, of days the type, of truths the word."""


def literal(text: str) -> str:
    """Write a text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    """Write texts as a list in SQL."""
    return f"[{', '.join(map(literal, texts))}]::VARCHAR[]"


def matches(pattern: str, value: str = "v") -> str:
    """Write in SQL that a pattern matches all of a value."""
    return f"regexp_full_match({value}, {literal(pattern)})"


_BARE = r"regexp_replace(v, '^[%€$£¥][\s\p{Z}]?|[\s\p{Z}]?[%€$£¥]$', '', 'g')"
_AFFIX = "regexp_replace(v, '[^%€$£¥]', '', 'g')"
_BLANKS = " \u00a0\u202f\u2009"


def _number(decimal: str, group: str, name: str) -> Reading:
    point, whole = re.escape(decimal), r"(0|[1-9]\d*)"
    # In the plain notation, as programs write it, either side of the point may be empty.
    fraction = rf"({point}\d*)?"
    if group:
        whole = rf"([1-9]\d{{0,2}}([{group}]\d{{3}})+|{whole})"
        fraction = rf"({point}\d+)?"
    pattern = rf"[-+]?({whole}{fraction}|{point}\d+)([eE][+-]?\d{{1,3}})?"
    written = f"translate({_BARE}, {literal(decimal + group)}, '.')"
    fits = f"({matches(pattern, _BARE)} AND length({_AFFIX}) < 2)"
    return Reading("number", name, fits, written, _AFFIX)


NUMBERS: dict[tuple[str, str], Reading] = {
    (".", ""): _number(".", "", ""),
    (",", ""): _number(",", "", "decimal comma"),
    (".", ","): _number(".", ",", "commas between thousands"),
    (",", "."): _number(",", ".", "decimal comma, points between thousands"),
    (".", " "): _number(".", _BLANKS, "blanks between thousands"),
    (",", " "): _number(",", _BLANKS, "decimal comma, blanks between thousands"),
    (".", "'"): _number(".", "'\u2019", "apostrophes between thousands"),
}
"""Readings of numbers by their decimal sign and that between thousands, the plainest first."""

_PARTS = {
    "YYYY": (r"\d{4}", "%Y"),
    "YY": (r"\d{2}", "%y"),
    "MM": (r"\d{1,2}", "%m"),
    "DD": (r"\d{1,2}", "%d"),
    "MON": (r"[A-Za-z]{3,9}\.?", "%b"),
}
_PIECE = re.compile("YYYY|YY|MON|MM|DD|.", re.DOTALL)
_TIME = (
    r"(?:[ T]|, )(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"
    r"|(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)? ?[AaPp][Mm])"
    r"(?: ?(?:Z|z|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?))?"
)


@cache
def date_reading(form: str) -> Reading:
    """Return the reading of days of one form.

    Args:
        form: Form such as DD.MM.YYYY; a time of day behind it need not be stated.

    Raises:
        ClientError: If it does not say where year, month and day are.
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
    pattern = "".join(_PARTS[piece][0] if piece in _PARTS else re.escape(piece) for piece in pieces)
    if not between or stated.startswith("YYYY-"):
        # Nothing stands between them, or it is the form of programs: each has all of its digits.
        pattern = pattern.replace("{1,2}", "{2}")
    format_ = "".join(_PARTS[piece][1] if piece in _PARTS else piece for piece in pieces)
    formats = literals(dict.fromkeys([format_, format_.replace("%b", "%B")]))
    # A month may be cut to any of its first letters, with a point: the day is what counts.
    text = f"replace(regexp_extract(v, {literal(f'^({pattern})')}, 1), '.', '')"
    if "MON" not in pieces:
        text = text.removeprefix("replace(").removesuffix(", '.', '')")
    else:
        formats = formats.replace(".", "")
    day = f"try_strptime({text}, {formats})"
    rest = f"regexp_replace(v, {literal(f'^{pattern}')}, '')"
    time = f"regexp_replace({rest}, '^(T|, )', ' ')"
    return Reading(
        "date",
        stated,
        f"({matches(f'{pattern}(?:{_TIME})?')} AND {day} IS NOT NULL)",
        f"(strftime({day}, '%Y-%m-%d') || {time})",
        f"CASE WHEN {rest} = '' THEN 'date' WHEN regexp_matches({rest}, '[Zz]$|[+-]') "
        "THEN 'timestamptz' ELSE 'timestamp' END",
    )


@cache
def any_date(forms: tuple[str, ...]) -> Reading:
    """Return the reading of days of any of some forms, the first of which goes first."""
    readings = [date_reading(form) for form in forms]

    def chosen(wanted: str) -> str:
        cases = " ".join(f"WHEN {each.fits} THEN {getattr(each, wanted)}" for each in readings)
        return f"CASE {cases} END"

    return Reading(
        "date",
        " or ".join(each.name for each in readings),
        f"({' OR '.join(each.fits for each in readings)})",
        chosen("write"),
        chosen("kind"),
    )


DATES: tuple[Reading, ...] = tuple(
    date_reading(form)
    for form in (
        "YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD",
        "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "MM-DD-YYYY",
        "DD.MM.YY", "DD/MM/YY", "MM/DD/YY", "YY-MM-DD", "DD-MM-YY",
        "DD MON YYYY", "DD-MON-YYYY", "DD-MON-YY", "MON DD, YYYY", "DD. MON YYYY", "YYYYMMDD",
    )
)  # fmt: skip
"""Readings of days that are tried; the last only where no number is meant."""


def _truths(yes: str, no: str, *more: str) -> Reading:
    true = literals([yes, *more])
    return Reading(
        "boolean",
        f"{yes}, {no}",
        f"list_contains({literals([yes, no, *more])}, lower(v))",
        f"CASE WHEN list_contains({true}, lower(v)) THEN 'true' ELSE 'false' END",
        f"CASE WHEN list_contains({true}, lower(v)) THEN 'true' ELSE 'false' END",
    )


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

MARKERS = (
    "na", "n/a", "#n/a", "n.a.", "nan", "null", "none", "nil", "?", "??", "-", "--", "---", "–",
    "—", ".", "..", "...", "\\n", "#value!", "#div/0!", "#null!", "missing", "unknown",
    "unbekannt", "k.a.", "n.v.", "k. a.", "not available", "keine angabe", "(null)", "<na>",
    "<null>",
)  # fmt: skip
"""Usual marks of a missing value, in lower case."""
