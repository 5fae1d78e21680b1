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
    class_of,
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
DISEASES = [sum(list(FIGURES.values())[:place]) for place in range(5)]
"""Code of the first stage of each disease, and of the first end."""


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


def test_who_is_examined_again_is_the_same_person(source: Source) -> None:
    persons = defaultdict(set)
    for patient, _, *person, _ in source.rows():
        persons[patient].add(tuple(person))
    assert {len(found) for found in persons.values()} == {1}


def test_illness_changes_slowly(source: Source) -> None:
    """Nine in ten are there the next week; most have the same result then."""
    pairs = [
        (before, after)
        for history in stays(source).values()
        for (_, before), (_, after) in itertools.pairwise(history)
    ]
    assert len(pairs) / (23 * 5000) == pytest.approx(0.9, abs=0.02)
    chronic = [(before, after) for before, after in pairs if RESULTS.index(before) < DISEASES[3]]
    assert sum(before == after for before, after in chronic) / len(chronic) == pytest.approx(
        0.9, abs=0.03
    )


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


def test_a_week_moves_by_one_stage_of_a_disease() -> None:
    past = np.array(list(pasts()))
    for row, (newest, *_) in zip(next_chances(np.full(len(past), 7), past), past, strict=True):
        assert row[newest] > 0
        first, end = next(
            pair for pair in itertools.pairwise(DISEASES) if pair[0] <= newest < pair[1]
        )
        near = {code for code in (newest - 1, newest, newest + 1) if first <= code < end}
        assert {*np.flatnonzero(row)} <= near | {17, 18}


def test_every_stage_can_be_reached_from_the_mildest() -> None:
    for first, end in itertools.pairwise(DISEASES):
        following = {
            (row.history[-1], row.next) for row in transitions(1, 24) if len(row.history) == 1
        }
        for milder, graver in itertools.pairwise(RESULTS[first:end]):
            assert (milder, graver) in following
        assert all((stage, "deceased") in following for stage in RESULTS[first:end])
        assert all(
            (stage, "discharged") in following
            for stage in RESULTS[first:end]
            if stage not in ("septic shock", "organ failure")
        )


# Worse, better, discharged and deceased by the tables, for who has a frailty of 1: symptomatic HIV.
@pytest.mark.parametrize(
    ("past", "moves"),
    [
        (["symptomatic"], (5, 6, 5, 0.5)),
        (["symptomatic", "symptomatic"], (5, 6, 5, 0.5)),
        (["AIDS", "symptomatic", "symptomatic"], (5, 6, 5, 0.5)),
        (["symptomatic", "symptomatic", "symptomatic"], (2.5, 3, 7.5, 0.35)),
        (["latent", "symptomatic"], (10, 3, 2.5, 0.75)),
        (["latent", "latent", "symptomatic"], (10, 3, 2.5, 0.75)),
        (["symptomatic", "latent", "symptomatic"], (15, 3, 1.25, 1)),
        (["AIDS", "symptomatic"], (2.5, 12, 7.5, 0.25)),
        (["symptomatic", "AIDS", "symptomatic"], (2.5, 12, 7.5, 0.25)),
    ],
)
def test_the_past_matters(past: list[str], moves: tuple[float, ...]) -> None:
    names = {"latent": 6, "symptomatic": 7, "AIDS": 8}
    codes = [names[stage] for stage in reversed(past)] + [NONE] * (3 - len(past))
    expected = np.zeros(19)
    expected[[8, 6, 17, 18]] = moves
    expected[7] = 100 - 5 - 6 - 5 - 0.5
    number = class_of(np.array([60]), np.array([2]), np.array([75]))
    assert next_chances(number, np.array([codes]))[0] == pytest.approx(expected / expected.sum())


def test_the_class_matters() -> None:
    """Old men in sepsis fare worse: 1.35 · 1.1 · 1.15 over the tables' weights."""
    number = class_of(np.array([70]), np.array([1]), np.array([62]))
    row = next_chances(number, np.array([[13, NONE, NONE]]))[0]
    frailty = 1.35 * 1.1 * 1.15
    expected = np.array([15 * frailty, 30 / frailty, 8 / frailty, 4 * frailty, 100 - 57])
    assert row[[14, 12, 17, 18, 13]] == pytest.approx(expected / expected.sum())


def test_classes_are_bands_of_ten() -> None:
    age, gender, weight = np.meshgrid(range(45, 75), (1, 2), range(60, 90), indexing="ij")
    codes = class_of(age, gender, weight)
    expected = [
        6 * (a >= 55) + 6 * (a >= 65) + 3 * (g == 2) + (w >= 70) + (w >= 80)
        for a, g, w in zip(age.ravel(), gender.ravel(), weight.ravel(), strict=True)
    ]
    assert codes.ravel().tolist() == expected


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
