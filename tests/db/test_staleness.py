"""Staleness: whether a source has changed since its release is known, or known to be unknown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish
from tests.db.waiting import until, until_blocked

CHANGES = [
    "INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')",
    "UPDATE clinic.patient SET age = age + 1 WHERE age = 30",
    "DELETE FROM clinic.patient WHERE age = 30",
    "TRUNCATE clinic.patient",
    "MERGE INTO clinic.patient p USING (VALUES (30)) v (age) ON p.age = v.age "
    "WHEN MATCHED THEN UPDATE SET sex = 'm'",
    "COPY clinic.patient FROM PROGRAM 'printf ''30\\tf\\tAln\\tulcer\\n'''",
]


def stale(db: Connection, release: int) -> bool | None:
    """Read the staleness of a release."""
    answer: bool | None = one(db, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release])
    return answer


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.split()[0].lower())
def test_a_write_makes_releases_stale(clinic: Connection, change: str) -> None:
    if change.startswith("MERGE") and clinic.info.server_version < 150000:
        pytest.skip("this server is older than PostgreSQL 15, which brought MERGE")
    first, second = publish(clinic), publish(clinic)
    assert stale(clinic, second) is False
    clinic.execute(change)
    # A superseded release is stale too: its table is still there.
    assert (stale(clinic, first), stale(clinic, second)) == (True, True)
    clinic.execute("SELECT 1")
    ((kind, reason),) = clinic.execute(
        "SELECT kind, reason FROM bkpriv.release_event WHERE release = %s", [second]
    ).fetchall()
    assert kind == "stale"
    command = change.split()[0]
    event = {"COPY": "INSERT", "MERGE": "UPDATE"}.get(command, command)
    assert reason == f"{event} on clinic.patient"


def test_a_write_by_another_role_is_marked_with_its_name(
    clinic: Connection, make_role: Callable[..., str], database: Database
) -> None:
    writer = make_role("writer")
    role = sql.Identifier(writer)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT INSERT ON clinic.patient TO {}").format(role))
    release = publish(clinic)
    with database.connect(writer).cursor().copy("COPY clinic.patient FROM STDIN") as copy:
        copy.write_row((30, "f", "Aln", "ulcer"))
    assert stale(clinic, release) is True
    assert one(clinic, "SELECT by FROM bkpriv.release_event") == writer


def test_stale_is_marked_once_and_a_new_release_is_fresh(clinic: Connection) -> None:
    release = publish(clinic)
    for _ in range(3):
        clinic.execute(CHANGES[0])
    assert one(clinic, "SELECT count(*) FROM bkpriv.release_event") == 1
    assert stale(clinic, publish(clinic)) is False
    assert stale(clinic, release) is True


def test_a_write_that_is_rolled_back_leaves_releases_fresh(clinic: Connection) -> None:
    release = publish(clinic)
    with clinic.transaction(force_rollback=True):
        clinic.execute(CHANGES[0])
    assert stale(clinic, release) is False


def test_withdrawn_releases_are_not_marked(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute("SELECT bkpriv.withdraw(%s, 'for the test')", [release])
    clinic.execute(CHANGES[0])
    assert one(clinic, "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'stale'") == 0


@pytest.fixture
def partitions(clinic: Connection) -> Connection:
    """Partitioned table ``clinic.visit`` (north is itself partitioned), not yet registered."""
    clinic.execute(
        """
        CREATE TABLE clinic.visit (LIKE clinic.patient) PARTITION BY LIST (city);
        CREATE TABLE clinic.north PARTITION OF clinic.visit FOR VALUES IN ('Aln', 'Brix')
            PARTITION BY RANGE (age);
        CREATE TABLE clinic.young PARTITION OF clinic.north FOR VALUES FROM (0) TO (40);
        CREATE TABLE clinic.old PARTITION OF clinic.north FOR VALUES FROM (40) TO (100);
        CREATE TABLE clinic.south PARTITION OF clinic.visit FOR VALUES IN ('Corve', 'Dunn');
        INSERT INTO clinic.visit SELECT * FROM clinic.patient;
        """
    )
    return clinic


def register(db: Connection, source: str, dataset: str = "visits") -> int:
    """Register a table shaped like the clinic's and publish it."""
    db.execute(
        "SELECT bkpriv.register_dataset(%s, %s, '{age,sex,city}', 'disease')", [dataset, source]
    )
    return publish(db, dataset, view=f"public.{dataset}")


@pytest.mark.parametrize("named", ["visit", "north", "young", "old", "south"])
def test_a_write_to_any_partition_makes_releases_of_the_whole_stale(
    partitions: Connection, named: str
) -> None:
    release = register(partitions, "clinic.visit")
    assert stale(partitions, release) is False
    partitions.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("clinic", named)))
    assert stale(partitions, release) is True


