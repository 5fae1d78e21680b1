"""Methods of publication: how groups are formed, and how their records are shown.

==============  =================================================  ==============================
method          groups                                             shown
==============  =================================================  ==============================
``mondrian``    `mondrian`                                         generalized
``bucketize``   `mondrian`                                         bucketized
``anatomy``     `anatomy`, by the l of the policy's l-diversity;   anatomized
                `coarsen` where other requirements fail
``incognito``   equal values after full-domain generalization;     generalized
                the minimal node of least cost
==============  =================================================  ==============================

Forms in which a release is shown:

``generalized``
    One table: the extent of the record's group in each quasi-identifier, and a sensitive value of
    the group.
``bucketized``
    Exact quasi-identifiers, the group, and one of the group's sensitive values, at random; and a
    table of each group's values and how often they occur (Li, Li, Zhang 2009, section II-A).
``anatomized``
    The same without the value at random (Xiao, Tao 2006).

To an adversary who knows a record's exact quasi-identifiers all forms tell the same about it: the
values of its group. Figures of disclosure are those of an adversary who knows the record's group;
where records of one cell lie in several groups, one who does not know which learns no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.generalization import cheapest_node, find_lattice, publish_node
from bkpriv_core.options import Options
from bkpriv_core.partition.anatomy import anatomy, check_eligible
from bkpriv_core.partition.coarsening import coarsen
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import LDiversity, Requirement, check_attainable
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.shuffle import Shuffle

__all__ = ["METHODS", "Form", "Method", "find_method"]

Form = Literal["generalized", "bucketized", "anatomized"]
"""How a release is shown; see the module."""

Check = Callable[[Setting, Sequence[Requirement], Options], None]

Partition = Callable[
    [Setting, Sequence[Requirement], Options, Shuffle, Progress], tuple[Setting, Groups]
]
"""Groups that meet the requirements, and the setting they are groups of: of the same table, whose
cells may lie in several groups, or be recoded."""


@dataclass(frozen=True)
class Method:
    """A way to publish.

    Parameters
    ----------
    name : str
        Its name.
    check : callable
        Refuses what the method cannot meet, before any work is done.
    partition : callable
        Forms the groups, beliefs estimated by omega, save by ``incognito``.
    form : {"generalized", "bucketized", "anatomized"}
        How they are shown.
    """

    name: str
    check: Check
    partition: Partition
    form: Form

    @property
    def generalizes(self) -> bool:
        """Whether quasi-identifiers are published as the extents of groups."""
        return self.form == "generalized"


def _check_whole(setting: Setting, requirements: Sequence[Requirement], options: Options) -> None:
    check_attainable(requirements, setting)


def _by_mondrian(
    setting: Setting,
    requirements: Sequence[Requirement],
    options: Options,
    shuffle: Shuffle,
    progress: Progress,
) -> tuple[Setting, Groups]:
    return setting, mondrian(setting, requirements, progress=progress)


def _diversity(requirements: Sequence[Requirement]) -> int:
    """From how many values each group is to draw its records."""
    diversity = [item.l for item in requirements if isinstance(item, LDiversity)]
    if not diversity:
        raise InvalidParameter(
            "method anatomy needs the requirement l_diversity",
            detail="Its l says from how many values each group draws its records.",
            hint='Add for example {"l_diversity": {"l": 4}} to the policy.',
        )
    return math.ceil(max(diversity))


def _check_anatomy(setting: Setting, requirements: Sequence[Requirement], options: Options) -> None:
    # First of all, since it names the value at fault.
    check_eligible(setting.table, _diversity(requirements))
    check_attainable(requirements, setting)


def _by_anatomy(
    setting: Setting,
    requirements: Sequence[Requirement],
    options: Options,
    shuffle: Shuffle,
    progress: Progress,
) -> tuple[Setting, Groups]:
    parts, groups = anatomy(
        setting.table,
        _diversity(requirements),
        shuffle,
        progress=progress,
    )
    setting = setting.over(parts)
    groups = coarsen(setting, requirements, groups, progress=progress)
    parts, groups = parts.unite(groups)
    return (setting if parts is setting.parts else setting.over(parts)), groups


def _check_incognito(
    setting: Setting, requirements: Sequence[Requirement], options: Options
) -> None:
    # What the whole table does not meet, it may once some records are suppressed.
    if not options.suppression:
        check_attainable(requirements, setting)


def _by_incognito(
    setting: Setting,
    requirements: Sequence[Requirement],
    options: Options,
    shuffle: Shuffle,
    progress: Progress,
) -> tuple[Setting, Groups]:
    lattice = find_lattice(setting, requirements, options, progress)
    return publish_node(lattice, cheapest_node(lattice, options.utility))


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("mondrian", _check_whole, _by_mondrian, "generalized"),
        Method("bucketize", _check_whole, _by_mondrian, "bucketized"),
        Method("anatomy", _check_anatomy, _by_anatomy, "anatomized"),
        Method("incognito", _check_incognito, _by_incognito, "generalized"),
    )
}
"""The methods by name."""


def find_method(name: object) -> Method:
    """Look a method up.

    Raises
    ------
    InvalidParameter
        If there is none of that name.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise InvalidParameter(
            f"there is no method {as_json(name)}",
            detail="A method forms the groups that are published alike.",
            hint=f"Methods are {', '.join(METHODS)}.",
        )
    return METHODS[name]
