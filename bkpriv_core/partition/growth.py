"""Growth: groups are grown along an order, each until it meets every requirement.

A group begins with the first part in the order that is in none, and takes up one part after the
other. It is closed as soon as all requirements hold, and the next one begins (Riboni, Pareschi,
Bettini 2012, algorithm 4). So it is the shortest prefix of what is left of the order that holds;
see `prefix`, and `joint` for requirements on all groups together. Rules:

- Where a group does not hold before the order ends, or is given up before, the part that it begins
  with is *left over*, and the next one begins a group. (The algorithm leaves over all that comes
  after it, too.)
- What is left over behind the last group joins it, if that then holds.
- Where one part after the other is left over, ever more are at once. So much is tried in vain as is
  in proportion to the number of parts; then the rest is left over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.joint import formed_together
from bkpriv_core.partition.prefix import Prefixes
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["grow"]

_PATIENCE = 8
"""Parts in a row that are left over by themselves, before two at once are, then three."""

_IN_VAIN = 64
"""Prefixes that are judged in vain, for each part, before the rest is left over."""


def grow(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    order: IntArray,
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Grow groups that meet all requirements, beliefs estimated by omega.

    Args:
        requirements: Requirements that every group must meet.
        order: Shape (q,). Parts, some or all of the table's.
        progress: Receives the share of the order that is gone through.

    Returns:
        Runs of the order; parts that are left over are in none.
    """
    groups = formed_together(
        threat, requirements, lambda alone: _along(Prefixes.of(threat, alone), order, progress)
    )
    if not len(groups):
        return groups
    behind = order[np.flatnonzero(order == groups.members[-1])[0] + 1 :]
    last = len(groups) - 1
    longer = Groups.from_lists([np.concatenate((groups[last], behind))])
    extended = Groups.joined([groups.select(np.arange(last)), longer])
    alone, joint = alone_and_joint(requirements)
    held = satisfied(alone, threat, longer).all() and satisfied(joint, threat, extended).all()
    return extended if held else groups


def _along(prefixes: Prefixes, order: IntArray, progress: Progress) -> Groups:
    """Grow groups from the first part of an order to the last."""
    spans: list[tuple[int, int]] = []
    start, failed, left = 0, 0, _IN_VAIN * len(order)
    while start < len(order) and left > 0:
        held, length = prefixes.shortest(order[start:])
        if held:
            spans.append((start, start + length))
            start, failed = start + length, 0
        else:
            left -= length
            start += 1 + failed // _PATIENCE
            failed += 1
        progress.report(min(start / len(order), 1.0))
    progress.report(1.0)
    return Groups.from_lists([order[start:end] for start, end in spans])