@pytest.mark.parametrize("named", ["visit", "north", "young"])
def test_a_write_to_its_parent_makes_releases_of_a_partition_stale(
    partitions: Connection, named: str
) -> None:
    release = register(partitions, "clinic.young")
    assert stale(partitions, release) is False
    partitions.execute(
        sql.SQL("DELETE FROM {} WHERE age = 30").format(sql.Identifier("clinic", named))
    )
    assert stale(partitions, release) is True


def test_a_write_to_an_inheritance_child_makes_releases_stale(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE clinic.child () INHERITS (clinic.patient)")
    release = register(clinic, "clinic.patient")
    clinic.execute("INSERT INTO clinic.child VALUES (30, 'f', 'Aln', 'ulcer')")
    assert stale(clinic, release) is True


def test_a_new_partition_makes_staleness_unknown(partitions: Connection) -> None:
    release = register(partitions, "clinic.visit")
    partitions.execute("CREATE TABLE clinic.east PARTITION OF clinic.visit DEFAULT")
    assert stale(partitions, release) is None


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE clinic.patient RENAME TO former",
        "DROP TABLE clinic.patient CASCADE",
        "ALTER TABLE clinic.patient DISABLE TRIGGER USER",
        "ALTER TABLE clinic.patient ENABLE REPLICA TRIGGER {trigger}",
        "DROP TRIGGER {trigger} ON clinic.patient",
        # Something else under the trigger's name watches nothing.
        "CREATE OR REPLACE TRIGGER {trigger} AFTER INSERT ON clinic.patient "
        "FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('patients')",
        "CREATE OR REPLACE TRIGGER {trigger} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE "
        "ON clinic.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('others')",
        "CREATE OR REPLACE TRIGGER {trigger} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE "
        "ON clinic.patient FOR EACH STATEMENT WHEN (false) "
        "EXECUTE FUNCTION bkpriv._mark_stale('patients')",
        "CREATE OR REPLACE TRIGGER {trigger} "
        "AFTER INSERT OR UPDATE OF age OR DELETE OR TRUNCATE ON clinic.patient "
        "FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._mark_stale('patients')",
        "CREATE OR REPLACE TRIGGER {trigger} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE "
        "ON clinic.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard()",
    ],
)
def test_staleness_is_unknown_where_nothing_watches_any_more(
    clinic: Connection, change: str
) -> None:
    release = publish(clinic)
    assert stale(clinic, release) is False
    trigger = one(clinic, "SELECT bkpriv._stale_trigger('patients')")
    clinic.execute(sql.SQL(change).format(trigger=sql.Identifier(trigger)))
    assert stale(clinic, release) is None


def test_staleness_of_what_cannot_be_watched_is_unknown_and_said_so(clinic: Connection) -> None:
    said = overhear(clinic)
    clinic.execute("CREATE VIEW clinic.shown AS SELECT * FROM clinic.patient")
    release = register(clinic, "clinic.shown")
    assert stale(clinic, release) is None
    (notice,) = [notice for notice in said if "unknown" in notice]
    assert '"visits"' in notice
    assert "clinic.shown is a view" in notice
    # What is known to have changed stays known.
    clinic.execute(CHANGES[0])
    assert stale(clinic, release) is None


def test_a_publisher_who_may_not_create_triggers_is_told_so(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = sql.Identifier(publisher.info.user)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(role))
    said = overhear(publisher)
    publisher.execute(
        "SELECT bkpriv.register_dataset('mine', 'clinic.patient', '{age,sex,city}', 'disease')"
    )
    (notice,) = said
    assert "may not create a trigger on clinic.patient" in notice
    assert stale(publisher, publish(publisher, "mine", view="mine")) is None


# --- changes while a release is made --------------------------------------------------------------


@pytest.fixture
def publish_beside(
    clinic: Connection, database: Database
) -> Callable[..., tuple[threading.Thread, list[Any], int]]:
    """Publish in a second session and thread; returns the thread, its results, the backend."""

    def start(isolation: str = "read committed") -> tuple[threading.Thread, list[Any], int]:
        other = database.connect()
        other.execute(
            sql.SQL("SET default_transaction_isolation = {}").format(sql.Literal(isolation))
        )
        results: list[Any] = []

        def work() -> None:
            try:
                results.append(publish(other))
            except psycopg.Error as error:
                results.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        return thread, results, other.info.backend_pid

    return start


