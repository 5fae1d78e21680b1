"""Notices of the server: collected while statements run, and repeated on a console."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg.errors import Diagnostic
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bkpriv_client.server import Connection

__all__ = ["Notice", "heard", "repeat"]


@dataclass(frozen=True)
class Notice:
    """Text of a notice or warning; what psycopg hands over is gone after its handler."""

    severity: str
    message: str
    detail: str
    hint: str


@contextmanager
def heard(connection: Connection) -> Iterator[list[Notice]]:
    """Collect what the server says while the block runs, also if it fails."""
    notices: list[Notice] = []

    def hear(said: Diagnostic) -> None:
        severity = (said.severity_nonlocalized or "NOTICE").capitalize()
        parts = (said.message_primary, said.message_detail, said.message_hint)
        notices.append(Notice(severity, *(part or "" for part in parts)))

    connection.add_notice_handler(hear)
    try:
        yield notices
    finally:
        connection.remove_notice_handler(hear)


def repeat(console: Console, notices: Sequence[Notice]) -> None:
    """Print notices with their details and hints."""
    for notice in notices:
        console.print(f"{notice.severity}: {notice.message}", soft_wrap=True)
        hint = notice.hint and f"Hint: {notice.hint}"
        for part in filter(None, (notice.detail, hint)):
            console.print(Padding(Text(part), (0, 0, 0, 2)))
