"""Reading CSV files: the columns, what types they have, and generalization hierarchies.

Rules
-----
- The first line names the columns. An empty field is a NULL. Nothing else is altered.
- A column is integer, numeric or date only if every value that is not empty reads as one; numbers
  with leading zeros (postal codes, keys) and everything else are text.
- A fault names the file and the line.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bkpriv_core.cli.failure import ClientError
from bkpriv_core.cli.source import Hierarchy, SqlType

__all__ = ["CsvFile", "read_hierarchies", "read_hierarchy"]

_INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_NUMERIC = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

_WIDENING: tuple[SqlType, ...] = ("integer", "bigint", "numeric")
"""Each of these types holds the values of those before it."""

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
    """

    path: Path
    delimiter: str
    names: tuple[str, ...]

    @classmethod
    def open(cls, path: Path, delimiter: str = ",") -> CsvFile:
        """Read the names of a file's columns.

        Raises
        ------
        ClientError
            If the file cannot be read, is empty, or a name is missing or stands twice.
        """
        _, names = next(_lines(path, delimiter), (1, ()))
        if not names:
            raise ClientError(f"{path} is empty", hint="The first line must name the columns.")
        for position, name in enumerate(names, start=1):
            if not name:
                raise ClientError(f"{path}, line 1: column {position} has no name")
            if name in names[: position - 1]:
                raise ClientError(f'{path}, line 1: the column "{name}" stands twice')
        return cls(path, delimiter, names)

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Iterate over records.

        Raises
        ------
        ClientError
            If a record has more or fewer fields than there are columns.
        """
        lines = _lines(self.path, self.delimiter)
        next(lines)
        for line, fields in lines:
            if len(fields) != len(self.names):
                raise ClientError(
                    f"{self.path}, line {line}: {len(fields)} fields where {len(self.names)} "
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


def _lines(path: Path, delimiter: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the fields of each line that is not blank, with the number of its last line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            try:
                for fields in reader:
                    if fields:
                        yield reader.line_num, tuple(fields)
            except csv.Error as error:
                raise ClientError(f"{path}, line {reader.line_num}: {error}") from error
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{path} is not UTF-8 text",
            detail=f"The byte {error.object[error.start]:#04x} cannot be read.",
            hint=f"Convert it first, for example: iconv -f latin1 -t utf-8 {path.name}",
        ) from error
    except OSError as error:
        raise ClientError(f"cannot read {path}: {error.strerror}") from error


def _widen(known: SqlType | None, values: set[str]) -> SqlType | None:
    """Narrowest type of some values and of those seen before, if there are any."""
    if not values:
        return known
    found = _guess(values)
    if known is None or known == found:
        return found
    if known in _WIDENING and found in _WIDENING:
        return max(known, found, key=_WIDENING.index)
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
    return "date" if all(map(_is_date, values)) else "text"


def _is_date(value: str) -> bool:
    """Whether a value is a date in ISO 8601 form that exists."""
    if not _DATE.fullmatch(value):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True
