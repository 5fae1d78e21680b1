"""Records as they were drawn: what a randomized release shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bkpriv_core.table.groups import IntArray

__all__ = ["Drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Distinct records that were drawn.

    Parameters
    ----------
    codes : (r, d + 1) int array
        Their value codes, those of the sensitive attribute last: distinct rows.
    counts : (r,) int array
        How many there are of each, at least 1.
    """

    codes: IntArray
    counts: IntArray

    @cached_property
    def records(self) -> int:
        """Number of records, ``n``."""
        return int(self.counts.sum())
