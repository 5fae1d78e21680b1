r"""Inference: beliefs of an adversary who remembers, as each release appears.

Before a release, the belief about a person (Riboni, Pareschi, Bettini 2012, section 5.3) is

``((1 - DOUBT) RBK + DOUBT BKsv)`` on the values that the release has, normalised,

where ``RBK`` is the revision of beliefs after earlier releases (`revision`), and ``BKsv`` the
belief about single releases, a prior from anywhere. For a person who was never seen before it is
``BKsv``; for one who was seen in the same period already, it is the belief after that. The
posterior in the release's groups follows by an estimator (`bkpriv_core.belief.posterior`).

So nothing that ``BKsv`` thinks possible ever becomes impossible: an adversary whom a release proves
wrong begins anew. If even ``BKsv`` contradicts a group, its members are believed to have its values
by their frequencies, and the group is said to be contradicted.

A group that was shown before as it is, of values that cannot have changed since, tells nothing new.
Otherwise beliefs about persons are taken as independent between releases; see the package. Beliefs
about a release as it appears do not depend on later ones, nor on releases of later periods that
were published before. They depend on all others, also on those that were published late: everything
that comes before the release in time is inferred with it, see `History.course`. Functions about one
step take histories in the order of time up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.posterior import Estimator, Inferred, UsedArray, posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.mining import count
from bkpriv_core.sequence.revision import Past, revise
from bkpriv_core.sequence.sparse import recode
from bkpriv_core.sequence.transitions import Transitions, constant
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = [
    "DOUBT",
    "Beliefs",
    "Constant",
    "Incremental",
    "Memory",
    "Snapshots",
    "Walk",
    "believe",
    "expected",
    "forward",
    "remembered",
    "transitions_at",
    "wanted",
]

DOUBT = 1e-9
"""Degree to which an adversary doubts their knowledge of sequences."""


@dataclass(frozen=True)
class Constant:
    """Knowledge that a value never changes."""


@dataclass(frozen=True)
class Incremental:
    """Knowledge counted in the original values of all records up to and including a release's.

    Nobody but the publisher has it at the time.
    """

    memory: int | None = None
    """Length of the longest contexts; all if left out."""


Memory = Transitions | Constant | Incremental
"""Knowledge of an adversary about how values follow one another."""

Snapshots = Callable[[int], FloatArray]
"""BKsv about the records of the step at a place, shape (p, m)."""


@dataclass(frozen=True, eq=False)
class Beliefs(Inferred):
    """Beliefs about the members of a step's groups."""

    before: FloatArray
    after: FloatArray
    """Shape (e, m). Beliefs about each membership, before and after the release appeared; rows sum
    to 1.
    """
    used: UsedArray
    """Shape (g,). Estimator of each group: a place in `ESTIMATORS`."""
    contradicted: BoolArray
    """Shape (g,). Groups that contradict even beliefs about single releases."""


def transitions_at(history: History, memory: Memory, place: int) -> Transitions:
    """Knowledge of an adversary about sequences as the step at a place appears."""
    if isinstance(memory, Constant):
        return constant(history.vocabulary)
    if isinstance(memory, Incremental):
        persons, codes = history.corpus(place)
        return count(history.vocabulary, persons, codes, memory.memory)
    return memory


def _reached(history: History, memory: Memory, past: Past, again: IntArray) -> set[int]:
    """Places of the steps with the looks that tell of a step."""
    reach = 1 if isinstance(memory, Constant) else memory.memory
    rows = np.concatenate((past.newest(reach), again[again >= 0]))
    return set(np.unique(history.looks.steps[rows]).tolist())


def wanted(history: History, memory: Memory, place: int, stored: Container[int]) -> set[int]:
    """Places of the steps that beliefs after are wanted of, to know what is believed of one before.

    Those are the steps with looks at its persons that are not too old to tell anything, and, where
    beliefs were not stored, those that they follow from in turn.

    Args:
        history, memory, place: See `expected`.
        stored: Places of the steps that beliefs after were stored of.
    """
    found = _reached(history, memory, *history.past(place))
    for earlier in reversed(range(place)):
        if earlier in found and earlier not in stored:
            found |= _reached(history, memory, *history.past(earlier))
    return found


