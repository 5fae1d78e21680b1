"""Randomize: every record is drawn anew, through channels that cost estimates least.

There are no groups, and nothing is suppressed. The policy bounds what is told of a record by
``max_disclosure``; the scheme says which attributes are distorted for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from bkpriv_core.audit import draw_finding
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method.base import Job, Method, Result
from bkpriv_core.method.options import Options
from bkpriv_core.randomization.channel import Scheme
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.randomization.optimization import optimize
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import MaxDisclosure, Requirement
from bkpriv_core.schema import ErrorText, Range
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.recoding import recode
from bkpriv_core.table.table import Table

__all__ = ["Randomize", "RandomizeOptions", "bound_of"]


@dataclass(frozen=True, kw_only=True)
class RandomizeOptions(Options):
    """Options of the method."""

    scheme: Annotated[
        Scheme,
        ErrorText(
            "It says whether the sensitive attribute, the quasi-identifiers or both are drawn."
        ),
    ]
    utility: (
        Annotated[
            Mapping[str, Annotated[float, Range(above=0)]],
            ErrorText(
                "It weighs attributes by how much their accuracy matters; others weigh 1.",
                'Write for example {"age": 2}.',
                item="attribute",
            ),
        ]
        | None
    ) = None
    """Weight of an attribute's accuracy; 1 for the others."""
    levels: (
        Annotated[
            Mapping[str, Annotated[int, Range(at_least=0)]],
            ErrorText(
                "It coarsens quasi-identifiers by a level of their hierarchy or intervals before "
                "they are drawn.",
                'Write for example {"city": 1}.',
                item="attribute",
            ),
        ]
        | None
    ) = None
    """Levels to which quasi-identifiers are coarsened before they are drawn."""


class Randomize(Method[RandomizeOptions]):
    """Records drawn through optimal channels."""

    name = "randomize"
    form = Randomized()
    options = RandomizeOptions
    draws = True
    combines = False

    def prepare(self, table: Table, options: RandomizeOptions) -> tuple[Table, IntArray]:
        """Coarsen what `levels` names; see `Method.prepare`."""
        return recode(table, options.levels or {})

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: RandomizeOptions
    ) -> None:
        """Refuse what means nothing without groups; see `Method.check`."""
        bound_of(requirements)

    def make(
        self,
        job: Job[RandomizeOptions],
    ) -> Result:
        """Make a release; see `Method.make`.

        Progress has the steps optimizing and drawing.

        Raises:
            InvalidData: If the sensitive attribute has one value.
            UnattainableRequirement: If no channels keep the bound.
            TooLarge: If the grid of the distorted quasi-identifiers is too large.
        """
        demanded, table = bound_of(job.requirements), job.threat.table
        optimizing = job.progress.step("optimizing")
        optimum = optimize(
            table, job.options.scheme, demanded.tau, job.options.utility, progress=optimizing
        )
        drawn = draw(table, optimum.channels, job.chance, job.progress.step("drawing"))
        release = Release(job.threat.parts, None, self.form.with_drawn(optimum.channels, drawn))
        return Result(release, [draw_finding(release, demanded, job.options.scheme, job.progress)])


def bound_of(requirements: Sequence[Requirement]) -> MaxDisclosure:
    """The one requirement that records without groups can keep.

    Raises:
        InvalidParameter: If it is missing, or others are about groups.
    """
    bounds = [item for item in requirements if isinstance(item, MaxDisclosure)]
    others = [item.key for item in requirements if not isinstance(item, MaxDisclosure)]
    if others:
        raise InvalidParameter(
            f"{' and '.join(others)} {'is' if len(others) == 1 else 'are'} about groups, and "
            "method randomize forms none",
            detail="Every record is drawn by itself.",
            hint=f"State {MaxDisclosure.key} alone, or publish by another method.",
        )
    if not bounds:
        raise InvalidParameter(
            f"method randomize needs the requirement {MaxDisclosure.key}",
            detail="It bounds how probable it is that a record and its value are found as they "
            "were.",
            hint=f'Add for example {{"{MaxDisclosure.key}": {{"tau": 0.3}}}} to the policy.',
        )
    return min(bounds, key=lambda bound: bound.tau)  # all are about the one column
