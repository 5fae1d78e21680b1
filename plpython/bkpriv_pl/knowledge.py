"""Knowledge from outside: priors that a table gives, read with the caller's rights.

The table has the quasi-identifiers under their own names, the sensitive value under its own name or
as ``value``, and its ``probability``. Values are matched in SQL, numbers as numbers and all others
as text, so that Python receives codes.

Reading a relation can run its owner's code with the reader's rights: the functions of a view, of a
row-level policy, or of a plain table's index, whose expressions the planner folds. So a name that
the caller did not give himself leads only to what belongs to him or to a superuser.
"""

from __future__ import annotations

import re

import numpy as np
import plpy

from bkpriv_core.domain import Domain, Table
from bkpriv_core.groups import FloatArray
from bkpriv_core.knowledge import UNKNOWN, outside_prior
from bkpriv_pl.boundary import Refusal, run
from bkpriv_pl.counts import Column, column_types
from bkpriv_pl.progress import poll
from bkpriv_pl.source import check_readable, find_relation

__all__ = ["find_prior", "find_trusted_prior"]

_PROBABILITY, _VALUE = "probability", "value"

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")


def find_prior(table: Table, name: str) -> FloatArray:
    """Prior beliefs that the outside table `name` gives about `table`, shape (c, m).

    Raises
    ------
    Refusal
        If there is no such table, it lacks a column, or the caller may not read it.
    InvalidData
        See `outside_prior`.
    """
    schema, relation = _locate(name)
    columns = column_types(schema, relation)
    value = table.sensitive.name if table.sensitive.name in columns else _VALUE
    names = (*(domain.name for domain in table.quasi_identifiers), value, _PROBABILITY)
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
    check_readable(schema, relation, names)
    if not columns[_PROBABILITY].is_number:
        raise Refusal(
            "42804",
            f'column "{_PROBABILITY}" of prior table {name} is not a number',
            detail=f"Its type is {columns[_PROBABILITY].published_as}.",
            hint="Use double precision.",
        )
    domains = (*table.quasi_identifiers, table.sensitive)
    row = run(
        _query(schema, relation, tuple(columns[column] for column in names[:-1]), domains),
        ["text[]"] * len(domains),
        [[label for label in domain.labels if label is not None] for domain in domains],
    )[0]
    packed = [row[f"codes_{place}"] or b"" for place in range(len(domains))]
    codes = np.column_stack([np.frombuffer(part, ">i4") for part in packed]).astype(np.int64)
    chances = np.frombuffer(row["chances"] or b"", ">f8").astype(np.float64)
    return outside_prior(table, name, codes[:, :-1], codes[:, -1], chances, poll)


def find_trusted_prior(table: Table, name: str) -> FloatArray:
    """Prior beliefs as by `find_prior`, of a table that somebody else may have named.

    Raises
    ------
    Refusal
        As there, or if the table belongs neither to the caller nor to a superuser.
    """
    schema, relation = _locate(name)
    row = run(
        "SELECT r.rolname::text AS owner, r.rolsuper OR r.rolname = current_user AS trusted "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_roles r ON r.oid = c.relowner WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text"],
        [schema, relation],
    )[0]
    if not row["trusted"]:
        raise Refusal(
            "42501",
            f'prior table {name}, which a policy names, belongs to role "{row["owner"]}"',
            detail="Reading it may run code of its owner's with the caller's rights.",
            hint="If you trust its owner, name it yourself: in requirements given to bkpriv.audit, "
            "or in a policy of your own to publish under.",
        )
    return find_prior(table, name)


def _locate(name: str) -> tuple[str, str]:
    """Schema and name of a prior table."""
    try:
        found = run("SELECT to_regclass($1)::text AS found", ["text"], [name])[0]["found"]
    except (
        plpy.spiexceptions.InvalidName,
        plpy.spiexceptions.SyntaxError,
        plpy.spiexceptions.FeatureNotSupported,  # a table of another database
    ):
        found = None
    except plpy.spiexceptions.InsufficientPrivilege:
        found = name  # Told by `find_relation`, with the role at fault.
    if found is None:
        raise Refusal(
            "42P01",
            f"prior table {name} does not exist",
            detail="Knowledge is read from a table, view or materialized view.",
            hint='Write it as in SQL and with its schema, such as {"table": "public.prior"}.',
        )
    return find_relation(name)


def _query(
    schema: str, relation: str, columns: tuple[Column, ...], domains: tuple[Domain, ...]
) -> str:
    """One statement that turns the rows of a prior table into codes and probabilities."""
    source = f"{plpy.quote_ident(schema)}.{plpy.quote_ident(relation)}"
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
        f"FROM {source} AS s {' '.join(joins)}"
    )


def _compare_numbers(column: Column, domain: Domain) -> bool:
    """Tell whether labels and values compare as numbers, so that 1.0 is 1.00."""
    return (
        domain.numeric
        and column.is_number
        and all(label is None or _NUMBER.fullmatch(label) for label in domain.labels)
    )
