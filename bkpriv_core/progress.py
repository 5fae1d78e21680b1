"""Progress: long work says how far it is, and can be cancelled.

The caller of long work hands one object down. A parameter `progress` is polled between steps, where
a poll may raise to cancel, and may be told the share that is done. Work within work is handed a
part of the share, or none if it only polls.
"""

from __future__ import annotations

__all__ = ["SILENT", "Progress"]


class Progress:
    """Progress of work that nobody watches or cancels; base class of the others."""

    def poll(self) -> None:
        """Raise if the work is to be cancelled; cheap enough to be called anywhere."""

    def report(self, share: float) -> None:
        """Receive the share that is done, from 0 to 1; polls."""
        self.poll()

    def step(self, name: str) -> Progress:
        """Progress of the next step, which has a name; another object if names are shown.

        Everybody who is connected to the server sees the name. It says what work is done, and
        nothing of what the policy asks for or the release holds: that values are made up, for
        instance.
        """
        return self

    def part(self, start: float, stop: float) -> Progress:
        """Progress of work that is done from one share of this to another."""
        return _Part(self, start, stop)

    @property
    def quiet(self) -> Progress:
        """Progress of work that only polls."""
        return _Quiet(self)


class _Part(Progress):
    def __init__(self, whole: Progress, start: float, stop: float) -> None:
        self._whole, self._start, self._stop = whole, start, stop

    def poll(self) -> None:
        self._whole.poll()

    def report(self, share: float) -> None:
        self._whole.report(self._start + (self._stop - self._start) * share)


class _Quiet(Progress):
    def __init__(self, whole: Progress) -> None:
        self._whole = whole

    def poll(self) -> None:
        self._whole.poll()


SILENT = Progress()
"""Progress of work that nobody watches or cancels."""
