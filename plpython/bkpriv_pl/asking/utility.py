"""Utility of releases."""

from __future__ import annotations

import math

from bkpriv_core.release.release import Release
from bkpriv_core.utility.divergence import divergences
from bkpriv_core.utility.measures import baseline_utility, column_losses
from bkpriv_core.utility.measures import utility as measured
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.lookup import check_listed
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry
from bkpriv_pl.server.progress import POLLED

__all__ = ["compare_releases", "losses_of", "utility", "utility_of"]


@entry(Access.RELEASES)
def utility(release: int | None) -> list[tuple[str, float | None]]:
    """See ``bkpriv.utility``."""
    return list(utility_of(find_release(release)).items())


def utility_of(recorded: RecordedRelease) -> dict[str, float | None]:
    """Metrics of a release; None where there was nothing to measure."""
    figures = _losses(recorded)
    if recorded.partition is not None:
        # What makes releases is slow to import, and only wanted here.
        from bkpriv_core.method import GroupMethod
        from bkpriv_core.method.baseline import k_anonymous

        method, requirements = recorded.method, recorded.policy.requirements
        assert isinstance(method, GroupMethod)
        baseline = k_anonymous(recorded, requirements, method, recorded.options, progress=POLLED)
        figures |= baseline_utility(baseline)
    figures |= divergences(recorded, POLLED)
    return {metric: _known(value) for metric, value in figures.items()}


def losses_of(release: Release) -> dict[str, float | None]:
    """Metrics of a release, whoever made it, without a baseline; see `utility_of`."""
    figures = {**_losses(release), **divergences(release, POLLED)}
    return {metric: _known(value) for metric, value in figures.items()}


def _losses(release: Release) -> dict[str, float | None]:
    figures = measured(release, POLLED)
    return figures | {f"gcp({name})": loss for name, loss in column_losses(release).items()}


@entry(Access.RELEASES)
def compare_releases(
    releases: list[int | None] | None,
) -> list[tuple[str, int, float | None]]:
    """See ``bkpriv.compare_releases``."""
    # Slow to import, and only wanted here.
    from bkpriv_core.utility.comparison import check_same_data, fidelity, largest_disclosure
    from bkpriv_pl.tables.persons import tell_bounded

    listed = check_listed(releases, "compare", "compare_releases")
    recorded = [find_release(release) for release in listed]
    check_same_data(recorded)
    figures = {
        release.release: {
            **utility_of(release),
            "max_disclosure": largest_disclosure(release, POLLED),
            **fidelity(release, POLLED),
        }
        for release in recorded
    }
    for release in recorded:
        tell_bounded(release.release)
    metrics = dict.fromkeys(metric for of_one in figures.values() for metric in of_one)
    return [
        (metric, release, _known(of_one.get(metric)))
        for metric in metrics
        for release, of_one in figures.items()
    ]


def _known(figure: float | None) -> float | None:
    """A figure, or None where there was nothing to measure."""
    return None if figure is None or math.isnan(figure) else figure
