"""Sessions of the client behind a pooler: the next client finds them as they were."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import pytest
from psycopg import sql
from typer.main import get_group

from bkpriv_client import app
from bkpriv_client.server import Session, connect, open_session
from tests.client.command import succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import one

STATE = """
    SELECT 'setting', name, setting FROM pg_catalog.pg_settings WHERE source = 'session'
    UNION ALL SELECT 'role', 'current', current_user::text
    UNION ALL SELECT 'prepared', name, statement FROM pg_catalog.pg_prepared_statements
    UNION ALL SELECT 'cursor', name, statement FROM pg_catalog.pg_cursors
    UNION ALL SELECT 'channel', 'heard', c FROM pg_catalog.pg_listening_channels() AS c
    UNION ALL SELECT 'lock', mode, objid::text FROM pg_catalog.pg_locks
        WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()
    UNION ALL SELECT 'table', relname, relkind::text FROM pg_catalog.pg_class
        WHERE relnamespace = pg_catalog.pg_my_temp_schema()
    ORDER BY 1, 2, 3
"""
"""Settings that the next client of the session would find."""


_Opened = TypeVar("_Opened", bound=psycopg.Connection[Any])


@dataclass
class Pooler:
    """Sessions that are handed to one client after the other, as a pooler does."""

    idle: list[Any] = field(default_factory=list)
    states: list[tuple[list[Any], list[Any]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    opened: list[Connection] = field(default_factory=list)

    def lend(self, uri: str, **options: Any) -> Session:
        """Open a connection by a session that a client had before, if one is idle."""
        pooler = self
        with self.lock:
            handle = self.idle.pop() if self.idle else None
        if handle is None:
            named = {name: options[name] for name in ("application_name", "client_encoding")}
            handle = self._keep(psycopg.connect(uri, **named)).pgconn
        before = self.state_of(handle)

        class Lent(Session):
            """A client's connection, whose session is given back."""

            def close(self) -> None:
                """Give the session back, once."""
                with pooler.lock:
                    if handle not in pooler.idle:
                        pooler.states.append((before, pooler.state_of(handle)))
                        pooler.idle.append(handle)

        lent = self._keep(Lent(handle))
        lent.autocommit = options["autocommit"]
        lent.cursor_factory = options["cursor_factory"]
        lent.prepare_threshold = options["prepare_threshold"]
        return lent

    def state_of(self, handle: Any) -> list[Any]:
        """State of a session, read as by another client."""
        return self.another(handle).execute(STATE.encode()).fetchall()

    def another(self, handle: Any) -> Connection:
        """Another client's connection by a session."""
        connection = self._keep(psycopg.Connection[Any](handle))
        connection.autocommit = True
        return connection

    def _keep(self, connection: _Opened) -> _Opened:
        """Keep a connection until all sessions end: it may not end its session."""
        self.opened.append(connection)
        return connection


@pytest.fixture
def pooler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pooler]:
    """A pooler between the client's commands and the server."""
    made = Pooler()
    monkeypatch.setattr(Session, "connect", made.lend)
    yield made
    for handle in made.idle:
        handle.finish()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Directory with a CSV file, and a file of declarations about it."""
    rows = (f"{20 + n % 9},{'mf'[n % 2]},d{n % 5}" for n in range(400))
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,disease", *rows]))
    (tmp_path / "privacy.toml").write_text(
        """
        [dataset.listed]
        source = "public.people"
        quasi_identifiers = ["age", "sex"]
        sensitive = "disease"

        [policy.few.k_anonymity]
        k = 3

        [publish."public.listed_shown"]
        dataset = "listed"
        policy = "few"
        """
    )
    return tmp_path


def test_no_command_leaves_anything_in_a_session(
    database: Database, db: Connection, files: Path, pooler: Pooler
) -> None:
    uri = ("--uri", database.uri())
    out = files / "out"
    table = ("people.csv", "--table", "public.people")
    commands: list[tuple[str, ...]] = [
        ("load-csv", str(files / table[0]), *table[1:]),
        ("inspect", "public.people"),
        ("apply", str(files / "privacy.toml"), "--plan"),
        ("apply", str(files / "privacy.toml")),
        ("explore", "listed", "--bandwidth", "none", "--k", "3,5"),
        ("attack", "1", "--attacker", "majority"),
        ("report", "1", "--out", str(out / "report.html")),
        ("export", "1", "--out", str(out / "number")),
        ("export", "public.listed_shown", "--to", "parquet", "--out", str(out / "view")),
        ("doctor",),
        ("demo", "--records", "300"),
    ]
    out.mkdir()
    for command in commands:
        succeeded(*command, *uri)
        assert pooler.states, command
        for before, after in pooler.states:
            assert after == before, command
        pooler.states.clear()
    assert set(get_group(app).commands) == {command[0] for command in commands}
    assert one(db, "SELECT count(*) FROM bkpriv.releases") > 0


def test_what_another_client_left_in_a_session_does_not_matter(
    database: Database, pooler: Pooler
) -> None:
    with connect(database.uri()) as session:
        handle = session.pgconn
    left = pooler.another(handle)
    left.execute("SET search_path = public; SET datestyle = 'German'; SET extra_float_digits = -5")
    with connect(database.uri()) as session:
        assert session.pgconn is handle
        assert one(session, "SELECT ARRAY[current_date::text, '2024-03-01'::date::text]")[1] == (
            "2024-03-01"
        )
        assert one(session, "SHOW search_path") == "pg_catalog, pg_temp"
        with session.transaction(), session.transaction():
            assert one(session, "SHOW search_path") == "pg_catalog, pg_temp"
    assert one(left, "SHOW search_path") == "public"


def test_a_statement_of_the_client_is_a_transaction(database: Database) -> None:
    with open_session(database.uri()) as session:
        session.execute("CREATE TABLE public.kept (a int)")
        with session.transaction(force_rollback=True):
            session.execute("INSERT INTO public.kept VALUES (1)")
        with pytest.raises(psycopg.errors.DivisionByZero):
            session.execute("INSERT INTO public.kept VALUES (1 / 0)")
        session.execute("INSERT INTO public.kept VALUES (2)")
        assert session.execute("TABLE public.kept").fetchall() == [(2,)]
        for _ in range(8):
            session.execute("SELECT %s", [1])
        assert one(session, "SELECT count(*) FROM pg_prepared_statements") == 0
        session.outside(sql.SQL("VACUUM {}").format(sql.Identifier("public", "kept")))
