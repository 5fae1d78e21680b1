"""Proposal: the roles of a table's columns, as ``bkpriv.inspect_columns`` proposes them.

Bins are proposed with them: numbers that stand for kinds are labels, days that are nearly unique
are binned by the year, and sensitive numbers of many values by a round width, about ten of which
hold nine tenths of the records: beliefs are about each value, and a salary to the penny is that of
one person. Hierarchies are those of ``bkpriv.suggest_hierarchy``, of columns whose labels have
structure; the table is registered for that and the registration taken back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import psycopg
from psycopg import errors, sql

from bkpriv_client.declaration import declare
from bkpriv_client.loading import TableName
from bkpriv_client.server import Connection
from bkpriv_core.suggestion import by_structure
from bkpriv_core.table.bins import LABEL
from bkpriv_core.table.inspection import has_many_labels, tells_by_code

__all__ = [
    "Bin",
    "Looked",
    "Proposal",
    "look_at",
    "look_if_possible",
    "propose",
    "propose_bins",
    "suggested",
]

Bin = str | int | float
"""Bin of a column: `LABEL`, a unit of time, or a width."""

_INSPECT = (
    "SELECT columns, distinct_share, unique_people, looks_like, role, reason, separated_share, "
    "records FROM bkpriv.inspect_columns(%s)"
)

_TYPES = (
    "SELECT a.attname::text, CASE WHEN a.atttypid = ANY ('{int2,int4,int8}'::regtype[]) "
    "THEN 'whole' ELSE t.typcategory::text END FROM pg_attribute AS a "
    "JOIN pg_type AS t ON t.oid = a.atttypid "
    "WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped"
)


@dataclass(frozen=True)
class Looked:
    """A row of ``bkpriv.inspect_columns``."""

    columns: list[str]
    distinct: float
    unique: float
    looks_like: str | None
    role: str | None
    reason: str
    separated: float
    records: int

    @property
    def values(self) -> int:
        """Number of distinct values; NULL is one."""
        return round(self.distinct * self.records)


@dataclass(frozen=True)
class Proposal:
    """Roles of a table's columns that are proposed."""

    quasi_identifiers: list[str]
    sensitive: list[str]
    """Columns by which people might be recognised, and those that nobody is to learn."""
    respondent: str | None
    """Column that says whose record it is, where people have several."""
    bins: dict[str, Bin]
    """Bins; see `propose_bins`."""
    labels: list[str]
    """Columns of labels."""
    coarsened: list[str]
    """Quasi-identifiers of many labels, and codes, for which a hierarchy can be suggested."""
    left: list[str]

    @property
    def complete(self) -> bool:
        """Whether a dataset can be registered so."""
        return bool(self.quasi_identifiers and self.sensitive)

    def statements(self, connection: Connection, dataset: str, table: TableName) -> list[str]:
        """Write the statements that declare a table so, with hierarchies that are suggested."""
        roles: dict[str, str | list[str]] = {}
        if self.respondent is not None:
            roles["respondent"] = self.respondent
        if self.bins:
            roles["bins"] = json.dumps(self.bins, ensure_ascii=False)
        told = self.sensitive if len(self.sensitive) > 1 else self.sensitive[0]
        register = declare(
            connection, dataset, table, self.quasi_identifiers, told, {}, {}, **roles
        )
        return [
            *(each.as_string() for each in register),
            *suggested(connection, dataset, table, register, self.labels),
        ]


_MANY = 0.5
"""Share of distinct values from which days are to be binned."""

_UNIT = "year"

_MANY_VALUES = 50
"""Values of a sensitive number from which it is binned."""

_STRETCHED = 8.0
"""Quotient of nine tenths of the values and half of them, from which on the half counts."""

_BINS = 10

_READ = 100_000
"""Records by which a width is chosen, and the structure of labels found."""

_REFUSED = (
    psycopg.DataError,
    psycopg.ProgrammingError,
    errors.ProgramLimitExceeded,
    errors.OutOfMemory,
    errors.ReadOnlySqlTransaction,
)
"""Refusals for which nothing is suggested; a cancelled statement is none."""

_SUGGEST = "SELECT statement FROM bkpriv.suggest_hierarchy(%s, %s) LIMIT 1"

_PAIR = 2


def look_at(connection: Connection, name: str) -> list[Looked]:
    """Have the extension look at a table, named as in SQL."""
    return [Looked(*row) for row in connection.execute(_INSPECT, [name]).fetchall()]


def look_if_possible(connection: Connection, name: str) -> dict[str, Looked]:
    """Have the extension look at the columns of a table; nothing where the user may not ask it.

    Nor where the table has too many columns. A transaction goes on.
    """
    try:
        with connection.transaction():
            looked = look_at(connection, name)
    except (errors.InsufficientPrivilege, errors.ProgramLimitExceeded):
        return {}
    return {each.columns[0]: each for each in looked if len(each.columns) == 1}


