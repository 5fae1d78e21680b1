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
by size, the others at their last level, and each set's lattice from the bottom. What fails with few
quasi-identifiers so is never tried with more, and what is safe is not tried further up.

A chain of ever coarser groupings has a first safe one, which bisection finds (`first_holding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, satisfied
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.cost import COSTS, costs
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts

__all__ = ["MOST_NODES", "Lattice", "Node", "first_holding", "incognito"]

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
class Lattice:
    """Every node of a lattice, decided.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    requirements : tuple of Requirement
        What groups must meet.
    levels : tuple of Levels
        Levels of each quasi-identifier.
    suppression : float
        Share of the records that may be suppressed.
    estimator : {"auto", "exact", "bethe", "omega"}
        How beliefs are inferred.
    safe, minimal, measured : bool array
        For each node, by its levels: whether it is safe, minimal, and whether its groups were
        measured to decide.
    """

    setting: Setting
    requirements: tuple[Requirement, ...]
    levels: tuple[Levels, ...]
    suppression: float
    estimator: Estimator
    safe: npt.NDArray[np.bool_]
    minimal: npt.NDArray[np.bool_]
    measured: npt.NDArray[np.bool_]

    def minimal_nodes(self) -> list[Node]:
        """Minimal nodes in lexicographic order."""
        return [tuple(node) for node in np.argwhere(self.minimal).tolist()]

    def groups(self, node: Node) -> Groups:
        """Groups of a node that meet the requirements: what is published there."""
        groups = _groups(self.setting.parts, self.levels, node)
        return groups.select(satisfied(self.requirements, self.setting, groups, self.estimator))

    def cost(self, node: Node, utility: str) -> float:
        """What publishing a node costs the analyst, by a measure of `COSTS`."""
        _check_utility(utility)
        return self.costs(node, self.groups(node))[utility]

    def costs(self, node: Node, groups: Groups) -> dict[str, float]:
        """What publishing groups of a node costs, by each measure of `COSTS`.

        The GCP counts what is published: the extent of each value's class at its level, see
        `Levels`. Costs that are not defined, as nothing is published, are infinite: no node has
        more.
        """
        parts = self.setting.parts
        penalties = _penalties(parts, self.levels, node)[groups.members]
        penalty = float((parts.weights[groups.members] * penalties).sum())
        by_name = costs(parts.sizes(groups), parts.table.records, penalty)
        return {name: np.inf if np.isnan(cost) else cost for name, cost in by_name.items()}

    def cheapest(self, utility: str) -> Node | None:
        """Minimal node of least cost, the first of several; None if no node is safe."""
        _check_utility(utility)
        return min(self.minimal_nodes(), key=lambda node: self.cost(node, utility), default=None)


def incognito(
    setting: Setting,
    requirements: Sequence[Requirement],
    levels: Sequence[Levels],
    *,
    suppression: float = 0.0,
    estimator: Estimator = "omega",
    progress: Progress = SILENT,
) -> Lattice:
    """Decide every node of the full-domain generalization lattice.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    requirements : sequence of Requirement
        What published groups must meet.
    levels : sequence of Levels
        Levels of each quasi-identifier of the table.
    suppression : float
        Share of the records that may be suppressed, at least 0 and below 1.
    estimator : {"auto", "exact", "bethe", "omega"}
        How beliefs are inferred.
    progress : Progress
        Receives the share of nodes that are decided.

    Returns
    -------
    Lattice

    Raises
    ------
    InvalidParameter
        If the suppression is not such a share.
    TooLarge
        If there are more nodes than `MOST_NODES`.
    """
    if not 0.0 <= suppression < 1.0:
        raise InvalidParameter(
            f"suppression is {suppression:g}",
            detail="It is the share of the records that may be left out.",
            hint="It must be at least 0 and below 1, such as 0.01.",
        )
    shape = tuple(len(item) for item in levels)
    nodes = float(np.prod(shape, dtype=np.float64))
    if nodes > MOST_NODES:
        raise TooLarge(
            f"the lattice has {nodes:.0f} nodes",
            detail=f"Levels of the quasi-identifiers: {', '.join(map(str, shape))}; at most "
            f"{MOST_NODES} nodes are searched.",
            hint="Use fewer quasi-identifiers, or hierarchies and intervals of fewer levels.",
        )
    pruning = [
        item for item in requirements if item.absorbing or (item.monotone and not suppression)
    ]
    others = [item for item in requirements if item not in pruning]
    allowed = suppression * setting.table.records + _SLACK

    def holds(groups: Groups, judged: Sequence[Requirement]) -> bool:
        met = satisfied(judged, setting, groups, estimator)
        return int(setting.parts.sizes(groups)[~met].sum()) <= allowed

    safe = np.zeros(shape, dtype=bool)
    measured = np.zeros(shape, dtype=bool)
    verdicts = np.full(shape, _UNKNOWN if pruning else _HOLDS, dtype=np.int8)
    for done, node in enumerate(_in_order(shape)):
        setting.progress.poll()
        groups: Groups | None = None
        if verdicts[node] == _UNKNOWN:
            groups = _groups(setting.parts, levels, node)
            if holds(groups, pruning):
                region, verdict = verdicts[tuple(slice(level, None) for level in node)], _HOLDS
            else:
                region, verdict = verdicts[tuple(slice(level + 1) for level in node)], _FAILS
            region[region == _UNKNOWN] = verdict
            measured[node] = True
        safe[node] = verdicts[node] == _HOLDS
        if safe[node] and others:
            groups = _groups(setting.parts, levels, node) if groups is None else groups
            safe[node] = holds(groups, requirements)
            measured[node] = True
        progress.report((done + 1) / safe.size)
    return Lattice(
        setting,
        tuple(requirements),
        tuple(levels),
        suppression,
        estimator,
        safe,
        safe & ~_above_some(safe),
        measured,
    )


_SLACK = 1e-9
"""Rounding allowed when a share of the records is turned into a number of them."""


def _in_order(shape: tuple[int, ...]) -> Iterator[Node]:
    """All nodes: few quasi-identifiers below their last level first, then the lowest."""
    last = [size - 1 for size in shape]

    def key(node: Node) -> tuple[int, int]:
        return sum(level < top for level, top in zip(node, last, strict=True)), sum(node)

    return iter(sorted(product(*map(range, shape)), key=key))


def _above_some(safe: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which nodes have a safe one strictly below them."""
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


def _penalties(parts: Parts, levels: Sequence[Levels], node: Node) -> FloatArray:
    """Normalised certainty penalty of each part at a node, averaged over attributes."""
    columns = [
        item.penalties[level][parts.codes[:, axis]]
        for axis, (item, level) in enumerate(zip(levels, node, strict=True))
    ]
    return np.mean(columns, axis=0) if columns else np.zeros(len(parts))


def _check_utility(utility: str) -> str:
    if utility not in COSTS:
        raise InvalidParameter(
            f"utility is {utility!r}",
            detail="There is no such measure to choose a node by.",
            hint=f"It must be one of {', '.join(COSTS)}.",
        )
    return utility
