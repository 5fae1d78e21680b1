"""Attacks by partitions, children, parents and statistics that others own than the table's owner.

Nobody sees them by looking at the table, and they run code of their owners when it is read: the
planner computes what is constant in predicates of indexes and in expressions of statistics.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_attack_type_owners import TELL, auditor

pytestmark = pytest.mark.pooled

__all__ = ["auditor"]

ROWS = "INSERT INTO adm.visit SELECT i % 4, i * i % 7, i % 2 FROM generate_series(1, 120) AS i"
PARTED = (
    "CREATE TABLE adm.visit (a int, b int, dept int) PARTITION BY LIST (dept);"
    "CREATE TABLE adm.v0 PARTITION OF adm.visit FOR VALUES IN (0);"
    "CREATE TABLE adm.v1 PARTITION OF adm.visit FOR VALUES IN (1);" + ROWS
)
SPRUNG = "CREATE INDEX ON {} (a) WHERE tell(7) = 7"

MADE = {
    "a partition": (PARTED + ";ALTER TABLE adm.v1 OWNER TO {0}", "adm.visit", "adm.v1"),
    "a partition of a partition": (
        "CREATE TABLE adm.visit (a int, b int, dept int) PARTITION BY LIST (dept);"
        "CREATE TABLE adm.v0 PARTITION OF adm.visit DEFAULT PARTITION BY LIST (a);"
        "CREATE TABLE adm.v1 PARTITION OF adm.v0 DEFAULT;"
        f"{ROWS}; ALTER TABLE adm.v1 OWNER TO {{0}}",
        "adm.visit",
        "adm.v1",
    ),
    "a child": (
        "CREATE TABLE adm.visit (a int, b int, dept int);"
        f"CREATE TABLE adm.v1 () INHERITS (adm.visit); {ROWS}; ALTER TABLE adm.v1 OWNER TO {{0}}",
        "adm.visit",
        "adm.v1",
    ),
    "a partition, through a view": (
        PARTED
        + ";CREATE VIEW adm.seen AS SELECT * FROM adm.visit; ALTER TABLE adm.v1 OWNER TO {0}",
        "adm.seen",
        "adm.v1",
    ),
    "the whole of a partition": (
        PARTED + ";ALTER TABLE adm.visit OWNER TO {0}",
        "adm.v1",
        "adm.visit",
    ),
}
"""Objects that an administrator makes, the one they name, and the attacker's part in it."""


@pytest.mark.parametrize("kind", MADE)
def test_who_names_a_table_does_not_trust_owners_of_what_it_is_made_of(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker, publisher = make_publisher("attacker"), make_publisher()
    made, named, theirs = MADE[kind]
    role = attacker.info.user
    db.execute("CREATE SCHEMA adm; GRANT ALL ON SCHEMA adm TO PUBLIC")
    db.execute(sql.SQL(made).format(sql.Identifier(role)))
    db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA adm TO PUBLIC")
    attacker.execute(TELL.format("int", "int", "$1"))
    overhear(attacker)
    attacker.execute(SPRUNG.format(theirs))
    home = sql.Identifier(role)
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(home))
    register = "SELECT bkpriv.register_dataset(%s, %s, '{a}', 'b')"
    attacker.execute(register, ["bait", named])
    for reader in (db, publisher):
        said = overhear(reader)
        with unchanged(db):
            names = [named, role, theirs]
            error = refused(reader, register, ["x", named], sqlstate="42501", names=names)
        assert "Let one role own them all" in (error.message_hint or "")
        assert said == []
    for reader in (db, auditor):
        said = overhear(reader)
        refused(reader, "SELECT * FROM bkpriv.prior('bait', '0.3')", sqlstate="42501", names=[role])
        assert said == []
    db.execute(sql.SQL("ALTER TABLE {} OWNER TO postgres").format(sql.SQL(theirs)))
    # An administrator answers for what is left of it.
    db.execute("SELECT bkpriv.register_dataset('x', %s, '{a}', 'b')", [named])


def test_statistics_that_others_own(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = attacker.info.user
    db.execute(f"CREATE SCHEMA adm; CREATE TABLE adm.visit (a int, b int, dept int); {ROWS}")
    db.execute("CREATE STATISTICS adm.dependent ON a, b FROM adm.visit")
    db.execute(
        sql.SQL(
            "GRANT ALL ON SCHEMA adm TO {0}; ALTER STATISTICS adm.dependent OWNER TO {0}"
        ).format(sql.Identifier(role))
    )
    names = ["adm.visit", role, "adm.dependent"]
    register = "SELECT bkpriv.register_dataset('x', 'adm.visit', '{a}', 'b')"
    refused(db, register, sqlstate="42501", names=names)
    db.execute("ALTER STATISTICS adm.dependent OWNER TO postgres")
    db.execute(register)


def test_partitions_of_the_tables_owner_of_the_caller_and_of_superusers(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    owner, publisher = make_publisher("owner"), make_publisher()
    role = owner.info.user
    db.execute(f"CREATE SCHEMA adm; {PARTED}; CREATE TABLE adm.v2 PARTITION OF adm.visit DEFAULT")
    # What the table's owner visibly uses of others does not become hidden by a partition.
    owner.execute(TELL.format("int", "int", "$1"))
    owner.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(sql.Identifier(role)))
    db.execute(
        sql.SQL(
            "ALTER TABLE adm.visit ADD CHECK ({0}.tell(a) >= 0);"
            "ALTER TABLE adm.v1 OWNER TO {1};"
            "GRANT USAGE ON SCHEMA adm TO PUBLIC; GRANT SELECT ON adm.visit TO PUBLIC"
        ).format(sql.Identifier(role), sql.Identifier(publisher.info.user))
    )
    publisher.execute("SELECT bkpriv.register_dataset('x', 'adm.visit', '{a}', 'b')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 2}})
    assert publish(publisher, "x", "p", "shown")
    assert one(publisher, "SELECT count(*) FROM shown") == 120
