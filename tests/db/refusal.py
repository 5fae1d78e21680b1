"""Refusals: an error that a person can act on, after which nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import Diagnostic

from tests.conftest import Connection

__all__ = ["refused", "unchanged"]


def refused(
    connection: Connection,
    statement: str,
    parameters: Sequence[Any] = (),
    *,
    sqlstate: str,
    names: Sequence[str] = (),
) -> Diagnostic:
    """Run a statement that bkpriv must refuse, and return what it said.

    Args:
        names: Names at fault: the message or its detail must have them.
    """
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement, parameters).fetchall()
    said = caught.value.diag
    message = f"{said.message_primary} / {said.message_detail} / {said.message_hint}"
    assert said.sqlstate == sqlstate, message
    assert said.message_detail, message
    assert said.message_hint, message
    for name in names:
        assert name in f"{said.message_primary} {said.message_detail}", message
    # An error that was not foreseen has another name.
    assert (said.message_primary or "").startswith("bkpriv: "), message
    return said


@contextmanager
def unchanged(db: Connection) -> Iterator[None]:
    """Assert that what runs inside leaves catalogs and bkpriv's tables as they were."""
    before = _state(db)
    yield
    assert _state(db) == before


_CATALOGS = {
    # A row's xmin tells that it was rewritten. The planner's statistics, which are kept in pg_class
    # and renewed at any time, are of no interest.
    "pg_class": "oid, relname, relnamespace, relowner, relacl::text, reloptions, relrowsecurity",
    "pg_attribute": "attrelid, attnum, attname, attacl::text",
    "pg_proc": "oid, xmin::text",
    "pg_trigger": "oid, xmin::text",
    "pg_rewrite": "oid, xmin::text",
    "pg_namespace": "oid, xmin::text",
    "pg_type": "oid, xmin::text",
    "pg_policy": "oid, xmin::text",
}


def _state(db: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """State of the database but for the position of sequences, which no transaction takes back."""
    tables = db.execute(
        "SELECT oid::regclass::text FROM pg_catalog.pg_class "
        "WHERE relnamespace IN ('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace) "
        "AND relkind = 'r'"
    ).fetchall()
    queries = {f"pg_catalog.{catalog}": columns for catalog, columns in _CATALOGS.items()}
    queries |= {table: "t::text" for (table,) in tables}
    return {
        table: db.execute(
            sql.SQL("SELECT {} FROM {} AS t ORDER BY 1, 2").format(
                sql.SQL(columns if "," in columns else f"{columns}, 0"), sql.SQL(table)
            )
        ).fetchall()
        for table, columns in queries.items()
    }
