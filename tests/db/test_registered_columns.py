"""Columns and rows that do not do as they are, named by registration and inspection."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

MEASURED = """
    CREATE TABLE measured AS SELECT i AS id, CASE WHEN i % 50 = 0 THEN 'NaN'
        WHEN i % 50 = 1 THEN 'Infinity' ELSE (i % 30)::text END::float8 AS bmi,
        CASE WHEN i % 10 = 0 THEN 'infinity' ELSE date '2020-01-01' + i % 90 END AS until,
        (ARRAY['flu', 'ulcer', 'gout'])[1 + i % 3] AS disease
    FROM generate_series(1, 200) AS i
"""


def test_values_that_are_not_finite_are_counted_with_a_way_out(db: Connection) -> None:
    db.execute(MEASURED)
    said = overhear(db)
    db.execute("SELECT bkpriv.register_dataset('m', 'public.measured', '{bmi,until}', 'disease')")
    assert any("values that are not finite" in each for each in said)
    reasons = db.execute(
        "SELECT columns[1], reason FROM bkpriv.inspect_columns('public.measured') "
        "WHERE columns IN ('{bmi}', '{until}')"
    ).fetchall()
    found: dict[str, str] = dict(reasons)
    assert "from 0 to 29" in found["bmi"]
    assert "8 records that are not finite" in found["bmi"]
    assert "20 records that are not finite" in found["until"]
    state_policy(db, "five", {"k_anonymity": {"k": 5}})
    statement = "SELECT bkpriv.publish('m', 'five', 'public.shown')"
    with unchanged(db):
        said_then = refused(db, statement, sqlstate="22000", names=['"bmi"', "'NaN'"])
    assert "NULLIF" in (said_then.message_hint or "")
    db.execute(
        "CREATE VIEW finite AS SELECT CASE WHEN bmi NOT IN ('NaN', 'Infinity') THEN bmi END AS bmi,"
        " NULLIF(until, 'infinity') AS until, disease FROM measured;"
        "SELECT bkpriv.register_dataset('f', 'public.finite', '{bmi,until}', 'disease')"
    )
    publish(db, "f", "five", "public.shown", {"nulls": "category"})


def test_types_without_ranges_are_named_with_a_way_out(db: Connection) -> None:
    db.execute(
        "CREATE TABLE stay AS SELECT time '08:00' + i % 9 * interval '1 hour' AS came, "
        "i % 9 * interval '1 hour' AS lasted, inet '10.0.0.0' + i % 9 AS host, "
        "(i % 9)::numeric::money AS paid, i % 3 = 0 AS ill FROM generate_series(1, 90) AS i"
    )
    said = overhear(db)
    db.execute(
        "SELECT bkpriv.register_dataset('s', 'public.stay', '{came,lasted,host,paid}', 'ill')"
    )
    assert any("types without ranges" in each for each in said)
    db.execute(
        "CREATE VIEW ranged AS SELECT extract(hour FROM came) AS came, "
        "extract(epoch FROM lasted) / 3600 AS lasted, set_masklen(host, 24) AS host, "
        "paid::numeric AS paid, ill FROM stay"
    )
    with unchanged(db):
        said_then = refused(
            db,
            "SELECT bkpriv.register_dataset('t', 'public.stay', '{came}', 'ill', "
            "bins => '{\"came\": 2}')",
            sqlstate="22023",
            names=['"came"', "extract(hour FROM"],
        )
    assert said_then.message_hint


def test_a_source_that_was_renamed_is_named_with_its_dataset(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient RENAME TO people_now")
    for statement in (
        "SELECT bkpriv.publish('patients', 'plain', 'public.shown')",
        "SELECT bkpriv.set_prefix_hierarchy('patients', 'city', '{1}')",
        "SELECT * FROM bkpriv.prior('patients', '0.3')",
    ):
        with unchanged(clinic):
            said = refused(
                clinic, statement, sqlstate="42P01", names=['of dataset "patients"', "renamed"]
            )
        assert "bkpriv.drop_dataset('patients')" in (said.message_hint or "")


def test_days_go_to_months_and_years_by_default(db: Connection) -> None:
    db.execute(
        "CREATE TABLE born AS SELECT date '1980-01-01' + i AS day, i % 3 = 0 AS ill "
        "FROM generate_series(1, 90) AS i;"
        "SELECT bkpriv.register_dataset('b', 'public.born', '{day}', 'ill');"
        "SELECT bkpriv.set_date_hierarchy('b', 'day')"
    )
    assert one(db, "SELECT rule FROM bkpriv.hierarchy") == {"units": ["month", "year"]}
