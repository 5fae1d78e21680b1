"""Releases side by side: what other functions say of each, and refusal of other data."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import QUASI_IDENTIFIERS, declare_people, fill, one, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

GROUPED = (
    "mondrian",
    "bucketize",
    "anatomy",
    "agglomerate",
    "incognito",
    "js_reduce",
    "k_anonymity_primacy",
    "beta_likeness_primacy",
    "microaggregate",
)
METHODS = (*GROUPED, "randomize")

COMPARE = "SELECT * FROM bkpriv.compare_releases(%s)"

Figures = dict[tuple[str, int], float | None]


@pytest.fixture(scope="module")
def releases(shared_clinic: Connection) -> dict[str, int]:
    """The clinic's table, published by every method."""
    declare_people(shared_clinic)
    dataset = "people"
    shared_clinic.execute("SELECT bkpriv.set_interval_hierarchy('people', 'age', '{10, 50}')")
    state_policy(
        shared_clinic,
        "both",
        {
            "k_anonymity": {"k": 4},
            "l_diversity": {"l": 2},
            "beta_likeness": {"beta": 9},
            "js_divergence": {"bandwidth": 0.3, "j": 1},
            "pair_divergence": {"bandwidth": 0.3, "theta": 0.99},
        },
    )
    state_policy(shared_clinic, "drawn", {"max_disclosure": {"tau": 0.6}})
    drawn = {"scheme": "rr-both", "seed": 1}
    return {
        method: publish(shared_clinic, dataset, "both", f"public.{method}", method=method)
        for method in GROUPED
    } | {
        "randomize": publish(
            shared_clinic, dataset, "drawn", "public.drawn", drawn, method="randomize"
        )
    }


def compared(db: Connection, *releases: int) -> Figures:
    rows = db.execute(COMPARE, [list(releases)]).fetchall()
    found: Figures = {(metric, release): value for metric, release, value in rows}
    metrics = list(dict.fromkeys(metric for metric, _, _ in rows))
    assert [row[:2] for row in rows] == [(name, number) for name in metrics for number in releases]
    return found


@pytest.fixture(scope="module")
def figures(shared_clinic: Connection, releases: dict[str, int]) -> Figures:
    return compared(shared_clinic, *releases.values())


@pytest.mark.parametrize("method", METHODS)
def test_metrics_are_those_of_utility(
    shared_clinic: Connection, releases: dict[str, int], figures: Figures, method: str
) -> None:
    release = releases[method]
    rows = shared_clinic.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    assert rows
    for metric, value in rows:
        assert figures[metric, release] == value, metric
    absent = {metric for metric, of in figures if of == release and figures[metric, of] is None}
    by_column = {metric for metric, of in figures if of == release and metric.startswith("gcp(")}
    assert by_column == {f"gcp({name})" for name in QUASI_IDENTIFIERS}
    if method == "randomize":
        of_groups = {"discernibility", "average_class_size", "gcp", "rgcp"}
        alone = {"suppressed_share_k_anonymous", *(f"{name}_k_anonymous" for name in of_groups)}
        assert absent == of_groups | alone | by_column
    else:
        exact = method in ("bucketize", "anatomy")
        without = {"gcp_k_anonymous", "rgcp_k_anonymous"}
        assert absent == (without if exact else set())


@pytest.mark.parametrize("method", METHODS)
def test_errors_are_those_of_audit(
    shared_clinic: Connection, releases: dict[str, int], figures: Figures, method: str
) -> None:
    release = releases[method]
    (disclosure, _), error = shared_clinic.execute(
        "SELECT worst, mean FROM bkpriv.audit(%s, %s)",
        [release, Jsonb({"max_disclosure": {"tau": 0.99}, "query_error": {"median": 1}})],
    ).fetchall()
    assert figures["max_disclosure", release] == disclosure
    assert error == (figures["query_error_median", release], figures["query_error_mean", release])


@pytest.mark.parametrize("method", METHODS)
def test_associations_are_averages(
    shared_clinic: Connection, releases: dict[str, int], figures: Figures, method: str
) -> None:
    release = releases[method]
    for kind, condition in (
        ("sensitive", "'disease' IN (attribute, other)"),
        ("quasi_identifiers", "'disease' NOT IN (attribute, other)"),
    ):
        mean = one(
            shared_clinic,
            "SELECT avg(abs(released - original)) FROM bkpriv.association(%s) WHERE " + condition,
            [release],
        )
        assert figures[f"association_error_{kind}", release] == pytest.approx(mean, abs=1e-12)


def test_one_release_may_stand_alone(shared_clinic: Connection, releases: dict[str, int]) -> None:
    release = releases["bucketize"]
    found = compared(shared_clinic, release)
    assert ("gcp", release) in found
    assert None not in found.values()


