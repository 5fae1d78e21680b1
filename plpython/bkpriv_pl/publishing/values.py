"""Values: how those of an attribute are written in the columns of a release, and read from views.

An attribute is shown as it is, as a label, or as a range, of values or of bins. In which columns a
range is shown, the option ``ranges`` says:

========  ========================================================================================
range     ``age`` of a range type
bounds    ``age_from`` and ``age_to``, of the attribute's own type, both included
text      ``age`` as text, such as ``20–29``, or ``20`` for one value
========  ========================================================================================

Bins of a continuum have no last value. They end in ``age_below``, which is not included, and as
text in ``0.5–<1``. A range that mixes NULL with numbers has no bounds: NULL in either column, ``*``
as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plpy

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.release.release import Field, RangeStyle
from bkpriv_core.release.rewriting.fragment import RangeEnds, ShownColumn
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_pl.publishing.literal import NUMBERS, TIMES
from bkpriv_pl.tables.bins import bin_end
from bkpriv_pl.tables.column import Column

__all__ = [
    "ADDED",
    "Shown",
    "exact_of",
    "extent_of",
    "label_of",
    "names_of",
    "read_extent",
    "read_label",
    "read_value",
]

ADDED: dict[Field, str] = {
    "group_id": "integer",
    "count": "bigint",
    "attribute": "text",
    "value": "text",
    "retention": "float8",
    "flip_probability": "float8",
}
"""Columns of exhibits that the source does not have, and their types."""

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
"""Wider types: for domains with the largest integer, whose range is unbounded, or wider bins."""

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

_BEYOND = {"int2": 2**15, "int4": 2**31, "int8": 2**63, "int4range": 2**31, "int8range": 2**63}
"""The first integer that is none of a type, or no bound of such a range; the least that is one,
with a minus sign."""

_WHOLE = {"int2", "int4", "int8"}
_STEPPED = _WHOLE | {"date"}
"""Types whose bins have a last value."""

_DASH = "–"
"""Between the ends of a range that is text: no sign of a number or a day."""

_BELOW = f"{_DASH}<"
"""The same before an end that is not included."""

_MISSING = "NULL where values are missing"


@dataclass(frozen=True)
class Shown:
    """A column in which an attribute is shown."""

    name: str
    type: str
    expression: str
    """SQL for its value over the texts ``low`` and ``high`` of the first and the last value that it
    stands for, which it formats.
    """
    says: str

    def written(self, low: str, high: str | None = None) -> str:
        """SQL for its value over two expressions, or over one for both."""
        return self.expression.format(low=low, high=low if high is None else high)


Columns = tuple[Shown, ...]
"""The columns of an attribute, or of several."""


def unchanged(column: Column) -> Columns:
    """The column of one that passes through."""
    type_ = column.published_as
    return (Shown(column.name, type_, f"{{low}}::{type_}", "as in the source"),)


def label_of(domain: Domain) -> Columns:
    """The column of a categorical quasi-identifier that is generalized: a label, in `low`."""
    says = f"a value, or a label that stands for several, {ROOT} for any"
    return (Shown(domain.name, "text", "{low}", says),)


def exact_of(column: Column, domain: Domain, ranges: RangeStyle) -> Columns:
    """The columns of an attribute of which single values are shown; of bins, ranges."""
    if column.bin is None:
        return unchanged(column)
    shown = extent_of(column, domain, ranges)
    if ranges != "range":
        return shown
    # A value may be NULL, and then that is all there is.
    return tuple(
        Shown(
            item.name,
            item.type,
            f"CASE WHEN {{low}} IS NOT NULL THEN {_range(column, domain)} END",
            "the range of the bin that the value is in",
        )
        for item in shown
    )


def extent_of(column: Column, domain: Domain, ranges: RangeStyle) -> Columns:
    """The columns of a numeric attribute of which ranges are shown.

    Raises:
        InvalidData: If no range can hold a value.
    """
    name, _ = _range_type(column, domain)
    if column.bin is None and name == "daterange" and _LAST_DAY in domain.labels:
        raise InvalidData(
            f'attribute "{domain.name}" has the value {_LAST_DAY}, which no range of days can hold',
            detail="It is the last day that there is, and a range ends before the day after.",
            hint="Replace it, or publish by bucketize or anatomy, which show exact values.",
        )
    if ranges == "bounds":
        return _show_bounds(column, domain)
    if ranges == "text":
        return (_show_text(column, domain),)
    # NULL is the last value: a group of NULLs alone has neither bound, one that mixes NULL with
    # numbers has no upper bound and may hold anything.
    expression = (
        f"CASE WHEN {{low}} IS NULL THEN NULL WHEN {{high}} IS NULL THEN {name}(NULL, NULL) "
        f"ELSE {_range(column, domain)} END"
    )
    says = f"a range with all values; {_MISSING}, and without bounds where some are"
    return (Shown(domain.name, name, expression, says),)


def _range(column: Column, domain: Domain) -> str:
    """SQL of the range from one value to another, both included; of bins, whole ones."""
    name, bound = _range_type(column, domain)
    if column.bin is None:
        return f"{name}({{low}}::{bound}, {{high}}::{bound}, '[]')"
    end = bin_end(column.bin, f"{{high}}::{_BINNED[name]}")
    return f"{name}({{low}}::{bound}, {end}::{bound})"


def _range_type(column: Column, domain: Domain) -> tuple[str, str]:
    """The type of a column's ranges and that of their bounds."""
    name, bound = _RANGES[column.type_name]
    while name in _BEYOND and not _fits(name, column, domain):
        name, bound = _WIDER[name]
    return name, bound


