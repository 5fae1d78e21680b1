"""Recall: what is inferred of a group is remembered, and not inferred again.

Certification comes upon many a group more than once, and exploration tries policies one after the
other that differ only in their bounds. The disclosure of a group to adversaries depends on its
parts, on their beliefs about these and on the estimator, and on nothing else. Rules:

- Groups are the same if they have the same parts, in whatever order.
- Groups that contradict an adversary are not remembered: whether that is an error depends on who
  asks.
- Where too much is remembered, what was inferred first is forgotten first.
- Of posteriors only those of the most memberships are remembered, as they were asked for: those
  of a whole release, which is measured in several ways.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import pairwise

import numpy as np

from bkpriv_core.belief.posterior import Posterior, UsedArray
from bkpriv_core.table.groups import FloatArray, Groups

__all__ = ["BeliefCache"]

_MOST = 2**23
"""Numbers that are remembered, 64 MB."""

_BESIDE = 64
"""Numbers that take as much memory as what stands beside those of a group."""


class BeliefCache:
    """Figures of groups of one list of parts.

    Args:
        most: Limit of how many numbers are remembered, those of parts included.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._held = 0
        # A dict would look for its first item past all that were forgotten.
        self._known: OrderedDict[tuple[Hashable, bytes], tuple[FloatArray, int]] = OrderedDict()
        self._believed: tuple[Hashable, Groups, Posterior] | None = None

    def posterior(
        self, about: Hashable, groups: Groups, infer: Callable[[], Posterior]
    ) -> Posterior:
        """Posteriors of groups, which are not to be changed; inferred unless they are remembered.

        Args:
            about: Key of everything that the posteriors depend on besides the groups.
        """
        known = self._believed
        if (
            known is not None
            and known[0] == about
            and np.array_equal(known[1].members, groups.members)
            and np.array_equal(known[1].offsets, groups.offsets)
        ):
            return known[2]
        inferred = infer()
        numbers = sum(belief.size for belief in inferred.beliefs)
        largest = known is None or len(groups.members) >= len(known[1].members)
        if largest and numbers <= self._most:
            for belief in inferred.beliefs:
                belief.flags.writeable = False
            self._believed = about, groups, inferred
        return inferred

    def figures(
        self,
        about: Hashable,
        groups: Groups,
        infer: Callable[[Groups], tuple[FloatArray, UsedArray]],
    ) -> tuple[FloatArray, UsedArray]:
        """Figures of groups, inferred of those only that are not remembered.

        Args:
            about: Key of everything that the figures depend on besides the groups.
            infer: Infers figures of some of them, (a, e), and how each was inferred, (g,).

        Returns:
            figures: Shape (a, e). Figures of each membership.
            used: Shape (g,). Estimator of each group.
        """
        order = np.lexsort((groups.members, groups.owner))
        members = groups.members[order]
        data, size = members.tobytes(), members.itemsize
        ends = groups.offsets.tolist()
        keys = [(about, data[size * first : size * last]) for first, last in pairwise(ends)]
        found = [self._known.get(key) for key in keys]
        new = np.array([item is None for item in found], dtype=bool)
        fresh, ways = infer(groups.select(new))
        used = np.empty(len(groups), dtype=np.int8)
        used[new] = ways
        figures = np.empty((len(fresh), len(members)))
        rows = new[groups.owner]
        figures[:, rows] = fresh
        known = [item for item in found if item is not None]
        if known:
            used[~new] = [way for _, way in known]
            figures[:, order[~rows]] = np.concatenate([item for item, _ in known], axis=1)
        lasting = new & ~groups.max(~np.isfinite(figures).T).any(axis=1)
        ranked = figures[:, order]
        for group in np.flatnonzero(lasting).tolist():
            mine = ranked[:, ends[group] : ends[group + 1]].copy()
            self._remember(keys[group], mine, int(used[group]))
        return figures, used

    def _remember(self, key: tuple[Hashable, bytes], figures: FloatArray, used: int) -> None:
        if key not in self._known:
            self._known[key] = figures, used
            self._held += _numbers(key, figures)
        while self._held > self._most:
            oldest, (forgotten, _) = self._known.popitem(last=False)
            self._held -= _numbers(oldest, forgotten)


def _numbers(key: tuple[Hashable, bytes], figures: FloatArray) -> int:
    return len(key[1]) // figures.itemsize + figures.size + _BESIDE
