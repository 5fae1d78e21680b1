"""Connections to the server, and statements whose progress is shown while they run.

The extension reports progress in the session's ``application_name``, the only thing other sessions
see in mid-statement: ``bkpriv publish: certifying 45%``. A second connection reads it there.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from bkpriv_core.cli.failure import ClientError
from bkpriv_core.cli.terminal import Advance

__all__ = ["Connection", "connect", "scalar", "watched", "without_password"]

Connection = psycopg.Connection[tuple[Any, ...]]

_PROGRESS = re.compile(r"bkpriv \w+: (?P<doing>.+?)(?: (?P<percent>\d+)%)?")

_POLL_SECONDS = 0.2

_CONNECT_SECONDS = 10


def connect(uri: str) -> Connection:
    """Open an autocommit connection to a database that holds the extension.

    Parameters
    ----------
    uri : str
        Connection string; what it leaves out comes from libpq's environment variables.

    Raises
    ------
    ClientError
        If the database does not hold the extension.
    psycopg.OperationalError
        If the server cannot be reached.
    """
    connection = psycopg.connect(
        uri, autocommit=True, connect_timeout=_CONNECT_SECONDS, application_name="bkpriv"
    )
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
            with psycopg.connect(
                uri, autocommit=True, connect_timeout=_CONNECT_SECONDS
            ) as observer:
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
