"""Attacks by way of relations that less powerful roles have named: nobody else reads them.

A relation runs code when it is read. What lays it there does not matter, for a role that did not
name the relation is refused before it is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

TELL = """
    CREATE FUNCTION tell{0} RETURNS {1} IMMUTABLE COST 1000 LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $$
    BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN {2}; END $$;
"""

TOLD = TELL.format("(int)", "int", "$1")

ROWS = "SELECT i AS who, i % 12 AS a, {} AS v, i * i % 7 AS b FROM generate_series(1, 120) AS i"

PLAIN = f"CREATE TABLE trap AS {ROWS.format('i % 3')};"

UNIT = "CREATE TYPE unit AS ENUM ('u0', 'u1', 'u2');"

UNITS = f"{UNIT} CREATE TABLE trap AS {ROWS.format('(enum_range(NULL::unit))[1 + i % 3]')};"

TRAPS = {
    "a view": f"{TOLD} CREATE VIEW trap AS SELECT a, tell(b) AS b FROM ({ROWS.format(1)}) AS x",
    "row-level security": f"{TOLD} {PLAIN} ALTER TABLE trap ENABLE ROW LEVEL SECURITY, "
    "FORCE ROW LEVEL SECURITY; CREATE POLICY see ON trap USING (tell(a) >= 0)",
    "an index": f"{TOLD} {PLAIN} CREATE INDEX ON trap ((a + tell(1)))",
    "a partial index": f"{TOLD} {PLAIN} CREATE INDEX ON trap (a) WHERE tell(7) = 7",
    "a materialized view": f"{TOLD} CREATE MATERIALIZED VIEW trap AS {ROWS.format(1)};"
    "CREATE INDEX ON trap ((a + tell(1)))",
    "statistics": f"{TOLD} {PLAIN} CREATE STATISTICS s ON (a + tell(1)), b FROM trap",
    "a check": f"{TOLD} {PLAIN} ALTER TABLE trap ADD CHECK (a + tell(1) >= 0)",
    "a child": f"{TOLD} {PLAIN} CREATE TABLE child () INHERITS (trap);"
    "CREATE INDEX ON child (a) WHERE tell(7) = 7",
    "a cast to text": UNITS
    + TELL.format("(unit)", "text", "format('%s', $1)")
    + "CREATE CAST (unit AS text) WITH FUNCTION tell(unit)",
    "a cast from text": UNITS
    + TELL.format("(text)", "unit", "(enum_range(NULL::unit))[1]")
    + "CREATE CAST (text AS unit) WITH FUNCTION tell(text)",
    "a domain's check": TELL.format("(int)", "boolean", "true")
    + "CREATE DOMAIN part AS int CHECK (tell(VALUE)); CREATE TYPE unit AS (n part);"
    f"CREATE TABLE trap AS {ROWS.format('ROW(i % 3)::unit')}",
    "a range's difference": TELL.format("(int, int)", "float8", "1")
    + "CREATE TYPE unit AS RANGE (subtype = int, subtype_diff = tell);"
    f"CREATE TABLE trap AS {ROWS.format('unit(i % 3, NULL)')}; ANALYZE trap",
}
"""Relations that run their owner's code when they are read."""

READING = (
    "prior('bait', '0.3')",
    "lattice('bait', 'plain')",
    "optimize_randomization('bait', 'rr-s', 0.9)",
    "recount(1)",
    "audit_table('public.made', 'bait', '{}', '{\"k_anonymity\": {\"k\": 2}}')",
    "utility_table('public.made', 'bait', '{}')",
    "attack_table('public.made', 'bait', '{}')",
)
"""Calls of an auditor or a superuser that read a source."""

PUBLISHING = (
    "explore('bait', '[{\"k_anonymity\": {\"k\": 2}}]')",
    "publish('bait', 'plain', 'public.seen')",
    "explain_publication('bait', 'plain', 'shown')",
    "suggest_hierarchy('bait', 'a')",
    "set_hierarchy('bait', 'a', 'public.made')",
    "set_list_hierarchy('bait', 'a', '{\"*\": [\"1\"]}', 'rest')",
    "set_sequential_knowledge('bait', 'k', 'mined', 'public.made')",
)
"""Calls that a superuser may make, too."""

