"""Fitting: whether what a statement would send of a source fits in memory, asked by itself.

The statement that counts a source also sums what its values need. Where that is too much, it sends
the sums and no values, so that the source is read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bkpriv_core.table.payload import MOST_BYTES, MOST_VALUES
from bkpriv_pl.server.boundary import check_room, needed
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.source import Relation

__all__ = ["FITS", "check_needs", "needs_of", "query_passing"]

FITS = "(SELECT fits FROM room)"
"""SQL of whether there is memory for what a statement sends."""


def needs_of(columns: int, allowed: str, *, named: bool) -> str:
    """SQL of the query ``room``: bytes that Python needs for what is sent of so many columns.

    These are those of the values of each column; of the names of respondents, if they are `named`;
    and of codes and counts.
    """
    needs = [f"(SELECT sum({needed('t')}) FROM d{place})" for place in range(columns)]
    if named:
        # An array of texts has at least 8 bytes for each; as JSON they are sent once more.
        needs.append("(SELECT 8 * sum(pg_column_size(about)::int8) FROM g)")
    needs.append(f"(SELECT {8 + 12 * columns} * count(*) FROM g)")
    each = ", ".join(f"coalesce({need}, 0)" for need in needs)
    return (
        "room AS MATERIALIZED (SELECT needs, "
        f"(SELECT sum(need) FROM unnest(needs) AS u(need)) <= {allowed} AS fits "
        f"FROM (SELECT ARRAY[{each}]::int8[] AS needs) AS x)"
    )


def query_passing(columns: int) -> tuple[list[str], list[str], str]:
    """SQL for columns that pass through, so many: queries, joins with g, and a condition.

    Nothing is gathered in memory where the condition is false, that they would fit into it.
    """
    fitting = " WHERE (SELECT fits FROM fit)"
    queries = [
        f"e{place} AS MATERIALIZED (SELECT t, row_number() OVER (ORDER BY t) - 1 AS code "
        f"FROM (SELECT DISTINCT p{place} AS t FROM g) AS x)"
        for place in range(columns)
    ]
    sizes = " + ".join(
        f"(SELECT coalesce(sum(octet_length(t)), 0) FROM e{place})" for place in range(columns)
    )
    queries.append(
        f"fit AS MATERIALIZED (SELECT rows, bytes, rows * {columns} <= {MOST_VALUES} "
        f"AND bytes <= {MOST_BYTES} AS fits "
        f"FROM (SELECT (SELECT count(*) FROM g) AS rows, ({sizes})::int8 AS bytes) AS x)"
    )
    queries += [
        f"f{place} AS MATERIALIZED (SELECT u.* FROM (SELECT array_agg(t ORDER BY t) AS t, "
        f"array_agg(code ORDER BY t) AS code FROM e{place}{fitting}) AS x, "
        f"LATERAL unnest(x.t, x.code) AS u(t, code))"
        for place in range(columns)
    ]
    joins = [f"LEFT JOIN f{place} ON f{place}.t = g.p{place}" for place in range(columns)]
    return queries, joins, fitting


def check_needs(
    source: Relation,
    row: Mapping[str, Any],
    columns: tuple[Column, ...],
    respondent: str | None,
) -> None:
    """Refuse a source whose values need too much memory, by the column that needs the most."""
    *needs, rows = row["needs"]
    named = [*(column.name for column in columns), respondent]
    most = max(range(len(needs)), key=needs.__getitem__, default=None)
    subject = f"the counts of table {source}"
    if most is not None and needs[most] > rows:
        subject = f'the values of column "{named[most]}" of table {source}'
    check_room(subject, sum(needs) + rows, row["allowed"])
