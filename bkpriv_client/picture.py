"""Pictures that commands draw: their formats, and where they may be written."""

from __future__ import annotations

from pathlib import Path

from bkpriv_client.failure import ClientError

__all__ = ["FORMATS", "check_plot"]

FORMATS = (".png", ".svg", ".pdf")
"""Endings of the files that can be drawn."""


def check_plot(path: Path | None) -> None:
    """Refuse a plot that could not be written, before anybody waits for it.

    Raises:
        ClientError: If its name has no ending of a picture, or its directory is not there.
    """
    if path is None:
        return
    if path.suffix.lower() not in FORMATS:
        raise ClientError(
            f"{path} has no ending of a picture",
            detail=f"Pictures are {', '.join(FORMATS)}.",
            hint=f"Write to {path.with_suffix('.png')}.",
        )
    if not path.parent.is_dir():
        raise ClientError(
            f"{path.parent} is no directory",
            detail=f"{path.name} was to be drawn in it.",
            hint="Choose a directory that is there.",
        )
