"""Queries of releases of persons count rows: held against the source, and the published view."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.conftest import Connection, sample
from tests.db.clinic import fill, one, overhear, publish, state_policy
from tests.db.queries import (
    agree,
    answer,
    asked,
    draw_condition,
    draw_grouping,
)
from tests.db.several import COLUMNS, draw_visits

RELEASES = ("mondrian", "agglomerate", "microaggregate", "latest", "incognito")
LITERALS = {
    "age": ["20", "33", "41.5", "60"],
    "sex": ["'f'", "'m'", "'x'"],
    "city": ["'Aln'", "'Brix'", "'Dunn'", "'Oslo'"],
    "disease": ["'asthma'", "'ulcer'", "'fracture'"],
    "treatment": ["'pills'", "'rest'", "'cast'"],
}
KEPT = "(SELECT *, row_number() OVER (PARTITION BY id ORDER BY visit DESC) AS n FROM clinic.visit)"


def draw_persons(patients: int) -> list[tuple[Any, ...]]:
    """Draw one to three visits of each patient, who is the same in all of them."""
    told = draw_visits(3 * patients, seed=5)
    rows = []
    for number, patient in enumerate(told[:patients]):
        for visit in range(1 + number % 3):
            disease, treatment = told[patients * visit + number][-2:]
            rows.append((*patient[:4], None if number % 17 == 3 else disease, treatment, visit))
    return rows


@pytest.fixture(scope="module")
def visits(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with releases of persons, the last of two visits each."""
    db = shared_clinic
    db.execute(
        "CREATE TABLE clinic.visit "
        "(id int, age int, sex text, city text, disease text, treatment text, visit int)"
    )
    fill(db, "clinic.visit", draw_persons(120))
    db.execute(
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age,sex,city}', %s::text[], "
        "respondent => 'id')",
        [COLUMNS],
    )
    db.execute("SELECT bkpriv.set_hierarchy('visits', 'city', 'clinic.city_levels')")
    db.execute(
        "CREATE TABLE clinic.any_age AS SELECT DISTINCT age::text, age / 10 || '0s' AS decade, "
        "'*' AS any FROM clinic.visit; "
        "CREATE TABLE clinic.any_sex AS SELECT DISTINCT sex, '*' FROM clinic.visit"
    )
    state_policy(db, "crowd", {"k_anonymity": {"k": 6}, "overlap": "warn"})
    for release, method in enumerate(RELEASES, 1):
        options: dict[str, Any] = {"nulls": "category", "max_records_per_person": "all"}
        if method == "incognito":
            options |= {"suppression": 0.4, "utility": "gcp"}
            for name in ("age", "sex"):
                db.execute(f"SELECT bkpriv.set_hierarchy('visits', '{name}', 'clinic.any_{name}')")
        if method == "latest":
            options |= {"max_records_per_person": 2, "latest_by": "visit"}
        by = "mondrian" if method == "latest" else method
        assert publish(db, "visits", "crowd", f"public.{method}", options, by) == release
    return db


@pytest.fixture(params=range(1, len(RELEASES) + 1), ids=RELEASES)
def release(request: pytest.FixtureRequest) -> int:
    """Each of the releases."""
    number: int = request.param
    return number


def source_of(release: int) -> str:
    """The records that a release was made of, as SQL."""
    bounded = RELEASES[release - 1] == "latest"
    return f"{KEPT} AS v WHERE n <= 2 AND" if bounded else "clinic.visit WHERE"


def test_the_truth_is_of_the_source_and_the_estimate_of_the_view(
    visits: Connection, release: int
) -> None:
    draw = random.Random(release)
    told = 0
    for _ in range(sample(60)):
        condition = draw_condition(draw, LITERALS)
        query = f"SELECT count(*) FROM visits WHERE {condition}"
        actual, _ = agree(visits, release, query)
        assert actual == one(visits, f"SELECT count(*) FROM {source_of(release)} ({condition})")
        told += 0 < actual < 200
    assert told > sample(15)


def test_rows_are_counted_by_columns(visits: Connection, release: int) -> None:
    draw = random.Random(10 + release)
    for _ in range(8):
        condition, keys = draw_condition(draw, LITERALS), draw_grouping(draw, [*LITERALS])
        agree(visits, release, f"SELECT count(*) FROM visits WHERE {condition} GROUP BY {keys}")
    query = "SELECT count(*) FROM visits GROUP BY disease, treatment"
    truth = visits.execute(
        f"SELECT disease, treatment, count(*) FROM {source_of(release)} true GROUP BY 1, 2"
    ).fetchall()
    counted = {tuple(key.values()): actual for key, actual, _, _ in asked(visits, release, query)}
    assert counted == {tuple(values): count for *values, count in truth}


