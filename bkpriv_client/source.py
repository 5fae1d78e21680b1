"""A table that the client loads into the database, with all that has to be declared about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Column", "Hierarchy", "Source", "SqlType"]

SqlType = Literal[
    "bigint",
    "boolean",
    "date",
    "float8",
    "integer",
    "numeric",
    "text",
    "text[]",
    "timestamp",
    "timestamptz",
]
"""The column types that the client creates; they go into statements as they stand."""

Hierarchy = Sequence[tuple[str, ...]]
"""Rows of a generalization hierarchy: value, coarser label, ..., root."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table."""

    type: SqlType
    values: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Source:
    """A table in memory and what `bkpriv` has to know about it."""

    name: str
    """Name for the table and, with a prefix, for the dataset."""
    title: str
    """Noun for the records, for people."""
    columns: Mapping[str, Column]
    quasi_identifiers: tuple[str, ...]
    """Columns that an adversary may know of a person."""
    sensitive: str
    """Column that an adversary would like to know."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Generalization hierarchies by attribute; the sensitive attribute may have one."""
    intervals: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Widths of the intervals of numeric attributes."""
    serial: tuple[str, ...] = ()
    """Columns that tell people and periods apart, where there are several of each."""

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.columns[self.sensitive].values)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over records, values in the order of `columns`."""
        return zip(*(column.values for column in self.columns.values()), strict=True)
