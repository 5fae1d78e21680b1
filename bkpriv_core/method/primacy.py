"""Primacy: k-anonymous groups alike to the table, of records about which adversaries believe alike.

Both methods cluster records by what is believed of them, and form groups within clusters; see
`bkpriv_core.partition.clustering`. One puts k-anonymity first, and so detail: its groups are small
and of near records. The other puts beta-likeness first: its groups are as like to their cluster as
can be. What is left over is inserted into groups of its cluster, as far as these bear it; of what
is still left then groups of near records are formed, however wide. So no wide group takes up what a
narrow one bears.

That no two beliefs of a group diverge by more than `theta` is a requirement of the policy, put in
by the methods where it is not stated. So every release is certified to meet it, and audited for it.

Source: Amiri, Yazdani, Shakery, Chinaei, Hierarchical anonymization algorithms against background
knowledge attack in data releasing, Knowledge-Based Systems 101, 2016.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.method.base import Job
from bkpriv_core.method.gathering import Gathered, GatheringMethod
from bkpriv_core.method.microaggregate import Microaggregate
from bkpriv_core.method.options import RefinedOptions
from bkpriv_core.partition.anonymity_primacy import nearest_classes
from bkpriv_core.partition.clustering import OneCluster, cluster
from bkpriv_core.partition.hilbert import along_curve
from bkpriv_core.partition.likeness_primacy import proportional_classes
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    JsDivergence,
    KAnonymity,
    PairDivergence,
    Requirement,
)
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import Groups

__all__ = ["BetaLikenessPrimacy", "KAnonymityPrimacy", "PrimacyOptions"]

_THETA = 0.1
"""Bound if neither policy nor option states it; chosen as docs/explanation/grouping.md says."""

_WIDEST = 0.25
"""Certainty penalty of the groups of nearest records that are formed first."""

_NEEDED: dict[type[Requirement], Any] = {
    KAnonymity: {"k": 5},
    BetaLikeness: {"beta": 4},
    PairDivergence: {"theta": _THETA},
}
"""Requirements by which the methods form groups, with an example each."""


@dataclass(frozen=True, kw_only=True)
class PrimacyOptions(RefinedOptions):
    """Options of the methods."""

    theta: Annotated[float | None, Range(at_least=0, at_most=1)] = None
    """Largest Jensen-Shannon divergence, in bits, of beliefs about two records of a group; 0.1, if
    neither it nor the policy's ``pair_divergence`` is stated.
    """
    refine: bool = False
    """Whether what is left over is mended, and groups that hold are improved; if not, groups are
    those of the algorithm, with what can be inserted.
    """


class _Primacy(GatheringMethod[PrimacyOptions]):
    """Common part of the methods."""

    options = PrimacyOptions
    needs = (KAnonymity, BetaLikeness)

    @property
    def plain(self) -> Microaggregate:
        """See `GroupMethod`: of the nearest records, but with no regard to values or beliefs."""
        return Microaggregate()

    def demands(self, stated: Mapping[str, Any], options: PrimacyOptions) -> Mapping[str, Any]:
        """Add that beliefs about records of a group be alike; see `Method.demands`.

        It is about the adversaries whom the policy names elsewhere, or else about the customary.
        """
        key = PairDivergence.key
        if key not in stated:
            theta = _THETA if options.theta is None else options.theta
            named = _adversaries(stated)
            demanded = {"theta": theta, **({"bandwidth": named} if named else {})}
            return {**stated, key: demanded}
        if options.theta is not None:
            raise InvalidParameter(
                f"theta is stated twice: as an option, and by {key}",
                detail=f"The option is {options.theta:g}; the policy states "
                f"{as_json(stated[key])}.",
                hint="Leave the option out.",
            )
        return stated

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: PrimacyOptions
    ) -> None:
        """Refuse what cannot be met; see `Method.check`."""
        self._check_needed(requirements)
        super().check(threat, requirements, options)

    def _check_needed(self, requirements: Sequence[Requirement]) -> None:
        for needed, example in _NEEDED.items():
            if not any(isinstance(item, needed) for item in requirements):
                raise InvalidParameter(
                    f"method {self.name} needs the requirement {needed.key}",
                    detail="It forms groups of at least k records that are alike to the table by "
                    "beta-likeness, within clusters of like beliefs.",
                    hint=f"Add for example {as_json({needed.key: example})} to the policy.",
                )

    def gather(
        self,
        job: Job[PrimacyOptions],
    ) -> Gathered:
        """Cluster records and form groups in clusters; see `GatheringMethod.gather`."""
        self._check_needed(job.requirements)
        alike = [item for item in job.requirements if isinstance(item, PairDivergence)]
        clusters = cluster(
            [item.seen(job.threat).prior(known) for item in alike for known in item.knowledge],
            min(item.theta for item in alike),
            progress=job.progress.quiet,
        )
        label = clusters.labels(len(job.threat.parts))
        order = along_curve(job.threat.parts, job.chance)
        along = Groups.from_labels(label[order])
        clusters = Groups(order[along.members], along.offsets)
        within = [OneCluster(label) if item is alike[0] else item for item in job.requirements]
        within = [item for item in within if not isinstance(item, PairDivergence)]

        def first(_: Groups, step: Progress) -> Groups:
            return self.classes(job.threat, within, clusters, step)

        def then(groups: Groups, step: Progress) -> Groups:
            left = clusters.taken(np.flatnonzero(~np.isin(clusters.members, groups.members)))
            return nearest_classes(job.threat, within, left, progress=step)

        return Gathered([first, then], order, within, label)

    @abstractmethod
    def classes(
        self,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        clusters: Groups,
        progress: Progress,
    ) -> Groups:
        """Form groups in clusters, which are in the order of the curve."""


class KAnonymityPrimacy(_Primacy):
    """Groups by `nearest_classes`, generalized."""

    name = "k_anonymity_primacy"

    def classes(
        self,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        clusters: Groups,
        progress: Progress,
    ) -> Groups:
        """See the class."""
        return nearest_classes(threat, requirements, clusters, widest=_WIDEST, progress=progress)


class BetaLikenessPrimacy(_Primacy):
    """Groups by `proportional_classes`, generalized."""

    name = "beta_likeness_primacy"

    def classes(
        self,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        clusters: Groups,
        progress: Progress,
    ) -> Groups:
        """See the class."""
        return proportional_classes(threat, requirements, clusters, progress=progress)


def _adversaries(stated: Mapping[str, Any]) -> list[Any]:
    """Knowledge of the adversaries whom a policy names, as decoded JSON; each once."""
    skyline = stated.get(BtPrivacy.key, [])
    named = [*(skyline if isinstance(skyline, list) else [skyline]), stated.get(JsDivergence.key)]
    known = [
        one["bandwidth"]
        for one in named
        if isinstance(one, Mapping) and one.get("bandwidth") is not None
    ]
    return [one for place, one in enumerate(known) if one not in known[:place]]