HARMLESS = (
    "watch('{0}.own')",
    "unwatch('{0}.own')",
    "doctor()",
    "report_html(1)",
    "audit(1)",
    "withdraw(1, 'test')",
    "purge(1, 'test')",
    "unset_hierarchy('bait', 'a')",
    "drop_dataset('bait')",
)
"""Calls by which a superuser helps an owner without reading anything."""


@pytest.fixture
def auditor(database: Database, db: Connection, make_role: Callable[..., str]) -> Connection:
    """An auditor's connection."""
    role = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    return database.connect(role)


def lay(attacker: Connection, db: Connection, trap: str) -> str:
    """Have an attacker publish a table and put a trap in its place; returns their role."""
    role = attacker.info.user
    attacker.execute(
        f"{PLAIN} CREATE TABLE own AS TABLE trap;"
        "SELECT bkpriv.register_dataset('bait', 'trap', '{a}', 'b');"
        "SELECT bkpriv.set_interval_hierarchy('bait', 'a', '{2,4}')"
    )
    state_policy(attacker, "plain", {"k_anonymity": {"k": 2}})
    assert publish(attacker, "bait", "plain", "shown") == 1
    attacker.execute("DROP TABLE trap")
    attacker.execute(trap)
    attacker.execute(
        f"GRANT USAGE ON SCHEMA {role} TO PUBLIC; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {role} TO PUBLIC"
    )
    db.execute(
        "CREATE TABLE public.made AS SELECT 1 AS a, 1 AS b; GRANT SELECT ON public.made TO PUBLIC"
    )
    return role


@pytest.mark.parametrize("kind", TRAPS)
def test_a_source_is_not_read_for_who_did_not_name_it(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS[kind])
    for reader, calls in ((auditor, READING), (db, (*READING, *PUBLISHING))):
        said = overhear(reader)
        with unchanged(db):
            for call in calls:
                refused(reader, f"SELECT * FROM bkpriv.{call}", sqlstate="42501", names=[role])
        assert said == []


def test_a_superuser_who_helps_runs_nothing(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS["a view"])
    said = overhear(db)
    for call in HARMLESS:
        db.execute(f"SELECT * FROM bkpriv.{call.format(role)}")
    assert not [text for text in said if "trojan" in text]


# --- prior tables ---------------------------------------------------------------------------------

BELIEF = f"""
    {TOLD} CREATE VIEW belief AS SELECT x.a, y.b AS value, tell(1) / 4::float8 AS probability
    FROM (SELECT DISTINCT a FROM own) AS x CROSS JOIN (SELECT DISTINCT b FROM own) AS y;
"""

BY_RELEASE = (
    "audit(1)",
    "explain_suppressed(1)",
    "audit_together('{1,2}')",
    "explain_together('{1,2}')",
    "audit_readers('mine')",
    "audit(3)",
)
"""Calls about releases that the requirements of their policies decide."""


def demand(bandwidth: Any) -> dict[str, Any]:
    """Requirements against readers of some knowledge."""
    return {
        "l_diversity": {"l": 2},
        "bt_privacy": {"bandwidth": bandwidth, "t": 0.99},
        "overlap": "warn",
    }


@pytest.fixture
def baited(make_publisher: Callable[..., Connection]) -> Connection:
    """An attacker who has published under policies that name a prior table of theirs, a trap."""
    attacker = make_publisher("attacker")
    role = attacker.info.user
    attacker.execute(f"CREATE TABLE own AS {ROWS.format(1)}; {BELIEF}")
    attacker.execute("DELETE FROM own WHERE a = 5 AND b > 0; INSERT INTO own VALUES (0, 5, 1, 0)")
    attacker.execute(
        "SELECT bkpriv.register_dataset('mine', 'own', '{a}', 'b', 'who'),"
        "bkpriv.set_sequential_knowledge('mine', 'same', 'constant')"
    )
    table = {"table": f"{role}.belief"}
    state_policy(attacker, "trap", demand(table))
    state_policy(attacker, "remembered", demand({"sequence": "same", "bandwidth": table}))
    publish(attacker, "mine", "trap", "shown", {"suppression": 0.5}, "incognito")
    for policy in ("trap", "remembered"):
        publish(attacker, "mine", policy, "shown")
    attacker.execute(
        f"GRANT USAGE ON SCHEMA {role} TO PUBLIC; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {role} TO PUBLIC"
    )
    return attacker


