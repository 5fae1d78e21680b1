"""Loss of detail on whole tables: certified, by either method, and nobody left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest

from bkpriv_client.hospital import hospital
from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.agglomeration import agglomerate
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import losses
from bkpriv_core.requirement import BeliefScope, BtPrivacy, KAnonymity, LDiversity, Requirement
from bkpriv_core.table.groups import Groups
from studies.cells import count_cells
from studies.houses import houses
from tests.core.certifying import certify
from tests.core.oracles import posterior_by_equation_3

BANDWIDTHS = (0.2, 0.3, 0.5)
T = 0.2


def skyline(smoothing: float | None) -> BtPrivacy:
    """Adversaries who compare beliefs by a smoothing."""
    regards = (BeliefScope(smoothing=smoothing),) * len(BANDWIDTHS)
    return BtPrivacy(tuple((bandwidth, T) for bandwidth in BANDWIDTHS), regards)


improved = partial(certify, improving=True)
Partitioning = Callable[..., Groups]


@pytest.fixture(scope="module")
def admissions() -> ThreatModel:
    """The 20,000 admissions of the demo; priors are computed once."""
    return ThreatModel(count_cells(hospital(20_000, seed=1))).tried()


def gcp(threat: ThreatModel, certificate: Certificate) -> float:
    """Mean certainty penalty of the published records; all must be."""
    assert not certificate.suppressed.size
    lost = losses(certificate.parts, certificate.groups)
    return float(lost.sum() / threat.table.records)


def published(
    threat: ThreatModel, policy: Sequence[Requirement], method: Partitioning
) -> Certificate:
    """Form groups by a method, and certify them."""
    return improved(threat, policy, method(threat, policy), "auto")


@pytest.mark.parametrize(
    ("smoothing", "most", "improved_most"),
    [(0.75, 0.05, 0.036), pytest.param(None, 0.09, 0.083, marks=pytest.mark.extended)],
)
def test_admissions_lose_little_and_nobody_is_left_out(
    admissions: ThreatModel, smoothing: float | None, most: float, improved_most: float
) -> None:
    demanded = skyline(smoothing)
    policy: list[Requirement] = [KAnonymity(4), demanded]
    cut = mondrian(admissions, policy)
    mended = certify(admissions, policy, cut, "auto")
    certificate = improved(admissions, policy, cut, "auto")
    assert mended.failed == certificate.failed > 0
    assert gcp(admissions, mended) <= most
    assert gcp(admissions, certificate) <= min(improved_most, gcp(admissions, mended))
    for groups in (mended.groups, certificate.groups):
        check_by_equation_3(admissions, groups, smoothing)
        disclosed = demanded.measure(admissions, groups, "auto")
        # Exact, or an upper bound: groups are larger without smoothing, and more are estimated.
        assert disclosed.certain.mean() > (0.999 if smoothing else 0.98)
        assert disclosed.figures.max() <= T + 1e-9
    grown = published(admissions, policy, agglomerate)
    check_by_equation_3(admissions, grown.groups, smoothing)
    assert gcp(admissions, grown) < 0.8 * gcp(admissions, certificate)


def check_by_equation_3(threat: ThreatModel, groups: Groups, smoothing: float | None) -> None:
    """Judge some small groups by the definition, record by record."""
    parts, distance = threat.parts, threat.distance(Comparison(smoothing=smoothing))
    small = np.flatnonzero(parts.sizes(groups) <= 7)
    chosen = np.random.default_rng(0).choice(small, 25, replace=False)
    counts = parts.counts[groups.members]
    for bandwidth in BANDWIDTHS:
        prior = threat.prior(bandwidth)
        for group in chosen.tolist():
            rows = np.flatnonzero(groups.owner == group)
            members = np.repeat(groups.members[rows], counts[rows].sum(axis=1))
            held = tuple(counts[rows].sum(axis=0).tolist())
            after = posterior_by_equation_3(prior[members].tolist(), held)
            assert after is not None
            moved = distance(prior[members], np.array(after, dtype=np.float64))
            assert moved.max() <= T + 1e-9


@pytest.mark.parametrize(
    "policy",
    [[KAnonymity(5)], [KAnonymity(10)], [KAnonymity(4), LDiversity(4, "distinct")]],
    ids=["k=5", "k=10", "k=4, l=4"],
)
def test_groups_that_grow_lose_less_than_groups_that_are_cut(
    admissions: ThreatModel, policy: list[Requirement]
) -> None:
    cut, grown = (
        gcp(admissions, published(admissions, policy, method)) for method in (mondrian, agglomerate)
    )
    assert grown <= 0.95 * cut


@pytest.mark.parametrize("method", [mondrian, agglomerate])
def test_houses_are_all_published_by_proof(method: Partitioning) -> None:
    threat = ThreatModel(count_cells(houses(2_500, seed=2))).tried()
    policy: list[Requirement] = [KAnonymity(4), BtPrivacy(((0.3, T),))]
    groups = method(threat, policy)
    certificate = improved(threat, policy, groups, "auto", beyond="suppress")
    assert certificate.failed > 0
    assert certificate.measurements[1].certain.all()
    assert certificate.measurements[1].figures.max() <= T + 1e-9
    assert gcp(threat, certificate) < losses(threat.parts, groups).sum() / threat.table.records
