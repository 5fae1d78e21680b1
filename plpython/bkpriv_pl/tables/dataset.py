"""Datasets: declaring a source, and reading it under its hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.schema import near
from bkpriv_core.table.bins import parse_bins
from bkpriv_core.table.combination import name_of
from bkpriv_core.table.scale import parse_scales
from bkpriv_core.table.table import Table
from bkpriv_pl.server.access import Access, now
from bkpriv_pl.server.boundary import Refusal, entry, from_json, require, require_name, run
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.column import Column, Period, as_written, column_types
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.counts import NOTHING, Known, Reading, count_cells
from bkpriv_pl.tables.declared import check_declared
from bkpriv_pl.tables.dependence import inspect_dependences
from bkpriv_pl.tables.inspection import inspect_attributes, inspect_source
from bkpriv_pl.tables.levels import read_hierarchies
from bkpriv_pl.tables.roles import NONE, check_roles
from bkpriv_pl.tables.singling import tell_combination
from bkpriv_pl.tables.source import (
    Relation,
    check_readable,
    check_reader,
    in_charge,
    old_snapshot,
    open_relation,
    owners_of,
    tell_hidden_rows,
)
from bkpriv_pl.tables.staleness import watch_own
from bkpriv_pl.tables.texts import check_names

__all__ = [
    "ORDER",
    "Dataset",
    "change_declared",
    "columns_of",
    "drop",
    "find_dataset",
    "open_source",
    "read_known",
    "read_records",
    "read_table",
    "refuse_gone",
    "refuse_old_snapshot",
    "register",
    "take_turn",
]

ORDER = "The order is bkpriv.publish(dataset, policy, view_name, method)."
"""Hint where arguments may have changed places."""


@dataclass(frozen=True)
class Dataset:
    """A registered dataset.

    `own` is whether the caller is its owner, and not a member of it; `source_owners` owned the
    source and its schema when it was registered last, if it was by this owner.
    """

    name: str
    owner: str
    source_schema: str
    source_name: str
    quasi_identifiers: tuple[str, ...]
    sensitive_columns: tuple[str, ...]
    own: bool
    respondent: str | None = None
    period: str | None = None
    bins: Mapping[str, object] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    source_owners: tuple[str, ...] = ()
    scales: Mapping[str, object] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """Name of the source, as in SQL."""
        return f"{plpy.quote_ident(self.source_schema)}.{plpy.quote_ident(self.source_name)}"

    @property
    def sensitive(self) -> str:
        """Name of the sensitive attribute: of its column, or of all of them."""
        return name_of(self.sensitive_columns)

    @property
    def quasi_identifiers_by_name(self) -> tuple[str, ...]:
        """Quasi-identifiers as tables have them: their declared order would decide ties."""
        return tuple(sorted(self.quasi_identifiers))

    @property
    def measured(self) -> tuple[str, ...]:
        """Quasi-identifiers and sensitive columns, which people are told by or told of."""
        return (*self.quasi_identifiers, *self.sensitive_columns)

    @property
    def extras(self) -> tuple[str, ...]:
        """Columns that are read and not published: of respondents, of periods."""
        return tuple(name for name in (self.respondent, self.period) if name is not None)


def find_dataset(name: str | None) -> Dataset:
    """Look a dataset up.

    Raises:
        Refusal: If there is none that the caller may see; or if the function that was called reads
            its source, and does not for the caller, or changes it, and the caller is not its owner.
    """
    name = require(name, "dataset")
    rows = run(
        "SELECT owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, "
        "period, bins, attributes, source_owners, scales, bkpriv_internal.owns(owner) AS owned, "
        "owner = current_user AS own FROM bkpriv.dataset WHERE name = $1",
        ["text"],
        [name],
    )
    if not rows:
        seen = run(
            "SELECT name, $1 IN (source_name, concat_ws('.', source_schema, source_name)) AS read "
            "FROM bkpriv.dataset ORDER BY name",
            ["text"],
            [name],
        )
        names = [row["name"] for row in seen]
        reading = [row["name"] for row in seen if row["read"]]
        swapped = run("SELECT FROM bkpriv.policy WHERE name = $1", ["text"], [name])
        raise Refusal(
            "42704",
            f'dataset "{name}" does not exist',
            detail="Or it belongs to another role. "
            + (f"You may see: {', '.join(names[:8])}." if names else "You may see none."),
            hint=f"{ORDER} " * bool(swapped)
            + (f'Perhaps you meant "{reading[0]}". ' if reading else near(name, names))
            + "Register it with bkpriv.register_dataset.",
        )
    row = rows[0]
    if now() is Access.SOURCE:
        check_reader(row["owner"], f'the source of dataset "{name}"')
    if now() is Access.MANAGE and not row["owned"]:
        raise Refusal(
            "42501",
            f'must be owner of dataset "{name}"',
            detail=f'It belongs to "{row["owner"]}".',
            hint="Ask its owner, or become a member of that role.",
        )
    return Dataset(
        name=name,
        owner=row["owner"],
        source_schema=row["source_schema"],
        source_name=row["source_name"],
        quasi_identifiers=tuple(row["quasi_identifiers"]),
        sensitive_columns=tuple(row["sensitive"]),
        own=row["own"],
        respondent=row["respondent"],
        period=row["period"],
        bins=from_json(row["bins"], "bins"),
        attributes=tuple(row["attributes"]),
        source_owners=tuple(row["source_owners"]),
        scales=from_json(row["scales"], "scales"),
    )


def take_turn(name: str, owner: str) -> bool:
    """Wait for others who publish or withdraw from a dataset, or drop it, until they are done.

    So do those who do so with others of its owner that read the same tables.

    Raises:
        Refusal: If the transaction would not see what they did.
    """
    refuse_old_snapshot()
    # The dataset's row, and those of its owner's other datasets that read the same tables: neither
    # would find a release of the other. Advisory locks are anybody's. Written anew, not only
    # locked: a deletion under an older snapshot must fail.
    taken = write(
        "WITH mine AS (SELECT bkpriv_internal.bases(source_schema, source_name) AS bases "
        "FROM bkpriv.dataset WHERE (name, owner) = ($1, $2)), turn AS (SELECT d.name "
        "FROM bkpriv.dataset d CROSS JOIN mine WHERE owner = $2 AND (d.name = $1 "
        "OR mine.bases && bkpriv_internal.bases(source_schema, source_name)) "
        "ORDER BY d.name FOR NO KEY UPDATE OF d) UPDATE bkpriv.dataset "
        "SET registered_at = registered_at WHERE name IN (SELECT name FROM turn) RETURNING name",
        ["text", "text"],
        [name, owner],
        owner=owner,
    )
    return any(row["name"] == name for row in taken)


def refuse_gone(name: str) -> NoReturn:
    """Refuse a dataset that is not there any more.

    Raises:
        Refusal: Always.
    """
    raise Refusal(
        "42704",
        f'dataset "{name}" does not exist any more',
        detail="It was dropped or handed on meanwhile.",
        hint="Register it with bkpriv.register_dataset.",
    )


def change_declared(
    dataset: Dataset, query: str, types: Sequence[str], values: Sequence[Any]
) -> None:
    """Change what is declared of a dataset, by a statement; see `write`.

    Raises:
        Refusal: If the dataset is not there any more, or belongs to another role.
    """
    if not write(
        "SELECT FROM bkpriv.dataset WHERE (name, owner) = ($1, $2) FOR KEY SHARE",
        ["text", "text"],
        [dataset.name, dataset.owner],
        owner=dataset.owner,
    ):
        refuse_gone(dataset.name)
    write(query, types, values, owner=dataset.owner)


def refuse_old_snapshot() -> None:
    """Refuse a transaction that does not see what others commit while it waits for them."""
    level = old_snapshot()
    if level is not None:
        raise Refusal(
            "25000",
            f"datasets and releases cannot be managed in a {level} transaction",
            detail="It would not see what others changed in the source or the views meanwhile.",
            hint="Use a READ COMMITTED transaction.",
        )


def columns_of(dataset: Dataset) -> dict[str, Column]:
    """Columns of a dataset's source by name, binned as it declares.

    Raises:
        Refusal: If there is no such source, or it lacks a column.
    """
    try:
        columns = column_types(dataset.source_schema, dataset.source_name)
    except Refusal as error:
        raise _gone(dataset) if error.sqlstate == "42P01" else error from None
    _check_columns(dataset, columns)
    binnable = (*dataset.measured, *filter(None, [dataset.period]))
    types = {name: columns[name].type_name for name in binnable}
    bins = parse_bins(dataset.bins, types)
    if dataset.period in bins and bins[dataset.period] is None:
        raise InvalidParameter(
            f'period "{dataset.period}" cannot be a label',
            detail="Periods are told apart, and ordered, as their type has them.",
            hint="Leave it out of bins.",
        )
    columns |= {
        name: replace(columns[name], bin=bin_, coded=bin_ is None) for name, bin_ in bins.items()
    }
    types = {name: columns[name].type_name for name in dataset.measured if columns[name].numeric}
    scales = parse_scales(dataset.scales, types)
    return columns | {
        name: replace(columns[name], bounds=bounds) for name, bounds in scales.items()
    }


def read_table(dataset: Dataset, nulls: str = "error", period: Period | None = None) -> Table:
    """Read a dataset's source as cells and counts, under its hierarchies."""
    return read_records(replace(dataset, respondent=None, attributes=()), nulls, period)[0]


