"""Visits to a clinic whose patients come one to three times."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.conftest import Connection
from tests.db.clinic import publish

__all__ = ["ALL", "CREATE_VISITS", "publish_as", "register", "shown"]

ALL = {"max_records_per_person": "all"}

CREATE_VISITS = """
CREATE SCHEMA clinic;
CREATE TABLE clinic.visit AS
SELECT 'p' || p AS patient, 20 + p * 7 % 30 AS age, (ARRAY['f', 'm'])[1 + p % 2] AS sex,
    (ARRAY['flu', 'cold', 'acne', 'gout'])[1 + (p * 7 + v * 3) % 4] AS disease,
    date '2024-01-01' + (v * 37 + p * 11) % 90 AS visited, p * 10 + v AS visit
FROM generate_series(1, 90) AS p, generate_series(1, 3) AS v WHERE v <= 1 + p % 3
"""


def register(db: Connection, name: str = "visits", attributes: str = "{}") -> None:
    """Register the visits, by their patients."""
    db.execute(
        "SELECT bkpriv.register_dataset(%s, 'clinic.visit', '{age,sex}', ARRAY['disease'], "
        "attributes => %s::text[], respondent => 'patient')",
        [name, attributes],
    )


def publish_as(db: Connection, options: dict[str, Any], **given: Any) -> int:
    """Publish the visits."""
    return publish(db, "visits", policy="crowd", view="public.shown", options=options, **given)


def shown(db: Connection, columns: str = "sex, age, disease") -> Counter[tuple[Any, ...]]:
    """Rows of the view, as often as they are there."""
    return Counter(map(tuple, db.execute(f"SELECT {columns} FROM public.shown").fetchall()))
