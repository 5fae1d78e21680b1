r"""Fitting: independent values that meet all constraints on average.

For one group the Omega-estimate scales the expected number of each value to that of the group,
``n_i P(i | j) / sum_j' P(i | j')``, and each record's belief to sum to 1. For several groups the
same is done for all, over and over: then expectations meet all constraints, and the beliefs are the
least departure from the priors by relative entropy that does so. They neglect that values depend on
each other, so they are an *estimate*, neither an upper nor a lower bound.

Each scaling multiplies priors by one number for each value of each group, so that all ways to give
people values that agree with the constraints keep their shares.

Rules: all groups are scaled at once, by the root of what is missing that is as great as the largest
number of groups that somebody is in (generalized iterative scaling), which never overshoots.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.composition.problem import Problem
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray

__all__ = ["fitted"]

_STEPS = 300
"""Scalings of all groups after which they are left."""

_MET = 1e-3
"""Largest share of a record by which an expectation may miss a count."""


def fitted(problem: Problem, progress: Progress = SILENT, met: float = _MET) -> FloatArray:
    """Beliefs that meet the constraints on average, for each adversary.

    Args:
        problem: The people and constraints; they may hang together or not.
        met: Largest number of records by which an expectation may miss a count.

    Returns:
        Shape (a, k, m). Rows sum to 1, or to 0 where all that is possible has prior 0; 0 only where
        the prior is, or what is not possible.
    """
    groups, weights = problem.groups, problem.weights[problem.groups.members]
    held = problem.histograms
    degree = int(np.bincount(groups.members).max(initial=1))
    beliefs = np.empty_like(problem.priors)
    for belief, prior in zip(beliefs, problem.priors, strict=True):
        belief[:] = _normalized(np.where(problem.possible, prior, 0.0))
        for _ in range(_STEPS):
            progress.poll()
            expected = groups.sum(weights[:, None] * belief[groups.members])
            missing = np.divide(held, expected, out=np.ones(held.shape), where=expected > 0)
            if np.abs(held - expected).max() <= met:
                break
            # What nobody may have more of is left to the bounds.
            root = np.where(held > 0, missing, 1.0) ** (1.0 / degree)
            scale = np.ones(belief.shape)
            np.multiply.at(scale, groups.members, root[groups.owner])
            belief[:] = _normalized(belief * scale)
    return beliefs


def _normalized(rows: FloatArray) -> FloatArray:
    sums = rows.sum(axis=1, keepdims=True)
    normalized: FloatArray = np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)
    return normalized
