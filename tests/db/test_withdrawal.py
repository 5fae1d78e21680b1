"""Withdrawal in every case, whatever was built on the views and whoever owns what."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, one, overhear, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"
REASSIGN = "SELECT bkpriv.reassign(%s, %s)"


@pytest.fixture
def publisher(make_publisher: Callable[..., Connection]) -> Connection:
    """A publisher who has published release 1 of ``mine`` as ``shown``, and lets all read it."""
    connection = make_publisher()
    declare_own(connection)
    state_policy(connection, "p", {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}})
    assert publish(connection, "mine", "p", "shown") == 1
    share(connection)
    return connection


@pytest.fixture
def reader(database: Database, make_role: Callable[..., str], db: Connection) -> Connection:
    """A role that may do nothing but read, with a schema of its own that nobody may look into."""
    role = make_role("reader")
    db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(role)))
    return database.connect(role)


def share(connection: Connection, view: str = "shown") -> None:
    """Let everybody read a view in the connection's own schema."""
    own = sql.Identifier(connection.info.user)
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(own))
    connection.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(sql.Identifier(view)))


def status(db: Connection, release: int = 1) -> str:
    """Status of a release."""
    found: str = one(db, "SELECT status FROM bkpriv.releases WHERE release = %s", [release])
    return found


def of(connection: Connection, name: str) -> str:
    """Name of a relation in a connection's own schema, as in SQL."""
    return f'"{connection.info.user}".{name}'


def release_tables(db: Connection) -> int:
    """How many release tables there are."""
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


# --- roles that are gone --------------------------------------------------------------------------


@pytest.fixture
def orphan(publisher: Connection, server: Connection) -> Iterator[tuple[str, str]]:
    """Rename the publisher; former and present name. The name comes back for it to be dropped."""
    former, present = publisher.info.user, f"test_renamed_{uuid.uuid4().hex[:8]}"
    server.execute(f"ALTER ROLE {former} RENAME TO {present}")
    yield former, present
    server.execute(f"ALTER ROLE {present} RENAME TO {former}")


def test_a_superuser_manages_what_belongs_to_a_role_that_is_gone(
    publisher: Connection, db: Connection, orphan: tuple[str, str]
) -> None:
    former, _ = orphan
    # Under its new name the role owns nothing.
    refused(publisher, WITHDRAW, [1], sqlstate="42704", names=["1"])
    with unchanged(db):
        call = "SELECT bkpriv.publish('mine', 'p', 'public.v')"
        said = refused(db, call, sqlstate="42704", names=[former, "mine"])
        assert "reassign" in (said.message_hint or "")
    assert former in one(db, "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'owners'")
    assert db.execute("SELECT * FROM bkpriv.audit(1)").fetchall()
    db.execute(WITHDRAW, [1])
    assert status(db) == "withdrawn"
    db.execute("SELECT bkpriv.drop_dataset('mine')")


def test_what_belongs_to_a_renamed_role_is_handed_to_it(
    publisher: Connection, db: Connection, orphan: tuple[str, str]
) -> None:
    former, present = orphan
    db.execute(REASSIGN, [former, present])
    owners = "SELECT owner FROM bkpriv.dataset UNION ALL SELECT owner FROM bkpriv.policy "
    owners += "UNION ALL SELECT owner FROM bkpriv.release"
    assert db.execute(owners).fetchall() == [(present,)] * 3
    events = "SELECT release, kind, reason, by FROM bkpriv.release_event"
    assert db.execute(events).fetchall() == [
        (1, "reassigned", f"from {former} to {present}", "postgres")
    ]
    # It says nothing about why a release is in the state it is in.
    assert one(db, "SELECT reason FROM bkpriv.releases") is None
    again = publish(publisher, "mine", "p", f'"{former}".shown')
    assert one(publisher, "SELECT version FROM bkpriv.releases WHERE release = %s", [again]) == 2
    for release in (1, again):
        publisher.execute(WITHDRAW, [release])


