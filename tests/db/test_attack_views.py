"""Attacks on the two views of a release, their names, and the tables behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"


@pytest.fixture
def rivals_with_two(
    make_publisher: Callable[..., Connection], db: Connection
) -> tuple[Connection, Connection]:
    """Two publishers; the first has published release 1 of ``mine`` by anatomy as ``shown``."""
    victim, attacker = make_publisher("victim"), make_publisher("attacker")
    declare_own(victim)
    declare_own(attacker, "theirs")
    state_policy(victim, "p", {"l_diversity": {"l": 2}})
    assert publish(victim, "mine", "p", "shown", method="anatomy") == 1
    db.execute("CREATE SCHEMA common; GRANT ALL ON SCHEMA common TO PUBLIC")
    return victim, attacker


def stands(db: Connection, name: str) -> bool:
    """Whether a relation stands under a name."""
    return bool(one(db, "SELECT to_regclass(%s) IS NOT NULL", [name]))


@pytest.mark.parametrize("part", ["", "_sensitive"])
def test_nobody_can_keep_a_release_from_being_withdrawn(
    rivals_with_two: tuple[Connection, Connection], db: Connection, part: str
) -> None:
    victim, attacker = rivals_with_two
    table = f"bkpriv_release.release_1{part}"
    # What reads a table may be made by whoever may look into its schema, though it cannot be used.
    attacker.execute(
        f"CREATE VIEW pin AS SELECT * FROM {table};"
        f"CREATE MATERIALIZED VIEW stored AS SELECT * FROM {table} WITH NO DATA;"
        f"CREATE FUNCTION pin() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM {table}; END"
    )
    for statement in ("TABLE pin", "REFRESH MATERIALIZED VIEW stored", "SELECT pin()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            attacker.execute(statement)
    refused(attacker, WITHDRAW, [1], sqlstate="42704")
    victim.execute(WITHDRAW, [1])
    assert not one(db, "SELECT count(*) FROM bkpriv_internal.release_tables(1)")
    for name in ("pin", "stored"):
        assert not stands(db, f'"{attacker.info.user}".{name}')
    assert one(db, "SELECT status FROM bkpriv.releases WHERE release = 1") == "withdrawn"


@pytest.mark.parametrize("out_of_reach", ["schema", "pg_temp"])
def test_what_nobody_can_look_at_keeps_no_release(
    rivals_with_two: tuple[Connection, Connection], db: Connection, out_of_reach: str
) -> None:
    victim, attacker = rivals_with_two
    schema = "pg_temp" if out_of_reach == "pg_temp" else f'"{attacker.info.user}"'
    attacker.execute(f"CREATE VIEW {schema}.one AS SELECT a FROM bkpriv_release.release_1")
    attacker.execute(f"CREATE VIEW {schema}.two AS TABLE {schema}.one")
    victim.execute(WITHDRAW, [1])
    assert not one(db, "SELECT count(*) FROM bkpriv_internal.release_tables(1)")


def test_an_index_that_fails_keeps_no_release(
    rivals_with_two: tuple[Connection, Connection], db: Connection
) -> None:
    _, attacker = rivals_with_two
    attacker.execute(
        """
        CREATE FUNCTION bad(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
            $$ BEGIN RETURN 1; END $$;
        CREATE MATERIALIZED VIEW stored AS SELECT a FROM bkpriv_release.release_1 WITH NO DATA;
        CREATE INDEX ON stored ((1)) WHERE bad(1) = 1;
        CREATE VIEW onto AS TABLE stored;
        CREATE OR REPLACE FUNCTION bad(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
            $$ BEGIN RAISE 'no'; END $$;
        """
    )
    # A superuser withdraws for the victim.
    db.execute(WITHDRAW, [1])
    assert not one(db, "SELECT count(*) FROM bkpriv_internal.release_tables(1)")


def test_a_stranger_sees_no_statistics_of_either_table(
    rivals_with_two: tuple[Connection, Connection],
) -> None:
    victim, attacker = rivals_with_two
    query = "SELECT tablename FROM pg_stats WHERE schemaname = 'bkpriv_release'"
    assert attacker.execute(query).fetchall() == []
    assert victim.execute(query).fetchall()
    for name in ("release_1", "release_1_sensitive"):
        for statement in ("SELECT 1 FROM", "TRUNCATE", "DELETE FROM", "INSERT INTO"):
            end = " DEFAULT VALUES" if statement == "INSERT INTO" else ""
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attacker.execute(f"{statement} bkpriv_release.{name}{end}")


def test_two_publishers_under_names_that_meet(
    rivals_with_two: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals_with_two
    failures: list[psycopg.Error] = []

    def collide() -> None:
        try:
            publish(attacker, "theirs", "p", "common.v_sensitive")
        except psycopg.Error as error:
            failures.append(error)

    with victim.transaction():
        publish(victim, "mine", "p", "common.v", method="anatomy")
        thread = threading.Thread(target=collide)
        thread.start()
        until_blocked(db, attacker.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == ["23505"]
    assert one(db, "SELECT count(*) FROM bkpriv.release") == 2
    assert one(victim, "SELECT sum(count) FROM common.v_sensitive") == 120
    # Once it is there it is told by its name, and stays.
    with unchanged(db):
        for view in ("common.v_sensitive", "common.v"):
            call = "SELECT bkpriv.publish('theirs', 'p', %s, method => 'anatomy')"
            refused(attacker, call, [view], sqlstate="42P07", names=["v"])


@pytest.mark.parametrize(
    "kind", ["TABLE common.v_sensitive ()", "VIEW common.v_sensitive AS TABLE own"]
)
def test_a_name_that_is_taken_at_the_last_moment(
    rivals_with_two: tuple[Connection, Connection], db: Connection, kind: str
) -> None:
    victim, attacker = rivals_with_two
    failures: list[psycopg.Error] = []

    def go() -> None:
        try:
            publish(victim, "mine", "p", "common.v", method="anatomy")
        except psycopg.Error as error:
            failures.append(error)

    before = rows_of(db, "bkpriv.release")
    with attacker.transaction():
        attacker.execute(f"CREATE {kind}")
        thread = threading.Thread(target=go)
        thread.start()
        until_blocked(db, victim.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == ["23505"]
    assert rows_of(db, "bkpriv.release") == before
    assert not stands(db, "common.v")
    assert not stands(db, "bkpriv_release.release_2")
    assert stands(db, "common.v_sensitive")


@pytest.mark.parametrize("dropped", ["shown", "shown_sensitive"])
@pytest.mark.parametrize("method", ["anatomy", "bucketize", "mondrian"])
def test_one_of_the_views_is_dropped(
    rivals_with_two: tuple[Connection, Connection], db: Connection, dropped: str, method: str
) -> None:
    victim, _ = rivals_with_two
    state_policy(victim, "q", {"k_anonymity": {"k": 2}, "l_diversity": {"l": 2}})
    victim.execute(sql.SQL("DROP VIEW {}").format(sql.Identifier(dropped)))
    second = publish(victim, "mine", "q", "shown", method=method)
    assert one(victim, "SELECT count(*) FROM shown") == 120
    for release in (1, second):
        victim.execute(WITHDRAW, [release])
    for view in ("shown", "shown_sensitive"):
        assert not stands(db, f'"{victim.info.user}".{view}')
    assert not one(
        db, "SELECT count(*) FROM pg_class WHERE relnamespace = 'bkpriv_release'::regnamespace"
    )


def test_views_given_to_another_role(
    rivals_with_two: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals_with_two
    release = publish(victim, "mine", "p", "common.v", method="anatomy")
    other = sql.Identifier(attacker.info.user)
    db.execute(sql.SQL("ALTER VIEW common.v_sensitive OWNER TO {}").format(other))
    # The new owner has the view, and no right to what it reads.
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        attacker.execute("SELECT * FROM common.v_sensitive")
    with unchanged(db):
        call = "SELECT bkpriv.publish('mine', 'p', 'common.v', method => 'anatomy')"
        refused(victim, call, sqlstate="42501", names=["v_sensitive", attacker.info.user])
    victim.execute(WITHDRAW, [release])
    assert not stands(db, "common.v_sensitive")
    assert not stands(db, "common.v")


def test_a_view_of_anothers_making_is_not_taken_for_the_releases(
    rivals_with_two: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals_with_two
    release = publish(victim, "mine", "p", "common.v", method="anatomy")
    victim.execute("DROP VIEW common.v_sensitive")
    attacker.execute("CREATE VIEW common.v_sensitive AS SELECT 1 AS count")
    victim.execute(WITHDRAW, [release])
    assert stands(db, "common.v_sensitive")
    assert not stands(db, "common.v")


def test_renamed_views_go_with_the_release(
    rivals_with_two: tuple[Connection, Connection], db: Connection
) -> None:
    victim, _ = rivals_with_two
    victim.execute(
        "ALTER VIEW shown RENAME TO hidden; ALTER VIEW shown_sensitive SET SCHEMA common"
    )
    second = publish(victim, "mine", "p", "shown", method="anatomy")
    victim.execute(WITHDRAW, [1])
    assert not stands(db, f'"{victim.info.user}".hidden')
    assert not stands(db, "common.shown_sensitive")
    assert one(victim, "SELECT sum(count) FROM shown_sensitive") == 120
    victim.execute(WITHDRAW, [second])


@pytest.mark.parametrize("columns", ["a, b", "a"])
@pytest.mark.parametrize("materialized", [False, True])
def test_a_superuser_does_not_publish_into_the_view_of_another(
    rivals_with_two: tuple[Connection, Connection],
    db: Connection,
    columns: str,
    *,
    materialized: bool,
) -> None:
    _, attacker = rivals_with_two
    db.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        "SELECT bkpriv.register_dataset('all', 'own', '{a}', 'b')"
    )
    release = publish(db, "all", "p", "common.january")
    attacker.execute(
        f"CREATE VIEW common.february AS SELECT {columns} FROM bkpriv_release.release_{release};"
        "GRANT SELECT ON common.february TO PUBLIC"
    )
    call = "SELECT bkpriv.publish('all', 'p', 'common.february', options => %s)"
    with unchanged(db):
        names = ["common.february", attacker.info.user]
        refused(db, call, [Jsonb({"materialized": materialized})], sqlstate="42501", names=names)


@pytest.mark.parametrize("materialized", [False, True])
def test_a_view_that_the_owner_of_its_schema_exchanges_is_not_handed_to_them(
    rivals_with_two: tuple[Connection, Connection],
    db: Connection,
    database: Database,
    *,
    materialized: bool,
) -> None:
    _, attacker = rivals_with_two
    schema = attacker.info.user
    db.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        "SELECT bkpriv.register_dataset('all', 'own', '{a}', 'b')"
    )
    options = {"materialized": materialized}
    release = publish(db, "all", "p", f"{schema}.seen", options)
    superuser = database.connect()
    failures: list[psycopg.Error] = []

    def go() -> None:
        try:
            publish(superuser, "all", "p", f"{schema}.seen", options)
        except psycopg.Error as error:
            failures.append(error)

    kind = "MATERIALIZED VIEW" if materialized else "VIEW"
    without = "WITH NO DATA" if materialized else ""
    with db.transaction():
        db.execute("LOCK TABLE own")
        thread = threading.Thread(target=go)
        thread.start()
        until_blocked(db, superuser.info.backend_pid)
        attacker.execute(
            f"DROP {kind} seen; CREATE {kind} seen AS "
            f"SELECT a, b FROM bkpriv_release.release_{release} {without};"
            "GRANT SELECT ON seen TO PUBLIC"
        )
    thread.join()
    assert [error.sqlstate for error in failures] == ["40001"]
    with pytest.raises(psycopg.Error):
        attacker.execute("TABLE seen")
