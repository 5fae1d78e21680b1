"""Concurrency: what writers do while a release is made is in it, or makes it stale."""

from __future__ import annotations

import threading

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish
from tests.db.waiting import until, until_blocked
from tests.db.writing import CHANGES, publish_apart, stale

pytestmark = pytest.mark.pooled


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
    clinic: Connection, database: Database
) -> None:
    writer, other = database.connect(), database.connect()
    with writer.transaction():
        writer.execute(CHANGES[0])
        thread, results = publish_apart(other)
        until_it_waits_for_writers(clinic, other.info.backend_pid)
        # The publication has read the table, so this waits for it to end, and must not deadlock.
        writer.execute("TRUNCATE clinic.patient")
    thread.join()
    assert stale(clinic, results[0]) is True
    assert one(clinic, "SELECT count(*) FROM clinic.patient") == 0
    assert "in use by a writer" in one(
        clinic, "SELECT reason FROM bkpriv.release_event ORDER BY event LIMIT 1"
    )


def test_a_change_that_commits_while_a_release_is_made_makes_it_stale(
    clinic: Connection, database: Database
) -> None:
    writer, other = database.connect(), database.connect()
    with writer.transaction():
        writer.execute(CHANGES[0])
        thread, results = publish_apart(other)
        # It has read the source without the change, and waits for the writer to end.
        until_it_waits_for_writers(clinic, other.info.backend_pid)
    thread.join()
    assert stale(clinic, results[0]) is True
    assert one(clinic, "SELECT reason FROM bkpriv.release_event") == (
        "the source changed while the release was made"
    )


def test_a_change_that_is_rolled_back_while_a_release_is_made_leaves_it_fresh(
    clinic: Connection, database: Database
) -> None:
    writer, other = database.connect(), database.connect()
    with writer.transaction(force_rollback=True):
        writer.execute(CHANGES[0])
        thread, results = publish_apart(other)
        until_it_waits_for_writers(clinic, other.info.backend_pid)
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


@pytest.mark.always
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


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_a_writer_whose_snapshot_is_older_than_the_dataset_fails(
    clinic: Connection, database: Database, isolation: str
) -> None:
    clinic.execute("CREATE TABLE clinic.late AS TABLE clinic.patient")
    writer = database.connect()
    writer.execute(sql.SQL("SET default_transaction_isolation = {}").format(sql.Literal(isolation)))
    writer.execute("BEGIN; SELECT 1 FROM clinic.patient LIMIT 1")
    clinic.execute("SELECT bkpriv.register_dataset('late', 'clinic.late', '{age}', 'disease')")
    release = publish(clinic, "late", view="public.late")
    with pytest.raises(psycopg.errors.SerializationFailure):
        writer.execute("UPDATE clinic.late SET age = 1")
    writer.execute("ROLLBACK")
    assert stale(clinic, release) is False
    writer.execute("UPDATE clinic.late SET age = 1")
    assert stale(clinic, release) is True


def test_an_alteration_under_an_old_snapshot_fails(clinic: Connection, database: Database) -> None:
    other = database.connect()
    other.execute("SET default_transaction_isolation = 'repeatable read'")
    other.execute("BEGIN; SELECT 1 FROM bkpriv.release LIMIT 1")
    publish(clinic)
    with pytest.raises(psycopg.errors.SerializationFailure):
        other.execute("ALTER TABLE clinic.patient ALTER age TYPE int USING 99")


