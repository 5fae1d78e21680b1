"""Combinations: sensitive values of a person in several columns or several records.

A record has quasi-identifiers and sensitive values, and its sensitive values travel together: a
reader of a row reads all of them, and groups hide whose row it is. So a table has one sensitive
attribute all the same. Its values are the *combinations* that occur: each a multiset of rows over
the sensitive columns, one row for each record of the person. All inference is about combinations.

Bounds are mostly about less than that. An *aspect* is a partition of the combinations into classes,
and a belief about it is the marginal of that about combinations:

- of one row each, every column is an aspect, and its classes are the column's values;
- of several rows, every value of every column is one: somebody has a record with it, or none; and
  every column is one: its classes are the values of people with one record, and one class for
  people with several.

Distances lie in [0, 1]. The distance of two rows is the mean of their columns' distances. That of
multisets of rows is Hausdorff's: the largest distance of a row of either from its nearest row of
the other. The second of two equal rows counts as another row than the first, at distance 1; so it
is a metric if the columns' distances are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import PAIRED_VALUES, ROOT, Domain
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = [
    "MOST_ASPECTS",
    "NO_SENSITIVE",
    "Combination",
    "HasValue",
    "Marginal",
    "columns_of",
    "gathered",
    "marginals_of",
    "name_of",
    "rows_of",
]

MOST_ASPECTS = 20_000
"""Limit of the values of all columns bounded one by one, where somebody has several rows."""


NO_SENSITIVE = Domain("", (ROOT,))
"""Sensitive attribute of a table without a sensitive column: all people have its one value."""


def name_of(columns: Sequence[str]) -> str:
    """Name of the sensitive attribute that has such columns."""
    return ", ".join(columns)


@dataclass(frozen=True, eq=False)
class Marginal:
    """A partition of combinations, about which beliefs are bounded."""

    column: str
    domain: Domain
    classes: IntArray
    """Shape (m,). The class of each combination."""

    def label(self, code: int) -> str:
        """A class as compact JSON: its value by the column's name."""
        return _as_json({self.column: self.domain.labels[code]})

    @cached_property
    def _indicator(self) -> FloatArray:
        return np.asarray(self.classes[:, None] == np.arange(self.domain.size), dtype=np.float64)

    def collapse(self, beliefs: FloatArray) -> FloatArray:
        """Marginals of beliefs about combinations, shape (..., m): about classes."""
        return np.asarray(beliefs @ self._indicator)

    def count(self, counts: IntArray) -> IntArray:
        """Add up counts of combinations, shape (p, m), by their classes."""
        # Floats count exactly as far as records are counted at all, and multiply far faster.
        return self.collapse(counts.astype(np.float64)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class HasValue(Marginal):
    """Whether somebody has a record with a value, class 0, or none, class 1.

    Args:
        column, domain, classes: See `Marginal`.
    """

    value: str | None
    """The value; None for NULL."""

    def label(self, code: int) -> str:
        """Class 0 as a value of a column, class 1 as what is not so; see `Marginal`."""
        has = {self.column: self.value}
        return _as_json({"not": has} if code else has)


@dataclass(frozen=True, eq=False, kw_only=True)
class _OrSeveral(Domain):
    """The values of a column, and last that somebody has several records."""

    column: Domain

    @classmethod
    def of(cls, column: Domain) -> _OrSeveral:
        """Add what is no value of a column."""
        return cls(column.name, (*column.labels, "several records"), column=column)

    @cached_property
    def distances(self) -> FloatArray:
        """Distances of the column's values; several records are at distance 1 from each."""
        apart = np.ones((self.size, self.size))
        apart[:-1, :-1] = self.column.distances
        apart[-1, -1] = 0.0
        return apart


@dataclass(frozen=True, eq=False, kw_only=True)
class Combination(Domain):
    """The combinations that occur in a table, as the values of one sensitive attribute."""

    columns: tuple[Domain, ...]
    """The sensitive columns, ``s`` of them."""
    rows: IntArray
    """Shape (R, s). Codes of the rows of all values, value after value, those of each in ascending
    order.
    """
    offsets: IntArray
    """Shape (m + 1,). Rows of value ``i`` are ``rows[offsets[i]:offsets[i + 1]]``; strictly
    increasing.
    """

    @classmethod
    def of(
        cls, columns: tuple[Domain, ...], rows: IntArray, offsets: IntArray | None = None
    ) -> tuple[Combination, IntArray]:
        """Tell combinations apart.

        Args:
            columns: The sensitive columns, ``s`` of them.
            rows: Shape (r, s). Codes of rows.
            offsets: Shape (n + 1,). Rows of each of ``n`` multisets, in any order: strictly
                increasing. Each row is one without it.

        Returns:
            combination: Distinct combinations: those of fewer rows before those of more, then in
                the order of codes.
            values: Shape (n,). Combination of each multiset.
        """
        first, kind, _ = distinct_rows(rows)
        if offsets is None:
            offsets = np.arange(len(rows) + 1)
        sets = Groups(kind, offsets)
        # By what set they are of, then by kind: each multiset in one order.
        ordered = kind[np.lexsort((kind, sets.owner))]
        values = np.empty(len(sets), dtype=np.int64)
        chosen, size = [], 0
        for width in np.unique(sets.widths).tolist():
            of_width = np.flatnonzero(sets.widths == width)
            multisets = ordered[offsets[of_width][:, None] + np.arange(width)]
            distinct, value, _ = distinct_rows(multisets)
            values[of_width] = size + value
            size += len(distinct)
            chosen.append(Groups.from_rows(multisets[distinct]))
        told = Groups.joined(chosen)
        return cls.assembled(columns, rows[first[told.members]], told.offsets), values

    @classmethod
    def assembled(
        cls, columns: tuple[Domain, ...], rows: IntArray, offsets: IntArray
    ) -> Combination:
        """Name combinations that are told apart: their labels are compact JSON.

        That of one row is an object, values by columns' names, and an array of such of several. A
        row of one column is called by its value, as where nobody has several: what is told of a
        person who has one record is called the same, whatever others have.
        """
        names = [json.dumps(column.name, ensure_ascii=False) for column in columns]
        texts = [
            [json.dumps(label, ensure_ascii=False) for label in column.labels] for column in columns
        ]
        objects = [
            "{" + ",".join(map(":".join, zip(names, values, strict=True))) + "}"
            for values in zip(
                *(
                    [text[code] for code in codes]
                    for text, codes in zip(texts, rows.T.tolist(), strict=True)
                ),
                strict=True,
            )
        ]
        bounds = offsets.tolist()
        labels = [
            objects[low] if high - low == 1 else f"[{','.join(objects[low:high])}]"
            for low, high in pairwise(bounds)
        ]
        if len(columns) == 1:
            (column,) = columns
            for place in np.flatnonzero(np.diff(offsets) == 1).tolist():
                label = column.labels[rows[bounds[place], 0]]
                # NULL would have to be the last of all values.
                labels[place] = labels[place] if label is None else label
        name = name_of([column.name for column in columns])
        return cls(name, tuple(labels), columns=columns, rows=rows, offsets=offsets)

    @property
    def called(self) -> tuple[str | None, ...]:
        """See `Domain`: a single record with NULL has the name that it has in a table of such."""
        if len(self.columns) > 1 or not self.columns[0].has_null:
            return self.labels
        single = np.diff(self.offsets) == 1
        null = single & (self.rows[self.offsets[:-1], 0] == self.columns[0].size - 1)
        return tuple(
            None if nothing else label
            for label, nothing in zip(self.labels, null.tolist(), strict=True)
        )

    @property
    def several(self) -> bool:
        """Whether a person may have several rows."""
        return len(self.rows) > self.size

    @cached_property
    def sets(self) -> Groups:
        """Rows of each value."""
        return Groups(np.arange(len(self.rows)), self.offsets)

    @cached_property
    def single(self) -> tuple[Domain, IntArray]:
        """Sensitive attribute of single rows, and the value of each row.

        Returns:
            sensitive: The sensitive attribute of tables that have one row of each person: the
                column, or combinations of one row.
            values: Shape (R,). The value of it that each of `rows` is.
        """
        if len(self.columns) == 1:
            return self.columns[0], self.rows[:, 0]
        return self.of(self.columns, self.rows)

    def count_rows(self, counts: IntArray) -> IntArray:
        """Rows that persons have, from counts of persons with each value.

        Args:
            counts: Shape (p, m). Persons with each value.

        Returns:
            Shape (p, k). Rows of these persons, by the values of `single`.
        """
        from scipy import sparse  # slow to import, and only wanted here

        sensitive, values = self.single
        rows = sparse.csr_array(
            (np.ones(len(values), dtype=np.int64), (self.sets.owner, values)),
            shape=(self.size, sensitive.size),
        )
        return np.asarray((sparse.csr_array(counts) @ rows).toarray())

    def select(self, codes: IntArray) -> Combination:
        """See `Domain`."""
        some = self.sets.select(codes)
        return self.assembled(self.columns, self.rows[some.members], some.offsets)

    def _check_paired(self) -> None:
        if len(self.rows) > PAIRED_VALUES:
            raise TooLarge(
                f"the {self.size} combinations of {self.name} have {len(self.rows)} rows, too many "
                "to compare in pairs",
                detail="Whoever bounds them jointly needs a matrix of their distances; at most "
                f"{PAIRED_VALUES} rows are handled.",
                hint="Bound each sensitive column by itself, which is what a requirement without "
                '"joint" does; or bin the columns, or publish fewer of them.',
            )

    @cached_property
    def distances(self) -> FloatArray:
        """Distance of every pair of values, in [0, 1], shape (size, size); see the module."""
        self._check_paired()
        apart = np.mean(
            [
                column.distances[codes[:, None], codes]
                for column, codes in zip(self.columns, self.rows.T, strict=True)
            ],
            axis=0,
        )
        if not self.several:
            return np.asarray(apart)
        numbers = self._repeated
        apart = np.where(numbers[:, None] == numbers, apart, 1.0)
        # Of each row of all values, how near the nearest row of each value is.
        nearest = np.minimum.reduceat(apart, self.offsets[:-1], axis=1)
        farthest = np.maximum.reduceat(nearest, self.offsets[:-1], axis=0)
        return np.asarray(np.maximum(farthest, farthest.T))

    @cached_property
    def _repeated(self) -> IntArray:
        """Number of equal rows before each row in its value, shape (R,)."""
        keys = np.column_stack((self.sets.owner, self.rows))
        _, kind, _ = distinct_rows(keys)
        # Equal rows of a value stand together, and kinds of rows are in the same order.
        places: IntArray = np.arange(len(kind)) - np.searchsorted(kind, kind)
        return places

    @cached_property
    def membership(self) -> FloatArray:
        """Not defined: combinations have no hierarchy."""
        raise ValueError(f"combinations of {self.name} have no hierarchy")

    @cached_property
    def aspects(self) -> tuple[Marginal, ...]:
        """Aspects about which beliefs are bounded, column after column; see the module.

        Raises:
            TooLarge: If they are too many, where somebody has several rows.
        """
        values = sum(column.size for column in self.columns)
        if self.several and values > MOST_ASPECTS:
            raise TooLarge(
                f"the {values} values of {self.name} are too many to be bounded one by one",
                detail="Where a person may have several records, each value is bounded by itself: "
                f"a person has a record with it, or none. At most {MOST_ASPECTS} are handled.",
                hint="Bin the columns, publish fewer of them, or publish one record of each "
                "person, by option max_records_per_person.",
            )
        if not self.several:
            return tuple(
                Marginal(column.name, column, codes)
                for column, codes in zip(self.columns, self.rows.T, strict=True)
            )
        return tuple(
            HasValue(
                column.name,
                Domain(column.name, ("has", "has not")),
                1 - self.sets.max(codes == code).astype(np.int64),
                column.labels[code],
            )
            for column, codes in zip(self.columns, self.rows.T, strict=True)
            for code in range(column.size)
        )

    @cached_property
    def singly(self) -> tuple[Marginal, ...]:
        """Value in each column of somebody who has one record, or that they have several.

        Nothing where nobody has several: then that is what `aspects` are. By its values one by one
        less is known of a column than by all of them.
        """
        if not self.several:
            return ()
        one = np.diff(self.offsets) == 1
        first = self.rows[self.offsets[:-1]]
        return tuple(
            Marginal(column.name, _OrSeveral.of(column), np.where(one, codes, column.size))
            for column, codes in zip(self.columns, first.T, strict=True)
        )


def _as_json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def columns_of(sensitive: Domain) -> tuple[Domain, ...]:
    """The columns of a sensitive attribute: itself, if it is no combination."""
    if isinstance(sensitive, Combination):
        return sensitive.columns
    return (sensitive,) if sensitive.name else ()


def rows_of(sensitive: Domain, values: IntArray) -> tuple[IntArray, IntArray]:
    """Spell values out in the columns of a sensitive attribute, row by row.

    Args:
        values: Shape (e,). Values of it.

    Returns:
        which: Shape (r,). The place in `values` that each row is of, rising.
        rows: Shape (r, s). Codes of each row in the columns.
    """
    if not isinstance(sensitive, Combination):
        return np.arange(len(values)), values[:, None][:, : len(columns_of(sensitive))]
    chosen = sensitive.sets.select(values)
    return chosen.owner, sensitive.rows[chosen.members]


def gathered(
    columns: tuple[Domain, ...], rows: IntArray, offsets: IntArray
) -> tuple[Domain, IntArray]:
    """Make rows that are told of persons one sensitive attribute.

    Args:
        columns: The sensitive columns, ``s`` of them.
        rows: Shape (r, s). Codes of rows.
        offsets: Shape (n + 1,). Rows of each of ``n`` persons, strictly increasing.

    Returns:
        sensitive: A `Combination`; of one column and one row of each, that column.
        values: Shape (n,). Each person's value of it.
    """
    if len(columns) <= 1 and len(rows) == len(offsets) - 1:
        return (columns[0], rows[:, 0]) if columns else (NO_SENSITIVE, np.zeros_like(offsets[1:]))
    return Combination.of(columns, rows, offsets)


def marginals_of(sensitive: Domain) -> tuple[Marginal, ...]:
    """Aspects of a sensitive attribute: one that is no combination is its own."""
    if isinstance(sensitive, Combination):
        return sensitive.aspects
    return (Marginal(sensitive.name, sensitive, np.arange(sensitive.size)),)
