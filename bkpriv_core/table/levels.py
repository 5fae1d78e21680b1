"""Generalization levels of an attribute, for methods that generalize whole columns alike.

Level 0 keeps values exact, each next level merges values that the one before keeps apart, and the
last publishes ``*`` for all. The levels between are those of the attribute's hierarchy or, for a
numeric attribute, intervals of rising widths that nest: interval ``i`` of width ``w`` is
``[origin + i w, origin + (i + 1) w)``. NULL as a value of its own is kept apart below the last
level.

A class of values is published as the label of its node, or as the range from its smallest to its
largest value that occurs in the table: the part of the interval that the table shows to be in use.
The *penalty* of a value at a level is the normalised certainty penalty of that, see `Domain.ncp`.

Numbers are taken to be the shortest decimals that are read back as them, so that no value falls on
the wrong side of a bound by the rounding of a division.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["Levels", "Recoding"]

_WHOLE = 2**53
"""Bound of the whole numbers that floats hold exactly."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """Classes of a quasi-identifier's values that are published alike, throughout the table."""

    level: int
    low: IntArray
    high: IntArray
    """Shape (size,). First and last leaf place of the class of the value at each leaf place."""
    labels: tuple[str | None, ...] | None = None
    """Label of the class of the value at each leaf place, for a categorical attribute."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Generalization levels of an attribute."""

    name: str
    codes: IntArray
    """Shape (levels, size). Class of each value at each level, as a number within the level."""
    penalties: FloatArray
    """Shape (levels, size). Normalised certainty penalty of each value at each level, in [0, 1]."""

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, domain: Domain) -> Levels:
        """Levels of a domain's intervals or hierarchy; exact and ``*`` where it has neither."""
        if domain.intervals is not None:
            return cls.of_intervals(domain, domain.intervals.widths, domain.intervals.origin)
        return cls.of_hierarchy(domain)

    @classmethod
    def of_hierarchy(cls, domain: Domain) -> Levels:
        """Levels of a domain's hierarchy; exact and ``*`` where it has none."""
        codes = np.array(
            [
                domain.branch_start(np.full(domain.size, level + 1), domain.leaf_order)
                for level in range(domain.height + 1)
            ]
        )
        return cls._of_codes(domain, codes)

    @classmethod
    def _of_codes(cls, domain: Domain, codes: IntArray) -> Levels:
        spans = (_spans(domain, row) for row in codes)
        penalties = [domain.ncp(low, high)[domain.leaf_order] for low, high in spans]
        return cls(domain.name, codes, np.array(penalties))

    def recoding(self, domain: Domain, level: int) -> Recoding:
        """Classes of the values at a level, as they are published."""
        labels: tuple[str | None, ...] | None = None
        if not domain.numeric:
            by_place = np.argsort(domain.leaf_order).tolist()
            labels = tuple(_label(domain, code, level) for code in by_place)
        return Recoding(level, *_spans(domain, self.codes[level]), labels)

    @classmethod
    def of_intervals(
        cls,
        domain: Domain,
        widths: Sequence[float | Decimal | Fraction],
        origin: float | Decimal | Fraction = 0,
    ) -> Levels:
        """Exact, intervals of each of some widths, and ``*``.

        Args:
            widths: Positive, each a larger multiple of the one before, in the unit of the
                positions.
            origin: A bound of intervals of every width.

        Raises:
            InvalidParameter: If the attribute is not numeric, or the widths do not nest.
        """
        if domain.positions is None:
            raise InvalidParameter(
                f'attribute "{domain.name}" is not numeric',
                detail="Intervals need values on a line.",
                hint="Give a categorical attribute a hierarchy.",
            )
        exact_widths = [_exact(width) for width in widths]
        _check_nesting(domain.name, exact_widths)
        numbers = domain.positions[: domain.size - domain.has_null]
        codes: list[IntArray] = [np.arange(domain.size)]
        for width in exact_widths:
            # NULL, which comes last, is an interval of its own.
            nulls = [domain.size] * domain.has_null
            intervals = _intervals(numbers, width, _exact(origin))
            codes.append(np.append(intervals, nulls).astype(np.int64))
        codes.append(np.zeros(domain.size, dtype=np.int64))
        return cls._of_codes(domain, np.array(codes))


def _spans(domain: Domain, codes: IntArray) -> tuple[IntArray, IntArray]:
    """First and last leaf place of the class of the value at each leaf place."""
    order = np.argsort(domain.leaf_order)
    _, number = np.unique(codes[order], return_inverse=True)
    classes = Groups.from_labels(number)
    places = classes.members
    return classes.min(places)[number], classes.max(places)[number]


def _label(domain: Domain, code: int, level: int) -> str | None:
    """Label of a value of a categorical domain at a level."""
    label = domain.labels[code]
    top = level == domain.height
    if domain.hierarchy is None:
        return ROOT if top else label
    paths = domain.hierarchy.paths
    if label is None:
        return next(iter(paths.values()))[-1] if top else None
    return paths[label][level]


def _exact(number: float | Decimal | Fraction) -> Fraction:
    """Shortest decimal that is read back as a number."""
    return Fraction(str(number))


def _check_nesting(attribute: str, widths: Sequence[Fraction]) -> None:
    nested = all(0 < narrow < wide and not wide % narrow for narrow, wide in pairwise(widths))
    if not widths or widths[0] <= 0 or not nested:
        raise InvalidParameter(
            f'the widths of attribute "{attribute}" do not nest',
            detail=f"They are {', '.join(str(float(width)) for width in widths) or 'none'}; the "
            "first must be positive, each other a larger multiple of the one before.",
            hint="Give for example 5, 10, 20, 40.",
        )


def _intervals(numbers: FloatArray, width: Fraction, origin: Fraction) -> IntArray:
    """Interval of each number, as a rank among those that occur."""
    whole = origin.denominator == width.denominator == 1 and abs(origin) + width < _WHOLE
    if whole and (np.abs(numbers) < _WHOLE).all() and (numbers == np.floor(numbers)).all():
        steps = (numbers.astype(np.int64) - int(origin)) // int(width)
        return np.unique(steps, return_inverse=True)[1].astype(np.int64)
    exact = [(_exact(number) - origin) // width for number in numbers.tolist()]
    place = {step: number for number, step in enumerate(sorted(set(exact)))}
    return np.array([place[step] for step in exact], dtype=np.int64)
