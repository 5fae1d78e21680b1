"""Identification: which columns of a table tell people apart, and what they look like.

A table is read in one statement, which sends a number for each value, a hash of its text, and
counts by column; no value leaves SQL. Of a large table that is a sample; see
`bkpriv_pl.tables.sample`.

Values are told apart by hashes of 64 bits of their texts. That two of 100,000 have the same by
chance happens once in three billion tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plpy

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.appearance import CODED, DATED, Appearance, Kind, Seen, judge, with_sensitive
from bkpriv_core.table.dependence import Classified
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.identification import Distinction, classes, most_distinct
from bkpriv_core.table.inspection import SHARED_BY
from bkpriv_core.table.names import COMMON_NAMES
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, require, run, unpack_floats, unpack_integers
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Column, column_types
from bkpriv_pl.tables.outlying import find_outlying
from bkpriv_pl.tables.sample import Sample, as_text, hashed
from bkpriv_pl.tables.source import (
    Relation,
    check_readable,
    open_relation,
    tell_hidden_rows,
    unreadable,
)

__all__ = ["MOST_COLUMNS", "inspect_columns", "read_figures", "readable_columns"]

MOST_COLUMNS = 400
"""Limit of the columns; a statement has up to four results for each, and PostgreSQL has 1664."""

_TEXTS = 2_000
"""Approximate number of records whose texts are looked at."""

_CUT = 200
"""Characters of a text that are looked at."""

_COMBINATIONS = 10
"""Limit of the pairs that are returned, and of the triples."""

_MAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
_ICD = r"^[A-TV-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4})?$"
_ILL = (
    "cancer|carcinom|tumou?r|krebs|flu|influenza|grippe|asthma|diabet|hiv|aids|infect|infarct|"
    "stroke|fractur|fraktur|ulcer|ulkus|gastrit|bronchit|pneumon|hepatit|depress|hypertens|"
    "hyperton|migr.n|schizo|arthrit|gout|gicht|epileps|allerg|anemi|an.mie|covid|obes|disease|"
    "syndrom|heart|pregnan|emphysem|dialys|dement|alzheim|parkinson"
)
_SEXES = (
    *("m", "f", "w", "d", "x", "male", "female", "man", "woman", "männlich", "weiblich", "divers"),
    *("mann", "frau", "homme", "femme", "masculin", "féminin", "hombre", "mujer", "masculino"),
    *("femenino", "feminino", "maschio", "femmina", "uomo", "donna", "vrouw", "other", "h"),
)

_PLACES = (
    r"^(st|ste|saint|sankt|san|santa|santo|são|port|fort|new|bad|los|las)[\s.]"
    r"|(street|str|stra(ss|ß)e|road|rd|ave|avenue|weg|platz|city|county|hospital|klinik|clinic|school"
    r"|schule|ward|station|church|park|ville|town|burg|land|ltd|inc|gmbh)\.?$"
)
"""Regular expression of places and institutions that are called after people."""

_ALONE = ("constant", "key", "free text")
"""Looks of columns that are not combined: others add nothing to them, or they add nothing."""

Row = tuple[
    list[str], float, int, str | None, str | None, str, float, int | None, int | None, int, bool
]


@entry(Access.NAMED)
def inspect_columns(source: str | None) -> list[Row]:
    """See ``bkpriv.inspect_columns``."""
    relation = open_relation(require(source, "source"))
    columns = readable_columns(relation)
    tell_hidden_rows(relation, "What is inspected")
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise TooLarge(
            f"{relation} has {len(columns)} columns",
            detail=f"From 1 to {MOST_COLUMNS} can be inspected at once.",
            hint="Inspect a view that shows some of them.",
        )
    sample = Sample.of(relation, columns)
    labels, sizes, seen = read_figures(sample, columns)
    singles = [Distinction.of((place,), size) for place, size in enumerate(sizes)]
    judged = _remarked(
        sample,
        columns,
        with_sensitive(
            [judge(each.seen) for each in seen],
            [column.name for column in columns],
            [Classified(label, each.positions) for label, each in zip(labels, seen, strict=True)],
        ),
    )
    apart = [
        place
        for place, each in enumerate(judged)
        if each.looks_like not in _ALONE and not (each.role == "sensitive" and each.named)
    ]
    pairs, triples = most_distinct(labels, singles, apart, _COMBINATIONS, POLLED)
    records = len(labels[0])
    if sample.drawn:
        notices.notice(
            f"{records} records of {relation} were looked at, and not all",
            detail="Who is unique among them may have equals among the others, so distinct_share "
            "and unique_people overstate how many are.",
            hint="They compare columns with one another. How many are unique in a release is told "
            "by bkpriv.report_html.",
        )
    rows = [
        _row(columns, found, each, looked, records, drawn=sample.drawn)
        for found, each, looked in zip(singles, seen, judged, strict=True)
    ]
    rows += [_combined(columns, found, records, drawn=sample.drawn) for found in (*pairs, *triples)]
    return rows


def _remarked(
    sample: Sample, columns: Sequence[Column], judged: Sequence[Appearance]
) -> list[Appearance]:
    """Add to the reasons what stands out in columns of numbers, days and times."""
    reasons = {each.name: "" for each in columns}
    for remark in find_outlying(sample.source, columns):
        name = remark.column.name
        if remark.stand_ins:
            reasons[name] += f"; records that may have none, {remark.stand_ins}: {remark.nulled}"
        if remark.far:
            reasons[name] += f"; far out, {remark.far}: {remark.capped}"
    return [
        replace(each, reason=each.reason + reasons[column.name])
        for column, each in zip(columns, judged, strict=True)
    ]


def readable_columns(relation: Relation) -> tuple[Column, ...]:
    """Columns that the caller may read; the others are counted in a notice.

    Raises:
        Refusal: If there are columns, and the caller may read none.
    """
    columns = column_types(relation.schema, relation.name)
    hidden = unreadable(relation, tuple(columns))
    if len(hidden) == len(columns):
        check_readable(relation, tuple(columns))
    if hidden:
        notices.notice(
            f"{len(hidden)} of {len(columns)} columns of {relation} are not inspected",
            detail=f"You may not read {some_of(hidden)}. Nothing is said about them.",
            hint="Columns that name people need not be granted to publish the others.",
        )
    return tuple(column for name, column in columns.items() if name not in hidden)


@dataclass(frozen=True)
class _Column:
    """Figures of a column: for judging it, and how many of its values read alike."""

    seen: Seen
    alike: int | None
    nulls: int
    positions: FloatArray | None
    """Positions of numbers, days and times; NaN without one."""


def read_figures(
    sample: Sample, columns: Sequence[Column]
) -> tuple[list[IntArray], list[IntArray], list[_Column]]:
    """Class of each record by each column, the sizes of the classes, and what texts look like."""
    row = _query(sample, columns)
    labels, sizes, seen = [], [], []
    for place, column in enumerate(columns):
        POLLED.poll()
        hashes = unpack_integers(row.pop(f"h{place}"), ">i8")
        label, size = classes(hashes)
        labels.append(label)
        sizes.append(size)
        valued, low, high, unbounded = row[f"n{place}"]
        nulls = len(label) - int(valued)
        figures = Seen(
            column.name,
            _kind(column),
            int(valued),
            nulls,
            len(size) - bool(nulls),
            low,
            high,
            *_looks(row[f"t{place}"]),
        )
        each = np.delete(size, label[hashes == 0][:1]) if nulls else size
        few = each[(each >= SHARED_BY[0]) & (each <= SHARED_BY[1])]
        spread = (float(each.mean()), float(each.var())) if len(each) else (0.0, 0.0)
        figures = replace(figures, unbounded=int(unbounded), shared=int(few.sum()), sizes=spread)
        packed = row.pop(f"r{place}", None)
        positions = unpack_floats(packed) if column.numeric else None
        seen.append(_Column(figures, row.get(f"a{place}"), nulls, positions))
    return labels, sizes, seen


def _looks(figures: Sequence[float]) -> tuple[Any, ...]:
    """Lengths of texts, and the shares that look like this or that."""
    shortest, longest, length, *shares = figures
    return (int(shortest), int(longest), length, *shares)


def _kind(column: Column) -> Kind:
    if column.whole:
        return "whole"
    if column.is_number:
        return "number"
    if column.numeric:
        return "time"
    return "text" if column.declared_as in _TEXT else "other"


_TEXT = ("text", "character varying", "character", "citext")


def _query(sample: Sample, columns: Sequence[Column]) -> dict[str, Any]:
    """Read hashes and figures of all columns; the one statement that looks at records."""
    values, listed = [], []
    types: list[str] = ["text", "text", "text", "text", "text", "text[]", "text[]", "text"]
    given: list[Any] = [DATED, CODED, _MAIL, _ICD, _ILL, list(_SEXES), list(COMMON_NAMES), _PLACES]
    for place, column in enumerate(columns):
        raw = f"s.{plpy.quote_ident(column.name)}"
        text = as_text(column, raw)
        values += [
            f"{hashed(text)} AS h{place}",
            f'left({text}, {_CUT}) COLLATE "C" AS t{place}',
        ]
        span = "NULL::float8, NULL::float8, 0"
        if column.numeric:
            number = column.position(raw)
            values.append(f"CASE WHEN {raw} IS NOT NULL THEN {number} END AS p{place}")
            finite = f"p{place} NOT IN ('NaN', 'Infinity', '-Infinity')"
            ends = [f"{end}(p{place}) FILTER (WHERE {finite})" for end in ("min", "max")]
            low, high = (f"coalesce({end}, 'NaN')" for end in ends)
            span = f"{low}, {high}, count(*) FILTER (WHERE NOT ({finite}))"
            packed = f"string_agg(float8send(coalesce(p{place}, 'NaN')), ''::bytea)"
            listed.append(f"{packed} AS r{place}")
        listed += [
            f"string_agg(int8send(coalesce(h{place}, 0)), ''::bytea) AS h{place}",
            f"ARRAY[count(h{place}), {span}]::float8[] AS n{place}",
            f"({_texts(place)}) AS t{place}",
        ]
        if _kind(column) == "text":
            listed.append(f"({_alike(place)}) AS a{place}")
    query = (
        f"WITH g AS MATERIALIZED (SELECT row_number() OVER () AS place, {', '.join(values)} "
        f"FROM {sample.source} LIMIT {sample.most}), "
        f"step AS MATERIALIZED (SELECT greatest(count(*) / {_TEXTS}, 1) AS every FROM g) "
        f"SELECT {', '.join(listed)} FROM g"
    )
    return run(query, types, given)[0]


def _texts(place: int) -> str:
    """SQL of lengths of a column's texts, and of the shares that look like this or that."""
    shares = ", ".join(
        f"coalesce(avg(({condition})::int), 0)"
        for condition in (
            r"v ~ '(\S+\s+){3}\S'",
            "v ~ $1",
            "v ~ $2",
            "v ~ $3",
            # Codes of illnesses end in digits, or have a point, unlike most other short codes.
            "v ~ $4 OR v ~* $5",
            "lower(v) = ANY ($6)",
            # Three words at most: a street or an institution that is called after people has more.
            r"v ~ '^[^\d,]+(,\s)?[^\d,]+$' AND v !~ '(\S+\s+){3}\S' AND v !~* $8 "
            r"AND regexp_split_to_array(lower(v), '[\s,.]+') && $7",
        )
    )
    return (
        f"SELECT ARRAY[coalesce(min(length(v)), 0), coalesce(max(length(v)), 0), "
        f"coalesce(avg(length(v)), 0), {shares}]::float8[] FROM (SELECT t{place} AS v FROM g, step "
        f"WHERE place % every = 0 AND t{place} IS NOT NULL) AS x"
    )


