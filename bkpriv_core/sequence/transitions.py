r"""Transitions: what is known of the next value of somebody whose past values are known.

A *context* is a sequence of somebody's latest values, as many as a piece of knowledge speaks of,
and knowledge gives the distribution of the next value for each context that it has. Of a person's
past, the longest context counts that agrees with it: knowledge *backs off* to it from whatever it
has not seen, and at last to the empty context, of which it knows nothing. There an adversary has
the belief about single releases, BKsv (Riboni, Pareschi, Bettini 2012 have 0 there, which is no
distribution).

Contexts are the nodes of a trie, newest value first, so that a node's parent is the context without
its oldest value. A suffix of a context is a node even if nothing is known of it as such; it then
says what its own longest suffix says.

Rules
-----
- Node 0 is the root; nodes stand depth after depth, and in ascending order of parent and value. A
  trie is written in one way only.
- Values are labels, of which a release need not have any, and the releases may have others: what
  knowledge does not name has no context.
- Contexts have at most `DEEPEST` values.
- Gaps in time do not count: the value before a value is that of the person's last appearance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["DEEPEST", "Listed", "Transitions", "constant"]

DEEPEST = 1000
"""Largest number of values of a context."""


@dataclass(frozen=True)
class Listed:
    """Transitions as rows, context after context."""

    histories: list[Labels]
    """The values of each row's context, oldest first."""
    following: list[str | None]
    probabilities: list[float]
    support: list[int] | None
    """Number of times that it was seen to follow, if knowledge was counted."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """Knowledge of how values follow one another, as a trie of contexts; see the module."""

    values: Labels
    """Labels of the values; a value's code here is its place."""
    parent: IntArray
    """Shape (v,). The node of each node's context less its oldest value; -1 for the root."""
    oldest: IntArray
    """Shape (v,). Oldest value of each node's context; -1 for the root."""
    offsets: IntArray
    """Shape (v + 1,). Node ``i`` has the next values ``following[offsets[i]:offsets[i + 1]]``; none
    if it is not known as such.
    """
    following: IntArray
    """Shape (f,). Codes of next values, ascending within a node."""
    probabilities: FloatArray
    """Shape (f,). Probabilities of the next values, above 0; they sum to 1 within a node."""
    support: IntArray | None = None
    """Shape (f,). Number of times that each was seen, if knowledge was counted."""

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def keys(self) -> IntArray:
        """Parent and oldest value of each node but the root as one number, ascending."""
        return self.parent[1:] * len(self.values) + self.oldest[1:]

    @cached_property
    def owner(self) -> IntArray:
        """Node of each next value, shape (f,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    @cached_property
    def depth(self) -> IntArray:
        """Length of each node's context, shape (v,)."""
        depth = np.zeros(len(self), dtype=np.int64)
        for first, last in self._levels():
            depth[first:last] = depth[self.parent[first]] + 1
        return depth

    @property
    def memory(self) -> int:
        """Length of the longest context."""
        return int(self.depth[-1])

    @cached_property
    def branches(self) -> BoolArray:
        """Mark nodes that are parents, shape (v,)."""
        branches = np.zeros(len(self), dtype=bool)
        branches[self.parent[1:]] = True
        return branches

    @cached_property
    def source(self) -> IntArray:
        """The node whose distribution each has: its own, or its longest suffix's; shape (v,).

        The root, which has none, stands for BKsv.
        """
        source = np.where(np.diff(self.offsets) > 0, np.arange(len(self)), -1)
        source[0] = 0
        for first, last in self._levels():
            level = source[first:last]
            source[first:last] = np.where(level < 0, source[self.parent[first:last]], level)
        return source

    def _levels(self) -> list[tuple[int, int]]:
        """Ranges of the nodes of each depth from 1."""
        levels, first = [], 1
        while first < len(self):
            last = int(np.searchsorted(self.parent, first))
            levels.append((first, last))
            first = last
        return levels

    def child(self, nodes: IntArray, values: IntArray) -> IntArray:
        """Node of each context lengthened by one older value, -1 where there is no such.

        Args:
            nodes: Shape (b,). Nodes.
            values: Shape (b,). Codes of values, -1 for those not known here.
        """
        if not len(self.keys):
            return np.full(len(nodes), -1, dtype=np.int64)
        keys = nodes * len(self.values) + values
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((self.keys[places] == keys) & (values >= 0), places + 1, -1)

    def listed(self) -> Listed:
        """Rows of the transitions that are known."""
        histories: list[Labels] = [()]
        for parent, oldest in zip(self.parent[1:].tolist(), self.oldest[1:].tolist(), strict=True):
            histories.append((self.values[oldest], *histories[parent]))
        return Listed(
            [histories[node] for node in self.owner.tolist()],
            [self.values[code] for code in self.following.tolist()],
            self.probabilities.tolist(),
            None if self.support is None else self.support.tolist(),
        )


def constant(values: Labels) -> Transitions:
    """Transitions of values that never change: each is followed by itself."""
    codes = np.arange(len(values), dtype=np.int64)
    root = np.array([-1], dtype=np.int64)
    return Transitions(
        values,
        np.concatenate((root, np.zeros_like(codes))),
        np.concatenate((root, codes)),
        np.concatenate(([0, 0], codes + 1)),
        following=codes,
        probabilities=np.ones(len(values)),
    )
