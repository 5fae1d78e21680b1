"""Readers who do not know the groups, played on releases."""

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


@pytest.mark.parametrize(
    ("attacker", "method", "options", "sqlstate", "names"),
    [
        ("without_groups", "bucketize", {}, "0A000", ["bucketized"]),
        (
            "algorithm",
            "mondrian",
            {},
            "22023",
            ["algorithm"],
        ),
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
