"""The joint distribution that a randomized release leaves to its reader.

It is that of maximum likelihood, which is not negative, but for one thing: to the records is added
one that is spread evenly over all combinations of values. A combination that the likeliest counts
leave empty, as they do wherever chance showed fewer than it might, is not impossible by the
release, and a divergence that took it for that would be infinite, or tell how long the likelihood
was climbed. The attributes of a pair are estimated from what is shown of them, without the others.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.joint import JointDistribution
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.randomization.grid import Grid
from bkpriv_core.randomization.reconstruction import likeliest
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["RandomizedJoint"]

_PRIOR = 1.0
"""Records that are spread evenly over all combinations of values."""


class RandomizedJoint(JointDistribution):
    """The likeliest counts."""

    def __init__(
        self,
        domains: tuple[Domain, ...],
        channels: tuple[Channel, ...],
        drawn: Drawn,
        progress: Progress = SILENT,
    ) -> None:
        self._domains = domains
        self._channels = channels
        self._drawn = drawn
        self._progress = progress

    @cached_property
    def _whole(self) -> tuple[Grid, FloatArray]:
        return likeliest(
            self._domains, self._channels, self._drawn, _PRIOR, progress=self._progress
        )

    def at(self, codes: IntArray) -> FloatArray:
        """See `JointDistribution`."""
        grid, counts = self._whole
        size = self._domains[-1].size
        cells = np.repeat(codes, size, axis=0)
        values = np.tile(np.arange(size), len(codes))
        # What is found nowhere is beyond the last row, where nothing is.
        padded = np.concatenate((counts, np.zeros((*counts.shape[:-1], 1))), axis=-1)
        return padded[grid.find(np.column_stack((cells, values)))].reshape(-1, size)

    def square(self) -> float:
        """See `JointDistribution`."""
        return float((self._whole[1] ** 2).sum())

    def pair(self, one: int, other: int) -> FloatArray:
        """See `JointDistribution`."""
        both = [one, other]
        domains = [self._domains[place] for place in both]
        channels = [self._channels[place] for place in both]
        grid, counts = likeliest(
            domains, channels, self._drawn.among(both), _PRIOR, progress=self._progress
        )
        joint = np.zeros([domain.size for domain in domains])
        places = np.indices(counts.shape).reshape(counts.ndim, -1)
        joint[tuple(grid.codes(tuple(places)).T)] = counts.ravel()
        return joint
