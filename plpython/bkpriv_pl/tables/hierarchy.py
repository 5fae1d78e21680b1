"""Hierarchies: declaring how labels and numbers are made coarser.

A hierarchy is kept as levels, the paths of the values that it has; as widths of intervals; or as a
rule, which makes the paths of the values that there are when the source is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import plpy

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.schema import near
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.rule import Listed, Prefixes, Tree, Units
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import (
    Refusal,
    check_room,
    entry,
    from_json,
    needed,
    require,
    run,
)
from bkpriv_pl.server.memory import room
from bkpriv_pl.tables.column import Column, column_types
from bkpriv_pl.tables.dataset import (
    Dataset,
    change_declared,
    columns_of,
    find_dataset,
    open_source,
)
from bkpriv_pl.tables.inspection import distinct_values, inspect_hierarchy, inspect_prefixes
from bkpriv_pl.tables.source import (
    Relation,
    check_readable,
    open_relation,
)

__all__ = [
    "set_date_hierarchy",
    "set_hierarchy",
    "set_interval_hierarchy",
    "set_list_hierarchy",
    "set_prefix_hierarchy",
    "unset_hierarchy",
]

_MOST_LABELS = 4_000_000
"""Largest number of labels of a hierarchy. Sending more takes seconds, deaf to cancellation."""


@entry(Access.SOURCE)
def set_hierarchy(name: str | None, attribute: str | None, levels: str | None) -> None:
    """See ``bkpriv.set_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    relation = open_relation(require(levels, "table of levels"))
    columns = column_types(relation.schema, relation.name)
    check_readable(relation, tuple(columns))
    cast = ", ".join(f"{plpy.quote_ident(column)}::text" for column in columns)
    need = " + ".join(
        f"coalesce({needed(f'{plpy.quote_ident(column)}::text')}, 0)" for column in columns
    )
    allowed = room()
    (row,) = run(
        f"SELECT CASE WHEN need <= $1 AND labels <= {_MOST_LABELS} THEN levels END AS levels, "
        f"need, labels FROM (SELECT array_agg(ARRAY[{cast}]) AS levels, "
        f"coalesce(sum({need}), 0)::int8 AS need, count(*) * {len(columns)} AS labels "
        f"FROM {relation}) AS x",
        ["bigint"],
        [allowed],
    )
    if row["labels"] > _MOST_LABELS:
        raise TooLarge(
            f"table {relation} has too many labels",
            detail=f"It has {row['labels']}; at most {_MOST_LABELS} are kept.",
            hint="State a rule: bkpriv.set_prefix_hierarchy, set_list_hierarchy, or, for numbers, "
            "set_interval_hierarchy.",
        )
    check_room(f"the labels of table {relation}", row["need"], allowed)
    hierarchy = Hierarchy.from_rows(attribute, row["levels"] or [])
    seen = _look_at(dataset, attribute)
    inspect_hierarchy(*seen, hierarchy.leaves)
    _check_labels(dataset, *seen, hierarchy)
    _keep(dataset, attribute, levels=[list(path) for path in hierarchy.paths.values()])


@entry(Access.SOURCE)
def set_interval_hierarchy(
    name: str | None, attribute: str | None, widths: list[object] | None, origin: object
) -> None:
    """See ``bkpriv.set_interval_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    if not columns_of(dataset)[attribute].numeric:
        raise InvalidParameter(
            f'attribute "{attribute}" is not numeric',
            detail="Intervals need numbers, dates or timestamps.",
            hint="Give a categorical attribute a hierarchy with bkpriv.set_hierarchy.",
        )
    Intervals.checked(attribute, widths or [], origin)
    _keep(dataset, attribute, widths=widths, origin=origin)


@entry(Access.SOURCE)
def set_prefix_hierarchy(
    name: str | None, attribute: str | None, lengths: list[object] | None
) -> None:
    """See ``bkpriv.set_prefix_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    prefixes = Prefixes.checked(attribute, lengths)
    seen = _look_at(dataset, attribute)
    inspect_prefixes(*seen, prefixes.lengths)
    _check_labels(dataset, *seen, prefixes)
    _keep(dataset, attribute, rule={"prefixes": list(prefixes.lengths)})


