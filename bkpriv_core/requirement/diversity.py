"""l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006).

A group with counts ``r_1 >= r_2 >= ... >= r_m`` of its sensitive values, in all ``r``, is

distinct
    l-diverse if at least l counts are positive;
probabilistic
    l-diverse if ``r_1 / r <= 1 / l``;
entropy
    l-diverse if ``H = -sum (r_i / r) log (r_i / r) >= log l``;
recursive
    (c, l)-diverse if ``r_1 < c (r_l + r_{l+1} + ... + r_m)``: even to an adversary who rules out
    l - 2 values, the most frequent one does not occur too often.

Each is stated as a bound on one figure, exact up to rounding: the number of values, ``r / r_1``,
``2 ** H`` with H in bits, and ``r_1 / (r_l + ... + r_m)``, infinite where nothing is left to sum.

Where persons may have several values, ``r_i`` of the group's ``r`` have value i. The number of
values is 1 then if all have one of them: two values that everybody has hide neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from bkpriv_core.belief.distance import negative_entropy
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.requirement.base import Bound
from bkpriv_core.requirement.counted import ShareRequirement, shares_of
from bkpriv_core.schema import Range, read
from bkpriv_core.table.groups import AnyArray, FloatArray

__all__ = ["LDiversity"]

_CERTAIN = 1.0 - 1e-9
"""Share or probability from which on all have a value: nearer to 1 beliefs are sums of errors."""


@dataclass(frozen=True)
class LDiversity(ShareRequirement):
    """At least `l` well-represented sensitive values in every group."""

    l: Annotated[float, Range(at_least=1)]  # noqa: E741 - the field's own name
    """Number of values; a whole number where values are counted (distinct, recursive)."""
    variant: Literal["distinct", "probabilistic", "entropy", "recursive"] = "distinct"
    """Meaning of well-represented."""
    c: Annotated[float | None, Range(above=0)] = None
    """Parameter of the recursive variant, which needs it, and of no other."""
    key: ClassVar[str] = "l_diversity"
    monotone = True
    cost: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.counted:
            read(int, self.l, f"l of {self.key}")
        if self.variant == "recursive" and self.c is None:
            raise InvalidParameter(
                f'{self.key} lacks the key "c"',
                detail="The variant recursive bounds the most frequent value by c times the rest.",
                hint='Write for example {"l": 3, "variant": "recursive", "c": 2}.',
            )
        if self.variant != "recursive" and self.c is not None:
            raise InvalidParameter(
                f'{self.key} has no key "c" with the variant {self.variant}',
                detail=f"c is {self.c:g}; it belongs to the variant recursive.",
                hint="Leave c out, or choose the variant recursive.",
            )

    @property
    def counted(self) -> bool:
        """Whether l is a number of values."""
        return self.variant in ("distinct", "recursive")

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the diversity."""
        parameters = {"l": int(self.l) if self.counted else self.l, "variant": self.variant}
        parameters |= self.sight.parameters
        if self.c is not None:
            return (Bound(self.key, {**parameters, "c": self.c}, self.c, upper=True, strict=True),)
        return (Bound(self.key, parameters, self.l, upper=False),)

    @property
    def having(self) -> bool:
        """See `ColumnRequirement`."""
        return self.variant in ("distinct", "probabilistic")

    def figures(self, threat: ThreatModel, histograms: AnyArray) -> AnyArray:
        """Measure the diversity; see the module."""
        diversity: AnyArray
        if self.variant == "distinct":
            shares = self.seen(threat).shares(histograms)
            hidden = shares.max(axis=1) < _CERTAIN
            diversity = np.where(hidden, (shares > 0).sum(axis=1), 1)
        elif self.variant == "probabilistic":
            diversity = 1.0 / self.seen(threat).shares(histograms).max(axis=1)
        elif self.variant == "entropy":
            diversity = 2.0 ** -negative_entropy(shares_of(histograms))
        else:
            falling = -np.sort(-histograms, axis=1)
            top, rest = falling[:, 0], falling[:, int(self.l) - 1 :].sum(axis=1)
            diversity = np.divide(top, rest, out=np.full(len(top), np.inf), where=rest > 0)
        return diversity

    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Blame the most frequent value of the group."""
        return shares
