"""Releases judged together: what several of the same people tell whoever holds all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import declare_people, fill, one, overhear, publish, state_policy
from tests.db.monthly import create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

AUDIT = "SELECT * FROM bkpriv.audit_together(%s, %s)"
EXPLAIN = "SELECT * FROM bkpriv.explain_together(%s, %s)"

SURE = {"max_disclosure": {"tau": 0.8}}


class Row(NamedTuple):
    """A row of an audit."""

    requirement: str
    parameters: dict[str, Any]
    threshold: float
    worst: float
    mean: float
    vulnerable: int
    satisfied: bool
    estimator_used: str
    worst_group: int | None
    worst_records: int | None
    worst_qi: dict[str, Any] | None
    value: str | None
    value_before: float | None
    value_after: float | None
    sure: int | None
    most: float | None


class Exposed(NamedTuple):
    """A row of an explanation."""

    requirement: str
    parameters: dict[str, Any]
    respondent: str
    sensitive: str | None
    prior: float | None
    posterior: float | None
    figure: float
    releases: list[int]


def audited(db: Connection, releases: Sequence[int], requirements: Any = None) -> list[Row]:
    """Audit releases together."""
    stated = None if requirements is None else Jsonb(requirements)
    return [Row(*row) for row in db.execute(AUDIT, [list(releases), stated]).fetchall()]


def explained(db: Connection, releases: Sequence[int], requirements: Any = None) -> list[Exposed]:
    """Explain whom releases expose."""
    stated = None if requirements is None else Jsonb(requirements)
    return [Exposed(*row) for row in db.execute(EXPLAIN, [list(releases), stated]).fetchall()]


def admit(db: Connection, *people: tuple[str, int, str]) -> None:
    """Add people to the ward: name, age, disease."""
    fill(db, "ward", people)


def open_ward(db: Connection, dataset: str = "ward", table: str = "ward") -> None:
    """Create a ward, where releases are not certified together, and register it."""
    db.execute(
        sql.SQL("CREATE TABLE IF NOT EXISTS {} (name text, age int, disease text)").format(
            sql.Identifier(table)
        )
    )
    db.execute(
        "SELECT bkpriv.register_dataset(%s, %s, '{age}', 'disease', 'name')", [dataset, table]
    )
    state_policy(db, "ward", {"k_anonymity": {"k": 4}, "overlap": "warn"})


FOUR = (("A", 30, "HIV"), ("B", 31, "HIV"), ("C", 32, "HIV"), ("D", 33, "flu"))


@pytest.fixture
def inserted(db: Connection) -> Connection:
    """A-D are shown, with HIV three times; then A-E, with HIV four times."""
    open_ward(db)
    admit(db, *FOUR)
    assert publish(db, "ward", "ward", "public.shown") == 1
    admit(db, ("E", 34, "HIV"))
    assert publish(db, "ward", "ward", "public.shown") == 2
    return db


# --- One inserted patient -------------------------------------------------------------------------


def test_one_inserted_patient_is_known(inserted: Connection) -> None:
    (row,) = audited(inserted, [2, 1], SURE)
    assert (row.requirement, row.parameters) == (
        "max_disclosure",
        {"tau": 0.8, "together": [1, 2]},
    )
    assert (row.threshold, row.worst, row.vulnerable) == (0.8, 1.0, 1)
    assert row.mean == pytest.approx((4 * 0.75 + 1) / 5)
    assert (row.satisfied, row.estimator_used) == (False, "exact")
    assert (row.worst_group, row.worst_records, row.worst_qi) == (None, 1, {"age": 34})
    assert (row.value, row.value_before, row.value_after) == ("HIV", 0.8, 1.0)
    # By the policies, which ask for four records.
    (row,) = audited(inserted, [1, 2])
    assert (row.requirement, row.worst, row.vulnerable) == ("k_anonymity", 1, 1)
    assert row.mean == pytest.approx((4 * 4 + 1) / 5)
    # Each release by itself is safe.
    for release in (1, 2):
        (row,) = audited(inserted, [release], SURE)
        assert (row.satisfied, row.vulnerable) == (True, 0)


def test_who_is_exposed_and_by_what(inserted: Connection) -> None:
    (row,) = explained(inserted, [1, 2], SURE)
    assert row == ("max_disclosure", {"tau": 0.8}, "E", "HIV", 0.8, 1.0, 1.0, [1, 2])
    (row,) = explained(inserted, [1, 2])
    assert row == ("k_anonymity", {"k": 4}, "E", None, None, None, 1.0, [1, 2])
    for release in (1, 2):
        assert explained(inserted, [release], SURE) == []


def test_withdrawn_releases_were_seen(inserted: Connection) -> None:
    inserted.execute("SELECT bkpriv.withdraw(2, 'for the test')")
    assert [row.respondent for row in explained(inserted, [1, 2], SURE)] == ["E"]


def test_beliefs_move_further_by_both(inserted: Connection) -> None:
    beliefs = {"bt_privacy": [{"bandwidth": {"kernel": "uniform"}, "t": 0.001}]}
    (both,) = audited(inserted, [1, 2], beliefs)
    singles = [audited(inserted, [release], beliefs)[0] for release in (1, 2)]
    assert both.worst > max(single.worst for single in singles)
    (row,) = [row for row in explained(inserted, [1, 2], beliefs) if row.respondent == "E"]
    assert (row.sensitive, row.posterior) in (("HIV", 1.0), ("flu", 0.0))
    assert row.prior == pytest.approx(0.8 if row.sensitive == "HIV" else 0.2)


# --- One release ----------------------------------------------------------------------------------


DEMANDED = {
    "k_anonymity": {"k": 5},
    "l_diversity": {"l": 2, "variant": "entropy"},
    "max_disclosure": {"tau": 0.4},
    "t_closeness": {"t": 0.3},
    "beta_likeness": {"beta": 1.0},
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}, {"bandwidth": {"kernel": "uniform"}, "t": 0.1}],
}


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "bucketize", "incognito"])
def test_of_one_release_it_is_the_audit(clinic: Connection, method: str) -> None:
    declare_people(clinic)
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('people', 'age', '{10, 50}')")
    release = publish(clinic, "people", view="public.people", method=method)
    alone = clinic.execute("SELECT * FROM bkpriv.audit(%s, %s)", [release, Jsonb(DEMANDED)])
    for one_, together in zip(
        (Row(*row) for row in alone.fetchall()), audited(clinic, [release], DEMANDED), strict=True
    ):
        assert together.parameters == {**one_.parameters, "together": [release]}
        assert (together.requirement, together.threshold) == (one_.requirement, one_.threshold)
        assert (together.worst, together.mean) == pytest.approx((one_.worst, one_.mean), abs=1e-6)
        assert (together.vulnerable, together.satisfied) == (one_.vulnerable, one_.satisfied)
        assert together.sure == one_.sure


# --- Several policies, datasets, sources ----------------------------------------------------------


def test_all_bounds_of_all_policies_are_measured_once(inserted: Connection) -> None:
    state_policy(inserted, "ward", {"k_anonymity": {"k": 4}, **SURE, "overlap": "warn"})
    release = publish(inserted, "ward", "ward", "public.shown")
    rows = audited(inserted, [1, 2, release])
    assert [(row.requirement, row.threshold) for row in rows] == [
        ("k_anonymity", 4),
        ("max_disclosure", 0.8),
    ]
    exposed = explained(inserted, [1, 2, release])
    assert [(row.requirement, row.respondent) for row in exposed] == [
        ("k_anonymity", "E"),
        ("max_disclosure", "E"),
    ]
    # The third shows what the second does, and is not needed.
    assert {tuple(row.releases) for row in exposed} == {(1, 2)}


def test_two_datasets_of_one_table(inserted: Connection) -> None:
    said = overhear(inserted)
    open_ward(inserted, "again")
    publish(inserted, "again", "ward", "public.again")
    (row,) = explained(inserted, [1, 3], SURE)
    assert (row.respondent, row.releases) == ("E", [1, 3])
    assert not [message for message in said if "sources" in message]


def test_two_sources_are_taken_to_be_of_the_same_people(inserted: Connection) -> None:
    inserted.execute("CREATE TABLE copy AS SELECT * FROM ward")
    open_ward(inserted, "copied", "copy")
    publish(inserted, "copied", "ward", "public.copied")
    said = overhear(inserted)
    (row,) = explained(inserted, [1, 3], SURE)
    assert row.respondent == "E"
    (notice,) = [message for message in said if "2 sources" in message]
    assert "public.copy, public.ward" in notice


def test_whose_value_changed_is_somebody_else(inserted: Connection) -> None:
    inserted.execute("UPDATE ward SET disease = 'flu' WHERE name = 'A'")
    publish(inserted, "ward", "ward", "public.shown")
    said = overhear(inserted)
    # Of A-D one has flu, of whom A is gone; of the new A, B-E two. Either A had it, and the new A
    # and E have it now; or B, C or D, and one of those two.
    (row,) = audited(inserted, [1, 3], SURE)
    assert (row.worst, row.vulnerable) == pytest.approx((6 / 7, 1))
    assert row.mean == pytest.approx((6 + 3 * 5 + 2 * 4) / 7 / 6)
    assert [message for message in said if "values that changed, 1 times" in message]
    assert {row.respondent for row in explained(inserted, [1, 3], {"max_disclosure": {"tau": 0.1}})}
    assert "E" in [row.respondent for row in explained(inserted, [1, 2, 3], SURE)]


def test_values_that_a_release_does_not_have_are_no_hindrance(inserted: Connection) -> None:
    inserted.execute("DELETE FROM ward WHERE name = 'D'")
    publish(inserted, "ward", "ward", "public.shown")
    # Everybody else is known: of A-E one had flu, and that was D.
    rows = explained(inserted, [2, 3], SURE)
    assert [(row.respondent, row.sensitive) for row in rows] == [
        (name, "flu" if name == "D" else "HIV") for name in ("A", "B", "C", "D", "E")
    ] or {row.respondent for row in rows} == set("ABCDE")
    assert {row.posterior for row in rows} == {1.0}


def test_nulls_are_values_of_their_own(db: Connection) -> None:
    open_ward(db)
    admit(db, *FOUR[:3])
    db.execute("INSERT INTO ward VALUES ('D', NULL, 'flu')")
    options = {"nulls": "category"}
    publish(db, "ward", "ward", "public.shown", options)
    db.execute("INSERT INTO ward VALUES ('E', NULL, NULL)")
    publish(db, "ward", "ward", "public.shown", options)
    (row,) = explained(db, [1, 2], {"l_diversity": {"l": 2}})
    assert (row.respondent, row.sensitive, row.posterior) == ("E", None, 1.0)
    (found,) = audited(db, [1, 2], {"l_diversity": {"l": 2}})
    assert (found.worst_qi, found.value, found.value_after) == ({"age": None}, None, 1.0)


def test_a_release_that_grows_tells_nothing_more(db: Connection) -> None:
    open_ward(db)
    admit(db, *FOUR)
    grow = {"grow": True}
    publish(db, "ward", "ward", "public.shown", grow)
    admit(db, ("E", 34, "HIV"))
    publish(db, "ward", "ward", "public.shown", grow)
    admit(db, ("F", 35, "flu"), ("G", 36, "flu"), ("H", 37, "HIV"))
    publish(db, "ward", "ward", "public.shown", grow)
    assert explained(db, [1, 2, 3], SURE) == []
    k, largest = audited(db, [1, 2, 3], {"k_anonymity": {"k": 4}, **SURE})
    assert (k.worst, k.mean) == (4, 4)
    assert (largest.worst, largest.mean) == pytest.approx((0.75, (0.75 + 0.5) / 2))


# --- What adversaries know ------------------------------------------------------------------------


def test_knowledge_from_outside(inserted: Connection) -> None:
    inserted.execute(
        "CREATE TABLE known AS SELECT age, disease, probability FROM ward, "
        "(VALUES ('HIV', 0.3::float8), ('flu', 0.7)) AS v(disease2, probability) WHERE false"
    )
    for age in range(30, 35):
        inserted.execute("INSERT INTO known VALUES (%s, 'HIV', 0.3), (%s, 'flu', 0.7)", [age, age])
    beliefs = {"bt_privacy": [{"bandwidth": {"table": "public.known"}, "t": 0.2}]}
    rows = explained(inserted, [1, 2], beliefs)
    assert (rows[0].respondent, rows[0].sensitive) == ("E", "HIV")
    assert (rows[0].prior, rows[0].posterior) == pytest.approx((0.3, 1.0))


def test_knowledge_that_the_releases_contradict(inserted: Connection) -> None:
    inserted.execute("CREATE TABLE wrong (age int, disease text, probability float8)")
    for age in range(30, 35):
        probability = 0.0 if age == 34 else 0.5
        inserted.execute(
            "INSERT INTO wrong VALUES (%s, 'HIV', %s), (%s, 'flu', %s)",
            [age, probability, age, 1 - probability],
        )
    beliefs = Jsonb({"bt_privacy": [{"bandwidth": {"table": "public.wrong"}, "t": 0.2}]})
    # By itself, the second release does not contradict it.
    inserted.execute(AUDIT, [[2], beliefs]).fetchall()
    for statement in (AUDIT, EXPLAIN):
        refused(inserted, statement, [[1, 2], beliefs], sqlstate="22000", names=["respondent E"])


def test_what_cannot_be_measured_is_said(inserted: Connection) -> None:
    said = overhear(inserted)
    demanded = {**SURE, "m_invariance": {"m": 2}, "query_error": {"median": 0.5}}
    (row,) = audited(inserted, [1, 2], demanded)
    assert row.requirement == "max_disclosure"
    (notice,) = [message for message in said if "cannot be measured" in message]
    assert "m_invariance and query_error" in notice
    refused(
        inserted,
        AUDIT,
        [[1, 2], Jsonb({"js_divergence": {"j": 0.2, "bandwidth": 0.3}})],
        sqlstate="22023",
        names=["js_divergence"],
    )
    names = ["estimator", "additive"]
    refused(
        inserted,
        "SELECT * FROM bkpriv.audit_together('{1,2}', NULL, 'additive')",
        sqlstate="22023",
        names=names,
    )


@pytest.mark.parametrize("estimator", ["exact", "bethe", "omega", "auto"])
def test_estimators(inserted: Connection, estimator: str) -> None:
    (row,) = inserted.execute(
        "SELECT worst, vulnerable FROM bkpriv.audit_together('{1,2}', %s, %s)",
        [Jsonb(SURE), estimator],
    ).fetchall()
    # What is certain, every estimator finds.
    assert row == (1.0, 1)


# --- What cannot be judged together ---------------------------------------------------------------


def test_lists_of_releases(inserted: Connection) -> None:
    for function in ("audit_together", "explain_together"):
        call = f"SELECT * FROM bkpriv.{function}(%s::bigint[])"
        cases: list[tuple[Any, str, str]] = [
            (None, "22023", "no releases to judge together"),
            ([], "22023", "no releases to judge together"),
            ([[1], [2]], "22023", "must be a list"),
            ([1, 2, 1], "22023", "release 1 is listed more than once"),
            ([1, None], "22023", "NULL"),
            ([1, 7], "42704", "release 7 does not exist"),
            (list(range(1, 102)), "22023", "101 releases"),
        ]
        for releases, sqlstate, name in cases:
            with unchanged(inserted):
                refused(inserted, call, [releases], sqlstate=sqlstate, names=[name])


def test_releases_that_cannot_be_judged_are_named(inserted: Connection) -> None:
    db = inserted
    # Without respondents.
    db.execute("SELECT bkpriv.register_dataset('nobody', 'ward', '{age}', 'disease')")
    anonymous = publish(db, "nobody", "ward", "public.nobody")
    names = [f"release {anonymous} names no respondents", "nobody"]
    refused(db, AUDIT, [[1, anonymous], None], sqlstate="42703", names=names)
    # Randomized.
    state_policy(db, "drawn", {"max_disclosure": {"tau": 0.9}, "overlap": "warn"})
    drawn = publish(db, "ward", "drawn", "public.drawn", {"scheme": "rr-both"}, method="randomize")
    refused(db, AUDIT, [[1, drawn], None], sqlstate="55000", names=[f"release {drawn}", "random"])
    # About something else.
    db.execute("SELECT bkpriv.register_dataset('ages', 'ward', '{disease}', 'age', 'name')")
    ages = publish(db, "ages", "ward", "public.ages")
    refused(db, AUDIT, [[1, ages], None], sqlstate="55000", names=["release 1", '"disease"'])
    # Purged.
    db.execute("SELECT bkpriv.withdraw(1, 'for the test')")
    db.execute("SELECT bkpriv.purge(1, 'for the test', true)")
    refused(db, AUDIT, [[1, 2], None], sqlstate="55000", names=["release 1 was purged"])


def test_counterfeits_are_refused(db: Connection) -> None:
    open_ward(db)
    admit(db, *((f"p{i}", 20 + i, disease) for i, disease in enumerate("abaaacd")))
    alike = {"js_divergence": {"j": 0.9, "bandwidth": 0.3}, "m_invariance": {"m": 2}}
    state_policy(db, "varied", {**alike, "overlap": "warn"})
    options = {"seed": 1, "unfit": "counterfeit"}
    release = publish(db, "ward", "varied", "public.shown", options, method="js_reduce")
    assert one(db, "SELECT counterfeited FROM bkpriv.release WHERE release = %s", [release])
    names = [f"release {release} shows counterfeit values"]
    refused(db, AUDIT, [[release], Jsonb(SURE)], sqlstate="55000", names=names)


def test_periods_are_a_sequence(clinic: Connection) -> None:
    create_visits(clinic)
    declare_visits(clinic)
    first = publish_period(clinic, "2024-01")
    second = publish_period(clinic, "2024-02")
    said = refused(
        clinic,
        AUDIT,
        [[first, second], Jsonb(SURE)],
        sqlstate="22023",
        names=["different periods", "2024-01", "2024-02"],
    )
    assert "sequential_audit" in (said.message_hint or "")
    again = publish_period(clinic, "2024-01", view="public.again")
    assert all(math.isfinite(row.worst) for row in audited(clinic, [first, again], SURE))
