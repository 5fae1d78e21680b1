"""Prefixes: of an order of parts, the shortest beginning that meets every requirement as a group.

Sums over the parts that come first, over one, two and so on, are made of each other; so many
prefixes are judged at once, by sums all of them, and by inference those that hold by sums. Rules:

- It is given up to look where prefixes grow to twice their length, at least to 512 parts, and all
  that time break a requirement that large groups do not meet sooner than small ones, such as one on
  divergence.
- It is given up at once where a prefix breaks what any part of a group that meets it meets, such as
  divergence in pairs: all that are longer break it, too.
- Of prefixes of many parts not every one is tried by inference, but one in thirty-two or so.
- Requirements on all groups together, such as (c,k)-safety, are broken by what breaks them by
  itself. If groups that do not are not safe together, all are formed anew, to disclose less by
  themselves than the least of those that would have to be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.setting import Setting
from bkpriv_core.requirement import (
    Bound,
    CountedRequirement,
    JointRequirement,
    Requirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["Prefixes", "formed_together"]

_FIRST = 32
"""Prefixes that are judged first; then as many as have been."""

_LARGE = 256
"""Parts from which on it is looked whether prefixes do not meet what they should as they grow."""

_GAPS = 32
"""Prefixes that are tried by inference while their length doubles."""

_TIGHTENED = 16
"""How often all groups are formed anew."""


_Judged = Callable[[IntArray], npt.NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class _Summed:
    """A requirement that sums decide.

    Parameters
    ----------
    columns : (p, x) int array
        What each part adds.
    met : callable
        Which groups, of sums of shape (g, x), meet it.
    coarse : bool
        See `Requirement.coarse`.
    """

    columns: IntArray
    met: _Judged
    coarse: bool


@dataclass(frozen=True, eq=False)
class Prefixes:
    """What judges prefixes.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    summed : sequence of _Summed
        What sums decide: the cheapest come first, but those that large groups may break before all.
    inferred : sequence of Requirement
        What sums do not decide.
    """

    setting: Setting
    summed: Sequence[_Summed]
    inferred: Sequence[Requirement]

    @classmethod
    def of(
        cls,
        setting: Setting,
        alone: Sequence[Requirement],
        joint: Sequence[tuple[JointRequirement, Bound]],
    ) -> Prefixes:
        """Sort requirements on each group by itself, and bounds on those on all together."""
        alone = sorted(alone, key=lambda item: (item.coarse, item.cost))
        counted = [item for item in alone if isinstance(item, CountedRequirement)]
        inferred = [item for item in alone if not isinstance(item, CountedRequirement)]

        def kept(item: JointRequirement, bound: Bound) -> _Judged:
            return lambda histograms: ~bound.broken(item.by_itself(setting, histograms))

        summed = [
            _Summed(item.counts(setting), partial(item.met, setting), item.coarse)
            for item in counted
        ]
        together = [_Summed(setting.parts.counts, kept(*both), True) for both in joint]
        return cls(setting, [*summed, *together], inferred)

    def shortest(self, order: IntArray) -> tuple[bool, int]:
        """Find the shortest prefix that holds.

        Parameters
        ----------
        order : (q,) int array
            Parts.

        Returns
        -------
        bool, int
            Whether there is one, and its length; if there is none, how far was looked.
        """
        sums = [np.zeros(item.columns.shape[1], dtype=np.int64) for item in self.summed]
        begun = 0
        while begun < len(order):
            stop = min(begun + max(_FIRST, begun), len(order))
            taken = order[begun:stop]
            ends = np.arange(begun + 1, stop + 1)
            for place, item in enumerate(self.summed):
                running = item.columns[taken].cumsum(axis=0)
                running += sums[place]
                sums[place] = running[-1]
                if ends.size:
                    ends = ends[item.met(running[ends - begun - 1])]
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
            if satisfied(hereditary, self.setting, groups).all():
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
            met = satisfied(self.inferred, self.setting, groups)
            if met.any():
                return True, int(some[met.argmax()])
        return False, 0

    def _sparse(self, widths: IntArray) -> npt.NDArray[np.bool_]:
        """Which of some widths to try: all small ones, and of large ones a few as they double."""
        steps = np.floor(_GAPS * np.log2(widths)).astype(np.int64)
        first: npt.NDArray[np.bool_] = np.diff(steps, prepend=-1) > 0
        return first


def formed_together(
    setting: Setting,
    requirements: Sequence[Requirement],
    form: Callable[[Prefixes], Groups],
) -> Groups:
    """Form groups of which each meets what groups meet by themselves, so that all do together.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries; beliefs are estimated by omega.
    requirements : sequence of Requirement
        What groups must meet.
    form : callable
        Forms them, each a prefix that holds; called anew, with stricter judgement, as long as they
        do not meet all requirements together.

    Returns
    -------
    Groups
        What was formed last.
    """
    alone, joint = alone_and_joint(requirements)
    bounds = [(item, bound) for item in joint for bound in item.bounds]
    for _ in range(_TIGHTENED):
        groups = form(Prefixes.of(setting, alone, bounds))
        met = satisfied(joint, setting, groups)
        if met.all():
            break
        left_out = setting.parts.histograms(groups.select(~met))
        bounds = [
            (item, replace(bound, threshold=_least(setting, item, left_out), strict=True))
            for item, bound in bounds
        ]
    return groups


def _least(setting: Setting, requirement: JointRequirement, histograms: IntArray) -> float:
    return float(requirement.by_itself(setting, histograms).min())