@entry(Access.SOURCE)
def set_date_hierarchy(name: str | None, attribute: str | None, units: list[object] | None) -> None:
    """See ``bkpriv.set_date_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    column = columns_of(dataset)[attribute]
    if not column.numeric or column.is_number:
        raise InvalidParameter(
            f'attribute "{attribute}" holds no days or times',
            detail=f"Its type is {column.declared_as}.",
            hint="Units of the calendar are of the types date, timestamp and timestamptz.",
        )
    rule = Units.checked(attribute, units)
    _keep(dataset, attribute, rule={"units": list(rule.units)})


@entry(Access.SOURCE)
def set_list_hierarchy(
    name: str | None, attribute: str | None, branches: str | None, rest: str | None
) -> None:
    """See ``bkpriv.set_list_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    stated = from_json(branches, "branches")
    listed = Listed.checked(attribute, stated, rest)
    seen = _look_at(dataset, attribute)
    if rest is None:
        inspect_hierarchy(*seen, listed.leaves)
    _check_labels(dataset, *seen, listed)
    _keep(dataset, attribute, rule={"list": stated, "rest": rest})


@entry(Access.MANAGE)
def unset_hierarchy(name: str | None, attribute: str | None) -> None:
    """See ``bkpriv.unset_hierarchy``."""
    dataset = find_dataset(name)
    attribute = _attribute(dataset, attribute)
    if not run(
        "SELECT FROM bkpriv.hierarchy WHERE dataset = $1 AND attribute = $2",
        ["text", "text"],
        [dataset.name, attribute],
    ):
        raise Refusal(
            "42704",
            f'attribute "{attribute}" of dataset "{dataset.name}" has no hierarchy',
            detail="It has neither labels nor intervals.",
            hint="Nothing needs to be done.",
        )
    change_declared(
        dataset,
        "DELETE FROM bkpriv.hierarchy WHERE dataset = $1 AND attribute = $2",
        ["text", "text"],
        [dataset.name, attribute],
    )


def _attribute(dataset: Dataset, attribute: str | None) -> str:
    """Return an attribute that the dataset must have."""
    attribute = require(attribute, "attribute")
    if attribute not in dataset.measured:
        raise Refusal(
            "42703",
            f'dataset "{dataset.name}" has no attribute "{attribute}"',
            detail="It is neither a quasi-identifier nor the sensitive column.",
            hint=near(attribute, dataset.measured)
            + f"Its attributes are {', '.join(dataset.measured)}.",
        )
    return attribute


def _look_at(dataset: Dataset, attribute: str) -> tuple[Relation, Column]:
    """Source and column that a hierarchy is compared with."""
    source = open_source(dataset)
    check_readable(source, (attribute,))
    return source, columns_of(dataset)[attribute]


def _check_labels(dataset: Dataset, source: Relation, column: Column, tree: Tree) -> None:
    """Refuse a hierarchy with a label that is also a value of a quasi-identifier.

    Numbers and times have no such labels, for what is one value of theirs is no interval or unit.
    """
    if column.name not in dataset.quasi_identifiers:
        return  # Sensitive values are published as they are.
    values = [value for value in distinct_values(source, column) if value is not None]
    hierarchy = tree.over(column.name, values)
    known = tuple(value for value in values if value in hierarchy.paths)
    if known:
        Domain(column.name, known, hierarchy=hierarchy).check_labels()


def _keep(
    dataset: Dataset,
    attribute: str,
    *,
    levels: list[list[str]] | None = None,
    widths: Sequence[object] | None = None,
    origin: object = None,
    rule: dict[str, Any] | None = None,
) -> None:
    """Keep a hierarchy, in place of the one that the attribute may have."""
    change_declared(
        dataset,
        "INSERT INTO bkpriv.hierarchy (dataset, attribute, levels, widths, origin, rule) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (dataset, attribute) "
        "DO UPDATE SET levels = excluded.levels, widths = excluded.widths, "
        "origin = excluded.origin, rule = excluded.rule",
        ["text", "text", "text[]", "numeric[]", "numeric", "jsonb"],
        [
            dataset.name,
            attribute,
            levels,
            widths,
            origin,
            None if rule is None else json.dumps(rule, ensure_ascii=False),
        ],
    )
