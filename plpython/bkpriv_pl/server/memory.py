"""Memory: what one call may take beyond what the session holds.

The limit is that of the operating system on what the process has written for itself, set for the
duration of the call. Within it the kernel does not end the server for want of memory; beyond it an
allocation fails, in Python as a `MemoryError`, in PostgreSQL as its own error 53200. The stack is
no part of it: a stack that cannot grow is no error but the end of the process, and with it of all
sessions. None is set where the system has no such limit or does not report what a process holds.

The limit is lifted while PostgreSQL works for PL/Python, which does not look whether a value of a
row could be made, and ends the process with one that could not. A call inside of that, of a
function that a view has, keeps to the limit of the call around it. What a statement sends is
bounded by its size instead, which the same statement reports: see `room`.

Libraries are another matter: some wait for ever, end the process or stay half loaded if they do not
get what they take. So there must be room for them before they are loaded, whatever limit holds.
"""

from __future__ import annotations

import codecs
import ctypes
import mmap
import resource
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["BUDGET", "NoRoom", "bounded", "lifted", "require_room", "room"]

BUDGET = 4 * 2**30
"""Bytes that one call may take."""

_LEAST = 16 * 2**20
"""Bytes without which no call begins: errors, too, take memory."""

_HELD = "/proc/self/statm"

_PLACE = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")
"""Place that PostgreSQL jumps to with an error."""


_within: int | None = None
"""Limit of the call under way, in bytes; None outside of calls, or where none is set."""


@contextmanager
def bounded() -> Iterator[None]:
    """Bound the memory that is taken inside; within another bound, or a lower one, keep that.

    Raises:
        NoRoom: If hardly any is left.
    """
    global _within
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    before = _within
    held = _held()
    limits = [soft, hard, *(() if before is None else (before,))]
    if held is not None:
        limits.append(held + BUDGET)
    allowed = min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)
    if allowed is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    _within = allowed
    try:
        require_room(_LEAST, "A call")
        yield
    finally:
        _within = before
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@contextmanager
def lifted() -> Iterator[None]:
    """Lift the limit that a call set, or a lower one of the session, while PostgreSQL works.

    PL/Python leaves Python's frames by a jump if it cannot begin a subtransaction or word an error,
    and Python then ends the server. Bytes that are no UTF-8, of which some errors quote one, are
    replaced. Without a place to jump to PostgreSQL ends the session instead.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    strict, place = codecs.lookup_error("strict"), _PLACE.value
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    codecs.register_error("strict", codecs.replace_errors)
    _PLACE.value = None
    try:
        yield
    finally:
        _PLACE.value = place
        codecs.register_error("strict", strict)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def room() -> int:
    """Bytes that the call under way may still take."""
    held = _held()
    if held is None or _within is None:
        return BUDGET
    return max(_within - held, 0)


class NoRoom(MemoryError):
    """Memory that work takes may not be had, so it does not begin."""


def require_room(size: int, purpose: str) -> None:
    """Raise `NoRoom` unless so many bytes can be had at once; none of them is kept."""
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        raise NoRoom(f"{purpose} wants {size // 2**20} MB to be free, which are not.") from None


def _held() -> int | None:
    """Data of the process, its stack included, in bytes, if the system reports it."""
    try:
        with open(_HELD) as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        return None
