"""Counts: the one place where a source's records come from.

The source is read once, by one ``GROUP BY`` over the quasi-identifiers and the sensitive column, in
one statement and so in one state. Values become integer codes in SQL; Python receives the domains,
as text and as numbers, and the codes and counts as packed integers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import plpy

from bkpriv_core.domain import DENSE_COUNTS, Domain, Hierarchy, Intervals, Table
from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_core.groups import FloatArray, IntArray
from bkpriv_core.respondent import Respondents
from bkpriv_pl.boundary import Refusal, run

__all__ = ["FIXED", "MOST_QUASI_IDENTIFIERS", "Column", "column_types", "count_cells"]

MOST_QUASI_IDENTIFIERS = 400
"""Most that fit into one statement, which has four columns for each; PostgreSQL has 1664."""

_EPOCHS = {"date", "timestamp", "timestamptz"}
_NUMBERS = {"int2", "int4", "int8", "numeric", "float4", "float8"}

FIXED = "(t.typnamespace = 'pg_catalog'::regnamespace AND t.typname !~ '^_?reg')"
"""SQL for whether nobody can change how values of the type `t` of ``pg_type`` read: it is built in,
and no reference to an object that has a name."""

_SECONDS = {"date": Decimal(86400)}
"""Unit in which intervals are stated, in units of positions; days, of dates."""


@dataclass(frozen=True)
class Column:
    """A column of a source.

    Parameters
    ----------
    name : str
        Its name.
    type_oid : int
        Its type, with domains resolved to their base type.
    type_name : str
        That type's catalog name, such as "int4", or nothing for a type that is not built in.
    declared_as : str
        Its name in SQL.
    published_as : str
        SQL name of the type in which a value of it is published: its own where that is built in,
        else text. A release would not stay as it is if another could rename its values.
    """

    name: str
    type_oid: int
    type_name: str
    declared_as: str
    published_as: str

    @property
    def numeric(self) -> bool:
        """Whether values have positions on a line."""
        return self.is_number or self.type_name in _EPOCHS

    @property
    def is_number(self) -> bool:
        """Whether values are numbers, rather than days or times or labels."""
        return self.type_name in _NUMBERS

    def position(self, value: str) -> str:
        """SQL for the position of the SQL expression `value`."""
        if self.type_name in _EPOCHS:
            return f"extract(epoch FROM {value})::pg_catalog.float8"
        if self.type_name == "numeric":
            # What a float cannot hold has no position, rather than being an error that names none.
            return (
                f"CASE WHEN abs({value}) BETWEEN 1e-307 AND 1e308 OR {value} = 0 "
                f"THEN {value}::pg_catalog.float8 ELSE 'NaN' END"
            )
        return f"{value}::pg_catalog.float8"


def column_types(schema: str, name: str) -> dict[str, Column]:
    """Columns of a relation by name.

    Raises
    ------
    Refusal
        If there is no such relation.
    """
    rows = run(
        f"""
        WITH RECURSIVE base AS (
            SELECT a.attname, a.attnum, a.atttypid AS type
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
            UNION ALL
            SELECT b.attname, b.attnum, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.type
            WHERE t.typtype = 'd'
        )
        SELECT b.attname AS name, t.oid::int8 AS oid,
            CASE t.typnamespace WHEN 'pg_catalog'::regnamespace THEN t.typname ELSE '' END AS type,
            format_type(t.oid, -1) AS declared,
            CASE WHEN {FIXED} THEN format_type(t.oid, -1) ELSE 'text' END AS published
        FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd' ORDER BY b.attnum
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
        row["name"]: Column(row["name"], row["oid"], row["type"], row["declared"], row["published"])
        for row in rows
    }


def count_cells(
    schema: str,
    name: str,
    quasi_identifiers: tuple[Column, ...],
    sensitive: Column,
    hierarchies: dict[str, Hierarchy | Intervals],
    nulls: str = "error",
    respondent: str | None = None,
) -> tuple[Table, Respondents | None]:
    """Read a source as cells and counts, and whom its records are about.

    Parameters
    ----------
    schema, name : str
        The source.
    quasi_identifiers : tuple of Column
        The quasi-identifiers.
    sensitive : Column
        The sensitive column.
    hierarchies : dict of str to Hierarchy or Intervals
        By attribute, intervals in the unit of its type; an attribute with a hierarchy is
        categorical whatever its type.
    nulls : {"error", "category"}
        Whether NULL is refused or a value of its own.
    respondent : str, optional
        The column that says whom a record is about, if that is asked for.

    Returns
    -------
    table : Table
        Cells in the order of their codes.
    respondents : Respondents or None
        None if not asked for.

    Raises
    ------
    InvalidData
        If the source is empty, has NULLs where they are refused, or does not have one record for
        each respondent.
    """
    columns = (*quasi_identifiers, sensitive)
    trees = {key: tree for key, tree in hierarchies.items() if isinstance(tree, Hierarchy)}
    row = run(_query(schema, name, columns, trees, respondent))[0]
    if row["records"] is None:
        raise InvalidData(
            f'table "{schema}"."{name}" is empty',
            detail="It has no records.",
            hint="There is nothing to publish; load the data first.",
        )
    domains = [
        _domain(row, place, column, hierarchies.get(column.name))
        for place, column in enumerate(columns)
    ]
    if nulls == "error":
        _refuse_nulls(schema, name, row, columns)
    codes = np.column_stack(
        [np.frombuffer(row[f"codes_{place}"], ">i4") for place in range(len(columns))]
    ).astype(np.int64)
    records = np.frombuffer(row["records"], ">i8").astype(np.int64)
    table, cells = _assemble(tuple(domains[:-1]), domains[-1], codes, records)
    if respondent is None:
        return table, None
    names = [name for counted in json.loads(row["respondents"]) for name in counted]
    about = (np.repeat(part, records) for part in (cells, codes[:, -1]))
    return table, Respondents.of_records(respondent, names, *about)


