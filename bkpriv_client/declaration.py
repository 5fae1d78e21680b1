"""Statements that declare a table to the extension, written as a person would write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import sql

from bkpriv_client.loading import TableName, hierarchy_table
from bkpriv_client.server import Connection
from bkpriv_client.source import Source

__all__ = ["ask", "call", "declare", "declare_source"]


def call(function: str, *arguments: Any, **named: Any) -> sql.Composed:
    """Compose a call of one of the extension's functions with literal arguments.

    Names go into the statement as they stand and must not come from outside.
    """
    return sql.SQL("SELECT {}").format(_applied(function, arguments, named))


def ask(function: str, *arguments: Any, **named: Any) -> sql.Composed:
    """Compose a query of what a call of one of the extension's functions returns; see `call`."""
    return sql.SQL("SELECT * FROM {}").format(_applied(function, arguments, named))


def _applied(function: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> sql.Composed:
    passed = [
        *map(_literal, arguments),
        *(sql.SQL(f"{name} => {{}}").format(_literal(value)) for name, value in named.items()),
    ]
    return sql.SQL("{}({})").format(sql.SQL(f"bkpriv.{function}"), sql.SQL(", ").join(passed))


def declare(
    connection: Connection,
    dataset: str,
    table: TableName,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    hierarchies: Mapping[str, TableName],
    intervals: Mapping[str, Sequence[int]],
    **roles: str | Sequence[str],
) -> list[sql.Composed]:
    """Compose the statements that register a table and give its attributes their hierarchies.

    Args:
        connection: Connection to the server, which knows what must be quoted.
        quasi_identifiers, sensitive: Columns of the table by their roles.
        roles: Columns of roles that the table may have: `respondent`, `period` and `attributes`.
    """
    source = table.written(connection)
    columns = {name: told if isinstance(told, str) else list(told) for name, told in roles.items()}
    told = sensitive if isinstance(sensitive, str) else list(sensitive)
    register = call("register_dataset", dataset, source, list(quasi_identifiers), told, **columns)
    branches = [
        call("set_hierarchy", dataset, attribute, levels.written(connection))
        for attribute, levels in hierarchies.items()
    ]
    nested = [
        call("set_interval_hierarchy", dataset, attribute, list(widths))
        for attribute, widths in intervals.items()
    ]
    return [register, *branches, *nested]


def declare_source(
    connection: Connection, dataset: str, schema: str, source: Source
) -> list[sql.Composed]:
    """Compose the statements that declare a source that was loaded into a schema."""
    table = TableName(schema, source.name)
    return declare(
        connection,
        dataset,
        table,
        source.quasi_identifiers,
        source.sensitive,
        {attribute: hierarchy_table(table, attribute) for attribute in source.hierarchies},
        source.intervals,
        **dict(zip(("respondent", "period"), source.serial, strict=False)),
    )


def _literal(value: Any) -> sql.Composable:
    """Write a value; a list as ``ARRAY[...]``."""
    if isinstance(value, list):
        return sql.SQL("ARRAY[{}]").format(sql.SQL(", ").join(map(sql.Literal, value)))
    return sql.Literal(value)
