"""Literals of a query, and where they stand among the values of a domain.

Numbers are compared as PostgreSQL compares them. Integers and decimals are exact, of any length.
With a float a number is compared as the double that is nearest to it; with a `real`, that is no
value of it, as 0.1 is none: only in quotes, or in a list of several, is it read as a `real`. A
literal that is no value of the domain is not an error: nothing is equal to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Protocol

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.predicate import Point, value_point
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.notation import quoted

__all__ = ["Literal", "Resolver", "class_point", "domain_resolver", "number_point"]

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?\s*", re.ASCII)

_NAMED = 10
"""Largest number of values that a message names."""


@dataclass(frozen=True)
class Literal:
    """A literal as it is written."""

    text: str
    """The number with its sign, the string without its quotes, or "true" or "false"."""
    quoted: bool

    def __str__(self) -> str:
        """Text of the literal in messages."""
        return repr(self.text) if self.quoted else self.text


class Resolver(Protocol):
    """Says where a literal stands."""

    def __call__(
        self, attribute: int, literal: Literal, *, ordered: bool, listed: bool = False
    ) -> Point:
        """Find the point of a literal in an attribute's domain.

        Raises:
            InvalidParameter: If it cannot be compared with the attribute's values.
        """


def number_point(
    domain: Domain, literal: Literal, type_: str = "numeric", *, listed: bool = False
) -> Point:
    """Point of a literal in a domain of numbers, which may have a hierarchy.

    Args:
        domain: The domain. Bins go by their starts, which are decimals whatever the type.

    Raises:
        InvalidParameter: If it is no number.
    """
    if not _NUMBER.fullmatch(literal.text):
        raise InvalidParameter(
            f'attribute "{domain.name}" is compared with {literal}, which is not a number',
            detail="Its values are numbers.",
            hint="Compare it with a number, such as 42.",
        )
    type_ = "numeric" if domain.ends is not None else type_
    # An operator of a real and another number takes doubles; a list takes the column's type.
    wider = type_ == "real" and not (literal.quoted or listed)
    number = _held(Decimal(literal.text.strip()), "double precision" if wider else type_)

    def order(label: str) -> tuple[bool, Decimal]:
        """Sort key of a number as PostgreSQL orders numbers: NaN is above all others."""
        value = Decimal(label)
        return (True, Decimal(0)) if value.is_nan() else (False, _held(value, type_))

    labels = [label for label in domain.labels if label is not None]
    below = bisect_left(labels, (False, number), key=order)
    through = bisect_right(labels, (False, number), lo=below, key=order)
    if through > below:
        return value_point(domain, below)
    return Point(below, through, float(number))


def _held(number: Decimal, type_: str) -> Decimal:
    """Number that a type holds: of floats, the nearest one; unchanged if that is 0 or infinite."""
    if type_ not in ("real", "double precision") or not number.is_finite():
        return number
    held = float(number)
    if type_ == "real":
        held = _nearest_real(number)
    return Decimal(held) if held and isfinite(held) else number


def _nearest_real(number: Decimal) -> float:
    """Nearest single precision number, the even one of two; exact."""
    with np.errstate(over="ignore", under="ignore"):
        near = np.float32(float(number))
        # By way of a double it may be the second nearest.
        around = (
            near,
            np.nextafter(near, np.float32("inf")),
            np.nextafter(near, np.float32("-inf")),
        )
    if not np.isfinite(near):
        return float(near)
    finite = [np.float32(real) for real in around if np.isfinite(real)]
    return float(
        min(
            finite,
            key=lambda real: (
                abs(Fraction(float(real)) - Fraction(number)),
                int(real.view(np.uint32)) % 2,
            ),
        )
    )


def class_point(domain: Domain, literal: Literal, *, ordered: bool) -> Point:
    """Point of a literal among the labels of classes that an attribute was coarsened to.

    Values of the source are none of them, and would silently count nobody.

    Raises:
        InvalidParameter: If it is no label in quotes, or compared by order.
    """
    if ordered or not literal.quoted or literal.text not in domain.labels:
        raise InvalidParameter(
            f'attribute "{domain.name}" is compared {"by order " if ordered else ""}with '
            f"{literal}, but was coarsened before records were drawn",
            detail="The release has classes of its values, which are labels without an order.",
            hint=f"Compare it by =, <> or IN with labels in quotes: {_some(domain)}.",
        )
    return value_point(domain, domain.labels.index(literal.text))


def _some(domain: Domain) -> str:
    """The first values of a domain, as they are shown in messages."""
    labels = [quoted(label) for label in domain.labels if label is not None]
    more = f", and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return ", ".join(labels[:_NAMED]) + more


def domain_resolver(domains: Sequence[Domain]) -> Resolver:
    """Resolver that knows nothing but domains.

    Numeric attributes are taken for numbers. A literal that is no value of a categorical domain has
    no place in its order.
    """

    def resolve(attribute: int, literal: Literal, *, ordered: bool, listed: bool = False) -> Point:
        domain = domains[attribute]
        if domain.numeric:
            return number_point(domain, literal, listed=listed)
        if literal.text in domain.labels:
            return value_point(domain, domain.labels.index(literal.text))
        if ordered:
            raise InvalidParameter(
                f'attribute "{domain.name}" is compared by order with {literal}',
                detail="That is none of its values, so it has no place in their order, which is "
                f"that of the release: {_some(domain)}.",
                hint="Name one of these, or list values with IN.",
            )
        return Point(0, 0)

    return resolve
