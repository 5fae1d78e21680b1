"""Utility of releases."""

from __future__ import annotations

import math
from collections import Counter

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GroupMethod
from bkpriv_core.method.baseline import k_anonymous
from bkpriv_core.utility.comparison import check_same_data, fidelity, largest_disclosure
from bkpriv_core.utility.divergence import divergences
from bkpriv_core.utility.measures import baseline_utility
from bkpriv_core.utility.measures import utility as measured
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import RecordedRelease, find_options, find_release, find_requirements
from bkpriv_pl.progress import POLLED

__all__ = ["compare_releases", "utility"]


_COMPARED = 100
"""Most releases that are compared."""


@entry
def utility(release: int | None) -> list[tuple[str, float | None]]:
    """See ``bkpriv.utility``."""
    return [(metric, _known(value)) for metric, value in _utility(find_release(release)).items()]


def _utility(recorded: RecordedRelease) -> dict[str, float | None]:
    figures = measured(recorded, POLLED)
    if isinstance(method := recorded.method, GroupMethod):
        requirements = find_requirements(recorded.release).requirements
        options = find_options(recorded.release, method)
        baseline = k_anonymous(recorded, requirements, method, options, POLLED)
        figures |= baseline_utility(baseline)
    return figures | divergences(recorded, POLLED)


@entry
def compare_releases(
    releases: list[int | None] | None,
) -> list[tuple[str, int, float | None]]:
    """See ``bkpriv.compare_releases``."""
    recorded = [find_release(release) for release in _listed(releases)]
    check_same_data(recorded)
    figures = {
        release.release: {
            **_utility(release),
            "max_disclosure": largest_disclosure(release, POLLED),
            **fidelity(release, POLLED),
        }
        for release in recorded
    }
    metrics = dict.fromkeys(metric for of_one in figures.values() for metric in of_one)
    return [
        (metric, release, _known(of_one.get(metric)))
        for metric in metrics
        for release, of_one in figures.items()
    ]


def _known(figure: float | None) -> float | None:
    """A figure, or None where there was nothing to measure."""
    return None if figure is None or math.isnan(figure) else figure


def _listed(releases: list[int | None] | None) -> list[int | None]:
    """Return a list of releases that may be compared."""
    if not releases:
        raise InvalidParameter(
            "there are no releases to compare",
            detail="The array is NULL or empty.",
            hint="Such as bkpriv.compare_releases(ARRAY[1, 2]); see the view bkpriv.releases.",
        )
    if any(isinstance(release, list) for release in releases):
        raise InvalidParameter(
            "the releases must be a list",
            detail="They are an array of several dimensions.",
            hint="Such as bkpriv.compare_releases(ARRAY[1, 2]).",
        )
    if len(releases) > _COMPARED:
        raise InvalidParameter(
            f"there are {len(releases)} releases to compare",
            detail=f"At most {_COMPARED} are.",
            hint="Compare some of them.",
        )
    for release, times in Counter(releases).items():
        if release is not None and times > 1:
            raise InvalidParameter(
                f"release {release} is listed more than once",
                detail=f"The releases are {releases}.",
                hint="List each release once.",
            )
    return releases
