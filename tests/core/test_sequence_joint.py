"""Joint inference: against going through all worlds, where persons share groups again."""

from __future__ import annotations

import random
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Constant, Incremental, Memory, forward, transitions_at
from bkpriv_core.sequence.joint import joint_belief
from bkpriv_core.table.groups import FloatArray
from tests.core import sequence_oracles as oracles
from tests.core.sequence_oracles import Belief, Knowledge, Label, Shown
from tests.core.sequences import (
    LABELS,
    as_history,
    as_knowledge,
    as_snapshots,
    as_step,
    everybody_alike,
    knowledge,
)
from tests.core.watching import Watched

CONSTANT = oracles.same_value(LABELS)


@st.composite
def shared(draw: st.DrawFn) -> list[Shown]:
    """A few releases of the same four people, who share groups however it comes.

    They are drawn by a seed: what hypothesis draws itself hardly ever has two share a group again.
    """
    some = random.Random(draw(st.integers(0, 2**32)))
    history = []
    actual: dict[tuple[int, int], str] = {}
    for when in [some.randint(0, 3) for _ in range(some.randint(1, 3))]:
        people = some.sample(range(4), some.randint(2, 4))
        for person in people:
            actual.setdefault((person, when), some.choice(LABELS[:3]))
        mine = {person: actual[person, when] for person in people}
        labels = tuple(sorted({*mine.values(), some.choice(LABELS[:3])}))
        where = [some.choice([-1, 0, 0, 0, 1, 1]) for _ in people]
        groups = [
            [person for person, at in zip(people, where, strict=True) if at == one]
            for one in (0, 1)
        ]
        weights = {person: [some.randint(1, 9) for _ in labels] for person in people}
        snapshot: dict[int, Belief] = {
            person: {label: Fraction(w, sum(ws)) for label, w in zip(labels, ws, strict=True)}
            for person, ws in weights.items()
        }
        history.append(Shown(when, labels, mine, [group for group in groups if group], snapshot))
    return history


def rows(
    snapshots: dict[int, float], steps: list[tuple[dict[int, str], list[list[int]]]]
) -> list[Shown]:
    """Releases of two values, a and b, of which a is believed so far of each person alone."""
    alone: dict[int, Belief] = {
        person: {"a": share, "b": 1 - share} for person, share in snapshots.items()
    }
    return [
        Shown(when, ("a", "b"), actual, groups, {person: alone[person] for person in actual})
        for when, (actual, groups) in enumerate(steps)
    ]


ONE_OF_TWO = ({0: "a", 1: "b"}, [[0, 1]])
AGAIN = rows({0: 0.8, 1: 0.4}, [ONE_OF_TWO] * 4)
"""Two who share groups again and again, each time with one a and one b."""

ALL_BUT_ONE = rows(
    dict.fromkeys(range(5), 0.3),
    [
        ({0: "a", 1: "a", 2: "a", 3: "b"}, [[0, 1, 2, 3]]),
        ({0: "a", 1: "a", 2: "a", 3: "b", 4: "a"}, [[0, 1, 2, 3, 4]]),
    ],
)
"""Three of four have a, and four of five: so who joined them has."""

APART = rows(
    {0: 0.5, 1: 0.5, 2: 0.5},
    [ONE_OF_TWO, ({0: "a", 1: "b", 2: "a"}, [[0], [1, 2]])],
)
"""History of two people with a and b between them; then one, alone, is seen to have a."""

STAYING: Knowledge = {
    ("a",): {"a": Fraction(9, 10), "b": Fraction(1, 10)},
    ("b",): {"a": Fraction(2, 5), "b": Fraction(3, 5)},
}


def approximately(found: FloatArray, labels: tuple[Label, ...], worlds: dict[Label, float]) -> bool:
    expected = pytest.approx([worlds.get(label, 0.0) for label in labels], abs=1e-7)
    return bool(found.tolist() == expected)


@example(AGAIN, STAYING, False)
@example(ALL_BUT_ONE, None, True)
@given(shared(), st.one_of(st.none(), knowledge()), st.booleans())
def test_it_is_what_all_worlds_say(
    history: list[Shown], known: Knowledge | None, retrospective: bool
) -> None:
    memory: Memory = Constant() if known is None else as_knowledge(LABELS, known)
    known = CONSTANT if known is None else known
    steps, alone = as_history(history), as_snapshots(history)
    for place, step in enumerate(steps.steps):
        course = [history[other] for other in steps.course(place)]
        last = len(course) - 1
        for member, record in enumerate(step.groups.members.tolist()):
            person = int(step.persons[record])
            found = joint_belief(steps, memory, alone, place, member, retrospective=retrospective)
            assert found is not None
            before = oracles.jointly(course, known, (last, person), unseen=last)
            assert approximately(found[0], step.labels, before)
            after = (
                oracles.jointly(history, known, (place, person))
                if retrospective
                else oracles.jointly(course, known, (last, person))
            )
            assert approximately(found[1], step.labels, after)


