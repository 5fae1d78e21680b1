"""Targets: a release as an attacker finds it."""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray

__all__ = ["Target"]


@dataclass(frozen=True, eq=False)
class Target:
    """A release, and the setting in which beliefs about it are measured."""

    release: Release
    threat: ThreatModel
    """Setting of the release's parts."""

    def outcome(self, baseline: Knowledge, believed: FloatArray, **figures: float) -> Outcome:
        """Outcome about the members of groups.

        Args:
            believed: Shape (e, m). Belief about the records of each membership.
        """
        parts, groups = self.release.parts, self.release.groups
        return Outcome(
            threat=self.threat,
            group=groups.owner,
            cell=parts.cell[groups.members],
            counts=parts.actual[groups.members],
            baseline=self.threat.prior(baseline)[groups.members],
            believed=believed,
            figures=figures,
        )
