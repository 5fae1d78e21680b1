"""Distances of beliefs: the five desiderata, definitions, closed forms against transport."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.distance import (
    BeliefDistance,
    check_distributions,
    check_ground,
    emd_equal,
    emd_hierarchical,
    emd_ordered,
    js_divergence,
    kl_divergence,
    total_variation,
)
from bkpriv_core.belief.transport import emd
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from tests.core import oracles
from tests.core.oracles import Attribute, Belief
from tests.core.strategies import MANY, SOME, as_array, as_domain, attributes, bandwidths, beliefs

SALARIES = tuple(f"{salary}K" for salary in range(30, 100, 10))
SALARY = Domain("salary", SALARIES, positions=np.arange(30.0, 100.0, 10.0))


def even(*salaries: str) -> FloatArray:
    """Belief that the salary is one of some, all being equally likely."""
    belief = np.zeros(len(SALARIES))
    belief[[SALARIES.index(salary) for salary in salaries]] = 1 / len(salaries)
    return belief


@st.composite
def two_beliefs(draw: st.DrawFn, *, positive: bool = False) -> tuple[Attribute, Belief, Belief]:
    attribute = draw(attributes("s"))
    size = len(attribute.values)
    return (
        attribute,
        draw(beliefs(size, positive=positive)),
        draw(beliefs(size, positive=positive)),
    )


# --- The five desiderata (Li, Li, Zhang 2009, section IV-B.1) -------------------------------------


@MANY
@given(two_beliefs(), bandwidths)
def test_identity_of_indiscernibles(
    drawn: tuple[Attribute, Belief, Belief], bandwidth: float
) -> None:
    attribute, p, _ = drawn
    measure = BeliefDistance.over(as_domain(attribute), bandwidth)
    belief = as_array([p])
    assert measure(belief, belief) == pytest.approx(0.0, abs=1e-12)


@MANY
@given(two_beliefs(), bandwidths)
def test_non_negativity(drawn: tuple[Attribute, Belief, Belief], bandwidth: float) -> None:
    attribute, p, q = drawn
    distances = BeliefDistance.over(as_domain(attribute), bandwidth)(as_array([p]), as_array([q]))
    assert 0.0 <= distances[0] <= 1.0


def test_probability_scaling() -> None:
    # From .01 to .11 is a rise by 1000 %, from .4 to .5 one by 25 %; EMD sees .1 in both.
    small, large = (
        (np.array([0.01, 0.99]), np.array([0.11, 0.89])),
        (np.array([0.4, 0.6]), np.array([0.5, 0.5])),
    )
    flat = BeliefDistance.over(Domain("s", ("sick", "well")))
    numeric = BeliefDistance.over(SALARY, 0.75)
    apart = np.zeros((2, len(SALARIES)))
    assert flat(*small) > 5 * flat(*large)
    for row, pair in enumerate((small, large)):
        p, q = (np.zeros(len(SALARIES)) for _ in pair)
        p[[0, -1]], q[[0, -1]] = pair
        apart[row, 0] = numeric(p, q)
    assert apart[0, 0] > apart[1, 0] > 0
    assert emd_equal(*small) == pytest.approx(0.1, abs=1e-15)
    assert emd_equal(*large) == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("bandwidth", [0.1, 0.75, 2.0])
def test_zero_probability_definability(bandwidth: float) -> None:
    certain, other = np.eye(len(SALARIES))[[0, -1]]
    measure = BeliefDistance.over(SALARY, bandwidth)
    for p, q in product((certain, other, even("30K", "60K")), repeat=2):
        assert math.isfinite(measure(p, q))
    assert measure(certain, other) > 0
    # The fault of Kullback-Leibler:
    assert kl_divergence(certain, other) == math.inf


def test_semantic_awareness() -> None:
    # {30K, 40K} is nearer to {50K, 60K} than to {80K, 90K}.
    here, near, far = even("30K", "40K"), even("50K", "60K"), even("80K", "90K")
    measure = BeliefDistance.over(SALARY, 0.75)
    assert 0 < measure(here, near) < measure(here, far)
    # Unblended, values are alike or not:
    plain = BeliefDistance.over(SALARY)
    assert plain(here, near) == plain(here, far) == js_divergence(here, far) == 1.0


# --- Definitions ----------------------------------------------------------------------------------


@MANY
@given(two_beliefs())
def test_divergences_by_definition(drawn: tuple[Attribute, Belief, Belief]) -> None:
    _, p, q = drawn
    one, other = as_array([p])[0], as_array([q])[0]
    assert kl_divergence(one, other) == pytest.approx(oracles.kl_divergence(p, q), abs=1e-12)
    assert js_divergence(one, other) == pytest.approx(oracles.js_divergence(p, q), abs=1e-12)
    halves = sum(abs(float(a) - float(b)) for a, b in zip(p, q, strict=True)) / 2
    assert total_variation(one, other) == pytest.approx(halves, abs=1e-15)


@pytest.mark.parametrize(
    ("p", "q", "kl", "js", "variation"),
    [
        ([1.0, 0.0], [0.0, 1.0], math.inf, 1.0, 1.0),
        ([1.0, 0.0], [0.5, 0.5], 1.0, 0.3112781244591328, 0.5),
        ([0.5, 0.5], [0.25, 0.75], 0.20751874963942185, 0.04879494069539847, 0.25),
        ([0.3, 0.7], [0.3, 0.7], 0.0, 0.0, 0.0),
        ([1.0], [1.0], 0.0, 0.0, 0.0),
    ],
)
def test_divergences_by_hand(
    p: list[float], q: list[float], kl: float, js: float, variation: float
) -> None:
    # KL of row 3: 1/2 log2(4/3); JS of row 2: 3/2 - 3/4 log2 3; of row 3: H(3/8) - (1 + H(1/4))/2.
    one, other = np.array(p), np.array(q)
    assert kl_divergence(one, other) == pytest.approx(kl, abs=1e-15)
    assert js_divergence(one, other) == pytest.approx(js, abs=1e-12)
    assert js_divergence(other, one) == pytest.approx(js, abs=1e-12)
    assert total_variation(one, other) == pytest.approx(variation, abs=1e-15)


@MANY
@given(two_beliefs(), st.integers(1, 4))
def test_beliefs_of_any_shape_are_compared_row_by_row(
    drawn: tuple[Attribute, Belief, Belief], copies: int
) -> None:
    attribute, p, q = drawn
    one, other = as_array([p])[0], as_array([q])[0]
    stacked = np.stack([one, other] * copies).reshape(copies, 2, -1)
    reverse = stacked[:, ::-1]
    measure = BeliefDistance.over(as_domain(attribute), 0.75)
    for function in (kl_divergence, js_divergence, total_variation, emd_ordered, measure):
        distances = function(stacked, reverse)
        assert distances.shape == (copies, 2)
        np.testing.assert_allclose(distances[:, 0], function(one, other), atol=1e-12)
        np.testing.assert_allclose(distances[:, 1], function(other, one), atol=1e-12)


@SOME
@given(two_beliefs(), bandwidths)
def test_smoothing_by_definition(drawn: tuple[Attribute, Belief, Belief], bandwidth: float) -> None:
    attribute, p, q = drawn
    measure = BeliefDistance.over(as_domain(attribute), bandwidth)
    blended = measure.smooth(as_array([p, q]))
    expected = [oracles.smooth(attribute, belief, bandwidth) for belief in (p, q)]
    np.testing.assert_allclose(blended, as_array(expected), atol=1e-12)
    figure = measure(as_array([p]), as_array([q]))[0]
    assert figure == pytest.approx(oracles.belief_distance(attribute, p, q, bandwidth), abs=1e-12)
    smoothed, entropy = measure.prepare(as_array([p]))
    prepared = measure.from_prepared(smoothed, entropy, as_array([q]))[0]
    assert prepared == pytest.approx(figure, abs=1e-12)


def test_smoothing_by_hand() -> None:
    # Three numbers at distances 0, 1/2, 1, bandwidth 1: weights 1, 3/4, 0. Certain of the first:
    # (1 / 1.75, .75 / 2.5, 0), summing to .8714..., renormalised.
    domain = Domain("s", ("1", "2", "3"), positions=np.array([1.0, 2.0, 3.0]))
    smoothed = BeliefDistance.over(domain, 1.0).smooth(np.array([1.0, 0.0, 0.0]))
    first, second = 1 / 1.75, 0.75 / 2.5
    np.testing.assert_allclose(
        smoothed, np.array([first, second, 0]) / (first + second), atol=1e-15
    )


def test_three_quarters_smooth_siblings_of_height_two_and_a_half_does_not() -> None:
    paths = {"a": ("a", "x", "*"), "b": ("b", "x", "*"), "c": ("c", "y", "*")}
    domain = as_domain(Attribute("s", ("a", "b", "c"), paths=paths))
    one, sibling, stranger = np.eye(3)
    usual, half = BeliefDistance.over(domain, 0.75), BeliefDistance.over(domain, 0.5)
    assert usual(one, sibling) < usual(one, stranger) == 1.0
    assert half(one, sibling) == half(one, stranger) == 1.0


@pytest.mark.parametrize("bandwidth", [0, -1.0, float("nan"), True])
def test_smoothing_needs_a_positive_bandwidth(bandwidth: float) -> None:
    with pytest.raises(InvalidParameter, match="the smoothing bandwidth"):
        BeliefDistance.smoothed(np.zeros((1, 1)), bandwidth)


@SOME
@given(two_beliefs())
def test_unblended_beliefs_are_compared_as_they_are(
    drawn: tuple[Attribute, Belief, Belief],
) -> None:
    attribute, p, q = drawn
    measure = BeliefDistance.over(as_domain(attribute))
    one, other = as_array([p]), as_array([q])
    assert measure.smooth(one) is one  # no multiplication
    assert measure.images == (None,)
    expected = oracles.js_divergence(p, q)
    assert measure(one, other)[0] == pytest.approx(expected, abs=1e-12)
    prepared = measure.from_prepared(*measure.prepare(one), other)[0]
    assert prepared == pytest.approx(expected, abs=1e-12)


def test_blending_hides_certainty() -> None:
    """A reader who comes to be sure of one of 21 numbers moves by a twentieth of a bit."""
    number = Domain("s", tuple(map(str, range(21))), positions=np.arange(21.0))
    before, after = np.full(21, 1 / 21), np.eye(21)[10]
    assert BeliefDistance.over(number, 0.75)(before, after) < 0.05
    assert BeliefDistance.over(number)(before, after) > 0.8


# --- Earth mover's distance -----------------------------------------------------------------------


@SOME
@given(attributes("s"), st.data())
def test_the_transport_oracle_is_the_best_assignment_of_units(
    attribute: Attribute, data: st.DataObject
) -> None:
    size = len(attribute.values)
    units = st.lists(st.integers(0, size - 1), min_size=5, max_size=5)
    p, q = data.draw(units), data.draw(units)
    for ground in ("equal", "ordered", "hierarchical"):
        costs = oracles.ground_distances(attribute, ground)
        distance = oracles.earth_movers_distance(
            [Fraction(p.count(value), 5) for value in range(size)],
            [Fraction(q.count(value), 5) for value in range(size)],
            costs,
        )
        assert distance == oracles.assignment_distance(p, q, costs)


@SOME
@given(two_beliefs())
def test_closed_forms_and_linear_programme_against_transport(
    drawn: tuple[Attribute, Belief, Belief],
) -> None:
    attribute, p, q = drawn
    one, other = as_array([p])[0], as_array([q])[0]
    domain = as_domain(attribute)
    for ground in ("equal", "ordered", "hierarchical"):
        costs = oracles.ground_distances(attribute, ground)
        expected = float(oracles.earth_movers_distance(p, q, costs))
        assert emd(one, other, as_array(costs)) == pytest.approx(expected, abs=1e-9)
        if ground == "equal":
            assert emd_equal(one, other) == pytest.approx(expected, abs=1e-12)
        elif ground == "ordered":
            assert emd_ordered(one, other) == pytest.approx(expected, abs=1e-12)
        elif attribute.numbers is None:
            distance = emd_hierarchical(one, other, domain.membership)
            assert distance == pytest.approx(expected, abs=1e-12)


@SOME
@given(two_beliefs(), st.data())
def test_linear_programme_under_any_ground(
    drawn: tuple[Attribute, Belief, Belief], data: st.DataObject
) -> None:
    _, p, q = drawn
    size = len(p)
    prices = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    costs = [[Fraction(price) for price in data.draw(prices)] for _ in range(size)]
    for value in range(size):
        costs[value][value] = Fraction(0)
    distance = emd(as_array([p])[0], as_array([q])[0], as_array(costs))
    assert distance == pytest.approx(float(oracles.earth_movers_distance(p, q, costs)), abs=1e-9)


def test_emd_by_hand() -> None:
    # {3K, 4K, 5K} of {3K ... 11K}: .375; {6K, 8K, 11K}: .167 (Li, Li, Venkatasubramanian 2007,
    # section V-A.1, the salary example of t-closeness).
    whole = np.full(9, 1 / 9)
    low, spread = np.zeros(9), np.zeros(9)
    low[[0, 1, 2]] = spread[[3, 5, 8]] = 1 / 3
    assert emd_ordered(low, whole) == pytest.approx(0.375, abs=1e-12)
    assert emd_ordered(spread, whole) == pytest.approx(1 / 6, abs=1e-12)
    # All mass one step up and down a tree of height two, then over the root.
    tree = np.array(
        [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 0], [0, 1, 0]]], dtype=float
    )
    first, sibling, stranger = np.eye(3)
    assert emd_hierarchical(first, sibling, tree) == 0.5
    assert emd_hierarchical(first, stranger, tree) == 1.0
    assert emd_equal(np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5])) == 0.5


@pytest.mark.parametrize("function", [emd_equal, emd_ordered])
def test_emd_of_the_only_value_is_zero(function: object) -> None:
    assert function(np.ones(1), np.ones(1)) == 0.0  # type: ignore[operator]
    assert emd(np.ones(1), np.ones(1), np.zeros((1, 1))) == 0.0


# --- Validation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("distributions", "words", "detail"),
    [
        (([[0.5, 0.5]],), "one-dimensional", "1 x 2"),
        (([],), "non-empty", "shapes are 0."),
        (([1.0], [0.5, 0.5]), "equal length", "1 and 2"),
        (([1.5, -0.5],), "negative", "-0.5 to 1.5"),
        (([float("nan"), 1.0],), "non-finite", "nan"),
        (([float("inf"), 0.0],), "non-finite", "inf"),
        (([0.5, 0.5], [0.5, 0.4]), "does not sum to 1", "0.9"),
    ],
)
def test_what_is_no_distribution(
    distributions: tuple[list[float], ...], words: str, detail: str
) -> None:
    with pytest.raises(InvalidParameter, match=words) as caught:
        check_distributions(*(np.array(belief, dtype=float) for belief in distributions))
    assert detail in caught.value.detail
    assert "sum to 1" in caught.value.hint


@given(two_beliefs())
def test_distributions_pass(drawn: tuple[Attribute, Belief, Belief]) -> None:
    _, p, q = drawn
    check_distributions(as_array([p])[0], as_array([q])[0])


@pytest.mark.parametrize(
    ("ground", "words"),
    [
        ([[0.0, 1.0]], "not a square matrix"),
        ([[0.0]], "not a square matrix"),
        ([[0.0, -1.0], [1.0, 0.0]], "non-negative"),
        ([[0.0, float("nan")], [1.0, 0.0]], "finite"),
        ([[0.1, 1.0], [1.0, 0.0]], "zero on the diagonal"),
    ],
)
def test_what_is_no_ground(ground: list[list[float]], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        check_ground(np.array(ground), 2)


def test_a_ground_need_not_be_symmetric() -> None:
    check_ground(np.array([[0.0, 2.0], [0.5, 0.0]]), 2)
