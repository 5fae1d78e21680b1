"""Coarsening: join groups until every one of them meets requirements.

A method made for one requirement, as anatomy is for l-diversity, forms groups in which others may
fail. Groups are put in a fixed order, in which neighbours are near: by the centre of their boxes in
the first quasi-identifier, then in the second, and so on. Then, in rounds:

- A failing group is joined with those that come next in the order, failing or not, until it holds
  twice as many of the given groups as before. The last in the order is joined with those before it.
- A group takes part in one joining a round. The others stay as they are.

A group that fails again and again thus takes part in ``log2`` of the number of given groups rounds
at most. Joining keeps l-diversity, for no value's share rises above the larger of two groups'.
Requirements that joining does not help to meet, such as a bound on divergence, are not looked at.
Requirements on all groups together, such as (c,k)-safety, are judged anew in every round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import BoolArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["coarsen"]


def coarsen(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    groups: Groups,
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Join groups until all requirements are met, beliefs estimated by omega.

    Args:
        threat: The table and its adversaries. Its one group of the whole table must meet the
            requirements; if it does not, one group of everything may be the outcome.
        requirements: Requirements that every group must meet, but for those that joining does not
            help to meet.
        groups: A partition of the parts of the table's cells, or of some of them.
        progress: Receives the share of failing groups that were mended, after each round.

    Returns:
        Unions of the given groups, in the order described above; the given groups themselves if
        they all meet the requirements.
    """
    alone, joint = alone_and_joint([item for item in requirements if item.coarse])
    fit = satisfied(alone, threat, groups)
    met = fit & satisfied(joint, threat, groups)
    if met.all():
        progress.report(1.0)
        return groups
    order = _in_order(threat.parts, groups)
    fit, met = fit[order], met[order]
    ordered = groups.select(order)
    failing = int((~met).sum())
    # Group i of the outcome is made of the given groups first[i] up to first[i + 1].
    first = np.arange(len(groups) + 1, dtype=np.int64)
    while not met.all() and len(met) > 1:
        threat.progress.poll()
        kept = _joined(first, met)
        changed = np.diff(np.append(kept, len(met))) > 1
        first = np.append(first[kept], first[-1])
        fit = fit[kept]
        coarse = Groups(ordered.members, ordered.offsets[first])
        fit[changed] = satisfied(alone, threat, coarse.select(changed))
        met = fit & satisfied(joint, threat, coarse)
        progress.report(1.0 - float((~met).sum()) / failing)
    return Groups(ordered.members, ordered.offsets[first])


def _in_order(parts: Parts, groups: Groups) -> IntArray:
    """Sort groups by the centres of their boxes, the first quasi-identifier counting most."""
    low, high = parts.boxes(groups)
    return np.lexsort((low + high).T[::-1]).astype(np.int64)


def _joined(first: IntArray, met: BoolArray) -> IntArray:
    """Join failing groups with their neighbours.

    Args:
        first: Shape (g + 1,). Group ``i`` is made of the given groups ``first[i]`` up to ``first[i
            + 1]``.
        met: Shape (g,). Groups that stay as they are, if no other needs them.

    Returns:
        Shape (h,). The groups with which those of the outcome begin, increasing from 0.
    """
    failing = np.flatnonzero(~met)
    doubled = 2 * first[failing + 1] - first[failing]
    ends = np.minimum(np.searchsorted(first, doubled), len(met))
    following = np.searchsorted(failing, ends).tolist()
    # Joining one group decides which failing one is the next to be joined: a chain of choices.
    chosen = [0]
    while (after := following[chosen[-1]]) < len(failing):
        chosen.append(after)
    begins, stops = failing[chosen], ends[chosen]
    inner = np.zeros(len(met) + 1, dtype=np.int64)
    np.add.at(inner, begins + 1, 1)
    np.add.at(inner, stops, -1)
    starts = np.flatnonzero(np.cumsum(inner[:-1]) == 0)
    if doubled[chosen[-1]] > first[-1]:
        # The last has too few groups after it, and takes some before it as well.
        missing = doubled[chosen[-1]] - first[-1]
        reach = np.searchsorted(first[starts], first[begins[-1]] - missing, side="right")
        starts = starts[: max(int(reach), 1)]
    return starts
