"""Atoms, and checks of the buckets they are about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import InvalidParameter, as_shape
from bkpriv_core.table.groups import IntArray

__all__ = ["Atom", "check_histograms", "check_pieces"]


@dataclass(frozen=True, order=True)
class Atom:
    """A person of a bucket has a value."""

    bucket: int
    person: int
    """Number of the person in the bucket, from 0; nothing but identity tells persons apart."""
    value: int


def check_pieces(k: object) -> int:
    """Return `k` if it is a whole number of at least 0.

    Raises:
        InvalidParameter: If it is not.
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise InvalidParameter(
            f"k is {k!r}, which is not a number of pieces of knowledge",
            detail="An adversary knows 0, 1, 2, ... implications or negations.",
            hint="Write k as a whole number of at least 0.",
        )
    return int(k)


def check_histograms(histograms: npt.NDArray[np.integer]) -> IntArray:
    """Return `histograms` as integers if they are those of at least one bucket.

    Args:
        histograms: Shape (b, m). Persons of each bucket with each value.

    Raises:
        InvalidParameter: If there is no bucket, a count is negative, or a bucket is empty.
    """
    if histograms.ndim != 2 or not histograms.size:
        raise InvalidParameter(
            "there are no buckets to judge",
            detail=f"The histograms have shape {as_shape(histograms.shape)}.",
            hint="Give one row for each bucket and one column for each sensitive value.",
        )
    wrong = (histograms < 0).any(axis=1) | ~histograms.any(axis=1)
    if wrong.any():
        bucket = int(wrong.argmax())
        raise InvalidParameter(
            f"row {bucket + 1} of the histograms is no bucket",
            detail=f"It is {histograms[bucket].tolist()}.",
            hint="Counts must not be negative, and every bucket must hold somebody.",
        )
    return histograms.astype(np.int64, copy=False)
