"""Prefixes: of an order of parts, the shortest beginning that meets every requirement as a group.

Sums over the parts that come first, over one, two and so on, are made of each other; so many
prefixes are judged at once, by sums all of them, and by inference those that hold by sums. Rules:

- It is given up to look where prefixes grow to twice their length, at least to 512 parts, and all
  that time break a requirement that large groups do not meet sooner than small ones, such as one on
  divergence.
- It is given up at once where a prefix breaks what any part of a group that meets it meets, such as
  divergence in pairs: all that are longer break it, too.
- Of prefixes of many parts not every one is tried by inference, but one in thirty-two or so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement import CountedRequirement, Requirement, satisfied
from bkpriv_core.table.groups import BoolArray, Groups, IntArray

__all__ = ["Prefixes"]

_FIRST = 32
"""Prefixes that are judged first; then as many as have been."""

_LARGE = 256
"""Parts from which on it is looked whether prefixes do not meet what they should as they grow."""

_GAPS = 32
"""Prefixes that are tried by inference while their length doubles."""


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Judge of prefixes."""

    threat: ThreatModel
    summed: Sequence[tuple[CountedRequirement, IntArray]]
    """Requirements that sums decide, and the addend of each part: the cheapest come first, but
    those that large groups may break before all.
    """
    inferred: Sequence[Requirement]

    @classmethod
    def of(cls, threat: ThreatModel, requirements: Sequence[Requirement]) -> Prefixes:
        """Sort requirements, all of which groups meet one by one."""
        ordered = sorted(requirements, key=lambda item: (item.coarse, item.cost))
        return cls(
            threat,
            [
                (item, item.counts(threat))
                for item in ordered
                if isinstance(item, CountedRequirement)
            ],
            [item for item in ordered if not isinstance(item, CountedRequirement)],
        )

    def shortest(self, order: IntArray) -> tuple[bool, int]:
        """Find the shortest prefix that holds.

        Args:
            order: Shape (q,). Parts.

        Returns:
            Whether there is one, and its length; if there is none, how far was looked.
        """
        sums = [np.zeros(columns.shape[1], dtype=np.int64) for _, columns in self.summed]
        begun = 0
        while begun < len(order):
            stop = min(begun + max(_FIRST, begun), len(order))
            taken = order[begun:stop]
            ends = np.arange(begun + 1, stop + 1)
            for place, (item, columns) in enumerate(self.summed):
                running = columns[taken].cumsum(axis=0)
                running += sums[place]
                sums[place] = running[-1]
                if ends.size:
                    ends = ends[item.met(self.threat, running[ends - begun - 1])]
                if not (ends.size or item.coarse) and begun >= _LARGE:
                    return False, stop
            last = self._last(order, begun, stop)
            held, end = self._inferred(order, ends[ends <= last])
            if held:
                return True, end
            if last < stop:
                return False, stop
            begun = stop
        return False, begun

    def _last(self, order: IntArray, begun: int, stop: int) -> int:
        """Longest prefix, of at most `stop` parts, that meets what is hereditary.

        That of `begun` parts does.
        """
        hereditary = [item for item in self.inferred if item.hereditary]
        low, tried, high = begun, stop, stop
        while hereditary and low < high:
            groups = Groups.from_lists([order[:tried]])
            if satisfied(hereditary, self.threat, groups).all():
                low = tried
            else:
                high = tried - 1
            tried = (low + high + 1) // 2
        return high

    def _inferred(self, order: IntArray, ends: IntArray) -> tuple[bool, int]:
        """Whether what is inferred holds at any of some ends, and the first of them."""
        if self.inferred and ends.size:
            ends = ends[self._sparse(ends)]
        tried = 0
        for count in (1, 4, 16, len(ends)):
            some = ends[tried : tried + count]
            if not some.size:
                break
            tried += count
            groups = Groups.from_lists([order[:end] for end in some.tolist()])
            met = satisfied(self.inferred, self.threat, groups)
            if met.any():
                return True, int(some[met.argmax()])
        return False, 0

    def _sparse(self, widths: IntArray) -> BoolArray:
        """Select widths to try: all small ones, and of large ones a few as they double."""
        steps = np.floor(_GAPS * np.log2(widths)).astype(np.int64)
        first: BoolArray = np.diff(steps, prepend=-1) > 0
        return first
