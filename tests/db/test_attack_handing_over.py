"""Attacks at the moment when a relation changes hands.

Whose code it runs is looked up once it is locked, as of then, and not as of the time when the
statement or the transaction began.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish
from tests.db.refusal import refused
from tests.db.test_attack_type_owners import BELIEF, TELL, auditor
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

__all__ = ["auditor"]

READ = "SELECT * FROM bkpriv.prior('x', '0.3')"
OF_A_TABLE = """SELECT * FROM bkpriv.prior('y', '{"table": "adm.snap"}')"""
POLICIES = '[{"k_anonymity": {"k": 2}}]'
EXPLORE = f"SELECT * FROM bkpriv.explore('x', '{POLICIES}')"


def lay(attacker: Connection, db: Connection) -> None:
    """Have an administrator's table that can be a source and a prior table, and a trap."""
    attacker.execute(TELL.format("int", "int", "$1"))
    home = sql.Identifier(attacker.info.user)
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(home))
    db.execute(
        "CREATE SCHEMA adm; CREATE TABLE adm.plain AS "
        "SELECT i % 12 AS v, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        f"CREATE TABLE adm.snap AS {BELIEF.format('adm.plain')};"
        "CREATE TABLE adm.child () INHERITS (adm.snap);"
        "GRANT USAGE ON SCHEMA adm TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA adm TO PUBLIC;"
        "SELECT bkpriv.register_dataset('x', 'adm.snap', '{v}', 'value');"
        "SELECT bkpriv.register_dataset('y', 'adm.plain', '{v}', 'b')"
    )


def hand_over(attacker: Connection, table: str) -> sql.Composed:
    """Statement that gives an attacker a table, and lays a trap on it as they would."""
    return sql.SQL(
        "ALTER TABLE adm.{1} OWNER TO {0}; CREATE INDEX ON adm.{1} (v) WHERE {0}.tell(7) = 7"
    ).format(sql.Identifier(attacker.info.user), sql.Identifier(table))


@pytest.mark.parametrize(
    ("reads", "table", "by"),
    [
        (READ, "snap", "auditor"),
        (READ, "child", "owner"),
        (OF_A_TABLE, "child", "owner"),
        (EXPLORE, "child", "owner"),
    ],
)
def test_a_table_that_is_handed_over_while_a_reader_waits_for_it(
    make_publisher: Callable[..., Connection],
    database: Database,
    db: Connection,
    auditor: Connection,
    reads: str,
    table: str,
    by: str,
) -> None:
    attacker = make_publisher("attacker")
    lay(attacker, db)
    reader = auditor if by == "auditor" else database.connect()
    said = overhear(reader)
    failures: list[psycopg.Error] = []

    def read() -> None:
        try:
            reader.execute(reads)
        except psycopg.Error as error:
            failures.append(error)

    with db.transaction():
        db.execute("LOCK TABLE adm.snap")
        db.execute(hand_over(attacker, table))
        thread = threading.Thread(target=read)
        thread.start()
        until_blocked(db, reader.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == ["42501"]
    assert said == []


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_what_somebody_else_named_is_not_read_as_of_an_older_time(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, level: str
) -> None:
    attacker = make_publisher("attacker")
    lay(attacker, db)
    assert auditor.execute(READ).fetchall()
    said = overhear(auditor)
    auditor.execute(f"BEGIN ISOLATION LEVEL {level}; SELECT")
    db.execute(hand_over(attacker, "snap"))
    refused(auditor, READ, sqlstate="25000", names=["adm.snap", level])
    auditor.execute("ROLLBACK")
    refused(auditor, READ, sqlstate="42501", names=["adm.snap", attacker.info.user])
    assert said == []
    # Who has named a table may read it at any level.
    with db.transaction():
        db.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        assert db.execute("SELECT * FROM bkpriv.prior('y', '0.3')").fetchall()


@pytest.mark.parametrize("kind", ["view", "index"])
def test_what_is_written_into_a_view_while_it_is_handed_on_is_not_handed_on(
    publisher: Connection, make_publisher: Callable[..., Connection], db: Connection, kind: str
) -> None:
    heir = make_publisher("heir")
    former, name = publisher.info.user, heir.info.user
    publish(publisher, "mine", "p", "stored", options={"materialized": True})
    view = "shown" if kind == "view" else "stored"
    call = "SELECT bkpriv.reassign(%s, %s)", [former, name]
    failures: list[psycopg.Error] = []

    def hand_on() -> None:
        try:
            db.execute(*call)
        except psycopg.Error as error:
            failures.append(error)

    with publisher.transaction():
        publisher.execute(
            "CREATE OR REPLACE VIEW shown WITH (security_barrier) AS "
            "SELECT a, length(current_user) AS b FROM bkpriv_release.release_1"
            if kind == "view"
            else "CREATE INDEX ON stored ((b + 1))"
        )
        thread = threading.Thread(target=hand_on)
        thread.start()
        until_blocked(publisher, db.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == ["40001"]
    assert f"{former}.{view} was changed" in str(failures[0])
    owner = "SELECT relowner::regrole::text FROM pg_class WHERE oid = %s::regclass"
    assert one(db, owner, [f"{former}.{view}"]) == former
    # It is seen the next time.
    db.execute(*call)
    assert one(db, owner, [f"{former}.{view}"]) == former
