"""Files as tables in DuckDB: CSV, Parquet and JSON, and generalization hierarchies.

DuckDB reads a file once, into a table of texts in a temporary file. What is in a column is counted
there, and rows leave it as Arrow batches. So memory does not grow with the number of records, and
no row is a Python object.

Rules
-----
- Every record has a field for each column, or the file is refused.
- A line of nothing but delimiters is no record, which is said. A last line that looks like a total
  is refused unless ``--skip-last`` says what it is.
- An error names the file and the line, or the record if records have several lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bkpriv_client.column import Column, Decision, Stated, decide
from bkpriv_client.dialect import Form, Layout, find_layout, misread
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import NAME_BYTES
from bkpriv_client.opening import Opened, open_text
from bkpriv_client.reading import literal
from bkpriv_client.source import Hierarchy, SqlType
from bkpriv_client.study import study_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CsvFile", "Study", "open_csv", "read_hierarchies", "read_hierarchy"]

_MEMORY = 256
"""Megabytes that DuckDB takes before it writes to the temporary file; and one for each column."""

_BATCH = 700_000
"""Values of a batch."""

_FOOTER = re.compile(
    r"\W*(?:(?:grand |sub)?totals?|sums?|summe|gesamt\w*|insgesamt|total général|averages?|mean"
    r"|durchschnitt|mittelwert|\d+ (?:rows?|records?|zeilen|datensätze|lignes)|end of .*"
    r"|(?:source|quelle|generated|exported|printed|stand|note|erstellt)\b.*)\W*",
    re.IGNORECASE,
)

_TYPES: dict[str, SqlType] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT"), "integer"),
    **dict.fromkeys(("BIGINT", "UINTEGER"), "bigint"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"), "numeric"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float8"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "BOOLEAN": "boolean",
    "DATE": "date",
}
"""Types of Parquet columns as PostgreSQL's; others are text."""


@dataclass(frozen=True)
class Study:
    """Decisions about a file's columns."""

    records: int
    decisions: Mapping[str, Decision]
    idle: frozenset[str] = frozenset()
    """Columns without a name and without a value, which are left out."""

    @property
    def types(self) -> dict[str, SqlType]:
        """Types of the columns that a table has."""
        return {
            name: decision.type
            for name, decision in self.decisions.items()
            if name not in self.idle
        }


