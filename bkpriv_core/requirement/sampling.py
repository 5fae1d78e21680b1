"""Sampling: ranges of bandwidths are met by way of a few of their adversaries.

To hold groups against all adversaries of a range is to infer many posteriors, each time that one is
tried. Few of them matter: who is told most by the groups that would be published. So groups are
formed and certified against a *sample* of each range, at first its ends and middle, and only the
outcome is measured against the whole. Where a group breaks a bound there, those to whom such groups
tell most join the sample, and what was certified is certified again, which mends what fails. This
is the cutting-plane method: constraints are added where the solution of fewer violates them.

A group may come so near to a bound that it is not shown to keep it between the bandwidths that were
computed. It is mended, too: whom it tells most joins with a bound that is just missed. Mostly a few
rounds do; after `_ROUNDS` of them bounds of the sample are drawn tighter with each, so that rounds
end. Groups that a round leaves as they were are recalled, and not measured again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.knowledge import Between
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.ranging import Ranged
from bkpriv_core.belief.setting import Setting
from bkpriv_core.progress import Progress
from bkpriv_core.requirement.base import SLACK, Measurement, Requirement
from bkpriv_core.requirement.belief import BeliefRequirement
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["Sample"]

_JOINING = 8
"""Largest number of adversaries of one range that join a sample at a time."""

_ROUNDS = 12
"""Rounds after which bounds are drawn tighter."""

_TIGHTER = 0.9
"""Factor by which bounds are drawn tighter in each further round."""

_MISSED = 1e-6
"""Share by which a group not shown to keep a bound is to miss it."""


class Sample:
    """Requirements against some of the adversaries of their ranges.

    Parameters
    ----------
    requirements : sequence of Requirement
        Requirements as they are stated.
    whole : bool
        Whether samples are the whole grids from the start.
    """

    def __init__(self, requirements: Sequence[Requirement], *, whole: bool = False) -> None:
        self._stated = requirements
        self._ranged = {
            place: item
            for place, item in enumerate(requirements)
            if isinstance(item, BeliefRequirement) and item.ranges
        }
        self._rounds = 0
        # Of each range of a requirement its bandwidths, and their bounds.
        self._chosen = {
            place: [
                dict.fromkeys(knowledge.grid if whole else _some(knowledge), t)
                for knowledge, t in item.skyline
                if isinstance(knowledge, Between)
            ]
            for place, item in self._ranged.items()
        }

    @property
    def requirements(self) -> list[Requirement]:
        """The same, with samples in the place of ranges. What has no range is the same object."""
        factor = _TIGHTER ** max(0, self._rounds - _ROUNDS)
        return [
            self._ranged[place].against(
                [
                    [(width, factor * t) for width, t in sorted(several.items())]
                    for several in self._chosen[place]
                ]
            )
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
        """Measure groups against the whole ranges; widen the sample where that finds fault.

        Parameters
        ----------
        groups : Groups
            At least one.
        measurements : sequence of Measurement
            Measurements of the sample's requirements.
        estimator : {"auto", "exact", "bethe", "omega"}
            Estimator of the measurements.

        Returns
        -------
        tuple of Measurement or None
            Measurements of the requirements as they are stated; None where some break bounds.
        """
        found, whole = list(measurements), True
        for place, item in self._ranged.items():
            measured = item.measure(setting, groups, estimator, progress)
            found[place] = measured
            assert measured.ranged is not None
            several = iter(self._chosen[place])
            for bound, figures, ranged in zip(
                item.bounds, measured.figures, measured.ranged, strict=True
            ):
                if ranged is None:
                    continue
                chosen = next(several)
                failing = groups.max(bound.broken(figures))
                if failing.any():
                    whole = False
                    for width, near in _joining(ranged, np.flatnonzero(failing)):
                        missed = min(bound.threshold, near * (1.0 - _MISSED) - 2.0 * SLACK)
                        chosen[width] = min(missed, chosen.get(width, missed))
        self._rounds += not whole
        return tuple(found) if whole else None


def _some(knowledge: Between) -> tuple[float, ...]:
    """The ends of a range and the middle."""
    grid = knowledge.grid
    return grid[0], grid[len(grid) // 2], grid[-1]


def _joining(ranged: Ranged, failing: IntArray) -> list[tuple[float, float]]:
    """Bandwidths at which failing groups tell most, and how much they tell there.

    That of the group that tells most; and of others, so that they are spread over all.
    """
    where, near = ranged.where[0, failing], ranged.near[0, failing]
    order = np.argsort(where, kind="stable")
    some = order[np.linspace(0, len(order) - 1, _JOINING - 1).round().astype(int)]
    return [
        (float(where[place]), float(near[place])) for place in {int(near.argmax()), *some.tolist()}
    ]
