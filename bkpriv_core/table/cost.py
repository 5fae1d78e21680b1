"""Cost: what publishing groups costs the analyst, whatever the method; the less the better.

- *Discernibility* DM (Bayardo, Agrawal 2005): the sum of squared group sizes, plus ``n`` for each
  suppressed record.
- *Average class size*: published records per group.
- *GCP*, the global certainty penalty (Xu et al. 2006): the mean, over published records, of the
  normalised certainty penalty of what is published in place of their values, averaged over
  attributes, in [0, 1].

All are exact. The last two are NaN where nothing is published.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.table.groups import IntArray

__all__ = ["COSTS", "costs"]

COSTS = ("discernibility", "average_class_size", "gcp")
"""Names of the costs."""


def costs(sizes: IntArray, records: int, penalty: float) -> dict[str, float]:
    """Costs of publishing groups, by name.

    Args:
        sizes: Shape (g,). Records of each group.
        penalty: The normalised certainty penalty of all published records, averaged over
            attributes, in sum.
    """
    published = int(sizes.sum())
    squares = float((sizes.astype(np.float64) ** 2).sum())
    return {
        "discernibility": squares + (records - published) * records,
        "average_class_size": published / len(sizes) if published else float("nan"),
        "gcp": penalty / published if published else float("nan"),
    }
