"""Full-domain generalization: the lattice of all levels, and its minimal safe nodes.

A *node* has a level for each quasi-identifier (see `levels`), and publishes all records with equal
generalized values as one group. A node is above another if none of its levels is lower; its groups
are then unions of the other's. It is *safe* if all its groups meet the requirements, or if those
that do not hold at most a given share of the records, which are then suppressed; and *minimal* if
it is safe and no node below it is.

Requirements come in three kinds, and all nodes are decided exactly as if all had been measured:

- *Absorbing*: a group that holds one that meets it meets it, such as k-anonymity. The records in
  failing groups then only get fewer further up, so that a node above a safe one is safe, and a node
  below an unsafe one unsafe, also with suppression.
- *Monotone*: unions of groups that meet it meet it, such as t-closeness. The same is true without
  suppression, but not with: what was good may fail in union with what was suppressed.
- Neither, such as (B,t)-privacy: measured at every node where the others do not already fail.

Nodes are visited as Incognito does (LeFevre, DeWitt, Ramakrishnan 2005): sets of quasi-identifiers
by size, the others at their last level, and each set's lattice from the bottom. So a node that
fails with few quasi-identifiers is never tried with more, and a safe one is not tried further up.

A node that is measured is *screened* first (`screening`), which ends as soon as too many records
are in groups that fail. Here no screen rests on an estimate that is not the estimator's own. Which
node is published is found without deciding all of them: `cheapest`.

A chain of ever coarser groupings has a first safe one, which bisection finds (`first_holding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeVar

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.partition.screening import Screen
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, satisfied
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.cost import COSTS, costs
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts

__all__ = ["MOST_NODES", "Lattice", "Node", "Nodes", "check_utility", "first_holding", "incognito"]

Node = tuple[int, ...]
"""A level for each quasi-identifier."""

MOST_NODES = 100_000
"""Largest lattice that is searched."""

_Item = TypeVar("_Item")
_UNKNOWN, _HOLDS, _FAILS = 0, 1, 2


def first_holding(chain: Sequence[_Item], holds: Callable[[_Item], bool]) -> int | None:
    """Place of the first item for which `holds`, if it then does for all that follow.

    Judges ``log2`` of the chain's length of items. None if no item does.
    """
    low, high = 0, len(chain)
    while low < high:
        middle = (low + high) // 2
        if holds(chain[middle]):
            high = middle
        else:
            low = middle + 1
    return low if low < len(chain) else None


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a lattice, and what is required of one.

    Raises:
        InvalidParameter: If the suppression is not such a share.
        TooLarge: If there are more nodes than `MOST_NODES`.
    """

    threat: ThreatModel
    requirements: tuple[Requirement, ...]
    """Requirements that published groups must meet."""
    levels: tuple[Levels, ...]
    """Levels of each quasi-identifier of the table."""
    suppression: float = 0.0
    """Share of the records that may be suppressed, at least 0 and below 1."""
    estimator: Estimator = "omega"

    def __post_init__(self) -> None:
        if not 0.0 <= self.suppression < 1.0:
            raise InvalidParameter(
                f"suppression is {self.suppression:g}",
                detail="It is the share of the records that may be left out.",
                hint="It must be at least 0 and below 1, such as 0.01.",
            )
        nodes = float(np.prod(self.shape, dtype=np.float64))
        if nodes > MOST_NODES:
            raise TooLarge(
                f"the lattice has {nodes:.0f} nodes",
                detail="Levels of the quasi-identifiers: "
                f"{', '.join(map(str, self.shape))}; at most {MOST_NODES} nodes are searched.",
                hint="Use fewer quasi-identifiers, or hierarchies and intervals of fewer levels.",
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of levels of each quasi-identifier."""
        return tuple(len(item) for item in self.levels)

    @property
    def allowed(self) -> float:
        """Records that may be suppressed."""
        return self.suppression * self.threat.table.records + _SLACK

    @cached_property
    def pruning(self) -> list[Requirement]:
        """Requirements that are met above a node at which they are met."""
        return [
            item
            for item in self.requirements
            if item.absorbing or (item.monotone and not self.suppression)
        ]

    @cached_property
    def screen(self) -> Screen:
        """Screen that finds unsafe nodes before all of their groups are measured."""
        return Screen(self.threat, self.requirements, self.estimator, self.allowed)

    def all_groups(self, node: Node) -> Groups:
        """Groups of a node, also those that do not meet the requirements."""
        return _groups(self.threat.parts, self.levels, node)

    def groups(self, node: Node) -> Groups:
        """Groups of a node that meet the requirements: what is published there."""
        return self.kept(self.all_groups(node), self.requirements)

    def kept(self, groups: Groups, judged: Sequence[Requirement]) -> Groups:
        """Select groups of a node that meet the judged requirements."""
        return groups.select(satisfied(judged, self.threat, groups, self.estimator))

    def suffice(self, published: Groups) -> bool:
        """Whether no more records are suppressed than may be, if some groups are published."""
        sizes = self.threat.parts.sizes(published)
        return self.threat.table.records - int(sizes.sum()) <= self.allowed

    def cost(self, node: Node, utility: str) -> float:
        """Cost of publishing a node to the analyst, by a measure of `COSTS`."""
        return self.costs(node, self.groups(node))[check_utility(utility)]

    def costs(self, node: Node, groups: Groups) -> dict[str, float]:
        """Costs of publishing groups of a node, by each measure of `COSTS`.

        The GCP counts what is published: the extent of each value's class at its level, see
        `Levels`. Costs that are not defined, as nothing is published, are infinite: no node has
        more.
        """
        parts = self.threat.parts
        penalty = float((parts.weights * self.penalties(node))[groups.members].sum())
        by_name = costs(parts.sizes(groups), parts.table.records, penalty)
        return {name: np.inf if np.isnan(cost) else cost for name, cost in by_name.items()}

    def penalties(self, node: Node) -> FloatArray:
        """Normalised certainty penalty of each part at a node, averaged over attributes."""
        codes = self.threat.parts.codes
        columns = [
            item.penalties[level][codes[:, axis]]
            for axis, (item, level) in enumerate(zip(self.levels, node, strict=True))
        ]
        return np.mean(columns, axis=0) if columns else np.zeros(len(codes))

    def promising(self, progress: Progress = SILENT) -> Promising:
        """Mark nodes that meet the pruning requirements, exactly, and those measured."""
        measured = np.zeros(self.shape, dtype=bool)
        verdicts = np.full(self.shape, _UNKNOWN if self.pruning else _HOLDS, dtype=np.int8)
        for done, node in enumerate(_in_order(self.shape)):
            self.threat.progress.poll()
            if verdicts[node] == _UNKNOWN:
                if self.suffice(self.kept(self.all_groups(node), self.pruning)):
                    region, verdict = verdicts[tuple(slice(level, None) for level in node)], _HOLDS
                else:
                    region, verdict = verdicts[tuple(slice(level + 1) for level in node)], _FAILS
                region[region == _UNKNOWN] = verdict
                measured[node] = True
            progress.report((done + 1) / measured.size)
        return verdicts == _HOLDS, measured


Promising = tuple[BoolArray, BoolArray]
"""Two marks of each node, by its levels: whether it may be safe, and whether it was measured."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Lattice(Nodes):
    """Every node of a lattice, decided.

    Args:
        threat, requirements, levels, suppression, estimator: See `Nodes`.
    """

    safe: BoolArray
    minimal: BoolArray
    measured: BoolArray
    """Marks of each node, by its levels: whether it is safe, minimal, and whether its groups were
    measured to decide.
    """

    def minimal_nodes(self) -> list[Node]:
        """Minimal nodes in lexicographic order."""
        return [tuple(node) for node in np.argwhere(self.minimal).tolist()]


def incognito(nodes: Nodes, progress: Progress = SILENT) -> Lattice:
    """Decide every node of the full-domain generalization lattice.

    Args:
        progress: Receives the share of nodes that are decided.
    """
    safe, measured = nodes.promising(progress.part(0.0, _PRUNED))
    deciding = progress.part(_PRUNED, 1.0)
    if len(nodes.pruning) < len(nodes.requirements):
        found = np.argwhere(safe).tolist()
        for done, levels in enumerate(found):
            nodes.threat.progress.poll()
            node, measured[tuple(levels)] = tuple(levels), True
            groups = nodes.all_groups(node)
            safe[node] = nodes.screen.kept(groups) is not None and nodes.suffice(
                nodes.kept(groups, nodes.requirements)
            )
            deciding.report((done + 1) / len(found))
    deciding.report(1.0)
    return Lattice(
        nodes.threat,
        nodes.requirements,
        nodes.levels,
        nodes.suppression,
        estimator=nodes.estimator,
        safe=safe,
        minimal=safe & ~_above_some(safe),
        measured=measured,
    )


_PRUNED = 0.1
"""Share of deciding at which it is known what the requirements that prune leave."""

_SLACK = 1e-9
"""Rounding allowed when a share of the records is turned into a number of them."""


def _in_order(shape: tuple[int, ...]) -> Iterator[Node]:
    """Nodes: few quasi-identifiers below their last level first, then the lowest."""
    last = [size - 1 for size in shape]

    def key(node: Node) -> tuple[int, int]:
        return sum(level < top for level, top in zip(node, last, strict=True)), sum(node)

    return iter(sorted(product(*map(range, shape)), key=key))


def _above_some(safe: BoolArray) -> BoolArray:
    """Mark nodes that have a safe one strictly below them."""
    reached = safe.copy()
    for axis in range(safe.ndim):
        reached = np.logical_or.accumulate(reached, axis=axis)
    above = np.zeros_like(safe)
    for axis in range(safe.ndim):
        upper = tuple(
            slice(1, None) if place == axis else slice(None) for place in range(safe.ndim)
        )
        lower = tuple(
            slice(None, -1) if place == axis else slice(None) for place in range(safe.ndim)
        )
        above[upper] |= reached[lower]
    return above


def _groups(parts: Parts, levels: Sequence[Levels], node: Node) -> Groups:
    """Groups of parts with equal generalized values."""
    columns = [
        item.codes[level][parts.codes[:, axis]]
        for axis, (item, level) in enumerate(zip(levels, node, strict=True))
    ]
    if not columns:
        return Groups.whole(len(parts))
    return Groups.from_labels(distinct_rows(np.column_stack(columns))[1])


def check_utility(utility: str) -> str:
    """Return the name of a measure of `COSTS`, or raise `InvalidParameter`."""
    if utility not in COSTS:
        raise InvalidParameter(
            f"utility is {utility!r}",
            detail="There is no such measure to choose a node by.",
            hint=f"It must be one of {', '.join(COSTS)}.",
        )
    return utility
