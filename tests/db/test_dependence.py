"""Columns that disclose others: warnings of a dataset, and roles that are proposed."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Connection

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

VISITS = """
    CREATE TABLE visit AS SELECT age, weight, year - age - (random() < .5)::int AS born, ward,
        'Ward ' || chr(64 + ward) AS ward_name, 100 + found AS code, found % 2 = 0 AS urgent,
        (ARRAY['flu', 'ulcer', 'gout', 'asthma'])[1 + found] AS diagnosis, tariff,
        CASE WHEN number % 120 = 0 THEN 'unknown' ELSE tariff || '/' || round(random() * 9) END
            AS contract
    FROM (SELECT i AS number, 2024 AS year, 18 + (random() * 70)::int AS age,
        50 + (random() * 40)::int AS weight, 1 + (random() * 5)::int AS ward,
        floor(random() * 4)::int AS found, chr(65 + (random() * 3)::int) AS tariff
        FROM generate_series(1, 600) AS i) AS drawn
"""


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection to a database with visits, some of whose columns say others."""
    db.execute("SELECT setseed(.5)")
    db.execute(VISITS)
    return db


def register(
    db: Connection,
    known: list[str],
    told: list[str],
    attributes: tuple[str, ...] = (),
    bins: str = "{}",
) -> list[str]:
    """Register visits, and return the warnings."""
    said: list[str] = []
    db.add_notice_handler(
        lambda notice: (
            said.append(f"{notice.message_primary}: {notice.message_detail}")
            if notice.severity == "WARNING"
            else None
        )
    )
    db.execute(
        "SELECT bkpriv.register_dataset('visits', 'visit', %s, %s, attributes => %s, bins => %s)",
        [known, told, list(attributes), bins],
    )
    return said


def labels(*names: str) -> str:
    """Bins of the columns that are codes."""
    return json.dumps({name: "label" for name in names if name in ("code", "ward")})


@pytest.mark.parametrize(
    ("known", "told", "pairs"),
    [
        (["age", "code"], ["diagnosis"], '"code", "diagnosis" (600 of 600)'),
        (["age", "diagnosis"], ["code"], '"diagnosis", "code" (600 of 600)'),
        (["diagnosis", "weight"], ["urgent"], '"diagnosis", "urgent" (600 of 600)'),
        (["contract", "age"], ["tariff"], '"contract", "tariff" (59'),
        (["age", "ward"], ["diagnosis", "ward_name"], '"ward", "ward_name" (600 of 600)'),
    ],
)
def test_a_quasi_identifier_that_determines_a_sensitive_column_is_named(
    visits: Connection, known: list[str], told: list[str], pairs: str
) -> None:
    (said,) = register(visits, known, told, bins=labels(*known, *told))
    assert 'quasi-identifiers of dataset "visits" determine sensitive columns' in said
    assert pairs in said


@pytest.mark.parametrize(
    ("known", "pair"),
    [
        (["age", "weight", "born"], '"age", "born"'),
        (["ward", "ward_name", "age"], '"ward", "ward_name"'),
        (["diagnosis", "weight", "code"], '"diagnosis", "code"'),
    ],
)
def test_quasi_identifiers_that_repeat_each_other_are_named(
    visits: Connection, known: list[str], pair: str
) -> None:
    (said,) = register(visits, known, ["tariff"], bins=labels(*known))
    assert 'quasi-identifiers of dataset "visits" repeat each other' in said
    assert said.endswith(f": {pair}.")


def test_columns_that_only_depend_on_each_other_are_not(visits: Connection) -> None:
    visits.execute("UPDATE visit SET weight = weight + age / 4, tariff = 'A' WHERE age < 70")
    assert register(visits, ["age", "weight", "contract"], ["diagnosis"]) == []


def test_the_one_measure_serves_attributes_and_quasi_identifiers(visits: Connection) -> None:
    (said,) = register(visits, ["age"], ["diagnosis"], ("code", "urgent"))
    assert 'attributes of dataset "visits" disclose quasi-identifiers or sensitive values' in said
    assert '"code", "diagnosis" (1; ' in said


def test_an_inspection_leaves_out_what_determines_and_what_repeats(visits: Connection) -> None:
    rows = visits.execute(
        "SELECT columns[1], role, reason FROM bkpriv.inspect_columns('visit') "
        "WHERE cardinality(columns) = 1"
    ).fetchall()
    found = {name: (role, reason.rpartition("; ")[2]) for name, role, reason in rows}
    assert found["code"] == (None, 'it determines "diagnosis", which looks sensitive')
    assert found["born"] == (None, 'it repeats "age"')
    assert found["ward_name"] == (None, 'it repeats "ward"')
    assert found["diagnosis"][0] == "sensitive"
    for name in ("age", "weight", "ward", "urgent", "tariff", "contract"):
        assert found[name][0] == "quasi_identifiers"


def test_an_inspection_leaves_out_what_links_rows(visits: Connection) -> None:
    visits.execute(
        "CREATE TABLE member AS SELECT 1000 + i % 200 AS household, i % 7 AS kind, "
        "'K' || i % 35 AS class, 'R' || lpad((i % 301)::text, 4, '0') AS paper, age, diagnosis "
        "FROM (SELECT row_number() OVER () AS i, * FROM visit) AS x"
    )
    rows = visits.execute(
        "SELECT columns[1], looks_like FROM bkpriv.inspect_columns('member') "
        "WHERE cardinality(columns) = 1"
    ).fetchall()
    assert dict(rows) == {
        **dict.fromkeys(["household", "class", "paper"], "key"),
        "kind": "number, quasi-identifier",
        "age": "number, quasi-identifier",
        "diagnosis": "label, sensitive",
    }
