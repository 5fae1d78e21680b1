"""Agglomeration: from the cells up, each group united with the neighbour that costs least.

Every part is a group to begin with. As long as groups fall short of the requirements, they are
united with near ones, in rounds over arrays; what grew larger than it must is cut again, as by
`mondrian`. Rules:

- What a group lacks is its *shortfall*, which is 0 where it meets the requirements. A requirement
  that holds in every group that contains one that meets it, as k-anonymity does, is lacking once in
  a group. Of any other, each record of a group lacks the share by which its figure is beyond the
  threshold, and a tenth, so that what is nearly met is not neglected. If there are several
  requirements, the largest shortfall counts.
- A union is ranked by its *price*: the loss of detail that it costs (see `neighbours`) for what it
  takes off the shortfall of its two groups. So a group is united with one that makes up for what it
  lacks, if that costs not much more, and two groups that are mended at once come before one.
- Only unions of a group that falls short with near groups are considered, of which the cheapest are
  measured. A group takes part in at most one union a round, and of the unions that do not exclude
  each other the lower-priced half is made: the others may find better ones in the next round.
- What large groups may break where small ones meet it, as they may a bound on divergence, is kept:
  no union is made that falls short of it by more than its two groups. So groups may be left that
  fall short, with no union to mend them.
- Requirements on all groups together, such as (c,k)-safety, hold of no partition with a group that
  breaks them by itself. So they are lacking in such groups; and once there are none, in those that
  would have to be left out for the rest to meet them: every group must then disclose less by itself
  than the least of these. Unions never raise such a figure above the largest before.

At least one union is made in a round, as long as one may be, so that in the end one group of the
whole table is left where nothing less meets the requirements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Bound, Requirement, alone_and_joint
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["agglomerate"]

_NEAR = 32
"""Near groups whose unions with one that falls short are considered."""

_TRIED = 8
"""Limit of the unions that are measured, the cheapest first."""

_TRIED_IN_ALL = 100_000
"""Unions that are measured in a round if that makes more, unless beliefs are inferred for them."""

_MEASURED_AT_ONCE = 3_000_000
"""Memberships of the unions that are measured at a time, times sensitive values."""

_SLIGHT = 0.1
"""Shortfall of a record if a requirement is just not met; 1 if nothing of it is."""

_LEAST = 1e-3
"""Share of the shortfall that a union counts to take off if it takes off less."""

_ROUNDING = 1e-9
"""Rounding error: excess of a union's shortfall over that of its groups that is ignored."""

_PASSES = 32
"""Limit of how often a round looks for further unions among groups that have none."""

_GROWN = 0.9
"""Share of the progress that uniting makes; the rest is cutting."""


