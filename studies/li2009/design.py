"""Design of the study: the paper's parameters, its four anonymised tables and ours.

Where the paper does not say which parameters a figure is drawn for, `USUAL` are taken. The
t-closeness tables measure distance over the hierarchy of the sensitive attribute, as the authors of
t-closeness did on these data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studies.blending import SMOOTHING

__all__ = [
    "BY_OMEGA",
    "CERTIFIED",
    "FULL",
    "QUICK",
    "TABLES",
    "USUAL",
    "Design",
    "Parameters",
    "TableKind",
    "bt_privacy",
]


@dataclass(frozen=True)
class Parameters:
    """A row of the paper's Table V; k = ℓ throughout."""

    name: str
    k: int
    """Records that a group has at least, and the ℓ of both kinds of ℓ-diversity."""
    t: float
    """The t of t-closeness and of (B,t)-privacy."""
    b: float = 0.3
    """Bandwidth of the adversary of (B,t)-privacy, for every quasi-identifier."""


USUAL = Parameters("para1", 3, 0.25)

_TABLE_V = (
    USUAL,
    Parameters("para2", 4, 0.2),
    Parameters("para3", 5, 0.15),
    Parameters("para4", 6, 0.1),
)


@dataclass(frozen=True)
class TableKind:
    """A kind of anonymised table."""

    name: str
    """Name of the kind in figures; the paper's, if it has one."""
    requirements: Callable[[Parameters], Mapping[str, Any]]
    """The policy for given parameters."""
    estimator: str = "auto"
    """Estimator of beliefs where the policy is enforced."""


def bt_privacy(
    parameters: Parameters, bandwidth: float | Mapping[str, float] | None = None
) -> dict[str, Any]:
    """Policy of (B,t)-privacy with k-anonymity; the bandwidth is that of the parameters if None."""
    return {
        "k_anonymity": {"k": parameters.k},
        "bt_privacy": [
            {
                "bandwidth": parameters.b if bandwidth is None else bandwidth,
                "t": parameters.t,
                "smoothing": SMOOTHING,
            }
        ],
    }


def _l_diversity(variant: str) -> Callable[[Parameters], dict[str, Any]]:
    return lambda parameters: {
        "k_anonymity": {"k": parameters.k},
        "l_diversity": {"l": parameters.k, "variant": variant},
    }


def _t_closeness(parameters: Parameters) -> dict[str, Any]:
    return {
        "k_anonymity": {"k": parameters.k},
        "t_closeness": {"t": parameters.t, "ground": "hierarchical"},
    }


BY_OMEGA = TableKind("(B,t)-privacy by omega", bt_privacy, "omega")
"""The paper's: beliefs are estimated by omega, and nothing is certified."""

CERTIFIED = TableKind("(B,t)-privacy", bt_privacy)
"""Ours."""

TABLES = (
    TableKind("distinct ℓ-diversity", _l_diversity("distinct")),
    TableKind("probabilistic ℓ-diversity", _l_diversity("probabilistic")),
    TableKind("t-closeness", _t_closeness),
    BY_OMEGA,
    CERTIFIED,
)


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    seed: int = 2009
    """Seed of all that is drawn at random: groups, samples, queries."""
    parameters: tuple[Parameters, ...] = _TABLE_V
    """Rows of Table V."""
    adversaries: tuple[float, ...] = (0.2, 0.3, 0.4, 0.5)
    estimators: tuple[str, ...] = ("omega", "auto")
    bandwidths: tuple[float, ...] = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
    """The b of figure 3a."""
    first_bandwidths: tuple[float, ...] = (0.2, 0.3, 0.4, 0.5)
    second_bandwidths: tuple[float, ...] = (0.2, 0.5, 0.6, 0.8)
    """The b₁ and b₂ of figure 3b. No distance of a marital status, race or sex that is above 0 is
    below 1/2, so up to there b₂ makes no difference; hence the values beyond.
    """
    thresholds: tuple[float, ...] = (0.1, 0.15, 0.2, 0.25, 0.3)
    """The t of the figure that the paper could not draw."""
    group_sizes: tuple[int, ...] = (3, 5, 8, 10, 12, 15)
    """The N of figure 2."""
    repetitions: int = 100
    shares: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0)
    """Sizes of samples in figure 4b, as shares of the records."""
    rounds: int = 3
    """Runs of which the median counts where time is measured."""
    dimensions: tuple[int, ...] = (2, 3, 4, 5, 6)
    """Quasi-identifiers in a query, in figure 6a; those in figure 6b are `dimension`."""
    dimension: int = 4
    selectivities: tuple[float, ...] = (0.02, 0.05, 0.1, 0.15, 0.2)
    """Selectivities of queries in figure 6b; that in figure 6a is `selectivity`."""
    selectivity: float = 0.1
    queries: int = 1000


FULL = Design()

QUICK = Design(
    parameters=(_TABLE_V[0], _TABLE_V[3]),
    adversaries=(0.3, 0.5),
    bandwidths=(0.2, 0.3, 0.5),
    first_bandwidths=(0.2, 0.5),
    second_bandwidths=(0.5, 0.8),
    thresholds=(0.1, 0.25),
    group_sizes=(3, 8),
    repetitions=10,
    shares=(0.5, 1.0),
    rounds=1,
    dimensions=(2, 4),
    selectivities=(0.05, 0.1),
    queries=100,
)
