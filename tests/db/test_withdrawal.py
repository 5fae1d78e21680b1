"""Withdrawal in every case, whatever was built on the views and whoever owns what."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import (
    one,
    overhear,
    publish,
    rows_of,
    share,
    status,
)
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"


def of(connection: Connection, name: str) -> str:
    """Name of a relation in a connection's own schema, as in SQL."""
    return f'"{connection.info.user}".{name}'


def release_tables(db: Connection) -> int:
    """Number of release tables."""
    found: int = one(
        db, "SELECT count(*) FROM pg_class WHERE relnamespace = 'bkpriv_release'::regnamespace"
    )
    return found


# --- others build on the view ---------------------------------------------------------------------


@pytest.mark.parametrize("materialized", [False, True])
def test_a_view_that_a_reader_built_on_stays_empty(
    publisher: Connection, reader: Connection, db: Connection, materialized: bool
) -> None:
    release = publish(publisher, "mine", "p", "stored", {"materialized": materialized})
    share(publisher, "stored")
    shown = of(publisher, "stored")
    reader.execute(
        f"CREATE VIEW mine AS SELECT * FROM {shown};"
        f"CREATE MATERIALIZED VIEW kept AS SELECT a FROM mine"
    )
    columns = "SELECT array_agg(attname || format_type(atttypid, -1) ORDER BY attnum) "
    columns += "FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
    before = one(db, columns, [shown])
    assert len(rows_of(reader, "mine")) == 120
    said = overhear(publisher)
    publisher.execute(WITHDRAW, [release])
    assert rows_of(reader, shown) == rows_of(reader, "mine") == []
    assert one(db, columns, [shown]) == before
    assert rows_of(db, f"bkpriv_release.release_{release}") == []
    assert status(db, release) == "withdrawn"
    # What others copied is theirs; the publisher is told, though it cannot look into their schema.
    assert len(rows_of(reader, "kept")) == 120
    (notice,) = said
    assert shown.replace('"', "") in notice
    assert f"view {reader.info.user}.mine of role {reader.info.user}" in notice
    assert f"materialized view {reader.info.user}.kept of role {reader.info.user}" in notice
    # The table is guarded as before.
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        db.execute(f"INSERT INTO bkpriv_release.release_{release} DEFAULT VALUES")
    with unchanged(db):
        refused(publisher, WITHDRAW, [release], sqlstate="55000", names=[str(release)])


def test_functions_and_columns_of_a_views_type_are_told(
    publisher: Connection, reader: Connection
) -> None:
    shown = of(publisher, "shown")
    reader.execute(
        f"CREATE FUNCTION total() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM {shown}; END;"
        f"CREATE TABLE copy (one {shown})"
    )
    said = overhear(publisher)
    publisher.execute(WITHDRAW, [1])
    assert one(reader, "SELECT total()") == 0
    (notice,) = said
    assert f"function {reader.info.user}.total() of role {reader.info.user}" in notice
    assert f"table {reader.info.user}.copy of role {reader.info.user}" in notice


def test_one_of_two_views_is_built_on(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    release = publish(publisher, "mine", "p", "exact", method="anatomy")
    share(publisher, "exact_sensitive")
    reader.execute(f"CREATE VIEW mine AS TABLE {of(publisher, 'exact_sensitive')}")
    publisher.execute(WITHDRAW, [release])
    assert one(db, "SELECT to_regclass(%s) IS NULL", [of(publisher, "exact")])
    assert rows_of(reader, "mine") == []


@pytest.mark.parametrize("query", ["SELECT 1 / count(*) AS n FROM", "SELECT lower(a) AS n FROM"])
def test_no_query_that_publication_did_not_write_is_run(publisher: Connection, query: str) -> None:
    # The owner of a dataset can read the release's table itself; the first query fails on no rows.
    publisher.execute(
        f"CREATE MATERIALIZED VIEW stored AS {query} bkpriv_release.release_1;"
        "CREATE VIEW onto AS TABLE stored"
    )
    publisher.execute(WITHDRAW, [1])
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="populated"):
        rows_of(publisher, "onto")


