"""``bkpriv load-csv``: a CSV file, and its generalization hierarchies, as tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from psycopg import sql
from rich.console import Console

from bkpriv_client.csv_file import CsvFile, open_csv, read_hierarchies
from bkpriv_client.declaration import declare
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import (
    TableName,
    create_schema,
    create_table,
    hierarchy_table,
    load_hierarchy,
)
from bkpriv_client.options import Uri
from bkpriv_client.server import Connection, as_named, connect, scalar
from bkpriv_client.terminal import make_console, step
from bkpriv_core.table.bins import LABEL
from bkpriv_core.table.inspection import identifies_by_code, nearly_unique, tells_by_code

__all__ = ["load_csv"]


def load_csv(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="CSV file, UTF-8, or - for the standard input; its first line names columns.",
        ),
    ],
    table: Annotated[
        str,
        typer.Option(
            metavar="SCHEMA.NAME",
            help="Table to create, written as in SQL; its schema too, if there is none. Without a "
            "schema it is made in the first one of your search_path that exists.",
        ),
    ],
    uri: Uri = "",
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            exists=True,
            help="Directory of hierarchy_COLUMN.csv files: a first line of names, then per value "
            "one row of the value, coarser labels, and the root.",
        ),
    ] = None,
    quasi_identifiers: Annotated[
        str,
        typer.Option(
            metavar="COLUMN,...",
            help="Columns by which people might be recognised; by default all without another part "
            "but those in which nearly every record has a value of its own.",
        ),
    ] = "",
    sensitive: Annotated[
        str,
        typer.Option(metavar="COLUMN,...", help="Sensitive columns; by default the last."),
    ] = "",
    attributes: Annotated[
        str, typer.Option(metavar="COLUMN,...", help="Columns that pass through unchanged.")
    ] = "",
    respondent: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column that says whose record it is.")
    ] = "",
    period: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column that says of which period it is.")
    ] = "",
    delimiter: Annotated[str, typer.Option(help="Character between fields.")] = ",",
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop tables of these names first.")
    ] = False,
) -> None:
    """Load a CSV file into a new table, and say how to register it.

    Columns are named, separated by commas, for the statements that it prints; it declares nothing.

    A column becomes integer, bigint, numeric, boolean, date, timestamp or timestamptz if all its
    values read as such, else text; an empty field becomes NULL. Either all tables are created or
    none.
    """
    console = make_console()
    if len(delimiter) != 1:
        raise ClientError(
            f"the delimiter {delimiter!r} is not one character",
            hint="For a tab, write in the shell: --delimiter $'\\t'",
        )
    stated = {
        "quasi_identifiers": quasi_identifiers,
        "sensitive": sensitive,
        "attributes": attributes,
        "respondent": respondent,
        "period": period,
    }
    with open_csv(path, delimiter) as file:
        parts = _read_parts(file, stated)
        _load(console, file, table, uri, hierarchies, parts, replace=replace)


def _read_parts(file: CsvFile, stated: Mapping[str, str]) -> dict[str, list[str]]:
    """Read which columns have which part; those that have none are not in it.

    Raises
    ------
    ClientError
        If there is no such column, or one stands twice, or several are one respondent or period.
    """
    parts = {
        part: next(csv.reader([text], skipinitialspace=True), [])
        for part, text in stated.items()
        if text
    }
    named = [name for names in parts.values() for name in names]
    unknown = [name for name in named if name not in file.names]
    if unknown:
        raise ClientError(
            f"{file.title} has no column {unknown[0]!r}",
            detail=f"Its columns are {', '.join(file.names)}.",
            hint='A name with a comma in it is written in quotes: "a,b".',
        )
    twice = [name for name in file.names if named.count(name) > 1]
    if twice:
        raise ClientError(
            f"the column {twice[0]!r} is named twice", hint="Each column has one part at most."
        )
    for part in ("respondent", "period"):
        if len(parts.get(part, [])) > 1:
            raise ClientError(
                f"--{part} names several columns", hint="Join them to one column, in a view."
            )
    return parts


def _load(
    console: Console,
    file: CsvFile,
    table: str,
    uri: str,
    hierarchies: Path | None,
    parts: Mapping[str, list[str]],
    *,
    replace: bool,
) -> None:
    levels = {} if hierarchies is None else read_hierarchies(hierarchies, file.names)
    with connect(uri) as connection, connection.transaction():
        target = _resolve(connection, table)
        branches = {attribute: hierarchy_table(target, attribute) for attribute in levels}
        if create_schema(connection, target.schema):
            console.print(f"Schema {target.schema} did not exist; it is created.", markup=False)
        for wanted in (target, *branches.values()):
            _make_room(connection, wanted, replace=replace)
        with step(console, f"Reading {file.title}"):
            types, records = file.guess_types()
        title = f"Loading {records:,} records into {target.written(connection)}"
        with step(console, title) as advance:
            create_table(
                connection,
                target,
                types,
                file.rows(),
                loaded=lambda count: advance(count / records),
            )
            for attribute, wanted in branches.items():
                load_hierarchy(connection, wanted, levels[attribute])
        chosen, unique, idle = _choose(connection, target, file, parts)
        declarations, codes = _declare(connection, target, types, chosen, branches)

    columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
    console.print(f"\nColumns: {columns}.", markup=False)
    if idle:
        console.print(f"\nLeft out, because they have no part: {', '.join(idle)}.", markup=False)
    _tell_choice(console, parts, unique, codes)
    for statement in declarations:
        console.print(f"{statement.as_string()};", style="cyan", markup=False, soft_wrap=True)


def _declare(
    connection: Connection,
    target: TableName,
    types: Mapping[str, str],
    chosen: Mapping[str, list[str]],
    branches: Mapping[str, TableName],
) -> tuple[list[sql.Composed], dict[str, int]]:
    """Statements that register a table, and the columns that they take for codes, with counts."""
    quasi_identifiers, sensitive = chosen["quasi_identifiers"], chosen["sensitive"]
    roles: dict[str, str | list[str]] = {
        part: names if part == "attributes" else names[0]
        for part, names in chosen.items()
        if part in ("attributes", "respondent", "period")
    }
    whole = [
        name
        for name in (*quasi_identifiers, *sensitive)
        if types[name] in ("integer", "bigint") and name not in branches
    ]
    codes = _codes(connection, target, whole, sensitive)
    if codes:
        roles["bins"] = json.dumps(dict.fromkeys(codes, LABEL), ensure_ascii=False)
    declarations = declare(
        connection,
        target.name,
        target,
        quasi_identifiers,
        sensitive if "attributes" in roles or len(sensitive) > 1 else sensitive[0],
        {name: branches[name] for name in branches if name in {*quasi_identifiers, *sensitive}},
        {},
        **roles,
    )
    return declarations, codes


def _tell_choice(
    console: Console,
    parts: Mapping[str, list[str]],
    unique: Mapping[str, int],
    codes: Mapping[str, int],
) -> None:
    """Say which columns were chosen for want of being named, and which are left out or labels."""
    if "quasi_identifiers" in parts and "sensitive" in parts:
        console.print("\nTo register it:\n")
    else:
        standing = (
            "all other columns stand as the former"
            if "sensitive" in parts
            else "the last column stands as the sensitive one"
        )
        console.print(
            "\nTo register it, name the columns by which people might be recognised, and those "
            f"that are sensitive. Here {standing}; change that to suit:\n"
        )
    if unique:
        console.print(
            "Left out, because nearly every record has a value of its own there: "
            f"{_counted(unique)}.\n",
            markup=False,
        )
    if codes:
        console.print(
            f"Taken for codes, and so for labels, by bins: {_counted(codes)}. Leave those out "
            "there that count or measure something.\n",
            markup=False,
        )


def _counted(columns: Mapping[str, int]) -> str:
    return ", ".join(f"{column} ({count:,} values)" for column, count in columns.items())


def _choose(
    connection: Connection,
    table: TableName,
    file: CsvFile,
    parts: Mapping[str, list[str]],
) -> tuple[dict[str, list[str]], dict[str, int], list[str]]:
    """Choose the sensitive column and the quasi-identifiers where they are not stated.

    Returns
    -------
    dict of str to list of str
        Columns of each part.
    dict of str to int
        Columns left out, since nearly every record has a value of its own, with how many there are.
    list of str
        Columns without a part.

    Raises
    ------
    ClientError
        If no column is left for one of them.
    """
    stated = {name for names in parts.values() for name in names}
    free = [name for name in file.names if name not in stated]
    wanted = [part for part in ("sensitive", "quasi_identifiers") if part not in parts]
    unique = _nearly_unique(connection, table, free) if "quasi_identifiers" in wanted else {}
    if len(free) - len(unique) < len(wanted):
        unique = {}  # What is left would make no dataset; registration warns of them.
    left = [name for name in free if name not in unique]
    if len(left) < len(wanted):
        raise ClientError(
            f"no column of {file.title} is left for --{wanted[-1].replace('_', '-')}",
            hint="A dataset has quasi-identifiers and something sensitive.",
        )
    chosen = dict(parts)
    if "sensitive" in wanted:
        chosen["sensitive"] = [left.pop()]
    if "quasi_identifiers" in wanted:
        chosen["quasi_identifiers"], left = left, []
    return chosen, unique, left


def _nearly_unique(
    connection: Connection, table: TableName, names: Sequence[str]
) -> dict[str, int]:
    """Columns of a table whose values are nearly unique, and how many values each has."""
    if not names:
        return {}
    counts = sql.SQL(", ").join(
        sql.SQL("count({0}), count(DISTINCT {0})").format(sql.Identifier(name)) for name in names
    )
    query = sql.SQL("SELECT {} FROM {}").format(counts, table.identifier)
    (row,) = connection.execute(query).fetchall()
    return {
        name: values
        for name, records, values in zip(names, row[::2], row[1::2], strict=True)
        if nearly_unique(records, values)
    }


def _codes(
    connection: Connection, table: TableName, names: Sequence[str], sensitive: Sequence[str]
) -> dict[str, int]:
    """Columns of whole numbers that look like codes, and how many values each has."""
    if not names:
        return {}
    figures = sql.SQL(", ").join(
        sql.SQL("count({0}), count(DISTINCT {0}), min({0})").format(sql.Identifier(name))
        for name in names
    )
    query = sql.SQL("SELECT {} FROM {}").format(figures, table.identifier)
    (row,) = connection.execute(query).fetchall()
    return {
        name: values
        for name, records, values, least in zip(names, row[::3], row[1::3], row[2::3], strict=True)
        if (
            tells_by_code(records, values)
            if name in sensitive
            else identifies_by_code(name, records, values, least)
        )
    }


def _resolve(connection: Connection, table: str) -> TableName:
    """Read a table's name as written in SQL; its schema is by default the user's current one.

    Raises
    ------
    ClientError
        If it has more parts, or there is no current schema, or that is up to somebody else.
    """
    parts: list[str] = scalar(connection, sql.SQL("SELECT parse_ident(%s)"), table)
    if len(parts) == 1:
        schema = as_named(connection, sql.SQL("SELECT pg_catalog.current_schema()"))
        if schema:
            _check_owner(connection, schema, parts[0])
            parts = [schema, *parts]
    if len(parts) != 2:
        raise ClientError(
            f"{table} does not name a table", hint="Give its schema and name, such as public.people"
        )
    return TableName(*parts)


def _check_owner(connection: Connection, schema: str, name: str) -> None:
    """Refuse a schema that the user has not named, and whose owner is another than they.

    The owner may drop a table in it, and put a view there that runs code of theirs when it is read.
    """
    owners = connection.execute(
        "SELECT o.rolname::text FROM pg_namespace AS n "
        "JOIN pg_database AS d ON d.datname = current_database() JOIN pg_roles AS o ON o.oid = "
        "CASE n.nspowner WHEN 'pg_database_owner'::regrole::oid THEN d.datdba ELSE n.nspowner END "
        "WHERE n.nspname = %s::name AND NOT o.rolsuper AND o.rolname <> current_user",
        [schema],
    ).fetchall()
    for (owner,) in owners:
        raise ClientError(
            f'{name} would be a table in schema "{schema}", which belongs to "{owner}"',
            detail="Its owner may put something else in the table's place, and so have code of "
            "theirs run by who reads it.",
            hint=f"If you trust them, name it: {TableName(schema, name).written(connection)}",
        )


def _make_room(connection: Connection, table: TableName, *, replace: bool) -> None:
    """See that there is no table of a name: drop it if that is wanted, else refuse.

    Raises
    ------
    ClientError
        If it exists and is not to be replaced.
    """
    name = table.written(connection)
    if scalar(connection, sql.SQL("SELECT to_regclass(%s)"), name) is None:
        return
    if not replace:
        raise ClientError(
            f"{name} exists already",
            detail="Nothing was changed.",
            hint="Choose another name, or give --replace to drop it first.",
        )
    connection.execute(sql.SQL("DROP TABLE {}").format(table.identifier))
