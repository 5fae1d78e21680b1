"""Attacks by way of what relations are made of: their owners would have code run by who reads them.

The owner of a column's type adds casts to and from text as they like, which an expression such as
``value::text`` then calls. So it is with whatever else a trusted relation is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

TELL = """
    CREATE FUNCTION tell({0}) RETURNS {1} LANGUAGE plpgsql IMMUTABLE COST 1000
    SET search_path FROM CURRENT AS $$
    BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN {2}; END $$;
"""


@dataclass(frozen=True)
class Trap:
    """A type of an attacker's, its value of the i-th record, and what they make of it later."""

    type: str
    value: str
    spring: str


UNIT = "CREATE TYPE unit AS ENUM ('u0', 'u1', 'u2');"
LABEL = "('u' || i % 3)::unit"
AGREE = TELL.format("int", "boolean", "true") + "CREATE DOMAIN unit_part AS int CHECK (tell(VALUE))"

TRAPS = {
    "cast to text": Trap(
        UNIT,
        LABEL,
        TELL.format("unit", "text", "format('%s', $1)")
        + "CREATE CAST (unit AS text) WITH FUNCTION tell(unit)",
    ),
    "cast from text": Trap(
        UNIT,
        LABEL,
        TELL.format("text", "unit", "(enum_range(NULL::unit))[1]")
        + "CREATE CAST (text AS unit) WITH FUNCTION tell(text)",
    ),
    "cast of an array": Trap(
        f"{UNIT} CREATE DOMAIN units AS unit[]",
        f"ARRAY[{LABEL}]::units",
        TELL.format("unit[]", "text", "format('%s', $1)")
        + "CREATE CAST (unit[] AS text) WITH FUNCTION tell(unit[])",
    ),
    "cast of a composite": Trap(
        "CREATE TYPE unit AS (n int)",
        "ROW(i % 3)::unit",
        TELL.format("unit", "text", "format('%s', $1)")
        + "CREATE CAST (unit AS text) WITH FUNCTION tell(unit)",
    ),
    "cast of a range": Trap(
        "CREATE TYPE unit AS RANGE (subtype = int)",
        "unit(i % 3, NULL)",
        TELL.format("unit", "text", "format('%s', $1)")
        + "CREATE CAST (unit AS text) WITH FUNCTION tell(unit)",
    ),
    "check of a domain in an array": Trap(
        f"{AGREE}; CREATE DOMAIN unit AS unit_part[]", "ARRAY[i % 3]::unit", ""
    ),
    "check of a domain in a composite": Trap(
        f"{AGREE}; CREATE TYPE unit AS (n unit_part)", "ROW(i % 3)::unit", ""
    ),
    "check of a domain in a multirange": Trap(
        f"{AGREE}; CREATE TYPE unit AS RANGE (subtype = unit_part)",
        "unit_multirange(unit((i % 3)::unit_part, NULL))",
        "",
    ),
    "difference of a range": Trap(
        TELL.format("int, int", "float8", "1")
        + "CREATE TYPE unit AS RANGE (subtype = int, subtype_diff = tell)",
        "unit(i % 3, NULL)",
        "",
    ),
}
"""Traps by what is to run. Some run when values become texts, some when texts become values."""

BELIEF = """
    SELECT x.v, y.b AS value, 1 / (SELECT count(DISTINCT b) FROM {0})::float8 AS probability
    FROM (SELECT DISTINCT v FROM {0}) AS x CROSS JOIN (SELECT DISTINCT b FROM {0}) AS y
"""


def lay(attacker: Connection, db: Connection, trap: Trap) -> str:
    """Have an administrator copy an attacker's table, which is a trap; returns the attacker."""
    role = attacker.info.user
    attacker.execute(trap.type)
    attacker.execute(
        f"CREATE TABLE raw AS SELECT i AS who, i % 12 AS a, {trap.value} AS v, i * i % 7 AS b "
        "FROM generate_series(1, 120) AS i"
    )
    home = sql.Identifier(role)
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(home))
    db.execute(
        sql.SQL(
            "CREATE SCHEMA adm; GRANT USAGE ON SCHEMA adm TO PUBLIC;"
            "CREATE TABLE adm.snap AS SELECT * FROM {0}.raw;"
            f"CREATE TABLE adm.belief AS {BELIEF.format('adm.snap')};"
            "CREATE TABLE adm.levels AS SELECT DISTINCT v, 'any' AS top FROM adm.snap;"
            "CREATE TABLE adm.corpus AS SELECT who AS respondent, v AS period, b AS value "
            "FROM adm.snap;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA adm TO PUBLIC"
        ).format(home)
    )
    attacker.execute(trap.spring or "SELECT")
    return role


