"""Design of the study: the table that is published again, and the bounds that are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.blending import SMOOTHING

__all__ = ["BOUNDS", "FULL", "HELD", "QUICK", "REQUIREMENTS", "Design"]

_K, _BANDWIDTH, _T = 5, 0.3, 0.2
_CERTAIN = 0.999

REQUIREMENTS: Mapping[str, Any] = {
    "k_anonymity": {"k": _K},
    "bt_privacy": [{"bandwidth": _BANDWIDTH, "t": _T, "smoothing": SMOOTHING}],
}
"""The policy of every release."""

BOUNDS: Mapping[str, str] = {
    "k_anonymity": f"fewer than {_K} records may be theirs",
    "bt_privacy": f"belief (B = {_BANDWIDTH}) moves by more than {_T}",
    "max_disclosure": "the value is certain",
}
"""Bounds on releases together: the policy, and whether anybody's value is certain."""

HELD: Mapping[str, Any] = {**REQUIREMENTS, "max_disclosure": {"tau": _CERTAIN}}
"""Bounds as requirements."""


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    months: int = 12
    people: int | None = None
    """Number of people who come in all, drawn; everybody by default."""
    seed: int = 2026
    """Seed of the order in which people come."""


FULL = Design()

QUICK = Design(months=3, people=300)
"""Few points, to see whether all works."""
