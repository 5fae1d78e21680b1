"""Columns that pass through a release: shown unchanged, beside what is told of a record.

What is told of a record is its sensitive value, and what passes through goes with it: of each group
a reader sees which sensitive values it has, and which values that pass through each of these has
beside it. They say no more of whose a record is than the sensitive value does to whoever does not
know them, which is what adversaries are supposed of them; they are neither generalized nor part of
what adversaries believe.

Records with equal quasi-identifiers and equal sensitive values are alike to a method, whatever
passes through. Where it deals such records out to several groups, it is drawn by lot which are in
which, unless it is known whose they are: then each is where its respondent is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import SUPPRESSED, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["MOST_BYTES", "MOST_VALUES", "Passed", "Told", "check_passed"]

MOST_VALUES = 50_000_000
"""Most records times columns that pass through: their codes take 0.4 GB."""

MOST_BYTES = 256 * 2**20
"""Most bytes of the different texts of all these columns. They are held several times over, as the
server's and as Python's, where a character may take four bytes."""


def check_passed(columns: Sequence[str], rows: int, size: int) -> None:
    """Refuse values that pass through and would not fit in memory.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    rows : int
        How many records there are, those that are equal in all columns counted once.
    size : int
        Bytes of the texts of their values, of each column's different ones.

    Raises
    ------
    TooLarge
        If they are too many.
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
class Told:
    """What groups show of their records: kinds of them, and how many there are of each.

    Parameters
    ----------
    groups, values : (e,) int array
        Group and sensitive value.
    codes : (e, a) int array
        The values that pass through, by their places in `Passed.labels`.
    counts : (e,) int array
        Records, at least 1.
    """

    groups: IntArray
    values: IntArray
    codes: IntArray
    counts: IntArray

    @classmethod
    def of(cls, histograms: IntArray) -> Told:
        """What groups show if nothing passes through: records with each value, (g, m)."""
        groups, values = np.nonzero(histograms)
        nothing = np.zeros((len(groups), 0), dtype=np.int64)
        return cls(groups, values, nothing, histograms[groups, values])


@dataclass(frozen=True, eq=False)
class Passed:
    """What passes through, record by record.

    Parameters
    ----------
    names : tuple of str
        The ``a`` columns.
    labels : tuple of tuple of (str or None)
        Of each, its different values as texts.
    tuples : (u, a) int array
        The different rows of these columns: places in `labels`.
    cells, values, which : (n,) int array
        Cell, sensitive value and row of `tuples` of each record.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str | None, ...], ...]
    tuples: IntArray
    cells: IntArray
    values: IntArray
    which: IntArray

    @classmethod
    def of_rows(
        cls,
        names: tuple[str, ...],
        labels: tuple[tuple[str | None, ...], ...],
        codes: IntArray,
        cells: IntArray,
        values: IntArray,
        records: IntArray,
        row: IntArray | None = None,
    ) -> Passed:
        """Take what passes through of counted rows.

        Parameters
        ----------
        names, labels
            See `Passed`.
        codes : (r, a) int array
            Values of each row that pass through, by their places in `labels`.
        cells, values : (r,) int array
            Its cell and sensitive value.
        records : (r,) int array
            Its number of records.
        row : (n,) int array, optional
            The row of each respondent's record, in the order of respondents; without it records
            stand in the order of what they are.
        """
        first, kind, _ = distinct_rows(codes)
        if row is None:
            order = np.lexsort((kind, values, cells))
            row = np.repeat(order, records[order])
        return cls(names, labels, codes[first], cells[row], values[row], kind[row])

    def same_as(self, other: Passed) -> bool:
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

    def moved(self, cell: IntArray) -> Passed:
        """The same of a table, each cell of which has become part of another's."""
        return replace(self, cells=cell[self.cells])

    def places(self, parts: Parts, chance: Chance) -> IntArray:
        """Part that each record is in, where respondents are not told apart, by lot."""
        return parts.draw_places(self.cells, self.values, chance)

    def told(self, groups: IntArray) -> Told:
        """What groups show, given the group of each record, (n,), or `SUPPRESSED`."""
        shown = np.flatnonzero(groups != SUPPRESSED)
        rows = np.column_stack((groups[shown], self.values[shown], self.which[shown]))
        first, _, counts = distinct_rows(rows)
        group, value, which = rows[first].T
        return Told(group, value, self.tuples[which], counts)
