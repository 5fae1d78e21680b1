"""A table of the same people month after month, and what is known of how their values follow."""

from __future__ import annotations

import pytest

from tests.conftest import Connection

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
