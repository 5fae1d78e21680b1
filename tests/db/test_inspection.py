"""Warnings at registration and of hierarchies, with counts, and values that they leave unsaid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, overhear
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

PATIENTS = """
    CREATE TABLE patient AS
    SELECT i AS number, 'patient ' || i AS name, 20 + i * 7 % 50 AS age,
        timestamptz '2024-01-01 00:00+00' + i * interval '1 hour 7 minutes' AS admitted,
        (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 3] AS disease
    FROM generate_series(1, 300) AS i
"""


@pytest.fixture
def hospital(db: Connection) -> Connection:
    """Superuser's connection to a database with a table of patients, each with a number."""
    db.execute(PATIENTS)
    return db


def register(
    connection: Connection,
    quasi_identifiers: list[str],
    source: str = "patient",
    sensitive: str = "disease",
    more: str = "",
) -> list[str]:
    """Register a dataset, and return the warnings."""
    said: list[str] = []
    connection.add_notice_handler(
        lambda notice: (
            said.append(f"{notice.message_primary}: {notice.message_detail}")
            if notice.severity == "WARNING"
            else None
        )
    )
    connection.execute(
        f"SELECT bkpriv.register_dataset('patients', %s, %s, %s{more})",
        [source, quasi_identifiers, sensitive],
    )
    assert one(connection, "SELECT count(*) FROM bkpriv.dataset WHERE name = 'patients'") == 1
    return said


@pytest.mark.parametrize("kind", ["table", "VIEW", "MATERIALIZED VIEW", "partitioned"])
def test_nearly_unique_quasi_identifiers_are_named_and_counted(
    hospital: Connection, kind: str
) -> None:
    source = "patient"
    if kind == "partitioned":
        source = "parts"
        hospital.execute(
            "CREATE TABLE parts (LIKE patient) PARTITION BY RANGE (number);"
            "CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (100);"
            "CREATE TABLE high PARTITION OF parts DEFAULT; INSERT INTO parts TABLE patient"
        )
    elif kind != "table":
        source = "shown"
        hospital.execute(f"CREATE {kind} shown AS TABLE patient")
    (said,) = register(hospital, ["age", "number", "admitted", "name"], source)
    assert '"patients"' in said
    assert "nearly unique" in said
    assert '"number" (300 in 300), "admitted" (300 in 300), "name" (300 in 300)' in said
    assert "age" not in said


def test_the_hint_says_what_would_work(hospital: Connection) -> None:
    hints: list[Any] = []
    hospital.add_notice_handler(lambda notice: hints.append(notice.message_hint))
    register(hospital, ["number"])
    assert any(hint and "bucketize" in hint and "bins =>" in hint for hint in hints)


def test_binned_values_are_counted_as_such(hospital: Connection) -> None:
    bins = """, bins => '{"admitted": "week", "number": 50}'"""
    assert register(hospital, ["age", "number", "admitted"], more=bins) == []
    hospital.execute("SELECT bkpriv.drop_dataset('patients')")
    # Hours are no help: two admissions never share one.
    (said,) = register(hospital, ["admitted"], more=""", bins => '{"admitted": "hour"}'""")
    assert '"admitted" (300 in 300)' in said


@pytest.mark.parametrize(
    ("records", "distinct", "warned"),
    [(19, 19, False), (20, 20, True), (20, 19, True), (20, 18, False), (200, 181, True),
     (200, 180, False), (200, 1, False)],
)  # fmt: skip
def test_more_than_nine_values_in_ten_records_of_at_least_twenty(
    db: Connection, records: int, distinct: int, warned: bool
) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT least(i, %s) AS q, chr(65 + i %% 2) AS s "
        "FROM generate_series(1, %s) AS i",
        [distinct, records],
    )
    said = register(db, ["q"], "t", "s")
    assert [f'"q" ({distinct} in {records})' in line for line in said] == [True] * warned


def test_null_is_counted_by_column(hospital: Connection) -> None:
    hospital.execute(
        "UPDATE patient SET age = NULL WHERE number <= 7;"
        "UPDATE patient SET disease = NULL WHERE number > 298;"
        "UPDATE patient SET number = NULL WHERE number % 2 = 0;"
        "UPDATE patient SET name = NULL"
    )
    more = ", respondent => 'name'"
    unique, null = register(hospital, ["age", "admitted", "number"], more=more)
    assert "NULL" in null
    assert '"age" (7), "number" (150), "disease" (2), "name" (300)' in null
    # NULL is no value that somebody has alone.
    assert '"number" (150 in 150)' in unique


def test_nothing_is_said_where_nothing_is_amiss(hospital: Connection) -> None:
    assert register(hospital, ["age"]) == []


def test_an_empty_table_is_registered_without_a_word(hospital: Connection) -> None:
    hospital.execute("DELETE FROM patient")
    assert register(hospital, ["age", "number"]) == []