def test_who_copies_a_token_does_not_keep_others_from_publishing(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    (token,) = one(db, "SELECT watch FROM bkpriv.release")
    attacker.execute(
        f"CREATE TABLE bait (a int); CREATE TRIGGER bkpriv_watch AFTER INSERT OR UPDATE OR DELETE "
        f"OR TRUNCATE ON bait EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}')"
    )
    attacker.execute("SET default_transaction_isolation = 'repeatable read'")
    with attacker.transaction():
        attacker.execute("INSERT INTO bait VALUES (1)")
        victim.execute("SET statement_timeout = '20s'")
        assert publish(victim, "mine", "p", "shown")


REGISTER = "SELECT bkpriv_internal.register_watch(%s::regclass, current_user::regrole)"
"""Statement that binds the token of a table, as `watch` does."""


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_a_token_on_a_table_that_it_is_not_of_means_nothing(
    rivals: tuple[Connection, Connection], db: Connection, level: str
) -> None:
    victim, attacker = rivals
    (token,) = one(db, "SELECT watch FROM bkpriv.release")
    attacker.execute("CREATE TABLE bait (a int)")
    copy_watch(attacker, "bait", token)
    db.execute(REGISTER, [f"{attacker.info.user}.bait"])
    assert one(attacker, "SELECT bkpriv_internal.watch_token('bait'::regclass)") is None
    assert one(victim, "SELECT bkpriv_internal.watch_token('own'::regclass)") == token
    attacker.execute(f"BEGIN ISOLATION LEVEL {level}")
    attacker.execute("INSERT INTO bait VALUES (1); ALTER TABLE bait DISABLE TRIGGER USER")
    publish(victim, "mine", "p", "shown")
    attacker.execute("COMMIT")
    state = "SELECT array_agg(stale ORDER BY release) FROM bkpriv.releases"
    assert one(victim, state) == [False, False]
    # It is watched under a token of its own, like any other table.
    attacker.execute("SELECT bkpriv.watch('bait')")
    own = one(attacker, "SELECT bkpriv_internal.watch_token('bait'::regclass)")
    assert own not in (None, token)
    victim.execute("INSERT INTO own VALUES (1, 1)")
    assert one(victim, state) == [True, True]


def test_a_table_that_is_made_anew_is_another(clinic: Connection) -> None:
    release = publish(clinic)
    (token,) = one(clinic, "SELECT watch FROM bkpriv.release")
    clinic.execute("CREATE TABLE copied AS TABLE clinic.patient")
    clinic.execute("DROP TABLE clinic.patient CASCADE; ALTER TABLE copied SET SCHEMA clinic")
    clinic.execute("ALTER TABLE clinic.copied RENAME TO patient")
    copy_watch(clinic, "clinic.patient", token)
    state = "SELECT stale FROM bkpriv.releases WHERE release = %s"
    assert one(clinic, state, [release]) is None
    clinic.execute("SELECT bkpriv.watch('clinic.patient')")
    assert one(clinic, state, [release]) is None
    assert (
        one(clinic, "SELECT stale FROM bkpriv.releases WHERE release = %s", [publish(clinic)])
        is False
    )


def test_a_table_that_takes_the_name_of_one_that_was_unwatched_is_another(
    clinic: Connection,
) -> None:
    release = publish(clinic)
    (token,) = one(clinic, "SELECT watch FROM bkpriv.release")
    clinic.execute("SELECT bkpriv.unwatch('clinic.patient')")
    clinic.execute("CREATE TABLE clinic.copied AS TABLE clinic.patient")
    clinic.execute("DROP TABLE clinic.patient CASCADE")
    clinic.execute("ALTER TABLE clinic.copied RENAME TO patient")
    copy_watch(clinic, "clinic.patient", token)
    clinic.execute(REGISTER, ["clinic.patient"])
    state = "SELECT stale FROM bkpriv.releases WHERE release = %s"
    assert one(clinic, state, [release]) is None


def test_a_renamed_table_stays_watched_and_its_copies_are_none(clinic: Connection) -> None:
    publish(clinic)
    (token,) = one(clinic, "SELECT watch FROM bkpriv.release")
    clinic.execute('CREATE TABLE clinic.bait (a int); CREATE SCHEMA "a.b"')
    copy_watch(clinic, "clinic.bait", token)
    for alteration, table in (
        ('ALTER SCHEMA clinic RENAME TO "W ""ards"', '"W ""ards".patient'),
        ('ALTER TABLE "W ""ards".bait RENAME TO bait2', '"W ""ards".patient'),
        ('ALTER TABLE "W ""ards".patient RENAME TO "a.people"', '"W ""ards"."a.people"'),
        ('ALTER TABLE "W ""ards"."a.people" SET SCHEMA "a.b"', '"a.b"."a.people"'),
        ('ALTER SCHEMA "a.b" OWNER TO CURRENT_USER', '"a.b"."a.people"'),
        ('ALTER TABLE "W ""ards".bait2 RENAME TO patient', '"a.b"."a.people"'),
    ):
        clinic.execute(alteration.encode())
        assert one(clinic, "SELECT named FROM bkpriv.watched") == table, alteration
        watched = "SELECT bkpriv_internal.watch_token(%s::regclass)"
        assert one(clinic, watched, [table]) == token
        others = (
            "SELECT count(*) FROM pg_trigger WHERE tgname = 'bkpriv_watch' "
            "AND bkpriv_internal.watch_token(tgrelid) IS NOT NULL"
        )
        assert one(clinic, others) == 1


def copy_watch(connection: Connection, table: str, token: str) -> None:
    """Put the trigger of another table's watch on a table."""
    connection.execute(
        "CREATE TRIGGER bkpriv_watch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE "
        f"ON {table} EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}');"
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER bkpriv_watch".encode()
    )


def test_many_releases_cost_later_writers_nothing(publisher: Connection, db: Connection) -> None:
    tokens = "bkpriv_internal.watch_tokens(source_schema, source_name)"
    columns = (
        "source_schema, source_name, view_schema, view_name, method, policy, requirements, options"
    )
    publisher.execute("SELECT bkpriv.watch('own')")
    db.execute(
        f"INSERT INTO bkpriv.release (dataset, owner, created_by, version, {columns}, records, "
        f"suppressed, groups, watch) SELECT 'many', owner, owner, i, {columns}, 1, 0, 1, {tokens} "
        "FROM bkpriv.release, generate_series(1, 100) AS i WHERE release = 1".encode()
    )
    marked = "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'stale'"
    found = "SELECT count(*) FROM bkpriv.release WHERE watch IS NOT NULL"
    assert one(db, found) >= 100
    publisher.execute("INSERT INTO own SELECT * FROM own LIMIT 1")
    # A write finds releases by their tokens alone, and these are gone.
    assert one(db, found) == 0
    events = one(db, marked)
    assert events >= 100
    publisher.execute("INSERT INTO own SELECT * FROM own LIMIT 1")
    assert one(db, marked) == events
    assert one(db, "SELECT bool_and(stale) FROM bkpriv.releases") is True
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        db.execute("UPDATE bkpriv.release SET watch = '{x}'")
