"""Mondrian: top-down partitioning by cuts in two (LeFevre, DeWitt, Ramakrishnan 2006).

The whole table is one group. A group is cut at the median of its widest dimension where both halves
meet every requirement; if they do not, the next widest dimension is tried. What no median cuts is
cut elsewhere, if anywhere (see `cutting` for where that can be): of the cuts whose halves meet
every requirement that is taken which leaves the records the least penalty. Its halves are groups
like any other. A group that nothing cuts is final. Rules:

- Width is the normalised certainty penalty of the group's extent in the dimension.
- Nothing is cut elsewhere while a median cuts any group. So the outcome refines what medians alone
  give, and costs never more detail, whatever the requirements.
- Elsewhere a bounded number of cuts of a group is tried. The cheapest requirements, on counts, see
  many; of the rest those are tried that leave the least penalty.
- Requirements on all groups together, such as (c,k)-safety, are met by the partition as it stands
  after every cut; cuts that would break one are refused, in the order of the groups.
- What a group does not meet its halves need not meet, if small groups may meet it where large ones
  do not, as is so of divergence. They are cut on.
- Parts are never split: where cells are whole, records with equal quasi-identifiers stay together.

All groups of one generation are cut at once, level-synchronously over arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.cut_selector import CutSelector, cut_cheapest
from bkpriv_core.partition.cutting import find_cuts, median_cuts
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["mondrian"]

_PLACES = 64
"""Limit of the cuts of a kind that are considered elsewhere, of a group along a dimension."""


def mondrian(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    *,
    groups: Groups | None = None,
    elsewhere: bool = True,
    progress: Progress = SILENT,
) -> Groups:
    """Partition a table into groups that meet all requirements, beliefs estimated by omega.

    Args:
        requirements: Requirements that both halves of a cut must meet.
        groups: Groups of all parts, which are to be cut; one of the whole table, if there are none.
            They must meet the requirements, but for what small groups may meet where large ones do
            not.
        elsewhere: Whether groups that no median cuts are cut elsewhere.
        progress: Receives the share of parts that no median cuts any more, which is one half of the
            work, and of those whose group is final, which is the other.

    Returns:
        Every part in one group. Groups may break what those given broke.
    """
    parts = threat.parts
    active = Groups.whole(len(parts)) if groups is None else groups
    sieve = CutSelector.of(threat, requirements, active)
    final: list[Groups] = []
    rested = done = 0
    while len(active):
        resting: list[Groups] = []
        while len(active):
            active, rest = _at_medians(sieve, active)
            resting.append(rest)
            rested = min(rested + len(rest.members), len(parts))
            progress.report((rested + done) / (2 * len(parts)))
        active, rest = Groups.joined([]), Groups.joined(resting)
        if elsewhere:
            find = partial(find_cuts, most=_PLACES)
            active, rest = cut_cheapest(sieve, rest, find, len(parts.table.quasi_identifiers))
        final.append(rest)
        done += len(rest.members)
        progress.report((len(parts) + done) / (2 * len(parts)))
    return Groups.joined(final)


def _at_medians(sieve: CutSelector, groups: Groups) -> tuple[Groups, Groups]:
    """Cut groups at the median of the widest dimension that allows it: halves, and what is left."""
    parts = sieve.threat.parts
    waiting = np.arange(len(groups))
    left = np.ones(len(groups), dtype=bool)
    halves: list[Groups] = []
    for axes, widths in _widest_first(parts, groups):
        waiting = waiting[widths[waiting] > 0]
        if not waiting.size:
            break
        sieve.threat.progress.poll()
        cuts = median_cuts(parts, groups.select(waiting), axes[waiting])
        cuts = sieve.infer(sieve.count(cuts))
        cuts = sieve.split(cuts, cuts.parents)
        halves.append(cuts.halves())
        left[waiting[cuts.parents]] = False
        waiting = np.delete(waiting, cuts.parents)
    return Groups.joined(halves), groups.select(left)


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
