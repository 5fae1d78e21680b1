"""Counts: the one place where a source's records come from.

The source is read once, by one ``GROUP BY`` over quasi-identifiers and sensitive columns, or one
for each table of a family with foreign ones, in one statement and so in one state. Values become
integer codes in SQL; Python receives the domains, as text and as numbers, and the codes and counts
as packed integers. Of a source of several periods, the records of one may be counted alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import plpy

from bkpriv_core.table.combination import NO_SENSITIVE, Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import Intervals
from bkpriv_core.table.payload import NO_PAYLOAD, Payload, check_passed
from bkpriv_core.table.persons import Persons
from bkpriv_core.table.respondent import NOBODY, Respondents
from bkpriv_core.table.rule import Tree
from bkpriv_core.table.scale import scaled
from bkpriv_core.table.table import Table
from bkpriv_pl.server.boundary import run, unpack_floats, unpack_integers
from bkpriv_pl.server.memory import room
from bkpriv_pl.tables import foreign
from bkpriv_pl.tables.bins import bin_end
from bkpriv_pl.tables.column import STEPS, Column, Period
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.fitting import FITS, check_needs, needs_of, query_passing
from bkpriv_pl.tables.missing import refuse_empty, refuse_nulls
from bkpriv_pl.tables.source import Relation
from bkpriv_pl.tables.texts import alike, check_decoded, refuse_alike, uncoded

__all__ = ["NOTHING", "Known", "Reading", "count_cells", "count_records"]

_SECONDS = {"date": Decimal(86400)}
"""Unit in which intervals are stated, in units of positions; days, of dates."""

Known = Mapping[str, Sequence[str | None]]
"""Values of attributes, as texts."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Reading(NamedTuple):
    """A source as it was read."""

    table: Table
    """Cells in the order of their codes."""
    respondents: Respondents
    passed: Payload
    """Values that pass through, record by record, in the order of respondents if there are such."""


def count_cells(
    source: Relation,
    quasi_identifiers: tuple[Column, ...],
    sensitive: tuple[Column, ...],
    hierarchies: dict[str, Tree | Intervals],
    nulls: str = "error",
    respondent: str | None = None,
    period: Period | None = None,
    known: Known = NOTHING,
    passing: tuple[Column, ...] = (),
    kept: ContributionBound | None = None,
) -> Reading:
    """Read a source as cells and counts, whom its records are about, and what passes through.

    Args:
        quasi_identifiers: The quasi-identifiers; without any all records are one cell.
        sensitive: The sensitive columns; several make one attribute, of their combinations, and
            none one of a single value.
        hierarchies: Hierarchies by attribute, or rules that make them, intervals in the unit of its
            type; an attribute with a hierarchy is categorical whatever its type.
        nulls: Whether NULL is refused or a value of its own.
        respondent: The column that says whom a record is about, if that is asked for.
        period: The period whose records are read; all are without it.
        known: Values by attribute that its domain has beside those that occur, by the same texts.
        kept: Selection of the records of each respondent that are read, as one person's; each must
            have one without it.

    Raises:
        InvalidData: If the source is empty, has NULLs where they are refused, or does not have one
            record for each respondent, or records of one with different quasi-identifiers; if it
            has no record of the period, or any of no period.
        TooLarge: If its counts, or what passes through, would not fit in memory.
    """
    columns = (*quasi_identifiers, *sensitive)
    trees = {key for key, tree in hierarchies.items() if not isinstance(tree, Intervals)}
    row = _read(
        source=source,
        columns=columns,
        trees=trees,
        respondent=respondent,
        period=period,
        known=known,
        passing=passing,
        kept=kept,
    )
    check_needs(source, row, columns, respondent)
    if passing:
        names = tuple(column.name for column in passing)
        check_passed(names, row["passing_rows"], row["passing_bytes"])
    refuse_empty(source, row, period)
    refuse_alike(source, row["alike"], columns)
    domains = [
        _domain(row, place, column, hierarchies.get(column.name))
        for place, column in enumerate(columns)
    ]
    if nulls == "error":
        refuse_nulls(source, row, columns)
    codes = _unpack_codes(row, "codes", len(columns))
    records = unpack_integers(row["records"], ">i8")
    domains = _scaled(domains, codes, records, columns)
    check_decoded(source, row, int(records.sum()))
    split = len(quasi_identifiers)
    known_of, told_of = tuple(domains[:split]), tuple(domains[split:])
    known_by, told_by = codes[:, :split], codes[:, split:]
    beside = _unpack_passing(row, passing) if passing else None
    if respondent is None:
        table, cells, values = _tabulate(known_of, told_of, known_by, told_by, records=records)
        rows = Payload.of_rows(*beside, cells, values, records) if beside else NO_PAYLOAD
        return Reading(table, NOBODY, rows)
    named = [name for some in json.loads(row["respondents"]) for name in some]
    within = None if period is None else period.text
    if kept is None:
        table, cells, values = _tabulate(known_of, told_of, known_by, told_by, records=records)
        about, whose = Respondents.of_rows(
            respondent, named, cells, values, records=records, period=within
        )
    else:
        of_row = np.repeat(np.arange(len(records)), records)
        persons = Persons.of_records(
            respondent, named, known_by[of_row], told_of, told=told_by[of_row], period=within
        )
        table, about = _tabulate_persons(known_of, persons)
        whose = of_row[persons.records.members]
    if not beside:
        return Reading(table, about, NO_PAYLOAD)
    return Reading(table, about, Payload.of_persons(*beside, about.cells, about.values, whose))


