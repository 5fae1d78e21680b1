"""What the client prints to, and steps with a progress bar.

On a terminal a step shows a bar while it runs and a line with its duration when it is done.
Elsewhere (a log, a pipe) only that line is printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

__all__ = ["Advance", "make_console", "make_table", "step"]


class Advance(Protocol):
    """Report of progress."""

    def __call__(self, share: float | None, doing: str = "") -> None:
        """Tell which share is done, None if that is unknown, and what is being done just now."""


_LOG_WIDTH = 110
"""Columns of output that goes to a file or pipe, which has no width of its own."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console on the standard output, or on the standard error stream.

    Characters that the stream's encoding lacks are replaced, so that no locale breaks a command.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = _LOG_WIDTH
    return console


def make_table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return an empty table; the columns named in `numbers` are aligned to the right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        justify: JustifyMethod = "right" if column in numbers else "left"
        table.add_column(column, justify=justify, overflow="fold")
    return table


@contextmanager
def step(console: Console, title: str) -> Iterator[Advance]:
    """Show that something is being done, how far it is, and how long it took.

    Yields a function to report progress with; a step that never reports shows an endless bar.
    """
    started = time.monotonic()
    title = escape(title)
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[share]}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=None, share="")

        def advance(share: float | None, doing: str = "") -> None:
            bar.update(
                task,
                total=None if share is None else 1.0,
                completed=share or 0.0,
                description=f"{title}: {escape(doing)}" if doing else title,
                share="" if share is None else f"{share:4.0%}",
            )

        yield advance
    seconds = time.monotonic() - started
    console.print(f"[green]✓[/green] {title} [dim]({seconds:.1f} s)[/dim]")
