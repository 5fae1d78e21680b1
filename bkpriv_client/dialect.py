"""Delimiter, quotes, and the line of names of a CSV file, found in its first lines by DuckDB.

DuckDB leaves out lines at the top whose fields differ in number from those of the rest, and takes a
first line of words for names. Both could lose people's values in silence. So only comments and
titles are left out here. The first line names the columns if it differs from the values below in
kind: a word over numbers, days or codes, or over words that all recur. A line of numbers, or of
words that recur below, is a record. If nothing shows it, a person must say it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from bkpriv_client.failure import ClientError
from bkpriv_client.opening import Opened, undecodable
from bkpriv_client.reading import MARKERS, literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["MOST_COLUMNS", "Form", "Layout", "find_layout", "misread"]

MOST_COLUMNS = 1600
"""Columns that a table may have."""

_DELIMITERS = ",;\t|"
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_SEPARATOR = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
_LINES_ABOVE = 200
_COMPARED = 200
"""Records that the first line is compared with."""

_ENOUGH = 10
"""Records by which values are seen to recur."""

_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_SAMPLE = 20_480
"""Records by which DuckDB finds the delimiter; all are then read by it, or refused."""


@dataclass(frozen=True)
class Form:
    """Statements of a person about a file's form; what is None is found."""

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    """Whether a line names the columns."""
    columns: tuple[str, ...] | None = None
    """Names of the columns, in place of those in the file."""
    above: int | None = None
    below: int | None = None
    """Lines to leave out at the top and at the end."""


@dataclass(frozen=True)
class Layout:
    """Delimiters of a file, and its first lines."""

    delimiter: str
    quote: str
    escape: str
    """Characters between fields, around them, and before a quote within one."""
    above: int
    """Lines before the line of names, or before the first record."""
    header: bool | None
    """Whether there is a line of names; None if nothing shows it."""
    first: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """Decisions that are not usual, for people."""

    @property
    def plain(self) -> bool:
        """Whether the first line is all numbers and days, which no columns are called."""
        filled = [field for field in self.first if field.strip()]
        return bool(filled) and all(map(_is_figure, filled))

    def read(self, path: str, *, header: bool) -> str:
        """Write in SQL the table that is read of a file, with columns c0, c1 and so on."""
        columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(self.first)))
        return (
            f"read_csv({literal(path)}, auto_detect=false, strict_mode=true, "
            f"columns={{{columns}}}, "
            f"delim={literal(self.delimiter)}, quote={literal(self.quote)}, "
            f"escape={literal(self.escape)}, comment='', skip={self.above}, header={header})"
        )


def find_layout(db: DuckDBPyConnection, opened: Opened, form: Form) -> Layout:
    """Find the layout of a file by its first lines.

    Raises:
        ClientError: If there is nothing in it, or it cannot be read.
    """
    with opened.text.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        lines = [line.rstrip("\r\n") for line in islice(stream, _LINES_ABOVE)]
    form = _separated(form, lines)
    found = _find_dialect(db, opened, form, lines)
    if found.width > MOST_COLUMNS:
        raise ClientError(
            f"{opened.title}, line {found.above + 1}: {found.width:,} columns",
            detail=f"A table has at most {MOST_COLUMNS:,}.",
            hint="Leave out some of them first, or is the delimiter another one?",
        )
    columns = ("",) * max(found.width, 1)
    layout = Layout(found.delimiter, found.quote, found.escape, found.above, None, columns)
    with misread(opened, layout):
        read = f"FROM {layout.read(str(opened.text), header=False)} LIMIT {_COMPARED + 1}"
        top = [tuple(field or "" for field in row) for row in db.execute(read).fetchall()]
    if not top:
        raise ClientError(f"{opened.title} is empty", hint="There must be records in it.")
    if form.above is not None:
        return replace(layout, header=_names_columns(top), first=top[0])
    titles = next((n for n, fields in enumerate(top[:-1]) if not _is_title(fields)), len(top) - 1)
    above, top = found.above + titles, top[titles:]
    text = " ".join(" ".join(lines[:above]).split())
    said = f"Left out: line 1{f' to {above}' if above > 1 else ''}, {text[:60]!r}."
    notes = (said,) if above else ()
    return replace(layout, above=above, header=_names_columns(top), first=top[0], notes=notes)


