"""Memory: what one call may take beyond what the session holds.

The limit is that of the operating system on what the process has written for itself, set for the
duration of the call. Within it the kernel does not end the server for want of memory; beyond it an
allocation fails, in Python as a `MemoryError`, in PostgreSQL as its own error 53200. The stack is
no part of it: a stack that cannot grow is no error but the end of the process, and with it of all
sessions. None is set where the system has no such limit or does not report what a process holds.

Libraries are another matter: some wait for ever, end the process or stay half loaded if they do not
get what they take. So there must be room for them before they are loaded, whatever limit holds.
"""

from __future__ import annotations

import mmap
import resource
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["BUDGET", "NoRoom", "bounded", "require_room"]

BUDGET = 4 * 2**30
"""Bytes that one call may take."""

_LEAST = 16 * 2**20
"""Bytes without which no call begins: errors, too, take memory."""

_HELD = "/proc/self/statm"


@contextmanager
def bounded() -> Iterator[None]:
    """Bound the memory that is taken inside; within another bound, or a lower one, keep that.

    Raises
    ------
    NoRoom
        If hardly any is left.
    """
    require_room(_LEAST, "A call")
    held = _held()
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if held is None or not _allows_more(soft, held + BUDGET):
        yield
        return
    allowed = held + BUDGET if _allows_more(hard, held + BUDGET) else hard
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


class NoRoom(MemoryError):
    """Memory that work takes may not be had, so it does not begin."""


def require_room(size: int, purpose: str) -> None:
    """Raise `NoRoom` unless so many bytes can be had at once; none of them is kept.

    Parameters
    ----------
    size : int
        The bytes.
    purpose : str
        Purpose of the memory, as a subject.
    """
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        raise NoRoom(f"{purpose} wants {size // 2**20} MB to be free, which are not.") from None


def _allows_more(limit: int, size: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit > size


def _held() -> int | None:
    """Data of the process, its stack included, in bytes, if the system reports it."""
    try:
        with open(_HELD) as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        return None
