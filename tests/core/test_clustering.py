"""Clusters of parts about which adversaries believe alike, against linkage of all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import jensenshannon, pdist

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import clustering
from bkpriv_core.partition.clustering import OneCluster, cluster
from bkpriv_core.requirement import PairDivergence
from bkpriv_core.table.groups import FloatArray, Groups
from tests.core import oracles
from tests.core.generated import hierarchical_table, numeric_table
from tests.core.strategies import (
    MANY,
    as_array,
    as_parts,
    as_table,
    bandwidths,
    beliefs,
    by_age,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling


def scattered(count: int, values: int, seed: int, tables: int = 1) -> list[FloatArray]:
    """Beliefs of some adversaries, around several centres."""
    random = np.random.default_rng(seed)
    centres = random.integers(12, size=count)
    return [
        np.array([random.dirichlet(12 * spread + 0.05) for spread in around[centres]])
        for around in random.dirichlet(np.ones(values), size=(tables, 12))
    ]


def lists_of(groups: Groups) -> list[list[int]]:
    return [members.tolist() for members in groups]


def farthest(priors: list[FloatArray], one: int, other: int) -> float:
    """Divergence of two parts, to the adversary who tells them apart best."""
    return max(oracles.js_divergence(held[one], held[other]) for held in priors)


def linked(priors: list[FloatArray], theta: float) -> list[list[int]]:
    """Complete linkage, step by step: the two nearest clusters are joined while they may be."""
    clusters = [[part] for part in range(len(priors[0]))]
    apart = {
        (one, other): farthest(priors, one, other)
        for one, other in combinations(range(len(clusters)), 2)
    }
    while True:
        heights = {
            (first, second): max(
                apart[min(one, other), max(one, other)]
                for one in clusters[first]
                for other in clusters[second]
            )
            for first, second in combinations(range(len(clusters)), 2)
        }
        nearest = min(heights, key=lambda pair: heights[pair], default=None)
        if nearest is None or heights[nearest] > theta:
            return sorted(sorted(members) for members in clusters)
        first, second = nearest
        clusters[first] += clusters.pop(second)


def check(priors: list[FloatArray], theta: float, groups: Groups) -> None:
    """Hold clusters against what is promised of any."""
    parts = range(len(priors[0]))
    assert sorted(groups.members.tolist()) == list(parts)
    assert all(members == sorted(members) for members in lists_of(groups))
    first = [members[0] for members in lists_of(groups)]
    assert first == sorted(first)
    for members in lists_of(groups):
        for pair in combinations(members, 2):
            assert farthest(priors, *pair) <= theta + 1e-9


@MANY
@given(st.data(), st.integers(1, 4), st.integers(1, 2), st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
def test_whatever_is_believed_clusters_hold(
    data: st.DataObject, values: int, adversaries: int, theta: float
) -> None:
    count = data.draw(st.integers(1, 12))
    priors = [
        as_array([data.draw(beliefs(values)) for _ in range(count)]) for _ in range(adversaries)
    ]
    groups = cluster(priors, theta)
    check(priors, theta, groups)
    # Nothing is left to join.
    for some, others in combinations(lists_of(groups), 2):
        assert max(farthest(priors, p, q) for p in some for q in others) > theta
    # What is believed alike stays together.
    label = groups.labels(count)
    for one, other in combinations(range(count), 2):
        if all((held[one] == held[other]).all() for held in priors):
            assert label[one] == label[other]


@pytest.mark.parametrize("theta", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("adversaries", [1, 2])
def test_it_is_complete_linkage(theta: float, adversaries: int) -> None:
    priors = scattered(40, 4, 7, adversaries)
    groups = cluster(priors, theta)
    assert lists_of(groups) == linked(priors, theta)
    assert 1 < len(groups) < 40


@pytest.mark.parametrize("theta", [0.02, 0.1, 0.4])
def test_it_is_that_of_scipy(monkeypatch: pytest.MonkeyPatch, theta: float) -> None:
    monkeypatch.setattr(clustering, "_SCREENED", 5000)  # so that several chunks are screened
    (held,) = priors = scattered(300, 6, 8)
    tree = linkage(pdist(held, lambda p, q: jensenshannon(p, q, base=2)), method="complete")
    label = fcluster(tree, np.sqrt(theta), criterion="distance")
    expected = sorted(np.flatnonzero(label == one).tolist() for one in np.unique(label))
    assert sorted(lists_of(cluster(priors, theta))) == expected


@pytest.mark.parametrize(("block", "within"), [(4, 10**6), (8, 20), (16, 10**6), (10**6, 7)])
@pytest.mark.parametrize("theta", [0.0, 0.02, 0.1, 0.5, 1.0])
def test_blocks_hold_whatever_their_size(
    monkeypatch: pytest.MonkeyPatch, block: int, within: int, theta: float
) -> None:
    priors = scattered(60, 4, 9, 2)
    whole = cluster(priors, theta)
    monkeypatch.setattr(clustering, "_BLOCK", block)
    monkeypatch.setattr(clustering, "_WITHIN", within)
    monkeypatch.setattr(clustering, "_SCREENED", 50)
    groups = cluster(priors, theta)
    check(priors, theta, groups)
    assert lists_of(cluster(priors, theta)) == lists_of(groups)
    # Neither is best, but blocks cost something, as a rule, and not everything.
    assert 0.9 * len(whole) <= len(groups) <= 60
    if within == 10**6:
        assert len(groups) <= 1.5 * len(whole) + 2


def test_clusters_that_a_cut_divides_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two heaps, one of them larger than a block.
    random = np.random.default_rng(1)
    heaps = random.dirichlet([500, 500, 1000], size=24), random.dirichlet([900, 50, 50], size=3)
    monkeypatch.setattr(clustering, "_BLOCK", 8)
    groups = cluster([np.concatenate(heaps)], 0.1)
    assert sorted(map(len, groups)) == [3, 24]


@pytest.mark.parametrize("theta", [0.02, 0.1, 0.3])
def test_blocks_cost_little(monkeypatch: pytest.MonkeyPatch, theta: float) -> None:
    for table in (numeric_table(1500, 1), hierarchical_table(1500, 1)):
        prior = ThreatModel(table).prior(0.3)
        whole = len(cluster([prior], theta))
        with monkeypatch.context() as patched:
            patched.setattr(clustering, "_BLOCK", 128)
            blocked = len(cluster([prior], theta))
        assert blocked <= 1.15 * whole + 2


@MANY
@given(tables(max_records=16), bandwidths, st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_clusters_meet_the_requirement(
    records: oracles.Records, width: float, theta: float
) -> None:
    threat = ThreatModel(as_table(records))
    requirement = PairDivergence(theta, (width, 0.9))
    groups = cluster([threat.prior(width), threat.prior(0.9)], theta)
    assert requirement.satisfied(threat, groups).all()


def test_rounding_keeps_nothing_apart() -> None:
    # The same belief, come by in two ways.
    one = np.array([0.1 + 0.2, 0.3, 0.4])
    other = np.array([0.3, 0.1 + 0.2, 0.4])
    assert len(cluster([np.array([one, other])], 0.0)) == 1
    assert len(cluster([np.array([one, [0.31, 0.29, 0.4]])], 0.0)) == 2


def test_beliefs_that_rule_out_what_others_are_sure_of() -> None:
    certain = np.eye(5)
    assert len(cluster([certain], 0.99)) == 5
    assert len(cluster([certain], 1.0)) == 1


def test_the_share_that_is_done_rises_and_work_can_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares: list[float] = []
    monkeypatch.setattr(clustering, "_BLOCK", 8)
    priors = scattered(60, 4, 9)
    cluster(priors, 0.1, progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        cluster(priors, 0.1, progress=cancelling())


@pytest.mark.parametrize("seed", range(12))
def test_adversaries_who_differ_about_who_differs(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    # Whom one tells apart best is not whom the other does, and clusters of several are joined.
    random = np.random.default_rng(seed)
    priors = [random.dirichlet(np.full(3, spread), size=40) for spread in (40.0, 20.0)]
    monkeypatch.setattr(clustering, "_BLOCK", 6)
    for theta in (0.01, 0.03, 0.06):
        check(priors, theta, cluster(priors, theta))


@MANY
@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=12), st.data())
def test_groups_of_one_cluster_are_told_exactly(labels: list[int], data: st.DataObject) -> None:
    label = np.array(labels)
    threat = ThreatModel(as_parts(by_age(*"a" * len(labels)), range(len(labels))))
    members = data.draw(st.lists(st.sampled_from(range(len(labels))), min_size=1, unique=True))
    met = OneCluster(label).satisfied(threat, Groups.from_lists([np.array(members)]))
    assert met.tolist() == [len({labels[part] for part in members}) == 1]
