r"""Joint inference: exact belief about one person, where few people hang together.

Elsewhere beliefs about different persons are taken as independent between releases. Here the values
of all whom shared groups link to the person, in all releases that are considered, are inferred at
once. That is what going through all their values says, where a way to give them weighs

``prod over persons of BKsv(first value) prod P(value | own earlier values)``

if every group has its multiset of values, and 0 otherwise. ``P`` is what knowledge says of the
longest context that agrees with the person's earlier values, and the identity between two looks at
one period; doubt is as in `inference`. So this is *exact*, also for contexts of several values,
where `revision` multiplies beliefs in each.

Ways are merged as they arise. Groups are taken one after another, each when all that showed its
members earlier are done, and in a group member after member. A *state* says what matters to what
follows: the latest values, as many as contexts have, of persons who are shown again; how many of
each value are left to the group; and the value that is asked for, once it was given. Next is always
a group that leaves few persons to remember. A group of one value tells its members', and links
nobody.

All states together hold a limited number of numbers, which bounds work and memory; beyond, there is
no answer. Nor is there where what is believed of single releases contradicts a group: beliefs then
begin anew, group by group, which is no joint distribution.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import DOUBT, Memory, Snapshots, reach, transitions_at
from bkpriv_core.sequence.sparse import Labels, recode
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["joint_belief"]

_LOOKS = 1_000
"""Largest number of looks at persons who hang together."""

_NUMBERS = 5_000_000
"""Largest number of numbers in all states of one inference: 40 MB, and about half a second."""

_KEPT = 4
"""Steps of which transitions are kept, where they differ."""


class _NoAnswer(Exception):
    """Too many people hang together, or a group is contradicted."""


@dataclass(frozen=True, eq=False)
class _Group:
    """A group of persons, who have its values between them.

    Parameters
    ----------
    place : int
        Place of its step.
    persons, records : list of int
        Members of the group, and their records in the step.
    values, left : (v,) int array
        Codes of values in the step's labels, and how many records have each.
    """

    place: int
    persons: list[int]
    records: list[int]
    values: IntArray
    left: IntArray


def joint_belief(
    history: History,
    memory: Memory,
    snapshots: Snapshots,
    place: int,
    member: int,
    *,
    retrospective: bool = False,
    progress: Progress = SILENT,
) -> tuple[FloatArray, FloatArray] | None:
    """Exact belief about a member of a step, before and after the release.

    Parameters
    ----------
    history, memory, snapshots
        See `forward`.
    place, member : int
        Place of the step, and the membership.
    retrospective : bool
        Whether the belief after is that once all have appeared, as `smooth` estimates it. The one
        before is always as the release appeared.

    Returns
    -------
    before, after : (m,) float array
        Beliefs about the labels of the step; both sum to 1.

    None if too many people hang together, or a group is contradicted.
    """
    step = history.steps[place]
    record = int(step.groups.members[member])
    course = history.course(place)
    along = history.along(course)

    def appeared(at: int) -> Transitions:
        return transitions_at(along, memory, at)

    def believed(
        shown: History, order: tuple[int, ...], known: Callable[[int], Transitions], seen: int
    ) -> FloatArray:
        """Belief by the first `seen` steps of a history in the order of time."""
        at, person = order.index(place), int(step.persons[record])
        groups = _component(shown, person, seen)
        if at >= seen:
            # Of the release nothing is seen but its labels.
            codes = np.arange(len(step.labels), dtype=np.int64)
            groups.append(_Group(at, [person], [record], codes, left=np.ones_like(codes)))
        ways = _Ways(shown, reach(memory), known, progress)
        return ways.believed(groups, lambda other: snapshots(order[other]), at, record)

    try:
        before = believed(along, course, appeared, len(course) - 1)
        if not retrospective:
            return before, believed(along, course, appeared, len(course))
        when = [other.when for other in history.steps]
        order = tuple(sorted(range(len(history)), key=when.__getitem__))
        whole, latest = history.along(order), transitions_at(history, memory, len(history) - 1)
        return before, believed(whole, order, lambda _: latest, len(order))
    except _NoAnswer:
        return None


def _component(history: History, person: int, seen: int) -> list[_Group]:
    """Groups of the first steps of a history that tell of a person, himself or by others."""
    looks = history.looks
    whose = looks.persons[looks.order]
    found: dict[tuple[int, int], _Group] = {}
    known, waiting, many = {person}, deque([person]), 0
    while waiting:
        other = waiting.popleft()
        mine = looks.order[np.searchsorted(whose, other) : np.searchsorted(whose, other, "right")]
        for look in mine[looks.steps[mine] < seen].tolist():
            place = int(looks.steps[look])
            step, member = history.steps[place], look - int(looks.first[place])
            group = int(step.groups.owner[member])
            records, values = step.groups[group], np.flatnonzero(step.histograms[group])
            left, key = step.histograms[group, values], (place, group)
            if len(values) == 1:
                records, left = step.groups.members[[member]], np.ones_like(left)
                key = (place, -1 - member)
            if key in found:
                continue
            many += len(records)
            if many > _LOOKS:
                raise _NoAnswer
            persons = step.persons[records].tolist()
            found[key] = _Group(place, persons, records.tolist(), values, left=left)
            waiting.extend(one for one in persons if one not in known)
            known.update(persons)
    return list(found.values())


class _Ways:
    """Ways to give people values, equal states merged.

    Parameters
    ----------
    history : History
        The releases, in the order of time.
    memory : int or None
        Largest number of values of a context; None if there may be any.
    transitions : callable
        Knowledge of sequences at a place.
    progress : Progress
        Polled between persons.
    """

    def __init__(
        self,
        history: History,
        memory: int | None,
        transitions: Callable[[int], Transitions],
        progress: Progress,
    ) -> None:
        self._history, self._memory, self._progress = history, memory, progress
        self._known = lru_cache(_KEPT)(lambda at: _Known(transitions(at), history.vocabulary))
        self._left = _NUMBERS
        # Of each state the values of persons who are shown again, in codes of the vocabulary, by
        # person and period; the code of the value that is asked for; and the weight.
        self._values: dict[tuple[int, int], IntArray] = {}
        self._asked = np.zeros(1, dtype=np.int64)
        self._weights = np.ones(1)

    def believed(
        self, groups: list[_Group], snapshots: Snapshots, place: int, record: int
    ) -> FloatArray:
        """Belief about a record in one of some groups, given all of them."""
        alone: dict[tuple[int, int], FloatArray] = {}
        for at in sorted({group.place for group in groups}):
            self._progress.poll()
            mine = [one for group in groups if group.place == at for one in group.records]
            alone |= {(at, one): row for one, row in zip(mine, snapshots(at)[mine], strict=True)}
        for group, again in _ordered(groups):
            self._spend(len(self._weights) * len(group.left))
            left = np.tile(group.left, (len(self._weights), 1))
            # Who is not shown again comes first, and is forgotten.
            members = sorted(range(len(again)), key=again.__getitem__)
            for one in members:
                self._progress.poll()
                look = (group.place, group.records[one])
                source, value = self._give(group, one, left, alone[look], again=again[one])
                if look == (place, record):
                    self._asked = group.values[value]
                # What is left after the last member matters to nobody.
                rest = left[source, :0]
                if one != members[-1]:
                    self._spend(len(source) * left.shape[1])
                    rest = left[source]
                    rest[np.arange(len(source)), value] -= 1
                left = self._merge(rest)
        size = len(self._history.steps[place].labels)
        weights = np.bincount(self._asked, self._weights, minlength=size)
        belief: FloatArray = weights / weights.sum()
        return belief

    def _give(
        self, group: _Group, one: int, left: IntArray, alone: FloatArray, *, again: bool
    ) -> tuple[IntArray, IntArray]:
        """Give a member of a group each value that is left to it in each state.

        Parameters
        ----------
        group, one
            The group, and which of its members.
        left : (n, v) int array
            Number of each of its values that are left, in each state.
        alone : (m,) float array
            BKsv about the member.
        again : bool
            Whether later groups show the member.

        Returns
        -------
        source, value : (w,) int array
            The state that each new state comes from, and which of the group's values was given.
        """
        person, when = group.persons[one], self._history.steps[group.place].when
        codes = self._history.codes[group.place][group.values]
        mine = sorted((key for key in self._values if key[0] == person), reverse=True)
        shares = self._shares(group.place, mine, codes, alone[group.values])
        source, value = np.nonzero((left > 0) & (shares > 0))
        self._spend(len(source) * (2 + len(self._values)))
        self._weights = self._weights[source] * shares[source, value]
        self._asked = self._asked[source]
        newest = [(person, when), *(key for key in mine if key != (person, when))]
        kept = newest[: None if self._memory is None else max(self._memory, 1)] if again else []
        self._values = {
            key: column[source]
            for key, column in self._values.items()
            if key[0] != person or key in kept
        }
        if again:
            self._values[person, when] = codes[value]
        return source, value

    def _shares(
        self, place: int, mine: list[tuple[int, int]], codes: IntArray, alone: FloatArray
    ) -> FloatArray:
        """Probability that a person has each of some values at a step, in each state.

        Parameters
        ----------
        place : int
            Place of the step.
        mine : list of (int, int)
            Places of the person's earlier values, newest first.
        codes : (v,) int array
            The values, in codes of the vocabulary.
        alone : (v,) float array
            BKsv in them.
        """
        states = len(self._weights)
        if not mine:
            return np.tile(alone, (states, 1))
        if mine[0][1] == self._history.steps[place].when:
            told = (self._values[mine[0]][:, None] == codes).astype(float)
        else:
            known = self._known(place)
            node = known.context([self._values[key] for key in mine])
            told = np.where(node[:, None] == 0, alone, known.following(node, codes))
        shares: FloatArray = (1.0 - DOUBT) * told + DOUBT * alone
        return shares

    def _merge(self, left: IntArray) -> IntArray:
        """Make one of equal states, of which so much is left to a group; return what is."""
        columns = [self._asked, *self._values.values(), *left.T]
        first, kind, _ = distinct_rows(np.column_stack(columns), self._progress)
        weights = np.bincount(kind, self._weights)
        total = weights.sum()
        if not total > 0:
            raise _NoAnswer
        self._weights = weights / total
        self._asked = self._asked[first]
        self._values = {key: column[first] for key, column in self._values.items()}
        return left[first]

    def _spend(self, numbers: int) -> None:
        """Count numbers before they are made."""
        self._left -= numbers
        if self._left < 0:
            raise _NoAnswer


class _Known:
    """Transitions in codes of a vocabulary."""

    def __init__(self, transitions: Transitions, vocabulary: Labels) -> None:
        self._transitions = transitions
        self._code = recode(vocabulary, transitions.values)
        self._size = len(transitions.values)
        self._keys = transitions.owner * self._size + transitions.following

    def context(self, past: list[IntArray]) -> IntArray:
        """Node that speaks for each of some pasts, value by value, the newest first."""
        nodes = np.zeros(len(past[0]), dtype=np.int64)
        longer = np.ones(len(nodes), dtype=bool)
        for values in past:
            child = self._transitions.child(nodes, self._code[values])
            longer &= child >= 0
            nodes = np.where(longer, child, nodes)
        source: IntArray = self._transitions.source[nodes]
        return source

    def following(self, nodes: IntArray, codes: IntArray) -> FloatArray:
        """Probability of each of some values after each of some contexts, (n, v)."""
        if not len(self._keys):
            return np.zeros((len(nodes), len(codes)))
        keys = nodes[:, None] * self._size + self._code[codes]
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found = (self._keys[at] == keys) & (self._code[codes] >= 0)
        told: FloatArray = np.where(found, self._transitions.probabilities[at], 0.0)
        return told


def _ordered(groups: list[_Group]) -> Iterator[tuple[_Group, list[bool]]]:
    """Groups, each after all that showed its members earlier, and who of them is shown again."""
    chains: dict[int, deque[int]] = defaultdict(deque)
    for at in sorted(range(len(groups)), key=lambda at: groups[at].place):
        for person in groups[at].persons:
            chains[person].append(at)
    waiting, remembered = set(range(len(groups))), set[int]()

    def growth(at: int) -> tuple[int, int]:
        persons = groups[at].persons
        more = sum(len(chains[one]) > 1 for one in persons)
        return more - len(remembered.intersection(persons)), groups[at].place

    while waiting:
        ready = [at for at in waiting if all(chains[one][0] == at for one in groups[at].persons)]
        best = min(ready, key=growth)
        waiting.discard(best)
        persons = groups[best].persons
        for one in persons:
            chains[one].popleft()
        again = [bool(chains[one]) for one in persons]
        remembered.difference_update(persons)
        remembered.update(one for one, more in zip(persons, again, strict=True) if more)
        yield groups[best], again
