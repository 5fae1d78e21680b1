"""Records as they were drawn: what a randomized release shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import IntArray

__all__ = ["Drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Records that were drawn, those that are alike counted."""

    codes: IntArray
    """Shape (r, d + 1). Value codes of the records, those of the sensitive attribute last: distinct
    rows.
    """
    counts: IntArray
    """Shape (r,). Number of records of each row, at least 1."""

    def among(self, attributes: Sequence[int]) -> Drawn:
        """The same records in some attributes, in their order."""
        return self.alike(self.codes[:, list(attributes)])

    def alike(self, codes: IntArray) -> Drawn:
        """The same records with other codes, shape (r, k), those that are alike counted."""
        first, kind, _ = distinct_rows(codes)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, kind, self.counts)
        return Drawn(codes[first], counts)

    @cached_property
    def records(self) -> int:
        """Number of records, ``n``."""
        return int(self.counts.sum())
