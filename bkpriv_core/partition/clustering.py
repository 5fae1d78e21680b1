"""Clustering: parts about whose records adversaries believe alike.

The first stage of what Amiri, Yazdani, Shakery and Chinaei do (2016): agglomerative clustering by
complete linkage, cut so that no two beliefs of a cluster diverge by more than a bound, whoever of
the adversaries holds them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups

__all__ = ["cluster"]

_ROUNDING = 1e-10
"""By how much rounding may pass the bound: less than a requirement forgives."""


def cluster(priors: Sequence[FloatArray], theta: float, *, progress: Progress = SILENT) -> Groups:
    """Cluster parts so that beliefs about any two of a cluster diverge by at most `theta`.

    Parameters
    ----------
    priors : sequence of (p, m) float arrays
        What each of the adversaries, at least one, believes of the records of each part, at least
        one; rows sum to 1.
    theta : float
        Largest Jensen-Shannon divergence of two beliefs of an adversary, in bits.
    progress : Progress
        Receives the share that is done.

    Returns
    -------
    Groups
        Every part is in one cluster. Clusters stand in the order of their first parts, and parts
        ascend in each: the outcome does not depend on chance. Each cluster meets
        ``PairDivergence(theta)`` of these adversaries.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import

    stacked = np.column_stack(priors)
    distinct, kind = np.unique(stacked, axis=0, return_inverse=True)
    kind = kind.ravel()
    if len(distinct) == 1:
        return Groups.whole(len(stacked))
    beliefs = np.split(distinct, len(priors), axis=1)
    rows = []
    for first in range(len(distinct) - 1):
        progress.poll()
        apart = [js_divergence(belief[first], belief[first + 1 :]) for belief in beliefs]
        rows.append(np.max(apart, axis=0))
    tree = linkage(np.concatenate(rows), method="complete")
    label = fcluster(tree, theta + _ROUNDING, criterion="distance")[kind]
    _, first_part, dense = np.unique(label, return_index=True, return_inverse=True)
    place = np.empty(len(first_part), dtype=np.int64)
    place[np.argsort(first_part)] = np.arange(len(first_part))
    return Groups.from_labels(place[dense])
