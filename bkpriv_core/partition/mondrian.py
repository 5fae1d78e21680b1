"""Mondrian: top-down partitioning by median cuts (LeFevre, DeWitt, Ramakrishnan 2006).

The whole table is one group. A group is cut in two along its widest dimension where both halves
meet every requirement; if they do not, the next widest dimension is tried; a group that no
dimension cuts is final. Rules:

- Width is the normalised certainty penalty of the group's extent in the dimension.
- A numeric dimension is cut between two values; a categorical one between two children of the
  lowest common ancestor of the group's values, so that halves fit the hierarchy's nodes.
- The cut is the one that comes nearest to halving the records.
- Requirements on all groups together, such as (c,k)-safety, are met by the partition as it stands
  after every cut; cuts that would break one are refused, in the order of the groups.
- Parts are never split: where cells are whole, records with equal quasi-identifiers stay together.

All groups of one generation are cut at once, level-synchronously over arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition.cutting import find_cuts
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["mondrian"]


def mondrian(
    setting: Setting,
    requirements: Sequence[Requirement],
    *,
    groups: Groups | None = None,
    progress: Progress = SILENT,
) -> Groups:
    """Partition a table into groups that meet all requirements, beliefs estimated by omega.

    Parameters
    ----------
    setting : Setting
        The table and its adversaries.
    requirements : sequence of Requirement
        What both halves of a cut must meet.
    groups : Groups, optional
        Groups of all parts, which meet the requirements and are to be cut; one of the whole table,
        if there are none.
    progress : Progress
        Receives the share of parts whose group is final, after each generation.

    Returns
    -------
    Groups
        Every part in one group.
    """
    parts = setting.parts
    alone, joint = alone_and_joint(requirements)
    active = Groups.whole(len(parts)) if groups is None else groups
    keepers = [item.keeper(setting, active) for item in joint]
    final: list[IntArray] = []
    done = 0
    while len(active):
        order = _widest_first(parts, active)
        waiting = np.arange(len(active))
        children: list[Groups] = []
        for axes, widths in order:
            waiting = waiting[widths[waiting] > 0]
            if not waiting.size:
                break
            setting.progress.poll()
            parents = active.select(waiting)
            halves = find_cuts(parts, parents, axes[waiting]).halves()
            allowed = satisfied(alone, setting, halves)
            both = allowed[0::2] & allowed[1::2]
            for keeper in keepers:
                both[both] = keeper.split(parents.select(both), halves.select(np.repeat(both, 2)))
            children.append(halves.select(np.repeat(both, 2)))
            waiting = waiting[~both]
        cut = np.concatenate([half.members for half in children] or [np.zeros(0, np.int64)])
        was_cut = np.zeros(len(parts), dtype=bool)
        was_cut[cut] = True
        kept = active.select(~was_cut[active.members[active.offsets[:-1]]])
        final.extend(kept)
        done += len(kept.members)
        progress.report(done / len(parts))
        active = _concatenated(children)
    return Groups.from_lists(final)


def _concatenated(lists: Sequence[Groups]) -> Groups:
    """Concatenate lists of groups."""
    if not lists:
        return Groups.from_lists([])
    widths = np.concatenate([groups.widths for groups in lists])
    return Groups(
        np.concatenate([groups.members for groups in lists]),
        np.concatenate(([0], np.cumsum(widths))).astype(np.int64),
    )


def _widest_first(parts: Parts, groups: Groups) -> list[tuple[IntArray, FloatArray]]:
    """Dimension of each group and its width, from the widest dimension to the narrowest."""
    low, high = parts.boxes(groups)
    widths = np.column_stack(
        [
            domain.ncp(low[:, axis], high[:, axis])
            for axis, domain in enumerate(parts.table.quasi_identifiers)
        ]
    )
    ranking = np.argsort(-widths, axis=1, kind="stable")
    ordered = np.take_along_axis(widths, ranking, axis=1)
    return [(ranking[:, rank], ordered[:, rank]) for rank in range(widths.shape[1])]
