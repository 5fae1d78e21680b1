"""The client: a command line that talks SQL to the extension.

One module per command; `app` puts them together. Nothing here computes what the extension
computes, and nothing else imports this package: the server is installed without it.
"""

from __future__ import annotations

from typing import Annotated, Any

import psycopg
import typer
from typer.core import TyperGroup

from bkpriv_core import __version__
from bkpriv_core.cli.demo import demo
from bkpriv_core.cli.doctor import doctor
from bkpriv_core.cli.explore import explore
from bkpriv_core.cli.export import export
from bkpriv_core.cli.failure import ClientError, show
from bkpriv_core.cli.load_csv import load_csv
from bkpriv_core.cli.report import report
from bkpriv_core.cli.study import bench
from bkpriv_core.cli.terminal import make_console

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """Commands that end on an error with a message, not a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (ClientError, psycopg.Error) as error:
            show(error, make_console(stderr=True))
            raise typer.Exit(1) from error
        except KeyboardInterrupt:
            make_console(stderr=True).print("\nInterrupted: what was being done is undone.")
            raise


app = typer.Typer(
    name="bkpriv",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


app.command()(demo)
app.command()(doctor)
app.command()(export)
app.command()(explore)
app.command(name="load-csv")(load_csv)
app.command()(report)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command line."""
    app()
