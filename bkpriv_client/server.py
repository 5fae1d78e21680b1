"""Connections to the server, and statements whose progress is shown while they run.

The extension reports progress in the session's ``application_name``, the only thing other sessions
see in mid-statement: ``bkpriv publish: certifying 45%``. A second connection reads it there.

Rules
-----
- Every connection of the client is opened here. What a user's own settings say must not decide what
  a statement means: in a database where others may create functions, a superuser's ``count(...)``
  could be theirs. So ``search_path`` is pinned to PostgreSQL's own schema, and a statement names
  the schema of all else.
- Nor may whoever owns the database decide whom a user acts as, and who owns what they make: a role
  that is set for the database is left. One that the user has set, or has had set, stays.
- A name that a user gives without a schema is looked up as in any other session of theirs, by
  `as_named`, and by nothing else.
- Settings by which values are written are pinned too, so that a file holds the same wherever it is
  made. Of these the time zone is the user's: what is written says which it is.
- A statement ends with its client. By default a server notices that a client was killed when it
  answers, which may take hours; here it looks every few seconds, where its system can.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from bkpriv_client.failure import ClientError
from bkpriv_client.terminal import Advance

__all__ = [
    "Connection",
    "as_named",
    "connect",
    "open_session",
    "scalar",
    "watched",
    "without_password",
]

Connection = psycopg.Connection[tuple[Any, ...]]

_PROGRESS = re.compile(r"bkpriv \w+: (?P<doing>.+?)(?: (?P<percent>\d+)%)?")

_POLL_SECONDS = 0.2

_CONNECT_SECONDS = 10

_SEARCH_PATH = "pg_catalog, pg_temp"

_PINNED = {
    "search_path": _SEARCH_PATH,
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}
"""Settings of a session, as values in SQL; the encoding is agreed on when it is opened."""


_LOOK_AFTER = "SET client_connection_check_interval TO '2s'"

_ROLE_OF_DATABASE = """
SELECT FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.datname = current_database()
JOIN pg_roles AS u ON u.rolname = session_user
WHERE s.setdatabase IN (d.oid, 0) AND s.setrole IN (u.oid, 0)
    AND EXISTS (SELECT FROM unnest(s.setconfig) AS c (setting) WHERE starts_with(setting, 'role='))
HAVING every(s.setrole = 0 AND s.setdatabase = d.oid)
"""
"""A row where a role is set for everybody in this database, and not for the user or the cluster."""


def open_session(uri: str) -> Connection:
    """Open an autocommit connection to any database, in which statements mean what they say.

    Parameters
    ----------
    uri : str
        Connection string; what it leaves out comes from libpq's environment variables.

    Raises
    ------
    psycopg.OperationalError
        If the server cannot be reached.
    """
    connection = psycopg.connect(
        uri,
        autocommit=True,
        connect_timeout=_CONNECT_SECONDS,
        application_name="bkpriv",
        client_encoding="UTF8",
    )
    connection.execute("; ".join(f"SET {name} TO {value}" for name, value in _PINNED.items()))
    # Some systems cannot tell that a connection is closed, and refuse the setting.
    with suppress(psycopg.errors.InvalidParameterValue):
        connection.execute(_LOOK_AFTER)
    stated = "role=" in connection.info.options.replace(" ", "")
    if not stated and connection.execute(_ROLE_OF_DATABASE).fetchone() is not None:
        connection.execute("SET ROLE NONE")
    return connection


def connect(uri: str) -> Connection:
    """Open a session, as `open_session` does, in a database that holds the extension.

    Raises
    ------
    ClientError
        If the database does not hold the extension.
    psycopg.OperationalError
        If the server cannot be reached.
    """
    connection = open_session(uri)
    installed = connection.execute("SELECT FROM pg_extension WHERE extname = 'bkpriv'").fetchone()
    if installed is None:
        database = connection.info.dbname
        connection.close()
        raise ClientError(
            f'database "{database}" does not hold the extension bkpriv',
            hint="As a superuser, run there: CREATE EXTENSION bkpriv CASCADE",
        )
    return connection


def scalar(connection: Connection, query: sql.SQL | sql.Composed, *parameters: Any) -> Any:
    """Return the one value that a query yields."""
    row = connection.execute(query, parameters).fetchone()
    if row is None:
        raise LookupError("the query returned no row")
    return row[0]


def as_named(connection: Connection, query: sql.SQL, *parameters: Any) -> Any:
    """Return the one value of a query that looks names up by the user's own ``search_path``.

    For names that the user gave. All that the query itself names (functions, types; it has no
    operators) must have its schema.
    """
    with connection.transaction():
        connection.execute("SET LOCAL search_path TO DEFAULT")
        value = scalar(connection, query, *parameters)
        connection.execute(f"SET LOCAL search_path TO {_SEARCH_PATH}")
    return value


def without_password(uri: str) -> str:
    """Return a connection string that may be shown: the same without its password."""
    parts = conninfo_to_dict(uri)
    if "password" not in parts:
        return uri
    return make_conninfo("", **{name: part for name, part in parts.items() if name != "password"})


@contextmanager
def watched(connection: Connection, uri: str, advance: Advance) -> Iterator[None]:
    """Report the progress of what `connection` runs inside the block, from a second connection.

    Progress is a courtesy: if the second connection fails, the work goes on without it.
    """
    pid = connection.info.backend_pid
    done = threading.Event()

    def watch() -> None:
        try:
            with open_session(uri) as observer:
                while not done.wait(_POLL_SECONDS):
                    row = observer.execute(
                        "SELECT application_name FROM pg_stat_activity WHERE pid = %s", [pid]
                    ).fetchone()
                    report = _PROGRESS.fullmatch(row[0]) if row and row[0] else None
                    if report:
                        percent = report["percent"]
                        advance(None if percent is None else int(percent) / 100, report["doing"])
        except psycopg.Error:
            return

    watcher = threading.Thread(target=watch, name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
