"""Times and days in forms that no column type is made of, and SQL that reads them.

Times of day, months and SAS's days stay text, and Excel's day numbers stay numbers: no form of a
date says what they are. So what they look like is said, with an expression for a view. Patterns
mean the same in Python and in PostgreSQL, which looks at tables that are there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from psycopg import sql

from bkpriv_client.loading import TableName
from bkpriv_client.server import Connection

__all__ = ["UnreadDays", "find_unread_days"]

_MONTHS = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"


@dataclass(frozen=True)
class _Form:
    """A form of texts.

    Parameters
    ----------
    pattern : str
        Regular expression for all of a text, in any case.
    noun : str
        Noun for such texts.
    read : str
        SQL that reads a column, ``{}``.
    """

    pattern: str
    noun: str
    read: str

    def says(self, column: str) -> str:
        """Say what a column looks like, and how SQL reads it."""
        name = sql.Identifier(column).as_string()
        return f"{self.noun}; in a view, read by {self.read.format(name)}"


_TEXTS = (
    _Form(
        "([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?",
        "times of day",
        "date_part('hour', {}::time)::int",
    ),
    _Form("[0-9]{4}-(0[1-9]|1[0-2])", "months as YYYY-MM", "to_date({}, 'YYYY-MM')"),
    _Form("(0?[1-9]|1[0-2])/[0-9]{4}", "months as MM/YYYY", "to_date({}, 'MM/YYYY')"),
    _Form(
        f"{_MONTHS}[ -][0-9]{{4}}",
        "months by name",
        "to_date(left({0}, 3) || right({0}, 4), 'MonYYYY')",
    ),
    _Form(
        f"{_MONTHS}[ -][0-9]{{2}}",
        "months by name",
        "to_date(left({0}, 3) || right({0}, 2), 'MonYY')",
    ),
    _Form(f"[0-9]{{1,2}}{_MONTHS}[0-9]{{4}}", "days as DDMONYYYY", "to_date({}, 'DDMonYYYY')"),
    _Form(f"[0-9]{{1,2}}{_MONTHS}[0-9]{{2}}", "days as DDMONYY", "to_date({}, 'DDMonYY')"),
    _Form(
        f"[0-9]{{1,2}}[ -]{_MONTHS}[ -][0-9]{{4}}",
        "days as DD-MON-YYYY",
        "to_date({}, 'DD-Mon-YYYY')",
    ),
    _Form(
        f"[0-9]{{1,2}}[ -]{_MONTHS}[ -][0-9]{{2}}", "days as DD-MON-YY", "to_date({}, 'DD-Mon-YY')"
    ),
)

_EXCEL = _Form("", "perhaps Excel's day numbers", "date '1899-12-30' + {}")
_NAMED_DAYS = re.compile(
    r"date|datum|(?:^|_)(?:day|tag|on)(?:$|_)|birth|born|dob|geb|admi|discharg|fecha|visit|since",
    re.IGNORECASE,
)
_EXCELS = (10_000, 73_050)
"""Day numbers from 1927 to the end of 2099."""

_COMPILED = {form: re.compile(form.pattern, re.IGNORECASE) for form in _TEXTS}

_READ = 100_000
"""Records of a table that are looked at."""


class UnreadDays:
    """Looks that all values of a column share, which are seen one by one."""

    def __init__(self) -> None:
        self._forms: list[_Form] = list(_TEXTS)
        self._least = self._most = -1

    def take(self, value: str) -> None:
        """See a value that is not missing."""
        if self._forms:
            self._forms = [form for form in self._forms if _COMPILED[form].fullmatch(value)]
        number = int(value) if len(value) == 5 and value.isdecimal() else 0
        self._least = number if self._least < 0 else min(self._least, number)
        self._most = max(self._most, number)

    def says(self, column: str) -> str:
        """Say what a column of texts looks like; nothing if that is nothing known."""
        return self._forms[0].says(column) if self._forms and self._least >= 0 else ""

    def numbers_say(self, column: str) -> str:
        """Say whether numbers may be days."""
        return _numbered(column, self._least, self._most)


def _numbered(column: str, least: int, most: int) -> str:
    inside = _EXCELS[0] <= least <= most <= _EXCELS[1]
    return _EXCEL.says(column) if inside and _NAMED_DAYS.search(column) else ""


def find_unread_days(
    connection: Connection, table: TableName, columns: Iterable[str]
) -> dict[str, str]:
    """Say of columns of a table what they look like, where that is known."""
    types = connection.execute(
        "SELECT a.attname::text, a.atttypid = ANY ('{text,varchar,bpchar}'::regtype[]) "
        "FROM pg_attribute AS a WHERE a.attrelid = %s::regclass AND a.attnum > 0 "
        "AND a.atttypid = ANY ('{text,varchar,bpchar,int4,int8}'::regtype[])",
        [table.written(connection)],
    )
    texts: dict[str, bool] = dict(types.fetchall())
    said = {}
    for column in columns:
        if texts.get(column):
            said[column] = _texts_say(connection, table, column)
        elif column in texts and _NAMED_DAYS.search(column):
            query = sql.SQL("SELECT min(v), max(v) FROM (SELECT {} AS v FROM {} LIMIT {}) AS x")
            stated = query.format(sql.Identifier(column), table.identifier, sql.Literal(_READ))
            ((least, most),) = connection.execute(stated).fetchall()
            said[column] = _numbered(column, least or 0, most or 0)
    return {column: words for column, words in said.items() if words}


def _texts_say(connection: Connection, table: TableName, column: str) -> str:
    fits = sql.SQL(", ").join(
        sql.SQL("bool_and(v ~* {})").format(sql.Literal(f"^({form.pattern})$")) for form in _TEXTS
    )
    query = sql.SQL("SELECT {} FROM (SELECT btrim({}) AS v FROM {} LIMIT {}) AS x").format(
        fits, sql.Identifier(column), table.identifier, sql.Literal(_READ)
    )
    (row,) = connection.execute(query).fetchall()
    return next((form.says(column) for form, fit in zip(_TEXTS, row, strict=True) if fit), "")
