"""The pool of buckets that matter against all buckets, on profiles that no bucket need have."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.implication import minimization
from bkpriv_core.implication.minimization import least_failing, signatures
from bkpriv_core.implication.profiles import BucketPool, Profiles, convolve
from bkpriv_core.table.groups import FloatArray, IntArray
from tests.core.strategies import MANY


@st.composite
def crowds(draw: st.DrawFn, *, most: int = 12, pieces: int = 4) -> tuple[Profiles, IntArray]:
    """Kinds of buckets, and how many of each; logarithms of profiles fall by random steps."""
    k = draw(st.integers(1, pieces))
    steps = st.lists(st.integers(0, 6), min_size=k, max_size=k)
    kinds = draw(st.lists(st.tuples(st.integers(-4, 4), steps, steps), min_size=1, max_size=most))
    helper = [np.concatenate(([0], -np.cumsum(falls))) for _, falls, _ in kinds]
    target = [start - np.concatenate(([0], np.cumsum(falls))) for start, _, falls in kinds]
    counts = draw(st.lists(st.integers(0, 3), min_size=len(kinds), max_size=len(kinds)))
    counts[draw(st.integers(0, len(kinds) - 1))] += 1
    return Profiles(2.0 ** np.array(helper), 2.0 ** np.array(target)), np.array(counts)


def brute(profiles: Profiles) -> tuple[list[float], list[float]]:
    """``F`` and ``G`` over all ways to divide 0 ... k implications among a few buckets."""
    k = profiles.pieces
    helper, target = [np.inf] * (k + 1), [np.inf] * (k + 1)
    for shares in product(range(k + 1), repeat=len(profiles)):
        if sum(shares) <= k:
            factors = [profiles.helper[bucket, share] for bucket, share in enumerate(shares)]
            used = sum(shares)
            helper[used] = min(helper[used], float(np.prod(factors)))
            for bucket, share in enumerate(shares):
                others = factors[:bucket] + factors[bucket + 1 :]
                product_ = float(np.prod(others)) * profiles.target[bucket, share]
                target[used] = min(target[used], product_)
    return helper, target


@given(crowds(most=3, pieces=3))
def test_profiles_of_unions_are_the_least_over_all_divisions(
    crowd: tuple[Profiles, IntArray],
) -> None:
    kinds, _ = crowd
    helper, target = brute(kinds)
    total = kinds.total()
    np.testing.assert_array_equal(total.helper[0], helper)
    np.testing.assert_array_equal(total.target[0], target)
    *_, last = kinds.running()
    np.testing.assert_array_equal(last.target[0], target)


@MANY
@given(crowds())
def test_the_pool_does_as_well_as_all_buckets(crowd: tuple[Profiles, IntArray]) -> None:
    kinds, counts = crowd
    everything = kinds[np.repeat(np.arange(len(kinds)), counts)].total()
    pool = BucketPool(kinds, counts)
    np.testing.assert_array_equal(pool.total.target, everything.target)


@MANY
@given(crowds())
def test_the_pool_does_as_well_with_one_bucket_left_out(crowd: tuple[Profiles, IntArray]) -> None:
    kinds, counts = crowd
    alive = np.flatnonzero(counts)
    rests = BucketPool(kinds, counts, spare=1).without_one(alive)
    helped = BucketPool(kinds, counts).without_one(alive)
    for row, kind in enumerate(alive):
        left = counts - (np.arange(len(counts)) == kind)
        rest = kinds[np.repeat(np.arange(len(kinds)), left)].total()
        np.testing.assert_array_equal(rests.target[row], rest.target[0])
        # As helpers of the one left out, which is the target, they need no spare.
        np.testing.assert_array_equal(
            convolve(kinds.target[kind], helped.helper[row]),
            convolve(kinds.target[kind], rest.helper[0]),
        )


def test_what_is_impossible_stays_so() -> None:
    never: FloatArray = np.array([np.inf, np.inf])
    assert convolve(never, np.array([1.0, 0.0])).tolist() == [np.inf, np.inf]
    assert convolve(np.array([np.inf, 2.0]), np.array([1.0, 0.0])).tolist() == [np.inf, 2.0]
    assert convolve(np.array([1.0, 0.5]), np.array([1.0, 0.0])).tolist() == [1.0, 0.0]
    none = Profiles.of_none(2)
    assert none.join(none).target.tolist() == [[np.inf] * 3]


def test_profiles_of_a_bucket_by_hand() -> None:
    # Five persons: 2, 2, 1. Not the first: 3/5; neither of two: 1/5; of two persons: 3/5 2/4.
    profiles = Profiles.of_buckets(np.array([[5, 2, 2, 1]]))
    expected = [Fraction(1), Fraction(3, 5), Fraction(1, 5)]
    assert profiles.helper[0] == pytest.approx([float(share) for share in expected])
    ratios = [Fraction(3, 5) * Fraction(5, 2), Fraction(1, 5) * Fraction(5, 2), Fraction(0)]
    assert profiles.target[0] == pytest.approx([float(ratio) for ratio in ratios])


def test_buckets_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    histograms = np.random.default_rng(1).integers(0, 9, size=(11, 4)) + 1
    expected = [[sum(row), *sorted(row, reverse=True)[:3]] for row in histograms.tolist()]
    least = least_failing(signatures(histograms, 3))
    monkeypatch.setattr(minimization, "_ROWS", 4)
    monkeypatch.setattr(minimization, "_FLOATS", 200)
    signed = signatures(histograms, 3)
    assert signed.tolist() == expected
    np.testing.assert_array_equal(least_failing(signed), least)
