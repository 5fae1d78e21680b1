"""Estimates by readers of a release: counts by any of its attributes.

From what was drawn counts are estimated without bias, as `query_accuracy` and `rewrite_query` do,
or with maximum likelihood; both are what `reconstruct` says. From groups there is one estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from bkpriv_core.query.grouping import GroupingSet
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.release.randomized.reconstruction import reconstruct
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["LIKELIEST", "UNBIASED", "Reading", "readings"]

UNBIASED = "unbiased"
LIKELIEST = "maximum likelihood"

Reading = Callable[[GroupingSet], FloatArray]
"""Estimated counts by some attributes, an array of the sizes of their domains."""


def readings(release: Release) -> dict[str, Reading]:
    """Return what readers estimate, by estimate; that from groups is called ""."""
    if release.form.channels is None:
        return {"": partial(_from_groups, release)}
    return {
        LIKELIEST: partial(_from_draws, release, "maximum_likelihood"),
        UNBIASED: partial(_from_draws, release, "unbiased"),
    }


def _from_groups(release: Release, keys: GroupingSet) -> FloatArray:
    return _laid_out(release, keys, *release.estimated.by_key(EVERYTHING, keys))


def _from_draws(release: Release, estimator: str, keys: GroupingSet) -> FloatArray:
    found = reconstruct(release, keys, estimator)
    return _laid_out(release, keys, found.codes, found.counts)


def _laid_out(
    release: Release, keys: GroupingSet, codes: IntArray, found: FloatArray
) -> FloatArray:
    if not keys:
        return found.reshape(())
    counts = np.zeros([release.domains[key].size for key in keys])
    counts[tuple(codes.T)] = found
    return counts
