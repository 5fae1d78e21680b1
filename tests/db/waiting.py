"""Waiting for what another session does, without guessing how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.conftest import Connection
from tests.db.clinic import one

__all__ = ["until", "until_blocked", "until_settled"]

_SECONDS = 90.0


def until(condition: Callable[[], object], seconds: float = _SECONDS) -> None:
    """Wait until a condition holds; fail if it does not come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.01)


def until_blocked(connection: Connection, backend: int) -> None:
    """Wait until a backend waits for a lock."""
    until(lambda: one(connection, "SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend]))


def until_settled(connection: Connection) -> None:
    """Wait until all transactions of the cluster that have begun to write by now have ended."""
    now = one(connection, "SELECT pg_current_xact_id()::text::int8")
    oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8"
    until(lambda: one(connection, oldest) > now)
