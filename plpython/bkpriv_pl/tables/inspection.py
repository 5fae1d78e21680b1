"""Inspection: warnings about a source, with counts, when it is declared; see `part`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import plpy

from bkpriv_core.table.bins import LABEL
from bkpriv_core.table.domain import ROOT
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.inspection import (
    SHARED_BY,
    has_many_labels,
    identifies_by_code,
    links_rows,
    nearly_unique,
    tells_apart,
    tells_by_code,
)
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import UNBOUNDED, Column
from bkpriv_pl.tables.outlying import warn_of_outlying
from bkpriv_pl.tables.part import Part
from bkpriv_pl.tables.source import Relation

__all__ = [
    "distinct_values",
    "inspect_attributes",
    "inspect_hierarchy",
    "inspect_prefixes",
    "inspect_source",
]

_AT_ONCE = 31
"""Largest number of columns that PostgreSQL tells apart in grouping sets."""

_SHOWN = 8
"""Limit of listed values that a hierarchy lacks; more are counted."""


def inspect_source(
    dataset: str,
    source: Relation,
    quasi_identifiers: Sequence[Column],
    sensitive: Sequence[Column],
    extras: Sequence[Column],
    period: Column | None = None,
) -> None:
    """Warn of columns that will not do as they are declared, and of NULL.

    These are quasi-identifiers that are nearly unique, or of many labels, and numbers that look
    like codes. All records are looked at; of a source of several periods, values are told apart in
    each of these, for each is published by itself.

    Args:
        period: Extra column that tells periods apart.
    """
    unique, null, many = [], [], []
    whole: dict[Column, _Counted] = {}
    inspected = 0
    part = Part.of(source)
    columns = iter((*quasi_identifiers, *sensitive, *extras))
    while some := list(islice(columns, _AT_ONCE)):
        expressions = [column.expression("s") for column in some]
        for column, counted in zip(some, _count(part, expressions, period), strict=True):
            inspected = max(inspected, counted.records)
            if counted.nulls:
                null.append(f'"{column.name}" ({counted.nulls})')
            if column in extras:
                continue
            if column.whole and column.bin is None:
                whole[column] = counted
            if column in sensitive:
                continue
            if nearly_unique(counted.valued, counted.values):
                unique.append(f'"{column.name}" ({counted.values} in {counted.valued})')
            elif not column.numeric and has_many_labels(counted.valued, counted.most):
                many.append(f'"{column.name}" ({counted.most})')
    seen = part.seen(inspected)
    _warn_of_quasi_identifiers(dataset, unique, many, seen)
    _warn_of_codes(dataset, part, whole, {column.name for column in sensitive}, seen=seen)
    _tell_ways(dataset, quasi_identifiers)
    _warn_of_values(dataset, part, quasi_identifiers, sensitive, seen=seen)
    warn_of_outlying(dataset, part.source, [*quasi_identifiers, *sensitive], seen)
    if null:
        notices.warning(
            f'table "{source.schema}"."{source.name}" has NULL in columns of dataset "{dataset}"',
            detail=f"Column (records with NULL): {', '.join(null)}.{seen}",
            hint="Publication refuses NULL in what is published unless it has the option "
            '{"nulls": "category"}, and neither a respondent nor a period may be NULL.',
        )


_WAYS = {
    "time": "extract(hour FROM {})",
    "timetz": "extract(hour FROM {})",
    "interval": "extract(epoch FROM {}) / 3600",
    "money": "{}::numeric",
    "inet": "set_masklen({}, 24)",
    "cidr": "set_masklen({}, 16)",
}
"""SQL that gives columns of some types ranges, or makes them coarser, by type."""


def _tell_ways(dataset: str, columns: Sequence[Column]) -> None:
    """Say how a view gives ranges to quasi-identifiers of types that have none."""
    found = [column for column in columns if column.type_name in _WAYS]
    if found:
        listed = [f'"{column.name}" ({column.declared_as})' for column in found]
        ways = [
            f"{_WAYS[column.type_name].format(name)} AS {name}"
            for column in found[:_SHOWN]
            for name in [plpy.quote_ident(column.name)]
        ]
        notices.notice(
            f'quasi-identifiers of dataset "{dataset}" have types without ranges',
            detail=f"Column (type): {_some(listed)}. Where people with different values share a "
            "group, such a column is shown as * for all of them.",
            hint=f"Publish from a view that has numbers or coarser values: {', '.join(ways)}.",
        )


def _warn_of_values(
    dataset: str,
    part: Part,
    quasi_identifiers: Sequence[Column],
    sensitive: Sequence[Column],
    seen: str,
) -> None:
    """Warn of values that publication refuses: not finite, or the label of everything."""
    numbers = [each for each in (*quasi_identifiers, *sensitive) if each.numeric and not each.whole]
    labels = [each for each in quasi_identifiers if not each.numeric]
    found = _occurring(part, numbers, UNBOUNDED)
    if found:
        listed = [f'"{each.name}" ({count}: {some_of(some)})' for each, count, some in found]
        ways = ", ".join(_finite(each, some) for each, _, some in found[:_SHOWN])
        notices.warning(
            f'columns of dataset "{dataset}" have values that are not finite',
            detail=f"Column (records: values): {_some(listed)}.{seen}",
            hint=f"Publication refuses them. Publish from a view that shows NULL instead: {ways}; "
            'with the option {"nulls": "category"}. By a hierarchy they are labels, and stay.',
        )
    found = _occurring(part, labels, [ROOT])
    if found:
        listed = [f'"{each.name}" ({count})' for each, count, _ in found]
        columns = [plpy.quote_ident(each.name) for each, *_ in found[:_SHOWN]]
        notices.warning(
            f'quasi-identifiers of dataset "{dataset}" have the value {ROOT}, also a label',
            detail=f"Column (records): {_some(listed)}. Without a hierarchy, other values are "
            f"published as {ROOT}, too.{seen}",
            hint="Methods that generalize refuse it. Publish from a view that shows NULL instead: "
            f"{', '.join(f'NULLIF({each}, {plpy.quote_literal(ROOT)})' for each in columns)}; "
            'with the option {"nulls": "category"}. Or declare a hierarchy with another root by '
            "bkpriv.set_hierarchy.",
        )


def _occurring(
    part: Part, columns: Sequence[Column], texts: Sequence[str]
) -> list[tuple[Column, int, list[str]]]:
    """Columns that have values of some texts, in how many records, and which."""
    if not columns:
        return []
    values = ", ".join(f"{_text(column)} AS v{n}" for n, column in enumerate(columns))
    listed = ", ".join(
        f"count(*) FILTER (WHERE v{n} = ANY ($1)) AS n{n}, "
        f"array_agg(DISTINCT v{n}) FILTER (WHERE v{n} = ANY ($1)) AS some{n}"
        for n in range(len(columns))
    )
    query = f"SELECT {listed} FROM (SELECT {values} FROM {part.source}) AS seen"
    (row,) = run(query, ["text[]"], [list(texts)])
    return [
        (column, row[f"n{n}"], row[f"some{n}"]) for n, column in enumerate(columns) if row[f"n{n}"]
    ]


def _finite(column: Column, found: Sequence[str]) -> str:
    """SQL of a column with NULL for values that are not finite, of which some were found."""
    name = plpy.quote_ident(column.name)
    if len(found) == 1:
        return f"NULLIF({name}, {plpy.quote_literal(found[0])})"
    if column.is_number:
        listed = ", ".join(map(plpy.quote_literal, found))
        return f"CASE WHEN {name} NOT IN ({listed}) THEN {name} END"
    return f"CASE WHEN isfinite({name}) THEN {name} END"


def _warn_of_quasi_identifiers(
    dataset: str, unique: Sequence[str], many: Sequence[str], seen: str
) -> None:
    """Warn of quasi-identifiers that are nearly unique, and of those of many labels."""
    if unique:
        notices.warning(
            f'quasi-identifiers of dataset "{dataset}" are nearly unique, so they tell who is who',
            detail=f"Column (values in records): {', '.join(unique)}.{seen}",
            hint="Leave out what numbers or names people; methods that keep exact values, "
            "bucketize and anatomy, publish it. Days, times and amounts can be binned when the "
            "dataset is "
            'registered: bins => \'{"birth_date": "year", "income": 1000}\'.',
        )
    if many:
        notices.notice(
            f'quasi-identifiers of dataset "{dataset}" have many labels and no hierarchy yet',
            detail=f"Column (labels): {', '.join(many)}. Where people with different labels share "
            f"a group, a column without a hierarchy is shown as * for all of them.{seen}",
            hint="bkpriv.suggest_hierarchy proposes one and says what it saves. Or publish from a "
            "view that makes the labels coarser, or leave such a column out.",
        )


def _warn_of_codes(
    dataset: str,
    part: Part,
    columns: Mapping[Column, _Counted],
    sensitive: Collection[str],
    seen: str,
) -> None:
    """Warn of whole numbers that look like codes, and say how they become labels."""
    least = _least(part, [*columns])
    codes = []
    for column, counted in columns.items():
        if (
            tells_by_code(counted.valued, counted.most)
            if column.name in sensitive
            else column.name in least
            and identifies_by_code(column.name, counted.valued, counted.most, least[column.name])
        ):
            codes.append((column.name, counted.most))
    if codes:
        listed = _some([f'"{name}" ({most})' for name, most in codes])
        bins = json.dumps({name: LABEL for name, _ in codes})
        notices.warning(
            f'columns of dataset "{dataset}" hold numbers that may be codes',
            detail=f"Column (values): {listed}. "
            "As numbers they are near to one another or far, and are published in ranges; as "
            f"labels they are alike or not.{seen}",
            hint="If they are codes, drop the dataset and register it with "
            f"bins => {plpy.quote_literal(bins)}; or give them a hierarchy with "
            "bkpriv.set_hierarchy, which makes them labels, too.",
        )


def _least(part: Part, columns: Sequence[Column]) -> dict[str, int]:
    """The least value of columns of whole numbers, of those that have one."""
    if not columns:
        return {}
    values = ", ".join(f"{column.expression('s')} AS v{n}" for n, column in enumerate(columns))
    least = ", ".join(f"min(v{n})::text AS v{n}" for n in range(len(columns)))
    (row,) = run(f"SELECT {least} FROM (SELECT {values} FROM {part.source}) AS seen")
    found = zip(columns, row.values(), strict=True)
    return {column.name: int(value) for column, value in found if value is not None}


def inspect_attributes(
    dataset: str,
    source: Relation,
    attributes: Sequence[Column],
    period: Column | None = None,
) -> None:
    """Warn of attributes that tell records apart, or link few of them.

    Args:
        attributes: Insensitive attributes: columns that are published unchanged.
        period: The column that tells periods apart, in which records are told apart.
    """
    apart, linking = [], []
    inspected = 0
    part = Part.of(source)
    columns = iter(attributes)
    while some := list(islice(columns, _AT_ONCE)):
        counts = _count(part, [_text(column) for column in some], period)
        for column, counted in zip(some, counts, strict=True):
            inspected = max(inspected, counted.records)
            if tells_apart(counted.valued, counted.own):
                share = counted.own / counted.valued
                apart.append(f'"{column.name}" ({counted.own} of {counted.valued}, {share:.1%})')
            elif links_rows(counted.valued, counted.most, counted.shared):
                share = counted.shared / counted.valued
                figures = f"({counted.shared} of {counted.valued}, {share:.1%})"
                linking.append(f'"{column.name}" {figures}')
    if apart:
        notices.warning(
            f'attributes of dataset "{dataset}" tell most records apart',
            detail="Attribute (records with a value of their own): "
            f"{_some(apart)}.{part.seen(inspected)}",
            hint="A reader who knows somebody's values in them finds that person's row, and a "
            "reader of several releases finds rows of the same record. Leave such attributes out, "
            "or make them coarser in a view.",
        )
    if linking:
        notices.warning(
            f'attributes of dataset "{dataset}" have values that 2 to 20 records share',
            detail=f"Attribute (such records): {_some(linking)}.{part.seen(inspected)}",
            hint="If they number households, classes, beds or invoices, leave them out. A reader "
            "who knows the people of one finds its rows together, whatever groups hide of each.",
        )


def _text(column: Column) -> str:
    """SQL for what passes through of a record, for any type."""
    return f's.{plpy.quote_ident(column.name)}::text COLLATE "C"'


def _some(listed: Sequence[str]) -> str:
    more = len(listed) - _SHOWN
    return ", ".join(listed[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class _Counted:
    """Counts of the values of a column."""

    values: int
    """Distinct values; one that occurs in several periods counts once in each."""
    most: int
    """The most distinct values of a period."""
    valued: int
    nulls: int
    own: int
    shared: int
    """Records whose value two to twenty of them share."""

    @property
    def records(self) -> int:
        """Records."""
        return self.valued + self.nulls


def _count(part: Part, columns: Sequence[str], period: Column | None) -> list[_Counted]:
    """Count columns, each the SQL of its values in records under alias s."""
    names = [f"v{place}" for place in range(len(columns))]
    values = ", ".join(
        f"{expression} AS {name}" for expression, name in zip(columns, names, strict=True)
    )
    if period is not None:
        values += f", {period.expression('s')} AS period"
    listed = ", ".join(names)
    sets = ", ".join(f"({name})" for name in names)
    within = "" if period is None else "period, "
    few, most = SHARED_BY
    rows = run(
        "SELECT bits, sum(values)::int8 AS values, max(values) AS most, "
        "sum(valued)::int8 AS valued, sum(nulls)::int8 AS nulls, sum(own)::int8 AS own, "
        "sum(shared)::int8 AS shared FROM ("
        "SELECT bits, count(*) FILTER (WHERE valued) AS values, "
        "coalesce(sum(n) FILTER (WHERE valued), 0) AS valued, "
        "coalesce(sum(n) FILTER (WHERE NOT valued), 0) AS nulls, "
        "count(*) FILTER (WHERE valued AND n = 1) AS own, "
        f"coalesce(sum(n) FILTER (WHERE valued AND n BETWEEN {few} AND {most}), 0) AS shared "
        f"FROM (SELECT {within}grouping({listed}) AS bits, num_nonnulls({listed}) > 0 AS valued, "
        f"count(*) AS n FROM (SELECT {values} "
        f"FROM {part.source}) AS seen "
        f"GROUP BY {within}GROUPING SETS ({sets})) AS counted "
        f"GROUP BY {within}bits) AS by_period GROUP BY bits"
    )
    # The bit of a column is 0 where rows are grouped by it; that of the first is the highest.
    counted = {row.pop("bits"): _Counted(**row) for row in rows}
    everything = 2 ** len(columns) - 1
    return [
        counted.get(
            everything - 2 ** (len(columns) - 1 - place), _Counted(0, 0, 0, 0, own=0, shared=0)
        )
        for place in range(len(columns))
    ]


def distinct_values(source: Relation, column: Column) -> list[str | None]:
    """Texts of the values of a column, each once; of the records that are inspected."""
    value = f'({column.expression("s")})::text COLLATE "C"'
    (row,) = run(
        "SELECT array_agg(DISTINCT value) AS values "
        f"FROM (SELECT {value} AS value FROM {Part.of(source).source}) AS seen"
    )
    return list(row["values"] or [])


def inspect_hierarchy(source: Relation, column: Column, leaves: Sequence[str]) -> None:
    """Warn of values of a column that are missing from its hierarchy."""
    value = column.expression("s")
    (row,) = run(
        "SELECT count(*) AS values, count(*) FILTER (WHERE missing) AS missing, "
        "(array_agg(value ORDER BY value) FILTER (WHERE missing))[1:$2] AS some FROM ("
        "SELECT x.value, l.leaf IS NULL AS missing FROM (SELECT DISTINCT "
        f'({value})::text COLLATE "C" AS value '
        f"FROM {source} AS s) AS x "
        "LEFT JOIN unnest($1) AS l(leaf) ON l.leaf = x.value WHERE x.value IS NOT NULL) AS occurs",
        ["text[]", "int"],
        [list(leaves), _SHOWN],
    )
    if row["missing"]:
        more = row["missing"] - len(row["some"])
        listed = some_of(row["some"]) + (f" and {more} more" if more else "")
        notices.warning(
            f'values of attribute "{column.name}" are missing from its hierarchy',
            detail=f"{row['missing']} of {row['values']} are missing: {listed}.",
            hint="Publication refuses them. Add each of them and declare the hierarchy again.",
        )


def inspect_prefixes(source: Relation, column: Column, lengths: Sequence[int]) -> None:
    """Warn of lengths of prefixes that merge no values, and of numbers of different lengths."""
    counts = ", ".join(f"count(DISTINCT left(value, {length}))" for length in lengths)
    (row,) = run(
        f"SELECT count(*) AS values, ARRAY[{counts}]::int8[] AS prefixes, min(length(value)) AS "
        "shortest, max(length(value)) AS longest FROM ("
        'SELECT DISTINCT value COLLATE "C" AS value FROM ('
        f"SELECT ({column.expression('s')})::text AS value FROM {Part.of(source).source}"
        ") AS seen) AS x WHERE value IS NOT NULL"
    )
    if not row["values"]:
        return
    finer = [row["values"], *row["prefixes"]]
    idle = [
        f"{length} ({prefixes})"
        for length, prefixes, before in zip(lengths, row["prefixes"], finer, strict=False)
        if prefixes == before
    ]
    if idle:
        notices.warning(
            f'lengths of prefixes of attribute "{column.name}" merge nothing',
            detail=f"Length (prefixes): {', '.join(idle[:_SHOWN])}; there are {row['values']} "
            f"values, of {row['shortest']} to {row['longest']} characters.",
            hint="Leave such lengths out, or give smaller ones.",
        )
    if column.is_number and row["shortest"] < row["longest"]:
        notices.warning(
            f'the numbers of attribute "{column.name}" have different lengths',
            detail=f"They have {row['shortest']} to {row['longest']} characters. Codes that began "
            "with 0 have lost it, so their prefixes are those of other codes.",
            hint="If that is so, publish from a view that fills them up, such as by lpad, as text.",
        )
