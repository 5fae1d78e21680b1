"""Delimiters and quotes of a CSV file.

Each delimiter and quote that is usual is tried on the file's beginning. The one is taken by which
most records have the same number of fields, more than one, and most fields look like a number, a
day or a few words; by a blank or a colon only if all records have the same number, at least three,
and nothing else does nearly as well. A trial of this
against packages for the purpose is in docs/adr/0006-files-as-they-are.md.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

from bkpriv_client.failure import ClientError

__all__ = ["Dialect", "find_dialect", "parse", "width_of"]

FIELD_LIMIT = 1 << 20
"""Most characters of a field."""

_RECORDS = 200
"""Records by which a dialect is judged."""

_DELIMITERS = (",", ";", "\t", "|", ":", " ")
"""Delimiters, the more usual first."""

_LAST_RESORTS = (":", " ")
"""Delimiters that mostly are none."""

_CLOCK = re.compile(r"(?<!\w)\d{1,2}:[0-5]\d(?!\w)", re.ASCII)

_PLAIN = re.compile(
    r"([-+]?[\d.,]+ ?%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T][\d:.]+)?|\d\d?:\d\d(:\d\d)?"
    r"|\w[\w -]*|)"
)
"""A field of one thing: a number, a day or time, a few words, or nothing; without blanks around
it, which it could try to divide in as many ways as there are."""

_SINGLY_QUOTED = re.compile(r"(?:^|[,;\t|])'[^']*'(?:[,;\t|]|$)", re.MULTILINE)


@dataclass(frozen=True)
class Dialect:
    """Delimiter and quotes.

    Parameters
    ----------
    delimiter : str
        The character between fields.
    quote : str
        The character around fields that hold a delimiter; empty if there is none.
    escaped : bool
        Whether a quote within a field stands behind a backslash; else it is doubled.
    spaced : bool
        Whether a blank follows each delimiter.
    """

    delimiter: str = ","
    quote: str = '"'
    escaped: bool = False
    spaced: bool = False


def parse(
    lines: Iterable[str], dialect: Dialect, title: str, above: int = 0
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the fields of each line that is not blank, with the number of its first line.

    Parameters
    ----------
    lines : iterable of str
        The lines.
    title : str
        Title of the file in messages.
    above : int
        Lines before them.

    Raises
    ------
    ClientError
        If a line has quotes where none may be, or a field has no end.
    """
    csv.field_size_limit(FIELD_LIMIT)
    options: dict[str, Any] = {"delimiter": dialect.delimiter, "skipinitialspace": dialect.spaced}
    if not dialect.quote:
        options["quoting"] = csv.QUOTE_NONE
    else:
        options["quotechar"] = dialect.quote
        # Strictly, a quote within a field is an error: the field would lose it.
        options["strict"] = True
    if dialect.escaped:
        options |= {"escapechar": "\\", "doublequote": False}
    latest = ""

    def kept() -> Iterator[str]:
        nonlocal latest
        for each in lines:
            latest = each
            yield each

    reader = csv.reader(kept(), **options)
    line = above + 1
    try:
        for fields in reader:
            if fields:
                yield line, tuple(fields)
            line = above + reader.line_num + 1
    except csv.Error as error:
        place = (line, above + reader.line_num)
        raise _misread(title, place, str(error), latest, dialect) from error


