"""Beliefs compared in pairs, and the requirement that bounds how far any two of a group differ."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import pairs as pairs_module
from bkpriv_core.belief.knowledge import Remembered, Uniform
from bkpriv_core.belief.pairs import Pairs
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import complete, parse_policy
from bkpriv_core.requirement import KAnonymity, PairDivergence, Requirement
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_array,
    as_groups,
    as_parts,
    as_table,
    bandwidths,
    beliefs,
    by_age,
    partitions,
    records_of,
    tables,
    told_apart,
)
from tests.core.watching import Cancelled, cancelling

REMEMBERED = Remembered("s")


def figures_of(requirement: Requirement, threat: ThreatModel, groups: Groups) -> list[list[float]]:
    """The figures of each adversary, group by group."""
    measured = requirement.measure(threat, groups)
    assert measured.exact.all()
    assert measured.figures.shape == (len(requirement.bounds), len(groups.members))
    for figures in measured.figures:
        np.testing.assert_array_equal(groups.min(figures), groups.max(figures))
    return [groups.max(figures).tolist() for figures in measured.figures]


def scattered(count: int, values: int, seed: int, spread: float) -> FloatArray:
    """Beliefs that scatter around one."""
    random = np.random.default_rng(seed)
    return random.dirichlet(random.dirichlet(np.ones(values)) / spread + 1e-3, size=count)


# --- Pairs ----------------------------------------------------------------------------------------


@MANY
@given(st.integers(1, 6).flatmap(lambda m: st.lists(beliefs(m), min_size=2, max_size=2)))
def test_divergence_lies_between_its_bounds(both: list[oracles.Belief]) -> None:
    pairs = Pairs(as_array(both), np.arange(2))
    ends = np.array([0]), np.array([1])
    (figure,), ((squared,),) = pairs.divergence(*ends), pairs.hellinger(*ends)
    assert figure == pytest.approx(oracles.js_divergence(*both), abs=1e-12)
    assert squared - 1e-12 <= figure <= min(1.0, squared / np.log(2.0)) + 1e-12


@pytest.mark.parametrize("values", [1, 2, 7])
@pytest.mark.parametrize("spread", [1e-6, 1e-3, 1.0, 100.0])
def test_bounds_are_near_where_beliefs_are(values: int, spread: float) -> None:
    pairs = Pairs.of(scattered(400, values, 1, spread))
    left, right = (ends.ravel() for ends in np.indices((len(pairs.beliefs),) * 2))
    figures = pairs.divergence(left, right)
    squared = pairs.hellinger(left[:: len(pairs.beliefs)], np.arange(len(pairs.beliefs))).ravel()
    assert (squared <= figures + 1e-12).all()
    assert (figures <= np.minimum(1.0, squared / np.log(2.0)) + 1e-12).all()


@pytest.mark.parametrize("listed", [0, 10, 2**18])
@pytest.mark.parametrize("spread", [1e-5, 0.01, 1.0, 1000.0])
def test_the_largest_is_that_of_all_pairs(
    monkeypatch: pytest.MonkeyPatch, listed: int, spread: float
) -> None:
    monkeypatch.setattr(pairs_module, "_LISTED", listed)
    monkeypatch.setattr(pairs_module, "_SCREENED", 500)
    monkeypatch.setattr(pairs_module, "_AT_ONCE", 16)
    held = scattered(150, 5, 3, spread)
    pairs = Pairs.of(held[np.r_[np.arange(150), np.arange(50)]])
    random = np.random.default_rng(4)
    lists = np.split(random.permutation(200), [1, 2, 4, 9, 30, 31, 90, 93])
    groups = as_groups([chunk.tolist() for chunk in lists])
    expected = [
        max((oracles.js_divergence(*both) for both in combinations(of_group, 2)), default=0.0)
        for of_group in (pairs.beliefs[pairs.kind[members]].tolist() for members in groups)
    ]
    np.testing.assert_allclose(pairs.largest(groups), expected, atol=1e-12)
    least = pairs.at_least(groups)
    assert (least <= np.array(expected) + 1e-12).all()
    assert (least[np.array(expected) > 1e-6] > 0).all()
    most, one, other = pairs.farthest(np.arange(len(pairs.beliefs)))
    assert pairs.divergence(np.array([one]), np.array([other])) == [most]
    everything = Groups.whole(200)
    np.testing.assert_allclose(pairs.largest(everything), [most], atol=1e-15)


def test_large_groups_are_compared_in_little_memory() -> None:
    pairs = Pairs.of(scattered(4000, 4, 5, 1.0))
    tracemalloc.start()
    try:
        pairs.largest(Groups.whole(4000))
        assert tracemalloc.get_traced_memory()[1] < 64e6  # half of a matrix of all pairs
    finally:
        tracemalloc.stop()


def test_comparing_can_be_cancelled() -> None:
    pairs = Pairs.of(scattered(3000, 4, 5, 0.001))
    with pytest.raises(Cancelled):
        pairs.largest(Groups.whole(3000), cancelling(4))
    with pytest.raises(Cancelled):
        pairs.largest(Groups(np.arange(3000), np.arange(0, 3001, 600)), cancelling(4))


# --- The requirement ------------------------------------------------------------------------------


@SOME
@given(tables(max_records=12), st.lists(bandwidths, min_size=1, max_size=2), st.data())
def test_beliefs_about_cells_differ_in_pairs(
    records: Records, widths: list[float], data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    lists = data.draw(partitions(threat.table.cells, suppress=True))
    requirement = PairDivergence(0.1, tuple(widths))
    expected = []
    for width in widths:
        prior = oracles.priors(records, [width] * len(records.attributes))
        expected.append(
            [
                requirement_oracles.pair_divergence(
                    [prior[record] for record in records_of(records, cells)]
                )
                for cells in lists
            ]
        )
    for found, figures in zip(
        figures_of(requirement, threat, as_groups(lists)), expected, strict=True
    ):
        assert found == pytest.approx(figures, abs=1e-9)
    met = requirement.satisfied(threat, as_groups(lists)).tolist()
    worst = [max(figures) for figures in zip(*expected, strict=True)]
    assert all(
        fits == (figure <= 0.1)
        for fits, figure in zip(met, worst, strict=True)
        if abs(figure - 0.1) > 1e-8
    )
    (uniform,) = figures_of(PairDivergence(0.1, (Uniform(),)), threat, as_groups(lists))
    assert uniform == [0.0] * len(lists)


@MANY
@given(tables(max_records=16), st.data())
def test_beliefs_about_respondents_differ_in_pairs(records: Records, data: st.DataObject) -> None:
    threat, believed = data.draw(told_apart(records))
    lists = data.draw(partitions(len(records.rows), suppress=True))
    requirement = PairDivergence(0.1, (REMEMBERED,))
    (figures,) = figures_of(requirement, threat, as_groups(lists))
    expected = [
        requirement_oracles.pair_divergence([believed[record] for record in group])
        for group in lists
    ]
    assert figures == pytest.approx(expected, abs=1e-9)
    # It is hereditary: whatever is left out of a group, its figure does not rise.
    fewer = [group[: data.draw(st.integers(1, len(group)))] for group in lists]
    (after,) = figures_of(requirement, threat, as_groups(fewer))
    assert all(less <= more + 1e-12 for less, more in zip(after, figures, strict=True))


def test_groups_that_fail_by_far_are_told_without_comparing_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []
    divergence = Pairs.divergence

    def counted(pairs: Pairs, left: IntArray, right: IntArray) -> FloatArray:
        compared.append(len(left))
        return divergence(pairs, left, right)

    monkeypatch.setattr(Pairs, "divergence", counted)
    threat = ThreatModel(
        as_parts(by_age(*"ab" * 100), range(200)),
        library=Known(respondents=np.repeat(np.eye(2), 100, axis=0)),
    )
    pairs = as_groups([[number, number + 100] for number in range(100)])
    assert not PairDivergence(0.5, (REMEMBERED,)).satisfied(threat, pairs).any()
    assert sum(compared) == 0


def three(*believed: Sequence[float]) -> tuple[ThreatModel, Groups]:
    """Respondents of whom such is believed, in one group."""
    records = by_age(*"abab"[: len(believed)])
    parts = as_parts(records, range(len(believed)))
    return ThreatModel(parts, library=Known(respondents=np.array(believed))), Groups.whole(
        len(believed)
    )


def test_the_two_that_differ_most_by_hand() -> None:
    threat, group = three([1.0, 0.0], [0.0, 1.0], [0.5, 0.5])
    requirement = PairDivergence(0.5, (REMEMBERED,))
    assert figures_of(requirement, threat, group) == [[1.0]]
    (some,) = figures_of(requirement, threat, as_groups([[0, 2], [1], [1, 2]]))
    # JS((1, 0), (1/2, 1/2)) = H(3/4, 1/4) - 1/2.
    mixed = 2.0 - 0.75 * np.log2(3.0) - 0.5
    assert some == pytest.approx([mixed, 0.0, mixed], abs=1e-12)
    assert requirement.satisfied(threat, as_groups([[0, 2], [0, 1]])).tolist() == [True, False]


def test_the_belief_farthest_from_the_others_is_named() -> None:
    threat, group = three([0.9, 0.1], [0.85, 0.15], [0.2, 0.8], [0.95, 0.05])
    shift = PairDivergence(0.1, (0.3, REMEMBERED)).explain(threat, group, 1)
    assert (shift.cell, shift.value, shift.before) == (2, 0, 0.2)
    assert shift.after == pytest.approx((0.9 + 0.85 + 0.2 + 0.95) / 4)


@SOME
@given(tables(max_records=10), st.data())
def test_who_is_named_is_one_of_the_two_that_differ_most(
    records: Records, data: st.DataObject
) -> None:
    threat, believed = data.draw(told_apart(records))
    group = data.draw(st.sampled_from(data.draw(partitions(len(records.rows)))))
    shift = PairDivergence(0.1, (REMEMBERED,)).explain(threat, as_groups([group]))
    most = requirement_oracles.pair_divergence([believed[record] for record in group])
    far = {
        record
        for both in combinations(group, 2)
        for record in both
        if oracles.js_divergence(*(believed[one] for one in both)) >= most - 1e-9
    }
    assert any(
        threat.parts.cell[record] == shift.cell
        and float(believed[record][shift.value]) == pytest.approx(shift.before)
        for record in far or group
    )
    mean = sum(float(believed[record][shift.value]) for record in group) / len(group)
    assert shift.after == pytest.approx(mean)


@SOME
@given(tables(max_records=12), bandwidths, st.data())
def test_records_weigh_in_the_belief_about_a_group(
    records: Records, width: float, data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    cells = data.draw(st.sampled_from(data.draw(partitions(threat.table.cells))))
    shift = PairDivergence(0.1, (width,)).explain(threat, as_groups([cells]))
    prior = oracles.priors(records, [width] * len(records.attributes))
    held = [float(prior[record][shift.value]) for record in records_of(records, cells)]
    assert shift.after == pytest.approx(sum(held) / len(held))


def test_knowledge_that_is_left_open_is_put_in() -> None:
    asked = []

    def customary(requirement: str) -> object:
        asked.append(requirement)
        return {"sequence": "s"}

    stated = {"pair_divergence": {"theta": 0.1}, "js_divergence": {"j": 1}}
    completed = complete(stated, customary)
    assert completed == {
        "pair_divergence": {"theta": 0.1, "bandwidth": {"sequence": "s"}},
        "js_divergence": {"j": 1, "bandwidth": {"sequence": "s"}},
    }
    assert asked == ["js_divergence", "pair_divergence"]
    assert complete(completed, customary) is completed
    _, requirement = parse_policy(completed).requirements
    assert requirement == PairDivergence(0.1, (REMEMBERED,))
    (open_one,) = parse_policy({"pair_divergence": {"theta": 0.1}}).requirements
    threat = ThreatModel(as_table(by_age("a", "b")))
    with pytest.raises(ValueError, match="was not completed"):
        open_one.measure(threat, Groups.whole(2))


def test_what_it_is_stated_as() -> None:
    requirement = PairDivergence.parse({"theta": 0.1, "bandwidth": [0.3, {"sequence": "s"}]})
    assert requirement == PairDivergence(0.1, (0.3, REMEMBERED))
    assert [bound.parameters for bound in requirement.bounds] == [
        {"theta": 0.1, "bandwidth": 0.3},
        {"theta": 0.1, "bandwidth": {"sequence": "s"}},
    ]
    assert [bound.remembers for bound in requirement.bounds] == [False, True]
    assert all(bound.threshold == 0.1 and bound.upper for bound in requirement.bounds)
    assert requirement.tells_apart
    assert not PairDivergence(0.1, (0.3, Uniform())).tells_apart
    assert requirement.knowledge == (0.3, REMEMBERED)
    assert PairDivergence.parse({"theta": 0, "bandwidth": 0.3}) == PairDivergence(0.0, (0.3,))
    for theta in (-0.1, 1.1):
        with pytest.raises(InvalidParameter, match="theta of pair_divergence is"):
            PairDivergence.parse({"theta": theta})
    with pytest.raises(InvalidParameter, match="lists no adversary"):
        PairDivergence.parse({"theta": 0.1, "bandwidth": []})
    with pytest.raises(InvalidParameter, match="adversary 2 of bandwidth of pair_divergence"):
        PairDivergence.parse({"theta": 0.1, "bandwidth": [0.3, -1]})


def test_it_is_loosened_to_where_all_beliefs_may_be() -> None:
    requirement = PairDivergence(0.5, (0.3,))
    assert requirement.loosened(0.5, 16) == PairDivergence(0.75, (0.3,))
    assert requirement.loosened(1.0, 16) == PairDivergence(1.0, (0.3,))
    assert not KAnonymity.hereditary
    assert PairDivergence.hereditary
    assert not PairDivergence.coarse
