"""Places in a file of the names of columns, the first record and the last.

Decided on the file's beginning. What stands above, a comment, a title, Excel's ``sep=;``, has
other fields than what follows. The first line of the rest names the columns if it differs from the
values below in kind: a word over numbers, days or codes, or over words that all recur. A line of
numbers, or of words that recur below, is a record. Where nothing tells, nothing is supposed: it
would make a person's values column names.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from bkpriv_client.dialect import Dialect, find_dialect, parse, width_of
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import NAME_BYTES
from bkpriv_client.reading import BOOLEANS, DATES, MARKERS, NUMBERS

__all__ = ["MOST_COLUMNS", "Layout", "find_layout", "is_footer", "unique_names"]

MOST_COLUMNS = 1600
"""Columns that a table may have."""

_SEPARATOR = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
_PLAIN = {"number", "date", "boolean"}
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_LINES_ABOVE = 30
_FOOTER = re.compile(
    r"\W*(?:(?:grand |sub)?totals?|sums?|summe|gesamt\w*|insgesamt|total général|averages?|mean"
    r"|durchschnitt|mittelwert|\d+ (?:rows?|records?|zeilen|datensätze|lignes)|end of .*"
    r"|(?:source|quelle|generated|exported|printed|stand|note|erstellt)\b.*)\W*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)

_COMPARED = 200
"""Records that the first line is compared with."""

_ENOUGH = 10
"""Records by which values are seen to recur."""


@dataclass(frozen=True)
class Layout:
    """Places in a file, and its delimiters.

    Parameters
    ----------
    dialect : Dialect
        Delimiter and quotes.
    above : int
        Lines before the line of names, or before the first record.
    header : bool or None
        Whether there is a line of names; None if nothing tells.
    first : tuple of str
        Fields of that line.
    width : int
        Fields of a record.
    notes : tuple of str
        Decisions that are not usual, for people.
    """

    dialect: Dialect
    above: int
    header: bool | None
    first: tuple[str, ...]
    width: int
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether the first line is all numbers, days and truths, which no columns are called."""
        kinds = {_kind(field.strip()) for field in self.first if field.strip()}
        return bool(kinds) and kinds <= _PLAIN


def find_layout(
    lines: Sequence[str],
    title: str,
    *,
    whole: bool = True,
    delimiter: str | None = None,
    quote: str | None = None,
    above: int | None = None,
) -> Layout:
    """Find the layout of a file by its first lines.

    Parameters
    ----------
    lines : sequence of str
        The first lines.
    title : str
        Title of the file in messages.
    whole : bool
        Whether they are all of the file.
    delimiter, quote, above : str, str and int, optional
        Statements about it.

    Raises
    ------
    ClientError
        If there is nothing in it, or it cannot be read, and so nothing tells where names are.
    """
    notes: list[str] = []
    stated = above
    above = above or 0
    if stated is None:
        separator = _SEPARATOR.fullmatch(lines[0]) if lines else None
        if separator is not None:
            delimiter, above = delimiter or separator[1], 1
            notes.append(f"The first line, {lines[0].strip()}, names the delimiter.")
    begin = above
    if stated is None:
        begin += _comments(lines[above:])
    dialect = find_dialect(lines[begin:], delimiter, quote)
    records = _records(lines[begin:], dialect, title, begin)
    if not records:
        raise ClientError(f"{title} is empty", hint="There must be records in it.")
    width = width_of([fields for _, fields in records])
    if begin > above:
        # The last comment may hold the names.
        named = next(iter(_records(lines[begin - 1 : begin], dialect, title, begin - 1)), (0, ()))[
            1
        ]
        if len(named) == width > 1:
            records.insert(0, (begin, named))
        begin_of_rest = records[0][0] - 1
        if begin_of_rest > above:
            notes.append(f"Comments in {_lines(above + 1, begin_of_rest)}, left out.")
    if stated is None:
        titles = _titles(records, width)
        if titles:
            first, last = records[0][0], records[titles][0] - 1
            notes.append(f"No records in {_lines(first, last)}, left out: {_cut(records[0][1])}")
            records = records[titles:]
    header = _names_columns(records, width)
    if header is None:
        _raise_fault(lines[begin:], dialect, title, begin, whole=whole)
    return Layout(
        dialect,
        records[0][0] - 1,
        header,
        records[0][1],
        width,
        tuple(notes),
    )


def _records(
    lines: Sequence[str], dialect: Dialect, title: str, above: int
) -> list[tuple[int, tuple[str, ...]]]:
    """Records of the beginning, up to a fault."""
    records: list[tuple[int, tuple[str, ...]]] = []
    # The beginning may end within a record; what else is wrong with it, reading it will tell.
    with suppress(ClientError):
        for record in parse(lines, dialect, title, above):
            records.append(record)
    return records


def _raise_fault(
    lines: Sequence[str], dialect: Dialect, title: str, above: int, *, whole: bool
) -> None:
    """Raise what is wrong with lines that nothing was told from, if something is."""
    try:
        for _ in parse(lines, dialect, title, above):
            pass
    except ClientError as error:
        if whole or "unexpected end" not in error.message:
            raise


def _comments(lines: Sequence[str]) -> int:
    """Number of lines at the top that are comments, and blank ones among them."""
    count = 0
    for number, line in enumerate(lines[:_LINES_ABOVE], start=1):
        if _COMMENT.match(line):
            count = number
        elif line.strip():
            break
    return count


