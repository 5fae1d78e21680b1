"""Refusals of the client itself, and how every failure is shown.

The server's errors carry a message, a DETAIL and a HINT; the client's own have the same parts, and
both are shown alike, without a traceback. What is neither is a bug and keeps its traceback.
"""

from __future__ import annotations

import psycopg
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from bkpriv_client.terminal import shown

__all__ = ["ClientError", "show"]


class ClientError(Exception):
    """Error that the person at the keyboard can put right.

    Args:
        message: Fault, naming the file, column or table.
        detail: The figures behind the message.
        hint: Remedy that would work instead.
    """

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


def show(error: ClientError | psycopg.Error, console: Console) -> None:
    """Print an error's message, detail and hint in a panel."""
    title = "Error"
    if isinstance(error, ClientError):
        message, detail, hint = error.message, error.detail, error.hint
    else:
        diagnostics = error.diag
        # A connection that is lost has no diagnostics, only text.
        message = diagnostics.message_primary or str(error).strip()
        detail, hint = diagnostics.message_detail, diagnostics.message_hint
        if error.sqlstate:
            title = f"Error {error.sqlstate}"
    parts: list[RenderableType] = [Text(shown(message), style="bold")]
    if detail:
        parts.append(Text.assemble(("Detail: ", "bold"), shown(detail)))
    if hint:
        parts.append(Text.assemble(("Hint: ", "bold"), shown(hint)))
    console.print(Panel(Group(*parts), title=title, title_align="left", border_style="red"))
