"""Reconstruction: how many records truly have certain values, estimated from those that are shown.

With ``N`` the shown counts over the values of some attributes and ``P = P1 x P2 x ...`` the
channels of these attributes, the expectation of ``N`` is ``P`` times the true counts; other
attributes play no part. Two estimates:

- *Unbiased*: ``P^-1 N`` (Guo, Ying, Wu 2011, equation 2). For any set of records, with indicator
  ``f``, it is the sum over shown records of a weight ``W = P^-1 f``, which is a product of one for
  each attribute where ``f`` is. It may be negative, and more than all.
- *Maximum likelihood*: counts that are not negative and sum to the records, under which ``N`` is
  likeliest (`likelihood`). Biased where it meets these bounds.

The standard error of the unbiased estimate is that of the *drawing*, given the table: a record
varies by ``E[W^2] - f``, for ``E[W] = f`` and ``f`` is 0 or 1, so ``sum W (W - 1)`` over the shown
records estimates the variance without bias. The variance that the paper states (its Lemma 3, with
``lambda - pi^2``) is that of a multinomial table, of which the true counts are a sample themselves;
it is larger, and right for questions about the population behind the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Blend, Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.randomization.grid import Grid, GridAxis
from bkpriv_core.randomization.likelihood import maximum_likelihood
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, IntArray
from bkpriv_core.table.kronecker import apply

__all__ = ["Estimates", "Merged", "likeliest", "unbiased", "weigh"]


_BOUND = NormalDist().inv_cdf(0.975)
"""Standard errors from the estimate to an end of its 95 % interval."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimated counts."""

    codes: IntArray
    """Shape (r, k). Values of the attributes counted by, in lexicographic order. Left out are those
    that no record can have had, which have an estimate of 0 for sure.
    """
    counts: FloatArray
    """Shape (r,). The estimates."""
    errors: FloatArray
    """Shape (r,). Standard errors of the estimates; 0 where the variance is estimated as less, as
    it may be where next to nothing of a kind is shown, which makes nothing certain.
    """

    @classmethod
    def none(cls, attributes: int) -> Estimates:
        """No estimates by so many attributes."""
        return cls(np.zeros((0, attributes), dtype=np.int64), np.zeros(0), np.zeros(0))

    @classmethod
    def together(cls, some: Sequence[Estimates]) -> Estimates:
        """Join estimates of different values of the same attributes."""
        codes = np.concatenate([item.codes for item in some])
        counts = np.concatenate([item.counts for item in some])
        errors = np.concatenate([item.errors for item in some])
        order = np.lexsort(codes.T[::-1]) if codes.shape[1] else slice(None)
        return cls(codes[order], counts[order], errors[order])

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Ends of 95 % confidence intervals, approximately normal."""
        return self.counts - _BOUND * self.errors, self.counts + _BOUND * self.errors


@dataclass(frozen=True, eq=False)
class Merged:
    """Weights of shown values in an estimate, where values are merged into classes.

    All values but one are equally likely to be shown in its place, so values of one class have one
    weight. A factor of `bkpriv_core.table.kronecker`: along the axis of the classes of true values
    stands whether they are counted, and becomes the weight of those that are shown.
    """

    channel: Channel
    sizes: IntArray
    """Shape (k,). Values in each class."""

    @property
    def size(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        """See `bkpriv_core.table.kronecker.Factor`."""
        progress.poll()
        counted = np.einsum("k,bka->ba", self.sizes.astype(np.float64), tensor)[:, None]
        return _weight(self.channel, tensor, counted)


def weigh(channel: Channel, some: BoolArray) -> FloatArray:
    """Weight of each shown value in the estimate of the records that have one of some values.

    Args:
        some: Shape (..., size). The values.

    Returns:
        Shape (..., size). Weights whose sum is the number of values.
    """
    return _weight(channel, some.astype(np.float64), some.sum(axis=-1, keepdims=True))


def _weight(channel: Channel, own: FloatArray, counted: AnyArray) -> FloatArray:
    # That of the inverse, whose rows sum to 1: exactly 1 where all values are counted.
    weight: FloatArray = own + channel.inverse.other * (counted - channel.size * own)
    return weight


def unbiased(
    domains: Sequence[Domain],
    channels: Sequence[Channel],
    drawn: Drawn,
    weights: FloatArray,
    values: Sequence[BoolArray],
    progress: Progress = SILENT,
) -> Estimates:
    """Count records by some attributes without bias.

    Args:
        domains, channels: The attributes, ``k`` of them.
        drawn: The shown records in these attributes.
        weights: Shape (r,). Weight of each shown record by a condition on other attributes; 1, if
            there is none.

    Raises:
        TooLarge: If they have too many combinations of values.
    """
    asked = [np.flatnonzero(some) for some in values]
    axes, places, inverses = [], np.empty_like(drawn.codes), []
    for place, (domain, channel, listed) in enumerate(zip(domains, channels, asked, strict=True)):
        # Values that nobody asks for are one, the last.
        size = min(len(listed) + 1, channel.size)
        among = np.full(channel.size, size - 1, dtype=np.int64)
        among[listed] = np.arange(len(listed))
        places[:, place] = among[drawn.codes[:, place]]
        axes.append(GridAxis(domain.name, size, channel.kept))
        if not channel.kept:
            inverses.append(Blend(size, channel.inverse.own, channel.inverse.other))
    grid = Grid.of(axes, places)
    once = drawn.counts * weights
    squares = [Blend(item.size, item.own**2, item.other**2) for item in inverses]
    estimate = apply(inverses, grid.sum(once), progress)
    square = apply(squares, grid.sum(once * weights), progress)
    chosen = np.nonzero((estimate != 0) | (square != 0) | (not domains))
    found = grid.codes(chosen)
    inside = (found < [len(listed) for listed in asked]).all(axis=1)
    codes = found[inside]
    for place, listed in enumerate(asked):
        codes[:, place] = listed[codes[:, place]]
    counts = estimate[chosen][inside]
    variance = square[chosen][inside] - counts
    errors = np.sqrt(np.maximum(variance, 0.0))
    return Estimates.together([Estimates(codes, counts, errors)])


def likeliest(
    domains: Sequence[Domain],
    channels: Sequence[Channel],
    drawn: Drawn,
    prior: float = 0.0,
    progress: Progress = SILENT,
) -> tuple[Grid, FloatArray]:
    """Count records by some attributes with maximum likelihood.

    Args:
        drawn: The shown records in these attributes.
        prior: Records that are spread evenly beforehand.

    Returns:
        grid: The combinations of values that records may have.

    Raises:
        TooLarge: If they are too many.
    """
    axes = [
        GridAxis(domain.name, channel.size, channel.kept)
        for domain, channel in zip(domains, channels, strict=True)
    ]
    grid = Grid.of(axes, drawn.codes)
    forward = [channel.forward for channel in channels if not channel.kept]
    shown = grid.sum(drawn.counts.astype(np.float64))
    return grid, maximum_likelihood(shown, forward, prior, progress)
