"""Pieces of SQL, made of labels and numbers; nothing of a query's text gets into them.

Statements are run by readers, in a session of theirs. Where others may create functions and
operators in a schema of its ``search_path``, one for just the types in question would be taken
before PostgreSQL's own for any type, or for one that these can be cast to. So functions are named
with their schema, as are operators that are not made for just these types, and numbers that meet
are all of type float8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.notation import quoted

__all__ = [
    "EMPTY_KEY",
    "ONE",
    "ZERO",
    "RangeEnds",
    "ShownColumn",
    "check_length",
    "equal",
    "literal",
    "number",
    "one_of",
    "over",
    "product",
    "value_of",
    "values_table",
    "with_values",
    "within",
]

EMPTY_KEY = "jsonb '{}'"
"""The key of what is not grouped by anything."""

_LONGEST = 1_000_000
"""Largest number of characters of a statement."""

_OWN_EQUALITY = re.compile(
    r"(bigint|bit|bit varying|boolean|bytea|character|date|double precision|inet|integer|interval"
    r"|jsonb|macaddr8?|money|name|numeric|oid|real|smallint|text|timestamp|time|uuid)"
    r"( ?\([0-9, -]+\))?( with(out)? time zone)?"
)
"""Types, as SQL, for just which PostgreSQL has an operator of equality, so that none is before it.

Arrays, ranges and several more are compared by one for any type, or by that of another type.
"""


@dataclass(frozen=True)
class RangeEnds:
    """SQL of the ends of a published range."""

    low: str
    high: str
    """Expressions for the positions of the smallest and the largest value in it, of type float8;
    NULL where the range has no bounds.
    """


@dataclass(frozen=True)
class ShownColumn:
    """An attribute as a published view shows it."""

    name: str
    """The column, as SQL: of ``r``, as statements call the view, or of ``s``, the second view of a
    release that keeps the quasi-identifiers.
    """
    type: str
    bounds: RangeEnds | None = None


def check_length(length: int) -> None:
    """Refuse a statement that is too long."""
    if length > _LONGEST:
        raise TooLarge(
            "the estimate is too long as SQL",
            detail=f"At most {_LONGEST} characters are written.",
            hint="Ask about fewer values or groups at a time.",
        )


# --- Literals and operators -----------------------------------------------------------------------


def literal(label: str | None) -> str:
    """A string as SQL, which reads the same whatever standard_conforming_strings is."""
    if label is None:
        return "NULL"
    plain = quoted(label)
    return "E" + plain.replace("\\", "\\\\") if "\\" in plain else plain


def number(figure: float) -> str:
    """A number as SQL, exactly as it is."""
    return f"float8 '{repr(float(figure)).removesuffix('.0')}'"


ZERO, ONE = number(0), number(1)
"""Numbers that figures are compared with or added to."""


def over(difference: str, step: float) -> str:
    """SQL expression: number of steps that a difference is."""
    return difference if step == 1 else f"({difference}) / {number(step)}"


def product(factors: Sequence[str]) -> str:
    """A product of factors, each of which binds as closely."""
    return " * ".join(factor for factor in factors if factor != "1") or "1"


def one_of(domain: Domain, codes: IntArray, column: ShownColumn) -> str:
    """SQL condition: a column of exact values has one of some values; NULL is a value."""
    return within(column, [domain.labels[code] for code in codes.tolist()])


def within(column: ShownColumn, labels: Sequence[str | None]) -> str:
    """SQL condition: a column is one of some labels."""
    name = column.name
    values = [literal(label) for label in labels if label is not None]
    if _OWN_EQUALITY.fullmatch(column.type):
        # Many values are looked up at once.
        parts = [f"{name} IN ({', '.join(values)})"] if values else []
    else:
        parts = [f"{name} OPERATOR(pg_catalog.=) {value}" for value in values]
    if None in labels:
        parts.append(f"{name} IS NULL")
    return " OR ".join(parts) or "false"


# --- Tables of values -----------------------------------------------------------------------------


def value_of(attribute: int, column: str) -> str:
    """A column of the table of an attribute's values."""
    return f"value_{attribute}.{column}"


def values_table(name: str, columns: Mapping[str, Sequence[str]]) -> str:
    """A table for a WITH clause; each column has its own type."""
    check_length(sum(len(value) for column in columns.values() for value in column))
    rows = ",\n    ".join(f"({', '.join(row)})" for row in zip(*columns.values(), strict=True))
    return f"{name} ({', '.join(columns)}) AS (VALUES\n    {rows}\n)"


def with_values(tables: Sequence[str]) -> str:
    """The WITH clause of tables of values."""
    return f"WITH {', '.join(tables)}\n" if tables else ""


def equal(one: str, other: str, null: bool) -> str:
    """SQL condition: two columns are equal, or, if there is NULL in them, both NULL."""
    alike = f"{one} OPERATOR(pg_catalog.=) {other}"
    if not null:
        return alike
    return f"({alike} OR {one} IS NULL AND {other} IS NULL)"