def _titles(records: Sequence[tuple[int, tuple[str, ...]]], width: int) -> int:
    """Number of lines at the top that are neither names nor records."""
    count = 0
    for _, fields in records[:_LINES_ABOVE]:
        filled = sum(bool(field.strip()) for field in fields)
        short = len(fields) == filled == width - 1 and width > 2  # without one for row numbers
        if (len(fields) == width and (width < 3 or filled > 1)) or (short and count == 0):
            break
        if len(fields) > width or filled > 2:
            break
        count += 1
    return count if count < len(records) and count < _LINES_ABOVE else 0


def _names_columns(records: Sequence[tuple[int, tuple[str, ...]]], width: int) -> bool | None:
    """Whether the first line names the columns; None if nothing tells."""
    (_, first), *rest = records
    below = [fields for _, fields in rest if len(fields) == width][:_COMPARED]
    if len(first) == width - 1 and width > 1:
        first = ("", *first)
    speaks = Counter(
        _speaks(cell.strip(), _known(column))
        for cell, column in zip(first, zip(*below, strict=True), strict=False)
    )
    if speaks["value"] == 0:
        return True if speaks["perhaps"] or speaks["name"] else None
    return None if speaks["name"] == speaks["value"] else speaks["name"] > speaks["value"]


def _known(column: Sequence[str]) -> dict[str, int]:
    """Values of a column that are not missing, with counts."""
    counts = Counter(value.strip() for value in column)
    return {
        value: count for value, count in counts.items() if value and value.casefold() not in MARKERS
    }


def _speaks(cell: str, known: Mapping[str, int]) -> str:
    """Evidence of a field of the first line, the values below it given with their counts.

    A "name" or a "value"; "perhaps" a name; or nothing, "".
    """
    if not cell or not known:
        return ""
    kind, kinds = _kind(cell), set(map(_kind, known))
    if cell in known or cell.casefold() in MARKERS:
        return "value"
    if _YEAR.fullmatch(cell) and not all(map(_YEAR.fullmatch, known)):
        return ""  # As a name, a year is usual.
    if kind in kinds and kind != "text":
        return "value"
    if _differs(kind, kinds, len(known)):
        return "name"
    if kind in ("number", "date"):
        return "value"
    # What is below recurs, all of it, and this does not.
    recurs = sum(known.values()) >= _ENOUGH and min(known.values()) > 1
    return "perhaps" if recurs else ""


def _differs(kind: str, kinds: Collection[str], values: int) -> bool:
    """Whether the kind of a field differs from those of so many values below, as names do."""
    if "text" in kinds or (kinds == {"boolean"} and values == 1):
        return False  # One letter or word may be a truth by chance.
    plain = len(kinds) == 1 and set(kinds) <= _PLAIN
    return plain or kind in ("text", "boolean")


@lru_cache(maxsize=1 << 14)
def _kind(value: str) -> str:
    """Kind of a value: number, date, boolean, address or text; of a code, its shape."""
    if any(map(str.isdigit, value)):
        if any(reading.write(value) for reading in NUMBERS.values()):
            return "number"
        if any(reading.write(value) for reading in DATES):
            return "date"
        return _shape(value)
    if any(reading.write(value) for reading in BOOLEANS):
        return "boolean"
    return "address" if "@" in value else "text"


def _shape(value: str) -> str:
    """Shape of a code: its digits and letters stand for all others."""
    return "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in value)


def is_footer(fields: Sequence[str], width: int) -> bool:
    """Whether a last record is a total, or says something of the others."""
    filled = [field.strip() for field in fields if field.strip()]
    if not filled or _FOOTER.fullmatch(filled[0]) is None:
        return False
    return len(fields) != width or 3 * len(filled) <= 2 * width


def unique_names(first: Sequence[str], title: str, line: int) -> tuple[list[str], list[str]]:
    """Make names of columns of a line; also what had to be changed in them, for people.

    Raises
    ------
    ClientError
        If there are too many.
    """
    if len(first) > MOST_COLUMNS:
        raise ClientError(
            f"{title}, line {line}: {len(first):,} columns",
            detail=f"A table has at most {MOST_COLUMNS:,}.",
            hint="Leave out some of them first, or is the delimiter another one?",
        )
    names: list[str] = []
    notes: list[str] = []
    for place, written in enumerate(first, start=1):
        name = "".join(" " if unicodedata.category(sign)[0] == "C" else sign for sign in written)
        name = " ".join(name.split()) if name != written else name.strip()
        short = _cut_name(name)
        if not name:
            notes.append(f"Column {place} has no name; it is called column_{place}.")
        elif short != name:
            notes.append(f'The name of column {place} is too long; it is cut to "{short}".')
        chosen = _free(short or f"column_{place}", names)
        if short and chosen != short:
            notes.append(f'"{short}" names two columns; column {place} is called "{chosen}".')
        names.append(chosen)
    return names, notes


def _free(name: str, taken: Sequence[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"_{number}"
        free = _cut_name(name, NAME_BYTES - len(ending)) + ending
    return free


def _cut_name(name: str, most: int = NAME_BYTES) -> str:
    return name.encode()[:most].decode(errors="ignore")


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _cut(fields: Sequence[str]) -> str:
    text = " ".join(field.strip() for field in fields if field.strip())
    return text if len(text) <= 60 else f"{text[:60]}…"
