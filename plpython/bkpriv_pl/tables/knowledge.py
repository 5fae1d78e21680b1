"""Knowledge from outside: priors that a table gives, read with the caller's rights.

The table has the quasi-identifiers under their own names, the sensitive value under its own name or
as ``value``, and its ``probability``. Values are matched in SQL, numbers as numbers and all others
as text, so that Python receives codes.

A table that the caller did not name is read for the role that did, and for its members, if it is
theirs or a superuser's; see `bkpriv_pl.server.access`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.belief.knowledge import UNKNOWN, Revised, outside_prior
from bkpriv_core.belief.knowledge_source import NoLibrary
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.notation import is_number
from bkpriv_core.table.table import Table
from bkpriv_pl.server.boundary import Refusal, run, unpack_floats, unpack_integers
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Column, column_types
from bkpriv_pl.tables.source import (
    Relation,
    check_readable,
    check_reader,
    in_charge,
    open_relation,
)

__all__ = ["PriorTables"]

_PROBABILITY, _VALUE = "probability", "value"


@dataclass(frozen=True)
class PriorTables(NoLibrary):
    """Knowledge from tables."""

    named_by: Collection[str]
    """Owners of the policies or releases that name them; none if the caller names them."""

    def keep(
        self,
        release: int,
        revisions: Mapping[Revised, FloatArray],
        labels: IntArray,
        shown: IntArray | None,
    ) -> None:
        """Store beliefs after a release: none, where nothing is remembered."""

    def outside(self, table: Table, name: str) -> FloatArray:
        """Read a prior; see `KnowledgeSource`.

        Raises:
            Refusal: If there is no such table, it lacks a column, or it is not read for the caller.
            InvalidData: See `outside_prior`.
        """
        return _read_prior(table, name, self._open(name))

    def digest(self, name: str, known: Sequence[str], told: str) -> str:
        """Digest of what is read of a prior table, its rows in any order.

        Args:
            known, told: Names of the quasi-identifiers and of the sensitive attribute.

        Raises:
            Refusal: See `outside`.
        """
        relation = self._open(name)
        columns = column_types(relation.schema, relation.name)
        names = [column for column in _names(known, told, columns) if column in columns]
        check_readable(relation, tuple(names))
        # Not of whole rows: a column may bear the name of one, and their owner makes casts of them.
        texts = ", ".join(f"s.{plpy.quote_ident(column)}::pg_catalog.text" for column in names)
        (row,) = run(
            "SELECT encode(sha256(coalesce(string_agg(row, '' ORDER BY row), '')), 'hex') AS found "
            f"FROM (SELECT sha256(convert_to(ARRAY[{texts}]::pg_catalog.text[]::pg_catalog.text, "
            f"'UTF8')) AS row FROM {relation} AS s) AS rows"
        )
        # What a column means is its name.
        return hashlib.sha256(json.dumps([names, row["found"]]).encode()).hexdigest()

    def _open(self, name: str) -> Relation:
        """Open a prior table that may be read."""
        yourself = "name it yourself: in requirements given to bkpriv.audit"
        for role in self.named_by:
            check_reader(role, f"prior table {name}", f" Or {yourself}.")
        relation = open_relation(name)
        for role in self.named_by:
            if others := in_charge(relation, [role]):
                raise Refusal(
                    "42501",
                    f'prior table {name} is up to role "{others[0]}"',
                    detail="That role owns it or its schema, so its code could run. The policy "
                    f'belongs to role "{role}".',
                    hint=f"Copy it into a table and a schema of the role {plpy.quote_ident(role)}, "
                    f"or of a superuser. If you trust its owner, {yourself}.",
                )
        return relation


def _read_prior(table: Table, name: str, relation: Relation) -> FloatArray:
    """Read a prior table, which goes by a name, from a relation."""
    columns = column_types(relation.schema, relation.name)
    known = [domain.name for domain in table.quasi_identifiers]
    names = _names(known, table.sensitive.name, columns)
    missing = [column for column in names if column not in columns]
    if missing:
        raise Refusal(
            "42703",
            f'column "{missing[0]}" of prior table {name} does not exist',
            detail=f"Its columns are {', '.join(columns)}.",
            hint="A prior table has every quasi-identifier under its own name, the sensitive "
            f'value as "{table.sensitive.name}" or "{_VALUE}", and "{_PROBABILITY}".',
        )
    twice = [column for column in names if names.count(column) > 1]
    if twice:
        raise Refusal(
            "42701",
            f'column "{twice[0]}" of prior table {name} would stand for two things',
            detail=f"The columns that count are {', '.join(names)}.",
            hint=f'Name the sensitive value "{table.sensitive.name}"; an attribute called '
            f'"{_PROBABILITY}" must go by another name in the dataset.',
        )
    check_readable(relation, names)
    if not columns[_PROBABILITY].is_number:
        raise Refusal(
            "42804",
            f'column "{_PROBABILITY}" of prior table {name} is not a number',
            detail=f"Its type is {columns[_PROBABILITY].published_as}.",
            hint="Use double precision.",
        )
    domains = (*table.quasi_identifiers, table.sensitive)
    row = run(
        _query(relation, tuple(columns[column] for column in names[:-1]), domains),
        ["text[]"] * len(domains),
        [[label for label in domain.labels if label is not None] for domain in domains],
    )[0]
    codes = np.column_stack(
        [unpack_integers(row[f"codes_{place}"]) for place in range(len(domains))]
    )
    chances = unpack_floats(row["chances"])
    return outside_prior(
        table, name, codes[:, :-1], codes[:, -1], probabilities=chances, progress=POLLED
    )


def _names(known: Sequence[str], told: str, columns: Collection[str]) -> tuple[str, ...]:
    """Columns that are read of a prior table, whether it has them or not."""
    return (*known, told if told in columns else _VALUE, _PROBABILITY)


def _query(relation: Relation, columns: tuple[Column, ...], domains: tuple[Domain, ...]) -> str:
    """Statement that turns the rows of a prior table into codes and probabilities."""
    codes, joins = [], []
    for place, (column, domain) in enumerate(zip(columns, domains, strict=True)):
        # By way of text also where numbers are compared: a cast from float8 drops digits.
        cast = "text::numeric" if _compare_numbers(column, domain) else 'text COLLATE "C"'
        value = f"s.{plpy.quote_ident(column.name)}"
        # NULL joins with nothing; where the data have it as a value, it is their last.
        null = domain.size - 1 if domain.has_null else UNKNOWN
        codes.append(
            f"string_agg(int4send(CASE WHEN {value} IS NULL THEN {null} "
            f"ELSE coalesce(d{place}.place - 1, {UNKNOWN}) END::int4), ''::bytea) "
            f"AS codes_{place}"
        )
        joins.append(
            f"LEFT JOIN unnest(${place + 1}) WITH ORDINALITY AS d{place}(label, place) "
            f"ON d{place}.label::{cast} = {value}::{cast}"
        )
    chance = f"coalesce(s.{plpy.quote_ident(_PROBABILITY)}::float8, 'NaN')"
    return (
        f"SELECT string_agg(float8send({chance}), ''::bytea) AS chances, {', '.join(codes)} "
        f"FROM {relation} AS s {' '.join(joins)}"
    )


def _compare_numbers(column: Column, domain: Domain) -> bool:
    """Tell whether labels and values compare as numbers, so that 1.0 is 1.00."""
    return (
        domain.numeric
        and column.is_number
        and all(label is None or is_number(label) for label in domain.labels)
    )
