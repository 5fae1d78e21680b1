"""Columns of a view, their export, and the dictionary that describes them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.files import written_whole
from bkpriv_client.server import Connection, scalar

__all__ = ["Column", "Source", "describe", "write_dictionary"]

_ENDS = {
    "int4range": "integer",
    "int8range": "bigint",
    "numrange": "numeric",
    "daterange": "date",
    "tsrange": "timestamp without time zone",
    "tstzrange": "timestamp with time zone",
}
"""Type of the ends of a range."""

_STEPPED = ("int4range", "int8range", "daterange")
"""Ranges whose upper end PostgreSQL writes as the next value."""


@dataclass(frozen=True)
class Column:
    """A column of a file."""

    name: str
    type: str
    holds: str
    """Name of the column, its type in SQL, and its meaning."""


@dataclass(frozen=True)
class Source:
    """A view, and how it is exported."""

    schema: str
    name: str
    holds: str
    columns: tuple[Column, ...]
    query: sql.Composed
    rows: int

    def __hash__(self) -> int:
        return hash((self.schema, self.name))


def describe(connection: Connection, schema: str, name: str) -> Source:
    """Read what a view holds from the catalogue.

    Raises:
        ClientError: If a column would be called like another.
    """
    view = sql.Identifier(schema, name)
    described = connection.execute(
        "SELECT a.attname, format_type(a.atttypid, -1), "
        "coalesce(col_description(a.attrelid, a.attnum), ''), "
        "coalesce(obj_description(a.attrelid, 'pg_class'), '') "
        "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped "
        "ORDER BY a.attnum",
        [schema, name],
    ).fetchall()
    columns: list[Column] = []
    selected: list[sql.Composable] = []
    for column, type_, comment, _ in described:
        shown = sql.Identifier(column)
        if type_ not in _ENDS:
            columns.append(Column(column, type_, comment))
            selected.append(shown)
            continue
        included = type_ in _STEPPED or scalar(
            connection,
            sql.SQL(
                "SELECT coalesce(bool_and(upper_inc({0}) OR upper_inf({0})), true) FROM {1}"
            ).format(shown, view),
        )
        first, last = f"{column}_from", f"{column}_{'to' if included else 'below'}"
        columns.append(Column(first, _ENDS[type_], f"{comment} (least value)"))
        ends = "greatest value" if included else "end of the last bin, not included"
        columns.append(Column(last, _ENDS[type_], f"{comment} ({ends})"))
        step = sql.SQL(" - 1" if type_ in _STEPPED else "")
        selected.append(sql.SQL("lower({}) AS {}").format(shown, sql.Identifier(first)))
        selected.append(sql.SQL("upper({}){} AS {}").format(shown, step, sql.Identifier(last)))
    names = [column.name for column in columns]
    for column_name in names:
        if names.count(column_name) > 1:
            raise ClientError(
                f'view {schema}.{name} would have two columns "{column_name}" in a file',
                detail="A range becomes two columns, and there is one of that name already.",
                hint='Publish with the option {"ranges": "text"}.',
            )
    query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(selected), view)
    rows = scalar(connection, sql.SQL("SELECT count(*) FROM {}").format(view))
    holds = described[0][3] if described else ""
    return Source(schema, name, holds, tuple(columns), query, rows)


def write_dictionary(markdown: Path, as_json: Path, files: Mapping[Source, Path]) -> None:
    """Write what files hold, for people and for programs."""
    stated = [
        {
            "file": path.name,
            "view": f"{source.schema}.{source.name}",
            "holds": source.holds,
            "rows": source.rows,
            "columns": [asdict(column) for column in source.columns],
        }
        for source, path in files.items()
    ]
    with written_whole(as_json) as file:
        file.write(json.dumps(stated, ensure_ascii=False, indent=2).encode() + b"\n")
    lines = ["# Data dictionary", ""]
    for source, path in files.items():
        lines += [f"## {_plain(path.name)}", "", _plain(source.holds), "", f"{source.rows:,} rows."]
        lines += ["", "| column | type | holds |", "|---|---|---|"]
        lines += [
            f"| {_plain(column.name)} | {_plain(column.type)} | {_plain(column.holds)} |"
            for column in source.columns
        ]
        lines.append("")
    with written_whole(markdown) as file:
        file.write("\n".join(lines).encode())


def _plain(text: str) -> str:
    """Text that means nothing else in Markdown: names are other people's."""
    text = " ".join(text.split())
    text = re.sub(r"([\\`*_{}\[\]<>|#&~@]|:(?=//)|(?<=www)\.)", r"\\\1", text, flags=re.IGNORECASE)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", text)  # A list, a line or a heading.
