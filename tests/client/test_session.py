"""Sessions of the client: what others make, or a user has set, decides nothing in them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from bkpriv_client.server import as_named, connect, open_session
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import fill, one, publish, state_policy
from tests.db.waiting import until
from tests.docs.documents import ROOT

# Where a built-in function takes anything, one for a certain type is preferred, whosever it is.
TRAPS = """
DO $traps$
DECLARE
    trap text := $trap$RETURNS boolean LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''run as %'', current_user; END'$trap$;
    made record;
BEGIN
    FOR made IN
        SELECT DISTINCT proname, type FROM pg_proc CROSS JOIN unnest(
            '{text,name,oid,integer,bigint,float8,numeric,date,int4range,jsonb,text[]}'::regtype[]
        ) AS type
        WHERE pronamespace = 'pg_catalog'::regnamespace AND pronargs = 1
            AND proargtypes[0] IN ('"any"'::regtype, 'anyelement'::regtype, 'anyarray'::regtype,
                'anyrange'::regtype, 'anynonarray'::regtype)
            AND proname !~ '_(out|send|in|recv)$'
    LOOP
        EXECUTE format('CREATE FUNCTION public.%I(%s) %s', made.proname, made.type, trap);
    END LOOP;
    EXECUTE 'CREATE FUNCTION public.format(text, text, text) ' || trap;
    FOR made IN
        SELECT sign, l, r FROM unnest('{=,<>}'::text[]) AS sign,
            unnest('{oid,integer,bigint}'::regtype[]) AS l,
            unnest('{smallint,numeric}'::regtype[]) AS r
    LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION public.trap(%s, %s) ', made.l, made.r) || trap;
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %s)',
            made.sign, made.l, made.r, 'public.trap');
    END LOOP;
