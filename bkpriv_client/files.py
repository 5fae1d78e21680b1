"""Files that are written whole or not at all, under names that stay where they belong."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bkpriv_client.failure import ClientError

__all__ = ["file_name", "written_whole"]


def file_name(name: str, ending: str) -> str:
    """Name of a file for a view: what is neither a letter nor a digit in it may mean a place."""
    plain = re.sub(r"[^\w-]", "_", name)
    return f"{plain}.{ending}"


@contextmanager
def written_whole(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing, which takes its name only once all of it is written.

    Args:
        private: Whether nobody else may read it.

    Raises:
        ClientError: If it cannot be written.
    """
    beside = path.with_name(f".{path.name}.part")
    try:
        mode = 0o600 if private else 0o666
        # What lies there is a former attempt, or somebody else's: a link, or a file he may read.
        beside.unlink(missing_ok=True)
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
        beside.replace(path)
    except OSError as error:
        raise ClientError(
            f"{path} could not be written",
            detail=f"{error.strerror}.",
            hint="Choose a directory that is there and may be written.",
        ) from None
    finally:
        beside.unlink(missing_ok=True)
