"""Snapshots: the frozen tables of a release, written set-wise and in random order.

Which tables there are and what they show, the form of the release says. Boxes are written as one
range or label per quasi-identifier; a sensitive value beside exact quasi-identifiers is one of the
group's, drawn at random without return.

The tables are written from the groups' boxes and cells and what is told of their records, or from
the records that were drawn; neither the source nor the order of its records plays a part. Which
record of a group holds which value is not written, and not which record was drawn for which.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plpy

from bkpriv_core.method import Options
from bkpriv_core.release.bucketized.form import Anatomized, Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Exhibit, Field, Form, Release
from bkpriv_core.table.combination import columns_of, rows_of
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.payload import GroupedRows, Payload
from bkpriv_pl.publishing.distribution import distribute
from bkpriv_pl.publishing.layout import columns_published, columns_shown
from bkpriv_pl.publishing.values import (
    ADDED,
    Columns,
    Shown,
    labels_of,
    names_in,
    unchanged,
)
from bkpriv_pl.server.boundary import Refusal, array_literal, fill, run
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.dataset import Dataset

__all__ = ["Content", "write_snapshot"]


@dataclass(frozen=True, eq=False)
class Content:
    """Content of the tables of a release."""

    published: Release
    coarse: Collection[str]
    """Attributes whose values are labels of classes, and not of the column's type."""
    options: Options
    """Options of the method: a seed makes the order of rows repeatable, for tests, and Citus may
    distribute the records.
    """
    passed: Payload
    """Columns that pass through."""
    told: GroupedRows
    """Records that groups show, where there are such columns."""


def write_snapshot(release: int, content: Content, dataset: Dataset) -> dict[Exhibit, Columns]:
    """Write and seal the tables of a release.

    Returns:
        The columns of each exhibit as its view lists them: quasi-identifiers as they are declared.
    """
    form = content.published.form
    writer = _WRITERS[type(form)](content, columns_published(dataset, content.coarse))
    columns: dict[Field, Columns] = {
        "quasi_identifiers": _flat(writer.quasi_identifiers),
        "sensitive": _flat(writer.sensitive),
        "passed": _flat(writer.passed),
        **{name: (Shown(name, type_, "", ""),) for name, type_ in ADDED.items()},
    }
    written: dict[Exhibit, Columns] = {}
    for exhibit, fields in form.exhibits.items():
        written[exhibit] = tuple(
            replace(column, says=": ".join(filter(None, (says, column.says))))
            for field, says in fields.items()
            for column in columns[field]
        )
        rows = writer.fill(exhibit, _create(release, exhibit, written[exhibit]))
        if rows != (certified := writer.rows(exhibit)):
            raise _other_rows(f"Exhibit {exhibit} has {rows} rows of {certified}")
        if content.options.distribute_by is not None:
            distribute(release, exhibit, content.options.distribute_by)
    seal = "SELECT bkpriv_internal.seal_release_tables($1)"
    write(seal, ["bigint"], [release], release=release)
    known = [domain.name for domain in content.published.table.quasi_identifiers]
    shown = dict(zip(known, writer.quasi_identifiers, strict=True))
    declared = iter(_flat([shown[name] for name in dataset.quasi_identifiers]))
    order = {column.name: place for place, column in enumerate(declared)}
    return {exhibit: _as_declared(columns, order) for exhibit, columns in written.items()}


def _as_declared(columns: Columns, order: Mapping[str, int]) -> Columns:
    """Put the columns that have a place in an order where others of these were."""
    placed = iter(sorted((c for c in columns if c.name in order), key=lambda c: order[c.name]))
    return tuple(next(placed) if column.name in order else column for column in columns)


def _other_rows(found: str) -> Refusal:
    """An error that should never be: what a release shows is not what was certified."""
    return Refusal(
        "XX000",
        "the release would show other rows than were certified",
        detail=f"{found}. Nothing was published.",
        hint="If triggers or rules of the database change what is written to new tables, spare "
        "schema bkpriv_release; otherwise report it as an error of bkpriv.",
    )


def _flat(attributes: Sequence[Columns]) -> Columns:
    return tuple(column for columns in attributes for column in columns)


def _create(release: int, exhibit: Exhibit, columns: Columns) -> str:
    """Create a table of a release, and return its name as SQL."""
    write(
        "SELECT bkpriv_internal.create_release_table($1, $2, $3::text[]::regtype[], $4)",
        ["bigint", "text[]", "text[]", "text"],
        [release, [item.name for item in columns], [item.type for item in columns], exhibit],
        release=release,
    )
    row = run(
        "SELECT bkpriv_internal.release_table($1, $2) AS name",
        ["bigint", "text"],
        [release, exhibit],
    )
    return f"bkpriv_release.{plpy.quote_ident(row[0]['name'])}"


