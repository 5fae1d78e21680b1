"""Transitions: what is known of how sensitive values follow each other, read and kept.

A table of it is read once, when it is named, with the caller's rights, and what the core makes of
it is kept: a policy that names the knowledge makes nobody read the table again. Values become codes
in SQL, matched as numbers where the sensitive column and the table's have numbers, and else as
text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import plpy

from bkpriv_core.belief.knowledge import UNKNOWN
from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.sequence.inference import Constant, Incremental, Memory
from bkpriv_core.sequence.mining import mined
from bkpriv_core.sequence.statement import given
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.hierarchy import Intervals
from bkpriv_pl.past.recorded import TRANSITIONS, read_transitions
from bkpriv_pl.server.boundary import Refusal, array_literal, run, unpack_floats, unpack_integers
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Column, column_types
from bkpriv_pl.tables.dataset import (
    Dataset,
    change_declared,
    columns_of,
    find_dataset,
    open_source,
)
from bkpriv_pl.tables.levels import read_hierarchies
from bkpriv_pl.tables.source import Relation, check_readable, open_relation

__all__ = [
    "READERS",
    "Origin",
    "SequentialKnowledge",
    "customary_knowledge",
    "find_knowledge",
    "find_knowledge_of",
    "forget_knowledge",
    "keep_knowledge",
    "read_corpus",
    "read_given",
]

Origin = Literal["domain", "mined", "incremental", "constant"]
"""Origin of knowledge of how values follow each other."""

_SHOWN = 8
"""Limit of the values or respondents that an error message lists."""

_CUSTOMARY_BANDWIDTH = 0.3
"""Bandwidth that stands in for an adversary who remembers nothing."""

_STATED = 'It has the columns "history", an array, "next" and "probability".'
_MINED = 'It has the columns "respondent", "period" and "value".'


@dataclass(frozen=True)
class _Source:
    """A table that sequential knowledge is read from, and the values it may speak of."""

    relation: Relation
    columns: tuple[Column, ...]
    values: list[str]
    numbers: bool

    @property
    def names(self) -> list[str]:
        """Columns of the table as in SQL, under the alias ``s``."""
        return [f"s.{plpy.quote_ident(column.name)}" for column in self.columns]

    def known(self, value: str, column: Column) -> str:
        """SQL that joins the code, from 1, of a value of a column, or NULL, as ``k.code``."""
        element = replace(column, type_name=column.type_name.removeprefix("_"))
        cast = "text::numeric" if self.numbers and element.is_number else 'text COLLATE "C"'
        return (
            "LEFT JOIN unnest($1::text[]) WITH ORDINALITY AS k(label, code) "
            f"ON k.label::{cast} = {value}::{cast}"
        )

    def read(self, query: str) -> dict[str, Any]:
        """Run a statement that gives, besides, ``nulls`` of each column, and unknown values."""
        row = run(query, ["text[]"], [self.values])[0]
        counts = zip(self.columns, row["nulls"], strict=True)
        nulls = [f'"{column.name}" ({count})' for column, count in counts if count]
        if nulls:
            raise Refusal(
                "22004",
                f"the table {self.relation} has NULL in columns that count",
                detail=f"Column (rows with NULL): {', '.join(nulls)}.",
                hint="Fill them, or name a view without such rows.",
            )
        if row["unknown"]:
            some = ", ".join(map(repr, row["unknown"][:_SHOWN]))
            known = ", ".join(map(repr, self.values[:_SHOWN]))
            raise InvalidData(
                f"the table {self.relation} speaks of {len(row['unknown'])} values that the "
                f"dataset does not have: {some}{', ...' if len(row['unknown']) > _SHOWN else ''}",
                detail=f"It has {known}{', ...' if len(self.values) > _SHOWN else ''}.",
                hint="They are the values of the sensitive column, and the leaves of its "
                "hierarchy, if it has one. Leave others out, or set a hierarchy that has them.",
            )
        return row


def read_given(dataset: Dataset, table: str, memory: int | None) -> Transitions:
    """Read transitions that a table states.

    Raises:
        Refusal: If the table cannot be read, or holds NULL.
        InvalidData: If it speaks of values that the dataset does not have; see `given`.
    """
    source = _open(dataset, table, ("history", "next", "probability"), _STATED)
    history, following, chance = source.columns
    if not history.declared_as.endswith("[]"):
        raise _of_type(source, history, "no array", "Use text[], the oldest value first.")
    if not chance.is_number:
        raise _of_type(source, chance, "no number", "Use double precision.")
    h, n, p = source.names
    of_rows = ", ".join(
        f"(SELECT string_agg({sent}, ''::bytea ORDER BY id) FROM r) AS {name}"
        for name, sent in (
            ("lengths", "int4send(cardinality(h))"),
            ("nexts", "int4send(n)"),
            ("chances", "float8send(p)"),
        )
    )
    row = source.read(
        f"WITH r AS MATERIALIZED (SELECT row_number() OVER () AS id, {h} AS h, {n}::text AS t, "
        f"coalesce(k.code - 1, {UNKNOWN})::int4 AS n, {p}::float8 AS p "
        f"FROM {source.relation} AS s {source.known(n, following)}), "
        f"e AS MATERIALIZED (SELECT r.id, u.place, u.t::text AS t, "
        f"coalesce(k.code - 1, {UNKNOWN})::int4 AS n "
        f"FROM r CROSS JOIN LATERAL unnest(r.h) WITH ORDINALITY AS u(t, place) "
        f"{source.known('u.t', history)}) "
        f"SELECT {of_rows}, "
        "(SELECT string_agg(int4send(n), ''::bytea ORDER BY id, place) FROM e) AS histories, "
        f"ARRAY(SELECT t FROM r WHERE n = {UNKNOWN} "
        f"UNION SELECT t FROM e WHERE n = {UNKNOWN} ORDER BY t) AS unknown, "
        "ARRAY[(SELECT count(*) FROM r WHERE h IS NULL OR id IN (SELECT id FROM e "
        "WHERE t IS NULL)), (SELECT count(*) FROM r WHERE t IS NULL), "
        "(SELECT count(*) FROM r WHERE p IS NULL)] AS nulls"
    )
    return given(
        str(source.relation),
        tuple(source.values),
        unpack_integers(row["lengths"]),
        unpack_integers(row["histories"]),
        following=unpack_integers(row["nexts"]),
        probabilities=unpack_floats(row["chances"]),
        memory=memory,
    )


def read_corpus(dataset: Dataset, table: str, memory: int | None) -> Transitions:
    """Mine transitions from a table of whose value was what in which period.

    Raises:
        Refusal: If the table cannot be read, holds NULL, or has periods without an order.
        InvalidData: If it speaks of values that the dataset does not have, or has two of one
            respondent in one period; see `mined`.
    """
    columns = column_types(*_name(open_relation(table)))
    value = dataset.sensitive if dataset.sensitive in columns else "value"
    source = _open(dataset, table, ("respondent", "period", value), _MINED)
    who, at, v = source.names
    try:
        row = source.read(
            f'WITH r AS MATERIALIZED (SELECT {who}::text COLLATE "C" AS who, {at} AS at, '
            f"{v}::text AS t, coalesce(k.code - 1, {UNKNOWN})::int4 AS n "
            f"FROM {source.relation} AS s {source.known(v, source.columns[2])}) "
            "SELECT (SELECT string_agg(int4send(n), ''::bytea ORDER BY who, at) FROM r) AS codes, "
            "(SELECT string_agg(int4send(person::int4), ''::bytea ORDER BY person) "
            "FROM (SELECT dense_rank() OVER (ORDER BY who) - 1 AS person FROM r) AS x) AS persons, "
            "ARRAY(SELECT format('%s in %s', who, at) FROM r GROUP BY who, at "
            f"HAVING count(*) > 1 ORDER BY who, at LIMIT {_SHOWN + 1}) AS twice, "
            f"ARRAY(SELECT DISTINCT t FROM r WHERE n = {UNKNOWN} ORDER BY t) AS unknown, "
            "(SELECT ARRAY[count(*) - count(who), count(*) - count(at), count(*) - count(t)] "
            "FROM r) AS nulls"
        )
    except plpy.spiexceptions.UndefinedFunction:
        raise _of_type(
            source, source.columns[1], "nothing with an order", "Use a date or a number."
        ) from None
    if row["twice"]:
        listed = ", ".join(row["twice"][:_SHOWN])
        raise InvalidData(
            f"the table {source.relation} has several values of a respondent in a period",
            detail=f"So it is of {listed}{', ...' if len(row['twice']) > _SHOWN else ''}.",
            hint="Name a view with one row for each respondent and period.",
        )
    return mined(
        str(source.relation),
        tuple(source.values),
        unpack_integers(row["persons"]),
        unpack_integers(row["codes"]),
        memory=memory,
        progress=POLLED,
    )


def _name(relation: Relation) -> tuple[str, str]:
    return relation.schema, relation.name


def _open(dataset: Dataset, table: str, names: tuple[str, ...], needed: str) -> _Source:
    """Open a table that has columns of these names."""
    relation = open_relation(table)
    columns = column_types(*_name(relation))
    missing = [name for name in names if name not in columns]
    if missing:
        raise Refusal(
            "42703",
            f'column "{missing[0]}" of the table {relation} does not exist',
            detail=f"Its columns are {', '.join(columns)}.",
            hint=f"Sequential knowledge of that kind is read from such a table: {needed}",
        )
    check_readable(relation, names)
    return _Source(relation, tuple(columns[name] for name in names), *_read_values(dataset))


def _read_values(dataset: Dataset) -> tuple[list[str], bool]:
    """Values of a dataset's source, and of their hierarchy; and whether they compare as numbers."""
    source = open_source(dataset)
    column = columns_of(dataset)[dataset.sensitive]
    check_readable(source, (column.name,))
    value = column.expression("s")
    row = run(
        f'SELECT ARRAY(SELECT min({value}::text COLLATE "C") FROM {source} AS s '
        f"WHERE {value} IS NOT NULL GROUP BY {value}) AS found"
    )[0]
    tree = read_hierarchies(dataset.name, (column.name,)).get(column.name)
    if tree is None or isinstance(tree, Intervals):
        return sorted(row["found"]), column.is_number
    return sorted({*row["found"], *tree.leaves}), False


