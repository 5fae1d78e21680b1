"""Shown tables: reading one that was made elsewhere of a dataset, and the dataset beside it.

Both are read as a publication reads its source, each by one ``GROUP BY``: of the table the labels
of its columns, as text, and how many rows have the same. Where a key tells whose rows are whose,
its values are read of both as names of respondents are, and matched as texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plpy

from bkpriv_core.errors import InvalidData, InvalidParameter, TooLarge, as_json
from bkpriv_core.release.external import GROUP, Labels, MadeElsewhere, People, Rows, find_release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.domain import ROOT
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.payload import Payload
from bkpriv_core.table.reading import UNREAD, read_values
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from bkpriv_pl.server.boundary import Refusal, from_json, require, run
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.column import Column, Period, column_types
from bkpriv_pl.tables.counts import count_cells
from bkpriv_pl.tables.dataset import Dataset, open_source, read_records
from bkpriv_pl.tables.period import find_period, require_period
from bkpriv_pl.tables.source import Relation, check_readable, filtered_for_others, open_relation

__all__ = ["Shown", "read_shown"]

_BELOW = "_below"
"""End of the name of a column with ends that are not of their ranges."""

_LONGEST = 63
"""Limit of the characters of a name that an error shows; PostgreSQL's names have no more."""

_SHAPE = (
    'Write for example {"age": "age_range", "income": ["income_from", "income_to"], "id": "id"}.'
)


@dataclass(frozen=True)
class Shown:
    """A table made elsewhere, as it was read."""

    relation: Relation
    dataset: Dataset
    release: MadeElsewhere
    key: str | None
    """The dataset's column by which rows are matched."""
    grouping: tuple[str, ...]
    """Columns of the relation that say which group a row is in."""
    measured: tuple[str, ...]
    """Columns of the relation that are judged: these, and those of quasi-identifiers and sensitive
    columns.
    """


@dataclass(frozen=True)
class _Layout:
    """Columns of a table made elsewhere."""

    labels: tuple[tuple[str, ...], ...]
    """Columns of each quasi-identifier: one with its labels, two with the ends of ranges, or none
    where it is not shown.
    """
    sensitive: tuple[tuple[str, ...], ...]
    group: str | None
    key: tuple[str, str] | None
    """The column of the key in the dataset, and in the table."""

    @property
    def grouping(self) -> tuple[str, ...]:
        """Columns whose equal values make groups."""
        if self.group is not None:
            return (self.group,)
        return tuple(dict.fromkeys(name for names in self.labels for name in names))

    @property
    def read(self) -> tuple[str, ...]:
        """Columns that are read of the table, but for the key, each once."""
        named = [name for names in (*self.labels, *self.sensitive) for name in names]
        return tuple(dict.fromkeys(filter(None, (*named, self.group))))


def read_shown(
    source: str | None, registered: Dataset, columns: str | None, period: str | None, task: Task
) -> Shown:
    """Read a table made elsewhere, and the dataset that it was made of.

    Args:
        source: The table, as SQL writes a regclass.
        columns: JSON of the names of its columns, by those of the dataset; see `_lay_out`.
        period: The period whose records were published, where the dataset has periods.

    Raises:
        Refusal: If the caller may not read either, or not all rows.
        BkprivError: If the table lacks a column, or has values that the dataset does not have; or
            if the dataset names its respondents, and some have several records.
    """
    relation = open_relation(require(source, "source"))
    opened = open_source(registered)
    _check_unfiltered(opened, registered.owner)
    _check_unfiltered(relation, _owner_of(relation))
    there = column_types(relation.schema, relation.name)
    layout = _lay_out(registered, relation, there, from_json(columns, "columns"))
    task.step("counting")
    key = None if layout.key is None else layout.key[0]
    within = (require_period if key else find_period)(registered, period)
    if key is not None:
        if key not in column_types(opened.schema, opened.name):
            raise InvalidParameter(
                f'dataset "{registered.name}" has no column {_cut(key)}',
                detail="What columns name beside quasi-identifiers and sensitive columns is a key "
                "that the dataset and the table have.",
                hint=_SHAPE,
            )
        check_readable(opened, (key,))
        _check_key(opened, key, within, _WAY_OUT if key == registered.respondent else "")
    _check_persons(opened, registered, key, within)
    table, respondents, *_ = read_records(
        replace(registered, respondent=key, attributes=()), "category", within
    )
    names, passed = _read_labels(relation, there, layout)
    codes, counts = _rows_of(passed, single=key is not None)
    rows = Rows(
        tuple(_joined(passed, codes, columns) if columns else None for columns in layout.labels),
        None if layout.group is None else _joined(passed, codes, (layout.group,)),
        _values(relation, table, [_joined(passed, codes, each) for each in layout.sensitive])
        if layout.sensitive
        else np.zeros_like(counts),
        counts,
    )
    people = None if key is None else _matched(relation, key, names, respondents)
    task.step("comparing labels")
    release = find_release(table, rows, people, POLLED)
    return Shown(relation, registered, release, key, layout.grouping, layout.read)


