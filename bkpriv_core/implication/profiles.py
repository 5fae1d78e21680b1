"""MINIMIZE2: the best use of ``k`` implications over all buckets at once.

The ratio of the package's formula is a product over buckets: the *target* bucket, which holds ``A``
and ``j`` of the ``A_i``, contributes ``T(j) = M(j + 1) n / r_0``, and any other bucket, a *helper*
with ``j`` of them, ``M(j)``, where ``M`` is MINIMIZE1's minimum. A set of buckets is summed up by
two *profiles* over ``0 ... k``: the least product with all of them as helpers, ``F``, and with one
of them as the target, ``G``. Two disjoint sets join by (min, product) convolution ::

    F(h) = min_i F1(i) F2(h - i)
    G(h) = min_i min(G1(i) F2(h - i), F1(i) G2(h - i))

and the maximum disclosure of all buckets is ``1 / (1 + G(k))``.

Few buckets can matter. An adversary who puts ``j`` implications into a helper uses at most
``k - j + 1`` other buckets; so if the helper is not among the ``k - j + 2`` least ``M(j)``, one of
these is free and does as well. Likewise a target with ``j``, and the ``k - j + 1`` least ``T(j)``.
The remaining buckets, of the order of ``k^2`` and mostly far fewer, are the *pool*, and only the
pool is convolved. The paper convolves every bucket.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.implication.minimization import least_failing
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["BucketPool", "Profiles", "convolve"]


def convolve(one: FloatArray, other: FloatArray) -> FloatArray:
    """Least product of entries whose places add up to each place.

    Args:
        one, other: Shape (..., k + 1). Leading axes broadcast. In `one` infinity stands for what is
            impossible, whatever it is times; `other` does not begin with 0.
    """
    with np.errstate(invalid="ignore"):
        least = one * other[..., :1]
        for place in range(1, one.shape[-1]):
            product = one[..., :-place] * other[..., place, None]
            # Infinity times 0 is not a number, and is never the lesser of two.
            np.fmin(least[..., place:], product, out=least[..., place:])
    return least


@dataclass(frozen=True, eq=False)
class Profiles:
    """Profiles of `u` buckets or sets of buckets."""

    helper: FloatArray
    """Shape (u, k + 1). ``F``, non-increasing in every row."""
    target: FloatArray
    """Shape (u, k + 1). ``G``."""

    @classmethod
    def of_buckets(cls, signed: IntArray, progress: Progress = SILENT) -> Profiles:
        """Profiles of single buckets, from their signatures for ``k + 1`` atoms."""
        least = least_failing(signed, progress)
        return cls(least[:, :-1], least[:, 1:] * (signed[:, :1] / signed[:, 1:2]))

    @classmethod
    def of_none(cls, pieces: int) -> Profiles:
        """Profiles of no buckets, among which the target cannot be; shape (1, k + 1)."""
        return cls(np.ones((1, pieces + 1)), np.full((1, pieces + 1), np.inf))

    @property
    def pieces(self) -> int:
        """``k``."""
        return int(self.helper.shape[1]) - 1

    def __len__(self) -> int:
        return len(self.helper)

    def __getitem__(self, index: IntArray | BoolArray | slice) -> Profiles:
        return Profiles(self.helper[index], self.target[index])

    def join(self, other: Profiles) -> Profiles:
        """Profiles of unions, row by row; one row against many broadcasts."""
        here = convolve(self.target, other.helper)
        there = convolve(other.target, self.helper)
        return Profiles(convolve(self.helper, other.helper), np.minimum(here, there))

    def stack(self, *others: Profiles) -> Profiles:
        """Rows of all."""
        every = (self, *others)
        return Profiles(
            np.concatenate([one.helper for one in every]),
            np.concatenate([one.target for one in every]),
        )

    def total(self, progress: Progress = SILENT) -> Profiles:
        """Profile of the union of all rows, shape (1, k + 1)."""
        rows = self if len(self) else Profiles.of_none(self.pieces)
        while len(rows) > 1:
            progress.poll()
            even = len(rows) // 2 * 2
            rows = rows[0:even:2].join(rows[1:even:2]).stack(rows[even:])
        return rows

    def running(self, progress: Progress = SILENT) -> Iterator[Profiles]:
        """Profiles of the union of the first 0, 1, 2, ... rows."""
        union = Profiles.of_none(self.pieces)
        yield union
        for row in range(len(self)):
            progress.poll()
            union = union.join(self[row : row + 1])
            yield union


class BucketPool:
    """The buckets that matter, out of many.

    Args:
        kinds: Profiles of `u` distinct buckets.
        multiplicity: Shape (u,). Number of buckets of each profile, possibly none.
        spare: Number of buckets that may be left out later without the pool having to change.
    """

    def __init__(
        self,
        kinds: Profiles,
        multiplicity: IntArray,
        spare: int = 0,
        progress: Progress = SILENT,
    ) -> None:
        alive = np.flatnonzero(multiplicity)
        pieces = kinds.pieces
        copies = np.zeros(len(kinds), dtype=np.int64)
        for place in range(pieces + 1):
            uses = pieces - place + 1 + spare
            _take(kinds.target[alive, place], multiplicity[alive], alive, uses, copies=copies)
            if place:
                _take(
                    kinds.helper[alive, place], multiplicity[alive], alive, uses + 1, copies=copies
                )
        self.kinds = kinds
        self._progress = progress
        self.entries = np.repeat(np.arange(len(kinds)), copies)

    @cached_property
    def total(self) -> Profiles:
        """Profile of all buckets, shape (1, k + 1)."""
        return self.kinds[self.entries].total(self._progress)

    def running(self) -> list[Profiles]:
        """Profiles of the first 0, 1, 2, ... entries."""
        return list(self.kinds[self.entries].running(self._progress))

    def without_one(self, kinds: IntArray) -> Profiles:
        """Profile of all buckets but one, for each of several kinds of the one left out."""
        before = self.running()[:-1]
        after = list(self.kinds[self.entries[::-1]].running(self._progress))[-2::-1]
        rests = [self.total]
        row = np.zeros(len(self.kinds), dtype=np.int64)
        # The pool does without one of its buckets too, and a bucket outside it is not missed.
        distinct, places = np.unique(self.entries, return_index=True)
        for kind, place in zip(distinct.tolist(), places.tolist(), strict=True):
            self._progress.poll()
            row[kind] = len(rests)
            rests.append(before[place].join(after[place]))
        return rests[0].stack(*rests[1:])[row[kinds]]


def _take(
    figures: FloatArray, multiplicity: IntArray, kinds: IntArray, wanted: int, copies: IntArray
) -> None:
    """Raise the copies of each kind to what the least `wanted` figures take of it."""
    if wanted < len(figures):
        least = np.argpartition(figures, wanted)[:wanted]
        least = least[np.argsort(figures[least], kind="stable")]
    else:
        least = np.argsort(figures, kind="stable")
    owned = multiplicity[least]
    left = wanted - (np.cumsum(owned) - owned)
    taken = np.clip(left, 0, owned)
    copies[kinds[least]] = np.maximum(copies[kinds[least]], taken)
