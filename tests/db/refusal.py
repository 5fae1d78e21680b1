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

    Parameters
    ----------
    connection, statement, parameters
        What to run.
    sqlstate : str
        The code of the error.
    names : sequence of str
        What is at fault: the message or its detail must name it.
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
    """Assert that what runs inside leaves catalogs and bkpriv's tables as they were.

    Parameters
    ----------
    db : Connection
        A superuser's connection.
    """
    before = _state(db)
    yield
    assert _state(db) == before


def _state(db: Connection) -> dict[str, Any]:
    """Everything but the position of sequences, which no transaction takes back."""
    state: dict[str, Any] = {}
    catalogs = ("class", "proc", "trigger", "rewrite", "namespace", "attribute", "type")
    for catalog in catalogs:
        # A row's xmin tells that it was rewritten; statistics of the planner are not of interest.
        state[catalog] = db.execute(
            sql.SQL("SELECT oid, xmin::text FROM {} ORDER BY oid").format(
                sql.Identifier("pg_catalog", f"pg_{catalog}")
            )
            if catalog not in ("class", "attribute")
            else sql.SQL(
                "SELECT oid, relname, relacl::text, relowner FROM pg_catalog.pg_class ORDER BY oid"
                if catalog == "class"
                else "SELECT attrelid, attname, attacl::text FROM pg_catalog.pg_attribute "
                "ORDER BY attrelid, attnum"
            )
        ).fetchall()
    for (table,) in db.execute(
        "SELECT oid::regclass::text FROM pg_catalog.pg_class "
        "WHERE relnamespace IN ('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace) "
        "AND relkind = 'r' ORDER BY oid"
    ).fetchall():
        state[table] = db.execute(
            sql.SQL("SELECT t::text FROM {} AS t ORDER BY 1").format(sql.SQL(table))
        ).fetchall()
    return state
