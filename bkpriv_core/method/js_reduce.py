"""JS-reduce: groups grown along Hilbert's curve (Riboni, Pareschi, Bettini 2012, section 6).

Records are put in the order of their quasi-identifiers on the curve, those of one cell in a random
order, and groups are grown along it; see `bkpriv_core.partition.growth`. Every record is told
apart, since what is believed of it may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bkpriv_core.method.base import Job
from bkpriv_core.method.gathering import Gathered, GatheringMethod
from bkpriv_core.method.options import RefinedOptions
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.partition.counterfeiting import counterfeit
from bkpriv_core.partition.growth import grow
from bkpriv_core.partition.hilbert import along_curve
from bkpriv_core.partition.relaxing import relax
from bkpriv_core.release.release import Release

__all__ = ["JsReduce", "JsReduceOptions"]


@dataclass(frozen=True, kw_only=True)
class JsReduceOptions(RefinedOptions):
    """Options of the method."""

    unfit: Literal["suppress", "relax", "counterfeit"] = "suppress"  # type: ignore[assignment]
    """Treatment of records that are left over, and of groups that nothing mends: they are
    suppressed; or published in groups that meet less, see `bkpriv_core.partition.relaxing`; or
    inserted into groups with other sensitive values, see `bkpriv_core.partition.counterfeiting`,
    and those suppressed that no value helps.
    """
    refine: bool = False
    """Whether what is left over is mended, and groups that hold are improved. If not, they are
    those of the algorithm, with what can be inserted, but for those that must be mended.
    """


class JsReduce(GatheringMethod[JsReduceOptions]):
    """Groups by `grow` along Hilbert's curve, generalized."""

    name = "js_reduce"
    options = JsReduceOptions

    def gather(
        self,
        job: Job[JsReduceOptions],
    ) -> Gathered:
        """Grow groups along the curve; see `GatheringMethod.gather`."""
        order = along_curve(job.threat.parts, job.chance)
        return Gathered(
            [lambda _, step: grow(job.threat, job.requirements, order, progress=step)],
            order,
            job.requirements,
        )

    def certified(
        self,
        job: Job[JsReduceOptions],
    ) -> tuple[Release, Certificate]:
        """See `GroupMethod`. Where the options say so, little is left out."""
        release, certificate = super().certified(job)
        if job.options.unfit == "suppress" or not certificate.suppressed.size:
            return release, certificate
        threat = job.threat.tried().over(certificate.parts)
        if job.options.unfit == "relax":
            certificate = relax(
                threat,
                job.requirements,
                certificate,
                along_curve(certificate.parts, job.chance, certificate.suppressed),
                estimator=job.options.estimator,
                pool=release.form.pool,
                beyond=job.options.beyond,
                progress=job.progress.step("certifying"),
            )
        else:
            certificate = counterfeit(
                threat,
                job.requirements,
                certificate,
                job.options.estimator,
                chance=job.chance,
                pool=release.form.pool,
                beyond=job.options.beyond,
                progress=job.progress.step("certifying"),
            )
        certificate = certificate.reordered(job.chance.order(len(certificate.groups)))
        return Release(certificate.parts, certificate.groups, release.form), certificate
