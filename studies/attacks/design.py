"""Design of the study: tables, policies with methods, attackers, and the extent of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ATTACKERS", "FULL", "KINDS", "QUICK", "SMALL", "Attack", "Design", "Kind"]


@dataclass(frozen=True)
class Kind:
    """A kind of release."""

    policy: str
    method: str
    requirements: Mapping[str, Any] = field(hash=False)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """Name of the kind in figures."""
        return f"{self.policy}, {self.method}"


@dataclass(frozen=True)
class Attack:
    """A way to attack a release."""

    name: str
    attacker: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    boxes: bool = False
    """Whether the release must show boxes in place of quasi-identifiers."""


_T = 0.2
_SKYLINE = [{"bandwidth": bandwidth, "t": _T} for bandwidth in (0.2, 0.3, 0.5)]
_LEARNED = [{"bandwidth": {"learned": "logistic"}, "t": _T}]
_CROWD = {"k_anonymity": {"k": 5}}
_DIVERSE = {"l_diversity": {"l": 4}}

_OF_BOXES: Mapping[str, Mapping[str, Any]] = {
    "k = 5": _CROWD,
    "ℓ = 4": _DIVERSE,
    "t-closeness 0.3": {"t_closeness": {"t": 0.3}},
    "k = 5, skyline": {**_CROWD, "bt_privacy": _SKYLINE},
    "k = 5, learned": {**_CROWD, "bt_privacy": _LEARNED},
}
_OF_ANATOMY: Mapping[str, Mapping[str, Any]] = {
    "ℓ = 4": _DIVERSE,
    "ℓ = 4, skyline": {**_DIVERSE, "bt_privacy": _SKYLINE},
    "ℓ = 4, learned": {**_DIVERSE, "bt_privacy": _LEARNED},
}

_ESTIMATED = {"estimator": "omega"}
"""Options of anatomy by beliefs: certified exactly, its groups would be merged for minutes."""

KINDS = (
    *(
        Kind(policy, method, requirements)
        for policy, requirements in _OF_BOXES.items()
        for method in ("mondrian", "agglomerate")
    ),
    *(
        Kind(policy, "anatomy", requirements, _ESTIMATED if "bt_privacy" in requirements else {})
        for policy, requirements in _OF_ANATOMY.items()
    ),
)
"""Kinds of releases that are made of every table."""

ATTACKERS = (
    Attack("majority", "majority"),
    Attack("learner, logistic", "learner"),
    Attack("learner, bayes", "learner", {"model": "bayes"}),
    Attack("informed", "informed"),
    Attack("without groups", "without_groups", boxes=True),
)
"""Attackers of every release."""

_BANDWIDTH = 0.5
_PAIRS = {"k_anonymity": {"k": 2}}

_OF_SMALL: Mapping[str, Mapping[str, Any]] = {
    "k = 2": _PAIRS,
    "ℓ = 2": {"l_diversity": {"l": 2}},
    "k = 2, (B,t)": {**_PAIRS, "bt_privacy": [{"bandwidth": _BANDWIDTH, "t": _T}]},
}

SMALL = tuple(
    Kind(policy, method, requirements)
    for policy, requirements in _OF_SMALL.items()
    for method in ("mondrian", "agglomerate")
)
"""Kinds of releases that are made of small tables."""


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    seed: int = 2026
    adult: int | None = None
    """Records of Adult, a random part of them; all, if it is left out."""
    houses: int = 20_640
    hospital: int = 20_000
    """Records of the tables that are drawn."""
    kinds: tuple[Kind, ...] = KINDS
    samples: int = 100
    """Small tables that are drawn."""
    people: int = 8
    bandwidth: float = _BANDWIDTH
    """Bandwidth of the reader of small tables."""
    t: float = _T
    """Distance of beliefs, in bits, above which a person of them is counted."""


FULL = Design()

_QUICK = ("k = 5, mondrian", "k = 5, skyline, mondrian", "ℓ = 4, skyline, anatomy")

QUICK = Design(
    adult=300,
    houses=200,
    hospital=200,
    kinds=tuple(kind for kind in KINDS if kind.name in _QUICK),
    samples=4,
)
"""Few kinds of few records, to see whether all works."""