def _fits(type_: str, column: Column, domain: Domain, after: int = 0) -> bool:
    """Whether a type has all whole numbers of a domain, and where their bins end, less `after`."""
    values = [label for label in domain.labels if label is not None]
    width = 1 if column.bin is None else column.bin.width
    return (
        not values
        or width is None
        or (-_BEYOND[type_] <= int(values[0]) and int(values[-1]) + width - after < _BEYOND[type_])
    )


# --- Bounds and text ------------------------------------------------------------------------------


def _ends(column: Column, domain: Domain) -> tuple[str, str, bool]:
    """SQL of both ends of a range of values or bins, and whether the latter is included."""
    if column.bin is None:
        return "{low}", "{high}", True
    bin_ = column.bin
    start = _BINNED[_RANGES[column.type_name][0]]
    end = bin_end(bin_, f"{{high}}::{start}")
    included = column.type_name in _STEPPED
    return f"{{low}}::{start}", f"({end} - 1)" if included else end, included


def _show_bounds(column: Column, domain: Domain) -> Columns:
    low, high, included = _ends(column, domain)
    type_ = column.published_as
    if column.bin is not None and column.is_number:
        # Bins begin and end at any decimals; those of whole numbers may do so beyond their type.
        fits = column.type_name in _WHOLE and _fits(column.type_name, column, domain, after=1)
        type_ = type_ if fits else "numeric"
    known = "CASE WHEN {high} IS NOT NULL THEN"
    first, last = names_of(domain.name, included)
    ends = "the greatest value" if included else "the end of the last bin, not included"
    return (
        Shown(first, type_, f"{known} {low}::{type_} END", f"the least value; {_MISSING}"),
        Shown(last, type_, f"{known} {high}::{type_} END", f"{ends}; {_MISSING}"),
    )


def _show_text(column: Column, domain: Domain) -> Shown:
    low, high, included = _ends(column, domain)
    low, high = f"{low}::text", f"{high}::text"
    dash = _DASH if included else _BELOW
    expression = (
        f"CASE WHEN {{low}} IS NULL THEN NULL WHEN {{high}} IS NULL THEN '{ROOT}' "
        f"WHEN {low} = {high} THEN {low} ELSE {low} || '{dash}' || {high} END"
    )
    ends = "the greatest" if included else "the end of the last bin, not included"
    says = f"the least value, and {ends}, as text; {_MISSING}, {ROOT} where some are"
    return Shown(domain.name, "text", expression, says)


