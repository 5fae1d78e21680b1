"""Exposure: who breaks a bound by what several releases tell together, and by which of them.

Releases are left out one after another, the latest first, and what keeps a person over the bound
is left out for good. The rest is a least set: of these, none can be left out. There may be others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import Sound
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Blame, Bound, Requirement
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.together.constraint import ALONE, Constraints
from bkpriv_core.together.measurement import Joint

__all__ = ["Exposure", "exposures"]

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Exposure:
    """Persons over one bound, the worst first.

    Parameters
    ----------
    bound : Bound
        The bound.
    persons : (x,) int array
        Their numbers.
    figures : (x,) float array
        Their figures.
    blame : Blame or None
        The values at fault; None if no single value is.
    by : (x, r) bool array
        Which of the releases expose each of them.
    """

    bound: Bound
    persons: IntArray
    figures: FloatArray
    blame: Blame | None
    by: BoolArray


def exposures(
    joint: Joint,
    releases: Sequence[Constraints],
    requirements: Sequence[Requirement],
    estimator: Sound = "auto",
    progress: Progress = SILENT,
) -> list[Exposure]:
    """Find everybody over a bound, and releases that do it.

    Parameters
    ----------
    joint : Joint
        What all releases tell.
    releases : sequence of Constraints
        What each of the ``r`` releases shows, in the order of publication.
    requirements : sequence of Requirement
        What can be measured of several: see `jointly`.
    estimator : {"auto", "exact", "bethe", "omega"}
        How beliefs are inferred; best as for `joint`.
    progress : Progress
        Receives the share of the releases that were tried.

    Returns
    -------
    list of Exposure
        One for each bound of each requirement, in their order.
    """
    # As the groups connect people, whatever follows from them.
    component = joint.constraints.components(len(joint.told.used))
    shows = np.stack([_connected(each, component) for each in releases], axis=1)
    exposed = []
    for requirement in requirements:
        figures_of_bounds = requirement.together(joint)
        for place, (bound, figures) in enumerate(
            zip(requirement.bounds, figures_of_bounds, strict=True)
        ):
            over = np.flatnonzero(bound.broken(figures))
            over = over[np.argsort(-figures[over] if bound.upper else figures[over], kind="stable")]
            persons = joint.persons[over]
            blame = requirement.blamed(joint, place, persons)
            exposed.append(Exposure(bound, persons, figures[over], blame, shows[persons]))
    left = -1
    # Fewer releases may expose somebody whom more do not, so one that was kept is tried again.
    while left != (left := sum(int(each.by.sum()) for each in exposed)):
        for place in reversed(range(len(releases))):
            progress.report(1 - (place + 1) / len(releases))
            _leave_out(
                place, joint, component, releases, requirements, exposed, estimator, progress
            )
    return exposed


def _connected(constraints: Constraints, component: IntArray) -> BoolArray:
    """Of whom a release tells: those whom it shows, and all who are connected with them."""
    told = np.zeros(len(component), dtype=bool)
    told[component[constraints.members.members]] = True
    connected: BoolArray = (component != ALONE) & told[component]
    return connected


def _leave_out(
    place: int,
    joint: Joint,
    component: IntArray,
    releases: Sequence[Constraints],
    requirements: Sequence[Requirement],
    exposed: Sequence[Exposure],
    estimator: Sound,
    progress: Progress,
) -> None:
    """Take a release from all whom the rest of theirs exposes as well."""
    by = np.concatenate([each.by for each in exposed])
    persons = np.concatenate([each.persons for each in exposed])
    tried = np.flatnonzero(by[:, place] & (by.sum(axis=1) > 1))
    first, kind, _ = distinct_rows(by[tried].astype(np.int64))
    for number, one in enumerate(first):
        progress.poll()
        rest = by[tried[one]].copy()
        rest[place] = False
        among = np.zeros(len(joint.told.used), dtype=bool)
        among[persons[tried[kind == number]]] = True
        told = _told(joint, component, releases, rest, among, estimator, progress)
        if told is None:
            continue
        figures = np.concatenate([item.together(told) for item in requirements])
        for each, figure in zip(exposed, figures, strict=True):
            over = np.zeros(len(among), dtype=bool)
            over[told.persons[each.bound.broken(figure)]] = True
            same = (each.by == by[tried[one]]).all(axis=1)
            each.by[same & over[each.persons], place] = False


def _told(
    joint: Joint,
    component: IntArray,
    releases: Sequence[Constraints],
    chosen: BoolArray,
    among: BoolArray,
    estimator: Sound,
    progress: Progress,
) -> Joint | None:
    """What some of the releases tell of some persons; None if nothing."""
    asked = np.zeros(len(component), dtype=bool)
    asked[component[among]] = True
    some = []
    for place in np.flatnonzero(chosen).tolist():
        members = releases[place].members
        near = asked[component[members.members[members.offsets[:-1]]]]
        some.append(releases[place].select(np.flatnonzero(near)))
    constraints = Constraints.joined(some)
    if not len(constraints):
        return None
    # What is exact of all releases need not be so of some; and these contradict no more than all.
    manner: Sound = "auto" if estimator == "exact" else estimator
    return Joint.of(
        joint.population, constraints, manner, among=among, refuse=False, progress=progress.quiet
    )