@pytest.fixture
def auditor(database: Database, db: Connection, make_role: Callable[..., str]) -> Connection:
    """An auditor's connection."""
    role = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    return database.connect(role)


@pytest.mark.parametrize("kind", TRAPS)
def test_a_registered_source_of_a_trusted_owner(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS[kind])
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'adm.snap', '{v}', 'b')")
    attacker.execute("SELECT bkpriv.register_dataset('dated', 'adm.snap', '{a}', 'b', "
                     "period => 'v')")  # fmt: skip
    state_policy(attacker, "p", {"k_anonymity": {"k": 2}})
    first = one(attacker, "SELECT format('%%s', v) FROM adm.snap LIMIT 1")
    calls: list[tuple[str, list[Any]]] = [
        ("bkpriv.prior('bait', '0.3')", []),
        ("bkpriv.prior('dated', '0.3', %s)", [first]),
        ("bkpriv.lattice('bait', 'p')", []),
        ("bkpriv.optimize_randomization('bait', 'rr-qi', 0.5)", []),
    ]
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            for call, arguments in calls:
                names = ["adm.snap", role, '"v"']
                refused(reader, f"SELECT * FROM {call}", arguments, sqlstate="42501", names=names)
        assert said == []
    suggest = "SELECT * FROM bkpriv.suggest_hierarchy('bait', 'v')"
    with unchanged(db):
        refused(db, suggest, sqlstate="42501", names=["adm.snap", role, '"v"'])
    assert said == []
    # Those are the attacker's own types, which work for them.
    assert attacker.execute("SELECT * FROM bkpriv.prior('bait', '0.3')").fetchall()
    assert attacker.execute("SELECT * FROM bkpriv.prior('dated', '0.3', %s)", [first]).fetchall()
    assert publish(attacker, "bait", "p", "shown")


@pytest.mark.parametrize("kind", ["cast to text", "cast of an array"])
def test_a_prior_table_of_a_trusted_owner(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS[kind])
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'raw', '{v}', 'b')")
    demand = {
        "k_anonymity": {"k": 2},
        "bt_privacy": {"bandwidth": {"table": "adm.belief"}, "t": 0.99},
    }
    state_policy(attacker, "trap", demand)
    release = publish(attacker, "bait", "trap", "shown")
    for reader in (auditor, db):
        said = overhear(reader)
        # By the name that the policy gives, and as one's own: who sees a type's owner in a table?
        for call, arguments in (
            ("bkpriv.audit(%s)", [release]),
            ("bkpriv.audit(%s, %s)", [release, Jsonb(demand)]),
        ):
            with unchanged(db):
                names = ["adm.belief", role, '"v"']
                refused(reader, f"SELECT * FROM {call}", arguments, sqlstate="42501", names=names)
        assert said == []
    assert attacker.execute("SELECT * FROM bkpriv.audit(%s)", [release]).fetchall()


def test_who_names_a_table_trusts_its_owner_and_not_that_of_a_type(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS["cast to text"])
    db.execute(
        "CREATE TABLE adm.own AS SELECT who, a, b FROM adm.snap;"
        "SELECT bkpriv.register_dataset('mine', 'adm.own', '{a}', 'b', 'who')"
    )
    said = overhear(db)
    for call, table in (
        ("bkpriv.register_dataset('x', 'adm.snap', '{v}', 'b')", "adm.snap"),
        ("bkpriv.register_dataset('x', 'adm.snap', '{a}', 'b', period => 'v')", "adm.snap"),
        ("bkpriv.set_hierarchy('mine', 'a', 'adm.levels')", "adm.levels"),
        ("bkpriv.set_sequential_knowledge('mine', 'x', 'mined', 'adm.corpus')", "adm.corpus"),
        ("bkpriv.prior('mine', '{\"table\": \"adm.belief\"}')", "adm.belief"),
    ):
        with unchanged(db):
            refused(db, f"SELECT {call}", sqlstate="42501", names=[table, role])
    # Who acts for the attacker does not read what is theirs only to warn of a hierarchy.
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'adm.snap', '{v}', 'b')")
    db.execute(
        "CREATE TABLE adm.labels AS SELECT 'u0' AS v, 'any' AS top;"
        f"ALTER TABLE adm.snap OWNER TO {make_publisher().info.user};"
        "SELECT bkpriv.set_hierarchy('bait', 'v', 'adm.labels')"
    )
    assert said == []


