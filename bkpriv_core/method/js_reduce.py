"""JS-reduce: groups grown along Hilbert's curve (Riboni, Pareschi, Bettini 2012, section 6).

Records are put in the order of their quasi-identifiers on the curve, those of one cell in a random
order, and groups are grown along it; see `bkpriv_core.partition.growth`. Every record is told
apart, since what is believed of it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bkpriv_core.belief.setting import Setting
from bkpriv_core.method.base import Method, Options
from bkpriv_core.partition.growth import grow
from bkpriv_core.partition.hilbert import hilbert_ranks
from bkpriv_core.progress import Progress
from bkpriv_core.release.form import Form
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.shuffle import Shuffle

__all__ = ["JsReduce", "JsReduceOptions"]


@dataclass(frozen=True, kw_only=True)
class JsReduceOptions(Options):
    """Options of the method.

    Parameters
    ----------
    refine : bool
        Whether what is left over is mended, and groups that hold are improved. If not, they are
        those of the algorithm, but for those that must be mended.
    """

    refine: bool = False


class JsReduce(Method[JsReduceOptions]):
    """Groups by `grow` along Hilbert's curve, generalized."""

    name = "js_reduce"
    form: ClassVar[Form] = Generalized()
    options = JsReduceOptions
    tells_apart = True

    def improves(self, options: JsReduceOptions) -> bool:
        """Whether groups are improved; see `Method.improves`."""
        return options.refine

    def partition(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: JsReduceOptions,
        shuffle: Shuffle,
        progress: Progress,
    ) -> tuple[Setting, Groups, Form]:
        """Form groups; see `Method.partition`.

        What is left over is in none, or is to be mended where the method refines.
        """
        parts = setting.parts
        if parts.respondent is None:
            parts = parts.apart()
            setting = setting.over(parts)
        drawn = shuffle(len(parts))
        order = drawn[np.argsort(hilbert_ranks(parts)[drawn], kind="stable")]
        groups = grow(setting, requirements, order, progress=progress)
        if options.refine:
            groups = Groups.joined([groups, _left_over(groups, order)])
        parts, groups = parts.unite(groups)
        return (setting if parts is setting.parts else setting.over(parts)), groups, self.form


def _left_over(groups: Groups, order: IntArray) -> Groups:
    """Runs of the order that are in no group."""
    left = ~np.isin(order, groups.members)
    runs = np.cumsum(np.diff(left, prepend=False))
    _, owner = np.unique(runs[left], return_inverse=True)
    along = Groups.from_labels(owner)
    return Groups(order[left][along.members], along.offsets)
