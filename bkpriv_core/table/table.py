"""The table: its distinct cells, and how many records of each have which sensitive value.

A *cell* is a distinct combination of quasi-identifier values. A table is whole: what tells records
of one cell apart stands beside it, in `bkpriv_core.table.parts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Table", "check_dense"]

_DENSE_COUNTS = 200_000_000
"""Largest number of cells, or parts of cells, times sensitive values: an array of 1.6 GB."""


def check_dense(rows: int, what: str, sensitive: Domain) -> None:
    """Refuse counts that would not fit in memory.

    Args:
        rows: Number of cells, or of parts of cells.
        what: Noun for the rows, for the message.

    Raises:
        TooLarge: If they are too many.
    """
    if rows * sensitive.size > _DENSE_COUNTS:
        columns = columns_of(sensitive)
        sizes = ", ".join(f'"{column.name}" ({column.size} values)' for column in columns)
        raise TooLarge(
            f'{rows} {what} times {sensitive.size} values of "{sensitive.name}" is too many',
            detail=f"At most {_DENSE_COUNTS} fit in memory.",
            hint="Publish fewer or coarser columns, or bin the sensitive column."
            if len(columns) == 1
            else f"Publish fewer or coarser columns: the sensitive ones are {sizes}. They can be "
            "binned, or published apart as two datasets.",
        )


@dataclass(frozen=True, eq=False)
class Table:
    """A table as its cells and their counts."""

    quasi_identifiers: tuple[Domain, ...]
    """Domains, one per quasi-identifier, ``d`` of them."""
    sensitive: Domain
    """Domain of the sensitive attribute, of ``m`` values."""
    codes: IntArray
    """Shape (c, d). The value codes of each cell: distinct rows."""
    counts: IntArray
    """Shape (c, m). Records of each cell with each sensitive value; every row has a positive
    sum.
    """

    @classmethod
    def from_rows(
        cls,
        quasi_identifiers: tuple[Domain, ...],
        sensitive: Domain,
        codes: IntArray,
        records: IntArray,
    ) -> tuple[Table, IntArray]:
        """Assemble a table from counted rows, in any order.

        Args:
            quasi_identifiers, sensitive: See `Table`.
            codes: Shape (r, d + 1). The value codes of each row, those of the sensitive attribute
                last.
            records: Shape (r,). Number of records of each row, at least 1; rows that recur add up.

        Returns:
            cells: Shape (r,). The cell of each row.

        Raises:
            TooLarge: If the counts would not fit in memory.
        """
        first, cells, _ = distinct_rows(codes[:, :-1])
        check_dense(len(first), "cells", sensitive)
        counts = np.zeros(len(first) * sensitive.size, dtype=np.int64)
        np.add.at(counts, cells * sensitive.size + codes[:, -1], records)
        shape = (len(first), sensitive.size)
        return cls(quasi_identifiers, sensitive, codes[first, :-1], counts.reshape(shape)), cells

    @property
    def domains(self) -> tuple[Domain, ...]:
        """Domains of all attributes, the sensitive one last."""
        return (*self.quasi_identifiers, self.sensitive)

    @property
    def cells(self) -> int:
        """Number of cells, ``c``."""
        return len(self.codes)

    @cached_property
    def weights(self) -> IntArray:
        """Records of each cell, shape (c,)."""
        totals: IntArray = self.counts.sum(axis=1)
        return totals

    @cached_property
    def records(self) -> int:
        """Number of records, ``n``."""
        return int(self.weights.sum())

    @cached_property
    def overall(self) -> FloatArray:
        """Distribution of the sensitive attribute, shape (m,)."""
        shares: FloatArray = self.counts.sum(axis=0) / self.records
        return shares

    @cached_property
    def places(self) -> IntArray:
        """Leaf place of each cell in each quasi-identifier, shape (c, d)."""
        columns = [
            domain.leaf_order[self.codes[:, axis]]
            for axis, domain in enumerate(self.quasi_identifiers)
        ]
        return np.column_stack(columns).astype(np.int64)

    def kinds(self, columns: tuple[int, ...]) -> IntArray:
        """Number of each cell's combination of values in some quasi-identifiers, shape (c,)."""
        if columns not in self._kinds:
            self._kinds[columns] = distinct_rows(self.codes[:, list(columns)])[1]
        return self._kinds[columns]

    @cached_property
    def _kinds(self) -> dict[tuple[int, ...], IntArray]:
        return {}

    def describe(self, cell: int) -> str:
        """Values of a cell, for an error message."""
        pairs = zip(self.quasi_identifiers, self.codes[cell], strict=True)
        return ", ".join(f'"{domain.name}" is {domain.quote(code)}' for domain, code in pairs)

    def penalty(self, low: IntArray, high: IntArray) -> FloatArray:
        """Normalised certainty penalty of boxes, averaged over attributes, shape (g,)."""
        columns = self.penalties(low, high)
        return columns.mean(axis=0) if len(columns) else np.zeros(len(low))

    def penalties(self, low: IntArray, high: IntArray) -> FloatArray:
        """Normalised certainty penalty of boxes in each quasi-identifier, shape (d, g)."""
        columns = np.empty((len(self.quasi_identifiers), len(low)))
        for axis, domain in enumerate(self.quasi_identifiers):
            columns[axis] = domain.ncp(low[:, axis], high[:, axis])
        return columns
