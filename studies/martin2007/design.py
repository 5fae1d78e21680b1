"""Design of the study: the paper's figures, and thresholds of safety, of which it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FULL", "Design"]


@dataclass(frozen=True)
class Design:
    """Anonymised tables that are drawn, and the knowledge against which they are measured."""

    k: int = 12
    """Pieces of knowledge at most. With one more than the paper's 12, negations leave but one of
    the fourteen occupations.
    """
    node: Mapping[str, int] = field(
        default_factory=lambda: {"age": 3, "marital_status": 2, "race": 1, "sex": 1}
    )
    """Level of each attribute in the table of figure 5: age in intervals of 20 years, all else
    suppressed.
    """
    pieces: tuple[int, ...] = (1, 3, 5, 7, 9, 11)
    """The k of figure 6."""
    thresholds: tuple[float, ...] = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    """The c of (c,k)-safety."""
    pieces_of_safety: tuple[int, ...] = (1, 2, 3, 5)


FULL = Design()
