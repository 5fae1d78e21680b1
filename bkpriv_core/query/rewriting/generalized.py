"""Estimates of a generalized release, as SQL.

The condition becomes an expression for the probability that a row meets it, which the statement
adds up over the rows of the view. The expression is a sum over classes of values of the first
attribute, of the row's share in them times the expression for what is left of the condition then
(see `combination`); classes that leave the same are taken together. A conjunction so becomes a
product.

Sets of attributes to group by are counted one by one, for the values of a range that occur need not
add up to the range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from bkpriv_core.query.combination import atoms_by_attribute, combinations_met
from bkpriv_core.query.extent import Axis, Labels, Ranges, axes_of
from bkpriv_core.query.grouping import GroupingSet
from bkpriv_core.query.predicate import Atom, BoolArray, Predicate
from bkpriv_core.query.release import Release
from bkpriv_core.query.rewriting.fragment import (
    EMPTY_KEY,
    Column,
    check_length,
    product,
    with_values,
)
from bkpriv_core.query.rewriting.keys import Key, exact_key, generalized_key
from bkpriv_core.query.rewriting.sides import LabelSide, RangeSide, SensitiveSide, Side

__all__ = ["rewrite_generalized"]


def rewrite_generalized(
    release: Release,
    predicate: Predicate,
    grouping_sets: Sequence[GroupingSet],
    view: str,
    columns: Sequence[Column],
    poll: Callable[[], None] = lambda: None,
) -> str:
    """Write the estimate of a generalized release as SQL.

    Parameters
    ----------
    release : Release
        The release.
    predicate : Predicate
        What to count.
    grouping_sets : sequence of tuple of int
        What to group by.
    view : str
        The published view, as SQL.
    columns : sequence of Column
        Its columns for all attributes.
    poll : callable
        Called between steps; may raise to cancel.

    Returns
    -------
    str
        A SELECT.

    Raises
    ------
    TooLarge
        If the condition tells too many values apart, or the statement is too long.
    """
    told = atoms_by_attribute(predicate)
    axes = [*axes_of(release.table, release.groups, release.steps), None]
    sides = {
        attribute: _side(
            release, attribute, told[attribute], axes[attribute], columns[attribute], poll
        )
        for attribute in sorted(told)
    }
    keys = {
        key: _key(release, key, told.get(key, []), axes[key], columns[key], poll)
        for key in sorted({key for keys in grouping_sets for key in keys})
    }

    @cache
    def probability(grouped: frozenset[int]) -> str:
        """Of the condition, some of whose attributes are grouped by."""
        involved = [keys[key] if key in grouped else sides[key] for key in sides]
        met = combinations_met(predicate, [side.classes for side in involved], poll)
        return _probability(met, involved, poll)

    keyed = tuple(grouping_sets) != ((),)
    counts: list[str] = []
    length = 0
    for some in grouping_sets:
        poll()
        others = [side for attribute, side in sides.items() if attribute not in some]
        share = probability(frozenset(some).intersection(sides))
        counts.append(_count(share, [keys[key] for key in some], others, view, keyed))
        length += len(counts[-1])
        check_length(length)
    statement = with_values([key.table for key in keys.values()]) + "\nUNION ALL\n".join(counts)
    check_length(len(statement))
    return statement


def _side(
    release: Release,
    attribute: int,
    told: list[Atom],
    axis: Axis | None,
    column: Column,
    poll: Callable[[], None],
) -> Side:
    """An attribute of the condition; the sensitive one has no axis."""
    if axis is None:
        return SensitiveSide(attribute, told, release.table.sensitive, column, poll)
    if isinstance(axis, Labels):
        return LabelSide(attribute, told, axis, column, poll)
    assert isinstance(axis, Ranges)
    return RangeSide(attribute, told, axis, column, poll)


def _key(
    release: Release,
    attribute: int,
    told: list[Atom],
    axis: Axis | None,
    column: Column,
    poll: Callable[[], None],
) -> Key:
    """An attribute that is grouped by."""
    if axis is None:
        return exact_key(attribute, told, release.table.sensitive, column, poll)
    return generalized_key(attribute, told, axis, column, poll)


def _count(
    probability: str, keys: Sequence[Key], others: Sequence[Side], view: str, keyed: bool
) -> str:
    """The SELECT for one grouping set, with a column for its keys or without."""
    share = product([*(key.weight for key in keys), probability])
    source = f"FROM {view} AS r{''.join(side.joined for side in (*keys, *others))}"
    if not keys:
        shown = f"{EMPTY_KEY} AS key, " if keyed else ""
        return f"SELECT {shown}coalesce(sum({share}), 0)::float8 AS estimate\n{source}"
    values = [key.key for key in keys]
    return (
        "SELECT key, estimate FROM (\n"
        f"SELECT {' || '.join(values)} AS key, sum({share})::float8 AS estimate\n{source}\n"
        f"GROUP BY {', '.join(values)}\n) AS counted WHERE estimate > 0"
    )


def _probability(met: BoolArray, sides: Sequence[Side], poll: Callable[[], None]) -> str:
    """SQL of the probability that a row meets a condition.

    Parameters
    ----------
    met : bool array
        For which combinations of classes it is true, an axis for each side.
    sides : sequence of Side
        The attributes.
    """
    if met.all() or not met.any():
        return str(int(met.all()))
    side, *rest = sides
    alike: dict[bytes, list[int]] = {}
    for place in range(len(met)):
        poll()
        alike.setdefault(np.ascontiguousarray(met[place]).tobytes(), []).append(place)
    terms: list[str] = []
    length = 0
    for places in alike.values():
        left = _probability(met[places[0]], rest, poll)
        if left == "0":
            continue
        share = "1"
        if len(alike) > 1:
            share = side.share(np.isin(side.classes.members, places))
        terms.append(product([share, left]))
        length += len(terms[-1])
        check_length(length)
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"
