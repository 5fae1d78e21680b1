"""Generalization levels, by hand and against plain arithmetic of fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.levels import Levels

MARITAL = Domain(
    "marital_status",
    ("divorced", "married", "never", "widowed", None),
    hierarchy=Hierarchy.from_rows(
        "marital_status",
        [
            ("divorced", "once", "*"),
            ("married", "now", "*"),
            ("never", "not", "*"),
            ("widowed", "once", "*"),
        ],
    ),
)


def numeric(*numbers: float, null: bool = False) -> Domain:
    labels = (*map(str, numbers), *([None] if null else []))
    positions = np.array([*numbers, *([np.nan] if null else [])], dtype=float)
    return Domain("age", labels, positions=positions)


def test_levels_of_a_hierarchy() -> None:
    levels = Levels.of_hierarchy(MARITAL)
    assert (levels.name, len(levels)) == ("marital_status", 3)
    assert len(set(levels.codes[0].tolist())) == 5
    assert levels.codes[1, 0] == levels.codes[1, 3]
    assert len(set(levels.codes[1].tolist())) == 4
    assert len(set(levels.codes[2].tolist())) == 1
    assert levels.penalties.tolist() == [[0] * 5, [2 / 5, 0, 0, 2 / 5, 0], [1] * 5]


@pytest.mark.parametrize("domain", [Domain("sex", ("f", "m")), numeric(1, 7, null=True)])
def test_without_more_there_are_exact_values_and_everything(domain: Domain) -> None:
    levels = Levels.of_hierarchy(domain)
    assert len(levels) == 2
    assert len(set(levels.codes[0].tolist())) == domain.size
    assert len(set(levels.codes[1].tolist())) == 1
    assert (levels.penalties == [[0] * domain.size, [1] * domain.size]).all()


def test_levels_of_intervals() -> None:
    levels = Levels.of_intervals(numeric(17, 19, 20, 38, 57, null=True), [5, 20], origin=0)
    assert levels.codes[1].tolist()[:5] == [0, 0, 1, 2, 3]
    assert levels.codes[2].tolist()[:5] == [0, 0, 1, 1, 2]
    assert levels.codes[3].tolist() == [0] * 6
    for level in range(3):
        assert levels.codes[level, 5] not in levels.codes[level, :5]
    # Of the range 17 to 57: [15, 20) is in use from 17 to 19, [20, 40) from 20 to 38.
    np.testing.assert_allclose(levels.penalties[1, :5] * 40, [2, 2, 0, 0, 0])
    np.testing.assert_allclose(levels.penalties[2, :5] * 40, [2, 2, 18, 18, 0])
    np.testing.assert_allclose(levels.penalties[:, 5], [0, 0, 0, 1])


def test_intervals_are_counted_from_the_origin() -> None:
    levels = Levels.of_intervals(numeric(-8, -7, -3, 2, 3), [5], origin=2)
    assert levels.codes[1].tolist() == [0, 0, 1, 2, 2]


def test_one_value_has_no_penalty_at_any_level() -> None:
    levels = Levels.of_intervals(numeric(7), [5])
    assert levels.penalties.tolist() == [[0]] * 3


def test_decimals_are_not_rounded_across_a_bound() -> None:
    # 0.3 / 0.1 is 2.9999999999999996 in floating point.
    domain = numeric(0.1, 0.2, 0.3, 0.6, 0.7)
    levels = Levels.of_intervals(domain, [Decimal("0.1"), Decimal("0.3")])
    assert levels.codes[1].tolist() == [0, 1, 2, 3, 4]
    assert levels.codes[2].tolist() == [0, 0, 1, 2, 2]


def test_whole_numbers_need_not_lie_in_whole_intervals() -> None:
    halves = Levels.of_intervals(numeric(0, 1, 2), [Decimal("0.5"), Decimal("1.5")])
    assert halves.codes[1:3].tolist() == [[0, 1, 2], [0, 0, 1]]
    shifted = Levels.of_intervals(numeric(0, 1, 2), [2], origin=Decimal("0.5"))
    assert shifted.codes[1].tolist() == [0, 1, 1]


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=8, unique=True).map(sorted),
    st.sampled_from([1, Fraction(1, 4), 10**17]),
    st.lists(st.integers(2, 3), max_size=3),
    st.integers(-9, 9),
)
def test_intervals_are_those_of_plain_division(
    numbers: list[int], unit: Fraction | int, factors: list[int], origin: int
) -> None:
    widths = [unit * 3]
    for factor in factors:
        widths.append(widths[-1] * factor)
    domain = numeric(*(float(number * unit) for number in numbers))
    given_widths = [Decimal(width.numerator) / width.denominator for width in map(Fraction, widths)]
    levels = Levels.of_intervals(domain, given_widths, Decimal(float(origin * unit)))
    assert len(levels) == len(widths) + 2
    for level, width in enumerate(widths, start=1):
        index = [floor(Fraction((number - origin) * unit) / width) for number in numbers]
        for one in range(len(numbers)):
            for other in range(len(numbers)):
                alike = levels.codes[level, one] == levels.codes[level, other]
                assert alike == (index[one] == index[other])
    assert (np.diff(levels.penalties, axis=0) >= -1e-12).all()
    assert ((levels.penalties >= 0) & (levels.penalties <= 1)).all()


@pytest.mark.parametrize("widths", [[], [0, 5], [5, 5], [5, 12], [10, 5], [-5]])
def test_widths_must_nest(widths: list[int]) -> None:
    with pytest.raises(InvalidParameter, match="do not nest"):
        Levels.of_intervals(numeric(1, 2), widths)
    with pytest.raises(InvalidParameter, match=r"\"age\" (do not nest|are missing)"):
        Intervals.checked("age", [Decimal(width) for width in widths], Decimal(0))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "1e-400"])
def test_widths_and_origin_are_finite(number: str) -> None:
    for widths, origin in (([number], "0"), (["5"], number)):
        with pytest.raises(InvalidParameter, match='"age" are no finite double precision'):
            Intervals.checked("age", [*map(Decimal, widths)], Decimal(origin))


def test_intervals_in_days_are_those_in_seconds() -> None:
    days = Intervals((Decimal("0.5"), Decimal(7)), Decimal(-3))
    assert days.scaled(Decimal(86400)) == Intervals(
        (Decimal(43200), Decimal(604800)), Decimal(-259200)
    )


def test_intervals_need_numbers() -> None:
    with pytest.raises(InvalidParameter, match='"marital_status" is not numeric'):
        Levels.of_intervals(MARITAL, [5])