@pytest.mark.parametrize(
    ("history", "known", "place", "person", "off"),
    [
        (AGAIN, STAYING, 3, 0, 0.05),
        (ALL_BUT_ONE, None, 1, 4, 0.6),
        (APART, None, 1, 1, 0.4),
    ],
)
def test_beliefs_about_different_people_are_not_independent(
    history: list[Shown], known: Knowledge | None, place: int, person: int, off: float
) -> None:
    memory: Memory = Constant() if known is None else as_knowledge(("a", "b"), known)
    steps, alone = as_history(history), as_snapshots(history)
    member = steps.steps[place].persons[steps.steps[place].groups.members].tolist().index(person)
    found = joint_belief(steps, memory, alone, place, member)
    assert found is not None
    worlds = oracles.jointly(history, CONSTANT if known is None else known, (place, person))
    assert approximately(found[1], ("a", "b"), worlds)
    (*_, estimated) = forward(steps, memory, alone, "exact")
    assert abs(estimated.after[member, 0] - found[1][0]) > off


@given(shared(), st.data())
def test_knowledge_grows_forward_and_is_all_there_in_retrospect(
    history: list[Shown], data: st.DataObject
) -> None:
    """Sequences counted in the releases are those known in them by then."""
    steps, alone = as_history(history), as_snapshots(history)
    looks = [
        (place, member)
        for place, step in enumerate(steps.steps)
        for member in range(len(step.groups.members))
    ]
    if not looks:
        return
    place, member = data.draw(st.sampled_from(looks))
    memory = data.draw(st.sampled_from([Incremental(), Incremental(1)]))
    found = joint_belief(steps, memory, alone, place, member, retrospective=True)
    latest = transitions_at(steps, memory, len(steps) - 1)
    stated = joint_belief(steps, latest, alone, place, member, retrospective=True)
    assert found is not None
    assert stated is not None
    assert found[1] == pytest.approx(stated[1], abs=1e-9)
    course = steps.along(steps.course(place))
    if len(steps.course(place)) == 2:
        now = transitions_at(course, memory, 1)
        forward_ = joint_belief(course, now, lambda at: alone(steps.course(place)[at]), 1, member)
        assert forward_ is not None
        assert found[0] == pytest.approx(forward_[0], abs=1e-9)


def test_too_many_people_are_not_gone_into() -> None:
    """Groups of four that are drawn anew link everybody; what is allocated is bounded."""
    generator = np.random.default_rng(1)
    people, labels = np.arange(200), ("a", "b", "c", "d")
    mixed = History(
        tuple(
            as_step(at, labels, people, people % 4, generator.permutation(people // 4))
            for at in range(3)
        )
    )
    asked: list[int] = []
    tracemalloc.start()
    found = joint_belief(
        mixed,
        Constant(),
        everybody_alike(mixed),
        2,
        0,
        progress=Watched(poll=lambda: asked.append(1)),
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is None
    assert asked
    assert peak < 200e6
    # The same groups again, each by itself, are no more than one of them.
    apart = History(tuple(as_step(at, labels, people, people % 4, people // 4) for at in range(9)))
    assert joint_belief(apart, Constant(), everybody_alike(apart), 8, 0) is not None


def test_groups_of_one_value_link_nobody() -> None:
    labels, people = ("a", "b"), np.arange(5_000)
    pairs = [person // 2 for person in range(5_000)]
    history = History(
        (
            as_step(1, labels, people, people % 2, pairs),
            as_step(2, labels, people, [0] * 5_000, [0] * 5_000),
        )
    )
    known = as_knowledge(labels, STAYING)
    found = joint_belief(
        history, known, lambda _: np.full((5_000, 2), 0.5), 0, 0, retrospective=True
    )
    assert found is not None
    assert found[1] == pytest.approx([0.5, 0.5])


def test_what_contradicts_single_releases_has_no_joint_belief() -> None:
    history = History((as_step(1, ("a", "b"), [0, 1], [0, 1], [0, 0]),))
    sure = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert joint_belief(history, Constant(), lambda _: sure, 0, 0) is None
