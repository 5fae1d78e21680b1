"""Utility of releases."""

from __future__ import annotations

from bkpriv_core import utility as core
from bkpriv_core.query.divergence import divergences
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import find_release
from bkpriv_pl.query import Asked

__all__ = ["utility"]


@entry
def utility(release: int | None) -> list[tuple[str, float]]:
    """See ``bkpriv.utility``."""
    found = find_release(release)
    figures = core.utility(found.parts, found.groups, generalized=found.method.generalizes)
    published = int(found.parts.sizes(found.groups).sum())
    figures |= divergences(*Asked(found).joints(), published)
    return list(figures.items())
