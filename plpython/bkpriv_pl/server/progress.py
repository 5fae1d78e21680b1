"""Cancellation and progress of long work.

PostgreSQL interrupts SQL, not Python. A trivial statement sent now and then lets a pending
cancellation or timeout through, as an exception that nothing here catches. Progress shows to
others in ``pg_stat_activity.application_name``; it is set for the transaction only, so that an
error puts the session's own name back.
"""

from __future__ import annotations

import time

from bkpriv_core.progress import Progress
from bkpriv_pl.server.boundary import run

__all__ = ["POLLED", "Task"]

_POLL_SECONDS = 0.05
_SHOW_SECONDS = 0.2

_last_poll = 0.0


class _Polled(Progress):
    """Progress of work that can be cancelled and is shown to nobody."""

    def poll(self) -> None:
        global _last_poll
        now = time.monotonic()
        if now - _last_poll > _POLL_SECONDS:
            _last_poll = now
            run("SELECT 1")


POLLED = _Polled()
"""Progress of work that can be cancelled and is shown to nobody."""


class _Step(_Polled):
    """Progress of one step of a task."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = 0.0

    def report(self, share: float) -> None:
        self.poll()
        now = time.monotonic()
        if now - self._shown > _SHOW_SECONDS:
            self._shown = now
            _show(f"{self._title} {share:.0%}")


class Task(_Polled):
    """Progress of one call, shown as the session's application name.

    Args:
        title: Name of the work, such as "bkpriv publish".
    """

    def __init__(self, title: str) -> None:
        self._title = title
        row = run("SELECT pg_catalog.current_setting('application_name') AS name")[0]
        self._own_name = row["name"]

    def step(self, name: str) -> Progress:
        """Begin a step."""
        title = f"{self._title}: {name}"
        _show(title)
        return _Step(title)

    def done(self) -> None:
        """Put the session's own name back."""
        _show(self._own_name)


def _show(text: str) -> None:
    run("SELECT pg_catalog.set_config('application_name', $1, true)", ["text"], [text])
