"""Exploration: which policies a grid lists, and figures against those of releases by themselves."""

from __future__ import annotations

import itertools
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from bkpriv_core.belief.knowledge import Knowledge, Uniform
from bkpriv_core.belief.posterior import AUTO_STATES
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, TooLarge, UnattainableRequirement
from bkpriv_core.exploration import (
    CUSTOMARY,
    MOST_SETTINGS,
    WEAK_READER,
    Shared,
    list_policies,
    shared_readers,
    try_out,
)
from bkpriv_core.method import METHODS, GroupMethod, Job, parse_options
from bkpriv_core.method.growing import stand
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.respondent import NOBODY
from bkpriv_core.table.table import Table
from bkpriv_core.utility.comparison import fidelity, usual_queries
from bkpriv_core.utility.measures import utility

K = {"k_anonymity": {"k": 3}}


# --- which policies -------------------------------------------------------------------------------


def test_a_grid_is_every_combination_adversary_by_adversary() -> None:
    widths, ts, ks = [0.2, {"age": 0.3}, {"kernel": "uniform"}], [0.1, 0.2], [3, 5]
    listed = list_policies(
        {"grid": {"k": ks, "t": ts, "bandwidth": widths}, "with": {"l_diversity": {"l": 2}}}
    )
    alone = [{"k_anonymity": {"k": k}} for k in ks]
    diverse = [{"l_diversity": {"l": 2}, **policy} for policy in alone]
    assert listed == alone + diverse + [
        {
            "l_diversity": {"l": 2},
            "bt_privacy": [{"bandwidth": width, "t": t}],
            "k_anonymity": {"k": k},
        }
        for width, t, k in itertools.product(widths, ts, ks)
    ]


def test_a_grid_over_l_keeps_what_else_is_said_of_diversity() -> None:
    stated = {"grid": {"l": [2, 3], "k": 4}, "with": {"l_diversity": {"variant": "entropy"}}}
    assert list_policies(stated) == [{"k_anonymity": {"k": 4}}] + [
        {"l_diversity": {"variant": "entropy", "l": least}, "k_anonymity": {"k": 4}}
        for least in (2, 3)
    ]


def test_k_alone_stands_first_and_once_and_several_adversaries_are_bounded_at_once() -> None:
    widths = [0.2, [0.2, 0.5]]
    listed = list_policies({"grid": {"bandwidth": widths, "t": 0.1}, "with": K})
    assert listed[0] == K
    assert [policy["bt_privacy"] for policy in listed[1:]] == [
        [{"bandwidth": 0.2, "t": 0.1}],
        [{"bandwidth": 0.2, "t": 0.1}, {"bandwidth": 0.5, "t": 0.1}],
    ]
    assert list_policies({"grid": {"k": [3, 4]}}) == [K, {"k_anonymity": {"k": 4}}]
    assert list_policies({"grid": {"l": [2, 3]}})[0] == {"l_diversity": {"l": 2}}


def test_without_policies_a_customary_grid_is_tried() -> None:
    listed = list_policies(None)
    assert listed == list_policies(CUSTOMARY)
    assert listed[0] == {"k_anonymity": {"k": 5}}
    assert len(listed) == 2 + 6
    assert all(policy["k_anonymity"] == {"k": 5} for policy in listed)
    assert all(policy.items() >= WEAK_READER.items() for policy in listed[1:])
    assert all(len(policy["bt_privacy"]) == 3 for policy in listed[2:])
    for policy in listed:
        parse_policy(policy)


