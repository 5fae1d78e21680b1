"""One writer: only the functions of bkpriv write its tables, so nobody forges what they hold."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

TABLES = (
    *("dataset", "hierarchy", "policy", "sequential_knowledge", "watched", "release"),
    *("release_attribute", "release_base", "release_belief", "release_content", "release_draw"),
    *("release_event", "release_notice", "release_respondent", "audit_record", "attack_record"),
    "verdict_record",
)
ROLES = ("owner", "publisher", "auditor", "watcher")
WRITES = {
    "INSERT": "INSERT INTO bkpriv.{0} SELECT * FROM bkpriv.{0}",
    "INSERT of defaults": "INSERT INTO bkpriv.{0} DEFAULT VALUES",
    "UPDATE": "UPDATE bkpriv.{0} SET {1} = {1}",
    "DELETE": "DELETE FROM bkpriv.{0}",
    "TRUNCATE": "TRUNCATE bkpriv.{0}",
    "COPY": "COPY bkpriv.{0} FROM STDIN",
    "MERGE": "MERGE INTO bkpriv.{0} USING (VALUES (1)) AS v ON true WHEN MATCHED THEN DELETE",
    "a lock": "LOCK TABLE bkpriv.{0} IN ROW EXCLUSIVE MODE",
    "locks of rows": "SELECT 1 FROM bkpriv.{0} FOR KEY SHARE",
}
INTERNAL = (
    *("next_release()", "next_audit()", "register_watch(0, 0)", "hold_writers(1)"),
    *("create_release_table(1, '{a}', '{int}', 'sensitive')", "seal_release_tables(1)"),
    *("clear_release(1)", "distribute_release_table(1, 'records', 'a')"),
)
"""Calls of what is executed by the writer alone."""


@pytest.fixture
def roles(
    rivals: tuple[Connection, Connection],
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
) -> dict[str, Connection]:
    """Return sessions by who they are; the owner is that of dataset ``mine``, released once."""
    found = dict(zip(ROLES, rivals, strict=False))
    for job in ("auditor", "watcher"):
        role = make_role(job)
        db.execute(sql.SQL("SELECT bkpriv.grant_{}({})").format(sql.SQL(job), role))
        found[job] = database.connect(role)
    return found


def test_every_table_is_listed(db: Connection) -> None:
    tables = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind = 'r'"
    ).fetchall()
    assert {name for (name,) in tables} == {*TABLES}


@pytest.mark.always
@pytest.mark.parametrize("role", ROLES)
def test_no_table_is_written_directly(
    roles: dict[str, Connection], db: Connection, role: str
) -> None:
    connection = roles[role]
    with unchanged(db):
        for table in TABLES:
            column = one(
                db,
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = 1",
                [f"bkpriv.{table}"],
            )
            for statement in WRITES.values():
                if statement.startswith("MERGE") and db.info.server_version < 150000:
                    continue
                with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    connection.execute(statement.format(table, column).encode())
        for sequence in ("release_id", "release_event_id", "audit_id"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT nextval('bkpriv.{sequence}')".encode())


@pytest.mark.parametrize("role", ROLES)
def test_the_writer_writes_for_nobody_who_calls_it(
    roles: dict[str, Connection], db: Connection, role: str
) -> None:
    with unchanged(db):
        names = ["bkpriv_internal.write()"]
        refused(roles[role], "SELECT bkpriv_internal.write()", sqlstate="42501", names=names)
        for call in INTERNAL:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                roles[role].execute(f"SELECT bkpriv_internal.{call}".encode())


TRIES = """
    CREATE TABLE tried (how text, state text);
    CREATE FUNCTION try(how text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        BEGIN
            PERFORM bkpriv_internal.write();
            INSERT INTO {own}.tried VALUES (how, 'written');
        EXCEPTION WHEN OTHERS THEN INSERT INTO {own}.tried VALUES (how, SQLSTATE);
        END;
        RETURN true; END $$;
    CREATE TABLE base AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;
    CREATE VIEW seen AS SELECT a, b FROM base WHERE {own}.try('view');
"""


def test_code_of_a_source_finds_nothing_to_write(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    publisher = make_publisher()
    publisher.execute(TRIES.format(own=publisher.info.user).encode())
    publisher.execute(
        "SELECT bkpriv.register_dataset('viewed', 'seen', '{a}', 'b');"
        "SELECT bkpriv.set_interval_hierarchy('viewed', 'a', '{2,4}')"
    )
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    assert publish(publisher, "viewed", "p", "shown")
    publisher.execute("SELECT bkpriv.withdraw(1, 'x'); SELECT bkpriv.purge(1, 'x')")
    assert one(publisher, "SELECT array_agg(DISTINCT state) FROM tried") == ["42501"]
    assert one(publisher, "SELECT count(*) FROM tried") >= 120
    assert one(db, "SELECT created_by FROM bkpriv.release") == publisher.info.user


NESTED = {
    "release": "bkpriv.publish('viewed', 'p', 'within', view_schema => current_user::text)",
    "withdrawal": "bkpriv.withdraw(1, 'x')",
    "hierarchy": "bkpriv.unset_hierarchy('viewed', 'a')",
    "policy": "bkpriv.set_policy('p', '{\"k_anonymity\": {\"k\": 1}}')",
    "audit": "bkpriv.audit(1)",
}
"""Calls that would change what a publication around them has looked at before."""


@pytest.mark.parametrize("call", NESTED.values(), ids=NESTED)
def test_a_call_within_a_call_writes_nothing(
    make_publisher: Callable[..., Connection], db: Connection, call: str
) -> None:
    publisher = make_publisher()
    publisher.execute(TRIES.format(own=publisher.info.user).encode())
    publisher.execute(
        "SELECT bkpriv.register_dataset('viewed', 'seen', '{a}', 'b');"
        "SELECT bkpriv.set_interval_hierarchy('viewed', 'a', '{2,4}')"
    )
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    assert publish(publisher, "viewed", "p", "first") == 1
    publisher.execute(
        "CREATE OR REPLACE FUNCTION try(how text) RETURNS boolean LANGUAGE plpgsql AS "
        f"$$ BEGIN PERFORM {call}; RETURN true; END $$".encode()
    )
    with unchanged(db):
        refused(publisher, "SELECT * FROM bkpriv.prior('viewed', '1')", sqlstate="2F003")


def test_nothing_is_left_to_write_after_an_error(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    publisher = make_publisher()
    publisher.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i"
    )
    ask = "SELECT bkpriv_internal.write()"
    with unchanged(db):
        for statement in failing_statements():
            with pytest.raises(psycopg.Error):
                publisher.execute(statement.encode())
            refused(publisher, ask, sqlstate="42501")
            # Within the transaction, behind a savepoint.
            with publisher.transaction(force_rollback=True):
                with pytest.raises(psycopg.Error), publisher.transaction():
                    publisher.execute(statement.encode())
                with pytest.raises(psycopg.errors.InsufficientPrivilege), publisher.transaction():
                    publisher.execute(ask.encode())


def failing_statements() -> list[str]:
    """Calls that fail while, or after, they write."""
    state = "bkpriv.set_policy('q', '{\"k_anonymity\": {\"k\": 2}}')"
    return [
        # What the table refuses.
        "SELECT bkpriv.register_dataset(repeat(md5('x'), 300), 'own', '{a}', 'b')",
        # A transaction that may not write.
        f"SELECT set_config('transaction_read_only', 'on', true), {state}",
        # What comes after.
        f"SELECT {state}, 1 / (length(current_user) - length(current_user))",
    ]


def test_a_cancelled_write_leaves_nothing_to_write(
    rivals: tuple[Connection, Connection], database: Database
) -> None:
    owner, _ = rivals
    holder = database.connect()
    with holder.transaction():
        holder.execute("SELECT FROM bkpriv.dataset FOR UPDATE")
        owner.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            owner.execute("SELECT bkpriv.withdraw(1, 'x')")
        owner.execute("RESET statement_timeout")
        refused(owner, "SELECT bkpriv_internal.write()", sqlstate="42501")
    owner.execute("SELECT bkpriv.withdraw(1, 'x')")


def test_who_acts_is_recorded_and_not_who_writes(
    rivals: tuple[Connection, Connection], db: Connection, make_publisher: Callable[..., Connection]
) -> None:
    owner, other = rivals
    by = "SELECT by FROM bkpriv.release_event ORDER BY event DESC LIMIT 1"
    member = make_publisher("member")
    db.execute(
        sql.SQL("GRANT {} TO {}").format(
            sql.Identifier(owner.info.user), sql.Identifier(member.info.user)
        )
    )
    member.execute("SELECT bkpriv.audit(1)")
    assert one(db, "SELECT max(audited_by) FROM bkpriv.audit_record WHERE audit > 1") == (
        member.info.user
    )
    # A function of the owner's that others may call acts as the owner.
    owner.execute(
        "CREATE FUNCTION again() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS "
        "$$ SELECT bkpriv.publish('mine', 'p', 'shown', view_schema => current_user) $$;"
    )
    schema = sql.Identifier(owner.info.user)
    owner.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(schema))
    assert one(other, sql.SQL("SELECT {}.again()").format(schema).as_string(other)) == 2
    made = "SELECT owner, created_by FROM bkpriv.release WHERE release = 2"
    assert db.execute(made).fetchone() == (owner.info.user, owner.info.user)
    assert one(db, by) == owner.info.user
    # As is who has set another role.
    member.execute(sql.SQL("SET ROLE {}").format(schema))
    member.execute("SELECT bkpriv.withdraw(2, 'x')")
    assert one(db, by) == owner.info.user
    member.execute("RESET ROLE")
    member.execute("SELECT bkpriv.purge(2, 'x', force => true)")
    assert one(db, by) == member.info.user


def test_nothing_is_declared_of_a_dataset_that_changed_hands_meanwhile(
    make_publisher: Callable[..., Connection], database: Database, db: Connection
) -> None:
    former, owner = make_publisher("former"), make_publisher("owner")
    for publisher in (former, owner):
        publisher.execute(
            "CREATE TABLE own AS SELECT i % 12 AS a, i % 7 AS b FROM generate_series(1, 120) AS i"
        )
    register = "SELECT bkpriv.register_dataset('d', 'own', '{a}', 'b')"
    former.execute(register)
    # While the levels are read, another session drops the dataset, and another role has its name.
    former.execute(
        f"""
        CREATE TABLE paths AS SELECT i::text AS a, 'all' AS top FROM generate_series(0, 11) AS i;
        CREATE FUNCTION meanwhile() RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN true; END $$;
        CREATE VIEW levels AS SELECT * FROM paths WHERE {former.info.user}.meanwhile()
        """.encode()
    )
    caught: list[psycopg.Error] = []

    def declaring() -> None:
        try:
            former.execute("SELECT bkpriv.set_hierarchy('d', 'a', 'levels')")
        except psycopg.Error as error:
            caught.append(error)

    holder, second = database.connect(), database.connect(former.info.user)
    holder.execute("SELECT pg_advisory_lock(7)")
    thread = threading.Thread(target=declaring)
    thread.start()
    try:
        until_blocked(db, former.info.backend_pid)
        second.execute("SELECT bkpriv.drop_dataset('d')")
        owner.execute(register)
    finally:
        holder.execute("SELECT pg_advisory_unlock_all()")
        thread.join()
    (error,) = caught
    assert error.sqlstate == "42704"
    assert one(db, "SELECT count(*) FROM bkpriv.hierarchy") == 0
