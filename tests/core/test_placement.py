"""Marginals of placements against all distinct orders."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief import placement as placement_module
from bkpriv_core.belief.placement import Placement
from tests.core import oracles
from tests.core.oracles import Belief
from tests.core.strategies import MANY, as_array
from tests.core.watching import Cancelled, cancelling


@st.composite
def problems(draw: st.DrawFn) -> tuple[tuple[int, ...], list[list[list[Fraction]]]]:
    """Capacities and several problems: weights of items by slots, zeros being common."""
    capacities: list[int] = draw(
        st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda sizes: sum(sizes) <= 6)
    )
    weight = st.integers(0, 4).map(lambda part: Fraction(part, 4))
    row = st.lists(weight, min_size=len(capacities), max_size=len(capacities))
    matrix = st.lists(row, min_size=sum(capacities), max_size=sum(capacities))
    return tuple(capacities), draw(st.lists(matrix, min_size=1, max_size=3))


def by_brute_force(capacities: tuple[int, ...], weights: list[list[Fraction]]) -> Sequence[Belief]:
    slots = [slot for slot, capacity in enumerate(capacities) for _ in range(capacity)]
    nothing = [[Fraction(0) for _ in capacities] for _ in weights]
    return oracles.exact_posterior(weights, slots) or nothing


@MANY
@given(problems(), st.data())
def test_marginals_by_brute_force(
    drawn: tuple[tuple[int, ...], list[list[list[Fraction]]]], data: st.DataObject
) -> None:
    capacities, matrices = drawn
    placement = Placement(capacities)
    assert (placement.items, placement.slots) == (sum(capacities), len(capacities))
    weights = np.stack([as_array(matrix) for matrix in matrices])
    expected = np.stack([as_array(by_brute_force(capacities, matrix)) for matrix in matrices])
    everything = np.ones(weights.shape[:2], dtype=bool)
    marginals = placement.marginals(weights, everything)
    np.testing.assert_allclose(marginals, expected, atol=1e-12)
    # Rows that nobody wants are left zero, whatever the other problems of the batch want.
    size = everything.size
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=bool)
    wanted = wanted.reshape(everything.shape)
    part = placement.marginals(weights, wanted)
    np.testing.assert_allclose(part, np.where(wanted[:, :, None], expected, 0.0), atol=1e-12)


@MANY
@given(problems(), st.data())
def test_slots_that_are_filled_in_part_by_brute_force(
    drawn: tuple[tuple[int, ...], list[list[list[Fraction]]]], data: st.DataObject
) -> None:
    """The last items are left to be placed into what is left of the slots."""
    capacities, matrices = drawn
    left = [[data.draw(st.integers(0, capacity)) for capacity in capacities] for _ in matrices]
    most = max(map(sum, left))
    assume(most > 0)
    weights = np.zeros((len(matrices), most, len(capacities)))
    expected = np.zeros_like(weights)
    for problem, (matrix, room) in enumerate(zip(matrices, left, strict=True)):
        items = matrix[: sum(room)]
        for item, row in enumerate(items, start=most - len(items)):
            weights[problem, item] = [
                float(part) if capacity else 0.0 for part, capacity in zip(row, room, strict=True)
            ]
        if items:
            expected[problem, most - len(items) :] = as_array(by_brute_force(tuple(room), items))
    wanted = np.ones(weights.shape[:2], dtype=bool)
    if len(capacities) == 1:
        wanted &= np.arange(most) >= most - np.array(left)
    marginals = Placement(capacities).marginals(weights, wanted, np.array(left))
    np.testing.assert_allclose(marginals, expected, atol=1e-12)


def test_batches_do_not_change_the_marginals(monkeypatch: pytest.MonkeyPatch) -> None:
    placement = Placement((2, 1, 1))
    weights = np.random.default_rng(1).random((7, 4, 3))
    wanted = np.random.default_rng(2).random((7, 4)) < 0.5
    whole = placement.marginals(weights, wanted)
    monkeypatch.setattr(placement_module, "_BATCH_FLOATS", 1)
    np.testing.assert_allclose(placement.marginals(weights, wanted), whole, atol=1e-15)


@pytest.mark.parametrize("kept", ["digits", "nothing"])
def test_tables_that_are_not_kept_do_not_change_the_marginals(
    kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(3).random((2, 7, 4))
    wanted = np.ones((2, 7), dtype=bool)
    whole = Placement((3, 2, 1, 1)).marginals(weights, wanted)
    monkeypatch.setattr(placement_module, "_KEPT_PLACES", 0)
    if kept == "nothing":
        monkeypatch.setattr(placement_module, "_KEPT_DIGITS", 0)
    np.testing.assert_allclose(
        Placement((3, 2, 1, 1)).marginals(weights, wanted), whole, atol=1e-15
    )


def test_many_small_weights_do_not_underflow() -> None:
    # 12 records and 12 values at 1e-40 each: the permanent is near 1e-470.
    weights = np.full((1, 12, 12), 1e-40)
    marginals = Placement((1,) * 12).marginals(weights, np.ones((1, 12), dtype=bool))
    np.testing.assert_allclose(marginals, 1 / 12, atol=1e-12)


def test_a_problem_of_small_weights_is_scaled_on_its_own() -> None:
    weights = np.stack([np.full((12, 12), 1e-40), np.ones((12, 12))])
    marginals = Placement((1,) * 12).marginals(weights, np.ones((2, 12), dtype=bool))
    np.testing.assert_allclose(marginals, 1 / 12, atol=1e-12)


def test_what_weighs_little_halfway_may_be_all_that_counts() -> None:
    """Half the items go to a slot that all but one of them shun, those that shun it least.

    The oracle: of kinds of items with odds x for the second slot, the weight of the ways in which
    a, b and c of them go there is a product of binomial coefficients and powers of the odds.
    """
    kinds = [(300, Fraction(1, 100)), (299, Fraction(1, 100_000)), (1, Fraction(1000))]
    total = going = Fraction(0)  # weights of all ways, and of those in which item 400 goes there
    for c in (0, 1):
        for a in range(1, 301 - c):
            taken = (a, 300 - c - a, c)
            ways = Fraction(1)
            for count, (number, odds) in zip(taken, kinds, strict=True):
                ways *= comb(number, count) * odds**count
            total += ways
            going += ways * Fraction(taken[1], kinds[1][0])
    second = np.repeat([float(odds) for _, odds in kinds], [number for number, _ in kinds])
    weights = np.column_stack((np.ones(600), second))[None]
    wanted = np.zeros((1, 600), dtype=bool)
    wanted[0, 400] = True
    marginals = Placement((300, 300)).marginals(weights, wanted)
    assert marginals[0, 400, 1] == pytest.approx(float(going / total), abs=1e-9)
    assert marginals[0, 400, 1] < 0.05


def test_forced_items_keep_the_rest_from_balance() -> None:
    # 20 items can only go to the first slot, so the others, who may, never do.
    weights = np.ones((1, 60, 2))
    weights[0, :20, 1] = 0.0
    marginals = Placement((20, 40)).marginals(weights, np.ones((1, 60), dtype=bool))
    np.testing.assert_array_equal(
        marginals[0], np.repeat([[1.0, 0.0], [0.0, 1.0]], [20, 40], axis=0)
    )


def test_a_large_slot_that_one_item_fits_into_cannot_be_filled() -> None:
    weights = np.ones((2, 3001, 2))
    weights[0, 1:, 0] = 0.0
    marginals = Placement((3000, 1)).marginals(weights, np.ones((2, 3001), dtype=bool))
    np.testing.assert_array_equal(marginals[0], 0.0)
    np.testing.assert_allclose(marginals[1], np.array([[3000, 1]]) / 3001 * np.ones((3001, 1)))


def test_the_scale_of_an_items_weights_does_not_matter() -> None:
    random = np.random.default_rng(2)
    weights = random.random((1, 5, 2))
    wanted = np.ones((1, 5), dtype=bool)
    scaled = weights * np.array([1e-90, 1e90, 1.0, 1e-30, 5.0])[None, :, None]
    placement = Placement((3, 2))
    np.testing.assert_allclose(
        placement.marginals(weights, wanted), placement.marginals(scaled, wanted), atol=1e-12
    )


def test_one_impossible_problem_leaves_the_others_alone() -> None:
    impossible = np.array([[1.0, 0.0], [1.0, 0.0]])
    certain = np.array([[1.0, 0.0], [0.5, 0.5]])
    marginals = Placement((1, 1)).marginals(
        np.stack([impossible, certain]), np.ones((2, 2), dtype=bool)
    )
    np.testing.assert_array_equal(marginals[0], 0.0)
    np.testing.assert_array_equal(marginals[1], np.eye(2))


def test_polling_can_cancel() -> None:
    with pytest.raises(Cancelled):
        Placement((2, 2)).marginals(
            np.ones((1, 4, 2)), np.ones((1, 4), dtype=bool), progress=cancelling(5)
        )
