r"""Measures of what a release gives away to an adversary who remembers.

They are over its published records. With ``p`` the probability of a record's actual value after
the release, and ``q`` that value's share of the record's group (Riboni, Pareschi, Bettini 2012,
sections 7.2 and 7.4):

- *gain*: the mean of ``(p - q) / (1 - q)``, what knowledge adds to counting the values of a group;
  a record whose group has one value gains 0;
- *confidence*: the mean of ``p``;
- *worst*: the largest ``p``.

Gains below 0 are of adversaries who are led astray. All are NaN where nothing is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.sequence.history import SequenceRelease
from bkpriv_core.table.groups import FloatArray

__all__ = ["Measures", "gains", "measure"]


@dataclass(frozen=True)
class Measures:
    """Figures of a release."""

    records: int
    gain: float
    confidence: float
    worst: float


def gains(step: SequenceRelease, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gain about each membership's record, and probability of its actual value: (e,) each."""
    actual = step.actual[step.groups.members]
    believed = after[np.arange(len(actual)), actual]
    share = step.histograms / step.groups.widths[:, None]
    share = share[step.groups.owner, actual]
    told = share < 1.0
    gain = np.divide(believed - share, 1.0 - share, out=np.zeros_like(share), where=told)
    return gain, believed


def measure(step: SequenceRelease, after: FloatArray) -> Measures:
    """Figures of a step.

    Args:
        after: Shape (e, m). Beliefs about its memberships.
    """
    gain, believed = gains(step, after)
    if not len(gain):
        return Measures(0, np.nan, np.nan, np.nan)
    return Measures(len(gain), float(gain.mean()), float(believed.mean()), float(believed.max()))
