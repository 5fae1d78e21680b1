"""Groups of parts, and sums over them.

A *cell* is a distinct combination of quasi-identifier values, a *part* is some or all of its
records (see `parts`), and a *group* (equivalence class) is a set of parts whose records are
published alike. That a part is in a group is a *membership*. Thousands of groups, or of candidate
groups that may share parts, are handled at once: the members of all groups stand in one array,
group after group, and a reduction over groups is one call of ``ufunc.reduceat``.

Shapes used everywhere in this package: ``n`` records, ``c`` cells, ``p`` parts, ``m`` sensitive
values, ``d`` quasi-identifiers, ``g`` groups, ``e`` memberships (the sum of the groups' widths).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SUPPRESSED", "AnyArray", "BoolArray", "FloatArray", "Groups", "IntArray"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]

SUPPRESSED = -1
"""The label of a part whose records are not published."""

_LARGE = 100_000
"""Number of figures above which a sparse product adds up rows several times faster than numpy."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Non-empty groups of parts in compressed form."""

    members: IntArray
    """Shape (e,). Parts of group 0, then of group 1, and so on."""
    offsets: IntArray
    """Shape (g + 1,). Group ``i`` is ``members[offsets[i]:offsets[i + 1]]``; strictly
    increasing.
    """

    @classmethod
    def from_labels(cls, labels: IntArray) -> Groups:
        """Build groups from the label of each part.

        Labels are dense integers from 0; parts labelled `SUPPRESSED` belong to no group. Within a
        group parts stand in ascending order.
        """
        order = np.argsort(labels, kind="stable").astype(np.int64)
        order = order[np.searchsorted(labels[order], 0) :]
        counts = np.bincount(labels[order]) if order.size else np.zeros(0, np.int64)
        return cls(order, np.concatenate(([0], np.cumsum(counts))).astype(np.int64))

    @classmethod
    def from_lists(cls, lists: Sequence[IntArray]) -> Groups:
        """Build groups from one array of parts per group."""
        if not lists:
            return cls(np.zeros(0, np.int64), np.zeros(1, np.int64))
        widths = [len(members) for members in lists]
        return cls(np.concatenate(lists).astype(np.int64), np.concatenate(([0], np.cumsum(widths))))

    @classmethod
    def from_rows(cls, rows: IntArray) -> Groups:
        """Build groups from the rows of a matrix, or from single parts."""
        width = rows.shape[1] if rows.ndim == 2 else 1
        return cls(rows.ravel(), width * np.arange(len(rows) + 1))

    @classmethod
    def joined(cls, lists: Sequence[Groups]) -> Groups:
        """Join lists of groups, one after the other."""
        if not lists:
            return cls.from_lists([])
        widths = np.concatenate([groups.widths for groups in lists])
        return cls(
            np.concatenate([groups.members for groups in lists]),
            np.concatenate(([0], np.cumsum(widths))).astype(np.int64),
        )

    @classmethod
    def whole(cls, parts: int) -> Groups:
        """Put all of so many parts into one group."""
        return cls(np.arange(parts, dtype=np.int64), np.array([0, parts], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[IntArray]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, group: int) -> IntArray:
        return self.members[self.offsets[group] : self.offsets[group + 1]]

    @property
    def widths(self) -> IntArray:
        """Number of parts of each group, shape (g,)."""
        return np.diff(self.offsets)

    @cached_property
    def owner(self) -> IntArray:
        """Group of each membership, shape (e,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.widths)

    def labels(self, parts: int) -> IntArray:
        """Label of each of so many parts, `SUPPRESSED` where it is in no group."""
        labels = np.full(parts, SUPPRESSED, dtype=np.int64)
        labels[self.members] = self.owner
        return labels

    def select(self, chosen: AnyArray) -> Groups:
        """Keep the groups of a boolean mask or index array, in that order."""
        index = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        widths = self.widths[index]
        offsets = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        shift = np.repeat(self.offsets[index] - offsets[:-1], widths)
        return Groups(self.members[np.arange(offsets[-1]) + shift], offsets)

    def taken(self, memberships: IntArray) -> Groups:
        """Keep some memberships, rising, of each group, and the groups that have any."""
        widths = np.bincount(self.owner[memberships], minlength=len(self))
        offsets = np.concatenate(([0], np.cumsum(widths[widths > 0]))).astype(np.int64)
        return Groups(self.members[memberships], offsets)

    def united(self, which: Groups) -> Groups:
        """Unite some of these groups each, of which no two have a part in common."""
        chosen = self.select(which.members)
        return Groups(chosen.members, chosen.offsets[which.offsets])

    def chunks(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of consecutive groups with at most `size` memberships, or of one larger group."""
        first = 0
        while first < len(self):
            end = np.searchsorted(self.offsets, self.offsets[first] + size, side="right") - 1
            last = max(int(end), first + 1)
            yield first, last
            first = last

    def sum(self, per_member: AnyArray) -> AnyArray:
        """Add up per-membership figures, shape (e, ...), within each group: shape (g, ...)."""
        wide = per_member.ndim == 2 and per_member.dtype in (np.float64, np.int64)
        if wide and per_member.size >= _LARGE:
            from scipy.sparse import csr_array  # slow to import, and only wanted here

            edges = len(per_member)
            ones = np.ones(edges, dtype=per_member.dtype)
            shape = len(self), edges
            total: AnyArray = csr_array((ones, np.arange(edges), self.offsets), shape) @ per_member
            return total
        return self._reduce(np.add, per_member)

    def max(self, per_member: AnyArray) -> AnyArray:
        """Largest per-membership figure of each group."""
        return self._reduce(np.maximum, per_member)

    def min(self, per_member: AnyArray) -> AnyArray:
        """Smallest per-membership figure of each group."""
        return self._reduce(np.minimum, per_member)

    def of_columns(self, ufunc: np.ufunc, columns: AnyArray) -> AnyArray:
        """Reduce figures of parts, one contiguous column each, within groups: (x, p) to (g, x).

        The same as `sum` and the like of memberships. A column fits a cache where rows do not, so
        of many memberships it takes a third of the time.
        """
        reduced = np.zeros((len(self), len(columns)), dtype=columns.dtype)
        if len(self):
            for place, column in enumerate(columns):
                ufunc.reduceat(column.take(self.members), self.offsets[:-1], out=reduced[:, place])
        return reduced

    def _reduce(self, ufunc: np.ufunc, per_member: AnyArray) -> AnyArray:
        if not len(self):
            return np.zeros((0, *per_member.shape[1:]), dtype=per_member.dtype)
        reduced: AnyArray = ufunc.reduceat(per_member, self.offsets[:-1], axis=0)
        return reduced
