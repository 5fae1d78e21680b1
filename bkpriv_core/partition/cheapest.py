"""The node that is published: the safe one of least cost, best first.

Not every node has to be decided for that. Each has a *bound*, which what it costs is not below: its
cost if only those groups were suppressed that fail by what needs no inference, or, where a cost may
fall with more suppression, if what may still be suppressed were so in the best way. Nodes are
judged in the order of their bounds, until the next bound is not below the cost of the best safe
node: best-first search, or branch and bound with one level.

What is guaranteed:

- All groups of the node that is found were measured by the estimator, as certification will do.
- Among nodes of equal cost the first in lexicographic order is taken. Below a node no other costs
  more without suppression, so that the node is then minimal, too: no safe one is below it.
- Each node that would have cost less is unsafe. That is proved, except for nodes that an estimating
  screen (`screening`) turned down: of groups that take more than 20,000 states, it takes the word
  of bethe that they fail. Likewise it passes over nodes that cost less only if bethe is wrong.
- That no node is safe is said only where that is proved.

For a cost without bounds there is `lowest`: safe nodes without any safe one below them, by the same
screen. They are searched from the bottom, and what is above one is not judged.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.partition.incognito import Node, Nodes, check_utility
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import Groups

__all__ = ["cheapest", "lowest"]

_BOUNDED = 0.2
"""Share of the search at which all bounds are known."""

_ROUNDING = 1e-12
"""Share of a bound that rounding may have added to it."""


def cheapest(nodes: Nodes, utility: str, progress: Progress = SILENT) -> Node | None:
    """Safe node of least cost by a measure of `COSTS`; None if no node is safe.

    Args:
        progress: Receives the share of the nodes that are judged; polled throughout.
    """
    check_utility(utility)
    bounding, judging = progress.part(0.0, _BOUNDED), progress.part(_BOUNDED, 1.0)
    promising = _promising(nodes, bounding.part(0.0, 0.5))
    bounds: list[tuple[float, Node]] = []
    for done, node in enumerate(promising):
        nodes.threat.progress.poll()
        groups = nodes.screen.counted(nodes.all_groups(node))
        if nodes.suffice(groups):
            bounds.append((_bound(nodes, node, groups, utility), node))
        bounding.report(0.5 + 0.5 * (done + 1) / len(promising))
    best: tuple[float, Node] | None = None
    for estimating, part in _rounds(judging):
        for done, (bound, node) in enumerate(sorted(bounds)):
            if best is not None and (bound, node) >= best:
                break
            published = _published(nodes, node, estimating, utility, best=best)
            if published is not None:
                found = nodes.costs(node, published)[utility], node
                best = found if best is None else min(best, found)
            part.report((done + 1) / len(bounds))
        if best is not None:
            break
    judging.report(1.0)
    return None if best is None else best[1]


def lowest(nodes: Nodes, progress: Progress = SILENT) -> list[Node]:
    """Safe nodes without any below them, in lexicographic order; see the module.

    Args:
        progress: Receives the share of the nodes that are judged; polled throughout.
    """
    promising = _promising(nodes, progress.part(0.0, 0.5 * _BOUNDED))
    judging = progress.part(0.5 * _BOUNDED, 1.0)
    above = np.zeros(nodes.shape, dtype=bool)
    found: list[Node] = []
    for estimating, part in _rounds(judging):
        for done, node in enumerate(sorted(promising, key=sum)):
            nodes.threat.progress.poll()
            if not above[node] and _published(nodes, node, estimating) is not None:
                found.append(node)
                above[tuple(slice(level, None) for level in node)] = True
            part.report((done + 1) / len(promising))
        if found:
            break
    judging.report(1.0)
    return sorted(found)


def _rounds(progress: Progress) -> tuple[tuple[bool, Progress], ...]:
    """Search by screens that estimate; and where nothing is safe, by such that measure."""
    return (True, progress.part(0.0, 0.9)), (False, progress.part(0.9, 1.0))


def _promising(nodes: Nodes, progress: Progress) -> list[Node]:
    return [tuple(node) for node in np.argwhere(nodes.promising(progress)[0]).tolist()]


def _published(
    nodes: Nodes,
    node: Node,
    estimating: bool,
    utility: str = "",
    best: tuple[float, Node] | None = None,
) -> Groups | None:
    """Groups that a node publishes; None if it is unsafe, or does not seem to cost less."""
    groups = nodes.all_groups(node)
    if estimating:
        estimated = nodes.screen.kept(groups, estimating=True)
        if estimated is None:
            return None
        if best is not None and (nodes.costs(node, estimated)[utility], node) >= best:
            return None
    if nodes.screen.kept(groups) is None:
        return None
    published = nodes.kept(groups, nodes.requirements)
    return published if nodes.suffice(published) else None


def _bound(nodes: Nodes, node: Node, groups: Groups, utility: str) -> float:
    """Lower bound of a node's cost if no other groups than some of its own are published."""
    parts = nodes.threat.parts
    sizes = parts.sizes(groups)
    published = int(sizes.sum())
    spare = nodes.allowed - (nodes.threat.table.records - published)
    cost = nodes.costs(node, groups)[utility]
    # Discernibility only rises: a record of a group costs its size, and a suppressed one all.
    if utility == "discernibility" or spare < sizes.min():
        return cost
    if utility == "average_class_size":
        # Each group that is given up takes at least one record from what is divided.
        return (published - spare) / len(groups) * (1 - _ROUNDING)
    penalties, weights = nodes.penalties(node)[groups.members], parts.weights[groups.members]
    falling = np.argsort(-penalties)
    before = np.cumsum(weights[falling]) - weights[falling]
    given_up = np.clip(spare - before, 0, weights[falling])
    left = float((penalties[falling] * (weights[falling] - given_up)).sum())
    return left / (published - spare) * (1 - _ROUNDING)
