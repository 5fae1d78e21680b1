"""Progress that is looked at: what long work reports, and how it is cancelled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bkpriv_core.progress import Progress

__all__ = ["Cancelled", "Watched", "cancelling", "polls_of"]


class Watched(Progress):
    """Calls `poll` whenever the work polls, and `report` with the shares that it reports."""

    def __init__(
        self,
        poll: Callable[[], object] = lambda: None,
        report: Callable[[float], object] = lambda share: None,
    ) -> None:
        self._poll, self._report = poll, report

    def poll(self) -> None:
        """See `Progress`."""
        self._poll()

    def report(self, share: float) -> None:
        """See `Progress`."""
        self._report(share)


class Cancelled(BaseException):
    """Signal that somebody had enough."""


def cancelling(calls: int = 1) -> Watched:
    """Progress of work that is cancelled when it has polled so many times."""
    left = [calls]

    def poll() -> None:
        left[0] -= 1
        if not left[0]:
            raise Cancelled

    return Watched(poll)


def polls_of(work: Callable[[Progress], object]) -> int:
    """Count how often work polls; cancelled at the first, a middle or the last time it ends."""

    def polls_until(last: int | None) -> int:
        polled = 0

        def poll() -> None:
            nonlocal polled
            polled += 1
            if polled == last:
                raise Cancelled

        work(Watched(poll, lambda share: poll()))
        return polled

    every = polls_until(None)
    for last in (1, every // 2, every):
        with pytest.raises(Cancelled):
            polls_until(last)
    return every
