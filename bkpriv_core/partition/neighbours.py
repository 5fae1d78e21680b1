"""Neighbours: which groups are near to one another, and what uniting two of them costs.

The *loss of detail* of a group is its records' certainty penalty, in sum (see `Table.penalty`). A
union of two groups loses as much as the two, and what it *costs* besides, which is never negative.

Rules:

- Near are groups whose boxes have near centres, by a tree: no matrix of all pairs. From one place
  to the next it is as far as publishing the two as one costs, and distances along attributes add
  up, as penalties do. Far cousins in a hierarchy would so be much farther apart than any penalty is
  large: from the first place of an attribute to the last it is no farther than 2.
- With many quasi-identifiers what is nearly as near as the nearest will do, and for moves of parts
  with few as well.
- Of those that are near, the cheapest stand first; among equals the nearest.
- A group is no neighbour of its own. Others with the same centre are neighbours like any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = ["box_centres", "cheapest_neighbours", "losses", "nearest_groups", "nearest_members"]

_RANKED_AT_ONCE = 512
"""Groups whose neighbours are ranked at a time."""

_DIMENSIONS = 8
"""Number of quasi-identifiers above which a tree rules little out, and takes long to be exact."""

_ROUGHLY = 1.0
"""Share by which centres may then be farther than some left out; few are, and by little."""

_NEARLY = 0.5
"""Share for moves with few quasi-identifiers; on average they are farther by two in 1,000."""

_LEAF = 24
"""Centres of a leaf of the tree, which are compared one by one."""

_SOUGHT_AT_ONCE = 50_000
"""Parts whose nearest groups are sought at a time."""

_FEW = 100_000
"""Pairs of a point and a centre that are compared one by one, and not by a tree."""

_LONGEST = 2.0
"""Farthest that two places of an attribute are apart, in units of its certainty penalty."""


def losses(parts: Parts, groups: Groups) -> FloatArray:
    """Loss of detail of each group, shape (g,): its records times their certainty penalty."""
    lost: FloatArray = parts.sizes(groups) * parts.table.penalty(*parts.boxes(groups))
    return lost


def cheapest_neighbours(
    parts: Parts,
    groups: Groups,
    chosen: IntArray,
    near: int,
    progress: Progress = SILENT,
    *,
    among: IntArray | None = None,
    kin: IntArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the groups nearest to some of them, by rising cost of the union.

    Args:
        chosen: Shape (r,). The groups whose neighbours are wanted.
        near: Number of neighbours, at least 1; if there are fewer other groups, all of them.
        among: Shape (a,). The groups that may be neighbours, none of them among `chosen`; all, if
            it is left out.
        kin: Shape (g,). The cluster of each group: those of one's own are nearer than any other.

    Returns:
        neighbours: Shape (r, min(near, g - 1). Groups; of those that may be neighbours, (r,
            min(near, a)).
    """
    table = parts.table
    low, high = parts.boxes(groups)
    centres = box_centres(table, low, high)
    if kin is not None:
        centres = np.column_stack((centres, kin * (_LONGEST * low.shape[1] + 1.0)))
    others = np.arange(len(groups), dtype=np.int64) if among is None else among
    width = min(near, len(others) - (among is None))
    # A group is the nearest to itself, if it is there.
    reach = width + (among is None)
    search = _search(centres[others], reach)
    sizes = parts.sizes(groups)
    lost = sizes * table.penalty(low, high)
    neighbours = np.zeros((len(chosen), width), dtype=np.int64)
    costs = np.zeros((len(chosen), width))
    for start in range(0, len(chosen), _RANKED_AT_ONCE):
        progress.poll()
        rows = chosen[start : start + _RANKED_AT_ONCE]
        columns = others[search(centres[rows])]
        mine = rows[:, None]
        union_low = np.minimum(low[mine], low[columns]).reshape(-1, low.shape[1])
        union_high = np.maximum(high[mine], high[columns]).reshape(-1, low.shape[1])
        union = table.penalty(union_low, union_high).reshape(columns.shape)
        cost = union * (sizes[mine] + sizes[columns]) - lost[mine] - lost[columns]
        cost = np.where(columns == mine, np.inf, cost)
        order = np.argsort(cost, axis=1, kind="stable")[:, :width]
        ranked = slice(start, start + len(rows))
        neighbours[ranked] = np.take_along_axis(columns, order, axis=1)
        costs[ranked] = np.take_along_axis(cost, order, axis=1)
    return neighbours, costs


