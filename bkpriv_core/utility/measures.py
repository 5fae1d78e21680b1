"""Measures of groups: what they cost, see `bkpriv_core.table.cost`, and what is suppressed.

A release without groups has no such costs, and suppresses nothing.

- The *suppressed share* is that of unpublished records among all.
- *RGCP* (Amiri et al. 2016) is the GCP of all records: what is unpublished counts with the penalty
  of the class that it widens least, widened to it; see `bkpriv_core.utility.widening`. So it is GCP
  where nothing is suppressed. Of forms that show quasi-identifiers as they are, whose published
  records have no penalty, the class of an unpublished record spans its records' values. Where
  nothing is published there is no class, and each record counts 1.

All are exact.

They say more beside those of the *baseline*, the same table published k-anonymously and no more
(`bkpriv_core.method.baseline`), which have the same names with ``_k_anonymous`` at the end.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.release import Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.cost import COSTS, costs
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.utility.widening import widened_penalties

__all__ = ["baseline_utility", "utility"]


def utility(release: Release, progress: Progress = SILENT) -> dict[str, float | None]:
    """Utility measures of a release, by name; None where it has no groups to measure.

    Parameters
    ----------
    release : Release
        The release.
    progress : Progress
        Polled while unpublished records are looked for in classes.
    """
    records = release.table.records
    if release.partition is None:
        return {**dict.fromkeys((*COSTS, "rgcp")), "suppressed_share": 0.0}
    penalty = float((release.sizes * release.form.penalties(release)).sum())
    return {
        **costs(release.sizes, records, penalty),
        "rgcp": (penalty + _unpublished_penalty(release, progress)) / records,
        "suppressed_share": (records - release.published) / records,
    }


def _unpublished_penalty(release: Release, progress: Progress) -> float:
    """Penalty of all unpublished records, each in the class nearest to it, in sum."""
    parts, form = release.parts, release.form
    suppressed = np.flatnonzero(release.labels == SUPPRESSED)
    weights = parts.weights[suppressed]
    if not len(release.groups):
        return float(weights.sum())
    # Parts of one cell are at one place, and groups may look alike.
    cells, kind, _ = distinct_rows(parts.cell[suppressed, None])
    records = form.boxes(parts, Groups.from_rows(suppressed[cells]))
    low, high = form.boxes(parts, release.groups)
    classes, _, _ = distinct_rows(np.hstack((low, high)))
    penalties = widened_penalties(release.table, (low[classes], high[classes]), records, progress)
    return float((weights * penalties[kind]).sum())


def baseline_utility(baseline: Release) -> dict[str, float | None]:
    """Utility measures of a baseline, by name; no penalty where values are published exactly."""
    return {
        f"{metric}_k_anonymous": figure
        for metric, figure in utility(baseline).items()
        if not (metric in ("gcp", "rgcp") and baseline.form.exact)
    }
