"""k-anonymous beta-likeness within clusters of like beliefs, against the definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job, parse_options
from bkpriv_core.method.primacy import BetaLikenessPrimacy, KAnonymityPrimacy
from bkpriv_core.partition import anonymity_primacy
from bkpriv_core.partition.anonymity_primacy import Alike, nearest_classes
from bkpriv_core.partition.likeness_primacy import proportional_classes, proportional_cuts
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import (
    BetaLikeness,
    CkSafety,
    KAnonymity,
    MaxDisclosure,
    Requirement,
    satisfied,
)
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import utility
from tests.core import oracles, requirement_oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_parts, as_table, by_age, tables
from tests.core.watching import Watched

PRIMACY = (KAnonymityPrimacy(), BetaLikenessPrimacy())
CLASSES = (nearest_classes, proportional_classes)


def apart(records: Records) -> ThreatModel:
    """A setting in which every record is a part, in order."""
    return ThreatModel(as_parts(records, records.everything()))


def whole(threat: ThreatModel) -> Groups:
    """One cluster of everything."""
    return Groups.whole(len(threat.parts))


def as_sets(groups: Groups) -> set[frozenset[int]]:
    return {frozenset(group.tolist()) for group in groups}


@SOME
@given(
    tables(min_records=2, max_records=30, max_values=3),
    st.sampled_from(PRIMACY),
    st.integers(1, 4),
    st.sampled_from([0.5, 1.0, 2.0, 5.0]),
    st.sampled_from(["basic", "enhanced"]),
    st.sampled_from([0.01, 0.1, 0.3, 1.0]),
    st.floats(0.6, 1),
    st.booleans(),
    st.integers(0, 1000),
)
def test_what_is_published_meets_each_requirement_by_its_definition(
    records: Records,
    method: KAnonymityPrimacy | BetaLikenessPrimacy,
    k: int,
    beta: float,
    variant: str,
    theta: float,
    tau: float,
    refine: bool,
    seed: int,
) -> None:
    options = parse_options(method, {"theta": theta, "refine": refine})
    policy: dict[str, Any] = {
        "k_anonymity": {"k": k},
        "beta_likeness": {"beta": beta, "variant": variant},
        "bt_privacy": [{"bandwidth": 0.4, "t": 1}, {"bandwidth": 0.8, "t": 1}],
        "max_disclosure": {"tau": tau},
    }
    requirements = parse_policy(method.demands(policy, options)).requirements
    threat = ThreatModel(as_table(records))
    try:
        method.check(threat, requirements, options)
        release, certificate = method.certified(
            Job(threat, requirements, options, SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        return
    believed = [oracles.priors(records, [width] * len(records.attributes)) for width in (0.4, 0.8)]
    everybody = Counter(records.secrets(records.everything()))
    for group in release.groups:
        counts = release.parts.counts[group].sum(axis=0)
        assert counts.sum() >= k
        assert max(counts) / sum(counts) <= tau + 1e-9
        for value, count in enumerate(counts.tolist()):
            p, q = Fraction(everybody[value], len(records.rows)), Fraction(count, int(counts.sum()))
            most = beta if variant == "basic" or p == 1 else min(beta, -np.log(float(p)))
            assert not count or float((q - p) / p) <= most + 1e-6
        cells = sorted({int(release.parts.cell[part]) for part in group})
        firsts = [records.cells()[cell][0] for cell in cells]
        for prior in believed:
            for one, other in combinations(firsts, 2):
                assert oracles.js_divergence(prior[one], prior[other]) <= theta + 1e-9
    published = release.parts.weights[release.groups.members].sum()
    assert published + release.parts.weights[certificate.suppressed].sum() == len(records.rows)


@SOME
@given(
    tables(min_records=2, max_records=24, max_values=3),
    st.sampled_from(CLASSES),
    st.integers(1, 4),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.sampled_from([3, 8, 4096]),
    st.sampled_from([None, MaxDisclosure(0.6), CkSafety(0.9, 1)]),
    st.data(),
)
def test_classes_are_within_clusters_and_hold(
    records: Records,
    classes: Any,
    k: int,
    beta: float,
    block: int,
    other: Requirement | None,
    data: st.DataObject,
) -> None:
    threat = apart(records)
    labels = data.draw(
        st.lists(st.integers(0, 2), min_size=len(threat.parts), max_size=len(threat.parts))
    )
    dense = np.unique(labels, return_inverse=True)[1]
    requirements = [KAnonymity(k), BetaLikeness(beta), *([] if other is None else [other])]
    with patch.object(anonymity_primacy, "_BLOCK", block):
        groups = classes(threat, requirements, Groups.from_labels(dense))
    assert len(set(groups.members.tolist())) == len(groups.members)
    assert satisfied(requirements, threat, groups).all()
    assert all(len(set(dense[group])) == 1 for group in groups)
    for group in groups:
        assert len(group) >= k
        assert requirement_oracles.alike(records, group.tolist(), beta, "basic")


@SOME
@given(
    tables(min_records=1, max_records=9, max_values=4),
    st.sampled_from([0.3, 0.5, 1.0, 2.0, 4.0]),
    st.sampled_from(["basic", "enhanced"]),
    st.data(),
)
def test_the_largest_subset_that_is_alike(
    records: Records, beta: float, variant: Any, data: st.DataObject
) -> None:
    table = as_table(records)
    some = data.draw(st.lists(st.sampled_from(records.everything()), min_size=1, unique=True))
    values = len(records.sensitive.values)
    histogram = np.bincount(records.secrets(some), minlength=values)
    kept = BetaLikeness(beta, variant).admitted(histogram[None, :], table.overall)[0]
    subsets = [
        list(subset)
        for size in range(1, len(some) + 1)
        for subset in combinations(some, size)
        if requirement_oracles.alike(records, list(subset), beta, variant)
    ]
    largest = max(map(len, subsets), default=0)
    assert kept.sum() == largest
    found = {
        tuple(np.bincount(records.secrets(subset), minlength=values))
        for subset in subsets
        if len(subset) == largest
    }
    assert found == ({tuple(kept)} if largest else set())


@SOME
@given(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=40),
    st.integers(0, 4),
    st.integers(0, 1000),
)
def test_each_value_is_divided_in_proportion(secrets: list[str], share: int, seed: int) -> None:
    threat = apart(by_age(*secrets))
    alike = Alike.of(threat, [KAnonymity(1), BetaLikeness(1e6)])
    order = np.random.default_rng(seed).permutation(len(secrets))
    group = Groups(order, np.array([0, len(order)]))
    cuts = proportional_cuts(alike, threat.parts, group, np.array([share]))
    part = (1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8)[share]
    size = round(part * len(secrets))  # to even, as halves are
    if size in (0, len(secrets)):
        assert not len(cuts)
        return
    first, second = cuts.halves()
    assert sorted([*first.tolist(), *second.tolist()]) == list(range(len(secrets)))
    assert len(first) == size
    for value in set(secrets):
        ages = [age for age, secret in enumerate(secrets) if secret == value]
        mine = sorted(set(ages) & set(first.tolist()))
        assert abs(len(mine) - part * len(ages)) < 1
        assert mine == ages[: len(mine)]  # the youngest with that value


def test_a_half_leaves_out_what_is_next_to_the_cut() -> None:
    # A third of the table has a, and half of a group may. Of nine in a half four may have it.
    secrets = [*"aaaaab" * 2, *"bc" * 2, "b", "c"]
    threat = apart(by_age(*secrets, *"bc" * 9))
    alike = Alike.of(threat, [KAnonymity(2), BetaLikeness(0.8)])
    assert alike.caps[0] == pytest.approx(0.5)
    group = Groups.whole(18)
    (first, second) = proportional_cuts(alike, threat.parts, group, np.array([0])).halves()
    ages = [age for age in range(18) if secrets[age] == "a"]
    left_out = set(range(18)) - set(first.tolist()) - set(second.tolist())
    assert left_out
    assert left_out <= set(ages[3:7])
    for half in (first, second):
        share = sum(secrets[age] == "a" for age in half.tolist()) / len(half)
        assert share <= 0.5


def test_near_records_are_classes() -> None:
    # Two years of age and eight, twice: no class reaches from the one to the other.
    ages = Attribute("age", tuple("0129"), {"0": 0, "1": 1, "2": 50, "9": 51})
    rows = tuple((age, secret) for age in "0129" for secret in "ab")
    threat = apart(Records((ages,), Attribute("s", ("a", "b")), rows))
    requirements = [KAnonymity(4), BetaLikeness(1)]
    expected = {frozenset({0, 1, 2, 3}), frozenset({4, 5, 6, 7})}
    for classes in CLASSES:
        assert as_sets(classes(threat, requirements, whole(threat))) == expected


@pytest.mark.parametrize("classes", CLASSES)
def test_a_rare_value_does_not_make_one_class_of_all(classes: Any) -> None:
    # One of 600 needs a class of 200. That costs more than it is worth, where ages differ.
    secrets = [*"ab" * 150, "z", *"ab" * 150]
    threat = apart(by_age(*secrets))
    requirements = [KAnonymity(4), BetaLikeness(2)]
    groups = classes(threat, requirements, whole(threat))
    left_over = set(range(601)) - set(groups.members.tolist())
    assert 300 in left_over
    assert len(left_over) < 8
    assert groups.widths.max() <= 8


@pytest.mark.parametrize("classes", CLASSES)
def test_a_rare_value_is_published_where_that_costs_nothing(classes: Any) -> None:
    attribute = Attribute("q", ("x",))
    rows = tuple(("x", secret) for secret in [*"ab" * 150, "z", *"ab" * 150])
    threat = apart(Records((attribute,), Attribute("s", ("a", "b", "z")), rows))
    groups = classes(threat, [KAnonymity(4), BetaLikeness(2)], whole(threat))
    assert 300 in groups.members


def test_rare_values_find_others_before_those_are_used_up() -> None:
    # Each c needs a class of four. Others are a class by two; if they were first, no c would be in.
    secrets = [*"ab" * 50, *"c" * 10]
    rows = tuple(("x", secret) for secret in secrets)
    threat = apart(Records((Attribute("q", ("x",)),), Attribute("s", ("a", "b", "c")), rows))
    groups = nearest_classes(threat, [KAnonymity(2), BetaLikeness(2)], whole(threat))
    assert set(range(100, 110)) <= set(groups.members.tolist())


def ward(records: int, seed: int) -> Table:
    """A table whose illness depends on age, but not on the area."""
    random = np.random.default_rng(seed)
    age, area = random.integers(60, size=records), random.integers(8, size=records)
    likely = np.exp(-np.abs(np.arange(6) - age[:, None] / 12) / 1.5)
    likely = np.cumsum(likely * [8.0, 8.0, 6.0, 4.0, 2.0, 0.2], axis=1)
    ill = (likely < random.random((records, 1)) * likely[:, -1:]).sum(axis=1)
    domains = (
        Domain("age", tuple(map(str, range(60))), positions=np.arange(60.0)),
        Domain("area", tuple("abcdefgh")),
    )
    codes, ones = np.column_stack((age, area, ill)), np.ones(records, dtype=np.int64)
    return Table.from_rows(domains, Domain("ill", tuple("uvwxyz")), codes, ones)[0]


def test_detail_and_likeness_are_what_each_puts_first() -> None:
    table = ward(3000, 1)
    threat = ThreatModel(table)
    requirements = parse_policy(
        {
            "k_anonymity": {"k": 4},
            "beta_likeness": {"beta": 2},
            "pair_divergence": {"theta": 0.1, "bandwidth": 0.3},
        }
    ).requirements
    detail: dict[str, float] = {}
    gain: dict[str, float] = {}
    for name in ("k_anonymity_primacy", "beta_likeness_primacy", "js_reduce"):
        method = GROUP_METHODS[name]
        release, _ = method.certified(
            Job(threat, requirements, method.options(), SeededChance(1), SILENT)
        )
        lost = utility(release)["rgcp"]
        assert lost is not None
        detail[name] = lost
        histograms = release.parts.histograms(release.groups)
        sizes = histograms.sum(axis=1, keepdims=True)
        gains = (histograms / sizes / table.overall - 1).max(axis=1)
        gain[name] = float(np.average(gains, weights=sizes.ravel()))
    assert detail["k_anonymity_primacy"] < min(list(detail.values())[1:]) / 2
    assert gain["beta_likeness_primacy"] < 0.9 * gain["k_anonymity_primacy"]
    assert gain["k_anonymity_primacy"] < gain["js_reduce"]


def test_adversaries_of_the_policy_are_those_of_theta() -> None:
    method = KAnonymityPrimacy()
    options = method.options()
    both = {"k_anonymity": {"k": 2}, "beta_likeness": {"beta": 2}}
    assert method.demands(both, options) == {**both, "pair_divergence": {"theta": 0.1}}
    named = {
        **both,
        "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}, {"bandwidth": 0.5, "t": 0.2}],
        "js_divergence": {"j": 0.5, "bandwidth": 0.3},
    }
    demanded = method.demands(named, method.options(theta=0.2))
    assert demanded == {**named, "pair_divergence": {"theta": 0.2, "bandwidth": [0.3, 0.5]}}
    one = {**both, "bt_privacy": {"bandwidth": {"table": "p"}, "t": 0.2}}
    demanded = method.demands(one, options)
    assert demanded["pair_divergence"] == {"theta": 0.1, "bandwidth": [{"table": "p"}]}
    own = {**both, "pair_divergence": {"theta": 0.5}}
    assert method.demands(own, options) == own
    with pytest.raises(InvalidParameter, match="stated twice") as caught:
        method.demands(own, method.options(theta=0.2))
    assert "0.2" in caught.value.detail
    assert "0.5" in caught.value.detail


def test_of_a_range_theta_is_about_each_bandwidth() -> None:
    wide = {"from": 0.2, "to": 0.8, "points": 3}
    stated = {"bt_privacy": [{"bandwidth": wide, "t": 0.2}, {"bandwidth": 0.5, "t": 0.2}]}
    demanded = KAnonymityPrimacy().demands(stated, KAnonymityPrimacy().options())
    assert demanded["pair_divergence"] == {"theta": 0.1, "bandwidth": [wide, 0.5]}
    _, alike = parse_policy(demanded).requirements
    assert alike.knowledge == pytest.approx((0.2, 0.4, 0.8, 0.5))


def test_null_is_no_theta() -> None:
    with pytest.raises(InvalidParameter, match="theta is null, which is not a number"):
        parse_options(KAnonymityPrimacy(), {"theta": None})


@pytest.mark.parametrize("bt_privacy", [3, [3], {"t": 0.2}, None])
def test_what_is_no_policy_is_left_to_be_refused(bt_privacy: object) -> None:
    method = KAnonymityPrimacy()
    stated = {"k_anonymity": {"k": 2}, "bt_privacy": bt_privacy}
    assert "bandwidth" not in method.demands(stated, method.options())["pair_divergence"]


@pytest.mark.parametrize("missing", ["k_anonymity", "beta_likeness", "pair_divergence"])
@pytest.mark.parametrize("method", PRIMACY, ids=lambda method: method.name)
def test_what_the_methods_need_is_named(method: Any, missing: str) -> None:
    policy = {
        "k_anonymity": {"k": 2},
        "beta_likeness": {"beta": 2},
        "pair_divergence": {"theta": 0.1, "bandwidth": 0.3},
    }
    del policy[missing]
    threat = ThreatModel(as_table(by_age(*"abab")))
    with pytest.raises(InvalidParameter, match=missing) as caught:
        method.check(threat, parse_policy(policy).requirements, method.options())
    assert method.name in caught.value.message
    assert missing in caught.value.hint


@pytest.mark.parametrize("classes", CLASSES)
def test_work_is_watched_and_can_be_cancelled(classes: Any) -> None:
    threat = apart(by_age(*"abcd" * 200))
    requirements = [KAnonymity(4), BetaLikeness(2)]
    clusters = Groups.from_labels(np.arange(800) // 20)
    looked: list[float] = []
    classes(threat, requirements, clusters, progress=Watched(report=looked.append))
    assert looked == sorted(looked)
    assert looked[-1] == 1.0

    def cancel(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classes(threat, requirements, clusters, progress=Watched(report=cancel))


@pytest.mark.parametrize("classes", CLASSES)
def test_hopeless_work_is_bounded(classes: Any) -> None:
    # No two of them may be in one class, which no sum shows.
    threat = apart(by_age(*"ab" * 1000))
    requirements = [KAnonymity(4), BetaLikeness(2), MaxDisclosure(0.1)]
    assert not len(classes(threat, requirements, whole(threat)))


def test_parts_of_one_cell_are_one_row_of_a_group() -> None:
    stated = {
        "k_anonymity": {"k": 4},
        "beta_likeness": {"beta": 2},
        "pair_divergence": {"theta": 0.3, "bandwidth": 0.3},
    }
    requirements = parse_policy(stated).requirements
    for method in PRIMACY:
        release, _ = method.certified(
            Job(ThreatModel(ward(600, 5)), requirements, method.options(), SeededChance(1), SILENT)
        )
        cells = release.parts.cell[release.groups.members]
        pairs = list(zip(release.groups.owner.tolist(), cells.tolist(), strict=True))
        assert len(set(pairs)) == len(pairs)
