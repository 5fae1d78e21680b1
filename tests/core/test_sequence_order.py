"""Inference where publication leaves the order of time, or comes back to a period."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.progress import SILENT
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.sequence.inference import Constant, Incremental, Memory, Walk, forward
from tests.core.sequence_oracles import Knowledge, Shown
from tests.core.sequences import (
    LABELS,
    as_history,
    as_knowledge,
    as_snapshots,
    as_step,
    everybody_alike,
    knowledge,
    releases,
)


@given(releases(ordered=False), knowledge(), st.data())
def test_what_was_published_late_counts_as_if_it_had_been_in_time(
    history: list[Shown], known: Knowledge, data: st.DataObject
) -> None:
    memories: list[Memory] = [as_knowledge(LABELS, known), Constant(), Incremental()]
    memory = data.draw(st.sampled_from(memories))
    *_, last = forward(as_history(history), memory, as_snapshots(history), "exact")
    in_time = sorted(
        (shown for shown in history if shown.when <= history[-1].when), key=lambda it: it.when
    )
    *_, again = forward(as_history(in_time), memory, as_snapshots(in_time), "exact")
    assert last.before == pytest.approx(again.before, abs=1e-9)
    assert last.after == pytest.approx(again.after, abs=1e-9)


def test_a_late_release_is_not_forgotten_nor_what_it_shows_again() -> None:
    labels = ("X", "Y")
    snapshot = np.full((2, 2), 0.5)

    def last(*steps: SequenceRelease) -> list[list[float]]:
        *_, beliefs = forward(History(steps), Constant(), lambda _: snapshot, "exact")
        rounded: list[list[float]] = beliefs.after.round(6).tolist()
        return rounded

    one, three, four = (
        as_step(at, labels, [0, who], [0, 1], [0, 0]) for at, who in ((1, 1), (3, 3), (4, 4))
    )
    late = as_step(2, labels, [0, 2], [0, 0], [0, 0])
    assert last(one, late, three, four) == last(one, three, late, four) == [[1, 0], [0, 1]]
    assert last(one, three, late) == [[1, 0], [1, 0]]
    # A second look at a period that others have followed.
    again = as_step(1, labels, [0, 5], [0, 0], [0, 0])
    assert last(one, three, again, four) == [[1, 0], [0, 1]]
    # What a later period showed already counts where it is shown for the first time in time.
    uneven = np.array([[0.9, 0.1], [0.5, 0.5]])
    two = as_step(2, labels, [0, 1], [0, 1], [0, 0])
    *_, first = forward(History((two, one)), Constant(), lambda _: uneven, "exact")
    assert first.after == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9]]), abs=1e-6)


def test_however_many_are_late_what_is_kept_grows_with_the_history_alone() -> None:
    count = 12
    history = History(
        tuple(as_step(count - at, ("a", "b"), [at, at + 1], [0, 1], [0, 0]) for at in range(count))
    )
    walk = Walk(history, Constant(), everybody_alike(history), "exact", SILENT)
    for place in range(count):
        walk.beliefs(place)
    # Each course is that step alone: none begins another.
    assert len(walk._after) == 1
    in_time = History(tuple(as_step(at, ("a", "b"), [0, 1], [0, 1], [0, 0]) for at in range(5)))
    walk = Walk(in_time, Constant(), everybody_alike(in_time), "exact", SILENT)
    for place in range(5):
        walk.beliefs(place)
    assert len(walk._after) == 5


def test_periods_out_of_order_are_past_only_if_they_are_earlier() -> None:
    labels = ("a", "b")
    known = as_knowledge(labels, {("a",): {"b": 1}, ("b",): {"b": 1}})
    history = History(
        (
            as_step(2, labels, [0, 1], [0, 1], [0, 1]),
            as_step(1, labels, [0, 1], [0, 1], [0, 0]),
            as_step(2, labels, [0, 1], [0, 1], [0, 0]),
            as_step(3, labels, [0, 1], [0, 1], [0, 0]),
        )
    )
    beliefs = list(forward(history, known, everybody_alike(history)))
    # The later period says nothing of the earlier, though it was published before.
    assert beliefs[1].before == pytest.approx(np.full((2, 2), 0.5))
    # The second look at a period begins where the first ended.
    assert beliefs[2].before == pytest.approx(np.eye(2), abs=1e-8)
    assert beliefs[3].before == pytest.approx(np.array([[0, 1], [0, 1]]), abs=1e-8)


def test_of_a_period_published_twice_the_later_look_counts() -> None:
    labels = ("a", "b")
    history = History(
        (
            as_step(1, labels, [0, 1], [0, 1], [0, 0]),
            as_step(1, labels, [0, 1], [0, 1], [0, 1]),
            as_step(2, labels, [0, 1], [0, 1], [0, 0]),
        )
    )
    *_, last = forward(history, Constant(), everybody_alike(history))
    assert last.before == pytest.approx(np.eye(2), abs=1e-8)
    persons, codes = history.corpus(1)
    assert persons.tolist() == codes.tolist() == [0, 1]


def test_a_period_that_is_corrected_contradicts_nobody() -> None:
    wrong = as_step(1, ("a", "b"), [0, 1], [0, 1], [0, 1])
    right = as_step(1, ("b", "c"), [0, 1], [0, 1], [0, 1])
    history = History((wrong, right))
    _, second = forward(history, Constant(), everybody_alike(history), "exact")
    assert second.before == pytest.approx(np.array([[0.5, 0.5], [1.0, 0.0]]), abs=1e-8)
    assert second.after.tolist() == [[1, 0], [0, 1]]
    assert not second.contradicted.any()


def test_two_looks_at_one_period_are_one_value() -> None:
    labels = ("a", "b")
    known = as_knowledge(labels, {("a",): {"b": 1}, ("a", "a"): {"a": 1}})
    look = as_step(1, labels, [0, 1], [0, 1], [0, 1])
    for count in (1, 2, 3):
        history = History((*[look] * count, as_step(2, labels, [0, 1], [1, 0], [0, 0])))
        *_, last = forward(history, known, everybody_alike(history))
        assert last.before == pytest.approx(np.array([[0, 1], [0.5, 0.5]]), abs=1e-8)
