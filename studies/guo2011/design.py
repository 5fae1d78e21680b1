"""Design of the study: the paper's two tables, its three schemes, and their competitors.

The paper bounds risks by 1 / l, and compares with l-diversity of groups. Beside its anatomy and its
entropy l-diverse lattice there are `bucketize` and `mondrian`, in whose groups no value has a share
above 1 / l.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bkpriv_core.randomization.channel import Scheme

__all__ = [
    "ATTRIBUTES",
    "BOUND",
    "FULL",
    "GROUPED",
    "QUICK",
    "RANDOMIZED",
    "RISK",
    "RR_BOTH",
    "RR_QI",
    "RR_S",
    "RR_S_MARGINAL",
    "TABLES",
    "Design",
    "Kind",
]

ATTRIBUTES = {
    "education": "E",
    "marital_status": "M",
    "salary": "S",
    "sex": "G",
    "race": "R",
    "workclass": "W",
    "occupation": "O",
}
"""The columns that are used, by the letters that the paper calls them."""

BOUND = "l (no risk, or share in a group, above 1 / l)"
RISK = "l (no risk above 1 / l)"
"""Label of l, along axes."""

TABLES = {
    "EMGRW": ("education", "marital_status", "sex", "race", "workclass"),
    "ESGRO": ("education", "salary", "sex", "race", "occupation"),
}
"""The paper's tables: their columns, the sensitive one last."""


def _diversity(variant: str) -> Callable[[int], dict[str, Any]]:
    return lambda ell: {"l_diversity": {"l": ell, "variant": variant}}


def _disclosure(ell: int) -> dict[str, Any]:
    return {"max_disclosure": {"tau": 1 / ell}}


@dataclass(frozen=True)
class Kind:
    """A kind of release."""

    name: str
    method: str
    requirements: Callable[[int], Mapping[str, Any]]
    scheme: Scheme | None = None
    """Scheme of randomization; None where records are grouped."""
    marginal: bool = False
    """Whether risks are those of an adversary who infers sensitive values from their shares in the
    whole table.
    """
    chance: bool = False
    """Whether two releases of a table differ."""


def _randomized(name: str, scheme: Scheme, *, marginal: bool = False) -> Kind:
    return Kind(name, "randomize", _disclosure, scheme, marginal, chance=True)


RR_QI = _randomized("RR-QI", "rr-qi")
RR_BOTH = _randomized("RR-Both", "rr-both")
RR_S = _randomized("RR-S", "rr-s")
RR_S_MARGINAL = _randomized("RR-S by the marginal", "rr-s", marginal=True)

RANDOMIZED = (RR_QI, RR_BOTH, RR_S, RR_S_MARGINAL)

GROUPED = (
    Kind("anatomy", "anatomy", _diversity("probabilistic"), chance=True),
    Kind("incognito, entropy", "incognito", _diversity("entropy")),
    Kind("bucketize", "bucketize", _disclosure),
    Kind("mondrian", "mondrian", _disclosure),
)


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    seed: int = 2011
    draws: int = 10
    """Releases of each kind that differ by chance."""
    levels: tuple[int, ...] = (2, 3, 4, 5, 6, 7)
    level: int = 3
    """The l of figures that have another axis."""
    sizes: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 2.5)
    """Sizes of the table in figure 4, as multiples of its own."""
    rounds: int = 3
    """Runs of which the median counts where time is measured."""
    pairs_levels: tuple[int, ...] = field(default=(3, 4, 5))


FULL = Design()

QUICK = Design(draws=2, levels=(2, 4), level=2, sizes=(0.5, 1.0), rounds=1, pairs_levels=(2, 4))
