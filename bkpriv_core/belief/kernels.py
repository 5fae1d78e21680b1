"""Kernels that turn distances into weights.

The Epanechnikov kernel is ``(3 / 4B) (1 - (x / B)^2)`` for ``|x / B| < 1``, else 0. In a
Nadaraya-Watson average the constant cancels, so it is left out here: weights are 1 at distance 0.
"""

from __future__ import annotations

import sys

import numpy as np

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.table.groups import FloatArray

__all__ = ["as_number", "check_bandwidth", "epanechnikov"]


def as_number(value: object) -> float | None:
    """Return `value` as a float if it is a finite number that one can hold, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= sys.float_info.max else None


def check_bandwidth(bandwidth: object, name: str) -> float:
    """Return `bandwidth` if it is a positive finite number.

    Raises
    ------
    InvalidParameter
        If it is not.
    """
    number = as_number(bandwidth)
    if number is None or number <= 0:
        raise InvalidParameter(
            f"{name} is {as_json(bandwidth)}, which is not a positive number",
            detail="A bandwidth is the distance at which a record stops to count.",
            hint="Distances lie in [0, 1]: a bandwidth such as 0.3 is usual, above 1 reaches all.",
        )
    return number


def epanechnikov(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Weigh `distances` by the Epanechnikov kernel, scaled to 1 at distance 0."""
    # 1 - (x / B)^2 with s = 1 - x / B, which neither overflows nor cancels near the edge.
    left = np.maximum(0.0, bandwidth - distances) / bandwidth
    weights: FloatArray = left * (2.0 - left)
    return weights
