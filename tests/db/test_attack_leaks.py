"""Attacks by way of what leaks: functions in conditions, error texts, statistics, catalogs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, rows_of, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.pooled

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
    victim, attacker = rivals
    victim.execute("SELECT bkpriv.attack(1, 'majority', '{\"model\": \"bayes\"}')")
    attacker.execute(LEAK.format(""))
    said = overhear(attacker)
    for relation, column in (
        ("dataset", "name"), ("hierarchy", "dataset"), ("release", "dataset"),
        ("release_attribute", "attribute"), ("release_content", "codes::text"),
        ("release_respondent", "respondents::text"), ("release_event", "reason"),
        ("audit_record", "requirement"), ("attack_record", "attacker"),
        ("release_belief", "knowledge"),
        ("release_draw", "codes::text"),
        ("sequential_knowledge", "name"),
        ("releases", "dataset"), ("audits", "dataset"), ("attacks", "dataset"),
    ):  # fmt: skip
        for condition in (f"leak({column})", f"{column} <<<< 'x'", f"leak({column}) OR false"):
            query = f"SELECT * FROM bkpriv.{relation} WHERE {condition}"
            assert attacker.execute(query).fetchall() == []
    assert said == []


def test_plans_do_not_say_what_values_rows_of_others_have(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    for _ in range(9):
        publish(victim, "mine", "p", "shown")
    own = f"{victim.info.user}.own"
    records = one(db, "SELECT max(records) FROM bkpriv.release")
    for relation, there, absent in (
        ("release", f"owner = '{victim.info.user}'", "owner = 'nobody'"),
        ("release", f"records < {records + 1}", f"records < {records}"),
        ("release_base", f"base = '{own}'", "base = 'no.such'"),
        ("audit_record", "threshold < 3.1", "threshold < 2.9"),
        ("dataset", "name = 'mine'", "name = 'yours'"),
    ):
        db.execute(f"ANALYZE bkpriv.{relation}".encode())
        plans = [
            attacker.execute(f"EXPLAIN SELECT FROM bkpriv.{relation} WHERE {condition}".encode())
            for condition in (there, absent)
        ]
        assert len({plan.fetchall()[0][0] for plan in plans}) == 1, there


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


@pytest.mark.parametrize("method", ["mondrian", "randomize"])
def test_nothing_that_is_kept_tells_an_owner_of_releases_that_they_may_not_see(
    make_publisher: Callable[..., Connection], clinic: Connection, method: str
) -> None:
    owner, other = make_publisher("owner"), make_publisher("other")
    options = {"scheme": "rr-both"} if method == "randomize" else {}
    state_policy(clinic, "stated", {"max_disclosure": {"tau": 0.5}})
    for connection, dataset in ((other, "secret"), (owner, "own")):
        name = sql.Identifier(connection.info.user)
        clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(name))
        clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(name))
        connection.execute("CREATE VIEW hidden AS SELECT * FROM clinic.patient")
        connection.execute(
            "SELECT bkpriv.register_dataset(%s, 'hidden', '{age, sex}', 'disease')", [dataset]
        )
    theirs = publish(other, "secret", "stated", "shown", options, method)
    first = publish(owner, "own", "stated", "shown", options, method)
    member = make_publisher("member")
    for connection in (owner, other):
        clinic.execute(f"GRANT {connection.info.user} TO {member.info.user}".encode())
    said = overhear(member)
    view = f"{owner.info.user}.shown"
    release = publish(member, "own", "stated", view, options, method)
    member.execute("SELECT * FROM bkpriv.audit(%s)", [release])
    # A member of both is told of it.
    assert any(f": {theirs} (published), {first} (published)" in text for text in said)
    assert any(other.info.user in text for text in said)
    kept = rows_of(owner, "bkpriv.release_notice") + rows_of(owner, "bkpriv.release_base")
    kept += rows_of(owner, "bkpriv.audit_record") + rows_of(owner, "bkpriv.release_event")
    assert other.info.user not in str(kept)
    messages = "SELECT message, detail FROM bkpriv.release_notice WHERE release = %s"
    told = owner.execute(messages, [release]).fetchall()
    assert any(f"before: {first} (published)" in str(row) for row in told)
    assert not any(f"{theirs} (published)" in str(row) for row in told)
    together = "SELECT parameters -> 'together' FROM bkpriv.audit_record WHERE release = %s"
    assert all(each in (None, [first, release]) for (each,) in owner.execute(together, [release]))