def test_what_an_error_proposes_works(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    lay(attacker, db, TRAPS["cast to text"])
    register = "SELECT bkpriv.register_dataset('x', 'adm.{}', '{{v}}', 'b')"
    hint = refused(db, register.format("snap"), sqlstate="42501").message_hint or ""
    shown = hint[hint.index("CASE") : hint.index("END") + 3]
    db.execute(
        f"CREATE VIEW adm.safe AS SELECT {shown} AS v, b FROM adm.snap; "
        "GRANT SELECT ON adm.safe TO PUBLIC"
    )
    said = overhear(db) + overhear(auditor)
    db.execute(register.format("safe"))
    for reader in (db, auditor):
        assert len(reader.execute("SELECT * FROM bkpriv.prior('x', '0.3')").fetchall()) == 3 * 4
    assert said == []


def test_types_of_ones_own_and_of_who_owns_the_table(
    make_publisher: Callable[..., Connection],
) -> None:
    owner, publisher = make_publisher("owner"), make_publisher()
    home = sql.Identifier(owner.info.user)
    owner.execute(UNIT)
    owner.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, "
        f"{LABEL} AS v, i * i % 7 AS b FROM generate_series(1, 120) AS i"
    )
    grant = sql.SQL("GRANT USAGE ON SCHEMA {0} TO PUBLIC; GRANT SELECT ON own TO PUBLIC")
    owner.execute(grant.format(home))
    for connection, dataset in ((owner, "first"), (publisher, "second")):
        connection.execute(
            "SELECT bkpriv.register_dataset(%s, %s, '{a,v}', 'b')",
            [dataset, f"{home.as_string(owner)}.own"],
        )
        state_policy(connection, dataset, {"k_anonymity": {"k": 2}})
        assert publish(connection, dataset, dataset, "shown")


