"""k-anonymous beta-likeness within clusters of like beliefs, in SQL."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import one, publish, state_policy
from tests.db.months import MONTHS, months
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

__all__ = ["months"]

METHODS = ("k_anonymity_primacy", "beta_likeness_primacy")

POLICY = {"k_anonymity": {"k": 3}, "beta_likeness": {"beta": 2}}


@pytest.fixture
def visitors(db: Connection) -> Connection:
    """A thousand people whose illness depends on age, a few of them with one that is rare."""
    db.execute(
        "CREATE SCHEMA clinic;"
        "CREATE TABLE clinic.visitor AS SELECT i % 40 AS age, chr(97 + i / 40 % 5) AS area, "
        "CASE WHEN i % 149 = 0 THEN 'rare' "
        "WHEN i * 7919 % 100 < 40 + i % 40 "
        "THEN (CASE WHEN i * 31 % 3 = 0 THEN 'flu' ELSE 'cold' END) "
        "ELSE (CASE WHEN i * 17 % 2 = 0 THEN 'hip' ELSE 'well' END) END AS illness "
        "FROM generate_series(1, 1000) i;"
        "SELECT bkpriv.register_dataset('visitors', 'clinic.visitor', '{age,area}', 'illness')"
    )
    return db


def outside(db: Connection) -> None:
    """Make a table of what is believed of each place: older people are thought to have hips."""
    db.execute(
        "CREATE TABLE clinic.belief AS SELECT age, area, illness, CASE illness "
        "WHEN 'hip' THEN 0.1 + age / 80.0 WHEN 'rare' THEN 0.01 "
        "ELSE (0.89 - age / 80.0) / 3 END::float8 AS probability "
        "FROM (SELECT DISTINCT age, area FROM clinic.visitor) q, "
        "unnest('{flu,cold,well,hip,rare}'::text[]) AS illness"
    )


def shown(db: Connection, view: str) -> list[Counter[str]]:
    """Values of each group of rows that are published alike."""
    rows = db.execute(f"SELECT array_agg(illness) FROM {view} GROUP BY age, area").fetchall()
    return [Counter(values) for (values,) in rows]


def check(db: Connection, release: int, view: str, k: int, beta: float) -> None:
    """Hold every published group against k-anonymity and beta-likeness, as a reader sees it."""
    table: dict[str, int] = dict(
        db.execute("SELECT illness, count(*) FROM clinic.visitor GROUP BY illness").fetchall()
    )
    everybody = sum(table.values())
    groups = shown(db, view)
    assert groups
    for group in groups:
        size = sum(group.values())
        assert size >= k
        for value, count in group.items():
            share = table[value] / everybody
            assert (count / size - share) / share <= beta + 1e-6
    kept = one(db, "SELECT records - suppressed FROM bkpriv.releases WHERE release = %s", [release])
    assert sum(sum(group.values()) for group in groups) == kept


def check_pairs(db: Connection, release: int, knowledge: Any, theta: float) -> None:
    """Hold beliefs about any two records of a group against each other."""
    rows = db.execute(
        "SELECT group_id, array_agg(prior ORDER BY sensitive) "
        "FROM bkpriv.posterior(%s, %s, 'omega') GROUP BY group_id, qi",
        [release, Jsonb(knowledge)],
    ).fetchall()
    groups: dict[int, list[list[float]]] = {}
    for group, belief in rows:
        groups.setdefault(group, []).append(belief)
    for held in groups.values():
        for p, q in combinations(held, 2):
            assert oracles.js_divergence(p, q) <= theta + 1e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("knowledge", [0.3, {"table": "clinic.belief"}])
def test_each_group_is_anonymous_alike_and_believed_alike(
    visitors: Connection, method: str, knowledge: Any
) -> None:
    outside(visitors)
    bt_privacy = {"bandwidth": knowledge, "t": 0.99}
    state_policy(visitors, "alike", {**POLICY, "bt_privacy": bt_privacy})
    release = publish(visitors, "visitors", "alike", "public.v", {"theta": 0.05}, method)
    check(visitors, release, "public.v", 3, 2)
    check_pairs(visitors, release, knowledge, 0.05)
    # The option is a requirement of the release, which audits hold it to.
    audited = visitors.execute(
        "SELECT requirement, parameters, threshold, satisfied FROM bkpriv.audit(%s) "
        "WHERE threshold IS NOT NULL",
        [release],
    ).fetchall()
    assert all(row[-1] for row in audited)
    (theta,) = (row for row in audited if row[0] == "pair_divergence")
    assert theta[2] == 0.05
    assert theta[1]["bandwidth"] == knowledge


@pytest.mark.parametrize("method", METHODS)
def test_a_rare_value_does_not_collapse_the_table(visitors: Connection, method: str) -> None:
    count = "SELECT count(*) FROM clinic.visitor WHERE illness = 'rare'"
    assert one(visitors, count) == 6
    state_policy(visitors, "alike", POLICY)
    release = publish(visitors, "visitors", "alike", "public.v", {"theta": 0.99}, method)
    check(visitors, release, "public.v", 3, 2)
    sizes = [sum(group.values()) for group in shown(visitors, "public.v")]
    assert len(sizes) > 30
    assert max(sizes) < 100
    left_out = one(visitors, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release])
    assert left_out < 100
    assert "rare" not in {value for group in shown(visitors, "public.v") for value in group}


@pytest.mark.parametrize("method", METHODS)
def test_who_remembers_is_kept_from_telling_records_apart(months: Connection, method: str) -> None:
    months.execute(
        "SELECT bkpriv.set_sequential_knowledge('months', 'course', 'domain', 'clinic.course')"
    )
    state_policy(months, "wary", {"k_anonymity": {"k": 2}, "beta_likeness": {"beta": 2}})
    for month in MONTHS:
        release = one(
            months,
            "SELECT bkpriv.publish('months', 'wary', 'public.months', %s, "
            "period => %s, options => %s)",
            [method, month, Jsonb({"theta": 0.4})],
        )
        audited = months.execute(
            "SELECT requirement, parameters, worst, satisfied FROM bkpriv.audit(%s) "
            "WHERE threshold IS NOT NULL",
            [release],
        ).fetchall()
        (theta,) = (row for row in audited if row[0] == "pair_divergence")
        assert theta[1]["bandwidth"] == {"sequence": "course"}
        assert all(row[-1] for row in audited)
        check_pairs(months, release, {"sequence": "course"}, 0.4)


def test_what_is_missing_or_stated_twice_is_refused(visitors: Connection) -> None:
    state_policy(visitors, "k", {"k_anonymity": {"k": 3}})
    state_policy(visitors, "both", {**POLICY, "pair_divergence": {"theta": 0.2, "bandwidth": 0.3}})
    call = "SELECT bkpriv.publish('visitors', %s, 'public.v', %s, options => %s)"
    for policy, method, options, names in (
        ("k", "k_anonymity_primacy", "{}", ["beta_likeness"]),
        ("both", "k_anonymity_primacy", '{"theta": 0.1}', ["theta is stated twice", "0.1", "0.2"]),
        ("both", "beta_likeness_primacy", '{"theta": 2}', ["theta", "2"]),
        ("both", "mondrian", '{"theta": 0.1}', ["theta", "mondrian"]),
    ):
        refused(visitors, call, [policy, method, options], sqlstate="22023", names=names)
    release = one(visitors, call, ["both", "k_anonymity_primacy", "{}"])
    check_pairs(visitors, release, 0.3, 0.2)
