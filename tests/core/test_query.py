"""Counts and estimates against records spread over their boxes one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_core.query import combination
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.predicate import (
    EVERYTHING,
    And,
    Comparison,
    IsNull,
    Membership,
    Not,
    Operator,
    Or,
    Point,
)
from bkpriv_core.query.workload import Workload
from bkpriv_core.release.generalized import extent
from bkpriv_core.release.generalized import tally as tally_module
from bkpriv_core.release.release import Release
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import query_oracles
from tests.core.oracles import Attribute
from tests.core.query_strategies import (
    BUCKETIZED,
    GENERALIZED,
    Case,
    as_predicate,
    cases,
    conditions,
    one_group,
    split_cases,
    tabulate,
)
from tests.core.strategies import MANY, SOME, as_groups


def agrees(
    counts: FloatArray,
    expected: Mapping[tuple[Any, ...], Fraction],
    attributes: Sequence[Attribute],
    keys: Sequence[int] = (),
) -> bool:
    """Whether a table of counts holds what is expected, and nothing elsewhere."""
    table = np.zeros([len(attributes[key].values) for key in keys])
    for values, count in expected.items():
        codes = [attributes[key].values.index(v) for key, v in zip(keys, values, strict=True)]
        table[tuple(codes)] += float(count)
    assert counts.shape == table.shape
    return bool(np.allclose(counts, table, rtol=1e-11, atol=1e-11))


def some_keys(data: st.DataObject, attributes: Sequence[Attribute]) -> list[int]:
    keys = st.sampled_from(range(len(attributes)))
    return data.draw(st.lists(keys, unique=True, max_size=3))


def check_generalized(case: Case, condition: query_oracles.Condition, keys: Sequence[int]) -> None:
    """Hold an estimate of a generalized release against records spread one by one."""
    predicate = as_predicate(condition, case.attributes)
    counts = tabulate(case.release.estimated, predicate, keys)
    expected = query_oracles.estimates(case.records, case.groups, condition, case.steps, keys)
    assert agrees(counts, expected, case.attributes, keys)


@MANY
@given(cases(max_attributes=3), st.data())
def test_actual_counts(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes))
    keys = some_keys(data, case.attributes)
    counts = CellCounts.of(case.release.table).tabulate(
        as_predicate(condition, case.attributes), keys
    )
    expected = query_oracles.actual(case.records, condition, keys)
    assert agrees(counts, expected, case.attributes, keys)


@SOME
@given(cases(), st.data())
def test_generalized_estimates(case: Case, data: st.DataObject) -> None:
    check_generalized(case, data.draw(conditions(case.attributes)), ())


@SOME
@given(cases(max_attributes=3, kinds=("hierarchical", "flat")), st.data())
def test_generalized_estimates_of_more_labels(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes))
    check_generalized(case, condition, some_keys(data, case.attributes))


@SOME
@given(cases(), st.data())
def test_generalized_estimates_by_keys(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes))
    check_generalized(case, condition, some_keys(data, case.attributes))


@MANY
@given(cases(kinds=("binned",), max_attributes=2), st.data())
def test_generalized_estimates_of_bins(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes[:-1]))
    check_generalized(case, condition, ())
    check_generalized(case, condition, some_keys(data, case.attributes))


@MANY
@given(split_cases(), st.data())
def test_bucketized_estimates(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes))
    keys = some_keys(data, case.attributes)
    predicate = as_predicate(condition, case.attributes)
    counts = BUCKETIZED.tally(case.release).tabulate(predicate, keys)
    expected = query_oracles.bucketized_estimates(case.records, case.groups, condition, keys)
    assert agrees(counts, expected, case.attributes, keys)
    counts = CellCounts.of(case.release.table).tabulate(predicate, keys)
    assert agrees(
        counts, query_oracles.actual(case.records, condition, keys), case.attributes, keys
    )


@SOME
@given(cases(suppress=False), st.data())
def test_a_condition_and_its_negation(case: Case, data: st.DataObject) -> None:
    predicate = as_predicate(data.draw(conditions(case.attributes)), case.attributes)
    for estimator in (case.release.estimated, BUCKETIZED.tally(case.release)):
        held, negated, whole = (
            float(estimator.by_key(some)[1][0]) for some in (predicate, Not(predicate), EVERYTHING)
        )
        assert whole == pytest.approx(case.release.table.records)
        assert held + negated <= whole + 1e-9
        if not any(None in attribute.values for attribute in case.attributes):
            assert held + negated == pytest.approx(whole)


# --- By hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1.0, None])
def test_a_condition_takes_in_the_whole_of_a_bin_or_nothing(step: float | None) -> None:
    ages = Domain(
        "age",
        ("0", "10", "40"),
        positions=np.array([0.0, 10.0, 40.0]),
        ends=np.array([10.0, 20.0, 50.0]),
        step=step,
    )
    illness = Domain("illness", ("flu",))
    table = Table((ages,), illness, np.arange(3)[:, None], np.full((3, 1), 50))
    estimator = Release(Parts.of(table), Groups.whole(3), GENERALIZED).estimated
    cases: list[tuple[Operator, Point, float]] = [
        ("<", Point(1, 1, 5.0), 30),
        ("=", Point(1, 1, 5.0), 0),
        ("=", Point(0, 1, 0.0), 30),
        ("<=", Point(0, 1, 0.0), 30),
        ("<", Point(1, 2, 10.0), 30),
        ("<=", Point(1, 2, 10.0), 60),
        (">", Point(1, 2, 10.0), 90),
        ("<", Point(2, 2, 20.0), 60),
        # Between bins that occur, a record is where it is.
        ("<", Point(2, 2, 30.0), 90),
        ("<=", Point(2, 2, 30.0), 90 + (3 if step else 0)),
        (">=", Point(2, 3, 40.0), 30),
        (">", Point(2, 3, 40.0), 0),
        (">", Point(3, 3, 49.0), 0),
    ]
    for operator, point, expected in cases:
        _, counts = estimator.by_key(Comparison(0, operator, point))
        assert counts.tolist() == pytest.approx([expected]), (operator, point)
    codes, counts = estimator.by_key(EVERYTHING, (0,))
    assert codes.ravel().tolist() == [0, 1, 2]
    assert counts.tolist() == pytest.approx([30, 30, 30])


def test_bins_that_have_no_length_have_no_share() -> None:
    amounts = Domain(
        "amount",
        ("1e20", "2e20"),
        positions=np.array([1e20, 2e20]),
        ends=np.array([1e20, 2e20 + 1e6]),
    )
    table = Table((amounts,), Domain("s", ("x",)), np.arange(2)[:, None], np.ones((2, 1), int))
    whole = Release(Parts.of(table), Groups.whole(2), GENERALIZED).estimated
    assert whole.by_key(EVERYTHING)[1].tolist() == [2]
    with pytest.raises(InvalidData, match="too narrow"):
        whole.by_key(EVERYTHING, (0,))
    # Of whole numbers a bin has one at least.
    table = replace(table, quasi_identifiers=(replace(amounts, step=1.0),))
    stepped = Release(Parts.of(table), Groups.from_labels(np.arange(2)), GENERALIZED).estimated
    assert stepped.by_key(EVERYTHING, (0,))[1] == pytest.approx([1, 1])


AGE_30 = Point(1, 1, 30.0)


def test_integers_are_spread_over_points_and_others_over_length() -> None:
    below, through = (Comparison(0, sign, AGE_30) for sign in ("<", "<="))
    equal, flu = Comparison(0, "=", AGE_30), Comparison(1, "=", Point(1, 2))
    whole = one_group([20, 60], 1.0).estimated
    assert tabulate(whole, below) == pytest.approx(20 * 10 / 41)
    assert tabulate(whole, through) == pytest.approx(20 * 11 / 41)
    assert tabulate(whole, equal) == pytest.approx(20 / 41)
    assert tabulate(whole, And((through, flu))) == pytest.approx(10 * 11 / 41)
    real = one_group([20, 60], None).estimated
    assert tabulate(real, below) == tabulate(real, through) == pytest.approx(20 * 10 / 40)
    assert tabulate(real, equal) == 0


NULLABLE = Domain("age", ("20", "30", "60", None), positions=np.array([20, 30, 60, np.nan]))


@pytest.mark.parametrize(("step", "below"), [(1.0, 15 / 41), (None, 15 / 40)])
def test_numbers_mixed_with_null_may_be_anything(step: float | None, below: float) -> None:
    # Two cells, 30 and NULL, of one group; 20 and 60 are known to be in the domain.
    codes = np.array([[1], [3], [0], [2]])
    domain = replace(NULLABLE, step=step)
    table = Table((domain,), Domain("s", ("x",)), codes, np.full((4, 1), 4))
    release = Release(Parts.of(table), Groups.from_labels(np.array([0, 0, -1, -1])), GENERALIZED)
    estimator = release.estimated
    assert tabulate(estimator, Comparison(0, "<", Point(2, 2, 35.0))) == pytest.approx(
        8 * 0.75 * below
    )
    assert tabulate(estimator, IsNull(0)) == pytest.approx(8 / 4)
    assert tabulate(estimator, Not(Comparison(0, "=", Point(0, 0, 19.0)))) == pytest.approx(6)
    each = 8 * 0.75 / 41 if step else 0
    assert tabulate(estimator, EVERYTHING, (0,)) == pytest.approx(np.array([each, each, each, 2]))
    masks = np.array([[True, True, False, False], [True, True, True, True]])
    everything = np.ones((2, 1), dtype=bool)
    queried = np.array([[True, True], [False, True]])
    part = 11 / 41 if step else 10 / 40
    answers = estimator.answer(Workload(release.domains, (masks, everything), queried))
    assert answers == pytest.approx(np.array([8 * 0.75 * part, 8]))
    assert GENERALIZED.joint(release).at(codes)[:, 0] == pytest.approx(np.full(4, 2.0))


def test_numbers_that_no_double_tells_apart_are_a_point() -> None:
    labels = ("1700000000.1234560001", "1700000000.1234560002", "1700000001")
    domain = Domain("at", labels, positions=np.array([float(label) for label in labels]))
    table = Table((domain,), Domain("s", ("x",)), np.arange(3)[:, None], np.full((3, 1), 4))
    estimator = Release(Parts.of(table), as_groups([[0, 1], [2]]), GENERALIZED).estimated
    later = Comparison(0, "<", Point(3, 3, 1800000000.0))
    assert tabulate(estimator, later) == 12
    assert tabulate(estimator, Not(later)) == 0
    assert tabulate(estimator, Comparison(0, ">", Point(2, 2, 1700000000.5))) == 4
    same = float(labels[0])
    assert tabulate(estimator, Comparison(0, "<", Point(1, 2, same))) == 0
    assert tabulate(estimator, Comparison(0, "<=", Point(0, 1, same))) == 8
    # Neither of the two values has a share of a range that is not a value.
    assert tabulate(estimator, EVERYTHING, (0,)).tolist() == [0, 0, 4]


def test_nulls_alone_are_null() -> None:
    domain = replace(NULLABLE, step=1.0)
    table = Table((domain,), Domain("s", ("x",)), np.array([[3]]), np.full((1, 1), 4))
    release = Release(Parts.of(table), Groups.whole(1), GENERALIZED)
    estimator = release.estimated
    assert tabulate(estimator, IsNull(0)) == 4
    assert tabulate(estimator, Comparison(0, "<", Point(4, 4, 99.0))) == 0
    assert tabulate(estimator, EVERYTHING, (0,)).tolist() == [0, 0, 0, 4]
    assert GENERALIZED.joint(release).at(np.array([[3]])).tolist() == [[4]]


def test_a_literal_beyond_all_numbers() -> None:
    for step in (1.0, None):
        estimator = one_group([20, 60], step).estimated
        for literal, count in ((Point(0, 0, -np.inf), 0), (Point(2, 2, np.inf), 20)):
            assert tabulate(estimator, Comparison(0, "<=", literal)) == count
            assert tabulate(estimator, Comparison(0, ">=", literal)) == 20 - count


def test_many_comparisons_tell_many_values_apart() -> None:
    ages = list(range(20, 61))
    release = one_group(ages, 1.0)
    odd = Or(tuple(Comparison(0, "=", Point(at, at + 1, float(age)))
                   for at, age in enumerate(ages) if age % 2))  # fmt: skip
    assert CellCounts.of(release.table).tabulate(odd) == 20 * 10
    assert tabulate(release.estimated, odd) == pytest.approx(410 * 20 / 41)


def test_budgets_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = one_group([20, 60], 1.0).estimated
    points = tuple(Point(1, 1, position) for position in (25.0, 30.0, 35.0))
    some = And((Membership(0, points), Comparison(1, "=", Point(0, 1))))
    monkeypatch.setattr(combination, "_COMBINATIONS", 5)
    tabulate(estimator, some)
    monkeypatch.setattr(combination, "_MOST_OUTCOMES", 6)
    with pytest.raises(TooLarge, match="compares an attribute 1 times"):
        tabulate(estimator, some)
    monkeypatch.setattr(combination, "_MOST_OUTCOMES", 7)
    tabulate(estimator, some)
    monkeypatch.setattr(combination, "_COMBINATIONS", 3)
    with pytest.raises(TooLarge, match="combinations of values apart"):
        tabulate(estimator, some)
    monkeypatch.setattr(combination, "_COMBINATIONS", 5)
    monkeypatch.setattr(tally_module, "_WORK", 3)
    with pytest.raises(TooLarge, match="tells 4 combinations of values apart"):
        tabulate(estimator, some)
    monkeypatch.setattr(extent, "_SHARES", 1)
    with pytest.raises(TooLarge, match='"age" has 1 published values'):
        tabulate(estimator, some)
