"""Values that may stand for none, and values far out: named, with SQL that mends them."""

from __future__ import annotations

import re

import pytest
from psycopg.errors import Diagnostic

from tests.conftest import Connection
from tests.db.clinic import one

pytestmark = pytest.mark.rolled_back

VALUES = {
    "school": "CASE WHEN i % 20 = 0 THEN 98 WHEN i % 33 = 0 THEN 99 ELSE i % 18 END",
    "visits": "CASE WHEN i % 25 = 0 THEN 998 WHEN i % 40 = 0 THEN 999 ELSE i % 12 END",
    "weight": "CASE WHEN i % 30 = 0 THEN 9998 WHEN i % 37 = 0 THEN 9999 ELSE 150 + i % 250 END",
    "until": "CASE WHEN i % 10 = 0 THEN '9999-12-31' WHEN i % 50 = 1 THEN '1900-01-01' "
    "ELSE date '1950-01-01' + i * 40 END",
    "seen": "CASE WHEN i % 9 = 0 THEN timestamp '1900-01-01' "
    "ELSE timestamp '2020-01-01' + i * interval '1 day' END",
    "fee": "CASE WHEN i % 50 = 0 THEN -99 ELSE i % 40 * 1.25 END",
}

MENDED = {
    "school": ("'98', '99'", "CASE WHEN school NOT IN (98, 99) THEN school END"),
    "visits": ("'998', '999'", "CASE WHEN visits NOT IN (998, 999) THEN visits END"),
    "weight": ("'9998', '9999'", "CASE WHEN weight NOT IN (9998, 9999) THEN weight END"),
    "until": (
        "'1900-01-01', '9999-12-31'",
        "CASE WHEN until NOT IN ('1900-01-01', '9999-12-31') THEN until END",
    ),
    "seen": ("'1900-01-01 00:00:00'", "NULLIF(seen, '1900-01-01 00:00:00')"),
    "fee": ("'-99'", "NULLIF(fee, -99)"),
}


def warned(connection: Connection) -> list[str]:
    """Collect what a connection hears from now on, with details and hints."""
    said: list[str] = []

    def hear(each: Diagnostic) -> None:
        said.append(f"{each.message_primary}: {each.message_detail} {each.message_hint}")

    connection.add_notice_handler(hear)
    return said


@pytest.fixture
def forms(db: Connection) -> Connection:
    """Superuser's connection to a database with a table of such columns."""
    listed = ", ".join(f"{sql} AS {name}" for name, sql in VALUES.items())
    db.execute(
        f"CREATE TABLE form AS SELECT {listed}, (ARRAY['flu', 'gout', 'rash'])[1 + i % 3] AS dx "
        "FROM generate_series(1, 400) AS i"
    )
    return db


def test_registration_names_them_and_what_mends_them(forms: Connection) -> None:
    said = warned(forms)
    forms.execute(
        "SELECT bkpriv.register_dataset('form', 'form', %s, 'dx')",
        [[*VALUES]],
    )
    (odd,) = [each for each in said if "may stand for a missing one" in each]
    for name, (values, sql) in MENDED.items():
        assert re.search(rf'"{name}" \(\d+: {re.escape(values)}\)', odd), name
        assert f"{sql} AS {name}" in odd
    listed = ", ".join(f"{sql} AS {name}" for name, (_, sql) in MENDED.items())
    forms.execute(f"CREATE VIEW mended AS SELECT {listed}, dx FROM form")
    said.clear()
    forms.execute("SELECT bkpriv.register_dataset('mended', 'mended', %s, 'dx')", [[*VALUES]])
    assert not [each for each in said if "missing one" in each]


def test_inspection_names_them(forms: Connection) -> None:
    for name, (values, sql) in MENDED.items():
        reason = one(
            forms,
            "SELECT reason FROM bkpriv.inspect_columns('form') WHERE columns = ARRAY[%s]",
            [name],
        )
        assert values in reason
        assert sql in reason


def test_values_far_out_are_named(db: Connection) -> None:
    db.execute(
        "CREATE TABLE person AS SELECT CASE WHEN i = 7 THEN 120 ELSE 18 + i % 70 END AS age, "
        "CASE WHEN i % 25 = 0 THEN 50000 + i ELSE i % 300 END AS income, i % 3 AS dx "
        "FROM generate_series(1, 1500) AS i"
    )
    said = warned(db)
    db.execute("SELECT bkpriv.register_dataset('p', 'person', '{age,income}', 'dx')")
    (far,) = [each for each in said if "lie far out" in each]
    assert "\"age\" (1 beyond 18 to 87: '120')" in far
    assert '"income" (60 beyond 1 to 299: ' in far
    assert "least(age, 87) AS age, least(income, 299) AS income" in far
    said.clear()
    db.execute(
        "SELECT bkpriv.register_dataset('q', 'person', '{age,income}', 'dx', "
        """scales => '{"age": [0, 100], "income": [0, 300]}')"""
    )
    assert not [each for each in said if "lie far out" in each]


def test_ordinary_columns_are_not_named(db: Connection) -> None:
    db.execute(
        "CREATE TABLE person AS SELECT 18 + i % 82 AS age, date '1970-01-01' + i AS born, "
        "i % 10 AS visits, i % 3 AS dx FROM generate_series(1, 1500) AS i"
    )
    said = warned(db)
    db.execute("SELECT bkpriv.register_dataset('p', 'person', '{age,born,visits}', 'dx')")
    assert not [each for each in said if "missing one" in each or "far out" in each]
