"""Reading CSV files: what is in them, record by record, and generalization hierarchies.

A file is read from its beginning to its end several times: for its encoding, for the types of its
columns, and into a table. Never is more of it in memory than its beginning and some records.

Rules
-----
- How a file is to be read is found in it (`encoding`, `dialect`, `layout`), unless it is stated.
- An empty line, or one of nothing but delimiters, is no record. Empty fields beyond the last column
  are nothing. Any other record has a field for each column, or the file is refused.
- A last line that is a total, or speaks of the others, is no record, which is said.
- A fault names the file and the line in which a record begins. The path ``-`` is the standard
  input, which is read once, into a temporary file.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from glob import escape
from itertools import islice
from pathlib import Path
from typing import TextIO

from bkpriv_client.column import Column, Decision, Stated, decide
from bkpriv_client.dialect import parse
from bkpriv_client.encoding import Encoding, find_encoding
from bkpriv_client.failure import ClientError
from bkpriv_client.foreign_file import check_is_text
from bkpriv_client.layout import Layout, find_layout, is_footer, unique_names
from bkpriv_client.source import Hierarchy, SqlType
from bkpriv_client.unpacking import unpacked

__all__ = ["CsvFile", "Form", "Study", "open_csv", "read_hierarchies", "read_hierarchy"]

_CHUNK = 5_000
"""Records that are examined at once, at most."""

_CHUNK_CHARACTERS = 1 << 23
"""Characters of records that are examined at once, at most, but for one record."""

_SAMPLE = 1 << 18
"""Characters of the beginning by which the layout is found."""

_LONGEST_LINE = 1 << 24
"""Most characters of a line."""

_LAST = 5
"""Last records that may be none."""


@dataclass(frozen=True)
class Form:
    """Statements of a person about a file's form; what is None is found.

    Parameters
    ----------
    encoding, delimiter, quote : str, optional
        Form in which it is written.
    header : bool, optional
        Whether a line names the columns.
    columns : tuple of str, optional
        Names of the columns, in place of those in the file.
    above : int, optional
        Lines to leave out at the top.
    below : int, optional
        Records to leave out at the end.
    """

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    above: int | None = None
    below: int | None = None


@dataclass
class Found:
    """Findings while records are read, for people.

    Parameters
    ----------
    blank, longer : int
        Lines of nothing but delimiters, and records with empty fields beyond the last column.
    footers : list of tuple
        Last lines that are no records: the line and its fields.
    """

    blank: int = 0
    longer: int = 0
    footers: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)


@dataclass(frozen=True)
class Study:
    """Decisions about a file's columns.

    Parameters
    ----------
    records : int
        Number of records.
    decisions : mapping of str to Decision
        Decision about each column.
    found : Found
        Findings beside.
    idle : frozenset of str
        Columns without a name and without a value, which are left out.
    """

    records: int
    decisions: Mapping[str, Decision]
    found: Found
    idle: frozenset[str] = frozenset()

    @property
    def types(self) -> dict[str, SqlType]:
        """Types of the columns that a table has."""
        return {
            name: decision.type
            for name, decision in self.decisions.items()
            if name not in self.idle
        }

    def as_loaded(self, name: str, hierarchy: Hierarchy) -> Hierarchy:
        """Write the values of a column's hierarchy as those of the column are written."""
        write = self.decisions[name].write

        def written(value: str) -> str | None:
            try:
                return write(value)
            except ValueError:
                return value

        rows = ((written(value), labels) for value, *labels in hierarchy)
        return [(value, *labels) for value, labels in rows if value is not None]