class CsvFile:
    """A file whose records DuckDB reads.

    Attributes:
        header: Whether a line names the columns; None if nothing shows it.
        names: The columns, once they are settled.
        notes: Decisions that are not usual, for people.
    """

    def __init__(self, db: DuckDBPyConnection, opened: Opened, form: Form) -> None:
        self.db, self.opened, self.form = db, opened, form
        self.title = opened.title
        self.names: tuple[str, ...] = ()
        self.notes: list[str] = []
        self.unnamed: frozenset[str] = frozenset()
        self.layout: Layout | None = None
        self.header: bool | None = True
        self.records = 0
        self._table = ""
        self._exact = False
        self._types: list[SqlType] = []
        if opened.kind == "csv":
            self.layout = find_layout(db, opened, form)
            self.notes += self.layout.notes
            self.header = self.layout.header if form.header is None else form.header

    def settle(self, *, header: bool) -> None:
        """Name the columns.

        Args:
            header: Whether a line of a CSV file names the columns.

        Raises:
            ClientError: If the file has other columns than are stated.
        """
        self.header = header
        first: Sequence[str]
        if self.layout is None:
            first, self._table = self._described()
        else:
            first = self.layout.first
            self._table = self.layout.read(str(self.opened.text), header=header)
        self._name(first)

    def read(self) -> None:
        """Read all records.

        Raises:
            ClientError: If a line cannot be read, or there are no records.
        """
        self.db.execute(f"SET memory_limit = '{_MEMORY + len(self.names)}MB'")
        with misread(self.opened, self.layout):
            self.db.execute(f"CREATE OR REPLACE TABLE records AS FROM {self._table}")
        if self.layout is not None:
            self._check_lines(self.layout)
        (self.records,) = self._row("SELECT count(*) FROM records")
        if not self.records:
            raise ClientError(
                f"{self.title} holds no records",
                detail=f"Its columns would be {', '.join(self.names)[:80]}.",
                hint="If a record stands in place of the names, say --no-header.",
            )

    def study(
        self, stated: Stated | None = None, seen: Callable[[int], None] = lambda _: None
    ) -> Study:
        """Decide what each column becomes, by all of its values.

        Args:
            stated: Statements about the values.
            seen: Told how many columns have been studied.

        Raises:
            ClientError: If a value holds a NUL, which PostgreSQL does not take.
        """
        stated = stated or Stated()
        columns = []
        for name, figures in zip(
            self.names,
            study_columns(
                self.db,
                [f"c{place}" for place in range(len(self.names))],
                [stated.missing(name) for name in self.names],
                [stated.readings(name) for name in self.names],
            ),
            strict=True,
        ):
            if figures.nul is not None:
                value, row = figures.nul
                raise ClientError(
                    f"{self.title}, {self.place(row)}: {name} holds a NUL, which a text may not",
                    detail=f"It stands in {value[:60]!r}.",
                    hint="Is it a text at all, and is --encoding right? To take NULs out: "
                    "tr -d '\\000'",
                )
            columns.append(Column(name, figures, stated, self.place))
            seen(len(columns))
        decisions = dict(zip(self.names, decide(columns, self._types), strict=True))
        idle = frozenset(name for name in self.unnamed if decisions[name].missing == self.records)
        return Study(self.records, decisions, idle if len(idle) < len(self.names) else frozenset())

    def place(self, row: int) -> str:
        """Place of a record in the file, for people."""
        if self._exact and self.layout is not None:
            return f"line {self.layout.above + bool(self.header) + row + 1}"
        return f"record {row + 1}"

    def batches(self, study: Study) -> Iterator[Any]:
        """Yield the records as they go into a table, as Arrow batches of texts."""
        columns = ", ".join(
            f"{study.decisions[name].write(f'c{place}')} AS c{place}"
            for place, name in enumerate(self.names)
            if name not in study.idle
        )
        rows = max(_BATCH // len(self.names), 1)
        yield from self.db.sql(f"SELECT {columns} FROM records").to_arrow_reader(rows)

    def as_loaded(self, study: Study, name: str, hierarchy: Hierarchy) -> Hierarchy:
        """Write the values of a column's hierarchy as those of the column are written."""
        self.db.execute("CREATE OR REPLACE TEMP TABLE leaves (v VARCHAR)")
        self.db.executemany("INSERT INTO leaves VALUES (?)", [[row[0]] for row in hierarchy])
        decision = study.decisions[name]
        written = self.db.execute(f"SELECT {decision.write('v')} FROM leaves").fetchall()
        return [
            (value, *labels)
            for (value,), (_, *labels) in zip(written, hierarchy, strict=True)
            if value is not None
        ]

    def _row(self, query: str) -> tuple[Any, ...]:
        (row,) = self.db.execute(query).fetchall()
        return tuple(row)

    def _described(self) -> tuple[list[str], str]:
        """Names of the columns of a file that states them, and the table in SQL."""
        path, kind = literal(str(self.opened.text)), self.opened.kind
        sample = "" if kind == "parquet" else ", sample_size=-1"
        described = self.db.execute(f"DESCRIBE FROM read_{kind}({path}{sample})").fetchall()
        names = [str(name) for name, *_ in described]
        if kind == "json":
            columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
            table = f"read_json({path}, columns={{{columns}}})"
            selected = ", ".join(f"{_quoted(name)} AS c{n}" for n, name in enumerate(names))
        else:
            types = [str(type_).partition("(")[0] for _, type_, *_ in described]
            self._types = [_TYPES.get(type_, "text") for type_ in types]
            table = f"read_parquet({path})"
            selected = ", ".join(
                f"{_quoted(name)}::VARCHAR AS c{n}" for n, name in enumerate(names)
            )
        return names, f"(SELECT {selected} FROM {table})"

    def _name(self, first: Sequence[str]) -> None:
        """Name the columns."""
        stated = self.form.columns
        if stated is not None:
            if len(stated) != len(first):
                raise ClientError(
                    f"--columns names {len(stated)} columns, but {self.title} has {len(first)}",
                    detail=f"The first line holds {' | '.join(first)[:80]}.",
                    hint="Name each column of the file, in their order.",
                )
            first = stated
        elif not self.header:
            first = [f"column_{place}" for place in range(1, len(first) + 1)]
        names, notes = unique_names(first)
        self.names, self.notes = tuple(names), [*self.notes, *notes]
        self.unnamed = frozenset(
            name
            for name, written in zip(names, first, strict=True)
            if stated is None and (not written.strip() or not self.header)
        )

    def _check_lines(self, layout: Layout) -> None:
        """Leave out records of nothing but delimiters; refuse a last one that is a total."""
        (records,) = self._row("SELECT count(*) FROM records")
        self._exact = self.opened.lines() == layout.above + bool(self.header) + records
        columns = [f"c{place}" for place in range(len(self.names))]
        if len(columns) > 1:
            (blank,) = self._row(
                f"DELETE FROM records WHERE trim(concat_ws('', {', '.join(columns)})) = ''"
            )
            if blank:
                self.notes.append(f"Lines of nothing but delimiters, left out: {blank:,}.")
        if self.form.below is None and records:
            *fields, row = self._row("SELECT *, rowid FROM records ORDER BY rowid DESC LIMIT 1")
            filled = [field.strip() for field in fields if field and field.strip()]
            if filled and _FOOTER.fullmatch(filled[0]) and 3 * len(filled) <= 2 * len(fields):
                raise ClientError(
                    f"{self.title}, {self.place(row)}: looks like a total, not like a record",
                    detail=f"It holds {' | '.join(filled)[:80]}.",
                    hint="To leave it out, say --skip-last 1; to keep it, --skip-last 0.",
                )


@contextmanager
def open_csv(path: Path, form: Form | None = None) -> Iterator[CsvFile]:
    """Open a file, or the standard input; what is read of it is in a temporary directory."""
    import duckdb  # it takes a while to load

    form = form or Form()
    with TemporaryDirectory(prefix="bkpriv-") as made:
        directory = Path(made)
        opened = open_text(path, directory, form.encoding, form.below or 0)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": made,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with duckdb.connect(str(directory / "records"), config=settings) as db, misread(opened):
            yield CsvFile(db, opened, form)


def unique_names(first: Sequence[str]) -> tuple[list[str], list[str]]:
    """Make names of columns of a line; also what had to be changed in them, for people."""
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


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a generalization hierarchy: per value a row of it, coarser labels, and the root.

    A first line of names may stand above, or be missing, as in files of ARX: rows end in one root,
    and names do not.

    Raises:
        ClientError: If the file is not such a table, or a value has two rows that differ.
    """
    with open_csv(path, Form(header=False, above=0, below=0)) as file:
        file.settle(header=False)
        file.read()
        query = "FROM records ORDER BY rowid"
        rows = [
            (file.place(number), tuple(field or "" for field in row))
            for number, row in enumerate(file.db.execute(query).fetchall())
        ]
    ends = ["*", *(fields[-1] for _, fields in rows[1:])]
    if rows and rows[0][1][-1] not in ends:
        del rows[0]
    if not rows or len(file.names) < 2:
        raise ClientError(
            f"{path} is not a hierarchy",
            detail=f"It has {len(file.names)} columns and {len(rows)} rows, but for names.",
            hint="Give one row per value: the value, coarser labels, and one root of all.",
        )
    paths: dict[str, tuple[str, tuple[str, ...]]] = {}
    for place, fields in rows:
        before, path_of_value = paths.setdefault(fields[0], (place, fields))
        if path_of_value != fields:
            raise ClientError(
                f"{path}, {place}: the value {fields[0][:60]!r} stands in {before} already",
                detail=f"Its labels are {' | '.join(path_of_value[1:])[:60]} there and "
                f"{' | '.join(fields[1:])[:60]} here.",
                hint="Keep one row for each value.",
            )
    return [fields for _, fields in paths.values()]


def read_hierarchies(directory: Path, attributes: tuple[str, ...]) -> dict[str, Hierarchy]:
    """Read the hierarchies that a directory holds for some attributes.

    Files are ``hierarchy_education.csv`` or, as of ARX, ``adult_hierarchy_education.csv``.

    Raises:
        ClientError: If several files are named for one attribute, or one is no hierarchy.
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _free(name: str, taken: Sequence[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"_{number}"
        free = _cut_name(name, NAME_BYTES - len(ending)) + ending
    return free


def _cut_name(name: str, most: int = NAME_BYTES) -> str:
    return name.encode()[:most].decode(errors="ignore")
