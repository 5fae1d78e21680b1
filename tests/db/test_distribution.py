"""Citus: what bkpriv asks of it, and refuses without it.

Citus itself is looked at by ``scripts/check_citus.sh``. Here its catalog and functions are stood in
for, by tables and functions of their names, which keep what they were asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic, declare_own, one, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_doctor import findings

CITUS = """
    SET allow_system_table_mods = on;
    CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
    CREATE TABLE pg_catalog.pg_dist_local_group (groupid int);
    CREATE TABLE public.asked (place int GENERATED ALWAYS AS IDENTITY, what text, rows bigint);
    GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;
    CREATE FUNCTION pg_catalog.citus_asked(what text, relation regclass) RETURNS void
        LANGUAGE plpgsql AS $$
        DECLARE
            held bigint;
        BEGIN
            EXECUTE format('SELECT count(*) FROM %s', relation) INTO held;
            INSERT INTO public.asked (what, rows) VALUES (what, held);
        END $$;
    CREATE FUNCTION pg_catalog.create_distributed_table(
            relation regclass, by text, colocate_with text)
        RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM citus_asked(format('%s by %s', relation, by), relation);
            INSERT INTO pg_dist_partition VALUES (relation);
        END $$;
    CREATE FUNCTION pg_catalog.create_reference_table(relation regclass)
        RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM citus_asked(format('%s everywhere', relation), relation);
            INSERT INTO pg_dist_partition VALUES (relation);
        END $$;
    CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(relation regclass)
        RETURNS void LANGUAGE sql AS $$ $$;
    CREATE FUNCTION pg_catalog.run_command_on_workers(asked text)
        RETURNS TABLE (nodename text, nodeport int, success boolean, result text) LANGUAGE sql AS
        $$ SELECT 'one', 1, true, current_setting('test.version') $$;
    RESET allow_system_table_mods;
    SET citus.enable_ddl_propagation = on;
    SET citus.enable_unsafe_triggers = off;
    SET test.version = '';
"""

TRIGGERS = """
    SELECT tgname, tgtype & 1 = 1, tgtype & 32 = 32 FROM pg_trigger
    WHERE tgrelid = %s::regclass ORDER BY 1
