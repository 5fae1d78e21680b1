"""Explanation: whom a memory gave away, and by what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.sequence.explanation import Cause, explain
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Constant, Incremental, Memory, forward
from tests.core import sequence_oracles as oracles
from tests.core.sequence_oracles import Knowledge, Shown
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


@given(releases(ordered=False), knowledge(), st.integers(1, 4), st.booleans())
def test_who_is_named_and_with_what_figures(
    history: list[Shown], known: Knowledge, limit: int, constant: bool
) -> None:
    memory: Memory = Constant() if constant else as_knowledge(LABELS, known)
    steps, snapshots = as_history(history), as_snapshots(history)
    most: dict[int, float] = {}
    rows = {}
    # Whoever knows of no value of these releases has no memory.
    ignorant = as_knowledge((*LABELS, "x"), {("x",): {"x": 1}})
    for place, beliefs in enumerate(forward(steps, memory, snapshots)):
        step, only = steps.steps[place], [snapshots(place)]
        alone = next(forward(History((step,)), ignorant, only.__getitem__))
        views = [memberships(step, row) for row in (alone.after, beliefs.before, beliefs.after)]
        for person in views[0]:
            value = history[place].actual[person]
            rows[place, person] = [view[person][value] for view in views]
            more = rows[place, person][2] - rows[place, person][0]
            most[person] = max(most.get(person, 0.0), more)
    named = explain(steps, memory, snapshots, limit=limit)
    told = [item.after - item.alone for item in named]
    assert told == sorted(told, reverse=True)
    expected = sorted((figure for figure in most.values() if figure > 1e-6), reverse=True)[:limit]
    assert [figure for figure in told if figure > 1e-6] == pytest.approx(expected)
    assert len({item.person for item in named}) == len(named)
    for item in named:
        assert item.value == history[item.place].actual[item.person]
        figures = [item.alone, item.before, item.after]
        assert figures == pytest.approx(rows[item.place, item.person], abs=1e-8)
        if item.cause is not None:
            share = history[item.place].snapshot[item.person].get(item.value, 0)
            assert item.cause.belief * (item.cause.probability - share) > 0
            assert len(item.cause.values) == len(item.cause.releases)
            if len(item.cause.values) > 1 or history[item.place].when not in [
                release.when for release in history[: item.place]
            ]:
                said = oracles.longest(
                    oracles.same_value(LABELS) if constant else known, item.cause.values
                )
                assert said is not None
                assert item.cause.probability == pytest.approx(float(said[item.value]))


def test_the_running_example() -> None:
    """Riboni, Pareschi, Bettini 2012, tables 1, 3b and 4: what gives Alice and Carol away."""
    first = ("BS-neg", "CX-neg", "CX-pos", "MAM-pos")
    second = ("BCM-pos", "MAM-neg", "PNE-pos")
    known: Knowledge = {
        ("MAM-pos",): {"BCM-pos": 0.6, "PNE-pos": 0.02, "MAM-neg": 0.38},
        ("CX-neg",): {"BCM-pos": 0.02, "PNE-pos": 0.08, "MAM-neg": 0.9},
        ("CX-pos",): {"BCM-pos": 0.02, "PNE-pos": 0.6, "MAM-neg": 0.38},
        ("BS-neg",): {"BCM-pos": 0.02, "PNE-pos": 0.02, "MAM-neg": 0.96},
    }
    alice, betty, carol, doris, elisa = range(5)
    history = History(
        (
            as_step(1, first, [alice, betty, carol, doris], [3, 1, 2, 0], [0, 0, 1, 1], 11),
            as_step(2, second, [alice, carol, elisa], [0, 2, 1], [0, 0, 1], 12),
        )
    )
    memory = as_knowledge((*first, *second), known)
    named = {
        item.person: item for item in explain(history, memory, everybody_alike(history), "exact")
    }
    assert named.keys() == {alice, carol}
    assert named[alice].value == "BCM-pos"
    assert named[alice].before == pytest.approx(0.31)
    assert (named[alice].alone, named[alice].after) == pytest.approx((0.5, 0.0961 / 0.0971))
    assert named[alice].cause == Cause(("MAM-pos",), (11,), 0.5, 0.6)
    assert named[carol].cause == Cause(("CX-pos",), (11,), 0.5, 0.6)


def test_longer_contexts_are_named_with_their_releases() -> None:
    labels = ("a", "b")
    known: Knowledge = {("a", "b"): {"a": 1}, ("b",): {"b": 1}, ("a",): {"b": 1}}
    history = History(
        (
            as_step(1, labels, [0, 1], [0, 1], [0, 1], 5),
            as_step(2, labels, [0, 1], [1, 1], [0, 1], 6),
            as_step(3, labels, [0, 1], [0, 1], [0, 0], 9),
        )
    )
    (zero, one) = sorted(
        explain(history, as_knowledge(labels, known), everybody_alike(history)),
        key=lambda item: item.person,
    )
    assert zero.cause is not None
    assert (zero.cause.values, zero.cause.releases) == (("a", "b"), (5, 6))
    assert one.cause is not None
    assert (one.cause.values, one.cause.releases) == (("b",), (6,))
    assert (zero.cause.belief, zero.cause.probability) == pytest.approx((1, 1))


def test_what_did_most_is_likely_and_tells_much() -> None:
    labels = ("a", "b", "c")
    known: Knowledge = {
        ("a",): {"a": 0.5, "b": 0.5},  # likely, and tells a little
        ("b",): {"a": 0.8, "b": 0.2},  # less likely, and tells more
        ("c",): {"a": 1},  # hardly likely
    }
    history = History(
        (
            as_step(1, labels, [0, 1, 2], [0, 1, 2], [0, 0, 0], 5),
            as_step(2, ("a", "b"), [0, 3], [0, 1], [0, 0], 6),
        )
    )
    snapshots = [
        np.array([[0.6, 0.37, 0.03], [0.4, 0.3, 0.3], [0.2, 0.3, 0.5]]),
        np.array([[0.4, 0.6], [0.4, 0.6]]),
    ]
    first, _ = forward(history, as_knowledge(labels, known), snapshots.__getitem__)
    weighs = first.after[0] * np.array([0.1, 0.4, 0.6])
    assert first.after[0].argmax() == 0
    assert weighs.argmax() == 1
    named = explain(history, as_knowledge(labels, known), snapshots.__getitem__)
    cause = next(item.cause for item in named if item.person == 0)
    assert cause is not None
    assert (cause.values, cause.probability) == (("b",), 0.8)


def test_a_look_at_the_same_period_need_not_be_a_cause() -> None:
    labels = ("a", "b")
    history = History(
        (
            as_step(1, labels, [0, 1, 4], [0, 1, 1], [0, 0, 0], 5),
            as_step(1, labels, [0, 1], [0, 1], [0, 0], 6),
        )
    )
    snapshots = [np.array([[0.2, 0.8], [0.1, 0.9], [0.5, 0.5]]), np.array([[0.3, 0.7], [0.3, 0.7]])]
    first, _ = forward(history, Incremental(), snapshots.__getitem__, "exact")
    assert first.after[:2, 0] == pytest.approx([0.2, 0.1], abs=0.1)
    named = explain(history, Incremental(), snapshots.__getitem__, "exact")
    zero = next(item for item in named if item.person == 0)
    assert zero.after > zero.alone == 0.5
    assert zero.before < 0.3
    assert zero.cause is None


def test_a_look_at_the_same_period_is_a_cause() -> None:
    labels = ("a", "b")
    history = History(
        (
            as_step(1, labels, [0, 1], [0, 1], [0, 1], 5),
            as_step(1, labels, [0, 1], [0, 1], [0, 0], 6),
        )
    )
    named = explain(history, Incremental(), everybody_alike(history))
    assert {item.person: item.cause for item in named} == {
        0: Cause(("a",), (5,), 1.0, 1.0),
        1: Cause(("b",), (5,), 1.0, 1.0),
    }


def test_who_is_given_away_by_others_has_no_cause_of_his_own() -> None:
    labels = ("a", "b")
    history = History(
        (
            as_step(1, labels, [0, 3], [0, 1], [0, 1]),
            as_step(2, labels, [0, 1], [0, 1], [0, 0]),
        )
    )
    zero, one = explain(history, Constant(), everybody_alike(history), "exact")
    assert {zero.person, one.person} == {0, 1}
    assert {item.person: item.cause is None for item in (zero, one)} == {0: False, 1: True}
    assert zero.after == pytest.approx(1)
    assert one.after == pytest.approx(1)


def test_nobody_is_given_away_where_nothing_is_remembered() -> None:
    history = History((as_step(1, ("a", "b"), [0, 1], [0, 1], [0, 0]),))
    assert explain(history, Constant(), everybody_alike(history)) == []
    assert explain(History(()), Incremental(), everybody_alike(history)) == []
    nobody = History((as_step(1, ("a",), [0], [0], [-1]),))
    assert explain(nobody, Constant(), lambda _: np.ones((1, 1))) == []
