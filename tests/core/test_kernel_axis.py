"""Weights along one axis against distances by definition, relative to each sum itself."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import kernel_axis as axis_module
from bkpriv_core.belief.kernel_axis import Axis, kernel_axis
from bkpriv_core.progress import SILENT
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from tests.core import oracles
from tests.core.oracles import Attribute
from tests.core.strategies import MANY, as_domain, attributes, bandwidths
from tests.core.watching import Watched

TIGHT = 1e-14


def made(domain: Domain, bandwidth: float, tabled: int = 0) -> Axis:
    """Make an axis of which more than `tabled` values are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axis_module, "_TABLED", tabled)
        return kernel_axis(domain, bandwidth)


def contracted(
    domain: Domain, bandwidth: float, tensor: FloatArray, *, tabled: int = 0, block: int = 128
) -> FloatArray:
    """Contract a tensor, that many neighbours at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axis_module, "_BLOCK", block)
        return made(domain, bandwidth, tabled).contract(tensor, SILENT)


def by_definition(attribute: Attribute, bandwidth: float) -> list[list[Fraction]]:
    """Weight of every pair of values, scaled to 1 for a value itself."""
    width = Fraction(bandwidth)
    most = oracles.epanechnikov(Fraction(0), width)
    return [
        [
            oracles.epanechnikov(oracles.distance(attribute, one, other), width) / most
            for other in attribute.values
        ]
        for one in attribute.values
    ]


def weighed(weights: list[list[Fraction]], tensor: FloatArray) -> FloatArray:
    """Weighted sums of a tensor of shape (before, size, after), as each value sees it."""
    return np.array(
        [
            [
                [
                    float(
                        sum(
                            weight * Fraction(float(counts))
                            for weight, counts in zip(row, slab[:, after], strict=True)
                        )
                    )
                    for after in range(tensor.shape[2])
                ]
                for row in weights
            ]
            for slab in tensor
        ]
    )


@st.composite
def lines(draw: st.DrawFn) -> tuple[Attribute, float]:
    """Integers whose range is a power of two, so that no rounding moves the edge of a window.

    Gaps of 1 next to gaps of billions; bandwidths that only the value itself is within, that reach
    others exactly, or almost, or everything.
    """
    exponent = draw(st.sampled_from([0, 3, 5, 20, 31]))
    span = 2**exponent
    near = st.integers(0, min(span, 40))
    place = st.one_of(near, near.map(lambda gap: span - gap), st.integers(0, span))
    numbers = sorted({0, span, *draw(st.lists(place, max_size=24))})
    null = (None,) if draw(st.booleans()) else ()
    gap = Fraction(draw(st.integers(1, max(numbers))), span)
    bandwidth = draw(
        st.one_of(
            bandwidths,
            st.just(float(gap)),
            st.sampled_from([1 - 1e-12, 1 + 1e-15, 1 + 1e-9, 3]).map(lambda x: float(gap) * x),
            st.sampled_from([1e-300, 1e-12, 1.0 / span, 1e9, 1e300]),
        )
    )
    values = {str(number): number for number in numbers}
    return Attribute("x", (*values, *null), numbers=values), bandwidth


@st.composite
def tensors(draw: st.DrawFn, size: int) -> FloatArray:
    """Counts of very different size, many of them none."""
    count = st.sampled_from([0, 0, 0, 1, 2, 7, 10**5, 10**9])
    before, after = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    counts = draw(st.lists(count, min_size=before * size * after, max_size=before * size * after))
    return np.array(counts, dtype=np.float64).reshape(before, size, after)


@MANY
@given(lines(), st.data())
def test_windows_of_numbers_are_exact_however_little_they_weigh(
    line: tuple[Attribute, float], data: st.DataObject
) -> None:
    attribute, bandwidth = line
    domain = as_domain(attribute)
    tensor = data.draw(tensors(domain.size))
    weights = by_definition(attribute, bandwidth)
    expected = weighed(weights, tensor)
    # No absolute tolerance: a billion records at the very edge of a window do not drown one within.
    for block in (1, 2, 3, 128):
        sums = contracted(domain, bandwidth, tensor, block=block)
        np.testing.assert_allclose(sums, expected, rtol=TIGHT)
    codes = np.arange(domain.size)
    exact = np.array([[float(weight) for weight in row] for row in weights])
    np.testing.assert_allclose(made(domain, bandwidth).pairs(codes, codes), exact, rtol=TIGHT)


@MANY
@given(attributes("q", max_values=7), bandwidths, st.data())
def test_every_kind_of_attribute_by_definition(
    attribute: Attribute, bandwidth: float, data: st.DataObject
) -> None:
    weights = by_definition(attribute, bandwidth)
    exact = np.array([[float(weight) for weight in row] for row in weights])
    tensor = data.draw(tensors(len(attribute.values)))
    codes = np.array(data.draw(st.lists(st.integers(0, len(exact) - 1), min_size=1, max_size=9)))
    largest = tensor.max(initial=1.0)
    domain = as_domain(attribute)
    for tabled in (0, 256):
        axis = made(domain, bandwidth, tabled)
        assert axis.size == len(exact)
        assert axis.sharp == np.array_equal(exact, np.eye(len(exact)))
        pairs = axis.pairs(codes, codes)
        np.testing.assert_allclose(pairs, exact[np.ix_(codes, codes)], rtol=TIGHT, atol=TIGHT)
        for block in (1, 2, 128):
            np.testing.assert_allclose(
                contracted(domain, bandwidth, tensor, tabled=tabled, block=block),
                weighed(weights, tensor),
                rtol=TIGHT,
                atol=TIGHT * largest,
            )


@MANY
@given(st.one_of(lines(), st.tuples(attributes("q"), bandwidths)))
def test_what_is_out_of_reach_weighs_nothing(drawn: tuple[Attribute, float]) -> None:
    attribute, bandwidth = drawn
    weights = by_definition(attribute, bandwidth)
    for tabled in (0, 256):
        first, last = made(as_domain(attribute), bandwidth, tabled).in_reach()
        assert (np.diff(first) >= 0).all()
        assert (np.diff(last) >= 0).all()
        for row, low, high in zip(weights, first, last, strict=True):
            assert not any(row[:low])
            assert not any(row[high:])


@given(
    st.lists(
        st.floats(-1e300, 1e300).map(lambda x: x if abs(x) > 1e-3 else 0.0),
        min_size=1,
        max_size=30,
        unique=True,
    ),
    st.one_of(bandwidths, st.sampled_from([1e-300, 1e-9, 1e9, 1.7e308])),
)
def test_any_numbers_and_bandwidths(numbers: list[float], bandwidth: float) -> None:
    positions = np.array(sorted(numbers))
    domain = Domain("x", tuple(map(str, positions)), positions)
    axis = made(domain, bandwidth)
    span = Fraction(positions[-1]) - Fraction(positions[0]) or Fraction(1)
    width = Fraction(bandwidth)
    gaps = [
        [abs(Fraction(one) - Fraction(other)) / span / width for other in positions]
        for one in positions
    ]
    exact = np.array([[float(max(Fraction(0), 1 - gap**2)) for gap in row] for row in gaps])
    codes = np.arange(axis.size)
    np.testing.assert_allclose(axis.pairs(codes, codes), exact, rtol=0, atol=1e-15)
    for block in (2, 128):
        seen = contracted(domain, bandwidth, np.eye(axis.size)[None], block=block)[0]
        np.testing.assert_allclose(seen, exact, rtol=0, atol=1e-14)


@pytest.mark.parametrize("numbers", [[0.0, 1.0, 2.0], [0.0, 1.0, 1e300], [1e-320, 2e-320]])
def test_the_least_bandwidth_there_is_knows_values_apart(numbers: list[float]) -> None:
    domain = Domain("x", tuple(map(str, numbers)), np.array(numbers))
    assert made(domain, 5e-324).sharp
    everyone = np.eye(len(numbers))[None]
    np.testing.assert_array_equal(contracted(domain, 5e-324, everyone), everyone)


def test_numbers_that_floats_cannot_tell_apart_are_at_distance_0() -> None:
    positions = np.array([2.0**53, 2.0**53, 2.0**53 + 2])
    domain = Domain("id", ("9007199254740992", "9007199254740993", "9007199254740994"), positions)
    assert not made(domain, 1e-9).sharp
    expected = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    np.testing.assert_array_equal(contracted(domain, 1e-9, np.eye(3)[None])[0], expected)


def test_nothing_but_null() -> None:
    domain = Domain("age", (None,), np.array([np.nan]))
    assert made(domain, 0.3).sharp
    four = np.full((1, 1, 1), 4.0)
    np.testing.assert_array_equal(contracted(domain, 0.3, four), four)


@pytest.mark.parametrize("bandwidth", [1e-6, 0.004, 0.3, 1.0, 40.0])
def test_many_dates_as_by_a_matrix(bandwidth: float) -> None:
    random = np.random.default_rng(5)
    # A crowd, stragglers, and a spike of unknown birth dates a day apart from nobody.
    days = np.concatenate((random.integers(20_000, 21_000, 1500), random.integers(0, 30_000, 800)))
    positions = np.unique(np.append(days, [-25_000, -24_999])) * 86_400.0
    domain = Domain("born", tuple(map(str, positions)), positions)
    axis = kernel_axis(domain, bandwidth)
    counts = random.integers(0, 3, (1, axis.size, 4)).astype(np.float64)
    counts[0, 0] = 50_000
    weights = np.maximum(0, 1 - (domain.distances / bandwidth) ** 2)
    np.testing.assert_allclose(axis.contract(counts, SILENT)[0], weights @ counts[0], rtol=1e-12)


def test_more_postcodes_than_any_matrix() -> None:
    # 20,000 values at distance 1: a weight of 5/9 at B = 1.5, and none at B = 1.
    labels = tuple(f"{number:05}" for number in range(20_000))
    domain = Domain("postcode", labels)
    assert kernel_axis(domain, 1.0).sharp
    axis = kernel_axis(domain, 1.5)
    assert not axis.sharp
    counts = np.arange(20_000, dtype=np.float64)[None, :, None]
    expected = counts * 4 / 9 + counts.sum() * 5 / 9
    np.testing.assert_allclose(axis.contract(counts, SILENT), expected, rtol=1e-13)


@pytest.mark.parametrize("bandwidth", [0.3, 1.5])
def test_long_work_polls(bandwidth: float) -> None:
    for domain in (
        Domain("n", tuple(map(str, range(1000))), np.arange(1000.0)),
        Domain("n", tuple(map(str, range(1000)))),
        Domain("n", tuple(map(str, range(100)))),
    ):
        polls: list[None] = []
        axis = kernel_axis(domain, bandwidth)
        axis.contract(np.ones((1, axis.size, 1)), Watched(lambda: polls.append(None)))  # noqa: B023
        assert polls or axis.sharp
