"""Singling out: the fewest columns by which most records are told apart, and what coarser ones do.

A combination of columns is nearly unique as a column is, if there are more than nine different
combinations of values for every ten records; see `inspection.nearly_unique`. With a column more it
stays so: the finer partition has at least as many classes. So if all columns together are not
nearly unique, no combination is.

Coarser columns are tried at a few steps: days and times by units of the calendar, numbers by widths
of 1, 2 or 5 times a power of ten that leave some twenty or some five intervals, texts that are
short as codes by beginnings of three and two fifths of their length. Classes are counted with the
other columns as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.bins import CALENDAR, Bin
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.identification import Distinction, classes, most_distinct
from bkpriv_core.table.inspection import nearly_unique

__all__ = ["coarser_bins", "coarser_prefixes", "fewest_apart", "joined"]

_UNITS = ("day", "month", "year")
_INTERVALS = (20, 5)
_FIFTHS = (3, 2)
_LONGEST_CODE = 12
_TRIED = 5
"""Largest number of pairs, and of triples, that are looked at for the fewest columns."""


def joined(labels: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Class of each record by several columns together, and the sizes of the classes.

    Args:
        labels: Class of each record by each column, numbered from 0; at least one.
    """
    label, sizes = classes(labels[0])
    for other in labels[1:]:
        label, sizes = classes(label * (int(other.max(initial=0)) + 1) + other)
    return label, sizes


def fewest_apart(labels: Sequence[IntArray], progress: Progress = SILENT) -> Distinction | None:
    """The fewest columns that are nearly unique together, and their figures, exact.

    Pairs are exact among the columns of largest separation; the best triple may be missed, and
    where no triple is found all columns are returned.

    Args:
        labels: Class of each record by each column, numbered from 0, none of them nearly unique
            itself.

    Returns:
        None if all columns together are not nearly unique.
    """
    if len(labels) < 2:
        return None
    _, sizes = joined(labels)
    records = int(sizes.sum())
    if not nearly_unique(records, len(sizes)):
        return None
    singles = [Distinction.of((place,), classes(label)[1]) for place, label in enumerate(labels)]
    for found in most_distinct(labels, singles, range(len(labels)), _TRIED, progress):
        for each in found:
            if nearly_unique(records, round(each.distinction * records)):
                return each
    return Distinction.of(tuple(range(len(labels))), sizes)


def coarser_bins(type_name: str, low: float, high: float, bin_: Bin | None) -> list[Bin]:
    """Bins that are coarser than a column is, the finest first.

    Args:
        type_name: Type of the column, of numbers, days or times.
        low, high: Least and largest position of its values; anything if they have none.
    """
    if type_name in ("date", "timestamp", "timestamptz"):
        own = bin_.unit if bin_ is not None else "day" if type_name == "date" else None
        coarser = [*CALENDAR] if own is None else [*CALENDAR][: [*CALENDAR].index(own)]
        return [Bin(type_name, unit=unit) for unit in _UNITS if unit in coarser]
    least = Decimal(0) if bin_ is None or bin_.width is None else bin_.width
    if type_name in ("int2", "int4", "int8"):
        least = max(least, Decimal(1))  # So fractions are no widths: those above 1 are whole.
    return [Bin(type_name, width=width) for width in _widths(high - low) if width > least]


def _widths(span: float) -> list[Decimal]:
    """Widths by which a span has some twenty and some five intervals."""
    if not math.isfinite(span) or span <= 0:
        return []
    return [*dict.fromkeys(_round_width(span / intervals) for intervals in _INTERVALS)]


def _round_width(width: float) -> Decimal:
    """The least of 1, 2 and 5 times a power of ten that is no smaller."""
    power = Decimal(10) ** math.floor(math.log10(width))
    return next(
        (each * power for each in map(Decimal, (1, 2, 5)) if width <= float(each * power)),
        10 * power,
    )


def coarser_prefixes(shortest: int, longest: int) -> list[int]:
    """Lengths of beginnings of texts of such lengths, the longest first; none of long texts."""
    if longest > _LONGEST_CODE:
        return []
    lengths = dict.fromkeys(-(-longest * fifths // 5) for fifths in _FIFTHS)
    return [length for length in lengths if 0 < length < min(shortest + 1, longest)]
