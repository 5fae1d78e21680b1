"""Attacks by way of the session: search_path, temporary objects, settings, the Python path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish
from tests.db.refusal import refused

EVERYTHING = [
    "SELECT bkpriv.register_dataset('d', 'own', '{a}', 'b')",
    "SELECT bkpriv.set_hierarchy('d', 'a', 'levels')",
    "SELECT bkpriv.set_interval_hierarchy('d', 'b', '{2,4}')",
    'SELECT bkpriv.set_policy(\'p\', \'{"k_anonymity": {"k": 3}, '
    '"bt_privacy": {"bandwidth": 0.4, "t": 0.5}}\')',
    "SELECT bkpriv.publish('d', 'p', 'shown')",
    "SELECT bkpriv.publish('d', 'p', 'shown', options => '{\"materialized\": true}')",
    "INSERT INTO own VALUES (1, 1)",
    "SELECT * FROM bkpriv.prior('d', '0.4')",
    "SELECT * FROM bkpriv.posterior((SELECT max(release) FROM bkpriv.releases), '0.4')",
    "SELECT * FROM bkpriv.disclosure((SELECT max(release) FROM bkpriv.releases), '0.4')",
    "SELECT * FROM bkpriv.audit((SELECT max(release) FROM bkpriv.releases))",
    "SELECT * FROM bkpriv.attack((SELECT max(release) FROM bkpriv.releases), 'majority')",
    "SELECT * FROM bkpriv.utility((SELECT max(release) FROM bkpriv.releases))",
    "SELECT * FROM bkpriv.explain_suppressed((SELECT max(release) FROM bkpriv.releases))",
    "SELECT * FROM bkpriv.releases",
    "SELECT * FROM bkpriv.audits",
    "SELECT * FROM bkpriv.attacks",
    "SELECT * FROM bkpriv.doctor()",
    "SELECT bkpriv.exact_posterior('{{0.5,0.5},{0.1,0.9}}', '{1,1}')",
    "SELECT bkpriv.withdraw(release, 'x') FROM bkpriv.releases WHERE status <> 'withdrawn'",
    "SELECT bkpriv.drop_dataset('d')",
]
"""A walk through the functions, by one who has tables ``own`` and ``levels``."""


def walk(connection: Connection, statements: list[str] = EVERYTHING) -> None:
    """Run the statements one by one."""
    for statement in statements:
        connection.execute(statement)


def prepare(connection: Connection, schema: str) -> None:
    """Create the tables that the walk needs."""
    names = {"schema": sql.Identifier(schema)}
    connection.execute(
        sql.SQL(
            "CREATE TABLE {schema}.own AS "
            "SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
            "CREATE TABLE {schema}.levels AS "
            "SELECT i::text AS v, 20 + i / 4 AS four, 30 AS root FROM generate_series(0, 11) AS i"
        ).format(**names)
    )


# --- objects that stand in the way of names -------------------------------------------------------


TRAPS = """
    CREATE FUNCTION {0}.trap() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_int(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_big(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_text(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_name(name, name) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_oid(oid, oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE FUNCTION {0}.trap_join(text, bigint) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'trapped as %', current_user; END $$;
    CREATE OPERATOR {0}.= (leftarg = int, rightarg = int, procedure = {0}.trap_int);
    CREATE OPERATOR {0}.= (leftarg = bigint, rightarg = bigint, procedure = {0}.trap_big);
    CREATE OPERATOR {0}.= (leftarg = text, rightarg = text, procedure = {0}.trap_text);
    CREATE OPERATOR {0}.= (leftarg = name, rightarg = name, procedure = {0}.trap_name);
    CREATE OPERATOR {0}.= (leftarg = oid, rightarg = oid, procedure = {0}.trap_oid);
    CREATE OPERATOR {0}.<> (leftarg = text, rightarg = text, procedure = {0}.trap_text);
    CREATE OPERATOR {0}.|| (leftarg = text, rightarg = bigint, procedure = {0}.trap_join);
"""

FUNCTIONS = (
    *("count", "max", "sum", "coalesce", "format", "format_type", "quote_ident", "unnest", "md5"),
    *("array_agg", "string_agg", "row_number", "now", "gen_random_uuid", "current_setting"),
    *("set_config", "current_schema", "parse_ident", "has_function_privilege", "pg_has_role"),
    *("has_schema_privilege", "hashtextextended", "pg_advisory_xact_lock", "generate_series"),
    *("int4send", "int8send", "float8send", "obj_description", "aclexplode", "nextval", "currval"),
    *("version", "python_path", "owns", "owned", "sees_all", "release_table", "watch_token"),
    *(
        "auditor",
        "written_tables",
        "watch_tokens",
        "add_stale",
        "hold_writers",
        "mark_stale",
        "guard",
    ),
)


def set_traps(connection: Connection, schema: str) -> None:
    """Fill a schema with objects named like those that bkpriv uses."""
    connection.execute(TRAPS.format(schema))
    kinds = ["", "text", "int", "bigint", "text, text", "text, text, text", "bigint, text[]", "oid"]
    for name in FUNCTIONS:
        for kind in kinds:
            connection.execute(
                sql.SQL(
                    "CREATE FUNCTION {}.{}({}) RETURNS text LANGUAGE plpgsql AS "
                    "$$ BEGIN RAISE EXCEPTION 'trapped'; END $$"
                ).format(sql.SQL(schema), sql.Identifier(name), sql.SQL(kind))
            )
    relations = (
        *("pg_class", "pg_namespace", "pg_attribute", "pg_roles", "pg_proc", "pg_type"),
        *("pg_trigger", "pg_depend", "pg_rewrite", "pg_inherits", "pg_extension"),
        *("dataset", "hierarchy", "policy", "release", "release_attribute", "release_content"),
        *(
            "release_draw",
            "release_respondent",
            "release_belief",
            "sequential_knowledge",
            "release_event",
            "release_notice",
            "release_base",
            "audit_record",
            "attack_record",
            "releases",
            "audits",
            "attacks",
            "release_id",
            "audit_id",
        ),
    )
    for name in relations:
        connection.execute(
            sql.SQL("CREATE {} TABLE {}.{} (release bigint, dataset text, name text)").format(
                sql.SQL("TEMP" if schema == "pg_temp" else ""),
                sql.SQL(schema),
                sql.Identifier(name),
            )
        )


@pytest.mark.always
def test_a_hostile_search_path_changes_nothing(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    prepare(publisher, publisher.info.user)
    set_traps(publisher, f'"{publisher.info.user}"')
    # The traps are real: a function that does not pin its path walks into them.
    publisher.execute(f'SET search_path = "{publisher.info.user}", pg_catalog')
    with pytest.raises(psycopg.errors.RaiseException, match="trapped"):
        publisher.execute("SELECT 1 = 1")
    walk(publisher, [s for s in EVERYTHING if "WHERE" not in s and "max(" not in s][:8])
    publisher.execute("RESET search_path")
    walk(publisher, EVERYTHING[8:])


def test_temporary_objects_shadow_nothing(make_publisher: Callable[..., Connection]) -> None:
    publisher = make_publisher()
    prepare(publisher, publisher.info.user)
    set_traps(publisher, "pg_temp")
    walk(publisher)


def test_temporary_objects_do_not_mislead_the_triggers_of_others(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    # A writer's temporary tables are in reach of the trigger that runs in the writer's session.
    release = publish(clinic)
    writer = make_role("writer")
    role = sql.Identifier(writer)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT INSERT ON clinic.patient TO {}").format(role))
    connection = database.connect(writer)
    set_traps(connection, "pg_temp")
    connection.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    assert one(clinic, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release])


@pytest.mark.parametrize(
    "setting",
    [
        "standard_conforming_strings = off",
        "backslash_quote = on",
        "quote_all_identifiers = on",
        "escape_string_warning = on",
        "array_nulls = off",
        "transform_null_equals = on",
        "client_encoding = 'LATIN1'",
        "default_table_access_method = 'heap'",
        "default_transaction_deferrable = on",
        "check_function_bodies = off",
        "plpgsql.variable_conflict = 'use_column'",
        "lc_messages = 'C'",
        "client_min_messages = debug5",
        "row_security = off",
        "session_replication_role = 'origin'",
    ],
)
def test_settings_of_the_caller_do_no_harm(
    shared_database: Database,
    shared_db: Connection,
    make_role: Callable[..., str],
    setting: str,
) -> None:
    role = make_role("publisher")
    shared_db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    shared_db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(role)))
    publisher = shared_database.connect(role)
    prepare(publisher, role)
    try:
        publisher.execute(f"SET {setting}")
    except psycopg.errors.InsufficientPrivilege:
        return  # only for superusers
    walk(publisher)
    shared_db.execute("DELETE FROM bkpriv.policy")


# --- the Python path ------------------------------------------------------------------------------


def test_no_setting_redirects_the_python_path(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    path = one(clinic, "SELECT bkpriv_internal.python_path()")
    names = ("python_path", "path", "pythonpath", "library_path")
    for connection in (clinic, make_publisher()):
        for name in names:
            connection.execute(f"SET bkpriv.{name} = '/tmp/hostile'")
            connection.execute(f"SET plpython3.{name} = '/tmp/hostile'")
        connection.execute("SET pythonpath.x = '/tmp/hostile'")
        if connection is clinic:
            connection.execute("SET dynamic_library_path = '/tmp/hostile'")
        found: dict[str, str] = dict(
            connection.execute("SELECT check_name, detail FROM bkpriv.doctor()").fetchall()
        )
        assert found["packages"] == f"loaded from {path}"
        assert one(connection, "SELECT bkpriv_internal.python_path()") == path


def test_a_publisher_cannot_replace_what_is_called(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    for statement in (
        "CREATE OR REPLACE FUNCTION bkpriv_internal.python_path() RETURNS text LANGUAGE sql "
        "AS $$ SELECT '/tmp' $$",
        "CREATE FUNCTION bkpriv_internal.python_path(int) RETURNS text LANGUAGE sql "
        "AS $$ SELECT '/tmp' $$",
        "ALTER FUNCTION bkpriv_internal.python_path() SET search_path = pg_temp",
        "ALTER FUNCTION bkpriv.version() OWNER TO CURRENT_USER",
        "DROP FUNCTION bkpriv_internal.python_path()",
        "CREATE FUNCTION run() RETURNS void LANGUAGE plpython3u AS $$ import os $$",
        "DO LANGUAGE plpython3u $$ import sys; sys.path.insert(0, '/tmp') $$",
        "CREATE TABLE bkpriv.x (a int)",
        "CREATE TABLE bkpriv_release.x (a int)",
        "ALTER EXTENSION bkpriv UPDATE",
        "ALTER TABLE bkpriv.release DISABLE TRIGGER ALL",
        "ALTER TABLE bkpriv.release DISABLE ROW LEVEL SECURITY",
        "DROP POLICY see ON bkpriv.release",
        "SET session_replication_role = 'replica'",
        "SET dynamic_library_path = '/tmp'",
        "LOAD '/tmp/x.so'",
    ):
        with pytest.raises(
            (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFile)
        ) as caught:
            publisher.execute(statement)
        assert caught.value.sqlstate == "42501", statement


def test_modules_where_the_server_runs_are_not_imported(
    server: Connection, clinic: Connection, database: Database
) -> None:
    # The working directory of a server process is its data directory; a superuser could write there
    # and so gain nothing, but anything that leads a file there must not lead code into Python.
    directory = Path(one(server, "SHOW data_directory"))
    names = ("bkpriv_pl", "bkpriv_core", "numpy", "scipy", "json", "sitecustomize")
    for name in names:
        clinic.execute(
            sql.SQL("COPY (SELECT {}) TO {}").format(
                sql.Literal("raise SystemError('hostile')"), sql.Literal(f"{directory}/{name}.py")
            )
        )
    try:
        fresh = database.connect()
        checks = fresh.execute("SELECT check_name, ok FROM bkpriv.doctor()").fetchall()
        assert ("packages", True) in checks
    finally:
        for name in names:
            clinic.execute(
                sql.SQL("COPY (SELECT) TO PROGRAM {}").format(
                    # What is written must be read: whoever ends before that breaks the pipe.
                    sql.Literal(f"cat >/dev/null && rm -f '{directory}/{name}.py'")
                )
            )


def test_packages_from_elsewhere_are_refused(clinic: Connection, database: Database) -> None:
    # Only a superuser can write PL/Python; one who loads another package first gets no further.
    connection = database.connect()
    connection.execute(
        "DO LANGUAGE plpython3u $$\n"
        "import sys, types\n"
        "fake = types.ModuleType('bkpriv_pl')\n"
        "fake.__path__ = []\n"
        "sys.modules['bkpriv_pl'] = fake\n$$"
    )
    names = ["packages were not loaded", "bkpriv_pl.server"]
    refused(connection, "SELECT * FROM bkpriv.doctor()", sqlstate="58P01", names=names)
    assert clinic.execute("SELECT * FROM bkpriv.doctor()").fetchall()


def test_the_extension_is_not_created_in_a_schema_of_somebody_else(
    database: Database, db: Connection, make_role: Callable[..., str]
) -> None:
    squatter = make_role("squatter")
    db.execute("DROP EXTENSION bkpriv CASCADE; DROP SCHEMA bkpriv")
    db.execute(sql.SQL("CREATE SCHEMA bkpriv AUTHORIZATION {}").format(sql.Identifier(squatter)))
    with pytest.raises(psycopg.errors.DuplicateSchema) as caught:
        db.execute("CREATE EXTENSION bkpriv")
    assert caught.value.diag.message_detail
    assert caught.value.diag.message_hint


LURES = {
    "overload": "CREATE FUNCTION bkpriv.withdraw(int, text) RETURNS int LANGUAGE sql RETURN 1",
    "function": "CREATE FUNCTION bkpriv.format(text, text, text) RETURNS text LANGUAGE sql AS "
    "$$SELECT 'ALTER ROLE {0} SUPERUSER'$$",
    "operator": "CREATE FUNCTION bkpriv.same(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS "
    "$$BEGIN ALTER ROLE {0} SUPERUSER; RETURN false; END$$; "
    "CREATE OPERATOR bkpriv.= (FUNCTION = bkpriv.same, LEFTARG = oid, RIGHTARG = regclass)",
    "type": "CREATE TYPE bkpriv.regrole AS (oid oid)",
}
"""Objects that a stranger can put into the schema, to be taken by the extension or callers."""


@pytest.mark.parametrize("lure", LURES.values(), ids=LURES)
def test_what_is_in_the_schema_already_is_not_taken_for_the_extensions(
    database: Database, db: Connection, make_role: Callable[..., str], lure: str
) -> None:
    squatter = make_role("squatter")
    db.execute("DROP EXTENSION bkpriv CASCADE")
    db.execute(sql.SQL("GRANT ALL ON SCHEMA bkpriv TO {}").format(sql.Identifier(squatter)))
    database.connect(squatter).execute(lure.format(squatter).encode())
    with pytest.raises(psycopg.errors.DuplicateObject, match="not of the extension"):
        db.execute("CREATE EXTENSION bkpriv")
    assert not one(db, "SELECT rolsuper FROM pg_roles WHERE rolname = %s", [squatter])


@pytest.mark.parametrize(
    "more",
    [
        *("ALTER ROLE bkpriv_auditor LOGIN", "ALTER ROLE bkpriv_publisher BYPASSRLS"),
        *("ALTER ROLE bkpriv_watcher REPLICATION", "GRANT pg_read_all_data TO bkpriv_publisher"),
    ],
)
def test_a_role_that_is_more_than_a_group_is_not_taken_for_one(db: Connection, more: str) -> None:
    db.execute(f"BEGIN; DROP EXTENSION bkpriv CASCADE; {more}".encode())
    with pytest.raises(psycopg.errors.DuplicateObject, match="more than a group"):
        db.execute("CREATE EXTENSION bkpriv")
    db.execute("ROLLBACK")


LEAPS = {
    "half of a character": ("XX000", "acldefault('\\303', 10)", "bkpriv.inspect_columns('seen')"),
    "half of one in XML": (
        "2200N",
        "xmlparse(CONTENT '<a>' || repeat('é', 200) || '</bb>')",
        "bkpriv.inspect_columns('seen')",
    ),
    "parallel work": ("25000", "bkpriv.inspect_columns('own')", "seen"),
}
"""Errors that PL/Python raises by a jump over Python's frames: code, and what runs it."""


@pytest.mark.parametrize(("state", "code", "asked"), LEAPS.values(), ids=LEAPS)
def test_no_error_jumps_over_the_frames_of_python(
    make_publisher: Callable[..., Connection], state: str, code: str, asked: str
) -> None:
    publisher = make_publisher()
    publisher.execute(
        "CREATE FUNCTION careless(a int) RETURNS int PARALLEL SAFE LANGUAGE plpgsql AS "
        f"$$ BEGIN PERFORM {code}; RETURN a; END $$;"
        "CREATE TABLE own AS SELECT i % 12 AS a, i % 7 AS b FROM generate_series(1, 9000) AS i;"
        f"CREATE VIEW seen AS SELECT {publisher.info.user}.careless(a) AS a, b FROM own;"
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 1".encode()
    )
    for _ in range(3):
        with pytest.raises(psycopg.Error) as caught:
            publisher.execute(f"SELECT count(a) FROM {asked} AS x(a)".encode())
        assert caught.value.sqlstate == state
        assert one(publisher, "SELECT count(*) FROM bkpriv.inspect_columns('own')")


def test_an_error_that_would_jump_all_the_same_ends_the_session(
    database: Database, db: Connection
) -> None:
    # Such as that of the 2^32nd subtransaction, which takes half an hour.
    connection = database.connect()
    connection.execute("SELECT bkpriv.doctor()")
    with pytest.raises(psycopg.errors.ActiveSqlTransaction), connection.transaction():
        connection.execute(
            "DO LANGUAGE plpython3u $$\n"
            "import ctypes\n"
            "from bkpriv_pl.server.memory import lifted\n"
            "with lifted():\n"
            "    ctypes.pythonapi.PreventInTransactionBlock(1, b'this')\n$$"
        )
    assert connection.closed
    assert one(db, "SELECT count(*) FROM bkpriv.doctor()")
