"""Belief breaches (Evfimievski, Gehrke, Srikant, Limiting privacy breaches, PODS 2003).

An adversary must not come to believe with a probability above ``rho2`` what they believed with one
of at most ``rho1`` beforehand: that somebody has a value or, where the column has a hierarchy or
intervals, one of a node's below the root; see `bkpriv_core.belief.breach`. The figure of a record
is the largest probability afterwards of anything that was believed at most that much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.knowledge import Knowledge, Stated, listed
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.requirement.base import SLACK, Requirement
from bkpriv_core.requirement.belief import BeliefRequirement, BeliefScope
from bkpriv_core.requirement.scope import Scope
from bkpriv_core.schema import ErrorText, Range, read

__all__ = ["BEFORE", "CUSTOMARY", "SURE", "BeliefBreach", "made_sure"]

BEFORE, SURE = 0.5, 0.9
"""Limits that define *sure*: a posterior belief above the second, a prior at most the first."""

CUSTOMARY = 0.3
"""Bandwidth of the adversary who stands in where no requirement names one."""


@dataclass(frozen=True, kw_only=True)
class _Doubt(BeliefScope):
    """Sensitive columns that an adversary is kept from, and the prior belief that still counts."""

    rho1: float
    """The most that is believed beforehand of what is asked about."""

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Scope`."""
        return {"rho1": self.rho1, **super().parameters}

    def comparison(self, threat: ThreatModel) -> Comparison:
        """See `BeliefScope`; what rounding may keep from being asked about is asked about."""
        return replace(super().comparison(threat), believed=self.rho1 + SLACK)


@dataclass(frozen=True)
class _Adversary(Scope):
    """Adversary of a skyline, as stated."""

    bandwidth: Stated
    rho1: Annotated[float, Range(at_least=0, below=1)]
    rho2: Annotated[float, Range(above=0, at_most=1)]


_Skyline = Annotated[
    tuple[_Adversary, ...],
    ErrorText(
        hint='Write [{"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9}], one object for each adversary.',
        item="adversary",
    ),
]


@dataclass(frozen=True)
class BeliefBreach(BeliefRequirement):
    """No adversary comes to believe above rho2 what they believed at most rho1 beforehand.

    The bounds of the skyline are the adversaries' rho2; each has a regard, with their rho1.
    """

    key: ClassVar[str] = "belief_breach"
    bounded: ClassVar[str] = "rho2"

    @classmethod
    def parse(cls, value: object) -> BeliefBreach:
        """Read ``[{"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9}, ...]`` or one such object.

        Raises:
            InvalidParameter: If a rho1 is not below its rho2, too.
        """
        stated = read(_Skyline, value, cls.key)
        for item in stated:
            item.check(cls.key)
            if item.rho1 >= item.rho2:
                raise InvalidParameter(
                    f"rho1 of {cls.key} is {item.rho1:g}, which is not below its rho2",
                    detail=f"rho2 is {item.rho2:g}. What is believed at most rho1 beforehand is "
                    "not to be believed above rho2 afterwards.",
                    hint="Usual are rho1 = 0.5 and rho2 = 0.9.",
                )
        each = [(one, item) for item in stated for one in listed(item.bandwidth)]
        return cls(
            tuple((one, item.rho2) for one, item in each),
            tuple(
                _Doubt(sensitive=item.sensitive, joint=item.joint, rho1=item.rho1)
                for _, item in each
            ),
        )

    @classmethod
    def of_sure(cls, skyline: tuple[tuple[Knowledge, Scope], ...]) -> BeliefBreach:
        """Require that adversaries, each kept from something, do not become sure."""
        return cls(
            tuple((knowledge, SURE) for knowledge, _ in skyline),
            tuple(
                _Doubt(sensitive=sight.sensitive, joint=sight.joint, rho1=BEFORE)
                for _, sight in skyline
            ),
        )


def made_sure(requirement: Requirement) -> BeliefBreach | None:
    """Require that a requirement's readers do not become sure; None if it is not about beliefs.

    Args:
        requirement: Requirement of a release, or the part of it that can be measured of several.
    """
    if not isinstance(requirement, BeliefRequirement):
        return None
    return BeliefBreach.of_sure(
        tuple(
            (knowledge, regard)
            for (knowledge, _), regard in zip(
                requirement.skyline, requirement.regarding, strict=True
            )
        )
    )
