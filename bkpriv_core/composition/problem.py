"""Problems: kinds of people under constraints.

Persons of an atom whom every adversary believes the same of are one *kind*: what is inferred of one
of them is inferred of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.sequence.sparse import ranges
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["Kinds", "Problem", "split"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Kinds of people under constraints."""

    groups: Groups
    """Kinds under each constraint; every kind is under one."""
    histograms: IntArray
    """Shape (c, m). People under each constraint with each value."""
    weights: IntArray
    """Shape (k,). People of each kind, at least 1."""
    possible: BoolArray
    """Shape (k, m). Values that they may have, at least one for each, and none that a constraint
    does not show.
    """
    priors: FloatArray
    """Shape (a, k, m). Belief of each adversary about them."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of some people."""

    people: IntArray
    """Shape (q,)."""
    kind: IntArray
    """Shape (q,). Kind of each."""
    atom: IntArray
    """Shape (k,). Atom of each kind, ascending."""
    weights: IntArray
    """Shape (k,). People of each kind."""
    priors: FloatArray
    """Shape (a, k, m). Beliefs about them."""

    @classmethod
    def of(cls, people: IntArray, atom: IntArray, priors: tuple[FloatArray, ...]) -> Kinds:
        """Kinds of some people, of the atom of everybody and what is believed of everybody."""
        believed = np.zeros(len(people), dtype=np.int64)
        for prior in priors:
            rows = np.ascontiguousarray(prior[people]) + 0.0  # of 0 there are two
            same = rows.view(np.dtype((np.void, rows.strides[0]))).ravel()
            alike = np.unique(same, return_inverse=True)[1].astype(np.int64)
            believed = distinct_rows(np.stack((believed, alike), axis=1))[1]
        first, kind, weights = distinct_rows(np.stack((atom[people], believed), axis=1))
        chosen = people[first]
        return cls(
            people,
            kind,
            atom[chosen],
            weights,
            priors=np.stack([prior[chosen] for prior in priors]),
        )

    def __len__(self) -> int:
        return len(self.atom)

    @cached_property
    def _starts(self) -> IntArray:
        """Kinds of each atom, up to the last that has one: between each and the next."""
        starts: IntArray = np.searchsorted(self.atom, np.arange(self.atom[-1] + 2))
        return starts

    def problem(self, constraints: Constraints, high: IntArray) -> tuple[Problem, IntArray]:
        """Select the kinds whose atoms some constraints concern, and say which they are.

        Args:
            high: Shape (b, m). Upper bound of the people of each atom with each value.
        """
        starts, members = self._starts, constraints.members
        widths = np.diff(starts)[members.members]
        every = ranges(starts[members.members], widths)
        ends = np.concatenate(([0], np.cumsum(widths)))[members.offsets]
        here, place = np.unique(every, return_inverse=True)
        problem = Problem(
            Groups(place.astype(np.int64), ends),
            constraints.histograms,
            self.weights[here],
            high[self.atom[here]] > 0,
            priors=self.priors[:, here],
        )
        return problem, here


def split(groups: Groups, weights: IntArray, histograms: IntArray) -> IntArray:
    """People of each membership with each value, in some way that agrees with each group.

    Args:
        weights: Shape (e,). People of each membership.
        histograms: Shape (g, m). People of each group with each value.

    Returns:
        Shape (e, m).
    """
    counts = np.zeros((len(weights), histograms.shape[1]), dtype=np.int64)
    holder = np.repeat(np.arange(len(weights)), weights)
    value = np.tile(np.arange(histograms.shape[1]), len(groups))
    np.add.at(counts, (holder, np.repeat(value, histograms.ravel())), 1)
    return counts
