"""Every method where each record is somebody's, of whom something else is believed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.partition.agglomeration import agglomerate
from bkpriv_core.policy import complete, parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    JsDivergence,
    KAnonymity,
    PairDivergence,
    Requirement,
    satisfied,
)
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.parts import Parts
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Group, Records
from tests.core.strategies import NEEDED, SOME, as_parts, by_age, tables, told_apart

REMEMBERED = {"sequence": "s"}
POLICY: dict[str, Any] = {
    "k_anonymity": {"k": 2},
    "l_diversity": {"l": 1.5, "variant": "probabilistic"},
    "t_closeness": {"t": 0.8},
    "bt_privacy": [{"bandwidth": REMEMBERED, "t": 0.5}, {"bandwidth": 0.4, "t": 0.8}],
    "js_divergence": {"j": 0.4, "bandwidth": REMEMBERED},
    "pair_divergence": {"theta": 0.4, "bandwidth": [REMEMBERED, 0.4]},
    "m_invariance": {"m": 2},
    "beta_likeness": {"beta": 6},
}


def check(
    records: Records,
    believed: list[list[Fraction]],
    requirement: Requirement,
    group: Group,
) -> None:
    """Hold one group of records against a requirement, by the oracles."""
    if isinstance(requirement, KAnonymity):
        assert len(group) >= requirement.k
    elif isinstance(requirement, BetaLikeness):
        assert requirement_oracles.alike(records, group, requirement.beta, requirement.variant)
    elif isinstance(requirement, JsDivergence):
        diverging = requirement_oracles.divergence([believed[record] for record in group])
        assert diverging <= requirement.j + 1e-9
    elif isinstance(requirement, PairDivergence):
        held = [believed[record] for record in group]
        assert requirement_oracles.pair_divergence(held) <= requirement.theta + 1e-9
    elif isinstance(requirement, BtPrivacy):
        _, t = requirement.skyline[0]
        figures = oracles.disclosures(records, oracles.rounded(believed), group, None, "exact")
        assert max(figures) <= t + 1e-6


@SOME
@given(
    tables(min_records=2, max_records=14, max_values=3),
    st.sampled_from(sorted(GROUP_METHODS)),
    st.lists(st.sampled_from(sorted(POLICY)), unique=True),
    st.integers(0, 1000),
    st.data(),
)
def test_every_method_keeps_respondents_apart(
    records: Records, name: str, keys: list[str], seed: int, data: st.DataObject
) -> None:
    threat, believed = data.draw(told_apart(records, positive=True))
    keys = sorted({*keys, "t_closeness", *NEEDED.get(name, ())})
    requirements = parse_policy({key: POLICY[key] for key in keys}).requirements
    method = GROUP_METHODS[name]
    try:
        method.check(threat, requirements, method.options())
        release, certificate = method.certified(
            Job(threat, requirements, method.options(estimator="exact"), SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        return
    parts, groups = release.parts, release.groups
    assert parts.respondent is not None
    assert sorted(parts.respondent.tolist()) == records.everything()
    whose = threat.parts.respondent
    assert whose is not None
    record_of = {respondent: record for record, respondent in enumerate(whose.tolist())}
    record = [record_of[respondent] for respondent in parts.respondent.tolist()]
    np.testing.assert_array_equal(parts.cell, threat.parts.cell[record])
    np.testing.assert_array_equal(parts.counts, threat.parts.counts[record])
    left_out = sorted({*range(len(parts))} - {*groups.members.tolist()})
    assert sorted(certificate.suppressed.tolist()) == left_out
    assert len(set(groups.members.tolist())) == len(groups.members)
    for group in groups:
        for requirement in requirements:
            check(records, believed, requirement, [record[part] for part in group])
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        again = requirement.measure(threat.over(parts), groups, "exact")
        np.testing.assert_allclose(again.figures, measured.figures, atol=1e-9)


@pytest.mark.parametrize("name", sorted(GROUP_METHODS))
def test_whether_each_is_told_apart_matters_to_nobody_else(name: str) -> None:
    # Where what is believed is the same for all, groups of those in one cell are as good as others.
    records = by_age(*"aabbabababba")
    method = GROUP_METHODS[name]
    policy = {
        "k_anonymity": {"k": 2},
        "l_diversity": {"l": 2},
        "bt_privacy": {"bandwidth": 0.4, "t": 0.6},
        "beta_likeness": {"beta": 0.5},
    }
    requirements = parse_policy(method.demands(policy, method.options())).requirements
    costs = []
    for parts in (as_parts(records, records.everything()), Parts.of(as_parts(records, []).table)):
        release, _ = method.certified(
            Job(ThreatModel(parts), requirements, method.options(), SeededChance(1), SILENT)
        )
        costs.append(sorted(release.sizes.tolist()))
    assert costs[0] == costs[1]


@pytest.mark.parametrize("name", ["agglomerate", "bucketize", "js_reduce", "mondrian"])
@pytest.mark.parametrize(
    "stated", [{"js_divergence": {"j": 0.1}}, {"pair_divergence": {"theta": 0}}]
)
def test_groups_are_found_that_large_ones_hide(
    name: str, stated: dict[str, dict[str, float]]
) -> None:
    # Of the youngest a is believed, of the next b, and so on: what is believed of more than one
    # of these ages diverges, as it does in both halves of the table.
    records = by_age(*"abcdabcdabcdabcd")
    believed = np.repeat(0.8 * np.eye(4) + 0.2 / 4, 4, axis=0)
    threat = ThreatModel(as_parts(records, range(16)), library=Known(respondents=believed))
    policy = complete({"k_anonymity": {"k": 2}, **stated}, lambda _: REMEMBERED)
    requirements = parse_policy(policy).requirements
    method = GROUP_METHODS[name]
    method.check(threat, requirements, method.options())
    # They are made, and not only mended.
    _, groups, _ = method.partition(
        Job(threat.tried(), requirements, method.options(), SeededChance(1), SILENT)
    )
    assert satisfied(requirements, threat, groups).all()
    assert len(groups) == 8
    release, certificate = method.certified(
        Job(threat, requirements, method.options(), SeededChance(1), SILENT)
    )
    assert len(release.groups) == 8
    assert all(len({part // 4 for part in group}) == 1 for group in release.groups)
    assert not certificate.suppressed.size


def test_who_fits_nowhere_takes_nobody_with_him() -> None:
    records = by_age(*"abcabcabc")
    believed = np.repeat(0.8 * np.eye(3) + 0.2 / 3, (4, 1, 4), axis=0)
    threat = ThreatModel(as_parts(records, range(9)), library=Known(respondents=believed))
    requirements = [KAnonymity(2), JsDivergence(0.1, Remembered("s"))]
    grown = {tuple(sorted(group.tolist())) for group in agglomerate(threat, requirements)}
    assert grown == {(0, 1), (2, 3), (4,), (5, 6), (7, 8)}


def test_anatomy_draws_records_of_whom_nothing_is_known_together() -> None:
    records = by_age(*"abcabcabcabc")
    past = np.zeros((12, 4), dtype=np.int64)
    threat = ThreatModel(as_parts(records, range(12)), library=Known(past=past))
    policy = {"l_diversity": {"l": 3}, "m_invariance": {"m": 3}}
    requirements = parse_policy(policy).requirements
    method = GROUP_METHODS["anatomy"]
    method.check(threat, requirements, method.options())
    release, certificate = method.certified(
        Job(threat, requirements, method.options(), SeededChance(5), SILENT)
    )
    assert release.sizes.tolist() == [3] * 4
    assert not certificate.suppressed.size