def nearest_groups(parts: Parts, groups: Groups, chosen: IntArray, near: int) -> IntArray:
    """Find the groups nearest to some parts, whether they are in them or not.

    Args:
        chosen: Shape (r,). Parts.
        near: Number of groups wanted besides that of each part; if there are no more, all.

    Returns:
        Shape (r, min(near + 1, g). Groups, nearest first.
    """
    reach = min(near + 1, len(groups))
    search = _search(box_centres(parts.table, *parts.boxes(groups)), reach, _NEARLY)
    nearest = np.zeros((len(chosen), reach), dtype=np.int64)
    for start in range(0, len(chosen), _SOUGHT_AT_ONCE):
        some = slice(start, start + _SOUGHT_AT_ONCE)
        places = parts.places[chosen[some]]
        nearest[some] = search(box_centres(parts.table, places, places))
    return nearest


def nearest_members(
    parts: Parts, groups: Groups, chosen: IntArray, among: IntArray, near: int
) -> IntArray:
    """Find the memberships whose parts are nearest to some groups.

    Args:
        chosen: Shape (r,). Groups.
        among: Shape (a,). Memberships of other groups.
        near: Number of memberships wanted of each group; if there are no more, all.

    Returns:
        Shape (r, min(near, a). Memberships, nearest first.
    """
    reach = min(near, len(among))
    if not reach:
        return np.zeros((len(chosen), 0), dtype=np.int64)
    places = parts.places[groups.members[among]]
    search = _search(box_centres(parts.table, places, places), reach, _NEARLY)
    return among[search(box_centres(parts.table, *parts.boxes(groups.select(chosen))))]


def _search(
    centres: FloatArray, reach: int, roughly: float = 0.0
) -> Callable[[FloatArray], IntArray]:
    """Make what finds the so many centres nearest to each of some points, nearest first.

    They may be farther than some left out by a share, with many quasi-identifiers by `_ROUGHLY`.
    """

    @cache
    def tree() -> KDTree:
        from scipy.spatial import KDTree  # slow to import, and small tables can do without

        # Values recur in columns: halves by number would part equal centres.
        return KDTree(centres, leafsize=_LEAF, balanced_tree=False)

    def nearest(points: FloatArray) -> IntArray:
        if reach == len(centres) or len(points) * len(centres) <= _FEW:
            apart = np.abs(points[:, None] - centres).sum(axis=2)
            return np.argsort(apart, axis=1, kind="stable")[:, :reach]
        eps = _ROUGHLY if points.shape[1] > _DIMENSIONS else roughly
        _, found = tree().query(points, k=reach, p=1, eps=eps)
        return np.asarray(found, dtype=np.int64).reshape(len(points), reach)

    return nearest


def box_centres(table: Table, low: IntArray, high: IntArray) -> FloatArray:
    """Centres of boxes, shape (g, d), in units in which near boxes cost little to unite."""
    centres = np.empty(low.shape)
    for axis, domain in enumerate(table.quasi_identifiers):
        places = np.arange(domain.size)
        steps = domain.ncp(places[:-1], places[1:])
        along = np.concatenate(([0.0], np.cumsum(steps)))
        along *= _LONGEST / max(along[-1], _LONGEST)
        centres[:, axis] = (along[low[:, axis]] + along[high[:, axis]]) / 2.0
    return centres
