"""Progress that is looked at: what long work tells, and how it is cancelled."""

from __future__ import annotations

from collections.abc import Callable

from bkpriv_core.progress import Progress

__all__ = ["Watched"]


class Watched(Progress):
    """Calls `poll` whenever the work polls, and `tell` with the shares that it tells."""

    def __init__(
        self,
        poll: Callable[[], object] = lambda: None,
        tell: Callable[[float], object] = lambda share: None,
    ) -> None:
        self._poll, self._tell = poll, tell

    def poll(self) -> None:
        """See `Progress`."""
        self._poll()

    def tell(self, share: float) -> None:
        """See `Progress`."""
        self._tell(share)
