"""Attacks by what is put in the place of a relation that was named, and dropped or given away.

A dataset and a policy keep names. Who names a relation trusts its owner and that of its schema, and
not whoever makes another of that name later.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused
from tests.db.test_attack_type_owners import BELIEF, TELL

pytestmark = pytest.mark.pooled

OWN = "SELECT * FROM bkpriv.prior('x', '0.3')"
EXPLORE = "SELECT * FROM bkpriv.explore('x', '[{\"k_anonymity\": {\"k\": 2}}]')"
PUBLISH = "SELECT bkpriv.publish('x', %s, 'shown')"
LATTICE = "SELECT * FROM bkpriv.lattice('x', 'known')"
KNOWN = {"bt_privacy": {"bandwidth": {"table": "shared.belief"}, "t": 0.99}}
KNOWN_BY_VIEW = {"bt_privacy": {"bandwidth": {"table": "public.believed"}, "t": 0.99}}


def name_them(db: Connection, owner: Connection, made_by: Connection) -> None:
    """Have a source and a prior table made in a schema of everybody's, and named by an owner."""
    db.execute("CREATE SCHEMA shared; GRANT ALL ON SCHEMA shared TO PUBLIC")
    made_by.execute(
        "CREATE TABLE shared.visit AS "
        "SELECT i % 4 AS v, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        f"CREATE TABLE shared.belief AS {BELIEF.format('shared.visit')};"
        "GRANT SELECT ON ALL TABLES IN SCHEMA shared TO PUBLIC"
    )
    owner.execute("SELECT bkpriv.register_dataset('x', 'shared.visit', '{v}', 'b')")
    state_policy(owner, "plain", {"k_anonymity": {"k": 2}})
    state_policy(owner, "known", {"k_anonymity": {"k": 2}} | KNOWN)


def squat(attacker: Connection, name: str, columns: str, source: str) -> None:
    """Put a view that runs an attacker's code in a relation's place."""
    home = sql.Identifier(attacker.info.user)
    attacker.execute(TELL.format("int", "int", "$1"))
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(home))
    attacker.execute(
        f"CREATE VIEW shared.{name} AS SELECT {columns} FROM {source};"
        f"GRANT SELECT ON shared.{name} TO PUBLIC"
    )


@pytest.mark.parametrize("by", ["superuser", "publisher"])
def test_another_source_of_the_name(
    make_publisher: Callable[..., Connection], db: Connection, by: str
) -> None:
    attacker, maker = make_publisher("attacker"), make_publisher("maker")
    owner = db if by == "superuser" else make_publisher()
    name_them(db, owner, maker)
    assert publish(owner, "x", "plain", "shown")
    maker.execute("DROP TABLE shared.visit")
    squat(attacker, "visit", "v, b", "shared.belief, LATERAL (SELECT tell(value) AS b) AS t")
    said = overhear(owner)
    for reads, given in ((OWN, []), (EXPLORE, []), (PUBLISH, ["plain"])):
        names = ["shared.visit", attacker.info.user]
        hint = refused(owner, reads, given, sqlstate="42501", names=names).message_hint
        assert "SET source_owners" in (hint or "")
    owner.execute(
        "CREATE TABLE levels AS SELECT v::text AS v, 'any' AS top FROM generate_series(0, 3) AS v;"
        "SELECT bkpriv.set_hierarchy('x', 'v', 'levels')"
    )
    assert not [text for text in said if "trojan" in text]
    # As the error says, where that role is to be trusted.
    trust = "UPDATE bkpriv.dataset SET source_owners = source_owners || ARRAY[%s] WHERE name = 'x'"
    owner.execute(trust, [attacker.info.user])
    assert owner.execute(OWN).fetchall()
    assert any("trojan" in text for text in said)


