"""Respondents: whom a table's records are about, and the groups that they are published in.

Where a source names its respondents, each must have one record: groups, and implications about
their members, are about persons. Records with equal quasi-identifiers and equal sensitive values
are alike. Where a method deals such records out to several groups, it is drawn by lot which of
their respondents are in which, so that each group has as many persons with each value as it was
published with.

A source of several periods has one record of each respondent in each period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table, check_dense

__all__ = ["NOBODY", "Respondents"]

_SHOWN = 8
"""Limit of the offending respondents that an error message lists."""


@dataclass(frozen=True, eq=False)
class Respondents:
    """The respondents of a table, in ascending order of their names.

    That order says nothing about their records. A source that names none has `NOBODY`, which is
    false and has places and values of no records.
    """

    names: tuple[str, ...]
    cells: IntArray
    values: IntArray
    """Shape (n,). Cell and sensitive value of each one's record."""

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of_rows(
        cls,
        column: str,
        names: Sequence[str | None],
        cells: IntArray,
        values: IntArray,
        records: IntArray,
        period: str | None = None,
    ) -> tuple[Respondents, IntArray]:
        """Take whom the records of counted rows are about.

        Args:
            names: Respondent of each record, as text, row after row.
            cells, values: Shape (r,). Cell and sensitive value of each row.
            records: Shape (r,). Number of records of each row.

        Returns:
            row: Shape (n,). The row that each one's record is of.

        Raises:
            InvalidData: If a record has no respondent, or a respondent several records.
        """
        times = Counter(names)
        if None in times:
            of_period = "" if period is None else f" of period {period}"
            raise InvalidData(
                f'column "{column}" has NULL in {times[None]} of {len(names)} records{of_period}',
                detail="It names the respondent, and a record is about somebody.",
                hint="Fill it, or register the dataset without a respondent column.",
            )
        if len(times) < len(names):
            several = sorted(str(name) for name, count in times.items() if count > 1)
            listed = ", ".join(f"{name!r} ({times[name]})" for name in several[:_SHOWN])
            in_period = "" if period is None else f" in period {period}"
            raise InvalidData(
                f"{len(several)} respondents have more than one record{in_period}, by column "
                f'"{column}"',
                detail=f"Respondent (records): {listed}{', ...' if len(several) > _SHOWN else ''}.",
                hint='Publish with option {"max_records_per_person": "all"}, or a number, so that '
                "all holds for persons"
                + (
                    "; or register the dataset with the column that tells their periods apart."
                    if period is None
                    else "."
                ),
            )
        order = sorted(range(len(names)), key=lambda place: str(names[place]))
        row = np.repeat(np.arange(len(records)), records)[order]
        return cls(tuple(str(names[place]) for place in order), cells[row], values[row]), row

    def same_as(self, other: Respondents) -> bool:
        """Whether the same respondents have the same records."""
        return (
            self.names == other.names
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.values, other.values)
        )

    def apart(self, table: Table, shown: IntArray | None = None) -> Parts:
        """Parts of the table, each one respondent's record, in the order of names.

        Args:
            shown: Shape (n,). The value that each record is shown with, if some are not their own.

        Raises:
            TooLarge: If the parts' counts would not fit in memory.
        """
        numbers = np.arange(len(self.names))
        check_dense(len(numbers), "respondents", table.sensitive)
        counts = np.zeros((len(numbers), table.sensitive.size), dtype=np.int64)
        counts[numbers, self.values] = 1
        parts = Parts(table, self.cells, counts, numbers)
        if shown is None:
            return parts
        counterfeits = -counts
        counterfeits[numbers, shown] += 1
        return parts.shown(counterfeits)

    def moved(self, cell: IntArray) -> Respondents:
        """Respondents of a table, each cell of which has become part of another's."""
        return replace(self, cells=cell[self.cells])

    def places(self, parts: Parts, chance: Chance) -> IntArray:
        """Part that each respondent's record is in.

        Args:
            parts: Parts of the cells of the table that the respondents were read with. Where they
                tell respondents apart, by the places of these, nothing is drawn.
            chance: Decides who of those that are alike is in which part.

        Returns:
            Shape (n,).
        """
        if parts.respondent is None:
            return parts.draw_places(self.cells, self.values, chance)
        place = np.empty(len(self.names), dtype=np.int64)
        place[parts.respondent] = np.arange(len(parts))
        return place

    def shown(self, parts: Parts, places: IntArray) -> IntArray | None:
        """Value that each respondent's record is shown with; None if all are shown as they are.

        Args:
            parts: See `places`; with counterfeits, they tell respondents apart.
            places: Shape (n,). The part of each.
        """
        if parts.counterfeits is None:
            return None
        if parts.respondent is None:
            raise ValueError("parts with counterfeits tell respondents apart")
        shown: IntArray = parts.counts[places].argmax(axis=1)
        return shown


NOBODY = Respondents((), *np.zeros((2, 0), dtype=np.int64))
"""Respondents of a table that names none."""