def expected(
    history: History,
    memory: Memory,
    place: int,
    after: Sequence[FloatArray] | Mapping[int, FloatArray],
    snapshot: FloatArray,
    progress: Progress = SILENT,
) -> FloatArray:
    """Belief about all records of a step before it appears.

    Args:
        history: The releases, in the order of time; that at `place` may still be without groups.
        memory: Knowledge of the adversary about sequences.
        after: Beliefs after each step before it, or after those `wanted`, as given by
            `SequenceRelease.compact`.
        snapshot: Shape (p, m). BKsv about the records of the step.

    Returns:
        Shape (p, m). Rows sum to 1.
    """
    past, again = history.past(place)
    reached = _reached(history, memory, past, again)
    shown = history.shown(place, {other: after[other] for other in reached})
    transitions = transitions_at(history, memory, place)
    labels = history.steps[place].labels
    known, unknown = revise(
        transitions,
        shown.recoded(recode(history.vocabulary, transitions.values)),
        past,
        recode(transitions.values, labels),
        size=len(labels),
        progress=progress,
    )
    before: FloatArray = (1.0 - DOUBT) * known
    before += ((1.0 - DOUBT) * unknown + DOUBT)[:, None] * snapshot
    seen = np.flatnonzero(again >= 0)
    look = shown.select(again[seen]).dense(recode(history.vocabulary, labels), len(labels))
    before[seen] = (1.0 - DOUBT) * look + DOUBT * snapshot[seen]
    before /= before.sum(axis=1, keepdims=True)
    return before


def forward(
    history: History,
    memory: Memory,
    snapshots: Snapshots,
    estimator: Estimator = "omega",
    progress: Progress = SILENT,
) -> Iterator[Beliefs]:
    """Beliefs about each step in turn.

    Args:
        memory: Knowledge of the adversary about sequences.
        snapshots: BKsv about the records of the step at a place, (p, m).
        progress: Receives the share of the steps that are done.

    Yields:
        Beliefs about step after step; only what is needed of them for later ones is kept.
    """
    walk = Walk(history, memory, snapshots, estimator, progress=progress.quiet)
    for place in range(len(history)):
        yield walk.beliefs(place)
        progress.report((place + 1) / len(history))


class Walk:
    """Beliefs about steps, each by its course; beliefs that courses share are inferred once.

    Args:
        history, memory, snapshots, estimator, progress: See `forward`.
    """

    def __init__(
        self,
        history: History,
        memory: Memory,
        snapshots: Snapshots,
        estimator: Estimator,
        progress: Progress,
    ) -> None:
        self._history, self._memory, self._snapshots = history, memory, snapshots
        self._estimator, self._progress = estimator, progress
        # Courses are the paths of a trie: of each node the one before it, from -1.
        self._nodes: dict[tuple[int, int], int] = {}
        self._before: list[int] = []
        self._after: dict[int, FloatArray] = {}
        self._last = history.course(len(history) - 1)
        self._along_last = history.along(self._last)

    def beliefs(self, place: int) -> Beliefs:
        """Beliefs about a step as it appeared."""
        course = self._history.course(place)
        path: list[int] = []
        for other in course:
            key = (path[-1] if path else -1, other)
            if (node := self._nodes.setdefault(key, len(self._before))) == len(self._before):
                self._before.append(key[0])
            path.append(node)
        # What neither begins this course nor goes on from it begins no later one either.
        nested = dict.fromkeys(path[:-1], False) | {path[-1]: True, -1: False}
        kept = {*path} | {node for node in self._after if self._goes_on(node, nested)}
        self._after = {node: after for node, after in self._after.items() if node in kept}
        for end, node in enumerate(path[:-1], 1):
            if node not in self._after:
                self._progress.poll()
                self._infer(course[:end], path[:end])
        return self._infer(course, path)

    def _goes_on(self, node: int, known: dict[int, bool]) -> bool:
        """Whether a path goes on from a node of which that is known, as it is of others."""
        climbed = []
        while node not in known:
            climbed.append(node)
            node = self._before[node]
        known |= dict.fromkeys(climbed, known[node])
        return known[node]

    def _along(self, course: tuple[int, ...]) -> History:
        """A history that begins with a course."""
        if course == self._last[: len(course)]:
            return self._along_last
        return self._history.along(course)

    def _infer(self, course: tuple[int, ...], path: list[int]) -> Beliefs:
        """Beliefs about the last step of a course, whose others are done."""
        history, place = self._along(course), len(course) - 1
        beliefs = _believe(
            history,
            self._memory,
            place,
            {at: self._after[path[at]] for at in range(place)},
            snapshots=lambda at: self._snapshots(course[at]),
            estimator=self._estimator,
            progress=self._progress,
        )
        self._after[path[-1]] = history.steps[place].compact(beliefs.after)
        return beliefs


