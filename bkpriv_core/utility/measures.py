"""Measures of groups: what generalization and suppression cost the analyst.

- *Discernibility* DM (Bayardo, Agrawal 2005): the sum of squared group sizes, plus ``n`` for each
  suppressed record.
- *Average class size*: published records per group.
- *GCP*, the global certainty penalty (Xu et al. 2006): the mean, over published records, of the
  group's normalised certainty penalty averaged over attributes, in [0, 1]; 0 where
  quasi-identifiers are published exactly.
- *Suppressed share*: unpublished records over all records.

All are exact.
"""

from __future__ import annotations

from bkpriv_core.release.release import Release

__all__ = ["utility"]


def utility(release: Release) -> dict[str, float]:
    """Utility measures of a release, by name."""
    records, sizes, published = release.table.records, release.sizes, release.published
    suppressed = records - published
    penalty = float((sizes * release.form.penalties(release)).sum())
    return {
        "discernibility": float((sizes.astype(float) ** 2).sum() + suppressed * records),
        "average_class_size": published / len(sizes) if len(sizes) else float("nan"),
        "gcp": penalty / published if published else float("nan"),
        "suppressed_share": suppressed / records,
    }
