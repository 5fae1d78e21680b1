"""Every method against readers who remember: certified, shown, and measured alike afterwards."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db import monthly
from tests.db.clinic import one, state_policy
from tests.db.months import MONTHS, months

pytestmark = pytest.mark.rolled_back

__all__ = ["months"]

METHODS = [
    "mondrian",
    "agglomerate",
    "bucketize",
    "anatomy",
    "incognito",
    "js_reduce",
    "k_anonymity_primacy",
    "beta_likeness_primacy",
    "microaggregate",
]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_publishes_against_who_remembers(months: Connection, method: str) -> None:
    months.execute(
        "SELECT bkpriv.set_sequential_knowledge('months', 'course', 'domain', 'clinic.course')"
    )
    knowledge = {"sequence": "course", "bandwidth": 0.5}
    state_policy(
        months,
        "wary",
        {
            "k_anonymity": {"k": 2},
            "l_diversity": {"l": 2},
            "beta_likeness": {"beta": 2},
            "bt_privacy": {"bandwidth": knowledge, "t": 0.35},
        },
    )
    for month in MONTHS:
        release = one(
            months,
            "SELECT bkpriv.publish('months', 'wary', 'public.months', %s, period => %s)",
            [method, month],
        )
        audited = months.execute(
            "SELECT requirement, worst, satisfied FROM bkpriv.audit(%s) "
            "WHERE threshold IS NOT NULL",
            [release],
        ).fetchall()
        assert all(row[-1] for row in audited)
        published = one(
            months,
            "SELECT records - suppressed FROM bkpriv.releases WHERE release = %s",
            [release],
        )
        assert one(months, "SELECT count(*) FROM public.months") == published
        told = months.execute(
            "SELECT sum(records), max(disclosure) FROM bkpriv.disclosure(%s, %s)",
            [release, Jsonb(knowledge)],
        ).fetchone()
        assert told is not None
        assert told[0] == published
        assert told[1] == pytest.approx(next(row[1] for row in audited if row[0] == "bt_privacy"))
        months.execute("SELECT * FROM bkpriv.explain_suppressed(%s)", [release])
        months.execute("SELECT * FROM bkpriv.utility(%s)", [release])
    assert one(months, "SELECT count(*) FROM bkpriv.release_belief") == 3


def test_what_a_table_says_of_newcomers_is_asked_for_each_time(months: Connection) -> None:
    months.execute(
        "SELECT bkpriv.set_sequential_knowledge('months', 'course', 'domain', 'clinic.course');"
        "CREATE TABLE clinic.national AS SELECT age, zip, v AS value, 1 / 3::float8 AS probability "
        "FROM (SELECT DISTINCT age, zip FROM clinic.visit) q, "
        "unnest('{flu,cold,well}'::text[]) AS v"
    )
    knowledge = {"sequence": "course", "bandwidth": {"table": "clinic.national"}}
    state_policy(
        months,
        "wary",
        {"k_anonymity": {"k": 3}, "js_divergence": {"j": 1.0, "bandwidth": knowledge}},
    )
    publish = "SELECT bkpriv.publish('months', 'wary', 'public.months', period => %s)"
    for month in MONTHS:
        months.execute(publish, [month])
    # The table may change, so nothing that follows from it is kept.
    assert one(months, "SELECT count(*) FROM bkpriv.release_belief") == 0
    audit = "SELECT worst FROM bkpriv.audit(3) WHERE requirement = 'js_divergence'"
    worst = one(months, audit)
    assert worst > 0
    months.execute(
        "UPDATE clinic.national SET probability = CASE value WHEN 'flu' THEN 0.8 ELSE 0.1 END"
    )
    assert one(months, audit) != pytest.approx(worst)


def test_what_is_remembered_is_inferred_as_it_is_measured(ward: Connection) -> None:
    monthly.create_visits(ward)
    monthly.declare_visits(ward)
    ward.execute("SELECT bkpriv.set_sequential_knowledge('visits', 'known', 'incremental')")
    for month in monthly.MONTHS:
        monthly.publish_period(ward, month)
    priors = {}
    for estimator in ("bethe", "omega"):
        told = ward.execute(
            "SELECT sensitive, prior FROM bkpriv.posterior(3, %s, %s)",
            [Jsonb({"sequence": "known", "bandwidth": 0.3}), estimator],
        ).fetchall()
        asked = ward.execute(
            "SELECT b.sensitive, b.prior FROM clinic.visit v, LATERAL bkpriv.revised_belief("
            "'visits', 'known', v.person::text, v.month, %s, '0.3') AS b WHERE month = %s",
            [estimator, monthly.MONTHS[2]],
        ).fetchall()
        priors[estimator] = sorted(told)
        assert [value for value, _ in sorted(told)] == [value for value, _ in sorted(asked)]
        assert [prior for _, prior in sorted(told)] == pytest.approx(
            [prior for _, prior in sorted(asked)]
        )
    assert priors["bethe"] != priors["omega"]
