"""Pairs of beliefs: how far the two of each differ, and which two of many differ most.

The Jensen-Shannon divergence of two beliefs takes logarithms of all values. Between bounds it
follows from the squared Hellinger distance, ``h^2 = 1 - sum_i sqrt(p_i q_i)``, of which a product
of matrices gives as many as are wanted. In bits,

``h^2 <= JS <= min(1, h^2 / ln 2)``.

For both are sums over the values, and what a value adds to the one, over what it adds to the other,
depends on the ratio of its two probabilities alone: it is 1 where one of them is 0, and rises to
``1 / ln 2`` as they become equal.

So of many beliefs the two that differ most are found without comparing most of them: pairs that
cannot differ by more than two that were compared are passed over. Figures are those of pairs that
were compared, and as exact as if all had been.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.distance import negative_entropy
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["Pairs"]

_AT_ONCE = 2**14
"""Pairs that are compared at a time, few enough for the processor's cache."""

_LISTED = 2**18
"""Pairs of small groups that are listed at a time, and of a group that is small."""

_SCREENED = 2**19
"""Pairs of which the Hellinger distance is kept at a time."""

_ROUNDING = 1e-12
"""Largest error of Hellinger distances, and more."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct beliefs, to be compared in pairs."""

    beliefs: FloatArray
    """Shape (u, m). Distinct beliefs."""
    kind: IntArray
    """Shape (p,). Place among `beliefs` of the belief about each part."""

    @classmethod
    def of(cls, beliefs: FloatArray) -> Pairs:
        """Take the beliefs about the records of each part, (p, m)."""
        distinct, kind = np.unique(beliefs, axis=0, return_inverse=True)
        return cls(distinct, kind.ravel())

    @cached_property
    def _roots(self) -> FloatArray:
        return np.sqrt(self.beliefs)

    @cached_property
    def _negative(self) -> FloatArray:
        return negative_entropy(self.beliefs)

    def hellinger(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Squared Hellinger distance of some beliefs and others, shape (r, c); see the module."""
        squared: FloatArray = 1.0 - self._roots[rows] @ self._roots[columns].T
        return squared

    def divergence(self, left: IntArray, right: IntArray) -> FloatArray:
        """Divergence in bits of one belief and another, pair by pair, shape (b,)."""
        apart = np.empty(len(left))
        for first in range(0, len(left), _AT_ONCE):
            here = slice(first, first + _AT_ONCE)
            one, other = left[here], right[here]
            middle = negative_entropy((self.beliefs[one] + self.beliefs[other]) / 2.0)
            apart[here] = (self._negative[one] + self._negative[other]) / 2.0 - middle
        return np.clip(apart, 0.0, 1.0, out=apart)

    def largest(self, groups: Groups, progress: Progress = SILENT) -> FloatArray:
        """Largest divergence of two beliefs in each group of parts, in bits, shape (g,).

        Exact up to rounding; 0 of a single belief. Memory does not grow with the square of a group.
        """
        owned = np.sort(groups.owner * len(self.beliefs) + self.kind[groups.members])
        owner, kinds = np.divmod(owned[np.diff(owned, prepend=-1) > 0], len(self.beliefs))
        sets = Groups(kinds, np.searchsorted(owner, np.arange(len(groups) + 1)))
        figures = np.zeros(len(groups))
        pairs = sets.widths * (sets.widths - 1) // 2
        for group in np.flatnonzero(pairs > _LISTED).tolist():
            figures[group] = self.farthest(sets[group], progress)[0]
        some = np.flatnonzero((pairs > 0) & (pairs <= _LISTED))
        batch = np.cumsum(pairs[some]) // _LISTED
        for number in np.unique(batch).tolist():
            progress.poll()
            chosen = some[batch == number]
            left, right = _listed(sets.select(chosen))
            starts = np.cumsum(pairs[chosen]) - pairs[chosen]
            figures[chosen] = np.maximum.reduceat(self.divergence(left, right), starts)
        return figures

    def at_least(self, groups: Groups) -> FloatArray:
        """Figures that the largest divergence in each group is not below, in bits, shape (g,).

        They are those of each group's first part and others, and fast.
        """
        squared = np.empty(len(groups.members))
        first = self.kind[groups.members[groups.offsets[:-1]]]
        for start in range(0, len(squared), _AT_ONCE):
            here = slice(start, start + _AT_ONCE)
            mine = self._roots[first[groups.owner[here]]]
            others = self._roots[self.kind[groups.members[here]]]
            squared[here] = 1.0 - np.einsum("ij,ij->i", mine, others)
        return groups.max(squared)

    def farthest(self, kinds: IntArray, progress: Progress = SILENT) -> tuple[float, int, int]:
        """Find the two of some beliefs that diverge most.

        Args:
            kinds: Shape (k,). Distinct ones of the beliefs, at least one.

        Returns:
            Divergence in bits, and the places among `kinds` of the two beliefs.
        """
        # Far from any, and far from that: mostly nearly as far as any two are.
        far = int(self.hellinger(kinds[:1], kinds).argmax())
        other = int(self.hellinger(kinds[far : far + 1], kinds).argmax())
        most = float(self.divergence(kinds[[far]], kinds[[other]])[0]), far, other
        step = max(1, _SCREENED // len(kinds))
        for first in range(0, len(kinds), step):
            progress.poll()
            if most[0] >= 1.0:
                break
            squared = self.hellinger(kinds[first : first + step], kinds[first:])
            left, right = np.nonzero(squared > _hellinger(most[0]))
            order = np.argsort(-squared[left, right])
            left, right, bounds = left[order], right[order], squared[left, right][order]
            for start in range(0, len(order), _AT_ONCE):
                if bounds[start] <= _hellinger(most[0]):
                    break
                here = slice(start, start + _AT_ONCE)
                apart = self.divergence(kinds[first + left[here]], kinds[first + right[here]])
                place = int(apart.argmax())
                if apart[place] > most[0]:
                    found = start + place
                    most = float(apart[place]), first + int(left[found]), first + int(right[found])
        return most


def _hellinger(divergence: float) -> float:
    """Squared Hellinger distance that two beliefs exceed which diverge by more."""
    return divergence * math.log(2.0) - _ROUNDING


def _listed(sets: Groups) -> tuple[IntArray, IntArray]:
    """All pairs of members of each set, set after set."""
    place = np.arange(len(sets.members))
    later = sets.offsets[1:][sets.owner] - 1 - place
    left = np.repeat(place, later)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later)
    return sets.members[left], sets.members[right]
