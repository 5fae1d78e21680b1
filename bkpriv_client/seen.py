"""Values of a column, as they were seen: what each reading made of them, and what is odd.

Of what is odd, the first value is kept, with its line. Values recur, so each is examined once per
chunk; and what readings make of it is added up for all that make the same of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bkpriv_client.reading import (
    BOOLEANS,
    MARKERS,
    NUMBERS,
    Family,
    Reading,
    numberlike,
)
from bkpriv_client.sentinel import Numbers
from bkpriv_client.unread_days import UnreadDays

__all__ = ["Seen", "Tally"]

_ENOUGH = 1_000
"""Values after which readings that most do not fit are given up."""

_LONGEST_MARKER = 1 + max(map(len, MARKERS))
_LONGEST_TRUTH = 6
_DATELIKE = re.compile(
    r"(?:\d{1,4}[-/. ]+\w{1,9}\.?[-/. ,]+\d{1,4}|\d{6,8}$|[A-Za-z]{3,9}\.? ?\d{1,2},? ?\d{2,4}).*",
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ZEROS = re.compile(r"0\d+", re.ASCII)
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_POINTED = re.compile(r"-?(?:0|[1-9]\d*)\.(?:\d{1,2}|\d{4,})", re.ASCII)

_ALL = frozenset(NUMBERS.values())
_WITH_POINT = frozenset(reading for (decimal, _), reading in NUMBERS.items() if decimal == ".")

Made = tuple[frozenset[Reading], Family, str, str]
"""Readings that make the same of a value: their family, what they write, and its kind."""


@dataclass
class Tally:
    """Counts of a reading's values.

    Parameters
    ----------
    fits : int
        Number of values that fit.
    rank : int
        Place of the narrowest type that holds them, if they are numbers: integer, bigint, numeric.
    digest : int
        Sum of hashes of what was written, by which readings are compared.
    kinds : Counter of str
        Numbers of values of each kind.
    words : set of str
        Words that truths were written as.
    pointed : bool
        Whether whole numbers are among them that are written with a point and a zero.
    misfit : tuple of str and int, optional
        First value that does not fit, and its line.
    """

    fits: int = 0
    rank: int = 0
    digest: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    pointed: bool = False
    misfit: tuple[str, int] | None = None

    def add(self, family: Family, written: str, kind: str, count: int) -> None:
        """Count a value that fits."""
        self.fits += count
        self.digest += hash(written)
        if family == "boolean":
            self.words.add(written)
            return
        self.kinds[kind] += count
        if family == "number" and self.rank < 2:
            self.pointed = self.pointed or written.endswith(".0")
            self.rank = max(self.rank, _rank(written))

    def merge(self, other: Tally) -> None:
        """Count the values that another has counted."""
        self.fits += other.fits
        self.digest += other.digest
        self.rank = max(self.rank, other.rank)
        self.kinds += other.kinds
        self.words |= other.words
        self.pointed = self.pointed or other.pointed


class Seen:
    """Values of a column.

    Parameters
    ----------
    nulls : frozenset of str
        Values that mean missing.
    dates : sequence of Reading
        Readings of days that are tried.
    stated : bool
        Whether their forms were stated; if not, they are tried on what looks like a day only.

    Attributes
    ----------
    values, missing : int
        Numbers of values, and of those that are missing.
    markers : dict of str to list of int
        Usual marks of missing values, with their number and the first line; not among the values.
    digits : int
        Number of values that are digits only.
    blanks : int
        Number of values that begin or end with blanks.
    first, zeros, control : tuple of str and int, optional
        First value, first with leading zeros, and first with a control character; with their lines.
    numbers : Numbers
        Numbers as they are written, some of which may stand for a missing value.
    unread : UnreadDays
        Looks of all values, if they are times or days that no reading fits.
    tallies : dict of Reading to Tally
        Counts of the readings that some values fit, and, after a while, most.
    """

    def __init__(self, nulls: frozenset[str], dates: Sequence[Reading], *, stated: bool) -> None:
        self.values = self.missing = self.digits = self.blanks = 0
        self.markers: dict[str, list[int]] = {}
        self.first: tuple[str, int] | None = None
        self.zeros: tuple[str, int] | None = None
        self.control: tuple[str, int] | None = None
        self.tallies: dict[Reading, Tally] = {}
        self.numbers = Numbers()
        self.unread = UnreadDays()
        self._nulls = nulls | {""}
        self._dates = dates
        self._stated = stated
        self._settled: frozenset[Reading] | None = None

    def take(self, fields: Sequence[str], lines: Sequence[int]) -> None:
        """See some more fields, and the lines in which they begin."""
        before = self.values
        sifted = list(self._sifted(fields, lines))
        if sifted and (self._settled is None or self._settled):
            self._tally(sifted, fields, lines, seen_before=before > 0)
        if self.values >= _ENOUGH:
            # What most values do not fit is of no interest, in whatever follows.
            self.tallies = {
                reading: tally
                for reading, tally in self.tallies.items()
                if 2 * tally.fits >= self.values
            }
            self._settled = frozenset(self.tallies)

    def _sifted(
        self, fields: Sequence[str], lines: Sequence[int]
    ) -> Iterable[tuple[str, str, int]]:
        """Yield the different values that are not missing: without blanks, as is, how often."""
        for raw, count in Counter(fields).items():
            value = raw.strip()
            if value in self._nulls:
                self.missing += count
            elif len(value) < _LONGEST_MARKER and value.casefold() in MARKERS:
                known = self.markers.setdefault(value, [0, lines[fields.index(raw)]])
                known[0] += count
            else:
                self.values += count
                self._note(value, raw, count, fields, lines)
                yield value, raw, count

    def _note(
        self, value: str, raw: str, count: int, fields: Sequence[str], lines: Sequence[int]
    ) -> None:
        """Note what is odd of a value."""
        self.unread.take(value)
        self.numbers.take(value, count, lambda: lines[fields.index(raw)])
        if self.first is None:
            self.first = (value, lines[fields.index(raw)])
        if len(value) != len(raw):
            self.blanks += count
        if self.control is None and not value.isprintable() and _CONTROL.search(value):
            self.control = (value, lines[fields.index(raw)])
        if value.isdigit():
            self.digits += count
            if self.zeros is None and _ZEROS.fullmatch(value):
                self.zeros = (value, lines[fields.index(raw)])

    def _tally(
        self,
        sifted: Sequence[tuple[str, str, int]],
        fields: Sequence[str],
        lines: Sequence[int],
        *,
        seen_before: bool,
    ) -> None:
        """Count what the readings make of values."""
        sums: dict[frozenset[Reading], Tally] = {}
        shapes: dict[frozenset[Reading], tuple[str, str]] = {}
        for value, raw, count in sifted:
            made = self._read(value)
            for readings, family, written, kind in made:
                if readings not in sums:
                    sums[readings] = Tally()
                sums[readings].add(family, written, kind, count)
            shape = made[0][0] if len(made) == 1 else frozenset().union(*(each[0] for each in made))
            shapes.setdefault(shape, (value, raw))
        for readings, tally in sums.items():
            for reading in readings:
                if reading not in self.tallies:
                    self.tallies[reading] = Tally(misfit=self.first if seen_before else None)
                self.tallies[reading].merge(tally)
        for reading, tally in self.tallies.items():
            if tally.misfit is None:
                misfit = next(
                    (first for shape, first in shapes.items() if reading not in shape), None
                )
                if misfit is not None:
                    tally.misfit = (misfit[0], lines[fields.index(misfit[1])])

    def _read(self, value: str) -> Sequence[Made]:
        """Outcomes of the readings that a value fits."""
        made: list[Made] = []
        tried: list[Reading] = []
        if not any(map(str.isdigit, value)):
            if len(value) <= _LONGEST_TRUTH:
                tried += BOOLEANS
        elif _WHOLE.fullmatch(value):
            made.append((_ALL, "number", value, ""))
        elif _POINTED.fullmatch(value):
            made.append((_WITH_POINT, "number", value, ""))
        elif numberlike(value):
            tried += NUMBERS.values()
        if self._stated or _DATELIKE.fullmatch(value):
            tried += self._dates
        if self._settled is not None:
            tried = [reading for reading in tried if reading in self._settled]
        alike: dict[tuple[Family, str, str], list[Reading]] = {}
        for reading in tried:
            written = reading.write(value)
            if written is not None:
                alike.setdefault((reading.family, *written), []).append(reading)
        made += ((frozenset(readings), *outcome) for outcome, readings in alike.items())
        return made


def _rank(number: str) -> int:
    """Place of the narrowest type that holds a number: integer, bigint, numeric.

    Programs that know no missing integers write 31.0 for 31.
    """
    digits = number.lstrip("+-").removesuffix(".0")
    if not digits.isdigit() or len(digits) > 20:  # longer than any bigint
        return 2
    bits = abs(int(digits)).bit_length()
    return 0 if bits < 32 else 1 if bits < 64 else 2