def read_records(
    dataset: Dataset,
    nulls: str = "error",
    period: Period | None = None,
    known: Known = NOTHING,
    kept: ContributionBound | None = None,
) -> Reading:
    """Read a dataset's source, or one period's records of it.

    The respondents are read where it declares a column of them, and all records are of one period.
    Domains also have the values that are `known`, and several records of a person may be `kept`;
    see `count_cells`. The table has its quasi-identifiers in the order of their names.
    """
    source = open_source(dataset)
    columns = columns_of(dataset)
    if period is None and dataset.period is not None:
        dataset = replace(dataset, respondent=None)
    latest_by = () if kept is None or kept.latest_by is None else (kept.latest_by,)
    check_readable(source, (*dataset.measured, *dataset.attributes, *dataset.extras, *latest_by))
    _check_comparable(source, latest_by)
    if dataset.respondent is not None:
        check_names(source, columns[dataset.respondent])
    return count_cells(
        source=source,
        quasi_identifiers=tuple(columns[name] for name in dataset.quasi_identifiers_by_name),
        sensitive=tuple(columns[name] for name in dataset.sensitive_columns),
        hierarchies=read_hierarchies(dataset.name, dataset.measured),
        nulls=nulls,
        respondent=dataset.respondent,
        period=period,
        known=known,
        passing=tuple(columns[name] for name in dataset.attributes),
        kept=kept,
    )


