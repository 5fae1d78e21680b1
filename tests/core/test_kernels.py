"""The Epanechnikov kernel and what may be its bandwidth."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.kernels import check_bandwidth, epanechnikov
from bkpriv_core.errors import InvalidParameter, as_json
from tests.core import oracles
from tests.core.strategies import bandwidths


def test_weights_by_hand() -> None:
    weights = epanechnikov(np.array([0.0, 0.25, 0.5, 0.75]), 0.5)
    np.testing.assert_array_equal(weights, [1.0, 0.75, 0.0, 0.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), bandwidths)
def test_weights_are_the_kernel_up_to_its_constant(
    distances: list[float], bandwidth: float
) -> None:
    constant = Fraction(3, 4) / Fraction(bandwidth)
    expected = [
        float(oracles.epanechnikov(Fraction(x), Fraction(bandwidth)) / constant) for x in distances
    ]
    np.testing.assert_allclose(epanechnikov(np.array(distances), bandwidth), expected, atol=1e-14)


@pytest.mark.parametrize("bandwidth", [1, 0.3, 1e-9, 17.5])
def test_a_positive_number_is_a_bandwidth(bandwidth: float) -> None:
    checked = check_bandwidth(bandwidth, "the bandwidth")
    assert checked == bandwidth
    assert isinstance(checked, float)


@pytest.mark.parametrize(
    "bandwidth", [0, -0.3, float("nan"), float("inf"), True, False, "0.3", None, [0.3], 0.3j]
)
def test_anything_else_is_not(bandwidth: object) -> None:
    with pytest.raises(InvalidParameter) as caught:
        check_bandwidth(bandwidth, 'the bandwidth of "age"')
    assert 'the bandwidth of "age"' in caught.value.message
    assert as_json(bandwidth) in caught.value.message
    assert re.search("which is not (a number|above 0)$", caught.value.message)
    assert caught.value.hint


def test_a_number_beyond_all_floats() -> None:
    with pytest.raises(InvalidParameter, match="not a number"):
        check_bandwidth(10**400, "the bandwidth")
