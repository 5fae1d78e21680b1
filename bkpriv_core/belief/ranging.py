"""Ranges of bandwidths: what is disclosed to any adversary between two, group by group.

Beliefs are computed at `ENDS` bandwidths whose ratios are equal, both ends of the range among them.
Between neighbours `bound_between` bounds how far they move. Where that does not show a bound to be
kept, the bandwidth halfway is computed too, and so on, of these groups only: near a bandwidth at
which another cell comes into reach, or where figures are close to the bound. Groups that are not
shown to keep the bound after `_HALVINGS`, or once much has been computed, are reported so, with the
upper bound as their figure. Only of groups of `_CROWD` records and more, not next to the bound, an
estimate decides whether it is: all their assignments together change far more between two
bandwidths than what is believed of any one record. So figures that keep a bound, and are shown to,
do so at every bandwidth of the range; those of groups whose posteriors are estimates, by an
estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.course import STEP, CoursePoint, bound_between
from bkpriv_core.belief.disclosure import Adversaries
from bkpriv_core.belief.distance import Distance
from bkpriv_core.belief.knowledge import GRID, Between
from bkpriv_core.belief.posterior import AUTO_STATES, EXACT, Estimator, UsedArray, exact_states
from bkpriv_core.belief.prior import kernel_sums
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Ranged", "disclosed_between"]


_HALVINGS = 14
"""Limit of how often an interval is halved."""

_WORK = 4.0
"""Limit of the work beyond the grid, as a multiple of the grid's own."""

_LEAST_WORK = 2e7
"""Work that is allowed in any case, in states."""

_CALL = 500.0
"""States that take as long as what is done of any group at a bandwidth."""

_POINTS = 4096
"""Bandwidths of a group after which no more are computed of it."""

_BETHE_PRICE = 30.0
"""States that take as long as bethe takes for one part and one value."""

_MANY = 64
"""Records of a group from which on sums between the ends make a bound much nearer."""

_CROWD = 64
"""Records of a group of which an estimate decides, where nothing is shown."""

_PIECES = 8
"""Number of pieces into which an interval is cut for that."""

_NUMBERS = 2**21
"""Numbers of one kind that are held at a time, unless all groups at one bandwidth have more."""


@dataclass(frozen=True, eq=False)
class Ranged:
    """Disclosure to the adversaries of a range of bandwidths.

    Parameters
    ----------
    figures : (a, e) float array
        Disclosure of each membership by each distance: the largest at any bandwidth that was
        computed; where the bound is not kept by an estimate either, an upper bound of it at any.
    used : (g,) int8 array
        Estimator of each group: a place in `posterior.ESTIMATORS`, the worst of all bandwidths.
    shown : (a, e) bool array
        Whether it is known if the bound is kept at every bandwidth: if not, it may be.
    points : (g,) int array
        Number of bandwidths that were computed of the group.
    where, near : (a, g) float array
        The bandwidth of the largest disclosure that was computed, and that disclosure.
    """

    figures: FloatArray
    used: UsedArray
    shown: BoolArray
    points: IntArray
    where: FloatArray
    near: FloatArray

    def select(self, chosen: AnyArray, members: AnyArray) -> Ranged:
        """Keep some groups, and the memberships of these in their order."""
        return Ranged(
            self.figures[:, members],
            self.used[chosen],
            self.shown[:, members],
            self.points[chosen],
            where=self.where[:, chosen],
            near=self.near[:, chosen],
        )

    def packed(self, groups: Groups) -> FloatArray:
        """Pack all but the estimators, as figures of memberships; see `unpacked`."""
        owner = groups.owner
        return np.concatenate(
            (
                self.figures,
                self.shown,
                self.where[:, owner],
                self.near[:, owner],
                self.points[None, owner],
            )
        )

    @classmethod
    def unpacked(cls, groups: Groups, packed: FloatArray, used: UsedArray) -> Ranged:
        """Unpack figures of memberships of some groups."""
        first = groups.offsets[:-1]
        figures, shown, where, near = np.split(packed[:-1], 4)
        points = packed[-1, first].astype(np.int64)
        return cls(figures, used, shown > 0, points, where=where[:, first], near=near[:, first])

    def of(self, place: int) -> Ranged:
        """Select the figures of one distance."""
        only = slice(place, place + 1)
        return Ranged(
            self.figures[only],
            self.used,
            self.shown[only],
            self.points,
            where=self.where[only],
            near=self.near[only],
        )