def read_known(dataset: Dataset) -> Table:
    """Read the quasi-identifiers of a dataset's source alone, of all periods; NULL is a value."""
    bare = replace(dataset, sensitive_columns=(), respondent=None, period=None, attributes=())
    return read_records(bare, nulls="category")[0]


def open_source(dataset: Dataset) -> Relation:
    """Open the relation that a dataset names, if it is read for the caller.

    Raises:
        Refusal: If it is not, or there is none of that name any more; or if it or its schema has
            another owner than when it was registered, who is not the dataset's, the caller or a
            superuser.
    """
    check_reader(dataset.owner, f'the source of dataset "{dataset.name}"')
    try:
        relation = open_relation(dataset.source)
    except Refusal as error:
        raise _gone(dataset) if error.sqlstate == "42P01" else error from None
    own, above = dataset.source_owners[:1], dataset.source_owners[1:]
    if others := in_charge(relation, (dataset.owner, *own), above):
        raise Refusal(
            "42501",
            f'source {relation} of dataset "{dataset.name}" is up to role "{others[0]}"',
            detail="That role owns it or its schema, so its code could run. "
            + (
                f'When it was registered, it belonged to role "{own[0]}", '
                f'and its schema to "{above[0]}".'
                if own
                else f'Role "{dataset.owner}", whose dataset it is now, has not registered it.'
            ),
            hint="If you trust that role, call bkpriv.register_dataset again with the same "
            "arguments.",
        )
    return relation


def _gone(dataset: Dataset) -> Refusal:
    return Refusal(
        "42P01",
        f'source {dataset.source} of dataset "{dataset.name}" does not exist',
        detail="The relation was renamed, moved or dropped after the dataset was registered.",
        hint="Give it its name again, or make a view of that name. Or withdraw the dataset's "
        f"releases, call bkpriv.drop_dataset({plpy.quote_literal(dataset.name)}), and register it "
        "with the new name by bkpriv.register_dataset. Releases can be measured meanwhile.",
    )


