"""Attributes that are coarsened before records are drawn: queries about them, and retentions."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.refusal import refused
from tests.db.test_randomize import draw

LEVELS = {"age": 1, "city": 1, "born": 1, "sex": 0}

ACCURACY = "SELECT actual FROM bkpriv.query_accuracy(1, %s)"
REWRITE = "SELECT bkpriv.rewrite_query(1, %s)"


@pytest.fixture(scope="module")
def released(shared_clinic: Connection) -> Connection:
    """The clinic with years of birth, and a release 1 by levels, which distorts nothing."""
    shared_clinic.execute(
        "SELECT bkpriv.drop_dataset('patients');"
        "CREATE VIEW clinic.born AS SELECT *, date '2020-01-01' - age / 20 * 7 AS born "
        "FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('patients', 'clinic.born', '{age,city,born,sex}', "
        "'disease');"
        "SELECT bkpriv.set_hierarchy('patients', 'city', 'clinic.city_levels');"
        "SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{25}', 20);"
        "SELECT bkpriv.set_interval_hierarchy('patients', 'born', '{14}')"
    )
    assert draw(shared_clinic, 0.999, levels=LEVELS) == 1
    return shared_clinic


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("age = '[20,44]'", "age < 45"),
        ("age <> '[20,44]'", "age >= 45"),
        ("age IN ('[20,44]', '[45,69]') AND sex = 'f'", "sex = 'f'"),
        ("'north' = city AND age IS NOT NULL", "city IN ('Aln', 'Brix')"),
        ("NOT city = 'north' OR age IS NULL", "city NOT IN ('Aln', 'Brix')"),
        ("sex < 'm' AND city = 'south'", "sex = 'f' AND city IN ('Corve', 'Dunn')"),
        ("sex = 'x'", "false"),
    ],
)
def test_classes_are_counted_by_their_labels(
    released: Connection, condition: str, truth: str
) -> None:
    query = f"SELECT count(*) FROM patients WHERE {condition}"
    true = one(released, f"SELECT count(*) FROM clinic.patient WHERE {truth}")
    assert one(released, ACCURACY, [query]) == true
    assert one(released, f"SELECT estimate FROM ({one(released, REWRITE, [query])}) AS r") == true


def test_every_class_is_counted_by_the_label_that_is_shown(released: Connection) -> None:
    for name in ("age", "city", "born"):
        shown = released.execute(f"SELECT {name}, count(*) FROM drawn GROUP BY 1".encode())
        for label, records in shown.fetchall():
            query = f"SELECT count(*) FROM patients WHERE {name} = '{label}'"
            assert one(released, ACCURACY, [query]) == records


@pytest.mark.parametrize(
    ("condition", "attribute"),
    [
        ("age = 30", "age"),
        ("age = '30'", "age"),
        ("age <> 30", "age"),
        ("age < 30", "age"),
        ("30 <= age", "age"),
        ("age BETWEEN 20 AND 44", "age"),
        ("age IN ('[20,44]', 30)", "age"),
        ("age >= '[20,44]'", "age"),
        ("sex = 'f' OR age > 50", "age"),
        ("city = 'Aln'", "city"),
        ("city < 'south'", "city"),
        ("city = true", "city"),
        ("born < '2020-01-10'", "born"),
        ("born = '2020-01-01'", "born"),
    ],
)
@pytest.mark.parametrize("statement", [ACCURACY, REWRITE])
def test_values_of_the_source_are_not_taken_for_classes(
    released: Connection, condition: str, attribute: str, statement: str
) -> None:
    said = refused(
        released,
        statement,
        [f"SELECT count(*) FROM patients WHERE {condition}"],
        sqlstate="22023",
        names=[f'"{attribute}"', "coarsened before records were drawn"],
    )
    label = one(released, f'SELECT min({attribute} COLLATE "C") FROM drawn')
    assert f"'{label}'" in (said.message_hint or "")


def test_a_workload_asks_by_labels(released: Connection) -> None:
    rows = released.execute(
        "SELECT query, actual FROM bkpriv.query_workload(1, 20, 3, 0.3, 1)"
    ).fetchall()
    assert any('"age" IN' in query for query, _ in rows)
    for query, actual in rows:
        assert one(released, ACCURACY, [query]) == actual


def test_retentions_are_those_of_a_publication_by_the_same_options(released: Connection) -> None:
    optimize = (
        "SELECT attribute, domain_size, retention "
        "FROM bkpriv.optimize_randomization('patients', 'rr-both', 0.3, %s)"
    )
    found = released.execute(optimize, [Jsonb({"levels": LEVELS})]).fetchall()
    draw(released, view="public.other", levels=LEVELS)
    shown = released.execute(
        "SELECT attribute, count(*), min(retention) FROM other_randomization GROUP BY attribute"
    ).fetchall()
    assert sorted(found) == sorted(shown)
    sizes = {name: size for name, size, _ in found}
    assert (sizes["age"], sizes["city"], sizes["sex"]) == (2, 2, 2)
