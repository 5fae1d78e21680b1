"""Loading tables by COPY.

Every name is quoted by `psycopg.sql`; values travel as COPY data and are never part of a statement.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.server import Connection, scalar
from bkpriv_client.source import Hierarchy, Source, SqlType

__all__ = [
    "NAME_BYTES",
    "TableName",
    "copy_rows",
    "create_schema",
    "create_table",
    "hierarchy_table",
    "load_batches",
    "load_hierarchy",
    "load_source",
]

_REPORT_EVERY = 5_000
"""Records between two reports of progress."""

NAME_BYTES = 63
"""Longest name that the server keeps whole."""


@dataclass(frozen=True)
class TableName:
    """Name of a table."""

    schema: str
    name: str
    """Names in the catalogue, without quotes."""

    @property
    def identifier(self) -> sql.Identifier:
        """Name as an identifier, to compose statements."""
        return sql.Identifier(self.schema, self.name)

    def written(self, connection: Connection) -> str:
        """Write it as a person would in SQL, quoted only where it must be."""
        query = sql.SQL("SELECT format('%%I.%%I', %s::text, %s::text)")
        text: str = scalar(connection, query, self.schema, self.name)
        return text


def create_schema(connection: Connection, name: str) -> bool:
    """Create a schema if there is none of that name; return whether there was none."""
    query = sql.SQL("SELECT count(*) FROM pg_namespace WHERE nspname = %s")
    if scalar(connection, query, name):
        return False
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    return True


def create_table(
    connection: Connection,
    table: TableName,
    columns: Mapping[str, SqlType],
    rows: Iterable[tuple[Any, ...]],
    *,
    loaded: Callable[[int], None] = lambda count: None,
) -> None:
    """Create a table and fill it.

    Args:
        rows: Records, values in the order of `columns`.
        loaded: Told now and then how many records have been sent.
    """
    with _created(connection, table, columns):
        copy_rows(connection, table, columns, rows, loaded=loaded)


def load_batches(
    connection: Connection,
    table: TableName,
    columns: Mapping[str, SqlType],
    batches: Iterable[Any],
    *,
    loaded: Callable[[int], None],
) -> None:
    """Create a table and fill it with Arrow batches of texts, in the order of columns."""
    from pyarrow.csv import WriteOptions, write_csv  # it takes a while to load

    options = WriteOptions(include_header=False)
    statement = _copied(table, columns, " (FORMAT csv)")
    count = 0
    with (
        _created(connection, table, columns),
        connection.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        for batch in batches:
            out = io.BytesIO()
            write_csv(batch, out, options)
            copy.write(out.getbuffer())
            count += batch.num_rows
            loaded(count)


@contextmanager
def _created(
    connection: Connection, table: TableName, columns: Mapping[str, SqlType]
) -> Iterator[None]:
    """Create a table, have it filled, and count it for the planner."""
    definitions = [
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind))
        for name, kind in columns.items()
    ]
    with connection.transaction():
        connection.execute(
            sql.SQL("CREATE TABLE {} ({})").format(
                table.identifier, sql.SQL(", ").join(definitions)
            )
        )
        yield
        connection.execute(sql.SQL("ANALYZE {}").format(table.identifier))


def _copied(table: TableName, columns: Iterable[str], options: str = "") -> sql.Composed:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL("COPY {} ({}) FROM STDIN" + options).format(table.identifier, names)


def copy_rows(
    connection: Connection,
    table: TableName,
    columns: Iterable[str],
    rows: Iterable[tuple[Any, ...]],
    *,
    loaded: Callable[[int], None] = lambda count: None,
) -> None:
    """Add rows to a table, values in the order of columns; see `create_table`."""
    with connection.cursor() as cursor, cursor.copy(_copied(table, columns)) as copy:
        for count, row in enumerate(rows, start=1):
            copy.write_row(row)
            if count % _REPORT_EVERY == 0:
                loaded(count)


def hierarchy_table(table: TableName, attribute: str) -> TableName:
    """Name of the table that holds an attribute's hierarchy.

    Raises:
        ClientError: If it is longer than the server allows: it would be cut, and two might become
            one.
    """
    name = f"{table.name}_{attribute}_hierarchy"
    if len(name.encode()) > NAME_BYTES:
        raise ClientError(
            f'the name "{name}" of a hierarchy\'s table is too long',
            detail=f"A name has at most {NAME_BYTES} bytes.",
            hint="Choose a shorter name for the table.",
        )
    return TableName(table.schema, name)


def load_hierarchy(connection: Connection, table: TableName, hierarchy: Hierarchy) -> None:
    """Create the table of a hierarchy, one text column per level, from leaf to root."""
    levels: dict[str, SqlType] = {f"level_{level}": "text" for level in range(len(hierarchy[0]))}
    create_table(connection, table, levels, hierarchy)


def load_source(
    connection: Connection,
    schema: str,
    source: Source,
    *,
    loaded: Callable[[int], None] = lambda count: None,
) -> None:
    """Create a source's table and those of its hierarchies in a schema."""
    table = TableName(schema, source.name)
    types = {name: column.type for name, column in source.columns.items()}
    create_table(connection, table, types, source.rows(), loaded=loaded)
    for attribute, hierarchy in source.hierarchies.items():
        load_hierarchy(connection, hierarchy_table(table, attribute), hierarchy)
