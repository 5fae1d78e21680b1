"""Write docs/reference/command-line.md: every command of the client, with arguments and options.

Rules: all that is said is what the commands say of themselves in ``--help``; what each of them
takes stands at the top.

Usage: ``commands.py > docs/reference/command-line.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from bkpriv_client import app

__all__ = ["commands"]

_PREAMBLE = """\
<!-- Made by scripts/commands.py from the commands; do not edit. -->

# Command line

`bkpriv` talks to a database that holds the extension; all that it does there can also be done in
SQL. [How to get it](../howto/install.md#the-client). Every command takes `--uri`, the database,
such as `postgresql://user@host/database`; without it `BKPRIV_URI` names the database, and what
either leaves out comes from PGHOST, PGDATABASE and the like. Arguments in capitals must be given.
Each command says the same with `--help`, and ends with 1 on an error, 2 where it is called wrongly.
"""

_OF_EACH = "uri"
"""Parameter that every command takes."""


def commands() -> str:
    """Describe the client's commands, in Markdown."""
    top = get_command(app)
    sections = [_PREAMBLE.rstrip(), *_sections(top, Context(top, info_name="bkpriv"))]
    return "\n\n".join(sections) + "\n"


def _sections(command: Any, context: Context) -> Iterator[str]:
    """Describe a command and those below it, paragraph by paragraph."""
    if context.parent is not None:
        yield f"## {context.command_path}"
        yield (command.help or "").strip()
        shown = [
            parameter
            for parameter in command.params
            if not parameter.hidden and parameter.name != _OF_EACH
        ]
        if shown:
            yield "\n".join(["| | meaning |", "|---|---|", *map(_row, shown)])
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _sections(below, Context(below, info_name=name, parent=context))


def _row(parameter: Any) -> str:
    """Describe an argument or option as a row of a table."""
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar.replace('|', '` or `')}`"
    meaning = " ".join((parameter.help or "").split())
    stated = parameter.default
    if isinstance(stated, Enum):
        meaning += f" One of {', '.join(f'`{choice.value}`' for choice in type(stated))}."
        stated = stated.value
    if stated not in (None, False, "") and not callable(stated):
        meaning += f" Default: `{stated}`."
    if parameter.required and parameter.param_type_name != "argument":
        meaning += " It must be given."
    return f"| {names} | {meaning} |"


if __name__ == "__main__":
    sys.stdout.write(commands())
