"""The attacker who believes what a group shows: each value with its share.

Its guess is the group's commonest value. It claims something of groups that are (nearly) alike in
it, which l-diversity is there to prevent. Exact.
"""

from __future__ import annotations

from bkpriv_core.attack.attacker import Attacker, Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.progress import Progress

__all__ = ["Majority"]


class Majority(Attacker[Options]):
    """The attacker who believes what a group shows."""

    name = "majority"
    options = Options

    def attack(self, target: Target, options: Options, progress: Progress) -> Outcome:
        """See `Attacker`."""
        release = target.release
        groups = release.groups
        shares = release.histograms / release.sizes[:, None]
        return target.outcome(options.baseline, shares[groups.owner])
