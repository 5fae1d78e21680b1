"""``bkpriv report``: a release as one page, in a file."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from psycopg import sql

from bkpriv_client.files import written_whole
from bkpriv_client.notices import heard, repeat
from bkpriv_client.options import Uri
from bkpriv_client.server import connect, scalar, watched
from bkpriv_client.terminal import make_console, step

__all__ = ["Audience", "report"]


class Audience(str, Enum):
    """Reader of a report."""

    officer = "officer"
    outsiders = "outsiders"


def report(
    release: Annotated[int, typer.Argument(metavar="RELEASE", help="Number of the release.")],
    out: Annotated[
        Path, typer.Option(metavar="FILE", dir_okay=False, help="File to write, such as 7.html.")
    ],
    audience: Annotated[
        Audience,
        typer.Option(
            "--for",
            help="Whom it is for: the data protection officer, or outsiders, who are told no "
            "record's values, no small counts, and no names of people, sources and policies.",
        ),
    ] = Audience.officer,
    uri: Uri = "",
) -> None:
    """Write a report on a release: one HTML page that loads and runs nothing.

    What was published, who is protected against whom, worst cases, what is exact and what is
    estimated, what was left out, what it costs analysts, history and limits.
    """
    console = make_console()
    with (
        connect(uri) as connection,
        heard(connection) as notices,
        step(console, f"Reporting on release {release}") as advance,
        watched(connection, uri, advance),
    ):
        page = scalar(
            connection,
            sql.SQL("SELECT bkpriv.report_html(%s, %s)"),
            release,
            audience.value,
        )
    # What is for officers, only who writes it may read at first.
    with written_whole(out, private=audience is Audience.officer) as file:
        file.write(page.encode())
    repeat(console, notices)
    console.print(f"{out}: {len(page) / 1000:.0f} kB, for {audience.value}.")
