"""Measures of groups: what they cost, see `bkpriv_core.table.cost`, and what is suppressed.

A release without groups has no such costs, and suppresses nothing.

The *suppressed share* is that of unpublished records among all. All are exact.

They say more beside those of the *baseline*, the same table published k-anonymously and no more
(`bkpriv_core.method.baseline`), which have the same names with ``_k_anonymous`` at the end.
"""

from __future__ import annotations

from bkpriv_core.release.release import Release
from bkpriv_core.table.cost import COSTS, costs

__all__ = ["baseline_utility", "utility"]


def utility(release: Release) -> dict[str, float | None]:
    """Utility measures of a release, by name; None where it has no groups to measure."""
    records = release.table.records
    if release.partition is None:
        return {**dict.fromkeys(COSTS), "suppressed_share": 0.0}
    penalty = float((release.sizes * release.form.penalties(release)).sum())
    return {
        **costs(release.sizes, records, penalty),
        "suppressed_share": (records - release.published) / records,
    }


def baseline_utility(baseline: Release) -> dict[str, float | None]:
    """Utility measures of a baseline, by name; no penalty where values are published exactly."""
    return {
        f"{metric}_k_anonymous": figure
        for metric, figure in utility(baseline).items()
        if not (metric == "gcp" and baseline.form.exact)
    }
