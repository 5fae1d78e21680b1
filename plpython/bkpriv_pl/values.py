"""Values: how those of a release's columns are written, as extents of groups or one by one.

A numeric quasi-identifier that is generalized is written as a range of its type, or a wider one
where its bounds would not fit; others are written as labels.
"""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.errors import InvalidData
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_pl.bins import bin_end
from bkpriv_pl.column import Column

__all__ = ["Exact", "Extent", "exact_of", "extent_of", "labels_of", "unchanged"]

_RANGES = {
    "int2": ("int4range", "int4"),
    "int4": ("int4range", "int4"),
    "int8": ("int8range", "int8"),
    "numeric": ("numrange", "numeric"),
    "float4": ("numrange", "numeric"),
    "float8": ("numrange", "numeric"),
    "date": ("daterange", "date"),
    "timestamp": ("tsrange", "timestamp"),
    "timestamptz": ("tstzrange", "timestamptz"),
}
"""Range type of each numeric type, and the type of its bounds."""

_WIDER = {"int4range": ("int8range", "int8"), "int8range": ("numrange", "numeric")}
"""Where the domain holds the largest integer, whose range has no upper bound, or bins go beyond."""

_LAST_DAY = "5874897-12-31"
"""A range of days is written without its upper bound, which is the day after; there is none."""

_BINNED = {
    "int4range": "numeric",
    "int8range": "numeric",
    "numrange": "numeric",
    "daterange": "date",
    "tsrange": "timestamp",
    "tstzrange": "timestamptz",
}
"""Type of the starts of bins that are published as ranges of a type."""

_BEYOND = {"int4range": 2**31, "int8range": 2**63}
"""The first integer that is no bound of such a range; the least that is one, with a minus sign."""


@dataclass(frozen=True)
class Extent:
    """How the groups' extents in one quasi-identifier are written.

    Parameters
    ----------
    name : str
        Its name.
    type : str
        SQL type of the published column.
    expression : str
        SQL for the published value over the texts ``low`` and ``high``, which it formats.
    low, high : list of str or None
        For each group, the bounds, or the label and nothing.
    """

    name: str
    type: str
    expression: str
    low: list[str | None]
    high: list[str | None]


@dataclass(frozen=True)
class Exact:
    """How single values of an attribute are written.

    Parameters
    ----------
    name : str
        Its name.
    type : str
        SQL type of the published column.
    expression : str
        SQL for the published value over its text ``label``.
    """

    name: str
    type: str
    expression: str


def extent_of(
    form: Generalized, domain: Domain, axis: int, column: Column, low: IntArray, high: IntArray
) -> Extent:
    """Bounds or labels of the groups in one quasi-identifier."""
    if not domain.numeric:
        labels = form.labels(domain, axis, low, high)
        return Extent(domain.name, "text", "{low}", labels, [None] * len(labels))
    name, bound = _range_type(column, domain)
    range_ = f"{name}({{low}}::{bound}, {{high}}::{bound}, '[]')"
    if column.bin is not None:
        end = bin_end(column.bin, f"{{high}}::{_BINNED[name]}")
        range_ = f"{name}({{low}}::{bound}, {end}::{bound})"
    elif name == "daterange" and _LAST_DAY in domain.labels:
        raise InvalidData(
            f'attribute "{domain.name}" has the value {_LAST_DAY}, which no range of days can hold',
            detail="It is the last day that there is, and a range ends before the day after.",
            hint="Replace it, or publish by bucketize or anatomy, which show exact values.",
        )
    # NULL is the last value: a group of NULLs alone has neither bound, one that mixes NULL with
    # numbers has no upper bound and may hold anything.
    expression = (
        f"CASE WHEN {{low}} IS NULL THEN NULL WHEN {{high}} IS NULL THEN {name}(NULL, NULL) "
        f"ELSE {range_} END"
    )
    return Extent(
        domain.name,
        name,
        expression,
        [domain.labels[code] for code in low],
        [domain.labels[code] for code in high],
    )


def _range_type(column: Column, domain: Domain) -> tuple[str, str]:
    """The type of a column's ranges and that of their bounds."""
    name, bound = _RANGES[column.type_name]
    values = [label for label in domain.labels if label is not None]
    width = 1 if column.bin is None else column.bin.width
    while values and width is not None and name in _BEYOND:
        if -_BEYOND[name] <= int(values[0]) and int(values[-1]) + width < _BEYOND[name]:
            break
        name, bound = _WIDER[name]
    return name, bound


def exact_of(column: Column, domain: Domain) -> Exact:
    """How a column's values are written; bins as ranges, for their starts are not what they say."""
    if column.bin is None:
        return Exact(domain.name, column.published_as, f"label::{column.published_as}")
    name, bound = _range_type(column, domain)
    start = f"label::{_BINNED[name]}"
    expression = f"{name}({start}::{bound}, {bin_end(column.bin, start)}::{bound})"
    return Exact(domain.name, name, f"CASE WHEN label IS NOT NULL THEN {expression} END")


def unchanged(column: Column) -> Exact:
    """How the values of a column that passes through are written."""
    return Exact(column.name, column.published_as, f"label::{column.published_as}")


def labels_of(name: str, labels: str, column: Exact) -> str:
    """SQL of a query by that name: a domain's labels as they are published, by places from 1."""
    return (
        f"{name} AS MATERIALIZED (SELECT {column.expression} AS label, place "
        f"FROM unnest({labels}) WITH ORDINALITY AS x(label, place))"
    )
