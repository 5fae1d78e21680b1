"""beta-likeness (Cao, Karras, Publishing microdata with a robust privacy guarantee, VLDB 2012).

A value's share may grow from ``p`` in the table to ``q`` in a group by a bounded factor only; what
becomes less frequent in a group is not bounded. For every value with ``q > p``,

basic
    ``(q - p) / p <= beta``;
enhanced
    ``(q - p) / p <= min(beta, -ln p)``, so that frequent values too are kept from becoming certain:
    ``q <= p (1 - ln p) < 1``.

Enhanced has a bound for each value. To have one threshold, its figure is the gain in the scale of
beta, ``(q - p) / p * beta / min(beta, -ln p)``: it is at most beta exactly where the gain is at
most ``min(beta, -ln p)``. Figures are the largest over the values, 0 if none gains, and exact up to
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement.base import SLACK, Bound
from bkpriv_core.requirement.counted import ShareRequirement
from bkpriv_core.schema import Range
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray

__all__ = ["BetaLikeness", "Variant"]

Variant = Literal["basic", "enhanced"]
"""Bound of a gain; see the module."""


@dataclass(frozen=True)
class BetaLikeness(ShareRequirement):
    """No value's share in a group exceeds its share in the table by more than `beta` times that."""

    beta: Annotated[float, Range(above=0)]
    variant: Variant = "basic"
    key: ClassVar[str] = "beta_likeness"
    monotone = True
    cost: ClassVar[int] = 1

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the gain."""
        parameters = {"beta": self.beta, "variant": self.variant, **self.sight.parameters}
        return (Bound(self.key, parameters, self.beta, upper=True),)

    @property
    def having(self) -> bool:
        """See `ColumnRequirement`."""
        return True

    def figures(self, threat: ThreatModel, histograms: AnyArray) -> AnyArray:
        """Measure the largest gain, in the scale of beta."""
        seen = self.seen(threat)
        gains: FloatArray = self.faults(seen.shares(histograms), seen.overall).max(axis=1)
        return gains

    def caps(self, overall: FloatArray) -> FloatArray:
        """Largest share that each value may have in a group, from its share in the table, (m,).

        By half the rounding more than stated, so that what has it meets the bound.
        """
        # Of values that do not occur, nothing is allowed anyway.
        limit = -np.log(overall, out=np.full(overall.shape, np.inf), where=overall > 0)
        if self.variant == "basic":
            limit = np.full(overall.shape, np.inf)
        # A value that is all of the table cannot gain.
        gain = np.where(limit > 0, np.minimum(limit, self.beta), self.beta)
        caps: FloatArray = np.minimum(overall * (1.0 + gain * (1.0 + SLACK / 2 / self.beta)), 1.0)
        return caps

    def admitted(self, histograms: IntArray, overall: FloatArray) -> IntArray:
        """Count the records of each value in the largest subset of groups that meets the bound.

        Args:
            histograms: Shape (g, m). Records of each group with each value.
            overall: Shape (m,). Shares of the values in the table.

        Returns:
            Shape (g, m). Counts of the largest subset, all 0 if no subset meets the bound. The
            largest subset is unique, but for the choice among records of one value: of ``N``
            records, at most the cap's share may have it, and the largest possible ``N`` is
            approached from above.
        """
        caps = self.caps(overall)
        kept = histograms
        while True:
            sizes = kept.sum(axis=1, keepdims=True)
            fewer = np.minimum(kept, np.floor(caps * sizes).astype(np.int64))
            if np.array_equal(fewer, kept):
                return kept
            kept = fewer

    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Blame the value that gains most, in the scale of beta: that which attains the figure."""
        excess = shares - overall
        gains: FloatArray = np.zeros(excess.shape)
        np.divide(excess, overall, out=gains, where=excess > 0)
        if self.variant == "basic":
            return gains
        # A value that is all of the table cannot gain, nor can one that does not occur in it.
        limit = -np.log(overall, out=np.full(overall.shape, -np.inf), where=overall > 0)
        tighter = (limit > 0) & (limit < self.beta)
        with np.errstate(over="ignore"):  # only of what is beyond every beta
            gains[:, tighter] = gains[:, tighter] / limit[tighter] * self.beta
        return gains
