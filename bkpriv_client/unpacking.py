"""Files as bytes, unpacked while they are read.

Packed files are told by their first bytes, whatever their names: gzip, bzip2, xz, zstd, and zip
with one file in it. Nothing is unpacked to a disk, nor more of it at a time than is read.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bkpriv_client.failure import ClientError

__all__ = ["packing", "unpacked"]

_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
"""First bytes of packed files."""

_OTHERS = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"PAR1": "a Parquet file",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF",
}
"""First bytes of files that are not tables of text."""


def packing(path: Path) -> str | None:
    """Kind of packing of a file; None if it is not packed.

    Raises
    ------
    ClientError
        If it is a file of another kind.
    """
    with path.open("rb") as stream:
        first = stream.read(16)
    for mark, kind in _OTHERS.items():
        if first.startswith(mark):
            raise ClientError(
                f"{path} is {kind}, not CSV",
                hint='Save it as "CSV UTF-8" from the program that made it.',
            )
    return next((kind for mark, kind in _PACKINGS.items() if first.startswith(mark)), None)


@contextmanager
def unpacked(path: Path, title: str) -> Iterator[IO[bytes]]:
    """Open a file to read its bytes, those that are in it where it is packed.

    Raises
    ------
    ClientError
        If it cannot be read or unpacked, or holds several files.
    """
    kind = None
    try:
        kind = packing(path)
        with _opened(path, kind, title) as stream:
            yield stream
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise _broken(title, kind) from error
    except OSError as error:
        if error.strerror is None:  # what unpacks says so, not the system
            raise _broken(title, kind) from error
        raise ClientError(f"cannot read {title}: {error.strerror}") from error


def _opened(path: Path, kind: str | None, title: str) -> IO[bytes]:
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path))
    if kind == "bzip2":
        return cast("IO[bytes]", bz2.open(path))
    if kind == "xz":
        return cast("IO[bytes]", lzma.open(path))
    if kind == "zstd":
        import pyarrow  # it takes a while to load

        return cast("IO[bytes]", pyarrow.CompressedInputStream(str(path), "zstd"))
    if kind == "zip":
        return _only_member(path, title)
    return path.open("rb")


def _only_member(path: Path, title: str) -> IO[bytes]:
    """Open the one file that an archive holds."""
    with zipfile.ZipFile(path) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        names = [member.filename for member in members]
        if "xl/workbook.xml" in names:
            raise ClientError(
                f"{title} is an Excel workbook, not CSV", hint='Save it there as "CSV UTF-8".'
            )
        if len(members) != 1:
            raise ClientError(
                f"{title} holds {len(members)} files",
                detail=f"They are {', '.join(names[:10])}." if names else None,
                hint="Unpack it, and load the one that is wanted.",
            )
        if members[0].flag_bits & 1:
            raise ClientError(f"{title} is encrypted", hint="Unpack it with its password first.")
        return archive.open(members[0])


def _broken(title: str, kind: str | None) -> ClientError:
    return ClientError(
        f"{title} cannot be unpacked as {kind}",
        detail="It is damaged, or ends too early.",
        hint="Fetch it anew, and compare its size with the original's.",
    )
