"""Attacks by what is looked up by a value's type each time that an expression is computed.

A trusted view fixes what it calls, but for functions that take what type they are given, and look
for its casts or operators when they run: ``to_json(v)`` calls a cast to json that the owner of the
type has added since.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_attack_type_owners import AGREE, LABEL, TELL, TRAPS, UNIT, Trap, auditor, lay

pytestmark = pytest.mark.pooled

__all__ = ["auditor"]

CASTS = Trap(
    UNIT,
    LABEL,
    TELL.format("unit", "text", "format('%s', $1)")
    + "CREATE CAST (unit AS text) WITH FUNCTION tell(unit);"
    + TELL.replace("tell", "tell_json").format("unit", "json", "'1'")
    + "CREATE CAST (unit AS json) WITH FUNCTION tell_json(unit)",
)
DOMAIN = Trap(f"{AGREE}; CREATE DOMAIN unit AS unit_part", "(i % 3)::unit", "")
RANGE = Trap(TRAPS["difference of a range"].type, "unit(i % 3, i % 3 + i % 5 + 1)", "ANALYZE raw")

SEEN = "CREATE VIEW adm.made AS SELECT {} AS a, b FROM adm.snap AS s"
JSON = "JSON_OBJECT('v': v)->>'v'", "JSON_ARRAY(v)->>0", "JSON_ARRAYAGG(v) OVER ()->>0"
"""Expressions of PostgreSQL 16 and later."""

LOOKUPS: dict[str, tuple[Trap, list[str]]] = {
    "casts": (
        CASTS,
        [
            *(
                SEEN.format(seen)
                for seen in (
                    "to_json(v)#>>'{{}}'",
                    "to_jsonb(s)->>'v'",
                    "row_to_json(s)->>'v'",
                    "array_to_json(ARRAY[v])->>0",
                    "json_build_object('v', v)->>'v'",
                    "jsonb_build_array(v)->>0",
                    "jsonb_agg(v) OVER (PARTITION BY who)->>0",
                    "(SELECT json_object_agg(1, t.v)->>'1' FROM adm.snap AS t)",
                    "'unit ' || v",
                    "v || ''",
                    "quote_literal(v)",
                    "quote_nullable(v)",
                )
            ),
            # A function of any type.
            "CREATE FUNCTION adm.show(anyelement) RETURNS text LANGUAGE plpgsql AS "
            f"$$BEGIN RETURN $1::text; END$$; {SEEN.format('adm.show(v)')}",
            "CREATE OPERATOR adm.## (RIGHTARG = anyelement, FUNCTION = adm.show);"
            + SEEN.format("OPERATOR(adm.##) v"),
            "CREATE VIEW adm.inner AS SELECT v, b FROM adm.snap;"
            "CREATE VIEW adm.made AS SELECT 'no. ' || v AS a, b FROM adm.inner",
            "CREATE FUNCTION adm.shown() RETURNS SETOF text BEGIN ATOMIC "
            "SELECT to_json(v)#>>'{{}}' FROM adm.snap; END;"
            "CREATE VIEW adm.made AS SELECT a, 1 AS b FROM adm.shown() AS a",
            "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
            "ALTER TABLE adm.made ENABLE ROW LEVEL SECURITY; "
            "CREATE POLICY p ON adm.made "
            "USING (EXISTS (SELECT FROM adm.snap WHERE 'no. ' || v > ''))",
        ],
    ),
    "checks": (
        DOMAIN,
        [
            "CREATE TYPE adm.pair AS (v {0}.unit);"
            + SEEN.format("(jsonb_populate_record(NULL::adm.pair, '{{\"v\": 1}}')).v::int"),
            SEEN.format("(format('(%s)', a)::adm.pair).v::int"),
            SEEN.format("(jsonb_populate_record(NULL::adm.snap, '{{\"v\": 1}}')).v::int"),
            SEEN.format("(jsonb_populate_record(s, '{{\"v\": 1}}')).v::int"),
            # The values of a foreign table are made when it is read.
            "CREATE EXTENSION file_fdw; CREATE SERVER local FOREIGN DATA WRAPPER file_fdw;"
            "CREATE FOREIGN TABLE adm.lines (v {0}.unit, b int) SERVER local "
            "OPTIONS (program 'echo 1,2', format 'csv');"
            "CREATE VIEW adm.made AS SELECT v::int AS a, b FROM adm.lines",
        ],
    ),
    "estimates": (
        RANGE,
        [
            "ANALYZE adm.snap; CREATE VIEW adm.made AS SELECT a, b FROM adm.snap WHERE v @> 1",
        ],
    ),
}
"""Types of an attacker, and copies that an administrator makes of their table."""


@pytest.mark.parametrize("kind", LOOKUPS)
def test_trusted_views_that_look_a_strangers_type_up(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    trap, made = LOOKUPS[kind]
    if kind == "casts" and db.info.server_version >= 160000:
        made = [*made, *map(SEEN.format, JSON)]
    attacker = make_publisher("attacker")
    role = lay(attacker, db, trap)
    overheard = overhear(attacker)
    tables = [f"adm.made{number}" for number in range(len(made))]
    for table, statement in zip(tables, made, strict=True):
        named = statement.replace("adm.made", table)
        db.execute(sql.SQL(named).format(sql.Identifier(role)))
        db.execute(f"GRANT SELECT ON {table} TO PUBLIC")
        attacker.execute(f"SELECT bkpriv.register_dataset('{table}', '{table}', '{{a}}', 'b')")
        # It is a trap.
        overheard.clear()
        attacker.execute(f"SELECT count(a) FROM {table}")
        assert overheard, statement
        assert all(text.startswith("trojan ran") for text in overheard)
    for reader, call in (
        (auditor, "bkpriv.prior('{0}', '0.3')"),
        (db, "bkpriv.prior('{0}', '0.3')"),
        # By a name that they give themselves, too: who sees what is looked up?
        (db, "bkpriv.register_dataset('own', '{0}', '{{a}}', 'b')"),
    ):
        said = overhear(reader)
        with unchanged(db):
            for table in tables:
                called = f"SELECT {call.format(table)}"
                refused(reader, called, sqlstate="42501", names=[table, role])
        assert said == []


def test_trusted_views_that_need_nothing_of_a_strangers_type(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    lay(make_publisher("attacker"), db, CASTS)
    said = overhear(db) + overhear(auditor)
    for number, seen in enumerate(
        (
            "format('%s', v)",
            "concat('unit ', v)",
            "format('%s', max(v) OVER (PARTITION BY a))",
            "array_to_string(ARRAY[v], ', ')",
            "a > 1 AND v = v",
            "(SELECT count(DISTINCT t.v) FROM adm.snap AS t)",
            "coalesce(lag(v) OVER (ORDER BY v) <> v, false)",
        )
    ):
        table = f"adm.made{number}"
        db.execute(SEEN.format(seen).replace("adm.made", table))
        db.execute(f"GRANT SELECT ON {table} TO PUBLIC")
        db.execute(f"SELECT bkpriv.register_dataset('{table}', '{table}', '{{a}}', 'b')")
        assert auditor.execute(f"SELECT * FROM bkpriv.prior('{table}', '0.3')").fetchall()
    assert said == []


def test_what_an_error_proposes_of_a_table_that_is_read_works(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    lay(make_publisher("attacker"), db, CASTS)
    db.execute("CREATE VIEW adm.made AS SELECT to_json(v)#>>'{}' AS v, b FROM adm.snap")
    register = "SELECT bkpriv.register_dataset('x', 'adm.{}', '{{v}}', 'b')"
    said = refused(db, register.format("made"), sqlstate="42501", names=['"v" of table adm.snap'])
    hint = said.message_hint or ""
    shown = hint[hint.index("CASE") : hint.index("END") + 3]
    db.execute(
        f"CREATE VIEW adm.between AS SELECT {shown} AS v, b FROM adm.snap;"
        "CREATE VIEW adm.safe AS SELECT to_json(v)#>>'{}' AS v, b FROM adm.between;"
        "GRANT SELECT ON adm.safe TO PUBLIC"
    )
    overheard = overhear(db) + overhear(auditor)
    db.execute(register.format("safe"))
    for reader in (db, auditor):
        assert len(reader.execute("SELECT * FROM bkpriv.prior('x', '0.3')").fetchall()) == 3 * 4
    assert overheard == []


def test_a_view_of_ones_own_over_types_of_who_owns_the_table(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    owner, publisher = make_publisher("owner"), make_publisher()
    lay(owner, db, CASTS)
    owner.execute("GRANT SELECT ON raw TO PUBLIC")
    home = sql.Identifier(owner.info.user)
    publisher.execute(
        sql.SQL("CREATE VIEW made AS SELECT 'unit ' || v AS v, b FROM {}.raw").format(home)
    )
    publisher.execute("SELECT bkpriv.register_dataset('x', 'made', '{v}', 'b')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 2}})
    assert publish(publisher, "x", "p", "shown")


def test_the_owner_of_the_database_is_a_stranger_by_any_name(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, CASTS)
    db.execute("CREATE TABLE public.snap AS SELECT * FROM adm.snap; GRANT SELECT ON public.snap "
               "TO PUBLIC")  # fmt: skip
    db.execute(
        sql.SQL("ALTER DATABASE {} OWNER TO {}").format(
            sql.Identifier(one(db, "SELECT current_database()")), sql.Identifier(role)
        )
    )
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'adm.snap', '{v}', 'b')")
    for step in (
        "SELECT",
        "GRANT ALL ON SCHEMA {0} TO pg_database_owner; "
        "ALTER FUNCTION {0}.tell OWNER TO pg_database_owner",
        "ALTER FUNCTION {0}.tell_json OWNER TO pg_database_owner",
        "ALTER TYPE {0}.unit OWNER TO pg_database_owner",
        "ALTER SCHEMA {0} OWNER TO pg_database_owner",
    ):
        attacker.execute(sql.SQL(step).format(sql.Identifier(role)))
        for reader, call, table in (
            (db, "bkpriv.register_dataset('x', 'adm.snap', '{v}', 'b')", "adm.snap"),
            (db, "bkpriv.register_dataset('x', 'public.snap', '{v}', 'b')", "public.snap"),
            (auditor, "bkpriv.prior('bait', '0.3')", "adm.snap"),
        ):
            said = overhear(reader)
            refused(reader, f"SELECT {call}", sqlstate="42501", names=[table, role])
            assert said == []


def test_types_in_the_schema_public_belong_to_who_owns_them(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    db.execute(
        "CREATE TYPE public.kind AS ENUM ('k0', 'k1');"
        "CREATE TABLE public.own AS SELECT ('k' || i % 2)::public.kind AS v, i * i % 7 AS b "
        "FROM generate_series(1, 120) AS i; GRANT SELECT ON public.own TO PUBLIC"
    )
    db.execute(
        sql.SQL("ALTER DATABASE {} OWNER TO {}").format(
            sql.Identifier(one(db, "SELECT current_database()")),
            sql.Identifier(attacker.info.user),
        )
    )
    db.execute("SELECT bkpriv.register_dataset('x', 'public.own', '{v}', 'b')")
    assert db.execute("SELECT * FROM bkpriv.prior('x', '0.3')").fetchall()


def test_who_would_act_for_an_owner_is_told_to_connect_as_them(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, CASTS)
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'raw', '{v}', 'b')")
    said = refused(db, "SELECT * FROM bkpriv.prior('bait', '0.3')", sqlstate="42501", names=[role])
    # After SET ROLE their code would RESET ROLE, and be the superuser's.
    assert f"Connect as {role}" in (said.message_hint or "")


def test_who_declares_knowledge_for_an_owner_does_not_run_their_source(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    lay(attacker, db, Trap("SELECT", "i % 3", TELL.format("int", "int", "$1")))
    attacker.execute(
        "CREATE VIEW trap AS SELECT who, a, v, tell(b) AS b FROM raw;"
        "SELECT bkpriv.register_dataset('bait', 'trap', '{a}', 'b', 'who', period => 'v');"
    )
    db.execute("CREATE TABLE adm.rules AS SELECT '{0}'::text[] AS history, '1' AS next, "
               "1::float8 AS probability")  # fmt: skip
    said = overhear(db)
    call = "bkpriv.set_sequential_knowledge('bait', 'k', 'domain', 'adm.rules')"
    refused(db, f"SELECT {call}", sqlstate="42501", names=[attacker.info.user])
    assert said == []


def test_what_is_proposed_for_values_that_read_alike_calls_no_cast(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker, publisher = make_publisher("attacker"), make_publisher()
    trap = CASTS.spring.replace("format('%s', $1)", "'alike'")
    role = lay(attacker, db, Trap(UNIT, LABEL, trap))
    attacker.execute("GRANT SELECT ON raw TO PUBLIC")
    state_policy(publisher, "p", {"k_anonymity": {"k": 2}})
    publisher.execute(f"SELECT bkpriv.register_dataset('alike', '{role}.raw', '{{v}}', 'b')")
    call = "SELECT bkpriv.publish('alike', 'p', 'shown')"
    said = refused(publisher, call, sqlstate="22000", names=['"v"'])
    hint = said.message_hint or ""
    shown = hint[hint.index("CASE") : hint.index("END") + 3]
    # Theirs would be taken, of the two, in a session that looks into their schema.
    attacker.execute(TELL.replace("tell", "format", 1).format("text, unit", "text", "'theirs'"))
    publisher.execute(f"SET search_path = pg_catalog, {role}, {publisher.info.user}")
    publisher.execute(
        f"CREATE VIEW {publisher.info.user}.made AS SELECT {shown} AS v, b FROM {role}.raw"
    )
    publisher.execute("RESET search_path")
    overheard = overhear(publisher)
    publisher.execute("SELECT bkpriv.register_dataset('x', 'made', '{v}', 'b')")
    assert publish(publisher, "x", "p", "shown")
    assert not any(text.startswith("trojan") for text in overheard)
