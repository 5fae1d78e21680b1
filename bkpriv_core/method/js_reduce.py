"""JS-reduce: groups grown along Hilbert's curve (Riboni, Pareschi, Bettini 2012, section 6).

Records are put in the order of their quasi-identifiers on the curve, those of one cell in a random
order, and groups are grown along it; see `bkpriv_core.partition.growth`. Every record is told
apart, since what is believed of it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method.base import GroupOptions
from bkpriv_core.method.gathering import Gathered, GatheringMethod
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.partition.counterfeiting import counterfeit
from bkpriv_core.partition.growth import grow
from bkpriv_core.partition.hilbert import along_curve
from bkpriv_core.partition.relaxing import relax
from bkpriv_core.progress import Progress
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.chance import Chance

__all__ = ["JsReduce", "JsReduceOptions"]


@dataclass(frozen=True, kw_only=True)
class JsReduceOptions(GroupOptions):
    """Options of the method.

    Parameters
    ----------
    unfit : {"suppress", "relax", "counterfeit"}
        What becomes of records that are left over, and of groups that nothing mends: they are
        suppressed; or published in groups that meet less, see `bkpriv_core.partition.relaxing`; or
        inserted into groups with other sensitive values, see
        `bkpriv_core.partition.counterfeiting`, and those suppressed that no value helps.
    refine : bool
        Whether what is left over is mended, and groups that hold are improved. If not, they are
        those of the algorithm, with what can be inserted, but for those that must be mended.

    Raises
    ------
    InvalidParameter
        If a release with counterfeits is to grow; see `GroupOptions` for others.
    """

    unfit: Literal["suppress", "relax", "counterfeit"] = "suppress"  # type: ignore[assignment]
    refine: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grow and self.unfit == "counterfeit":
            raise InvalidParameter(
                "a release that grows has no counterfeits",
                detail="Groups stay as they were published from release to release, and others "
                "could not take their false values back.",
                hint='Let those wait whom no group takes: leave out {"unfit": "counterfeit"}.',
            )


class JsReduce(GatheringMethod[JsReduceOptions]):
    """Groups by `grow` along Hilbert's curve, generalized."""

    name = "js_reduce"
    options = JsReduceOptions
    combines = False

    def improves(self, options: JsReduceOptions) -> bool:
        """Whether groups are improved; see `GroupMethod.improves`."""
        return options.refine

    def gather(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: JsReduceOptions,
        chance: Chance,
        progress: Progress,
    ) -> Gathered:
        """Grow groups along the curve; see `GatheringMethod.gather`."""
        order = along_curve(setting.parts, chance)
        return Gathered(
            [lambda _, step: grow(setting, requirements, order, progress=step)],
            order,
            requirements,
        )

    def certified(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: JsReduceOptions,
        chance: Chance,
        progress: Progress,
    ) -> tuple[Release, Certificate]:
        """See `GroupMethod`. Where the options say so, little is left out."""
        release, certificate = super().certified(setting, requirements, options, chance, progress)
        if options.unfit == "suppress" or not certificate.suppressed.size:
            return release, certificate
        setting = setting.tried().over(certificate.parts)
        if options.unfit == "relax":
            certificate = relax(
                setting,
                requirements,
                certificate,
                along_curve(certificate.parts, chance, certificate.suppressed),
                options.estimator,
                pool=release.form.pool,
                beyond=options.beyond,
                progress=progress.step("certifying"),
            )
        else:
            certificate = counterfeit(
                setting,
                requirements,
                certificate,
                options.estimator,
                chance,
                pool=release.form.pool,
                beyond=options.beyond,
                progress=progress.step("certifying"),
            )
        certificate = certificate.reordered(chance.order(len(certificate.groups)))
        return Release(certificate.parts, certificate.groups, release.form), certificate
