"""Utility: what generalization costs the analyst.

- *Discernibility* DM (Bayardo, Agrawal 2005): the sum of squared group sizes, plus ``n`` for each
  suppressed record.
- *Average class size*: published records per group.
- *GCP*, the global certainty penalty (Xu et al. 2006): the mean, over published records, of the
  group's normalised certainty penalty averaged over attributes, in [0, 1]; 0 where the method
  publishes quasi-identifiers exactly.
- *Suppressed share*: unpublished records over all records.

All are exact.
"""

from __future__ import annotations

from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts

__all__ = ["utility"]


def utility(parts: Parts, groups: Groups, *, generalized: bool = True) -> dict[str, float]:
    """Utility measures of publishing `groups` of a table, by name.

    Parameters
    ----------
    parts : Parts
        The table's cells, or parts of them.
    groups : Groups
        Its published groups.
    generalized : bool
        Whether quasi-identifiers are published as the groups' extents, or else exactly.
    """
    table = parts.table
    sizes = parts.sizes(groups)
    published = int(sizes.sum())
    suppressed = table.records - published
    penalty = 0.0
    if generalized:
        low, high = parts.boxes(groups)
        penalty = float((sizes * table.penalty(low, high)).sum())
    return {
        "discernibility": float((sizes.astype(float) ** 2).sum() + suppressed * table.records),
        "average_class_size": published / len(groups) if len(groups) else float("nan"),
        "gcp": penalty / published if published else float("nan"),
        "suppressed_share": suppressed / table.records,
    }
