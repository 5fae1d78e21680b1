"""Counts over cells: of the records that are there, or of those that are expected.

A release that keeps the quasi-identifiers tells exactly how many records a cell has, and of each
the distribution of its sensitive value; its estimates are counts like the actual ones, with
expected records in place of records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import (
    Codes,
    Criterion,
    Predicate,
    Truth,
    criterion_truth,
    evaluate,
)
from bkpriv_core.query.tally import Tally
from bkpriv_core.query.workload import Workload
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["CellCounts"]

_CHUNK = 4_000_000
"""Pairs of query and cell at a time."""


@dataclass(frozen=True, eq=False)
class CellCounts(Tally):
    """Records of cells by sensitive value."""

    domains: tuple[Domain, ...]
    """Domains of all attributes, ``d`` quasi-identifiers and the sensitive one."""
    codes: IntArray
    """Shape (c, d). The value codes of each cell; rows may recur."""
    counts: AnyArray
    """Shape (c, m). Records, or expected records, of each cell with each sensitive value."""

    @classmethod
    def of(cls, table: Table) -> CellCounts:
        """Records of a table."""
        return cls((*table.quasi_identifiers, table.sensitive), table.codes, table.counts)

    def _met(self, predicate: Predicate, progress: Progress) -> Any:
        """Mark where a condition is true: shape (c, m), or 1 in place of either, or a scalar."""

        def truth(criterion: Criterion) -> Truth:
            by_value = criterion_truth(criterion, Codes.of(self.domains[criterion.attribute]))
            if criterion.attribute == len(self.domains) - 1:
                return Truth(by_value.true[None, :], by_value.false[None, :])
            cells = self.codes[:, criterion.attribute, None]
            return Truth(by_value.true[cells], by_value.false[cells])

        return evaluate(predicate, truth, progress).true

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """See `Tally`."""
        met: AnyArray = np.where(self._met(predicate, progress), self.counts, 0)
        progress.poll()
        if not keys:
            return np.zeros((1, 0), dtype=np.int64), np.array([met.sum()], dtype=np.float64)
        cells, values = np.nonzero(met)
        columns = [
            values if key == len(self.domains) - 1 else self.codes[cells, key] for key in keys
        ]
        codes = np.column_stack(columns)
        first, place, _ = distinct_rows(codes)
        counted = np.bincount(place, met[cells, values], minlength=len(first))
        return codes[first], counted.astype(np.float64)

    def tabulate(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> FloatArray:
        """Count the same as `by_key`, as an array whose shape is the sizes of the keys' domains."""
        codes, counted = self.by_key(predicate, keys, progress)
        if not keys:
            return counted.reshape(())
        table = np.zeros([self.domains[key].size for key in keys])
        table[tuple(codes.T)] = counted
        return table

    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """See `Tally`."""
        answers = np.empty(len(workload))
        counts = self.counts.astype(np.float64)
        step = max(1, _CHUNK // max(1, len(self.codes)))
        for start in range(0, len(workload), step):
            progress.poll()
            part = slice(start, start + step)
            *chosen, secret = (chosen[part] for chosen in workload.chosen)
            met = np.ones((len(secret), len(self.codes)), dtype=bool)
            for axis, mask in enumerate(chosen):
                if workload.queried[part, axis].any():
                    met &= np.take(mask, self.codes[:, axis], axis=1)
            answers[part] = ((met.astype(np.float64) @ counts) * secret).sum(axis=1)
        return answers
