"""Histories and sequential knowledge as the core has them, made of plain ones; and what to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.sequence.inference import Snapshots
from bkpriv_core.sequence.statement import given as stated
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from tests.core.sequence_oracles import Belief, Knowledge, Label, Shown
from tests.core.strategies import beliefs

LABELS = ("a", "b", "c", "d")


def as_step(
    when: int,
    labels: tuple[Label, ...],
    persons: Sequence[int] | IntArray,
    values: Sequence[int] | IntArray,
    groups: Sequence[int] | IntArray,
    release: int = 1,
) -> SequenceRelease:
    """A step of one record each of some persons."""
    numbers, actual, labelled = (np.asarray(x, dtype=np.int64) for x in (persons, values, groups))
    return SequenceRelease(release, labels, numbers, actual, Groups.from_labels(labelled), when)


def everybody_alike(history: History) -> Snapshots:
    """The uniform kernel: each release's distribution of values, of everybody in it."""

    def snapshot(place: int) -> FloatArray:
        step = history.steps[place]
        return np.tile(step.counts.mean(axis=0), (len(step.persons), 1))

    return snapshot


def as_knowledge(labels: tuple[Label, ...], knowledge: Knowledge) -> Transitions:
    """Transitions as a table of the knowledge would state them."""
    rows = [
        (context, value, share)
        for context, belief in knowledge.items()
        for value, share in belief.items()
    ]
    return stated(
        "t",
        labels,
        np.array([len(context) for context, _, _ in rows]),
        np.array([labels.index(value) for context, _, _ in rows for value in context]),
        np.array([labels.index(value) for _, value, _ in rows]),
        np.array([float(share) for _, _, share in rows]),
    )


def as_history(history: Sequence[Shown]) -> History:
    """The history; parts stand in the order of persons."""
    steps = []
    for place, release in enumerate(history):
        persons = sorted(release.actual)
        group = {person: at for at, some in enumerate(release.groups) for person in some}
        steps.append(
            as_step(
                release.when,
                release.labels,
                persons,
                [release.labels.index(release.actual[person]) for person in persons],
                [group.get(person, SUPPRESSED) for person in persons],
                place + 1,
            )
        )
    return History(tuple(steps))


def as_snapshots(history: Sequence[Shown]) -> Snapshots:
    """Beliefs about persons in each release alone."""

    def snapshot(place: int) -> FloatArray:
        release = history[place]
        return np.array(
            [
                [float(release.snapshot[person].get(label, 0)) for label in release.labels]
                for person in sorted(release.actual)
            ]
        )

    return snapshot


def memberships(step: SequenceRelease, rows: FloatArray) -> dict[int, dict[Label, float]]:
    """Beliefs about a step's memberships by person and label."""
    persons = step.persons[step.groups.members].tolist()
    return {
        person: dict(zip(step.labels, row.tolist(), strict=True))
        for person, row in zip(persons, rows, strict=True)
    }


# --- What to try ----------------------------------------------------------------------------------


@st.composite
def belief(draw: st.DrawFn, labels: Sequence[Label], *, positive: bool = False) -> Belief:
    """A distribution over labels."""
    shares = draw(beliefs(len(labels), positive=positive))
    return dict(zip(labels, shares, strict=True))


@st.composite
def knowledge(
    draw: st.DrawFn, labels: Sequence[Label] = LABELS[:3], most: int = 3
) -> dict[tuple[Label, ...], Belief]:
    """Distributions of the next value for some contexts, at least one, of few values."""
    context = st.lists(st.sampled_from(labels), min_size=1, max_size=most).map(tuple)
    contexts = draw(st.lists(context, min_size=1, max_size=8, unique=True))
    return {context: draw(belief(labels)) for context in contexts}


@st.composite
def releases(draw: st.DrawFn, *, ordered: bool = True, apart: bool = False) -> list[Shown]:
    """A few releases in which no two persons are linked by groups in two ways.

    Values of one period are the same; some persons are suppressed, skip releases, or come back. If
    persons are to be `apart`, only one of those who shared a group does.
    """
    count = draw(st.integers(1, 3 if apart else 4))
    people = set(range(5 if apart else 3))
    when = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    when = sorted(when) if ordered else when
    root = list(people)  # who is linked with whom

    def linked(person: int) -> int:
        return person if root[person] == person else linked(root[person])

    actual: dict[tuple[int, int], str] = {}
    history = []
    for time in when:
        universe = draw(st.permutations(LABELS[:3]))[: draw(st.integers(2, 3))]
        some = st.sampled_from(sorted(people))
        present = draw(st.lists(some, min_size=1, max_size=3, unique=True))
        for person in present:
            actual.setdefault((person, time), draw(st.sampled_from(LABELS[:3])))
        mine = {person: actual[person, time] for person in present}
        labels = tuple(dict.fromkeys((*universe, *mine.values())))
        groups: list[list[int]] = []
        for person in present:
            where = draw(st.integers(-1, len(groups)))
            if where == -1:
                continue
            alone = where == len(groups) or any(
                linked(person) == linked(other) for other in groups[where]
            )
            if alone:
                groups.append([person])
                continue
            root[linked(person)] = linked(groups[where][0])
            groups[where].append(person)
        if apart:
            people -= {person for group in groups for person in group[1:]}
        snapshot = {person: draw(belief(labels, positive=True)) for person in present}
        history.append(Shown(time, labels, mine, groups, snapshot))
    return history


def as_mapping(transitions: Transitions) -> Mapping[tuple[Label, ...], dict[Label, float]]:
    """Listed transitions, by context."""
    listed = transitions.listed()
    rows: dict[tuple[Label, ...], dict[Label, float]] = {}
    for context, value, share in zip(
        listed.histories, listed.following, listed.probabilities, strict=True
    ):
        rows.setdefault(context, {})[value] = share
    return rows
