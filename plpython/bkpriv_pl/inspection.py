"""Inspection: warnings about a source, with counts, when it is declared.

A source is read once, as far as its first million records: enough to judge what its columns are
like, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import plpy

from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.inspection import nearly_unique
from bkpriv_pl.boundary import run
from bkpriv_pl.column import Column
from bkpriv_pl.source import Relation

__all__ = ["inspect_hierarchy", "inspect_source"]

_INSPECTED = 1_000_000
"""Most records that are read."""

_AT_ONCE = 31
"""Most columns that PostgreSQL tells apart in grouping sets."""

_SHOWN = 8
"""How many values that a hierarchy lacks are listed; more are counted."""


def inspect_source(
    dataset: str,
    source: Relation,
    quasi_identifiers: Sequence[Column],
    others: Sequence[Column],
    period: Column | None = None,
) -> None:
    """Warn of quasi-identifiers that are nearly unique, and of NULL in any column.

    All records are looked at; of a source of several periods, values are told apart in each of
    these, for each is published by itself.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    source : Relation
        The source.
    quasi_identifiers, others : sequence of Column
        Its columns that are registered.
    period : Column, optional
        That of the others that tells periods apart.
    """
    unique, null = [], []
    inspected = 0
    columns = iter((*quasi_identifiers, *others))
    while some := list(islice(columns, _AT_ONCE)):
        for column, (values, valued, nulls) in zip(some, _count(source, some, period), strict=True):
            inspected = max(inspected, valued + nulls)
            if nulls:
                null.append(f'"{column.name}" ({nulls})')
            if column in quasi_identifiers and nearly_unique(valued, values):
                unique.append(f'"{column.name}" ({values} in {valued})')
    seen = f" Seen were the first {inspected} records." if inspected == _INSPECTED else ""
    if unique:
        plpy.warning(
            f'quasi-identifiers of dataset "{dataset}" are nearly unique, so they tell who is who',
            detail=f"Column (values in records): {', '.join(unique)}.{seen}",
            hint="Leave out what numbers or names people; methods that keep exact values, "
            "bucketize and anatomy, publish it. Days, times and amounts can be binned when the "
            "dataset is "
            'registered: bins => \'{"birth_date": "year", "income": 1000}\'.',
        )
    if null:
        plpy.warning(
            f'table "{source.schema}"."{source.name}" has NULL in columns of dataset "{dataset}"',
            detail=f"Column (records with NULL): {', '.join(null)}.{seen}",
            hint="Publication refuses NULL in what is published unless it has the option "
            '{"nulls": "category"}, and neither a respondent nor a period may be NULL.',
        )


def _count(
    source: Relation, columns: Sequence[Column], period: Column | None
) -> list[tuple[int, int, int]]:
    """Of each column: distinct values, records that have one, records that have NULL.

    A value that occurs in several periods counts once in each.
    """
    names = [f"v{place}" for place in range(len(columns))]
    values = ", ".join(
        f"{column.expression('s')} AS {name}" for column, name in zip(columns, names, strict=True)
    )
    if period is not None:
        values += f", {period.expression('s')} AS period"
    listed = ", ".join(names)
    sets = ", ".join(f"({name})" for name in names)
    within = "" if period is None else "period, "
    rows = run(
        "SELECT column_bits AS bits, count(*) FILTER (WHERE valued) AS values, "
        "coalesce(sum(n) FILTER (WHERE valued), 0)::int8 AS valued, "
        "coalesce(sum(n) FILTER (WHERE NOT valued), 0)::int8 AS nulls "
        f"FROM (SELECT grouping({listed}) AS column_bits, num_nonnulls({listed}) > 0 AS valued, "
        f"count(*) AS n FROM (SELECT {values} "
        f"FROM {source} AS s "
        f"LIMIT {_INSPECTED}) AS seen "
        f"GROUP BY {within}GROUPING SETS ({sets})) AS counted "
        "GROUP BY column_bits"
    )
    # The bit of a column is 0 where rows are grouped by it; that of the first is the highest.
    counted = {row["bits"]: (row["values"], row["valued"], row["nulls"]) for row in rows}
    everything = 2 ** len(columns) - 1
    return [
        counted.get(everything - 2 ** (len(columns) - 1 - place), (0, 0, 0))
        for place in range(len(columns))
    ]


def inspect_hierarchy(source: Relation, column: Column, leaves: Sequence[str]) -> None:
    """Warn of values of a column that are missing from its hierarchy.

    Parameters
    ----------
    source : Relation
        The source.
    column : Column
        The column.
    leaves : sequence of str
        Values that the hierarchy has.
    """
    value = column.expression("s")
    (row,) = run(
        "SELECT count(*) AS values, count(*) FILTER (WHERE missing) AS missing, "
        "(array_agg(value ORDER BY value) FILTER (WHERE missing))[1:$2] AS some FROM ("
        "SELECT x.value, l.leaf IS NULL AS missing FROM (SELECT DISTINCT "
        f'({value})::text COLLATE "C" AS value '
        f"FROM {source} AS s) AS x "
        "LEFT JOIN unnest($1) AS l(leaf) ON l.leaf = x.value WHERE x.value IS NOT NULL) AS occurs",
        ["text[]", "int"],
        [list(leaves), _SHOWN],
    )
    if row["missing"]:
        more = row["missing"] - len(row["some"])
        listed = some_of(row["some"]) + (f" and {more} more" if more else "")
        plpy.warning(
            f'values of attribute "{column.name}" are missing from its hierarchy',
            detail=f"{row['missing']} of {row['values']} are missing: {listed}.",
            hint="Publication refuses them. Add a row for each and call set_hierarchy again.",
        )
