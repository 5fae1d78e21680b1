"""Options that several commands share, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from bkpriv_client.failure import ClientError

__all__ = ["Uri", "assigned"]

Uri = Annotated[
    str,
    typer.Option(
        envvar="BKPRIV_URI",
        metavar="URI",
        help="Database that holds the extension, such as postgresql://user@host/database. What it "
        "leaves out comes from PGHOST, PGDATABASE and the like.",
    ),
]


def assigned(texts: Sequence[str], name: str, *, dotted: bool = False) -> dict[str, Any]:
    """Values by name, of NAME=VALUE; by the names within each if these are dotted.

    Raises:
        ClientError: If a text has no such form.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, given, value = text.partition("=")
        *path, last = key.split(".") if dotted else [key]
        within: Any = found
        for each in path:
            within = within.setdefault(each, {}) if isinstance(within, dict) else None
        if not (given and key) or not isinstance(within, dict):
            raise ClientError(
                f"{name} is no NAME=VALUE",
                detail=f"It is {text}.",
                hint="Write l_diversity.l=2." if dotted else "Write latest_by=seen.",
            )
        try:
            within[last] = json.loads(value)
        except json.JSONDecodeError:
            within[last] = value
    return found
