"""m-invariance (Xiao, Tao, m-Invariance: Towards Privacy Preserving Re-publication, SIGMOD 2007).

The *signature* of a group is the set of its sensitive values. Whoever is in several releases, and
never has another value, is in groups that all have it; so from one release to the next nothing is
ruled out about anybody whose groups have one signature. A release is m-invariant if

- every group has at least m records, and all their values are different;
- a respondent who still has the value of the last release that showed them is in a group of the
  same signature as then. A respondent whose value has changed is somebody new.

Knowledge of earlier releases comes from the setting. Where respondents are not told apart, nobody
was in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import Unsupported
from bkpriv_core.requirement.base import Bound, Shift
from bkpriv_core.requirement.counted import CountedRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, BoolArray, Groups, IntArray

__all__ = ["MInvariance"]


@dataclass(frozen=True)
class MInvariance(CountedRequirement):
    """At least `m` records with different values, in groups of the same signature as before."""

    m: Annotated[int, Range(at_least=1)]
    key: ClassVar[str] = "m_invariance"
    cost: ClassVar[int] = 1
    coarse = False

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the records of a group that has one signature and no value twice."""
        return (Bound(self.key, {"m": self.m}, self.m, upper=False),)

    @property
    def tells_apart(self) -> bool:
        """See `Requirement`: everybody's own past counts."""
        return True

    def about(self, columns: Sequence[str], combined: bool) -> tuple[MInvariance, ...]:
        """Refuse several columns, or records of a person; see `Requirement`."""
        if combined and len(columns) == 1:
            raise Unsupported(
                f"{self.key} is not defined of persons with several records",
                detail="The signature of a group is a set of values, one of each person.",
                hint='Leave it out, or publish one record of each ({"max_records_per_person": 1}).',
            )
        if combined:
            raise Unsupported(
                f"{self.key} is not defined for the sensitive columns {', '.join(columns)}",
                detail="The signature of a group is the set of its values of one column.",
                hint="Leave it out, or register a dataset with one of them.",
            )
        return (self,)

    def counts(self, threat: ThreatModel) -> IntArray:
        """Records with each value; with a signature of each value, or of others; with any."""
        past = threat.signatures
        return np.column_stack((threat.parts.counts, past, past.max(axis=1)))

    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Count records, but none where two have one value, or a signature is another."""
        held, past, bound = self._split(threat, histograms)
        fit = (held.max(axis=1) <= 1) & ~self._differing(held, past, bound).any(axis=1)
        counted: AnyArray = np.where(fit, held.sum(axis=1), 0)
        return counted

    def explain(
        self, threat: ThreatModel, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift | None:
        """Name the value that several have, or else one that a signature lacks or has beyond."""
        (_,) = group
        held, past, known = self._split(threat, group.sum(self.counts(threat)[group.members]))
        value = int(held[0].argmax())
        if held[0, value] <= 1:
            differing = np.flatnonzero(self._differing(held, past, known)[0, :-1])
            if not differing.size:
                return None
            value = int(differing[0])
        overall, share = threat.table.overall[value], held[0, value] / held.sum()
        return Shift(None, value, float(overall), float(share))

    def _split(
        self, threat: ThreatModel, histograms: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Sums of groups: records with each value; with a signature of each; with a signature."""
        values = threat.table.sensitive.size
        return histograms[:, :values], histograms[:, values:-1], histograms[:, -1]

    def _differing(self, held: IntArray, past: IntArray, bound: IntArray) -> BoolArray:
        """Mark values in the signature of a group or one of its records', but not in all."""
        common = np.where(held > 0, bound[:, None], 0)
        differing: BoolArray = np.column_stack((common, np.zeros_like(bound))) != past
        return differing
