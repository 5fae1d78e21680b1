r"""Explanation: the persons whom a memory gave away most, and the earlier values that did it.

A record is given away as far as its actual value is believed, and by a memory as far as that is
more than without one: the probability after the release less what an adversary infers in the same
group from ``BKsv`` alone. Each person is named once, with the release where that is most.

Belief before the release is a sum over contexts ``v`` that the person may have been in, of
``mass(v) p(s | v)`` (`revision`). The context that did most for the actual value ``s`` is that of
the largest ``mass(v) (p(s | v) - BKsv(s))``: values that the person probably had, and that ``s``
mostly follows. If there is none, the memory was of others in the group: their values are believed,
which leaves this one for the person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.posterior import Estimator, posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Memory, Snapshots, Walk, transitions_at
from bkpriv_core.sequence.revision import contexts
from bkpriv_core.sequence.sparse import Labels, recode
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Cause", "Given", "explain"]


@dataclass(frozen=True)
class Cause:
    """Cause: the part of a person's past that reveals most.

    Parameters
    ----------
    values : tuple of str or None
        Values that the person may have had, oldest first; the newest is of the last release before.
    releases : tuple of int
        Numbers of the releases that showed them.
    belief : float
        Belief that the person had them, and no earlier ones of which more is known.
    probability : float
        Probability of the actual value after them; 1 for the value itself, seen in the same period.
    """

    values: Labels
    releases: tuple[int, ...]
    belief: float
    probability: float


@dataclass(frozen=True)
class Given:
    """A person who is given away.

    Parameters
    ----------
    person : int
        Number of the person.
    place : int
        Place of the step.
    value : str or None
        Actual value of the person there.
    alone, before, after : float
        Probability of that value for an adversary without memory, after the release; for one with
        memory, before and after it.
    cause : Cause or None
        Part of the person's own past that did most, if any did.
    """

    person: int
    place: int
    value: str | None
    alone: float
    before: float
    after: float
    cause: Cause | None


def explain(
    history: History,
    memory: Memory,
    snapshots: Snapshots,
    estimator: Estimator = "omega",
    limit: int = 10,
    progress: Progress = SILENT,
) -> list[Given]:
    """Find the persons whom memory of them gives away most, and the reasons.

    Parameters
    ----------
    history, memory, snapshots, estimator, progress
        See `forward`.
    limit : int
        Limit of the number of persons.

    Returns
    -------
    list of Given
        Persons of whom a memory told most first; at most so many, and none of whom it told nothing.
    """
    if not len(history):
        return []
    figures = []
    walk = Walk(history, memory, snapshots, estimator, progress=progress.quiet)
    for place, step in enumerate(history.steps):
        beliefs = walk.beliefs(place)
        members = step.groups.members
        alone = posterior(
            step.groups,
            step.counts,
            (snapshots(place),),
            estimator,
            refuse=False,
            progress=progress.quiet,
        ).beliefs[0]
        at = (np.arange(len(members)), step.actual[members])
        figures.append(np.column_stack((alone[at], beliefs.before[at], beliefs.after[at])))
        progress.report(0.9 * (place + 1) / len(history))
    shown = np.concatenate(figures)
    chosen = _chosen(history.looks.persons, shown[:, 2] - shown[:, 0], limit)
    given: dict[int, Given] = {}
    for place in np.unique(history.looks.steps[chosen]).tolist():
        step, first = history.steps[place], history.looks.first[place]
        mine = chosen[history.looks.steps[chosen] == place]
        parts = step.groups.members[mine - first]
        course, after = walk.before(place)
        causes = _causes(
            course, memory, after, snapshots(place), parts=parts, progress=progress.quiet
        )
        for look, part, cause in zip(mine.tolist(), parts.tolist(), causes, strict=True):
            alone, before, believed = shown[look].tolist()
            value = step.labels[step.actual[part]]
            given[look] = Given(
                int(step.persons[part]),
                place,
                value,
                alone,
                before=before,
                after=believed,
                cause=cause,
            )
    progress.report(1.0)
    return [given[look] for look in chosen.tolist()]


def _chosen(persons: IntArray, told: FloatArray, limit: int) -> IntArray:
    """The looks that tell most of so many persons, most first."""
    falling = np.lexsort((-told, persons))
    first = np.diff(persons[falling], prepend=-1) != 0
    looks = falling[first]
    looks = looks[told[looks] > 0]
    chosen: IntArray = looks[np.argsort(-told[looks], kind="stable")][:limit]
    return chosen


def _causes(
    history: History,
    memory: Memory,
    after: Mapping[int, FloatArray],
    snapshot: FloatArray,
    parts: IntArray,
    progress: Progress,
) -> list[Cause | None]:
    """Find the causes of belief in the actual values of some parts of the step after others."""
    place = len(after)
    step, looks = history.steps[place], history.looks
    transitions = transitions_at(history, memory, place)
    past, again = history.past(place)
    shown = history.shown(place, after)
    code = recode(step.labels, transitions.values)
    known = shown.recoded(recode(history.vocabulary, transitions.values))
    causes: list[Cause | None] = []
    for part in parts.tolist():
        value = int(step.actual[part])
        share = float(snapshot[part, value])
        if again[part] >= 0:
            look = shown.select(again[part : part + 1])
            seen = look.weights[look.values == history.codes[place][value]].sum()
            release = history.steps[int(looks.steps[again[part]])].release
            cause = Cause((step.labels[value],), (release,), float(seen), 1.0)
            causes.append(cause if seen > share else None)
            continue
        mine = past.of(np.array([part]))
        _, nodes, masses = contexts(transitions, known, mine, progress)
        total = np.bincount(nodes, masses, minlength=len(transitions))
        nodes = np.flatnonzero(total)
        probability = np.where(nodes > 0, transitions.probability(nodes, int(code[value])), share)
        best = int(np.argmax(total[nodes] * (probability - share)))
        node = int(nodes[best])
        if probability[best] <= share:
            causes.append(None)
            continue
        rows = mine.rows[: transitions.depth[node]][::-1]
        causes.append(
            Cause(
                transitions.context(node),
                tuple(history.steps[row].release for row in looks.steps[rows].tolist()),
                float(total[node]),
                float(probability[best]),
            )
        )
    return causes
