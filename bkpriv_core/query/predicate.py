"""Conditions on a record, in SQL's three-valued logic.

A comparison with a NULL value is unknown, and so is NOT of it; AND is false where a part is false,
OR true where a part is true, whatever the others are. A query counts only what is true.

A literal is compared by where it stands among the values of the domain, which is exact whatever the
type, and by its position on the line, for an estimate has to place it between values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, IntArray

__all__ = [
    "EVERYTHING",
    "And",
    "Codes",
    "Comparison",
    "Criterion",
    "IsNull",
    "Line",
    "Membership",
    "Not",
    "Operator",
    "Or",
    "Point",
    "Predicate",
    "Truth",
    "criteria",
    "criterion_truth",
    "evaluate",
    "value_point",
]

BoolArray: TypeAlias = BoolArray

Operator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Point:
    """A literal among the values of a domain."""

    below: int
    """Number of values of the domain that are less than it."""
    through: int
    """Number of values that are less than or equal to it; `below`, if it is none of them."""
    position: float = 0.0
    """Position on the line of a numeric attribute; not used for others."""


@dataclass(frozen=True)
class Comparison:
    """A comparison of an attribute with a literal."""

    attribute: int
    operator: Operator
    point: Point


@dataclass(frozen=True)
class Membership:
    """``IN`` a list of literals."""

    attribute: int
    points: tuple[Point, ...]


@dataclass(frozen=True)
class IsNull:
    """``IS NULL``, which is never unknown."""

    attribute: int


@dataclass(frozen=True)
class And:
    """A conjunction; true if it has no parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Or:
    """A disjunction; false if it has no parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Not:
    """A negation."""

    part: Predicate


Criterion: TypeAlias = Comparison | Membership | IsNull
"""A condition on one attribute that has no parts."""

Predicate: TypeAlias = Criterion | And | Or | Not

EVERYTHING = And(())
"""The condition that every record meets."""


class Truth(NamedTuple):
    """Values for which a condition is true and for which it is false; for others it is unknown."""

    true: Any
    false: Any


class Line(Protocol):
    """Values that criteria are compared with: one attribute's in order, or pieces of a line."""

    @property
    def null(self) -> BoolArray:
        """Mark the values that are NULL, shape (t,)."""

    def below(self, point: Point) -> BoolArray:
        """Mark the values that are less than a literal, NULL or not, shape (t,)."""

    def through(self, point: Point) -> BoolArray:
        """Mark the values that are less than or equal to a literal, NULL or not, shape (t,)."""


@dataclass(frozen=True, eq=False)
class Codes:
    """All values of a domain, or those of some codes."""

    codes: IntArray
    null: BoolArray

    @classmethod
    def of(cls, domain: Domain) -> Codes:
        """All values of a domain, in the order of their codes."""
        codes = np.arange(domain.size, dtype=np.int64)
        return cls(codes, (codes == domain.size - 1) & domain.has_null)

    def below(self, point: Point) -> BoolArray:
        """See `Line`."""
        return self.codes < point.below

    def through(self, point: Point) -> BoolArray:
        """See `Line`."""
        return self.codes < point.through


def value_point(domain: Domain, code: int) -> Point:
    """The point of a value of a domain that is not NULL."""
    position = 0.0 if domain.positions is None else float(domain.positions[code])
    return Point(code, code + 1, position)


def criteria(predicate: Predicate) -> Iterator[Criterion]:
    """All criteria of a condition, from left to right."""
    if isinstance(predicate, And | Or):
        for part in predicate.parts:
            yield from criteria(part)
    elif isinstance(predicate, Not):
        yield from criteria(predicate.part)
    else:
        yield predicate


def criterion_truth(criterion: Criterion, values: Line) -> Truth:
    """Truth of one criterion for each of some values, shape (t,)."""
    null = values.null
    if isinstance(criterion, IsNull):
        return Truth(null, ~null)
    if isinstance(criterion, Membership):
        met = np.zeros(len(null), dtype=bool)
        for point in criterion.points:
            met |= values.through(point) & ~values.below(point)
    else:
        met = _compared(criterion.operator, criterion.point, values)
    return Truth(met & ~null, ~met & ~null)


def _compared(operator: Operator, point: Point, values: Line) -> BoolArray:
    match operator:
        case "=":
            return values.through(point) & ~values.below(point)
        case "<>":
            return ~values.through(point) | values.below(point)
        case "<":
            return values.below(point)
        case "<=":
            return values.through(point)
        case ">":
            return ~values.through(point)
        case ">=":
            return ~values.below(point)


def evaluate(
    predicate: Predicate,
    truth: Callable[[Criterion], Truth],
    progress: Progress = SILENT,
) -> Truth:
    """Truth of a condition from that of its criteria, whose arrays broadcast."""
    if isinstance(predicate, Not):
        inner = evaluate(predicate.part, truth, progress)
        return Truth(inner.false, inner.true)
    if not isinstance(predicate, And | Or):
        return truth(predicate)
    # Part by part, for there may be thousands, each with a truth for every cell and value.
    true, false = (np.True_, np.False_) if isinstance(predicate, And) else (np.False_, np.True_)
    whole = Truth(true, false)
    for part in predicate.parts:
        progress.poll()
        next_truth = evaluate(part, truth, progress)
        if isinstance(predicate, And):
            whole = Truth(whole.true & next_truth.true, whole.false | next_truth.false)
        else:
            whole = Truth(whole.true | next_truth.true, whole.false & next_truth.false)
    return whole