def _alike(place: int) -> str:
    """SQL of how many values of a column differ from another in case, blanks or form only."""
    blank = r"[\s\u00a0\u2000-\u200d\u202f\u3000\ufeff]+"
    folded = f"normalize(lower(normalize(btrim(regexp_replace(v, '{blank}', ' ', 'g')), NFC)), NFC)"
    return (
        f"SELECT count(*) - count(DISTINCT {folded}) FROM (SELECT DISTINCT t{place} "
        f"COLLATE {_FOLDING} AS v FROM g WHERE t{place} IS NOT NULL) AS x"
    )


_FOLDING = '"default"'
"""Collation by which letters have their other case."""


def _row(
    columns: Sequence[Column],
    found: Distinction,
    column: _Column,
    looked: Appearance,
    records: int,
    *,
    drawn: bool,
) -> Row:
    alike = column.alike or 0
    reason = looked.reason
    if alike:
        reason += f"; differ from others only in case, blanks or normal form: {alike}"
    return (
        [columns[place].name for place in found.columns],
        found.distinction,
        found.unique,
        looked.words,
        looked.role,
        reason,
        found.separation,
        column.nulls,
        column.alike,
        records,
        drawn,
    )


def _combined(columns: Sequence[Column], found: Distinction, records: int, *, drawn: bool) -> Row:
    reason = f"together they single out {found.unique} of {records}"
    return (
        [columns[place].name for place in found.columns],
        found.distinction,
        found.unique,
        None,
        None,
        reason,
        found.separation,
        None,
        None,
        records,
        drawn,
    )
