"""Channels: how one attribute is distorted.

A value is kept with probability ``p``, the *retention*, and otherwise becomes one of the other
``d - 1`` values of its domain, each with probability ``q = (1 - p) / (d - 1)`` (Guo, Ying, Wu 2011,
equation 1). The matrix ``P = (p - q) I + q J`` of ``Pr(shown | true)`` is symmetric, and so are all
that are derived from it: a number on the diagonal, and another beside it. Such a `Blend` is applied
without being formed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.progress import Progress
from bkpriv_core.table.groups import FloatArray

__all__ = ["LEAST_GAP", "Blend", "Channel", "Scheme", "check_scheme", "distorted"]

LEAST_GAP = 1e-5
"""Smallest gap ``p - q`` that is considered; estimates have errors ``1 / gap`` times larger."""


Scheme = Literal["rr-s", "rr-qi", "rr-both"]
"""Attributes that are distorted: the sensitive attribute, the quasi-identifiers, or both."""


def check_scheme(scheme: str) -> Scheme:
    """Return a scheme.

    Raises:
        InvalidParameter: If there is none of that name.
    """
    for known in get_args(Scheme):
        if scheme == known:
            found: Scheme = known
            return found
    raise InvalidParameter(
        f"there is no scheme {as_json(scheme)}",
        detail="It says which attributes are distorted.",
        hint=f"Schemes are {', '.join(get_args(Scheme))}.",
    )


def distorted(scheme: Scheme, quasi_identifiers: int) -> tuple[bool, ...]:
    """Whether each of so many quasi-identifiers, and the sensitive attribute, is distorted."""
    return (*(scheme != "rr-s" for _ in range(quasi_identifiers)), scheme != "rr-qi")


@dataclass(frozen=True)
class Blend:
    """A matrix with one number on its diagonal, and another everywhere else."""

    size: int
    """Number of rows, and of columns."""
    own: float
    other: float

    @classmethod
    def of(cls, size: int, level: float, contrast: float) -> Blend:
        """Blend of given eigenvalues: for what is the same everywhere, and for what sums to 0."""
        other = (level - contrast) / size
        return cls(size, contrast + other, other)

    def contract(self, tensor: FloatArray, progress: Progress) -> FloatArray:
        """See `bkpriv_core.table.kronecker.Factor`."""
        progress.poll()
        mapped: FloatArray = (self.own - self.other) * tensor
        mapped += self.other * tensor.sum(axis=1, keepdims=True)
        return mapped


@dataclass(frozen=True)
class Channel:
    """Distortion of one attribute; see the module."""

    size: int
    """Values of its domain, ``d``."""
    retention: float
    """Probability ``p`` that a value is kept, above ``1 / d`` and at most 1; 1 where there is but
    one value.
    """

    @property
    def kept(self) -> bool:
        """Whether all values are kept as they are."""
        return self.retention == 1

    @property
    def flip(self) -> float:
        """Probability ``q`` that a value becomes a certain other one."""
        return 0.0 if self.size == 1 else (1.0 - self.retention) / (self.size - 1)

    @property
    def epsilon(self) -> float:
        """Local differential privacy ``ln(p / q)``: infinite where values are kept as they are."""
        if self.size == 1:
            return 0.0
        return math.log(self.retention / self.flip) if self.flip else math.inf

    @property
    def forward(self) -> Blend:
        """``Pr(shown | true)``."""
        return Blend(self.size, self.retention, self.flip)

    @property
    def square(self) -> Blend:
        """Squares of its elements."""
        return Blend(self.size, self.retention**2, self.flip**2)

    @property
    def gap(self) -> float:
        """Probability of showing a value where it is true, less that elsewhere: ``p - q``."""
        return self.retention - self.flip

    @property
    def inverse(self) -> Blend:
        """Matrix that estimates true counts from those that are shown: ``(I - q J) / (p - q)``."""
        return Blend(self.size, (1.0 - self.flip) / self.gap, -self.flip / self.gap)

    @property
    def drift(self) -> Blend:
        """Matrix that takes the shown distribution to its derivative by the retention.

        Of two values or more, and a retention above ``1 / d``. The matrices have eigenvectors in
        common, so ``dP/dp = D P`` with ``D`` of the ratios of eigenvalues.
        """
        return Blend.of(self.size, 0.0, self.size / (self.size - 1) / self.gap)

    @property
    def square_drift(self) -> Blend:
        """The same of the squares: ``dW/dp = D W``."""
        p, q, others = self.retention, self.flip, self.size - 1
        return Blend.of(
            self.size,
            2.0 * (p - q) / (p**2 + others * q**2),
            2.0 * (p + q / others) / (p**2 - q**2),
        )
