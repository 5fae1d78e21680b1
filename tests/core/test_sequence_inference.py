"""Inference: against going through all worlds, and over histories as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import (
    Constant,
    Incremental,
    Memory,
    expected,
    forward,
    remembered,
    wanted,
)
from bkpriv_core.sequence.measures import gains, measure
from bkpriv_core.sequence.mining import mined
from bkpriv_core.table.groups import FloatArray
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

CONSTANT = oracles.same_value(LABELS)


@given(releases(apart=True), st.one_of(st.none(), knowledge(most=1)))
def test_forward_is_what_all_worlds_say(history: list[Shown], known: Knowledge | None) -> None:
    memory: Memory = Constant() if known is None else as_knowledge(LABELS, known)
    steps = as_history(history)
    walk = forward(steps, memory, as_snapshots(history), "exact")
    for place, beliefs in enumerate(walk):
        after = memberships(steps.steps[place], beliefs.after)
        worlds = oracles.believed(history[: place + 1], CONSTANT if known is None else known)
        for person, belief in after.items():
            worldly = worlds[place, person]
            assert belief == pytest.approx(
                {label: worldly.get(label, 0.0) for label in belief}, abs=1e-6
            )
        assert not beliefs.contradicted.any()


@given(releases(ordered=False), knowledge(), st.data())
def test_later_releases_do_not_change_what_was_believed(
    history: list[Shown], known: Knowledge, data: st.DataObject
) -> None:
    memories: list[Memory] = [as_knowledge(LABELS, known), Constant(), Incremental()]
    memory = data.draw(st.sampled_from(memories))
    all_of_them = list(forward(as_history(history), memory, as_snapshots(history)))
    some = history[: data.draw(st.integers(1, len(history)))]
    for early, late in zip(
        forward(as_history(some), memory, as_snapshots(some)), all_of_them, strict=False
    ):
        assert np.array_equal(early.before, late.before)
        assert np.array_equal(early.after, late.after)


@given(releases(), knowledge(), st.data())
def test_what_is_known_is_not_inferred_again(
    history: list[Shown], known: Knowledge, data: st.DataObject
) -> None:
    memory, steps, snapshots = (
        as_knowledge(LABELS, known),
        as_history(history),
        as_snapshots(history),
    )
    after = remembered(steps, memory, snapshots)
    for step, compact, beliefs in zip(
        steps.steps, after.values(), forward(steps, memory, snapshots), strict=True
    ):
        assert np.array_equal(compact, step.compact(beliefs.after))
    places = data.draw(st.sets(st.integers(0, len(history) - 1)))
    asked: list[int] = []

    def watched(place: int) -> FloatArray:
        asked.append(place)
        return snapshots(place)

    again = remembered(steps, memory, watched, known={place: after[place] for place in places})
    assert asked == [place for place in range(len(history)) if place not in places]
    assert list(again) == list(after)
    assert all(np.array_equal(again[place], after[place]) for place in after)


@given(releases(), knowledge(), st.data())
def test_only_what_tells_of_a_step_is_wanted_of_earlier_ones(
    history: list[Shown], known: Knowledge, data: st.DataObject
) -> None:
    memories: list[Memory] = [
        as_knowledge(LABELS, known),
        Constant(),
        Incremental(),
        Incremental(1),
    ]
    memory = data.draw(st.sampled_from(memories))
    steps, snapshots, last = as_history(history), as_snapshots(history), len(history) - 1
    whole = list(forward(steps, memory, snapshots))
    stored = data.draw(st.sets(st.integers(0, last)))
    places = wanted(steps, memory, last, stored)
    # No others are looked at, which would be an error.
    known_ones = {i: steps.steps[i].compact(whole[i].after) for i in places & stored}
    after = remembered(steps, memory, snapshots, known=known_ones, places=places)
    assert after.keys() == places
    before = expected(steps, memory, last, after, snapshots(last))
    assert np.array_equal(before[steps.steps[last].groups.members], whole[last].before)


def test_looks_that_are_too_old_to_tell_anything_are_not_wanted() -> None:
    labels = ("a", "b")
    one = as_knowledge(labels, {("a",): {"b": 1}})
    two = as_knowledge(labels, {("a", "a"): {"b": 1}})
    history = History(
        (
            as_step(1, labels, [0, 1, 2], [0, 0, 1], [0, 0, 0]),
            as_step(2, labels, [0, 1], [0, 0], [0, 0]),
            as_step(3, labels, [3, 4], [0, 0], [0, 0]),
            as_step(4, labels, [0, 2], [0, 0], [0, -1]),
            as_step(5, labels, [0, 1], [0, 0], [0, 0]),
            as_step(4, labels, [0, 1], [0, 0], [0, 0]),
        )
    )
    every = range(6)
    assert wanted(history, one, 4, every) == {1, 3}
    assert wanted(history, two, 4, every) == {0, 1, 3}
    assert wanted(history, Incremental(), 4, every) == {0, 1, 3}
    assert wanted(history, Incremental(1), 4, every) == {1, 3}
    # Of the same period, published before; the past is told by it, or still looked at.
    assert wanted(history, Constant(), 5, every) == {1, 3}
    # What follows from others, if it is not stored.
    assert wanted(history, one, 4, {0, 1}) == {1, 3, 0}
    assert wanted(history, one, 4, {0, 3}) == {0, 1, 3}
    assert wanted(history, one, 2, every) == set()


def test_the_running_example() -> None:
    """Riboni, Pareschi, Bettini 2012, tables 1, 3b and 4.

    What their knowledge leaves out is given to values that it is not about.
    """
    first = ("BS-neg", "CX-neg", "CX-pos", "MAM-pos")
    second = ("BCM-pos", "CX-neg", "CX-pos", "MAM-neg", "PNE-pos")
    known: Knowledge = {
        ("MAM-pos",): {"BCM-pos": 0.6, "PNE-pos": 0.02, "MAM-neg": 0.38},
        ("CX-neg",): {"BCM-pos": 0.02, "PNE-pos": 0.08, "CX-neg": 0.9},
        ("CX-pos",): {"BCM-pos": 0.02, "PNE-pos": 0.6, "CX-neg": 0.38},
        ("BS-neg",): {"BCM-pos": 0.02, "PNE-pos": 0.02, "CX-neg": 0.96},
    }
    labels = tuple(dict.fromkeys((*first, *second)))
    alice, betty, carol, doris, elisa, fran, grace = range(7)
    history = History(
        (
            as_step(1, first, [alice, betty, carol, doris], [3, 1, 2, 0], [0, 0, 1, 1]),
            as_step(
                2, second, [alice, carol, elisa, fran, grace], [0, 4, 3, 1, 2], [0, 0, 1, 1, 1]
            ),
        )
    )
    figures = {"exact": 0.0961 / 0.0971, "additive": 0.62 / 0.69}
    for estimator, figure in figures.items():
        walk = forward(
            history,
            as_knowledge(labels, known),
            everybody_alike(history),
            estimator,  # type: ignore[arg-type]
        )
        one, two = (
            memberships(step, beliefs.after)
            for step, beliefs in zip(history.steps, walk, strict=True)
        )
        for person, values in {alice: ("MAM-pos", "CX-neg"), doris: ("CX-pos", "BS-neg")}.items():
            assert [one[person][value] for value in values] == pytest.approx([0.5, 0.5])
        assert two[alice]["BCM-pos"] == pytest.approx(figure, abs=1e-8)
        assert two[carol]["PNE-pos"] == pytest.approx(figure, abs=1e-8)
        assert two[fran]["CX-neg"] == pytest.approx(1 / 3)
    assert len({betty, doris, elisa, grace}) == 4


def test_who_appears_once_skips_or_comes_back() -> None:
    labels = ("a", "b")
    known = as_knowledge(labels, {("a",): {"a": 0.8, "b": 0.2}, ("b",): {"a": 0.4, "b": 0.6}})
    known_longer = as_knowledge(
        labels, {("a",): {"a": 0.8, "b": 0.2}, ("b",): {"b": 1}, ("a", "b"): {"a": 1}}
    )
    # One, always there; two, who skips; three, once; four and five share values with all.
    history = History(
        (
            as_step(10, labels, [1, 2, 4], [0, 1, 1], [0, 1, 1]),
            as_step(20, labels, [1, 5], [1, 0], [0, 1]),
            as_step(30, labels, [1, 2, 3], [0, 0, 1], [-1, 0, 0]),
            as_step(40, labels, [1, 2, 3], [0, 0, 1], [0, 1, 1]),
        )
    )
    alone = everybody_alike(history)

    def before(place: int, memory: Memory) -> list[list[float]]:
        after = remembered(history, memory, alone)
        rows = expected(history, memory, place, after, alone(place))
        rounded: list[list[float]] = rows.round(6).tolist()
        return rounded

    assert before(0, known) == [[0.333333, 0.666667]] * 3
    assert before(1, known) == [[0.8, 0.2], [0.5, 0.5]]
    # Two was last seen two periods ago, and three never.
    assert before(2, known) == [[0.4, 0.6], [0.4, 0.6], [0.666667, 0.333333]]
    # One was suppressed then: it was last seen as b, and before as a.
    assert before(3, known)[0] == [0.4, 0.6]
    assert before(3, known_longer)[0] == [1, 0]


def test_who_is_proved_wrong_begins_anew() -> None:
    labels = ("a", "b", "c")
    never = as_knowledge(labels, {("a",): {"b": 1}})
    history = History(
        (
            as_step(1, ("a",), [0, 1], [0, 0], [0, 0]),
            as_step(2, ("a", "c"), [0, 1], [0, 1], [0, 0]),
        )
    )
    snapshot = np.array([[0.25, 0.75], [0.5, 0.5]])
    _, second = forward(
        history, never, lambda place: snapshot if place else np.ones((2, 1)), "exact"
    )
    assert second.before == pytest.approx(snapshot)
    assert second.after == pytest.approx(np.array([[0.25, 0.75], [0.75, 0.25]]))


def test_whom_even_single_releases_contradict_is_believed_to_have_its_shares() -> None:
    labels = ("a", "b", "c")
    history = History((as_step(1, labels, [0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1]),))
    wrong = np.array([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.1, 0.0, 0.9]])
    (beliefs,) = forward(history, Constant(), lambda _: wrong)
    assert beliefs.contradicted.tolist() == [True, False]
    assert beliefs.after[:3] == pytest.approx(np.tile([2 / 3, 1 / 3, 0], (3, 1)))
    assert beliefs.after[3].tolist() == [0, 0, 1]


def test_what_is_counted_in_the_history_includes_the_release_judged_and_what_it_suppressed() -> (
    None
):
    labels = ("a", "b")
    history = History(
        (
            as_step(1, labels, [0, 1, 2], [0, 0, 1], [0, 0, -1]),
            as_step(2, labels, [0, 1, 2], [0, 1, 1], [0, 0, -1]),
            as_step(3, labels, [0, 1, 2], [1, 1, 1], [0, 0, 0]),
        )
    )
    alone = everybody_alike(history)
    walk = list(forward(history, Incremental(1), alone))
    for place in range(3):
        persons, codes = history.corpus(place)
        assert len(persons) == 3 * (place + 1)
        if place:
            memory = mined("it", labels, persons, codes, 1)
            assert np.array_equal(
                walk[place].before,
                expected(
                    history,
                    memory,
                    place,
                    [s.compact(b.after) for s, b in zip(history.steps, walk, strict=True)],
                    alone(place),
                )[history.steps[place].groups.members],
            )
    # Zero and one were a for sure, which half of three suppressed or not: a to a, and a to b.
    assert walk[1].before == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))


def test_a_release_that_is_still_to_be_made_has_beliefs_before_it() -> None:
    labels = ("a", "b")
    done = as_step(1, labels, [0, 1], [0, 1], [0, 1])
    coming = as_step(2, ("b", "c"), [1, 0, 7], [0, 1, 1], [-1, -1, -1])
    history = History((done, coming))
    after = remembered(History((done,)), Constant(), everybody_alike(history))
    snapshot = np.full((3, 2), 0.5)
    before = expected(history, Constant(), 1, after, snapshot)
    # Zero is known to have a, which the release does not have.
    assert before == pytest.approx(np.array([[1, 0], [0.5, 0.5], [0.5, 0.5]]), abs=1e-8)


@pytest.mark.parametrize(("when", "memory"), [(1, Incremental()), (2, Constant())])
def test_what_is_shown_again_as_it_was_is_counted_once(when: int, memory: Memory) -> None:
    labels = ("a", "b", "c")
    snapshot = np.array([[0.3, 0.2, 0.5], [0.4, 0.4, 0.2], [0.7, 0.3, 0], [0.1, 0.4, 0.5]])
    once = as_step(1, labels, [0, 1, 2, 3], [0, 1, 1, 0], [0, 0, 1, 1])
    again = as_step(when, labels, [0, 1, 2, 3], [0, 1, 1, 0], [1, 1, 0, 0])
    first, second = forward(History((once, again)), memory, lambda _: snapshot, "exact")
    assert first.after[0] == pytest.approx([0.6, 0.4, 0])
    assert second.after == pytest.approx(first.after[[2, 3, 0, 1]], abs=1e-8)
    assert second.before[:, 2].any()
    assert not second.after[:, 2].any()
    # Other members, other values, or a period in which values are others: something new.
    for other in (
        as_step(when, labels, [0, 1, 2, 3], [0, 1, 1, 0], [0, 0, 0, 0]),
        as_step(when, labels, [0, 1, 2, 3], [1, 1, 1, 0], [0, 0, 1, 1]),
        as_step(when, labels, [0, 1, 2, 3], [0, 1, 1, 0], [0, 1, 0, 1]),
    ):
        history = History((once, other))
        assert history.repeated(1, True)[0].item() is False
    assert History((once, again)).repeated(1, False).tolist() == [when == 1] * 2
    assert History((once, again)).repeated(0, True).tolist() == [False] * 2


def test_what_is_shown_again_tells_of_others_what_was_learnt_of_one() -> None:
    labels = ("X", "Y", "Z")
    steps = (
        as_step(1, labels, [0, 1], [0, 1], [0, 0]),
        as_step(2, labels, [0, 2], [0, 2], [0, 0]),
        as_step(3, labels, [0, 1], [0, 1], [0, 0]),
    )
    history = History(steps)
    *_, last = forward(history, Constant(), everybody_alike(history), "exact")
    # By the second, zero has X; so one has Y.
    assert last.before[1] == pytest.approx([0.5, 0.5, 0], abs=1e-8)
    assert last.after == pytest.approx(np.array([[1, 0, 0], [0, 1, 0]]), abs=1e-6)
    assert history.repeated(2, True).tolist() == [False]
    assert History((steps[0], steps[2])).repeated(1, True).tolist() == [True]


def test_what_members_owe_to_each_other_is_missed() -> None:
    """Four share HIV three times and flu once; with a fifth, who has HIV for certain, four times.

    Members are taken as independent between releases.
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


