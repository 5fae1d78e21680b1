"""A changing set of buckets, and its maximum disclosure.

Buckets with equal sizes and ``k + 1`` largest counts are alike, of one *kind*. The profile of a
kind is computed once and kept, so that adding, removing and splitting buckets costs what is new.

Negations, the adversary of l-diversity, say of persons that they do *not* have a value: the best
``k`` of them rule out the most frequent other values of one person, and disclose
``r_0 / (n - r_1 - ... - r_k)``.

Figures are exact up to rounding: the ratio ``r`` of disclosure ``1 / (1 + r)`` has a relative error
of about ``4k`` units in the last place. Where it underflows, the disclosure is 1 to all digits.

(c,k)-safety
------------
A set of buckets is (c,k)-safe if its maximum disclosure for ``k`` implications is below ``c``. This
is a property of all buckets together: a target that is safe by itself may not be beside buckets
that help to disclose it. It is monotone, though: merging buckets lowers the maximum disclosure, and
so does leaving one out (unless none is left). Hence:

- The *figure* of a bucket is the maximum disclosure of its own persons, helped by all others. The
  largest figure is the maximum disclosure. Merging and suppressing keep a safe set safe.
- Figures do not tell which buckets to suppress: one in which a value is certain helps to disclose
  everybody. So those go that disclose most by themselves, the fewest that leave a safe rest.
- Whether buckets may be split depends on which others are. A split that is unsafe while nothing
  else changes is unsafe for good. Those that are safe one by one are done together; where that is
  unsafe, bisection gives the longest run of them from the first that is safe together, the one
  after it is refused for good, and the rest is judged anew.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.implication.atoms import check_histograms, check_pieces
from bkpriv_core.implication.minimization import signatures
from bkpriv_core.implication.profiles import BucketPool, Profiles, convolve
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["MOST_PIECES", "Buckets", "check_attackable", "negation_ratios"]

MOST_PIECES = 256
"""Largest k for which profiles are computed."""

_SLACK = 1e-9
"""Least distance below the threshold at which a disclosure counts as below it."""


def check_attackable(pieces: int) -> None:
    """Refuse more implications or negations than profiles are computed for.

    Raises:
        TooLarge: If there are.
    """
    if pieces > MOST_PIECES:
        raise TooLarge(
            f"k is {pieces}, which is too many pieces of knowledge",
            detail=f"The worst case is computed for at most {MOST_PIECES} pieces of knowledge.",
            hint=f"Ask for a k of at most {MOST_PIECES}.",
        )


def negation_ratios(signed: IntArray) -> FloatArray:
    """``r`` of the largest disclosure ``1 / (1 + r)`` by ``0 ... k`` negations, bucket by bucket.

    Args:
        signed: Shape (u, k + 2). Signatures for ``k + 1`` atoms.

    Returns:
        Shape (u, k + 1).
    """
    ratios: FloatArray = (signed[:, :1] - np.cumsum(signed[:, 1:], axis=1)) / signed[:, 1:2]
    return ratios


class Buckets:
    """A changing set of buckets, judged against up to `k` implications.

    Args:
        k: Largest number of implications or negations.

    Raises:
        InvalidParameter: If `k` is not a whole number of at least 0.
        TooLarge: If it is beyond `MOST_PIECES`.
    """

    def __init__(self, k: int, progress: Progress = SILENT) -> None:
        self.k = check_pieces(k)
        check_attackable(self.k)
        self._progress = progress
        self._kind_of: dict[bytes, int] = {}
        self._signed = np.zeros((0, self.k + 2), dtype=np.int64)
        self._profiles = Profiles(np.zeros((0, self.k + 1)), np.zeros((0, self.k + 1)))
        self._multiplicity = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return int(self._multiplicity.sum())

    def add(self, histograms: IntArray) -> None:
        """Add buckets.

        Args:
            histograms: Shape (b, m). Persons of each bucket with each value.

        Raises:
            InvalidParameter: If a count is negative or a bucket empty.
        """
        self._count(self._kinds(histograms), 1)

    def remove(self, histograms: IntArray) -> None:
        """Remove buckets.

        Raises:
            InvalidParameter: If they are not there; nothing is removed then.
        """
        kinds = self._kinds(histograms)
        here = self._multiplicity - np.bincount(kinds, minlength=len(self._multiplicity))
        if (here < 0).any():
            absent = int((here[kinds] < 0).argmax())
            raise InvalidParameter(
                f"row {absent + 1} of the histograms is not that of a bucket",
                detail=f"It is {np.asarray(histograms)[absent].tolist()}.",
                hint="Remove only what was added.",
            )
        self._count(kinds, -1)

    def curve(self) -> FloatArray:
        """Maximum disclosure for 0 ... k implications, shape (k + 1,).

        Raises:
            InvalidParameter: If there are no buckets.
        """
        self._check_buckets()
        ratios = self._pool(self._multiplicity).total.target[0]
        curve: FloatArray = 1.0 / (1.0 + ratios)
        return curve

    def negation_curve(self) -> FloatArray:
        """Maximum disclosure for 0 ... k negations, shape (k + 1,).

        Raises:
            InvalidParameter: If there are no buckets.
        """
        self._check_buckets()
        ratios = negation_ratios(self._signed[self._multiplicity > 0]).min(axis=0)
        curve: FloatArray = 1.0 / (1.0 + ratios)
        return curve

    def figures(self, histograms: IntArray) -> FloatArray:
        """Maximum disclosure of each bucket's persons by k implications about all buckets.

        Args:
            histograms: Shape (b, m). Buckets of the set, not necessarily all.

        Returns:
            Shape (b,).

        Raises:
            InvalidParameter: If one of them is not in the set.
        """
        kinds, places = np.unique(self._kinds(histograms), return_inverse=True)
        if not self._multiplicity[kinds].all():
            raise InvalidParameter(
                "buckets are judged among others that they do not belong to",
                detail=f"{int((self._multiplicity[kinds] == 0).sum())} of their kinds are absent.",
                hint="Add them first.",
            )
        rest = self._pool(self._multiplicity).without_one(kinds)
        ratios = convolve(self._profiles.target[kinds], rest.helper)[:, self.k]
        figures: FloatArray = (1.0 / (1.0 + ratios))[places]
        return figures

    def by_themselves(self, histograms: IntArray) -> FloatArray:
        """Maximum disclosure of each of some buckets, of no matter what set, if it is all there is.

        Args:
            histograms: Shape (b, m). The buckets.

        Returns:
            Shape (b,).
        """
        kinds = self._kinds(histograms)
        ratios = self._profiles.target[kinds, self.k]
        figures: FloatArray = 1.0 / (1.0 + ratios)
        return figures

    def safe(self, c: float) -> bool:
        """Whether the maximum disclosure for k implications is below `c`, by more than rounding."""
        return not len(self) or self._safe(self._multiplicity, c)

    def safe_subset(self, histograms: IntArray, c: float) -> BoolArray:
        """Find buckets, of no matter what set, that are safe if the set consists of them only.

        Args:
            histograms: Shape (b, m). The buckets.
            c: The disclosure that must not be reached.

        Returns:
            Shape (b,). Mark of each bucket: all, or all but those that disclose most by themselves,
            so few that the rest is safe.
        """
        kinds = self._kinds(histograms)
        order = np.argsort(-self._profiles.target[kinds, self.k], kind="stable")
        low, high = 0, len(kinds)
        tried = high
        while low < high:
            chosen = np.bincount(kinds[order[:tried]], minlength=len(self._multiplicity))
            if self._safe(chosen, c):
                low = tried
            else:
                high = tried - 1
            tried = (low + high + 1) // 2
        safe = np.zeros(len(kinds), dtype=bool)
        safe[order[:low]] = True
        return safe

    def split(self, parents: IntArray, halves: IntArray, c: float) -> BoolArray:
        """Split those buckets in two whose splits keep a safe set safe, the first ones first.

        Args:
            parents: Shape (b, m). Different buckets of the set.
            halves: Shape (2b, m). Rows ``2i`` and ``2i + 1`` are what bucket ``i`` would become.
            c: The disclosure that must not be reached.

        Returns:
            Shape (b,). Buckets that were split. Any other split would make the set unsafe.
        """
        old, new = self._kinds(parents), self._kinds(halves)
        pairs = self._profiles[new[0::2]].join(self._profiles[new[1::2]])
        done = np.zeros(len(old), dtype=bool)
        waiting = np.arange(len(old))
        while waiting.size:
            pool = self._pool(self._multiplicity, spare=1)
            alone = pool.without_one(old[waiting]).join(pairs[waiting])
            waiting = waiting[_below(alone.target[:, self.k], c)]
            # The longest run from the first that is safe; the first one alone is.
            low, high = min(1, len(waiting)), len(waiting)
            tried = high
            while low < high:
                if self._safe(self._after(old, new, waiting[:tried]), c):
                    low = tried
                else:
                    high = tried - 1
                tried = (low + high + 1) // 2
            run = waiting[:low]
            self._multiplicity = self._after(old, new, run)
            done[run] = True
            waiting = waiting[low + 1 :]
        return done

    def exchange(self, before: IntArray, after: IntArray, c: float) -> bool:
        """Put buckets in the place of others, unless that makes a safe set unsafe.

        Args:
            before, after: Buckets of the set, and those that are to take their place.
            c: The disclosure that must not be reached.
        """
        self.remove(before)
        self.add(after)
        if self.safe(c):
            return True
        self.remove(after)
        self.add(before)
        if self.safe(c):
            return False
        self.remove(before)
        self.add(after)
        return True

    def _pool(self, multiplicity: IntArray, spare: int = 0) -> BucketPool:
        return BucketPool(self._profiles, multiplicity, spare, self._progress)

    def _after(self, old: IntArray, new: IntArray, splits: IntArray) -> IntArray:
        """Buckets of each kind after some splits."""
        kinds = len(self._multiplicity)
        halves = np.concatenate((new[2 * splits], new[2 * splits + 1]))
        gone = np.bincount(old[splits], minlength=kinds)
        after: IntArray = self._multiplicity - gone + np.bincount(halves, minlength=kinds)
        return after

    def _safe(self, multiplicity: IntArray, c: float) -> bool:
        total = self._pool(multiplicity).total
        return bool(_below(total.target[:, self.k], c).all())

    def _check_buckets(self) -> None:
        if not len(self):
            raise InvalidParameter(
                "there are no buckets to judge",
                detail="The set is empty.",
                hint="Add buckets first.",
            )

    def _count(self, kinds: IntArray, change: int) -> None:
        counts = np.bincount(kinds, minlength=len(self._multiplicity))
        self._multiplicity = self._multiplicity + change * counts

    def _kinds(self, histograms: IntArray) -> IntArray:
        """Kind of each bucket, those that are new with a profile of their own."""
        if not len(histograms):
            return np.zeros(0, dtype=np.int64)
        signed = signatures(check_histograms(histograms), self.k + 1)
        first, place, _ = distinct_rows(signed)
        kinds = np.empty(len(first), dtype=np.int64)
        new = []
        for row, signature in enumerate(signed[first]):
            unused = len(self._kind_of)
            kinds[row] = self._kind_of.setdefault(signature.tobytes(), unused)
            if kinds[row] == unused:
                new.append(first[row])
        if new:
            added = signed[np.array(new)]
            self._signed = np.concatenate((self._signed, added))
            self._profiles = self._profiles.stack(Profiles.of_buckets(added, self._progress))
            self._multiplicity = np.concatenate((self._multiplicity, np.zeros(len(new), np.int64)))
        return kinds[place]


def _below(ratios: FloatArray, c: float) -> BoolArray:
    """Mark the disclosures ``1 / (1 + ratio)`` that are below `c`."""
    below: BoolArray = 1.0 / (1.0 + ratios) < c - _SLACK
    return below