def test_a_prior_table_is_not_read_for_who_did_not_name_it(
    baited: Connection, db: Connection, auditor: Connection
) -> None:
    role = baited.info.user
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            for call in BY_RELEASE:
                diagnostic = refused(
                    reader,
                    f"SELECT * FROM bkpriv.{call}",
                    sqlstate="42501",
                    names=["belief", role, reader.info.user],
                )
                assert (diagnostic.message_hint or "").startswith(f"SET ROLE {role};"), call
        assert said == []
        # A report says that it could not be measured again.
        assert one(reader, "SELECT bkpriv.report_html(1)")
        assert any("could not be measured again" in text for text in said)
        assert not any("trojan" in text for text in said)
    for call in BY_RELEASE:
        assert baited.execute(f"SELECT * FROM bkpriv.{call}").fetchall() is not None
    # Who names it has decided to read it.
    stated = Jsonb({"bt_privacy": {"bandwidth": {"table": f"{role}.belief"}, "t": 0.99}})
    said = overhear(auditor)
    assert one(auditor, "SELECT satisfied FROM bkpriv.audit(1, %s) LIMIT 1", [stated])
    assert said


def test_who_is_made_a_member_unasked_is_still_an_auditor(
    baited: Connection, db: Connection, auditor: Connection
) -> None:
    role, name = baited.info.user, auditor.info.user
    # As whoever administers the role may.
    db.execute(f"SELECT bkpriv.grant_publisher('{name}'); GRANT {role} TO {name}")
    said = overhear(auditor)
    with unchanged(db):
        for call in (*BY_RELEASE, "prior('mine', '0.3')", "publish('mine', 'trap', 'shown')"):
            refused(auditor, f"SELECT * FROM bkpriv.{call}", sqlstate="42501", names=[role, name])
    assert said == []
    auditor.execute(f"SET ROLE {role}")
    assert auditor.execute("SELECT * FROM bkpriv.audit(1)").fetchall()
    auditor.execute("RESET ROLE")


@pytest.mark.parametrize("to", ["superuser", "publisher"])
def test_what_a_former_owner_named_is_not_read_for_the_heir(
    baited: Connection, make_publisher: Callable[..., Connection], db: Connection, to: str
) -> None:
    role = baited.info.user
    heir = db if to == "superuser" else make_publisher("heir")
    db.execute("SELECT bkpriv.reassign(%s, %s)", [role, heir.info.user])
    said = overhear(heir)
    calls = ("prior('mine', '0.3')", "recount(1)", "publish('mine', 'trap', 'seen')")
    with unchanged(db):
        for call in (*BY_RELEASE, *calls):
            refused(heir, f"SELECT * FROM bkpriv.{call}", sqlstate="42501", names=[role])
    # Who declares it again has named it.
    heir.execute(f"SELECT bkpriv.register_dataset('mine', '{role}.own', '{{a}}', 'b', 'who')")
    stated = demand({"table": f"{role}.belief"})
    state_policy(heir, "trap", stated)
    with unchanged(db):
        refused(heir, "SELECT bkpriv.lattice('mine', 'trap')", sqlstate="42501", names=[role])
    assert said == []
    state_policy(heir, "plain", {"k_anonymity": {"k": 2}})
    release = publish(heir, "mine", "plain", "seen")
    assert heir.execute("SELECT * FROM bkpriv.audit(%s, %s)", [release, Jsonb(stated)]).fetchall()
    assert any("trojan" in text for text in said)


def test_a_policy_of_others_names_no_table_to_read(
    baited: Connection, make_publisher: Callable[..., Connection], db: Connection
) -> None:
    role = baited.info.user
    table = f"CREATE TABLE {{}}.theirs AS {ROWS.format(1)}"
    for victim, schema in (
        (publisher := make_publisher("victim"), publisher.info.user),
        (db, "public"),
    ):
        victim.execute(table.format(schema))
        name = f"of_{schema}"
        victim.execute(
            "SELECT bkpriv.register_dataset(%s, %s, '{a}', 'b')", [name, f"{schema}.theirs"]
        )
        said = overhear(victim)
        for call in ("publish(%s, 'trap', 'seen')", "lattice(%s, 'trap')"):
            with unchanged(db):
                names = ["belief", role]
                refused(victim, f"SELECT bkpriv.{call}", [name], sqlstate="42501", names=names)
        assert said == []
    # Nor does a policy of one's own: another may put another table in its place.
    state_policy(publisher, "own", demand({"table": f"{role}.belief"}))
    call = f"SELECT bkpriv.publish('of_{publisher.info.user}', 'own', 'seen')"
    with unchanged(db):
        refused(publisher, call, sqlstate="42501", names=["belief", role, publisher.info.user])
    publisher.execute(f"CREATE TABLE belief AS TABLE {role}.belief")
    state_policy(publisher, "own", demand({"table": f"{publisher.info.user}.belief"}))
    release = publish(publisher, f"of_{publisher.info.user}", "own", "seen")
    assert publisher.execute("SELECT * FROM bkpriv.audit(%s)", [release]).fetchall()


