"""Attacks on releases of several sensitive columns, and of several records of a person."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, publish, state_policy
from tests.db.several import COLUMNS, declare, draw_visits
from tests.db.visits import ALL, CREATE_VISITS, publish_as, register

pytestmark = pytest.mark.rolled_back

LIMITS = Jsonb({"model": "bayes", "sure": 0.6, "unsure": 0.5, "folds": 3})


def figures(db: Connection, attacker: str) -> dict[str, dict[str | None, float]]:
    """Figures of an attack on release 1, by name and column."""
    call = "SELECT metric, sensitive, value FROM bkpriv.attack(1, %s, %s)"
    found: defaultdict[str, dict[str | None, float]] = defaultdict(dict)
    for metric, column, value in db.execute(call, [attacker, LIMITS]).fetchall():
        found[metric][column] = value
    return found


def beliefs(db: Connection) -> list[tuple[Any, ...]]:
    """Kind, told values, prior and posterior of the informed."""
    rows = db.execute(
        "SELECT group_id, qi, sensitive, prior, posterior FROM bkpriv.posterior(1, %s)",
        [Jsonb({"learned": "bayes", "folds": 3})],
    ).fetchall()
    return [(g, json.dumps(qi, sort_keys=True), json.loads(s), p, q) for g, qi, s, p, q in rows]


def test_each_column_has_figures(db: Connection) -> None:
    db.execute(
        "CREATE SCHEMA clinic; CREATE TABLE clinic.visit "
        "(id int, age int, sex text, city text, disease text, treatment text);"
        "CREATE TABLE clinic.city_levels AS SELECT DISTINCT v AS city, '*' AS root "
        "FROM unnest('{Aln,Brix,Corve,Dunn}'::text[]) AS v;"
        "CREATE TABLE clinic.disease_levels AS SELECT DISTINCT v AS disease, '*' AS root "
        "FROM unnest('{asthma,emphysema,fracture,pregnancy,ulcer}'::text[]) AS v"
    )
    rows = draw_visits(150)
    fill(db, "clinic.visit", rows)
    declare(db)
    bounds = [{"bandwidth": 0.3, "t": 0.3}, {"bandwidth": 0.3, "t": 0.6, "joint": True}]
    state_policy(db, "both", {"k_anonymity": {"k": 3}, "bt_privacy": bounds})
    publish(db, "visits", "both", "public.both")
    found = figures(db, "informed")
    assert found["people"] == {None: 150.0}
    assert found["over_t"].keys() == {*COLUMNS, None}
    counted = Counter(
        (json.dumps({"age": age, "sex": sex, "city": city}, sort_keys=True), *told)
        for _, age, sex, city, *told in rows
    )
    for place, column in enumerate(COLUMNS):
        after: defaultdict[str, Counter[str]] = defaultdict(Counter)
        before: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for _, kind, told, prior, posterior in beliefs(db):
            before[kind][told[column]] += prior
            after[kind][told[column]] += posterior
        right = sum(
            counted[person]
            for person in counted
            if person[1 + place] == max(after[person[0]], key=lambda v: after[person[0]][v])
        )
        assert found["accuracy"][column] == pytest.approx(right / 150, abs=0.02)  # ties
        breached = sum(
            counted[person]
            for person in counted
            if after[person[0]][person[1 + place]] > 0.6
            and before[person[0]][person[1 + place]] < 0.5
        )
        assert found["breached"][column] == breached
    told = db.execute("SELECT sensitive FROM bkpriv.explain_attack(1, 'informed', %s)", [LIMITS])
    names = Counter(name for (value,) in told.fetchall() for name in json.loads(value))
    assert names.keys() == set(COLUMNS)


def test_persons_of_several_records_are_attacked_once(db: Connection) -> None:
    db.execute(CREATE_VISITS)
    register(db)
    state_policy(db, "crowd", {"k_anonymity": {"k": 4}})
    publish_as(db, ALL)
    persons: defaultdict[str, list[str]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for patient, age, sex, disease in db.execute(
        "SELECT patient, age, sex, disease FROM clinic.visit"
    ).fetchall():
        persons[patient].append(disease)
        kinds[patient] = json.dumps({"age": age, "sex": sex}, sort_keys=True)
    found = figures(db, "informed")
    assert found["people"] == {None: 90.0}
    before: defaultdict[tuple[str, str], float] = defaultdict(float)
    after: defaultdict[tuple[str, str], float] = defaultdict(float)
    for _, kind, told, prior, posterior in beliefs_of_persons(db):
        for value in set(told):
            before[kind, value] += prior
            after[kind, value] += posterior
    claims = [
        (patient, value)
        for patient, kind in kinds.items()
        for value in ("flu", "cold", "acne", "gout")
        if after[kind, value] > 0.6
    ]
    right = [(patient, value) for patient, value in claims if value in persons[patient]]
    breached = {patient for patient, value in right if before[kinds[patient], value] < 0.5}
    assert found["claimed"]["disease"] == len(claims) > 0
    assert found["claimed_right"]["disease"] == len(right)
    assert found["breached"]["disease"] == len(breached)
    assert figures(db, "learner")["people"] == {None: 90.0}


def beliefs_of_persons(db: Connection) -> list[tuple[Any, ...]]:
    """Kind, told diseases, prior and posterior of the informed."""
    rows = db.execute(
        "SELECT group_id, qi, sensitive, prior, posterior FROM bkpriv.posterior(1, %s)",
        [Jsonb({"learned": "bayes", "folds": 3})],
    ).fetchall()

    def diseases(told: str) -> list[str]:
        if not told.startswith("["):
            return [told]
        return [row["disease"] for row in json.loads(told)]

    return [(g, json.dumps(qi, sort_keys=True), diseases(told), p, q) for g, qi, told, p, q in rows]
