"""Quasi-identifiers that are grouped by, as SQL, where they are shown as labels or ranges.

A range of integers or days, or of bins, may hold thousands of values. These have *places*, from 1
in their order, NULL last, and a row is joined with *stretches* of values of one class instead:
``held_0`` has, of attribute 0, the places of the first and the last value in such a stretch that
the row's range holds. What a row weighs is then its share in a value of mass 1; the masses of bins
stand beside their keys. Places are found by positions, or, where double precision does not tell
values apart, by comparing a range with each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.query.combination import Classes
from bkpriv_core.release.generalized.extent import Extents, Labels, Ranges
from bkpriv_core.release.generalized.sides import range_ends
from bkpriv_core.release.rewriting.fragment import (
    ShownColumn,
    check_length,
    equal,
    literal,
    number,
    value_of,
    values_table,
)
from bkpriv_core.release.rewriting.side import Key, value_key
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray
from bkpriv_core.table.notation import json_values

__all__ = ["StretchKey", "generalized_key"]


class StretchKey(Key):
    """A range of integers, days or bins, which is joined with stretches of values; see `Key`.

    Args:
        classes, joined, weight, tables, values: See `Key`; the weight is for a value of mass 1.
        binned: Whether values have masses of their own.
    """

    class_table = "held"

    def __init__(
        self,
        classes: Classes,
        joined: str,
        weight: str,
        tables: Sequence[str],
        values: int,
        *,
        binned: bool,
    ) -> None:
        super().__init__(classes, joined, weight, tables, values=values)
        self._binned = binned

    @property
    def mass(self) -> str:
        """SQL of the mass of a value."""
        return value_of(self.classes.attribute, "mass") if self._binned else "1"

    @property
    def first(self) -> str:
        """SQL of the place where a stretch begins."""
        return f"held_{self.classes.attribute}.first"

    @property
    def last(self) -> str:
        """SQL of the place where it ends."""
        return f"held_{self.classes.attribute}.last"

    @property
    def place(self) -> str:
        """Name of a column for the places of values."""
        return f"place_{self.classes.attribute}"


def generalized_key(
    classes: Classes, extents: Extents, column: ShownColumn, possible: BoolArray
) -> Key:
    """An attribute that is shown as labels or ranges.

    Args:
        classes, column, possible: See `exact_key`.
    """
    if not possible.any():
        return Key(classes, "", "0", (), values=0)
    if isinstance(extents, Labels):
        return _label_key(classes, extents, column, possible)
    assert isinstance(extents, Ranges)
    if extents.domain.step is None and extents.domain.ends is None:
        return _point_key(classes, extents, column, possible)
    return _stretch_key(classes, extents, column, possible)


def _label_key(classes: Classes, extents: Labels, column: ShownColumn, possible: BoolArray) -> Key:
    under = extents.spread().by_value.tocoo()
    held = possible[under.row]
    labels = [extents.labels[extent] for extent in under.col[held].tolist()]
    return value_key(
        classes,
        extents.domain,
        under.row[held].astype(np.int64),
        {
            "label": [f"{literal(label)}::{column.type}" for label in labels],
            "share": [number(share) for share in under.data[held].tolist()],
        },
        on=equal(value_of(classes.attribute, "label"), column.name, None in extents.labels),
        weight=value_of(classes.attribute, "share"),
    )


def _point_key(classes: Classes, ranges: Ranges, column: ShownColumn, possible: BoolArray) -> Key:
    """Key for a continuum: no value has a share, unless it is all there is."""
    domain, attribute = ranges.domain, classes.attribute
    runs = ranges.runs(possible)
    codes = np.unique(runs.written(np.arange(len(runs.length)))[1])
    labels = [domain.labels[code] for code in codes.tolist()]
    point, low = value_of(attribute, "point"), f"range_{attribute}.low"
    listed = [
        f"NULL::{column.type}"
        if label is None
        else f"pg_catalog.{column.type}({literal(label)}, {literal(label)}, '[]')"
        for label in labels
    ]
    columns = {"point": listed}
    on, weight = equal(point, column.name, null=False), "1"
    if domain.has_null:
        columns["mixed"] = _mixed(ranges, codes)
        on = (
            f"CASE WHEN {column.name} IS NULL THEN {point} IS NULL "
            f"WHEN {low} IS NULL THEN true ELSE {on} END"
        )
        weight = _weight(column, low, value_of(attribute, "mixed"), weight)
    ends = range_ends(attribute, domain.step, column)
    return value_key(classes, domain, codes, columns, on=on, weight=weight, before=ends)


def _stretch_key(classes: Classes, ranges: Ranges, column: ShownColumn, possible: BoolArray) -> Key:
    domain, attribute = ranges.domain, classes.attribute
    codes = np.flatnonzero(possible)
    numbers = codes[codes < domain.size - domain.has_null]
    first, last, position = _places(ranges, attribute, column, numbers)
    low, null = f"range_{attribute}.low", len(numbers) + 1
    weight = f"({number(1)} / range_{attribute}.whole)"
    if domain.has_null:
        first = f"WHEN {low} IS NULL THEN 1 ELSE {first} END"
        first = f"CASE WHEN {column.name} IS NULL THEN {null} {first}"
        last = f"CASE WHEN {low} IS NULL THEN {null} ELSE {last} END"
        weight = _weight(column, low, f"held_{attribute}.mixed", weight)
    span = f"span_{attribute}"
    joined = (
        f"{range_ends(attribute, domain.step, column)}\n"
        f"CROSS JOIN LATERAL (SELECT {first} AS first, {last} AS last) AS {span}\n"
        f"CROSS JOIN LATERAL (SELECT greatest(s.first, {span}.first) AS first, "
        f"least(s.last, {span}.last) AS last, s.class, s.mixed\n"
        f"    FROM stretch_{attribute} AS s "
        f"WHERE s.first <= {span}.last AND s.last >= {span}.first) AS held_{attribute}"
    )
    listed = literal(f"[{', '.join(json_values(domain, codes))}]")
    masses = _floats(ranges.masses[codes])
    binned = domain.ends is not None
    check_length(len(listed) + len(position) + len(masses) * binned)
    elements, mass = f"pg_catalog.jsonb_array_elements({listed})", ""
    if binned:
        elements, mass = f"ROWS FROM ({elements}, pg_catalog.unnest({masses}))", ", mass"
    tables = [
        f"value_{attribute} (place_{attribute}, key{mass}) AS (\n"
        f"    SELECT place, pg_catalog.jsonb_build_object({literal(domain.name)}, value){mass}\n"
        f"    FROM {elements} WITH ORDINALITY AS listed (value{mass}, place)\n)",
        position,
        values_table(f"stretch_{attribute}", _stretches(classes, ranges, codes)),
    ]
    return StretchKey(classes, joined, weight, tables, values=len(codes), binned=binned)


def _places(
    ranges: Ranges, attribute: int, column: ShownColumn, numbers: IntArray
) -> tuple[str, str, str]:
    """First and last place of the numbers that a range holds, and the table that tells them."""
    domain, table = ranges.domain, f"position_{attribute}"
    assert domain.positions is not None
    if numbers.size and not ranges.told_apart:
        above = [
            f"pg_catalog.{column.type}({literal(domain.labels[code])}, NULL)" for code in numbers
        ]
        counted = f"(SELECT pg_catalog.count(*) FROM {table} AS at WHERE"
        return (
            f"{counted} pg_catalog.lower(at.above) < pg_catalog.lower({column.name})) + 1",
            f"{counted} NOT {column.name} OPERATOR(pg_catalog.<<) at.above)",
            values_table(table, {"above": above}),
        )
    low, high = f"range_{attribute}.low", f"range_{attribute}.high"
    up, down = f"(SELECT up FROM {table})", f"(SELECT down FROM {table})"
    # As many places are before a range as values, less those that are not less than its low end.
    first = f"{len(numbers) + 1} - pg_catalog.width_bucket(-{low}, {down})"
    last = f"pg_catalog.width_bucket({high}, {up})"
    if domain.step is None:  # Where the last bin ends, another may begin.
        last = f"{len(numbers)} - pg_catalog.width_bucket(-{high}, {down})"
    listed = (
        f"{table} (up, down) AS (\n"
        "    SELECT pg_catalog.array_agg(at ORDER BY at), pg_catalog.array_agg(-at ORDER BY -at)\n"
        f"    FROM pg_catalog.unnest({_floats(domain.positions[numbers])}) AS at\n)"
    )
    return first, last, listed


def _stretches(classes: Classes, ranges: Ranges, codes: IntArray) -> dict[str, Sequence[str]]:
    """Stretches of values of one class; NULL is one of its own."""
    members = classes.members[codes]
    null = codes == ranges.domain.size - ranges.domain.has_null
    starts = np.flatnonzero((np.diff(members, prepend=-1) != 0) | null)
    ends = np.append(starts[1:], len(codes))
    return {
        "first": [str(start + 1) for start in starts.tolist()],
        "last": [str(end) for end in ends.tolist()],
        "class": [str(member) for member in members[starts].tolist()],
        "mixed": _mixed(ranges, codes[starts]),
    }


def _weight(column: ShownColumn, low: str, mixed: str, weight: str) -> str:
    """A row's share in a value, where it may be NULL or a range without bounds."""
    return (
        f"(CASE WHEN {column.name} IS NULL THEN 1 WHEN {low} IS NULL THEN {mixed} "
        f"ELSE {weight} END)"
    )


def _mixed(ranges: Ranges, codes: IntArray) -> list[str]:
    """Share of each value of mass 1 in a range that mixes numbers and NULL, if there is one."""
    shares = np.zeros(ranges.domain.size)
    if ranges.domain.has_null:
        whole = ranges.unbounded().runs(np.ones(ranges.domain.size, dtype=bool))
        _, values, shared = whole.written(np.zeros(1, dtype=np.int64))
        shares[values] = shared
    return [number(share) for share in (shares / ranges.masses)[codes].tolist()]


def _floats(figures: FloatArray) -> str:
    """An array as PostgreSQL reads it, exactly; most figures are whole."""
    listed = ", ".join(repr(figure).removesuffix(".0") for figure in figures.tolist())
    return f"'{{{listed}}}'::float8[]"
