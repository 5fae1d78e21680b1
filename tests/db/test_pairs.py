"""The requirement pair_divergence, in SQL: stated, published by, audited."""

from __future__ import annotations

from itertools import combinations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import one, publish, state_policy
from tests.db.months import MONTHS, months
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

__all__ = ["months"]

ALIKE = {"pair_divergence": {"theta": 0.2, "bandwidth": [0.5, 0.8]}}

FINDINGS = "SELECT parameters, worst, satisfied, estimator_used FROM bkpriv.audit(%s, %s)"


@pytest.mark.parametrize(
    "method", ["mondrian", "agglomerate", "bucketize", "incognito", "js_reduce"]
)
def test_beliefs_about_any_two_of_a_group_are_alike(clinic: Connection, method: str) -> None:
    state_policy(clinic, "alike", {"k_anonymity": {"k": 2}, **ALIKE})
    options = {"suppression": 0.9} if method == "incognito" else {}
    release = publish(clinic, "patients", "alike", "public.alike", options, method)
    rows = clinic.execute(FINDINGS, [release, Jsonb(ALIKE)]).fetchall()
    assert [row[0]["bandwidth"] for row in rows] == [0.5, 0.8]
    assert all(row[2:] == (True, "exact") for row in rows)
    # What posterior() gives as beliefs before, pair by pair.
    for parameters, worst, *_ in rows:
        shown = clinic.execute(
            "SELECT group_id, array_agg(prior ORDER BY sensitive) "
            "FROM bkpriv.posterior(%s, %s, 'omega') GROUP BY group_id, qi",
            [release, Jsonb(parameters["bandwidth"])],
        ).fetchall()
        groups: dict[int, list[list[float]]] = {}
        for group, belief in shown:
            groups.setdefault(group, []).append(belief)
        largest = max(
            (
                oracles.js_divergence(p, q)
                for held in groups.values()
                for p, q in combinations(held, 2)
            ),
            default=0.0,
        )
        assert worst == pytest.approx(largest, abs=1e-6)
        assert largest <= 0.2 + 1e-9


def test_who_is_not_believed_alike_is_named(clinic: Connection) -> None:
    state_policy(clinic, "two", {"k_anonymity": {"k": 4}})
    release = publish(clinic, "patients", "two", "public.two")
    strict = Jsonb({"pair_divergence": {"theta": 0, "bandwidth": 0.3}})
    row = clinic.execute(
        "SELECT worst, satisfied, vulnerable, worst_qi, value, value_before, value_after "
        "FROM bkpriv.audit(%s, %s)",
        [release, strict],
    ).fetchone()
    assert row is not None
    worst, satisfied, vulnerable, where, value, before, after = row
    assert worst > 0
    assert not satisfied
    assert vulnerable > 0
    believed = one(
        clinic,
        "SELECT probability FROM bkpriv.prior('patients', '0.3') WHERE qi = %s AND sensitive = %s",
        [Jsonb(where), value],
    )
    assert before == pytest.approx(believed)
    assert 0 <= after <= 1


def test_what_is_left_open_is_the_customary_knowledge(months: Connection) -> None:
    months.execute(
        "SELECT bkpriv.set_sequential_knowledge('months', 'course', 'domain', 'clinic.course')"
    )
    state_policy(months, "alike", {"k_anonymity": {"k": 2}, "pair_divergence": {"theta": 0.6}})
    call = "SELECT bkpriv.publish('months', 'alike', 'public.months', period => %s)"
    for month in MONTHS[:2]:
        release = one(months, call, [month])
    recorded = one(months, "SELECT requirements FROM bkpriv.releases WHERE release = %s", [release])
    assert recorded["pair_divergence"] == {"theta": 0.6, "bandwidth": {"sequence": "course"}}
    (row,) = months.execute(
        FINDINGS, [release, Jsonb({"pair_divergence": {"theta": 0.6}})]
    ).fetchall()
    assert row[0]["bandwidth"] == {"sequence": "course"}
    assert row[2:] == (True, "exact, given earlier releases by bethe")
    months.execute("SELECT bkpriv.set_sequential_knowledge('months', 'other', 'incremental')")
    refused(
        months,
        call.replace("%s", f"'{MONTHS[2]}'"),
        sqlstate="22023",
        names=["pair_divergence", "course, other"],
    )
