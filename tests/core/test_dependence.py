"""Dependence of columns, against guesses that are counted one by one."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.dependence import (
    Classified,
    Dependence,
    dependence,
    determined,
    repeated,
    thinned,
)


def of(values: list[object]) -> Classified:
    """A column by its values; numbers have positions, None is a value."""
    numbers = all(value is None or isinstance(value, int | float) for value in values)
    order = {value: place for place, value in enumerate(dict.fromkeys(values))}
    positions = [math.nan if value is None else value for value in values] if numbers else None
    return Classified(
        np.array([order[value] for value in values], np.int64),
        None if positions is None else np.array(positions, np.float64),
    )


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30))
def test_figures_are_those_of_guesses_one_by_one(records: list[tuple[int, int]]) -> None:
    one, other = np.array(records).T
    counted = Counter(records)
    several = (*np.array([*counted]).T, np.array([*counted.values()]))
    hits = usual = 0.0
    alike = 0
    for place, (a, b) in enumerate(records):
        others = [other for at, other in enumerate(records) if at != place]
        same = [other for other in others if other[0] == a]
        hits += sum(other[1] == b for other in same) / max(len(same), 1)
        usual += sum(other[1] == b for other in others) / max(len(others), 1)
        alike += bool(same)
    agreed = sum(
        max(Counter(b for x, b in records if x == a).values())
        for a, size in Counter(a for a, _ in records).items()
        if size > 1
    )
    for found in (dependence(one, other), dependence(*several)):
        assert (found.records, found.alike, found.agreed) == (len(records), alike, agreed)
        assert found.hits == pytest.approx(hits / len(records))
        assert found.usual == pytest.approx(usual / len(records))
        assert found.most == max(Counter(b for _, b in records).values()) / len(records)


@pytest.mark.parametrize(
    ("records", "hits", "usual", "expected"),
    [
        (19, 1.0, 0.5, False),
        (20, 1.0, 0.5, True),
        (20, 0.75, 0.5, True),
        (20, 0.74, 0.5, False),
        (20, 1.0, 1.0, False),
        (20, 0.0, 0.1, False),
        (1000, 0.15, 0.04, True),
        (1000, 0.11, 0.04, False),
        (1000, 0.1, 0.01, True),
        (1000, 0.09, 0.01, False),
    ],
)
def test_a_column_tells_another_that_halves_errors_or_trebles_hits(
    records: int, hits: float, usual: float, expected: bool
) -> None:
    assert Dependence(records, records, 0, 0.5, hits, usual).nearly is expected


@pytest.mark.parametrize(
    ("records", "alike", "agreed", "most", "expected"),
    [
        (19, 19, 19, 0.5, False),
        (20, 20, 20, 0.5, True),
        (20, 10, 10, 0.5, True),
        (20, 9, 9, 0.5, False),
        (1000, 1000, 990, 0.5, True),
        (1000, 1000, 989, 0.5, False),
        (1000, 1000, 990, 0.95, False),
        (1000, 1000, 994, 0.95, False),
        (1000, 1000, 996, 0.95, True),
        (1000, 1000, 1000, 1.0, False),
    ],
)
def test_a_column_determines_another_in_99_of_100_records_and_not_by_chance(
    records: int, alike: int, agreed: int, most: float, expected: bool
) -> None:
    assert Dependence(records, alike, agreed, most, 0.0, 0.0).determines is expected


CHANCE = random.Random(1)
AGES = [CHANCE.randint(18, 90) for _ in range(600)]
WARDS = [CHANCE.choice("ABCDE") for _ in range(600)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (AGES, [2020 - age for age in AGES]),
        (AGES, [2020 - age - CHANCE.randint(0, 1) for age in AGES]),
        (WARDS, [{"A": "north", "B": "south", "C": None, "D": "1", "E": "2"}[w] for w in WARDS]),
        (WARDS, ["?" if place % 150 == 0 else f"W{w}" for place, w in enumerate(WARDS)]),
        (AGES, [age * 365.25 + CHANCE.randint(0, 364) for age in AGES]),
    ],
    ids=["year of birth", "either of two years", "names of wards", "a typing error", "age in days"],
)
def test_columns_that_say_the_same_repeat_each_other(
    one: list[object], other: list[object]
) -> None:
    assert [*repeated([of(one), of(other)], [0, 1])] == [(0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (AGES, [age // 10 * (-1) ** age for age in AGES]),
        (WARDS, [w in "AB" for w in WARDS]),
        (WARDS, [w if CHANCE.random() < 0.9 else "A" for w in WARDS]),
        ([0] * 597 + [9999, 9999, 7], [3, *[0] * 596, 9999, 9999, 0]),
        ([0 if CHANCE.random() < 0.95 else age for age in AGES], [0] * 599 + [5]),
        (AGES, [age + CHANCE.randint(-12, 12) for age in AGES]),
        ([None, *AGES[1:]], [CHANCE.randint(18, 90) for _ in AGES]),
    ],
)
def test_columns_that_are_only_alike_do_not(one: list[object], other: list[object]) -> None:
    assert [*repeated([of(one), of(other)], [0, 1])] == []


def test_pairs_are_those_of_the_places_that_are_given() -> None:
    codes = [f"{w}{CHANCE.randint(0, 9)}" for w in WARDS]
    columns = [of([*each]) for each in (codes, WARDS, AGES)]
    found = [(place, other) for place, other, _ in determined(columns, [0, 2], [1])]
    assert found == [(0, 1)]
    assert [*determined(columns, [1, 2], [0, 1])] == []


def test_many_pairs_are_compared_by_some_of_the_records() -> None:
    columns = [of([*range(30_000)])] * 2
    assert len(thinned(columns, 10)[0].labels) == 30_000
    few = thinned(columns, 100_000)[1]
    assert few.positions is not None
    assert few.labels[:3].tolist() == few.positions[:3].tolist() == [0, 3, 6]
