"""The attacker who sees a generalized release and does not know who is in which group.

Beliefs are those of `bkpriv_core.release.generalized.assignment`, from the knowledge that is asked
for: where
groups cannot exchange people they are those that the release is certified for. Where so many can
that nothing exact can be said, nothing is said, and those people are counted as not inferred.
"""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.attack.attacker import Attacker, Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.belief.knowledge import Knowledge, Remembered, Stated
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import Progress
from bkpriv_core.release.generalized.assignment import infer_assignments

__all__ = ["KnowingOptions", "WithoutGroups"]


@dataclass(frozen=True, kw_only=True)
class KnowingOptions(Options):
    """Options of attackers with prior knowledge.

    Raises:
        InvalidParameter: If it is knowledge of earlier releases.
    """

    bandwidth: Stated | None = None
    """Knowledge before the release, as ``bt_privacy`` has it; without it that of the baseline."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.bandwidth, Remembered):
            raise InvalidParameter(
                "option bandwidth is knowledge of earlier releases, which this attacker has not",
                detail=f"It names the sequence {self.bandwidth.sequence}.",
                hint='Write for example {"bandwidth": 0.3}, or leave it out.',
            )

    @property
    def knowledge(self) -> Knowledge:
        """Knowledge before the release, beside which beliefs are held."""
        return self.baseline if self.bandwidth is None else self.bandwidth


class WithoutGroups(Attacker[KnowingOptions]):
    """The attacker who does not know the groups."""

    name = "without_groups"
    options = KnowingOptions

    def attack(self, target: Target, options: KnowingOptions, progress: Progress) -> Outcome:
        """See `Attacker`."""
        release = target.release
        parts = release.parts
        prior = target.threat.prior(options.knowledge)
        found = infer_assignments(release, prior, progress=progress)
        known, people = found.known, parts.weights
        components = found.components
        return Outcome(
            threat=target.threat,
            group=release.labels[known],
            cell=parts.cell[known],
            counts=parts.actual[known],
            baseline=prior[known],
            believed=found.beliefs[known],
            figures={
                "movable": float(people[components.movable].sum()),
                "concerned": float(people[components.concerned].sum()),
                "not_inferred": float(people[~known].sum()),
                "estimated": float(people[known & ~found.exact].sum()),
            },
        )
