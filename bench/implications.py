"""Speed of the worst case of many buckets, against the paper's algorithm bucket by bucket.

The baseline is MINIMIZE1 and MINIMIZE2 as Martin et al. 2007 state them, by dynamic programming in
plain Python: each bucket's profile in ``O(k^3)``, then one pass over the buckets. One pass gives
the whole curve. Its time grows with the number of buckets and nothing else, so it is measured on a
sample of them and multiplied; the figures say by how much. The two must agree on the sample.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bench.figure import Figure, alternate
from bkpriv_core.implication import worst_case

__all__ = ["measure_implications"]

_K = 12
_KINDS = 4_000
_VALUES = 14
_PERSONS = 100
_SAMPLE = 2_000
_SEED = 1
_TARGET = 50
_TOLERANCE = 1e-12

_Profile = list[float]


def measure_implications(buckets: int, rounds: int) -> list[Figure]:
    """Measure the curve for 0 ... 12 implications over a number of buckets.

    Raises:
        AssertionError: If the two ways do not agree.
    """
    histograms, kinds = _histograms(buckets)
    sample = histograms[: min(_SAMPLE, buckets)]
    difference = float(np.abs(worst_case(sample, _K) - _paper(sample, _K)).max())
    if difference > _TOLERANCE:
        raise AssertionError(f"curves differ by {difference}")
    ours, measured = alternate(
        rounds, lambda: worst_case(histograms, _K), lambda: _paper(sample, _K)
    )
    baseline = measured * buckets / len(sample)
    return [
        Figure(
            f"worst case of {buckets:,} buckets",
            f"{ours:.2f} s",
            f"one by one {baseline:.0f} s",
            baseline / ours,
            f"{_TARGET} times faster",
            baseline >= _TARGET * ours,
        ),
        Figure(
            "    one by one was", "", f"{measured:.2f} s for {len(sample):,}", buckets / len(sample)
        ),
        Figure("    histograms", f"{kinds:,} distinct", f"{buckets:,}", buckets / kinds),
        Figure("    largest difference", f"{difference:.0e}", "", None, "1e-12", True),
    ]


def _histograms(buckets: int) -> tuple[npt.NDArray[np.int64], int]:
    """Draw buckets, in which no value is absent, of a few thousand kinds; and say of how many."""
    random = np.random.default_rng(_SEED)
    shares = random.dirichlet(np.full(_VALUES, 8.0), size=_KINDS)
    kinds = 1 + random.multinomial(_PERSONS, shares)
    drawn = random.integers(_KINDS, size=buckets)
    ranked = np.sort(kinds[np.unique(drawn)], axis=1)
    return kinds[drawn], len(np.unique(ranked, axis=0))


def _paper(histograms: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.float64]:
    """Maximum disclosure for 0 ... k implications, bucket by bucket."""
    # Least products with h atoms left to place: no bucket holds the target yet, or one does.
    none, one = [1.0] * (k + 1), [math.inf] * (k + 1)
    for histogram in histograms.tolist():
        profile = _minimize1(histogram, k + 1)
        scale = sum(histogram) / max(histogram)
        one = [
            min(
                min(one[h - i] * profile[i], none[h - i] * profile[i + 1] * scale)
                for i in range(h + 1)
            )
            for h in range(k + 1)
        ]
        none = [min(none[h - i] * profile[i] for i in range(h + 1)) for h in range(k + 1)]
    return np.array([1 / (1 + ratio) for ratio in one])


def _minimize1(histogram: list[int], atoms: int) -> _Profile:
    """Least probability that none of 0 ... `atoms` atoms of a bucket holds."""
    persons = sum(histogram)
    sums = [0]
    for number in sorted(histogram, reverse=True):
        sums.append(sums[-1] + number)
    sums += [persons] * (atoms + 1 - len(sums))
    # below[c][left]: from the next person on, at most c atoms about each of them.
    below = [[1.0] + [0.0] * atoms for _ in range(atoms + 1)]
    for person in reversed(range(min(atoms, persons))):
        here = [[1.0] + [math.inf] * atoms]
        for most in range(1, atoms + 1):
            factor = max(0, persons - person - sums[most]) / (persons - person)
            after, row = below[most], here[-1][:]
            # Those before hold as many atoms each.
            for left in range(most, atoms - person * most + 1):
                row[left] = min(row[left], factor * after[left - most])
            here.append(row)
        below = here
    return below[atoms]
