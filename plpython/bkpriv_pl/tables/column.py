"""Columns: how those of a source are compared, counted and published."""

from __future__ import annotations

from dataclasses import dataclass

import plpy

from bkpriv_core.table.bins import TIMES, Bin
from bkpriv_core.table.scale import Bounds
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.bins import bin_start

__all__ = ["FIXED", "STEPS", "UNBOUNDED", "Column", "Period", "as_written", "column_types"]

_NUMBERS = {"int2", "int4", "int8", "numeric", "float4", "float8"}

FIXED = "(t.typnamespace = 'pg_catalog'::regnamespace AND t.typname !~ '^_?reg')"
"""SQL for whether nobody can change how values of the type `t` of ``pg_type`` read: it is built in,
and no reference to an object that has a name."""

STEPS = {"smallint": 1.0, "integer": 1.0, "bigint": 1.0, "date": 86400.0}
"""Distance of neighbouring values of a type, in units of its positions; others are a continuum."""

UNBOUNDED = ("-Infinity", "-infinity", "Infinity", "NaN", "infinity")
"""Texts of numbers and times that are not finite, and have no positions."""


@dataclass(frozen=True)
class Column:
    """A column of a source."""

    name: str
    type_oid: int
    """Type of the column, with domains resolved to their base type."""
    type_name: str
    """Catalog name of that type, such as "int4", or nothing for a type that is not built in."""
    declared_as: str
    """Name of the type in SQL."""
    published_as: str
    """SQL name of the type in which a value of it is published: its own where that is built in,
    else text. A release would not stay as it is if another could rename its values.
    """
    collation: str = ""
    """SQL name of its collation, or nothing for a type that has none."""
    bin: Bin | None = None
    coded: bool = False
    """Whether its numbers are codes, and so labels, as its dataset declares."""
    bounds: Bounds | None = None
    """Bounds of its scale, if its dataset declares them."""

    @property
    def numeric(self) -> bool:
        """Whether values have positions on a line."""
        return self.is_number or self.type_name in TIMES

    @property
    def is_number(self) -> bool:
        """Whether values are numbers, rather than days or times or labels."""
        return self.type_name in _NUMBERS and not self.coded

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers, and not declared to be labels."""
        return self.is_number and self.declared_as in STEPS

    def expression(self, relation: str) -> str:
        """SQL for the value by which records of a relation, under that alias, are counted."""
        raw = f"{relation}.{plpy.quote_ident(self.name)}"
        return raw if self.bin is None else bin_start(self.bin, raw)

    def value(self, text: str) -> str:
        """SQL for the value that the SQL expression `text` reads as."""
        cast = f"({text})::{self.declared_as}"
        # It is compared with values of the column, whose collation need not be the type's.
        return (
            cast
            if not self.collation or self.bin is not None
            else f"{cast} COLLATE {self.collation}"
        )

    def position(self, value: str) -> str:
        """SQL for the position of the SQL expression `value`."""
        if self.type_name in TIMES:
            return f"extract(epoch FROM {value})::pg_catalog.float8"
        if self.type_name == "numeric":
            # What a float cannot hold has no position, rather than being an error that names none.
            return (
                f"CASE WHEN abs({value}) BETWEEN 1e-307 AND 1e308 OR {value} = 0 "
                f"THEN {value}::pg_catalog.float8 ELSE 'NaN' END"
            )
        return f"{value}::pg_catalog.float8"


@dataclass(frozen=True)
class Period:
    """The records of a source that are of one period."""

    column: Column
    """The column that says of which period a record is, binned as the dataset declares."""
    text: str
    """The period, as the type writes it: two texts are two periods."""
    type: str
    """SQL name of the type that periods are compared as."""
    equality: str
    """SQL of that type's operator."""
    recorded_as: str | None
    """SQL name of the type that tells the periods of recorded texts apart, and orders them: that
    type, or text where it is not built in; None where texts that differ may be equal.
    """

    def condition(self, relation: str, slot: str = "$1") -> str:
        """SQL that picks the records of a relation, under that alias; `slot` is for the text."""
        # A value that is computed once is compared in foreign tables too, where they lie.
        value = f"(SELECT {slot}::pg_catalog.text::{self.type})"
        return f"{self.expression(relation)} {self.equality} {value}"

    def expression(self, relation: str) -> str:
        """SQL for the period of records of a relation, under that alias."""
        # A domain over an enumeration cannot be compared as such.
        return f"({self.column.expression(relation)})::{self.type}"


def column_types(schema: str, name: str) -> dict[str, Column]:
    """Columns of a relation by name.

    Raises:
        Refusal: If there is no such relation.
    """
    rows = run(
        f"""
        WITH RECURSIVE base AS (
            SELECT a.attname, a.attnum, a.atttypid AS type, a.attcollation AS collation
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
            UNION ALL
            SELECT b.attname, b.attnum, t.typbasetype, b.collation
            FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
        )
        SELECT b.attname AS name, t.oid::int8 AS oid,
            CASE t.typnamespace WHEN 'pg_catalog'::regnamespace THEN t.typname ELSE '' END AS type,
            format_type(t.oid, -1) AS declared,
            CASE WHEN {FIXED} THEN format_type(t.oid, -1) ELSE 'text' END AS published,
            coalesce(quote_ident(x.nspname) || '.' || quote_ident(l.collname), '') AS collation
        FROM base b JOIN pg_type t ON t.oid = b.type
        LEFT JOIN (pg_collation l JOIN pg_namespace x ON x.oid = l.collnamespace)
            ON l.oid = b.collation
        WHERE t.typtype <> 'd' ORDER BY b.attnum
        """,
        ["text", "text"],
        [schema, name],
    )
    if not rows:
        raise Refusal(
            "42P01",
            f'table "{schema}"."{name}" does not exist',
            detail="It was there when the dataset was registered.",
            hint="Withdraw the releases, drop the dataset and register the table anew.",
        )
    return {
        row["name"]: Column(
            row["name"],
            row["oid"],
            row["type"],
            row["declared"],
            published_as=row["published"],
            collation=row["collation"],
        )
        for row in rows
    }


def as_written(column: str) -> str:
    """SQL for a column as the texts that its type writes, which calls nothing of the type's owner.

    No cast, and no function of that name that takes the type.
    """
    name = plpy.quote_ident(column)
    # Not IS NOT NULL, which a row that has a NULL is not.
    return f"CASE WHEN {name} IS DISTINCT FROM NULL THEN pg_catalog.format('%s', {name}) END"
