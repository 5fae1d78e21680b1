r"""Inference by a reader who does not know who is in which group.

The reader sees a generalized release, knows everybody's quasi-identifiers and has a prior. Groups
that are a component by themselves (`bkpriv_core.release.generalized.components`) hold the same
people in every assignment: there beliefs are those of a reader who knows the groups, of rows with
equal boxes together. In a component of several groups everybody's belief may be another, also that
of people who cannot be elsewhere.

Such a component is inferred exactly where that is little work. People of one cell and prior are
one *kind*. A *composition* says how many people of each kind are in each group. Each assignment
weighs the same before values are known, so that a composition weighs

``prod_k (w_k over x_k1 x_k2 ...) * prod_g L(E_g, n_g)``

with the number ``w_k`` of people of kind k, ``x_kg`` of them in group g, and the likelihood ``L``
of the group's values as in `bkpriv_core.belief.posterior`; 1 for those who are suppressed, of whom
no values are shown. Kinds that fit one group only are placed once for all compositions. Elsewhere
nothing is inferred, and nothing is said but how many people it concerns.

Beliefs are exact up to rounding, under assumptions: a box is an extent that its people lie in, and
not said to be tight around them. Where a prior rules values out, that is taken into account here;
that a person could be elsewhere (`Components.movable`) does not, and is then an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lgamma

import numpy as np

from bkpriv_core.belief.posterior import Estimator, posterior
from bkpriv_core.errors import ContradictoryKnowledge, Unsupported
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.components import Components, find_components
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, FloatArray, Groups, IntArray

__all__ = ["Assigned", "infer_assignments"]

_COMPOSITIONS = 1000
"""Largest number of compositions of a component that are weighed."""

_TRIES = 20_000
"""Largest number of partial compositions that are looked at to find them."""

_STATES = 20_000
"""Largest number of states of a group of a component of several."""

_DEEP = 200
"""Largest number of kinds that fit several groups, and of groups of a component."""

_KEPT = 50_000_000
"""Largest number of weights of states that are kept for one component."""

_HARMLESS = 300.0
"""Logarithm of a product of priors up to which it neither underflows nor overflows."""

_Composition = tuple[tuple[int, ...], ...]
"""People of each free kind in each group."""


@dataclass(frozen=True, eq=False)
class Assigned:
    """Beliefs of a reader who does not know who is in which group."""

    components: Components
    """The groups that can exchange people."""
    beliefs: FloatArray
    """Shape (p, m). Belief about the people of each part; rows of NaN where it is not known."""
    exact: BoolArray
    """Shape (p,). Whether beliefs are exact up to rounding: not where a group by itself is inferred
    by an estimate.
    """

    @property
    def known(self) -> BoolArray:
        """Whether anything is inferred of each part, shape (p,)."""
        return ~np.isnan(self.beliefs[:, 0])


def infer_assignments(
    release: Release,
    prior: FloatArray,
    estimator: Estimator = "auto",
    progress: Progress = SILENT,
    found: Components | None = None,
) -> Assigned:
    """Beliefs after a release of a reader who does not know who is in which group.

    Args:
        prior: Shape (p, m). Prior beliefs about the people of each part.
        estimator: Inference within groups that are a component by themselves.
        progress: Receives the share of the work that is done.
        found: The components, if they are known.

    Raises:
        ContradictoryKnowledge: If the prior gives the release probability 0.
        TooLarge: If there are too many cells and boxes to compare.
        Unsupported: If the release shows who is in which group.
    """
    if not isinstance(release.form, Generalized):
        raise Unsupported(
            f"who does not know the groups is no attacker of a release that is {release.form.name}",
            detail="It shows quasi-identifiers as they are, and the group of each row with them.",
            hint="Ask for another attacker, or about a release whose form is generalized.",
        )
    if found is None:
        found = find_components(release, progress.part(0.0, 0.5))
    joined, parts = found.release, release.parts
    beliefs = np.full((len(parts), parts.counts.shape[1]), np.nan)
    exact = np.ones(len(parts), dtype=bool)
    if found.suppressed != SUPPRESSED and found.sizes[found.suppressed] == 1:
        beliefs[joined.labels == SUPPRESSED] = prior[joined.labels == SUPPRESSED]
    alone = np.flatnonzero(found.sizes[found.of_group] == 1)
    groups = joined.groups.select(alone)
    inferred = posterior(groups, parts.counts, (prior,), estimator, progress=progress.quiet)
    beliefs[groups.members] = inferred.beliefs[0]
    exact[groups.members] = inferred.exact[groups.owner]
    shown = joined.histograms
    # Parts of each component of several groups.
    concerned = np.flatnonzero(found.concerned)
    several = Groups.from_labels(np.unique(found.of_part[concerned], return_inverse=True)[1])
    for number, members in enumerate(several):
        progress.report(0.5 + 0.5 * number / len(several))
        here = concerned[members]
        problem, kind = _Problem.of(found, here, prior, shown)
        believed = problem.infer(progress)
        if believed is not None:
            beliefs[here] = believed[kind]
    return Assigned(found, beliefs, exact)


@dataclass(frozen=True, eq=False)
class _Problem:
    """One component of several groups."""

    priors: FloatArray
    """Shape (k, m). Prior of each kind."""
    weights: IntArray
    """Shape (k,). People of each kind."""
    fits: BoolArray
    """Shape (k, s). Groups that each kind fits."""
    sizes: IntArray
    """Shape (s,). People of each group."""
    histograms: Sequence[IntArray | None]
    """Values of each group; None for those who are suppressed."""

    @classmethod
    def of(
        cls, found: Components, here: IntArray, prior: FloatArray, shown: IntArray
    ) -> tuple[_Problem, IntArray]:
        """The component that has some parts, all of it, and the kind of each part.

        `shown` are the histograms of all groups.
        """
        release = found.release
        parts, count = release.parts, len(found.of_group)
        places = np.unique(found.places[here])
        believed = np.unique(prior[here], axis=0, return_inverse=True)[1].reshape(-1)
        first, kind, _ = distinct_rows(np.column_stack((parts.cell[here], believed)))
        cells = parts.cell[here[first]]
        fits = np.zeros((len(first), len(places)), dtype=bool)
        for row, cell in enumerate(cells):
            start, stop = np.searchsorted(found.cells, (cell, cell + 1))
            fits[row] = np.isin(places, found.boxes[start:stop])
        weights = np.bincount(kind, weights=parts.weights[here]).astype(np.int64)
        sizes = np.bincount(
            np.searchsorted(places, found.places[here]), weights=parts.weights[here]
        ).astype(np.int64)
        histograms = [None if place == count else shown[place] for place in places]
        return cls(prior[here[first]], weights, fits, sizes, histograms), kind

    @property
    def _feasible(self) -> bool:
        """Whether no group has too many states, and no product of priors underflows."""
        for place, histogram in enumerate(self.histograms):
            if histogram is None:
                continue
            fitting = self.fits[:, place]
            rows = self.priors[fitting][:, histogram > 0]
            least = rows.min(initial=1.0, where=rows > 0)
            if np.log1p(histogram).sum() > np.log(_STATES):
                return False
            if -np.log(least) * self.sizes[place] > _HARMLESS:
                return False
        return True

    def infer(self, progress: Progress) -> FloatArray | None:
        """Belief about each kind, shape (k, m); None if that is too much work."""
        free = np.flatnonzero(self.fits.sum(axis=1) > 1)
        fixed = [np.flatnonzero(self.fits[:, place]) for place in range(len(self.sizes))]
        fixed = [kinds[~np.isin(kinds, free)] for kinds in fixed]
        room = self.sizes - np.array([self.weights[kinds].sum() for kinds in fixed])
        if not self._feasible:
            return None
        compositions = _compositions(self.weights[free], self.fits[free], room, progress)
        if compositions is None or self._kept(fixed, compositions) > _KEPT:
            return None
        groups = [
            _Group.of(histogram, self.priors, free, kinds, self.weights, progress)
            for histogram, kinds in zip(self.histograms, fixed, strict=True)
        ]
        logs = np.array([self._log_weight(each, free, groups) for each in compositions])
        if not np.isfinite(logs.max()):
            raise ContradictoryKnowledge(
                "the prior contradicts groups whose boxes overlap",
                detail="It gives probability 0 to every way of handing the values of "
                f"{len(self.sizes)} groups to the {self.weights.sum()} people who fit their boxes.",
                hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
            )
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        expected = np.zeros(self.priors.shape)
        for place, group in enumerate(groups):
            progress.poll()
            by_column: dict[tuple[int, ...], float] = {}
            for composition, share in zip(compositions, shares, strict=True):
                column = tuple(row[place] for row in composition)
                by_column[column] = by_column.get(column, 0.0) + share
            group.add(by_column, expected)
        return np.asarray(expected / self.weights[:, None])

    def _kept(self, fixed: Sequence[IntArray], compositions: Sequence[_Composition]) -> float:
        """Upper bound of the weights of states that groups keep."""
        total = 0.0
        for place, (kinds, histogram) in enumerate(zip(fixed, self.histograms, strict=True)):
            if histogram is not None:
                columns = {tuple(row[place] for row in each) for each in compositions}
                most = np.prod([max(each) + 1.0 for each in zip(*columns, strict=True)])
                free = min(float(most), sum(sum(each) + 1.0 for each in columns))
                total += (self.weights[kinds].sum() + free) * float(np.prod(histogram + 1.0))
        return total

    def _log_weight(
        self, composition: _Composition, free: IntArray, groups: Sequence[_Group]
    ) -> float:
        ways = sum(lgamma(weight + 1) for weight in self.weights[free].tolist())
        ways -= sum(lgamma(each + 1) for row in composition for each in row)
        for place, group in enumerate(groups):
            likelihood = group.likelihood(tuple(row[place] for row in composition))
            if likelihood <= 0:
                return -np.inf
            ways += float(np.log(likelihood))
        return ways


def _compositions(
    weights: IntArray, fits: BoolArray, room: IntArray, progress: Progress
) -> list[_Composition] | None:
    """All ways to put so many people of each kind into the room of the groups that they fit.

    None if there are too many, or looking for them takes too long.
    """
    if max(fits.shape) > _DEEP:
        return None
    found: list[_Composition] = []
    tries = 0
    # What fits few groups comes first, which leaves few ways to the others.
    order = np.argsort(fits.sum(axis=1), kind="stable")
    back = np.argsort(order).tolist()
    people = weights[order].tolist()
    open_ = [np.flatnonzero(row).tolist() for row in fits[order]]
    # Room that is not for those who come later stays empty.
    later = np.cumsum((weights[:, None] * fits)[order][::-1], axis=0)[::-1].tolist()
    later.append([0] * len(room))

    def extend(row: int, taken: list[tuple[int, ...]], left: list[int]) -> bool:
        nonlocal tries
        progress.poll()
        tries += 1
        if tries > _TRIES:
            return False
        if any(map(int.__gt__, left, later[row])):
            return True
        if row == len(order):
            found.append(tuple(taken[place] for place in back))
            return len(found) <= _COMPOSITIONS
        for dealt in _dealt(people[row], [left[place] for place in open_[row]]):
            counts = [0] * len(left)
            rest = list(left)
            for place, number in zip(open_[row], dealt, strict=True):
                counts[place] = number
                rest[place] -= number
            if not extend(row + 1, [*taken, tuple(counts)], rest):
                return False
        return True

    return found if extend(0, [], room.tolist()) else None


def _dealt(people: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to deal people to places with so much room."""
    if len(room) == 1:
        if people <= room[0]:
            yield (people,)
        return
    for first in range(max(0, people - sum(room[1:])), min(people, room[0]) + 1):
        for rest in _dealt(people - first, room[1:]):
            yield (first, *rest)