def _scaled(
    domains: Sequence[Domain], codes: IntArray, records: IntArray, columns: Sequence[Column]
) -> list[Domain]:
    """Give domains the scales that are declared, or those of the values that occur."""
    return [
        scaled(domain, np.bincount(coded, records, domain.size).astype(np.int64), column.bounds)
        for domain, coded, column in zip(domains, codes.T, columns, strict=True)
    ]


def count_records(source: Relation, period: Period | None) -> int:
    """Count the records of a source, or of a period of it, whoever they are of."""
    picked = "" if period is None else f" WHERE {period.condition('s')}"
    types, values = ([], []) if period is None else (["text"], [period.text])
    (row,) = run(f"SELECT count(*) AS n FROM {source} AS s{picked}", types, values)
    return int(row["n"])


def _tabulate(
    known_of: tuple[Domain, ...],
    told_of: tuple[Domain, ...],
    known_by: IntArray,
    told_by: IntArray,
    records: IntArray,
) -> tuple[Table, IntArray, IntArray]:
    """The table of all records, and the cell and sensitive value of each distinct row."""
    if len(told_of) == 1:
        told, values = told_of[0], told_by[:, 0]
    elif told_of:
        told, values = Combination.of(told_of, told_by)
    else:
        told, values = NO_SENSITIVE, np.zeros(len(records), dtype=np.int64)
    table, cells = Table.from_rows(known_of, told, np.column_stack((known_by, values)), records)
    return table, cells, values


def _tabulate_persons(known_of: tuple[Domain, ...], persons: Persons) -> tuple[Table, Respondents]:
    """The table of persons, and where each of them is in it."""
    ones = np.ones(len(persons.names), dtype=np.int64)
    each = np.column_stack((persons.codes, persons.values))
    table, cells = Table.from_rows(known_of, persons.sensitive, each, ones)
    return table, Respondents(persons.names, cells, persons.values)


def _unpack_codes(row: Mapping[str, Any], name: str, columns: int) -> IntArray:
    if not columns:
        return np.zeros((len(unpack_integers(row["records"], ">i8")), 0), dtype=np.int64)
    return np.column_stack([unpack_integers(row[f"{name}_{place}"]) for place in range(columns)])


def _unpack_passing(
    row: Mapping[str, Any], passing: tuple[Column, ...]
) -> tuple[tuple[str, ...], tuple[tuple[str | None, ...], ...], IntArray]:
    """Names, labels and codes of the columns that pass through."""
    names = tuple(column.name for column in passing)
    labels = tuple(tuple(row[f"passing_labels_{place}"]) for place in range(len(passing)))
    return names, labels, _unpack_codes(row, "passing_codes", len(passing))


def _read(
    source: Relation,
    columns: tuple[Column, ...],
    trees: Collection[str],
    respondent: str | None,
    period: Period | None,
    known: Known,
    passing: tuple[Column, ...],
    kept: ContributionBound | None,
) -> dict[str, Any]:
    """Count a relation; its foreign partitions one by one, where that may be."""
    types: list[str] = []
    values: list[Any] = []
    extras, used = _extras(source, respondent, period), (*columns, *passing)
    if period is not None:
        types, values, used = ["text"], [period.text], (*used, period.column)
    slots = {}
    for name, labels in known.items():
        types, values = [*types, "text[]"], [*values, list(labels)]
        slots[name] = f"${len(values)}"
    keys = _keys(columns, passing)

    def query(groups: str, *more: str) -> dict[str, Any]:
        text = _query(
            groups,
            columns,
            trees,
            *extras,
            *more,
            slots=slots,
            passing=passing,
            allowed=f"${len(values) + 1}",
            named=respondent is not None,
        )
        return run(text, [*types, "int8"], [*values, room()])[0]

    # Whom a record is about, and its texts, are lost among equal values.
    binned = () if respondent is not None or passing else used
    members, unchanged = (
        foreign.find_members(source, used) if respondent is None and not slots else ([], "")
    )
    if members:
        summed = _summed(members, keys, binned, period)
        row = query(summed, f"{unchanged} AS unchanged")
        if row["unchanged"]:
            return row
    picked = f"{source}"
    if respondent is not None and kept is not None and kept.most is not None:
        types, values = [*types, "text"], [*values, kept.key]
        read = [column.name for column in used]
        condition = "" if period is None else f" WHERE {period.condition('s')}"
        picked = kept.pick(picked, respondent, read, f"${len(values)}", condition=condition)
    stored = foreign.stored_columns(source, binned)
    return query(_groups(picked, keys, respondent, period, stored=stored))


