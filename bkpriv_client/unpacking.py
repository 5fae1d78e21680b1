"""Files as bytes, unpacked while they are read.

Packed files are told by their first bytes, whatever their names: gzip, bzip2, xz, zstd, and zip
with one file in it. Nothing is unpacked to a disk, nor more of it at a time than is read; what asks
for more memory than `_MEMORY` is refused.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

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

_MEMORY = 1 << 28
"""Bytes that unpacking may take: four times what ``xz -9`` asks for; a file says what it wants."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""Methods by which a file is packed in an archive, and unpacked in little memory."""


def packing(path: Path) -> str | None:
    """Kind of packing of a file; None if it is not packed."""
    with path.open("rb") as stream:
        first = stream.read(16)
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
        raise _broken(title, kind, error) from error
    except OSError as error:
        if error.strerror is None:  # what unpacks says so, not the system
            raise _broken(title, kind, error) from error
        raise ClientError(f"cannot read {title}: {error.strerror}") from error


def _opened(path: Path, kind: str | None, title: str) -> IO[bytes]:
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path))
    if kind == "bzip2":
        return cast("IO[bytes]", bz2.open(path))
    if kind == "xz":
        return cast("IO[bytes]", io.BufferedReader(_Xz(path)))
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
        for member, program in _WORKBOOKS.items():
            if member in names:
                raise ClientError(
                    f"{title} is {program}, not CSV", hint='Save it there as "CSV UTF-8".'
                )
        if len(members) != 1:
            raise ClientError(
                f"{title} holds {len(members)} files",
                detail=f"They are {', '.join(names[:10])}." if names else None,
                hint="Unpack it, and load the one that is wanted.",
            )
        if members[0].flag_bits & 1:
            raise ClientError(f"{title} is encrypted", hint="Unpack it with its password first.")
        if members[0].compress_type not in _METHODS:
            raise ClientError(
                f"{title} is packed by method {members[0].compress_type}, which is not read",
                hint="Unpack it first.",
            )
        return archive.open(members[0])


class _Xz(io.RawIOBase):
    """Content of an xz file, of streams one after another, unpacked in bounded memory."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._unpacker: lzma.LZMADecompressor | None = None
        self._packed = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        """See `io.RawIOBase`."""
        while True:
            if self._unpacker is None and not self._begin():
                return 0
            assert self._unpacker is not None
            if not self._packed and self._unpacker.needs_input:
                self._packed = self._file.read(io.DEFAULT_BUFFER_SIZE)
                if not self._packed:
                    raise EOFError("the stream does not end")
            found = self._unpacker.decompress(self._packed, len(buffer))
            self._packed = b""
            if self._unpacker.eof:
                self._packed, self._unpacker = self._unpacker.unused_data, None
            if found:
                buffer[: len(found)] = found
                return len(found)

    def _begin(self) -> bool:
        """Begin a stream, if there is one; between streams there may be zeros."""
        while not (packed := self._packed.lstrip(b"\0")):
            self._packed = self._file.read(io.DEFAULT_BUFFER_SIZE)
            if not self._packed:
                return False
        self._packed = packed
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        return True


_WORKBOOKS = {
    "xl/workbook.xml": "an Excel workbook",
    "xl/workbook.bin": "an Excel workbook",
    "content.xml": "an OpenDocument spreadsheet",
    "Index/Document.iwa": "a Numbers spreadsheet",
}
"""Files in archives that are workbooks."""


def _broken(title: str, kind: str | None, error: Exception) -> ClientError:
    # So say the libraries of xz and zstd.
    if re.search("memory usage limit|too much memory", str(error), re.IGNORECASE):
        return ClientError(
            f"{title} wants more than {_MEMORY >> 20} MB of memory to be unpacked",
            detail=f"So its {kind} header says, which a small file can say as well as a large one.",
            hint=f"If you trust it, unpack it by {kind} -d, and load what comes out.",
        )
    return ClientError(
        f"{title} cannot be unpacked as {kind}",
        detail="It is damaged, or ends too early.",
        hint="Fetch it anew, and compare its size with the original's.",
    )
