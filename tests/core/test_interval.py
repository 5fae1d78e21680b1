"""Intervals of beliefs: figures of every belief within bounds are within theirs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.breach import Breach
from bkpriv_core.belief.distance import BeliefDistance, Distance
from bkpriv_core.belief.interval import blends_within, classes_within, divergence_within
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.hierarchy import Hierarchy
from tests.core import oracles
from tests.core.strategies import MANY

ROUNDING = 1e-9


@st.composite
def enclosed(draw: st.DrawFn, size: int | None = None) -> tuple[FloatArray, ...]:
    """A prior, a posterior, and bounds of it, narrow or wide, shape (1, m) each."""
    values = size or draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    prior, posterior = random.dirichlet(np.full(values, draw(st.sampled_from([0.2, 1.0]))), 2)
    width = draw(st.sampled_from([0.0, 0.01, 0.2, 1.0])) * random.random((2, values))
    low, high = np.maximum(posterior - width[0], 0.0), np.minimum(posterior + width[1], 1.0)
    return prior[None], posterior[None], low[None], high[None]


@MANY
@given(enclosed())
def test_divergences_are_within_their_bounds(rows: tuple[FloatArray, ...]) -> None:
    prior, posterior, low, high = rows
    least, most = divergence_within(prior, low, high)
    true = oracles.js_divergence(prior[0].tolist(), posterior[0].tolist())
    assert least[0] <= true + ROUNDING
    assert true <= most[0] + ROUNDING
    if (high - low).max() < 1e-12:
        assert most[0] <= true + 1e-6


def test_a_divergence_that_cannot_be_small_has_a_lower_bound() -> None:
    prior = np.array([[0.05, 0.95]])
    least, most = divergence_within(prior, np.array([[0.8, 0.0]]), np.array([[1.0, 0.2]]))
    assert 0.4 < least[0] <= most[0] <= 1.0


def test_the_largest_divergence_within_bounds_is_nearly_reached() -> None:
    prior = np.array([[0.4, 0.3, 0.3]])
    low, high = np.array([[0.1, 0.2, 0.0]]), np.array([[0.7, 0.6, 0.5]])
    corners = [
        row
        for row in np.array(np.meshgrid(*[np.linspace(0, 1, 51)] * 2)).reshape(2, -1).T
        if (row >= low[0, :2]).all() and (row <= high[0, :2]).all() and 0.5 <= sum(row) <= 1.0
    ]
    largest = max(
        oracles.js_divergence(prior[0].tolist(), [*row.tolist(), 1 - float(sum(row))])
        for row in corners
    )
    (most,) = divergence_within(prior, low, high)[1]
    assert largest - ROUNDING <= most <= 1.5 * largest


@MANY
@given(enclosed(), st.integers(0, 2**32))
def test_images_are_within_their_bounds(rows: tuple[FloatArray, ...], seed: int) -> None:
    _, posterior, low, high = rows
    random = np.random.default_rng(seed)
    having = random.integers(0, 2, (posterior.shape[1], 4)).astype(np.float64)
    smoother = random.random((posterior.shape[1],) * 2) + np.eye(posterior.shape[1])
    blended = posterior @ smoother
    for image, (least, most) in (
        (posterior @ having, classes_within(having, low, high)),
        (blended / blended.sum(), blends_within(smoother, low, high)),
        (posterior, classes_within(None, low, high)),
    ):
        assert (least <= image + ROUNDING).all()
        assert (image <= most + ROUNDING).all()


TREE = Hierarchy({leaf: (leaf, leaf[0], "*") for leaf in ("a1", "a2", "b1", "b2", "b3")})
DISEASE = Domain("disease", tuple(TREE.paths), hierarchy=TREE)
FIGURES: tuple[Distance, ...] = (
    BeliefDistance.over(DISEASE),
    BeliefDistance.over(DISEASE, 0.75),
    Breach(DISEASE, None, 0.5),
)


@MANY
@given(enclosed(5), st.sampled_from(FIGURES))
def test_figures_are_within_their_bounds(rows: tuple[FloatArray, ...], figure: Distance) -> None:
    prior, posterior, low, high = rows
    smoothed, entropy = figure.prepare(prior)
    (true,) = figure.from_prepared(smoothed, entropy, posterior)
    least, most = figure.within(smoothed, low, high)
    assert least[0] <= true + ROUNDING
    assert true <= most[0] + ROUNDING
