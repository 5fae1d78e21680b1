"""Utility of releases."""

from __future__ import annotations

from bkpriv_core.utility import measures
from bkpriv_core.utility.divergence import divergences
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import find_release
from bkpriv_pl.progress import POLLED

__all__ = ["utility"]


@entry
def utility(release: int | None) -> list[tuple[str, float]]:
    """See ``bkpriv.utility``."""
    recorded = find_release(release)
    return list((measures.utility(recorded) | divergences(recorded, POLLED)).items())
