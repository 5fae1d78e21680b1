"""What is measured: the paper's two algorithms, and what they are compared with.

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
    """Parameters of a policy.

    Parameters
    ----------
    k : int
        Of k-anonymity.
    beta : float
        Of beta-likeness.
    j : float
        Of what bounds how far beliefs diverge, in bits.
    """

    k: int
    beta: float
    j: float


@dataclass(frozen=True)
class Kind:
    """A kind of release.

    Parameters
    ----------
    name : str
        Its name in figures.
    method : str
        What makes it.
    alike : tuple of str
        Which divergences are bounded by j: those of groups, and those of pairs.
    chance : bool
        Whether two releases of a table differ.
    """

    name: str
    method: str
    alike: tuple[str, ...] = ()
    chance: bool = True

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
"""What is measured over all parameters."""

KINDS = (*SWEPT, Kind("js_reduce, by j and θ", "js_reduce", _PAIRS))
"""What is measured at the centre, and of the clinic."""


@dataclass(frozen=True)
class Design:
    """How much is measured.

    Parameters
    ----------
    seed : int
        Of all that is drawn.
    centre : Point
        What stays of it while one parameter is varied.
    ks, betas, js : tuple of float
        What they are varied over.
    draws : int
        Releases at the centre of each kind that differ by chance.
    bandwidth : float
        Of the adversary of Adult.
    records : int, optional
        Records of Adult, a random part of them; all, if it is left out.
    patients, weeks : int
        Size of the clinic's register: records of a week, and weeks.
    """

    seed: int = 2016
    centre: Point = Point(5, 4, 0.2)
    ks: tuple[int, ...] = (5, 10, 20)
    betas: tuple[float, ...] = (2, 4, 8)
    js: tuple[float, ...] = (0.1, 0.2, 0.4)
    draws: int = 2
    bandwidth: float = 0.3
    records: int | None = None
    patients: int = 5000
    weeks: int = 6


FULL = Design()

QUICK = Design(ks=(5, 10), betas=(4, 8), js=(0.2, 0.4), draws=2, records=600, patients=300, weeks=2)
"""Few points of few records, to see whether all works."""
