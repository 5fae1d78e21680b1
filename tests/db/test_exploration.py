"""Exploration in SQL: figures of releases that are not made, beside those of releases that are."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.method import DEFAULT_METHOD
from tests.conftest import Connection
from tests.db.clinic import (
    BELIEFS,
    PLAIN,
    declare_people,
    one,
    overhear,
    publish,
    state_policy,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

EXPLORE = "SELECT place, policy, metric, value FROM bkpriv.explore(%s, %s, %s, %s)"

METRICS = {
    *("discernibility", "average_class_size", "gcp", "rgcp", "suppressed_share", "query_error"),
    *("worst_disclosure", "mean_disclosure", "exact_share", "groups", "seconds"),
    *("sure", "known", "known_by_columns", "knowable", "largest_disclosure", "one_value"),
    *("rows", "records"),
}

MEASURED = METRICS - {
    *("seconds", "exact_share", "known", "known_by_columns", "knowable", "largest_disclosure"),
    *("one_value", "records"),
}
"""Metrics that functions measure of releases that are made."""

READERS = (0.3, 0.6)
"""Readers of the policies that are tried."""

Figures = dict[int, dict[str, float | None]]


def explore(
    db: Connection,
    policies: Any,
    method: str = DEFAULT_METHOD,
    dataset: str = "patients",
    **options: Any,
) -> Figures:
    """Figures by place and metric."""
    rows = db.execute(EXPLORE, [dataset, Jsonb(policies), method, Jsonb(options)]).fetchall()
    figures: Figures = {}
    for place, _, metric, value in rows:
        figures.setdefault(place, {})[metric] = value
    return figures


def published(
    db: Connection, policy: Any, method: str, dataset: str = "patients", **options: Any
) -> dict[str, float | None]:
    """The same figures of a release that is made, by the functions that measure releases."""
    state_policy(db, "tried", policy)
    release = publish(db, dataset, "tried", "public.tried", options, method)
    figures: dict[str, Any] = dict(
        db.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    figures |= dict(
        db.execute(
            "SELECT metric, value FROM bkpriv.compare_releases(ARRAY[%s]::bigint[])", [release]
        ).fetchall()
    )
    figures["query_error"] = figures["query_error_median"]
    figures["groups"] = one(db, "SELECT groups FROM bkpriv.releases WHERE release = %s", [release])
    figures["rows"] = one(db, "SELECT count(*) FROM public.tried")
    figures["worst_disclosure"], figures["mean_disclosure"] = db.execute(
        "SELECT max(worst), max(mean) FROM bkpriv.audits "
        "WHERE release = %s AND requirement = 'bt_privacy'",
        [release],
    ).fetchall()[0]
    known = [*READERS, {"kernel": "uniform"}]  # Who knows only the shares is always counted.
    readers = {"bt_privacy": [{"bandwidth": reader, "t": 0.9} for reader in known]}
    if method != "randomize":
        audited = "SELECT max(sure) FROM bkpriv.audit(%s, %s)"
        figures["sure"] = one(db, audited, [release, Jsonb(readers)])
    db.execute("SELECT bkpriv.withdraw(%s, 'tried')", [release])
    return figures


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("mondrian", {}),
        ("agglomerate", {"estimator": "exact"}),
        ("bucketize", {"estimator": "omega"}),
        ("anatomy", {}),
        ("microaggregate", {}),
        ("incognito", {"suppression": 0.1}),
        ("js_reduce", {}),
    ],
)
def test_figures_are_those_that_a_publication_would_have(
    clinic: Connection, method: str, options: dict[str, Any]
) -> None:
    shared: dict[str, Any] = {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}
    if method == "js_reduce":
        shared["js_divergence"] = {"j": 0.9, "bandwidth": 0.3}
    grid = {"grid": {"bandwidth": [0.3, 0.6], "t": [0.2, 0.3]}, "with": shared}
    found = explore(clinic, grid, method, seed=7, **options)
    assert list(found) == [1, 2, 3, 4, 5, 6]  # First k alone, then what all share.
    for place, (bandwidth, t) in enumerate([(b, t) for b in READERS for t in (0.2, 0.3)], 3):
        assert found[place].keys() == METRICS
        policy = {**shared, "bt_privacy": [{"bandwidth": bandwidth, "t": t}]}
        expected = published(clinic, policy, method, seed=7, **options)
        for metric in MEASURED:
            assert found[place][metric] == pytest.approx(expected[metric]), metric
        assert found[place]["exact_share"] == (0 if options.get("estimator") == "omega" else 1)


def test_rows_say_which_policy_they_are_of(clinic: Connection) -> None:
    rows = clinic.execute(
        EXPLORE,
        ["patients", Jsonb({"grid": {"k": [3, 9]}, "with": {"l_diversity": {"l": 2}}}), *_PLAIN],
    ).fetchall()
    assert [policy for _, policy, metric, _ in rows if metric == "gcp"] == [
        {"k_anonymity": {"k": 3}},
        {"k_anonymity": {"k": 9}},
        {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}},
        {"k_anonymity": {"k": 9}, "l_diversity": {"l": 2}},
    ]
    figures = {(place, metric): value for place, _, metric, value in rows}
    assert figures[1, "gcp"] < figures[2, "gcp"]
    assert figures[1, "sure"] >= figures[3, "sure"]
    assert figures[1, "worst_disclosure"] is figures[1, "exact_share"] is None


_PLAIN = ("mondrian", Jsonb({}))


def test_one_that_is_refused_does_not_stop_the_others(clinic: Connection) -> None:
    said = overhear(clinic)
    policies = [
        {"k_anonymity": {"k": 4}},
        {"k_anonymity": {"k": 4}, "l_diversity": {"l": 99}},
        {"k_anonymity": {"k": 1.5}},
        {"k_anonymitee": {"k": 4}},
        {"bt_privacy": {"bandwidth": {"table": "public.nothing"}, "t": 0.2}},
        {"bt_privacy": {"bandwidth": {"sequence": "nothing"}, "t": 0.2}},
        {"k_anonymity": {"k": 4}, "query_error": {"median": 0}},
        BELIEFS,
    ]
    found = explore(clinic, policies)
    assert [place for place in found if found[place] == {"refused": 1}] == [2, 3, 4, 5, 6, 7]
    assert found[1].keys() == found[8].keys() == METRICS
    for place, words in {
        2: "l_diversity", 3: "1.5", 4: "k_anonymitee", 5: "nothing", 6: "respondents",
        7: "query_error",
    }.items():  # fmt: skip
        (told,) = [text for text in said if f"policy {place} is refused" in text]
        assert words in told


def test_randomized_records_have_no_groups_and_no_adversaries(clinic: Connection) -> None:
    policies = [{"max_disclosure": {"tau": tau}} for tau in (0.6, 0.9)]
    found = explore(clinic, policies, "randomize", scheme="rr-both", seed=3)
    assert found[1]["groups"] == found[1]["suppressed_share"] == 0
    assert found[1]["gcp"] is found[1]["worst_disclosure"] is None
    expected = published(clinic, policies[0], "randomize", scheme="rr-both", seed=3)
    assert found[1]["query_error"] == pytest.approx(expected["query_error"])
    assert explore(clinic, [BELIEFS], "randomize", scheme="rr-both") == {1: {"refused": 1}}


def test_respondents_are_told_apart_and_remembered(clinic: Connection) -> None:
    """A dataset of people, whose policy may be about what adversaries remember, and need not."""
    declare_people(clinic)
    clinic.execute("SELECT bkpriv.set_sequential_knowledge('people', 'known', 'constant')")
    remembering = {
        "k_anonymity": {"k": 4},
        "bt_privacy": {"bandwidth": {"sequence": "known", "bandwidth": 0.3}, "t": 0.3},
    }
    first = explore(clinic, [BELIEFS, remembering], dataset="people", seed=1)
    assert first[1].keys() == first[2].keys() == METRICS
    beliefs = {**BELIEFS, "overlap": "warn"}
    for place, policy in ((1, beliefs), (2, {**remembering, "overlap": "warn"})):
        expected = published(clinic, policy, DEFAULT_METHOD, "people", seed=1)
        for metric in ("gcp", "worst_disclosure", "groups"):
            assert first[place][metric] == pytest.approx(expected[metric]), (place, metric)
        if place == 2:
            break
        clinic.execute(
            "SELECT bkpriv.purge(release, 'tried', true) FROM bkpriv.releases "
            "WHERE dataset = 'people'"
        )


def test_a_period_is_explored_by_itself(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE visit AS SELECT *, 2020 + age % 2 AS year FROM clinic.patient; SELECT "
        "bkpriv.register_dataset('visits', 'visit', '{age,sex}', 'disease', period => 'year')"
    )
    query = (
        "SELECT value FROM bkpriv.explore('visits', '{\"grid\": {\"k\": [4]}}', period => %s) "
        "WHERE metric = 'discernibility'"
    )
    even, odd = (one(clinic, query, [year]) for year in ("2020", "2021"))
    assert even != odd
    refused(clinic, query, [None], sqlstate="22023", names=["visits"])


def test_nothing_is_written_not_even_where_one_could(clinic: Connection) -> None:
    with unchanged(clinic):
        explore(clinic, {"grid": {"bandwidth": 0.3, "t": [0.2, 0.3]}, "with": PLAIN})
    with clinic.transaction():
        clinic.execute("SET TRANSACTION READ ONLY")
        assert explore(clinic, [BELIEFS])[1]["gcp"]
    assert one(clinic, "SELECT current_setting('application_name')") != "bkpriv explore"


def test_other_releases_are_pointed_out_since_they_are_not_judged(clinic: Connection) -> None:
    said = overhear(clinic)
    explore(clinic, [BELIEFS, {**BELIEFS, "l_diversity": {"l": 2}}])
    units = "bandwidths are differences in the unit of each column: B = 0.3 (age: 14.7)."
    assert said == [units]
    state_policy(clinic, "beliefs", BELIEFS)
    publish(clinic, policy="beliefs")
    said.clear()
    explore(clinic, [BELIEFS])
    assert said[0] == units
    assert len(said) == 2
    assert "has 1 release already" in said[1]
    assert "was not judged" in said[1]


def test_what_cannot_be_explored_is_refused(clinic: Connection) -> None:
    query = "SELECT * FROM bkpriv.explore(%s, %s, %s, %s)"
    good = Jsonb([BELIEFS])
    for arguments, sqlstate, name in (
        (("nobody", good, "mondrian", Jsonb({})), "42704", "nobody"),
        (("patients", good, "magic", Jsonb({})), "22023", "magic"),
        (("patients", good, "mondrian", Jsonb({"grow": True})), "42703", "grow"),
        (("patients", good, "mondrian", Jsonb({"smooth": 1})), "22023", "smooth"),
        (("patients", Jsonb([]), "mondrian", Jsonb({})), "22023", "policies"),
        (("patients", Jsonb({"grid": {"t": 1}}), "mondrian", Jsonb({})), "22023", "grid"),
        (("patients", Jsonb([{}] * 1001), "mondrian", Jsonb({})), "54000", "1001"),
    ):
        refused(clinic, query, arguments, sqlstate=sqlstate, names=[name])


def test_several_sensitive_columns_are_bounded_each(clinic: Connection) -> None:
    clinic.execute(
        "SELECT bkpriv.register_dataset('two', 'clinic.patient', '{age,sex}', "
        "'{disease,city}'::text[])"
    )
    policy = {
        "k_anonymity": {"k": 4},
        "bt_privacy": [{"bandwidth": reader, "t": 0.2} for reader in READERS],
    }
    (found,) = explore(clinic, [policy], dataset="two", seed=1).values()
    expected = published(clinic, policy, DEFAULT_METHOD, "two", seed=1)
    for metric in MEASURED:
        assert found[metric] == pytest.approx(expected[metric]), metric


def test_sure_is_of_the_same_readers_under_every_policy(clinic: Connection) -> None:
    """People of whom audits say so; who is named by a policy that is refused is no reader."""
    pairs = {"k_anonymity": {"k": 2}}
    misnamed = {**pairs, "bt_privacy": {"bandwidth": {"nothing": 0.1}, "t": 0.3}}
    bounded = [{**pairs, "bt_privacy": {"bandwidth": reader, "t": 0.5}} for reader in READERS]
    found = explore(clinic, [pairs, misnamed, *bounded], seed=1)
    assert found[2] == {"refused": 1}
    for place, policy in ((1, pairs), (3, bounded[0]), (4, bounded[1])):
        assert found[place]["sure"] == published(clinic, policy, DEFAULT_METHOD, seed=1)["sure"], (
            place
        )
    assert found[1]["sure"]
    assert explore(clinic, [pairs], seed=1)[1]["sure"] is not None  # To who stands in.


def test_without_policies_a_grid_is_tried_and_a_draft_estimates(clinic: Connection) -> None:
    query = "SELECT place, policy, metric, value FROM bkpriv.explore('patients', draft => true)"
    rows = clinic.execute(query).fetchall()
    assert rows[0][:2] == (1, {"k_anonymity": {"k": 5}})
    assert {place for place, *_ in rows} == set(range(1, 9))
    assert {value for *_, metric, value in rows if metric == "exact_share"} == {0.0, None}
    policy = next(policy for place, policy, *_ in rows if place == 8)
    by_hand = explore(clinic, [PLAIN, policy], estimator="omega", refine=False)
    figures = {metric: value for place, _, metric, value in rows if place == 8}
    assert figures["gcp"] == pytest.approx(by_hand[2]["gcp"])
    assert figures["sure"] == by_hand[2]["sure"]


def test_policies_that_leave_many_out_are_named(clinic: Connection) -> None:
    said = overhear(clinic)
    policies = [{"k_anonymity": {"k": k}} for k in (2, 35, 50)]
    figures = explore(clinic, policies, "incognito", suppression=0.3)
    assert [(figures[place]["suppressed_share"] or 0) > 0.05 for place in figures] == [0, 1, 0]
    (lost,) = [message for message in said if "leave out" in message]
    share = figures[2]["suppressed_share"]
    assert lost == f"1 of 3 policies leave out over 5% of the records: policy 2: {share:.1%}."