def test_an_array_is_as_it_stands_and_a_policy_one_of_itself() -> None:
    assert list_policies([K, {"nonsense": 1}]) == [K, {"nonsense": 1}]
    assert list_policies(K) == [K]


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ([], "array"),
        (0.3, "array"),
        ([K, 3], "policy 2"),
        ({"with": K}, "grid"),
        ({"grid": {}}, "grid is empty"),
        ({"grid": {"t": [0.1]}}, "no adversaries"),
        ({"grid": {"bandwidth": [0.1], "k": [2]}}, "no adversaries"),
        ({"grid": {"bandwidth": 0.3, "t": []}}, "t of grid"),
        ({"grid": {"tau": [0.1]}}, "tau"),
        ({"grid": [1]}, "grid"),
        ({"grid": {"k": [2]}, "with": [K]}, "with"),
        ({"grid": {"k": [2]}, "width": {}}, "width"),
        (
            {"grid": {"bandwidth": 0.3, "t": 0.1}, "with": {"bt_privacy": {"t": 1}}},
            "both state bt_privacy",
        ),
        ({"grid": {"l": [2, 3]}, "with": {"l_diversity": [{"l": 2}, {"l": 4}]}}, "axis l"),
    ],
)
def test_what_lists_no_policies_is_refused(stated: Any, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        list_policies(stated)
    assert named in f"{caught.value.message} {caught.value.detail}"
    assert caught.value.hint


def test_more_than_anybody_waits_for_is_refused_before_it_is_listed() -> None:
    many = list(range(1, 10**4))
    with pytest.raises(TooLarge, match=r"999800010000000\d* policies|policies are too many"):
        list_policies({"grid": {"k": many, "l": many, "bandwidth": many, "t": many}})
    with pytest.raises(TooLarge):
        list_policies([K] * (MOST_SETTINGS + 1))
    assert len(list_policies([K] * MOST_SETTINGS)) == MOST_SETTINGS


# --- figures --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> Table:
    """People of forty ages and two towns; values lean to one end of the ages."""
    random = np.random.default_rng(5)
    ages, towns = random.integers(0, 40, 150), random.integers(0, 2, 150)
    leaning = np.clip(random.normal(ages * 0.08, 1.1).round(), 0, 3).astype(int)
    years = Domain("age", tuple(map(str, range(20, 60))), positions=np.arange(20.0, 60), step=1.0)
    rows = np.column_stack((ages, towns, leaning))
    made, _ = Table.from_rows(
        (years, Domain("town", ("a", "b"))), Domain("value", tuple("wxyz")), rows, np.ones(150, int)
    )
    return made


POLICY: dict[str, Any] = {
    **K,
    "l_diversity": {"l": 2},
    "max_disclosure": {"tau": 0.9},
    "beta_likeness": {"beta": 0.9},
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.4}, {"bandwidth": 0.8, "t": 0.5}],
    "js_divergence": {"j": 0.9, "bandwidth": 0.5},
    "pair_divergence": {"theta": 0.99, "bandwidth": 0.5},
}
NEEDED = {
    "k_anonymity_primacy": ("beta_likeness", "pair_divergence"),
    "beta_likeness_primacy": ("beta_likeness", "pair_divergence"),
    "js_reduce": ("js_divergence",),
}
OPTIONS = {"randomize": {"scheme": "rr-both"}}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_figures_are_those_of_the_release_that_is_made(table: Table, name: str) -> None:
    method = METHODS[name]
    keys = ["k_anonymity", "l_diversity", "bt_privacy", *NEEDED.get(name, ())]
    keys = ["max_disclosure"] if name == "randomize" else keys
    options = parse_options(method, OPTIONS.get(name, {}))
    policy = parse_policy({key: POLICY[key] for key in keys})
    job = Job(ThreatModel(table), policy.requirements, options, SeededChance(3), SILENT)
    figures = try_out(method, job, stand(table, NOBODY), policy.query_error)
    made, rows, _ = method.make(
        Job(ThreatModel(table), policy.requirements, options, SeededChance(3), SILENT)
    )
    release, _ = made.together()
    expected = {**utility(release), "query_error": fidelity(release)["query_error_median"]}
    assert {key: figures[key] for key in expected} == expected
    asked = Shared(asked=usual_queries(table))
    job = Job(ThreatModel(table), policy.requirements, options, SeededChance(3), SILENT)
    again = try_out(method, job, stand(table, NOBODY), policy.query_error, asked)
    assert {key: again[key] for key in figures if key != "seconds"} == {
        key: figures[key] for key in figures if key != "seconds"
    }
    assert figures["groups"] == (0 if release.partition is None else len(release.groups))
    assert figures["seconds"] is not None
    assert figures["seconds"] > 0
    adversaries = [row for row in rows if row.requirement == "bt_privacy"]
    told = (figures["worst_disclosure"], figures["mean_disclosure"], figures["exact_share"])
    if not adversaries:
        assert told == (None, None, None)
        return
    assert isinstance(method, GroupMethod)
    assert told[0] == max(row.worst for row in adversaries)
    assert told[1] == max(row.mean for row in adversaries)
    assert told[2] == 1.0


