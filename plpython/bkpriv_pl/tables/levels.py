"""Levels: the hierarchies of a dataset's attributes, as they were declared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.rule import Tree, parse_rule
from bkpriv_pl.server.boundary import check_room, from_json, needed, needed_of_texts, run
from bkpriv_pl.server.memory import room

__all__ = ["read_hierarchies"]


def read_hierarchies(name: str, attributes: Collection[str]) -> dict[str, Tree | Intervals]:
    """Read the hierarchies of attributes of a dataset, or the rules that make them.

    Raises:
        TooLarge: If memory has no room for them: none is read.
    """
    need = f"coalesce({needed_of_texts('levels')}, {needed('rule::text')}, 0)"
    allowed = room()
    rows = run(
        "SELECT attribute, need, CASE WHEN need <= $3 THEN levels END AS levels, widths, origin, "
        "CASE WHEN need <= $3 THEN rule END AS rule "
        f"FROM (SELECT *, (sum({need}) OVER ())::int8 AS need FROM bkpriv.hierarchy "
        "WHERE dataset = $1 AND attribute = ANY ($2)) AS h ORDER BY attribute",
        ["text", "text[]", "bigint"],
        [name, list(attributes), allowed],
    )
    if rows:
        check_room(
            f'the hierarchies of dataset "{name}"',
            rows[0]["need"],
            allowed,
            hint="Give some of its attributes fewer or shorter labels.",
        )
    return {row["attribute"]: _read_hierarchy(row) for row in rows}


def _read_hierarchy(row: Mapping[str, Any]) -> Tree | Intervals:
    attribute = row["attribute"]
    if row["widths"] is not None:
        return Intervals.checked(attribute, row["widths"], row["origin"])
    if row["levels"] is not None:
        return Hierarchy.from_rows(attribute, row["levels"])
    return parse_rule(attribute, from_json(row["rule"], f'the hierarchy of "{attribute}"'))
