"""Proposal: the roles of a table's columns, as ``bkpriv.inspect_columns`` proposes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg import errors, sql

from bkpriv_client.declaration import call, declare
from bkpriv_client.loading import TableName
from bkpriv_client.server import Connection
from bkpriv_core.table.bins import LABEL

__all__ = ["Looked", "Proposal", "look_at", "look_if_possible", "propose"]

_INSPECT = (
    "SELECT columns, distinct_share, unique_people, looks_like, role, reason, separated_share, "
    "records FROM bkpriv.inspect_columns(%s)"
)

_TYPES = (
    "SELECT a.attname::text, t.typcategory::text FROM pg_attribute AS a "
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


@dataclass(frozen=True)
class Proposal:
    """Roles of a table's columns that are proposed.

    Parameters
    ----------
    quasi_identifiers, sensitive : list of str
        Columns by which people might be recognised, and those that nobody is to learn.
    respondent : str or None
        Column that says whose record it is, where people have several.
    bins : dict of str to str
        Bins: `LABEL` of numbers that stand for kinds, a unit of time of days that are nearly
        unique.
    codes : list of str
        Columns of texts that are codes.
    left : list of str
        Columns that are left out.
    """

    quasi_identifiers: list[str]
    sensitive: list[str]
    respondent: str | None
    bins: dict[str, str]
    codes: list[str]
    left: list[str]

    @property
    def complete(self) -> bool:
        """Whether a dataset can be registered so."""
        return bool(self.quasi_identifiers and self.sensitive)

    def statements(
        self, connection: Connection, dataset: str, table: TableName
    ) -> list[sql.Composed]:
        """Compose the statements that declare a table so; what codes go up to is an example."""
        roles: dict[str, str | list[str]] = {}
        if self.respondent is not None:
            roles["respondent"] = self.respondent
        if self.bins:
            roles["bins"] = json.dumps(self.bins, ensure_ascii=False)
        told = self.sensitive if len(self.sensitive) > 1 else self.sensitive[0]
        register = declare(
            connection, dataset, table, self.quasi_identifiers, told, {}, {}, **roles
        )
        prefixes = [
            call("set_prefix_hierarchy", dataset, code, list(_EXAMPLE)) for code in self.codes
        ]
        return [*register, *prefixes]


_MANY = 0.5
"""Share of distinct values from which days are to be binned."""

_UNIT = "year"

_EXAMPLE = (3, 1)
"""Lengths of prefixes that are written where nothing is known of codes."""


def look_at(connection: Connection, name: str) -> list[Looked]:
    """Have the extension look at a table, named as in SQL."""
    return [Looked(*row) for row in connection.execute(_INSPECT, [name]).fetchall()]


def look_if_possible(connection: Connection, name: str) -> dict[str, Looked]:
    """Have the extension look at the columns of a table; nothing where the user may not ask it.

    Nor where the table has too many columns, or the extension is older. A transaction goes on.
    """
    try:
        with connection.transaction():
            looked = look_at(connection, name)
    except (errors.InsufficientPrivilege, errors.ProgramLimitExceeded, errors.UndefinedFunction):
        return {}
    return {each.columns[0]: each for each in looked if len(each.columns) == 1}


def propose(connection: Connection, name: str, looked: Sequence[Looked]) -> Proposal:
    """Roles of the columns of a table, by what was seen of them."""
    types: Mapping[str, str] = dict(connection.execute(_TYPES, [name]).fetchall())
    singles = [each for each in looked if len(each.columns) == 1]
    by_role: dict[str | None, list[str]] = {}
    for each in singles:
        by_role.setdefault(each.role, []).extend(each.columns)
    bins, codes = {}, []
    for each in singles:
        (column,) = each.columns
        looks_like = (each.looks_like or "").partition(",")[0]
        if each.role is None or each.role == "respondent":
            continue
        if looks_like == "code" and types[column] == "N":
            bins[column] = LABEL
        elif looks_like == "code":
            codes.append(column)
        elif looks_like == "date" and types[column] == "D" and each.distinct > _MANY:
            bins[column] = _UNIT
    return Proposal(
        by_role.get("quasi_identifiers", []),
        by_role.get("sensitive", []),
        next(iter(by_role.get("respondent", [])), None),
        bins,
        codes,
        by_role.get(None, []),
    )
