"""Files as UTF-8 text that DuckDB reads.

UTF-8 text that is not packed is read where it lies, by a link: of a name with an asterisk DuckDB
would read several files, of one with an equals sign a column. Anything else is first written to a
temporary file: what gzip, bzip2 or zstd packed, text in other encodings, the standard input, and
files whose last lines are left out. DuckDB can unpack and decode too, but reads a truncated file
without error.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import re
import shutil
import sys
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Literal, cast

from bkpriv_client.failure import ClientError
from bkpriv_client.foreign_file import check_is_read

__all__ = ["Opened", "named_encoding", "open_text", "undecodable"]

_PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of packed files."""

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks; those of UTF-32 before those of UTF-16, with which they begin."""

_OBJECT = re.compile(r'\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}\s*\Z)')
"""Beginning of JSON: an object with a key, or a list of such."""

_LIKELY = ("cp1252", "cp1250", "cp1251", "cp1253", "shift_jis")
"""Encodings that an error proposes, each with the line as it reads it."""


@dataclass(frozen=True)
class Opened:
    """A file and the text that is read of it."""

    title: str
    text: Path
    packing: str | None
    encoding: str
    kind: Literal["csv", "json", "parquet"] = "csv"
    """"csv", "json" or "parquet"."""

    def lines(self) -> int:
        """Count the lines of the text."""
        count, last = 0, b"\n"
        with self.text.open("rb") as stream:
            while block := stream.read(1 << 20):
                count, last = count + block.count(b"\n"), block[-1:]
        return count + (last != b"\n")

    def line(self, number: int) -> bytes:
        """Return a line of the text."""
        with self.text.open("rb") as stream:
            return next(islice(stream, number - 1, None), b"").rstrip(b"\r\n")


def named_encoding(name: str) -> str:
    """Return the name of an encoding that a person stated.

    Raises:
        ClientError: If there is none.
    """
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError, UnicodeError):
        raise ClientError(
            f"there is no encoding {name!r}",
            hint="Usual ones are utf-8, utf-16, cp1252 (Windows, Western Europe), latin-1, cp1250, "
            "shift_jis.",
        ) from None


def open_text(path: Path, directory: Path, encoding: str | None, below: int) -> Opened:
    """Make a file ready for reading.

    Args:
        path: The file; ``-`` is the standard input.
        encoding: Encoding of the file; by default that of its byte order mark, or UTF-8.
        below: Number of lines to leave out at the end.

    Raises:
        ClientError: If the file cannot be read, unpacked or decoded, or is another program's.
    """
    title = str(path)
    if title == "-":
        path, title = directory / "input", "standard input"
        with path.open("wb") as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
    text = directory / "text"
    with _reading(title):
        with path.open("rb") as packed:
            first = packed.read(4)
        kind = next((kind for mark, kind in _PACKINGS.items() if first.startswith(mark)), None)
        with _unpacked(path, kind) as stream:
            beginning = stream.read(4096)
        if beginning.startswith(b"PAR1"):
            text.symlink_to(path.resolve())
            return Opened(title, text, None, "", "parquet")
        marked = next((name for mark, name in _MARKS.items() if beginning.startswith(mark)), "")
        form = _form(beginning, marked, title)
        found = encoding or marked or _without_mark(beginning, title)
        if kind is None and not below and found in ("utf-8", "utf-8-sig"):
            text.symlink_to(path.resolve())
        else:
            with _unpacked(path, kind) as stream:
                _write_text(stream, text, found, below)
        return Opened(title, text, kind, found, form)


def _form(beginning: bytes, marked: str, title: str) -> Literal["csv", "json"]:
    """Whether a file is JSON or CSV; others are refused."""
    begins = beginning.decode(marked or "latin-1", errors="ignore").removeprefix("\ufeff")
    check_is_read(begins, title)
    return "json" if _OBJECT.match(begins) else "csv"


def _without_mark(beginning: bytes, title: str) -> str:
    """Encoding of a text without a byte order mark: UTF-8."""
    if 4 * beginning.count(b"\0") > len(beginning):
        raise ClientError(
            f"{title} is not UTF-8 text",
            detail="Every other byte is NUL, as in UTF-16.",
            hint="Say --encoding utf-16-le, or utf-16-be.",
        )
    return "utf-8"


def undecodable(opened: Opened, number: int) -> ClientError:
    """Word that a line is not UTF-8, with what it may say."""
    line = opened.line(number)
    odd = next((place for place, byte in enumerate(line) if byte > 127), 0)
    some = line[max(odd - 10, 0) : odd + 20]
    says = [f"{some.decode(name, errors='replace')!r} as {name}" for name in _LIKELY]
    return ClientError(
        f"{opened.title}, line {number}: is not UTF-8 text",
        detail=f"It reads {', '.join(says)}.",
        hint="State the encoding by which it reads right, such as --encoding cp1252.",
    )


@contextmanager
def _reading(title: str) -> Iterator[None]:
    """Word what goes wrong when a file is read, unpacked and decoded."""
    try:
        yield
    except UnicodeError as error:
        raise ClientError(
            f"{title} cannot be read: {error}",
            hint="State the encoding that it has, such as --encoding cp1252.",
        ) from None
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.strerror is not None:
            raise ClientError(f"cannot read {title}: {error.strerror}") from None
        raise ClientError(
            f"{title} cannot be unpacked: {error}",
            detail="It is damaged, or ends too early.",
            hint="Fetch it again, and compare its size with the original's.",
        ) from None


def _unpacked(path: Path, packing: str | None) -> IO[bytes]:
    if packing == "gzip":
        return cast("IO[bytes]", gzip.open(path))
    if packing == "bzip2":
        return bz2.open(path)
    if packing == "zstd":
        import pyarrow  # it takes a while to load

        return cast("IO[bytes]", pyarrow.CompressedInputStream(str(path), "zstd"))
    return path.open("rb")


def _write_text(stream: IO[bytes], path: Path, encoding: str, below: int) -> None:
    """Write a text as UTF-8, without its last lines; blank lines do not count."""
    kept: deque[str] = deque()
    filled = 0
    with (
        io.TextIOWrapper(stream, encoding, newline="") as text,
        path.open("w", encoding="utf-8", newline="") as out,
    ):
        if not below:
            shutil.copyfileobj(text, out, 1 << 20)
        for line in text:
            kept.append(line)
            filled += bool(line.strip())
            while filled > below:
                filled -= bool(kept[0].strip())
                out.write(kept.popleft())
