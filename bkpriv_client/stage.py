"""Words that a demonstration tells its audience, and actions before its eyes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg import sql
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bkpriv_client.server import Connection, scalar, watched
from bkpriv_client.terminal import step

__all__ = ["Stage", "tellings"]


def tellings(connection: Connection, dataset: str, releases: int) -> int:
    """Number of stories with so many releases of a dataset that were told in this database."""
    query = sql.SQL("SELECT count(*) FROM bkpriv.releases WHERE dataset = %s")
    # An attempt that failed half-way counts, too.
    return -(-int(scalar(connection, query, dataset)) // releases)


@dataclass(frozen=True)
class Stage:
    """Stage on which a demonstration speaks and acts.

    Parameters
    ----------
    console : Console
        Console that it prints to.
    uri : str
        The database of it, from where progress is watched.
    """

    console: Console
    connection: Connection
    uri: str

    def heading(self, title: str) -> None:
        """Begin a part."""
        self.console.print()
        self.console.rule(Text(title, style="bold"), align="left")

    def say(self, text: str) -> None:
        """Say something, in Rich's markup."""
        self.console.print(Text.from_markup(text))

    def show(self, *statements: sql.Composed) -> None:
        """Show statements that are about to be run."""
        lines = "\n".join(f"{statement.as_string(self.connection)};" for statement in statements)
        self.console.print(Padding(Text(lines, style="cyan"), (1, 0, 0, 2), expand=False))

    def run(self, *statements: sql.Composed) -> None:
        """Show statements and run them for their effect."""
        self.show(*statements)
        for statement in statements:
            self.connection.execute(statement)

    @contextmanager
    def working(self, title: str) -> Iterator[None]:
        """Show a step whose progress the server reports."""
        with (
            step(self.console, title) as advance,
            watched(self.connection, self.uri, advance),
        ):
            yield

    def utility(self, release: int) -> dict[str, float]:
        """Utility of a release, by metric."""
        rows = self.connection.execute(
            "SELECT metric, value FROM bkpriv.utility(%s)", [release]
        ).fetchall()
        return dict(rows)
