"""Generalization hierarchies as they are declared: trees of labels, and nested intervals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from bkpriv_core.errors import InvalidData, InvalidParameter, as_json

__all__ = ["Hierarchy", "Intervals", "some_of"]

_LENGTH = 100
"""Limit of the characters shown of each value."""

_DIGITS = 1000
"""Largest number of digits of a width or an origin."""

_SHOWN = 8
"""Limit of the offending values that an error message lists."""


def some_of(values: Sequence[str | None]) -> str:
    """List values for an error message, the first few of many; None is NULL."""
    listed = ", ".join(
        "NULL"
        if value is None
        else repr(value if len(value) <= _LENGTH else f"{value[:_LENGTH]}...")
        for value in values[:_SHOWN]
    )
    return listed if len(values) <= _SHOWN else f"{listed} and {len(values) - _SHOWN} more"


@dataclass(frozen=True)
class Intervals:
    """Nested intervals of a numeric attribute, for methods that generalize whole columns."""

    widths: tuple[Decimal, ...]
    """Widths, each a larger multiple of the one before, in the unit of the domain's positions."""
    origin: Decimal
    """A bound of intervals of every width."""

    @classmethod
    def checked(cls, attribute: str, widths: Sequence[object], origin: object) -> Intervals:
        """Validate widths and origin.

        Raises:
            InvalidParameter: If one is missing or no double precision number, as positions are, or
                the widths do not nest.
        """
        hint = "Write for example ARRAY[5, 10, 20, 40]."
        numbers = [number for number in (origin, *widths) if isinstance(number, Decimal)]
        if not widths or len(numbers) <= len(widths):
            raise InvalidParameter(
                f'the widths or the origin of attribute "{attribute}" are missing',
                detail="They must be a plain array and a number, without NULL.",
                hint=hint,
            )
        text = f"{', '.join(f'{number:.6g}' for number in numbers[1:])} from {numbers[0]:.6g}"
        if not all(map(_is_double, numbers)):
            raise InvalidParameter(
                f'the widths or the origin of attribute "{attribute}" are no finite double '
                "precision numbers",
                detail=f"They are {text}; at most {_DIGITS} digits are read.",
                hint=hint,
            )
        # Fractions divide exactly, whatever the number of digits.
        sizes = [Fraction(number) for number in numbers[1:]]
        nested = (wide > narrow and not wide % narrow for narrow, wide in pairwise(sizes))
        if sizes[0] <= 0 or not all(nested):
            raise InvalidParameter(
                f'the widths of attribute "{attribute}" do not nest',
                detail=f"They are {text}; the first must be positive, each other a larger multiple "
                "of the one before.",
                hint=hint,
            )
        return cls(tuple(numbers[1:]), numbers[0])

    def scaled(self, unit: Decimal) -> Intervals:
        """The same intervals in a smaller unit, of which this one has so many."""
        return Intervals(tuple(width * unit for width in self.widths), self.origin * unit)


def _is_double(number: Decimal) -> bool:
    """Whether a number is finite, neither too large nor too small, and of few digits."""
    if not number.is_finite() or len(number.as_tuple().digits) > _DIGITS:
        return False
    return not number or sys.float_info.min <= abs(number) <= sys.float_info.max


@dataclass(frozen=True)
class Hierarchy:
    """A generalization hierarchy, one path per leaf."""

    paths: dict[str, tuple[str, ...]]
    """Labels of each leaf, from the leaf itself to the root."""

    @classmethod
    def from_rows(cls, attribute: str, rows: Sequence[Sequence[str | None]]) -> Hierarchy:
        """Validate rows of *leaf, coarser, ..., root* labels.

        Raises:
            InvalidData: If there are no rows or fewer than two levels, a label is missing, a leaf
                stands twice with different paths, a label has two parents, or there is more than
                one root.
        """
        name = f'hierarchy of attribute "{attribute}"'
        if not rows:
            raise InvalidData(
                f"the {name} is empty",
                detail="It has no rows.",
                hint="Give one row per value: the value, coarser labels, and the root.",
            )
        if len(rows[0]) < 2:
            raise InvalidData(
                f"the {name} has only one level",
                detail=f"The first row is {as_json(list(rows[0]))}.",
                hint="Give at least two columns: the value and the root.",
            )
        paths: dict[str, tuple[str, ...]] = {}
        parent: dict[tuple[int, str], str] = {}
        for row in rows:
            labels = tuple(label for label in row if label is not None)
            if len(labels) != len(row):
                raise InvalidData(
                    f"the {name} has a NULL label",
                    detail=f"The row is {as_json(list(row))}.",
                    hint="Fill it; repeat the label below where there is no coarser one.",
                )
            if paths.setdefault(labels[0], labels) != labels:
                raise InvalidData(
                    f"the {name} gives two paths to the value {labels[0]!r}",
                    detail=f"They are {as_json(paths[labels[0]])} and {as_json(labels)}.",
                    hint="Keep one row for each value.",
                )
            for level, (label, above) in enumerate(pairwise(labels)):
                if parent.setdefault((level, label), above) != above:
                    raise InvalidData(
                        f"the {name} gives two parents to the label {label!r}",
                        detail=f"At level {level} it lies under {parent[level, label]!r} and "
                        f"under {above!r}.",
                        hint="Give the label of each branch a name of its own.",
                    )
        roots = sorted({path[-1] for path in paths.values()})
        if len(roots) > 1:
            raise InvalidData(
                f"the {name} has no single root",
                detail=f"Its last column holds {some_of(roots)}.",
                hint="Add a last column with one label, such as '*', for all values.",
            )
        return cls(paths)

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(next(iter(self.paths.values()))) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """Values that it has, whether they occur or not."""
        return tuple(self.paths)

    def over(self, attribute: str, values: Sequence[str]) -> Hierarchy:
        """The hierarchy itself, whatever values occur; see `bkpriv_core.table.rule`."""
        del attribute, values
        return self