@dataclass(frozen=True)
class CsvFile:
    """A CSV file with its columns.

    Parameters
    ----------
    path : Path
        The file.
    title : str
        Title of the file in messages.
    encoding : Encoding
        Encoding of the file.
    layout : Layout
        Places in it.
    header : bool or None
        Whether there is a line of names; None if nothing tells, and there is.
    names : tuple of str
        The columns.
    unnamed : frozenset of str
        Columns that the file does not name.
    below : int or None
        Records to leave out at the end; None if those that are none.
    notes : tuple of str
        Changes of names, for people.
    """

    path: Path
    title: str
    encoding: Encoding
    layout: Layout
    header: bool | None
    names: tuple[str, ...]
    unnamed: frozenset[str] = frozenset()
    below: int | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path, form: Form | None = None, title: str = "") -> CsvFile:
        """Find out how to read a file; its title is by default its path.

        Raises
        ------
        ClientError
            If the file cannot be read, is empty, or has other columns than are stated.
        """
        title, form = title or str(path), form or Form()
        opened = partial(unpacked, path, title)
        check_is_text(opened, title)
        encoding = find_encoding(opened) if form.encoding is None else Encoding(form.encoding)
        lines, whole = _beginning(path, encoding, title)
        layout = find_layout(
            lines,
            title,
            whole=whole,
            delimiter=form.delimiter,
            quote=form.quote,
            above=form.above,
        )
        header = layout.header if form.header is None else form.header
        first, names, notes = _names(layout, header, form.columns, title)
        unnamed = frozenset(
            name
            for name, written in zip(names, first, strict=True)
            if not written.strip() or header is False
        )
        if form.columns is not None:
            unnamed = frozenset()
        return cls(path, title, encoding, layout, header, names, unnamed, form.below, notes)

    def records(self, found: Found | None = None) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Iterate over records: the line in which each begins, and its fields.

        Raises
        ------
        ClientError
            If a record has more or fewer fields than there are columns.
        """
        found = Found() if found is None else found
        width = len(self.names)
        kept: deque[tuple[int, tuple[str, ...]]] = deque()
        last = _LAST if self.below is None else self.below
        for line, fields in self._filled(found):
            kept.append((line, fields))
            if len(kept) > last:
                line, fields = kept.popleft()
                yield self._checked(line, fields, found) if len(fields) != width else (line, fields)
        while kept and (self.below is not None or is_footer(kept[-1][1], width)):
            found.footers.insert(0, kept.pop())
        for line, fields in kept:
            yield self._checked(line, fields, found)

    def study(
        self, stated: Stated | None = None, read: Callable[[int], None] = lambda count: None
    ) -> Study:
        """Decide what each column becomes, by all of its values.

        Parameters
        ----------
        stated : Stated, optional
            Statements about the values.
        read : callable
            Told now and then how many records have been read.
        """
        found = Found()
        columns = [Column(name, stated or Stated()) for name in self.names]
        count = 0
        records = self.records(found)
        while chunk := _chunk(records):
            lines = [line for line, _ in chunk]
            fields = zip(*(fields for _, fields in chunk), strict=True)
            for column, values in zip(columns, fields, strict=True):
                column.take(values, lines)
            count += len(chunk)
            read(count)
        decisions = dict(zip(self.names, decide(columns), strict=True))
        return Study(count, decisions, found, self._unnamed(decisions, count))

    def _unnamed(self, decisions: Mapping[str, Decision], records: int) -> frozenset[str]:
        """Columns that have neither a name nor a value."""
        return frozenset(
            name
            for name in self.unnamed
            if decisions[name].missing == records and len(self.unnamed) < len(self.names)
        )

    def rows(self, study: Study) -> Iterator[tuple[str | None, ...]]:
        """Iterate over records as they go into a table.

        Raises
        ------
        ClientError
            If a value is not among those that were studied.
        """
        chosen = [
            (place, study.decisions[name].write)
            for place, name in enumerate(self.names)
            if name not in study.idle
        ]
        for line, fields in self.records():
            try:
                yield tuple(write(fields[place]) for place, write in chosen)
            except ValueError as error:
                raise ClientError(
                    f"{self.title}, line {line}: it changed while it was read",
                    detail=f"The value {_cut(str(error))} was not there before.",
                    hint="Load it again once nobody writes it.",
                ) from None

    def _filled(self, found: Found) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Iterate over the lines below that of names which hold something."""
        with _opened(self.path, self.encoding, self.title) as stream:
            lines = _lines(stream, self.title)
            above = sum(1 for _ in islice(lines, self.layout.above))
            parsed = parse(lines, self.layout.dialect, self.title, above)
            if self.header is not False:
                next(parsed, None)
            for line, fields in parsed:
                if len(self.names) > 1 and not any(map(str.strip, fields)):
                    found.blank += 1
                else:
                    yield line, fields

    def _checked(
        self, line: int, fields: tuple[str, ...], found: Found
    ) -> tuple[int, tuple[str, ...]]:
        """Record whose fields may be too many or too few."""
        width = len(self.names)
        if len(fields) == width:
            return line, fields
        if len(fields) > width and not any(map(str.strip, fields[width:])):
            found.longer += 1
            return line, fields[:width]
        place = (
            f"the last field is {_cut(fields[-1])}"
            if len(fields) < width
            else f"the first one too many is {_cut(fields[width])}"
        )
        raise ClientError(
            f"{self.title}, line {line}: {len(fields)} fields where {width} are expected",
            detail=f"Fields are read as separated by {self.layout.dialect.delimiter!r}; {place}.",
            hint="A field that holds the delimiter stands in quotes. Is the delimiter right "
            "(--delimiter)? Lines that are no records are left out by --skip-first N and "
            "--skip-last N.",
        )


