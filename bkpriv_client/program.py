"""Common parts of our programs at the command line."""

from __future__ import annotations

from typing import Any

import psycopg
import typer
from typer.core import TyperGroup

from bkpriv_client.failure import ClientError, show
from bkpriv_client.terminal import make_console

__all__ = ["program"]


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


def program(name: str) -> typer.Typer:
    """Return a program without commands yet."""
    return typer.Typer(
        name=name,
        cls=_Commands,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
