"""Types of the columns of a file, and the reasons.

One reading that all values fit decides the column's type. If readings differ in what they make of
the values, evidence or a statement must choose among them.

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

from bkpriv_client.reading import (
    BOOLEANS,
    DATES,
    MARKERS,
    NUMBERS,
    Reading,
    any_date,
    literals,
    trimmed,
)
from bkpriv_client.source import SqlType
from bkpriv_client.stating import said_null
from bkpriv_client.study import Figures, Noted, Tally
from bkpriv_core.table.sentinel import Suspect

__all__ = ["Column", "Decision", "Stated", "decide"]

_TYPES: tuple[SqlType, ...] = ("integer", "bigint", "numeric")
_PROPOSED = re.compile(r"(?<!Y)YY(?!Y)|YYYYMMDD")
"""Forms of dates that are read only where they are stated."""

_ISO, _DIGITS = DATES[0], DATES[-1]
_SHOWN = 40
"""Characters that are shown of a value."""


@dataclass(frozen=True)
class Stated:
    """Statements of a person about the values."""

    nulls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values that are missing, by column; those that are so in all by the empty name."""
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Forms of dates, by column; those of all other columns by the empty name."""
    decimal: str = ""
    """The decimal sign; empty where none was stated."""
    labels: frozenset[str] = frozenset()

    def missing(self, name: str) -> frozenset[str]:
        """Values of a column that are missing."""
        return self.nulls.get(name, frozenset()) | self.nulls.get("", frozenset())

    def readings(self, name: str) -> tuple[Reading, ...]:
        """Readings that are tried on a column; of days, only those of the forms that are stated."""
        forms = self.dates.get(name, self.dates.get("", ()))
        return (*NUMBERS.values(), *((_ISO, any_date(forms)) if forms else DATES), *BOOLEANS)


@dataclass(frozen=True)
class Decision:
    """Type of a column, and its reason."""

    type: SqlType
    why: str
    """Reason, and what is particular about it, for people; empty for the plainest."""
    missing: int
    write: Callable[[str], str]
    """Writes in SQL, of a column as in SQL, the value that goes into the table."""
    loss: bool = False
    """Whether most values are of a narrower type than text, which it became."""


@dataclass(frozen=True)
class Column:
    """A column that has been studied."""

    name: str
    figures: Figures
    stated: Stated
    """Statements about its values."""
    place: Callable[[int], str]
    """Place of a record in the file, for people."""

    def fitting(self, family: str) -> list[Reading]:
        """Readings of a family that all values fit, in the order in which they are preferred."""
        return [
            reading
            for reading, tally in self.figures.tallies.items()
            if reading.family == family and self._whole(reading, tally)
        ]

    def _whole(self, reading: Reading, tally: Tally) -> bool:
        if tally.fits < self.figures.values:
            return False
        if reading.family == "number":
            return len(tally.kinds) == 1
        if reading.family == "date":
            return len(tally.kinds) == 1 or "timestamptz" not in tally.kinds
        return len(tally.kinds) == 2 or reading is BOOLEANS[0]

    def apart(self, readings: Sequence[Reading]) -> list[Reading]:
        """First of the readings that make the same of all values."""
        tallies = self.figures.tallies
        return list({tallies[each].digest: each for each in reversed(readings)}.values())[::-1]

    def decimals(self) -> set[str]:
        """Decimal sign that the values show, if they show one."""
        fitting = self.fitting("number")
        if not fitting or len(self.apart(fitting)) > 1:
            return set()
        signs = {decimal for (decimal, _), each in NUMBERS.items() if each in fitting}
        return signs if len(signs) == 1 and self.figures.tallies[fitting[0]].rank == 2 else set()

    def decide(self, decimals: set[str]) -> Decision:
        """Decide what it becomes, knowing the decimal signs that the file's columns show."""
        dates, numbers = self.fitting("date"), self.fitting("number")
        truths = self.fitting("boolean")
        stated = [each for each in dates if each not in DATES]
        if stated:
            return self._dated(stated)
        if numbers:
            return self._numbered(numbers, decimals)
        forms = [each for each in dates if not _PROPOSED.search(each.name)]
        if dates:
            return self._dated(forms or dates, proposed=not forms)
        if truths and self.name not in self.stated.labels:
            return self._typed(truths[0], "boolean", truths[0].name)
        return self._text(self._reason(), loss=self._lost())

    def as_stated(self, kind: SqlType) -> Decision:
        """Type of a column whose type the file states: its values are written as they are."""
        if kind == "text":
            return self._text("")
        return Decision(kind, "", self.figures.missing, lambda column: column)

    def _numbered(self, fitting: list[Reading], decimals: set[str]) -> Decision:
        """Decide on a column that is all numbers."""
        signs = {each: decimal for (decimal, _), each in NUMBERS.items()}
        apart = self.apart(fitting)
        wanted = {self.stated.decimal} if self.stated.decimal else decimals
        chosen = apart
        if len(apart) > 1 and len(wanted) == 1:
            chosen = [each for each in apart if signs[each] in wanted]
        if len(chosen) > 1 and not {"", "%"} & {*self.figures.tallies[chosen[0]].kinds}:
            # Of money there are hundredths, no thousandths.
            chosen = [each for each in chosen if self.figures.tallies[each].rank < 2]
        elif len(apart) > 1 and NUMBERS[".", ""] in chosen:
            chosen = [NUMBERS[".", ""]]
        if len(chosen) != 1:
            return self._text(
                "the comma may be a decimal sign or stand between thousands: "
                f"{self._at(self.figures.first)}; say which: --decimal , or --decimal .",
                loss=True,
            )
        why = "; ".join(self._particular(chosen[0]))
        return self._typed(chosen[0], _TYPES[self.figures.tallies[chosen[0]].rank], why)

    def _particular(self, reading: Reading) -> list[str]:
        """Particularities of numbers, as a reading reads them."""
        tally = self.figures.tallies[reading]
        (affix,) = tally.kinds
        notes = {
            reading.name: bool(reading.name),
            f"without their sign {affix}": bool(affix),
            "if they are days, say --date-format YYYYMMDD": _DIGITS in self.fitting("date"),
            "whole, without their .0": tally.rank < 2 and tally.pointed,
        }
        return [note for note, holds in notes.items() if holds]

    def _dated(self, fitting: list[Reading], *, proposed: bool = False) -> Decision:
        """Decide on a column that is all days or times."""
        apart = self.apart(fitting)
        if proposed or len(apart) > 1:
            forms = " or ".join(each.name for each in apart)
            hint = " or ".join(f"--date-format {_stated(each.name)}" for each in apart)
            return self._text(
                f"days, {forms}: {self._at(self.figures.first)}; say which: {hint}", loss=True
            )
        kinds = self.figures.tallies[apart[0]].kinds
        kind: SqlType = (
            "timestamptz" if "timestamptz" in kinds else
            "timestamp" if "timestamp" in kinds else "date"
        )  # fmt: skip
        return self._typed(apart[0], kind, "" if apart[0] is _ISO else apart[0].name)

    def _typed(self, reading: Reading, kind: SqlType, why: str) -> Decision:
        figures = self.figures
        notes = [why] if why else []
        if figures.markers:
            notes.append(f"taken as missing: {self._listed(figures.markers)}")
        number = reading.family == "number"
        if odd := figures.odd if number else figures.odd_days.get(reading):
            option = said_null([each.value for each in odd], self.name)
            notes.append(
                f"may stand for a missing value, but stays a {'number' if number else 'day'}: "
                f"{self._listed(odd)}; else say {option}"
            )
        written = reading.write
        if kind in ("integer", "bigint"):
            written = f"regexp_replace({written}, '[.]0$', '')"
        gone = self._gone("v")

        def write(column: str) -> str:
            value = f"lambda v: CASE WHEN {gone} OR {_MARKED} THEN NULL ELSE {written} END"
            return f"list_transform([{trimmed(column)}], {value})[1]"

        missing = figures.missing + sum(each.count for each in figures.markers)
        return Decision(kind, "; ".join(notes), missing, write)

    def _text(self, why: str, *, loss: bool = False) -> Decision:
        figures = self.figures
        notes = [why] if why else []
        if figures.markers:
            option = said_null(each.value for each in figures.markers)
            notes.append(
                f"looks missing, but stays a value: {self._listed(figures.markers)}; "
                f"else say {option}"
            )
        led = figures.values > 0 and figures.led == figures.values
        if led:
            notes.append("without the blanks before each value")
        elif figures.blanks:
            notes.append(f"blanks at the ends of values stay ({figures.blanks:,})")
        if figures.control is not None:
            notes.append(f"control characters stay: {self._at(figures.control)}")

        def write(column: str) -> str:
            kept = f"ltrim({column})" if led else column
            return f"CASE WHEN {self._gone(trimmed(column))} THEN NULL ELSE {kept} END"

        return Decision("text", "; ".join(notes), figures.missing, write, loss)

    def _gone(self, value: str) -> str:
        """Write in SQL whether a value is missing."""
        nulls = literals({"", *self.stated.missing(self.name)})
        return f"list_contains({nulls}, coalesce({value}, ''))"

    def _at(self, noted: Noted | None) -> str:
        value, row = noted or ("", 0)
        return f"{_shown(value)} ({self.place(row)})"

    def _listed(self, values: Iterable[Suspect]) -> str:
        """Values with their counts and places."""
        return ", ".join(
            f"{_shown(each.value)} ({each.count:,}, {'from ' if each.count > 1 else ''}"
            f"{self.place(each.row)})"
            for each in values
        )

    def _reason(self) -> str:
        """Reason for which a column is text."""
        figures = self.figures
        if not figures.values:
            return "" if figures.markers else "no values"
        if figures.zeros is not None and figures.digits == figures.values:
            value, row = figures.zeros
            return f"leading zeros, as of codes: {value} ({self.place(row)})"
        best = self._best()
        if best is None:
            return ""
        reading, tally = best
        nouns = {"number": "numbers", "date": "days or times", "boolean": "truths"}
        noun = nouns[reading.family] + (f" ({reading.name})" if reading.name else "")
        if tally.misfit is None:
            return self._mixed(reading, tally)
        second = self._second(reading)
        if second is not None:
            return (
                f"days in two forms, {reading.name} and {second.name}; to read both, say "
                f"--date-format {_stated(reading.name)} --date-format {_stated(second.name)}"
            )
        fix = "correct it" if figures.values - tally.fits == 1 else "correct them"
        return (
            f"{tally.fits:,} of {figures.values:,} values are {noun}, but not "
            f"{self._at(tally.misfit)}; {fix}, or, if it means missing, say "
            f"{said_null([tally.misfit[0]])}"
        )

    def _lost(self) -> bool:
        """Whether most values are of a narrower type."""
        codes = self.figures.zeros is not None and self.figures.digits == self.figures.values
        return self._best() is not None and not codes

    def _mixed(self, reading: Reading, tally: Tally) -> str:
        """Reason against a reading that all values fit."""
        if reading.family == "number":
            signs = " and ".join(kind or "no sign" for kind in reversed(tally.kinds))
            return f"numbers with {signs}, which mean different things"
        if reading.family == "date":
            return "times with a zone and others without one"
        return ""

    def _best(self) -> tuple[Reading, Tally] | None:
        """Reading that most values fit."""
        known = [
            (reading, tally)
            for reading, tally in self.figures.tallies.items()
            if reading.family != "boolean" or len(tally.kinds) == 2
        ]
        return max(known, key=lambda each: each[1].fits, default=None)

    def _second(self, first: Reading) -> Reading | None:
        """Another form of date which the values fit that the first does not."""
        rest = self.figures.values - self.figures.tallies[first].fits
        return next(
            (
                reading
                for reading, tally in self.figures.tallies.items()
                if first.family == reading.family == "date"
                and reading is not first
                and tally.fits == rest
            ),
            None,
        )


_MARKED = f"list_contains({literals(MARKERS)}, lower(v))"


def decide(columns: Iterable[Column], types: Sequence[SqlType] = ()) -> list[Decision]:
    """Decide what the columns of a file become; what one shows may say which another means.

    Args:
        types: Types of the columns, if the file states them.
    """
    columns = list(columns)
    if types:
        return [column.as_stated(kind) for column, kind in zip(columns, types, strict=True)]
    decimals = {sign for column in columns for sign in column.decimals()}
    return [column.decide(decimals) for column in columns]


def _shown(value: str) -> str:
    """Show a value in quotes, cut if it is long."""
    return f"'{value}'" if len(value) <= _SHOWN else f"'{value[:_SHOWN]}…'"


def _stated(form: str) -> str:
    return f"'{form}'" if " " in form else form
