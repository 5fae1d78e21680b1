"""Smoothing: against going through all worlds, and where it is forward inference."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_core.sequence import smoothing as smoothing_module
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Constant, Incremental, Memory, forward
from bkpriv_core.sequence.smoothing import smooth
from tests.core import sequence_oracles as oracles
from tests.core.sequence_oracles import Belief, Knowledge, Shown
from tests.core.sequences import (
    LABELS,
    as_history,
    as_knowledge,
    as_snapshots,
    as_step,
    everybody_alike,
    knowledge,
    memberships,
    releases,
)
from tests.core.watching import Watched

CONSTANT = oracles.same_value(LABELS)


def followed() -> list[Shown]:
    """Draw a person in four periods, two of them shown twice, with others who are there once."""
    rows: list[tuple[int, str, dict[int, str], list[list[int]]]] = [
        (1, "ab", {0: "a", 1: "b"}, [[0, 1]]),
        (2, "ab", {0: "b", 2: "a"}, [[0, 2]]),
        (2, "abc", {0: "b", 3: "b", 4: "c"}, [[0, 3, 4]]),
        (3, "ab", {0: "b"}, [[0]]),
        (4, "ab", {0: "a", 5: "b"}, [[0, 5]]),
        (4, "ab", {0: "a", 6: "b"}, [[0, 6]]),
    ]
    uneven = {"a": Fraction(5, 9), "b": Fraction(3, 9), "c": Fraction(1, 9)}
    history = []
    for when, labels, actual, groups in rows:
        total = sum(uneven[label] for label in labels)
        snapshot: Belief = {label: uneven[label] / total for label in labels}
        alike = dict.fromkeys(actual, snapshot)
        history.append(Shown(when, tuple(labels), actual, groups, alike))
    return history


REMEMBERED: Knowledge = {
    ("a",): {"a": Fraction(1, 3), "b": Fraction(2, 3)},
    ("b",): {"a": Fraction(3, 4), "b": Fraction(1, 4)},
    ("a", "b"): {"a": Fraction(9, 10), "b": Fraction(1, 10)},
    ("b", "b"): {"a": Fraction(1, 5), "b": Fraction(4, 5)},
    ("a", "b", "b"): {"b": 1},
}


@example(followed(), REMEMBERED)
@given(releases(ordered=False), st.one_of(st.none(), knowledge()))
def test_both_ways_is_what_all_worlds_say(history: list[Shown], known: Knowledge | None) -> None:
    memory: Memory = Constant() if known is None else as_knowledge(LABELS, known)
    steps, alone = as_history(history), as_snapshots(history)
    smoothed = smooth(steps, memory, alone, "exact")
    walk = forward(steps, memory, alone, "exact")
    shown = {
        (place, person): belief
        for place, (step, beliefs) in enumerate(zip(steps.steps, walk, strict=True))
        for person, belief in memberships(step, beliefs.after).items()
    }
    worlds = oracles.believed(history, CONSTANT if known is None else known, shown)
    assert smoothed.converged
    for place, after in enumerate(smoothed.after):
        for person, belief in memberships(steps.steps[place], after).items():
            worldly = worlds[place, person]
            assert belief == pytest.approx(
                {label: worldly.get(label, 0.0) for label in belief}, abs=1e-6
            )


@given(
    releases(),
    knowledge(),
    st.sampled_from(["exact", "omega", "bethe", "additive"]),
    st.booleans(),
)
def test_of_the_last_look_at_everybody_it_says_what_forward_does(
    history: list[Shown], known: Knowledge, estimator: str, counted: bool
) -> None:
    # Of one release there is nothing to look back from.
    steps, alone = as_history(history[:1]), as_snapshots(history)
    memory = Incremental() if counted else as_knowledge(LABELS, known)
    (only,) = forward(steps, memory, alone, estimator)  # type: ignore[arg-type]
    smoothed = smooth(steps, memory, alone, estimator)  # type: ignore[arg-type]
    assert smoothed.after[0] == pytest.approx(only.after, abs=1e-7)
    assert np.array_equal(smoothed.used[0], only.used)


def test_what_is_shown_again_as_it_was_is_counted_once() -> None:
    labels = ("a", "b")
    snapshot = np.array([[0.6, 0.4], [0.5, 0.5]])
    step = as_step(1, labels, [0, 1], [0, 1], [0, 0])
    smoothed = smooth(History((step,) * 3), Constant(), lambda _: snapshot, "exact")
    assert smoothed.converged
    for after in smoothed.after:
        assert after == pytest.approx(np.array([[0.6, 0.4], [0.4, 0.6]]), abs=1e-8)


def test_what_members_owe_to_each_other_may_be_missed() -> None:
    """Four share HIV three times and flu once; with a fifth it is HIV four times.

    The fifth has HIV for certain. Forward inference takes members as independent and misses that.
    Smoothing nearly finds it, and says that it has not come to rest.
    """
    labels = ("HIV", "flu")
    history = History(
        (
            as_step(1, labels, range(4), [0, 0, 0, 1], [0] * 4),
            as_step(2, labels, range(5), [0, 0, 0, 1, 0], [0] * 5),
        )
    )
    snapshots = [np.tile([0.3, 0.7], (4, 1)), np.tile([0.3, 0.7], (5, 1))]
    _, second = forward(history, Constant(), snapshots.__getitem__, "exact")
    assert second.after[4] == pytest.approx([4 / 11, 7 / 11])
    smoothed = smooth(history, Constant(), snapshots.__getitem__, "exact")
    assert not smoothed.converged
    assert smoothed.after[1][4, 0] > 0.99
    assert smoothed.after[1][:4, 0] == pytest.approx(np.full(4, 0.75), abs=0.01)


def test_additive_beliefs_keep_their_scale() -> None:
    """Sums depend on how much of a belief is at the group's values."""
    labels = ("a", "b", "c", "d")
    known: Knowledge = {
        ("a",): {"a": Fraction(3, 10), "b": Fraction(1, 10), "d": Fraction(6, 10)},
        ("b",): {"a": Fraction(1, 10), "b": Fraction(8, 10), "c": Fraction(1, 10)},
    }
    history = History(
        (
            as_step(1, labels[:2], [0, 1], [0, 1], [0, 1]),
            as_step(2, labels[:3], [0, 1, 2], [0, 1, 2], [0, 0, 1]),
            # What follows is as likely after all values, and says nothing of them.
            as_step(3, ("e",), [0, 1], [0, 0], [0, 1]),
        )
    )
    memory, alone = as_knowledge(labels, known), everybody_alike(history)
    _, second, _ = forward(history, memory, alone, "additive")
    smoothed = smooth(history, memory, alone, "additive")
    assert smoothed.after[1] == pytest.approx(second.after, abs=1e-8)


