"""Records that no group takes are shown with other values, and the truth is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import Job
from bkpriv_core.method.js_reduce import JsReduce, JsReduceOptions
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MInvariance,
    PairDivergence,
    Requirement,
    TCloseness,
    satisfied,
)
from bkpriv_core.table.chance import SeededChance
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_parts, as_table, by_age, tables, told_apart

REMEMBERED = Remembered("s")


def made(
    threat: ThreatModel, requirements: Sequence[Requirement], seed: int = 1, **stated: object
) -> tuple[Release, Certificate]:
    """Make a release by the method with options."""
    options = JsReduceOptions(**stated)  # type: ignore[arg-type]
    return JsReduce().certified(Job(threat, requirements, options, SeededChance(seed), SILENT))


def shown_values(release: Release) -> dict[int, int]:
    """Value with which each respondent's record is shown."""
    parts = release.parts
    assert parts.respondent is not None
    assert (parts.weights == 1).all()
    return dict(zip(parts.respondent.tolist(), parts.counts.argmax(axis=1).tolist(), strict=True))


@SOME
@given(
    tables(min_records=4, max_records=14),
    st.sampled_from(["k", "m", "l", "t"]),
    st.one_of(st.none(), st.sampled_from([0.2, 0.6])),
    st.one_of(st.none(), st.sampled_from([0.1, 0.4])),
    st.booleans(),
    st.integers(0, 1000),
    st.data(),
)
def test_every_group_holds_as_it_is_shown(
    records: Records,
    about: str,
    j: float | None,
    moved: float | None,
    safe: bool,
    seed: int,
    data: st.DataObject,
) -> None:
    threat, believed = data.draw(told_apart(records, positive=True))
    respondents = threat.parts.respondent
    assert respondents is not None
    requirements: list[Requirement] = [KAnonymity(2)]
    more: dict[str, Requirement] = {
        "m": MInvariance(2),
        "l": LDiversity(2, "probabilistic"),
        "t": TCloseness(0.3),
    }
    requirements += [more[about]] if about in more else []
    requirements += [] if j is None else [JsDivergence(j, REMEMBERED)]
    requirements += [] if moved is None else [BtPrivacy(((REMEMBERED, moved),))]
    requirements += [CkSafety(0.9, 1)] if safe else []
    try:
        strict, _ = made(threat, requirements, seed)
    except UnattainableRequirement:
        with pytest.raises(UnattainableRequirement):
            made(threat, requirements, seed, unfit="counterfeit")
        return
    release, certificate = made(threat, requirements, seed, unfit="counterfeit")
    parts = release.parts
    assert parts.table is threat.table
    assert (release.groups, release.parts) == (certificate.groups, certificate.parts)
    assert strict.published <= release.published
    suppressed = set(range(len(parts))) - set(release.groups.members.tolist())
    assert set(certificate.suppressed.tolist()) == suppressed
    # The truth is kept: of each respondent, and in all.
    true = dict(zip(respondents.tolist(), threat.parts.counts.argmax(axis=1).tolist(), strict=True))
    shown = shown_values(release)
    place = {int(number): at for at, number in enumerate(respondents)}
    assert parts.respondent is not None
    order = [place[number] for number in parts.respondent.tolist()]
    np.testing.assert_array_equal(parts.actual, threat.parts.counts[order])
    assert parts.counterfeited == sum(shown[number] != true[number] for number in true)
    assert all(
        shown[int(parts.respondent[part])] == true[int(parts.respondent[part])]
        for part in suppressed
    )
    # Every group holds, the slow way round.
    overall = Counter(true.values())
    for group in release.groups:
        members = [place[int(parts.respondent[part])] for part in group]
        secrets = [shown[int(respondents[member])] for member in members]
        assert len(members) >= 2
        if about == "m":
            assert len(set(secrets)) == len(secrets)
        if about == "l":
            assert 2 * max(Counter(secrets).values()) <= len(secrets)
        if about == "t":
            far = sum(
                max(0.0, secrets.count(value) / len(secrets) - count / len(true))
                for value, count in overall.items()
            )
            assert far <= 0.3 + 1e-9
        if j is not None:
            apart = requirement_oracles.divergence([believed[member] for member in members])
            assert apart <= j + 1e-9
        if moved is not None and len(members) < 8:
            priors = [believed[member] for member in members]
            after = oracles.exact_posterior(priors, secrets)
            assert after is not None
            for before, belief in zip(priors, after, strict=True):
                distance = oracles.belief_distance(records.sensitive, before, belief)
                assert distance <= moved + 1e-9
    published = threat.over(parts)
    assert satisfied(requirements, published, release.groups, "auto").all()
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        again = requirement.measure(published, release.groups, "auto")
        np.testing.assert_allclose(again.figures, measured.figures, atol=1e-12)
    assert len(release.form.pool(parts, release.groups)) == len(release.groups)