def test_a_view_without_quasi_identifiers_to_guess_is_counted_exactly(
    visits: Connection, release: int
) -> None:
    """Queries on sensitive columns alone are answered by counting the view's rows."""
    condition = "disease = 'ulcer' AND treatment <> 'cast'"
    actual, estimate, _ = answer(visits, release, f"SELECT count(*) FROM visits WHERE {condition}")
    view = RELEASES[release - 1]
    counted = one(visits, f"SELECT count(*) FROM {view} WHERE {condition}")
    assert estimate == pytest.approx(counted)
    suppressed = one(visits, "SELECT suppressed FROM bkpriv.release WHERE release = %s", [release])
    assert (view == "incognito") == (suppressed > 0)
    assert (actual > estimate) if suppressed else (actual == estimate)


def test_random_queries_are_of_rows(visits: Connection, release: int) -> None:
    rows = visits.execute(
        "SELECT * FROM bkpriv.query_workload(%s, 12, 2, 0.3, 1)", [release]
    ).fetchall()
    for query, actual, estimate, _ in rows:
        assert answer(visits, release, query)[:2] == pytest.approx((actual, estimate))
        asked_of = query.split(" WHERE ", 1)[1]
        assert actual == one(visits, f"SELECT count(*) FROM {source_of(release)} ({asked_of})")


def test_one_error_is_stated_everywhere(visits: Connection) -> None:
    """The bound, a comparison and an exploration have the workload of the bound."""
    median, mean = visits.execute(
        """SELECT worst, mean FROM bkpriv.audit(1, '{"query_error": {"median": 0.1}}')"""
    ).fetchall()[0]
    assert median > 0
    compared: dict[str, float] = dict(
        visits.execute(
            "SELECT metric, value FROM bkpriv.compare_releases(ARRAY[1, 2]) "
            "WHERE release = 1 AND metric LIKE 'query_error%'"
        ).fetchall()
    )
    assert compared == {
        "query_error_median": pytest.approx(median),
        "query_error_mean": pytest.approx(mean),
    }
    policy = '[{"k_anonymity": {"k": 6}}]'
    options = '{"max_records_per_person": "all", "nulls": "category"}'
    with visits.transaction(force_rollback=True):
        visits.execute("DELETE FROM bkpriv.hierarchy WHERE attribute <> 'city'")
        explored = one(
            visits,
            "SELECT value FROM bkpriv.explore('visits', %s, 'mondrian', options => %s) "
            "WHERE metric = 'query_error'",
            [policy, options],
        )
    assert explored == pytest.approx(median)


@pytest.mark.parametrize("most", ["all", 2])
def test_a_policy_bounds_the_error_of_counts_of_rows(visits: Connection, most: Any) -> None:
    policy = {"k_anonymity": {"k": 4}, "query_error": {"median": 100}, "overlap": "warn"}
    options = {"nulls": "category", "max_records_per_person": most}
    with visits.transaction(force_rollback=True):
        state_policy(visits, "counted", policy)
        said = overhear(visits)
        release = publish(visits, "visits", "counted", "public.again", options)
        assert any("a bounded number of records" in line for line in said) == (most == 2)
        (certified,) = visits.execute(
            "SELECT worst, mean FROM bkpriv.audits WHERE release = %s "
            "AND requirement = 'query_error'",
            [release],
        ).fetchall()
        audited = visits.execute(
            "SELECT worst, mean FROM bkpriv.audit(%s) WHERE requirement = 'query_error'", [release]
        ).fetchall()
        assert audited == [certified]


@pytest.mark.parametrize(
    "call",
    [
        "bkpriv.query_accuracy({}, 'SELECT count(*) FROM visits')",
        "bkpriv.query_workload({}, 2, 1, 0.5)",
        """bkpriv.audit({}, '{{"query_error": {{"median": 9}}}}')""",
        "bkpriv.compare_releases(ARRAY[{}])",
    ],
)
def test_it_is_said_that_records_were_left_out(visits: Connection, call: str) -> None:
    bounded = 1 + RELEASES.index("latest")
    for release in (1, bounded):
        said = overhear(visits)
        visits.execute(f"SELECT * FROM {call.format(release)}").fetchall()
        told = [line for line in said if "a bounded number of records of each person" in line]
        assert len(told) == (release == bounded)
        assert all("left out are not on record" in line for line in told)
