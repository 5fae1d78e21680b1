"""Persons: several records of one respondent, published as one.

Groups, beliefs and requirements are about persons. A person with several records is one row of the
table all the same: the quasi-identifiers, and a combination of as many rows as there are records
(`bkpriv_core.table.combination`). Then k counts persons, and a group's values are those of persons.
A reader of the release sees the rows of all persons of a group, and is supposed to know which of
them belong to one person, though the release does not say so.

All records of a person must have the same quasi-identifiers: otherwise the person would be found in
two groups. The number of a person's records that are published may be bounded (the contribution
bound): many visits, or visits at unusual times, single a person out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import gathered
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups, IntArray

__all__ = ["Persons", "number_names"]

_SHOWN = 8
"""Limit of the offending persons that an error message lists."""


def number_names(
    column: str, names: Sequence[str | None], period: str | None = None
) -> tuple[tuple[str, ...], IntArray]:
    """Number the respondents of records in ascending order of their names.

    Args:
        names: Respondent of each record, as text.

    Returns:
        distinct: The ``n`` names that differ.
        who: Shape (r,). The number of each record's respondent.

    Raises:
        InvalidData: If a record has no respondent.
    """
    missing = sum(name is None for name in names)
    if missing:
        of_period = "" if period is None else f" of period {period}"
        raise InvalidData(
            f'column "{column}" has NULL in {missing} of {len(names)} records{of_period}',
            detail="It names the respondent, and a record is about somebody.",
            hint="Fill it, or register the dataset without a respondent column.",
        )
    distinct = tuple(sorted({str(name) for name in names}))
    number = {name: place for place, name in enumerate(distinct)}
    return distinct, np.array([number[str(name)] for name in names], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Persons:
    """Persons, each of one row or several."""

    names: tuple[str, ...]
    codes: IntArray
    """Shape (n, d). Quasi-identifiers of each person."""
    sensitive: Domain
    """Sensitive attribute: a `Combination`, but of one column and one record each."""
    values: IntArray
    """Shape (n,). Sensitive value of each person."""
    records: Groups
    """Places of each person's records, in the order of the rows of their value."""

    @classmethod
    def of_records(
        cls,
        column: str,
        names: Sequence[str | None],
        codes: IntArray,
        columns: tuple[Domain, ...],
        told: IntArray,
        period: str | None = None,
    ) -> Persons:
        """Gather the records of each person.

        Args:
            names: Respondent of each of ``r`` records, as text.
            codes: Shape (r, d). Quasi-identifiers of each record.
            columns: The sensitive columns, ``s`` of them.
            told: Shape (r, s). Sensitive values of each record.

        Raises:
            InvalidData: If a record is nobody's, or records of one person have different
                quasi-identifiers.
        """
        distinct, who = number_names(column, names, period)
        _, kind, _ = distinct_rows(told)
        order = np.lexsort((kind, who))
        offsets = np.concatenate(([0], np.cumsum(np.bincount(who))))
        records = Groups(order, offsets)
        first = codes[order[offsets[:-1]]]
        differ = (codes[order] != first[who[order]]).any(axis=1)
        if differ.any():
            several = np.flatnonzero(records.max(differ))
            listed = ", ".join(repr(distinct[number]) for number in several[:_SHOWN].tolist())
            raise InvalidData(
                f'{len(several)} respondents, by column "{column}", have records with different '
                "quasi-identifiers",
                detail=f"They are {listed}{', ...' if len(several) > _SHOWN else ''}. Whoever is "
                "in several groups is told by what these have in common.",
                hint='Publish one record of each with option {"max_records_per_person": 1}, or '
                "from a view in which a person's quasi-identifiers are the same in all records.",
            )
        sensitive, values = gathered(columns, told[order], offsets)
        return cls(distinct, first, sensitive, values, records=records)