def test_another_prior_table_of_the_name(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker, maker, owner = (make_publisher(name) for name in ("attacker", "maker", "owner"))
    name_them(db, owner, maker)
    assert publish(owner, "x", "known", "shown")
    maker.execute("ALTER TABLE shared.belief RENAME TO kept")
    squat(attacker, "belief", "tell(v) AS v, value, probability", "shared.kept")
    said = overhear(owner)
    for reads, given in ((PUBLISH, ["known"]), (LATTICE, [])):
        names = ["shared.belief", attacker.info.user]
        hint = refused(owner, reads, given, sqlstate="42501", names=names).message_hint
        assert "bkpriv.set_policy again" in (hint or "")
    assert not [text for text in said if "trojan" in text]
    state_policy(owner, "known", {"k_anonymity": {"k": 2}} | KNOWN)
    assert publish(owner, "x", "known", "shown")
    assert any("trojan" in text for text in said)


def test_relations_that_are_made_anew_or_given_to_who_is_trusted(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    maker, owner = make_publisher("maker"), make_publisher("owner")
    name_them(db, owner, maker)
    rebuild = (
        "CREATE TABLE shared.again AS TABLE shared.{0}; DROP TABLE shared.{0};"
        "ALTER TABLE shared.again RENAME TO {0}; GRANT SELECT ON shared.{0} TO PUBLIC"
    )
    for connection in (maker, db):
        if connection is db:
            db.execute("ALTER TABLE shared.visit OWNER TO postgres")
            db.execute("ALTER TABLE shared.belief OWNER TO postgres")
        for table in ("visit", "belief"):
            connection.execute(rebuild.format(table))
        assert publish(owner, "x", "known", "shown")


def test_what_a_named_view_reads_is_given_away(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    name_them(db, db, db)
    db.execute(
        "CREATE VIEW viewed AS TABLE shared.visit; CREATE VIEW believed AS TABLE shared.belief;"
        "SELECT bkpriv.drop_dataset('x'), bkpriv.register_dataset('x', 'viewed', '{v}', 'b')"
    )
    state_policy(db, "known", {"k_anonymity": {"k": 2}} | KNOWN_BY_VIEW)
    assert publish(db, "x", "known", "shown")
    attacker.execute(TELL.format("int", "int", "$1"))
    attacker.execute("ALTER FUNCTION tell(int) IMMUTABLE")
    said = overhear(db)
    for table in ("belief", "visit"):
        give = "ALTER TABLE shared.{0} OWNER TO {1}"
        db.execute(sql.SQL(give).format(sql.Identifier(table), sql.Identifier(attacker.info.user)))
        attacker.execute(f"CREATE INDEX ON shared.{table} (v) WHERE tell(7) = 7")
        reads = [(PUBLISH, ["known"]), (LATTICE, [])]
        reads += [(OWN, []), (EXPLORE, [])] if table == "visit" else []
        for read, given in reads:
            refused(db, read, given, sqlstate="42501", names=[attacker.info.user])
    assert not [text for text in said if "trojan" in text]
    db.execute(
        "UPDATE bkpriv.dataset SET source_owners = source_owners || ARRAY[%s]",
        [attacker.info.user],
    )
    assert db.execute(OWN).fetchall()


@pytest.mark.parametrize("to", ["superuser", "publisher"])
def test_whom_a_former_owner_trusted_the_heir_does_not(
    make_publisher: Callable[..., Connection], db: Connection, to: str
) -> None:
    attacker = make_publisher("attacker")
    heir = db if to == "superuser" else make_publisher("heir")
    name_them(db, attacker, db)
    # Of a row of their own an owner may write what they like, before it is handed on.
    db.execute("DROP TABLE shared.visit")
    squat(attacker, "visit", "v, b", "shared.belief, LATERAL (SELECT tell(value) AS b) AS t")
    db.execute("ALTER TABLE shared.belief RENAME TO kept")
    attacker.execute(
        "CREATE VIEW shared.belief AS SELECT tell(v) AS v, value, probability FROM shared.kept"
    )
    for column, table in (("source_owners", "dataset"), ("table_owners", "policy")):
        attacker.execute(f"UPDATE bkpriv.{table} SET {column} = ARRAY[current_user::text]")
    db.execute("SELECT bkpriv.reassign(%s, %s)", [attacker.info.user, heir.info.user])
    db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA shared TO PUBLIC")
    said = overhear(heir)
    for reads, given in ((OWN, []), (EXPLORE, []), (PUBLISH, ["plain"])):
        names = ["shared.visit", attacker.info.user]
        refused(heir, reads, given, sqlstate="42501", names=names)
    db.execute(
        "DROP VIEW shared.visit; CREATE TABLE shared.visit AS SELECT v, value AS b "
        "FROM shared.kept, generate_series(1, 9); GRANT SELECT ON shared.visit TO PUBLIC"
    )
    for reads, given in ((PUBLISH, ["known"]), (LATTICE, [])):
        names = ["shared.belief", attacker.info.user]
        refused(heir, reads, given, sqlstate="42501", names=names)
    assert not [text for text in said if "trojan" in text]


def test_whoever_is_not_recorded_is_not_trusted(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    maker, owner = make_publisher("maker"), make_publisher("owner")
    name_them(db, owner, maker)
    assert one(db, "SELECT source_owners FROM bkpriv.dataset") == [maker.info.user]
    db.execute("UPDATE bkpriv.dataset SET source_owners = '{}'")
    refused(owner, OWN, sqlstate="42501", names=["shared.visit", maker.info.user])
    with_them = "UPDATE bkpriv.dataset SET source_owners = ARRAY[%s] RETURNING name"
    assert one(owner, with_them, [maker.info.user]) == "x"
    assert owner.execute(OWN).fetchall()
    other = make_publisher("other")
    assert other.execute(with_them, [maker.info.user]).fetchall() == []
