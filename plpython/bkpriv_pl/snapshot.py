"""Snapshots: the frozen tables of a release, written set-wise and in random order.

=================  ==============================================================================
form               tables
=================  ==============================================================================
``generalized``    *records*: each record as its group's box, one range or label per
                   quasi-identifier, and a sensitive value of the group
``bucketized``     *records*: exact quasi-identifiers, ``group_id``, and a sensitive value of the
                   group, drawn at random without return; *sensitive*: ``group_id``, value,
                   ``count``
``anatomized``     the same without the value in *records*
=================  ==============================================================================

The tables are written from the groups' boxes, cells and histograms; neither the source nor the
order of its records plays a part. Which record of a group holds which value is not written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.errors import InvalidData
from bkpriv_core.method import Form, Options
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_pl.bins import bin_end
from bkpriv_pl.boundary import Refusal, array_literal, run
from bkpriv_pl.counts import Column
from bkpriv_pl.dataset import Dataset, columns_of
from bkpriv_pl.view import Part

__all__ = ["Columns", "check_columns", "parts_of", "write_snapshot"]

Columns = tuple[tuple[str, str], ...]
"""Names and SQL types of a table's columns."""

_GROUP, _COUNT = "group_id", "count"
"""Columns that a bucketized or anatomized release adds."""

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
class _Extent:
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
class _Exact:
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


def parts_of(form: Form) -> tuple[Part, ...]:
    """Tables that a release of that form has."""
    return ("records",) if form == "generalized" else ("records", "sensitive")


def check_columns(dataset: Dataset, form: Form) -> None:
    """Refuse attributes that go by the name of a column that the form adds."""
    if form == "generalized":
        return
    for name in (_GROUP, _COUNT):
        if name in dataset.attributes:
            raise Refusal(
                "42701",
                f'column "{name}" of dataset "{dataset.name}" goes by a name of the release',
                detail=f'The views have columns "{_GROUP}" and "{_COUNT}" of their own.',
                hint="Publish from a view that calls the column something else.",
            )


def write_snapshot(
    release: int, parts: Parts, dataset: Dataset, groups: Groups, form: Form, options: Options
) -> dict[Part, Columns]:
    """Write and seal the tables of a release.

    Returns
    -------
    dict
        The columns of each part.
    """
    types = columns_of(dataset)
    exact = [_exact(types[domain.name], domain) for domain in parts.table.domains]
    sensitive = (dataset.sensitive, exact[-1].type)
    written: dict[Part, Columns] = {}
    if form == "generalized":
        low, high = parts.boxes(groups)
        extents = [
            _extent(parts, axis, types[domain.name], low[:, axis], high[:, axis])
            for axis, domain in enumerate(parts.table.quasi_identifiers)
        ]
        written["records"] = (*((item.name, item.type) for item in extents), sensitive)
        name = _create(release, "records", written["records"])
        _fill_generalized(name, parts, groups, extents, exact[-1], options.seed)
    else:
        group = (_GROUP, "integer")
        kept = ((item.name, item.type) for item in exact[:-1])
        value = (sensitive,) if form == "bucketized" else ()
        written["records"] = (*kept, group, *value)
        written["sensitive"] = (group, sensitive, (_COUNT, "bigint"))
        name = _create(release, "records", written["records"])
        _fill_exact(name, parts, groups, exact, form, options.seed)
        name = _create(release, "sensitive", written["sensitive"])
        _fill_sensitive(name, parts, groups, exact[-1], options.seed)
    run("SELECT bkpriv_internal.seal_release_tables($1)", ["bigint"], [release])
    return written


def _create(release: int, part: Part, columns: Columns) -> str:
    """Create a table of a release, and return its name as SQL."""
    run(
        "SELECT bkpriv_internal.create_release_table($1, $2, $3::text[]::regtype[], $4)",
        ["bigint", "text[]", "text[]", "text"],
        [release, [name for name, _ in columns], [_type for _, _type in columns], part],
    )
    row = run(
        "SELECT bkpriv_internal.release_table($1, $2) AS name", ["bigint", "text"], [release, part]
    )
    return f"bkpriv_release.{plpy.quote_ident(row[0]['name'])}"


