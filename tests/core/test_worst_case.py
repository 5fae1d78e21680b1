"""The worst case against enumeration of worlds and implications, and the paper's recursions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.implication import LANGUAGES, Atom, Buckets, witnesses, worst_case
from bkpriv_core.implication.buckets import MOST_PIECES
from bkpriv_core.implication.minimization import signatures
from bkpriv_core.implication.profiles import BucketPool, Profiles
from bkpriv_core.table.groups import IntArray
from tests.core.strategies import MANY, SOME
from tests.core.worlds import Worlds, failing, negation_paper, paper, split_in_turn

Histograms = list[list[int]]

FIGURE_3 = [[2, 2, 1, 0, 0, 0], [2, 0, 0, 1, 1, 1]]
"""Martin et al. 2007, figure 3: flu, lung cancer, mumps, breast cancer, heart, ovarian cancer."""

TINY = st.integers(2, 3).flatmap(
    lambda values: st.lists(
        st.lists(st.integers(0, 2), min_size=values, max_size=values).filter(any),
        min_size=1,
        max_size=3,
    ).filter(lambda buckets: sum(map(sum, buckets)) <= 6)
)
"""Buckets of at most six persons together."""

SMALL = st.integers(1, 5).flatmap(
    lambda values: st.lists(
        st.lists(st.sampled_from([0, 1, 1, 2, 3, 9]), min_size=values, max_size=values).filter(any),
        min_size=1,
        max_size=8,
    )
)
"""Buckets for the recursions; equal ones are common."""


def as_array(histograms: Sequence[Sequence[int]]) -> IntArray:
    return np.array(histograms, dtype=np.int64)


def close(figure: float, expected: Fraction) -> bool:
    return figure == pytest.approx(float(expected), rel=1e-12, abs=0)


# --- The paper's figures --------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_figure_3_by_its_own_algorithm_and_by_enumeration(language: str) -> None:
    expected = [Fraction(2, 5), Fraction(2, 3), Fraction(1), Fraction(1)]
    curve = worst_case(as_array(FIGURE_3), 3, language)
    assert all(map(close, curve, expected))
    worlds = Worlds(FIGURE_3)
    assert worlds.most_disclosed(worlds.implications(), 0) == expected[0]
    assert worlds.most_disclosed(worlds.implications(), 1) == expected[1]


def test_ten_nineteenths_is_the_most_by_an_implication_from_another_bucket() -> None:
    worlds = Worlds(FIGURE_3)
    probabilities = {
        worlds.probability(event, worlds.rule(([one], [target])))
        for one in worlds.atoms
        for target, event in worlds.atoms.items()
        if one[0] != target[0]
    }
    assert max(probabilities) == Fraction(10, 19)
    # An implication to a rare value of the other bucket comes near to a denial, and says more.
    nearly_denied = worlds.rule(([(0, 0, 1)], [(1, 0, 3)]))
    assert worlds.probability(worlds.atoms[0, 0, 0], nearly_denied) == Fraction(10, 17)


# --- Enumeration ----------------------------------------------------------------------------------


@SOME
@given(TINY)
def test_no_two_implications_disclose_more_and_some_disclose_as_much(
    histograms: Histograms,
) -> None:
    worlds = Worlds(histograms)
    curve = worst_case(as_array(histograms), 2)
    simple = worlds.implications()
    for k in range(3):
        assert close(curve[k], worlds.most_disclosed(simple, k))


@SOME
@given(TINY.filter(lambda histograms: sum(map(sum, histograms)) <= 5))
def test_implications_between_several_atoms_disclose_no_more(histograms: Histograms) -> None:
    worlds = Worlds(histograms)
    assert close(
        worst_case(as_array(histograms), 1)[1], worlds.most_disclosed(worlds.implications(2), 1)
    )


@SOME
@given(TINY)
def test_no_negations_about_whomever_disclose_more(histograms: Histograms) -> None:
    worlds = Worlds(histograms)
    curve = worst_case(as_array(histograms), 3, "negations")
    for k in range(4):
        assert close(curve[k], worlds.most_disclosed(worlds.negations(), k))


@SOME
@given(TINY)
def test_figures_are_the_most_disclosed_about_the_persons_of_each_bucket(
    histograms: Histograms,
) -> None:
    worlds = Worlds(histograms)
    for k in range(3):
        buckets = Buckets(k)
        buckets.add(as_array(histograms))
        figures = buckets.figures(as_array(histograms))
        for place, figure in enumerate(figures):
            assert close(figure, worlds.most_disclosed(worlds.implications(), k, [place]))


# --- The paper's recursions -----------------------------------------------------------------------


@MANY
@given(SMALL, st.integers(0, 6))
def test_the_curve_is_that_of_the_recursions(histograms: Histograms, k: int) -> None:
    curve = worst_case(as_array(histograms), k)
    negations = worst_case(as_array(histograms), k, "negations")
    for pieces in range(k + 1):
        assert close(curve[pieces], paper(histograms, pieces))
        assert close(negations[pieces], negation_paper(histograms, pieces))
    # Beyond what is useful too, where profiles are 0.
    buckets = Buckets(k)
    buckets.add(as_array(histograms))
    np.testing.assert_allclose(buckets.curve(), curve, rtol=1e-12)
    np.testing.assert_allclose(buckets.negation_curve(), negations, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_many_buckets_of_many_kinds(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = int(random.integers(6, 10))
    shares = random.dirichlet(np.ones(values), size=60)
    histograms = random.multinomial(random.integers(20, 60, size=60), shares)
    histograms += 1
    curve = worst_case(histograms, 7)
    assert all(close(curve[k], paper(histograms.tolist(), k)) for k in range(8))
    kinds = Profiles.of_buckets(signatures(histograms, 5))
    assert len(BucketPool(kinds, np.ones(60, np.int64)).entries) < 60


@MANY
@given(SMALL)
def test_monotone_in_k_and_implications_disclose_at_least_what_negations_do(
    histograms: Histograms,
) -> None:
    curve = worst_case(as_array(histograms), 8)
    negations = worst_case(as_array(histograms), 8, "negations")
    assert (np.diff(curve) >= -1e-12).all()
    assert (np.diff(negations) >= -1e-12).all()
    assert (curve >= negations - 1e-12).all()
    fewest = min(sum(map(bool, bucket)) for bucket in histograms)
    assert np.flatnonzero(curve == 1.0)[0] == fewest - 1


@MANY
@given(SMALL, st.sampled_from(LANGUAGES), st.data())
def test_merging_buckets_discloses_no_more_and_nor_does_leaving_one_out(
    histograms: Histograms, language: str, data: st.DataObject
) -> None:
    assume(len(histograms) > 1)
    one, other, *rest = data.draw(st.permutations(histograms))
    merged = [[a + b for a, b in zip(one, other, strict=True)], *rest]
    before = worst_case(as_array(histograms), 6, language)
    assert (worst_case(as_array(merged), 6, language) <= before + 1e-12).all()
    assert (worst_case(as_array([other, *rest]), 6, language) <= before + 1e-12).all()


# --- Witnesses ------------------------------------------------------------------------------------


@MANY
@given(SMALL, st.integers(0, 6), st.sampled_from(LANGUAGES))
def test_a_witness_attains_the_maximum(histograms: Histograms, k: int, language: str) -> None:
    array = as_array(histograms)
    curve = worst_case(array, k, language)
    attaining = witnesses(array, k, language)
    assert [witness.disclosure for witness in attaining] == pytest.approx(curve, rel=1e-12)
    for pieces, witness in enumerate(attaining):
        assert len(witness.antecedents) <= pieces
        assert len({witness.target, *witness.antecedents}) == len(witness.antecedents) + 1
        assert len(witness.antecedents) == pieces or witness.disclosure == 1.0
        target, *antecedents = (
            (atom.bucket, atom.person, atom.value)
            for atom in (witness.target, *witness.antecedents)
        )
        bucket, _, value = target
        share = Fraction(histograms[bucket][value], sum(histograms[bucket]))
        # What implies the target is false, or the target is true.
        assert close(curve[pieces], share / (share + failing(histograms, [target, *antecedents])))
        if language == "negations":
            assert {atom[:2] for atom in antecedents} <= {target[:2]}
            assert close(curve[pieces], share / failing(histograms, antecedents))


# With two implications each discloses less than both together: the target is one of the frequent
# value of SKEWED, helped by a person of TWOFOLD who has neither of the frequent values there.
SKEWED = [40, *[1] * 60]
TWOFOLD = [10, 10, *[1] * 10, *[0] * 49]


@pytest.mark.parametrize("scale", [1, 5])
def test_a_witness_spreads_over_buckets_where_that_is_best(scale: int) -> None:
    witness = witnesses(as_array([[scale * count for count in TWOFOLD], SKEWED]), 2)[2]
    assert witness.target == Atom(1, 0, 0)
    assert set(witness.antecedents) == {Atom(0, 0, 0), Atom(0, 0, 1)}
    assert close(witness.disclosure, 1 / (1 + Fraction(1, 3) * Fraction(60, 40)))


def test_no_person_of_a_witness_has_more_atoms_than_one_before() -> None:
    witness = witnesses(as_array([[12, 5, 2, 1]]), 3)[2]
    atoms = (witness.target, *witness.antecedents)
    assert [(atom.person, atom.value) for atom in atoms] == [(0, 0), (1, 0), (2, 0)]


def test_a_witness_names_several_persons_of_a_bucket_where_that_is_best() -> None:
    witness = witnesses(as_array([[8, 2, 2]]), 1)[1]
    assert (witness.target.person, witness.antecedents[0].person) == (0, 1)
    assert close(witness.disclosure, paper([[8, 2, 2]], 1))


# --- Changing sets --------------------------------------------------------------------------------


@MANY
@given(SMALL, st.integers(0, 4), st.data())
def test_adding_and_removing_is_as_good_as_starting_anew(
    histograms: Histograms, k: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(histograms))))
    kept = [histograms[place] for place in order[: len(order) // 2 + 1]]
    gone = [histograms[place] for place in order[len(order) // 2 + 1 :]]
    buckets = Buckets(k)
    buckets.add(as_array(histograms))
    if gone:
        buckets.remove(as_array(gone))
    assert len(buckets) == len(kept)
    np.testing.assert_allclose(buckets.curve(), worst_case(as_array(kept), k), rtol=1e-12)
    buckets.remove(as_array(kept))
    assert not len(buckets)
    assert buckets.safe(0.0)
    buckets.add(as_array(kept))
    np.testing.assert_allclose(buckets.curve(), worst_case(as_array(kept), k), rtol=1e-12)


def test_profiles_of_known_kinds_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets = Buckets(2)
    buckets.add(as_array([[3, 1, 1], [1, 1, 3], [2, 2, 2]]))
    expected = buckets.curve()

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr("bkpriv_core.implication.profiles.least_failing", refuse)
    buckets.remove(as_array([[3, 1, 1]]))
    buckets.add(as_array([[1, 3, 1], [2, 2, 2]]))
    np.testing.assert_array_equal(buckets.curve(), expected)


@MANY
@given(SMALL, st.data())
def test_splits_are_those_made_in_turn(halves: Histograms, data: st.DataObject) -> None:
    assume(len(halves) > 1)
    halves = data.draw(st.permutations(halves))
    pairs = list(zip(halves[0::2], halves[1::2], strict=False))
    whole = [[a + b for a, b in zip(one, other, strict=True)] for one, other in pairs]
    rest = halves[2 * len(pairs) :]
    fewest = min(sum(map(bool, bucket)) for bucket in whole + rest)
    assume(fewest > 1)
    k = data.draw(st.integers(0, min(3, fewest - 2)))
    # What some of the splits attain together, as a threshold, refuses them.
    figures = {Fraction(1)}
    for some in product((True, False), repeat=len(pairs)):
        then = [
            [joined] if kept else pair
            for joined, pair, kept in zip(whole, pairs, some, strict=True)
        ]
        figures.add(paper([bucket for buckets in then for bucket in buckets] + rest, k))
    limit = data.draw(st.sampled_from(sorted(figures - {paper(whole + rest, k)})))
    buckets = Buckets(k)
    buckets.add(as_array(whole + rest))
    splits = [(place, one, other) for place, (one, other) in enumerate(pairs)]
    expected = split_in_turn(whole + rest, splits, k, limit)
    halved = as_array([half for pair in pairs for half in pair])
    done = buckets.split(as_array(whole), halved, float(limit))
    assert done.tolist() == expected
    now = rest + [
        bucket
        for pair, joined, was_split in zip(pairs, whole, done, strict=True)
        for bucket in (pair if was_split else [joined])
    ]
    assert len(buckets) == len(now)
    np.testing.assert_allclose(buckets.curve(), worst_case(as_array(now), k), rtol=1e-12)
    assert buckets.safe(float(limit))


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
def test_splits_that_are_safe_one_by_one_may_not_be_together(order: list[int]) -> None:
    even = as_array([[2] * 61])[0]
    halves = [[(as_array([SKEWED, TWOFOLD, [1] * 61])[place]), even] for place in order]
    whole = [one + other for one, other in halves]
    buckets = Buckets(2)
    buckets.add(np.array(whole))
    done = buckets.split(np.array(whole), np.concatenate(halves), 0.66)
    first = min(order.index(0), order.index(1))
    assert done.tolist() == [place == 2 or row == first for row, place in enumerate(order)]


def test_a_safe_set_discloses_strictly_less() -> None:
    buckets = Buckets(1)
    buckets.add(as_array(FIGURE_3))
    assert not buckets.safe(2 / 3)
    assert not buckets.safe(2 / 3 + 1e-10)  # within rounding: in doubt, unsafe
    assert buckets.safe(0.67)


# --- Sizes and refusals ---------------------------------------------------------------------------


def test_tiny_products_and_large_counts() -> None:
    large = as_array([[10**9, 1, 1, 1, 1]] * 100)
    curve = worst_case(large, 3)
    assert 1 - 1e-8 < curve[0] < curve[1] <= curve[3] <= 1.0
    uniform = worst_case(np.ones((3, 300), np.int64), 250)
    np.testing.assert_allclose(
        worst_case(np.ones((3, 300), np.int64), 250, "negations"), 1 / (300 - np.arange(251))
    )
    assert (np.diff(uniform) > 0).all()


def test_a_k_beyond_all_values_costs_nothing() -> None:
    curve = worst_case(as_array(FIGURE_3), 10**4)
    assert len(curve) == 10**4 + 1
    assert (curve[2:] == 1.0).all()
    assert len(witnesses(as_array(FIGURE_3), 7)[-1].antecedents) == 2
    for judge in (worst_case, witnesses):
        with pytest.raises(TooLarge, match="10001"):
            judge(as_array(FIGURE_3), 10**4 + 1)


@pytest.mark.parametrize("judge", [worst_case, witnesses])
@pytest.mark.parametrize(
    ("histograms", "k", "language", "message"),
    [
        ([[1, 1]], -1, "implications", "k is -1"),
        ([[1, 1]], 1.5, "implications", "k is 1.5"),
        ([[1, 1]], True, "implications", "k is True"),
        ([[1, 1]], 1, "lies", 'no language "lies"'),
        ([[1, 1], [0, 0]], 1, "negations", "row 2 of the histograms is no bucket"),
        ([[1, 1], [2, -1]], 1, "implications", "row 2 of the histograms is no bucket"),
        ([[]], 1, "implications", "no buckets"),
    ],
)
def test_refusals(judge, histograms, k, language, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        judge(np.array(histograms, dtype=np.int64), k, language)


def test_refusals_of_changes() -> None:
    buckets = Buckets(1)
    with pytest.raises(InvalidParameter, match="no buckets"):
        buckets.curve()
    buckets.add(as_array([[1, 2], [1, 2]]))
    with pytest.raises(InvalidParameter, match="row 2 of the histograms is not that of a bucket"):
        buckets.remove(as_array([[1, 2], [5, 5]]))
    with pytest.raises(InvalidParameter, match="among others"):
        buckets.figures(as_array([[4, 4]]))
    assert len(buckets) == 2
    with pytest.raises(TooLarge, match="k is 257"):
        Buckets(MOST_PIECES + 1)
    with pytest.raises(TooLarge):
        worst_case(np.ones((1, 1000), np.int64), 500)
