"""Incognito: full-domain generalization, which node of the lattice is published, and how.

The lattice is that of `bkpriv_core.partition.incognito`: levels of intervals or hierarchies, exact
values at the bottom, ``*`` at the top. Nodes are judged with the estimator of the publication, so
a safe node is certified as it stands: no group is merged, and suppressed is what the option
``suppression`` allows.

A column is published at one level throughout: labels of nodes, and for numbers the range from the
smallest to the largest value of the interval that occurs in the table. All groups with an interval
in common show the same range, which is shorter than the interval where its ends are not in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, GroupOptions
from bkpriv_core.partition.incognito import Lattice, Node, incognito
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.form import Form
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.stated import About, OneOf, Range
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.cost import COSTS
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.levels import Levels
from bkpriv_core.utility.divergence import divergences

__all__ = [
    "UTILITIES",
    "Figures",
    "Incognito",
    "IncognitoOptions",
    "cheapest_node",
    "describe",
    "divergence",
    "find_lattice",
    "publish_node",
]

UTILITIES = (*COSTS, "kl")
"""What a node may be chosen by: the measures of its groups, and `divergence`."""


@dataclass(frozen=True, kw_only=True)
class IncognitoOptions(GroupOptions):
    """Options of the method.

    Parameters
    ----------
    utility : str
        What it chooses among minimal nodes by, one of `UTILITIES`.
    suppression : float
        Largest share of the records that it may suppress.

    Raises
    ------
    InvalidParameter
        If the release is to grow; see `GroupOptions` for others.
    """

    utility: Annotated[
        str, OneOf(UTILITIES), About("It chooses among the minimal nodes of the lattice.")
    ] = "discernibility"
    suppression: Annotated[
        float,
        Range(at_least=0, below=1),
        About(
            "It is the largest share of the records that method incognito may suppress.",
            "Write for example 0.01.",
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grow:
            raise InvalidParameter(
                "option grow means nothing to method incognito",
                detail="It generalizes whole columns, so that newcomers would be shown as others "
                "are who were published before, and in one group with them.",
                hint="Publish without it, or grow a release of another method that forms groups.",
            )


class Incognito(GroupMethod[IncognitoOptions]):
    """Equal values after generalization to the minimal node of least cost."""

    name = "incognito"
    form = Generalized()
    options = IncognitoOptions
    rearranging = False

    def check(
        self, setting: Setting, requirements: Sequence[Requirement], options: IncognitoOptions
    ) -> None:
        """Refuse what cannot be met; see `Method.check`."""
        # What the whole table does not meet, it may once some records are suppressed.
        if not options.suppression:
            check_attainable(requirements, setting)

    def partition(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: IncognitoOptions,
        chance: Chance,
        progress: Progress,
    ) -> tuple[Setting, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        lattice = find_lattice(setting, requirements, options, progress)
        chosen = publish_node(lattice, cheapest_node(lattice, options.utility))
        return lattice.setting, chosen.groups, chosen.form.with_ranges(self.form.ranges)


@dataclass(frozen=True)
class Figures:
    """Figures of a node.

    Parameters
    ----------
    node : tuple of int
        Its levels.
    safe, minimal, measured : bool
        See `Lattice`.
    chosen : bool
        Whether it is the one that is published.
    suppressed : int or None
        Records that publishing it suppresses; None if it is not safe.
    costs : dict of str to float
        By `UTILITIES`, if it is safe; ``kl`` only if it is minimal.
    """

    node: Node
    safe: bool
    minimal: bool
    measured: bool
    chosen: bool
    suppressed: int | None
    costs: dict[str, float]


def find_lattice(
    setting: Setting,
    requirements: Sequence[Requirement],
    options: IncognitoOptions,
    progress: Progress = SILENT,
) -> Lattice:
    """Decide every node of a table's lattice."""
    levels = [Levels.of(domain) for domain in setting.table.quasi_identifiers]
    return incognito(
        setting,
        requirements,
        levels,
        suppression=options.suppression,
        estimator=options.estimator,
        progress=progress,
    )


def cheapest_node(lattice: Lattice, utility: str) -> Node:
    """Minimal node that costs the analyst least, by one of the choices of option ``utility``.

    Raises
    ------
    UnattainableRequirement
        If no node is safe.
    """
    if utility == "kl":
        minimal = lattice.minimal_nodes()
        cheapest = min(minimal, key=lambda node: divergence(lattice, node), default=None)
    else:
        cheapest = lattice.cheapest(utility)
    if cheapest is None:
        raise UnattainableRequirement(
            "no node of the lattice is safe",
            detail=f"None of {lattice.safe.size} nodes meets the policy with at most "
            f"{lattice.suppression:g} of the records suppressed.",
            hint="Require less strictly, or allow more suppression.",
        )
    return cheapest


def publish_node(lattice: Lattice, node: Node) -> Release:
    """What is published at a node: its groups that meet the policy, shown by whole classes."""
    table = lattice.setting.table
    recoding = tuple(
        item.recoding(domain, level)
        for item, domain, level in zip(lattice.levels, table.quasi_identifiers, node, strict=True)
    )
    return Release(lattice.setting.parts, lattice.groups(node), Generalized(recoding))


def divergence(lattice: Lattice, node: Node) -> float:
    """KL divergence of the joint distribution that a node leaves from the original one, in bits."""
    return divergences(publish_node(lattice, node), lattice.setting.progress)["kl"]


def describe(lattice: Lattice, utility: str) -> list[Figures]:
    """Figures of all nodes in lexicographic order, the chosen one by `utility`."""
    parts = lattice.setting.parts
    nodes = []
    for node in np.ndindex(lattice.safe.shape):
        lattice.setting.progress.poll()
        safe, minimal = bool(lattice.safe[node]), bool(lattice.minimal[node])
        suppressed, costs = None, {}
        if safe:
            groups = lattice.groups(node)
            suppressed = parts.table.records - int(parts.sizes(groups).sum())
            costs = lattice.costs(node, groups)
        if minimal:
            costs["kl"] = divergence(lattice, node)
        measured = bool(lattice.measured[node])
        nodes.append(Figures(node, safe, minimal, measured, False, suppressed, costs))
    minimal_ones = [place for place, figures in enumerate(nodes) if figures.minimal]
    if minimal_ones:
        best = min(minimal_ones, key=lambda place: nodes[place].costs[utility])
        nodes[best] = replace(nodes[best], chosen=True)
    return nodes
