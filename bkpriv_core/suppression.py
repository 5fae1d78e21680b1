"""Suppression: which kinds of records a release left out, and which bound stood in their way.

Suppressed records are taken in *lots*: the parts that a reader could not tell apart if they were
published, mostly one cell. For each lot this module tries what could have been published: the lot
by itself, and its union with each of the published groups with which a union costs least detail
(`bkpriv_core.partition.neighbours`). If whole columns are generalized, lots are published by
themselves or not at all, so unions are not tried.

- The *excess* of a group over a bound is a share of the threshold, negative if it keeps the bound.
- The *best* try is the one whose largest excess is least; of equal ones the lot by itself, then the
  cheapest union.
- The bound *in the way* is the one that the best try exceeds most, with the figure that it attains.

If the best try keeps every bound, the one it keeps most narrowly is named all the same. The method
may not have tried that union; or only an estimate says that it holds where exact inference was
demanded, as `Kind.estimator` tells; or another group needed it. Or the try would have exposed
somebody beside earlier releases: if these are given, that is measured for the try that stands for
its kind, and the bound in the way is the one that is broken for most people.

A release that has grown takes nobody up in groups that it keeps. There lots are tried with groups
of newcomers, and, if few people wait, all of them together. People who were *withdrawn*, since
others of their group left, are no lot: no bound stood in the way.

Tries are measured as certification measures them, by the estimator of the release; instead of
``exact`` that is ``auto``, which is exact within its budget. Exact inference and belief propagation
are spent up to a bounded amount of work, in the order of the lots; then omega takes their place.
Requirements on all groups together are measured for the best try, if it keeps all others, in place
of the group that it takes up; they are in the way only where they are broken, for the release
itself may be close to them.

Parts with the same bound in the way are gathered into *kinds*, those whose best try keeps it apart
from others: boxes, cut at the median of their widest dimension, the box that loses most detail
first, until all are narrow or there are as many as are wanted. The figure of a kind is the best
that any of its lots attains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.belief.posterior import (
    AUTO_STATES,
    ESTIMATORS,
    EXACT,
    Estimator,
    UsedArray,
    exact_states,
)
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.partition.boxing import boxes
from bkpriv_core.partition.evaluation import BETHE_COST
from bkpriv_core.partition.exposing import Exposing
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Bound, Requirement, Shift, alone_and_joint
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, FloatArray, Groups, IntArray

__all__ = ["Kind", "Withdrawn", "explain_suppression", "find_withdrawn"]

_NEAR = 4
"""Published groups whose unions with a lot are tried."""

_ALONE, _TOGETHER = -1, -2
"""Marks in place of a published group: none, and all who wait."""

_FEW = 200
"""Largest number of parts of all lots that are tried together."""

_AT_ONCE = 200_000
"""Memberships of tries that are measured at a time."""

_WORK = 100_000_000
"""Limit of the states that all tries may cost before omega takes over."""


@dataclass(frozen=True)
class Kind:
    """Suppressed records that one bound stood in the way of."""

    low: IntArray
    high: IntArray
    """Shape (d,). First and last leaf place of their cells in each quasi-identifier."""
    records: int
    requirement: str
    parameters: Mapping[str, Any]
    """Parameters of the requirement, as in a policy; and the earlier releases, if it stood in the
    way together with these.
    """
    threshold: float
    attained: float
    """Figure of the best try for any of the records; see the module."""
    estimator: str
    shift: Shift | None
    """The value at fault in that try, and the probability before and after; None if no single value
    is.
    """


@dataclass(frozen=True)
class Withdrawn:
    """Records that a release does not show any more, which has grown from one that did."""

    low: IntArray
    high: IntArray
    """Shape (d,). First and last leaf place of their cells in each quasi-identifier."""
    records: int


@dataclass(frozen=True, eq=False)
class _Tries:
    """Tries to publish the lots that were left out: each by itself, and in unions."""

    published: Groups
    lots: Groups
    lot: IntArray
    """Shape (t,). The lot of each try, in ascending order."""
    partner: IntArray
    """Shape (t,). The published group that it is united with, `_ALONE`, or `_TOGETHER`."""

    @classmethod
    def of(
        cls, release: Release, lots: Groups, kept: BoolArray | None, progress: Progress
    ) -> _Tries:
        """Find what to try; see the module. Groups may be `kept`, if the release has grown."""
        count, published = len(lots), release.groups
        partners = np.full((count, 1), _ALONE, dtype=np.int64)
        among = np.arange(len(published))
        if kept is not None:
            among = np.flatnonzero(~kept)
            if count > 1 and len(lots.members) <= _FEW:
                partners = np.tile([_ALONE, _TOGETHER], (count, 1))
        if release.form.levels is None and among.size:
            everything = Groups.from_lists([*published, *lots])
            neighbours, _ = cheapest_neighbours(
                release.parts,
                everything,
                np.arange(len(published), len(everything)),
                _NEAR,
                progress=progress,
                among=among,
            )
            partners = np.column_stack((partners, neighbours))
        lot = np.repeat(np.arange(count, dtype=np.int64), partners.shape[1])
        return cls(published, lots, lot, partners.ravel())

    def __len__(self) -> int:
        return len(self.lot)

    def batches(self) -> Iterator[IntArray]:
        """Consecutive tries, so many as are measured at a time."""
        widths = self.lots.widths[self.lot]
        united = self.partner >= 0
        widths[united] += self.published.widths[self.partner[united]]
        widths[self.partner == _TOGETHER] = len(self.lots.members)
        batch = np.cumsum(widths) // _AT_ONCE
        yield from np.split(np.arange(len(self)), np.flatnonzero(np.diff(batch)) + 1)

    def groups(self, tries: IntArray) -> Groups:
        """Groups that some of the tries would have published."""
        return Groups.from_lists(
            [
                self.lots[lot]
                if partner == _ALONE
                else self.lots.members
                if partner == _TOGETHER
                else np.concatenate((self.lots[lot], self.published[partner]))
                for lot, partner in zip(
                    self.lot[tries].tolist(), self.partner[tries].tolist(), strict=True
                )
            ]
        )

    def beside(self, place: int) -> Groups:
        """Groups of one try, and after them all published groups that it does not take up."""
        rest = np.arange(len(self.published)) != self.partner[place]
        (tried,) = self.groups(np.array([place]))
        return Groups.from_lists([tried, *self.published.select(rest)])


def explain_suppression(
    release: Release,
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    estimator: Estimator,
    most: int,
    progress: Progress = SILENT,
    *,
    before: BoolArray | None = None,
    beside: PriorReleases | None = None,
) -> list[Kind]:
    """Say which kinds of records a release left out, and which bound stood in the way of each.

    Args:
        most: Limit of the kinds that are wanted, at least 1.
        progress: Receives the share of the tries that is measured.
        before: Shape (p,). Respondents whom the releases showed that this one has grown from; for a
            release that has grown, whose parts are its respondents.
        beside: Releases that it was certified together with; its parts then tell respondents apart.

    Returns:
        Kinds of suppressed records, those of most records first; empty if nothing was left out, but
        what was withdrawn.
    """
    parts = release.parts
    left_out = np.flatnonzero(release.groups.labels(len(parts)) == SUPPRESSED)
    kept = None
    if before is not None:
        left_out = left_out[~before[left_out]]
        kept = release.groups.max(before[release.groups.members])
    if not left_out.size:
        return []
    threat = threat.tried()
    lots = release.form.pool(parts, Groups(left_out, np.arange(len(left_out) + 1)))
    tries = _Tries.of(release, lots, kept, progress)
    verdicts = _judge(threat, requirements, tries, estimator, progress=progress)
    lot_of = np.zeros(len(parts), dtype=np.int64)
    lot_of[lots.members] = lots.owner
    alike = (2 * verdicts.in_way + verdicts.kept)[lot_of[left_out]]
    exposing = None
    if beside is not None:
        exposing = Exposing.of(
            parts, release.groups, requirements, estimator, earlier=beside, progress=progress.quiet
        )
    kinds = [
        _describe(threat, tries, verdicts, members, lots=lot_of[members], exposing=exposing)
        for members in boxes(parts, left_out, alike, most, progress=progress)
    ]
    return sorted(kinds, key=lambda kind: -kind.records)[:most]


def find_withdrawn(release: Release, before: BoolArray) -> Withdrawn | None:
    """Find the records that a release which has grown does not show any more.

    Args:
        release, before: See `explain_suppression`.
    """
    members = np.flatnonzero((release.labels == SUPPRESSED) & before)
    if not members.size:
        return None
    places = release.parts.places[members]
    records = int(release.parts.weights[members].sum())
    return Withdrawn(places.min(axis=0), places.max(axis=0), records)


@dataclass(frozen=True, eq=False)
class _Verdicts:
    """The best try for each lot, and what is in its way."""

    bounds: list[tuple[Requirement, int, Bound]]
    best: IntArray
    """Shape (u,). The try."""
    in_way: IntArray
    """Shape (u,). The bound, by its place in the list."""
    kept: BoolArray
    """Shape (u,). Whether it is kept, and so are all others."""
    excess: FloatArray
    attained: FloatArray
    """Shape (u,). Excess of the figure over the bound, and the figure."""
    used: UsedArray
    """Shape (u,). Estimator of that figure: a place in `posterior.ESTIMATORS`."""
    asked: list[Estimator]


def _judge(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    tries: _Tries,
    estimator: Estimator,
    progress: Progress,
) -> _Verdicts:
    alone, joint = alone_and_joint(requirements)
    ways: tuple[Estimator, Estimator] = ("omega" if estimator == "omega" else "auto", "omega")
    blamed = [
        (item, place, bound) for item in (*alone, *joint) for place, bound in enumerate(item.bounds)
    ]
    bounds = [bound for _, _, bound in blamed]
    figures, used, way = _measure(threat, alone, tries, ways, progress=progress)
    excess = _excess(bounds[: len(figures)], figures)
    # The first of a lot's tries whose largest excess is least.
    ranked = np.lexsort((excess.max(axis=0, initial=-np.inf), tries.lot))
    best = ranked[np.searchsorted(tries.lot, np.arange(len(tries.lots)))]
    figures, excess, used = figures[:, best], excess[:, best], used[:, best]
    broken = _broken(bounds[: len(figures)], figures)
    if joint:
        bounds = bounds[len(figures) :]
        jointly = _measure_jointly(
            threat, joint, tries, best, wanted=np.logical_not(broken.any(axis=0))
        )
        too_much = _broken(bounds, jointly) & ~np.isnan(jointly)
        beyond = np.where(too_much, _excess(bounds, jointly), -np.inf)
        figures, excess = np.concatenate((figures, jointly)), np.concatenate((excess, beyond))
        broken = np.concatenate((broken, too_much))
        used = np.concatenate((used, np.full(jointly.shape, EXACT, dtype=np.int8)))
    in_way, lots = excess.argmax(axis=0), np.arange(len(tries.lots))
    return _Verdicts(
        bounds=blamed,
        best=best,
        in_way=in_way,
        kept=np.logical_not(broken.any(axis=0)),
        excess=excess[in_way, lots],
        attained=figures[in_way, lots],
        used=used[in_way, lots],
        asked=[ways[place] for place in way[best]],
    )


def _describe(
    threat: ThreatModel,
    tries: _Tries,
    verdicts: _Verdicts,
    members: IntArray,
    lots: IntArray,
    exposing: Exposing | None,
) -> Kind:
    """Describe a kind by its parts, and by that of their lots which comes nearest to being kept."""
    parts = threat.parts
    lot = lots[verdicts.excess[lots].argmin()]
    requirement, place, bound = verdicts.bounds[verdicts.in_way[lot]]
    attained, used = float(verdicts.attained[lot]), ESTIMATORS[verdicts.used[lot]]
    parameters = bound.parameters
    shift = None
    told = None
    if exposing is not None and verdicts.kept[lot]:
        told = exposing.in_way(tries.beside(int(verdicts.best[lot])))
    if told is not None:
        bound, parameters, attained, used = told
    # A prior that such a group contradicts has no belief after it.
    elif not (requirement.infers and np.isinf(attained)):
        group = tries.groups(verdicts.best[[lot]])
        shift = requirement.explain(threat, group, place, verdicts.asked[lot])
    places = parts.places[members]
    return Kind(
        low=places.min(axis=0),
        high=places.max(axis=0),
        records=int(parts.weights[members].sum()),
        requirement=bound.requirement,
        parameters=parameters,
        threshold=float(bound.threshold),
        attained=attained,
        estimator=used,
        shift=shift,
    )


def _measure(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    tries: _Tries,
    ways: tuple[Estimator, Estimator],
    progress: Progress,
) -> tuple[FloatArray, UsedArray, IntArray]:
    """Worst figure of each try under each bound, (b, t), how inferred, and in which of the ways."""
    parts = threat.parts
    count = sum(len(item.bounds) for item in requirements)
    figures = np.zeros((count, len(tries)))
    used = np.zeros((count, len(tries)), dtype=np.int8)
    way = np.zeros(len(tries), dtype=np.int64)
    spent = 0.0
    for batch in tries.batches():
        groups = tries.groups(batch)
        if any(item.infers for item in requirements):
            states = exact_states(groups, parts.weights[groups.members], parts.histograms(groups))
            estimated = BETHE_COST * parts.table.sensitive.size * groups.widths
            work = spent + np.cumsum(np.where(states <= AUTO_STATES, states, estimated))
            way[batch] = work > _WORK
            spent = float(work[-1])
        for chosen, estimator in enumerate(ways):
            mine = way[batch] == chosen
            some = groups.select(mine)
            place = 0
            for item in requirements if len(some) else ():
                measured = item.measure(threat, some, estimator)
                for bound, of_members in zip(item.bounds, measured.figures, strict=True):
                    worst = some.max(of_members) if bound.upper else some.min(of_members)
                    figures[place, batch[mine]] = worst
                    used[place, batch[mine]] = measured.used
                    place += 1
        progress.report((batch[-1] + 1) / len(tries))
    return figures, used, way


def _measure_jointly(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    tries: _Tries,
    best: IntArray,
    wanted: BoolArray,
) -> FloatArray:
    """Worst figure of all groups with each lot's best try among them; NaN where none is wanted."""
    figures = np.full((sum(len(item.bounds) for item in requirements), len(best)), np.nan)
    for lot in np.flatnonzero(wanted).tolist():
        threat.progress.poll()
        groups = tries.beside(int(best[lot]))
        measured = [item.measure(threat, groups) for item in requirements]
        figures[:, lot] = [
            bound.worst(of_members)
            for item, result in zip(requirements, measured, strict=True)
            for bound, of_members in zip(item.bounds, result.figures, strict=True)
        ]
    return figures


def _excess(bounds: Sequence[Bound], figures: FloatArray) -> FloatArray:
    """Excess of figures over bounds, as a share of the threshold, or of 1 if that is 0."""
    shares = np.zeros(figures.shape)
    for row, bound, figure in zip(shares, bounds, figures, strict=True):
        beyond = figure - bound.threshold if bound.upper else bound.threshold - figure
        row[:] = beyond / (bound.threshold or 1.0)
    return shares


def _broken(bounds: Sequence[Bound], figures: FloatArray) -> BoolArray:
    """Mark the figures that break their bounds."""
    broken = np.zeros(figures.shape, dtype=bool)
    for row, bound, figure in zip(broken, bounds, figures, strict=True):
        row[:] = bound.broken(figure)
    return broken
