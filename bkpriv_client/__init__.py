"""The client: a command line that talks SQL to the extension.

One module per command; `app` puts them together. Nothing here computes what the extension
computes, and neither the core nor the server imports this package: the server is installed
without it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bkpriv_client.apply import apply
from bkpriv_client.attack import attack
from bkpriv_client.demo import demo
from bkpriv_client.doctor import doctor
from bkpriv_client.explore import explore
from bkpriv_client.export import export
from bkpriv_client.inspect import inspect
from bkpriv_client.load_csv import load_csv
from bkpriv_client.program import program
from bkpriv_client.report import report
from bkpriv_core import __version__

__all__ = ["app", "main"]


app = program("bkpriv")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Publish PostgreSQL tables safely against adversaries with background knowledge.

    These commands talk to a database that holds the extension bkpriv. All that they do there can
    also be done in SQL.
    """


app.command()(apply)
app.command()(attack)
app.command()(demo)
app.command()(doctor)
app.command()(export)
app.command()(explore)
app.command()(inspect)
app.command(name="load-csv")(load_csv)
app.command()(report)


def main() -> None:
    """Run the command line."""
    app()