# --- sources --------------------------------------------------------------------------------------

SQUATTED = f"{TOLD} CREATE VIEW shared.patients AS SELECT a, tell(b) AS b FROM ({ROWS.format(1)})"

TAKING = {
    "dropped and made again": "",
    "given away": "ALTER VIEW shared.patients OWNER TO {third}",
    "in a schema of another": "ALTER SCHEMA shared OWNER TO {third}",
}
"""Ways in which a source comes to be up to another role, by what a superuser does for it."""


@pytest.mark.parametrize("way", TAKING)
def test_a_source_is_read_while_its_owners_are_those_who_were_registered(
    make_publisher: Callable[..., Connection], db: Connection, way: str
) -> None:
    victim, attacker, third = (make_publisher(name) for name in ("victim", "attacker", "third"))
    owner, role, other = (each.info.user for each in (victim, attacker, third))
    db.execute(
        "CREATE SCHEMA shared; GRANT ALL ON SCHEMA shared TO PUBLIC;"
        f"CREATE TABLE shared.patients AS {ROWS.format(1)};"
        f"ALTER TABLE shared.patients OWNER TO {owner}"
    )
    victim.execute("SELECT bkpriv.register_dataset('mine', 'shared.patients', '{a}', 'b')")
    state_policy(victim, "plain", {"k_anonymity": {"k": 2}})
    publish(victim, "mine", "plain", "shown")
    if way == "in a schema of another":
        new = other
    else:
        victim.execute("DROP TABLE shared.patients")
        attacker.execute(f"{SQUATTED} AS x; GRANT SELECT ON shared.patients TO PUBLIC")
        attacker.execute(f"GRANT USAGE ON SCHEMA {role} TO PUBLIC")
        new = other if way == "given away" else role
    said = overhear(victim)
    again = "SELECT bkpriv.register_dataset('mine', 'shared.patients', '{a}', 'b')"
    if way == "given away":
        # Whom the caller trusted by registering is not whom it is given to.
        victim.execute(again)
    db.execute(TAKING[way].format(third=other) or "SELECT")
    for call in ("publish('mine', 'plain', 'shown')", "prior('mine', '0.3')", "recount(1)"):
        with unchanged(db):
            diagnostic = refused(
                victim, f"SELECT * FROM bkpriv.{call}", sqlstate="42501", names=[new]
            )
        assert "register_dataset again" in (diagnostic.message_hint or "")
    assert not any("trojan" in text for text in said)
    victim.execute(again)
    publish(victim, "mine", "plain", "shown")
    assert any("trojan" in text for text in said) == (way != "in a schema of another")


def test_the_owner_of_a_schema_is_not_taken_for_the_owner_of_a_source(
    make_publisher: Callable[..., Connection],
) -> None:
    victim, attacker = make_publisher("victim"), make_publisher("attacker")
    role, owner = attacker.info.user, victim.info.user
    attacker.execute(f"GRANT ALL ON SCHEMA {role} TO {owner}")
    victim.execute(
        f"CREATE TABLE {role}.patients AS {ROWS.format(1)};"
        f"SELECT bkpriv.register_dataset('mine', '{role}.patients', '{{a}}', 'b')"
    )
    call = "SELECT * FROM bkpriv.prior('mine', '0.3')"
    assert victim.execute(call).fetchall()
    attacker.execute(
        f"DROP TABLE {role}.patients; {SQUATTED.replace('shared', role)} AS x;"
        f"GRANT SELECT ON {role}.patients TO {owner}"
    )
    said = overhear(victim)
    refused(victim, call, sqlstate="42501", names=[role, owner])
    assert said == []
