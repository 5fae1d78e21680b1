"""Incognito: full-domain generalization, which node of the lattice is published, and how.

The lattice is that of `bkpriv_core.partition.incognito`: levels of intervals or hierarchies, exact
values at the bottom, ``*`` at the top. Nodes are judged with the estimator of the publication, so
a safe node is certified as it stands: no group is merged, and suppressed is what the option
``suppression`` allows. Which one is published is found without deciding all of them, see
`bkpriv_core.partition.cheapest`.

A column is published at one level throughout: labels of nodes, and for numbers the range from the
smallest to the largest value of the interval that occurs in the table. All groups with an interval
in common show the same range, which is shorter than the interval where its ends are not in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, Job
from bkpriv_core.method.options import GroupOptions
from bkpriv_core.partition.cheapest import cheapest, lowest
from bkpriv_core.partition.incognito import Lattice, Node, Nodes, incognito
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form, Release
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.schema import Choice, ErrorText, Range
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
    "find_nodes",
    "publish_node",
]

UTILITIES = (*COSTS, "kl")
"""Figures by which a node may be chosen: the measures of its groups, and `divergence`."""


@dataclass(frozen=True, kw_only=True)
class IncognitoOptions(GroupOptions):
    """Options of the method."""

    utility: Annotated[
        str, Choice(UTILITIES), ErrorText("It chooses among the safe nodes of the lattice.")
    ] = "discernibility"
    """Figure by which it chooses a safe node, one of `UTILITIES`; see `cheapest_node`."""
    suppression: Annotated[
        float,
        Range(at_least=0, below=1),
        ErrorText(
            "It is the largest share of the records that method incognito may suppress.",
            "Write for example 0.01.",
        ),
    ] = 0.0
    """Largest share of the records that it may suppress."""


class Incognito(GroupMethod[IncognitoOptions]):
    """Equal values after generalization to the safe node of least cost."""

    name = "incognito"
    form = Generalized()
    options = IncognitoOptions
    rearranging = False
    grows = False

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: IncognitoOptions
    ) -> None:
        """Refuse what cannot be met; see `Method.check`."""
        # What the whole table does not meet, it may once some records are suppressed.
        if not options.suppression:
            check_attainable(requirements, threat)

    def partition(
        self,
        job: Job[IncognitoOptions],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups; see `GroupMethod.partition`."""
        nodes = find_nodes(job.threat, job.requirements, job.options)
        chosen = publish_node(nodes, cheapest_node(nodes, job.options.utility, job.progress))
        return job.threat, chosen.groups, chosen.form.with_ranges(self.form.ranges)


@dataclass(frozen=True)
class Figures:
    """Figures of a node."""

    node: Node
    safe: bool
    minimal: bool
    measured: bool
    """See `Lattice`."""
    chosen: bool
    suppressed: int | None
    """Records that publishing it suppresses; None if it is not safe."""
    costs: dict[str, float]
    """Costs by `UTILITIES`, if the node is safe; ``kl`` only if it is minimal."""


def find_nodes(
    threat: ThreatModel, requirements: Sequence[Requirement], options: IncognitoOptions
) -> Nodes:
    """Lay out a table's lattice; nothing is decided."""
    levels = tuple(Levels.of(domain) for domain in threat.table.quasi_identifiers)
    return Nodes(
        threat, tuple(requirements), levels, options.suppression, estimator=options.estimator
    )


def find_lattice(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    options: IncognitoOptions,
    progress: Progress = SILENT,
) -> Lattice:
    """Decide every node of a table's lattice."""
    return incognito(find_nodes(threat, requirements, options), progress)


def cheapest_node(nodes: Nodes, utility: str, progress: Progress = SILENT) -> Node:
    """Safe node that costs the analyst least, by one of the choices of option ``utility``.

    By ``kl``, for which there is no bound, it is the cheapest of those without a safe one below.
    What is guaranteed is told in `bkpriv_core.partition.cheapest`.

    Raises:
        UnattainableRequirement: If no node is safe.
    """
    if utility == "kl":
        minimal = lowest(nodes, progress)
        chosen = min(minimal, key=lambda node: divergence(nodes, node), default=None)
    else:
        chosen = cheapest(nodes, utility, progress)
    if chosen is None:
        raise UnattainableRequirement(
            "no node of the lattice is safe",
            detail=f"None of {np.prod(nodes.shape, dtype=np.int64)} nodes meets the policy with at "
            f"most {nodes.suppression:g} of the records suppressed.",
            hint="Require less strictly, or allow more suppression.",
        )
    return chosen


def publish_node(nodes: Nodes, node: Node) -> Release:
    """Release of a node: its groups that meet the policy, shown by whole classes."""
    table = nodes.threat.table
    recoding = tuple(
        item.recoding(domain, level)
        for item, domain, level in zip(nodes.levels, table.quasi_identifiers, node, strict=True)
    )
    return Release(nodes.threat.parts, nodes.groups(node), Generalized(recoding))


def divergence(nodes: Nodes, node: Node) -> float:
    """KL divergence of the joint distribution that a node leaves from the original one, in bits."""
    return divergences(publish_node(nodes, node), nodes.threat.progress)["kl"]


def describe(lattice: Lattice, utility: str) -> list[Figures]:
    """Figures of all nodes in lexicographic order, the chosen one by `utility`."""
    parts = lattice.threat.parts
    chosen = cheapest_node(lattice, utility) if lattice.safe.any() else None
    figures = []
    for node in np.ndindex(lattice.safe.shape):
        lattice.threat.progress.poll()
        safe, minimal = bool(lattice.safe[node]), bool(lattice.minimal[node])
        suppressed, costs = None, {}
        if safe:
            groups = lattice.groups(node)
            suppressed = parts.table.records - int(parts.sizes(groups).sum())
            costs = lattice.costs(node, groups)
        if minimal:
            costs["kl"] = divergence(lattice, node)
        measured = bool(lattice.measured[node])
        figures.append(
            Figures(
                node,
                safe,
                minimal,
                measured,
                chosen=node == chosen,
                suppressed=suppressed,
                costs=costs,
            )
        )
    return figures
