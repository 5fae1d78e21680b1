"""Common parts of our programs at the command line."""

from __future__ import annotations

from typing import Any

import psycopg
import typer
from typer.core import TyperGroup

from bkpriv_client.failure import ClientError, show
from bkpriv_client.terminal import make_console

__all__ = ["program"]


_IN_SQL = {
    "register": "bkpriv.register_dataset('people', 'public.people', ARRAY['age', 'sex'], 'dx')",
    "set_policy": """bkpriv.set_policy('careful', '{"k_anonymity": {"k": 5}}')""",
    "publish": "bkpriv.publish('people', 'careful', 'public.shown')",
    "audit": "* FROM bkpriv.audit(1)",
    "verdict": "* FROM bkpriv.verdict(1)",
    "utility": "* FROM bkpriv.utility(1)",
    "withdraw": "bkpriv.withdraw(1, 'why')",
    "releases": "* FROM bkpriv.releases",
}
"""Functions that are taken for commands, as they are called."""
_IN_SQL["register_dataset"] = _IN_SQL["register"]

_DECLARED = {"register", "register_dataset", "set_policy", "publish"}
"""Functions whose work ``bkpriv apply`` does."""


class _Commands(TyperGroup):
    """Commands that end on an error with a message, not a traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; of a function in SQL, say so."""
        name = args[0].replace("-", "_")
        if args[0] not in self.commands and name in _IN_SQL:
            also = f" Or declare it in a file: {ctx.info_name} apply FILE." * (name in _DECLARED)
            ctx.fail(f"{args[0]} is a function in SQL. In psql: SELECT {_IN_SQL[name]};{also}")
        return super().resolve_command(ctx, args)

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
