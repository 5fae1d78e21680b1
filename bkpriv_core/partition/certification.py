"""Certification: no group is published whose disclosure was not inferred, or breaks a bound.

Partitioning judges thousands of candidate groups and does so by omega, which may understate what
an adversary learns. So the finished partition is measured once more, with the policy's estimator,
and a group that breaks a requirement is *merged* with the neighbour that costs least generality
among those with which the union holds, or, where no near neighbour helps, *suppressed*: its records
are not published. Every group of the outcome was measured with the estimator and met every bound.

Rules:

- The cost of a merger is the increase of the records' certainty penalty.
- Proof comes first: unions that are inferred exactly are searched before others, those with few
  states before those with many, of which only such are inferred as hold by bethe. Where no proof
  succeeds and records would be given up, unions beyond the budget of exact inference are tried as
  well, and measured by bethe, where that converges; their measurements say so. Under ``exact``
  these are not; under ``omega`` all are tried by omega.
- A group takes part in at most one merger a round; what is left over tries again.
- Groups that come to be published alike are one group to a reader, and are measured as one; so are
  parts of a cell that come to lie in one group.
- Where everything would be suppressed, the whole table is one group if that holds: when a policy is
  no stricter than that, something can be published.
- Requirements on all groups together are judged last, on what is left, and groups are suppressed
  until the rest meets them. Neither mergers nor suppression make such a requirement fail, so this
  does not happen to a partition that met it.

Suppression does not change priors: the adversary's knowledge is that of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import AUTO_STATES, BETHE, EXACT, Estimator, exact_states
from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import (
    JointRequirement,
    Measurement,
    Requirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Certificate", "Pool", "certify"]

Pool = Callable[[Parts, Groups], Groups]
"""What joins groups of parts that a reader cannot tell apart."""

_TRIED_AT_ONCE = 4
"""Partners measured at a time, cheapest first; then ever more, where none has many states."""

_MEASURED = 0.5
"""Share of the progress that the first measurement makes."""


@dataclass(frozen=True)
class _Search:
    """How hard a round looks for partners.

    Parameters
    ----------
    near : int
        How many of the groups nearest to a failing one are considered.
    above, most : float
        Unions are tried that have more states than the one and at most the other.
    work : float
        What all unions tried in the round may cost, in states.
    """

    near: int
    above: float
    most: float
    work: float

    @property
    def screens(self) -> bool:
        """Whether unions must hold by bethe before they are inferred exactly."""
        return self.above > 0 and self.proves

    @property
    def proves(self) -> bool:
        """Whether unions must be inferred exactly."""
        return self.most <= AUTO_STATES


# Unions of few states are proved in no time, and most failing groups need no others.
_SEARCHES = (
    _Search(256, 0, 20_000, np.inf),
    _Search(64, 20_000, AUTO_STATES, 20_000_000),
    _Search(256, AUTO_STATES, np.inf, 20_000_000),
)

_BETHE_COST = 30
"""States that take as long as bethe takes for one part and one value."""


def _searches(requirements: Sequence[Requirement], estimator: Estimator) -> Iterator[_Search]:
    """How to look for partners, one way after the other."""
    inferred = _inferred(requirements, estimator)
    for search in _SEARCHES if inferred else _SEARCHES[:1]:
        if search.proves or estimator != "exact":
            yield search


def _inferred(requirements: Sequence[Requirement], estimator: Estimator) -> bool:
    """Whether it matters if unions are inferred exactly."""
    return estimator != "omega" and any(item.infers for item in requirements)


@dataclass(frozen=True, eq=False)
class Certificate:
    """A partition whose every group met every requirement under the estimator.

    Parameters
    ----------
    parts : Parts
        The parts of cells that were given, or those united that came to lie in one group.
    groups : Groups
        The groups to publish.
    suppressed : (s,) int array
        Parts whose records are not published.
    measurements : tuple of Measurement
        One per requirement, over `groups`.
    failed : int
        Groups that broke a requirement.
    merged : int
        Mergers of two groups.
    """

    parts: Parts
    groups: Groups
    suppressed: IntArray
    measurements: tuple[Measurement, ...]
    failed: int
    merged: int

    def reordered(self, order: IntArray) -> Certificate:
        """Give the groups other numbers: group ``i`` is then the former ``order[i]``."""
        memberships = Groups(np.arange(len(self.groups.members)), self.groups.offsets)
        members = memberships.select(order).members
        return replace(
            self,
            groups=self.groups.select(order),
            measurements=tuple(
                Measurement(item.figures[:, members], item.used[order])
                for item in self.measurements
            ),
        )


@dataclass(frozen=True, eq=False)
class _Measured:
    """Groups with their measurements."""

    groups: Groups
    measurements: tuple[Measurement, ...]

    def select(self, chosen: npt.NDArray[np.bool_]) -> _Measured:
        members = chosen[self.groups.owner]
        return _Measured(
            self.groups.select(chosen),
            tuple(
                Measurement(item.figures[:, members], item.used[chosen])
                for item in self.measurements
            ),
        )

    def join(self, other: _Measured) -> _Measured:
        return _Measured(
            Groups.from_lists([*self.groups, *other.groups]),
            tuple(
                Measurement(
                    np.concatenate((mine.figures, theirs.figures), axis=1),
                    np.concatenate((mine.used, theirs.used)),
                )
                for mine, theirs in zip(self.measurements, other.measurements, strict=True)
            ),
        )


def certify(
    setting: Setting,
    requirements: Sequence[Requirement],
    groups: Groups,
    estimator: Estimator,
    *,
    pool: Pool,
    progress: Progress = SILENT,
) -> Certificate:
    """Measure a partition and mend the groups that break a requirement.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    requirements : sequence of Requirement
        What every published group must meet.
    groups : Groups
        The partition.
    estimator : {"auto", "exact", "bethe", "omega"}
        How posteriors are inferred.
    pool : callable
        Joins groups that will be published alike; see `Form.pool`.
    progress : Progress
        Receives the share of the work that is done: one half for measuring the partition, the other
        for mending it.

    Returns
    -------
    Certificate
    """
    alone, joint = alone_and_joint(requirements)
    failed = merged = 0
    groups = pool(setting.parts, groups)
    while True:
        state, failures, mergers = _mend(setting, alone, groups, estimator, progress)
        failed, merged = failed + failures, merged + mergers
        # Mergers may make two groups alike to a reader; then they are one, and measured as one. Or
        # they bring parts of a cell together.
        parts, groups = setting.parts.unite(pool(setting.parts, state.groups))
        if parts is setting.parts and len(groups) == len(state.groups):
            break
        if parts is not setting.parts:
            setting = setting.over(parts)
    if not len(state.groups):
        parts, whole = setting.parts.unite(Groups.whole(len(setting.parts)))
        setting = setting if parts is setting.parts else setting.over(parts)
        state = _as_one(setting, alone, whole, estimator)
        merged += len(state.groups)
    met = satisfied(joint, setting, state.groups, estimator)
    state = state.select(met)
    together = _measure(setting, joint, state.groups, estimator)
    singly, jointly = iter(state.measurements), iter(together.measurements)
    suppressed = np.flatnonzero(state.groups.labels(len(setting.parts)) == SUPPRESSED)
    return Certificate(
        setting.parts,
        state.groups,
        suppressed,
        tuple(
            next(jointly if isinstance(item, JointRequirement) else singly) for item in requirements
        ),
        failed + int((~met).sum()),
        merged,
    )


def _as_one(
    setting: Setting, requirements: Sequence[Requirement], whole: Groups, estimator: Estimator
) -> _Measured:
    """The table as one group, if that holds and was inferred by the estimator; else no group."""
    tried_by: Estimator = "auto" if estimator == "exact" else estimator
    state = _measure(setting, requirements, whole, tried_by)
    met = _met(requirements, state)
    if estimator == "exact":
        met &= all(item.exact.all() for item in state.measurements)
    return state.select(met)


def _mend(
    setting: Setting,
    requirements: Sequence[Requirement],
    groups: Groups,
    estimator: Estimator,
    progress: Progress,
) -> tuple[_Measured, int, int]:
    """Measure groups, merge those that fail, leave out the rest: groups left, failures, mergers."""
    state = _measure(setting, requirements, groups, estimator, progress.part(0.0, _MEASURED))
    met = _met(requirements, state)
    failed = int((~met).sum())
    merged = 0
    for search in _searches(requirements, estimator):
        while not met.all():
            setting.progress.poll()
            unions, taken = _merge_round(setting, requirements, state, met, estimator, search)
            if not len(unions.groups):
                break
            merged += len(unions.groups)
            kept = ~taken
            state = state.select(kept).join(unions)
            met = np.concatenate((met[kept], np.ones(len(unions.groups), dtype=bool)))
            progress.report(1.0 - (1.0 - _MEASURED) * float((~met).sum()) / failed)
    return state.select(met), failed, merged


def _measure(
    setting: Setting,
    requirements: Sequence[Requirement],
    groups: Groups,
    estimator: Estimator,
    progress: Progress = SILENT,
) -> _Measured:
    return _Measured(
        groups,
        tuple(item.measure(setting, groups, estimator, progress) for item in requirements),
    )


def _met(requirements: Sequence[Requirement], state: _Measured) -> npt.NDArray[np.bool_]:
    """Which groups meet every bound."""
    broken = np.zeros(len(state.groups.members), dtype=bool)
    for requirement, measured in zip(requirements, state.measurements, strict=True):
        for bound, figures in zip(requirement.bounds, measured.figures, strict=True):
            broken |= bound.broken(figures)
    met: npt.NDArray[np.bool_] = ~state.groups.max(broken)
    return met


def _merge_round(
    setting: Setting,
    requirements: Sequence[Requirement],
    state: _Measured,
    met: npt.NDArray[np.bool_],
    estimator: Estimator,
    search: _Search,
) -> tuple[_Measured, npt.NDArray[np.bool_]]:
    """Unions of failing groups with partners, and which groups they take."""
    groups = state.groups
    failing = np.flatnonzero(~met)
    partners, _ = cheapest_neighbours(setting.parts, groups, failing, search.near, setting.progress)
    taken = np.zeros(len(groups), dtype=bool)
    tried_by: Estimator = "omega" if estimator == "omega" else "auto"
    inferred = _inferred(requirements, estimator)
    work = search.work
    merged = _measure(setting, requirements, groups.select(np.zeros(0, np.int64)), estimator)
    start, stop = 0, _TRIED_AT_ONCE
    while start < partners.shape[1]:
        setting.progress.poll()
        rows = np.flatnonzero(~taken[failing])
        tried = partners[rows, start:stop]
        # A group without a partner so far may well have none, and more at once take less time.
        start, stop = stop, stop + (_TRIED_AT_ONCE if search.screens else stop)
        first = np.repeat(failing[rows], tried.shape[1])
        second = tried.ravel()
        open_pair = ~taken[second]
        first, second = first[open_pair], second[open_pair]
        if not first.size:
            continue
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        unions = Groups.from_lists([np.concatenate((groups[a], groups[b])) for a, b in pairs])
        if inferred:
            fits, cost = _fitting(setting, requirements, unions, search, work)
            work -= cost
            first, second, unions = first[fits], second[fits], unions.select(fits)
            if not first.size:
                continue
        measured = _measure(setting, requirements, unions, tried_by)
        holds = _met(requirements, measured)
        if inferred:
            for item in measured.measurements:
                holds &= item.used <= (EXACT if search.proves else BETHE)
        chosen = np.zeros(len(unions), dtype=bool)
        for pair in np.flatnonzero(holds):
            if not taken[first[pair]] and not taken[second[pair]]:
                chosen[pair] = taken[first[pair]] = taken[second[pair]] = True
        if chosen.any():
            merged = merged.join(measured.select(chosen))
    return merged, taken


def _fitting(
    setting: Setting,
    requirements: Sequence[Requirement],
    unions: Groups,
    search: _Search,
    work: float,
) -> tuple[npt.NDArray[np.bool_], float]:
    """Which unions a search tries, the first for which there is work left, and what that costs."""
    parts = setting.parts
    states = exact_states(unions, parts.weights[unions.members], parts.histograms(unions))
    fits = (states > search.above) & (states <= search.most)
    estimated = _BETHE_COST * parts.table.sensitive.size * unions.widths.astype(np.float64)
    spent = 0.0
    if search.screens or not search.proves:
        fits &= np.cumsum(np.where(fits, estimated, 0.0)) <= work
        spent = float(estimated[fits].sum())
    if search.screens and fits.any():
        screened = _measure(setting, requirements, unions.select(fits), "bethe")
        fits[fits] = _met(requirements, screened)
    if search.proves:
        fits &= np.cumsum(np.where(fits, states, 0.0)) <= work - spent
        spent += float(states[fits].sum())
    return fits, spent