def _owner_of(relation: Relation) -> str:
    (row,) = run(
        "SELECT pg_get_userbyid(relowner)::text AS owner FROM pg_class WHERE oid = $1",
        ["oid"],
        [relation.oid],
    )
    return str(row["owner"])


def _check_unfiltered(relation: Relation, owner: str) -> None:
    """Refuse a caller to whom row-level security may show a part of what is to be judged."""
    if filtered_for_others(relation, owner):
        raise Refusal(
            "42501",
            f'rows of {relation} can be judged by role "{owner}" alone',
            detail=f"{relation} has row-level security, which may show other rows to others than "
            "that role, and what holds of a part need not hold of the whole.",
            hint="Ask that role.",
        )


# --- Columns --------------------------------------------------------------------------------------


def _lay_out(
    dataset: Dataset, relation: Relation, there: Mapping[str, Column], stated: object
) -> _Layout:
    """Find the columns of a table.

    Args:
        there: Columns of the table by name.
        stated: Decoded JSON: columns of the table by those of the dataset. A quasi-identifier may
            have two, with the ends of ranges, or null if it is not shown; a name that the dataset
            does not declare is that of the key; ``group_id`` is the number of groups. What is left
            out goes by the names that a view of a release has.
    """
    if not isinstance(stated, Mapping):
        raise InvalidParameter(
            "columns must be a JSON object", detail=f"It is {as_json(stated)}.", hint=_SHAPE
        )
    named = {name: _names(dataset, name, value) for name, value in stated.items()}
    for name in (name for names in named.values() for name in names):
        if name not in there:
            raise _no_column(relation, name, there, "Columns are stated by the dataset's names.")
    group, known = _group(dataset, there, named), dataset.measured
    found = {name: named[name] if name in named else _customary(name, there) for name in known}
    # What is told by numbers of groups needs no quasi-identifiers.
    spared = {*dataset.quasi_identifiers} & {*(named if group is None else known)}
    for name in known:
        if not found[name] and name not in spared:
            raise _no_column(
                relation,
                name,
                there,
                f'State it: columns => {{"{name}": "..."}}; null for a quasi-identifier that the '
                "table does not show.",
            )
    return _Layout(
        tuple(found[name] for name in dataset.quasi_identifiers_by_name),
        tuple(found[name] for name in dataset.sensitive_columns),
        group,
        _key(dataset, there, named),
    )


def _no_column(relation: Relation, name: str, there: Mapping[str, Column], hint: str) -> Refusal:
    return Refusal(
        "42703",
        f"column {_cut(name)} of table {relation} does not exist",
        detail=f"Its columns are {', '.join(there)}.",
        hint=hint,
    )


def _cut(name: str) -> str:
    """Name of a column as it was stated, for an error message."""
    escaped = name[:_LONGEST].replace('"', '""')
    return f'"{escaped}"' if len(name) <= _LONGEST else f'"{escaped}..."'


def _group(
    dataset: Dataset, there: Mapping[str, Column], named: Mapping[str, tuple[str, ...]]
) -> str | None:
    """The column of groups' numbers, if there is one, and no attribute has its name."""
    if GROUP in dataset.measured:
        return None
    return next((name for name in named.get(GROUP, (GROUP,)) if name in there), None)


def _names(dataset: Dataset, name: str, value: object) -> tuple[str, ...]:
    """Names of columns of the table that are stated for one of the dataset."""
    if value is None:
        return ()
    names = value if isinstance(value, list) else [value]
    allowed = (1, 2) if name in dataset.measured else (1,)
    if not all(isinstance(each, str) for each in names) or len(names) not in allowed:
        raise InvalidParameter(
            f"columns state no column for {_cut(name)}",
            detail=f"They state {as_json(value)}. Two are the ends of a range, and only "
            "quasi-identifiers and sensitive columns have such.",
            hint=_SHAPE,
        )
    return tuple(names)


