"""Missing: records, of a period or at all, the period of a record, and values that are NULL."""

from __future__ import annotations

from typing import Any

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.hierarchy import some_of
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.column import Column, Period
from bkpriv_pl.tables.source import Relation

__all__ = ["refuse_empty", "refuse_nulls"]

_NEAR = 4
"""Number of periods on either side of one without records that an error lists."""


def refuse_empty(source: Relation, row: dict[str, Any], period: Period | None) -> None:
    """Refuse a source of no records; of one period, also records of none."""
    if period is not None:
        _refuse_unplaced(source, row, period)
    if row["records"] is None:
        raise InvalidData(
            f'table "{source.schema}"."{source.name}" is empty',
            detail="It has no records.",
            hint="Load the data first.",
        )


def _refuse_unplaced(source: Relation, row: dict[str, Any], period: Period) -> None:
    """Refuse records of no period, and a period of no records."""
    name, column = f'"{source.schema}"."{source.name}"', f'"{period.column.name}"'
    if row["unplaced"]:
        raise InvalidData(
            f"column {column} of table {name} has NULL in {row['unplaced']} records",
            detail="It says of which period a record is, and these would never be published.",
            hint="Fill it, or publish from a view without these records.",
        )
    if row["records"] is not None:
        return
    # One row more, the period itself, to count its neighbours from, in the order of the type.
    (near,) = run(
        f"WITH p AS (SELECT {period.expression('s')} AS v, count(*) AS n "
        f"FROM {source} AS s GROUP BY 1 UNION ALL SELECT $1::pg_catalog.text::{period.type}, 0), "
        "o AS (SELECT v, n, row_number() OVER (ORDER BY v) AS place FROM p), "
        "x AS (SELECT place FROM o WHERE n = 0) "
        "SELECT count(*) - 1 AS periods, array_agg(o.v::text ORDER BY o.place) FILTER "
        f"(WHERE o.n > 0 AND abs(o.place - x.place) <= {_NEAR}) AS some FROM o, x",
        ["text"],
        [period.text],
    )
    if near["periods"]:
        raise InvalidData(
            f"table {name} has no records of period {period.text}, by column {column}",
            detail=f"It has {near['periods']} periods; near to that one are "
            f"{some_of(near['some'])}.",
            hint="Publish one of those, or load its records first.",
        )


def refuse_nulls(source: Relation, row: dict[str, Any], columns: tuple[Column, ...]) -> None:
    """Refuse NULL in columns that are published."""
    null_counts = [
        f'"{column.name}" ({nulls})'
        for column, nulls in zip(columns, row["nulls"], strict=True)
        if nulls
    ]
    if null_counts:
        raise Refusal(
            "22004",
            f'table "{source.schema}"."{source.name}" has NULL in columns that are published',
            detail=f"Column (records with NULL): {', '.join(null_counts)}.",
            hint='Replace them, or publish with option {"nulls": "category"}.',
        )