@contextmanager
def misread(opened: Opened, layout: Layout | None = None) -> Iterator[None]:
    """Word what DuckDB says of a line that it cannot read."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _worded(str(error), opened, layout) from None


def _worded(said: str, opened: Opened, layout: Layout | None) -> ClientError:
    place = re.search(r"CSV Error on Line: (\d+)\nOriginal Line: (.*)", said)
    if place is None:
        reason = said.partition("\n")[0].partition(": ")[2]
        reason = reason.replace(str(opened.text), opened.title)
        ends = "Do lines end in different ways? Write tr -d '\\r' <FILE | bkpriv load-csv -"
        return ClientError(
            f"{opened.title} cannot be read: {reason}",
            hint=ends if "state machine" in reason else None,
        )
    line, text = int(place[1]), place[2]
    if "Invalid unicode" in said:
        return undecodable(opened, line)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if fields is not None and layout is not None:
        return ClientError(
            f"{opened.title}, line {line}: {fields[2]} fields where {fields[1]} are expected",
            detail=f"Fields are read as separated by {layout.delimiter!r}; the line is "
            f"{_cut(text)}.",
            hint="A field that holds the delimiter stands in quotes. Is the delimiter right "
            "(--delimiter)? Lines that are no records are left out by --skip-first N and "
            "--skip-last N.",
        )
    if "unterminated quote" in said:
        return ClientError(
            f"{opened.title}, line {line}: a quote is not closed, or stands within a field",
            detail=f"The line is {_cut(text)}.",
            hint="Double a quote within quotes; or is the file cut off? If quotes mean nothing in "
            "this file, say --quote ''.",
        )
    why = re.search(r"([^\n]+)\n+Possible", said)
    return ClientError(
        f"{opened.title}, line {line}: {why[1] if why else 'it cannot be read'}",
        detail=f"The line is {_cut(text)}.",
    )


@dataclass(frozen=True)
class _Sniffed:
    """Dialect of a file by DuckDB; no columns if it finds none."""

    delimiter: str
    quote: str
    escape: str
    above: int
    width: int


def _sniff(db: DuckDBPyConnection, opened: Opened, form: Form, delimiter: str | None) -> _Sniffed:
    """Have DuckDB find the dialect of a file."""
    import duckdb

    stated: dict[str, Any] = {"delim": delimiter, "quote": form.quote, "skip": form.above}
    options = "".join(
        f", {name}={value if isinstance(value, int) else literal(value)}"
        for name, value in stated.items()
        if value is not None
    )
    try:
        ((mark, quote, escape, above, width),) = db.execute(
            "SELECT Delimiter, Quote, Escape, SkipRows, len(Columns) FROM sniff_csv("
            f"{literal(str(opened.text))}, all_varchar=true, comment='', sample_size={_SAMPLE}"
            f"{options})"
        ).fetchall()
    except duckdb.Error:
        # No dialect fits; what is wrong is found when all is read.
        mark, quote, escape, above, width = delimiter or ",", '"', '"', form.above or 0, 0
    if form.quote is not None:
        quote = form.quote
    elif quote == "(empty)":
        quote = '"'  # as may stand beyond the sample
    return _Sniffed(mark, quote, quote if escape == "(empty)" else escape, above, width)


def _separated(form: Form, lines: Sequence[str]) -> Form:
    """Form of a file whose first line may state the delimiter, as Excel writes it."""
    separator = _SEPARATOR.fullmatch(lines[0]) if lines and form.above is None else None
    if separator is None:
        return form
    return replace(form, delimiter=form.delimiter or separator[1], above=1)


def _find_dialect(
    db: DuckDBPyConnection, opened: Opened, form: Form, lines: Sequence[str]
) -> _Sniffed:
    """Dialect by which nothing but comments and titles is left out at the top."""
    found = _sniff(db, opened, form, form.delimiter)
    usual = _usual(lines, form.delimiter)
    if usual and (found.width < 2 or _skips_more(lines, found.above, _DELIMITERS)):
        again = _sniff(db, opened, form, usual)
        if found.width < 2 or (again.width > 1 and not again.above):
            found = again
    comments = next((n for n, line in enumerate(lines) if not _COMMENT.match(line)), 0)
    if form.above is None and _skips_more(lines, found.above, found.delimiter):
        found = replace(found, above=comments, width=0)
    elif form.above is None and found.above < comments:
        # A single one may hold the names.
        names = comments == 1 and _width(lines, found) == found.width
        found = replace(found, above=comments - names)
    return found if found.width else replace(found, width=_width(lines[found.above :], found))


def _width(lines: Sequence[str], found: _Sniffed) -> int:
    """Count the fields of a first line."""
    return len(next(csv.reader(lines[:1], delimiter=found.delimiter), []))


def _usual(lines: Sequence[str], stated: str | None) -> str | None:
    """Most frequent delimiter of the first line that is no comment; None if there is none."""
    first = next((line for line in lines if line.strip() and not _COMMENT.match(line)), "")
    mark = max(_DELIMITERS, key=first.count)
    return mark if mark in first and stated is None else None


def _skips_more(lines: Sequence[str], above: int, delimiters: str) -> bool:
    """Whether so many first lines are more than comments and titles, by some delimiter."""
    return above > len(lines) or any(
        not _COMMENT.match(line) and sum(map(bool, map(str.strip, line.split(delimiter)))) > 1
        for line in lines[:above]
        for delimiter in delimiters
    )


def _is_title(fields: Sequence[str]) -> bool:
    return len(fields) > 2 and sum(map(bool, map(str.strip, fields))) <= 1


def _names_columns(rows: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first line names the columns; None if nothing shows it."""
    first, *below = rows
    shows = Counter(
        _shows(cell.strip(), Counter(map(str.strip, column)))
        for cell, column in zip(first, zip(*below, strict=True), strict=False)
    )
    if shows["value"] == 0:
        return True if shows["perhaps"] or shows["name"] else None
    return None if shows["name"] == shows["value"] else shows["name"] > shows["value"]


def _shows(cell: str, below: Counter[str]) -> str:
    """Evidence of a field of the first line: "name", "value", "perhaps" a name, or "" for none."""
    values = {value: n for value, n in below.items() if value and value.lower() not in MARKERS}
    if not cell or not values:
        return ""
    if cell in values or cell.lower() in MARKERS:
        return "value"
    if _is_figure(cell):
        # As a name, a year is usual.
        years = _YEAR.fullmatch(cell) and not all(map(_YEAR.fullmatch, values))
        return "" if years else "value"
    if all(map(_is_figure, values)) or (not _has_digit(cell) and all(map(_has_digit, values))):
        return "name"
    return "perhaps" if _recur(values) else ""


def _recur(values: Mapping[str, int]) -> bool:
    """Whether all values recur, as a name that is not among them does not."""
    return sum(values.values()) >= _ENOUGH and min(values.values()) > 1


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_figure(value: str) -> bool:
    """Whether a value is a number, a day or a time: digits without letters."""
    return _has_digit(value) and not any(map(str.isalpha, value))


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