def _extras(source: Relation, respondent: str | None, period: Period | None) -> list[str]:
    """SQL of what is listed beside cells and domains."""
    extras = []
    if period is not None:
        unplaced = f"s.{plpy.quote_ident(period.column.name)} IS NULL"
        extras.append(f"(SELECT count(*) FROM {source} AS s WHERE {unplaced}) AS unplaced")
    if respondent is not None:
        extras.append("json_agg(g.about)::text AS respondents")
    return extras


def _summed(
    members: Sequence[Relation],
    keys: Mapping[str, str],
    binned: Sequence[Column],
    period: Period | None,
) -> str:
    """SQL that counts relations one by one, and adds up."""
    apart = " UNION ALL ".join(
        _groups(
            f"ONLY {member}", keys, period=period, stored=foreign.stored_columns(member, binned)
        )
        for member in members
    )
    listed = ", ".join(keys)
    return f"SELECT {listed}, sum(n)::int8 AS n FROM ({apart}) AS u GROUP BY {listed}"


def _keys(columns: tuple[Column, ...], passing: tuple[Column, ...]) -> dict[str, str]:
    """SQL by which records of a relation, under alias s, are grouped, by the names of the keys."""
    keys = {f"v{place}": column.expression("s") for place, column in enumerate(columns)}
    return keys | {
        # Any type has texts, not any has an order, and values that are equal may differ.
        f"p{place}": f'(s.{plpy.quote_ident(column.name)})::text COLLATE "C"'
        for place, column in enumerate(passing)
    }


def _groups(
    source: Relation | str,
    keys: Mapping[str, str],
    respondent: str | None = None,
    period: Period | None = None,
    stored: Sequence[str] = (),
) -> str:
    """SQL that counts the records of a relation, named as in SQL, by `keys`; see `_keys`.

    If there are `stored` columns, equal values of these are counted before.
    """
    expressions = [f"{key} AS {name}" for name, key in keys.items()]
    picked = "" if period is None else f" WHERE {period.condition('s')}"
    if stored:
        read = ", ".join(f"s.{plpy.quote_ident(name)}" for name in stored)
        number = next(name for name in map("n{}".format, count()) if name not in stored)
        # A period is picked over there if that can be done; else behind a fence, for otherwise it
        # would be picked here, record by record.
        here = period is not None and foreign.by_calendar([period.column])
        within, picked = ("", picked) if here else (picked, "")
        source = (
            f"(SELECT {read}, count(*) AS {number} FROM {source} AS s{within} "
            f"GROUP BY {read} OFFSET 0)"
        )
        expressions.append(f"sum(s.{number})::int8 AS n")
    else:
        expressions.append("count(*) AS n")
    if respondent is not None:
        expressions.append(f"array_agg(s.{plpy.quote_ident(respondent)}::text) AS about")
    return (
        f"SELECT {', '.join(expressions)} FROM {source} AS s{picked} "
        f"GROUP BY {', '.join(keys.values())}"
    )


