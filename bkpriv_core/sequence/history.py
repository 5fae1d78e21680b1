"""Histories: releases about the same persons, and the members of each.

A *step* is a release whose records are told apart, one for each person, with its place in time.
Steps stand in the order of publication. Several may be of one period, in which a person has one
value. A *look* is one person's record in a group of one step, which an adversary can look at;
records that a release suppressed are no looks.

Publication may leave the order of time. The *course* of a step is the list of steps that an
adversary infers from to judge it: those published by then, of no later period, in the order of
time. An adversary may then know more of one of these steps than when it appeared, if a release of
an earlier period was published in the meantime.

The *past* of a person before a step is the list of earlier periods in which earlier steps show the
person, newest first, each by the look published last; a later period is not past. There may also be
a look of the step's own period, which says more than any past; see `History.past`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.sequence.revision import Past
from bkpriv_core.sequence.sparse import Labels, SparseBeliefs, recode
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, FloatArray, Groups, IntArray

__all__ = ["History", "Observations", "SequenceRelease"]


@dataclass(frozen=True, eq=False)
class SequenceRelease:
    """A release in a history."""

    release: int
    labels: Labels
    """Labels of the sensitive values that the release has."""
    persons: IntArray
    """Shape (p,). Respondent of each record; numbers are the same in all steps, and no person has
    two records in one.
    """
    actual: IntArray
    """Shape (p,). Code of the sensitive value that each record has."""
    groups: Groups
    """The groups of records in which they were published; none, of a release that is still to be
    made.
    """
    when: int
    """Place in time; equal for releases of one period."""
    shown: IntArray | None = None
    """Shape (p,). Code of the sensitive value that each record is shown with, if some are not the
    actual ones.
    """

    def __post_init__(self) -> None:
        if np.bincount(self.persons).max(initial=0) > 1:
            raise ValueError("a person has one record in a step")

    @property
    def counts(self) -> IntArray:
        """Records of each shown with each value, as parts have them: shape (p, m)."""
        counts = np.zeros((len(self.actual), len(self.labels)), dtype=np.int64)
        counts[np.arange(len(self.actual)), self._values] = 1
        return counts

    @property
    def _values(self) -> IntArray:
        return self.actual if self.shown is None else self.shown

    @cached_property
    def histograms(self) -> IntArray:
        """Records of each group shown with each sensitive value, shape (g, m)."""
        shape = (len(self.groups), len(self.labels))
        places = self.groups.owner * shape[1] + self._values[self.groups.members]
        histograms: IntArray = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
        return histograms

    @cached_property
    def pattern(self) -> tuple[IntArray, IntArray]:
        """Values of each membership's group: offsets (e + 1,) and codes in `labels`, ascending."""
        group, value = np.nonzero(self.histograms)
        of_groups = Groups(value, np.searchsorted(group, np.arange(len(self.groups) + 1)))
        of_members = of_groups.select(self.groups.owner)
        return of_members.offsets, of_members.members

    def compact(self, beliefs: FloatArray) -> FloatArray:
        """Beliefs, (e, m), after the release at the values of each membership's group alone."""
        offsets, values = self.pattern
        owner = np.repeat(np.arange(len(beliefs)), np.diff(offsets))
        compact: FloatArray = beliefs[owner, values]
        return compact


@dataclass(frozen=True, eq=False)
class Observations:
    """Every membership of every step, step after step."""

    persons: IntArray
    steps: IntArray
    when: IntArray
    """Shape (l,). Person of each look, the place of its step, and its place in time."""
    first: IntArray
    """Shape (steps + 1,). The looks of step ``i`` are those from ``first[i]`` to ``first[i +
    1]``.
    """
    order: IntArray
    """Shape (l,). Looks person by person, in the order of time, then of publication."""


