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
- Every statement runs in a transaction, and what is pinned is set for the transaction: behind a
  pooler the next one may be another session's, and the session another client's. Nothing is
  prepared and nothing kept in a session.
- Notices are asked for, whatever is set for the user or the database: commands repeat them.
- A statement ends with its client. By default a server notices that a client was killed when it
  answers, which may take hours; here it looks every few seconds, where its system can.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.abc import Params
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import Row

from bkpriv_client.failure import ClientError
from bkpriv_client.terminal import Advance

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "Connection",
    "Session",
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
    "client_min_messages": "notice",
}
"""Settings of a transaction, as values in SQL; the encoding is agreed on when one connects."""


_WHERE = (
    "Name the database by --uri postgresql://USER@HOST/DATABASE or BKPRIV_URI; or by PGHOST, "
    "PGUSER and PGDATABASE. A password comes from PGPASSWORD or ~/.pgpass."
)

_LOOK_AFTER = "SET LOCAL client_connection_check_interval TO '2s'"

_ROLE_OF_DATABASE = """
SELECT FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.datname = current_database()
JOIN pg_roles AS u ON u.rolname = session_user
WHERE s.setdatabase IN (d.oid, 0) AND s.setrole IN (u.oid, 0)
    AND EXISTS (SELECT FROM unnest(s.setconfig) AS c (setting) WHERE starts_with(setting, 'role='))
HAVING every(s.setrole = 0 AND s.setdatabase = d.oid)
"""
"""A row where a role is set for everybody in this database, and not for the user or the cluster."""


class _Cursor(psycopg.Cursor[Row]):
    """Cursor whose statements run in a transaction."""

    def execute(
        self,
        query: Any,
        params: Params | None = None,
        *,
        prepare: bool | None = None,
        binary: bool | None = None,
    ) -> Self:
        """Execute a statement, in a transaction of its own if there is none."""
        with ExitStack() as stack:
            if self.connection.info.transaction_status == TransactionStatus.IDLE:
                stack.enter_context(self.connection.transaction())
            return super().execute(query, params, prepare=prepare, binary=binary)


class Session(psycopg.Connection[tuple[Any, ...]]):
    """Connection that pins settings for each of its transactions, and leaves none behind."""

    _pins = "; ".join(f"SET LOCAL {name} TO {value}" for name, value in _PINNED.items())

    def pin(self, statement: str) -> None:
        """Begin every later transaction with a statement, too."""
        self._pins += f"; {statement}"

    def outside(self, statement: sql.Composed) -> None:
        """Execute what refuses to run in a transaction, without what is pinned."""
        psycopg.Cursor(self).execute(statement)

    @contextmanager
    def transaction(
        self, savepoint_name: str | None = None, force_rollback: bool = False
    ) -> Iterator[psycopg.Transaction]:
        """Begin a transaction with what is pinned, or a savepoint in one."""
        begins = self.info.transaction_status == TransactionStatus.IDLE
        with super().transaction(savepoint_name, force_rollback) as made:
            if begins:
                self.execute(self._pins.encode())
            yield made


def open_session(uri: str) -> Session:
    """Open a connection to any database, in which statements mean what they say.

    A statement outside a transaction gets one of its own; for what refuses that, see
    `Session.outside`.

    Args:
        uri: Connection string; what it leaves out comes from libpq's environment variables.

    Raises:
        ClientError: If the server cannot be reached.
    """
    try:
        connection = Session.connect(
            uri,
            autocommit=True,
            cursor_factory=_Cursor,
            prepare_threshold=None,
            connect_timeout=_CONNECT_SECONDS,
            application_name="bkpriv",
            client_encoding="UTF8",
        )
    except psycopg.Error as error:
        message, *more = str(error).strip().splitlines()
        raise ClientError(
            message, detail=" ".join(map(str.strip, more)) or None, hint=_WHERE
        ) from error
    # Some systems cannot tell that a connection is closed, and refuse the setting.
    with suppress(psycopg.errors.InvalidParameterValue):
        connection.execute(_LOOK_AFTER)
        connection.pin(_LOOK_AFTER)
    stated = "role=" in connection.info.options.replace(" ", "")
    if not stated and connection.execute(_ROLE_OF_DATABASE).fetchone() is not None:
        connection.pin("SET LOCAL ROLE NONE")
    return connection


def connect(uri: str, *, job: bool = True) -> Session:
    """Open a session, as `open_session` does, in a database that holds the extension.

    Args:
        job: Whether the user needs a job in the database, as all do but readers of a view.

    Raises:
        ClientError: If the server cannot be reached, the database does not hold the extension, or
            the user has no job there.
    """
    connection = open_session(uri)
    found = connection.execute(
        "SELECT current_user, quote_literal(quote_ident(current_user)), "
        "has_schema_privilege('bkpriv', 'USAGE') FROM pg_extension WHERE extname = 'bkpriv'"
    ).fetchone()
    database = connection.info.dbname
    if found is None:
        connection.close()
        raise ClientError(
            f'database "{database}" does not hold the extension bkpriv',
            hint="As a superuser, run there: CREATE EXTENSION bkpriv CASCADE",
        )
    role, quoted, has_job = found
    if job and not has_job:
        connection.close()
        raise ClientError(
            f'role "{role}" has no job in database "{database}"',
            detail="It may not use the schema bkpriv.",
            hint=f"As a superuser, run there: SELECT bkpriv.grant_publisher({quoted}); or "
            "grant_auditor, for a role that only measures releases.",
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

    Progress is a courtesy: if the second connection fails, the work goes on without it. A pooler
    hides which session works, so none is shown through one.
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
        except (psycopg.Error, ClientError):
            return

    watcher = threading.Thread(target=watch, name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
