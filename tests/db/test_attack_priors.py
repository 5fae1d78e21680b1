"""Attacks by way of what is read for others: prior tables that a policy names, types, sources."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database, sample
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

TROJAN = """
    CREATE FUNCTION trojan() RETURNS float8 LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$
    BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN 1; END $$;
    CREATE FUNCTION trojan_row(text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN true; END $$;
"""

BELIEF = """
    SELECT x.a, y.b AS value, {} / (SELECT count(DISTINCT b) FROM own)::float8 AS probability
    FROM (SELECT DISTINCT a FROM own) AS x CROSS JOIN (SELECT DISTINCT b FROM own) AS y
"""

FORMS = {
    "view": f"CREATE VIEW belief AS {BELIEF.format('trojan()')}",
    "row security": f"""
        CREATE TABLE belief AS {BELIEF.format(1)};
        ALTER TABLE belief ENABLE ROW LEVEL SECURITY;
        CREATE POLICY see ON belief USING (trojan_row(a::text))
    """,
    "index": f"""
        CREATE TABLE belief AS {BELIEF.format(1)};
        CREATE INDEX ON belief ((trojan()))
    """,
    "partial index": f"""
        CREATE TABLE belief AS {BELIEF.format(1)};
        CREATE INDEX ON belief (a) WHERE trojan() = 1
    """,
    "materialized view": f"""
        CREATE MATERIALIZED VIEW belief AS {BELIEF.format(1)};
        CREATE INDEX ON belief ((trojan()))
    """,
}
"""Relations that run a function of their owner's when they are read."""


@pytest.fixture
def auditor(database: Database, db: Connection, make_role: Callable[..., str]) -> Connection:
    """An auditor's connection."""
    role = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    return database.connect(role)


def lay_trap(attacker: Connection, form: str) -> str:
    """Let an attacker own a table and a prior table with a trojan; returns the prior's name."""
    schema = attacker.info.user
    attacker.execute("CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b "
                     "FROM generate_series(1, 120) AS i")  # fmt: skip
    attacker.execute(TROJAN)
    attacker.execute(FORMS[form])
    attacker.execute(
        sql.SQL(
            "GRANT USAGE ON SCHEMA {0} TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA {0} "
            "TO PUBLIC"
        ).format(sql.Identifier(schema))
    )
    return f'"{schema}".belief'


def demand(table: str) -> dict[str, Any]:
    """Requirements that name a prior table."""
    return {"k_anonymity": {"k": 2}, "bt_privacy": {"bandwidth": {"table": table}, "t": 0.9}}


@pytest.mark.parametrize("form", FORMS)
def test_an_audit_runs_no_code_that_the_publisher_chose(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, form: str
) -> None:
    attacker = make_publisher("attacker")
    table = lay_trap(attacker, form)
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'own', '{a}', 'b')")
    state_policy(attacker, "trap", demand(table))
    release = publish(attacker, "bait", "trap", "shown")
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            refused(
                reader,
                "SELECT * FROM bkpriv.audit(%s)",
                [release],
                sqlstate="42501",
                names=["belief", attacker.info.user],
            )
        assert said == []
    # Who names it himself has decided to read it.
    said = overhear(auditor)
    audited = auditor.execute(
        "SELECT satisfied FROM bkpriv.audit(%s, %s)", [release, Jsonb(demand(table))]
    ).fetchall()
    assert audited == [(True,), (True,)]
    assert {message.split(":")[0] for message in said} <= {f"trojan ran as {auditor.info.user}"}
    # Its owner audits as before.
    assert attacker.execute("SELECT * FROM bkpriv.audit(%s)", [release]).fetchall()