def test_one_sweep_goes_through_a_whole_chain() -> None:
    labels = ("a", "b")
    known = as_knowledge(labels, {("a",): {"a": 0.9, "b": 0.1}, ("b",): {"a": 0.2, "b": 0.8}})
    others = iter(range(1, 20))
    steps = [as_step(time, labels, [0, next(others)], [0, 1], [0, 0]) for time in range(12)]
    history = History((*steps, as_step(12, labels, [0], [1], [0])))
    smoothed = smooth(history, known, everybody_alike(history), "exact")
    assert (smoothed.converged, smoothed.sweeps) == (True, 2)


def test_no_history() -> None:
    nothing = smooth(History(()), Incremental(), [].__getitem__)
    assert (nothing.after, nothing.converged) == ((), True)


def test_later_releases_tell_of_earlier_ones() -> None:
    """People who recover were not healthy: known only from later releases."""
    labels = ("healthy", "ill", "well again")
    known = as_knowledge(
        labels,
        {
            ("healthy",): {"healthy": 0.5, "ill": 0.5},
            ("ill",): {"ill": 0.5, "well again": 0.5},
            ("well again",): {"healthy": 1},
        },
    )
    history = History(
        (
            as_step(1, labels[:2], [0, 1], [0, 1], [0, 0]),
            as_step(2, labels, [0, 1], [0, 2], [0, 1]),
        )
    )
    alone = everybody_alike(history)
    first, _ = forward(history, known, alone)
    assert first.after == pytest.approx(np.full((2, 2), 0.5))
    smoothed = smooth(history, known, alone)
    assert smoothed.converged
    assert smoothed.after[0] == pytest.approx(np.eye(2), abs=1e-6)


def test_whom_even_single_releases_contradict_begins_anew() -> None:
    labels = ("a", "b", "c")
    known = as_knowledge(labels, {("a",): {"c": 1}, ("b",): {"b": 0.5, "c": 0.5}})
    wrong = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 0.5]])
    history = History(
        (
            as_step(1, labels, [0, 1], [0, 1], [0, 0]),
            as_step(2, labels, [0, 1], [0, 1], [0, 0]),
            as_step(3, labels, [0, 1], [0, 1], [0, 1]),
        )
    )
    snapshots = [np.full((2, 3), 1 / 3), wrong, np.full((2, 3), 1 / 3)]
    smoothed = smooth(history, known, snapshots.__getitem__, "exact")
    assert smoothed.converged
    # Nobody may have a in the second, so that it says nothing of the first; the third tells of it.
    assert smoothed.after[0] == pytest.approx(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]]))
    assert smoothed.after[1] == pytest.approx(np.eye(2, 3), abs=1e-6)


def test_beliefs_that_do_not_rest_are_said_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoothing_module, "_SWEEPS", 1)
    history = History((as_step(1, ("a", "b"), [0, 1], [0, 1], [0, 0]),))
    smoothed = smooth(history, Constant(), everybody_alike(history))
    assert (smoothed.converged, smoothed.sweeps) == (False, 1)


def test_progress_goes_to_the_end() -> None:
    history = History((as_step(1, ("a", "b"), [0, 1], [0, 1], [0, 0]),))
    shares: list[float] = []
    smooth(history, Constant(), everybody_alike(history), progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[-1] > 0.3