def names_of(name: str, included: bool) -> tuple[str, str]:
    """Names of the columns with the ends of an attribute's ranges.

    Raises:
        InvalidParameter: If PostgreSQL would cut one short.
    """
    names = f"{name}_from", f"{name}_{'to' if included else 'below'}"
    longest = max(names, key=len)
    if len(longest.encode()) > 63:
        raise InvalidParameter(
            f'column "{name}" has too long a name to be shown by two',
            detail=f'"{longest}" would have {len(longest.encode())} bytes; PostgreSQL keeps 63.',
            hint='Publish from a view that calls it something shorter, or with {"ranges": "text"}.',
        )
    return names


def names_in(name: str, items: Columns) -> list[str]:
    """Names of an attribute's columns in a query of `labels_of`."""
    return [f"{name}_{place}" for place in range(len(items))]


def labels_of(name: str, labels: str, items: Columns) -> str:
    """SQL of a query by that name: a domain's labels as they are published, by places from 1."""
    columns = [
        f"{item.written('label')} AS {column}"
        for item, column in zip(items, names_in(name, items), strict=True)
    ]
    return (
        f"{name} AS MATERIALIZED (SELECT {', '.join(columns)}, place "
        f"FROM unnest({labels}) WITH ORDINALITY AS x(label, place))"
    )


# --- Read back ------------------------------------------------------------------------------------

_BOUNDS = {
    "int4range": RangeEnds("pg_catalog.lower({0})::float8", "(pg_catalog.upper({0}) - 1)::float8"),
    "int8range": RangeEnds("pg_catalog.lower({0})::float8", "(pg_catalog.upper({0}) - 1)::float8"),
    "numrange": RangeEnds("pg_catalog.lower({0})::float8", "pg_catalog.upper({0})::float8"),
    "daterange": RangeEnds(
        "extract(epoch FROM pg_catalog.lower({0}))::float8",
        "extract(epoch FROM pg_catalog.upper({0}) - 1)::float8",
    ),
    "tsrange": RangeEnds(
        "extract(epoch FROM pg_catalog.lower({0}))::float8",
        "extract(epoch FROM pg_catalog.upper({0}))::float8",
    ),
    "tstzrange": RangeEnds(
        "extract(epoch FROM pg_catalog.lower({0}))::float8",
        "extract(epoch FROM pg_catalog.upper({0}))::float8",
    ),
}
"""Positions of the ends of published ranges, by their type; ranges of days and integers are shown
without their upper bound, others with it."""

_STARTS = {
    "int4range": "integer",
    "int8range": "bigint",
    "numrange": "numeric",
    "daterange": "date",
    "tsrange": "timestamp without time zone",
    "tstzrange": "timestamp with time zone",
}
"""Type of the bounds of the ranges as which bins are published."""

_MADE = {
    "date": ("daterange", "date"),
    "timestamp without time zone": ("tsrange", "timestamp"),
    "timestamp with time zone": ("tstzrange", "timestamptz"),
}
"""The range that is made of bounds or text, and the type of its ends, of attributes of a type; of
numbers, one that includes its upper end."""

_LENT = ("character varying", "cidr")
"""Types that are compared by operators of others; for these very types somebody else may make one,
which would be preferred."""


@dataclass(frozen=True)
class Read:
    """Reading of an attribute from a published view by statements."""

    type: str
    made: str | None = None
    """SQL that it is made by of the view's columns; None where it is one of them."""
    value: str = "{0}"
    """SQL for what is compared, over the column that it is or is made, which it formats."""
    bounds: RangeEnds | None = None
    """The ends of the ranges that it is, if it is ranges; both format the column."""

    def of(self, column: str) -> ShownColumn:
        """Column as statements read it, by the name that they call it."""
        bounds = self.bounds
        if bounds is not None:
            bounds = RangeEnds(bounds.low.format(column), bounds.high.format(column))
        return ShownColumn(self.value.format(column), self.type, bounds)