def _misread(
    title: str, place: tuple[int, int], message: str, latest: str, dialect: Dialect
) -> ClientError:
    """Word what the reader says of a record, by the lines in which it begins and was misread."""
    line, last = place
    if "field limit" in message:
        return ClientError(
            f"{title}, line {line}: a field of more than {FIELD_LIMIT:,} characters",
            detail=f"It was read to line {last}.",
            hint="Does a quote open in that line that is never closed? If quotes mean nothing in "
            "this file, say --quote ''.",
        )
    if "unexpected end" in message:
        return ClientError(
            f"{title}, line {line}: unexpected end of data within quotes",
            detail=f"A quote opens in line {line} and is not closed before the end, line {last}.",
            hint="Close it; or is the file cut off? If quotes mean nothing in this file, say "
            "--quote ''.",
        )
    fields = next(csv.reader([latest], delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE), [])
    wrong = next(
        (
            number
            for number, field in enumerate(fields, start=1)
            if dialect.quote and dialect.quote in field.strip().strip(dialect.quote)
        ),
        0,
    )
    column = f", column {wrong}" if wrong and line == last else ""
    return ClientError(
        f"{title}, line {last}{column}: {message}",
        detail=f"It reads {fields[wrong - 1][:60]!r}." if wrong else None,
        hint="A quote within a quoted field is written twice. If quotes mean nothing in this file, "
        "say --quote ''.",
    )


def width_of(records: Sequence[Sequence[str]]) -> int:
    """Number of fields that most records have."""
    return Counter(map(len, records)).most_common(1)[0][0] if records else 0


def find_dialect(
    lines: Sequence[str], delimiter: str | None = None, quote: str | None = None
) -> Dialect:
    """Find how fields are told apart.

    Parameters
    ----------
    lines : sequence of str
        First lines of the file, of which the last may be cut off.
    delimiter, quote : str, optional
        Statements about it.
    """
    text = "".join(lines)
    clock = _CLOCK.search(text) is not None
    quotes = [quote] if quote is not None else ['"']
    if quote is None and _SINGLY_QUOTED.search(text):
        quotes.append("'")
    delimiters = _DELIMITERS if delimiter is None else (delimiter,)
    best = Dialect(delimiter or ",", quotes[0])
    highest = (0.0, 0)
    for mark, each in product(quotes, delimiters):
        for escaped in (False, True) if mark and f"\\{mark}" in text else (False,):
            dialect = Dialect(each, mark, escaped=escaped)
            records = _sample(lines, dialect)
            width = width_of(records)
            if not records or (width < 2 and delimiter is None):
                continue
            score = (_score(records, width, each, clock=clock), width)
            if score[0] > 0.0 and score > highest:
                best, highest = replace(dialect, spaced=_spaced(lines, dialect, width)), score
    return best


def _sample(lines: Sequence[str], dialect: Dialect) -> list[tuple[str, ...]]:
    """Records as a dialect reads them; none if it cannot."""
    records: list[tuple[str, ...]] = []
    try:
        for _, fields in islice(parse(lines, dialect, ""), _RECORDS):
            records.append(fields)
    except ClientError as error:
        # The end of the sample may be within quotes. If they have none, all of it is one record.
        if "unexpected end" not in error.message:
            return []
    return records


def _score(records: Sequence[Sequence[str]], width: int, delimiter: str, *, clock: bool) -> float:
    """Fit of a dialect to records, of which most have a number of fields.

    Where there are times of day, colons and blanks stand within them.
    """
    alike = [fields for fields in records if len(fields) == width]
    agreed = len(alike) / len(records)
    fields = [field for record in alike for field in record]
    plain = sum(_PLAIN.fullmatch(field.strip()) is not None for field in fields) / len(fields)
    if delimiter in _LAST_RESORTS:
        # They are within times, and between words.
        return 0.7 * plain if agreed == 1.0 and width > 2 and not clock else 0.0
    # Without exception is more than nearly always.
    return round((1.3 if agreed == 1.0 else agreed) * math.sqrt(plain), 6)


def _spaced(lines: Sequence[str], dialect: Dialect, width: int) -> bool:
    """Whether a blank follows each delimiter of a file."""
    if dialect.delimiter in " \t":
        return False
    records = _sample(lines, replace(dialect, quote="")) if dialect.quote else []
    later = [field for fields in records for field in fields[1:] if len(fields) == width]
    filled = [field for field in later if field.strip()]
    return bool(filled) and all(field.startswith(" ") for field in filled)
