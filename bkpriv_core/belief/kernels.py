"""Kernels that turn distances into weights.

The Epanechnikov kernel is ``(3 / 4B) (1 - (x / B)^2)`` for ``|x / B| < 1``, else 0. In a
Nadaraya-Watson average the constant cancels, so it is left out here: weights are 1 at distance 0.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from bkpriv_core.schema import ErrorText, Range, read
from bkpriv_core.table.groups import FloatArray

__all__ = ["Width", "check_bandwidth", "epanechnikov"]

Width = Annotated[
    float,
    Range(above=0),
    ErrorText(
        "A bandwidth is the distance at which a record stops to count.",
        "Distances lie in [0, 1]: a bandwidth such as 0.3 is usual, above 1 reaches all.",
    ),
]
"""A bandwidth, as stated."""


def check_bandwidth(bandwidth: object, name: str) -> float:
    """Return a bandwidth, which is a positive finite number.

    Raises:
        InvalidParameter: If it is not.
    """
    width: float = read(Width, bandwidth, name)
    return width


def epanechnikov(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Weigh `distances` by the Epanechnikov kernel, scaled to 1 at distance 0."""
    # 1 - (x / B)^2 with s = 1 - x / B, which neither overflows nor cancels near the edge.
    left = np.maximum(0.0, bandwidth - distances) / bandwidth
    weights: FloatArray = left * (2.0 - left)
    return weights
