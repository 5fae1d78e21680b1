"""A table of the same people month after month, and what is known of how their values follow."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, state_policy

SERIAL = """
CREATE SCHEMA clinic;
CREATE TABLE clinic.visit (patient text, month date, age int, zip int, disease text,
                           PRIMARY KEY (patient, month));
INSERT INTO clinic.visit
SELECT 'p' || i, date '2024-01-01' + m * interval '1 month', 30 + i % 20, 100 + i % 7,
    (ARRAY['flu', 'cold', 'well'])[1 + (i + m * (1 + i % 2)) % 3]
FROM generate_series(1, 40) i, generate_series(0, 2) m WHERE (i * 7 + m) % 5 > 0;
CREATE TABLE clinic.course (history text[], next text, probability float8);
INSERT INTO clinic.course VALUES
    ('{flu}', 'flu', 0.5), ('{flu}', 'well', 0.5), ('{cold}', 'cold', 0.2), ('{cold}', 'well', 0.8),
    ('{flu,cold}', 'flu', 0.1), ('{flu,cold}', 'well', 0.9);
CREATE VIEW clinic.corpus AS SELECT patient AS respondent, month AS period, disease AS value
    FROM clinic.visit;
SELECT bkpriv.register_dataset(
    'months', 'clinic.visit', '{age,zip}', 'disease', 'patient', 'month');
"""


@pytest.fixture
def months(db: Connection) -> Connection:
    """Superuser's connection to a database with the dataset of months."""
    db.execute(SERIAL)
    return db


def publish_month(db: Connection, month: str, policy: str = "plain", **options: Any) -> int:
    """Publish a month of the dataset."""
    return int(
        one(
            db,
            "SELECT bkpriv.publish('months', %s, 'public.months', period => %s, options => %s)",
            [policy, month, Jsonb({"seed": 1} | options)],
        )
    )


MONTHS = ["2024-01-01", "2024-02-01", "2024-03-01"]


def publish_all(db: Connection) -> None:
    """Publish all months under k-anonymity, as releases 1 to 3."""
    state_policy(db, "plain", {"k_anonymity": {"k": 3}})
    assert [publish_month(db, month) for month in MONTHS] == [1, 2, 3]