def _extent(parts: Parts, axis: int, column: Column, low: IntArray, high: IntArray) -> _Extent:
    """Bounds or labels of the groups in one quasi-identifier."""
    domain = parts.table.quasi_identifiers[axis]
    if not domain.numeric:
        labels = parts.labels(axis, low, high)
        return _Extent(domain.name, "text", "{low}", labels, [None] * len(labels))
    name, bound = _range_type(column, domain)
    shown = f"{name}({{low}}::{bound}, {{high}}::{bound}, '[]')"
    if column.bin is not None:
        end = bin_end(column.bin, f"{{high}}::{_BINNED[name]}")
        shown = f"{name}({{low}}::{bound}, {end}::{bound})"
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
        f"ELSE {shown} END"
    )
    return _Extent(
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


def _exact(column: Column, domain: Domain) -> _Exact:
    """How a column's values are written; bins as ranges, for their starts are not what they say."""
    if column.bin is None:
        return _Exact(domain.name, column.published_as, f"label::{column.published_as}")
    name, bound = _range_type(column, domain)
    start = f"label::{_BINNED[name]}"
    expression = f"{name}({start}::{bound}, {bin_end(column.bin, start)}::{bound})"
    return _Exact(domain.name, name, f"CASE WHEN label IS NOT NULL THEN {expression} END")


def _random_order(seed: int | None, *keys: str) -> str:
    """SQL to order rows by: at random, or repeatably by their keys for tests."""
    if seed is None:
        return "gen_random_uuid()"
    return f"md5(concat_ws(' ', {int(seed)}, {', '.join(keys)}))"


def _fill_generalized(
    name: str,
    parts: Parts,
    groups: Groups,
    extents: list[_Extent],
    sensitive: _Exact,
    seed: int | None,
) -> None:
    """Insert the records of all groups, in random order.

    What is shown is made once for each group and each value; records only repeat it.
    """
    histograms = parts.histograms(groups)
    group, value = np.nonzero(histograms)
    shown, bounds, arguments = [], [], []
    for axis, item in enumerate(extents):
        low, high = f"low{axis}", f"high{axis}"
        shown.append(f"{item.expression.format(low=low, high=high)} AS shown{axis}")
        bounds += [low, high]
        arguments += [item.low, item.high]
    slots = [f"${place}" for place in range(1, len(arguments) + 1)]
    after = len(arguments)
    columns = ", ".join(f"shown{axis}" for axis in range(len(extents)))
    run(
        f"WITH b AS MATERIALIZED (SELECT {', '.join(shown)}, place FROM "
        f"unnest({', '.join(slots)}) WITH ORDINALITY AS b({', '.join(bounds)}, place)), "
        f"{_labels('v', f'${after + 4}', sensitive)}, "
        f"r AS (SELECT {columns}, v.label, e.*, generate_series(1, records) AS i "
        f"FROM unnest(${after + 1}::int[], ${after + 2}::int[], ${after + 3}::int[]) "
        f"AS e(group_place, value_place, records) "
        f"LEFT JOIN b ON b.place = e.group_place + 1 LEFT JOIN v ON v.place = e.value_place + 1) "
        f"INSERT INTO {name} SELECT {columns}, label FROM r "
        f"ORDER BY {_random_order(seed, 'group_place', 'value_place', 'i')}",
        [*["text[]"] * after, "text", "text", "text", "text[]"],
        [
            *arguments,
            array_literal(group),
            array_literal(value),
            array_literal(histograms[group, value]),
            list(parts.table.sensitive.labels),
        ],
    )


def _fill_exact(
    name: str,
    parts: Parts,
    groups: Groups,
    exact: list[_Exact],
    form: Form,
    seed: int | None,
) -> None:
    """Insert the records with their exact quasi-identifiers and group, in random order.

    Records are numbered group by group. So are the values of bucketized groups, within a group at
    random: a record and a value of one number meet.
    """
    axes = range(len(parts.table.quasi_identifiers))
    histograms = parts.histograms(groups)
    group, value = np.nonzero(histograms)
    members = groups.members
    sizes = parts.weights[members]
    arrays = (
        *(groups.owner, *(parts.codes[members, axis] for axis in axes)),
        *(np.cumsum(sizes) - sizes, sizes),
        *(group, value, histograms[group, value]),
    )
    domains = parts.table.domains
    slots = [f"${place}::bigint[]" for place in range(1, len(arrays) + 1)]
    labels = [f"${place}" for place in range(len(arrays) + 1, len(arrays) + len(domains) + 1)]
    coded = ", ".join(f"code{axis}" for axis in axes)
    written = ", ".join([*(f"shown{axis}" for axis in axes), "group_id"])
    shown = ", ".join(f"q{axis}.label AS shown{axis}" for axis in axes)
    with_labels = [_labels(f"q{axis}", labels[axis], exact[axis]) for axis in axes]
    joins = " ".join(f"LEFT JOIN q{axis} ON q{axis}.place = e.code{axis} + 1" for axis in axes)
    records = (
        f"r AS (SELECT {shown}, e.group_id, generate_series(before + 1, before + records) AS i "
        f"FROM unnest({', '.join(slots[:-3])}) AS e(group_id, {coded}, before, records) {joins})"
    )
    values = (
        f"{_labels('v', labels[-1], exact[-1])}, "
        f"e AS (SELECT e.*, v.label, generate_series(1, records) AS i "
        f"FROM unnest({', '.join(slots[-3:])}) AS e(group_id, value_place, records) "
        f"LEFT JOIN v ON v.place = e.value_place + 1), "
        f"s AS (SELECT label, row_number() OVER (ORDER BY group_id, "
        f"{_random_order(seed, 'value_place', 'i', 'group_id')}) AS i FROM e)"
    )
    queries, meeting = [*with_labels, records], ""
    if form == "bucketized":
        queries.append(values)
        written, meeting = f"{written}, label", "JOIN s USING (i)"
    run(
        f"WITH {', '.join(queries)} INSERT INTO {name} SELECT {written} "
        f"FROM r {meeting} ORDER BY {_random_order(seed, 'i')}",
        ["text"] * len(arrays) + ["text[]"] * len(domains),
        [*map(array_literal, arrays), *(list(domain.labels) for domain in domains)],
    )


def _labels(name: str, labels: str, shown: _Exact) -> str:
    """SQL of a query by that name: a domain's labels as they are published, by places from 1."""
    return (
        f"{name} AS MATERIALIZED (SELECT {shown.expression} AS label, place "
        f"FROM unnest({labels}) WITH ORDINALITY AS x(label, place))"
    )


def _fill_sensitive(
    name: str, parts: Parts, groups: Groups, sensitive: _Exact, seed: int | None
) -> None:
    """Insert each group's values and how often they occur, in random order."""
    histograms = parts.histograms(groups)
    group, value = np.nonzero(histograms)
    run(
        f"INSERT INTO {name} SELECT e.group_id, {sensitive.expression}, e.records "
        f"FROM unnest($1::int[], $2::int[], $3::int[]) AS e(group_id, value_place, records) "
        f"JOIN unnest($4) WITH ORDINALITY AS v(label, place) ON v.place = e.value_place + 1 "
        f"ORDER BY {_random_order(seed, 'e.group_id', 'e.value_place')}",
        ["text", "text", "text", "text[]"],
        [
            array_literal(group),
            array_literal(value),
            array_literal(histograms[group, value]),
            list(parts.table.sensitive.labels),
        ],
    )