@dataclass(frozen=True, eq=False)
class _Told:
    """Records of groups as a table shows them."""

    columns: Sequence[Columns]
    labels: Sequence[Sequence[str | None]]
    groups: IntArray
    """Shape (e,). Groups."""
    codes: IntArray
    """Shape (e, k). Places of values in `labels`."""
    counts: IntArray
    """Shape (e,). Records."""

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        """Arrays for ``unnest``: groups, codes, records."""
        return self.groups, *self.codes.T, self.counts

    @property
    def codings(self) -> list[str]:
        """Names for the codes."""
        return [f"told{place}" for place in range(len(self.columns))]

    @property
    def shown(self) -> list[str]:
        """SQL of the values, which `joins` brings."""
        return [
            f"{name}_of.{label}"
            for name, columns in zip(self.codings, self.columns, strict=True)
            for label in names_in(f"{name}_of", columns)
        ]

    def queries(self, before: int) -> list[str]:
        """SQL of queries of the labels, which are parameters after so many."""
        return [
            labels_of(f"{name}_of", f"${place}", columns)
            for place, (name, columns) in enumerate(
                zip(self.codings, self.columns, strict=True), before + 1
            )
        ]

    def joins(self, relation: str) -> str:
        """SQL that joins a relation of codes, under that alias, with the labels."""
        return " ".join(
            f"LEFT JOIN {name}_of ON {name}_of.place = {relation}.{name} + 1"
            for name in self.codings
        )


class _Writer(ABC):
    """Writer of the tables of one form."""

    def __init__(self, content: Content, types: Mapping[str, Column]) -> None:
        self.content, self.published, self.types = content, content.published, types
        table = self.published.table
        # Stands for the seed, where nothing else can be called so.
        self.seed = f"seed_{secrets.token_hex(16)}"
        self.told_of = columns_of(table.sensitive)
        self.quasi_identifiers, self.sensitive = columns_shown(self.published.form, table, types)
        self.passed = [unchanged(types[name]) for name in content.passed.names]

    @abstractmethod
    def fill(self, exhibit: Exhibit, name: str) -> int:
        """Insert the rows of a exhibit into the table of a name, in random order; how many."""

    def rows(self, exhibit: Exhibit) -> int:
        """Rows that an exhibit has by what was certified."""
        if exhibit == "records":
            return self.published.rows
        return len(self.told(exhibit).groups)

    def told(self, exhibit: Exhibit) -> _Told:
        """Records of groups that an exhibit shows.

        Raises:
            Refusal: If groups do not have as many as were certified.
        """
        told, passed = self.content.told, self.content.passed
        columns = [*self.sensitive]
        labels: list[Sequence[str | None]] = [domain.labels for domain in self.told_of]
        if passed and "passed" in self.published.form.exhibits[exhibit]:
            columns += self.passed
            labels += passed.labels
        else:
            told = GroupedRows.of(self.published.histograms, self.published.table.sensitive)
        codes = np.column_stack((told.rows, told.codes))
        histograms = self.published.histograms
        which, _ = rows_of(self.published.table.sensitive, np.arange(histograms.shape[1]))
        certified = histograms @ np.bincount(which, minlength=histograms.shape[1])
        counted = np.zeros(len(certified), dtype=np.int64)
        np.add.at(counted, told.groups, told.counts)
        if not np.array_equal(counted, certified):
            raise _other_rows(f"Groups have {int(counted.sum())} of {int(certified.sum())}")
        return _Told(columns, labels, told.groups, codes, counts=told.counts)

    def random_order(self, *keys: str) -> str:
        """SQL to order rows by: at random, or repeatably by their keys for tests."""
        if self.content.options.seed is None:
            return "gen_random_uuid()"
        return f"md5(array_to_string(ARRAY[{self.seed}, {', '.join(keys)}], ' '))"

    def write(self, query: str, types: Sequence[str], values: Sequence[object]) -> int:
        """Write rows by a statement, in which `random_order` may stand; return how many.

        A seed is a parameter: what a server logs of a statement that fails is its text.
        """
        if self.content.options.seed is None or self.seed not in query:
            return fill(query, types, values)
        query = query.replace(self.seed, f"${len(types) + 1}")
        return fill(query, [*types, "numeric"], [*values, self.content.options.seed])


