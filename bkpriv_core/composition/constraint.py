"""Constraints: what the groups of several releases say about the values of persons.

Persons are numbered alike in all releases. If somebody's value changes, that is another person from
then on: releases before and after do not constrain each other about them.

*Refined* constraints say the same, but no group lies within another: a larger group is replaced by
the rest of it, with the difference of the values. A-E less A-D leaves E. If any two groups are
nested or disjoint, such as those of coarser and coarser releases, all fall apart into disjoint
ones. Each replacement can be undone, so nothing is lost.

An *atom* is all persons who are in the same groups. Constraints cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.composition.nesting import equal, nested
from bkpriv_core.errors import UnsoundHistory
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["ALONE", "Constraints", "told_apart", "unsound"]

ALONE = -1
"""Stand-in for the component, or the atom, of people who are in no group."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """The multiset of the values of each of some groups of persons."""

    members: Groups
    """Persons of each group; nobody is in a group twice."""
    histograms: IntArray
    """Shape (g, m). Number of members of each group with each value."""

    @classmethod
    def of(cls, history: History) -> Constraints:
        """Constraints by all groups of a history, with values in codes of its vocabulary.

        Raises:
            ValueError: If a release shows values that are not the actual ones: it constrains
                nothing.
        """
        return cls.joined(cls.of_each(history))

    @classmethod
    def of_each(cls, history: History) -> list[Constraints]:
        """Constraints by the groups of each release; see `of`."""
        constraints = []
        for step, codes in zip(history.steps, history.codes, strict=True):
            if step.shown is not None and (step.shown != step.actual).any():
                raise ValueError(f"release {step.release} shows values that nobody has")
            members = Groups(step.persons[step.groups.members], step.groups.offsets)
            shown = np.zeros((len(step.groups), len(history.vocabulary)), dtype=np.int64)
            shown[:, codes] = step.histograms
            constraints.append(cls(members, shown))
        return constraints

    @classmethod
    def joined(cls, several: Sequence[Constraints]) -> Constraints:
        """Constraints of several lists, at least one, each once.

        Raises:
            UnsoundHistory: If the same persons are said to have different values.
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
        """Return each constraint once; see `joined`."""
        first, same = equal(self.members)
        if (self.histograms != self.histograms[first[same]]).any():
            raise unsound("Two groups have the same members, and not the same values.")
        return self.select(np.sort(first))

    def components(self, persons: int) -> IntArray:
        """Least person of those whom groups connect, `ALONE` for who is in none, shape (n,)."""
        from scipy.sparse import csr_array  # slow to import, and only wanted here
        from scipy.sparse.csgraph import connected_components

        members, size = self.members, persons + len(self)
        ties = (np.ones(len(members.members)), (members.members, persons + members.owner))
        graph = csr_array(ties, shape=(size, size))
        label = connected_components(graph, directed=False)[1][:persons]
        least = np.full(size, persons)
        np.minimum.at(least, label, np.arange(persons))
        component = np.full(persons, ALONE)
        component[members.members] = least[label[members.members]]
        return component

    def by_component(self, persons: int) -> tuple[IntArray, list[IntArray]]:
        """Places of those that are components, and of those of each component of several."""
        if not len(self):
            return np.zeros(0, dtype=np.int64), []
        members = self.members
        mine = self.components(persons)[members.members[members.offsets[:-1]]]
        order = np.argsort(mine, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(mine[order])) + 1)
        single = [part for part in parts if len(part) == 1]
        several = [part for part in parts if len(part) > 1]
        return np.concatenate(single) if single else order[:0], several

    def atoms(self, persons: int) -> tuple[Constraints, IntArray, IntArray]:
        """Atoms in place of persons.

        Returns:
            atom: Shape (n,). The atom of each person, `ALONE` for people who are in no group.
            weights: Shape (a,). Persons of each atom.
        """
        order = np.argsort(self.members.members, kind="stable")
        who, group = self.members.members[order], self.members.owner[order]
        present, starts, counts = np.unique(who, return_index=True, return_counts=True)
        inside = np.zeros((len(present), int(counts.max(initial=0))), dtype=np.int64)
        row = np.repeat(np.arange(len(present)), counts)
        inside[row, np.arange(len(who)) - starts[row]] = group + 1
        first, kind, weights = distinct_rows(inside)
        atom = np.full(persons, ALONE)
        atom[present] = kind
        chosen = np.zeros(persons, dtype=bool)
        chosen[present[first]] = True
        held = chosen[self.members.members]
        ends = np.concatenate(([0], np.cumsum(held)))[self.members.offsets]
        return (
            Constraints(Groups(atom[self.members.members[held]], ends), self.histograms),
            atom,
            weights,
        )

    def refined(self, progress: Progress = SILENT) -> Constraints:
        """Derive the constraints that follow from these, none of whose groups lies within another.

        Raises:
            TooLarge: If too many groups overlap.
            UnsoundHistory: If a group has fewer records with a value than one within it.
        """
        refined = self.distinct()
        while True:
            progress.poll()
            outer, inner = _taken_out(refined.members, progress)
            if not len(outer):
                return refined
            refined = refined._without(outer, inner).distinct()

    def _without(self, outer: IntArray, inner: IntArray) -> Constraints:
        """Take groups that are disjoint out of others that they are within."""
        span = int(self.members.members.max()) + 1
        taken = self.members.select(inner)
        keys = outer[taken.owner] * span + taken.members
        kept = ~np.isin(self.members.owner * span + self.members.members, keys)
        histograms = self.histograms.copy()
        np.subtract.at(histograms, outer, self.histograms[inner])
        widths = np.bincount(self.members.owner[kept], minlength=len(self))
        if (histograms < 0).any() or histograms[widths == 0].any():
            raise unsound("A group has fewer records with a value than one within it.")
        offsets = np.concatenate(([0], np.cumsum(widths[widths > 0])))
        return Constraints(Groups(self.members.members[kept], offsets), histograms[widths > 0])


def _taken_out(members: Groups, progress: Progress) -> tuple[IntArray, IntArray]:
    """Pairs of a group and one within it; those within one group are disjoint."""
    outer, inner = nested(members, progress)
    if not len(inner):
        return outer, inner
    progress.poll()
    everybody = int(members.members.max()) + 1
    # The largest group at each member of the outer one; it is taken if it is that at all of its.
    pair = members.select(inner)
    key = outer[pair.owner] * everybody + pair.members
    order = np.lexsort((inner[pair.owner], -members.widths[inner[pair.owner]], key))
    largest = np.zeros(len(key), dtype=bool)
    largest[order] = np.diff(key[order], prepend=-1) > 0
    taken = pair.min(largest)
    return outer[taken], inner[taken]


def unsound(detail: str) -> UnsoundHistory:
    """Error about constraints that nothing agrees with."""
    return UnsoundHistory(
        "no values of people agree with all that the releases show",
        detail=detail,
        hint="No publication recorded them so.",
    )


def told_apart(history: History) -> tuple[History, IntArray]:
    """Make another person of everybody whose value changed, from then on.

    Returns:
        history: The same releases; numbers of new persons follow on those that there are.
        origin: Shape (n,). Original number of each person; of the first persons, their own. As many
            persons are new as it is longer than theirs.
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
