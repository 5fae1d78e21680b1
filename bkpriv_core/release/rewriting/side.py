"""Attributes as SQL: those of a condition, and those that are grouped by.

Where an attribute is grouped by, a row of a view is joined with each value that it may have. The
values stand in a table of the WITH clause, with the key that each is shown as and, where the
condition tells values apart, the number of its class; values that cannot meet the condition are
left out. A row and a value that are joined weigh what the row's share in the value is; the
condition then asks for the value's class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bkpriv_core.query.combination import Classes
from bkpriv_core.release.rewriting.fragment import (
    ONE,
    ZERO,
    ShownColumn,
    equal,
    literal,
    value_of,
    values_table,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, IntArray
from bkpriv_core.table.notation import json_pairs

__all__ = ["Key", "Side", "exact_key", "value_key"]


class Side(ABC):
    """One attribute of a condition, as SQL.

    Args:
        classes: Values of the attribute, or pieces of its line, as far as the condition tells them
            apart.
        joined: Table, as SQL, that the statement joins the view with to calculate shares.
    """

    def __init__(self, classes: Classes, joined: str = "") -> None:
        self.classes = classes
        self.joined = joined

    @abstractmethod
    def share(self, some: BoolArray) -> str:
        """SQL of a row's share in some of the values or pieces."""


class Key(Side):
    """One attribute that is grouped by, as SQL.

    Args:
        classes: Values of the attribute as far as the condition tells them apart.
        joined: Table, as SQL, that the statement joins the view with.
        weight: SQL of a row's share in the value that it is joined with.
        tables: Tables for the WITH clause; none if the attribute can have no value.
    """

    class_table = "value"
    """The table that has the class of what a row is joined with."""

    def __init__(
        self, classes: Classes, joined: str, weight: str, tables: Sequence[str], values: int
    ) -> None:
        super().__init__(classes, joined)
        self.weight = weight
        self.tables = tuple(tables) if values else ()
        self.values = values

    @property
    def key(self) -> str:
        """SQL of a value as a JSON object."""
        return value_of(self.classes.attribute, "key")

    def share(self, some: BoolArray) -> str:
        """See `Side`."""
        listed = ", ".join(map(str, np.unique(self.classes.members[some]).tolist()))
        held = f"{self.class_table}_{self.classes.attribute}.class IN ({listed})"
        return f"(CASE WHEN {held} THEN {ONE} ELSE {ZERO} END)"


def exact_key(
    classes: Classes, domain: Domain, column: ShownColumn, possible: BoolArray | None = None
) -> Key:
    """An attribute that is shown as it is.

    Args:
        classes: Values of the attribute as far as the condition tells them apart.
        possible: Shape (size,). Values that may meet the condition; if not given, all.
    """
    codes = np.arange(domain.size) if possible is None else np.flatnonzero(possible)
    values = [f"{literal(domain.labels[code])}::{column.type}" for code in codes.tolist()]
    on = equal(value_of(classes.attribute, "value"), column.name, domain.has_null)
    return value_key(classes, domain, codes, {"value": values}, on=on)


def value_key(
    classes: Classes,
    domain: Domain,
    codes: IntArray,
    columns: dict[str, list[str]],
    *,
    on: str,
    weight: str = "1",
    before: str = "",
) -> Key:
    """A key that rows are joined with by value, given what its table has beside key and class."""
    keys = [f"jsonb {literal(f'{{{pair}}}')}" for pair in json_pairs(domain, codes)]
    table: dict[str, list[str]] = {"key": keys, **columns}
    if classes.size > 1:
        table["class"] = [str(member) for member in classes.members[codes].tolist()]
    name = f"value_{classes.attribute}"
    joined = f"{before}\nJOIN {name} ON {on}"
    return Key(classes, joined, weight, [values_table(name, table)], values=len(codes))
