"""Scales of numbers, against the rule by definition."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.outlying import stand_ins_within_scale
from bkpriv_core.table.reading import moment
from bkpriv_core.table.scale import (
    Bounds,
    common_bounds,
    far_beyond_scale,
    parse_scales,
    reach,
    reaches,
    robust_bounds,
    scaled,
)
from bkpriv_core.table.table import Table
from tests.core.strategies import MANY

DAY = 86400.0


def bounds_of(values: list[float]) -> Bounds | None:
    """Bounds of the scale of a column."""
    positions, records = np.unique(np.array(values, dtype=np.float64), return_counts=True)
    return robust_bounds(positions, records)


def by_definition(values: list[int]) -> Bounds | None:
    """The rule of the module, record by record."""
    most = len(values) // 100
    outer_low = {v for v in values if sum(other <= v for other in values) <= most}
    outer_high = {v for v in values if sum(other >= v for other in values) <= most}
    inner = sorted(set(values) - outer_low - outer_high)
    if not inner or inner[0] == inner[-1]:
        return None
    length = inner[-1] - inner[0]
    widest = max(other - one for one, other in pairwise(inner))

    def apart(gap: int) -> bool:
        return Fraction(gap) > Fraction(length, 3) and gap > 2 * widest

    kept_low, kept_high = [*inner], [*inner]
    for value in sorted(outer_low, reverse=True):
        if apart(kept_low[0] - value):
            break
        kept_low.insert(0, value)
    for value in sorted(outer_high):
        if apart(value - kept_high[-1]):
            break
        kept_high.append(value)
    low, high = kept_low[0], kept_high[-1]
    if high - low > 2 * length:
        low, high = inner[0], inner[-1]
    return None if (low, high) == (min(values), max(values)) else (low, high)


@MANY
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=12),
    st.integers(1, 30),
    st.lists(st.integers(-60, 60), max_size=5),
)
@example([0, 12, 6], 60, [33, -40, 900])
def test_scales_by_definition(common: list[int], times: int, rare: list[int]) -> None:
    values = common * times + rare
    assert bounds_of([float(value) for value in values]) == by_definition(values)


AGES = [float(18 + i % 70) for i in range(1500)]


@pytest.mark.parametrize(
    "outliers",
    [[120.0], [999999.0], [-999.0, 998.0, 999.0], [1e18] * 15, [130.0, 1e9], [-1e300]],
)
def test_values_far_out_leave_the_scale_as_it_is(outliers: list[float]) -> None:
    assert bounds_of(AGES) is None
    assert bounds_of(AGES + outliers) == (18.0, 87.0)


@pytest.mark.parametrize(
    "values",
    [
        [*AGES[:98], 999.0],  # fewer than 100 records
        [*AGES, 90.0],
        AGES + [999.0] * 16,  # more than 1 %
        [0.0] * 1500 + [10.0] * 5,  # no range within
        [0.0, 1.0, 2.0] * 500 + [3.0],  # a step like any
        [7.0] * 200,
        [],
    ],
)
def test_ordinary_columns_have_their_range_as_scale(values: list[float]) -> None:
    assert bounds_of(values) is None


def test_a_long_tail_is_left_out() -> None:
    values = [*range(990), *(round(990 * 1.09**i) for i in range(1, 11))]
    assert bounds_of([float(value) for value in values]) == (10.0, 989.0) == by_definition(values)


def test_days_far_out() -> None:
    days = [DAY * (i % 20_000) for i in range(0, 60_000, 7)]
    never = 253402214400.0  # 9999-12-31
    assert bounds_of([*days, never]) == (0.0, 19_999 * DAY)


def test_what_is_declared_goes_first() -> None:
    positions = np.array([20.0, 30.0, 999.0, np.nan])
    age = Domain("age", ("20", "30", "999", None), positions)
    records = np.array([200, 200, 1, 5])
    robust, declared = (scaled(age, records, bounds) for bounds in (None, (0.0, 100.0)))
    assert (robust.scale, declared.scale) == (10.0, 100.0)
    np.testing.assert_array_equal(declared.distances[0], [0.0, 0.1, 1.0, 1.0])
    low, high = np.array([0, 0, 1]), np.array([1, 2, 2])
    np.testing.assert_array_equal(robust.ncp(low, high), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(declared.ncp(low, high), [0.1, 1.0, 1.0])
    assert declared.select(np.array([0, 1])).scale == 100.0
    with pytest.raises(InvalidData, match='scale of column "age" is too short'):
        scaled(age, records, (0.0, 1e-99))
    city = Domain("city", ("a", "b"))
    assert scaled(city, np.array([1, 1]), None) is city


@pytest.mark.parametrize(
    ("labels", "positions", "bandwidth", "text"),
    [
        (["18", "87"], [18, 87], 0.3, "20.7"),
        (["0", "1000000"], [0, 1e6], 0.3, "300000"),
        (["0.5", "1.5"], [0.5, 1.5], 0.0123456, "0.0123"),
        (["1970-01-01", "2013-05-01"], [0, 15826 * DAY], 0.3, "13 years"),
        (["1970-01-01", "1970-07-01"], [0, 181 * DAY], 0.3, "54.3 days"),
        (["1970-01-01 00:00:00", "1970-01-02 00:00:00"], [0, DAY], 0.3, "7.2 hours"),
        (["1970-01-01 00:00:00", "1970-01-01 00:00:09"], [0, 9], 0.5, "4.5 seconds"),
        (["1970", "2000"], [1970, 2000], 0.5, "15"),
    ],
)
def test_bandwidths_in_units(
    labels: list[str], positions: list[float], bandwidth: float, text: str
) -> None:
    domain = Domain("x", tuple(labels), np.array(positions, dtype=np.float64))
    assert reach(domain, bandwidth) == text
    several = [domain, Domain("city", ("a", "b"))]
    assert reaches(several, {"x": bandwidth, "city": 1.0}) == f"x: {text}"


def common_by_definition(values: list[float]) -> Bounds | None:
    """The rule of values far out, record by record."""

    def beyond(value: float, sign: int) -> int:
        return sum(sign * other >= sign * value for other in values)

    def innermost(part: int, sign: int) -> float:
        """Innermost of the values that are not among the outermost so many."""
        return sign * max(sign * v for v in values if beyond(v, sign) > len(values) // part)

    def outermost(sign: int) -> float:
        end, tenth, half = (sign * innermost(part, sign) for part in (100, 10, 2))
        other_end = sign * innermost(100, -sign)
        distinct = sorted({sign * v for v in values})
        inner = [v for v in distinct if other_end <= v <= end]
        widest = max(after - before for before, after in pairwise(inner))
        long_tail = end - tenth > tenth - half
        for before, after in pairwise([v for v in distinct if v >= end]):
            gap = after - before
            apart = gap > max((end - other_end) / 3, 2 * widest)
            if after - half >= 5 * (before - half) if long_tail else apart:
                return sign * before
        return sign * distinct[-1]

    if bounds_of(values) is None:
        return None
    found = outermost(-1), outermost(1)
    return None if found == (min(values), max(values)) else found


def common_of(values: list[float]) -> Bounds | None:
    """Bounds of the values that do not lie far out."""
    positions, records = np.unique(np.array(values, dtype=np.float64), return_counts=True)
    return common_bounds(positions, records)


@MANY
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=12),
    st.lists(st.integers(12, 60), max_size=12),
    st.integers(1, 30),
    st.lists(st.integers(-60, 60) | st.sampled_from([-900, 300, 900]), max_size=5),
)
@example([0, 12, 6], [], 60, [33, -40, 900])
@example([0, 1, 2, 3], [13, 40], 40, [60, 900])
def test_values_far_out_by_definition(
    common: list[int], tail: list[int], times: int, rare: list[int]
) -> None:
    values = [float(value) for value in common * times + tail * (times // 4) + rare]
    assert common_of(values) == common_by_definition(values)


INCOMES = np.random.default_rng(1).lognormal(7.5, 1.0, 1500).round(2).tolist()
STAYS = np.ceil(np.random.default_rng(1).exponential(5.0, 1500)).tolist()
CHARGES = np.random.default_rng(2).pareto(3.0, 1500).round(4).tolist()


@pytest.mark.parametrize("values", [INCOMES, STAYS, CHARGES, [-each for each in INCOMES]])
def test_long_tails_have_nothing_far_out(values: list[float]) -> None:
    assert bounds_of(values) is not None
    assert common_of(values) is None


def test_long_tails_are_hardly_ever_taken_for_errors() -> None:
    draw = np.random.default_rng(3)
    samples = [draw.lognormal(0.0, 1.0, 1500) for _ in range(200)]
    samples += [draw.exponential(1.0, 1500) for _ in range(200)]
    assert sum(bounds_of(values.tolist()) is not None for values in samples) > 200
    assert sum(common_of(values.tolist()) is not None for values in samples) <= 4


@pytest.mark.parametrize(
    ("values", "outliers"),
    [
        (AGES, [120.0]),
        (AGES, [999999.0]),
        (AGES, [-999.0, 998.0]),
        ([DAY * (i % 20_000) for i in range(0, 60_000, 7)], [253402214400.0] * 3),
        (INCOMES, [30 * max(INCOMES)] * 3),
        ([1000.0 + i % 700 for i in range(1500)], [30_000.0, 40_000.0]),
        (STAYS, [999.0]),
    ],
)
def test_errors_are_far_out(values: list[float], outliers: list[float]) -> None:
    assert common_of(values + outliers) == (min(values), max(values))


@pytest.mark.parametrize(
    ("values", "bounds", "far"),
    [
        ([*AGES, 120.0], None, 0),
        ([*AGES, 120.0], (18.0, 87.0), 1),
        ([*AGES, 120.0], (0.0, 150.0), 0),
        (AGES, (0.0, 86.0), 21),  # more than 1 %: of a scale that is declared
        ([*AGES, 89.0], (0.0, 88.0), 0),
        ([*AGES, -50.0, 120.0], (18.0, 100.0), 2),
        (INCOMES, bounds_of(INCOMES), 0),
        ([*INCOMES, 1e7, 1e7], bounds_of(INCOMES), 2),
    ],
)
def test_records_far_beyond_the_scale(values: list[float], bounds: Bounds | None, far: int) -> None:
    assert far_beyond_scale(table_of(values, bounds)) == ({"age": far} if far else {})


@pytest.mark.parametrize(
    ("values", "bounds", "stand_ins"),
    [
        (AGES, None, None),
        ([*AGES, *[998.0] * 60, *[999.0] * 70], None, (130, ["998", "999"])),
        ([*AGES, *[998.0] * 60, *[999.0] * 70], (18.0, 87.0), None),
        ([*(float(i % 4) for i in range(900)), *[99.0] * 80], None, (80, ["99"])),
        ([*AGES, *[-9.0] * 100], None, (100, ["-9"])),
    ],
)
def test_numbers_that_may_stand_for_a_missing_value_and_stretch_the_scale(
    values: list[float], bounds: Bounds | None, stand_ins: tuple[int, list[str]] | None
) -> None:
    found = stand_ins_within_scale(table_of(values, bounds))
    assert found == ({} if stand_ins is None else {"age": stand_ins})


def test_days_that_may_stand_for_a_missing_value_stretch_the_scale() -> None:
    days = [f"19{50 + i % 40}-03-0{1 + i % 9}" for i in range(900)] + ["9999-12-31"] * 50
    labels, counts = np.unique(days, return_counts=True)
    born = Domain(
        "born", tuple(labels.tolist()), np.array([moment(day) for day in labels.tolist()])
    )
    codes = np.column_stack((np.arange(born.size), np.zeros(born.size, dtype=np.int64)))
    counts = np.column_stack((counts, np.zeros_like(counts)))
    table = Table((born, Domain("city", ("a",))), Domain("s", ("a", "b")), codes, counts)
    assert stand_ins_within_scale(table) == {"born": (50, ["9999-12-31"])}


def table_of(values: list[float], bounds: Bounds | None) -> Table:
    """A table of people of these ages, and of 700 without one."""
    positions, records = np.unique(np.array(values), return_counts=True)
    labels = (*(f"{each:.15g}" for each in positions), None)
    age = Domain("age", labels, np.append(positions, np.nan), bounds=bounds)
    codes = np.arange(age.size)[:, None]
    counts = np.column_stack((np.append(records, 700), np.zeros(age.size, dtype=np.int64)))
    cells = np.hstack((codes, np.zeros_like(codes)))
    return Table((age, Domain("city", ("a",))), Domain("s", ("a", "b")), cells, counts)


TYPES = {"age": "int4", "born": "date", "seen": "timestamptz", "fee": "numeric"}


def test_declared_scales() -> None:
    stated = {
        "age": [0, 100],
        "born": ["1970-01-02", "1970-01-05"],
        "seen": ["1970-01-01", "1970-01-01 12:00"],
        "fee": [-0.5, 1e3],
    }
    expected = {
        "age": (0, 100),
        "born": (DAY, 4 * DAY),
        "seen": (0.0, DAY / 2),
        "fee": (-0.5, 1000.0),
    }
    assert parse_scales(stated, TYPES) == expected
    assert parse_scales({}, {}) == {}


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ([], "the scales are not a JSON object"),
        ({"city": [0, 1]}, 'column "city" has a scale, but is no number, day or time'),
        *(
            ({name: pair}, f'column "{name}" cannot have the scale ')
            for name, pair in [
                ("age", 100),
                ("age", [100, 0]),
                ("age", [5, 5]),
                ("age", [0, 50, 100]),
                ("age", ["0", "100"]),
                ("age", [None, 100]),
                ("age", [False, True]),
                ("age", [0, 10**400]),
                ("fee", [-1.7e308, 1.7e308]),
                ("born", [1900, 2000]),
                ("born", ["1900-01-01", "2000"]),
                ("born", ["2000-01-01", "1900-01-01"]),
                ("seen", ["2000-01-01", "infinity"]),
            ]
        ),
    ],
)
def test_refused_scales(stated: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        parse_scales(stated, TYPES)
