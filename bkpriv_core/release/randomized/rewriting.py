"""Estimates of a randomized release, as SQL.

The estimate of `bkpriv_core.randomization.reconstruction` is a sum over the rows of the view, of a
weight that is a product of one number for each attribute where the condition is a conjunction, and
a sum of such products elsewhere. Beside it stands its standard error, from the sum of the squares
of the same weights.

Rows that look alike are counted first. Where attributes are grouped by, each row counts for every
value of each of them; this is done attribute by attribute, as the inverse of a Kronecker product is
applied: rows are joined with the values of one, and what is then alike is summed, before they are
joined with those of the next. An attribute that is shown as it is counts for its own value alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes, combinations_met, criteria_by_attribute
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.predicate import Codes
from bkpriv_core.query.tally import check_keys
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.reconstruction import weigh
from bkpriv_core.release.rewriting.condition import weight
from bkpriv_core.release.rewriting.fragment import (
    EMPTY_KEY,
    ZERO,
    ShownColumn,
    check_length,
    equal,
    literal,
    number,
    one_of,
    value_of,
    with_values,
)
from bkpriv_core.release.rewriting.side import Key, Side, exact_key, value_key
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray

__all__ = ["rewrite_randomized"]


def rewrite_randomized(
    domains: Sequence[Domain],
    channels: Sequence[Channel],
    query: Query,
    view: str,
    columns: Sequence[ShownColumn],
    progress: Progress = SILENT,
) -> str:
    """Write the unbiased estimate of a randomized release as SQL, with its standard error.

    Args:
        view: The published view of the records, as SQL.

    Raises:
        TooLarge: If the condition tells too many values apart, there are too many keys, or the
            statement is too long.
    """
    criteria = criteria_by_attribute(query.predicate)
    shown = {
        attribute: ShownColumn(f"r.shown_{attribute}", columns[attribute].type)
        for attribute in sorted({*criteria, *query.grouped})
    }
    classes = {
        attribute: Classes.of(
            attribute,
            criteria.get(attribute, []),
            Codes.of(domains[attribute]),
            progress,
        )
        for attribute in shown
    }
    met = combinations_met(query.predicate, [*classes.values()], progress)
    sides: dict[int, Side] = {
        attribute: _WeighedSide(
            classes[attribute], domains[attribute], channels[attribute], shown[attribute]
        )
        for attribute in shown
    }
    keys = {
        key: _key(
            classes[key],
            domains[key],
            channels[key],
            shown[key],
            possible=_possible(met, classes, key),
        )
        for key in query.grouped
    }
    keyed = query.grouping_sets != ((),)
    counts: list[str] = []
    length = 0
    for some in query.grouping_sets:
        progress.poll()
        check_keys(domains, some, _spread([keys[key] for key in some]))
        weighed = weight(
            met, [keys[key] if key in some else sides[key] for key in classes], progress
        )
        used = {key: columns[key].name for key in classes if key in some or key in criteria}
        counts.append(_count(weighed, [keys[key] for key in some], view, used, keyed=keyed))
        length += len(counts[-1])
        check_length(length)
    tables = [table for key in keys.values() for table in key.tables]
    statement = with_values(tables) + "\nUNION ALL\n".join(counts)
    check_length(len(statement))
    return statement


def _spread(keys: Sequence[Key]) -> int:
    """Number of combinations of values that a row counts for: all, of keys that are drawn."""
    return prod(key.values for key in keys if isinstance(key, _DrawnKey))


def _possible(met: BoolArray, classes: Mapping[int, Classes], key: int) -> BoolArray:
    """Mark the values of a key that can meet the condition."""
    axis = [*classes].index(key)
    by_class = np.moveaxis(met, axis, 0).reshape(classes[key].size, -1).any(axis=1)
    return np.asarray(by_class)[classes[key].members]


class _WeighedSide(Side):
    """An attribute of the condition: what a row weighs by the value that it shows."""

    def __init__(
        self, classes: Classes, domain: Domain, channel: Channel, column: ShownColumn
    ) -> None:
        super().__init__(classes)
        self._domain, self._channel, self._column = domain, channel, column

    def share(self, some: BoolArray) -> str:
        """See `Side`: the weight of a row in the count of some of the values."""
        weights = weigh(self._channel, some)
        inside, outside = (number(float(weights[some == held][0])) for held in (True, False))
        held = one_of(self._domain, np.flatnonzero(some), self._column)
        return f"(CASE WHEN {held} THEN {inside} ELSE {outside} END)"


class _DrawnKey(Key):
    """A randomized attribute that is grouped by: a row counts for each of its values."""

    class_table = "class"


def _key(
    classes: Classes, domain: Domain, channel: Channel, column: ShownColumn, possible: BoolArray
) -> Key:
    """An attribute that is grouped by; see `exact_key`."""
    if channel.kept:
        return exact_key(classes, domain, column, possible)
    return _drawn_key(classes, domain, channel, column, possible=possible)


def _drawn_key(
    classes: Classes, domain: Domain, channel: Channel, column: ShownColumn, possible: BoolArray
) -> Key:
    """A randomized attribute that is grouped by; see `exact_key`."""
    codes = np.flatnonzero(possible)
    value = value_of(classes.attribute, "value")
    alike = equal(value, column.name, domain.has_null)
    own, other = (number(figure) for figure in (channel.inverse.own, channel.inverse.other))
    key = value_key(
        classes,
        domain,
        codes,
        {"value": [f"{literal(domain.labels[code])}::{column.type}" for code in codes.tolist()]},
        on=f"{value_of(classes.attribute, 'class')} = r.class_{classes.attribute}"
        if classes.size > 1
        else "true",
    )
    return _DrawnKey(
        classes,
        key.joined,
        f"(CASE WHEN {alike} THEN {own} ELSE {other} END)",
        key.tables,
        values=key.values,
    )


def _count(weighed: str, keys: Sequence[Key], view: str, used: dict[int, str], keyed: bool) -> str:
    """The SELECT for one grouping set, with a column for its keys or without.

    Args:
        weighed: Weight of a row by the condition, as SQL, joined with the values of kept keys and
            the classes of others.
        used: Columns of the view that the statement takes, by attribute.
    """
    if not all(key.values for key in keys):
        return (
            f"SELECT {EMPTY_KEY} AS key, {ZERO} AS estimate, {ZERO} AS standard_error WHERE false"
        )
    listed = "".join(f"{name} AS shown_{attribute}, " for attribute, name in used.items())
    alike = f" GROUP BY {', '.join(used.values())}" if used else ""
    source = f"(SELECT {listed}pg_catalog.count(*)::float8 AS records FROM {view} AS r{alike}) AS r"
    # What rows are told apart by: columns yet to be spread, and keys that they were joined with.
    apart: dict[str, str] = {}
    drawn = []
    for key in keys:
        attribute = key.classes.attribute
        if not isinstance(key, _DrawnKey):
            source += key.joined
            apart[f"key_{attribute}"] = key.key
            continue
        drawn.append(key)
        apart[f"shown_{attribute}"] = f"r.shown_{attribute}"
        if key.classes.size > 1:
            classes = f"(SELECT DISTINCT class FROM value_{attribute})"
            source += f"\nCROSS JOIN {classes} AS class_{attribute}"
            apart[f"class_{attribute}"] = f"class_{attribute}.class"
    source = (
        f"(SELECT {_named(apart)}r.records, ({weighed})::float8 AS weight\nFROM {source}) AS r\n"
        f"WHERE weight <> {ZERO}"
    )
    apart = {name: f"r.{name}" for name in apart}
    counted = _summed(apart, source, "r.records", "r.records", weighed="r.weight")
    for key in drawn:
        attribute = key.classes.attribute
        spread = (f"shown_{attribute}", f"class_{attribute}")
        apart = {name: f"r.{name}" for name in apart if name not in spread}
        apart[f"key_{attribute}"] = key.key
        source = f"({counted}) AS r{key.joined}"
        counted = _summed(apart, source, "r.estimate", "r.square", weighed=key.weight)
    error = "pg_catalog.sqrt(greatest(square - estimate, 0))::float8 AS standard_error"
    if not keys:
        shown_key = f"{EMPTY_KEY} AS key, " if keyed else ""
        return (
            f"SELECT {shown_key}coalesce(estimate, 0)::float8 AS estimate, {error}\n"
            f"FROM ({counted}) AS counted"
        )
    named = " || ".join(f"key_{key.classes.attribute}" for key in keys)
    return (
        f"SELECT {named} AS key, estimate, {error}\nFROM ({counted}) AS counted\n"
        f"WHERE estimate <> {ZERO} OR square <> {ZERO}"
    )


def _named(columns: dict[str, str]) -> str:
    return "".join(f"{expression} AS {name}, " for name, expression in columns.items())


def _summed(apart: dict[str, str], source: str, estimate: str, square: str, weighed: str) -> str:
    """The SELECT of sums of weighed rows, and of squares, by what they are told apart by."""
    grouped = f"\nGROUP BY {', '.join(apart.values())}" if apart else ""
    return (
        f"SELECT {_named(apart)}pg_catalog.sum({estimate} * {weighed}) AS estimate, "
        f"pg_catalog.sum({square} * {weighed} * {weighed}) AS square\nFROM {source}{grouped}"
    )
