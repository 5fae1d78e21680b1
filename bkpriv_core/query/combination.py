"""Conditions as sums of disjoint conjunctions.

The values of each attribute fall into *classes* that the comparisons of a condition do not tell
apart; the condition is true for certain combinations of classes, one from each attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import (
    Criterion,
    Line,
    Predicate,
    Truth,
    criteria,
    criterion_truth,
    evaluate,
)
from bkpriv_core.table.groups import BoolArray, IntArray

__all__ = ["Classes", "combinations_met", "criteria_by_attribute"]

_COMBINATIONS = 1_000_000
"""Largest number of combinations of classes."""

_MOST_OUTCOMES = 50_000_000
"""Largest number of comparisons with an attribute times its values."""

_AT_ONCE = 16
"""Comparisons by which values are told apart at a time; three outcomes of each fit an int64."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Values of one attribute as far as a condition tells them apart."""

    attribute: int
    members: IntArray
    """Shape (t,). Class of each value; there are ``k`` of them."""
    truths: dict[Criterion, Truth]
    """Truth of each comparison for each class, shapes (k,)."""

    @classmethod
    def of(
        cls,
        attribute: int,
        compared: Sequence[Criterion],
        values: Line,
        progress: Progress = SILENT,
    ) -> Classes:
        """Class values of an attribute by comparisons with it.

        Raises:
            TooLarge: If there are too many values and comparisons.
        """
        size = len(values.null)
        if size * len(compared) > _MOST_OUTCOMES:
            raise TooLarge(
                f"the condition compares an attribute {len(compared)} times",
                detail=f"Its {size} values would be told apart by {size * len(compared)} outcomes; "
                f"at most {_MOST_OUTCOMES} are looked at.",
                hint="Join equalities in IN lists, or ask about fewer values at a time.",
            )
        members = np.zeros(size, dtype=np.int64)
        first = np.zeros(1, dtype=np.int64)
        for start in range(0, len(compared), _AT_ONCE):
            progress.poll()
            marks = members
            for criterion in compared[start : start + _AT_ONCE]:
                truth = criterion_truth(criterion, values)
                marks = 3 * marks + truth.true + 2 * truth.false
            _, first, members = np.unique(marks, return_index=True, return_inverse=True)
        kept = {}
        for criterion in compared:
            progress.poll()
            kept[criterion] = Truth(*(row[first] for row in criterion_truth(criterion, values)))
        return cls(attribute, members.ravel().astype(np.int64), kept)

    @cached_property
    def size(self) -> int:
        """Number of classes, ``k``."""
        return int(self.members.max()) + 1

    @property
    def sizes(self) -> IntArray:
        """Values of each class, shape (k,)."""
        return np.bincount(self.members).astype(np.int64)


def criteria_by_attribute(predicate: Predicate) -> dict[int, list[Criterion]]:
    """Distinct comparisons of a condition, by the attribute that they are about."""
    by_attribute: dict[int, list[Criterion]] = {}
    for criterion in dict.fromkeys(criteria(predicate)):
        by_attribute.setdefault(criterion.attribute, []).append(criterion)
    return by_attribute


def combinations_met(
    predicate: Predicate,
    classes: Sequence[Classes],
    progress: Progress = SILENT,
) -> BoolArray:
    """Mark the combinations of classes for which a condition is true.

    Args:
        classes: Classes of all attributes in it, perhaps of others, by ``k`` for each.

    Returns:
        Array with an axis of length ``k`` for each attribute.

    Raises:
        TooLarge: If there are too many combinations.
    """
    shape = [item.size for item in classes]
    if prod(shape) > _COMBINATIONS:
        raise TooLarge(
            f"the condition tells {prod(shape)} combinations of values apart",
            detail=f"Each must be weighed in each group; at most {_COMBINATIONS} are.",
            hint="Ask about fewer attributes or values at a time.",
        )
    along = {item.attribute: place for place, item in enumerate(classes)}

    def truth(criterion: Criterion) -> Truth:
        place = along[criterion.attribute]
        sides = tuple(-1 if other == place else 1 for other in range(len(shape)))
        row = classes[place].truths[criterion]
        return Truth(row.true.reshape(sides), row.false.reshape(sides))

    return np.broadcast_to(evaluate(predicate, truth, progress).true, shape)
