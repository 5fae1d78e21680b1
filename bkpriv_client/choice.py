"""Choice of roles for the columns of a file, where they are not stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.loading import TableName
from bkpriv_client.proposal import Looked
from bkpriv_client.server import Connection
from bkpriv_core.table.inspection import identifies_by_code, nearly_unique, tells_by_code

__all__ = ["choose_roles", "find_codes"]

_AT_ONCE = 400
"""Columns about which one query asks; a query has 1,664 columns at most, and each asks of three."""


def choose_roles(
    connection: Connection,
    table: TableName,
    names: Sequence[str],
    title: str,
    parts: Mapping[str, list[str]],
    *,
    looked: Mapping[str, Looked],
) -> tuple[dict[str, list[str]], dict[str, str], list[str]]:
    """Choose the sensitive column and the quasi-identifiers where they are not stated.

    Returns
    -------
    dict of str to list of str
        Columns of each part.
    dict of str to str
        Columns left out, with the reason: what they look like, or how many values they have.
    list of str
        Columns without a part.

    Raises
    ------
    ClientError
        If no column is left for one of them.
    """
    free = _free(names, parts)
    wanted = [part for part in ("sensitive", "quasi_identifiers") if part not in parts]
    chosen = dict(parts)
    if "respondent" not in parts and "quasi_identifiers" in wanted:
        chosen |= _respondent(free, looked)
        free = _free(names, chosen)
    apart = _apart(connection, table, free, wanted, looked)
    if len(free) - len(apart) < len(wanted):
        apart = {}  # What is left would make no dataset; registration warns of them.
    left = [name for name in free if name not in apart]
    if len(left) < len(wanted):
        raise ClientError(
            f"no column of {title} is left for --{wanted[-1].replace('_', '-')}",
            hint="A dataset has quasi-identifiers and something sensitive.",
        )
    if "sensitive" in wanted:
        chosen["sensitive"] = _sensitive(left, looked)
        left = [name for name in left if name not in chosen["sensitive"]]
    if "quasi_identifiers" in wanted:
        chosen["quasi_identifiers"], left = left, []
    return chosen, apart, left


def _free(names: Sequence[str], parts: Mapping[str, list[str]]) -> list[str]:
    """Columns of which no part is stated."""
    stated = {name for those in parts.values() for name in those}
    return [name for name in names if name not in stated]


def _apart(
    connection: Connection,
    table: TableName,
    free: Sequence[str],
    wanted: Sequence[str],
    looked: Mapping[str, Looked],
) -> dict[str, str]:
    """Columns that are left out where parts are wanted, and the reasons."""
    if wanted and looked:
        return _without_role(free, looked)
    if "quasi_identifiers" in wanted:
        return _nearly_unique(connection, table, free)
    return {}


def _respondent(names: Sequence[str], looked: Mapping[str, Looked]) -> dict[str, list[str]]:
    """Column that looks like that of whose record it is, as a part, if there is one."""
    found = [name for name in names if name in looked and looked[name].role == "respondent"]
    return {"respondent": found[:1]} if found else {}


def _without_role(names: Sequence[str], looked: Mapping[str, Looked]) -> dict[str, str]:
    """Columns for which no role is proposed, and the reasons."""
    of_these = {name: looked[name] for name in names if name in looked}
    roles = ("quasi_identifiers", "sensitive")
    return {name: each.reason for name, each in of_these.items() if each.role not in roles}


def _sensitive(names: Sequence[str], looked: Mapping[str, Looked]) -> list[str]:
    """Columns that look sensitive, unless all do; or else the last."""
    told = [name for name in names if name in looked and looked[name].role == "sensitive"]
    return told if told and len(told) < len(names) else [names[-1]]


def _nearly_unique(
    connection: Connection, table: TableName, names: Sequence[str]
) -> dict[str, str]:
    """Columns of a table whose values are nearly unique, and how many values each has, in words."""
    figures = _figures(connection, table, names, sql.SQL("count({0}), count(DISTINCT {0})"))
    return {
        name: f"{values:,} values"
        for name, (records, values) in figures
        if nearly_unique(records, values)
    }


def find_codes(
    connection: Connection, table: TableName, names: Sequence[str], sensitive: Sequence[str]
) -> dict[str, int]:
    """Columns of whole numbers that look like codes, and how many values each has."""
    asked = sql.SQL("count({0}), count(DISTINCT {0}), min({0})")
    figures = _figures(connection, table, names, asked)
    return {
        name: values
        for name, (records, values, least) in figures
        if (
            tells_by_code(records, values)
            if name in sensitive
            else identifies_by_code(name, records, values, least)
        )
    }


def _figures(
    connection: Connection, table: TableName, names: Sequence[str], asked: sql.SQL
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Iterate over columns and figures of each, so many at a time as one query may have."""
    for first in range(0, len(names), _AT_ONCE):
        some = names[first : first + _AT_ONCE]
        figures = sql.SQL(", ").join(asked.format(sql.Identifier(name)) for name in some)
        query = sql.SQL("SELECT {} FROM {}").format(figures, table.identifier)
        (row,) = connection.execute(query).fetchall()
        each = len(row) // len(some)
        for place, name in enumerate(some):
            yield name, row[place * each : (place + 1) * each]
