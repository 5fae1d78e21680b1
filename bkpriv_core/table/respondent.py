"""Respondents: whom a table's records are about, and the groups that they are published in.

Where a source names its respondents, each must have one record: groups, and implications about
their members, are about persons. Records with equal quasi-identifiers and equal sensitive values
are alike. Where a method deals such records out to several groups, it is drawn by lot which of
their respondents are in which, so that each group has as many persons with each value as it was
published with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.shuffle import Shuffle

__all__ = ["Respondents"]

_SHOWN = 8
"""How many offending respondents an error message lists."""


@dataclass(frozen=True, eq=False)
class Respondents:
    """The respondents of a table, in ascending order of their names.

    That order says nothing about their records.

    Parameters
    ----------
    names : tuple of str
        Their names, all different.
    cells, values : (n,) int array
        Cell and sensitive value of each one's record.
    """

    names: tuple[str, ...]
    cells: IntArray
    values: IntArray

    @classmethod
    def of_rows(
        cls,
        column: str,
        names: Sequence[str | None],
        cells: IntArray,
        values: IntArray,
        records: IntArray,
    ) -> Respondents:
        """Take whom the records of counted rows are about.

        Parameters
        ----------
        column : str
            The column of respondents, for messages.
        names : sequence of str or None
            Respondent of each record, as text, row after row.
        cells, values : (r,) int array
            Cell and sensitive value of each row.
        records : (r,) int array
            Its number of records.

        Raises
        ------
        InvalidData
            If a record has no respondent, or a respondent several records.
        """
        times = Counter(names)
        if None in times:
            raise InvalidData(
                f'column "{column}" has NULL in {times[None]} of {len(names)} records',
                detail="It names the respondent, and a record is about somebody.",
                hint="Fill it, or register the dataset without a respondent column.",
            )
        if len(times) < len(names):
            several = sorted(str(name) for name, count in times.items() if count > 1)
            listed = ", ".join(f"{name!r} ({times[name]})" for name in several[:_SHOWN])
            raise InvalidData(
                f'{len(several)} respondents have more than one record, by column "{column}"',
                detail=f"Respondent (records): {listed}{', ...' if len(several) > _SHOWN else ''}.",
                hint="Publish from a view with one record for each respondent, or register the "
                "dataset without a respondent column.",
            )
        order = sorted(range(len(names)), key=lambda place: str(names[place]))
        row = np.repeat(np.arange(len(records)), records)[order]
        return cls(tuple(str(names[place]) for place in order), cells[row], values[row])

    def same_as(self, other: Respondents) -> bool:
        """Whether the same respondents have the same records."""
        return (
            self.names == other.names
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.values, other.values)
        )

    def labels(self, parts: Parts, labels: IntArray, shuffle: Shuffle) -> IntArray:
        """Group of each respondent.

        Parameters
        ----------
        parts : Parts
            Parts of the cells of the table that the respondents were read with.
        labels : (p,) int array
            Label of each part.
        shuffle : Shuffle
            Decides who of those that are alike is in which group.

        Returns
        -------
        (n,) int array
        """
        part, values = parts.enumerate_records()
        drawn = shuffle(len(self.names))
        persons = drawn[np.lexsort((self.values[drawn], self.cells[drawn]))]
        group = np.empty(len(self.names), dtype=np.int64)
        group[persons] = labels[part[np.lexsort((values, parts.cell[part]))]]
        return group
