"""Clustering: parts about whose records adversaries believe alike.

The first stage of what Amiri, Yazdani, Shakery and Chinaei do (2016): agglomerative clustering by
complete linkage, cut so that no two beliefs of a cluster diverge by more than a bound, whoever of
the adversaries holds them. Rules:

- What is clustered is distinct beliefs, not records.
- Two clusters are as far apart as the two of their beliefs that diverge most. Those that the cut
  keeps apart need not be compared: divergence is not less than the squared Hellinger distance.
- Many beliefs are clustered in *blocks* of so few that all their distances can be held. A block is
  halved at the median of the direction in which square roots of probabilities vary most: there the
  distance is Euclid's. Clusters are then joined, in fewer and other blocks, as if each were a
  belief, for as long as that leaves markedly fewer of them.
- So within a block, as in a table of few beliefs, nothing is lost against complete linkage of all.
  Of more, clusters that a cut divided are joined in the second round if all of both may be
  together, but beliefs stay where the first put them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bkpriv_core.belief.pairs import Pairs
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Bound, CountedRequirement
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups, IntArray

__all__ = ["OneCluster", "cluster"]

_ROUNDING = 1e-10
"""Largest rounding error that may pass the bound: less than a requirement forgives."""

_FAR = 2.0
"""Stand-in for a divergence that was not computed, since it is above the bound."""

_BLOCK = 2_048
"""Beliefs, or clusters, of a block at most."""

_WITHIN = 2**14
"""Beliefs in all clusters of a block at most, unless it is one cluster."""

_WORTH = 0.95
"""Share of the clusters of a round that the next must leave at most, to be followed by another."""

_SCREENED = 2**18
"""Pairs of beliefs that are screened at a time."""

_ITERATIONS = 16
"""Steps towards the direction in which beliefs vary most; it need not be exact."""


def cluster(priors: Sequence[FloatArray], theta: float, *, progress: Progress = SILENT) -> Groups:
    """Cluster parts so that beliefs about any two of a cluster diverge by at most `theta`.

    Args:
        priors: Beliefs of each of the adversaries, at least one, about the records of each part, at
            least one; rows sum to 1. They may be about different columns.
        theta: Largest Jensen-Shannon divergence of two beliefs of an adversary, in bits.
        progress: Receives the share that is done.

    Returns:
        Every part is in one cluster. Clusters stand in the order of their first parts, and parts
        ascend in each: the outcome does not depend on chance. Each cluster meets
        ``PairDivergence(theta)`` of these adversaries.
    """
    distinct, kind = np.unique(np.hstack(priors), axis=0, return_inverse=True)
    kinds = np.arange(len(distinct))
    ends = np.cumsum([prior.shape[1] for prior in priors])[:-1]
    pairs = [Pairs(held, kinds) for held in np.split(distinct, ends, axis=1)]
    roots = np.sqrt(distinct)
    clusters = Groups.from_rows(kinds)
    share = 0.0
    while True:
        centres = clusters.sum(roots[clusters.members]) / clusters.widths[:, None]
        blocks = _blocks(centres, clusters.widths)
        before, joined = len(clusters), []
        for done, block in enumerate(blocks):
            progress.report(share + (1.0 - share) / 2 * done / len(blocks))
            joined.append(_linked(pairs, clusters.select(block), theta, progress.quiet))
        share = (1.0 + share) / 2
        clusters = Groups.joined(joined)
        if len(blocks) == 1 or len(clusters) > _WORTH * before:
            break
    progress.report(1.0)
    of_part = clusters.labels(len(distinct))[kind.ravel()]
    _, first, label = np.unique(of_part, return_index=True, return_inverse=True)
    return Groups.from_labels(np.argsort(np.argsort(first))[label.ravel()])


@dataclass(frozen=True, eq=False)
class OneCluster(CountedRequirement):
    """Requirement that a group's parts lie in one cluster: sufficient, and cheap."""

    label: IntArray
    """Shape (p,). The cluster of each part."""
    key: ClassVar[str] = "one_cluster"
    coarse = False
    hereditary = True

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on how much the clusters' numbers vary."""
        return (Bound(self.key, {}, 0.0, upper=True),)

    def counts(self, threat: ThreatModel) -> IntArray:
        """Sums of ones, of the clusters' numbers and of their squares."""
        return np.column_stack((np.ones_like(self.label), self.label, self.label**2))

    def figures(self, threat: ThreatModel, histograms: IntArray) -> AnyArray:
        """Tell whether numbers vary: 0 if they do not, else 1; exactly."""
        parts, numbers, squares = histograms.T
        mean = numbers // parts
        varied: BoolArray = (mean * parts != numbers) | (mean * numbers != squares)
        return varied


