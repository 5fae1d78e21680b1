"""Records that no group takes are published by less strict requirements, and audits tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import findings
from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.requirement import (
    BetaLikeness,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
    satisfied,
)
from bkpriv_core.table.parts import Parts
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_parts, as_table, by_age, tables, told_apart
from tests.core.test_counterfeiting import made

REMEMBERED = Remembered("s")


@SOME
@given(
    tables(min_records=4, max_records=20),
    st.integers(2, 5),
    st.sampled_from([0.2, 0.5]),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.lists(
        st.sampled_from([LDiversity(1.2, "probabilistic"), BetaLikeness(4.0), CkSafety(0.95, 1)]),
        max_size=1,
    ),
    st.integers(0, 1000),
    st.booleans(),
    st.data(),
)
def test_all_are_published_that_loosened_requirements_allow(
    records: Records,
    k: int,
    t: float,
    j: float,
    others: list[Requirement],
    seed: int,
    apart: bool,
    data: st.DataObject,
) -> None:
    threat, _ = data.draw(told_apart(records))
    knowledge: Remembered | float = REMEMBERED
    if not apart:
        threat, knowledge = ThreatModel(as_table(records)), 0.3
    requirements = [KAnonymity(k), TCloseness(t), JsDivergence(j, knowledge), *others]
    try:
        strict, _ = made(threat, requirements, seed)
    except UnattainableRequirement:
        with pytest.raises(UnattainableRequirement):
            made(threat, requirements, seed, unfit="relax")
        return
    release, certificate = made(threat, requirements, seed, unfit="relax")
    assert (release.parts, release.groups) == (certificate.parts, certificate.groups)
    assert strict.published <= release.published
    assert len(set(release.groups.members.tolist())) == len(release.groups.members)
    assert release.parts.weights.sum() == len(records.rows)
    left_out = set(range(len(release.parts))) - set(release.groups.members.tolist())
    assert set(certificate.suppressed.tolist()) == left_out
    if not others:
        assert release.parts.weights[certificate.suppressed].sum() <= 1
    # What is not loosened holds, and the rest as far as it is loosened to the last.
    published = threat.over(release.parts)
    assert satisfied([KAnonymity(2), *others], published, release.groups).all()
    # To a reader no two groups are the same.
    assert len(release.form.pool(release.parts, release.groups)) == len(release.groups)
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        again = requirement.measure(published, release.groups)
        np.testing.assert_allclose(again.figures, measured.figures, atol=1e-12)


def test_an_audit_tells_what_was_relaxed() -> None:
    # Five of whom a is believed, four of whom c, six of whom b: four are left over together.
    believed = np.repeat(np.eye(3)[[0, 2, 1]], (5, 4, 6), axis=0)
    parts = as_parts(by_age(*"ababababa", *"bababc"), range(15))
    threat = ThreatModel(parts, library=Known(respondents=believed))
    requirements = [KAnonymity(5), TCloseness(0.4), JsDivergence(0.1, REMEMBERED)]
    release, certificate = made(threat, requirements)
    assert sorted(release.sizes.tolist()) == [5, 6]
    assert certificate.suppressed.tolist() == [5, 6, 7, 8]
    release, certificate = made(threat, requirements, unfit="relax")
    assert sorted(sorted(group.tolist()) for group in release.groups) == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 10, 11, 12, 13, 14],
    ]
    assert not certificate.suppressed.size
    rows = findings(threat, release.groups, requirements, certificate.measurements)
    assert [(row.satisfied, row.vulnerable) for row in rows] == [
        (False, 4),
        (True, 0),
        (True, 0),
    ]
    assert rows[0].worst == 4


def test_who_is_in_a_group_that_meets_the_policy_may_come_to_be_in_one_that_does_not() -> None:
    # All have one age, so to a reader they are one group; of one of them b is known.
    rows = [("30", value) for value in "ababababab"]
    age = Attribute("age", ("30",), numbers={"30": 30})
    records = Records((age,), Attribute("s", ("a", "b")), tuple(rows))
    believed = np.repeat([[1.0, 0.0], [0.0, 1.0]], (9, 1), axis=0)
    threat = ThreatModel(as_parts(records, range(10)), library=Known(respondents=believed))
    requirements: list[Requirement] = [KAnonymity(3), JsDivergence(0.1, REMEMBERED)]
    for seed in range(5):
        try:
            release, _ = made(threat, requirements, seed)
        except UnattainableRequirement:
            continue
        assert 9 not in release.groups.members
        relaxed, certificate = made(threat, requirements, seed, unfit="relax")
        figures = certificate.measurements[1].figures
        if len(relaxed.groups.members) == 10:
            assert len(relaxed.groups) == 1
            mixed = -0.1 * math.log2(0.1) - 0.9 * math.log2(0.9)
            assert figures == pytest.approx(np.full((1, 10), mixed))


def test_requirements_are_loosened_as_far_as_they_go() -> None:
    requirements: list[Requirement] = [
        KAnonymity(10),
        KAnonymity(1),
        TCloseness(0.5, "ordered"),
        JsDivergence(1.0, REMEMBERED),
        JsDivergence(5.0, 0.3),
        LDiversity(3),
    ]
    assert [item.loosened(0.5, 16) for item in requirements] == [
        KAnonymity(6),
        KAnonymity(1),
        TCloseness(0.75, "ordered"),
        JsDivergence(2.5, REMEMBERED),
        JsDivergence(5.0, 0.3),
        LDiversity(3),
    ]
    assert [item.loosened(1.0, 16) for item in requirements] == [
        KAnonymity(2),
        KAnonymity(1),
        TCloseness(1.0, "ordered"),
        JsDivergence(4.0, REMEMBERED),
        JsDivergence(5.0, 0.3),
        LDiversity(3),
    ]
    # Where there is one value, nothing diverges.
    assert JsDivergence(0.0, 0.3).loosened(1.0, 1) == JsDivergence(0.0, 0.3)


def test_parts_are_records_where_nobody_is_told_apart() -> None:
    records = by_age(*"abababab")
    parts = Parts.of(as_table(records))
    release, _ = made(ThreatModel(parts), [KAnonymity(2)])
    assert sorted(release.parts.cell.tolist()) == list(range(8))
    assert release.parts.respondent is None
