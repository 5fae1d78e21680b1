"""The attacker who comes with the baseline's knowledge: a classifier trained on all other people.

It believes of the members of a group what follows from that and the values of their group. Exact
where inference is (`bkpriv_core.belief.posterior`). Whoever knows so much without the release is
rare; but a policy that names ``{"learned": "logistic"}`` bounds what the release adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bkpriv_core.attack.attacker import Attacker, Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.progress import Progress
from bkpriv_core.schema import ErrorText

__all__ = ["Informed", "InformedOptions"]


@dataclass(frozen=True, kw_only=True)
class InformedOptions(Options):
    """Options of the informed attacker."""

    estimator: Annotated[Estimator, ErrorText("It decides how beliefs are inferred.")] = "auto"
    """Estimator of posteriors inside groups."""


class Informed(Attacker[InformedOptions]):
    """The attacker who comes with the baseline's knowledge."""

    name = "informed"
    options = InformedOptions

    def attack(self, target: Target, options: InformedOptions, progress: Progress) -> Outcome:
        """See `Attacker`."""
        groups, baseline = target.release.groups, options.baseline
        adversaries = target.threat.adversaries([baseline])
        inferred = adversaries.posterior(groups, options.estimator, progress)
        return target.outcome(baseline, inferred.beliefs[0])
