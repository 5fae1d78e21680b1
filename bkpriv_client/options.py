"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Uri"]

Uri = Annotated[
    str,
    typer.Option(
        envvar="BKPRIV_URI",
        metavar="URI",
        help="Database that holds the extension, such as postgresql://user@host/database. What it "
        "leaves out comes from PGHOST, PGDATABASE and the like.",
    ),
]
