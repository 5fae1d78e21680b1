"""Groups that hold few of many sensitive values: inference over those values alone.

A posterior is zero for every value that its group does not hold. So inference needs the columns of
held values only, which are the same few for all members of a group, and the divergence of prior
and posterior needs of the prior no more than those: with ``V`` the held values, ``P_V`` the prior
probability of them, ``F_V`` the sum of ``p log2 p`` over them, and ``M`` the mean of both beliefs,

``JS = (F(Q) + F_V(P) + 1 - P_V) / 2 - F_V(M)``

for what the prior believes of other values is halved in ``M``. Both are exact: figures differ from
those over all values by rounding. Groups are taken in classes of as many held values, up to a
factor of two, and their columns padded with values that nobody has and nobody believes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.distance import negative_entropy
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Held", "divergence_of_held", "held_values"]

_FEW = 4
"""Factor by which a group must hold fewer values than there are."""


@dataclass(frozen=True, eq=False)
class Held:
    """Groups that hold about as many values each, and which ones."""

    chosen: IntArray
    """Shape (c,). Places of the groups among all."""
    columns: IntArray | None
    """Shape (c, k). The values of each, padded with others; None if all values are taken."""
    padding: np.ndarray | None
    """Shape (c, k). Columns that are padding."""

    def of_members(self, matrix: FloatArray | IntArray, groups: Groups) -> FloatArray | IntArray:
        """Rows of a matrix of parts for each membership of the chosen groups, in their columns."""
        assert self.columns is not None
        assert self.padding is not None
        rows = matrix[groups.members[:, None], self.columns[groups.owner]]
        rows[self.padding[groups.owner]] = 0
        return rows


def held_values(parts: Parts, groups: Groups) -> Iterator[Held]:
    """Divide groups by how many values they hold."""
    counts = parts.sparse_counts
    size = counts.shape[1]
    held = parts.sparse_histograms(groups)
    widths = np.diff(held.indptr)
    kinds = np.ceil(np.log2(np.maximum(widths, 1))).astype(np.int64)
    many = widths * _FEW > size
    if many.any():
        yield Held(np.flatnonzero(many), None, None)
    for kind in np.unique(kinds[~many]).tolist():
        chosen = np.flatnonzero(~many & (kinds == kind))
        mine = widths[chosen]
        place = np.arange(int(mine.max()))
        padding = place >= mine[:, None]
        at = np.where(padding, 0, held.indptr[chosen][:, None] + place)
        yield Held(chosen, held.indices[at].astype(np.int64), padding)


def divergence_of_held(prior: FloatArray, posterior: FloatArray) -> FloatArray:
    """Jensen-Shannon divergence, in bits, of beliefs of which the second is zero elsewhere.

    Args:
        prior, posterior: Shape (e, k). Beliefs in the values that a group holds; rows of `prior`
            may sum to less than 1.
    """
    others = 1.0 - prior.sum(axis=1)
    sides = (negative_entropy(posterior) + negative_entropy(prior) + others) / 2.0
    middle = negative_entropy((prior + posterior) / 2.0)
    divergence: FloatArray = np.clip(sides - middle, 0.0, 1.0)
    return divergence
