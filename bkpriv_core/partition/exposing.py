"""Exposing: whether other groups of a release would tell more, together with earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.belief.posterior import Estimator, Sound
from bkpriv_core.composition.companion import companion, jointly
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.composition.measurement import Joint
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Bound, Requirement
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts

__all__ = ["Exposing"]


@dataclass(frozen=True, eq=False)
class Exposing:
    """Exposure by a release together with earlier ones, to tell whether a try would expose more."""

    parts: Parts
    earlier: PriorReleases
    requirements: list[Requirement]
    estimator: Sound
    told: Joint
    """Beliefs from the earlier releases and the release together."""
    progress: Progress = SILENT

    @classmethod
    def of(
        cls,
        parts: Parts,
        groups: Groups,
        requirements: Sequence[Requirement],
        estimator: Estimator,
        earlier: PriorReleases,
        progress: Progress = SILENT,
    ) -> Exposing:
        """Measure a release as it is."""
        measured, _ = jointly(requirements, earlier.population)
        way: Sound = (
            "bethe" if estimator == "bethe" else "omega" if estimator == "omega" else "auto"
        )
        constraints = earlier.with_groups(parts, groups)
        told = Joint.of(earlier.population, constraints, way, refuse=False, progress=progress)
        return cls(parts, earlier, measured, way, told=told, progress=progress)

    def in_way(self, groups: Groups) -> tuple[Bound, dict[str, Any], float, str] | None:
        """The bound that is broken for most people with such groups.

        Returns:
            The bound, its parameters and the earlier releases, the worst figure, and how that was
            inferred.
        """
        constraints = self.earlier.with_groups(self.parts, groups)
        joint = Joint.of(
            self.earlier.population,
            constraints,
            self.estimator,
            before=self.told,
            refuse=False,
            progress=self.progress,
        )
        worst: tuple[int, Bound, float, str] | None = None
        for item in self.requirements:
            judged = companion(item)
            now, then = judged.figures(joint), judged.figures(self.told)
            names, places = judged.manners(joint)
            for bound, figure, before in zip(item.bounds, now, then, strict=True):
                known = np.full(len(joint.told.used), np.nan)
                known[self.told.persons] = before
                same = np.isclose(figure, known[joint.persons])
                exposed = bound.broken(figure) & np.logical_not(same)
                count = int(exposed.sum())
                if count and (worst is None or count > worst[0]):
                    manner = names[places[exposed].max()]
                    worst = count, bound, bound.worst(figure[exposed]), manner
        if worst is None:
            return None
        _, bound, attained, used = worst
        together = {**bound.parameters, "together": list(self.earlier.releases)}
        return bound, together, attained, used