def _of_type(source: _Source, column: Column, what: str, hint: str) -> Refusal:
    return Refusal(
        "42804",
        f'column "{column.name}" of the table {source.relation} is {what}',
        detail=f"Its type is {column.declared_as}.",
        hint=hint,
    )


READERS: Final = {"domain": read_given, "mined": read_corpus}
"""Readers of tables of knowledge, by kind."""


@dataclass(frozen=True, eq=False)
class SequentialKnowledge:
    """Sequential knowledge of a dataset, as it is kept."""

    name: str
    kind: str
    """See `Origin`."""
    memory: Memory


def keep_knowledge(
    dataset: Dataset, name: str, kind: str, memory: int | None, transitions: Transitions | None
) -> None:
    """Keep knowledge under its name, in place of what had it."""
    arrays: list[str | None] = [None] * len(TRANSITIONS)
    labels = None
    if transitions is not None:
        labels = list(transitions.values)
        numbers = (getattr(transitions, field) for field in TRANSITIONS.values())
        arrays = [None if array is None else array_literal(array) for array in numbers]
    names = ("kind", "memory", "labels", *TRANSITIONS)
    change_declared(
        dataset,
        f"INSERT INTO bkpriv.sequential_knowledge (dataset, name, {', '.join(names)}) "
        "VALUES ($1, $2, $3, $4, $5, $6::int[], $7::int[], $8::int[], $9::int[], $10::float8[], "
        "$11::int[]) ON CONFLICT (dataset, name) DO UPDATE SET set_at = now(), "
        f"{', '.join(f'{column} = excluded.{column}' for column in names)}",
        ["text", "text", "text", "int", "text[]", *["text"] * len(TRANSITIONS)],
        [dataset.name, name, kind, memory, labels, *arrays],
    )


