"""Measures of groups: what they cost, see `bkpriv_core.table.cost`, and what is suppressed.

A release without groups has no such costs, and suppresses nothing.

- The *suppressed share* is that of unpublished records among all.
- *RGCP* (Amiri et al. 2016) is the GCP of all records: what is unpublished counts with the penalty
  of the class that it widens least, widened to it; see `bkpriv_core.utility.widening`. So it is GCP
  where nothing is suppressed. Of forms that show quasi-identifiers as they are, whose published
  records have no penalty, the class of an unpublished record spans its records' values. Where
  nothing is published there is no class, and each record counts 1.

All are exact.

- The *loss of a column*, ``gcp(age)``, is the GCP of one quasi-identifier alone: GCP is the mean of
  those of all. It is 0 where quasi-identifiers are shown as they are, and none is had where records
  are drawn. A column is *lost* if its loss is above 0.95: hardly anything is left of it.

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

__all__ = ["LOST", "baseline_utility", "column_losses", "lost_columns", "utility"]

LOST = 0.95
"""Loss of a column above which hardly anything is left of it."""


def utility(release: Release, progress: Progress = SILENT) -> dict[str, float | None]:
    """Utility measures of a release, by name; None where it has no groups to measure.

    Args:
        progress: Polled while unpublished records are looked for in classes.
    """
    records = release.table.records
    if release.partition is None:
        return {**dict.fromkeys((*COSTS, "rgcp")), "suppressed_share": 0.0}
    columns = release.form.penalties(release)
    mean = columns.mean(axis=0) if len(columns) else np.zeros(len(release.groups))
    penalty = float((release.sizes * mean).sum())
    return {
        **costs(release.sizes, records, penalty),
        "rgcp": _recoverable(release, penalty, progress),
        "suppressed_share": (records - release.published) / records,
    }


def column_losses(release: Release) -> dict[str, float | None]:
    """Loss of each quasi-identifier, by its name; None where there is nothing to measure.

    Returns:
        Exact, in [0, 1]; None for all of a release without groups, or without published records.
    """
    names = [domain.name for domain in release.table.quasi_identifiers]
    if release.partition is None or not release.published:
        return dict.fromkeys(names)
    losses = release.form.penalties(release) @ release.sizes / release.published
    return dict(zip(names, losses.tolist(), strict=True))


def lost_columns(release: Release) -> dict[str, float]:
    """Columns of which hardly anything is left, see the module, with their losses."""
    losses = column_losses(release).items()
    return {name: loss for name, loss in losses if loss is not None and loss > LOST}


def _recoverable(release: Release, penalty: float, progress: Progress) -> float | None:
    """RGCP, where those that are published have such a penalty in sum.

    None where it is not known which records are not published.
    """
    if int(release.parts.weights.sum()) < release.table.records:
        return None
    return (penalty + _unpublished_penalty(release, progress)) / release.table.records


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
    low, high = form.sides(release)
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