def test_a_type_that_is_a_superusers(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    publisher = make_publisher()
    db.execute("CREATE EXTENSION citext SCHEMA public; CREATE EXTENSION seg SCHEMA public")
    db.execute(
        "CREATE SCHEMA adm; CREATE TABLE adm.snap AS SELECT ('c' || i % 3)::citext AS v, "
        "(i % 5 || '..' || i % 5 + 1)::seg AS w, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        "GRANT USAGE ON SCHEMA adm TO PUBLIC; GRANT SELECT ON adm.snap TO PUBLIC"
    )
    publisher.execute("SELECT bkpriv.register_dataset('x', 'adm.snap', '{v,w}', 'b')")
    for reader in (publisher, auditor, db):
        assert len(reader.execute("SELECT * FROM bkpriv.prior('x', '0.3')").fetchall()) == 15 * 4


MADE_OF = {
    "a view of their table": (
        "CREATE INDEX ON raw ((tell(1)))",
        "CREATE VIEW adm.made AS SELECT a, b FROM {0}.raw",
        "tell",
    ),
    "a view of a view of their table": (
        "CREATE INDEX ON raw ((tell(1)))",
        "CREATE VIEW adm.between AS SELECT a, b FROM {0}.raw;"
        "CREATE VIEW adm.made AS SELECT a, b FROM adm.between",
        "tell",
    ),
    "a view that calls their function": (
        "",
        "CREATE VIEW adm.made AS SELECT a, b FROM adm.snap WHERE {0}.tell(a) >= 0",
        "tell",
    ),
    "a policy that calls their function": (
        "",
        "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
        "ALTER TABLE adm.made ENABLE ROW LEVEL SECURITY; "
        "CREATE POLICY p ON adm.made USING ({0}.tell(a) >= 0)",
        "tell",
    ),
    "an index that calls their function": (
        "",
        "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
        "CREATE INDEX ON adm.made ((a + {0}.tell(1)))",
        "tell",
    ),
    "statistics that call their function": (
        "",
        "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
        "CREATE STATISTICS adm.s ON (a + {0}.tell(1)), b FROM adm.made",
        "tell",
    ),
    "a check that calls their function": (
        "",
        "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
        "ALTER TABLE adm.made ADD CHECK (a + {0}.tell(1) >= 0)",
        "tell",
    ),
    "a child of theirs": (
        "",
        "CREATE TABLE adm.made AS SELECT a, b FROM adm.snap; "
        "CREATE TABLE adm.child () INHERITS (adm.made); "
        "CREATE INDEX ON adm.child ((a + {0}.tell(1))); "
        "ALTER FUNCTION {0}.tell(int) OWNER TO postgres; ALTER TABLE adm.child OWNER TO {0}",
        "child",
    ),
    "a parent of theirs": (
        "",
        "CREATE TABLE adm.parent AS SELECT a, b FROM adm.snap; "
        "CREATE TABLE adm.made () INHERITS (adm.parent); "
        "INSERT INTO adm.made SELECT a, b FROM adm.snap; ALTER TABLE adm.parent OWNER TO {0}",
        "parent",
    ),
    "a foreign table on their server": (
        "",
        "CREATE EXTENSION file_fdw; CREATE SERVER local FOREIGN DATA WRAPPER file_fdw; "
        "COPY (SELECT a, b FROM adm.snap) TO '/dev/null'; "
        "CREATE FOREIGN TABLE adm.made (a int, b int) SERVER local OPTIONS (filename '/dev/null');"
        "ALTER SERVER local OWNER TO {0}",
        "local",
    ),
    "a cast by their function": (
        "",
        "CREATE TYPE adm.unit AS (n int); CREATE FUNCTION {0}.tell(adm.unit) RETURNS text "
        "LANGUAGE sql AS $$SELECT 'x'$$; ALTER FUNCTION {0}.tell(adm.unit) OWNER TO {0}; "
        "CREATE CAST (adm.unit AS text) WITH FUNCTION {0}.tell(adm.unit); "
        "CREATE TABLE adm.made AS SELECT ROW(a)::adm.unit AS a, b FROM adm.snap",
        "tell",
    ),
    "an operator class by their function": (
        "",
        "CREATE TYPE adm.unit AS (n int); "
        "CREATE FUNCTION {0}.less(adm.unit, adm.unit) RETURNS boolean IMMUTABLE "
        "LANGUAGE sql AS $$SELECT ($1).n < ($2).n$$; "
        "CREATE FUNCTION {0}.same(adm.unit, adm.unit) RETURNS boolean IMMUTABLE "
        "LANGUAGE sql AS $$SELECT ($1).n = ($2).n$$; "
        "CREATE FUNCTION {0}.compare(adm.unit, adm.unit) RETURNS int IMMUTABLE "
        "LANGUAGE sql AS $$SELECT btint4cmp(($1).n, ($2).n)$$; "
        "CREATE OPERATOR adm.< (LEFTARG = adm.unit, RIGHTARG = adm.unit, FUNCTION = {0}.less); "
        "CREATE OPERATOR adm.= (LEFTARG = adm.unit, RIGHTARG = adm.unit, FUNCTION = {0}.same); "
        "CREATE OPERATOR CLASS adm.units DEFAULT FOR TYPE adm.unit USING btree AS "
        "OPERATOR 1 adm.<, OPERATOR 3 adm.=, FUNCTION 1 {0}.compare(adm.unit, adm.unit); "
        "ALTER FUNCTION {0}.compare(adm.unit, adm.unit) OWNER TO {0}; "
        "CREATE TABLE adm.made AS SELECT ROW(a)::adm.unit AS a, b FROM adm.snap",
        "compare",
    ),
    "a type in their schema": (
        "",
        "CREATE DOMAIN {0}.lent AS int; ALTER DOMAIN {0}.lent OWNER TO postgres; "
        "CREATE TABLE adm.made AS SELECT a::{0}.lent AS a, b FROM adm.snap",
        "schema",
    ),
}
"""Objects of an attacker, an administrator's use of them, and the one that is in the way."""


@pytest.mark.parametrize("kind", MADE_OF)
def test_a_source_that_is_made_of_what_belongs_to_others(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker = make_publisher("attacker")
    lay(attacker, db, Trap("SELECT", "i", TELL.format("int", "int", "$1")))
    spring, made, theirs = MADE_OF[kind]
    attacker.execute(spring or "SELECT")
    db.execute(sql.SQL(made).format(sql.Identifier(attacker.info.user)))
    db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA adm TO PUBLIC")
    overheard = overhear(attacker)
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'adm.made', '{a}', 'b')")
    assert not any(text.startswith("trojan ran as postgres") for text in overheard)
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            names = ["adm.made", attacker.info.user, theirs]
            prior = "SELECT * FROM bkpriv.prior('bait', '0.3')"
            refused(reader, prior, sqlstate="42501", names=names)
        assert said == []