def test_a_release_that_shows_nobody() -> None:
    history = History((as_step(1, ("a",), [0], [0], [-1]), as_step(2, ("a",), [0], [0], [0])))
    none, one = forward(history, Constant(), everybody_alike(history))
    assert none.after.shape == (0, 1)
    assert np.isnan(measure(history.steps[0], none.after).gain)
    assert measure(history.steps[0], none.after).records == 0
    assert one.after.tolist() == [[1.0]]


# --- Figures --------------------------------------------------------------------------------------


@given(releases(), knowledge())
def test_figures_are_those_of_the_definition(history: list[Shown], known: Knowledge) -> None:
    steps = as_history(history)
    walk = forward(steps, as_knowledge(LABELS, known), as_snapshots(history))
    for shown, step, beliefs in zip(history, steps.steps, walk, strict=True):
        believed = memberships(step, beliefs.after)
        gain, sure = [], []
        for group in shown.groups:
            values = [shown.actual[person] for person in group]
            for person in group:
                p = believed[person][shown.actual[person]]
                share = values.count(shown.actual[person]) / len(values)
                gain.append((p - share) / (1 - share) if share < 1 else 0.0)
                sure.append(p)
        assume(gain)
        figures = measure(step, beliefs.after)
        assert figures.records == len(gain)
        assert figures.gain == pytest.approx(sum(gain) / len(gain))
        assert figures.confidence == pytest.approx(sum(sure) / len(sure))
        assert figures.worst == pytest.approx(max(sure))
        each, probability = gains(step, beliefs.after)
        assert sorted(each) == pytest.approx(sorted(gain))
        assert sorted(probability) == pytest.approx(sorted(sure))


