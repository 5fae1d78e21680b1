"""Encoding of a text file.

A byte order mark tells it. Without one a file is UTF-8 if all of it reads as such, from beginning
to end, which chance would not bring about; and UTF-16 if every other byte of its beginning is
mostly zero. Anything else is guessed from what is not ASCII, and may be wrong: whether letters of
Western or of Central Europe are meant, a few words do not tell. So a guess is said, with an
example.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO

from bkpriv_client.failure import ClientError

__all__ = ["Encoding", "find_encoding", "named_encoding"]

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks; those of UTF-32 before those of UTF-16, with which they begin."""

_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257",
    "shift_jis", "gb18030", "big5", "euc_kr",
]  # fmt: skip
"""Encodings that are guessed, the most usual first."""

_CHUNK = 1 << 20
_WORDS = re.compile(rb"[A-Za-z\x80-\xff ]+")
_WANTED = 1 << 14
"""Bytes of words that are enough to guess from."""


@dataclass(frozen=True)
class Encoding:
    """Encoding of a file.

    Parameters
    ----------
    name : str
        Name in Python.
    example : str
        Words as it reads them, if it is a guess.
    """

    name: str
    example: str = ""


def named_encoding(name: str) -> str:
    """Return the name of an encoding that a person stated.

    Raises
    ------
    ClientError
        If there is none.
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


def find_encoding(opened: Callable[[], AbstractContextManager[IO[bytes]]]) -> Encoding:
    """Find the encoding of a file, which is read to its end.

    Parameters
    ----------
    opened : callable
        Opens the file anew.
    """
    with opened() as stream:
        beginning = stream.read(4096)
    marked = next((name for mark, name in _MARKS.items() if beginning.startswith(mark)), None)
    if name := marked or _wide(beginning):
        return Encoding(name)
    with opened() as stream:
        if _is_utf8(_chunks(stream)):
            return Encoding("utf-8")
    with opened() as stream:
        return _guess(_words(_chunks(stream)))


def _is_utf8(chunks: Iterable[bytes]) -> bool:
    """Whether all of a file reads as UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in chunks:
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _words(chunks: Iterable[bytes]) -> bytes:
    """Words of a file that are not ASCII; signs by themselves, as of money, only without words."""
    words, signs = b"", b""
    for chunk in chunks:
        if not chunk.isascii():
            # That a pattern told ASCII apart would take time by the square of a word's length.
            found = [word.strip() for word in _WORDS.findall(chunk) if not word.isascii()]
            words += b"".join(word + b" " for word in found if len(word) > 1)
            signs = signs or b" ".join(dict.fromkeys(found))
            if len(words) >= _WANTED:
                break
    return (words or signs)[:_WANTED].strip()


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _wide(beginning: bytes) -> str | None:
    """Kind of UTF-16 in which a text without a mark begins, if it does."""
    even, odd = beginning[::2], beginning[1::2]
    for name, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if len(high) > 1 and high.count(0) * 2 > len(high) and low.count(0) * 10 < len(low):
            return name
    return None


def _guess(words: bytes) -> Encoding:
    """Guess an encoding from words that are not ASCII; of signs alone, the most usual one."""
    if max(map(len, words.split()), default=0) == 1:
        return Encoding(_CANDIDATES[0], words[:40].decode(_CANDIDATES[0], errors="replace"))
    from charset_normalizer import from_bytes  # it takes a while to load

    best, name = 0.0, _CANDIDATES[0]
    for match in from_bytes(words, cp_isolation=_CANDIDATES):
        alike = {match.encoding, *match.could_be_from_charset}
        # A language that is recognised, less what is odd of the text; the more usual one on a tie.
        score = match.coherence - match.chaos
        first = min(alike, key=_place)
        if score > best or (score == best and _place(first) < _place(name)):
            best, name = score, first
    example = words[:40].decode(name, errors="replace").strip()
    return Encoding(name, example)


def _place(name: str) -> int:
    return _CANDIDATES.index(name) if name in _CANDIDATES else len(_CANDIDATES)
