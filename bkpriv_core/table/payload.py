"""Insensitive attributes: columns that pass through a release, unchanged, with the sensitive value.

A reader sees which sensitive values a group has, and which insensitive values stand beside each of
them. Adversaries are supposed not to know insensitive values of anybody: then these say no more
about who a record belongs to than the sensitive value does. They are neither generalized nor part
of what adversaries believe.

Records with equal quasi-identifiers and equal sensitive values are alike to a method, whatever
their insensitive values. If such records go to several groups, a lot decides which goes where,
unless respondents are known: then each record is where its respondent is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.combination import rows_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, IntArray
from bkpriv_core.table.inspection import SHARED_BY, links_rows
from bkpriv_core.table.parts import Parts

__all__ = ["MOST_BYTES", "MOST_VALUES", "NO_PAYLOAD", "GroupedRows", "Payload", "check_passed"]

MOST_VALUES = 50_000_000
"""Limit of records times insensitive attributes: their codes take 0.4 GB."""

MOST_BYTES = 256 * 2**20
"""Limit of the bytes of the different texts of all insensitive attributes. They are held several
times over, as the server's and as Python's, where a character may take four bytes."""


def check_passed(columns: Sequence[str], rows: int, size: int) -> None:
    """Refuse values that pass through and would not fit in memory.

    Args:
        rows: Number of records; those that are equal in all columns count once.
        size: Bytes of the texts of their values, of each column's different ones.

    Raises:
        TooLarge: If they are too many.
    """
    if rows * len(columns) > MOST_VALUES:
        raise TooLarge(
            f"{rows} records times {len(columns)} columns that pass through is too many",
            detail=f"At most {MOST_VALUES} values fit in memory.",
            hint="Pass fewer columns through, or publish fewer records at a time.",
        )
    if size > MOST_BYTES:
        listed = ", ".join(f'"{name}"' for name in columns)
        raise TooLarge(
            f"values of {size} bytes that pass through are too large",
            detail=f"At most {MOST_BYTES} bytes fit in memory; the columns are {listed}.",
            hint="Leave out long texts, or publish from a view that shortens them.",
        )


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Records as groups show them: their distinct kinds, and the number of each."""

    groups: IntArray
    """Shape (e,). Group."""
    rows: IntArray
    """Shape (e, s). The value in each sensitive column, by its code."""
    codes: IntArray
    """Shape (e, a). The values that pass through, by their places in `Payload.labels`."""
    counts: IntArray
    """Shape (e,). Records, at least 1."""

    @classmethod
    def of(cls, histograms: IntArray, sensitive: Domain) -> GroupedRows:
        """Records of groups without insensitive attributes, from counts of each value, (g, m)."""
        groups, values = np.nonzero(histograms)
        which, rows = rows_of(sensitive, values)
        nothing = np.zeros((len(which), 0), dtype=np.int64)
        return cls._of_rows(groups[which], rows, nothing, histograms[groups, values][which])

    @property
    def unique(self) -> IntArray:
        """Rows that no other row of their group is like, exactly, shape (a + 1,).

        By the values of each column that passes through, and last by those of all of them.
        """
        columns = [self.codes[:, [place]] for place in range(self.codes.shape[1])]
        found = np.zeros(len(columns) + 1, dtype=np.int64)
        for place, codes in enumerate((*columns, self.codes)):
            first, kind, _ = distinct_rows(np.column_stack((self.groups, codes)))
            alike = np.zeros(len(first), dtype=np.int64)
            np.add.at(alike, kind, self.counts)
            found[place] = (alike == 1).sum()
        return found

    @property
    def shared(self) -> IntArray:
        """Rows whose value two to twenty rows share, exactly, shape (a,); 0 of few values.

        By each column that passes through, in all groups.
        """
        found = np.zeros(self.codes.shape[1], dtype=np.int64)
        for place, codes in enumerate(self.codes.T):
            sizes = np.bincount(codes, weights=self.counts).astype(np.int64)
            few = int(sizes[(sizes >= SHARED_BY[0]) & (sizes <= SHARED_BY[1])].sum())
            if links_rows(int(sizes.sum()), int((sizes > 0).sum()), few):
                found[place] = few
        return found

    @classmethod
    def _of_rows(
        cls, groups: IntArray, rows: IntArray, codes: IntArray, counts: IntArray
    ) -> GroupedRows:
        """Count equal rows of a group together."""
        first, kind, _ = distinct_rows(np.column_stack((groups, rows, codes)))
        summed = np.zeros(len(first), dtype=np.int64)
        np.add.at(summed, kind, counts)
        return cls(groups[first], rows[first], codes[first], summed)


