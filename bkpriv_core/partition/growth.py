"""Growth: groups are grown along an order, each until it meets every requirement.

A group begins with the first part in the order that is in none, and takes up one part after the
other. It is closed as soon as all requirements hold, and the next one begins (Riboni, Pareschi,
Bettini 2012, algorithm 4). Rules:

- Where a group does not hold before the order ends, the part that it begins with is *left over*,
  and the next one begins a group. (The algorithm leaves over all that comes after it, too.) It is
  given up before, if it grows to twice its size, at least to 512 parts, and all that time breaks a
  requirement that large groups do not meet sooner than small ones, such as one on divergence.
- What is left over behind the last group joins it, if that then holds.
- Where one part after the other is left over, ever more are at once. So much is tried in vain as is
  in proportion to the number of parts; then the rest is left over.
- Of a group with many parts not every end is tried by inference, but one in thirty-two or so.
- Requirements on all groups together, such as (c,k)-safety, are broken by what breaks them by
  itself. If groups that do not are not safe together, all are grown anew, to disclose less by
  themselves than the least of those that would have to be left out.

Sums over the groups that end after one part, after two, and so on, are made of each other; so many
are judged at once, by sums all of them, and by inference those that hold by sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.setting import Setting
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import (
    Bound,
    CountedRequirement,
    JointRequirement,
    Requirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["grow"]

_FIRST = 32
"""Ends that are judged first; then as many as the group has parts."""

_LARGE = 256
"""Parts from which on it is looked whether a group does not meet what it should as it grows."""

_PATIENCE = 8
"""Parts in a row that are left over by themselves, before two at once are, then three."""

_IN_VAIN = 64
"""Ends that are judged in vain, for each part, before the rest is left over."""

_GAPS = 32
"""Ends that are tried by inference while a group doubles."""

_TIGHTENED = 16
"""How often all groups are grown anew."""


def grow(
    setting: Setting,
    requirements: Sequence[Requirement],
    order: IntArray,
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Grow groups that meet all requirements, beliefs estimated by omega.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    requirements : sequence of Requirement
        What every group must meet.
    order : (q,) int array
        Parts, some or all of the table's.
    progress : Progress
        Receives the share of the order that is gone through.

    Returns
    -------
    Groups
        Runs of the order; parts that are left over are in none.
    """
    alone, joint = alone_and_joint(requirements)
    bounds = [(item, bound) for item in joint for bound in item.bounds]
    for _ in range(_TIGHTENED):
        groups = _Growth.of(setting, alone, bounds, order).run(progress)
        met = satisfied(joint, setting, groups)
        if met.all():
            break
        left_out = setting.parts.histograms(groups.select(~met))
        bounds = [
            (item, replace(bound, threshold=_least(setting, item, left_out), strict=True))
            for item, bound in bounds
        ]
    if not len(groups):
        return groups
    behind = order[np.flatnonzero(order == groups.members[-1])[0] + 1 :]
    last = len(groups) - 1
    longer = Groups.from_lists([np.concatenate((groups[last], behind))])
    extended = Groups.joined([groups.select(np.arange(last)), longer])
    held = satisfied(alone, setting, longer).all() and satisfied(joint, setting, extended).all()
    return extended if held else groups


def _least(setting: Setting, requirement: JointRequirement, histograms: IntArray) -> float:
    return float(requirement.by_itself(setting, histograms).min())


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
class _Growth:
    """One pass over an order.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    summed : sequence of _Summed
        What sums decide: the cheapest come first, but those that large groups may break before all.
    inferred : sequence of Requirement
        What sums do not decide.
    order : (q,) int array
        The parts.
    """

    setting: Setting
    summed: Sequence[_Summed]
    inferred: Sequence[Requirement]
    order: IntArray

    @classmethod
    def of(
        cls,
        setting: Setting,
        alone: Sequence[Requirement],
        joint: Sequence[tuple[JointRequirement, Bound]],
        order: IntArray,
    ) -> _Growth:
        """Sort the requirements."""
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
        return cls(setting, [*summed, *together], inferred, order)

    def run(self, progress: Progress) -> Groups:
        """Grow groups from the first part to the last."""
        spans: list[tuple[int, int]] = []
        start, failed, left = 0, 0, _IN_VAIN * len(self.order)
        while start < len(self.order) and left > 0:
            held, end = self._end(start)
            if held:
                spans.append((start, end))
                start, failed = end, 0
            else:
                left -= end - start
                start += 1 + failed // _PATIENCE
                failed += 1
            progress.report(min(start / len(self.order), 1.0))
        progress.report(1.0)
        return Groups.from_lists([self.order[start:end] for start, end in spans])

    def _end(self, start: int) -> tuple[bool, int]:
        """Whether a group that begins at `start` comes to hold, and where it then ends.

        If it does not, as far as was looked.
        """
        sums = [np.zeros(item.columns.shape[1], dtype=np.int64) for item in self.summed]
        begun = start
        while begun < len(self.order):
            stop = min(begun + max(_FIRST, begun - start), len(self.order))
            taken = self.order[begun:stop]
            ends = np.arange(begun + 1, stop + 1)
            for place, item in enumerate(self.summed):
                running = item.columns[taken].cumsum(axis=0)
                running += sums[place]
                sums[place] = running[-1]
                if ends.size:
                    ends = ends[item.met(running[ends - begun - 1])]
                if not (ends.size or item.coarse) and begun - start >= _LARGE:
                    return False, stop
            held, end = self._inferred(start, ends)
            if held:
                return True, end
            begun = stop
        return False, begun

    def _inferred(self, start: int, ends: IntArray) -> tuple[bool, int]:
        """Whether what is inferred holds at any of some ends, and the first of them."""
        if self.inferred and ends.size:
            ends = ends[self._sparse(ends - start)]
        tried = 0
        for count in (1, 4, 16, len(ends)):
            some = ends[tried : tried + count]
            if not some.size:
                break
            tried += count
            groups = Groups.from_lists([self.order[start:end] for end in some.tolist()])
            met = satisfied(self.inferred, self.setting, groups)
            if met.any():
                return True, int(some[met.argmax()])
        return False, start

    def _sparse(self, widths: IntArray) -> npt.NDArray[np.bool_]:
        """Which of some widths to try: all small ones, and of large ones a few as they double."""
        steps = np.floor(_GAPS * np.log2(widths)).astype(np.int64)
        first: npt.NDArray[np.bool_] = np.diff(steps, prepend=-1) > 0
        return first
