"""Sampling: ranges of bandwidths are met by way of a few of their adversaries.

To hold groups against all adversaries of a grid is to infer as many posteriors, each time that one
is tried. Few of them matter: who is told most by the groups that would be published. So groups are
formed and certified against a *sample* of each grid, at first its ends and middle, and only the
outcome is measured against the whole. Where a group breaks a bound there, those to whom such groups
tell most join the sample, and what was certified is certified again, which mends what fails. A
sample grows with every round, so rounds end, at last with the whole grid. This is the cutting-plane
method: constraints are added where the solution of fewer violates them. Groups that a round leaves
as they were are not measured again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.progress import Progress
from bkpriv_core.requirement.base import Measurement, Requirement
from bkpriv_core.requirement.belief import BtPrivacy
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts

__all__ = ["Sample"]

_JOINING = 4
"""Most adversaries of one requirement that join a sample at a time."""


class Sample:
    """Requirements against some of the adversaries of their ranges.

    Parameters
    ----------
    requirements : sequence of Requirement
        As they are stated.
    whole : bool
        Whether samples are the whole grids from the start.

    Attributes
    ----------
    requirements : list of Requirement
        The same, with samples in the place of ranges. What has no range is the same object.
    """

    def __init__(self, requirements: Sequence[Requirement], *, whole: bool = False) -> None:
        self._stated = requirements
        self._ranged = {
            place: item
            for place, item in enumerate(requirements)
            if isinstance(item, BtPrivacy) and item.ranges
        }
        self._known: dict[int, dict[bytes, Measurement]] = {place: {} for place in self._ranged}
        self._parts: Parts | None = None
        self._chosen = {place: whole | _some(item) for place, item in self._ranged.items()}

    @property
    def requirements(self) -> list[Requirement]:
        """See the class."""
        return [
            self._ranged[place].those(self._chosen[place].tolist())
            if place in self._ranged
            else item
            for place, item in enumerate(self._stated)
        ]

    def widened(
        self,
        setting: Setting,
        groups: Groups,
        measurements: Sequence[Measurement],
        estimator: Estimator,
        progress: Progress,
    ) -> tuple[Measurement, ...] | None:
        """Measure groups against the whole grids; widen the sample where that finds fault.

        Parameters
        ----------
        setting : Setting
            The table and its adversaries.
        groups : Groups
            At least one.
        measurements : sequence of Measurement
            Those of the sample's requirements.
        estimator : {"auto", "exact", "bethe", "omega"}
            How they were inferred.
        progress : Progress
            Polled.

        Returns
        -------
        tuple of Measurement or None
            Those of the requirements as they are stated; None where some break bounds.
        """
        if setting.parts is not self._parts:
            self._parts = setting.parts
            self._known = {place: {} for place in self._ranged}
        found, whole = list(measurements), True
        for place, item in self._ranged.items():
            measured = self._measured(place, setting, groups, estimator, progress)
            found[place] = replace(measured, figures=item.of_bounds(measured.figures))
            broken = np.array(
                [
                    bound.broken(figures)
                    for bound, figures in zip(item.each.bounds, measured.figures, strict=True)
                ]
            )
            broken[self._chosen[place]] = False
            if broken.any():
                whole = False
                self._chosen[place][_joining(measured.figures, broken)] = True
        return tuple(found) if whole else None

    def _measured(
        self,
        place: int,
        setting: Setting,
        groups: Groups,
        estimator: Estimator,
        progress: Progress,
    ) -> Measurement:
        """Figures of every adversary of a requirement; only what is not known is inferred."""
        known = self._known[place]
        keys = [members.tobytes() for members in groups]
        fresh = np.array([key not in known for key in keys])
        if fresh.any():
            some = groups.select(fresh)
            measured = self._ranged[place].measure_each(setting, some, estimator, progress)
            figures = np.split(measured.figures, some.offsets[1:-1], axis=1)
            used = np.split(measured.used, len(some))
            unknown = itertools.compress(keys, fresh)
            known.update(zip(unknown, map(Measurement, figures, used), strict=True))
        return Measurement(
            np.concatenate([known[key].figures for key in keys], axis=1),
            np.concatenate([known[key].used for key in keys]),
        )


def _some(item: BtPrivacy) -> npt.NDArray[np.bool_]:
    """The ends and the middle of each grid, and who is no part of any."""
    return np.concatenate(
        [np.isin(np.arange(size), (0, size // 2, size - 1)) for size in map(len, item.several)]
    )


def _joining(
    figures: npt.NDArray[np.float64], broken: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """Those to whom most memberships that fail tell most, and who is told most of all."""
    told = np.where(broken, figures, -np.inf)
    failing = told[:, broken.any(axis=0)]
    times = np.bincount(failing.argmax(axis=0), minlength=len(figures))
    most = np.argsort(-times, kind="stable")[: _JOINING - 1]
    return np.union1d(most[times[most] > 0], failing.max(axis=1).argmax())