@contextmanager
def open_csv(path: Path, form: Form | None = None) -> Iterator[CsvFile]:
    """Open a CSV file, or the standard input, which is kept in a temporary file meanwhile."""
    if str(path) != "-":
        yield CsvFile.open(path, form)
        return
    with tempfile.NamedTemporaryFile(suffix=".csv") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield CsvFile.open(Path(kept.name), form, "standard input")


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a generalization hierarchy: per value a row of it, coarser labels, and the root.

    A first line of names may stand above, or be missing, as in files of ARX: rows end in one root,
    and names do not.

    Raises
    ------
    ClientError
        If the file is not such a table, or a value has two rows that differ.
    """
    file = CsvFile.open(path, Form(header=False, above=0, below=0))
    rows = list(file.records())
    ends = ["*", *(fields[-1] for _, fields in rows[1:])]
    if rows and rows[0][1][-1] not in ends:
        del rows[0]
    if not rows or len(file.names) < 2:
        raise ClientError(
            f"{path} is not a hierarchy",
            detail=f"It has {len(file.names)} columns and {len(rows)} rows, but for names.",
            hint="Give one row per value: the value, coarser labels, and one root of all.",
        )
    paths: dict[str, tuple[int, tuple[str, ...]]] = {}
    for line, fields in rows:
        before, path_of_value = paths.setdefault(fields[0], (line, fields))
        if path_of_value != fields:
            raise ClientError(
                f"{path}, line {line}: the value {_cut(fields[0])} stands in line {before} already",
                detail=f"Its labels are {_cut(' | '.join(path_of_value[1:]))} there and "
                f"{_cut(' | '.join(fields[1:]))} here.",
                hint="Keep one row for each value.",
            )
    return [fields for _, fields in paths.values()]


def read_hierarchies(directory: Path, attributes: tuple[str, ...]) -> dict[str, Hierarchy]:
    """Read the hierarchies that a directory holds for some attributes.

    Files are ``hierarchy_education.csv`` or, as of ARX, ``adult_hierarchy_education.csv``.

    Raises
    ------
    ClientError
        If several files are named for one attribute, or one is no hierarchy.
    """
    hierarchies = {}
    for attribute in attributes:
        path = directory / f"hierarchy_{attribute}.csv"
        paths = [path] if path.is_file() else sorted(directory.glob(f"*_{escape(path.name)}"))
        if len(paths) > 1:
            raise ClientError(
                f"{directory} has several hierarchies of {attribute}",
                detail=f"They are {', '.join(path.name for path in paths)}.",
                hint=f"Call the one that is meant {path.name}.",
            )
        if paths:
            hierarchies[attribute] = read_hierarchy(paths[0])
    return hierarchies


def _names(
    layout: Layout, header: bool | None, columns: Sequence[str] | None, title: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Fields of the line of names, the names, and what had to be changed in them."""
    first = layout.first
    if header is not False and len(first) == layout.width - 1 and all(map(str.strip, first)):
        first = ("", *first)  # as R writes row numbers
    if columns is not None:
        if len(columns) != len(first):
            raise ClientError(
                f"--columns names {len(columns)} columns, but {title} has {len(first)}",
                detail=f"Line {layout.above + 1} holds {_cut(' | '.join(first))}.",
                hint="Name each column of the file, in their order.",
            )
        first = tuple(columns)
    elif header is False:
        first = tuple(f"column_{place}" for place in range(1, len(first) + 1))
    names, notes = unique_names(first, title, layout.above + 1)
    return first, tuple(names), tuple(notes)


def _chunk(records: Iterator[tuple[int, tuple[str, ...]]]) -> list[tuple[int, tuple[str, ...]]]:
    """Next records, as many as are examined at once."""
    chunk: list[tuple[int, tuple[str, ...]]] = []
    characters = 0
    for record in records:
        chunk.append(record)
        characters += sum(map(len, record[1]))
        if len(chunk) == _CHUNK or characters > _CHUNK_CHARACTERS:
            break
    return chunk


@contextmanager
def _opened(path: Path, encoding: Encoding, title: str) -> Iterator[TextIO]:
    """Open a file to read its text."""
    with unpacked(path, title) as packed:
        stream = io.TextIOWrapper(packed, encoding=encoding.name, newline="")
        yield stream


def _beginning(path: Path, encoding: Encoding, title: str) -> tuple[list[str], bool]:
    """First lines of a file, and whether they are all of it."""
    lines: list[str] = []
    size = 0
    with _opened(path, encoding, title) as stream:
        for line in _lines(stream, title):
            lines.append(line)
            size += len(line)
            if size > _SAMPLE:
                return lines, False
    return lines, True


def _lines(stream: TextIO, title: str) -> Iterator[str]:
    """Yield the lines of a text.

    Raises
    ------
    ClientError
        If one is endless, holds a NUL, or is not in the encoding.
    """
    number = 0
    try:
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if "\0" in line:
                raise ClientError(
                    f"{title}, line {number}: character {line.index(chr(0)) + 1} is NUL, which a "
                    "text may not hold",
                    detail=f"It stands in {_cut(line)}.",
                    hint="Is it a text at all, and is --encoding right? To take NULs out: "
                    "tr -d '\\000'",
                )
            if len(line) == _LONGEST_LINE:
                raise ClientError(
                    f"{title}, line {number}: more than {_LONGEST_LINE:,} characters",
                    hint="Is it a CSV file?",
                )
            yield line
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{title} is not {error.encoding} text, near line {number + 1}",
            detail=f"The byte {error.object[error.start]:#04x} cannot be read.",
            hint="State its encoding, for example --encoding cp1252, or latin-1, in which "
            "every byte is some character.",
        ) from error
    except UnicodeError as error:  # Some encodings say no more.
        raise ClientError(
            f"{title} cannot be read, near line {number + 1}: {error}",
            hint="State the encoding that it has, for example --encoding cp1252.",
        ) from error


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