def test_a_stored_view_that_belongs_to_another_is_emptied(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    release = publish(publisher, "mine", "p", "stored", {"materialized": True})
    stored = of(publisher, "stored")
    db.execute(f'ALTER MATERIALIZED VIEW {stored} OWNER TO "{reader.info.user}"')
    db.execute(f'GRANT USAGE ON SCHEMA "{publisher.info.user}" TO PUBLIC')
    assert len(rows_of(reader, stored)) == 120
    reader.execute(f"CREATE VIEW mine AS TABLE {stored}")
    publisher.execute(WITHDRAW, [release])
    assert rows_of(reader, stored) == rows_of(reader, "mine") == []


def test_a_superuser_and_a_member_withdraw_what_is_built_on(
    publisher: Connection,
    reader: Connection,
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
) -> None:
    second = publish(publisher, "mine", "p", "stored", {"materialized": True})
    share(publisher, "stored")
    for view in ("shown", "stored"):
        reader.execute(f"CREATE VIEW on_{view} AS TABLE {of(publisher, view)}")
    member = make_role("member")
    db.execute(f"GRANT {publisher.info.user} TO {member}")
    db.execute("SELECT bkpriv.grant_publisher(%s)", [member])
    database.connect(member).execute(WITHDRAW, [1])
    db.execute(WITHDRAW, [second])
    for view in ("shown", "stored"):
        assert rows_of(reader, f"on_{view}") == []


def test_publishing_again_fills_the_view_that_stayed(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    reader.execute(f"CREATE VIEW mine AS TABLE {of(publisher, 'shown')}")
    publisher.execute(WITHDRAW, [1])
    second = publish(publisher, "mine", "p", "shown")
    assert len(rows_of(reader, "mine")) == 120
    kinds = db.execute("SELECT release, kind FROM bkpriv.release_event ORDER BY event").fetchall()
    assert kinds == [(1, "withdrawn")]
    assert [status(db, release) for release in (1, second)] == ["withdrawn", "published"]
    # The empty table had no other use.
    assert release_tables(db) == 1
    reader.execute("DROP VIEW mine")
    publisher.execute(WITHDRAW, [second])
    assert release_tables(db) == 0


def test_a_view_that_stayed_goes_when_the_release_is_purged(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    reader.execute(f"CREATE VIEW mine AS TABLE {of(publisher, 'shown')}")
    publisher.execute(WITHDRAW, [1])
    reader.execute("DROP VIEW mine")
    assert release_tables(db) == 1
    publisher.execute("SELECT bkpriv.purge(1, 'done')")
    assert release_tables(db) == 0
    assert one(db, "SELECT to_regclass(%s) IS NULL", [of(publisher, "shown")])


@pytest.mark.parametrize(
    ("options", "method"), [({"materialized": True}, "mondrian"), ({}, "bucketize")]
)
def test_a_view_that_is_built_on_is_not_made_anew(
    publisher: Connection, reader: Connection, db: Connection, options: dict[str, Any], method: str
) -> None:
    reader.execute(f"CREATE VIEW mine AS TABLE {of(publisher, 'shown')}")
    call = "SELECT bkpriv.publish('mine', 'p', 'shown', %s, options => %s)"
    names = ["shown", f"view {reader.info.user}.mine of role {reader.info.user}"]
    with unchanged(db):
        refused(
            publisher,
            call,
            [method, Jsonb(options)],
            sqlstate="2BP01",
            names=names,
        )
    # The same columns are no hindrance.
    publish(publisher, "mine", "p", "shown")
    assert len(rows_of(reader, "mine")) == 120


# --- views that were dropped or renamed -----------------------------------------------------------


def test_a_release_that_no_view_shows_is_not_published(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    assert status(publisher) == "published"
    publisher.execute("ALTER VIEW shown RENAME TO hidden")
    assert status(publisher) == "published"
    publisher.execute("ALTER VIEW hidden RENAME COLUMN a TO b1")
    # A view that a stranger makes shows nothing to anybody.
    db.execute("SELECT bkpriv.grant_publisher(%s)", [reader.info.user])
    reader.execute("CREATE VIEW pin AS TABLE bkpriv_release.release_1")
    reader.execute("CREATE MATERIALIZED VIEW stored AS TABLE bkpriv_release.release_1 WITH NO DATA")
    assert status(db) == "published"
    publisher.execute("DROP VIEW hidden")
    assert status(publisher) == status(db) == "dropped"
    with unchanged(db):
        drop = "SELECT bkpriv.drop_dataset('mine')"
        refused(publisher, drop, sqlstate="2BP01", names=["mine", "1"])
    publisher.execute(WITHDRAW, [1])
    assert status(db) == "withdrawn"
    assert release_tables(db) == 0


def test_an_auditor_sees_what_became_of_views(
    publisher: Connection, reader: Connection, db: Connection
) -> None:
    db.execute("SELECT bkpriv.grant_auditor(%s)", [reader.info.user])
    publish(publisher, "mine", "p", "exact", method="anatomy")
    publisher.execute("DROP VIEW shown, exact")
    statuses = "SELECT status FROM bkpriv.releases ORDER BY release"
    assert reader.execute(statuses).fetchall() == [("dropped",), ("published",)]


# --- datasets whose releases are not withdrawn ----------------------------------------------------

DROP = "SELECT bkpriv.drop_dataset('mine')"
DELETE = "DELETE FROM bkpriv.dataset"
"""Statement by which a superuser drops all datasets."""


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_dataset_is_not_dropped_under_an_old_snapshot(publisher: Connection, level: str) -> None:
    publisher.execute(f"BEGIN ISOLATION LEVEL {level}")
    drop = "SELECT bkpriv.drop_dataset('mine')"
    refused(publisher, drop, sqlstate="25000", names=[level.lower()])
    publisher.execute("ROLLBACK")


def test_a_dataset_with_a_release_is_not_deleted(publisher: Connection, db: Connection) -> None:
    for connection, delete in ((publisher, DROP), (db, DELETE)):
        with unchanged(db), pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
            connection.execute(delete.encode())
        assert "1 (" in (caught.value.diag.message_detail or "")
    publisher.execute("DROP VIEW shown")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist):
        publisher.execute(DROP)
    publisher.execute(WITHDRAW, [1])
    publisher.execute(DROP)
    assert one(db, "SELECT count(*) FROM bkpriv.dataset") == 0


@pytest.mark.parametrize(
    ("level", "sqlstate"), [("READ COMMITTED", "2BP01"), ("REPEATABLE READ", "40001")]
)
def test_a_publication_does_not_slip_past_a_deletion(
    publisher: Connection, db: Connection, database: Database, level: str, sqlstate: str
) -> None:
    publisher.execute(WITHDRAW, [1])
    publisher.execute("SELECT bkpriv.unwatch('own')")
    other = database.connect()
    failures: list[psycopg.Error] = []

    def delete() -> None:
        try:
            other.execute(DELETE)
        except psycopg.Error as error:
            failures.append(error)

    other.execute(f"BEGIN ISOLATION LEVEL {level}")
    other.execute("SELECT count(*) FROM bkpriv.releases")
    with publisher.transaction():
        publish(publisher, "mine", "p", "shown")
        thread = threading.Thread(target=delete)
        thread.start()
        until_blocked(db, other.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == [sqlstate]
    assert one(db, "SELECT count(*) FROM bkpriv.dataset") == 1
