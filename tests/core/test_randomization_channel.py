"""Channels and their Kronecker products, against matrices that are formed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT
from bkpriv_core.randomization.channel import Blend, Channel, check_scheme, distorted
from bkpriv_core.table import kronecker
from bkpriv_core.table.groups import FloatArray
from tests.core.randomization_oracles import dense, kron
from tests.core.strategies import MANY

sizes = st.integers(2, 6)


@st.composite
def some_channels(draw: st.DrawFn) -> list[Channel]:
    """Channels of up to three attributes, that tell something."""
    return [
        Channel(size, (1 + draw(st.floats(0.01, 1)) * (size - 1)) / size)
        for size in draw(st.lists(sizes, max_size=3))
    ]


def matrix(blend: Blend) -> FloatArray:
    """The matrix that a blend stands for, column by column."""
    formed: FloatArray = blend.contract(np.eye(blend.size)[None], SILENT)[0]
    return formed


def steeper(channel: Channel, by: float) -> FloatArray:
    """The matrix of a channel that keeps values more often."""
    return dense(channel.size, channel.retention + by)


@MANY
@given(sizes, st.floats(0.01, 0.99))
def test_the_matrices_of_a_channel(size: int, share: float) -> None:
    channel = Channel(size, (1 + share * (size - 1)) / size)
    formed = dense(size, channel.retention)
    assert formed.sum(axis=0) == pytest.approx(1)
    np.testing.assert_allclose(matrix(channel.forward), formed)
    np.testing.assert_allclose(matrix(channel.square), formed**2)
    np.testing.assert_allclose(matrix(channel.inverse) @ formed, np.eye(size), atol=1e-9)
    assert channel.gap == pytest.approx(formed[0, 0] - formed[0, 1])
    assert channel.epsilon == pytest.approx(math.log(formed[0, 0] / formed[0, 1]))
    step = 1e-6
    slope = (steeper(channel, step) - steeper(channel, -step)) / (2 * step)
    np.testing.assert_allclose(matrix(channel.drift) @ formed, slope, atol=1e-8)
    slope = (steeper(channel, step) ** 2 - steeper(channel, -step) ** 2) / (2 * step)
    np.testing.assert_allclose(matrix(channel.square_drift) @ formed**2, slope, atol=1e-8)


@MANY
@given(sizes, st.floats(-3, 3), st.floats(-3, 3))
def test_a_blend_of_eigenvalues(size: int, level: float, contrast: float) -> None:
    blend = Blend.of(size, level, contrast)
    np.testing.assert_allclose(matrix(blend) @ np.ones(size), np.full(size, level), atol=1e-9)
    uneven = np.eye(size)[0] - np.eye(size)[1]
    np.testing.assert_allclose(matrix(blend) @ uneven, contrast * uneven, atol=1e-9)


def test_a_channel_that_keeps_everything_says_so() -> None:
    assert Channel(4, 1.0).epsilon == math.inf
    assert Channel(4, 1.0).flip == 0.0
    # Of one value nothing is told by whether it is kept.
    assert Channel(1, 1.0).epsilon == 0.0
    assert Channel(1, 1.0).flip == 0.0


@MANY
@given(some_channels(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_a_kronecker_product_is_applied_as_if_it_were_formed(
    channels: list[Channel], apart: int, seed: int
) -> None:
    shape = (*(channel.size for channel in channels), apart)
    tensor = np.random.default_rng(seed).normal(size=shape)
    product = kron([dense(channel.size, channel.retention) for channel in channels])
    rows = tensor.reshape(len(product), apart)
    forward = kronecker.apply([channel.forward for channel in channels], tensor)
    assert forward.shape == shape
    np.testing.assert_allclose(forward.reshape(rows.shape), product @ rows, atol=1e-12)
    squares = kronecker.apply([channel.square for channel in channels], tensor)
    np.testing.assert_allclose(squares.reshape(rows.shape), product**2 @ rows, atol=1e-12)
    inverse = kronecker.apply([channel.inverse for channel in channels], forward)
    np.testing.assert_allclose(inverse, tensor, rtol=1e-6, atol=1e-6)


def test_schemes() -> None:
    assert distorted(check_scheme("rr-s"), 2) == (False, False, True)
    assert distorted(check_scheme("rr-qi"), 2) == (True, True, False)
    assert distorted(check_scheme("rr-both"), 2) == (True, True, True)
    with pytest.raises(InvalidParameter) as refused:
        check_scheme("rr")
    assert refused.value.message == 'there is no scheme "rr"'
    assert refused.value.hint == "Schemes are rr-s, rr-qi, rr-both."
