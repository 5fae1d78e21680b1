"""Targets: a release as an attacker finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.setting import Setting
from bkpriv_core.method import Method
from bkpriv_core.method import Options as MethodOptions
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table

__all__ = ["Recipe", "Target"]


@dataclass(frozen=True, eq=False)
class Recipe:
    """Recipe by which a release was made, and another table would be published.

    Parameters
    ----------
    method, options, requirements
        As a release is made.
    setting_of : callable
        The setting of a table, which is the source of its adversaries' priors.
    """

    method: Method[Any]
    options: MethodOptions
    requirements: Sequence[Requirement]
    setting_of: Callable[[Table], Setting]


@dataclass(frozen=True, eq=False)
class Target:
    """A release, and the setting in which beliefs about it are measured.

    Parameters
    ----------
    release : Release
        The release.
    setting : Setting
        Setting of the release's parts.
    recipe : Recipe, optional
        Recipe by which the release was made, where it is known.
    """

    release: Release
    setting: Setting
    recipe: Recipe | None = None

    def outcome(self, baseline: Knowledge, believed: FloatArray, **figures: float) -> Outcome:
        """Outcome about the members of groups.

        Parameters
        ----------
        baseline : Knowledge
            Knowledge of the baseline.
        believed : (e, m) float array
            Belief about the records of each membership.
        figures : float
            Further figures by name.
        """
        parts, groups = self.release.parts, self.release.groups
        return Outcome(
            setting=self.setting,
            group=groups.owner,
            cell=parts.cell[groups.members],
            counts=parts.actual[groups.members],
            baseline=self.setting.prior(baseline)[groups.members],
            believed=believed,
            figures=figures,
        )