def _query(
    groups: str,
    columns: tuple[Column, ...],
    trees: Collection[str],
    *extras: str,
    slots: Mapping[str, str] = NOTHING,
    passing: tuple[Column, ...] = (),
    allowed: str,
    named: bool,
) -> str:
    """Statement that lists cells and domains; `groups` is the SQL of v0, v1, ... and n.

    Where these need more memory than the parameter `allowed` says, it sends what they need, and
    neither values nor counts; if they are `named`, with the names of respondents.

    Beside these it has p0, p1, ... for columns that pass through.

    By the name of a column `slots` have the texts of values that it is known to have beside those.

    Values are told apart by their types' order, and joined by their texts: an operator would be
    looked up by name, and a type from another schema may have none of that name in reach.
    """
    domains, joins, listed = [], [], list(extras)
    for place, column in enumerate(columns):
        text = f'v{place}::text COLLATE "C"'
        # Texts that differ may stand for equal values, as 1.0 and 1.00 do; these share a code.
        distinct, label = f"SELECT DISTINCT v{place} AS v, {text} AS t FROM g", "min(t)"
        if column.name in slots:
            read = f'SELECT {column.value("u.t")}, u.t COLLATE "C", true'
            distinct = (
                f"SELECT v, t, bool_or(k) AS k FROM (SELECT v{place} AS v, {text} AS t, false AS k "
                f"FROM g UNION ALL {read} FROM unnest({slots[column.name]}) AS u(t)) AS y "
                "GROUP BY v, t"
            )
            label = "coalesce(min(t) FILTER (WHERE k), min(t))"
        domains.append(
            f"d{place} AS MATERIALIZED (SELECT x.*, dense_rank() OVER (ORDER BY v) - 1 AS code "
            f"FROM ({distinct}) AS x)"
        )
        # Arrays, which the planner takes for short, so that it hashes them and scans g only once;
        # by way of LATERAL, since Citus does not take several arrays for one function elsewhere.
        domains.append(
            f"c{place} AS MATERIALIZED (SELECT u.* FROM (SELECT array_agg(t ORDER BY t) AS t, "
            f"array_agg(code ORDER BY t) AS code "
            f"FROM (SELECT t, min(code) AS code FROM d{place} GROUP BY t) AS y) AS x, "
            f"LATERAL unnest(x.t, x.code) AS u(t, code))"
        )
        joins.append(f"LEFT JOIN c{place} ON c{place}.t = g.{text}")
        listed += [
            f"(SELECT array_agg(t ORDER BY code) "
            f"FROM (SELECT code, {label} AS t FROM d{place} GROUP BY code) AS x WHERE {FITS}) "
            f"AS labels_{place}",
            # NULL joins with nothing; its code, if it has one, is the number of other values.
            f"string_agg(int4send(coalesce(c{place}.code, "
            f"(SELECT count(DISTINCT code) FROM d{place} WHERE t IS NOT NULL))::int4), "
            f"''::bytea) AS codes_{place}",
        ]
        if column.numeric and column.name not in trees:
            listed.append(_positions(place, column.position("v"), "positions"))
            if column.bin is not None:
                listed.append(_positions(place, column.position(bin_end(column.bin, "v")), "ends"))
    fitting = ""
    if passing:
        added, joined, fitting = query_passing(len(passing))
        domains += added
        joins += joined
        listed += [
            item
            for place in range(len(passing))
            for item in (
                f"(SELECT array_agg(t ORDER BY code) FROM e{place}{fitting}) "
                f"AS passing_labels_{place}",
                # As above, NULL joins with nothing.
                f"string_agg(int4send(coalesce(f{place}.code, (SELECT count(t) FROM e{place}))"
                f"::int4), ''::bytea) AS passing_codes_{place}",
            )
        ]
        listed += [f"(SELECT {name} FROM fit) AS passing_{name}" for name in ("rows", "bytes")]
    domains.append(needs_of(len(columns), allowed, named=named))
    nulls = ", ".join(
        f"coalesce(sum(g.n) FILTER (WHERE g.v{place} IS NOT DISTINCT FROM NULL), 0)"
        for place in range(len(columns))
    )
    listed += [
        f"ARRAY[{nulls}]::int8[] AS nulls",
        f"{uncoded(len(columns))} AS uncoded",
        f"{alike(len(columns))} AS alike",
        f"(SELECT needs FROM room) AS needs, {allowed} AS allowed",
        "(SELECT sum(n) FROM g)::int8 AS counted",
    ]
    return (
        f"WITH g AS MATERIALIZED ({groups}), {', '.join(domains)} "
        f"SELECT string_agg(int8send(g.n), ''::bytea) AS records, {', '.join(listed)} "
        f"FROM g {' '.join(joins)}{fitting or ' WHERE true'} AND {FITS}"
    )


def _positions(place: int, position: str, name: str) -> str:
    """SQL of positions of all values of a column, packed."""
    return (
        f"(SELECT string_agg(float8send(p), ''::bytea ORDER BY code) FROM (SELECT code, "
        f"min(coalesce({position}, 'NaN')) AS p FROM d{place} GROUP BY code) AS x) "
        f"AS {name}_{place}"
    )


def _domain(
    row: dict[str, Any], place: int, column: Column, hierarchy: Tree | Intervals | None
) -> Domain:
    labels = tuple(row[f"labels_{place}"])
    positions, ends = (
        None if (packed := row.get(f"{name}_{place}")) is None else unpack_floats(packed)
        for name in ("positions", "ends")
    )
    step = None if positions is None else STEPS.get(column.declared_as)
    if isinstance(hierarchy, Intervals):
        intervals = hierarchy.scaled(_SECONDS.get(column.type_name, Decimal(1)))
        return Domain(column.name, labels, positions, intervals=intervals, ends=ends, step=step)
    tree = None
    if hierarchy is not None:
        tree = hierarchy.over(column.name, [each for each in labels if each is not None])
    return Domain(column.name, labels, positions, tree, ends=ends, step=step)