def agglomerate(
    setting: Setting,
    requirements: Sequence[Requirement],
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Unite parts to groups that meet all requirements, beliefs estimated by omega.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries. Its one group of the whole table must meet the requirements;
        if it does not, one group of everything may be the outcome.
    requirements : sequence of Requirement
        Requirements that every group must meet.
    progress : Progress
        Receives the share of groups that were mended, after each round.

    Returns
    -------
    Groups
        Every part in one group.
    """
    parts = setting.parts
    lacking = _Lacking(setting, requirements)
    groups = Groups.from_labels(np.arange(len(parts)))
    needs = lacking.shortfall(groups)
    most = max(int((needs > 0).sum()), 1)
    mended = 0.0
    growing = progress.part(0.0, _GROWN)
    while len(groups) > 1 and (needs.any() or lacking.more(groups)):
        if not needs.any():
            needs = lacking.shortfall(groups)
        first, second = _round(lacking, groups, needs, growing)
        if not first.size:
            break
        groups, needs = _united(lacking, groups, needs, first, second=second)
        mended = max(mended, 1.0 - float((needs > 0).sum()) / most)
        growing.report(mended)
    return mondrian(setting, requirements, groups=groups, progress=progress.part(_GROWN, 1.0))


class _Lacking:
    """Shortfall of groups: how far they are from meeting requirements."""

    def __init__(self, setting: Setting, requirements: Sequence[Requirement]) -> None:
        self.setting = setting
        self._alone, joint = alone_and_joint(requirements)
        self._fine = [item for item in self._alone if not item.coarse]
        # What groups must disclose less than by themselves.
        self._joint = [(item, bound) for item in joint for bound in item.bounds]

    @property
    def infers(self) -> bool:
        """Whether beliefs are inferred to tell."""
        return any(item.infers for item in self._alone)

    def shortfall(self, groups: Groups) -> FloatArray:
        """Shortfall of each group, shape (g,)."""
        most = self._most(self._alone, groups)
        if self._joint:
            for joint, bound in self._joint:
                histograms = joint.histograms(self.setting, groups)
                figure = joint.by_itself(self.setting, histograms)[groups.owner]
                most = np.maximum(most, self._lack(groups, bound, figure, joint.absorbing))
        return most

    def fine(self, groups: Groups) -> FloatArray:
        """Shortfall of each group in what small groups meet, shape (requirements, g)."""
        lacks = [self._most([item], groups) for item in self._fine]
        return np.array(lacks).reshape(len(lacks), len(groups))

    def _most(self, requirements: Sequence[Requirement], groups: Groups) -> FloatArray:
        """Shortfall of each group in the requirement that it is farthest from meeting."""
        most = np.zeros(len(groups))
        for item in requirements:
            figures = item.measure(self.setting, groups).figures
            for bound, figure in zip(item.bounds, figures, strict=True):
                most = np.maximum(most, self._lack(groups, bound, figure, item.absorbing))
        return most

    def more(self, groups: Groups) -> bool:
        """Ask more of groups that do not fall short, if they do not meet all requirements so."""
        asked = False
        for place, (joint, bound) in enumerate(self._joint):
            met = joint.satisfied(self.setting, groups)
            if not met.all():
                histograms = joint.histograms(self.setting, groups.select(~met))
                least = float(joint.by_itself(self.setting, histograms).min())
                self._joint[place] = joint, replace(bound, threshold=least, strict=True)
                asked = True
        return asked

    def _lack(
        self, groups: Groups, bound: Bound, figures: FloatArray, absorbing: bool
    ) -> FloatArray:
        broken = bound.broken(figures)
        if absorbing:
            once: FloatArray = groups.max(broken).astype(np.float64)
            return once
        # The share of the figure that is beyond the threshold, or of the threshold that is missing.
        with np.errstate(divide="ignore", invalid="ignore"):
            met = bound.threshold / figures if bound.upper else figures / bound.threshold
        share = np.where(np.isnan(met), 1.0, np.clip(1.0 - met, 0.0, 1.0))
        weights = self.setting.parts.weights[groups.members]
        lack: FloatArray = groups.sum(np.where(broken, (_SLIGHT + share) * weights, 0.0))
        return lack


def _round(
    lacking: _Lacking, groups: Groups, needs: FloatArray, progress: Progress
) -> tuple[IntArray, IntArray]:
    """Unions to make at once: two arrays of groups, of which each takes part in one at most."""
    failing = np.flatnonzero(needs)
    near, costs = cheapest_neighbours(
        lacking.setting.parts, groups, failing, _NEAR, progress=progress
    )
    in_all = 0 if lacking.infers else _TRIED_IN_ALL
    tried = min(max(_TRIED, in_all // len(failing)), near.shape[1])
    first = np.repeat(failing, tried)
    second, cost = near[:, :tried].ravel(), costs[:, :tried].ravel()
    before = needs[first] + needs[second]
    after = np.empty(len(first))
    fine = lacking.fine(groups)
    fine_after = np.empty((len(fine), len(first)))
    pairs = Groups.from_rows(np.column_stack((first, second)))
    most = _MEASURED_AT_ONCE // lacking.setting.table.sensitive.size
    for start, stop in _chunks(groups.widths[first] + groups.widths[second], most):
        progress.poll()
        unions = groups.united(pairs.select(np.arange(start, stop)))
        after[start:stop] = lacking.shortfall(unions)
        fine_after[:, start:stop] = lacking.fine(unions)
    price = cost / np.maximum(before - after, _LEAST * before)
    open_ = (fine_after <= fine[:, first] + fine[:, second] + _ROUNDING).all(axis=0)
    first, second, price = first[open_], second[open_], price[open_]
    chosen = _matching(first, second, price, len(groups))
    cheap = chosen[np.argsort(price[chosen], kind="stable")[: (len(chosen) + 1) // 2]]
    return first[cheap], second[cheap]


def _matching(first: IntArray, second: IntArray, price: FloatArray, groups: int) -> IntArray:
    """Choose unions that do not exclude each other, the lowest-priced first.

    Parameters
    ----------
    first, second : (u,) int array
        The groups that each union is of.
    price : (u,) float array
        Price by which the unions are ranked; among equals the first one comes first.
    groups : int
        Number of groups.

    Returns
    -------
    (v,) int array
        The unions that one would choose one by one, or of very many the first ones of each chain.
    """
    open_unions = np.argsort(price, kind="stable")
    chosen: list[IntArray] = []
    for _ in range(_PASSES):
        if not open_unions.size:
            break
        one, other = first[open_unions], second[open_unions]
        rank = np.arange(len(open_unions))
        best = np.full(groups, len(open_unions))
        np.minimum.at(best, one, rank)
        np.minimum.at(best, other, rank)
        # Nobody has a better union than one that is the best of both of its groups.
        agreed = (best[one] == rank) & (best[other] == rank)
        chosen.append(open_unions[agreed])
        taken = np.zeros(groups, dtype=bool)
        taken[one[agreed]] = taken[other[agreed]] = True
        open_unions = open_unions[~(taken[one] | taken[other])]
    return np.concatenate([np.zeros(0, dtype=np.int64), *chosen])


def _united(
    lacking: _Lacking, groups: Groups, needs: FloatArray, first: IntArray, second: IntArray
) -> tuple[Groups, FloatArray]:
    """Unite pairs of groups: the groups then, and their shortfall."""
    unions = groups.united(Groups.from_rows(np.column_stack((first, second))))
    kept = np.ones(len(groups), dtype=bool)
    kept[first] = kept[second] = False
    return (
        Groups.joined([groups.select(kept), unions]),
        np.concatenate((needs[kept], lacking.shortfall(unions))),
    )


def _chunks(widths: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of unions of such widths that are measured at a time, of so many members at most."""
    ends = np.cumsum(widths)
    start = 0
    while start < len(widths):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + most, side="right")), start + 1)
        yield start, stop
        start = stop
