"""(c,k)-safety as a requirement: in every method, and in audits."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

METHODS = ("mondrian", "agglomerate", "bucketize", "anatomy", "incognito")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("c", "k"), [(0.7, 0), (0.75, 1), (0.95, 2)])
def test_what_is_published_is_safe(clinic: Connection, method: str, c: float, k: int) -> None:
    safety = {"ck_safety": {"c": c, "k": k}}
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{5, 10, 20}')")
    state_policy(clinic, "safe", {"l_diversity": {"l": 2}, **safety})
    release = publish(clinic, policy="safe", view="public.v", method=method)
    worst = one(
        clinic,
        "SELECT max(disclosure) FROM bkpriv.max_disclosure(%s, %s)",
        [release, k],
    )
    assert worst < c
    assert one(clinic, "SELECT groups FROM bkpriv.releases") > 1
    rows = clinic.execute(
        "SELECT requirement, threshold, worst, vulnerable, satisfied, estimator_used, worst_qi "
        "FROM bkpriv.audit(%s)",
        [release],
    ).fetchall()
    (found,) = (row[1:] for row in rows if row[0] == "ck_safety")
    assert found == (c, pytest.approx(worst), 0, True, "exact", None)


def test_an_audit_names_the_group_and_its_most_frequent_value(clinic: Connection) -> None:
    release = publish(clinic, view="public.v", method="bucketize")
    rows = clinic.execute(
        "SELECT worst, vulnerable, satisfied, worst_group, worst_records, value, value_before, "
        'value_after FROM bkpriv.audit(%s, \'{"ck_safety": {"c": 0.5, "k": 1}}\')',
        [release],
    ).fetchall()
    worst, vulnerable, satisfied, group, records, value, before, after = rows[0]
    query = "SELECT disclosure, target FROM bkpriv.max_disclosure(%s, 1) WHERE k = 1"
    ((disclosure, target),) = clinic.execute(query, [release]).fetchall()
    assert worst == pytest.approx(disclosure)
    assert worst >= 0.5
    assert not satisfied
    assert vulnerable >= records
    counts = clinic.execute(
        "SELECT disease, count FROM public.v_sensitive WHERE group_id = %s ORDER BY count DESC",
        [group],
    ).fetchall()
    assert records == sum(count for _, count in counts)
    assert dict(counts)[value] == counts[0][1]
    assert after == pytest.approx(counts[0][1] / records)
    share = "SELECT avg((disease = %s)::int)::float8 FROM clinic.patient"
    assert before == pytest.approx(one(clinic, share, [value]))
    assert target["value"] in dict(counts) or target["group"] != group


def test_safety_that_no_grouping_attains(clinic: Connection) -> None:
    state_policy(clinic, "safe", {"ck_safety": {"c": 0.5, "k": 4}})
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'safe', 'public.v')",
            sqlstate="22023",
            names=["ck_safety"],
        )
