"""Reading CSV files: the columns, what types they have, and generalization hierarchies.

Rules
-----
- The first line names the columns. An empty field is a NULL. Nothing else is altered.
- A column is integer, numeric, boolean (true, false), date or timestamp only if every value that
  is not empty reads as one, in ISO 8601 form; numbers with leading zeros (postal codes, keys) and
  everything else are text. A date among timestamps without a zone is that day's midnight; times
  with a zone and times without one do not mix.
- A fault names the file and the line. The path ``-`` is the standard input, which is read once.
"""

from __future__ import annotations

import csv
import datetime
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bkpriv_client.failure import ClientError
from bkpriv_client.source import Hierarchy, SqlType

__all__ = ["CsvFile", "open_csv", "read_hierarchies", "read_hierarchy"]

_INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_NUMERIC = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[ Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?"
    r"(?P<zone> ?(Z|z|[+-](0\d|1[0-5])(:?[0-5]\d)?))?",
    re.ASCII,
)

_WIDENING: tuple[tuple[SqlType, ...], ...] = (
    ("integer", "bigint", "numeric"),
    ("date", "timestamp"),
)
"""Types in the order of widening: in each row, a type holds the values of those before it."""

_CHUNK = 5_000
"""Records between two reports of progress."""


@dataclass(frozen=True)
class CsvFile:
    """A CSV file with its columns.

    Parameters
    ----------
    path : Path
        The file.
    delimiter : str
        The character between fields.
    names : tuple of str
        The columns.
    title : str
        Title of the file in messages.
    """

    path: Path
    delimiter: str
    names: tuple[str, ...]
    title: str

    @classmethod
    def open(cls, path: Path, delimiter: str = ",", title: str = "") -> CsvFile:
        """Read the names of a file's columns; its title is by default its path.

        Raises
        ------
        ClientError
            If the file cannot be read, is empty, or a name is missing or stands twice.
        """
        title = title or str(path)
        _, names = next(_lines(path, delimiter, title), (1, ()))
        if not names:
            raise ClientError(f"{title} is empty", hint="The first line must name the columns.")
        for position, name in enumerate(names, start=1):
            if not name:
                raise ClientError(f"{title}, line 1: column {position} has no name")
            if name in names[: position - 1]:
                raise ClientError(f'{title}, line 1: the column "{name}" stands twice')
        return cls(path, delimiter, names, title)

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Iterate over records.

        Raises
        ------
        ClientError
            If a record has more or fewer fields than there are columns.
        """
        lines = _lines(self.path, self.delimiter, self.title)
        next(lines)
        for line, fields in lines:
            if len(fields) != len(self.names):
                raise ClientError(
                    f"{self.title}, line {line}: {len(fields)} fields where {len(self.names)} "
                    "are expected",
                    hint="Is the delimiter right, and are fields that hold it quoted?",
                )
            yield tuple(field or None for field in fields)

    def guess_types(
        self, read: Callable[[int], None] = lambda count: None
    ) -> tuple[dict[str, SqlType], int]:
        """Guess the type of each column, and count the records.

        Parameters
        ----------
        read : callable
            Told now and then how many records have been read.

        Returns
        -------
        dict of str to SqlType, int
        """
        types: list[SqlType | None] = [None] * len(self.names)
        # Values recur: each is examined once per chunk.
        seen: list[set[str]] = [set() for _ in self.names]
        count = 0
        for count, row in enumerate(self.rows(), start=1):
            for values, value in zip(seen, row, strict=True):
                if value is not None:
                    values.add(value)
            if count % _CHUNK == 0:
                types = [_widen(kind, values) for kind, values in zip(types, seen, strict=True)]
                seen = [set() for _ in self.names]
                read(count)
        types = [_widen(kind, values) for kind, values in zip(types, seen, strict=True)]
        return {name: kind or "text" for name, kind in zip(self.names, types, strict=True)}, count


@contextmanager
def open_csv(path: Path, delimiter: str = ",") -> Iterator[CsvFile]:
    """Open a CSV file, or the standard input, which is kept in a temporary file meanwhile."""
    if str(path) != "-":
        yield CsvFile.open(path, delimiter)
        return
    with tempfile.NamedTemporaryFile(suffix=".csv") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield CsvFile.open(Path(kept.name), delimiter, "standard input")


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a generalization hierarchy: a named column per level, from the value to the root.

    Raises
    ------
    ClientError
        If the file is not such a table.
    """
    file = CsvFile.open(path)
    rows = [tuple(label or "" for label in row) for row in file.rows()]
    if not rows or len(file.names) < 2:
        raise ClientError(
            f"{path} is not a hierarchy",
            detail=f"It has {len(file.names)} columns and {len(rows)} rows under the first line.",
            hint="Give a first line of column names, then one row per value: the value, coarser "
            "labels, and the root.",
        )
    return rows


def read_hierarchies(directory: Path, attributes: tuple[str, ...]) -> dict[str, Hierarchy]:
    """Read the hierarchies that a directory holds for some attributes.

    That of an attribute ``education`` is in ``hierarchy_education.csv``.
    """
    paths = {attribute: directory / f"hierarchy_{attribute}.csv" for attribute in attributes}
    return {attribute: read_hierarchy(path) for attribute, path in paths.items() if path.is_file()}


def _lines(path: Path, delimiter: str, title: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the fields of each line that is not blank, with the number of its last line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            try:
                for fields in reader:
                    if fields:
                        yield reader.line_num, tuple(fields)
            except csv.Error as error:
                raise ClientError(f"{title}, line {reader.line_num}: {error}") from error
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{title} is not UTF-8 text",
            detail=f"The byte {error.object[error.start]:#04x} cannot be read.",
            hint=f"Convert it first, for example: iconv -f latin1 -t utf-8 {path.name}",
        ) from error
    except OSError as error:
        raise ClientError(f"cannot read {title}: {error.strerror}") from error


def _widen(so_far: SqlType | None, values: set[str]) -> SqlType | None:
    """Narrowest type of some values and of those seen before, if there are any."""
    if not values:
        return so_far
    guess = _guess(values)
    if so_far is None or so_far == guess:
        return guess
    for types in _WIDENING:
        if so_far in types and guess in types:
            return max(so_far, guess, key=types.index)
    return "text"


def _guess(values: set[str]) -> SqlType:
    """Narrowest type that all of some values have."""
    if all(map(_INTEGER.fullmatch, values)):
        if max(map(len, values)) > 20:  # longer than any bigint
            return "numeric"
        bits = max(abs(int(value)) for value in values).bit_length()
        return "integer" if bits < 32 else "bigint" if bits < 64 else "numeric"
    if all(map(_NUMERIC.fullmatch, values)):
        return "numeric"
    if all(value.lower() in ("true", "false") for value in values):
        return "boolean"
    kinds = {_kind_of_time(value) for value in values}
    if kinds == {"date", "timestamp"}:
        return "timestamp"
    return kinds.pop() if len(kinds) == 1 else "text"


def _kind_of_time(value: str) -> SqlType:
    """Type of a date or time in ISO 8601 form that exists; text, if it is none."""
    time = _TIME.fullmatch(value)
    if time is None and not _DATE.fullmatch(value):
        return "text"
    try:
        datetime.date.fromisoformat(value if time is None else time["date"])
    except ValueError:
        return "text"
    if time is None:
        return "date"
    return "timestamp" if time["zone"] is None else "timestamptz"