END $traps$
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A CSV file with a hierarchy beside it."""
    (tmp_path / "hierarchy_sex.csv").write_text("leaf,root\nm,*\nf,*\n")
    path = tmp_path / "people.csv"
    rows = (f"{20 + n % 9},{'mf'[n % 2]},2024-01-{1 + n % 28},d{n % 5}" for n in range(1200))
    path.write_text("\n".join(["age,sex,came,disease", *rows]))
    return path


def test_no_function_or_operator_of_outsiders_is_run(
    database: Database,
    db: Connection,
    connect_as: Callable[[str], Connection],
    make_role: Callable[..., str],
    people: Path,
) -> None:
    db.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    outsider = connect_as(make_role("outsider"))
    outsider.execute("SET search_path TO pg_catalog")
    outsider.execute(TRAPS)
    with pytest.raises(psycopg.errors.RaiseException, match="run as postgres"):
        db.execute("SELECT count('a'::text)")
    uri = ("--uri", database.uri())
    load = ("load-csv", str(people), "--table", "people", "--hierarchies", str(people.parent))
    succeeded(*load, *uri)
    said = succeeded(*load, *uri, "--replace")
    for statement in [line for line in said.splitlines() if line.startswith("SELECT bkpriv.")]:
        db.execute(statement.encode())
    state_policy(db, "plain", {"k_anonymity": {"k": 5}})
    succeeded(
        "explore", "people", "--bandwidth", "none", "--k", "5,10", "--with", "overlap=warn", *uri
    )
    succeeded("doctor", *uri)
    succeeded("demo", "--records", "300", *uri)
    succeeded("demo", "--records", "300", *uri)
    out = people.parent / "out"
    for to in ("csv", "parquet"):
        succeeded("export", "demo.hospital_usual", "--to", to, "--out", str(out / to), *uri)
        succeeded("export", "3", "--to", to, "--out", str(out / f"{to}3"), *uri)
    succeeded("report", "3", "--out", str(out / "report.html"), *uri)


def test_sessions_are_opened_in_one_place() -> None:
    found = [
        path.name
        for part in ("bkpriv_client", "studies")
        for path in (ROOT / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "connect"
            and ast.unparse(node) != "duckdb.connect"
        )
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith("psycopg")
            and any(name.name == "connect" for name in node.names)
        )
    ]
    assert found == ["server.py"]


@pytest.mark.parametrize("open_", [connect, open_session])
def test_settings_of_the_user_do_not_reach_statements(
    database: Database, open_: Callable[[str], Connection]
) -> None:
    settings = "-csearch_path=public,pg_catalog -cdatestyle=German -cextra_float_digits=-5"
    uri = make_conninfo(database.uri(), options=settings, client_encoding="LATIN1")
    with open_(uri) as connection:
        assert one(connection, "SHOW search_path") == "pg_catalog, pg_temp"
        assert one(connection, "SHOW client_encoding") == "UTF8"
        assert one(connection, "SELECT (date '2024-01-02', pi())::text") == (
            "(2024-01-02,3.141592653589793)"
        )


def test_names_that_a_user_gives_are_looked_up_as_the_user_would(
    database: Database, db: Connection, people: Path, tmp_path: Path
) -> None:
    db.execute("CREATE SCHEMA own; CREATE VIEW own.shown AS SELECT 'own'::text AS whose")
    db.execute("CREATE VIEW public.shown AS SELECT 'public'::text AS whose")
    out = tmp_path / "out"
    for path in ("own,public", "nowhere,public,own"):
        uri = make_conninfo(database.uri(), options=f"-csearch_path={path}")
        succeeded("load-csv", str(people), "--table", "people", "--uri", uri)
        succeeded("export", "shown", "--out", str(out), "--replace", "--uri", uri)
        schema = "own" if path.startswith("own") else "public"
        assert (out / "shown.csv").read_text() == f"whose\n{schema}\n"
        assert one(db, f"SELECT count(*) FROM {schema}.people") == 1200
        with open_session(uri) as connection:
            with pytest.raises(psycopg.errors.InvalidName):
                as_named(connection, psycopg.sql.SQL("SELECT pg_catalog.to_regclass(%s)"), "a.")
            assert one(connection, "SHOW search_path") == "pg_catalog, pg_temp"


def test_files_are_the_same_in_any_locale(
    database: Database, db: Connection, tmp_path: Path
) -> None:
    db.execute("CREATE TABLE visit (age int, came date, paid float8, code text)")
    rows = [(20 + i % 50, f"2020-01-{1 + i % 28}", i % 7 / 3, f"Łódź {i % 4}") for i in range(200)]
    fill(db, "visit", rows)
    db.execute("SELECT bkpriv.register_dataset('Łódź', 'visit', '{age,came,paid}', 'code')")
    state_policy(db, "plain", {"k_anonymity": {"k": 5}, "l_diversity": {"l": 2}})
    release = str(publish(db, "Łódź", view="public.shown"))
    odd = "-cdatestyle=German -cextra_float_digits=-5 -cintervalstyle=iso_8601"
    written = []
    for name, settings in (("plain", {}), ("odd", {"options": odd, "client_encoding": "LATIN1"})):
        uri = ("--uri", make_conninfo(database.uri(), **settings))
        for to in ("csv", "parquet"):
            succeeded("export", release, "--to", to, "--out", str(tmp_path / name / to), *uri)
        succeeded("report", release, "--out", str(tmp_path / name / "report.html"), *uri)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        written.append({path.name: path.read_bytes() for path in files if path.suffix != ".html"})
        assert "ódź" in (tmp_path / name / "csv" / "shown.csv").read_text(encoding="utf-8")
    assert written[0] == written[1]


def set_role(db: Connection, scope: str, role: str) -> None:
    """Set a role for all sessions in the database, or for those of a user."""
    statement = sql.SQL("ALTER {} SET role = {}")
    db.execute(statement.format(sql.SQL(scope), sql.Identifier(role)))


def test_who_owns_the_database_does_not_get_what_a_user_makes(
    database: Database,
    db: Connection,
    make_role: Callable[..., str],
    people: Path,
) -> None:
    owner, user = make_role("owner"), make_role("user")
    db.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(owner), sql.Identifier(user)))
    set_role(db, f'DATABASE "{db.info.dbname}"', owner)
    assert one(database.connect(), "SELECT current_user::text") == owner
    for role in ("postgres", user):
        with open_session(database.uri(role)) as session:
            assert one(session, "SELECT current_user::text") == role
    succeeded("load-csv", str(people), "--table", "kept.people", "--uri", database.uri())
    query = "SELECT relowner::regrole::text FROM pg_class WHERE oid = 'kept.people'::regclass"
    assert one(db, query) == "postgres"
    # Who wants to act as that role says so.
    uri = make_conninfo(database.uri(user), options=f"-c role={owner}")
    with open_session(uri) as session:
        assert one(session, "SELECT current_user::text") == owner
    set_role(db, f'ROLE "{user}"', owner)
    with open_session(database.uri(user)) as session:
        assert one(session, "SELECT current_user::text") == owner


def test_a_schema_that_a_user_has_not_named_is_theirs_or_a_superusers(
    database: Database, db: Connection, make_role: Callable[..., str], people: Path
) -> None:
    outsider = make_role("outsider")
    db.execute(sql.SQL("CREATE SCHEMA postgres AUTHORIZATION {}").format(sql.Identifier(outsider)))
    load = ("load-csv", str(people), "--uri", database.uri(), "--table")
    said = failed(*load, "people")
    for part in ('"postgres"', outsider, "postgres.people"):
        assert part in said
    assert one(db, "SELECT to_regclass('postgres.people') IS NULL")
    assert "'postgres.people'" in succeeded(*load, "postgres.people")
    db.execute("DROP SCHEMA postgres CASCADE; CREATE SCHEMA postgres")
    assert "'postgres.people'" in succeeded(*load, "people")


KILLED = """
import sys
from bkpriv_client.server import connect
connect(sys.argv[1]).execute("SELECT pg_sleep(600)")
"""


def test_a_statement_ends_with_its_client(database: Database) -> None:
    left = "SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep.600'"
    command = [sys.executable, "-c", KILLED, database.uri()]
    watching = database.connect()
    with subprocess.Popen(command) as client:
        until(lambda: one(watching, left) == 1)
        client.kill()
        until(lambda: one(watching, left) == 0)
