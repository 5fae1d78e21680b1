"""Problems: kinds of people under constraints that hang together.

Persons under the same constraints whom every adversary believes the same of are one *kind*: what is
inferred of one of them is inferred of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["Problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Kinds of people under constraints.

    Parameters
    ----------
    groups : Groups
        Kinds under each constraint; every kind is under one.
    histograms : (c, m) int array
        People under each constraint with each value.
    weights : (k,) int array
        People of each kind, at least 1.
    possible : (k, m) bool array
        Values that they may have, at least one for each.
    priors : (a, k, m) float array
        Belief of each adversary about them.
    """

    groups: Groups
    histograms: IntArray
    weights: IntArray
    possible: npt.NDArray[np.bool_]
    priors: FloatArray
