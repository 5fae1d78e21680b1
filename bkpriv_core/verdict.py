"""Verdicts: whether a release satisfies its policy, and what a person has to judge.

A verdict has three states. A release is *violated* if a bound of its policy is broken. It is to be
*judged* if all bounds are satisfied, but something that no bound covers may harm people or mislead
readers. Each such thing is a `Matter` with a count and with what to do. Else it is *satisfied*.

=============  =================================================================================
key            matter
=============  =================================================================================
``known``      people about whom a reader of the policy is sure beforehand, so that the bound says
               nothing about them
``determined`` people whose sensitive value follows from one quasi-identifier alone
``inferred``   people about whom a reader becomes sure: of the policy, or a weak one
``one_value``  people in groups of one sensitive value
``exchange``   people of groups that can exchange members, about whom readers who do not know the
               groups may learn more than is certified
``attributes`` rows that insensitive attributes single out within their group
``linked``     rows that share a value of an insensitive attribute with few others
``estimated``  people for whom figures of bounds or of readers are estimates, which may understate
``left_out``   people who are not published
``records``    records of published people that are not published
``together``   people for whom a bound with earlier releases is broken, or an estimate
``releases``   other releases of the same records that this one was not certified with
``lost``       quasi-identifiers of which hardly anything is left
``scale``      records far beyond the scale of a quasi-identifier, or that stretch it
=============  =================================================================================

Counts are exact, but for those that begin with "about", which rest on estimates. Not every risk is
a matter: a verdict says nothing about readers who know more than those whom it names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["KEYS", "LASTING", "Matter", "State", "Verdict"]

State = Literal["satisfied", "judge", "violated"]

KEYS = (
    *("known", "determined", "inferred", "one_value", "exchange", "attributes", "linked"),
    *("estimated", "together", "left_out", "records", "releases", "lost", "scale"),
)
"""Keys of matters that are to be judged, in the order of a verdict."""

LASTING = ("together", "records", "releases")
"""Keys of matters that are found when a release is made, and remain as they are."""


@dataclass(frozen=True)
class Matter:
    """A broken bound, or something to judge."""

    key: str
    """See the module; of a broken bound, the requirement."""
    text: str
    count: int | None
    """Number of people, rows, columns or releases that it is about; None if it was not counted."""
    among: int | None
    """Number of those that were looked at."""
    advice: str
    violated: bool = False

    @property
    def what(self) -> str:
        """The text, after the key."""
        return f"{self.key}: {self.text}"


@dataclass(frozen=True)
class Verdict:
    """State of a release, and why."""

    matters: tuple[Matter, ...]
    """Broken bounds first."""

    @property
    def state(self) -> State:
        """The state; see the module."""
        if any(matter.violated for matter in self.matters):
            return "violated"
        return "judge" if self.matters else "satisfied"

    @property
    def sentence(self) -> str:
        """The state with all matters in one sentence."""
        broken = [matter.what for matter in self.matters if matter.violated]
        open_ = [matter.text for matter in self.matters if not matter.violated]
        things = f"{len(open_)} thing{'s' * (len(open_) > 1)} to judge: {'; '.join(open_)}"
        if broken:
            said = f"violated: {'; '.join(broken)}"
            return f"{said}; {things}" if open_ else said
        return f"satisfied, {things}" if open_ else "satisfied"
