"""Constraints: what the groups of several releases say about the values of persons.

Persons are numbered alike in all releases. One whose value changed is another person from then on:
nothing that was shown of him before constrains what is shown of him later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.errors import UnsoundHistory
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["Constraints", "told_apart"]


@dataclass(frozen=True, eq=False)
class Constraints:
    """The multiset of the values of each of some groups of persons.

    Parameters
    ----------
    members : Groups
        Persons of each group; nobody is in a group twice.
    histograms : (g, m) int array
        How many of them have each value.
    """

    members: Groups
    histograms: IntArray

    @classmethod
    def of(cls, history: History) -> Constraints:
        """Constraints by all groups of a history, with values in codes of its vocabulary.

        Raises
        ------
        ValueError
            If a release shows values that are not the actual ones: it constrains nothing.
        """
        groups, histograms = [], []
        for step, codes in zip(history.steps, history.codes, strict=True):
            if step.shown is not None and (step.shown != step.actual).any():
                raise ValueError(f"release {step.release} shows values that nobody has")
            groups.append(Groups(step.persons[step.groups.members], step.groups.offsets))
            shown = np.zeros((len(step.groups), len(history.vocabulary)), dtype=np.int64)
            shown[:, codes] = step.histograms
            histograms.append(shown)
        return cls.joined([cls(*each) for each in zip(groups, histograms, strict=True)])

    @classmethod
    def joined(cls, several: Sequence[Constraints]) -> Constraints:
        """Constraints of several lists, at least one, each once.

        Raises
        ------
        UnsoundHistory
            If the same persons are said to have different values.
        """
        every = cls(
            Groups.joined([each.members for each in several]),
            np.concatenate([each.histograms for each in several]),
        )
        return every.distinct()

    def __len__(self) -> int:
        return len(self.members)

    def select(self, chosen: IntArray) -> Constraints:
        """Constraints at some places, in that order."""
        return Constraints(self.members.select(chosen), self.histograms[chosen])

    def distinct(self) -> Constraints:
        """Each constraint once; see `joined`."""
        first, same = _equal(self.members)
        if (self.histograms != self.histograms[first[same]]).any():
            raise UnsoundHistory(
                "the same people are shown with different values",
                detail="Two groups have the same members, and not the same values.",
                hint="No publication recorded them so.",
            )
        return self.select(np.sort(first))


def _equal(groups: Groups) -> tuple[IntArray, IntArray]:
    """Find groups of the same members.

    Returns
    -------
    first : (u,) int array
        The first group of each kind.
    same : (g,) int array
        The kind of each group.
    """
    kinds: dict[bytes, int] = {}
    order = np.lexsort((groups.members, groups.owner))
    rows = groups.members[order]
    same = np.empty(len(groups), dtype=np.int64)
    for group in range(len(groups)):
        key = rows[groups.offsets[group] : groups.offsets[group + 1]].tobytes()
        same[group] = kinds.setdefault(key, len(kinds))
    return np.unique(same, return_index=True)[1], same


def told_apart(history: History) -> tuple[History, IntArray]:
    """Make another person of everybody whose value changed, from then on.

    Returns
    -------
    history : History
        The same releases; numbers of new persons follow on those that there are.
    origin : (n,) int array
        Whom each number stood for before; of the first persons, themselves. As many are new as it
        is longer than theirs.
    """
    persons = np.concatenate([step.persons for step in history.steps])
    values = np.concatenate(
        [codes[step.actual] for step, codes in zip(history.steps, history.codes, strict=True)]
    )
    known = int(persons.max(initial=-1)) + 1
    order = np.argsort(persons, kind="stable")
    who, value = persons[order], values[order]
    changed = np.zeros(len(order), dtype=bool)
    changed[1:] = (who[1:] == who[:-1]) & (value[1:] != value[:-1])
    # The number that holds from a look on: that of the last change, or of nobody before it.
    number = np.where(changed, known - 1 + np.cumsum(changed), -1)
    starts = np.flatnonzero(np.diff(who, prepend=-1))
    number[starts] = who[starts]
    last = np.maximum.accumulate(np.where(number >= 0, np.arange(len(number)), 0))
    renumbered = np.empty_like(persons)
    renumbered[order] = number[last]
    ends = np.cumsum([len(step.persons) for step in history.steps])[:-1]
    steps = tuple(
        replace(step, persons=mine)
        for step, mine in zip(history.steps, np.split(renumbered, ends), strict=True)
    )
    return History(steps), np.concatenate((np.arange(known), who[changed]))
