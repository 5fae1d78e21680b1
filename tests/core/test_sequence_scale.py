"""Size: histories of many periods, many records and many values, in time and memory.

Times are of the processor, several times what they take, so that they fail by a fault alone.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Constant, Incremental, Memory, expected, forward
from bkpriv_core.sequence.measures import measure
from bkpriv_core.sequence.mining import mined
from tests.core.sequences import as_step, everybody_alike


@contextmanager
def within(seconds: float, megabytes: float) -> Iterator[None]:
    """Check what some work takes, of the processor and of memory of numpy's arrays."""
    tracemalloc.start()
    start = time.process_time()
    try:
        yield
    finally:
        spent, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert spent < seconds
    assert peak < megabytes * 2**20


def changing(
    *, people: int, records: int, periods: int, values: int, members: int = 5, seed: int = 1
) -> History:
    """Releases of some of the people each, whose values follow a chain; groups at random.

    Values are few that are frequent and many that are rare, as codes of diagnoses are.
    """
    rng = np.random.default_rng(seed)
    labels = np.array([f"v{value}" for value in range(values)])
    weights = 1 / np.arange(1, values + 1)
    # Every value is followed by three others, mostly.
    next_ones = rng.integers(0, values, (values, 3))
    state = rng.choice(values, people, p=weights / weights.sum())
    steps = []
    for when in range(periods):
        who = rng.permutation(people)[:records]
        follows = next_ones[state[who], rng.integers(0, 3, records)]
        fresh = rng.choice(values, records, p=weights / weights.sum())
        state[who] = np.where(rng.random(records) < 0.8, follows, fresh)
        present, codes = np.unique(state[who], return_inverse=True)
        groups = rng.permutation(records) // members
        steps.append(as_step(when, tuple(labels[present].tolist()), who, codes, groups))
    return History(tuple(steps))


def gains_of(history: History, memory: Memory) -> list[float]:
    walk = forward(history, memory, everybody_alike(history))
    return [
        measure(step, beliefs.after).gain for step, beliefs in zip(history.steps, walk, strict=True)
    ]


@pytest.fixture(scope="module")
def study() -> History:
    """Views as large as those of the paper: 24 of 5,000 records, 19 values, 16,160 people."""
    return changing(people=16_160, records=5_000, periods=24, values=19)


def test_the_views_of_the_paper_are_mined_and_judged_in_seconds(study: History) -> None:
    persons, codes = study.corpus(23)
    with within(seconds=2, megabytes=200):
        unlimited = mined("c", study.vocabulary, persons, codes)
    assert unlimited.memory > 5
    one = mined("c", study.vocabulary, persons, codes, 1)
    for memory, seconds in ((one, 5.0), (unlimited, 20.0)):
        with within(seconds, megabytes=300):
            gains = gains_of(study, memory)
        assert len(gains) == 24
        # Who knows how values follow one another gains with every view, at first.
        assert abs(gains[0]) < 0.01
        assert 0.05 < gains[4] < gains[12]


def test_the_last_view_costs_as_much_as_an_early_one(study: History) -> None:
    persons, codes = study.corpus(23)
    memory, alone = mined("c", study.vocabulary, persons, codes, 2), everybody_alike(study)
    after = [
        step.compact(beliefs.after)
        for step, beliefs in zip(study.steps, forward(study, memory, alone), strict=True)
    ]
    for place in (2, 23):
        with within(seconds=0.5, megabytes=100):
            expected(study, memory, place, after, alone(place))


def test_many_periods_and_many_values_stay_small() -> None:
    history = changing(people=1_000, records=300, periods=100, values=900)
    assert len(history.vocabulary) > 400
    for memory in (Constant(), Incremental()):
        with within(seconds=20, megabytes=60):
            gains = gains_of(history, memory)
        assert len(gains) == 100


def test_a_large_release_fits_in_memory() -> None:
    history = changing(people=250_000, records=200_000, periods=2, values=19)
    with within(seconds=20, megabytes=700):
        gains = gains_of(history, Incremental())
    assert gains[1] > 0.1