def _customary(name: str, there: Mapping[str, Column]) -> tuple[str, ...]:
    """Columns in which an attribute goes by its name, if there are such."""
    ways = ((name,), (f"{name}_from", f"{name}_to"), (f"{name}_from", f"{name}{_BELOW}"))
    return next((way for way in ways if all(each in there for each in way)), ())


def _key(
    dataset: Dataset, there: Mapping[str, Column], named: Mapping[str, tuple[str, ...]]
) -> tuple[str, str] | None:
    """The column of the key in the dataset and in the table."""
    stated = {name: each for name, each in named.items() if name not in (*dataset.measured, GROUP)}
    keys = {name: each for name, each in stated.items() if each}
    if len(keys) > 1:
        raise InvalidParameter(
            "columns state several keys",
            detail="Neither quasi-identifiers nor sensitive are "
            f"{', '.join(_cut(name)[1:-1] for name in keys)}.",
            hint="State one column by which rows of the table and of the dataset are matched.",
        )
    for name in stated.keys() - keys.keys() - {dataset.respondent}:
        raise InvalidParameter(
            f"columns state null for {_cut(name)}",
            detail=f'Dataset "{dataset.name}" measures no such column, and it is not that of its '
            "respondents.",
            hint=_SHAPE,
        )
    for name, columns in keys.items():
        return name, columns[0]
    respondent = dataset.respondent
    if respondent is not None and respondent in there and respondent not in stated:
        return respondent, respondent
    return None


# --- Rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Doubled:
    """Rows that keep a column from being a key."""

    nulls: int
    several: int
    some: list[str]

    @classmethod
    def of(cls, relation: Relation, name: str, period: Period | None) -> _Doubled | None:
        """Rows of a relation, if there are such."""
        picked = "" if period is None else f" WHERE {period.condition('s')}"
        (row,) = run(
            "SELECT coalesce(sum(n) FILTER (WHERE k IS NULL), 0)::int8 AS nulls, "
            "count(*) FILTER (WHERE n > 1 AND k IS NOT NULL) AS several, "
            "(array_agg(left(k, 100) ORDER BY k) FILTER (WHERE n > 1 AND k IS NOT NULL))[1:9] "
            f'AS some FROM (SELECT s.{plpy.quote_ident(name)}::pg_catalog.text COLLATE "C" AS k, '
            f"count(*) AS n FROM {relation} AS s{picked} GROUP BY 1) AS x",
            *([] if period is None else (["text"], [period.text])),
        )
        found = cls(row["nulls"], row["several"], row["some"] or [])
        return found if found.nulls or found.several else None

    def __str__(self) -> str:
        return (
            f"It is NULL in {self.nulls} rows, and {self.several} of its values are in several"
            f"{': ' + some_of(self.some) if self.some else ''}."
        )


_WAY_OUT = (
    "Register a view that has one record of each person, such as SELECT DISTINCT ON, and judge a "
    "table of these by it."
)
"""Hint where people have several records."""


def _check_key(relation: Relation, name: str, period: Period | None = None, hint: str = "") -> None:
    """Refuse a key that is missing in a row, or that several rows have."""
    if found := _Doubled.of(relation, name, period):
        raise InvalidData(
            f"column {_cut(name)} of table {relation} is no key",
            detail=f"{found}",
            hint=hint or "Name a column that tells all rows apart, or show each person once.",
        )


def _check_persons(
    source: Relation, dataset: Dataset, key: str | None, period: Period | None
) -> None:
    """Refuse a dataset whose respondents have several records: rows would count as people."""
    name = dataset.respondent
    if name is None or name == key:
        return
    check_readable(source, (name,))
    if found := _Doubled.of(source, name, period):
        stated = dataset.period is None or period is not None
        raise InvalidData(
            f'tables cannot be judged by dataset "{dataset.name}": people have several records',
            detail=f'Its respondents are told by column "{name}" of {source}. {found} Requirements '
            "are about people, and each row would count as one.",
            hint=_WAY_OUT if stated else "State the period that the table shows.",
        )