class _BoxWriter(_Writer):
    """Writes records as the boxes of their groups."""

    def fill(self, exhibit: Exhibit, name: str) -> int:
        """See `_Writer`.

        Extents and labels are computed once for each group and each value; records only repeat
        them.
        """
        told = self.told(exhibit)
        names, shown, bounds = [], [], []
        arguments: list[list[str | None]] = []
        ends = self._ends()
        for axis, items in enumerate(self.quasi_identifiers):
            low, high = f"low{axis}", f"high{axis}"
            names += names_in(f"shown{axis}", items)
            shown += [item.written(low, high) for item in items]
            bounds += [low, high]
            arguments += next(ends)
        extents = [f"${place}" for place in range(1, len(arguments) + 1)]
        after = len(arguments) + len(told.arrays)
        slots = [f"${place}::int[]" for place in range(len(arguments) + 1, after + 1)]
        coded = ", ".join(["group_place", *told.codings, "records"])
        told_names = [f"value{place}" for place in range(len(told.shown))]
        values = _listed([*names, *told.shown], [*names, *told_names])
        written = ", ".join([*names, *told_names])
        boxes = (
            f"b AS MATERIALIZED (SELECT {_listed(shown, names)}, place FROM "
            f"unnest({', '.join(extents)}) WITH ORDINALITY AS b({', '.join(bounds)}, place))"
        )
        return self.write(
            f"WITH {', '.join([boxes, *told.queries(after)])}, "
            f"r AS (SELECT {values}, e.*, generate_series(1, records) AS i "
            f"FROM unnest({', '.join(slots)}) AS e({coded}) "
            f"LEFT JOIN b ON b.place = e.group_place + 1 {told.joins('e')}) "
            f"INSERT INTO {name} SELECT {written} FROM r "
            f"ORDER BY {self.random_order('group_place', *told.codings, 'i')}",
            [
                *["text[]"] * len(arguments),
                *["text"] * len(told.arrays),
                *["text[]"] * len(told.labels),
            ],
            [*arguments, *map(array_literal, told.arrays), *map(list, told.labels)],
        )

    def _ends(self) -> Iterator[tuple[list[str | None], list[str | None]]]:
        """First and last value of each group in each quasi-identifier, or the label and nothing."""
        form = self.published.form
        assert isinstance(form, Generalized)
        lows, highs = form.boxes(self.published.parts, self.published.groups)
        for axis, domain in enumerate(self.published.table.quasi_identifiers):
            low, high = lows[:, axis], highs[:, axis]
            if domain.numeric:
                yield [domain.labels[code] for code in low], [domain.labels[code] for code in high]
            else:
                yield form.labels(domain, axis, low, high), [None] * len(low)


class _CellWriter(_Writer):
    """Writes records with their exact quasi-identifiers, and the values of groups beside them."""

    def fill(self, exhibit: Exhibit, name: str) -> int:
        """See `_Writer`."""
        return self._fill_records(name) if exhibit == "records" else self._fill_sensitive(name)

    def _fill_records(self, name: str) -> int:
        """Insert the records with their exact quasi-identifiers and group.

        Records are numbered group by group. So is what is told of them, where it stands beside
        records, within a group at random: a record and what is told of one meet by their numbers.
        """
        axes = range(len(self.quasi_identifiers))
        sizes = self.published.weights
        arrays: list[IntArray] = [self.published.groups.owner, *self.published.codes.T]
        arrays += [np.cumsum(sizes) - sizes, sizes]
        labels: list[Sequence[str | None]] = [
            domain.labels for domain in self.published.table.quasi_identifiers
        ]
        told = None
        if "sensitive" in self.published.form.exhibits["records"]:
            told = self.told("records")
        places = len(arrays)
        if told is not None:
            arrays += told.arrays
            labels += told.labels
        slots = [f"${place}::bigint[]" for place in range(1, len(arrays) + 1)]
        coded = ", ".join(f"code{axis}" for axis in axes)
        exact = [
            column
            for axis, items in enumerate(self.quasi_identifiers)
            for column in names_in(f"q{axis}", items)
        ]
        queries = [
            labels_of(f"q{axis}", f"${len(arrays) + 1 + axis}", items)
            for axis, items in enumerate(self.quasi_identifiers)
        ]
        joins = " ".join(f"LEFT JOIN q{axis} ON q{axis}.place = e.code{axis} + 1" for axis in axes)
        queries.append(
            f"r AS (SELECT {', '.join(exact)}, e.group_id, "
            f"generate_series(before + 1, before + records) AS i "
            f"FROM unnest({', '.join(slots[:places])}) "
            f"AS e(group_id, {coded}, before, records) {joins})"
        )
        written, meeting = [*exact, "group_id"], ""
        if told is not None:
            codings = ", ".join(told.codings)
            queries += [
                *told.queries(len(arrays) + len(axes)),
                f"e AS (SELECT e.*, generate_series(1, records) AS i "
                f"FROM unnest({', '.join(slots[places:])}) AS e(group_id, {codings}, records))",
                f"s AS (SELECT {codings}, row_number() OVER (ORDER BY group_id, "
                f"{self.random_order(*told.codings, 'i', 'group_id')}) AS i FROM e)",
            ]
            written += told.shown
            meeting = f"JOIN s USING (i) {told.joins('s')}"
        return self.write(
            f"WITH {', '.join(queries)} INSERT INTO {name} SELECT {', '.join(written)} "
            f"FROM r {meeting} ORDER BY {self.random_order('i')}",
            ["text"] * len(arrays) + ["text[]"] * len(labels),
            [*map(array_literal, arrays), *map(list, labels)],
        )

    def _fill_sensitive(self, name: str) -> int:
        """Insert what is told of each group's records, and how often."""
        told = self.told("sensitive")
        arrays = told.arrays
        slots = [f"${place}::int[]" for place in range(1, len(arrays) + 1)]
        return self.write(
            f"WITH {', '.join(told.queries(len(arrays)))} INSERT INTO {name} "
            f"SELECT {', '.join(['e.group_id', *told.shown, 'e.records'])} "
            f"FROM unnest({', '.join(slots)}) AS e(group_id, {', '.join(told.codings)}, records) "
            f"{told.joins('e')} "
            f"ORDER BY {self.random_order('e.group_id', *(f'e.{name}' for name in told.codings))}",
            ["text"] * len(arrays) + ["text[]"] * len(told.labels),
            [*map(array_literal, arrays), *map(list, told.labels)],
        )


