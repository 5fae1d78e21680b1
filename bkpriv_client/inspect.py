"""``bkpriv inspect``: which columns of a table tell people apart, and how to declare it."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer
from psycopg.sql import SQL
from rich.console import Console
from rich.text import Text

from bkpriv_client.declaration import ask
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import TableName
from bkpriv_client.notices import heard, repeat
from bkpriv_client.options import Uri
from bkpriv_client.proposal import Looked, look_at, propose
from bkpriv_client.server import Connection, as_named, connect
from bkpriv_client.terminal import make_console, make_table, step

__all__ = ["inspect"]

_ROLES = {
    "quasi_identifiers": "quasi-identifier",
    "sensitive": "sensitive",
    "respondent": "respondent",
}


def inspect(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Table or view, written as in SQL.")
    ],
    uri: Uri = "",
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of the dataset in the statements.",
            show_default="the table's",
        ),
    ] = "",
) -> None:
    """Say which columns of a table tell people apart, and how to register it.

    Of each column, and of the pairs and triples that single out most: how many people have values
    that nobody else has. Of each column what it looks like, and which role it might have. Roles are
    a proposal to review: what others know of a person, no table says. Nothing is declared.
    """
    console = make_console()
    with connect(uri) as connection, heard(connection) as notices, connection.transaction():
        target = _find(connection, table)
        name = target.written(connection)
        with step(console, f"Looking at {name}"):
            looked = look_at(connection, name)
        _show(console, looked)
        repeat(console, notices)
        proposal = propose(connection, target, looked)
        statements = (
            proposal.statements(connection, dataset or target.name, target)
            if proposal.complete
            else []
        )
    if proposal.left:
        console.print(f"Left out: {', '.join(proposal.left)}.")
    if not statements:
        console.print(
            "\nNothing is proposed: a dataset has quasi-identifiers and something sensitive."
        )
        return
    console.print("\nTo register it, once you have reviewed the roles, and what codes go up to:\n")
    for statement in statements:
        console.print(f"{statement};", style="cyan", soft_wrap=True)
    for column in proposal.coarsened:
        asked = ask("suggest_hierarchy", dataset or target.name, column).as_string()
        console.print(f"\nA hierarchy of {column}: {asked};", soft_wrap=True)
    console.print(f"\nThen: bkpriv explore {shlex.quote(dataset or target.name)}")


def _find(connection: Connection, table: str) -> TableName:
    """Name of a table as the catalogue has it.

    Raises:
        ClientError: If there is none.
    """
    found = connection.execute(
        "SELECT n.nspname::text, c.relname::text FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = %s",
        [as_named(connection, SQL("SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid"), table)],
    ).fetchall()
    if not found:
        raise ClientError(
            f"there is no table {table}",
            detail="Or it is out of your search_path.",
            hint="Give its schema, too, and quotes where it needs them, such as public.people.",
        )
    return TableName(*found[0])


def _show(console: Console, looked: list[Looked]) -> None:
    """Print what was seen of columns, and then of pairs and triples."""
    records = looked[0].records
    console.print(
        f"\n{records:,} records. Unique: people whose values nobody else has; told apart: pairs of "
        "records that differ.",
    )
    numbers = ("unique", "distinct", "told apart")
    singles = make_table("column", *numbers, "looks like", "role", "why", numbers=numbers)
    for each in looked:
        if len(each.columns) == 1:
            cells = [
                *_cells(each),
                (each.looks_like or "").partition(",")[0],
                _ROLES.get(each.role or "", ""),
                each.reason,
            ]
            singles.add_row(*map(Text, cells))
    console.print(singles)
    combined = [each for each in looked if len(each.columns) > 1]
    if combined:
        together = make_table("together", *numbers, numbers=numbers)
        for each in combined:
            together.add_row(*map(Text, _cells(each)))
        console.print(together)


def _cells(each: Looked) -> list[str]:
    return [
        ", ".join(each.columns),
        f"{each.unique:,.0f}",
        f"{each.distinct:.1%}",
        f"{each.separated:.1%}",
    ]