def remembered(
    history: History,
    memory: Memory,
    snapshots: Snapshots,
    estimator: Estimator = "omega",
    known: Mapping[int, FloatArray] | None = None,
    places: Collection[int] | None = None,
    progress: Progress = SILENT,
) -> dict[int, FloatArray]:
    """Beliefs after steps, by place, as `SequenceRelease.compact` gives them.

    Those that are known are not inferred again.

    Args:
        history: The releases, in the order of time.
        memory, snapshots, estimator, progress: See `forward`.
        known: Results of this function for some places.
        places: The steps, and all that they follow from; every step if left out.
    """
    known = known or {}
    after: dict[int, FloatArray] = {}
    for place in range(len(history)) if places is None else sorted(places):
        step = history.steps[place]
        if place in known:
            after[place] = known[place]
            continue
        beliefs = _believe(
            history,
            memory,
            place,
            after,
            snapshots=snapshots,
            estimator=estimator,
            progress=progress,
        )
        after[place] = step.compact(beliefs.after)
        progress.report((place + 1) / len(history))
    return after


def _believe(
    history: History,
    memory: Memory,
    place: int,
    after: Sequence[FloatArray] | Mapping[int, FloatArray],
    snapshots: Snapshots,
    estimator: Estimator,
    progress: Progress,
) -> Beliefs:
    """Beliefs about one step, given those after all before it."""
    before = expected(
        history, memory, place, after, snapshot=snapshots(place), progress=progress.quiet
    )
    return believe(history, memory, place, before, estimator=estimator, progress=progress.quiet)


def believe(
    history: History,
    memory: Memory,
    place: int,
    before: FloatArray,
    estimator: Estimator = "omega",
    progress: Progress = SILENT,
) -> Beliefs:
    """Beliefs about a step as it appears.

    Args:
        history, memory, place: See `expected`; the step has its groups.
        before: Shape (p, m). Belief about its records before, as `expected` gives it.
    """
    step = history.steps[place]
    inferred = posterior(
        step.groups, step.counts, (before,), estimator, refuse=False, progress=progress
    )
    belief, contradicted = inferred.beliefs[0], inferred.contradicted[0]
    frequencies = step.histograms / step.groups.widths[:, None]
    owner, before = step.groups.owner, before[step.groups.members]
    rows = history.repeated(place, isinstance(memory, Constant))[owner]
    known = before[rows] * (frequencies[owner[rows]] > 0)
    total = known.sum(axis=1, keepdims=True)
    belief[rows] = np.divide(known, total, out=belief[rows], where=total > 0)
    rows = contradicted[owner]
    belief[rows] = frequencies[owner[rows]]
    return Beliefs(before, belief, inferred.used, contradicted)