def test_nor_does_that_of_who_remembers(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    table = lay_trap(attacker, "view")
    attacker.execute(
        "CREATE TABLE named AS SELECT row_number() OVER () AS who, * FROM own;"
        "SELECT bkpriv.register_dataset('bait', 'named', '{a}', 'b', 'who');"
        "SELECT bkpriv.set_sequential_knowledge('bait', 'same', 'constant')"
    )
    remembered = {"sequence": "same", "bandwidth": {"table": table}}
    state_policy(
        attacker,
        "trap",
        {"k_anonymity": {"k": 2}, "bt_privacy": {"bandwidth": remembered, "t": 0.99}},
    )
    releases = [publish(attacker, "bait", "trap", "shown") for _ in range(2)]
    said = overhear(auditor)
    for release in releases:
        call = "SELECT * FROM bkpriv.audit(%s)", [release]
        refused(auditor, *call, sqlstate="42501", names=["belief", attacker.info.user])
    assert said == []


def test_nor_does_judging_several_releases(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    table = lay_trap(attacker, "view")
    attacker.execute(
        "CREATE TABLE named AS SELECT row_number() OVER () AS who, * FROM own;"
        "SELECT bkpriv.register_dataset('bait', 'named', '{a}', 'b', 'who')"
    )
    state_policy(attacker, "trap", {**demand(table), "overlap": "warn"})
    releases = [publish(attacker, "bait", "trap", "shown") for _ in range(2)]
    attacker.execute("GRANT SELECT ON shown TO PUBLIC")
    calls: list[tuple[str, list[Any]]] = [
        ("SELECT * FROM bkpriv.audit_together(%s)", [releases]),
        ("SELECT * FROM bkpriv.explain_together(%s)", [releases]),
        ("SELECT * FROM bkpriv.audit_readers('bait')", []),
        ("SELECT * FROM bkpriv.audit_readers('bait', '{\"press\": [\"shown\"]}')", []),
    ]
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            for call, arguments in calls:
                names = ["belief", attacker.info.user]
                refused(reader, call, arguments, sqlstate="42501", names=names)
        assert said == []
    # The caller's own requirements name nothing of the attacker's.
    for call, arguments in calls[:1]:
        own = call.replace(")", ", %s)")
        assert auditor.execute(own, [*arguments, Jsonb({"k_anonymity": {"k": 2}})]).fetchall()
    assert attacker.execute(*calls[0]).fetchall()


def test_what_was_left_out_is_explained_without_it(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    table = lay_trap(attacker, "view")
    attacker.execute(
        "INSERT INTO own VALUES (11, 6), (5, 0); DELETE FROM own WHERE a = 5 AND b > 0"
    )
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'own', '{a}', 'b')")
    state_policy(attacker, "trap", demand(table) | {"l_diversity": {"l": 2}})
    suppressing = {"suppression": 0.5}
    release = publish(attacker, "bait", "trap", "shown", suppressing, "incognito")
    explain = "SELECT * FROM bkpriv.explain_suppressed(%s)"
    for reader in (auditor, db):
        said = overhear(reader)
        with unchanged(db):
            names = ["belief", attacker.info.user]
            refused(reader, explain, [release], sqlstate="42501", names=names)
        assert said == []
    assert attacker.execute(explain, [release]).fetchall()


def lend_a_trusted_relation(db: Connection, schema: sql.Identifier) -> None:
    """Put a superuser's relation into an attacker's schema, as a trusted extension does."""
    text = "CREATE TABLE {0}.belief AS {1}; GRANT SELECT ON {0}.belief TO PUBLIC"
    belief = BELIEF.format(1).replace(" own", " {0}.own")
    db.execute(sql.SQL(text.replace("{1}", belief)).format(schema))


def test_a_schema_is_not_swapped_between_check_and_read(
    make_publisher: Callable[..., Connection],
    database: Database,
    db: Connection,
    auditor: Connection,
) -> None:
    """The name leads to a superuser's relation, or to the attacker's view, as they choose."""
    attacker = make_publisher("attacker")
    lay_trap(attacker, "view")
    home = sql.Identifier(attacker.info.user)
    db.execute(
        sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(
            sql.Identifier(str(db.info.dbname)), home
        )
    )
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'own', '{a}', 'b')")
    attacker.execute("CREATE SCHEMA stage; GRANT USAGE ON SCHEMA stage TO PUBLIC")
    attacker.execute(sql.SQL("CREATE TABLE stage.own AS TABLE {}.own").format(home))
    lend_a_trusted_relation(db, sql.Identifier("stage"))
    state_policy(attacker, "trap", demand("stage.belief"))
    release = publish(attacker, "bait", "trap", "shown")
    said = [overhear(reader) for reader in (auditor, db)]
    # By itself it is up to the attacker what the name means.
    refused(
        auditor,
        "SELECT * FROM bkpriv.audit(%s)",
        [release],
        sqlstate="42501",
        names=["stage.belief", attacker.info.user],
    )
    swap = database.connect(attacker.info.user)
    stop = threading.Event()

    def swapping() -> None:
        to_and_fro = (("stage", "away"), (attacker.info.user, "stage"))
        while not stop.is_set():
            for pairs in (to_and_fro, [pair[::-1] for pair in reversed(to_and_fro)]):
                for old, new in pairs:
                    swap.execute(
                        sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(
                            sql.Identifier(old), sql.Identifier(new)
                        )
                    )

    thread = threading.Thread(target=swapping)
    thread.start()
    try:
        for _ in range(sample(150)):
            for reader in (auditor, db):
                with pytest.raises(psycopg.Error) as caught:
                    reader.execute("SELECT * FROM bkpriv.audit(%s)", [release])
                assert caught.value.sqlstate in ("42501", "42P01", "55006")
    finally:
        stop.set()
        thread.join()
    assert said == [[], []]


@pytest.mark.parametrize("form", ["view", "index"])
def test_the_source_of_another_is_not_read_with_the_callers_rights(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, form: str
) -> None:
    attacker = make_publisher("attacker")
    lay_trap(attacker, form)
    attacker.execute("CREATE TABLE records AS TABLE own")
    attacker.execute("SELECT bkpriv.register_dataset('bait', 'records', '{a}', 'b')")
    state_policy(attacker, "p", {"k_anonymity": {"k": 2}})
    publish(attacker, "bait", "p", "shown")
    # What was a table when it was registered is a trap now.
    attacker.execute("ALTER TABLE records RENAME TO former")
    attacker.execute(
        {
            "view": "CREATE VIEW records AS SELECT *, trojan() AS c FROM former WHERE trojan() = 1",
            "index": "CREATE TABLE records AS TABLE former; CREATE INDEX ON records ((trojan()))",
        }[form]
    )
    attacker.execute("GRANT SELECT ON records TO PUBLIC")
    for reader in (auditor, db):
        said = overhear(reader)
        for call in (
            "bkpriv.prior('bait', '0.3')",
            "bkpriv.lattice('bait', 'p')",
            "bkpriv.optimize_randomization('bait', 'rr-qi', 0.5)",
        ):
            with unchanged(db):
                refused(
                    reader,
                    f"SELECT * FROM {call}",
                    sqlstate="42501",
                    names=["bait", "records", attacker.info.user],
                )
        assert said == []
    with unchanged(db):
        refused(
            db,
            """SELECT * FROM bkpriv.explore('bait', '[{"k_anonymity": {"k": 2}}]')""",
            sqlstate="42501",
            names=["bait", "records", attacker.info.user],
        )
    assert said == []
    # Who publishes for a role trusts that role; but not a third one, whose schema it is now.
    db.execute(
        sql.SQL("ALTER SCHEMA {} OWNER TO {}").format(
            sql.Identifier(attacker.info.user), sql.Identifier(make_publisher().info.user)
        )
    )
    with unchanged(db):
        refused(
            db,
            "SELECT bkpriv.publish('bait', 'p', 'public.shown')",
            sqlstate="42501",
            names=["bait", "records"],
        )
    # Nor does the role read it itself that trusted nobody else. Its own rights it may use.
    query = "SELECT * FROM bkpriv.prior('bait', '0.3')"
    refused(attacker, query, sqlstate="42501", names=["bait", "records"])
    name = sql.Identifier(attacker.info.user)
    db.execute(sql.SQL("ALTER SCHEMA {} OWNER TO {}").format(name, name))
    assert attacker.execute(query).fetchall()


@pytest.mark.parametrize("form", ["view", "index"])
def test_a_policy_of_another_names_no_table_to_read(
    make_publisher: Callable[..., Connection], db: Connection, form: str
) -> None:
    attacker, victim = make_publisher("attacker"), make_publisher("victim")
    table = lay_trap(attacker, form)
    state_policy(attacker, "trap", demand(table))
    victim.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i"
    )
    victim.execute("SELECT bkpriv.register_dataset('mine', 'own', '{a}', 'b')")
    said = overhear(victim)
    for call in ("bkpriv.publish('mine', 'trap', 'shown')", "bkpriv.lattice('mine', 'trap')"):
        with unchanged(db):
            refused(
                victim,
                f"SELECT {call}",
                sqlstate="42501",
                names=["belief", attacker.info.user],
            )
    assert said == []
    # The attacker's own policy may name anything; nobody can set one in another role's name.
    state_policy(victim, "mine", demand(table))
    release = publish(victim, "mine", "mine", "shown")
    refused(victim, "SELECT * FROM bkpriv.audit(%s)", [release], sqlstate="42501")
    for statement in (
        "UPDATE bkpriv.policy SET owner = %s WHERE name = 'trap'",
        "INSERT INTO bkpriv.policy (name, owner, requirements) VALUES ('x', %s, '{}')",
    ):
        with pytest.raises(Exception, match=r"row-level security|permission denied") as caught:
            attacker.execute(statement, [victim.info.user])
        assert getattr(caught.value, "sqlstate", None) == "42501"


