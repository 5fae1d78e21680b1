"""Waiting for what another session does, without guessing how long it takes.

How promptly a session stops is told by what it still works, in seconds of its processor: other work
on the machine does not count.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one

__all__ = [
    "timed_out",
    "until",
    "until_blocked",
    "until_settled",
    "worked",
    "works_at_most",
]

_PROMPT = 2.0
"""Seconds of a processor within which a session that is told to stop must have stopped."""

_TICKS = os.sysconf("SC_CLK_TCK")


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds. If it never does, the limit of every test ends this one."""
    while not condition():
        time.sleep(0.01)


def until_blocked(connection: Connection, backend: int) -> None:
    """Wait until a backend waits for a lock."""
    until(lambda: one(connection, "SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend]))


def until_settled(connection: Connection) -> None:
    """Wait until all transactions of the cluster that have begun to write by now have ended."""
    now = one(connection, "SELECT pg_current_xact_id()::text::int8")
    oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8"
    until(lambda: one(connection, oldest) > now)


def worked(backend: int) -> float:
    """Seconds of a processor that a backend of this machine has used."""
    after_name = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) / _TICKS


@contextmanager
def works_at_most(backend: int, seconds: float = _PROMPT) -> Iterator[None]:
    """Fail if a backend works for longer than that."""
    before = worked(backend)
    yield
    assert worked(backend) - before < seconds


@contextmanager
def timed_out(connection: Connection, seconds: float) -> Iterator[None]:
    """Expect a statement to be stopped by a timeout, and to stop promptly."""
    connection.execute(f"SET statement_timeout = {int(1000 * seconds)}".encode())
    with (
        works_at_most(connection.info.backend_pid, seconds + _PROMPT),
        pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"),
    ):
        yield
    connection.execute("RESET statement_timeout")
