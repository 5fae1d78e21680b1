"""Parts of cells: which of a table's records are told apart, and which are not.

Most methods never tell records of one cell apart; every cell is then one part. Where they do, as
when groups draw records, a *part* is some of the records of one cell, and groups are sets of parts.
Prior beliefs belong to cells, and are the same for all parts of a cell; so is all that depends on
quasi-identifiers alone.

Parts of one cell in one group have nothing that tells them apart, and are united; unless each is
the record of a respondent, of whom something else may be known than of others in the cell.

A release may show records with other sensitive values than they have: *counterfeits*. Counts of
parts are then what is shown, which is what readers go by and what requirements are measured on. The
table is the source as it was, and adversaries know of that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.combination import Combination, HasValue, marginals_of
from bkpriv_core.table.dependence import dependence
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.table import Table, check_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["MANY_VALUES", "Parts"]

MANY_VALUES = 64
"""Sensitive values from which on groups are looked at by the few of them that they hold."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a table's cells, of which groups are made."""

    table: Table
    cell: IntArray
    """Shape (p,). The cell that each part is of."""
    counts: IntArray
    """Shape (p, m). Records of each part with each sensitive value, as they are shown; without
    counterfeits those of a cell's parts sum to the cell's, unless these are some of the parts only.
    """
    respondent: IntArray | None = None
    """Shape (p,). Respondent of each part's record, if respondents are told apart: a number from
    0.
    """
    counterfeits: IntArray | None = None
    """Shape (p, m). Records of each part that are shown with each value in excess of those that
    have it; rows sum to 0.
    """

    @classmethod
    def of(cls, table: Table) -> Parts:
        """Take every cell as one part."""
        return cls(table, np.arange(table.cells, dtype=np.int64), table.counts)

    @classmethod
    def of_codes(
        cls,
        quasi_identifiers: tuple[Domain, ...],
        sensitive: Domain,
        codes: IntArray,
        counts: IntArray,
    ) -> Parts:
        """Find the table that has parts with such codes, (p, d), and counts, (p, m)."""
        first, cell, _ = distinct_rows(codes)
        if len(first) == len(codes):
            return cls.of(Table(quasi_identifiers, sensitive, codes, counts))
        alike = Groups.from_labels(cell)
        summed = alike.sum(counts[alike.members])
        return cls(Table(quasi_identifiers, sensitive, codes[first], summed), cell, counts)

    def shown(self, counterfeits: IntArray | None) -> Parts:
        """The parts with such counterfeits, (p, m), in place of those that they have."""
        counts = self.actual if counterfeits is None else self.actual + counterfeits
        return replace(self, counts=counts, counterfeits=counterfeits)

    def dealt(self, which: IntArray, values: IntArray, labels: IntArray) -> tuple[Parts, Groups]:
        """Tell apart records of one part that lie in different groups, with the values they have.

        Args:
            which, values: Shape (n,). Part and sensitive value of each of the records, in any
                order.
            labels: Shape (n,). Group of each record: dense integers from 0, or `SUPPRESSED`.

        Raises:
            TooLarge: If the parts' counts would not fit in memory.
        """
        first, part, _ = distinct_rows(np.column_stack((labels - SUPPRESSED, which)))
        check_dense(len(first), "parts of cells", self.table.sensitive)
        shape = (len(first), self.table.sensitive.size)
        counts = np.bincount(part * shape[1] + values, minlength=shape[0] * shape[1])
        return self._some(which[first], counts.reshape(shape)), Groups.from_labels(labels[first])

    def _some(
        self, which: IntArray, counts: IntArray, counterfeits: IntArray | None = None
    ) -> Parts:
        """Parts of these parts, with such counts."""
        return replace(
            self,
            cell=self.cell[which],
            counts=counts,
            respondent=None if self.respondent is None else self.respondent[which],
            counterfeits=counterfeits,
        )

    def select(self, which: IntArray) -> Parts:
        """Select parts, in that order."""
        false = None if self.counterfeits is None else self.counterfeits[which]
        return self._some(which, self.counts[which], false)

    def __len__(self) -> int:
        return len(self.cell)

    @cached_property
    def whole(self) -> bool:
        """Whether every cell is one part, in order."""
        return np.array_equal(self.cell, np.arange(self.table.cells))

    @cached_property
    def weights(self) -> IntArray:
        """Records of each part, shape (p,)."""
        totals: IntArray = self.counts.sum(axis=1)
        return totals

    @property
    def actual(self) -> IntArray:
        """Records of each part with the sensitive values that they have, shape (p, m)."""
        return self.counts if self.counterfeits is None else self.counts - self.counterfeits

    @property
    def counterfeited(self) -> int:
        """Number of records that are shown with another value than they have."""
        return 0 if self.counterfeits is None else int(self.counterfeits.clip(min=0).sum())

    @cached_property
    def codes(self) -> IntArray:
        """The value codes of each part's cell, shape (p, d)."""
        return self.table.codes if self.whole else self.table.codes[self.cell]

    @cached_property
    def places(self) -> IntArray:
        """Leaf place of each part in each quasi-identifier, shape (p, d)."""
        return self.table.places if self.whole else self.table.places[self.cell]

    @cached_property
    def _count_columns(self) -> IntArray:
        return np.ascontiguousarray(self.counts.T)

    @cached_property
    def _place_columns(self) -> IntArray:
        return np.ascontiguousarray(self.places.T)

    def of_rows(self) -> Parts:
        """The same parts of a table of rows, where a person may have several.

        Every row of a person has the person's quasi-identifiers, and a sensitive value of its own.

        Raises:
            TooLarge: If the parts' counts would not fit in memory.
        """
        told = self.table.sensitive
        if not isinstance(told, Combination) or not told.several:
            return self
        single, _ = told.single
        check_dense(len(self), "parts of cells", single)
        every = told.count_rows(self.table.counts)
        return replace(
            self,
            table=replace(self.table, sensitive=single, counts=every),
            counts=every if self.counts is self.table.counts else told.count_rows(self.counts),
            counterfeits=None if self.counterfeits is None else told.count_rows(self.counterfeits),
        )

    def enumerate_records(self) -> tuple[IntArray, IntArray]:
        """Part and sensitive value of each record, part after part: two arrays of shape (n,).

        The value is that which it has.
        """
        actual = self.actual
        parts, values = np.nonzero(actual)
        times = actual[parts, values]
        return np.repeat(parts, times), np.repeat(values, times)

    def draw_places(self, cells: IntArray, values: IntArray, chance: Chance) -> IntArray:
        """Part that each of the table's records is in: of those alike it is drawn by lot.

        Args:
            cells, values: Shape (n,). Cell and sensitive value of each record, in any order; or of
                none.
            chance: Decides which of those that are alike is in which part.

        Returns:
            Shape (n,).
        """
        if not len(cells):
            return np.zeros(0, dtype=np.int64)
        part, held = self.enumerate_records()
        drawn = chance.order(len(cells))
        records = drawn[np.lexsort((values[drawn], cells[drawn]))]
        place = np.empty(len(cells), dtype=np.int64)
        place[records] = part[np.lexsort((held, self.cell[part]))]
        return place

    def apart(self) -> Parts:
        """Tell all records apart: one part for each, part after part, with the value that it has.

        Raises:
            TooLarge: If the parts' counts would not fit in memory.
        """
        part, values = self.enumerate_records()
        check_dense(len(part), "records", self.table.sensitive)
        counts = np.zeros((len(part), self.table.sensitive.size), dtype=np.int64)
        counts[np.arange(len(part)), values] = 1
        return self._some(part, counts)

    def unite(self, groups: Groups) -> tuple[Parts, Groups]:
        """Join parts of one cell that lie in one group, or in none: nothing tells them apart.

        Returns:
            groups: The same groups, by the same numbers, as sets of these parts.
        """
        labels = groups.labels(len(self))
        keys = [labels - SUPPRESSED, self.cell]
        if self.respondent is not None:
            keys.append(self.respondent)
        first, kind, _ = distinct_rows(np.column_stack(keys))
        if len(first) == len(self):
            return self, groups
        alike = Groups.from_labels(kind)
        united = self._some(
            first,
            alike.sum(self.counts[alike.members]),
            None if self.counterfeits is None else alike.sum(self.counterfeits[alike.members]),
        )
        return united, Groups.from_labels(labels[first])

    def sizes(self, groups: Groups) -> IntArray:
        """Records of each group, shape (g,)."""
        sizes: IntArray = groups.sum(self.weights[groups.members])
        return sizes

    def determined(self, groups: Groups) -> dict[tuple[str, str], int]:
        """Count people whose sensitive value a quasi-identifier determines, value by value.

        Readers of a bandwidth take near numbers for alike, though numbers may be codes, each of
        which has a meaning of its own.

        Returns:
            Number of people in the groups, by quasi-identifier and sensitive column. Empty where
            persons may have several values.
        """
        found: dict[tuple[str, str], int] = {}
        aspects = marginals_of(self.table.sensitive)
        if any(isinstance(aspect, HasValue) for aspect in aspects):
            return found
        codes = self.table.codes[self.cell[groups.members]]
        for aspect in aspects:
            held = aspect.count(self.actual[groups.members])
            rows, values = np.nonzero(held)
            for place, domain in enumerate(self.table.quasi_identifiers):
                told = dependence(codes[rows, place], values, held[rows, values])
                if told.determines:
                    found[domain.name, aspect.column] = told.agreed
        return found

    def histograms(self, groups: Groups) -> IntArray:
        """Records of each group shown with each sensitive value, shape (g, m)."""
        if self.counts.shape[1] >= MANY_VALUES:
            dense: IntArray = self.sparse_histograms(groups).toarray()
            return dense
        histograms: IntArray = groups.of_columns(np.add, self._count_columns)
        return histograms

    @cached_property
    def sparse_counts(self) -> csr_array:
        """Records of each part with each sensitive value, where there are any: (p, m)."""
        from scipy.sparse import csr_array  # slow to import, and only wanted here

        return csr_array(self.counts)

    def sparse_histograms(self, groups: Groups) -> csr_array:
        """Records of each group with each value, where there are any, values rising: (g, m)."""
        from scipy.sparse import csr_array  # slow to import, and only wanted here

        ones = np.ones(len(groups.members), dtype=np.int64)
        shape = len(groups), len(self)
        summed: csr_array = (
            csr_array((ones, groups.members, groups.offsets), shape) @ self.sparse_counts
        )
        summed.sort_indices()
        return summed

    def boxes(self, groups: Groups) -> tuple[IntArray, IntArray]:
        """Smallest and largest leaf place of each group, two arrays of shape (g, d)."""
        low, high = (
            groups.of_columns(ufunc, self._place_columns) for ufunc in (np.minimum, np.maximum)
        )
        return low, high