def test_tables_of_superusers_and_the_callers_own_are_read(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    publisher = make_publisher()
    publisher.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i"
    )
    publisher.execute("SELECT bkpriv.register_dataset('mine', 'own', '{a}', 'b')")
    own = sql.Identifier(publisher.info.user, "own")
    db.execute(
        sql.SQL("CREATE TABLE public.common AS {}").format(
            sql.SQL(BELIEF.format(1).replace(" own", " {own}")).format(own=own)
        )
    )
    db.execute("GRANT SELECT ON public.common TO PUBLIC")
    state_policy(db, "common", demand("public.common"))
    release = publish(publisher, "mine", "common", "shown")
    for reader in (publisher, auditor, db):
        audited = reader.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release]).fetchall()
        assert audited == [(True,), (True,)]


def test_a_query_runs_no_cast_of_an_enumeration(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    attacker.execute(
        """
        CREATE TYPE mood AS ENUM ('low', 'mid', 'high', 'never');
        CREATE TABLE own AS SELECT i % 12 AS a, (enum_range(NULL::mood))[1 + i % 3] AS m,
            (enum_range(NULL::mood))[1 + i * i % 3] AS b FROM generate_series(1, 120) AS i;
        SELECT bkpriv.register_dataset('bait', 'own', '{a,m}', 'b');
        """
    )
    state_policy(attacker, "k", {"k_anonymity": {"k": 2}})
    release = publish(attacker, "bait", "k", "shown")
    attacker.execute(
        """
        CREATE FUNCTION trojan(text) RETURNS mood LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN 'low'; END $$;
        CREATE FUNCTION trojan(mood) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN 'low'; END $$;
        CREATE CAST (text AS mood) WITH FUNCTION trojan(text) AS IMPLICIT;
        CREATE CAST (mood AS text) WITH FUNCTION trojan(mood) AS IMPLICIT;
        """
    )
    query = "SELECT actual FROM bkpriv.query_accuracy(%s, %s)"
    # The type's schema may be out of the auditor's reach.
    assert one(auditor, query, [release, "SELECT count(*) FROM bait WHERE b < 'mid'"]) == 40
    schema = sql.Identifier(attacker.info.user)
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(schema))
    for reader in (auditor, db):
        said = overhear(reader)
        for condition, count in (
            ("b <> 'high'", 120), ("b < 'mid'", 40), ("b <= 'mid'", 120), ("b <> 'never'", 120),
            ("m >= 'mid'", 80), ("m = 'high'", 40), ("m = 'never'", 0), ("m IN ('low','x')", 40),
        ):  # fmt: skip
            text = f"SELECT count(*) FROM bait WHERE {condition}"
            assert one(reader, query, [release, text]) == count, condition
            reader.execute("SELECT bkpriv.query_workload(%s, 3, 1, 0.3)", [release])
        rewritten = (
            "SELECT bkpriv.rewrite_query(%s, 'SELECT count(*) FROM bait WHERE m < ''high''')"
        )
        assert one(reader, rewritten, [release])
        for label in ("none of them", "never"):
            text = f"SELECT count(*) FROM bait WHERE m < '{label}'"
            names = [label, "'mid', 'high'"]
            refused(reader, query, [release, text], sqlstate="22023", names=names)
        for measure in ("utility(%s)", "association(%s)", "disclosure(%s, '0.4')", "audit(%s)"):
            reader.execute(f"SELECT * FROM bkpriv.{measure}", [release])
        assert said == []