@dataclass(frozen=True, eq=False)
class History:
    """Releases in the order of publication."""

    steps: tuple[SequenceRelease, ...]

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def vocabulary(self) -> Labels:
        """Labels of the sensitive values of all steps, as they first occur."""
        return tuple(dict.fromkeys(label for step in self.steps for label in step.labels))

    @cached_property
    def codes(self) -> tuple[IntArray, ...]:
        """Place of each label of each step in the vocabulary."""
        return tuple(recode(step.labels, self.vocabulary) for step in self.steps)

    @cached_property
    def looks(self) -> Observations:
        """Looks of the whole history."""
        widths = [len(step.groups.members) for step in self.steps]
        persons = np.concatenate([step.persons[step.groups.members] for step in self.steps])
        steps = np.repeat(np.arange(len(self), dtype=np.int64), widths)
        when = np.repeat(np.array([step.when for step in self.steps], dtype=np.int64), widths)
        first = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        return Observations(persons, steps, when, first, order=np.lexsort((steps, when, persons)))

    def course(self, place: int) -> tuple[int, ...]:
        """Places of the steps that a step is believed by, in the order of time; its own is last."""
        when = [step.when for step in self.steps[: place + 1]]
        in_time = sorted(range(place + 1), key=when.__getitem__)
        return tuple(other for other in in_time if when[other] <= when[place])

    def along(self, course: tuple[int, ...]) -> History:
        """The history of such a course alone; this one, if it begins so."""
        if course == tuple(range(len(course))):
            return self
        return History(tuple(self.steps[place] for place in course))

    def beliefs(self, place: int, compact: FloatArray) -> SparseBeliefs:
        """Beliefs after a step, as `SequenceRelease.compact` gives them, by the vocabulary."""
        offsets, values = self.steps[place].pattern
        return SparseBeliefs(offsets, self.codes[place][values], compact)

    def shown(self, place: int, compact: Mapping[int, FloatArray]) -> SparseBeliefs:
        """Beliefs about all looks before a step, as `beliefs` gives them; of other steps none.

        Args:
            compact: Beliefs after steps, by place, as `SequenceRelease.compact` gives them.
        """
        first = self.looks.first
        widths = np.zeros(int(first[place]), dtype=np.int64)
        several = [self.beliefs(other, compact[other]) for other in sorted(compact)]
        for other, beliefs in zip(sorted(compact), several, strict=True):
            widths[first[other] : first[other + 1]] = beliefs.widths
        joined = SparseBeliefs.joined(several)
        offsets = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        return SparseBeliefs(offsets, joined.values, joined.weights)

    def past(self, place: int) -> tuple[Past, IntArray]:
        """Earlier looks at the persons of a step.

        Returns:
            past: Looks at earlier periods, newest first, for each record of the step.
            again: Shape (p,). The look published last at the same period, -1 if there is none.
        """
        step, looks = self.steps[place], self.looks
        persons = step.persons
        record = np.full(
            1 + max(int(persons.max(initial=0)), int(looks.persons.max(initial=0))), -1
        )
        record[persons] = np.arange(len(persons))
        order = looks.order
        order = order[
            (looks.steps[order] < place)
            & (looks.when[order] <= step.when)
            & (record[looks.persons[order]] >= 0)
        ]
        # Of one person's looks at one period the last.
        who, when = looks.persons[order], looks.when[order]
        last = np.ones(len(order), dtype=bool)
        last[:-1] = (who[1:] != who[:-1]) | (when[1:] != when[:-1])
        order = order[last]
        now = looks.when[order] == step.when
        again = np.full(len(persons), -1, dtype=np.int64)
        again[record[looks.persons[order[now]]]] = order[now]
        newest_first = order[~now][::-1]
        owner = record[looks.persons[newest_first]]
        by_record = np.argsort(owner, kind="stable")
        counts = np.bincount(owner, minlength=len(persons))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return Past(newest_first[by_record], offsets), again

    def repeated(self, place: int, constant: bool) -> BoolArray:
        """Mark groups of a step that an earlier step had already, with the same persons and values.

        Nobody of the group may have been seen since, in any of the steps that are looked at: what
        was learnt there about one of them, the group tells of the others.

        Args:
            constant: Whether values never change. Otherwise, steps of the same period are looked at
                alone.

        Returns:
            Shape (g,).
        """
        step, looks, before = self.steps[place], self.looks, int(self.looks.first[place])
        persons, groups = step.persons[step.groups.members], step.groups
        repeated = np.zeros(len(groups), dtype=bool)
        # Only steps that show somebody of a group are looked at, and of each group the last.
        last = np.full(1 + int(looks.persons.max(initial=0)), -1)
        counted = np.ones(before, dtype=bool) if constant else looks.when[:before] == step.when
        last[persons] = 0
        counted &= last[looks.persons[:before]] == 0
        last[persons] = -1
        np.maximum.at(last, looks.persons[:before][counted], looks.steps[:before][counted])
        latest = groups.max(last[persons])
        for other in np.unique(latest[latest >= 0]).tolist():
            earlier = self.steps[other]
            label = np.full(1 + int(max(persons.max(initial=0), earlier.persons.max())), SUPPRESSED)
            label[earlier.persons] = earlier.groups.labels(len(earlier.persons))
            theirs = label[persons]
            of_group = groups.min(theirs)
            alike = (of_group == groups.max(theirs)) & (of_group >= 0) & (latest == other)
            within = np.flatnonzero(alike)
            # A group of as many records with each value has no other members.
            same = self._shown(place, within) == self._shown(other, of_group[within])
            repeated[within] = same.all(axis=1)
        return repeated

    def _shown(self, place: int, groups: IntArray) -> IntArray:
        """Records of some groups with each value of the vocabulary, (b, len(vocabulary))."""
        shown = np.zeros((len(groups), len(self.vocabulary)), dtype=np.int64)
        shown[:, self.codes[place]] = self.steps[place].histograms[groups]
        return shown

    def corpus(self, place: int) -> tuple[IntArray, IntArray]:
        """Original values of all records up to and including a step's.

        Suppressed ones are among them. Of one person's records of one period the last published
        counts.

        Returns:
            persons, codes: Shape (r,). Person and value of each, in codes of the vocabulary; in the
                order of person and time.
        """
        steps = self.steps[: place + 1]
        widths = [len(step.persons) for step in steps]
        persons = np.concatenate([step.persons for step in steps])
        when = np.repeat(np.array([step.when for step in steps], dtype=np.int64), widths)
        codes = np.concatenate(
            [codes[step.actual] for codes, step in zip(self.codes, steps, strict=False)]
        )
        order = np.lexsort((when, persons))  # stable: publication decides between equal ones
        who, then = persons[order], when[order]
        last = np.ones(len(order), dtype=bool)
        last[:-1] = (who[1:] != who[:-1]) | (then[1:] != then[:-1])
        return who[last], codes[order[last]]
