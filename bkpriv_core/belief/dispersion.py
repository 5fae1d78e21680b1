"""Dispersion: how far beliefs about the records of a group differ from each other.

That is their Jensen-Shannon divergence, every record weighing alike, in bits:

``JS = H(S / n) - E / n``

where ``S`` is the sum of the beliefs about the ``n`` records and ``E`` that of their entropies. It
is 0 where all are alike, and at most the log2 of the number of records, and of that of values.

So it follows from sums over records. They are kept in whole multiples of a small unit: added up in
whatever order, or taken from a larger sum, they come out the same, and a group has one figure
however it was come by. The unit is as small as the records leave room for, 1e-12 with a million of
them and 16 values, 1e-9 with a billion; figures err by a few times as much for each value.

Sources: Lin, Divergence measures based on the Shannon entropy, 1991; Riboni, Pareschi, Bettini
2012, section 6.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.distance import negative_entropy
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Dispersion"]

_BITS = 62
"""Bits of a sum over all records."""

_FINEST = 44
"""Bits of a probability at most: more than that double precision may not have."""


@dataclass(frozen=True, eq=False)
class Dispersion:
    """Contributions of parts to the sums."""

    columns: IntArray
    """Shape (p, m + 2). Sums over the records of each part: of beliefs, in units; of entropies,
    likewise; of ones.
    """
    unit: float

    @classmethod
    def of(cls, beliefs: FloatArray, weights: IntArray) -> Dispersion:
        """Take the beliefs about each record of parts, (p, m), and how many records they have."""
        entropies = -negative_entropy(beliefs)
        largest = max(int(np.ceil(np.log2(beliefs.shape[1]))), 1)
        room = _BITS - int(weights.sum()).bit_length() - largest.bit_length()
        unit = 2.0 ** -min(room, _FINEST)
        each = np.column_stack((beliefs, entropies)) / unit
        counted = np.rint(each).astype(np.int64) * weights[:, None]
        return cls(np.column_stack((counted, weights)), unit)

    def divergence(self, sums: IntArray) -> FloatArray:
        """Divergence in groups with sums of the columns, (g, m + 2), in bits, shape (g,)."""
        total = sums[:, :-2].sum(axis=1, keepdims=True)
        mean = sums[:, :-2] / total
        entropy = sums[:, -2] * self.unit / sums[:, -1]
        return np.maximum(-negative_entropy(mean) - entropy, 0.0)