def test_the_exact_share_is_that_of_records_inferred_exactly(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No group is exact by omega; by auto those of few states are, which are counted one by one."""
    method = METHODS["mondrian"]
    policy = parse_policy({**K, "bt_privacy": {"bandwidth": 0.3, "t": 0.4}})
    by_omega = parse_options(method, {"estimator": "omega"})
    job = Job(ThreatModel(table), policy.requirements, by_omega, SeededChance(1), SILENT)
    figures = try_out(method, job, stand(table, NOBODY))
    assert figures["exact_share"] == 0.0
    by_auto = parse_options(method, {"refine": False})
    budget = 11
    assert budget < AUTO_STATES
    monkeypatch.setattr("bkpriv_core.belief.posterior.AUTO_STATES", budget)
    # Bounds, which would prove what is beyond the budget, say nothing.
    monkeypatch.setattr("bkpriv_core.belief.bounding._MOST_FLOATS", 0)
    job = Job(ThreatModel(table), policy.requirements, by_auto, SeededChance(1), SILENT)
    figures = try_out(method, job, stand(table, NOBODY))
    release, _, _ = method.make(
        Job(ThreatModel(table), policy.requirements, by_auto, SeededChance(1), SILENT)
    )
    exact = 0
    for cells, histogram in zip(release.groups, release.histograms, strict=True):
        sizes = release.parts.weights[cells]
        states = min(np.prod(histogram + 1), np.prod(sizes + 1))
        exact += int(sizes.sum()) if states <= budget else 0
    assert figures["exact_share"] == pytest.approx(exact / release.published)
    assert 0 < exact < release.published


@pytest.mark.parametrize("name", ["agglomerate", "mondrian"])
@pytest.mark.parametrize("remembered", [0, 3_000, 2**23])
def test_what_trials_share_changes_no_release(
    table: Table, monkeypatch: pytest.MonkeyPatch, name: str, remembered: int
) -> None:
    """Groups and figures beside those of policies that share nothing, some bounded."""
    monkeypatch.setattr("bkpriv_core.belief.disclosure.FEW_STATES", 20)
    method = METHODS[name]
    options = parse_options(method, {})
    shared = ThreatModel(table)
    shared._recall._most = remembered
    grid = itertools.product([0.3, 0.6, [0.3, 0.6]], [0.5, 0.2, 0.3])
    for bandwidth, t in grid:
        widths = bandwidth if isinstance(bandwidth, list) else [bandwidth]
        policy = parse_policy({**K, "bt_privacy": [{"bandwidth": one, "t": t} for one in widths]})
        one, other = (
            method.make(Job(threat, policy.requirements, options, SeededChance(3), SILENT))
            for threat in (shared, ThreatModel(table))
        )
        assert one.release.groups.members.tolist() == other.release.groups.members.tolist()
        assert one.release.groups.offsets.tolist() == other.release.groups.offsets.tolist()
        for mine, theirs in zip(one.findings, other.findings, strict=True):
            assert (mine.worst, mine.mean) == pytest.approx((theirs.worst, theirs.mean), abs=1e-12)
            assert mine.estimator == theirs.estimator


def counted(threat: ThreatModel, release: Release, knowledge: Knowledge) -> tuple[int, int]:
    """People of whom a reader becomes sure, and is sure beforehand, record by record."""
    prior, sure, known = threat.prior(knowledge), 0, 0
    adversaries = threat.over(release.parts).adversaries([knowledge])
    for group in release.groups:
        alone = Groups.from_lists([group])
        after = adversaries.posterior(alone, "exact").beliefs[0]
        for part, belief in zip(group, after, strict=True):
            before = prior[release.parts.cell[part]]
            made = (before <= 0.5) & (belief > 0.9)
            sure += int(release.parts.weights[part]) * bool(made.any())
            known += int(release.parts.weights[part]) * bool((before > 0.9).any())
    return sure, known


def test_what_readers_know_by_columns_is_apart_from_what_nearly_everybody_has() -> None:
    """A value is that of 95 of 100 people; a reader knows the others by a town, or does not."""

    def tried(towns: int) -> dict[str, float | None]:
        rows = np.array([(place % towns, int(place % 20 == 0)) for place in range(100)])
        made, _ = Table.from_rows(
            (Domain("town", tuple(f"{town:02}" for town in range(towns))),),
            Domain("value", ("well", "ill")),
            rows,
            np.ones(100, int),
        )
        policy = parse_policy({**K, "bt_privacy": {"bandwidth": 0.3, "t": 0.5}})
        method, threat = METHODS["mondrian"], ThreatModel(made)
        job = Job(threat, policy.requirements, parse_options(method, {}), SeededChance(1), SILENT)
        named = shared_readers(threat, policy.requirements)
        return try_out(method, job, stand(made, NOBODY), shared=Shared(named))

    names = ("known", "known_by_columns", "knowable")
    assert [tried(5)[name] for name in names] == [100, 0, 5]
    assert [tried(20)[name] for name in names] == [100, 5, 5]


def test_sure_is_the_largest_count_of_the_readers_whom_any_policy_names(table: Table) -> None:
    """Counted record by record from the posteriors of each reader, for two policies."""
    method, threat = METHODS["mondrian"], ThreatModel(table)
    options = parse_options(method, {})
    pairs = {"k_anonymity": {"k": 2}}
    bounded = {**pairs, "bt_privacy": {"bandwidth": 0.2, "t": 0.6}}
    policies = [parse_policy(pairs), parse_policy(bounded)]
    every = [item for policy in policies for item in policy.requirements]
    every += parse_policy({"bt_privacy": {"bandwidth": {"age": 9.0}, "t": 0.5}}).requirements
    named = shared_readers(threat, every)
    # No "town" in the mapping; and the reader who knows the shares, whom no policy names.
    assert [knowledge for knowledge, _ in named] == [0.2, Uniform()]
    counts = []
    for policy in policies:
        job = Job(threat, policy.requirements, options, SeededChance(1), SILENT)
        release = method.make(job).release
        found = [counted(threat, release, knowledge) for knowledge, _ in named]
        sure, known = (max(each) for each in zip(*found, strict=True))
        job = Job(threat, policy.requirements, options, SeededChance(1), SILENT)
        figures = try_out(method, job, stand(table, NOBODY), shared=Shared(named))
        assert (figures["sure"], figures["known"]) == (sure, known)
        values = [(release.parts.counts[group].sum(axis=0) > 0).sum() for group in release.groups]
        assert figures["one_value"] == release.sizes[np.array(values) == 1].sum()
        assert figures["rows"] == figures["knowable"] == table.records
        counts.append((sure, known))
        if policy is policies[0]:  # What the reader of bandwidth 0.2 learns is estimated there.
            adversary = threat.over(release.parts).adversaries([0.2])
            estimated = adversary.disclosure(release.groups, "omega").figures.max()
            assert figures["largest_disclosure"] == pytest.approx(estimated)
        else:
            assert figures["largest_disclosure"] == figures["worst_disclosure"]
    assert counts[0][0] > 0
    assert shared_readers(threat, policies[0].requirements) == []
    plain = Job(threat, policies[0].requirements, options, SeededChance(1), SILENT)
    customary = try_out(method, plain, stand(table, NOBODY))["sure"]
    stands_in = parse_policy({"bt_privacy": {"bandwidth": 0.3, "t": 0.6}}).requirements
    asked = [one for one in shared_readers(threat, stands_in) if one[0] == 0.3]
    assert customary == try_out(method, plain, stand(table, NOBODY), shared=Shared(asked))["sure"]


def test_a_draft_is_estimated_and_not_refined() -> None:
    for name, method in METHODS.items():
        options = parse_options(method, OPTIONS.get(name, {}))
        draft = options.drafted
        changed = {
            field.name
            for field in fields(options)
            if getattr(options, field.name) != getattr(draft, field.name)
        }
        assert changed <= {"estimator", "refine"}
        assert draft.inference == ("omega" if isinstance(method, GroupMethod) else "auto")
        assert not getattr(draft, "refine", False)
    stated = parse_options(METHODS["mondrian"], {"estimator": "auto", "beyond": "suppress"})
    assert stated.drafted.beyond == "estimate"


def test_what_cannot_be_met_is_refused_and_so_is_too_large_an_error_of_queries(
    table: Table,
) -> None:
    method, threat = METHODS["mondrian"], ThreatModel(table)
    options = parse_options(method, {})

    def tried(policy: dict[str, Any]) -> dict[str, float | None]:
        stated = parse_policy(policy)
        job = Job(threat, stated.requirements, options, SeededChance(1), SILENT)
        return try_out(method, job, stand(table, NOBODY), stated.query_error)

    with pytest.raises(UnattainableRequirement, match="k_anonymity"):
        tried({"k_anonymity": {"k": 151}})
    error = tried(K)["query_error"]
    assert error is not None
    assert error > 0
    with pytest.raises(UnattainableRequirement, match="query_error"):
        tried({**K, "query_error": {"median": error / 2}})
    assert tried({**K, "query_error": {"median": error / 2, "action": "warn"}})["gcp"] is not None