def test_releases_of_another_dataset_of_the_same_data(
    shared_clinic: Connection, releases: dict[str, int]
) -> None:
    """Declarations of values are not the data."""
    release = publish(shared_clinic, view="public.patients")
    ages = compared(shared_clinic, releases["mondrian"], release)
    assert ages["suppressed_share", release] is not None


def test_where_there_is_nothing_to_measure(db: Connection) -> None:
    """Figures are NULL of columns without pairs, and of those that no query can count."""
    db.execute("CREATE TABLE few (a int, b int); INSERT INTO few VALUES (1, 1), (1, 1)")
    db.execute("SELECT bkpriv.register_dataset('few', 'few', '{a}', 'b')")
    state_policy(db, "two", {"k_anonymity": {"k": 2}})
    found = compared(db, release := publish(db, "few", "two", "public.shown"))
    assert {metric for metric, _ in found if found[metric, release] is None} == {
        "association_error_sensitive",
        "association_error_quasi_identifiers",
    }
    # Nobody asks for NULL.
    db.execute("CREATE TABLE blank (a int, b int, c int)")
    db.execute("INSERT INTO blank SELECT i % 2, NULL, i % 3 FROM generate_series(1, 60) AS i")
    db.execute("SELECT bkpriv.register_dataset('blank', 'blank', '{a, b}', 'c')")
    found = compared(db, release := publish(db, "blank", "two", "public.b", {"nulls": "category"}))
    assert {metric for metric, _ in found if found[metric, release] is None} == {
        "query_error_median",
        "query_error_mean",
    }


# --- other data -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "DELETE FROM clinic.patient WHERE ctid = '(0,1)'",
            ["300 records", "of 299", "another number of records: 1"],
        ),
        (
            "UPDATE clinic.patient SET disease = CASE disease WHEN 'ulcer' THEN 'asthma' ELSE "
            "'ulcer' END WHERE ctid = (SELECT min(ctid) FROM clinic.patient WHERE age < 60 "
            "AND disease IN ('asthma', 'ulcer'))",
            ["another number of records: 2"],
        ),
        ("UPDATE clinic.patient SET age = 99 WHERE ctid = '(0,1)'", ['"age"', "'99'", "release 2"]),
        (
            "UPDATE clinic.patient SET city = NULL WHERE ctid = '(0,1)'",
            ['"city"', "'NULL'", "release 2"],
        ),
        (
            "DELETE FROM clinic.patient WHERE disease = 'ulcer'",
            ["of 300 records", "release 1 only"],
        ),
    ],
)
def test_other_records_are_refused(clinic: Connection, statement: str, said: list[str]) -> None:
    first = publish(clinic, view="public.patients")
    clinic.execute(statement.encode())
    second = publish(clinic, view="public.patients", options={"nulls": "category"})
    names = ["release 1 and release 2", *said]
    refused(clinic, COMPARE, [[first, second]], sqlstate="22023", names=names)


def test_other_columns_and_bins_are_refused(clinic: Connection) -> None:
    releases = [publish(clinic, view="public.patients")]
    for dataset, columns, bins in (
        ("fewer", ["age", "sex"], "{}"),
        ("binned", ["age", "sex", "city"], '{"age": 10}'),
    ):
        clinic.execute(
            "SELECT bkpriv.register_dataset(%s, 'clinic.patient', %s, 'disease', bins => %s)",
            [dataset, columns, bins],
        )
        releases.append(publish(clinic, dataset, view=f"public.{dataset}"))
    for pair, said in (
        ((0, 1), ["age, city, sex and, sensitive, disease", "age, sex and, sensitive"]),
        ((0, 2), ['"age"', "release 1 only", "'21'"]),
    ):
        two = [releases[place] for place in pair]
        refused(clinic, COMPARE, [two], sqlstate="22023", names=said)


def test_the_culprit_is_named(clinic: Connection) -> None:
    same = [publish(clinic, view="public.patients") for _ in range(2)]
    fill(clinic, "clinic.patient", [(30, "f", "Aln", "ulcer")])
    other = publish(clinic, view="public.patients")
    names = [f"release {same[0]} and release {other}"]
    refused(clinic, COMPARE, [[*same, other]], sqlstate="22023", names=names)


@pytest.mark.parametrize(
    ("listed", "sqlstate", "said"),
    [
        (None, "22023", "no releases"),
        ([], "22023", "no releases"),
        ([None, None], "22023", "NULL"),
        ([1, 1], "22023", "more than once"),
        (list(range(101)), "22023", "101 releases"),
        ([[1], [1]], "22023", "a list"),
        ([1, 99], "42704", "release 99"),
    ],
)
def test_other_arguments_are_refused(
    shared_clinic: Connection,
    releases: dict[str, int],
    listed: object,
    sqlstate: str,
    said: str,
) -> None:
    assert 1 in releases.values()
    refused(shared_clinic, COMPARE, [listed], sqlstate=sqlstate, names=[said])