class _DrawnWriter(_Writer):
    """Writes records that were drawn, and how each attribute was distorted."""

    def fill(self, exhibit: Exhibit, name: str) -> int:
        """See `_Writer`."""
        return self._fill_records(name) if exhibit == "records" else self._fill_randomization(name)

    def rows(self, exhibit: Exhibit) -> int:
        """See `_Writer`."""
        if exhibit == "records":
            return self.published.table.records
        return sum(domain.size for domain in self.published.table.domains)

    def _fill_records(self, name: str) -> int:
        """Insert each kind of record as often as it was drawn."""
        drawn, domains = self.published.form.drawn, self.published.domains
        assert drawn is not None
        axes = range(len(domains))
        arrays = (*drawn.codes.T, drawn.counts)
        slots = [f"${place}::bigint[]" for place in range(1, len(arrays) + 1)]
        attributes = (*self.quasi_identifiers, *self.sensitive)
        with_labels = [
            labels_of(f"a{axis}", f"${len(arrays) + 1 + axis}", items)
            for axis, items in enumerate(attributes)
        ]
        exact = ", ".join(
            column
            for axis, items in enumerate(attributes)
            for column in names_in(f"a{axis}", items)
        )
        coded = ", ".join(f"code{axis}" for axis in axes)
        joins = " ".join(f"LEFT JOIN a{axis} ON a{axis}.place = e.code{axis} + 1" for axis in axes)
        return self.write(
            f"WITH {', '.join(with_labels)}, "
            f"r AS (SELECT {exact}, {coded}, generate_series(1, records) AS i "
            f"FROM unnest({', '.join(slots)}) AS e({coded}, records) {joins}) "
            f"INSERT INTO {name} SELECT {exact} FROM r "
            f"ORDER BY {self.random_order(*(f'code{axis}' for axis in axes), 'i')}",
            ["text"] * len(arrays) + ["text[]"] * len(domains),
            [*map(array_literal, arrays), *(list(domain.labels) for domain in domains)],
        )

    def _fill_randomization(self, name: str) -> int:
        """Insert every value of every attribute, as it is shown, and what is done to it."""
        form, table = self.published.form, self.published.table
        channels = form.channels
        assert channels is not None
        if form.ranges == "bounds":  # A value stands in one column here.
            form = form.with_ranges("text")
        quasi_identifiers, sensitive = columns_shown(form, table, self.types)
        items = _flat([*quasi_identifiers, *sensitive])
        written = 0
        for item, domain, channel in zip(items, table.domains, channels, strict=True):
            written += self.write(
                f"INSERT INTO {name} SELECT $1, {item.written('label')}::text, $2, $3 "
                "FROM unnest($4) WITH ORDINALITY AS x(label, place) ORDER BY place",
                ["text", "float8", "float8", "text[]"],
                [domain.name, channel.retention, channel.flip, list(domain.labels)],
            )
        return written


def _listed(values: Sequence[str], names: Sequence[str]) -> str:
    return ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))


_WRITERS: dict[type[Form], type[_Writer]] = {
    Generalized: _BoxWriter,
    Bucketized: _CellWriter,
    Anatomized: _CellWriter,
    Randomized: _DrawnWriter,
}
"""Writers of the tables of each form."""
