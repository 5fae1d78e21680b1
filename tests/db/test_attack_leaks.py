"""Attacks by way of what leaks: functions in conditions, error texts, statistics, catalogs."""

from __future__ import annotations

from collections.abc import Callable

from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish
from tests.db.refusal import refused

LEAK = """
    CREATE FUNCTION {0}leak(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
    BEGIN RAISE NOTICE 'leaked %', $1; RETURN true; END $$;
    CREATE FUNCTION {0}leak_text(text, text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
    BEGIN RAISE NOTICE 'leaked %', $1; RETURN true; END $$;
    CREATE OPERATOR {0}<<<< (leftarg = text, rightarg = text, procedure = {0}leak_text);
"""


def test_leaky_functions_see_nothing_that_row_security_hides(
    rivals: tuple[Connection, Connection],
) -> None:
    _, attacker = rivals
    attacker.execute(LEAK.format(""))
    said = overhear(attacker)
    for relation, column in (
        ("dataset", "name"), ("hierarchy", "dataset"), ("release", "dataset"),
        ("release_attribute", "attribute"), ("release_content", "codes::text"),
        ("release_respondent", "respondents::text"), ("release_event", "reason"),
        ("audit_record", "requirement"), ("release_belief", "knowledge"),
        ("release_draw", "codes::text"),
        ("sequential_knowledge", "name"),
        ("releases", "dataset"), ("audits", "dataset"),
    ):  # fmt: skip
        for condition in (f"leak({column})", f"{column} <<<< 'x'", f"leak({column}) OR false"):
            query = f"SELECT * FROM bkpriv.{relation} WHERE {condition}"
            assert attacker.execute(query).fetchall() == []
    assert said == []


def test_leaky_functions_of_a_reader_see_the_view_only(
    rivals: tuple[Connection, Connection],
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
) -> None:
    victim, _ = rivals
    reader = make_role("reader")
    names = {"schema": sql.Identifier(victim.info.user), "reader": sql.Identifier(reader)}
    # A view that shows part of a published view, as its owner may make.
    victim.execute(
        sql.SQL(
            "CREATE VIEW part WITH (security_barrier) AS SELECT * FROM shown WHERE b < 3;"
            "GRANT USAGE ON SCHEMA {schema} TO {reader}; GRANT SELECT ON part TO {reader}"
        ).format(**names)
    )
    connection = database.connect(reader)
    connection.execute(LEAK.format("pg_temp."))
    said = overhear(connection)
    query = sql.SQL("SELECT b FROM {schema}.part WHERE pg_temp.leak(b)").format(**names)
    shown = connection.execute(query).fetchall()
    assert shown
    assert set(said) == {f"leaked {b}: None" for (b,) in shown}


def test_errors_do_not_tell_values_to_those_who_may_not_read_them(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = sql.Identifier(publisher.info.user)
    clinic.execute("UPDATE clinic.patient SET city = 'Secretville' WHERE age = 30")
    clinic.execute("INSERT INTO clinic.patient VALUES (31, 'f', NULL, 'ulcer')")
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT SELECT (age, sex, disease) ON clinic.patient TO {}").format(role))
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [publisher.info.user])
    publisher.execute("CREATE TABLE levels AS SELECT 'Aln' AS city, '*' AS root")
    for statement, sqlstate in (
        ("SELECT bkpriv.register_dataset('x', 'clinic.patient', '{city}', 'disease')", "42501"),
        ("SELECT bkpriv.register_dataset('x', 'clinic.patient', '{age}', 'city')", "42501"),
        ("SELECT * FROM bkpriv.prior('patients', '0.3')", "42501"),
        ("SELECT bkpriv.publish('patients', 'plain', 'v')", "42501"),
        ("SELECT bkpriv.set_hierarchy('patients', 'city', 'levels')", "42501"),
    ):
        said = refused(publisher, statement, sqlstate=sqlstate)
        told = f"{said.message_primary} {said.message_detail} {said.message_hint} {said.context}"
        assert "Secretville" not in told
        assert "(1)" not in told


def test_a_publication_leaves_no_trace_of_values_in_sight_of_others(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    stranger = database.connect(make_role("stranger"))
    publish(clinic)
    for query in (
        "SELECT * FROM pg_stats WHERE schemaname ~ '^(bkpriv|clinic)'",
        "SELECT * FROM pg_stats_ext",
        "SELECT * FROM pg_stat_activity WHERE query ~ 'emphysema' AND pid <> pg_backend_pid()",
        "SELECT * FROM pg_prepared_statements",
        "SELECT * FROM pg_cursors",
    ):
        assert stranger.execute(query).fetchall() == []
    # Comments and definitions that everyone may read name the release and nothing more.
    definition = one(stranger, "SELECT pg_get_viewdef('public.patients'::regclass)")
    assert "bkpriv_release.release_1" in definition
    assert "emphysema" not in definition
