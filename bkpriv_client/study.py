"""Figures of the columns of a file, counted in DuckDB over all records.

All values of a column are seen, never a sample: a sample only says which readings may be left out,
because most of its values do not fit them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bkpriv_client.reading import (
    BOOLEANS,
    DATES,
    MARKERS,
    NUMBERS,
    Reading,
    literal,
    literals,
    matches,
    trimmed,
)
from bkpriv_core.table.outlying import inspect_numbers
from bkpriv_core.table.sentinel import FEW, SUSPECT, Suspect, odd_numbers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Figures", "Noted", "Tally", "study_columns"]

_SAMPLE = 1000
"""Different values of a column by which readings are left out."""

_DAY = 86400
_LISTED = 8
"""Limit of the texts of days that are listed."""

_WHOLE = matches("[-+]?(0|[1-9][0-9]*)")
_WITH_SIGNS = {*NUMBERS.values(), *DATES[:-1], *BOOLEANS}
_CONTROL = r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]"

Noted = tuple[str, int]
"""A value and the first record in which it occurs."""


@dataclass(frozen=True)
class Tally:
    """Counts of the values that fit a reading."""

    fits: int
    """Number of records whose value fits."""
    digest: int
    """Sum of hashes of what is written, by which readings are compared."""
    kinds: tuple[str, ...]
    rank: int
    """Narrowest type that holds all, if they are numbers: integer, bigint, numeric."""
    pointed: bool
    """Whether numbers end in a point and a zero."""
    misfit: Noted | None
    """First value that does not fit."""


@dataclass
class Figures:
    """Figures of a column."""

    values: int
    missing: int
    blanks: int
    led: int
    """Numbers of values with blanks at their ends, and with some at the beginning."""
    digits: int
    figured: int
    """Numbers of values that are digits only, and that hold some."""
    whole: bool
    first: Noted | None
    zeros: Noted | None
    control: Noted | None
    nul: Noted | None
    """First value; first with leading zeros, with a control character, with a NUL."""
    markers: list[Suspect] = field(default_factory=list)
    """Usual marks of missing values; not among the values."""
    odd: list[Suspect] = field(default_factory=list)
    """Numbers that may stand for a missing value."""
    odd_days: dict[Reading, list[Suspect]] = field(default_factory=dict)
    """Days that may, by the readings that all values fit."""
    tallies: dict[Reading, Tally] = field(default_factory=dict)
    """Counts of the readings that most values fit."""


def study_columns(
    db: DuckDBPyConnection,
    columns: Sequence[str],
    nulls: Sequence[frozenset[str]],
    readings: Sequence[Sequence[Reading]],
) -> Iterator[Figures]:
    """Yield the figures of columns of the table ``records``.

    Args:
        nulls: Values that are missing, for each column.
    """
    for column, missing, tried in zip(columns, nulls, readings, strict=True):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE seen AS SELECT v, n, r, blanks, led, "
            f"CASE WHEN v = '' OR list_contains({literals(missing)}, v) THEN 0 "
            f"WHEN list_contains({literals(MARKERS)}, lower(v)) THEN 1 ELSE 2 END AS part FROM ("
            "SELECT v, sum(n) AS n, min(r) AS r, sum(n) FILTER (raw <> v) AS blanks, "
            "sum(n) FILTER (ltrim(raw) <> raw) AS led FROM ("
            f"SELECT raw, {trimmed('raw')} AS v, count(*) AS n, min(row) AS r FROM "
            f"(SELECT coalesce({column}, '') AS raw, rowid AS row FROM records) GROUP BY raw"
            ") GROUP BY v)"
        )
        figures = _overall(db)
        figures.tallies = _tallies(db, tried, figures)
        if any(each.family == "number" for each in figures.tallies):
            figures.odd = _odd(db)
        figures.odd_days = {
            each: _odd_days(db, each)
            for each, tally in figures.tallies.items()
            if each.family == "date" and tally.misfit is None
        }
        yield figures


def _overall(db: DuckDBPyConnection) -> Figures:
    noted = "arg_min({{'v': v, 'r': r}}, r) FILTER (part = 2 AND {})".format
    (row,) = db.execute(
        "SELECT "
        "coalesce(sum(n) FILTER (part = 2), 0)::BIGINT, "
        "coalesce(sum(n) FILTER (part = 0), 0)::BIGINT, "
        "coalesce(sum(blanks) FILTER (part = 2), 0)::BIGINT, "
        "coalesce(sum(led) FILTER (part = 2), 0)::BIGINT, "
        f"coalesce(sum(n) FILTER (part = 2 AND {matches('[0-9]+')}), 0)::BIGINT, "
        "coalesce(sum(n) FILTER (part = 2 AND regexp_matches(v, '[0-9]')), 0)::BIGINT, "
        f"bool_and({_WHOLE}) FILTER (part = 2), "
        f"{noted('true')}, {noted(matches('0[0-9]+'))}, "
        f"{noted(f'regexp_matches(v, {literal(_CONTROL)})')}, {noted('contains(v, chr(0))')} "
        "FROM seen"
    ).fetchall()
    values, missing, blanks, led, digits, figured, whole, *places = row
    first, zeros, control, nul = (each and (each["v"], each["r"]) for each in places)
    marked = db.execute("SELECT v, n::BIGINT, r FROM seen WHERE part = 1 ORDER BY r").fetchall()
    return Figures(
        values, missing, blanks, led, digits, figured, bool(whole), first, zeros, control, nul,
        [Suspect(*each) for each in marked],
    )  # fmt: skip


def _tallies(
    db: DuckDBPyConnection, readings: Sequence[Reading], figures: Figures
) -> dict[Reading, Tally]:
    """Count the readings that at least half of the values fit."""
    if not figures.values:
        return {}
    plain, words = NUMBERS[".", ""], 2 * figures.figured < figures.values
    if figures.whole:
        # All readings of numbers make the same of them, and days have signs, but in one form.
        counted = [each for each in readings if each is plain or each not in _WITH_SIGNS]
    else:
        tried = [each for each in readings if (each.family == "boolean") == words]
        counted = _mostly_fitting(db, tried)
    if not counted:
        return {}
    made = "".join(
        f", {each.fits} AS f{place}, {each.write} AS w{place}, {each.kind} AS k{place}"
        for place, each in enumerate(counted)
    )
    asked = ", ".join(_counted(place, each.family) for place, each in enumerate(counted))
    ((*row,),) = db.execute(
        f"SELECT {asked} FROM (SELECT v, n, r{made} FROM seen WHERE part = 2)"
    ).fetchall()
    tallies = {each: _tally(found) for each, found in zip(counted, row, strict=True)}
    if figures.whole:
        tallies = {**dict.fromkeys(NUMBERS.values(), tallies[plain]), **tallies}
    return {each: tally for each, tally in tallies.items() if 2 * tally.fits >= figures.values}


def _mostly_fitting(db: DuckDBPyConnection, readings: Sequence[Reading]) -> list[Reading]:
    """Readings that at least half of a sample fits."""
    sample = f"(SELECT * FROM seen WHERE part = 2 ORDER BY hash(v) LIMIT {_SAMPLE})"
    fits = ", ".join(f"2 * coalesce(sum(n) FILTER ({each.fits}), 0) >= sum(n)" for each in readings)
    (fitting,) = db.execute(f"SELECT {fits} FROM {sample}").fetchall()
    return [each for each, fit in zip(readings, fitting, strict=True) if fit]


def _counted(place: int, family: str) -> str:
    """Write in SQL what is counted of a reading: what fits, is written, and its kind are given."""
    fits, written = f"FILTER (f{place})", f"w{place}"
    rank, pointed = "0", "false"
    if family == "number":
        rank = (
            f"CASE WHEN NOT regexp_full_match({written}, '[-+]?[0-9]+([.]0)?') THEN 2 "
            f"WHEN TRY_CAST({written} AS DOUBLE) BETWEEN -2147483648 AND 2147483647 THEN 0 "
            f"WHEN TRY_CAST(regexp_replace({written}, '[.]0$', '') AS BIGINT) IS NULL THEN 2 "
            "ELSE 1 END"
        )
        pointed = f"suffix({written}, '.0')"
    return (
        f"{{'fits': coalesce(sum(n) {fits}, 0)::BIGINT, "
        f"'digest': sum(hash({written})::HUGEINT) {fits}, "
        f"'kinds': list(DISTINCT k{place}) {fits}, "
        f"'rank': max({rank}) {fits}, 'pointed': bool_or({pointed}) {fits}, "
        f"'misfit': arg_min({{'v': v, 'r': r}}, r) FILTER (NOT f{place})}}"
    )


def _tally(found: dict[str, Any]) -> Tally:
    misfit = found["misfit"]
    return Tally(
        found["fits"],
        found["digest"],
        tuple(sorted(found["kinds"] or ())),
        found["rank"],
        bool(found["pointed"]),
        misfit and (misfit["v"], misfit["r"]),
    )


def _odd(db: DuckDBPyConnection) -> list[Suspect]:
    """Numbers that may stand for a missing value, if all are written plainly."""
    plain = matches("-?[0-9]{1,15}([.][0-9]{1,9})?")
    suspect = f"(length(v) <= 12 AND {matches(SUSPECT)})"
    (row,) = db.execute(
        f"SELECT bool_and({plain}) AND max(n) FILTER ({suspect}) > 1, "
        f"min(TRY_CAST(v AS DOUBLE)) FILTER (NOT {suspect}), "
        f"max(TRY_CAST(v AS DOUBLE)) FILTER (NOT {suspect}) FROM seen WHERE part = 2"
    ).fetchall()
    if not row[0] or row[1] is None:
        return []
    suspects = db.execute(
        f"SELECT v, n::BIGINT, r FROM seen WHERE part = 2 AND {suspect}"
    ).fetchall()
    others = db.execute(
        f"SELECT v::DOUBLE, sum(n)::BIGINT FROM seen WHERE part = 2 AND NOT {suspect} GROUP BY 1 "
        f"LIMIT {FEW + 1}"
    ).fetchall()
    return odd_numbers([Suspect(*each) for each in suspects], dict(others), row[1], row[2])


def _odd_days(db: DuckDBPyConnection, reading: Reading) -> list[Suspect]:
    """Values on days that may stand for a missing value, by the rule of a server's columns."""
    day = f"date_diff('day', DATE '1970-01-01', TRY_CAST(left({reading.write}, 10) AS DATE))"
    seen = f"(SELECT v, n, r, {day} AS day FROM seen WHERE part = 2)"
    counted = db.execute(
        f"SELECT day, sum(n)::BIGINT FROM {seen} WHERE day IS NOT NULL GROUP BY day ORDER BY day"
    ).fetchall()
    days, records = np.array(counted, dtype=np.int64).reshape(-1, 2).T
    odd = days[inspect_numbers(days * float(_DAY), records, times=True).stand_ins].tolist()
    if not odd:
        return []
    rows = db.execute(
        f"SELECT v, n::BIGINT, r FROM {seen} WHERE list_contains({odd}, day) "
        f"ORDER BY day, r LIMIT {_LISTED}"
    )
    return [Suspect(*each) for each in rows.fetchall()]
