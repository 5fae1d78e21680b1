"""Beta-likeness primacy: groups that are like the table are halved, value by value.

The second stage of one of two algorithms of Amiri, Yazdani, Shakery and Chinaei (2016), of which
the details are ours. From each cluster as large a group is drawn as meets beta-likeness. It is then
cut in two again and again, so that the records with each sensitive value are divided in the same
proportion: both halves have nearly the distribution of the whole, and go on to meet beta-likeness.
Rules:

- Along a dimension every value's records stand in the order of their places; those that come first
  go to one half. At most one record of each value cannot be divided; these records go to the one
  half or the other by their places.
- A group is cut at the middle, or at a quarter or an eighth from either side, so that the few
  records of a rare value can stay in one half, which is large enough for them.
- A half in which a value has more records than beta-likeness allows leaves those out that are next
  to the cut. So do groups that are drawn from clusters: those that are farthest out.
- Of the cuts whose halves meet every requirement that one is made which leaves the least penalty,
  where a record that is left out counts as one of which nothing is told. One that saves nothing is
  not made: it would only make the groups less like the table. So a rare value, whose records need
  a large group, is left out where that group costs more than they are worth.
- Groups that are drawn from clusters and break other requirements are given up, as are those that
  no cut has made to meet what small groups may meet.

All groups of one generation are cut at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.anonymity_primacy import Alike
from bkpriv_core.partition.cut_selector import CutSelector, cut_cheapest
from bkpriv_core.partition.cutting import Cuts
from bkpriv_core.partition.joint import formed_together
from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, satisfied
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["proportional_classes", "proportional_cuts"]

_SHARES = np.array([1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8])
"""Shares of a group that its first half may have."""


def proportional_classes(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    clusters: Groups,
    *,
    progress: Progress = SILENT,
) -> Groups:
    """Form groups within clusters that meet all requirements, beliefs estimated by omega.

    Args:
        threat: The table and its adversaries, all records told apart.
        requirements: Requirements that every group must meet, k-anonymity and beta-likeness among
            them.
        clusters: Clusters within which groups are formed, near parts near to each other; of equal
            ones those come first that stand first.
        progress: Receives the share that is done.

    Returns:
        Groups of parts; those that are left over are in none.
    """
    return formed_together(
        threat, requirements, lambda alone: _halved(threat, alone, clusters, progress)
    )


def _halved(
    threat: ThreatModel, requirements: Sequence[Requirement], clusters: Groups, progress: Progress
) -> Groups:
    """Draw groups from clusters and cut them as long as anything is saved."""
    parts = threat.parts
    alike = Alike.of(threat, requirements)
    groups = _drawn(alike, parts, clusters)
    coarse = [item for item in requirements if item.coarse]
    groups = groups.select(satisfied(coarse, threat, groups))
    sieve = CutSelector.of(threat, requirements, Groups.joined([]))
    ways = len(parts.table.quasi_identifiers) * len(_SHARES)
    final: list[Groups] = []
    done, drawn = 0, max(len(groups.members), 1)
    while len(groups):
        before = len(groups.members)
        groups, rest = cut_cheapest(sieve, groups, partial(proportional_cuts, alike), ways)
        final.append(rest)
        done += before - len(groups.members)
        progress.report(done / drawn)
    progress.report(1.0)
    groups = Groups.joined(final)
    return groups.select(satisfied(requirements, threat, groups))


def _drawn(alike: Alike, parts: Parts, clusters: Groups) -> Groups:
    """Draw from each cluster the largest group that meets beta-likeness, if it has k."""
    centres = box_centres(parts.table, parts.places, parts.places)[clusters.members]
    mean = clusters.sum(centres) / clusters.widths[:, None]
    outward = np.abs(centres - mean[clusters.owner]).sum(axis=1)
    order, rank, _ = _ranked(alike, clusters, outward)
    kept = _allowed(alike, clusters, clusters.owner, len(clusters))
    taken = order[rank < kept[clusters.owner, alike.value[clusters.members[order]]]]
    return clusters.taken(np.sort(taken))


def proportional_cuts(alike: Alike, parts: Parts, groups: Groups, ways: IntArray) -> Cuts:
    """Cut groups in two so that the records with each value are divided in proportion.

    Args:
        alike: Demands of k-anonymity and beta-likeness.
        ways: Shape (g,). Along which dimension each is cut, times 5, and which of 5 shares its
            first half has.

    Returns:
        At most one of each group, whose halves meet both requirements.
    """
    axes, places = np.divmod(ways, len(_SHARES))
    along = parts.places[groups.members, axes[groups.owner]]
    size = np.rint(_SHARES[places] * groups.widths).astype(np.int64)
    wide = groups.max(along) > groups.min(along)
    order, rank, count = _ranked(alike, groups, along)
    members, along, owner = groups.members[order], along[order], groups.owner
    # What goes to the first half for sure, what may, and what does not.
    share = _SHARES[places][owner]
    tier = (rank >= np.floor(share * count)).astype(np.int64)
    tier += rank >= count - np.floor((1.0 - share) * count)
    by_tier = np.lexsort((along, tier, owner))
    place = np.empty(len(members), dtype=np.int64)
    place[by_tier] = np.arange(len(members)) - groups.offsets[owner]
    second = place >= size[owner]
    half = 2 * owner + second
    kept = _allowed(alike, Groups(members, groups.offsets), half, 2 * len(groups))
    sizes = kept.sum(axis=1).reshape(-1, 2)
    fit = wide & (sizes > 0).all(axis=1)
    # Next to the cut are the last of the first half, and the first of the second.
    inner = np.where(second, count - 1 - rank, rank)
    taken = (inner < kept[half, alike.value[members]]) | ~fit[owner]
    by_half = np.argsort(half, kind="stable")
    trimmed = Groups(members[by_half], groups.offsets).taken(np.flatnonzero(taken[by_half]))
    parents = np.flatnonzero(fit)
    starts = trimmed.offsets[parents]
    return Cuts(trimmed, parents, starts, starts + sizes[parents, 0])


def _ranked(
    alike: Alike, groups: Groups, keys: IntArray | FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Sort memberships of each group by value, then by keys.

    Returns:
        order: Shape (e,). The memberships.
        rank: Shape (e,). Place of each of these among those of its group that have its value, from
            0.
        count: Shape (e,). Number of memberships of that group with that value.
    """
    values = alike.value[groups.members]
    order = np.lexsort((keys, values, groups.owner))
    kind = groups.owner * len(alike.caps) + values[order]
    first, last = (np.searchsorted(kind, kind, side) for side in ("left", "right"))
    return order, np.arange(len(kind)) - first, last - first


def _allowed(alike: Alike, groups: Groups, owner: IntArray, count: int) -> IntArray:
    """Records of each value that may be of sets of memberships, by the owner of each, (count, m).

    None, if they are fewer than k.
    """
    size = len(alike.caps)
    kind = owner * size + alike.value[groups.members]
    histograms = np.bincount(kind, minlength=count * size).reshape(count, size)
    kept = alike.admitted(histograms)
    return np.where(kept.sum(axis=1, keepdims=True) >= alike.k, kept, 0)
