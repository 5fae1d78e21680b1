"""Ranges of bandwidths in SQL: as if they were listed one by one; refused where one is meant."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.belief.knowledge import Bandwidths
from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

WIDE = {"from": 0.2, "to": 1.2, "points": 3}
LISTED = [*Bandwidths(0.2, 1.2, 3).each]


def policy_of(bandwidths: list[Any]) -> dict[str, Any]:
    """A policy about adversaries of some bandwidths."""
    return {
        "k_anonymity": {"k": 4},
        "l_diversity": {"l": 2},
        "bt_privacy": [{"bandwidth": one, "t": 0.1} for one in bandwidths],
    }


def audited(db: Connection, release: int, requirements: dict[str, Any] | None) -> list[Any]:
    """Figures of an audit, but for the numbers of groups."""
    return db.execute(
        "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied, "
        "estimator_used, sure FROM bkpriv.audit(%s, %s)",
        [release, requirements and Jsonb(requirements)],
    ).fetchall()


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "incognito"])
def test_a_release_is_that_of_the_policy_that_lists_the_bandwidths(
    clinic: Connection, method: str
) -> None:
    shown, found = [], []
    for name, bandwidths in (("range", [WIDE, 0.5]), ("listed", [*LISTED, 0.5])):
        state_policy(clinic, name, policy_of(bandwidths))
        release = publish(clinic, policy=name, method=method, view="public.seen")
        rows = clinic.execute("SELECT s::text FROM public.seen AS s ORDER BY 1").fetchall()
        shown.append(rows)
        recorded = clinic.execute(
            "SELECT parameters -> 'bandwidth', worst, satisfied FROM bkpriv.audits "
            "WHERE release = %s AND requirement = 'bt_privacy' ORDER BY 1",
            [release],
        ).fetchall()
        assert [width for width, *_ in recorded] == sorted([*LISTED, 0.5])
        assert all(worst <= 0.1 + 1e-9 and kept for _, worst, kept in recorded)
        found.append(audited(clinic, release, None))
        clinic.execute("SELECT bkpriv.withdraw(%s, 'again')", [release])
    assert shown[0] == shown[1]
    assert found[0] == found[1]


def test_any_release_is_audited_for_a_range(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 4}})
    release = publish(clinic)
    rows, same = (
        audited(clinic, release, policy_of(bandwidths)) for bandwidths in ([WIDE], LISTED)
    )
    assert rows == same
    for row, width in zip(rows[2:], LISTED, strict=True):
        query = "SELECT max(disclosure) FROM bkpriv.disclosure(%s, %s)"
        assert row[3] == pytest.approx(one(clinic, query, [release, Jsonb(width)]))
        assert row[6] == (row[3] <= 0.1)


def test_a_grid_of_policies_may_have_ranges(clinic: Connection) -> None:
    grid = {"grid": {"bandwidth": [WIDE, LISTED], "t": 0.1}, "with": {"k_anonymity": {"k": 4}}}
    rows = clinic.execute(
        "SELECT jsonb_object_agg(metric, value) - 'seconds' FROM bkpriv.explore('patients', %s) "
        "GROUP BY place ORDER BY place",
        [Jsonb(grid)],
    ).fetchall()
    _, (ranged,), (listed,) = rows
    assert ranged == pytest.approx(listed)


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
    for faulty, field in (
        ({"from": 2, "to": 1}, "from"),
        ({"from": 0, "to": 1}, "from"),
        ({"from": 0.1}, "to"),
        ({"from": 0.1, "to": 1, "points": 1}, "points"),
        ({"from": 0.1, "to": 1, "points": 101}, "points"),
    ):
        policy = {"bt_privacy": {"bandwidth": faulty, "t": 0.1}}
        refused(
            clinic,
            "SELECT bkpriv.set_policy('p', %s)",
            [Jsonb(policy)],
            sqlstate="22023",
            names=[field, "bt_privacy"] if field != "from" else [field],
        )


def test_releases_together_are_certified_at_each_bandwidth(db: Connection) -> None:
    db.execute(
        "CREATE TABLE member AS "
        "SELECT i AS id, 20 + i % 24 AS age, chr(65 + i * i % 5) AS unit "
        "FROM generate_series(1, 72) AS i"
    )
    db.execute("SELECT bkpriv.register_dataset('members', 'member', '{age}', 'unit', 'id')")
    within = {"bandwidth": {"from": 0.3, "to": 0.5, "points": 2}, "t": 0.4}
    state_policy(db, "range", {"k_anonymity": {"k": 3}, "bt_privacy": [within]})
    for _ in range(2):
        release = publish(db, "members", "range", "public.shown")
        db.execute("INSERT INTO member SELECT id + 72, age, unit FROM member WHERE id <= 24")
    found = db.execute(
        "SELECT parameters ? 'together', parameters -> 'bandwidth', satisfied FROM bkpriv.audits "
        "WHERE release = %s AND requirement = 'bt_privacy' ORDER BY 1, 2",
        [release],
    ).fetchall()
    assert found == [(joint, width, True) for joint in (False, True) for width in (0.3, 0.5)]
