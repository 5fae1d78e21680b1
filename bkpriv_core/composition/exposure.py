"""Exposure: who breaks a bound by what several releases tell together, and by which of them.

That is a *least* set of releases: of these, none can be left out. There may be others. Single ones
are tried first, the earliest before others; then pairs, those near to one another before others, of
which mostly one does it. For whom none does, releases are left out one after another, the latest
first, and what keeps a person over the bound is left out for good, until none can be.

What some releases tell is inferred once, of all who may be exposed by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from bkpriv_core.belief.posterior import Sound
from bkpriv_core.composition.companion import companion
from bkpriv_core.composition.constraint import ALONE, Constraints
from bkpriv_core.composition.measurement import Joint
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Bound, Requirement, Shift
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["Exposure", "exposures"]


_PAIRS = 200
"""Largest number of pairs of releases that are tried."""


@dataclass(frozen=True, eq=False)
class Exposure:
    """Persons over one bound, the worst first."""

    bound: Bound
    persons: IntArray
    """Shape (x,). Numbers of the persons."""
    figures: FloatArray
    """Shape (x,). Figures of the persons."""
    blame: Sequence[Shift] | None
    """The values at fault, of each; None if no single value is."""
    by: BoolArray
    """Shape (x, r). Releases that expose each person."""


def exposures(
    joint: Joint,
    releases: Sequence[Constraints],
    requirements: Sequence[Requirement],
    estimator: Sound = "auto",
    progress: Progress = SILENT,
) -> list[Exposure]:
    """Find everybody over a bound, and releases that do it.

    Args:
        releases: Constraints by each of the ``r`` releases, in the order of publication.
        requirements: Requirements that can be measured of several releases: see `jointly`.
        estimator: Inference of beliefs; best as for `joint`.
        progress: Receives the share of what is tried.
    """
    # As the groups connect people, whatever follows from them.
    component = joint.constraints.components(len(joint.told.used))
    shows = np.stack([_connected(each, component) for each in releases], axis=1)
    over = []
    for requirement in requirements:
        judged = companion(requirement)
        for place, (bound, figures) in enumerate(
            zip(requirement.bounds, judged.figures(joint), strict=True)
        ):
            broken = np.flatnonzero(bound.broken(figures))
            worst = -figures[broken] if bound.upper else figures[broken]
            broken = broken[np.argsort(worst, kind="stable")]
            persons = joint.persons[broken]
            blame = judged.blamed(joint, place, persons)
            over.append(Exposure(bound, persons, figures[broken], blame, by=shows[persons]))
    search = _Search(over, _Tries(joint, component, releases, requirements, estimator=estimator))
    search.find(progress)
    ends = np.cumsum([len(each.persons) for each in over])[:-1]
    return [replace(each, by=by) for each, by in zip(over, np.split(search.by, ends), strict=True)]


def _connected(constraints: Constraints, component: IntArray) -> BoolArray:
    """Mark people of whom a release tells: those shown, and all who are connected with them."""
    told = np.zeros(len(component), dtype=bool)
    told[component[constraints.members.members]] = True
    connected: BoolArray = (component != ALONE) & told[component]
    return connected


class _Search:
    """Search for least sets of releases that expose people.

    Args:
        over: People over each bound by all of the releases.

    Attributes:
        by: Shape (x, r). Releases that expose the persons of each bound, one bound after another.
    """

    def __init__(self, over: Sequence[Exposure], tries: _Tries) -> None:
        self.by = np.concatenate([each.by for each in over])
        self._persons = np.concatenate([each.persons for each in over])
        self._bound = np.repeat(np.arange(len(over)), [len(each.persons) for each in over])
        self._tries = tries

    def find(self, progress: Progress) -> None:
        """Make the sets least ones."""
        few = list(_few(self.by.shape[1]))
        least = self.by.sum(axis=1) == 1
        for number, chosen in enumerate(few):
            progress.report(0.5 * number / len(few))
            least |= self._choose(chosen, np.flatnonzero(~least), progress)
        start, left = 0.5, np.flatnonzero(~least)
        # Fewer releases may expose somebody whom more do not, so one that was kept is tried again.
        while self._leave_out(left, progress.part(start, (start + 1) / 2)):
            start = (start + 1) / 2
        progress.report(1.0)

    def _choose(self, chosen: BoolArray, left: IntArray, progress: Progress) -> BoolArray:
        """Take some releases for all whom they expose, of those left; say who these are."""
        exposed = np.zeros(len(self.by), dtype=bool)
        # Who has no others has been tried with each of them.
        by = self.by[left]
        rows = left[by[:, chosen].all(axis=1) & (by.sum(axis=1) > chosen.sum())]
        exposed[rows] = self._tries.over(chosen, self._persons[rows], self._bound[rows], progress)
        self.by[exposed] = chosen
        return exposed

    def _leave_out(self, left: IntArray, progress: Progress) -> bool:
        """Take each release from all of those left whom the rest of theirs exposes as well."""
        before = int(self.by.sum())
        count = self.by.shape[1]
        for place in reversed(range(count)):
            progress.report(1 - (place + 1) / count)
            tried = left[self.by[left, place] & (self.by[left].sum(axis=1) > 1)]
            first, kind, _ = distinct_rows(self.by[tried].astype(np.int64))
            for number, one in enumerate(first):
                rows = tried[kind == number]
                rest = self.by[tried[one]].copy()
                rest[place] = False
                over = self._tries.over(rest, self._persons[rows], self._bound[rows], progress)
                self.by[rows[over], place] = False
        return int(self.by.sum()) < before


def _few(releases: int) -> Iterator[BoolArray]:
    """Single releases, and pairs, by how far they are apart."""
    places = range(releases)
    singles = ((place,) for place in places)
    pairs = ((place, place + gap) for gap in places[1:] for place in places[: releases - gap])
    for some in chain(singles, islice(pairs, _PAIRS)):
        yield np.isin(places, some)


class _Tries:
    """Inference from some of the releases.

    Args:
        component: Shape (n,). The least person of all whom their groups connect.
        releases, requirements, estimator: See `exposures`.
    """

    def __init__(
        self,
        joint: Joint,
        component: IntArray,
        releases: Sequence[Constraints],
        requirements: Sequence[Requirement],
        estimator: Sound,
    ) -> None:
        self._joint, self._component = joint, component
        self._releases, self._requirements = releases, requirements
        # What is exact of all releases need not be so of some.
        self._manner: Sound = "auto" if estimator == "exact" else estimator
        self._bounds = [bound for item in requirements for bound in item.bounds]
        self._known: dict[bytes, tuple[IntArray, BoolArray]] = {}

    def over(
        self, chosen: BoolArray, persons: IntArray, bound: IntArray, progress: Progress
    ) -> BoolArray:
        """Tell whom some releases expose.

        Args:
            chosen: Shape (r,). The releases.
            persons, bound: Shape (x,). Persons, and the place of a bound for each.

        Returns:
            Shape (x,).
        """
        key = chosen.tobytes()
        nobody = np.zeros(0, dtype=np.int64), np.zeros((len(self._bounds), 0), dtype=bool)
        known, over = self._known.get(key, nobody)
        asked = np.setdiff1d(persons, known)
        if len(asked):
            told, broken = self._judged(chosen, asked, progress.quiet)
            fresh = ~np.isin(told, known)
            known = np.concatenate((known, told[fresh]))
            order = np.argsort(known)
            known, over = known[order], np.concatenate((over, broken[:, fresh]), axis=1)[:, order]
            self._known[key] = known, over
        return over[bound, np.searchsorted(known, persons)]

    def _judged(
        self, chosen: BoolArray, persons: IntArray, progress: Progress
    ) -> tuple[IntArray, BoolArray]:
        """Infer of persons, and all whom releases tell of with them, who is over which bound."""
        progress.poll()
        count = len(self._component)
        among = np.zeros(count, dtype=bool)
        among[persons] = True
        every = [self._releases[place] for place in np.flatnonzero(chosen).tolist()]
        near = [_showing(each, self._component, among) for each in every]
        constraints = Constraints.joined(near)
        constraints = _showing(constraints, constraints.components(count), among)
        over = np.zeros((len(self._bounds), count), dtype=bool)
        if len(constraints):
            told = Joint.of(
                self._joint.population,
                constraints,
                self._manner,
                among=among,
                refuse=False,  # these contradict no more than all
                progress=progress,
            )
            figures = np.concatenate([companion(item).figures(told) for item in self._requirements])
            for row, bound, figure in zip(over, self._bounds, figures, strict=True):
                row[told.persons] = bound.broken(figure)
            among[told.persons] = True
        known = np.flatnonzero(among)
        return known, over[:, known]


def _showing(constraints: Constraints, component: IntArray, among: BoolArray) -> Constraints:
    """Constraints of components that have one of some persons."""
    asked = np.zeros(len(component), dtype=bool)
    asked[component[among & (component != ALONE)]] = True
    members = constraints.members
    return constraints.select(
        np.flatnonzero(asked[component[members.members[members.offsets[:-1]]]])
    )
