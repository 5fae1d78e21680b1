"""Visits: the clinic with two sensitive columns, a disease and its treatment."""

from __future__ import annotations

import random
from typing import Any

from tests.conftest import Connection
from tests.db.clinic import draw_rows, fill, publish, state_policy

POLICY = {
    "k_anonymity": {"k": 4},
    "l_diversity": {"l": 2},
    "bt_privacy": [
        {"bandwidth": 0.3, "t": 0.3},
        {"bandwidth": 0.3, "t": 0.6, "joint": True},
    ],
}
COLUMNS = ["disease", "treatment"]
METHODS = (
    "mondrian",
    "bucketize",
    "agglomerate",
    "incognito",
    "microaggregate",
    "js_reduce",
)


def draw_visits(records: int, seed: int = 3) -> list[tuple[Any, ...]]:
    """Draw records of the clinic with a treatment, which goes with the disease."""
    draw = random.Random(seed)
    rows = []
    for number, (age, sex, city, disease) in enumerate(draw_rows(records, seed)):
        usual = {"asthma": "inhaler", "fracture": "cast"}.get(disease, "pills")
        rows.append((number, age, sex, city, disease, draw.choice([usual, "pills", "rest"])))
    return rows


def declare(db: Connection, respondent: str | None = "id") -> None:
    """Register the visits, with hierarchies of a quasi-identifier and a sensitive column."""
    db.execute(
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age,sex,city}', %s::text[], "
        "respondent => %s)",
        [COLUMNS, respondent],
    )
    for attribute in ("city", "disease"):
        db.execute(
            "SELECT bkpriv.set_hierarchy('visits', %s, %s)",
            [attribute, f"clinic.{attribute}_levels"],
        )


def create_releases(db: Connection) -> None:
    """Publish the visits of a clinic by each method; releases are numbered in their order."""
    db.execute(
        "CREATE TABLE clinic.visit "
        "(id int, age int, sex text, city text, disease text, treatment text)"
    )
    fill(db, "clinic.visit", draw_visits(240))
    declare(db)
    state_policy(db, "several", POLICY)
    for release, method in enumerate(METHODS, 1):
        options = {"seed": 1} if method == "incognito" else {}
        shown = {**POLICY, "overlap": "warn"} if release > 1 else POLICY
        state_policy(db, f"several_{method}", shown)
        made = publish(db, "visits", f"several_{method}", f"public.{method}", options, method)
        assert made == release
