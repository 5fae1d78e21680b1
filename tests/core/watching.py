"""Progress that is looked at: what long work reports, and how it is cancelled."""

from __future__ import annotations

from collections.abc import Callable

from bkpriv_core.progress import Progress

__all__ = ["Watched"]


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
