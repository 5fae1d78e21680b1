"""Dependence: what a column discloses of another, by records that are alike in it.

A record's value in the other column is guessed from a record drawn among those with its value of
the column, other than itself: `Dependence.hits` is the share of right guesses, and `usual` that of
guesses from any other record. The share of errors avoided is Goodman and Kruskal's tau [1]_. A
record that has its value alone is never guessed, so a key discloses nothing.

A column *nearly tells* another if half of the errors are avoided, or three times as many guesses
are right and one in ten is. It *determines* the other if 99 % of the records that have others
alike in it have the most frequent value among these, and nine tenths of the errors of guessing the
most frequent value of all are avoided. At least half of the records must have others alike. Two
columns *repeat* each other if each determines the other, or if their ranks correlate by .98 or
more, as those of an age and a year of birth do, unless both have a value for each record or
nearly so. NULL is a value. All figures are exact for the
records that are looked at.

.. [1] L. A. Goodman and W. H. Kruskal, "Measures of association for cross classifications",
   Journal of the American Statistical Association 49, 1954.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Classified", "Dependence", "dependence", "determined", "repeated", "thinned"]

_PAIRED = 2_000_000
"""Largest number of records times pairs of columns that are compared."""

_LEAST_PAIRED = 10_000
"""Records that are compared, however many pairs there are."""

_FEWEST = 20
_AVOIDED = 0.5
_TIMES = 3
_LEAST = 0.1
_WRONG = 100
_BETTER = 10
_NEARLY = 0.05
"""Largest difference of how often two records are alike in columns that repeat each other."""

_RANKS = 0.98
_MOST_ALIKE = 0.9
"""Largest share of records with the same value for which ranks are compared."""


@dataclass(frozen=True)
class Classified:
    """A column: the class of each record by it, numbered from 0, and where its value lies."""

    labels: IntArray
    positions: FloatArray | None = None
    """Positions of numbers, days and times, NaN without one; None of other columns."""


@dataclass(frozen=True)
class Dependence:
    """Figures of what one column discloses of another; exact."""

    records: int
    alike: int
    """Records that have others alike in the column."""
    agreed: int
    """Records of these with the most frequent value of the other column among those alike."""
    most: float
    """Share of the records with the most frequent value of the other column."""
    hits: float
    usual: float
    """Shares of right guesses: from a record alike in the column, and from any other."""

    @property
    def nearly(self) -> bool:
        """Whether the column nearly tells the other."""
        if self.records < _FEWEST or self.usual >= 1.0:
            return False
        avoided = self.hits - self.usual >= _AVOIDED * (1.0 - self.usual)
        return avoided or self.hits >= max(_TIMES * self.usual, _LEAST)

    @property
    def determines(self) -> bool:
        """Whether the column determines the other."""
        if self.records < _FEWEST or 2 * self.alike < self.records or self.most >= 1.0:
            return False
        wrong = self.alike - self.agreed
        return _WRONG * wrong <= self.alike and _BETTER * wrong <= self.alike * (1.0 - self.most)


def thinned(columns: Sequence[Classified], pairs: int) -> list[Classified]:
    """Columns with records at even distances, so few that so many pairs can be compared."""
    most = max(_PAIRED // max(pairs, 1), _LEAST_PAIRED)
    step = max(-(-len(columns[0].labels) // most), 1)
    return [
        Classified(each.labels[::step], None if each.positions is None else each.positions[::step])
        for each in columns
    ]


def dependence(column: IntArray, other: IntArray, weights: IntArray | None = None) -> Dependence:
    """Figures of what a column discloses of another, by the class of each record by both.

    Args:
        weights: Number of records that each entry stands for; otherwise one.
    """
    weights = np.ones(len(column), np.int64) if weights is None else weights
    records = int(weights.sum())
    sizes, others = _totals(column, weights), _totals(other, weights)
    cells, places = np.unique(column * len(others) + other, return_inverse=True)
    counts = _totals(places, weights)
    classes = cells // max(len(others), 1)
    most = np.zeros(len(sizes), np.int64)
    np.maximum.at(most, classes, counts)
    several = sizes > 1
    right = counts * (counts - 1.0) / np.maximum(sizes[classes] - 1.0, 1.0)
    pairs = max(records * (records - 1.0), 1.0)
    return Dependence(
        records,
        int(sizes[several].sum()),
        int(most[several].sum()),
        float(others.max(initial=0)) / max(records, 1),
        float(right.sum()) / max(records, 1),
        float((others * (others - 1.0)).sum()) / pairs,
    )


def _totals(classes: IntArray, weights: IntArray) -> IntArray:
    """Records of each class."""
    return np.bincount(classes, weights).astype(np.int64)


def determined(
    columns: Sequence[Classified],
    places: Collection[int],
    others: Collection[int],
    progress: Progress = SILENT,
) -> Iterator[tuple[int, int, Dependence]]:
    """Columns that determine others, each with the other and the figures."""
    for other in others:
        for place in places:
            progress.poll()
            found = dependence(columns[place].labels, columns[other].labels)
            if place != other and found.determines:
                yield place, other, found


def repeated(
    columns: Sequence[Classified], places: Collection[int], progress: Progress = SILENT
) -> Iterator[tuple[int, int]]:
    """Pairs of columns that repeat each other, each pair once."""
    alike = {place: _alike(columns[place].labels) for place in places}
    ranks = {place: _ranks(columns[place]) for place in places}
    for one, other in combinations(places, 2):
        progress.poll()
        most, least = max(alike[one], alike[other]), min(alike[one], alike[other])
        near = least > most * (1 - _NEARLY)
        recur = most > 2 / max(len(columns[one].labels), 1)
        if (near and _determine(columns[one], columns[other])) or (
            recur and _rise_together(ranks[one], ranks[other])
        ):
            yield one, other


def _determine(one: Classified, other: Classified) -> bool:
    """Whether columns determine each other."""
    there, back = dependence(one.labels, other.labels), dependence(other.labels, one.labels)
    return there.determines and back.determines


def _alike(labels: IntArray) -> float:
    """Share of pairs of records that are alike in a column, a record and itself among them."""
    shares = np.bincount(labels) / max(len(labels), 1)
    return float(shares @ shares)


def _ranks(column: Classified) -> FloatArray | None:
    """Mean rank of each record by its position, about 0 and of length 1; None without an order."""
    positions = column.positions
    if positions is None or len(positions) < _FEWEST or not np.isfinite(positions).all():
        return None
    _, labels, sizes = np.unique(positions, return_inverse=True, return_counts=True)
    if sizes.max() > _MOST_ALIKE * len(positions):
        return None
    ranks = (np.cumsum(sizes) - (sizes + 1) / 2)[labels]
    ranks -= ranks.mean()
    return np.asarray(ranks / np.sqrt(ranks @ ranks), np.float64)


def _rise_together(one: FloatArray | None, other: FloatArray | None) -> bool:
    """Whether Spearman's rank correlation is nearly 1 or -1."""
    return one is not None and other is not None and abs(float(one @ other)) >= _RANKS
