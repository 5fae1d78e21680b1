"""Loading tables by COPY.

Every name is quoted by `psycopg.sql`; values travel as COPY data and are never part of a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    "load_hierarchy",
    "load_source",
]

_REPORT_EVERY = 5_000
"""Records between two reports of progress."""

NAME_BYTES = 63
"""Longest name that the server keeps whole."""


@dataclass(frozen=True)
class TableName:
    """Name of a table.

    Parameters
    ----------
    schema, name : str
        Names in the catalogue, without quotes.
    """

    schema: str
    name: str

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

    Parameters
    ----------
    table : TableName
        The table, which must not exist.
    columns : mapping of str to SqlType
        Type of each column.
    rows : iterable of tuple
        Records, values in the order of `columns`.
    loaded : callable
        Told now and then how many records have been sent.
    """
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
        copy_rows(connection, table, columns, rows, loaded=loaded)
        connection.execute(sql.SQL("ANALYZE {}").format(table.identifier))


def copy_rows(
    connection: Connection,
    table: TableName,
    columns: Iterable[str],
    rows: Iterable[tuple[Any, ...]],
    *,
    loaded: Callable[[int], None] = lambda count: None,
) -> None:
    """Add rows to a table, values in the order of columns; see `create_table`."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(table.identifier, names)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for count, row in enumerate(rows, start=1):
            copy.write_row(row)
            if count % _REPORT_EVERY == 0:
                loaded(count)


def hierarchy_table(table: TableName, attribute: str) -> TableName:
    """Name of the table that holds an attribute's hierarchy.

    Raises
    ------
    ClientError
        If it is longer than the server allows: it would be cut, and two might become one.
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