class _Group:
    """One group, whose fixed people are placed, and free ones as compositions have it.

    Arrays of states have one axis for each value of the group: how many have it so far.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        values: IntArray,
        priors: FloatArray,
        free: IntArray,
        fixed: list[int],
        progress: Progress,
    ) -> None:
        self._shape = shape
        self._values = values
        self._priors = priors
        self._free = free
        self._progress = progress
        # Each fixed person, kind after kind, and how the people before them have the values.
        self._fixed = fixed
        self._before = [self._empty()]
        for kind in fixed:
            self._before.append(self._placed(self._before[-1], kind))
        self._filled: dict[tuple[int, ...], FloatArray] = {}

    @classmethod
    def of(
        cls,
        histogram: IntArray | None,
        priors: FloatArray,
        free: IntArray,
        fixed: IntArray,
        weights: IntArray,
        progress: Progress,
    ) -> _Group:
        """The group that has such a histogram; of those who are suppressed if it is None."""
        people = np.repeat(fixed, weights[fixed]).tolist()
        if histogram is None:
            return _Suppressed((), np.zeros(0, dtype=np.int64), priors, free, people, progress)
        values = np.flatnonzero(histogram)
        shape = tuple((histogram[values] + 1).tolist())
        return cls(shape, values, priors, free, people, progress)

    def _empty(self) -> FloatArray:
        states = np.zeros(self._shape)
        states[(0,) * len(self._shape)] = 1.0
        return states

    def _placed(self, states: FloatArray, kind: int) -> FloatArray:
        """Weights of states after one more person."""
        self._progress.poll()
        after = np.zeros(self._shape)
        for axis, value in enumerate(self._values):
            here, there = self._along(axis)
            after[there] += self._priors[kind, value] * states[here]
        return after

    def _along(self, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """States before and after one more has the value of an axis."""
        rest = (slice(None),) * axis
        return (*rest, slice(None, -1)), (*rest, slice(1, None))

    def _fill(self, column: tuple[int, ...]) -> FloatArray:
        """Weights of states by free people alone, so many of each kind."""
        ahead: list[tuple[tuple[int, ...], int]] = []
        fewer = column
        while fewer not in self._filled and any(fewer):
            kind = next(place for place, number in enumerate(fewer) if number)
            ahead.append((fewer, int(self._free[kind])))
            fewer = (*fewer[:kind], fewer[kind] - 1, *fewer[kind + 1 :])
        states = self._filled.get(fewer)
        if states is None:
            states = self._filled[fewer] = self._empty()
        for more, kind in reversed(ahead):
            states = self._filled[more] = self._placed(states, kind)
        return states

    def _rest(self, states: FloatArray) -> FloatArray:
        """Weights by what is left to fill instead of what is filled."""
        return np.flip(states)

    def likelihood(self, column: tuple[int, ...]) -> float:
        """Likelihood of the group's values with so many free people of each kind."""
        return float((self._before[-1] * self._rest(self._fill(column))).sum())

    def add(self, columns: dict[tuple[int, ...], float], expected: FloatArray) -> None:
        """Add the expected number of people of each kind with each value.

        Args:
            columns: Free people of each kind, and how probable that is.
            expected: Shape (k, m). Changed in place.
        """
        ahead = np.zeros(self._shape)
        placed = self._before[-1]
        for column, share in columns.items():
            if share == 0:
                continue
            scale = share / self.likelihood(column)
            ahead += scale * self._rest(self._fill(column))
            for kind, number in enumerate(column):
                if number:
                    fewer = (*column[:kind], number - 1, *column[kind + 1 :])
                    others = self._rest(self._fill(fewer))
                    self._count(placed, others, int(self._free[kind]), number * scale, expected)
        # `ahead` says how heavy it is that the values left are had by those who come later.
        for kind, before in zip(reversed(self._fixed), reversed(self._before[:-1]), strict=True):
            self._count(before, ahead, kind, 1.0, expected)
            ahead = self._taken(ahead, kind)

    def _taken(self, ahead: FloatArray, kind: int) -> FloatArray:
        """Weigh what comes after each state, one person earlier."""
        self._progress.poll()
        before = np.zeros(self._shape)
        for axis, value in enumerate(self._values):
            here, there = self._along(axis)
            before[here] += self._priors[kind, value] * ahead[there]
        return before

    def _count(
        self,
        before: FloatArray,
        ahead: FloatArray,
        kind: int,
        scale: float,
        expected: FloatArray,
    ) -> None:
        for axis, value in enumerate(self._values):
            here, there = self._along(axis)
            ways = float((before[here] * ahead[there]).sum())
            expected[kind, value] += scale * self._priors[kind, value] * ways


class _Suppressed(_Group):
    """Group of those who are suppressed: no values are shown."""

    def likelihood(self, column: tuple[int, ...]) -> float:
        """See `_Group`."""
        return 1.0

    def add(self, columns: dict[tuple[int, ...], float], expected: FloatArray) -> None:
        """See `_Group`."""
        for kind in self._fixed:
            expected[kind] += self._priors[kind]
        for column, share in columns.items():
            for kind, number in zip(self._free.tolist(), column, strict=True):
                expected[kind] += share * number * self._priors[kind]
