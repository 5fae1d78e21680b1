"""Attacks by way of defaults: privileges nobody granted here, settings of the session, roles."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, one, publish, rows_of, state_policy
from tests.db.refusal import unchanged

OPEN = """
    ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, {0};
    ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC, {0};
    ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO {0};
    ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO PUBLIC, {0};
"""

GRANTED = """
    SELECT o.name, pg_get_userbyid(a.grantee) FROM (
        SELECT oid::regclass::text, relacl, relowner FROM pg_class
        WHERE relnamespace::regnamespace::text ~ '^bkpriv' AND relkind IN ('r', 'v', 'S')
        UNION ALL
        SELECT oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner)), proowner
        FROM pg_proc WHERE pronamespace::regnamespace::text ~ '^bkpriv'
        UNION ALL SELECT nspname, nspacl, nspowner FROM pg_namespace WHERE nspname ~ '^bkpriv'
    ) AS o(name, acl, owner) CROSS JOIN LATERAL aclexplode(o.acl) AS a
    WHERE a.grantee <> o.owner AND pg_get_userbyid(a.grantee) !~ '^bkpriv_'
"""
"""Grants to anybody but the groups."""


@pytest.fixture
def opened(server: Connection, make_role: Callable[..., str]) -> Iterator[tuple[Database, str]]:
    """A database whose default privileges were open before the extension came, and for whom."""
    stranger = make_role("stranger")
    name = f"bkpriv_open_{uuid.uuid4().hex[:8]}"
    server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    host, port = server.info.host, server.info.port
    database = Database(make_conninfo(host=host, port=port, dbname=name))
    db = database.connect()
    try:
        db.execute(sql.SQL(OPEN).format(sql.Identifier(stranger)))
        db.execute("CREATE EXTENSION bkpriv CASCADE")
        yield database, stranger
    finally:
        db.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(stranger)))
        for connection in database.opened:
            connection.close()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_default_privileges_from_before_open_nothing(opened: tuple[Database, str]) -> None:
    database, stranger = opened
    db = database.connect()
    assert db.execute(GRANTED).fetchall() == []
    declare_own(db)
    state_policy(db, "p", {"k_anonymity": {"k": 3}})
    publish(db, "mine", "p", "public.shown")
    publish(db, "mine", "p", "public.exact", method="bucketize")
    assert db.execute(GRANTED).fetchall() == []
    assert db.execute("SELECT * FROM bkpriv.doctor() WHERE NOT ok").fetchall() == []
    intruder = database.connect(stranger)
    for statement in (
        "SELECT * FROM bkpriv.release_content",
        "SELECT * FROM bkpriv_release.release_1",
        "SELECT nextval('bkpriv.release_id')",
        "SELECT bkpriv.version()",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            intruder.execute(statement)


def test_default_privileges_set_later_open_no_release_table(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    stranger = sql.Identifier(make_role("stranger"))
    clinic.execute(sql.SQL(OPEN).format(stranger))
    try:
        publish(clinic)
        publish(clinic, view="public.exact", method="bucketize")
        assert clinic.execute(GRANTED).fetchall() == []
    finally:
        clinic.execute(sql.SQL("DROP OWNED BY {}").format(stranger))


SETTINGS = {
    "quote_all_identifiers": "on",
    "bytea_output": "escape",
    "default_tablespace": "pg_global",
    "row_security": "off",
    "datestyle": "SQL, DMY",
    "intervalstyle": "sql_standard",
    "timezone": "Asia/Tokyo",
    "extra_float_digits": "-15",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "lc_monetary": "C.UTF-8",
    "xmloption": "document",
}
"""Settings that change how SQL is read or written, or what is made, at their most harmful."""


def test_settings_of_the_session_change_nothing(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    publisher.execute(
        "CREATE TABLE own AS SELECT DATE '1970-01-01' + i % 12 * 31 AS day, "
        "(i % 5)::float8 / 3 AS ratio, chr(65 + i * i % 7) AS b FROM generate_series(1, 120) AS i"
    )

    def work(round_: int) -> list[object]:
        dataset = f"d{round_}"
        publisher.execute(
            "SELECT bkpriv.register_dataset(%s, 'own', '{day,ratio}', 'b')", [dataset]
        )
        state_policy(publisher, "p", {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}})
        release = publish(publisher, dataset, "p", f"shown_{round_}", {"seed": 1})
        seen: list[object] = [
            publisher.execute(query, [release]).fetchall()
            for query in (
                "SELECT requirement, worst::numeric FROM bkpriv.audit(%s)",
                "SELECT qi::text, disclosure::numeric FROM bkpriv.disclosure(%s, '0.4') ORDER BY 1",
                "SELECT metric, value::numeric FROM bkpriv.utility(%s)",
                "SELECT key, estimate::numeric FROM bkpriv.query_accuracy(%s, "
                "'SELECT day, count(*) FROM own GROUP BY day')",
                "SELECT stale FROM bkpriv.releases WHERE release = %s",
            )
        ]
        return seen

    before = work(1)
    for name, value in SETTINGS.items():
        publisher.execute("SELECT set_config(%s, %s, false)", [name, value])
    after = work(2)
    publisher.execute("RESET ALL")
    assert after == before
    assert rows_of(publisher, "shown_2") == rows_of(publisher, "shown_1")


def test_a_tablespace_that_is_out_of_reach_does_not_matter(
    database: Database, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    publisher.execute("SET default_tablespace = 'pg_global'")
    assert publish(publisher, "mine", "p", "shown", {"materialized": True})


def test_jobs_of_one_database_are_none_in_another(
    server: Connection, template: str, database: Database, make_role: Callable[..., str]
) -> None:
    auditor, publisher = make_role("auditor"), make_role("publisher")
    db = database.connect()
    db.execute("SELECT bkpriv.grant_auditor(%s), bkpriv.grant_publisher(%s)", [auditor, publisher])
    assert database.connect(auditor).execute("SELECT * FROM bkpriv.releases").fetchall() == []
    name = f"{template}_{uuid.uuid4().hex[:8]}"
    server.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(template)
        )
    )
    other = Database(make_conninfo(database.conninfo, dbname=name))
    try:
        for role in (auditor, publisher):
            for statement in (
                "SELECT * FROM bkpriv.releases",
                "SELECT bkpriv.version()",
                "SELECT * FROM bkpriv.release_content",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    other.connect(role).execute(statement)
        # Nor does the job of a publisher there make an auditor.
        other.connect().execute("SELECT bkpriv.grant_publisher(%s)", [auditor])
        superuser = other.connect()
        declare_own(superuser)
        state_policy(superuser, "p", {"k_anonymity": {"k": 3}})
        publish(superuser, "mine", "p", "public.shown")
        assert other.connect(auditor).execute("SELECT * FROM bkpriv.releases").fetchall() == []
        # Functions within the extension's reach of any member of a group do nothing without a job.
        for call in (
            *("prior('mine', '1')", "posterior(1, '1', 'auto')", "disclosure(1, '1', 'auto')"),
            "live_releases('mine', 'postgres')",
            *("create_release_table(1, '{a}', '{text}', 'sensitive')", "seal_release_tables(1)"),
            *("clear_release(1)", "write()", "hold_writers(1)", "auditor()"),
        ):
            with unchanged(superuser), pytest.raises(psycopg.Error):
                other.connect(publisher).execute(f"SELECT bkpriv_internal.{call}")
        assert not one(other.connect(publisher), "SELECT bkpriv_internal.sees_all()")
        assert not other.connect(publisher).execute("SELECT bkpriv_internal.owned()").fetchall()
    finally:
        other.connect().execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(auditor)))
        for connection in other.opened:
            connection.close()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_what_an_upgrade_adds_to_a_job_its_holders_have(
    database: Database, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    database.connect().execute(
        "CREATE FUNCTION bkpriv.added() RETURNS int LANGUAGE sql AS 'SELECT 1';"
        "REVOKE ALL ON FUNCTION bkpriv.added() FROM PUBLIC;"
        "GRANT EXECUTE ON FUNCTION bkpriv.added() TO bkpriv_publisher"
    )
    assert one(publisher, "SELECT bkpriv.added()") == 1


def test_jobs_are_taken_back(database: Database, make_role: Callable[..., str]) -> None:
    role = make_role("auditor")
    db = database.connect()
    db.execute("SELECT bkpriv.grant_auditor(%s), bkpriv.grant_publisher(%s)", [role, role])
    mine = database.connect(role)
    assert mine.execute("SELECT * FROM bkpriv.releases").fetchall() == []
    db.execute("SELECT bkpriv.revoke_jobs(%s)", [role])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        mine.execute("SELECT * FROM bkpriv.releases")
    audits = "SELECT has_function_privilege(%s, 'bkpriv_internal.auditor()', 'EXECUTE')"
    assert not one(db, audits, [role])


def test_a_job_that_was_given_on_is_taken_back_from_all(
    database: Database, db: Connection, make_role: Callable[..., str]
) -> None:
    role, friend = make_role("giver"), make_role("friend")
    for one_of_them in (role, friend):
        db.execute("SELECT bkpriv.grant_auditor(%s)", [one_of_them])
    db.execute("SELECT bkpriv.revoke_jobs(%s)", [friend])
    gates = "SCHEMA bkpriv", "FUNCTION bkpriv_internal.auditor()"
    for gate in gates:
        db.execute(f"GRANT ALL ON {gate} TO {role} WITH GRANT OPTION".encode())
        database.connect(role).execute(f"GRANT ALL ON {gate} TO {friend}".encode())
    assert database.connect(friend).execute("SELECT * FROM bkpriv.releases").fetchall() == []
    db.execute("SELECT bkpriv.revoke_jobs(%s)", [role])
    assert db.execute(GRANTED).fetchall() == []


def test_what_was_built_on_the_history_ends_with_the_job(
    db: Connection, make_publisher: Callable[..., Connection]
) -> None:
    former = make_publisher("former")
    declare_own(former)
    state_policy(former, "p", {"k_anonymity": {"k": 3}})
    publish(former, "mine", "p", "shown")
    tables = [
        name
        for (name,) in former.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace "
            "AND relkind IN ('r', 'v') AND has_table_privilege(oid, 'SELECT')"
        )
    ]
    for name in tables:
        former.execute(f"CREATE VIEW my_{name} AS SELECT * FROM bkpriv.{name}".encode())
    filled = [name for name in tables if rows_of(former, f"my_{name}")]
    assert {"dataset", "policy", "release", "release_content", "releases"} <= set(filled)
    db.execute("SELECT bkpriv.revoke_jobs(%s)", [former.info.user])
    for name in tables:
        assert rows_of(former, f"my_{name}") == [], name
    for statement in (
        "INSERT INTO my_hierarchy VALUES ('mine', 'a', '{x}')",
        "UPDATE my_policy SET requirements = '{}'",
        "DELETE FROM my_dataset",
    ):
        with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
            former.execute(statement.encode())


def test_a_job_that_was_taken_back_does_not_come_back_with_another(
    database: Database, make_role: Callable[..., str]
) -> None:
    role = make_role("former")
    db = database.connect()
    db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    db.execute("SELECT bkpriv.revoke_jobs(%s), bkpriv.grant_watcher(%s)", [role, role])
    db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(role)))
    former = database.connect(role)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        declare_own(former)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        state_policy(former, "p", {"k_anonymity": {"k": 3}})


def test_a_job_is_not_granted_to_who_would_not_have_it(
    database: Database, make_role: Callable[..., str]
) -> None:
    role = make_role("loner")
    db = database.connect()
    db.execute(sql.SQL("ALTER ROLE {} NOINHERIT").format(sql.Identifier(role)))
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    assert role in str(caught.value)
    for nobody in (None, "0"):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            db.execute("SELECT bkpriv.grant_publisher(%s::regrole)", [nobody])
