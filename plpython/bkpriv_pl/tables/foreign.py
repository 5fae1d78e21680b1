"""Foreign tables: what of a source can be counted where it lies, on another server.

A server ships a grouping to a foreign table only where that is grouped by itself, and by what
both servers are known to compute alike. For everything else it fetches every record.
"""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.source import Relation, open_relation

__all__ = ["by_calendar", "find_members", "stored_columns"]


def stored_columns(relation: Relation, columns: Sequence[Column]) -> tuple[str, ...]:
    """Names of columns by whose stored values records are counted before these are binned, or none.

    A calendar's bins are not shipped, for the name of its unit is a text, which has a collation. So
    values of foreign tables are counted over there as they are, and their counts binned here.
    """
    if not by_calendar(columns) or not _reads_foreign(relation):
        return ()
    return tuple({column.name: None for column in columns})


def by_calendar(columns: Sequence[Column]) -> bool:
    """Whether one of some columns has bins of the calendar."""
    return any(column.bin is not None and column.bin.unit is not None for column in columns)


def _reads_foreign(relation: Relation) -> bool:
    """Whether a relation is a foreign table, or a view of some."""
    if relation.kind != "v":
        return relation.kind == "f"
    (row,) = run(
        "SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE c.relkind = 'f' AND format('%I.%I', n.nspname, c.relname) "
        "= ANY (bkpriv_internal.bases($1, $2))) AS foreign",
        ["text", "text"],
        [relation.schema, relation.name],
    )
    return bool(row["foreign"])


def find_members(relation: Relation, columns: tuple[Column, ...]) -> tuple[list[Relation], str]:
    """Tables that may be counted one by one in place of a relation.

    There are some where a partition or child is a foreign table, which is fetched in full unless it
    is counted by itself or grouped by the partition key, too, if the caller may read all of them
    directly and no policy picks rows: privileges and policies of a partition are its own. Their
    schemas have one owner: whoever renames a schema has names lead elsewhere.

    Returns:
        unchanged: SQL that tells, within the statement that counts, whether they are still all
            there are.
    """
    family = (
        f"WITH RECURSIVE family AS (SELECT {relation.oid}::oid AS oid, false AS leaving UNION "
        f"SELECT i.inhrelid, i.inhdetachpending "
        f"FROM pg_inherits i JOIN family f ON i.inhparent = f.oid)"
    )
    row = run(
        f"{family} SELECT array_agg(c.oid::int8 ORDER BY c.oid) AS oids, "
        f"array_agg(format('%I.%I', n.nspname, c.relname) ORDER BY c.oid) "
        f"FILTER (WHERE c.relkind <> 'p') AS members, "
        f"count(*) > 1 AND bool_or(c.relkind = 'f') AND NOT bool_or(f.leaving) "
        f"AND bool_and(has_schema_privilege(n.oid, 'USAGE') AND NOT row_security_active(c.oid) "
        f"AND (SELECT bool_and(has_column_privilege(c.oid, name, 'SELECT')) "
        f"FROM unnest($1) AS name)) AND count(DISTINCT n.nspowner) = 1 AS apart "
        f"FROM family f JOIN pg_class c ON c.oid = f.oid "
        f"JOIN pg_namespace n ON n.oid = c.relnamespace",
        ["text[]"],
        [[column.name for column in columns]],
    )[0]
    unchanged = (
        f"({family} SELECT array_agg(oid::int8 ORDER BY oid) = ARRAY{row['oids']}::int8[] "
        f"AND NOT bool_or(leaving) FROM family)"
    )
    if not row["apart"]:
        return [], unchanged
    return [open_relation(member) for member in row["members"]], unchanged
