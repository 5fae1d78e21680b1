"""Ranges of bandwidths in SQL: published, audited, explored; refused where one prior is meant."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

WIDE = {"from": 0.2, "to": 1.2}
POLICY: dict[str, Any] = {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": WIDE, "t": 0.1}}


def worst_of(db: Connection, release: int, bandwidth: Any) -> float:
    """Worst disclosure to an adversary, as an audit measures it."""
    demanded = {"bt_privacy": {"bandwidth": bandwidth, "t": 0.1}}
    query = "SELECT worst FROM bkpriv.audit(%s, %s)"
    return float(one(db, query, [release, Jsonb(demanded)]))


def inferred(db: Connection, release: int, bandwidth: float) -> float:
    """Worst disclosure to an adversary, inferred or estimated: an audit may have an upper bound."""
    query = "SELECT max(disclosure) FROM bkpriv.disclosure(%s, %s)"
    return float(one(db, query, [release, Jsonb(bandwidth)]))


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "incognito"])
def test_everybody_of_the_range_is_kept_to_t_and_the_audit_says_how_that_is_known(
    clinic: Connection, method: str
) -> None:
    state_policy(clinic, "range", POLICY | {"l_diversity": {"l": 2}})
    release = publish(clinic, policy="range", method=method)
    apart = [worst_of(clinic, release, 0.2 + place / 32) for place in range(33)]
    assert max(apart) <= 0.1 + 1e-9
    first = [inferred(clinic, release, 0.2 * 6 ** (place / 16)) for place in range(17)]
    for audited in ("bkpriv.audits", "bkpriv.audit(release => %(release)s)"):
        rows = clinic.execute(
            f"SELECT parameters, worst, satisfied FROM {audited} AS a "
            "WHERE requirement = 'bt_privacy' AND parameters -> 'bandwidth' = %(wide)s",
            {"release": release, "wide": Jsonb(WIDE)},
        ).fetchall()
        assert rows[0][0].pop("points") >= 17
        assert rows[0][0] == {"bandwidth": WIDE, "t": 0.1, "between": "bounded"}
        assert max(first) - 1e-9 <= rows[0][1] <= 0.1
        assert rows[0][2] is True


def test_a_release_that_was_not_made_for_it_is_audited_all_the_same(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 4}})
    release = publish(clinic)
    first = [inferred(clinic, release, 0.2 * 6 ** (place / 16)) for place in range(17)]
    assert worst_of(clinic, release, WIDE) >= max(first) - 1e-9


def test_a_grid_of_policies_may_have_ranges(clinic: Connection) -> None:
    grid = {"grid": {"bandwidth": [0.3, WIDE], "t": 0.1}, "with": {"k_anonymity": {"k": 4}}}
    rows = clinic.execute(
        "SELECT place, value FROM bkpriv.explore('patients', %s) WHERE metric = 'gcp'",
        [Jsonb(grid)],
    ).fetchall()
    figures: dict[int, float] = dict(rows)
    assert 0 < figures[1] <= figures[2]


def test_what_asks_for_one_prior_refuses_a_range(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 4}})
    release = publish(clinic)
    for call in (
        "prior('patients', %s)",
        f"posterior({release}, %s)",
        f"disclosure({release}, %s)",
        f"explain_disclosure({release}, %s)",
        f"audit({release}, jsonb_build_object('js_divergence', "
        "jsonb_build_object('j', 1, 'bandwidth', %s::jsonb)))",
    ):
        query = f"SELECT * FROM bkpriv.{call}"
        refused(clinic, query, [Jsonb(WIDE)], sqlstate="22023", names=["0.2 to 1.2"])
    for faulty in ({"from": 2, "to": 1}, {"from": 0, "to": 1}, {"from": 0.1}):
        policy = {"bt_privacy": {"bandwidth": faulty, "t": 0.1}}
        refused(clinic, "SELECT bkpriv.set_policy('p', %s)", [Jsonb(policy)], sqlstate="22023")


def test_what_is_not_shown_of_releases_together_is_recorded(db: Connection) -> None:
    db.execute(
        "CREATE TABLE member AS "
        "SELECT i AS id, 20 + i % 24 AS age, chr(65 + i * i % 5) AS unit "
        "FROM generate_series(1, 72) AS i"
    )
    db.execute("SELECT bkpriv.register_dataset('members', 'member', '{age}', 'unit', 'id')")
    within = {"bandwidth": {"from": 0.3, "to": 0.5}, "t": 0.4}
    state_policy(db, "range", {"k_anonymity": {"k": 3}, "bt_privacy": [within]})
    said = overhear(db)
    for _ in range(2):
        release = publish(db, "members", "range", "public.shown")
        db.execute("INSERT INTO member SELECT id + 72, age, unit FROM member WHERE id <= 24")
    assert sum("between them it is not shown" in line for line in said) == 1
    found = db.execute(
        "SELECT parameters ->> 'between', vulnerable, satisfied FROM bkpriv.audits "
        "WHERE release = %s AND requirement = 'bt_privacy' ORDER BY parameters ? 'together'",
        [release],
    ).fetchall()
    assert found == [("bounded", 0, True), ("not bounded", 0, False)]