def test_a_value_is_chosen_that_the_release_lacks() -> None:
    # No group bears a second a. What is shown for it is what is not shown as often already.
    threat = ThreatModel(as_parts(by_age(*"abaaacd"), range(7)))
    _, left = made(threat, [MInvariance(2)])
    assert left.suppressed.size == 2
    for seed in range(6):
        release, certificate = made(threat, [MInvariance(2)], seed, unfit="counterfeit")
        assert not certificate.suppressed.size
        assert release.histograms.max() == 1
        assert release.parts.counterfeited == 2
        assert sorted(release.parts.counts.sum(axis=0).tolist()) == [1, 2, 2, 2]
        assert release.actual.counts.sum(axis=0).tolist() == [4, 1, 1, 1]


def test_no_value_helps_where_beliefs_diverge() -> None:
    believed = np.repeat(np.eye(3)[[0, 2, 1]], (5, 3, 6), axis=0)
    threat = ThreatModel(
        as_parts(by_age(*"ababababbababc"), range(14)), library=Known(respondents=believed)
    )
    requirements = [KAnonymity(5), JsDivergence(0.1, REMEMBERED)]
    release, certificate = made(threat, requirements, unfit="counterfeit")
    assert release.parts.respondent is not None
    assert sorted(release.parts.respondent[certificate.suppressed].tolist()) == [5, 6, 7]
    assert not release.parts.counterfeited


def test_where_no_other_value_can_be_shown_records_may_still_be_inserted() -> None:
    # Only a is believed of the one cell, and never of the other.
    attributes = tuple(
        Attribute(name, values, {value: int(value) for value in values})
        for name, values in (("q", ("3",)), ("r", ("0", "1")))
    )
    rows = (("3", "0", "a"), ("3", "1", "b"), ("3", "1", "c"), ("3", "1", "d"))
    records = Records(attributes, Attribute("s", ("a", "b", "c", "d")), rows)
    requirements = [KAnonymity(3), PairDivergence(0.05, (0.3,))]
    release, certificate = made(ThreatModel(as_table(records)), requirements, unfit="counterfeit")
    assert release.parts.weights[certificate.suppressed].tolist() == [1]
    assert not release.parts.counterfeited


def test_no_record_is_shown_with_what_it_is_known_not_to_have() -> None:
    # All are known to have a or b, but for one that has c: shown as d it would be known for false.
    records = by_age(*"abababacabd")
    believed = np.tile([0.5, 0.5, 0.0, 0.0], (11, 1))
    believed[[7, 10]] = [[0, 0, 1, 0], [0, 0, 0, 1]]
    threat = ThreatModel(as_parts(records, range(11)), library=Known(respondents=believed))
    requirements = [MInvariance(2), JsDivergence(2.0, REMEMBERED)]
    for seed in range(4):
        release, _ = made(threat, requirements, seed, unfit="counterfeit")
        shown = shown_values(release)
        assert all(believed[number, value] > 0 for number, value in shown.items())


def test_records_of_one_cell_are_told_apart_where_nobody_is() -> None:
    rows = (*(("30", value) for value in "aaab"), ("31", "c"), ("31", "d"))
    age = oracles.Attribute("age", ("30", "31"), numbers={"30": 30, "31": 31})
    records = Records((age,), oracles.Attribute("s", tuple("abcd")), rows)
    threat = ThreatModel(as_table(records))
    release, certificate = made(threat, [MInvariance(2)], unfit="counterfeit")
    assert release.parts.respondent is None
    assert release.published + release.parts.weights[certificate.suppressed].sum() == 6
    assert all(histogram.max() == 1 for histogram in release.histograms)
    cells = np.zeros_like(threat.table.counts)
    np.add.at(cells, release.parts.cell, release.parts.actual)
    np.testing.assert_array_equal(cells, threat.table.counts)
    assert release.parts.counterfeited > 0


def test_equals_are_chosen_at_random() -> None:
    threat = ThreatModel(as_parts(by_age(*"abaaacadae"), range(10)))
    chosen: set[tuple[int, ...]] = set()
    for seed in range(20):
        release, _ = made(threat, [MInvariance(2)], seed, unfit="counterfeit")
        assert release.parts.counterfeits is not None
        chosen.add(tuple(release.parts.counterfeits.sum(axis=0).tolist()))
    assert len(chosen) > 3
