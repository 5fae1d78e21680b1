"""Quantiles: bounds of intervals, against a slow search through all that there could be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.table.quantile import MOST_PARTS, Kind, check_parts, cut_quantiles
from bkpriv_core.table.rule import Quantiles, parse_rule
from tests.core.strategies import MANY

parts = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(
    lambda factors: [
        size for place in range(len(factors)) if (size := _product(factors[place:])) <= MOST_PARTS
    ]
)
"""Numbers of intervals that refine each other."""

numbers = st.lists(
    st.one_of(st.integers(0, 60), st.sampled_from([7, 7, 7, 40])), min_size=1, max_size=80
)
"""Whole numbers, of which some recur much."""


def _product(factors: Sequence[int]) -> int:
    product = 1
    for factor in factors:
        product *= factor
    return product


def cut(kind: Kind, values: Sequence[Any], sizes: Sequence[int]) -> Quantiles:
    """Cut values that are sorted, each as its text."""
    distinct = sorted(set(values))
    below = [sum(other < value for other in values) for value in distinct]
    bounds = cut_quantiles("x", kind, [*map(str, distinct)], below, len(values), tuple(sizes))
    return Quantiles(kind, tuple(sizes), bounds)


def under(values: Sequence[Any], bound: Any) -> int:
    return sum(value < bound for value in values)


@MANY
@given(numbers, parts)
def test_bounds_are_the_roundest_near_the_quantiles(values: list[int], sizes: list[int]) -> None:
    finest = sizes[0]
    wanted = {}
    for place in range(1, finest):
        target = Fraction(place * len(values), finest)
        # All values that could bound an interval, in their order, the nearest of them first.
        nearest = sorted(
            sorted(set(values))[1:], key=lambda value: abs(under(values, value) - target)
        )
        if not nearest:
            continue
        near = under(values, nearest[0])
        moved = Fraction(len(values), 10 * finest)
        allowed = [
            bound
            for bound in range(min(values) + 1, max(values) + 1)
            if abs(under(values, bound) - near) <= moved
        ]
        for step in (1000, 500, 100, 50, 10, 5, 1):
            if round_ones := [bound for bound in allowed if not bound % step]:
                wanted[place] = min(round_ones, key=lambda bound: abs(bound - nearest[0])), step
                break
    if not wanted:
        with pytest.raises(InvalidData):
            cut("numbers", values, sizes)
        return
    rule = cut("numbers", values, sizes)
    levels: list[list[int]] = []
    for size in sizes:
        level = sorted({bound for place, (bound, _) in wanted.items() if not place * size % finest})
        if level and level not in levels[-1:]:
            levels.append(level)
    assert [[int(bound) for bound in level] for level in rule.bounds] == levels


@MANY
@given(numbers, parts, st.integers(-10, 100))
def test_intervals_nest_and_have_values_that_come_later(
    values: list[int], sizes: list[int], later: int
) -> None:
    if len(set(values)) == 1:
        return
    rule = cut("numbers", values, sizes)
    for finer, coarser in pairwise(rule.bounds):
        assert set(coarser) < set(finer)
    for value in (*values, later):
        path = rule.path(str(value))
        assert (path[0], path[-1]) == (str(value), "*")
        for bounds, label in zip(rule.bounds, path[1:-1], strict=True):
            low, high = _ends(label)
            assert low <= value < high
            assert {end for end in (low, high) if abs(end) < 1e9} <= {*map(float, bounds)}
    again = parse_rule("x", rule.stated)
    assert again == rule
    assert rule.over("x", [*map(str, {*values, later})]).height == len(rule.bounds) + 1


def _ends(label: str) -> tuple[float, float]:
    """Ends of an interval that is closed below and open above."""
    if label.startswith("<"):
        return float("-inf"), float(label[1:])
    if label.startswith(">="):
        return float(label[2:]), float("inf")
    low, high = label.removeprefix("[").removesuffix(")").split(",")
    return float(low), float(high)


@MANY
@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False), min_size=2, max_size=30, unique=True
    )
)
def test_numbers_of_any_size_have_bounds_among_them(values: list[Decimal]) -> None:
    rule = cut("numbers", values, [2])
    ((bound,),) = rule.bounds
    assert min(values) < Decimal(bound) <= max(values)
    assert abs(under(values, Decimal(bound)) - len(values) / 2) <= 0.5 + len(values) / 20


def test_most_people_may_have_one_value() -> None:
    rule = cut("numbers", [0] * 80 + [*range(1, 21)], [4, 2])
    assert rule.bounds == (("1",),)
    assert rule.path("0") == ("0", "<1", "*")
    assert rule.path("999") == ("999", ">=1", "*")
    for values in ([5] * 9, []):
        with pytest.raises(InvalidData):
            cut("numbers", values, [2])


def test_infinities_lie_beyond_all_bounds_and_nan_nowhere() -> None:
    rule = cut("numbers", range(1000), [4, 2])
    assert rule.bounds == (("250", "500", "750"), ("500",))
    assert rule.path("-Infinity") == ("-Infinity", "<250", "<500", "*")
    assert rule.path("Infinity") == ("Infinity", ">=750", ">=500", "*")
    assert rule.path("NaN") == ("NaN", "NaN", "NaN", "*")
    assert rule.path("1e+300")[1] == ">=750"
    assert rule.path("250.0")[1] == "[250,500)"


def test_bounds_are_rounded_where_that_moves_few() -> None:
    assert cut("numbers", [7 * each for each in range(1, 400)], [4]).bounds == (
        ("700", "1400", "2100"),
    )
    halves = [Decimal(each) / 1000 for each in range(1, 400)]
    assert cut("numbers", halves, [2]).bounds == (("0.2",),)
    # No other bound moves at most a tenth of an interval.
    assert cut("numbers", [11, 13, 17, 19], [2]).bounds == (("15",),)


moments = st.lists(
    st.datetimes(datetime(1, 1, 1), datetime(9700, 1, 1)), min_size=2, max_size=30, unique=True
)


@MANY
@given(moments, st.sampled_from(["", "+00"]), parts)
def test_times_lie_in_the_intervals_that_they_read_like(
    values: list[datetime], zone: str, sizes: list[int]
) -> None:
    values = sorted(values)
    texts = [_written(value) + zone for value in values]
    below = [*range(len(values))]
    rule = Quantiles(
        "times",
        tuple(sizes),
        cut_quantiles("t", "times", texts, below, len(values), tuple(sizes)),
    )
    ends = [datetime.fromisoformat(bound.removesuffix("+00")) for bound in rule.bounds[0]]
    for text, value in zip(texts, values, strict=True):
        assert rule.path(text)[1] == rule.labels[sum(end <= value for end in ends)]
    for bound in (ends[0], ends[-1]):
        assert values[0] < bound <= values[-1]
    assert rule.path("infinity")[1] == rule.labels[-1]
    assert rule.path("-infinity")[1] == rule.path("0044-03-15 BC")[1] == rule.labels[0]
    assert rule.path("12024-01-01")[1] == rule.labels[-1]


def _written(value: datetime) -> str:
    """A timestamp, as PostgreSQL writes it."""
    text = f"{value.year:04}-{value:%m-%d %H:%M:%S}"
    return f"{text}.{value:%f}".rstrip("0") if value.microsecond else text


def test_bounds_of_times_are_units_of_the_calendar() -> None:
    days = [f"{datetime(1950, 3, 1) + timedelta(days=31 * each):%Y-%m-%d}" for each in range(400)]
    rule = cut("times", days, [4, 2])
    assert rule.bounds == (("1958-01-01", "1967-01-01", "1975-01-01"), ("1967-01-01",))
    ancient = ["0100-01-01 BC", "0050-01-01 BC", "0001-05-05", "0044-01-01"]
    bounds = cut_quantiles("t", "times", ancient, [0, 1, 2, 3], 4, (4,))
    assert Quantiles("times", (4,), bounds).path("0060-01-01 BC")[1] == "<0050-01-01 BC"


@pytest.mark.parametrize(
    "sizes",
    [None, [], [1], [0], [-4], [4, 4], [2, 4], [9, 2], [4, None], [[4], [2]], [101], [True], "42"],
    ids=str,
)
def test_parts_that_do_not_refine_each_other_are_refused(sizes: Any) -> None:
    with pytest.raises(InvalidParameter, match="x"):
        check_parts("x", sizes)


@pytest.mark.parametrize(
    "changed",
    [
        {"of": "words"},
        {"bounds": []},
        {"bounds": [[]]},
        {"bounds": [["2", "1"]]},
        {"bounds": [["1", "1"]]},
        {"bounds": [["1"], ["2"]]},
        {"bounds": [["1"], ["1"]]},
        {"bounds": [["NaN"]]},
        {"bounds": [["north"]]},
        {"bounds": [[1]]},
        {"bounds": "1"},
        {"parts": [1]},
    ],
    ids=str,
)
def test_bounds_that_were_tampered_with_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match="x"):
        parse_rule("x", {"of": "numbers", "parts": [4, 2], "bounds": [["1", "2"], ["1"]]} | changed)