@entry(Access.NAMED)
def register(
    name: str | None,
    source: str | None,
    quasi_identifiers: list[str | None] | None,
    sensitive: list[str | None] | None,
    attributes: list[str | None] | None,
    respondent: str | None,
    period: str | None,
    bins: str | None,
    scales: str | None,
) -> str:
    """See ``bkpriv.register_dataset``."""
    name = require_name(name, "name of the dataset")
    relation = open_relation(require(source, "source"))
    none = sensitive == [NONE] and NONE not in column_types(relation.schema, relation.name)
    told_of, extras = [] if none else sensitive, (respondent, period)
    known, told, beside = check_roles(name, quasi_identifiers, told_of, attributes, extras=extras)
    dataset = Dataset(
        name=name,
        owner="",
        source_schema=relation.schema,
        source_name=relation.name,
        quasi_identifiers=known,
        sensitive_columns=told,
        own=True,
        respondent=respondent,
        period=period,
        bins=from_json(bins, "bins"),
        attributes=beside,
        scales=from_json(scales, "scales"),
    )
    binned = columns_of(dataset)
    check_readable(relation, (*dataset.measured, *beside, *dataset.extras))
    _check_comparable(relation, (*dataset.measured, *filter(None, [respondent, period])))
    stated: list[Any] = [relation.schema, relation.name, list(known), list(told), list(beside)]
    stated += [respondent, period, bins, scales]
    owners = list(owners_of(relation))
    # Whoever inserts first has the name, whatever others do at the same time.
    (role,) = run("SELECT current_user::text AS name")
    if not write(
        "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, "
        "sensitive, attributes, respondent, period, bins, scales, owner, source_owners) VALUES "
        "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
        "ON CONFLICT (name) DO NOTHING RETURNING name",
        [*["text"] * 3, *["text[]"] * 3, "text", "text", "jsonb", "jsonb", "text", "text[]"],
        [name, *stated, role["name"], owners],
        owner=role["name"],
    ):
        check_declared(name, stated, owners)
        return name
    inspect_source(
        name,
        relation,
        [binned[column] for column in known],
        [binned[column] for column in told],
        extras=[binned[column] for column in dataset.extras],
        period=None if period is None else binned[period],
    )
    tell_hidden_rows(relation, f'Dataset "{name}"')
    tell_combination(
        name,
        relation,
        [binned[column] for column in known],
        period=None if period is None else binned[period],
    )
    inspect_attributes(
        name,
        relation,
        [binned[column] for column in beside],
        period=None if period is None else binned[period],
    )
    inspect_dependences(
        name,
        relation,
        [binned[column] for column in known],
        [binned[column] for column in told],
        [binned[column] for column in beside],
    )
    watch_own(relation, name)
    return name


@entry(Access.MANAGE)
def drop(name: str | None) -> None:
    """See ``bkpriv.drop_dataset``."""
    dataset = find_dataset(name)
    take_turn(dataset.name, dataset.owner)
    alive = run(
        "SELECT release, view_name FROM bkpriv_internal.live_releases($1, $2)",
        ["text", "text"],
        [dataset.name, dataset.owner],
    )
    if alive:
        listed = ", ".join(f"{row['release']} ({row['view_name']})" for row in alive[:8])
        raise Refusal(
            "2BP01",
            f'dataset "{dataset.name}" has releases that are not withdrawn',
            detail=f"Release (view): {listed}{', ...' if len(alive) > 8 else ''}.",
            hint="Withdraw them with bkpriv.withdraw(release, reason).",
        )
    for table, key in (
        ("hierarchy", "dataset"),
        ("sequential_knowledge", "dataset"),
        ("dataset", "name"),
    ):
        change_declared(
            dataset, f"DELETE FROM bkpriv.{table} WHERE {key} = $1", ["text"], [dataset.name]
        )


def _no_column(schema: str, relation: str, name: str, columns: dict[str, Column]) -> Refusal:
    return Refusal(
        "42703",
        f'column "{name}" of table "{schema}"."{relation}" does not exist',
        detail="Names are compared as they are written, in upper and lower case.",
        hint=f"{near(name, columns)}Its columns are {', '.join(columns)}.",
    )


def _check_columns(dataset: Dataset, columns: dict[str, Column]) -> None:
    for name in (*dataset.measured, *dataset.attributes, *dataset.extras):
        if name not in columns:
            raise _no_column(dataset.source_schema, dataset.source_name, name, columns)


def _check_comparable(relation: Relation, names: tuple[str, ...]) -> None:
    """Refuse columns whose type has no equality or order."""
    for name in names:
        column = plpy.quote_ident(name)
        try:
            run(f"SELECT {column} FROM {relation} GROUP BY {column} ORDER BY {column} LIMIT 0")
        except plpy.spiexceptions.UndefinedFunction:
            raise Refusal(
                "42883",
                f'column "{name}" of table {relation} cannot be compared',
                detail="Its type has no equality or no order.",
                hint=f"Publish from a view that shows it by {as_written(name)}.",
            ) from None
