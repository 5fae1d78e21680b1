"""Place of a new table: its name as a user writes it, and room for it."""

from __future__ import annotations

import shlex

from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.loading import TableName
from bkpriv_client.server import Connection, as_named, scalar

__all__ = ["check_room", "make_room", "resolve"]


def resolve(connection: Connection, table: str) -> TableName:
    """Read a table's name as written in SQL; its schema is by default the user's current one.

    Raises:
        ClientError: If it has more parts, or there is no current schema, or that is up to somebody
            else.
    """
    parts: list[str] = scalar(connection, sql.SQL("SELECT parse_ident(%s)"), table)
    if len(parts) == 1:
        schema = as_named(connection, sql.SQL("SELECT pg_catalog.current_schema()"))
        if schema:
            _check_owner(connection, schema, parts[0])
            parts = [schema, *parts]
    if len(parts) != 2:
        raise ClientError(
            f"{table} does not name a table", hint="Give its schema and name, such as public.people"
        )
    return TableName(*parts)


def _check_owner(connection: Connection, schema: str, name: str) -> None:
    """Refuse a schema that the user has not named, and whose owner is another than they.

    The owner may drop a table in it, and put a view there that runs code of theirs when it is read.
    """
    owners = connection.execute(
        "SELECT o.rolname::text FROM pg_namespace AS n "
        "JOIN pg_database AS d ON d.datname = current_database() JOIN pg_roles AS o ON o.oid = "
        "CASE n.nspowner WHEN 'pg_database_owner'::regrole::oid THEN d.datdba ELSE n.nspowner END "
        "WHERE n.nspname = %s::name AND NOT o.rolsuper AND o.rolname <> current_user",
        [schema],
    ).fetchall()
    named = shlex.quote(TableName(schema, name).written(connection))
    for (owner,) in owners:
        raise ClientError(
            f'{name} would be a table in schema "{schema}", which belongs to "{owner}"',
            detail="Its owner may put something else in the table's place, and so have code of "
            "theirs run by who reads it.",
            hint=f"If you trust them, say --table {named}",
        )


def check_room(connection: Connection, table: TableName, *, replace: bool) -> bool:
    """See whether there is a table of a name.

    Raises:
        ClientError: If there is one, which is not to be replaced.
    """
    name = table.written(connection)
    if scalar(connection, sql.SQL("SELECT to_regclass(%s)"), name) is None:
        return False
    if not replace:
        raise ClientError(
            f"{name} exists already",
            detail="Nothing was changed.",
            hint="Choose another name, or give --replace to drop it first.",
        )
    return True


def make_room(connection: Connection, table: TableName, *, replace: bool) -> None:
    """See that there is no table of a name: drop it if that is wanted, else refuse."""
    if check_room(connection, table, replace=replace):
        connection.execute(sql.SQL("DROP TABLE {}").format(table.identifier))