@dataclass(frozen=True, eq=False)
class Payload:
    """Insensitive attributes of records or persons, published unchanged, row by row.

    A record's value is one row; a person's is as many rows as the person has records. Where there
    are no attributes it is `NO_PAYLOAD`, which is false and has no rows.
    """

    names: tuple[str, ...]
    """The ``a`` columns."""
    labels: tuple[tuple[str | None, ...], ...]
    """Different values of each, as texts."""
    tuples: IntArray
    """Shape (u, a). The different rows of these columns: places in `labels`."""
    cells: IntArray
    values: IntArray
    """Shape (n,). Cell and sensitive value of each record, or person."""
    which: IntArray
    """Shape (r,). Place in `tuples` of each row of these values, in the order of
    `combination.rows_of`.
    """

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of_rows(
        cls,
        names: tuple[str, ...],
        labels: tuple[tuple[str | None, ...], ...],
        codes: IntArray,
        cells: IntArray,
        values: IntArray,
        records: IntArray,
    ) -> Payload:
        """Take what passes through of counted rows, each of whose records is by itself.

        Args:
            names, labels: See `Payload`.
            codes: Shape (r, a). Values that pass through of each counted row, by their places in
                `labels`.
            cells, values: Shape (r,). Cell and sensitive value of each counted row.
            records: Shape (r,). Number of records of each counted row. In the result they stand in
                the order of what they are, so that it does not depend on the order of rows.
        """
        _, kind, _ = distinct_rows(codes)
        order = np.lexsort((kind, values, cells))
        row = np.repeat(order, records[order])
        return cls.of_persons(names, labels, codes, cells[row], values=values[row], row=row)

    @classmethod
    def of_persons(
        cls,
        names: tuple[str, ...],
        labels: tuple[tuple[str | None, ...], ...],
        codes: IntArray,
        cells: IntArray,
        values: IntArray,
        row: IntArray,
    ) -> Payload:
        """Take what passes through of counted rows, whose records are gathered by persons.

        Args:
            names, labels, codes: See `of_rows`.
            cells, values: Shape (n,). Cell and sensitive value of each person.
            row: Shape (R,). The counted row of each row of these values; see `Payload.which`.
        """
        first, kind, _ = distinct_rows(codes)
        return cls(names, labels, codes[first], cells, values=values, which=kind[row])

    def same_as(self, other: Payload) -> bool:
        """Whether the same passes through of the same records."""
        return (self.names, self.labels) == (other.names, other.labels) and all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.tuples, other.tuples),
                (self.cells, other.cells),
                (self.values, other.values),
                (self.which, other.which),
            )
        )

    def moved(self, cell: IntArray) -> Payload:
        """The same of a table, each cell of which has become part of another's."""
        return replace(self, cells=cell[self.cells])

    def places(self, parts: Parts, chance: Chance) -> IntArray:
        """Part that each is in, where respondents are not told apart, by lot."""
        return parts.draw_places(self.cells, self.values, chance)

    def told(self, groups: IntArray, sensitive: Domain) -> GroupedRows:
        """Count the records that groups show.

        Args:
            groups: Shape (n,). The group of each record, or person, or `SUPPRESSED`.
        """
        which, rows = rows_of(sensitive, self.values)
        shown = np.flatnonzero(groups[which] != SUPPRESSED)
        each = np.ones(len(shown), dtype=np.int64)
        tuples = self.tuples[self.which[shown]]
        return GroupedRows._of_rows(groups[which[shown]], rows[shown], tuples, each)


NO_PAYLOAD = Payload((), (), np.zeros((0, 0), dtype=np.int64), *np.zeros((3, 0), dtype=np.int64))
"""Records beside which nothing passes through."""