def test_more_columns_than_one_statement_tells_apart(db: Connection) -> None:
    columns = [f"q{place}" for place in range(70)]
    listed = ", ".join(f"i AS {name}" if name in ("q0", "q30", "q31", "q69") else
                       f"2 * nullif(i % 5, {place % 6}) AS {name}"
                       for place, name in enumerate(columns))  # fmt: skip
    db.execute(
        f"CREATE TABLE wide AS SELECT {listed}, chr(65 + i % 3) AS s "
        "FROM generate_series(1, 50) AS i"
    )
    unique, null, repeated = register(db, columns, "wide", "s")
    assert 'They determine each other, or rise and fall together: "q1", "q2", ' in repeated
    assert unique.endswith('"q0" (50 in 50), "q30" (50 in 50), "q31" (50 in 50), "q69" (50 in 50).')
    assert null.count("(10)") == sum(
        place % 6 < 5 for place, name in enumerate(columns) if f'"{name}"' not in unique
    )


def test_a_large_source_is_read_in_part(db: Connection) -> None:
    db.execute(
        "CREATE VIEW large AS SELECT i AS number, i % 7 AS age, nullif(i, 3) AS late, "
        "CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END AS s "
        "FROM (SELECT generate_series(1::int8, 1000000000000) AS i) AS x"
    )
    db.execute("SET statement_timeout = '60s'")
    unique, null = register(db, ["number", "age", "late"], "large", "s")
    assert '"number" (1000000 in 1000000), "late" (999999 in 999999)' in unique
    assert unique.endswith("Seen were the first 1000000 records.")
    assert '"late" (1)' in null


def test_a_source_that_cannot_be_counted_is_not_registered(hospital: Connection) -> None:
    hospital.execute("CREATE VIEW broken AS SELECT age / (number - 7) AS age, disease FROM patient")
    with unchanged(hospital), pytest.raises(psycopg.errors.DivisionByZero):
        register(hospital, ["age"], "broken")


# --- Hierarchies ----------------------------------------------------------------------------------

SET = "SELECT bkpriv.set_hierarchy('patients', %s, %s)"


def test_values_that_a_hierarchy_lacks_are_counted_and_named(clinic: Connection) -> None:
    clinic.execute(
        "INSERT INTO clinic.patient VALUES (30, 'f', 'Ely', 'flu'), (30, 'f', 'Fen', 'flu'),"
        "(30, 'f', 'Ely', 'flu'), (30, 'f', NULL, 'flu')"
    )
    said = overhear(clinic)
    clinic.execute(SET, ["city", "clinic.city_levels"])
    known = one(clinic, "SELECT count(DISTINCT city) FROM clinic.patient")
    (warning,) = said
    assert '"city"' in warning
    assert f"2 of {known} are missing: 'Ely', 'Fen'" in warning
    assert one(clinic, "SELECT count(*) FROM bkpriv.hierarchy WHERE attribute = 'city'") == 1


def test_many_missing_values_are_cut_short(clinic: Connection) -> None:
    clinic.execute(
        "INSERT INTO clinic.patient SELECT 30, 'f', 'town ' || i, 'flu' "
        "FROM generate_series(1, 500) AS i"
    )
    said = overhear(clinic)
    clinic.execute(SET, ["city", "clinic.city_levels"])
    (warning,) = said
    assert "500 of " in warning
    assert warning.endswith("and 492 more.")


def test_a_hierarchy_of_all_values_is_set_without_a_word(clinic: Connection) -> None:
    said = overhear(clinic)
    clinic.execute(SET, ["city", "clinic.city_levels"])
    assert said == []


def test_values_of_a_binned_column_are_the_starts_of_bins(hospital: Connection) -> None:
    register(hospital, ["age"], more=""", bins => '{"age": 10}'""")
    hospital.execute("CREATE TABLE ages (age int, all_ages text)")
    hospital.execute("INSERT INTO ages VALUES (20, '*'), (30, '*'), (40, '*'), (50, '*')")
    said = overhear(hospital)
    hospital.execute(SET, ["age", "ages"])
    assert len(said) == 1
    assert "1 of 5 are missing: '60'." in said[0]


def test_dates_are_compared_as_published(hospital: Connection) -> None:
    hospital.execute("SET datestyle = 'German'")
    hospital.execute(
        "ALTER TABLE patient ADD day date; UPDATE patient SET day = '2024-02-01';"
        "CREATE TABLE days AS SELECT date '2024-02-01' AS day, text '*' AS anything"
    )
    register(hospital, ["day"])
    said = overhear(hospital)
    hospital.execute(SET, ["day", "days"])
    assert said == []


def test_a_source_that_may_no_longer_be_read_is_refused(
    hospital: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = sql.Identifier(publisher.info.user)
    hospital.execute(sql.SQL("GRANT SELECT ON patient TO {}").format(role))
    publisher.execute("SELECT bkpriv.register_dataset('patients', 'patient', '{age}', 'disease')")
    publisher.execute("CREATE TABLE levels AS SELECT text 'flu' AS disease, text '*' AS root")
    hospital.execute(sql.SQL("REVOKE SELECT ON patient FROM {}").format(role))
    with unchanged(hospital):
        refused(publisher, SET, ["disease", "levels"], sqlstate="42501", names=["disease"])
