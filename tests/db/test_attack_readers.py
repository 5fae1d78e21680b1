"""Readers who do not know the groups, or know how they were formed, played on releases."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

UNIFORM = {"bandwidth": {"kernel": "uniform"}}


def attack(db: Connection, release: int, attacker: str, **options: Any) -> dict[str, float]:
    """Figures of an attack."""
    call = "SELECT metric, value FROM bkpriv.attack(%s, %s, %s)"
    return dict(db.execute(call, [release, attacker, Jsonb(options)]).fetchall())


def eight(db: Connection, method: str = "mondrian") -> int:
    """Publish eight people, of whom those of ages 2, 5 and 8 are sick."""
    db.execute("CREATE TABLE eight (age int, state text)")
    fill(db, "eight", [(age, "sick" if age in (2, 5, 8) else "well") for age in range(1, 9)])
    db.execute("SELECT bkpriv.register_dataset('eight', 'eight', '{age}', 'state')")
    shift = {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.2}]}
    state_policy(db, "shift", shift)
    return publish(db, "eight", "shift", "eight_view", {}, method)


def test_who_knows_the_algorithm_is_certain_of_six_of_eight(db: Connection) -> None:
    release = eight(db)
    found = attack(db, release, "algorithm", bandwidth=0.5)
    assert (found["people"], found["alike"]) == (8, 2)
    assert found["claimed"] == found["claimed_right"] == 6
    assert attack(db, release, "without_groups", bandwidth=0.5)["over_t"] == 0
    explained = db.execute(
        "SELECT believed, (qi->>'age')::int FROM bkpriv.explain_attack(%s, 'algorithm', %s)",
        [release, Jsonb({"bandwidth": 0.5})],
    ).fetchall()
    assert sum(believed > 0.9 for believed, _ in explained) == 6
    assert sorted(age for _, age in explained) == list(range(1, 9))


def test_who_does_not_know_the_groups_takes_all_that_fit(clinic: Connection) -> None:
    release = publish(clinic, options={}, method="agglomerate")
    found = attack(clinic, release, "without_groups", **UNIFORM)
    assert found["people"] + found["not_inferred"] == 300
    assert 300 >= found["concerned"] >= found["movable"]
    # What nobody knows of is not explained either.
    explained = clinic.execute(
        "SELECT sum(records) FROM bkpriv.explain_attack(%s, 'without_groups', %s)",
        [release, Jsonb(UNIFORM)],
    ).fetchone()
    assert explained == (found["people"],)


def test_samples_are_published_and_attacked(clinic: Connection) -> None:
    release = publish(clinic, options={}, method="mondrian")
    options = {"people": 5, "samples": 4, "bandwidth": 0.3}
    found = attack(clinic, release, "algorithm", **options)
    assert found["sampled"] + found["unpublished"] + found["too_large"] == 4
    assert found["people"] == 5 * found["sampled"]


@pytest.mark.parametrize(
    ("attacker", "method", "options", "sqlstate", "names"),
    [
        ("without_groups", "bucketize", {}, "0A000", ["bucketized"]),
        ("algorithm", "microaggregate", {}, "0A000", ["microaggregate"]),
        ("algorithm", "mondrian", {"worlds": 3}, "54000", ["18 tables", "3"]),
        ("algorithm", "mondrian", {"people": 9}, "22023", ["people", "9", "8"]),
        ("algorithm", "mondrian", {"bandwidth": {"sequence": "s"}}, "22023", ["bandwidth", "s"]),
        ("without_groups", "mondrian", {"bandwidth": {"sequence": "s"}}, "22023", ["bandwidth"]),
        ("without_groups", "mondrian", {"bandwidth": {"from": 0.1, "to": 1}}, "22023", ["0.1"]),
        ("without_groups", "mondrian", {"worlds": 3}, "22023", ["worlds"]),
    ],
)
def test_what_cannot_be_attacked_is_refused(
    db: Connection,
    attacker: str,
    method: str,
    options: dict[str, Any],
    sqlstate: str,
    names: list[str],
) -> None:
    release = eight(db, method)
    call = "SELECT * FROM bkpriv.attack(%s, %s, %s)"
    refused(db, call, [release, attacker, Jsonb(options)], sqlstate=sqlstate, names=names)