def disclosed_between(
    parts: Parts,
    groups: Groups,
    between: Between,
    judged: Sequence[tuple[Distance, float]],
    estimator: Estimator,
    *,
    trying: bool = False,
    slack: float = 0.0,
    progress: Progress = SILENT,
) -> Ranged:
    """Measure what groups disclose to the adversaries of a range, as far as bounds need it.

    Parameters
    ----------
    parts : Parts
        The table's cells, or parts of them.
    groups : Groups
        Groups of parts.
    between : Between
        The range.
    judged : sequence of tuples of Distance and float
        Distances of beliefs, and their bounds.
    estimator : {"auto", "exact", "bethe", "omega"}
    trying : bool
        See `Adversaries`.
    slack : float
        Rounding allowed for where a figure is held against its bound.
    progress : Progress
        Receives the share of the range that is done.

    Returns
    -------
    Ranged
        Exact at the bandwidths that are computed; see there, and the module.
    """
    return _Search(
        parts, groups, judged, estimator, trying=trying, slack=slack, progress=progress
    ).run(between)


@dataclass(frozen=True, eq=False)
class _Items:
    """Groups at a bandwidth each, or between two.

    Parameters
    ----------
    which : (i,) int array
        The groups.
    ends : tuple of CoursePoint
        Beliefs at one bandwidth, or at two, the wider first.
    exact : (i,) bool array
        Whether all of these beliefs are exact.
    """

    which: IntArray
    ends: tuple[CoursePoint, ...]
    exact: BoolArray