def test_what_belonged_to_a_dropped_role_is_handed_on(
    server: Connection,
    db: Connection,
    database: Database,
    make_publisher: Callable[..., Connection],
    reader: Connection,
) -> None:
    leaver, heir = f"test_leaver_{uuid.uuid4().hex[:8]}", make_publisher("heir")
    server.execute(f"CREATE ROLE {leaver} LOGIN")
    db.execute("SELECT bkpriv.grant_publisher(%s)", [leaver])
    db.execute(f"CREATE SCHEMA AUTHORIZATION {leaver}")
    connection = database.connect(leaver)
    declare_own(connection)
    state_policy(connection, "p", {"k_anonymity": {"k": 3}})
    publish(connection, "mine", "p", "shown")
    share(connection)
    connection.close()
    db.execute(f"REASSIGN OWNED BY {leaver} TO {heir.info.user}")
    db.execute(f"DROP OWNED BY {leaver}; DROP ROLE {leaver}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows_of(reader, f"{leaver}.shown")
    db.execute(REASSIGN, [leaver, heir.info.user])
    assert one(db, "SELECT bool_and(ok) FROM bkpriv.doctor()")
    # The view, whose owner is the heir, can read the release.
    assert len(rows_of(reader, f"{leaver}.shown")) == 120
    again = publish(heir, "mine", "p", f"{leaver}.shown")
    assert [status(db, release) for release in (1, again)] == ["superseded", "published"]
    for release in (1, again):
        heir.execute(WITHDRAW, [release])
    heir.execute("SELECT bkpriv.drop_dataset('mine')")


def test_who_owned_a_release_can_read_it_no_longer(
    publisher: Connection,
    make_publisher: Callable[..., Connection],
    db: Connection,
    reader: Connection,
) -> None:
    heir = make_publisher("heir")
    former, name = publisher.info.user, heir.info.user
    publish(publisher, "mine", "p", "stored", options={"materialized": True})
    share(publisher)
    # What a view reads, it reads with the rights of its owner.
    heir.execute("CREATE TABLE secret AS SELECT 1 AS a")
    publisher.execute(
        f"GRANT USAGE ON SCHEMA {former} TO {name};"
        "CREATE VIEW direct AS SELECT * FROM bkpriv_release.release_1"
    )
    db.execute(f"GRANT USAGE ON SCHEMA {name} TO {former}")
    publisher.execute(
        f"CREATE VIEW trap AS SELECT s.a FROM bkpriv_release.release_1, {name}.secret AS s"
    )
    said = overhear(db)
    db.execute(REASSIGN, [former, name])
    assert any("trap" in line for line in said)
    tables = [f"bkpriv_release.release_{release}" for release in (1, 2)]
    for relation in (*tables, "stored", "direct", "trap"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            rows_of(publisher, relation)
    granted = "SELECT DISTINCT grantee::regrole::text FROM pg_class, aclexplode(relacl) "
    granted += "WHERE relnamespace = 'bkpriv_release'::regnamespace AND grantee <> relowner"
    assert one(db, granted) == name
    # Who could read the views reads on.
    assert len(rows_of(reader, f"{former}.shown")) == 120
    for release in (1, 2):
        heir.execute(WITHDRAW, [release])
    assert status(db) == "withdrawn"


def test_code_of_former_owners_and_of_strangers_stays_with_them(
    publisher: Connection,
    make_publisher: Callable[..., Connection],
    make_role: Callable[..., str],
    database: Database,
    db: Connection,
) -> None:
    heir, stranger = make_publisher("heir"), make_role("stranger")
    former, name = publisher.info.user, heir.info.user
    db.execute(f"CREATE SCHEMA nook AUTHORIZATION {stranger}".encode())
    code = "CREATE FUNCTION {}.code() RETURNS text LANGUAGE sql VOLATILE RETURN current_user::text"
    publisher.execute(code.format(former).encode())
    publisher.execute(
        "CREATE MATERIALIZED VIEW stored AS SELECT b, code() AS a FROM bkpriv_release.release_1;"
        "CREATE VIEW direct AS SELECT b, code() AS a FROM bkpriv_release.release_1;"
        "CREATE MATERIALIZED VIEW indexed AS SELECT * FROM bkpriv_release.release_1;"
        "CREATE INDEX ON indexed ((b + 1)) WHERE b > 0"
    )
    outsider = database.connect(stranger)
    number = one(db, "SELECT 'bkpriv_release.release_1'::regclass::oid")
    outsider.execute(code.format("nook").encode())
    outsider.execute(
        f"CREATE MATERIALIZED VIEW nook.named AS SELECT nook.code(), '{number}'::regclass;"
        "GRANT SELECT ON nook.named TO PUBLIC".encode()
    )
    named = "SELECT view::text FROM bkpriv_internal.views_of(1) WHERE NOT readable"
    assert one(db, named) == "nook.named"
    readers = "SELECT array_agg(r) FROM bkpriv_internal.readers_of(1) AS r"
    assert stranger not in one(db, readers)
    db.execute(REASSIGN, [former, name])
    owners: dict[str, str] = dict(
        db.execute(
            "SELECT relname, relowner::regrole::text FROM pg_class WHERE relkind IN ('v', 'm') "
            "AND relname IN ('stored', 'direct', 'indexed', 'named', 'shown')"
        ).fetchall()
    )
    kept = dict.fromkeys(("stored", "direct", "indexed"), former)
    assert owners == {"shown": name, "named": stranger, **kept}


def test_reassign_refuses(
    publisher: Connection,
    make_publisher: Callable[..., Connection],
    db: Connection,
    reader: Connection,
) -> None:
    heir = make_publisher("heir")
    former, name = publisher.info.user, heir.info.user
    for connection in (publisher, heir, reader):
        with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(REASSIGN, [former, name])
    with unchanged(db):
        refused(db, REASSIGN, [former, former], sqlstate="22023", names=[former])
        refused(db, REASSIGN, [None, name], sqlstate="22023", names=["owner"])
        refused(db, REASSIGN, [former, None], sqlstate="22023", names=["owner"])
        refused(db, REASSIGN, ["nobody", name], sqlstate="42704", names=["nobody"])
        refused(db, "SELECT bkpriv.reassign(%s, 0::regrole)", [former], sqlstate="42704")
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        refused(db, REASSIGN, [former, name], sqlstate="25000", names=["repeatable read"])
        db.execute("ROLLBACK")
    # Both have published a first version under one name, one after the other.
    publisher.execute(WITHDRAW, [1])
    publisher.execute("SELECT bkpriv.drop_dataset('mine')")
    declare_own(heir)
    publish(heir, "mine", "p", "shown")
    with unchanged(db):
        refused(db, REASSIGN, [former, name], sqlstate="23505", names=["1 and 2", "mine"])


def test_owners_change_in_no_other_way(publisher: Connection, db: Connection) -> None:
    change = "UPDATE bkpriv.{} SET owner = current_user"
    for table in ("dataset", "release"):
        with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
            publisher.execute(change.format(table))
    with unchanged(db), pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="refused"):
        db.execute(change.format("release"))


# --- datasets whose releases are not withdrawn ----------------------------------------------------

DROP = "UPDATE bkpriv.dataset SET dropped = true"
"""What drops rows that the caller may change."""


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_dataset_is_not_dropped_under_an_old_snapshot(publisher: Connection, level: str) -> None:
    publisher.execute(f"BEGIN ISOLATION LEVEL {level}")
    drop = "SELECT bkpriv.drop_dataset('mine')"
    refused(publisher, drop, sqlstate="25000", names=[level.lower()])
    publisher.execute("ROLLBACK")


def test_a_dataset_with_a_release_is_not_deleted(publisher: Connection, db: Connection) -> None:
    for connection, delete in ((publisher, DROP), (db, "DELETE FROM bkpriv.dataset")):
        with unchanged(db), pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
            connection.execute(delete)
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
    other = database.connect(publisher.info.user)
    failures: list[psycopg.Error] = []

    def delete() -> None:
        try:
            other.execute(DROP)
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