def _read_labels(
    relation: Relation, there: Mapping[str, Column], layout: _Layout
) -> tuple[tuple[str, ...], Payload]:
    """Keys of the rows of a table, rising, and their labels; or labels alone."""
    key = None if layout.key is None else layout.key[1]
    check_readable(relation, tuple(filter(None, (*layout.read, key))))
    if key is not None:
        _check_key(relation, key)
    try:
        _, names, passed = count_cells(
            relation, (), (), {}, respondent=key, passing=tuple(there[name] for name in layout.read)
        )
    except TooLarge as error:
        raise TooLarge(
            f"{relation} is too large to be judged",
            detail=f"{error.message}. {error.detail}",
            hint="Judge a view of some of its columns or rows.",
        ) from None
    return names.names, passed


def _rows_of(passed: Payload, *, single: bool) -> tuple[IntArray, IntArray]:
    """Codes of the labels of each row, and how many rows are such; or of each single row."""
    if single:
        return passed.tuples[passed.which], np.ones(len(passed.which), dtype=np.int64)
    return passed.tuples, np.bincount(passed.which, minlength=len(passed.tuples))


def _joined(passed: Payload, codes: IntArray, columns: tuple[str, ...]) -> Labels:
    """Labels of one column, or of the ranges between the ends that two columns have."""
    places = [passed.names.index(name) for name in columns]
    if len(places) == 1:
        return Labels(passed.labels[places[0]], codes[:, places[0]])
    first, kind, _ = distinct_rows(codes[:, places])
    low, high = ([passed.labels[place][code] for code in codes[first, place]] for place in places)
    last = ")" if columns[1].endswith(_BELOW) else "]"
    return Labels(
        tuple(
            ROOT if one is None and other is None else f"[{one or ''},{other or ''}{last}"
            for one, other in zip(low, high, strict=True)
        ),
        kind,
    )


def _values(relation: Relation, table: Table, shown: list[Labels]) -> IntArray:
    """Sensitive value of each row, by its code.

    Raises:
        InvalidData: If the dataset does not have it.
    """
    codes = []
    domains = columns_of(table.sensitive)
    for domain, each in zip(domains, shown, strict=True):
        read = read_values(domain, each.labels, POLLED)
        if (unknown := np.flatnonzero(read == UNREAD)).size:
            raise InvalidData(
                f'table {relation} has values of "{domain.name}" that the dataset does not have',
                detail=f"They are {some_of([each.labels[place] for place in unknown])}.",
                hint="Sensitive values are to be those of the dataset, not generalized. If the "
                "dataset has changed since, register the table that this one was made of.",
            )
        codes.append(read[each.codes])
    if len(domains) == 1:
        return codes[0]
    return _combined(relation, table, np.column_stack(codes))


def _combined(relation: Relation, table: Table, codes: IntArray) -> IntArray:
    """Combination of several sensitive values of each row, by its code."""
    told: Any = table.sensitive
    _, kind, _ = distinct_rows(np.vstack((told.rows, codes)))
    place = np.full(kind.max() + 1, UNREAD)
    place[kind[: told.size]] = np.arange(told.size)
    values: IntArray = place[kind[told.size :]]
    if (unknown := np.flatnonzero(values == UNREAD)).size:
        example = dict(
            zip(
                (domain.name for domain in told.columns),
                (
                    domain.labels[code]
                    for domain, code in zip(told.columns, codes[unknown[0]], strict=True)
                ),
                strict=True,
            )
        )
        raise InvalidData(
            f"table {relation} has combinations of sensitive values that the dataset does not have",
            detail=f"Such as {as_json(example)}.",
            hint="The sensitive values of a row are to be those of one record of the dataset.",
        )
    return values


def _matched(
    relation: Relation, key: str, names: tuple[str, ...], respondents: Respondents
) -> People:
    """People of the rows of a table, by the dataset's keys."""
    place = {name: number for number, name in enumerate(respondents.names)}
    found = np.array([place.get(name, UNREAD) for name in names], dtype=np.int64)
    if (missing := np.flatnonzero(found == UNREAD)).size:
        raise InvalidData(
            f'{missing.size} rows of table {relation} have a "{key}" that the dataset lacks',
            detail=f"They are {some_of([names[row] for row in missing])}.",
            hint="Values are compared as texts. If the dataset has changed since, register the "
            "table that this one was made of.",
        )
    return People(key, respondents.cells[found], respondents.values[found])
