"""Counts: rows of an audit that nothing bounds.

A count says how many people, or rows, an assumption of the policy leaves out; no policy bounds it,
so it has neither a threshold nor a verdict. In the columns of an audit *vulnerable* is the count,
and *mean* its share; there is no worst figure.

Of a generalized release, *exchange* counts people of groups that can exchange members, for a reader
who does not know who is in which group (see `bkpriv_core.release.generalized.components`): what is
certified of readers who know the groups does not bound what this one believes of them. Those who
are suppressed are among them where they could be in a group. *movable* says how many of them can be
in another group. Both are exact for a reader to whom a box is an extent that its people lie in; for
one who knows more, of boxes or of values that somebody cannot have, both are upper bounds. *sure*
counts the people about whom such a reader becomes sure (`bkpriv_core.certainty`), the most of some
readers: a lower bound where nothing is inferred about some people, whom *not_inferred* counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge, Remembered
from bkpriv_core.belief.posterior import ESTIMATORS, EXACT
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.assignment import infer_assignments
from bkpriv_core.release.generalized.components import find_components
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import BeliefBreach
from bkpriv_core.requirement.scope import Scope

__all__ = ["EXCHANGE", "Count", "count_exchanges"]

EXCHANGE = "exchange"
"""Name of the count of people whose groups exchange members."""

_PLAYED = 4
"""Most readers who are played."""


@dataclass(frozen=True)
class Count:
    """One count, with the columns of a `bkpriv_core.audit.Finding`; see the module."""

    requirement: str
    """Name of what is counted, in the place of a requirement's."""
    parameters: Mapping[str, Any]
    """Figures and names that belong to it."""
    vulnerable: int | None
    """The count; None if it would have taken too much."""
    among: int
    """Number of people, or rows, that were looked at."""

    threshold: ClassVar[None] = None
    worst: ClassVar[None] = None
    satisfied: ClassVar[None] = None
    fault: ClassVar[None] = None
    sure: ClassVar[None] = None
    most: ClassVar[None] = None

    @property
    def mean(self) -> float | None:
        """The share that is counted."""
        return None if self.vulnerable is None else self.vulnerable / max(self.among, 1)

    @property
    def estimator(self) -> str:
        """Manner of counting, as findings have it."""
        return "not counted" if self.vulnerable is None else ESTIMATORS[EXACT]


def count_exchanges(
    release: Release,
    threat: ThreatModel,
    readers: Sequence[tuple[Knowledge, Scope]],
    progress: Progress = SILENT,
) -> Count | None:
    """Count the people of groups that can exchange members, and play readers who do not know them.

    Args:
        threat: The parts of the release, and what adversaries know of them.
        readers: Readers, and what each is kept from; those who remember are not played.
        progress: Receives the share of the work that is done.

    Returns:
        None where readers are told who is in which group, or there are no groups.

    Raises:
        TooLarge: If there are too many cells and boxes, or too many fit one another.
    """
    if not isinstance(release.form, Generalized) or not release.published:
        return None
    found = find_components(release, progress.part(0.0, 0.5))
    people, concerned = release.parts.weights, found.concerned
    figures = {"movable": int(people[found.movable].sum())}
    if concerned.any():
        played = [each for each in readers if not isinstance(each[0], Remembered)][:_PLAYED]
        for place, (knowledge, sight) in enumerate(played):
            part = progress.part(
                0.5 + 0.5 * place / len(played), 0.5 + 0.5 * (place + 1) / len(played)
            )
            prior = threat.prior(knowledge)
            try:
                inferred = infer_assignments(release, prior, progress=part, found=found)
            except ContradictoryKnowledge:
                continue
            known = np.flatnonzero(inferred.known & concerned)
            demanded = BeliefBreach.of_sure(((knowledge, sight),))
            distance = demanded.regarding[0].distance(threat)
            beliefs = distance(prior[known], inferred.beliefs[known])
            sure = int(people[known[demanded.bounds[0].broken(beliefs)]].sum())
            figures["sure"] = max(sure, figures.get("sure", 0))
            figures["not_inferred"] = max(
                int(people[concerned & ~inferred.known].sum()), figures.get("not_inferred", 0)
            )
    return Count(EXCHANGE, figures, int(people[concerned].sum()), release.table.records)
