"""Identification: how many people columns single out, one by one and together.

Of some columns, records with equal values in all of them form a class; NULL is a value like any
other. With ``n`` records and classes of ``c`` records each,

- the *distinction* is the number of classes divided by ``n``;
- the *separation* is the share of pairs of records that lie in different classes,
  ``1 - sum c (c - 1) / (n (n - 1))``;
- the people who are *unique* are those whose class has no other record.

These are the figures by which Motwani and Xu [1]_ judge quasi-identifiers. All are exact for the
records that they are of. Of a sample, distinction and the share of unique people overstate those of
the whole table: who is alone in a sample may have equals outside it. Separation is an unbiased
estimate of that of the whole table.

Which pairs and triples single out most is searched among the columns that do not identify
people by themselves: all pairs of the columns of largest separation, then what a further column
adds to the best pairs. So pairs are exact among those columns; the best triple may be missed, where
no pair in it is among the best.

.. [1] R. Motwani and Y. Xu, "Efficient algorithms for masking and finding quasi-identifiers",
   VLDB, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import AnyArray, IntArray

__all__ = ["Distinction", "classes", "most_distinct"]

_CANDIDATES = 24
"""Largest number of columns of which all pairs are looked at."""

_EXTENDED = 10
"""Number of the best pairs that a third column is added to."""


@dataclass(frozen=True)
class Distinction:
    """Figures of how well some columns tell records apart."""

    columns: tuple[int, ...]
    distinction: float
    """Share of distinct combinations of values among the records, exact."""
    separation: float
    """Share of pairs of records that they tell apart, exact; 0 where there are no pairs."""
    unique: int
    """People whose combination of values is theirs alone, exact."""

    @classmethod
    def of(cls, columns: tuple[int, ...], sizes: IntArray) -> Distinction:
        """Figures of columns, by how many records each combination of their values has."""
        # Python's integers: squares of sizes may exceed 64 bits.
        records = int(sizes.sum())
        alike = sum(size * (size - 1) for size in sizes.tolist())
        pairs = records * (records - 1)
        return cls(
            columns,
            len(sizes) / records if records else 0.0,
            (pairs - alike) / pairs if pairs else 0.0,
            int((sizes == 1).sum()),
        )

    @property
    def rank(self) -> tuple[int, float]:
        """Order of how well people are told apart, the larger the better."""
        return self.unique, self.separation


def classes(values: AnyArray) -> tuple[IntArray, IntArray]:
    """Number of the class of each record, by values that are equal within one; and their sizes."""
    _, labels, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return labels.astype(np.int64), sizes.astype(np.int64)


def most_distinct(
    labels: Sequence[IntArray],
    singles: Sequence[Distinction],
    places: Sequence[int],
    most: int,
    progress: Progress = SILENT,
) -> tuple[list[Distinction], list[Distinction]]:
    """Pairs and triples of columns that tell people apart best, the best first.

    Args:
        labels: Class of each record by each column, numbered from 0.
        most: Limit of the pairs, and of the triples.
    """
    chosen = sorted(places, key=lambda place: singles[place].rank, reverse=True)[:_CANDIDATES]
    known: dict[tuple[int, ...], Distinction] = {(place,): singles[place] for place in chosen}
    pairs = []
    for pair in combinations(sorted(chosen), 2):
        progress.poll()
        pairs.append(_measured(pair, _joined(labels[pair[0]], labels[pair[1]]), known))
    best = _best(pairs, known, _EXTENDED)
    triples: dict[tuple[int, ...], Distinction] = {}
    for found in best:
        one, other = found.columns
        both, _ = classes(_joined(labels[one], labels[other]))
        for place in chosen:
            triple = tuple(sorted({one, other, place}))
            if len(triple) == 3 and triple not in triples:
                progress.poll()
                triples[triple] = _measured(triple, _joined(both, labels[place]), known)
    return best[:most], _best(list(triples.values()), known, most)


def _joined(one: IntArray, other: IntArray) -> IntArray:
    """A number for each record, equal where both labels are."""
    return one * (int(other.max(initial=0)) + 1) + other


def _measured(
    columns: tuple[int, ...], joined: IntArray, known: dict[tuple[int, ...], Distinction]
) -> Distinction:
    sizes = np.unique(joined, return_counts=True)[1].astype(np.int64)
    known[columns] = Distinction.of(columns, sizes)
    return known[columns]


def _best(
    found: Sequence[Distinction], known: dict[tuple[int, ...], Distinction], most: int
) -> list[Distinction]:
    """Combinations that single out more people than those with a column less, the best first."""
    better = [
        each
        for each in found
        if all(
            each.rank > known[fewer].rank
            for fewer in combinations(each.columns, len(each.columns) - 1)
            if fewer in known
        )
    ]
    return sorted(better, key=lambda each: (*each.rank, [-p for p in each.columns]), reverse=True)[
        :most
    ]