"""


@pytest.fixture
def citus(db: Connection) -> Connection:
    """A database that looks as if Citus was there, with a clinic."""
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    db.execute(CITUS)
    return db


def test_a_release_is_distributed_by_a_column(citus: Connection) -> None:
    release = publish(citus, view="clinic.shown", options={"distribute_by": "city"})
    table = f"bkpriv_release.release_{release}"
    asked = citus.execute("SELECT what, rows FROM asked ORDER BY place").fetchall()
    assert asked == [(f"{table} by city", one(citus, "SELECT count(*) FROM clinic.shown"))]
    assert citus.execute(TRIGGERS, [table]).fetchall() == [
        ("guard", True, False),
        ("guard_truncate", False, True),
    ]
    for name, value in (("enable_ddl_propagation", "on"), ("enable_unsafe_triggers", "off")):
        assert one(citus, f"SHOW citus.{name}") == value
    for statement in ("DELETE FROM {}", "INSERT INTO {0} TABLE {0}", "TRUNCATE {}"):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="is refused"):
            citus.execute(statement.format(table))
    citus.execute("SELECT bkpriv.withdraw(%s, 'over')", [release])
    assert one(citus, "SELECT to_regclass(%s)::text", [table]) is None
    refused(citus, "SELECT bkpriv.withdraw(%s, 'over')", [release], sqlstate="55000")


def test_companions_are_everywhere(citus: Connection) -> None:
    options = {"distribute_by": "group_id"}
    release = publish(citus, view="clinic.shown", method="anatomy", options=options)
    table = f"bkpriv_release.release_{release}"
    asked = citus.execute("SELECT what FROM asked ORDER BY place").fetchall()
    assert asked == [(f"{table} by group_id",), (f"{table}_sensitive everywhere",)]


def test_who_publishes_lets_readers_read_shards(
    citus: Connection,
    connect_as: Callable[[str], Connection],
    make_role: Callable[..., str],
) -> None:
    role, reader = make_role("publisher"), make_role("reader")
    citus.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    citus.execute(sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}").format(sql.Identifier(role)))
    citus.execute("GRANT ALL ON asked TO PUBLIC")
    own = connect_as(role)
    declare_own(own)
    state_policy(own, "own", {"k_anonymity": {"k": 5}})
    own.execute("SET citus.enable_ddl_propagation = on; SET citus.enable_unsafe_triggers = off")
    release = publish(own, "mine", policy="own", view="shown", options={"distribute_by": "a"})
    own.execute(
        sql.SQL("GRANT SELECT ON {} TO {}").format(
            sql.Identifier("bkpriv_release", f"release_{release}"), sql.Identifier(reader)
        )
    )
    assert findings(citus)["nothing to others"][0]
    may = "SELECT has_table_privilege(%s, %s, %s)"
    table = "bkpriv_release.release_{}"
    assert one(citus, may, [reader, table.format(release), "SELECT"])
    plain = publish(own, "mine", policy="own", view="plain")
    assert not one(citus, may, [role, table.format(plain), "SELECT WITH GRANT OPTION"])


def test_what_cannot_be_distributed_is_refused(db: Connection) -> None:
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    call = "SELECT bkpriv.publish('patients', 'plain', 'clinic.shown', options => %s)"
    with unchanged(db):
        refused(db, call, ['{"distribute_by": "city"}'], sqlstate="0A000", names=["citus"])
    db.execute(CITUS)
    with unchanged(db):
        for column in ("town", "age"):
            given = f'{{"distribute_by": "{column}", "ranges": "bounds"}}'
            refused(db, call, [given], sqlstate="22023", names=[column, '"city"', '"age_from"'])
        both = '{"distribute_by": "city", "materialized": true}'
        refused(db, call, [both], sqlstate="22023", names=["materialized"])


def test_a_column_to_distribute_by_is_looked_for_before_the_source_is_read(
    citus: Connection,
) -> None:
    citus.execute(
        "CREATE SEQUENCE reads; CREATE FUNCTION seen() RETURNS boolean LANGUAGE sql VOLATILE "
        "AS $$ SELECT nextval('public.reads') > 0 $$; "
        "CREATE VIEW clinic.counted AS SELECT * FROM clinic.patient WHERE public.seen()"
    )
    register = (
        "SELECT bkpriv.register_dataset('counted', 'clinic.counted', '{age,city}', 'disease')"
    )
    citus.execute(register)
    before = one(citus, "SELECT last_value FROM reads")
    stated = '{"distribute_by": "nowhere"}'
    for call in (
        "bkpriv.publish('counted', 'plain', 'clinic.shown', options => %s)",
        """bkpriv.explore('counted', '[{"k_anonymity": {"k": 4}}]', options => %s)""",
    ):
        refused(citus, f"SELECT {call}", [stated], sqlstate="22023", names=["nowhere", '"city"'])
    assert one(citus, "SELECT last_value FROM reads") == before


def test_a_publication_says_what_readers_of_shards_need(
    citus: Connection, make_role: Callable[..., str]
) -> None:
    said: list[str] = []
    citus.add_notice_handler(lambda notice: said.append(notice.message_hint or ""))
    reader = make_role("reader")
    options = {"distribute_by": "city"}
    first = publish(citus, view="clinic.shown", options=options)
    needed = "GRANT SELECT ON bkpriv_release.release_{} TO {}"
    assert any(needed.format(first, "<reader>") in hint for hint in said)
    citus.execute(sql.SQL("GRANT SELECT ON clinic.shown TO {}").format(sql.Identifier(reader)))
    second = publish(citus, view="clinic.shown", options=options)
    assert any(needed.format(second, reader) in hint for hint in said)


def test_views_are_made_on_the_coordinator_alone(citus: Connection) -> None:
    citus.execute(
        """
        CREATE FUNCTION public.note() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO public.asked (what) SELECT format('%s %s', command_tag,
                current_setting('citus.enable_ddl_propagation'))
            FROM pg_event_trigger_ddl_commands() WHERE command_tag IN ('CREATE VIEW', 'GRANT');
        END $$;
        CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION public.note()
        """
    )
    publish(citus, view="clinic.shown")
    noted = {what for (what,) in citus.execute("SELECT what FROM asked").fetchall()}
    assert noted == {"CREATE VIEW off", "GRANT on"}


def test_the_doctor_looks_at_the_nodes(citus: Connection) -> None:
    assert findings(citus)["nodes"] == (
        True,
        "0 release tables are distributed; nodes with bkpriv: 0",
    )
    version = one(citus, "SELECT bkpriv.version()")
    citus.execute(f"SET test.version = '{version}'")
    ok, said = findings(citus)["nodes"]
    assert not ok
    assert "one:1 have bkpriv without need" in said
    assert "citus.enable_ddl_propagation" in said
    publish(citus, view="clinic.shown", options={"distribute_by": "city"})
    assert findings(citus)["nodes"][0]
    citus.execute("SET test.version = '0.1'")
    ok, said = findings(citus)["nodes"]
    assert not ok
    assert "one:1 has version 0.1" in said


def test_what_is_distributed_is_inspected_by_a_sample(citus: Connection) -> None:
    citus.execute(
        "CREATE TABLE public.many AS SELECT i AS id, i % 7 AS age, i % 5 AS kind "
        "FROM generate_series(1, 300000) AS i"
    )
    said: list[str] = []
    citus.add_notice_handler(
        lambda notice: said.append(f"{notice.message_detail} {notice.message_hint}")
    )
    register = "SELECT bkpriv.register_dataset(%s, 'public.many', '{id,age}', 'kind')"
    citus.execute(register, ["here"])
    assert any("(300000 in 300000)" in notice for notice in said)
    said.clear()
    citus.execute("SELECT bkpriv.unwatch('public.many')")
    citus.execute("INSERT INTO pg_dist_partition VALUES ('public.many')")
    citus.execute(register, ["elsewhere"])
    (unique,) = (notice for notice in said if '"id"' in notice)
    drawn = int(unique.split("Seen were ")[1].split()[0])
    assert 195_000 < drawn < 205_000
    assert f'"id" ({drawn} in {drawn})' in unique
    (unwatched,) = (notice for notice in said if "is distributed" in notice)
    assert "cannot be watched" in unwatched
    assert "bkpriv.watch(" not in unwatched


@pytest.fixture
def bare(server: Connection, database: Database) -> Connection:
    """A database with the tables of Citus, where bkpriv is to be created."""
    connection = database.connect()
    connection.execute("DROP EXTENSION bkpriv CASCADE")
    connection.execute(CITUS)
    return connection


def test_the_extension_is_not_created_on_workers_unasked(bare: Connection) -> None:
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="workers") as caught:
        bare.execute("CREATE EXTENSION bkpriv CASCADE")
    assert "citus.enable_ddl_propagation = off" in (caught.value.diag.message_hint or "")
    bare.execute("SET citus.enable_ddl_propagation = off; CREATE EXTENSION bkpriv CASCADE")
    public = "SELECT has_schema_privilege('public', 'bkpriv_release', 'USAGE')"
    assert one(bare, public) is False


def test_shards_on_a_worker_are_within_reach(bare: Connection) -> None:
    bare.execute("INSERT INTO pg_dist_local_group VALUES (2)")
    bare.execute("SET citus.enable_ddl_propagation = off; CREATE EXTENSION bkpriv CASCADE")
    assert one(bare, "SELECT has_schema_privilege('public', 'bkpriv_release', 'USAGE')") is True
    assert one(bare, "SELECT has_schema_privilege('public', 'bkpriv', 'USAGE')") is False