def _blocks(centres: FloatArray, widths: IntArray) -> list[IntArray]:
    """Put clusters that are near one another into blocks, none too large."""
    blocks, waiting = [], [np.arange(len(centres))]
    while waiting:
        block = waiting.pop()
        if len(block) == 1 or (len(block) <= _BLOCK and widths[block].sum() <= _WITHIN):
            blocks.append(block)
            continue
        apart = centres[block] - centres[block].mean(axis=0)
        # Power iteration, from the belief that is farthest from the middle.
        along = apart[np.einsum("ij,ij->i", apart, apart).argmax()]
        for _ in range(_ITERATIONS):
            onward = apart.T @ (apart @ along)
            length = np.linalg.norm(onward)
            if not length > 0:
                break
            along = onward / length
        ordered = block[np.argsort(apart @ along, kind="stable")]
        waiting += [ordered[len(block) // 2 :], ordered[: len(block) // 2]]
    return blocks


def _linked(pairs: Sequence[Pairs], clusters: Groups, theta: float, progress: Progress) -> Groups:
    """Join clusters of beliefs by complete linkage, as far as the bound allows."""
    if len(clusters) == 1:
        return clusters
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import, and seldom wanted

    apart = _apart(pairs, clusters, theta, progress)
    tree = linkage(apart[np.triu_indices(len(clusters), 1)], method="complete")
    label = fcluster(tree, theta + _ROUNDING, criterion="distance")
    return clusters.united(Groups.from_labels(label.astype(np.int64) - 1))


def _apart(
    pairs: Sequence[Pairs], clusters: Groups, theta: float, progress: Progress
) -> FloatArray:
    """Largest divergence of a belief of one cluster from one of another, by any adversary.

    Returns:
        Shape (g, g). Above the diagonal; `_FAR` where it is above the bound.
    """
    members, owner, offsets = clusters.members, clusters.owner, clusters.offsets
    step = max(1, _SCREENED // len(members))
    largest = np.zeros((len(clusters), len(clusters)))
    for start in range(0, len(members), step):
        progress.poll()
        mine = owner[start : start + step]
        # Clusters stand one after the other, so that what is behind is above the diagonal.
        ahead = mine[0]
        squared = _squared(pairs, members[start : start + step], members[offsets[ahead] :])
        if len(clusters) < len(members):
            squared = np.maximum.reduceat(squared, offsets[ahead:-1] - offsets[ahead], axis=1)
        first = np.flatnonzero(np.diff(mine, prepend=-1))
        so_far = largest[mine[first], ahead:]
        largest[mine[first], ahead:] = np.maximum(
            so_far, np.maximum.reduceat(squared, first, axis=0)
        )
    near: BoolArray = np.triu(largest <= theta + _ROUNDING, 1)
    # Two beliefs diverge by as much as the clusters only if they are about as far apart.
    least = np.where(near, largest * np.log(2.0) - _ROUNDING, np.inf)
    apart = np.where(near, 0.0, _FAR)
    first_of, second_of = np.nonzero(near)
    rows = np.flatnonzero(np.isin(owner, first_of))
    columns = np.flatnonzero(np.isin(owner, second_of))
    step = max(1, _SCREENED // max(len(columns), 1))
    for start in range(0, len(rows), step):
        progress.poll()
        some = rows[start : start + step]
        squared = _squared(pairs, members[some], members[columns])
        left, right = np.nonzero(squared >= least[np.ix_(owner[some], owner[columns])])
        one, other = some[left], columns[right]
        figures = np.max([each.divergence(members[one], members[other]) for each in pairs], axis=0)
        np.maximum.at(apart, (owner[one], owner[other]), figures)
    return apart


def _squared(pairs: Sequence[Pairs], rows: IntArray, columns: IntArray) -> FloatArray:
    """Largest squared Hellinger distance of beliefs to any adversary."""
    squared = pairs[0].hellinger(rows, columns)
    for other in pairs[1:]:
        np.maximum(squared, other.hellinger(rows, columns), out=squared)
    return squared
