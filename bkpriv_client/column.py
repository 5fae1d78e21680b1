"""Types of the columns of a file, and the reasons.

Every value of a column is tried by every reading. One that all values fit decides the column's
type; where readings differ in what they make of the values, it takes evidence, or a statement, to
choose among them. Nothing is decided on a sample, and what does not fit is kept with its line.

Rules
-----
- An empty field is missing, and so is one of blanks, or one that is stated to be.
- Usual marks of a missing value (n/a, ?, -) are missing in a column of numbers, days or truths,
  which is said. In a column of text they stay what they are, which is said too.
- A pair of words is a truth if both occur; one alone may mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bkpriv_client.reading import (
    BOOLEANS,
    DATES,
    MARKERS,
    NUMBERS,
    Reading,
    any_date,
    date_reading,
)
from bkpriv_client.seen import Seen, Tally
from bkpriv_client.source import SqlType
from bkpriv_client.stating import said_null

__all__ = ["Column", "Decision", "Stated", "decide"]

_TYPES: tuple[SqlType, ...] = ("integer", "bigint", "numeric")
_PROPOSED = re.compile(r"(?<!Y)YY(?!Y)|YYYYMMDD")
"""Forms of dates that are read only where they are stated."""

_ISO = DATES[0]
_TRIED = (*DATES, date_reading("YYYYMMDD"))
_SHOWN = 40
"""Characters that are shown of a value."""


@dataclass(frozen=True)
class Stated:
    """Statements of a person about the values.

    Parameters
    ----------
    nulls : mapping of str to frozenset of str
        Values that are missing, by column; those that are so in all by the empty name.
    dates : mapping of str to tuple of str
        Forms of dates, by column; those of all other columns by the empty name.
    decimal : str
        The decimal sign; empty where none was stated.
    labels : frozenset of str
        Columns of codes.
    """

    nulls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    decimal: str = ""
    labels: frozenset[str] = frozenset()

    def missing(self, name: str) -> frozenset[str]:
        """Values of a column that are missing."""
        return self.nulls.get(name, frozenset()) | self.nulls.get("", frozenset())

    def forms(self, name: str) -> tuple[str, ...]:
        """Forms of the dates of a column."""
        return self.dates.get(name, self.dates.get("", ()))


@dataclass(frozen=True)
class Decision:
    """Type of a column, and its reason.

    Parameters
    ----------
    type : SqlType
        The type.
    why : str
        Reason, and what is particular about it, for people; empty for the plainest.
    missing : int
        Values that are missing.
    write : callable
        A field, as it goes into the table: None if it is missing.
    loss : bool
        Whether most values are of a narrower type than text, which it became.
    """

    type: SqlType
    why: str
    missing: int
    write: Callable[[str], str | None]
    loss: bool = False


class Column:
    """A column whose values are seen once, by `take`.

    Parameters
    ----------
    name : str
        Name of the column.
    stated : Stated
        Statements about its values.
    """

    def __init__(self, name: str, stated: Stated) -> None:
        self.name = name
        self.stated = stated
        forms = stated.forms(name)
        self._stated_dates = any_date(forms) if forms else None
        self._dates = _TRIED if self._stated_dates is None else (_ISO, self._stated_dates)
        self._nulls = stated.missing(name)
        self._seen = Seen(self._nulls, self._dates, stated=bool(forms))
        self.take = self._seen.take

    def fitting(self, family: str) -> list[Reading]:
        """Readings of a family that all values fit, in the order in which they are preferred."""
        order = {"number": [*NUMBERS.values()], "date": [*self._dates], "boolean": [*BOOLEANS]}
        return [
            reading
            for reading in order[family]
            if reading in self._seen.tallies and self._whole(reading, self._seen.tallies[reading])
        ]

    def _whole(self, reading: Reading, tally: Tally) -> bool:
        if tally.fits < self._seen.values:
            return False
        if reading.family == "number":
            return len(tally.kinds) == 1
        if reading.family == "date":
            return len(tally.kinds) == 1 or "timestamptz" not in tally.kinds
        return len(tally.words) == 2 or reading is BOOLEANS[0]

    def apart(self, readings: Sequence[Reading]) -> list[Reading]:
        """First of the readings that make the same of all values."""
        return list(
            {self._seen.tallies[each].digest: each for each in reversed(readings)}.values()
        )[::-1]

    def decimals(self) -> set[str]:
        """Decimal sign that the values show, if they show one."""
        fitting = self.fitting("number")
        if not fitting or len(self.apart(fitting)) > 1:
            return set()
        signs = {decimal for (decimal, _), each in NUMBERS.items() if each in fitting}
        return signs if len(signs) == 1 and self._seen.tallies[fitting[0]].rank == 2 else set()

    def decide(self, decimals: set[str]) -> Decision:
        """Decide what it becomes, knowing the decimal signs that the file's columns show."""
        dates, numbers = self.fitting("date"), self.fitting("number")
        truths = self.fitting("boolean")
        if self._stated_dates is not None and self._stated_dates in dates:
            return self._dated([self._stated_dates])
        if numbers and self._seen.values:
            return self._numbered(numbers, decimals)
        forms = [each for each in dates if not _PROPOSED.search(each.name)]
        if forms or dates:
            return self._dated(forms or dates, proposed=not forms)
        if truths and self.name not in self.stated.labels:
            return self._typed(truths[0], "boolean", f"{truths[0].name}")
        unread = self._seen.unread.says(self.name)
        return self._text(unread or self._reason(), loss=bool(unread) or self._lost())

    def _numbered(self, fitting: list[Reading], decimals: set[str]) -> Decision:
        """Decide on a column that is all numbers."""
        signs = {each: decimal for (decimal, _), each in NUMBERS.items()}
        apart = self.apart(fitting)
        wanted = {self.stated.decimal} if self.stated.decimal else decimals
        chosen = apart
        if len(apart) > 1 and len(wanted) == 1:
            chosen = [each for each in apart if signs[each] in wanted]
        if len(chosen) > 1 and self._money(chosen[0]):
            # Of money there are hundredths, no thousandths.
            chosen = [each for each in chosen if self._seen.tallies[each].rank < 2]
        elif len(apart) > 1 and NUMBERS[".", ""] in chosen:
            chosen = [NUMBERS[".", ""]]
        if len(chosen) != 1:
            value, line = self._seen.first or ("", 0)
            return self._text(
                f"the comma may be a decimal sign or stand between thousands: {_shown(value)} "
                f"(line {line}); say which: --decimal , or --decimal .",
                loss=True,
            )
        why = "; ".join(self._particular(chosen[0]))
        return self._typed(chosen[0], _TYPES[self._seen.tallies[chosen[0]].rank], why)

    def _money(self, reading: Reading) -> bool:
        """Whether all numbers have a sign of a currency."""
        return not {"", "%"} & self._seen.tallies[reading].kinds.keys()

    def _particular(self, reading: Reading) -> list[str]:
        """Particularities of numbers, as a reading reads them."""
        tally = self._seen.tallies[reading]
        (affix,) = tally.kinds
        notes = {
            reading.name: bool(reading.name),
            f"without their sign {affix}": bool(affix),
            "if they are days, say --date-format YYYYMMDD": _TRIED[-1] in self.fitting("date"),
            "whole, without their .0": tally.rank < 2 and tally.pointed,
        }
        said = self._seen.unread.numbers_say(self.name)
        return [note for note, holds in notes.items() if holds] + ([said] if said else [])

    def _dated(self, fitting: list[Reading], *, proposed: bool = False) -> Decision:
        """Decide on a column that is all days or times."""
        apart = self.apart(fitting)
        if proposed or len(apart) > 1:
            value, line = self._seen.first or ("", 0)
            forms = " or ".join(each.name for each in apart)
            hint = " or ".join(f"--date-format {_stated(each.name)}" for each in apart)
            return self._text(
                f"days, {forms}: {_shown(value)} (line {line}); say which: {hint}", loss=True
            )
        kinds = self._seen.tallies[apart[0]].kinds
        kind: SqlType = (
            "timestamptz" if "timestamptz" in kinds else
            "timestamp" if "timestamp" in kinds else "date"
        )  # fmt: skip
        return self._typed(apart[0], kind, "" if apart[0] is _ISO else apart[0].name)

    def _typed(self, reading: Reading, kind: SqlType, why: str) -> Decision:
        missing = self._seen.missing + sum(count for count, _ in self._seen.markers.values())
        notes = [why] if why else []
        if self._seen.markers:
            notes.append(f"taken as missing: {self._marked()}")
        if reading.family == "number" and (odd := self._seen.numbers.odd()):
            told = ", ".join(f"{value} ({count:,}, from line {line})" for value, count, line in odd)
            odd_values = [value for value, *_ in odd]
            notes.append(
                f"may stand for a missing value, but stays a number: {told}; else say "
                f"{said_null(odd_values, self.name)}"
            )
        nulls = self._nulls
        whole = kind in ("integer", "bigint")

        @lru_cache(maxsize=4096)
        def write(field: str) -> str | None:
            value = field.strip()
            if not value or value in nulls or value.casefold() in MARKERS:
                return None
            written = reading.write(value)
            if written is None:
                raise ValueError(field)
            return written[0].removesuffix(".0") if whole else written[0]

        return Decision(kind, "; ".join(notes), missing, write)

    def _text(self, why: str, *, loss: bool = False) -> Decision:
        notes = [why] if why else []
        if self._seen.markers:
            notes.append(
                f"looks missing, but stays a value: {self._marked()}; else say "
                f"{said_null(self._seen.markers)}"
            )
        if self._seen.blanks:
            notes.append(f"blanks at the ends of values stay ({self._seen.blanks:,})")
        if self._seen.control is not None:
            value, line = self._seen.control
            notes.append(f"control characters stay: {_shown(value)} (line {line})")
        nulls = self._nulls | {""}

        def write(field: str) -> str | None:
            return None if field.strip() in nulls else field

        return Decision("text", "; ".join(notes), self._seen.missing, write, loss)

    def _marked(self) -> str:
        """Marks of missing values that were seen, with counts and lines."""
        return ", ".join(
            f"{_shown(value)} ({count:,}, {'from ' if count > 1 else ''}line {line})"
            for value, (count, line) in sorted(
                self._seen.markers.items(), key=lambda each: each[1][1]
            )
        )

    def _reason(self) -> str:
        """Reason for which a column is text."""
        if not self._seen.values:
            return "" if self._seen.markers else "no values"
        if self._seen.zeros is not None and self._seen.digits == self._seen.values:
            value, line = self._seen.zeros
            return f"leading zeros, as of codes: {value} (line {line})"
        best = self._best()
        if best is None:
            return ""
        reading, tally = best
        nouns = {"number": "numbers", "date": "days or times", "boolean": "truths"}
        noun = nouns[reading.family] + (f" ({reading.name})" if reading.name else "")
        if tally.fits == self._seen.values:
            return self._mixed(reading, tally)
        second = self._second(reading)
        if second is not None and reading.family == "date":
            return (
                f"days in two forms, {reading.name} and {second.name}; to read both, say "
                f"--date-format {_stated(reading.name)} --date-format {_stated(second.name)}"
            )
        if 2 * tally.fits < self._seen.values or tally.misfit is None:
            return ""
        value, line = tally.misfit
        others = self._seen.values - tally.fits
        fix = "mend it" if others == 1 else "mend them"
        return (
            f"{tally.fits:,} of {self._seen.values:,} values are {noun}, but not {_shown(value)} "
            f"(line {line}); {fix}, or, if it means missing, say "
            f"{said_null([value])}"
        )

    def _lost(self) -> bool:
        """Whether most values are of a narrower type."""
        best = self._best()
        if best is None or (
            self._seen.zeros is not None and self._seen.digits == self._seen.values
        ):
            return False
        return 2 * best[1].fits >= self._seen.values and (
            best[0].family != "boolean" or len(best[1].words) == 2
        )

    def _mixed(self, reading: Reading, tally: Tally) -> str:
        """Reason against a reading that all values fit."""
        if reading.family == "number":
            signs = " and ".join(kind or "no sign" for kind in tally.kinds)
            return f"numbers with {signs}, which mean different things"
        if reading.family == "date":
            return "times with a zone and others without one"
        return ""

    def _best(self) -> tuple[Reading, Tally] | None:
        """Reading that most values fit."""
        known = [
            (reading, tally)
            for reading, tally in self._seen.tallies.items()
            if reading.family != "boolean" or len(tally.words) == 2
        ]
        order = [*NUMBERS.values(), *self._dates, *BOOLEANS]
        return max(known, key=lambda each: (each[1].fits, -order.index(each[0])), default=None)

    def _second(self, first: Reading) -> Reading | None:
        """Another form of date which the values fit that the first does not."""
        rest = self._seen.values - self._seen.tallies[first].fits
        return next(
            (
                reading
                for reading, tally in self._seen.tallies.items()
                if reading.family == "date" and reading is not first and tally.fits == rest
            ),
            None,
        )


def decide(columns: Iterable[Column]) -> list[Decision]:
    """Decide what the columns of a file become; what one shows may tell about another."""
    columns = list(columns)
    decimals = {sign for column in columns for sign in column.decimals()}
    return [column.decide(decimals) for column in columns]


def _shown(value: str) -> str:
    """Show a value in quotes, cut where it is long."""
    return f"'{value}'" if len(value) <= _SHOWN else f"'{value[:_SHOWN]}…'"


def _stated(form: str) -> str:
    return f"'{form}'" if " " in form else form
