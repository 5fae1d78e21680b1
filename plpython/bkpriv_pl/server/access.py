"""Access: what a function that SQL calls reads, and so for whom it runs.

Whoever names a relation trusts it, as with SELECT: to read it runs what code its owner has put
there, with the reader's rights. So a relation that a dataset or a policy names is read for its
owner and members of that role alone; for superusers and auditors, only if the owner is one, too.
Everybody else asks about releases, which history answers. The function of SQL is
``bkpriv_internal.reads_for``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

__all__ = ["Access", "depth", "now", "within"]


class Access(Enum):
    """Relations that a function reads; the table of docs/explanation/security.md states them."""

    SOURCE = "the source of a dataset, and what the caller names"
    NAMED = "what the caller names"
    RELEASES = "releases"
    MANAGE = "nothing; changes a dataset or a release"
    NOTHING = "nothing"


_calls: list[Access] = []
"""Calls that are being answered, each within another."""


@contextmanager
def within(access: Access) -> Iterator[None]:
    """Answer a call of a function with such access."""
    _calls.append(access)
    try:
        yield
    finally:
        _calls.pop()


def now() -> Access:
    """Access of the innermost call."""
    return _calls[-1]


def depth() -> int:
    """Number of calls that are being answered."""
    return len(_calls)
