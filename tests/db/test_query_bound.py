"""A bound on the error of queries, in policies and audits."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back


def bounded(bound: float, **more: Any) -> dict[str, Any]:
    """A policy whose groups of forty are of little use."""
    demand = {"median": bound, "queries": 300, "dimensions": 2, "selectivity": 0.1, **more}
    return {"k_anonymity": {"k": 40}, "query_error": demand}


def test_a_publication_is_refused_where_queries_err_too_much(clinic: Connection) -> None:
    state_policy(clinic, "useful", bounded(0.001))
    with unchanged(clinic):
        said = refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'useful', 'public.v', 'mondrian')",
            sqlstate="22023",
            names=["query_error", "0.001"],
        )
    # What the hint says would do, does.
    enough = float((said.message_hint or "").split("Bound it by ")[1].split()[0])
    state_policy(clinic, "useful", bounded(enough))
    release = publish(clinic, policy="useful", view="public.v")
    rows = clinic.execute(
        "SELECT requirement, threshold, worst, mean, vulnerable, satisfied, worst_group "
        "FROM bkpriv.audit(%s)",
        [release],
    ).fetchall()
    assert [row[0] for row in rows] == ["k_anonymity", "query_error"]
    assert rows[1][1] == enough
    assert enough - 0.001 <= rows[1][2] <= enough
    assert rows[1][4:] == (None, True, None)
    # The certification recorded the same.
    kept = clinic.execute(
        "SELECT worst, mean, vulnerable, satisfied FROM bkpriv.audits "
        "WHERE requirement = 'query_error' ORDER BY audit"
    ).fetchall()
    assert kept == [rows[1][2:6]] * 2


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy"])
def test_a_warning_lets_it_pass_and_says_so(clinic: Connection, method: str) -> None:
    policy = bounded(0.001, action="warn") | {"l_diversity": {"l": 2}}
    state_policy(clinic, "useful", policy)
    said = overhear(clinic)
    release = publish(clinic, policy="useful", view="public.v", method=method)
    assert any("query_error (median = 0.001) is not met" in words for words in said)
    told = "SELECT string_agg(detail, '|') FROM bkpriv.release_notice WHERE release = %s"
    assert "bound 0.001 (not met)." in one(clinic, told, [release])
    assert not one(
        clinic,
        "SELECT satisfied FROM bkpriv.audits WHERE requirement = 'query_error' AND release = %s",
        [release],
    )


def test_an_audit_may_ask_for_the_error_alone(clinic: Connection) -> None:
    release = publish(clinic)
    for bound, satisfied in ((100, True), (1e-9, False)):
        ((found, parameters),) = clinic.execute(
            "SELECT satisfied, parameters FROM bkpriv.audit(%s, %s)",
            [release, Jsonb({"query_error": {"median": bound}})],
        ).fetchall()
        assert found == satisfied
        assert parameters["queries"] == 1000
        assert parameters["median"] == bound
    refused(
        clinic,
        "SELECT bkpriv.set_policy('p', %s)",
        [Jsonb({"query_error": {"median": 0.1}})],
        sqlstate="22023",
        names=["at least one requirement"],
    )
    refused(
        clinic,
        "SELECT * FROM bkpriv.audit(%s, %s)",
        [release, Jsonb({"query_error": {"median": 0.1, "dimensions": 4}})],
        sqlstate="22023",
        names=["dimensions", "4"],
    )


def test_the_figure_is_that_of_a_workload(clinic: Connection) -> None:
    """The median over many queries is near that of another workload of the same kind."""
    release = publish(clinic)
    measured = one(
        clinic,
        "SELECT worst FROM bkpriv.audit(%s, %s)",
        [release, Jsonb({"query_error": {"median": 1, "queries": 4000, "dimensions": 2}})],
    )
    errors = clinic.execute(
        "SELECT relative_error FROM bkpriv.query_workload(%s, 4000, 2, 0.05, 1) "
        "WHERE relative_error IS NOT NULL",
        [release],
    ).fetchall()
    assert measured == pytest.approx(median(error for (error,) in errors), rel=0.15)
