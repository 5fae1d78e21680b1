"""Consoles that the client prints to, and steps with a progress bar.

On a terminal a step shows a bar while it runs and a line with its duration when it is done.
Elsewhere (a log, a pipe) only that line is printed.

Names, values and messages of the server are others' texts, and all that is printed may hold some.
So every console shows characters that would command the terminal as they are written in Python,
and takes no text for markup, except where `Text.from_markup` is called on the client's own words.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.style import StyleType
from rich.table import Table
from rich.text import Text

__all__ = ["Advance", "make_console", "make_table", "shown", "step"]


class Advance(Protocol):
    """Report of progress."""

    def __call__(self, share: float | None, doing: str = "") -> None:
        """Tell which share is done, None if that is unknown, and what is being done just now."""


_LOG_WIDTH = 110
"""Columns of output that goes to a file or pipe, which has no width of its own."""


_COMMANDS = {
    code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    for code in (
        *(code for code in range(32) if chr(code) not in "\n\t"),
        *range(127, 160),
        # Text after these is shown from right to left, or ends being so.
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
}
"""Characters that a terminal obeys, and how they are shown."""


def shown(text: str) -> str:
    """Return a text as consoles show it, to be laid out as wide as that is."""
    return text.translate(_COMMANDS)


class _Console(Console):
    """A console on which texts are only shown."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """See `Console`; what it does to the terminal itself, as for a bar, is let through."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(shown(segment.text), segment.style)


def make_console(*, stderr: bool = False) -> Console:
    """Return a console on the standard output, or on the standard error stream.

    Characters that the stream's encoding lacks are replaced, so that no locale breaks a command.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    console = _Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _LOG_WIDTH
    return console


class _Table(Table):
    """A table whose cells are as wide as what is shown of them."""

    def add_row(
        self,
        *renderables: RenderableType | None,
        style: StyleType | None = None,
        end_section: bool = False,
    ) -> None:
        """See `Table`."""
        for cell in renderables:
            if isinstance(cell, Text):
                cell.plain = shown(cell.plain)
        cells = (shown(cell) if isinstance(cell, str) else cell for cell in renderables)
        super().add_row(*cells, style=style, end_section=end_section)


def make_table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return an empty table; the columns named in `numbers` are aligned to the right."""
    table = _Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        justify: JustifyMethod = "right" if column in numbers else "left"
        table.add_column(shown(column), justify=justify, overflow="fold")
    return table


@contextmanager
def step(console: Console, title: str) -> Iterator[Advance]:
    """Show that something is being done, how far it is, and how long it took.

    Yields a function to report progress with; a step that never reports shows an endless bar.
    """
    started = time.monotonic()
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
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
                description=f"{title}: {doing}" if doing else title,
                share="" if share is None else f"{share:4.0%}",
            )

        yield advance
    seconds = time.monotonic() - started
    console.print(Text.assemble(("✓", "green"), f" {title} ", (f"({seconds:.1f} s)", "dim")))