def _coarsened(singles: Sequence[Looked], labels: Collection[str]) -> list[str]:
    """Quasi-identifiers whose labels a hierarchy would bring together."""
    found = []
    for each in singles:
        looks_like = (each.looks_like or "").partition(",")[0]
        coded = looks_like == "code" and each.columns[0] in labels and each.values > _PAIR
        labelled = looks_like == "label" and has_many_labels(each.records, each.values)
        if each.role == "quasi_identifiers" and (coded or labelled):
            found += each.columns
    return found


def propose(connection: Connection, table: TableName, looked: Sequence[Looked]) -> Proposal:
    """Roles of the columns of a table, by what was seen of them."""
    singles = [each for each in looked if len(each.columns) == 1]
    by_role: dict[str | None, list[str]] = {}
    for each in singles:
        by_role.setdefault(each.role, []).extend(each.columns)
    known, told = by_role.get("quasi_identifiers", []), by_role.get("sensitive", [])
    used = [each for each in singles if each.columns[0] in {*known, *told}]
    bins, labels = propose_bins(connection, table, used, told)
    return Proposal(
        known,
        told,
        next(iter(by_role.get("respondent", [])), None),
        bins,
        labels,
        _coarsened(singles, labels),
        by_role.get(None, []),
    )


def propose_bins(
    connection: Connection, table: TableName, used: Sequence[Looked], sensitive: Collection[str]
) -> tuple[dict[str, Bin], list[str]]:
    """Bins of columns, and those that are labels or codes written as text."""
    types: Mapping[str, str] = dict(
        connection.execute(_TYPES, [table.written(connection)]).fetchall()
    )
    bins: dict[str, Bin] = {}
    labels = []
    for each in used:
        (column,) = each.columns
        looks_like = (each.looks_like or "").partition(",")[0]
        numeric = types[column] in ("whole", "N")
        if looks_like in ("code", "label") and not numeric:
            labels.append(column)
        elif looks_like == "code" or (column in sensitive and _may_be_kinds(each, types[column])):
            bins[column] = LABEL
        elif looks_like == "date" and types[column] == "D" and each.distinct > _MANY:
            bins[column] = _UNIT
        elif numeric and column in sensitive and each.values > _MANY_VALUES:
            width = _width(connection, table, column)
            if width > (types[column] == "whole"):
                bins[column] = width
    return bins, labels


def _may_be_kinds(each: Looked, kind: str) -> bool:
    return kind == "whole" and tells_by_code(each.records, each.values)


def _width(connection: Connection, table: TableName, column: str) -> int | float:
    """Round width of bins of a column of numbers; 0 for none."""
    row = connection.execute(
        sql.SQL(
            "SELECT percentile_cont(ARRAY[0.05, 0.25, 0.75, 0.95]) WITHIN GROUP (ORDER BY v) "
            "FROM (SELECT {}::float8 AS v FROM {} LIMIT {}) AS x"
        ).format(sql.Identifier(column), table.identifier, sql.Literal(_READ))
    ).fetchone()
    lowest, low, high, highest = row[0] if row and row[0] else (0.0, 0.0, 0.0, 0.0)
    span = highest - lowest
    if span > _STRETCHED * (high - low) > 0:
        # One value in twenty may be a code for none.
        span = (high - low) * 0.9 / 0.5
    if not 0 < span < math.inf:
        return 0
    power = math.floor(math.log10(span / _BINS))
    width = next(each for each in (1, 2, 5, 10) if each * 10**power * _BINS >= span * (1 - 1e-9))
    return width * 10**power if power >= 0 else round(width * 10.0**power, -power)


def suggested(
    connection: Connection,
    dataset: str,
    table: TableName,
    register: Iterable[sql.Composed],
    columns: Iterable[str],
) -> list[str]:
    """Statements of the hierarchies that ``bkpriv.suggest_hierarchy`` proposes for some columns.

    Only for those whose labels have structure; what is brought together by records needs names. The
    table is registered for that and the registration taken back; none where that is refused.
    """
    found = []
    structured = [each for each in columns if _has_structure(connection, table, each)]
    if structured:
        with suppress(*_REFUSED), connection.transaction(force_rollback=True):
            for statement in register:
                connection.execute(statement)
            for column in structured:
                with suppress(*_REFUSED), connection.transaction():
                    row = connection.execute(_SUGGEST, [dataset, column]).fetchone()
                    found += [row[0].removesuffix(";")] if row and row[0] else []
    return found


def _has_structure(connection: Connection, table: TableName, column: str) -> bool:
    """Whether the labels of a column are bands, days or codes; of many records, of the first."""
    row = connection.execute(
        sql.SQL("SELECT array_agg(DISTINCT v) FROM (SELECT {}::text AS v FROM {} LIMIT {}) AS x "
                "WHERE v IS NOT NULL").format(
            sql.Identifier(column), table.identifier, sql.Literal(_READ))
    ).fetchone()  # fmt: skip
    labels = (row and row[0]) or []
    return bool(by_structure(labels, np.ones(len(labels), dtype=np.int64)))