def find_knowledge(dataset: Dataset, name: str) -> SequentialKnowledge:
    """Look up sequential knowledge of a dataset.

    Raises:
        Refusal: If it has none of that name.
    """
    rows = run(
        "SELECT name, kind, memory FROM bkpriv.sequential_knowledge WHERE dataset = $1 "
        "ORDER BY name",
        ["text"],
        [dataset.name],
    )
    row = next((row for row in rows if row["name"] == name), None)
    if row is None:
        listed = ", ".join(row["name"] for row in rows[:_SHOWN])
        raise Refusal(
            "42704",
            f'dataset "{dataset.name}" has no sequential knowledge "{name}"',
            detail=f"It has {listed}{', ...' if len(rows) > _SHOWN else ''}."
            if rows
            else "It has none.",
            hint="Set it with bkpriv.set_sequential_knowledge(dataset, name, kind, source).",
        )
    if row["kind"] == "constant":
        return SequentialKnowledge(name, row["kind"], Constant())
    if row["kind"] == "incremental":
        return SequentialKnowledge(name, row["kind"], Incremental(row["memory"]))
    return SequentialKnowledge(name, row["kind"], read_transitions(dataset.name, name))


def find_knowledge_of(dataset: str, owner: str, name: str) -> SequentialKnowledge:
    """Look up sequential knowledge of the dataset that releases of an owner were made from.

    Raises:
        Refusal: If it was dropped; see `find_knowledge`.
    """
    registered = find_dataset(dataset)
    if registered.owner != owner:
        raise Refusal(
            "42704",
            f'dataset "{dataset}" of "{owner}" does not exist any more',
            detail=f'That of this name belongs to "{registered.owner}".',
            hint="Sequential knowledge is a dataset's, and goes with it.",
        )
    return find_knowledge(registered, name)


def customary_knowledge(dataset: str, requirement: str) -> Any:
    """Knowledge, as decoded JSON, that a requirement means, by its key, which leaves it open.

    Raises:
        InvalidParameter: If the dataset has several pieces of sequential knowledge.
    """
    rows = run(
        "SELECT name FROM bkpriv.sequential_knowledge WHERE dataset = $1 ORDER BY name",
        ["text"],
        [dataset],
    )
    if len(rows) > 1:
        listed = ", ".join(row["name"] for row in rows[:_SHOWN])
        raise InvalidParameter(
            f"{requirement} does not say which knowledge it is about",
            detail=f'Dataset "{dataset}" has the sequential knowledge {listed}'
            f"{', ...' if len(rows) > _SHOWN else ''}.",
            hint=f'Name one: {{"{requirement}": {{..., "bandwidth": {{"sequence": '
            f'"{rows[0]["name"]}"}}}}}}.',
        )
    return {"sequence": rows[0]["name"]} if rows else _CUSTOMARY_BANDWIDTH


def forget_knowledge(dataset: Dataset, name: str) -> None:
    """Delete sequential knowledge of a dataset."""
    change_declared(
        dataset,
        "DELETE FROM bkpriv.sequential_knowledge WHERE (dataset, name) = ($1, $2)",
        ["text", "text"],
        [dataset.name, name],
    )
