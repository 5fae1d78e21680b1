"""Ownership: releases are handed on, with what shows them and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import (
    declare_own,
    one,
    overhear,
    publish,
    rows_of,
    share,
    state_policy,
    status,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"
REASSIGN = "SELECT bkpriv.reassign(%s, %s)"


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
        "CREATE INDEX ON indexed ((b + 1)) WHERE b > 0;"
        "CREATE MATERIALIZED VIEW analyzed AS SELECT * FROM bkpriv_release.release_1;"
        "CREATE STATISTICS estimated ON (b + 1), (b + 2) FROM analyzed;"
        "CREATE VIEW filling WITH (security_barrier) AS SELECT * FROM bkpriv_release.release_1;"
        "ALTER VIEW filling ALTER b SET DEFAULT length(code())"
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
            "AND relname IN ('stored', 'direct', 'indexed', 'analyzed', 'filling', 'named', "
            "'shown')"
        ).fetchall()
    )
    kept = dict.fromkeys(("stored", "direct", "indexed", "analyzed", "filling"), former)
    assert owners == {"shown": name, "named": stranger, **kept}


@pytest.mark.parametrize(
    "body",
    [
        # No dependencies are recorded of functions that are built in, and this runs any text.
        # (From PostgreSQL 17, materialized views are made with `pg_catalog` alone as the path.)
        "SELECT b, query_to_xml('TABLE pg_class', true, false, '')::text AS a FROM {}",
        "SELECT a, b FROM {} WHERE length(query_to_xml('TABLE pg_am', true, false, '')::text) > 0",
        "SELECT a, b FROM {} LIMIT 3",
        "SELECT b AS a, a AS b FROM {}",
    ],
)
def test_what_a_former_owner_wrote_into_a_view_is_not_handed_on(
    publisher: Connection, make_publisher: Callable[..., Connection], db: Connection, body: str
) -> None:
    heir = make_publisher("heir")
    former, name = publisher.info.user, heir.info.user
    second = publish(publisher, "mine", "p", "stored", options={"materialized": True})
    publisher.execute(f"CREATE VIEW wrote AS {body.format('bkpriv_release.release_1')}".encode())
    publisher.execute(
        f"CREATE MATERIALIZED VIEW kept AS {body.format('bkpriv_release.release_1')}".encode()
    )
    publisher.execute(
        "CREATE RULE also AS ON INSERT TO shown DO INSTEAD "
        "SELECT query_to_xml('TABLE own', true, false, '')"
    )
    said = overhear(db)
    db.execute(REASSIGN, [former, name])
    owners: dict[str, str] = dict(
        db.execute(
            "SELECT relname, relowner::regrole::text FROM pg_class WHERE relkind IN ('v', 'm') "
            "AND relname IN ('wrote', 'kept', 'shown', 'stored')"
        ).fetchall()
    )
    assert owners == {"stored": name, "wrote": former, "kept": former, "shown": former}
    for view in ("wrote", "kept", "shown"):
        assert any(f".{view} stays" in line and "not as the release" in line for line in said)
    assert second == 2


def test_no_advice_runs_what_publication_did_not_write(
    publisher: Connection, db: Connection
) -> None:
    publish(publisher, "mine", "p", "stored", options={"materialized": True})
    publisher.execute(
        "CREATE MATERIALIZED VIEW wrote AS SELECT query_to_xml('SELECT 1', true, false, '')::text "
        "FROM bkpriv_release.release_1 WITH NO DATA; REFRESH MATERIALIZED VIEW stored WITH NO DATA"
    )
    detail = one(db, "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'releases'")
    assert f"REFRESH MATERIALIZED VIEW {publisher.info.user}.stored" in detail
    assert f"REFRESH MATERIALIZED VIEW {publisher.info.user}.wrote" not in detail
    assert f"{publisher.info.user}.wrote of release 1: it is not as it was published" in detail


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