def _query(
    schema: str,
    name: str,
    columns: tuple[Column, ...],
    hierarchies: dict[str, Hierarchy],
    respondent: str | None,
) -> str:
    """One statement that counts the cells and lists the domains.

    Values are told apart by their types' order, and joined by their texts: an operator would be
    looked up by name, and a type from another schema may have none of that name in reach.
    """
    source = f"{plpy.quote_ident(schema)}.{plpy.quote_ident(name)}"
    places = range(len(columns))
    quoted = [plpy.quote_ident(column.name) for column in columns]
    grouped = ", ".join(
        f's.{column} AS v{place}, s.{column}::text COLLATE "C" AS t{place}'
        for place, column in zip(places, quoted, strict=True)
    )
    keys = ", ".join(f"s.{column}" for column in quoted)
    # Texts that differ may stand for equal values, as 1.0 and 1.00 do; these share a code.
    domains = ", ".join(
        f"d{place} AS MATERIALIZED (SELECT v, t, dense_rank() OVER (ORDER BY v) - 1 AS code "
        f"FROM (SELECT DISTINCT v{place} AS v, t{place} AS t FROM g) AS x)"
        for place in places
    )
    listed = []
    for place, column in enumerate(columns):
        listed += [
            f"(SELECT array_agg(t ORDER BY code) "
            f"FROM (SELECT code, min(t) AS t FROM d{place} GROUP BY code) AS x) AS labels_{place}",
            f"(SELECT sum(n) FROM g WHERE t{place} IS NULL)::int8 AS nulls_{place}",
            # NULL joins with nothing; its code, if it has one, is the number of other values.
            f"string_agg(int4send(coalesce(d{place}.code, "
            f"(SELECT count(DISTINCT code) FROM d{place} WHERE t IS NOT NULL))::int4), "
            f"''::bytea) AS codes_{place}",
        ]
        if column.numeric and column.name not in hierarchies:
            position = f"coalesce({column.position('v')}, 'NaN')"
            listed.append(
                f"(SELECT string_agg(float8send(p), ''::bytea ORDER BY code) FROM "
                f"(SELECT code, min({position}) AS p FROM d{place} GROUP BY code) AS x) "
                f"AS positions_{place}"
            )
    counted = "count(*) AS n"
    if respondent is not None:
        counted += f", array_agg(s.{plpy.quote_ident(respondent)}::text) AS about"
        listed.append("json_agg(g.about)::text AS respondents")
    joins = " ".join(f"LEFT JOIN d{place} ON d{place}.t = g.t{place}" for place in places)
    return (
        f"WITH g AS MATERIALIZED (SELECT {grouped}, {counted} FROM {source} AS s "
        f"GROUP BY {keys}), {domains} "
        f"SELECT string_agg(int8send(g.n), ''::bytea) AS records, {', '.join(listed)} "
        f"FROM g {joins}"
    )


def _domain(
    row: dict[str, object], place: int, column: Column, hierarchy: Hierarchy | Intervals | None
) -> Domain:
    labels = row[f"labels_{place}"]
    assert isinstance(labels, list)
    packed = row.get(f"positions_{place}")
    positions: FloatArray | None = None
    if isinstance(packed, bytes):
        positions = np.frombuffer(packed, ">f8").astype(np.float64)
    if isinstance(hierarchy, Intervals):
        unit = _SECONDS.get(column.type_name, Decimal(1))
        widths = tuple(width * unit for width in hierarchy.widths)
        intervals = Intervals(widths, hierarchy.origin * unit)
        return Domain(column.name, tuple(labels), positions, intervals=intervals)
    return Domain(column.name, tuple(labels), positions, hierarchy)


def _refuse_nulls(
    schema: str, name: str, row: dict[str, object], columns: tuple[Column, ...]
) -> None:
    found = [
        f'"{column.name}" ({row[f"nulls_{place}"]})'
        for place, column in enumerate(columns)
        if row[f"nulls_{place}"]
    ]
    if found:
        raise Refusal(
            "22004",
            f'table "{schema}"."{name}" has NULL in columns that are published',
            detail=f"Column (records with NULL): {', '.join(found)}.",
            hint='Replace them, or publish with option {"nulls": "category"}.',
        )


def _assemble(
    quasi_identifiers: tuple[Domain, ...], sensitive: Domain, codes: IntArray, records: IntArray
) -> tuple[Table, IntArray]:
    """Cells in order with their counts by sensitive value, and the cell of each row of `codes`."""
    sizes = [domain.size for domain in quasi_identifiers]
    if np.prod(sizes, dtype=float) < 2.0**62:
        # One number per cell sorts much faster than a row of numbers.
        keys, place = np.unique(
            np.ravel_multi_index(tuple(codes[:, :-1].T), sizes), return_inverse=True
        )
        cells = np.column_stack(np.unravel_index(keys, sizes))
    else:
        cells, place = np.unique(codes[:, :-1], axis=0, return_inverse=True)
    if len(cells) * sensitive.size > DENSE_COUNTS:
        raise TooLarge(
            f'{len(cells)} cells times {sensitive.size} values of "{sensitive.name}" is too many',
            detail=f"At most {DENSE_COUNTS} fit in memory.",
            hint="Publish fewer or coarser columns, or bin the sensitive column.",
        )
    counts = np.zeros((len(cells), sensitive.size), dtype=np.int64)
    counts[place.ravel(), codes[:, -1]] = records
    table = Table(quasi_identifiers, sensitive, cells.astype(np.int64), counts)
    return table, place.ravel().astype(np.int64)