def until_it_waits_for_writers(connection: Connection, backend: int) -> None:
    until(
        lambda: one(
            connection,
            "SELECT application_name LIKE '%%waiting for writers%%' FROM pg_stat_activity "
            "WHERE pid = %s",
            [backend],
        )
    )


def test_a_writer_that_does_not_end_makes_the_release_stale_and_keeps_its_work(
    clinic: Connection,
    database: Database,
    publish_beside: Callable[..., tuple[threading.Thread, list[Any], int]],
) -> None:
    writer = database.connect()
    with writer.transaction():
        writer.execute(CHANGES[0])
        thread, results, backend = publish_beside()
        until_it_waits_for_writers(clinic, backend)
        # The publication has read the table, so this waits for it to end, and must not deadlock.
        writer.execute("TRUNCATE clinic.patient")
    thread.join()
    assert stale(clinic, results[0]) is True
    assert one(clinic, "SELECT count(*) FROM clinic.patient") == 0
    assert "in use by a writer" in one(
        clinic, "SELECT reason FROM bkpriv.release_event ORDER BY event LIMIT 1"
    )


def test_a_change_that_commits_while_a_release_is_made_makes_it_stale(
    clinic: Connection,
    database: Database,
    publish_beside: Callable[..., tuple[threading.Thread, list[Any], int]],
) -> None:
    writer = database.connect()
    with writer.transaction():
        writer.execute(CHANGES[0])
        thread, results, backend = publish_beside()
        # It has read the source without the change, and waits for the writer to end.
        until_it_waits_for_writers(clinic, backend)
    thread.join()
    assert stale(clinic, results[0]) is True
    assert one(clinic, "SELECT reason FROM bkpriv.release_event") == (
        "the source changed while the release was made"
    )


def test_a_change_that_is_rolled_back_while_a_release_is_made_leaves_it_fresh(
    clinic: Connection,
    database: Database,
    publish_beside: Callable[..., tuple[threading.Thread, list[Any], int]],
) -> None:
    writer = database.connect()
    with writer.transaction(force_rollback=True):
        writer.execute(CHANGES[0])
        thread, results, backend = publish_beside()
        until_it_waits_for_writers(clinic, backend)
    thread.join()
    assert stale(clinic, results[0]) is False


def test_a_writer_waits_for_a_release_to_commit_and_marks_it(
    clinic: Connection, database: Database
) -> None:
    writer = database.connect()
    with clinic.transaction():
        release = publish(clinic)
        thread = threading.Thread(target=writer.execute, args=[CHANGES[0]])
        thread.start()
        until_blocked(clinic, writer.info.backend_pid)
    thread.join()
    assert stale(clinic, release) is True


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_a_release_is_not_made_on_an_old_snapshot(clinic: Connection, isolation: str) -> None:
    clinic.execute(sql.SQL("SET default_transaction_isolation = {}").format(sql.Literal(isolation)))
    with pytest.raises(psycopg.errors.InvalidTransactionState) as caught:
        publish(clinic)
    assert isolation in str(caught.value)
    assert caught.value.diag.message_detail
    assert "READ COMMITTED" in (caught.value.diag.message_hint or "")


def test_a_writer_with_an_old_snapshot_still_makes_releases_stale(
    clinic: Connection, database: Database
) -> None:
    writer = database.connect()
    writer.execute("SET default_transaction_isolation = 'repeatable read'")
    try:
        with writer.transaction():
            writer.execute("SELECT count(*) FROM clinic.patient")
            release = publish(clinic)
            writer.execute(CHANGES[0])
    except psycopg.errors.SerializationFailure:
        return  # as good: the write did not take place
    assert stale(clinic, release) is True


def test_a_release_shows_one_state_of_the_source(clinic: Connection, database: Database) -> None:
    # Writers keep moving all patients from one city to another in one transaction, so that every
    # state of the source has a single city.
    clinic.execute("UPDATE clinic.patient SET city = 'Aln'")
    stop = threading.Event()

    def move() -> None:
        connection = database.connect()
        while not stop.is_set():
            for city in ("Brix", "Aln"):
                connection.execute("UPDATE clinic.patient SET city = %s", [city])
                time.sleep(0.002)

    thread = threading.Thread(target=move)
    thread.start()
    try:
        releases = [publish(clinic) for _ in range(6)]
    finally:
        stop.set()
        thread.join()
    for release in releases:
        rows = clinic.execute(
            sql.SQL("SELECT city, count(*) FROM {} GROUP BY city").format(
                sql.Identifier("bkpriv_release", f"release_{release}")
            )
        ).fetchall()
        assert [count for _, count in rows] == [300]
        suppressed = one(
            clinic, "SELECT suppressed FROM bkpriv.release WHERE release = %s", [release]
        )
        assert suppressed == 0
