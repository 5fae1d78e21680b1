"""Estimates of a release that keeps the quasi-identifiers, as SQL.

Rows that meet the condition are joined with the sensitive values of their group, each of which
counts by its share, and grouped by PostgreSQL itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.predicate import And, Codes, IsNull, Not, Or, Predicate, criterion_truth
from bkpriv_core.release.release import Exhibit
from bkpriv_core.release.rewriting.fragment import (
    EMPTY_KEY,
    ShownColumn,
    check_length,
    one_of,
    with_values,
)
from bkpriv_core.release.rewriting.side import exact_key
from bkpriv_core.table.domain import Domain

__all__ = ["rewrite_bucketized"]


def rewrite_bucketized(
    domains: Sequence[Domain],
    query: Query,
    views: Mapping[Exhibit, str],
    columns: Sequence[ShownColumn],
    progress: Progress = SILENT,
) -> str:
    """Write the estimate of a release that keeps the quasi-identifiers as SQL.

    Args:
        views: The published views, as SQL: quasi-identifiers and ``group_id``; ``group_id``,
            sensitive value and ``count``.
        columns: Columns of the views for all attributes, the sensitive ones in the second view.

    Raises:
        TooLarge: If the statement is too long.
    """
    sensitive = views["sensitive"]
    keys = {
        key: exact_key(
            Classes.of(key, (), Codes.of(domains[key]), progress),
            domains[key],
            columns[key],
        )
        for key in query.grouped
    }
    key_column = grouped = ""
    if query.grouping_sets != ((),):
        # A key is never NULL but in sets that it is not in.
        parts = [EMPTY_KEY, *(f"coalesce({key.key}, {EMPTY_KEY})" for key in keys.values())]
        key_column = f"{' || '.join(parts)} AS key, "
        sets = [f"({', '.join(keys[key].key for key in some)})" for some in query.grouping_sets]
        grouped = f"\nGROUP BY GROUPING SETS ({', '.join(sets)})"
    condition = _condition(query.predicate, domains, columns, progress)
    joined = "".join(key.joined for key in keys.values())
    statement = (
        with_values([table for key in keys.values() for table in key.tables])
        + f"SELECT {key_column}coalesce(pg_catalog.sum(s.count::float8 / g.records), 0)::float8 "
        "AS estimate\n"
        f"FROM {views['records']} AS r\n"
        "JOIN (SELECT group_id, pg_catalog.sum(count)::float8 AS records\n"
        f"      FROM {sensitive} AS s GROUP BY group_id) AS g ON g.group_id = r.group_id\n"
        f"JOIN {sensitive} AS s ON s.group_id = r.group_id{joined}\n"
        f"WHERE {condition}{grouped}"
    )
    check_length(len(statement))
    return statement


def _condition(
    predicate: Predicate,
    domains: Sequence[Domain],
    columns: Sequence[ShownColumn],
    progress: Progress,
) -> str:
    """A condition on exact columns; the values that meet each comparison are listed."""
    progress.poll()
    if isinstance(predicate, And | Or):
        if not predicate.parts:
            return "true" if isinstance(predicate, And) else "false"
        sign = " AND " if isinstance(predicate, And) else " OR "
        parts = [_condition(part, domains, columns, progress) for part in predicate.parts]
        check_length(sum(map(len, parts)))
        return f"({sign.join(parts)})"
    if isinstance(predicate, Not):
        return f"NOT {_condition(predicate.part, domains, columns, progress)}"
    column, domain = columns[predicate.attribute], domains[predicate.attribute]
    if isinstance(predicate, IsNull):
        return f"({column.name} IS NULL)"
    met = np.flatnonzero(criterion_truth(predicate, Codes.of(domain)).true)
    if met.size:
        return f"({one_of(domain, met, column)})"
    # Nothing meets it: false, but unknown for NULL.
    return f"({column.name} OPERATOR(pg_catalog.<>) {column.name})"