class _Search:
    """See `disclosed_between`."""

    def __init__(
        self,
        parts: Parts,
        groups: Groups,
        judged: Sequence[tuple[Distance, float]],
        estimator: Estimator,
        trying: bool,
        slack: float,
        progress: Progress,
    ) -> None:
        self._parts, self._groups = parts, groups
        self._distances = [distance for distance, _ in judged]
        self._bounds = np.array([bound + slack for _, bound in judged])
        self._images = [(distance.images, distance.believed) for distance in self._distances]
        self._estimator, self._trying = estimator, trying
        self._progress = progress
        count = len(groups)
        self._figures = np.zeros((len(judged), len(groups.members)))
        self._used = np.full(count, EXACT, dtype=np.int8)
        self._shown = np.ones((len(judged), len(groups.members)), dtype=bool)
        self._points = np.zeros(count, dtype=np.int64)
        self._where = np.zeros((len(judged), count))
        self._near = np.full((len(judged), count), -1.0)
        self._beyond = np.zeros_like(self._figures)
        self._price = self._prices()
        self._work = _LEAST_WORK + _WORK * GRID * float(self._price.sum())

    def run(self, between: Between) -> Ranged:
        """Go through the range from its wide end."""
        ends = np.array(between.grid)[::-1]
        every = np.arange(len(self._groups))
        size = max(1, self._parts.counts.shape[1] * len(self._groups.members))
        step = max(1, _NUMBERS // size)
        wide = self._computed(every, np.full(len(every), ends[0]))
        for start in range(1, len(ends), step):
            some = ends[start : start + step]
            which = np.tile(every, len(some))
            sharp = self._computed(which, np.repeat(some, len(every)))
            rows = len(self._groups.members)
            last = sharp.ends[0].select(np.arange(rows * (len(some) - 1), rows * len(some)))
            before = CoursePoint.joined([wide.ends[0], sharp.ends[0]])
            before = before.select(np.arange(rows * len(some)))
            exact = np.concatenate((wide.exact, sharp.exact))[: len(which)] & sharp.exact
            self._refine(
                _Items(which, (before, sharp.ends[0]), exact),
                self._progress.part((start - 1) / len(ends), (start - 1 + len(some)) / len(ends)),
            )
            wide = _Items(every, (last,), sharp.exact[len(which) - len(every) :])
        self._progress.report(1.0)
        figures = np.maximum(self._figures, self._beyond)
        return Ranged(
            figures, self._used, self._shown, self._points, where=self._where, near=self._near
        )

    def _prices(self) -> FloatArray:
        """Estimate the work of inferring each group's beliefs, in states."""
        groups, parts = self._groups, self._parts
        weights, histograms = parts.weights[groups.members], parts.histograms(groups)
        states = exact_states(groups, weights, histograms)
        estimating = _BETHE_PRICE * parts.counts.shape[1] * groups.widths.astype(np.float64)
        if self._estimator in ("omega", "additive"):
            return np.asarray(_CALL + groups.widths, dtype=np.float64)
        prices: FloatArray = _CALL + np.where(
            states <= (np.inf if self._estimator == "exact" else AUTO_STATES), states, estimating
        )
        return prices

    def _rows(self, which: IntArray) -> tuple[Groups, IntArray]:
        """Groups of the memberships of some groups, one after the other, and which these are."""
        widths = self._groups.widths[which]
        offsets = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        shift = np.repeat(self._groups.offsets[which] - offsets[:-1], widths)
        rows = np.arange(offsets[-1])
        return Groups(rows, offsets), rows + shift

    def _computed(self, which: IntArray, widths: FloatArray) -> _Items:
        """Infer beliefs of groups at a bandwidth each, and take note of the figures."""
        groups, members = self._rows(which)
        parts = self._parts.select(self._groups.members[members])
        place = widths**-2.0
        each = widths[groups.owner]
        sums, after = np.empty((2, *parts.counts.shape))
        for width in np.unique(widths).tolist():
            self._progress.poll()
            rows = np.flatnonzero(each == width)
            first, kind, _ = distinct_rows(parts.cell[rows, None])
            cells = parts.cell[rows[first]]
            here, sharper = (
                kernel_sums(parts.table, width * factor**-0.5, cells, progress=self._progress.quiet)
                for factor in (1.0, 1.0 + STEP)
            )
            sums[rows] = here[kind]
            after[rows] = ((sharper - here) / (STEP * width**-2.0))[kind]
        prior = sums / sums.sum(axis=1, keepdims=True)
        adversary = Adversaries(parts, [prior], [], trying=self._trying, progress=self._progress)
        inferred = adversary.posterior(groups, self._estimator, self._progress.quiet)
        belief = inferred.beliefs[0]
        contradicted = inferred.contradicted[0]
        for figures, distance, near, where in zip(
            self._figures, self._distances, self._near, self._where, strict=True
        ):
            moved = distance(prior, belief)
            moved[contradicted[groups.owner]] = np.inf
            np.maximum.at(figures, members, moved)
            largest = groups.max(moved)
            order = np.argsort(largest, kind="stable")
            farther = order[largest[order] > near[which[order]]]
            near[which[farther]], where[which[farther]] = largest[farther], widths[farther]
        np.maximum.at(self._used, which, inferred.used)
        np.add.at(self._points, which, 1)
        point = CoursePoint(place[groups.owner], sums, after, belief)
        return _Items(which, (point,), inferred.exact)

    def _refine(self, items: _Items, progress: Progress) -> None:
        """Halve intervals until what is between their ends is bounded."""
        for turn in range(_HALVINGS + 1):
            items = self._open(items, last=turn == _HALVINGS)
            if not len(items.which):
                return
            progress.poll()
            groups, _ = self._rows(items.which)
            wide, sharp = items.ends
            first = groups.offsets[:-1]
            # Halfway by the ratio of bandwidths.
            middle = (wide.place[first] * sharp.place[first]) ** -0.25
            self._work -= float(self._price[items.which].sum())
            computed = self._computed(items.which, middle)
            (halfway,) = computed.ends
            exact = items.exact & computed.exact
            items = _Items(
                np.concatenate((items.which, items.which)),
                (CoursePoint.joined([wide, halfway]), CoursePoint.joined([halfway, sharp])),
                np.concatenate((exact, exact)),
            )

    def _open(self, items: _Items, *, last: bool) -> _Items:
        """Intervals that are to be halved; where none can be, what is not shown is noted."""
        groups, members = self._rows(items.which)
        weights = self._parts.weights[self._groups.members[members]]
        missed = []
        wide, sharp = items.ends
        for place, ((images, most), bound) in enumerate(
            zip(self._images, self._bounds, strict=True)
        ):
            figures = bound_between(
                groups, weights, items.exact, wide, sharp=sharp, images=images, believed=most
            )
            figures = self._nearer(place, items, figures)
            # What breaks the bound somewhere, or was not shown to keep it, is done with.
            open_ = (self._figures[place] <= bound) & self._shown[place]
            missed.append(np.where(open_[members] & ~(figures <= bound), figures, -1.0))
        opened = groups.max(np.max(missed, axis=0)) >= 0
        stopped = opened & (self._points[items.which] >= _POINTS)
        if last or self._price[items.which[opened]].sum() > self._work:
            stopped = opened
        if stopped.any():
            self._give_up(items, stopped, missed, last=last)
        return self._select(items, opened & ~stopped)

    def _give_up(
        self, items: _Items, stopped: BoolArray, missed: list[FloatArray], *, last: bool
    ) -> None:
        """Take note of what is not shown to keep the bound, and what is taken to break it.

        That is what is so near to the bound that nothing is left to halve, and what breaks it by an
        estimate.
        """
        groups, members = self._rows(items.which)
        weights = self._parts.weights[self._groups.members[members]]
        wide, sharp = items.ends
        none = np.zeros(len(items.which), dtype=bool)
        crowd = groups.sum(weights) >= _CROWD
        for place, ((images, most), bound) in enumerate(
            zip(self._images, self._bounds, strict=True)
        ):
            rows = (missed[place] >= 0) & stopped[groups.owner]
            self._shown[place, members[rows]] = False
            figures = bound_between(
                groups, weights, none, wide, sharp=sharp, images=images, believed=most
            )
            if most is not None:
                self._note_nearly(place, items, rows)
            if not last:
                rows &= ~((figures <= bound) & crowd[groups.owner])
            np.maximum.at(self._beyond[place], members[rows], np.minimum(missed[place][rows], 1.0))

    def _note_nearly(self, place: int, items: _Items, rows: BoolArray) -> None:
        """Take note where what is not shown is nearly as much, though nothing is there."""
        groups, _ = self._rows(items.which)
        near, where = self._near[place], self._where[place]
        for point in items.ends:
            prior = point.sums / point.sums.sum(axis=1, keepdims=True)
            nearly = self._distances[place].nearly(prior, point.beliefs)
            largest = groups.max(np.where(rows, nearly, -1.0))
            widths = point.place[groups.offsets[:-1]] ** -0.5
            for item in np.flatnonzero(largest > near[items.which]).tolist():
                group = items.which[item]
                near[group], where[group] = largest[item], widths[item]

    def _nearer(self, place: int, items: _Items, figures: FloatArray) -> FloatArray:
        """Bounds of groups of many records that did not do, with sums between the ends."""
        groups, members = self._rows(items.which)
        bound = self._bounds[place]
        kept = (self._figures[place] <= bound) & self._shown[place]
        missed = groups.max(kept[members] & ~(figures <= bound))
        sizes = groups.sum(self._parts.weights[self._groups.members[members]])
        chosen = missed & items.exact & (sizes >= _MANY) & (groups.widths > 1)
        if not chosen.any():
            return figures
        some = self._select(items, chosen)
        groups, members = self._rows(some.which)
        parts = self._groups.members[members]
        wide, sharp = some.ends
        inner = np.empty((_PIECES - 1, *wide.sums.shape))
        for n, sums in enumerate(inner, start=1):
            at = wide.place + (sharp.place - wide.place) * n / _PIECES
            for one in np.unique(at).tolist():
                self._progress.poll()
                rows = np.flatnonzero(at == one)
                first, kind, _ = distinct_rows(self._parts.cell[parts[rows], None])
                cells = self._parts.cell[parts[rows[first]]]
                sums[rows] = kernel_sums(
                    self._parts.table, one**-0.5, cells, progress=self._progress.quiet
                )[kind]
        every, _ = self._rows(items.which)
        nearer: FloatArray = figures.copy()
        nearer[chosen[every.owner]] = bound_between(
            groups=groups,
            weights=self._parts.weights[parts],
            exact=some.exact,
            wide=wide,
            sharp=sharp,
            images=self._images[place][0],
            inner=inner,
            believed=self._images[place][1],
        )
        return np.asarray(np.minimum(figures, nearer))

    def _select(self, items: _Items, chosen: BoolArray) -> _Items:
        if chosen.all():
            return items
        groups, _ = self._rows(items.which)
        rows = chosen[groups.owner]
        return _Items(
            items.which[chosen],
            tuple(point.select(rows) for point in items.ends),
            items.exact[chosen],
        )
