"""Sparse beliefs: many beliefs, each over a few of many values.

Belief about somebody after a release is spread over the values of a group, which are few even if a
domain has hundreds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Labels", "SparseBeliefs", "ranges", "recode"]

Labels = tuple[str | None, ...]
"""Labels of values, all different; NULL, where it counts as a value, is None."""


def recode(labels: Labels, others: Labels) -> IntArray:
    """Place of each label among others, -1 where it is not; shape (len(labels),)."""
    places = {label: place for place, label in enumerate(others)}
    return np.array([places.get(label, -1) for label in labels], dtype=np.int64)


def ranges(starts: IntArray, widths: IntArray) -> IntArray:
    """Consecutive integers from each start, so many as its width says, one range after another."""
    ends = np.cumsum(widths)
    total = int(ends[-1]) if len(ends) else 0
    within: IntArray = np.arange(total, dtype=np.int64) - np.repeat(ends - widths, widths)
    return within + np.repeat(starts, widths)


@dataclass(frozen=True, eq=False)
class SparseBeliefs:
    """Beliefs as rows of weights of values, in compressed form."""

    offsets: IntArray
    """Shape (b + 1,). Row ``i`` is ``weights[offsets[i]:offsets[i + 1]]``."""
    values: IntArray
    """Shape (f,). Codes of values, ascending within a row; -1 for one that has no code."""
    weights: FloatArray
    """Shape (f,). Weights of the values."""

    @classmethod
    def empty(cls) -> SparseBeliefs:
        """No rows."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(1, dtype=np.int64), none, np.zeros(0))

    @classmethod
    def joined(cls, several: list[SparseBeliefs]) -> SparseBeliefs:
        """Rows of several, one after another."""
        if not several:
            return cls.empty()
        widths = np.concatenate([one.widths for one in several])
        return cls(
            np.concatenate(([0], np.cumsum(widths))).astype(np.int64),
            np.concatenate([one.values for one in several]),
            np.concatenate([one.weights for one in several]),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def widths(self) -> IntArray:
        """Values of each row, shape (b,)."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> IntArray:
        """Row of each weight, shape (f,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.widths)

    def select(self, rows: IntArray) -> SparseBeliefs:
        """Rows at the places given, in that order."""
        widths = self.widths[rows]
        places = ranges(self.offsets[rows], widths)
        offsets = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        return SparseBeliefs(offsets, self.values[places], self.weights[places])

    def recoded(self, codes: IntArray) -> SparseBeliefs:
        """The same with value ``i`` called ``codes[i]``; rows keep their order."""
        return replace(self, values=codes[self.values])

    def dense(self, columns: IntArray, size: int) -> FloatArray:
        """Rows as a matrix of so many columns: value ``i`` in ``columns[i]``, unless that is -1."""
        matrix = np.zeros((len(self), size))
        column = columns[self.values]
        held = column >= 0
        matrix[self.owner[held], column[held]] = self.weights[held]
        return matrix
