"""Utility of releases."""

from __future__ import annotations

from bkpriv_core.method import GroupMethod
from bkpriv_core.method.baseline import k_anonymous
from bkpriv_core.utility.divergence import divergences
from bkpriv_core.utility.measures import baseline_utility
from bkpriv_core.utility.measures import utility as measured
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import find_options, find_release, find_requirements
from bkpriv_pl.progress import POLLED

__all__ = ["utility"]


@entry
def utility(release: int | None) -> list[tuple[str, float | None]]:
    """See ``bkpriv.utility``."""
    recorded = find_release(release)
    figures = measured(recorded)
    if isinstance(method := recorded.method, GroupMethod):
        requirements = find_requirements(recorded.release).requirements
        options = find_options(recorded.release, method)
        baseline = k_anonymous(recorded, requirements, method, options, POLLED)
        figures |= baseline_utility(baseline)
    return list((figures | divergences(recorded, POLLED)).items())
