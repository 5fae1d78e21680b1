"""Requirements about respondents: how far beliefs about them diverge, and m-invariance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.dispersion import Dispersion
from bkpriv_core.belief.knowledge import Remembered, Uniform
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.cutting import find_cuts
from bkpriv_core.policy import complete, parse_policy
from bkpriv_core.requirement import BtPrivacy, JsDivergence, KAnonymity, MInvariance, Shift
from bkpriv_core.requirement.counted import CountedRequirement
from bkpriv_core.table.groups import Groups
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_parts,
    as_table,
    bandwidths,
    by_age,
    partitions,
    records_of,
    tables,
    told_apart,
)

REMEMBERED = Remembered("s")


def figures_of(requirement: CountedRequirement, threat: ThreatModel, groups: Groups) -> list[float]:
    """The one figure of each group."""
    measured = requirement.measure(threat, groups)
    assert measured.exact.all()
    np.testing.assert_array_equal(groups.min(measured.figures[0]), groups.max(measured.figures[0]))
    per_group: list[float] = groups.max(measured.figures[0]).tolist()
    return per_group


# --- Divergence -----------------------------------------------------------------------------------


@MANY
@given(tables(max_records=16), st.data())
def test_beliefs_about_respondents_diverge(records: Records, data: st.DataObject) -> None:
    threat, believed = data.draw(told_apart(records))
    lists = data.draw(partitions(len(records.rows), suppress=True))
    figures = figures_of(JsDivergence(0.6, REMEMBERED), threat, as_groups(lists))
    assert figures == pytest.approx(
        [requirement_oracles.divergence([believed[record] for record in group]) for group in lists],
        abs=1e-9,
    )
    most = [math.log2(min(len(group), len(records.sensitive.values))) for group in lists]
    assert all(0 <= figure <= bound + 1e-9 for figure, bound in zip(figures, most, strict=True))


@SOME
@given(tables(max_records=12), bandwidths, st.data())
def test_beliefs_about_cells_diverge(records: Records, width: float, data: st.DataObject) -> None:
    threat = ThreatModel(as_table(records))
    prior = oracles.priors(records, [width] * len(records.attributes))
    lists = data.draw(partitions(threat.table.cells))
    expected = [
        requirement_oracles.divergence([prior[record] for record in records_of(records, cells)])
        for cells in lists
    ]
    for knowledge in (width, {item.name: width for item in records.attributes}):
        figures = figures_of(JsDivergence(0.6, knowledge), threat, as_groups(lists))
        assert figures == pytest.approx(expected, abs=1e-9)
    assert figures_of(JsDivergence(0.6, Uniform()), threat, as_groups(lists)) == pytest.approx(
        [0.0] * len(lists), abs=1e-9
    )


@SOME
@given(tables(min_records=2, max_records=16), st.data())
def test_halves_of_cuts_are_measured_without_being_made(
    records: Records, data: st.DataObject
) -> None:
    threat, _ = data.draw(told_apart(records))
    requirement = JsDivergence(0.6, REMEMBERED)
    groups = as_groups(data.draw(partitions(len(records.rows))))
    axis = data.draw(st.integers(0, len(records.attributes) - 1))
    cuts = find_cuts(threat.parts, groups, np.full(len(groups), axis), 8)
    sums = cuts.histograms(requirement.counts(threat))
    made = figures_of(requirement, threat, cuts.halves())
    # Sums are exact, so a difference of sums is what adding up gives, to the last digit.
    assert requirement.figures(threat, sums).tolist() == made


@pytest.mark.parametrize("records", [10, 10**6, 10**8])
def test_sums_of_many_records_neither_overflow_nor_lose_what_is_small(records: int) -> None:
    beliefs = np.array([[1.0, 0.0, 0.0], [1e-4, 1.0 - 1e-4, 0.0]])
    dispersion = Dispersion.of(beliefs, np.array([records - 1, 1]))
    figure = dispersion.divergence(dispersion.columns.sum(axis=0, keepdims=True))[0]
    share = (1.0 - 1e-4) / records
    mean = -share * math.log2(share) - (1.0 - share) * math.log1p(-share) / math.log(2)
    entropy = -(1e-4 * math.log2(1e-4) + (1 - 1e-4) * math.log2(1 - 1e-4))
    assert figure == pytest.approx(mean - entropy / records, abs=1e-9)
    # The one record by itself is taken from the sum of all.
    alone = dispersion.columns.sum(axis=0) - dispersion.columns[0]
    np.testing.assert_array_equal(alone, dispersion.columns[1])
    assert dispersion.divergence(alone[None, :])[0] == pytest.approx(0.0, abs=2e-4 / records**0.5)


def test_divergence_by_hand() -> None:
    parts = as_parts(by_age("a", "b", "a", "b"), [3, 2, 1, 0])
    believed = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])
    threat = ThreatModel(parts, library=Known(respondents=believed))
    requirement = JsDivergence(0.6, REMEMBERED)
    # Parts 2 and 3 are respondents 1 and 0, believed to be certain, of different values.
    groups = as_groups([[0, 1], [2, 3], [1, 2], [0, 1, 2, 3]])
    assert figures_of(requirement, threat, groups) == pytest.approx(
        [0.0, 1.0, 0.25 * math.log2(256 / 27) - 0.5, 0.5], abs=1e-12
    )
    assert requirement.satisfied(threat, groups).tolist() == [True, False, True, True]
    # Of parts 1 and 2, the certain one adds more: (3/4, 1/4) is farther from (0, 1).
    assert requirement.explain(threat, as_groups([[1, 2]])) == Shift(2, 0, 0.0, 0.25)


@SOME
@given(tables(max_records=10), st.data())
def test_the_belief_that_diverges_most(records: Records, data: st.DataObject) -> None:
    threat, believed = data.draw(told_apart(records))
    group = data.draw(st.sampled_from(data.draw(partitions(len(records.rows)))))
    shift = JsDivergence(0.6, REMEMBERED).explain(threat, as_groups([group]))
    shares = [[float(share) for share in belief] for belief in believed]
    mean = [
        sum(shares[record][value] for record in group) / len(group)
        for value in range(len(records.sensitive.values))
    ]
    apart = {record: oracles.kl_divergence(shares[record], mean) for record in group}
    faults = [
        record
        for record in group
        if apart[record] >= max(apart.values()) - 1e-9
        and threat.parts.cell[record] == shift.cell
        and shares[record][shift.value] == pytest.approx(shift.before)
    ]
    assert faults
    assert shift.after == pytest.approx(mean[shift.value])
    assert any(
        abs(shift.before - shift.after)
        >= max(abs(p - q) for p, q in zip(shares[record], mean, strict=True)) - 1e-9
        for record in faults
    )


def test_knowledge_that_is_left_open_is_put_in() -> None:
    def customary(requirement: str) -> object:
        asked.append(requirement)
        return {"sequence": "s"}

    asked: list[str] = []
    stated = {"k_anonymity": {"k": 2}, "js_divergence": {"j": 0.6}}
    completed = complete(stated, customary)
    expected = (KAnonymity(2), JsDivergence(0.6, REMEMBERED))
    assert parse_policy(completed).requirements == expected
    assert complete(completed, customary) == completed
    assert stated == {"k_anonymity": {"k": 2}, "js_divergence": {"j": 0.6}}
    assert asked == ["js_divergence"]
    own = {"js_divergence": {"j": 0.6, "bandwidth": 0.3}}
    assert complete(own, customary) is own
    for odd in (5, None, {"js_divergence": 0.6}, {"k_anonymity": {"k": 2}}):
        assert complete(odd, customary) is odd
    assert asked == ["js_divergence"]
    (open_one,) = parse_policy({"js_divergence": {"j": 0.6}}).requirements
    threat = ThreatModel(as_table(by_age("a", "b")))
    with pytest.raises(ValueError, match="was not completed"):
        open_one.measure(threat, Groups.whole(2))


# --- m-invariance ---------------------------------------------------------------------------------


@MANY
@given(tables(max_records=10, max_values=5), st.integers(1, 4), st.data())
def test_groups_keep_their_signatures(records: Records, m: int, data: st.DataObject) -> None:
    numbers = range(len(records.rows))
    values = len(records.sensitive.values)
    lists = data.draw(partitions(len(numbers), suppress=True))
    # What a group shows now is mostly what it showed then.
    current = {record: set(records.secrets(group)) for group in lists for record in group}
    signatures = [
        data.draw(
            st.one_of(
                st.none(),
                st.just(current.get(record)),
                st.sets(st.integers(0, values), min_size=1),
            )
        )
        for record in numbers
    ]
    respondents = data.draw(st.permutations(numbers))
    past = np.zeros((len(numbers), values + 1), dtype=np.int64)
    for record, signature in enumerate(signatures):
        past[respondents[record], sorted(signature or ())] = 1
    threat = ThreatModel(as_parts(records, respondents), library=Known(past=past))
    groups, requirement = as_groups(lists), MInvariance(m)
    figures = figures_of(requirement, threat, groups)
    expected = [
        requirement_oracles.invariant_records(records, group, signatures) for group in lists
    ]
    assert figures == expected
    assert requirement.satisfied(threat, groups).tolist() == [size >= m for size in expected]
    for group in lists:
        shift = requirement.explain(threat, as_groups([group]))
        held = records.secrets(group)
        if shift is None:
            assert len(set(held)) == len(held)
        elif held.count(shift.value) <= 1:
            known = [signature for record in group if (signature := signatures[record]) is not None]
            assert any((shift.value in one) != (shift.value in held) for one in known)
        else:
            assert held.count(shift.value) == max(map(held.count, held))


def test_signatures_by_hand() -> None:
    records = by_age("a", "b", "c", "a", "b")
    past = np.zeros((5, 4), dtype=np.int64)
    past[0, [0, 1]] = 1  # a, b
    past[2, [1, 2, 3]] = 1  # b, c and one that the table lacks
    threat = ThreatModel(as_parts(records, range(5)), library=Known(past=past))
    groups = as_groups([[0, 1], [0, 2], [3, 4], [0, 3], [1, 2], [0, 4], [3]])
    requirement = MInvariance(2)
    assert figures_of(requirement, threat, groups) == [2, 0, 2, 0, 0, 2, 1]
    overall = threat.table.overall.tolist()
    explained = [requirement.explain(threat, groups.select(np.array([i]))) for i in range(7)]
    assert explained == [
        None,
        Shift(None, 0, overall[0], 0.5),
        None,
        Shift(None, 0, overall[0], 1.0),
        None,
        None,
        None,
    ]
    # Of records that are nobody's in particular nothing is known.
    nobody = ThreatModel(as_table(records), library=Known(past=past))
    assert figures_of(requirement, nobody, groups) == [2, 2, 2, 0, 2, 2, 1]


def test_who_is_told_apart() -> None:
    assert MInvariance(2).tells_apart
    assert JsDivergence(0.6, REMEMBERED).tells_apart
    assert not JsDivergence(0.6, 0.3).tells_apart
    assert BtPrivacy(((0.3, 0.2), (REMEMBERED, 0.2))).tells_apart
    assert not BtPrivacy(((0.3, 0.2), (Uniform(), 0.2))).tells_apart
    assert not KAnonymity(2).tells_apart
