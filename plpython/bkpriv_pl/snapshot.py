"""Snapshots: the frozen tables of a release, written set-wise and in random order.

Which tables there are and what they show, the form of the release says. Boxes are written as one
range or label per quasi-identifier; a sensitive value beside exact quasi-identifiers is one of the
group's, drawn at random without return.

The tables are written from the groups' boxes, cells and histograms, or from the records that were
drawn; neither the source nor the order of its records plays a part. Which record of a group holds
which value is not written, and not which record was drawn for which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plpy

from bkpriv_core.errors import InvalidData
from bkpriv_core.release.bucketized.form import Anatomized, Bucketized
from bkpriv_core.release.form import Exhibit, Field, Form
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Release
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_pl.bins import bin_end
from bkpriv_pl.boundary import Refusal, array_literal, run
from bkpriv_pl.column import Column
from bkpriv_pl.dataset import Dataset, columns_of

__all__ = ["Columns", "check_columns", "write_snapshot"]

Columns = tuple[tuple[str, str], ...]
"""Names and SQL types of a table's columns."""

_ADDED: dict[Field, str] = {
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


def check_columns(dataset: Dataset, form: Form) -> None:
    """Refuse attributes that go by the name of a column that the form adds."""
    attributes = {"quasi_identifiers", "sensitive"}
    beside = {
        field for fields in form.exhibits.values() if attributes & {*fields} for field in fields
    }
    added = [name for name in _ADDED if name in beside]
    listed = '" and "'.join(added)
    for name in added:
        if name in dataset.measured:
            raise Refusal(
                "42701",
                f'column "{name}" of dataset "{dataset.name}" goes by a name of the release',
                detail=f'The views have columns "{listed}" of their own.',
                hint="Publish from a view that calls the column something else.",
            )


def write_snapshot(
    release: int, published: Release, dataset: Dataset, coarse: Collection[str], seed: int | None
) -> dict[Exhibit, Columns]:
    """Write and seal the tables of a release.

    Parameters
    ----------
    release : int
        Its id.
    published : Release
        What is published.
    dataset : Dataset
        The dataset.
    coarse : collection of str
        Attributes whose values are labels of classes, and not of the column's type.
    seed : int, optional
        Makes the order of rows repeatable, for tests.

    Returns
    -------
    dict
        The columns of each exhibit.
    """
    source = {
        name: replace(column, published_as="text", bin=None) if name in coarse else column
        for name, column in columns_of(dataset).items()
    }
    writer = _WRITERS[type(published.form)](published, source, seed)
    columns: dict[Field, Columns] = {
        "quasi_identifiers": tuple((item.name, item.type) for item in writer.quasi_identifiers),
        "sensitive": ((writer.sensitive.name, writer.sensitive.type),),
        **{name: ((name, type_),) for name, type_ in _ADDED.items()},
    }
    written: dict[Exhibit, Columns] = {}
    for exhibit, fields in published.form.exhibits.items():
        written[exhibit] = tuple(column for field in fields for column in columns[field])
        writer.fill(exhibit, _create(release, exhibit, written[exhibit]))
    run("SELECT bkpriv_internal.seal_release_tables($1)", ["bigint"], [release])
    return written


def _create(release: int, exhibit: Exhibit, columns: Columns) -> str:
    """Create a table of a release, and return its name as SQL."""
    run(
        "SELECT bkpriv_internal.create_release_table($1, $2, $3::text[]::regtype[], $4)",
        ["bigint", "text[]", "text[]", "text"],
        [release, [name for name, _ in columns], [_type for _, _type in columns], exhibit],
    )
    row = run(
        "SELECT bkpriv_internal.release_table($1, $2) AS name",
        ["bigint", "text"],
        [release, exhibit],
    )
    return f"bkpriv_release.{plpy.quote_ident(row[0]['name'])}"


def _extent(
    form: Generalized, domain: Domain, axis: int, column: Column, low: IntArray, high: IntArray
) -> _Extent:
    """Bounds or labels of the groups in one quasi-identifier."""
    if not domain.numeric:
        labels = form.labels(domain, axis, low, high)
        return _Extent(domain.name, "text", "{low}", labels, [None] * len(labels))
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


class _Writer(ABC):
    """What writes the tables of one form.

    Parameters
    ----------
    published : Release
        What is published.
    types : mapping of str to Column
        Columns of the source.
    seed : int, optional
        Makes the order of rows repeatable, for tests.
    """

    quasi_identifiers: Sequence[_Extent | _Exact]

    def __init__(self, published: Release, types: Mapping[str, Column], seed: int | None) -> None:
        self.published, self.seed = published, seed
        self.sensitive = _exact(types[published.table.sensitive.name], published.table.sensitive)

    @abstractmethod
    def fill(self, exhibit: Exhibit, name: str) -> None:
        """Insert the rows of a exhibit into the table of a name, in random order."""

    def random_order(self, *keys: str) -> str:
        """SQL to order rows by: at random, or repeatably by their keys for tests."""
        if self.seed is None:
            return "gen_random_uuid()"
        return f"md5(concat_ws(' ', {int(self.seed)}, {', '.join(keys)}))"


class _BoxWriter(_Writer):
    """Writes records as the boxes of their groups."""

    quasi_identifiers: list[_Extent]

    def __init__(self, published: Release, types: Mapping[str, Column], seed: int | None) -> None:
        super().__init__(published, types, seed)
        assert isinstance(published.form, Generalized)
        low, high = published.form.boxes(published.parts, published.groups)
        self.quasi_identifiers = [
            _extent(published.form, domain, axis, types[domain.name], low[:, axis], high[:, axis])
            for axis, domain in enumerate(published.table.quasi_identifiers)
        ]

    def fill(self, exhibit: Exhibit, name: str) -> None:
        """See `_Writer`.

        Extents and labels are computed once for each group and each value; records only repeat
        them.
        """
        histograms = self.published.histograms
        group, value = np.nonzero(histograms)
        expressions, bounds, arguments = [], [], []
        for axis, item in enumerate(self.quasi_identifiers):
            low, high = f"low{axis}", f"high{axis}"
            expressions.append(f"{item.expression.format(low=low, high=high)} AS shown{axis}")
            bounds += [low, high]
            arguments += [item.low, item.high]
        slots = [f"${place}" for place in range(1, len(arguments) + 1)]
        after = len(arguments)
        columns = ", ".join(f"shown{axis}" for axis in range(len(self.quasi_identifiers)))
        run(
            f"WITH b AS MATERIALIZED (SELECT {', '.join(expressions)}, place FROM "
            f"unnest({', '.join(slots)}) WITH ORDINALITY AS b({', '.join(bounds)}, place)), "
            f"{_labels('v', f'${after + 4}', self.sensitive)}, "
            f"r AS (SELECT {columns}, v.label, e.*, generate_series(1, records) AS i "
            f"FROM unnest(${after + 1}::int[], ${after + 2}::int[], ${after + 3}::int[]) "
            f"AS e(group_place, value_place, records) "
            f"LEFT JOIN b ON b.place = e.group_place + 1 "
            f"LEFT JOIN v ON v.place = e.value_place + 1) "
            f"INSERT INTO {name} SELECT {columns}, label FROM r "
            f"ORDER BY {self.random_order('group_place', 'value_place', 'i')}",
            [*["text[]"] * after, "text", "text", "text", "text[]"],
            [
                *arguments,
                array_literal(group),
                array_literal(value),
                array_literal(histograms[group, value]),
                list(self.published.table.sensitive.labels),
            ],
        )


class _ExactWriter(_Writer):
    """Writes records with single values of their quasi-identifiers."""

    quasi_identifiers: list[_Exact]

    def __init__(self, published: Release, types: Mapping[str, Column], seed: int | None) -> None:
        super().__init__(published, types, seed)
        self.quasi_identifiers = [
            _exact(types[domain.name], domain) for domain in published.table.quasi_identifiers
        ]


class _CellWriter(_ExactWriter):
    """Writes records with their exact quasi-identifiers, and the values of groups beside them."""

    def fill(self, exhibit: Exhibit, name: str) -> None:
        """See `_Writer`."""
        if exhibit == "records":
            self._fill_records(name)
        else:
            self._fill_sensitive(name)

    def _fill_records(self, name: str) -> None:
        """Insert the records with their exact quasi-identifiers and group.

        Records are numbered group by group. So are the values, where they stand beside records,
        within a group at random: a record and a value of one number meet.
        """
        axes = range(len(self.quasi_identifiers))
        histograms = self.published.histograms
        group, value = np.nonzero(histograms)
        sizes = self.published.weights
        arrays = (
            *(self.published.groups.owner, *self.published.codes.T),
            *(np.cumsum(sizes) - sizes, sizes),
            *(group, value, histograms[group, value]),
        )
        domains = self.published.domains
        slots = [f"${place}::bigint[]" for place in range(1, len(arrays) + 1)]
        labels = [f"${place}" for place in range(len(arrays) + 1, len(arrays) + len(domains) + 1)]
        coded = ", ".join(f"code{axis}" for axis in axes)
        written = ", ".join([*(f"shown{axis}" for axis in axes), "group_id"])
        exact = ", ".join(f"q{axis}.label AS shown{axis}" for axis in axes)
        with_labels = [
            _labels(f"q{axis}", labels[axis], item)
            for axis, item in enumerate(self.quasi_identifiers)
        ]
        joins = " ".join(f"LEFT JOIN q{axis} ON q{axis}.place = e.code{axis} + 1" for axis in axes)
        records = (
            f"r AS (SELECT {exact}, e.group_id, "
            f"generate_series(before + 1, before + records) AS i "
            f"FROM unnest({', '.join(slots[:-3])}) "
            f"AS e(group_id, {coded}, before, records) {joins})"
        )
        values = (
            f"{_labels('v', labels[-1], self.sensitive)}, "
            f"e AS (SELECT e.*, v.label, generate_series(1, records) AS i "
            f"FROM unnest({', '.join(slots[-3:])}) AS e(group_id, value_place, records) "
            f"LEFT JOIN v ON v.place = e.value_place + 1), "
            f"s AS (SELECT label, row_number() OVER (ORDER BY group_id, "
            f"{self.random_order('value_place', 'i', 'group_id')}) AS i FROM e)"
        )
        queries, meeting = [*with_labels, records], ""
        if "sensitive" in self.published.form.exhibits["records"]:
            queries.append(values)
            written, meeting = f"{written}, label", "JOIN s USING (i)"
        run(
            f"WITH {', '.join(queries)} INSERT INTO {name} SELECT {written} "
            f"FROM r {meeting} ORDER BY {self.random_order('i')}",
            ["text"] * len(arrays) + ["text[]"] * len(domains),
            [*map(array_literal, arrays), *(list(domain.labels) for domain in domains)],
        )

    def _fill_sensitive(self, name: str) -> None:
        """Insert each group's values and how often they occur."""
        histograms = self.published.histograms
        group, value = np.nonzero(histograms)
        run(
            f"INSERT INTO {name} SELECT e.group_id, {self.sensitive.expression}, e.records "
            f"FROM unnest($1::int[], $2::int[], $3::int[]) AS e(group_id, value_place, records) "
            f"JOIN unnest($4) WITH ORDINALITY AS v(label, place) ON v.place = e.value_place + 1 "
            f"ORDER BY {self.random_order('e.group_id', 'e.value_place')}",
            ["text", "text", "text", "text[]"],
            [
                array_literal(group),
                array_literal(value),
                array_literal(histograms[group, value]),
                list(self.published.table.sensitive.labels),
            ],
        )


class _DrawnWriter(_ExactWriter):
    """Writes records that were drawn, and how each attribute was distorted."""

    def fill(self, exhibit: Exhibit, name: str) -> None:
        """See `_Writer`."""
        if exhibit == "records":
            self._fill_records(name)
        else:
            self._fill_randomization(name)

    def _fill_records(self, name: str) -> None:
        """Insert each kind of record as often as it was drawn."""
        drawn, domains = self.published.form.drawn, self.published.domains
        assert drawn is not None
        axes = range(len(domains))
        arrays = (*drawn.codes.T, drawn.counts)
        slots = [f"${place}::bigint[]" for place in range(1, len(arrays) + 1)]
        with_labels = [
            _labels(f"a{axis}", f"${len(arrays) + 1 + axis}", item)
            for axis, item in enumerate((*self.quasi_identifiers, self.sensitive))
        ]
        exact = ", ".join(f"a{axis}.label AS shown{axis}" for axis in axes)
        coded = ", ".join(f"code{axis}" for axis in axes)
        joins = " ".join(f"LEFT JOIN a{axis} ON a{axis}.place = e.code{axis} + 1" for axis in axes)
        run(
            f"WITH {', '.join(with_labels)}, "
            f"r AS (SELECT {exact}, {coded}, generate_series(1, records) AS i "
            f"FROM unnest({', '.join(slots)}) AS e({coded}, records) {joins}) "
            f"INSERT INTO {name} SELECT {', '.join(f'shown{axis}' for axis in axes)} FROM r "
            f"ORDER BY {self.random_order(*(f'code{axis}' for axis in axes), 'i')}",
            ["text"] * len(arrays) + ["text[]"] * len(domains),
            [*map(array_literal, arrays), *(list(domain.labels) for domain in domains)],
        )

    def _fill_randomization(self, name: str) -> None:
        """Insert every value of every attribute, as it is shown, and what is done to it."""
        channels = self.published.form.channels
        assert channels is not None
        items = (*self.quasi_identifiers, self.sensitive)
        for item, domain, channel in zip(items, self.published.domains, channels, strict=True):
            run(
                f"INSERT INTO {name} SELECT $1, {item.expression}::text, $2, $3 "
                "FROM unnest($4) WITH ORDINALITY AS x(label, place) ORDER BY place",
                ["text", "float8", "float8", "text[]"],
                [domain.name, channel.retention, channel.flip, list(domain.labels)],
            )


def _labels(name: str, labels: str, column: _Exact) -> str:
    """SQL of a query by that name: a domain's labels as they are published, by places from 1."""
    return (
        f"{name} AS MATERIALIZED (SELECT {column.expression} AS label, place "
        f"FROM unnest({labels}) WITH ORDINALITY AS x(label, place))"
    )


_WRITERS: dict[type[Form], type[_Writer]] = {
    Generalized: _BoxWriter,
    Bucketized: _CellWriter,
    Anatomized: _CellWriter,
    Randomized: _DrawnWriter,
}
"""What writes the tables of each form."""
