"""Attributes that are grouped by, as SQL: a row is joined with each value that it may have.

The values stand in a table of the WITH clause, with the key that each is shown as and, where the
condition tells values apart, the number of its class. A row and a value that are joined weigh what
the row's share in the value is; the condition then asks for the value's class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bkpriv_core.domain import Domain
from bkpriv_core.groups import IntArray
from bkpriv_core.query.combination import Classes
from bkpriv_core.query.extent import Axis, Labels, Ranges
from bkpriv_core.query.predicate import Atom, BoolArray, Codes
from bkpriv_core.query.rewriting.fragment import (
    Column,
    equal,
    literal,
    number,
    value_of,
    values_table,
)
from bkpriv_core.query.rewriting.sides import Side, range_ends

__all__ = ["Key", "exact_key", "generalized_key"]


class Key(Side):
    """One attribute that is grouped by, as SQL.

    Parameters
    ----------
    classes : Classes
        Its values as far as the condition tells them apart.
    joined : str
        What the statement joins the view with.
    weight : str
        SQL of a row's share in the value that it is joined with.
    table : str
        The table of values, for the WITH clause.
    """

    def __init__(self, classes: Classes, joined: str, weight: str, table: str) -> None:
        super().__init__(classes, joined)
        self.weight = weight
        self.table = table

    @property
    def key(self) -> str:
        """SQL of the value that a row is joined with, as a JSON object."""
        return value_of(self.classes.attribute, "key")

    def share(self, some: BoolArray) -> str:
        """See `Side`."""
        listed = ", ".join(map(str, np.unique(self.classes.members[some]).tolist()))
        held = f"{value_of(self.classes.attribute, 'class')} IN ({listed})"
        return f"(CASE WHEN {held} THEN 1 ELSE 0 END)"


def exact_key(
    attribute: int,
    told: Sequence[Atom],
    domain: Domain,
    column: Column,
    poll: Callable[[], None] = lambda: None,
) -> Key:
    """An attribute that is shown as it is.

    Parameters
    ----------
    attribute : int
        The attribute.
    told : sequence of Atom
        The condition's comparisons with it, as far as it is asked by class.
    domain : Domain
        Its values.
    column : Column
        Where it is shown.
    poll : callable
        Called between steps; may raise to cancel.
    """
    values = [f"{literal(label)}::{column.type}" for label in domain.labels]
    return _key(
        attribute,
        told,
        domain,
        {"value": values},
        poll,
        on=equal(value_of(attribute, "value"), column.name, domain.has_null),
    )


def generalized_key(
    attribute: int,
    told: Sequence[Atom],
    axis: Axis,
    column: Column,
    poll: Callable[[], None] = lambda: None,
) -> Key:
    """An attribute that is shown as labels or ranges; see `exact_key`.

    Parameters
    ----------
    attribute, told, column, poll
        See `exact_key`.
    axis : Labels or Ranges
        The labels or ranges.

    Raises
    ------
    TooLarge
        If there are too many values.
    """
    if isinstance(axis, Labels):
        return _label_key(attribute, told, axis, column, poll)
    assert isinstance(axis, Ranges)
    return _range_key(attribute, told, axis, column, poll)


def _label_key(
    attribute: int, told: Sequence[Atom], axis: Labels, column: Column, poll: Callable[[], None]
) -> Key:
    under = axis.spread().tocoo()
    labels = [axis.labels[extent] for extent in under.col.tolist()]
    return _key(
        attribute,
        told,
        axis.domain,
        {
            "label": [f"{literal(label)}::{column.type}" for label in labels],
            "share": [number(share) for share in under.data.tolist()],
        },
        poll,
        under.row.astype(np.int64),
        on=equal(value_of(attribute, "label"), column.name, None in axis.labels),
        weight=value_of(attribute, "share"),
    )


def _range_key(
    attribute: int, told: Sequence[Atom], axis: Ranges, column: Column, poll: Callable[[], None]
) -> Key:
    domain, name = axis.domain, f"range_{attribute}"
    positions = domain.positions
    assert positions is not None
    labels = domain.labels[: domain.size - domain.has_null]
    if axis.step is None:
        # Of a continuum no value has a share, unless it is all there is.
        what = "point"
        listed = [f"{column.type}({literal(label)}, {literal(label)}, '[]')" for label in labels]
        null, weight = f"NULL::{column.type}", "1"
        on = f"{value_of(attribute, what)} = {column.name}"
    else:
        what = "position"
        listed = [number(position) for position in positions[: len(labels)].tolist()]
        null, weight = "NULL::float8", f"(1 / {name}.whole)"
        on = f"{value_of(attribute, what)} BETWEEN {name}.low AND {name}.high"
    columns = {what: listed}
    if domain.has_null:
        columns[what].append(null)
        columns["mixed"] = [number(share) for share in axis.unbounded().values()[:, 0].tolist()]
        on = (
            f"CASE WHEN {column.name} IS NULL THEN {value_of(attribute, what)} IS NULL "
            f"WHEN {name}.low IS NULL THEN true ELSE {on} END"
        )
        weight = (
            f"(CASE WHEN {column.name} IS NULL THEN 1 "
            f"WHEN {name}.low IS NULL THEN {value_of(attribute, 'mixed')} ELSE {weight} END)"
        )
    ends = range_ends(attribute, axis.step, column)
    return _key(attribute, told, domain, columns, poll, on=on, weight=weight, before=ends)


def _key(
    attribute: int,
    told: Sequence[Atom],
    domain: Domain,
    columns: dict[str, list[str]],
    poll: Callable[[], None],
    codes: IntArray | None = None,
    *,
    on: str,
    weight: str = "1",
    before: str = "",
) -> Key:
    """A key, given what its table has beside key and class; a row for each value, or of `codes`."""
    classes = Classes.of(attribute, told, Codes.of(domain), poll)
    codes = np.arange(domain.size) if codes is None else codes
    keys = [f"jsonb {literal(f'{{{pair}}}')}" for pair in domain.json_pairs(codes)]
    columns = {"key": keys, **columns}
    if classes.size > 1:
        columns["class"] = [str(member) for member in classes.members[codes]]
    joined = f"{before}\nJOIN value_{attribute} ON {on}"
    return Key(classes, joined, weight, values_table(attribute, columns))
