"""``bkpriv export``: published views as files, with a dictionary that says what they hold."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from psycopg import IsolationLevel, sql

from bkpriv_client.dictionary import Source, describe, write_dictionary
from bkpriv_client.failure import ClientError
from bkpriv_client.files import file_name, written_whole
from bkpriv_client.options import Uri
from bkpriv_client.server import Connection, as_named, connect
from bkpriv_client.terminal import make_console, step

__all__ = ["Format", "export"]


class Format(str, Enum):
    """Format in which views are written."""

    csv = "csv"
    parquet = "parquet"


def export(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE|VIEW",
            help="Number of a release of yours, all of whose views are written if they are as it "
            "was published; or a view, written as in SQL, which is all that its readers need. "
            "Without a schema it is looked up by your search_path.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", file_okay=False, help="Directory to write to; it is made."),
    ],
    to: Annotated[Format, typer.Option(help="Format of the files.")] = Format.csv,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace files of these names.")
    ] = False,
    uri: Uri = "",
) -> None:
    """Write published views to files, with a dictionary of their columns.

    A range becomes two columns: age_from and age_to, both included, or age_below, where bins end.
    The dictionary, as Markdown and JSON, says what each column holds, from the views' comments.
    """
    console = make_console()
    with connect(uri, job=what.isdecimal()) as connection:
        if not what.isdecimal():  # A release's views are locked by the server, and frozen.
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            views = _views(connection, what)
            sources = [describe(connection, *view) for view in views]
            files = {source: out / file_name(source.name, to.value) for source in sources}
            dictionary = [out / name for name in ("dictionary.md", "dictionary.json")]
            _make_room([*files.values(), *dictionary], replace=replace)
            _make(out)
            for source, path in files.items():
                with step(console, f"Writing {path}"):
                    _write(connection, source, path, to)
            write_dictionary(dictionary[0], dictionary[1], files)
    for source, path in files.items():
        console.print(f"{path}: {source.rows:,} rows, {len(source.columns)} columns.")
    console.print(f"{dictionary[0]} and {dictionary[1].name} say what they hold.")


def _views(connection: Connection, what: str) -> list[tuple[str, str]]:
    """Schemas and names of the views that are meant; those of a release, the server has checked.

    Raises:
        ClientError: If there are none.
    """
    if what.isdecimal():
        query = "SELECT view_schema, view_name FROM bkpriv_internal.open_views(%s)"
        found = connection.execute(query, [int(what)]).fetchall()
    else:
        named = sql.SQL("SELECT pg_catalog.to_regclass(%s::pg_catalog.text)::pg_catalog.oid")
        found = connection.execute(
            "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n "
            "ON n.oid = c.relnamespace WHERE c.oid = %s AND c.relkind IN ('v', 'm')",
            [as_named(connection, named, what)],
        ).fetchall()
    if not found:
        raise ClientError(
            f"there is no view {what}",
            hint='Write it as in SQL, such as clinic.shown or clinic."Quoted Name", or give the '
            "number of a release.",
        )
    return [(str(schema), str(name)) for schema, name in found]


def _make_room(paths: list[Path], *, replace: bool) -> None:
    there = [path for path in paths if path.exists()]
    if len({*paths}) < len(paths):
        raise ClientError(
            "two views would be written to one file",
            hint="Export them one by one, by name, to directories of their own.",
        )
    if there and not replace:
        raise ClientError(
            f"{there[0]} exists already",
            detail="Nothing was written.",
            hint="Choose another directory, or give --replace.",
        )


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClientError(
            f"{directory} could not be made",
            detail=f"{error.strerror}.",
            hint="Choose a directory that may be written.",
        ) from None


def _write(connection: Connection, source: Source, path: Path, to: Format) -> None:
    if to is Format.parquet:
        from bkpriv_client.parquet import write_parquet  # slow to import

        write_parquet(connection, source, path)
        return
    copy = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv, HEADER)").format(source.query)
    with written_whole(path) as file, connection.cursor().copy(copy) as data:
        for block in data:
            file.write(block)
