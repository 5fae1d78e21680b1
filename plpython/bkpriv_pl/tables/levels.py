"""Levels: the hierarchies of a dataset's attributes, as they were declared.

Their sizes are asked for first: publishers may append any number of rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.rule import Tree, parse_rule
from bkpriv_pl.server.boundary import check_room, from_json, needed, needed_of_texts, run
from bkpriv_pl.server.memory import room
from bkpriv_pl.server.progress import POLLED

__all__ = ["read_hierarchies"]


def read_hierarchies(name: str, attributes: Collection[str]) -> dict[str, Tree | Intervals]:
    """Read the hierarchies of attributes of a dataset, or the rules that make them.

    Raises
    ------
    TooLarge
        If memory has no room for them: none is read.
    """
    kept = "FROM bkpriv.hierarchy WHERE dataset = $1 AND attribute"
    needs = run(
        "SELECT attribute, "
        f"coalesce({needed_of_texts('levels')}, {needed('rule::text')}, 0) AS need "
        f"{kept} = ANY ($2) ORDER BY attribute",
        ["text", "text[]"],
        [name, list(attributes)],
    )
    check_room(
        f'the hierarchies of dataset "{name}"',
        sum(row["need"] for row in needs),
        room(),
        hint="Give some of its attributes fewer or shorter labels.",
    )
    read = {}
    for row in needs:
        POLLED.poll()
        # It may be gone by now.
        for found in run(
            f"SELECT attribute, levels, widths, origin, rule {kept} = $2",
            ["text", "text"],
            [name, row["attribute"]],
        ):
            read[row["attribute"]] = _read_hierarchy(found)
    return read


def _read_hierarchy(row: Mapping[str, Any]) -> Tree | Intervals:
    attribute = row["attribute"]
    if row["widths"] is not None:
        return Intervals.checked(attribute, row["widths"], row["origin"])
    if row["levels"] is not None:
        return Hierarchy.from_rows(attribute, row["levels"])
    return parse_rule(attribute, from_json(row["rule"], f'the hierarchy of "{attribute}"'))
