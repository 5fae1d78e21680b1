"""Design of the study: the paper's two algorithms, and those that they are compared with.

All keep k-anonymity and beta-likeness. JS-reduce, the paper's Hilbert grouping, bounds how far
beliefs about the records of a group diverge, too, by j; the two algorithms by the same j, and those
about any two of them by theta = j. So does a second JS-reduce, which is not in the paper: its
requirements are those of the two algorithms. The others do not regard what is believed, as
microaggregation does not in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["FULL", "KINDS", "QUICK", "SWEPT", "Design", "Kind", "Point"]


@dataclass(frozen=True)
class Point:
    """Parameters of a policy."""

    k: int
    beta: float
    j: float
    """Bound of the divergence of beliefs, in bits."""


@dataclass(frozen=True)
class Kind:
    """A kind of release."""

    name: str
    method: str
    alike: tuple[str, ...] = ()
    """Divergences that are bounded by j: those of groups, and those of pairs."""
    chance: bool = True
    """Whether two releases of a table differ."""

    def requirements(self, point: Point, bandwidth: Any) -> dict[str, Mapping[str, Any]]:
        """The policy, against an adversary of some knowledge."""
        bounds = {
            "js_divergence": {"j": point.j, "bandwidth": bandwidth},
            "pair_divergence": {"theta": point.j, "bandwidth": bandwidth},
        }
        return {
            "k_anonymity": {"k": point.k},
            "beta_likeness": {"beta": point.beta},
            **{name: bounds[name] for name in self.alike},
        }


_PAIRS = ("js_divergence", "pair_divergence")

SWEPT = (
    Kind("k_anonymity_primacy", "k_anonymity_primacy", _PAIRS),
    Kind("beta_likeness_primacy", "beta_likeness_primacy", _PAIRS),
    Kind("js_reduce, by j", "js_reduce", _PAIRS[:1]),
    Kind("microaggregate", "microaggregate"),
    Kind("mondrian", "mondrian", chance=False),
    Kind("agglomerate", "agglomerate", chance=False),
)
"""Kinds that are measured over all parameters."""

KINDS = (*SWEPT, Kind("js_reduce, by j and θ", "js_reduce", _PAIRS))
"""Kinds that are measured at the centre, and of the clinic."""


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    seed: int = 2016
    centre: Point = Point(5, 4, 0.2)
    """Parameters that stay as they are while one of them is varied."""
    ks: tuple[int, ...] = (5, 10, 20)
    betas: tuple[float, ...] = (2, 4, 8)
    js: tuple[float, ...] = (0.1, 0.2, 0.4)
    """Values over which the parameters are varied."""
    draws: int = 2
    """Releases at the centre of each kind that differ by chance."""
    bandwidth: float = 0.3
    records: int | None = None
    """Records of Adult, a random part of them; all, if it is left out."""
    patients: int = 5000
    weeks: int = 6
    """Size of the clinic's register: records of a week, and weeks."""


FULL = Design()

QUICK = Design(ks=(5, 10), betas=(4, 8), js=(0.2, 0.4), draws=2, records=600, patients=300, weeks=2)
"""Few points of few records, to see whether all works."""
