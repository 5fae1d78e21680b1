"""Utility of releases."""

from __future__ import annotations

from bkpriv_core import utility as core
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import find_release

__all__ = ["utility"]


@entry
def utility(release: int | None) -> list[tuple[str, float]]:
    """See ``bkpriv.utility``."""
    found = find_release(release)
    return list(core.utility(found.table, found.groups).items())
