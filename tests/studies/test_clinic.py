"""The synthetic clinic: reproducible, of the size it should be, and as likely as its model says."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.source import Source
from studies.clinic.course import (
    CLASSES,
    DISCHARGED,
    NONE,
    RESULTS,
    STAGES,
    first_chances,
    next_chances,
)
from studies.clinic.knowledge import first_beliefs, transitions
from studies.clinic.register import draw_register

FIGURES = {
    "stages of liver disease": 5,
    "of HIV": 4,
    "of Alzheimer": 3,
    "of sepsis": 5,
    "ends": 2,
}


@pytest.fixture(scope="module")
def source() -> Source:
    """Register of the size of the paper's."""
    return draw_register(5000, 24, seed=1)


def stays(source: Source) -> dict[int, list[tuple[int, str]]]:
    """Weeks and results of each patient."""
    by_patient: dict[int, list[tuple[int, str]]] = defaultdict(list)
    columns = (source.columns[name].values for name in ("patient", "week", "result"))
    for patient, week, result in zip(*columns, strict=True):
        by_patient[patient].append((week, result))
    return by_patient


@given(patients=st.integers(1, 50), weeks=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_any_size_and_seed_give_a_register(patients: int, weeks: int, seed: int) -> None:
    drawn = draw_register(patients, weeks, seed, "corpus")
    assert (drawn.name, drawn.records) == ("corpus", patients * weeks)
    assert {len(column.values) for column in drawn.columns.values()} == {drawn.records}
    assert set(drawn.columns) == {*drawn.quasi_identifiers, drawn.sensitive, *drawn.serial}
    assert Counter(drawn.columns["week"].values) == dict.fromkeys(range(1, weeks + 1), patients)
    assert set(drawn.columns["result"].values) <= set(RESULTS)
    numbers = set(drawn.columns["patient"].values)
    assert numbers == set(range(1, len(numbers) + 1))


def test_the_seed_decides(source: Source) -> None:
    assert list(draw_register(5000, 24, seed=1).rows()) == list(source.rows())
    assert list(draw_register(5000, 24, seed=2).rows()) != list(source.rows())
    beginning = list(draw_register(5000, 3, seed=1).rows())
    assert beginning == list(source.rows())[:15_000]


def test_it_is_of_the_size_of_the_papers(source: Source) -> None:
    assert source.records == 24 * 5000
    assert max(source.columns["patient"].values) == pytest.approx(16_160, rel=0.02)
    assert set(source.columns["age"].values) == set(range(45, 75))
    assert set(source.columns["gender"].values) == {1, 2}
    assert set(source.columns["weight"].values) == set(range(60, 90))
    assert len(RESULTS) == sum(FIGURES.values()) == 19
    for week in (1, 24):
        of_week = itertools.compress(
            source.columns["result"].values,
            (held == week for held in source.columns["week"].values),
        )
        assert set(of_week) == set(RESULTS)


def test_stays_have_no_gap_and_end_with_an_end(source: Source) -> None:
    for weeks_and_results in stays(source).values():
        weeks, results = zip(*weeks_and_results, strict=True)
        assert weeks == tuple(range(weeks[0], weeks[-1] + 1))
        assert not set(results[:-1]) & set(RESULTS[DISCHARGED:])
        assert results[-1] in RESULTS[DISCHARGED:] or weeks[-1] == 24


def pasts() -> Iterator[list[int]]:
    """Every past that may be asked about, and some that cannot be, newest first."""
    codes = range(len(STAGES))
    yield from ([newest, NONE, NONE] for newest in codes)
    yield from ([newest, before, NONE] for newest in codes for before in codes)
    yield from (list(past) for past in itertools.product(codes, repeat=3))


def test_chances_are_distributions() -> None:
    assert first_chances().shape == (CLASSES, 19)
    assert first_chances().min() > 0
    assert first_chances().sum(axis=1) == pytest.approx(1)
    past = np.array(list(pasts()))
    for number in range(CLASSES):
        chances = next_chances(np.full(len(past), number), past)
        assert chances.min() >= 0
        assert chances.sum(axis=1) == pytest.approx(1)


def test_first_beliefs_are_about_everyone() -> None:
    sums: dict[tuple[int, int, int], float] = defaultdict(float)
    for belief in first_beliefs():
        sums[belief.age, belief.gender, belief.weight] += belief.probability
        assert belief.probability > 0
    assert len(sums) == 30 * 2 * 30
    assert list(sums.values()) == pytest.approx([1] * len(sums))


@pytest.fixture(scope="module")
def drawn() -> list[list[str]]:
    """Results of many patients."""
    return [
        [result for _, result in history]
        for history in stays(draw_register(30_000, 8, seed=3)).values()
    ]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_transitions_are_what_happens(drawn: list[list[str]], order: int) -> None:
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for results in drawn:
        for place in range(1, len(results)):
            counts[tuple(results[max(0, place - order) : place])][results[place]] += 1
    exact: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for row in transitions(order, 8):
        exact[row.history][row.next] = row.probability
    assert max(map(len, exact)) == order
    for history, chances in exact.items():
        assert sum(chances.values()) == pytest.approx(1)
        seen = counts[history].total()
        for result, chance in chances.items():
            spread = sqrt(seen * chance * (1 - chance))
            assert abs(counts[history][result] - seen * chance) < 4.5 * max(spread, 1)
    assert all(set(counts[history]) <= set(exact[history]) for history in counts)


def test_first_results_are_as_likely_as_their_beliefs() -> None:
    register = draw_register(200_000, 1, seed=4)
    counts = Counter(
        (age >= 65, gender, weight >= 80, result)
        for _, _, age, gender, weight, result in register.rows()
    )
    expected: dict[tuple[bool, int, bool, str], float] = defaultdict(float)
    for belief in first_beliefs():
        key = (belief.age >= 65, belief.gender, belief.weight >= 80, belief.result)
        expected[key] += belief.probability * 200_000 / 1800
    for key, mean in expected.items():
        assert abs(counts[key] - mean) < 4.5 * sqrt(mean)