# --- What is no history ---------------------------------------------------------------------------


def test_a_person_has_one_record_in_a_step() -> None:
    with pytest.raises(ValueError, match="one record"):
        as_step(1, ("a", "b"), [0, 0], [0, 1], [0, 0])


def test_what_was_shown_is_believed_and_what_is_so_is_measured() -> None:
    # The last has a, and is shown with c.
    step = as_step(1, LABELS, range(3), [0, 1, 0], [0, 0, 0])
    step = replace(step, shown=np.array([0, 1, 2]))
    history = History((step,))
    assert step.histograms.tolist() == [[1, 1, 1, 0]]
    assert step.actual.tolist() == [0, 1, 0]
    assert history.corpus(0)[1].tolist() == [0, 1, 0]
    (beliefs,) = forward(history, Constant(), lambda place: np.full((3, 4), 0.25), "exact")
    np.testing.assert_allclose(beliefs.after, [[1 / 3, 1 / 3, 1 / 3, 0]] * 3)
    surely = np.eye(4)[[0, 1, 2]]
    gain, believed = gains(step, surely)
    assert believed.tolist() == [1, 1, 0]
    np.testing.assert_allclose(gain, [1, 1, -0.5])
    # Where the group does not show what is so, there is nothing to be gained by counting.
    hidden = replace(step, shown=np.array([2, 1, 3]))
    gain, believed = gains(hidden, np.eye(4)[[2, 1, 0]])
    assert believed.tolist() == [0, 1, 1]
    np.testing.assert_allclose(gain, [0, 1, 1])
