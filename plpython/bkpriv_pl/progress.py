"""Cancellation and progress of long work.

PostgreSQL interrupts SQL, not Python. A trivial statement sent now and then lets a pending
cancellation or timeout through, as an exception that nothing here catches. Progress shows to
others in ``pg_stat_activity.application_name``; it is set for the transaction only, so that an
error puts the session's own name back.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import plpy

from bkpriv_pl.boundary import run

__all__ = ["Progress", "poll"]

_POLL_SECONDS = 0.05
_SHOW_SECONDS = 0.2

_last_poll = 0.0


def poll() -> None:
    """Let a pending cancellation through; cheap enough to call anywhere."""
    global _last_poll
    now = time.monotonic()
    if now - _last_poll > _POLL_SECONDS:
        _last_poll = now
        plpy.execute("SELECT 1")


class Progress:
    """Progress of one call, shown as the session's application name.

    Parameters
    ----------
    title : str
        What is being done, such as "bkpriv publish".
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = 0.0
        row = run("SELECT pg_catalog.current_setting('application_name') AS name")[0]
        self._own_name = row["name"]

    def step(self, name: str) -> Callable[[float], None]:
        """Begin a step; returns a function to tell its share done, from 0 to 1."""
        self._show(f"{self._title}: {name}")

        def tell(share: float) -> None:
            poll()
            now = time.monotonic()
            if now - self._shown > _SHOW_SECONDS:
                self._shown = now
                self._show(f"{self._title}: {name} {share:.0%}")

        return tell

    def done(self) -> None:
        """Put the session's own name back."""
        self._show(self._own_name)

    @staticmethod
    def _show(text: str) -> None:
        run("SELECT pg_catalog.set_config('application_name', $1, true)", ["text"], [text])
