"""What columns lose and what passes through them tells, record by record; see `oracles`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.core.oracles import Group, Records, certainty_penalty

__all__ = ["column_loss"]


def column_loss(records: Records, groups: Sequence[Group], axis: int) -> Fraction | None:
    """Mean certainty penalty of published records in one attribute; None if there are none."""
    penalties = [
        certainty_penalty(records.attributes[axis], records.column(group, axis))
        for group in groups
        for _ in group
    ]
    return sum(penalties, Fraction(0)) / len(penalties) if penalties else None
