"""Tables made elsewhere: labels that are not true or cannot be read are told."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import overhear
from tests.db.refusal import refused
from tests.db.test_external import AUDIT, COUNTED

pytestmark = pytest.mark.rolled_back

UTILITY = "SELECT * FROM bkpriv.utility_table('made', 'people', %s)"


@pytest.fixture
def people(clinic: Connection) -> Connection:
    """Dataset ``people`` with a key, and a table ``made`` with labels of ten years."""
    clinic.execute(
        "CREATE TABLE clinic.person AS SELECT row_number() OVER () AS id, age, sex, disease "
        "FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex}', 'disease');"
        "CREATE TABLE made AS SELECT id, format('%s-%s', age / 10 * 10, age / 10 * 10 + 9) AS age, "
        "sex, disease FROM clinic.person"
    )
    return clinic


def told(db: Connection, columns: Any) -> tuple[dict[str, float], list[str]]:
    """Utility, and what was told."""
    heard = overhear(db)
    return dict(db.execute(UTILITY, [Jsonb(columns)]).fetchall()), heard


def test_labels_that_are_not_true_are_told(people: Connection) -> None:
    _, heard = told(people, {"id": "id"})
    assert len(heard) == 1
    changed = people.execute(
        "UPDATE made SET age = CASE age WHEN '20-29' THEN '40-49' ELSE '20-29' END "
        "WHERE age IN ('20-29', '40-49')"
    ).rowcount
    assert changed
    _, heard = told(people, {"id": "id"})
    assert f"{changed} rows of public.made have labels that do not hold" in heard[1]
    people.execute("UPDATE made SET age = '20', sex = 'f'")
    figures, heard = told(people, {"id": "id"})
    assert figures["gcp"] == 0
    assert "labels that do not hold" in heard[1]


def test_one_label_that_cannot_be_read_replaces_its_groups_alone(people: Connection) -> None:
    people.execute("UPDATE made SET age = '*' WHERE age <> '20-29'")
    before, _ = told(people, {"id": "id"})
    people.execute("UPDATE made SET age = 'any age' WHERE id = (SELECT min(id) FROM made)")
    after, heard = told(people, {"id": "id"})
    assert after["gcp(age)"] == pytest.approx(before["gcp(age)"], abs=0.02)
    assert "values in 1 of 5 groups: 'any age'." in heard[0]


def test_labels_that_cannot_be_read_are_named_by_an_audit(people: Connection) -> None:
    people.execute("UPDATE made SET age = 'twenties' WHERE age = '20-29'")
    heard = overhear(people)
    people.execute(AUDIT, ["made", "people", Jsonb({}), Jsonb(COUNTED)])
    assert 'Labels of "age" cannot be read in 2 of ' in heard[0]
    asked = Jsonb({"bt_privacy": {"bandwidth": 0.3, "t": 0.2}})
    parameters = ["made", "people", Jsonb({}), asked]
    refused(people, AUDIT, parameters, sqlstate="0A000", names=["cannot be read: 'twenties'"])


@pytest.mark.parametrize("label", ["'[' || repeat(' ', 200000) || '1'", "repeat('{', 100000)||'}'"])
def test_a_label_cannot_keep_the_server(people: Connection, label: str) -> None:
    people.execute(f"UPDATE made SET age = {label} WHERE id = 1".encode())
    people.execute("SET LOCAL statement_timeout = '20s'")
    refused(people, UTILITY, [Jsonb({})], sqlstate="22000", names=["cannot be read"])
