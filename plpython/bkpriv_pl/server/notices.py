"""Telling: notices and warnings on their way to the client, and those of a publication for later.

If a scheduler publishes, nobody is there to read them. So the notices of a publication are kept as
well, in their order, and recorded with the release. Notices of a call within it, such as that of a
function that the source reads, are not among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import plpy

from bkpriv_pl.server.memory import lifted

__all__ = ["Notice", "apart", "keep_warning", "kept", "notice", "warning"]


@dataclass(frozen=True)
class Notice:
    """A notice or warning; see `plpy.notice`."""

    severity: str
    message: str
    detail: str | None
    hint: str | None


_KEPT: ContextVar[list[Notice] | None] = ContextVar("kept", default=None)


def notice(message: str, *, detail: str | None = None, hint: str | None = None) -> None:
    """Tell the client something that may be as it is meant to be."""
    _keep(Notice("NOTICE", message, detail, hint))
    with lifted():
        plpy.notice(message, **_given(detail=detail, hint=hint))


def warning(message: str, *, detail: str | None = None, hint: str | None = None) -> None:
    """Tell the client something that is hardly as it is meant to be."""
    _keep(Notice("WARNING", message, detail, hint))
    with lifted():
        plpy.warning(message, **_given(detail=detail, hint=hint))


def keep_warning(message: str, *, detail: str | None = None, hint: str | None = None) -> None:
    """Keep a warning of which the client is told more than is kept."""
    _keep(Notice("WARNING", message, detail, hint))


@contextmanager
def kept() -> Iterator[list[Notice]]:
    """Keep what is told inside, in its order."""
    with _keeping([]) as told:
        assert told is not None
        yield told


@contextmanager
def apart() -> Iterator[None]:
    """Keep nothing of what is told inside."""
    with _keeping(None):
        yield


@contextmanager
def _keeping(told: list[Notice] | None) -> Iterator[list[Notice] | None]:
    token = _KEPT.set(told)
    try:
        yield told
    finally:
        _KEPT.reset(token)


def _keep(told: Notice) -> None:
    if (keeping := _KEPT.get()) is not None:
        keeping.append(told)


def _given(**texts: str | None) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text is not None}
