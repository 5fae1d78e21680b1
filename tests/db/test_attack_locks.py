"""Attacks on everybody's progress: locks that a session may take and keep."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

STRONG = [
    "SHARE UPDATE EXCLUSIVE",
    "SHARE",
    "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE",
    "ACCESS EXCLUSIVE",
]
"""Modes that some function of ours, or a dump, would wait for."""


@pytest.fixture
def intruders(
    rivals: tuple[Connection, Connection],
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
) -> dict[str, Connection]:
    """Sessions of each job, beside a publisher who has a release of each kind of relation."""
    victim, attacker = rivals
    publish(victim, "mine", "p", "copied", options={"materialized": True})
    people = {"owner": victim, "publisher": attacker}
    for job in ("auditor", "watcher"):
        role = make_role(f"locking_{job}")
        db.execute(f"SELECT bkpriv.grant_{job}('{role}')".encode())
        people[job] = database.connect(role)
    return people


@pytest.mark.parametrize("job", ["owner", "publisher", "auditor", "watcher"])
def test_nobody_locks_what_all_use(
    intruders: dict[str, Connection], db: Connection, job: str
) -> None:
    session = intruders[job]
    relations = db.execute(
        "SELECT oid::regclass::text, relkind FROM pg_class WHERE relkind IN ('r', 'v', 'p') "
        "AND relnamespace::regnamespace::text ~ '^bkpriv'"
    ).fetchall()
    assert len(relations) > 15
    names = [name for name, _ in relations]
    if job in ("owner", "publisher"):
        # What a view reads is locked with the rights of its owner.
        for place, name in enumerate(list(names)):
            session.execute(f"CREATE VIEW bait_{place} AS SELECT 1 FROM {name}".encode())
            names.append(f"bait_{place}")
    for name in names:
        for mode in STRONG:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(f"LOCK TABLE {name} IN {mode} MODE NOWAIT".encode())


def test_rows_of_others_are_not_locked(intruders: dict[str, Connection], db: Connection) -> None:
    tables = [
        name
        for (name,) in db.execute(
            "SELECT oid::regclass::text FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'bkpriv'::regnamespace"
        )
    ]
    for session in (intruders["publisher"], intruders["auditor"], intruders["watcher"]):
        name = session.info.user
        for table in tables:
            for strength in ("UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"):
                try:
                    rows = session.execute(f"SELECT * FROM {table} FOR {strength}".encode())
                except psycopg.errors.InsufficientPrivilege:
                    continue
                columns = [column.name for column in rows.description or []]
                owned = {
                    row[columns.index("owner" if "owner" in columns else "dataset")] for row in rows
                }
                assert owned <= {name, "theirs"}, (table, strength)


def test_datasets_of_the_same_records_are_published_one_after_the_other(
    rivals: tuple[Connection, Connection], database: Database
) -> None:
    owner, _ = rivals
    owner.execute(
        "CREATE TABLE other AS TABLE own; CREATE VIEW looked AS SELECT * FROM own;"
        "SELECT bkpriv.register_dataset('twin', 'looked', '{a}', 'b');"
        "SELECT bkpriv.register_dataset('other', 'other', '{a}', 'b')"
    )
    second = database.connect(owner.info.user)
    second.execute("SET lock_timeout = '200ms'")
    with owner.transaction():
        publish(owner, "mine", "p", "shown")
        assert publish(second, "other", "p", "third")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            publish(second, "twin", "p", "second")


def test_no_turn_is_taken_at_a_dataset_that_was_declared_again_meanwhile(
    rivals: tuple[Connection, Connection], database: Database, db: Connection
) -> None:
    owner, _ = rivals
    owner.execute("SELECT bkpriv.withdraw(1, 'x')")
    caught: list[psycopg.Error] = []

    def publishing() -> None:
        try:
            publish(owner, "mine", "p", "shown")
        except psycopg.Error as error:
            caught.append(error)

    second = database.connect(owner.info.user)
    thread = threading.Thread(target=publishing)
    with second.transaction():
        second.execute(
            "SELECT bkpriv.drop_dataset('mine');"
            "SELECT bkpriv.register_dataset('mine', 'own', '{b}', 'a')"
        )
        thread.start()
        until_blocked(db, owner.info.backend_pid)
    thread.join()
    (error,) = caught
    assert error.sqlstate == "42704"
    assert one(db, "SELECT count(*) FROM bkpriv.release") == 1
