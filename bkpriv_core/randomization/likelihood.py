"""Maximum likelihood: the counts under which what is shown is likeliest.

With shown counts ``N`` over a grid and the channels' product ``P``, the log-likelihood ``sum N log
(P X)`` is concave in the counts ``X``, which are not negative and sum to the records. Expectation
maximisation multiplies each by ``G = P' (N / P X)`` until none could gain: it grows always, and
keeps the sums. Two steps tell where it is heading, and it leaps there where the likelihood does
not fall (SQUAREM; Varadhan, Roland 2008). How far it is from the largest is bounded, by concavity,
by ``n (max G - 1)``: it stops where that is small, so what is reported is near the maximum for sure
and not because it moves slowly.

A *prior* of some records spread evenly adds ``k log X`` for each place; counts are then scaled back
to the records. Where rows of the grid are told apart each is a problem of its own.

References:
.. [1] R. Varadhan, C. Roland, "Simple and Globally Convergent Methods for Accelerating the
   Convergence of Any EM Algorithm", Scandinavian Journal of Statistics 35, 2008.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Blend
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.kronecker import apply

__all__ = ["maximum_likelihood"]

_GAP = 1e-4
"""Tolerance of the log-likelihood below its maximum: a seventieth of a standard error."""

_RELATIVE_GAP = 1e-12
"""The same per record, where so many are counted that rounding hides the other."""

_STEPS = 200_000
"""Largest number of times that the likelihood is taken."""

_LEAST = 0.1
"""A leap leaves at least this share of what two steps leave of a count."""


def maximum_likelihood(
    shown: FloatArray,
    channels: Sequence[Blend],
    prior: float = 0.0,
    progress: Progress = SILENT,
) -> FloatArray:
    """Counts under which those that are shown are likeliest.

    Args:
        shown: Shown counts, with an axis for each channel and one, the last, for rows that are told
            apart.
        channels: ``Pr(shown | true)`` of each attribute.
        prior: Records that are spread evenly over all places beforehand.

    Returns:
        Likeliest counts, of the same shape; not negative, each row of the sum that is shown. The
        log-likelihood is within 0.0001 of the largest, or a millionth of a millionth for each
        record.

    Raises:
        TooLarge: If it takes too many steps.
    """
    rows = shown.shape[-1]
    problem = _Problem(shown.reshape(-1, rows), channels, prior / shown.size, progress)
    return problem.solve().reshape(shown.shape)


class _Problem:
    """Likelihood of counts, shapes (places of a row, rows)."""

    def __init__(
        self, shown: FloatArray, channels: Sequence[Blend], prior: float, progress: Progress
    ) -> None:
        self._shown, self._channels, self._prior = shown, channels, prior
        self._seen = shown > 0
        self._records = shown.sum(axis=0)
        self._masses = self._records + prior * len(shown)
        self._progress = progress
        self._steps = 0

    def solve(self) -> FloatArray:
        counts = np.tile(self._masses / len(self._shown), (len(self._shown), 1))
        gain, _ = self._judge(counts)
        while not self._done(gain):
            once = counts * gain
            next_gain, next_likelihood = self._judge(once)
            twice = once * next_gain
            counts = self._leap(counts, once, twice)
            gain, leapt_likelihood = self._judge(counts)
            better = leapt_likelihood >= next_likelihood
            if not better.all():
                counts = np.where(better, counts, twice)
                gain, _ = self._judge(counts)
        scaled: FloatArray = counts * (self._records / self._masses)
        return scaled

    def _judge(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Factor by which each count is to be multiplied, and the log-likelihood of each row."""
        self._steps += 1
        if self._steps > _STEPS:
            raise TooLarge(
                f"the likeliest counts are not found in {_STEPS} steps",
                detail=f"They are sought among {counts.size} combinations of values.",
                hint="Ask about fewer attributes, or for the unbiased estimate.",
            )
        expected = apply(self._channels, counts, self._progress)
        seen = self._seen
        surprise = np.divide(self._shown, expected, out=np.zeros_like(counts), where=seen)
        gain = apply(self._channels, surprise, self._progress)  # The channels are symmetric.
        logs = np.log(expected, out=np.zeros_like(counts), where=seen)
        likelihood = (self._shown * logs).sum(axis=0)
        if self._prior:
            gain += self._prior / counts
            likelihood += self._prior * np.log(counts).sum(axis=0)
        return gain, likelihood

    def _done(self, gain: FloatArray) -> bool:
        records = float(self._masses.sum())
        gap = float((self._masses * gain.max(axis=0)).sum()) - records
        return gap <= max(_GAP, _RELATIVE_GAP * records)

    def _leap(self, counts: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
        """Extrapolate the limit of two steps, row by row."""
        step = once - counts
        change = (twice - once) - step
        lengths, changes = (np.sqrt((side**2).sum(axis=0)) for side in (step, change))
        far = np.ones_like(lengths)
        np.divide(lengths, changes, out=far, where=changes > 0)
        far = np.maximum(far, 1.0)
        leapt: FloatArray = np.maximum(counts + 2 * far * step + far**2 * change, _LEAST * twice)
        leapt *= self._masses / leapt.sum(axis=0)
        return leapt