def read_label(domain: Domain, _: str, shown: Mapping[str, str]) -> Read:
    """Reading of labels of a categorical attribute, of whatever type; see `read_value`."""
    return Read(shown[domain.name])


def read_value(domain: Domain, type_: str, shown: Mapping[str, str]) -> Read:
    """Reading of single values; of bins, which are shown as ranges, of the starts.

    Args:
        shown: Types of the view's columns.

    Raises:
        KeyError: If the view does not show it.
    """
    number = type_ in NUMBERS
    if domain.name not in shown:
        start, _ = names_of(domain.name, included=True)
        return Read(shown[start], plpy.quote_ident(start))
    type_shown = shown[domain.name]
    if type_shown.startswith(_LENT):
        return Read("text", value="{0}::text")
    if type_shown == type_ or not (number or type_ in TIMES):
        return Read(type_shown)
    if type_shown in _STARTS:
        return Read(_STARTS[type_shown], value="pg_catalog.lower({0})")
    start = "numeric" if number else type_
    return Read(
        start, f"pg_catalog.split_part({plpy.quote_ident(domain.name)}, '{_DASH}', 1)::{start}"
    )


def read_extent(domain: Domain, type_: str, shown: Mapping[str, str]) -> Read:
    """Reading of ranges of a numeric attribute; see `read_value`.

    Raises:
        KeyError: If the view does not show it, or in columns of other types.
    """
    binned = domain.ends is not None
    narrow = type_ == "real" and not binned
    if domain.name in shown and shown[domain.name] != "text":
        made = shown[domain.name]
        bounds = _BOUNDS[made]
        if binned and domain.step is not None and made == "numrange":
            # Bins beyond the integers have a next integer all the same.
            bounds = _BOUNDS["int8range"]
        return Read(made, bounds=_widened(bounds, narrow))
    made, end = _MADE.get(type_, ("numrange", "numeric"))
    included = domain.step is not None or not binned
    name = plpy.quote_ident(domain.name)
    if domain.name in shown:
        dash = _DASH if included else _BELOW
        low = f"pg_catalog.split_part({name}, '{dash}', 1)::{end}"
        high = f"coalesce(nullif(pg_catalog.split_part({name}, '{dash}', 2), ''), {name})::{end}"
        missing = (
            f"WHEN {name} IS NULL THEN NULL "
            f"WHEN {name} = '{ROOT}' THEN pg_catalog.{made}(NULL, NULL)"
        )
    else:
        first, last = names_of(domain.name, included)
        # A float is written as the shortest decimal that is read back as it.
        cast = f"::text::{end}" if shown[first] in ("real", "double precision") else f"::{end}"
        low, high = (f"{plpy.quote_ident(column)}{cast}" for column in (first, last))
        assert shown[last]
        # NULL alone is told from what is mixed with it only where nothing else is.
        nothing = "NULL" if domain.size == 1 else f"pg_catalog.{made}(NULL, NULL)"
        missing = f"WHEN {plpy.quote_ident(first)} IS NULL THEN {nothing}"
    brackets = "[]" if included else "[)"
    expression = f"CASE {missing} ELSE pg_catalog.{made}({low}, {high}, '{brackets}') END"
    return Read(made, expression, bounds=_widened(_BOUNDS[made], narrow))


def _widened(bounds: RangeEnds, narrow: bool) -> RangeEnds:
    """Bounds of ranges of reals, whose position is that of the double that each widens to."""
    if not narrow:
        return bounds
    return RangeEnds(
        *(end.replace("::float8", "::float4::float8") for end in (bounds.low, bounds.high))
    )
