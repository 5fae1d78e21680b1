"""Problems: kinds of people under constraints.

Persons of an atom whom every adversary believes the same of are one *kind*: what is inferred of one
of them is inferred of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.sequence.sparse import ranges
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.together.constraint import Constraints

__all__ = ["Kinds", "Problem", "split"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Kinds of people under constraints.

    Parameters
    ----------
    groups : Groups
        Kinds under each constraint; every kind is under one.
    histograms : (c, m) int array
        People under each constraint with each value.
    weights : (k,) int array
        People of each kind, at least 1.
    possible : (k, m) bool array
        Values that they may have, at least one for each, and none that a constraint does not show.
    priors : (a, k, m) float array
        Belief of each adversary about them.
    """

    groups: Groups
    histograms: IntArray
    weights: IntArray
    possible: BoolArray
    priors: FloatArray


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of some people.

    Parameters
    ----------
    people : (q,) int array
    kind : (q,) int array
        Kind of each.
    atom : (k,) int array
        Atom of each kind, ascending.
    weights : (k,) int array
        People of each kind.
    priors : (a, k, m) float array
        Beliefs about them.
    """

    people: IntArray
    kind: IntArray
    atom: IntArray
    weights: IntArray
    priors: FloatArray

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

        Parameters
        ----------
        constraints : Constraints
            Constraints on atoms.
        high : (b, m) int array
            Upper bound of the people of each atom with each value.
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

    Parameters
    ----------
    groups : Groups
        Groups of kinds.
    weights : (e,) int array
        People of each membership.
    histograms : (g, m) int array
        People of each group with each value.

    Returns
    -------
    (e, m) int array
    """
    counts = np.zeros((len(weights), histograms.shape[1]), dtype=np.int64)
    holder = np.repeat(np.arange(len(weights)), weights)
    value = np.tile(np.arange(histograms.shape[1]), len(groups))
    np.add.at(counts, (holder, np.repeat(value, histograms.ravel())), 1)
    return counts
