"""Totals: sums of hashes, by which a distributed table is told not to have changed.

Citus itself is looked at by ``scripts/check_citus.sh``. Here a table is in its catalog, and lies
where it is.
"""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import (
    create_clinic,
    declare_clinic,
    declare_people,
    one,
    publish,
    state_policy,
)
from tests.db.monthly import create_visits
from tests.db.statements import countings, hear_statements

RECOUNT = "SELECT bkpriv.recount(%s)"

TOTAL = "SELECT made_from ->> 'total' FROM bkpriv.release_content WHERE release = %s"

CELLS = "SELECT age, sex, city, disease, count(*) AS n FROM clinic.patient GROUP BY 1, 2, 3, 4"

DISTRIBUTED = """
    SET allow_system_table_mods = on;
    CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
    RESET allow_system_table_mods;
"""


def distribute(db: Connection, table: str) -> None:
    """Have a table taken for one that Citus distributes."""
    db.execute("INSERT INTO pg_dist_partition SELECT %s::regclass", [table])


@pytest.fixture
def clinic(db: Connection) -> Connection:
    """The clinic, whose patients are distributed, published as release 1."""
    db.execute(DISTRIBUTED)
    create_clinic(db)
    distribute(db, "clinic.patient")
    declare_clinic(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    assert publish(db) == 1
    return db


def exchange(column: str) -> str:
    """SQL that has a man and a woman, who differ in all columns, exchange their values of one."""
    return (
        "WITH two AS (SELECT p.ctid AS mine, q.ctid AS theirs FROM clinic.patient AS p, "
        "clinic.patient AS q WHERE p.sex = 'f' AND q.sex = 'm' AND p.age <> q.age "
        "AND p.city <> q.city AND p.disease <> q.disease ORDER BY 1, 2 LIMIT 1) "
        f"UPDATE clinic.patient AS p SET {column} = (SELECT {column} FROM clinic.patient AS q "
        "WHERE q.ctid = CASE p.ctid WHEN mine THEN theirs ELSE mine END) "
        "FROM two WHERE p.ctid IN (mine, theirs)"
    )


@pytest.mark.parametrize(
    "write",
    [
        "SELECT",
        "CREATE INDEX by ON clinic.patient (disease, age); CLUSTER clinic.patient USING by",
        "UPDATE clinic.patient SET city = city",
        "INSERT INTO clinic.patient SELECT * FROM clinic.patient LIMIT 1",
        "DELETE FROM clinic.patient WHERE ctid = (SELECT min(ctid) FROM clinic.patient)",
        "DELETE FROM clinic.patient",
        "UPDATE clinic.patient SET age = NULL WHERE age = 30",
        "UPDATE clinic.patient SET city = 'Aln,' || city",
        *map(exchange, ("age", "sex", "city", "disease")),
    ],
)
def test_a_total_agrees_with_a_grouping(clinic: Connection, write: str) -> None:
    clinic.execute(f"CREATE TABLE clinic.then AS {CELLS}".encode())
    clinic.execute(write.encode())
    differing = one(
        clinic,
        f"SELECT count(*) FROM ((({CELLS}) EXCEPT TABLE clinic.then) "
        f"UNION ALL (TABLE clinic.then EXCEPT ({CELLS}))) AS x",
    )
    heard = hear_statements(clinic)
    assert one(clinic, RECOUNT, [1]) is (differing == 0)
    # Only what may have changed is counted.
    assert len(countings(heard)) == (differing > 0)


def test_a_release_of_the_same_total_stands_uncounted(clinic: Connection) -> None:
    heard = hear_statements(clinic)
    assert publish(clinic, options={"if_stale": True}) == 1
    assert not countings(heard)
    clinic.execute("DELETE FROM clinic.patient WHERE age = 30")
    assert publish(clinic, options={"if_stale": True}) == 2


def test_another_total_decides_nothing(clinic: Connection) -> None:
    clinic.execute(
        "ALTER TABLE bkpriv.release_content DISABLE TRIGGER USER; UPDATE bkpriv.release_content "
        "SET made_from = jsonb_set(made_from, '{total}', '\"1 2\"')"
    )
    heard = hear_statements(clinic)
    assert one(clinic, RECOUNT, [1]) is True
    assert len(countings(heard)) == 1


def test_nobody_can_tell_a_total_before(clinic: Connection) -> None:
    assert publish(clinic) == 2
    first, second = (one(clinic, TOTAL, [release]) for release in (1, 2))
    assert first != second
    assert one(clinic, RECOUNT, [1])


@pytest.mark.parametrize(
    ("change", "has"),
    [
        ("SELECT", True),
        ("ALTER TABLE clinic.patient ALTER age TYPE numeric", False),  # equal values of two texts
        ("DELETE FROM pg_dist_partition", False),
    ],
)
def test_totals_are_of_distributed_tables(clinic: Connection, change: str, *, has: bool) -> None:
    clinic.execute(change.encode())
    assert publish(clinic) == 2
    assert (one(clinic, TOTAL, [2]) is not None) is has
    assert one(clinic, RECOUNT, [2])


def test_people_have_no_total(clinic: Connection) -> None:
    declare_people(clinic)
    distribute(clinic, "clinic.person")
    assert publish(clinic, "people", view="public.p") == 2
    assert one(clinic, TOTAL, [2]) is None
    clinic.execute("UPDATE clinic.person SET id = 1000 WHERE id = 1")
    assert not one(clinic, RECOUNT, [2])


@pytest.mark.parametrize(
    ("write", "same"),
    [
        ("DELETE FROM clinic.visit WHERE month = '2024-02'", True),
        ("DELETE FROM clinic.visit WHERE month = '2024-01' AND age = 27", False),
        ("UPDATE clinic.visit SET month = '2024-01' WHERE month = '2024-03'", False),
        ("UPDATE clinic.visit SET month = NULL WHERE month = '2024-03'", False),
    ],
)
def test_a_period_has_a_total(clinic: Connection, write: str, *, same: bool) -> None:
    create_visits(clinic)
    distribute(clinic, "clinic.visit")
    arguments: list[Any] = ["visits", "clinic.visit", ["age", "sex"], "disease", None, "month"]
    clinic.execute("SELECT bkpriv.register_dataset(%s, %s, %s, %s, %s, %s)", arguments)
    release = one(
        clinic,
        "SELECT bkpriv.publish('visits', 'plain', 'public.v', period => '2024-01', options => %s)",
        [Jsonb({})],
    )
    assert one(clinic, TOTAL, [release]) is not None
    clinic.execute(write.encode())
    heard = hear_statements(clinic)
    assert one(clinic, RECOUNT, [release]) is same
    assert len(countings(heard)) == (not same)
