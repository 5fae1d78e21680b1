"""Counts by sensitive columns, where people are told of by combinations of their values.

Tallies know one sensitive attribute, of combinations. A condition on one of its columns holds for
the combinations that have a value that meets it, and counts by a column are sums over those that
have each value. Both are exact, whatever the tally.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import (
    And,
    Codes,
    Membership,
    Not,
    Or,
    Predicate,
    criterion_truth,
    value_point,
)
from bkpriv_core.query.tally import Tally
from bkpriv_core.query.workload import Workload
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["ColumnTally"]


class ColumnTally(Tally):
    """A tally of combinations, asked about their columns.

    Args:
        tally: Counts by quasi-identifiers and combinations, which are the last attribute.
    """

    def __init__(self, tally: Tally, sensitive: Combination) -> None:
        *known, _ = tally.domains
        self.domains = (*known, *sensitive.columns)
        self._tally = tally
        self._sensitive = sensitive
        self._place = len(known)

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """See `Tally`."""
        asked = self._asked(predicate, True)
        inner = list(dict.fromkeys(min(key, self._place) for key in keys))
        codes, counts = self._tally.by_key(asked, inner, progress)
        if not any(key >= self._place for key in keys):
            return codes, counts
        of_key = {key: codes[:, inner.index(min(key, self._place))] for key in keys}
        spelt = np.column_stack(
            [
                values if key < self._place else self._column(key)[values]
                for key, values in of_key.items()
            ]
        )
        first, place, _ = distinct_rows(spelt)
        summed: FloatArray = np.bincount(place, counts, minlength=len(first)).astype(np.float64)
        return spelt[first], summed

    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """See `Tally`: queries of a workload are about combinations."""
        return self._tally.answer(workload, progress)

    def _column(self, attribute: int) -> IntArray:
        """Code of each combination in a column, shape (m,)."""
        return self._sensitive.rows[:, attribute - self._place]

    def _asked(self, predicate: Predicate, wanted: bool) -> Predicate:
        """Condition on combinations that is true where this one is true, or where it is false."""
        if isinstance(predicate, Not):
            return self._asked(predicate.part, not wanted)
        if isinstance(predicate, And | Or):
            parts = tuple(self._asked(part, wanted) for part in predicate.parts)
            return And(parts) if isinstance(predicate, And) == wanted else Or(parts)
        if predicate.attribute < self._place:
            return predicate if wanted else Not(predicate)
        truth = criterion_truth(predicate, Codes.of(self.domains[predicate.attribute]))
        met = (truth.true if wanted else truth.false)[self._column(predicate.attribute)]
        points = (value_point(self._sensitive, code) for code in np.flatnonzero(met).tolist())
        return Membership(self._place, tuple(points))
