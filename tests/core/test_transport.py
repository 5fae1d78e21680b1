"""Transport between many values, where not all ways of moving mass are tried at once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from bkpriv_core.belief import transport
from bkpriv_core.belief.distance import emd_ordered, total_variation
from bkpriv_core.belief.transport import MOST_VALUES, emd
from bkpriv_core.errors import TooLarge
from bkpriv_core.table.groups import FloatArray
from tests.core.strategies import SOME
from tests.core.watching import polls_of

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def _beliefs(chance: np.random.Generator, m: int) -> tuple[FloatArray, FloatArray]:
    """Two beliefs, in which some values may have no probability."""
    p, q = chance.dirichlet(np.ones(m), 2) * (chance.random((2, m)) < chance.random((2, 1)))
    p[0] += 1e-3
    q[-1] += 1e-3
    return p / p.sum(), q / q.sum()


def _line(m: int) -> FloatArray:
    places = np.arange(m) / (m - 1)
    return np.abs(places[:, None] - places)


@SOME
@given(seeds, st.integers(60, 110))
def test_closed_forms_of_many_values(chance: np.random.Generator, m: int) -> None:
    p, q = _beliefs(chance, m)
    assert emd(p, q, _line(m)) == pytest.approx(emd_ordered(p, q), abs=1e-9)
    assert emd(p, q, 1.0 - np.eye(m)) == pytest.approx(total_variation(p, q), abs=1e-9)


@SOME
@given(seeds, st.integers(66, 120), st.booleans())
def test_uniform_beliefs_are_assigned(chance: np.random.Generator, m: int, few: bool) -> None:
    # Between two shares of 1/n, the least cost is that of the best assignment, found otherwise.
    n = m // 2
    ground = chance.integers(0, 4, (m, m)).astype(float) if few else chance.random((m, m))
    np.fill_diagonal(ground, 0.0)
    sources, targets = (chance.permutation(m)[:n] for _ in range(2))
    p, q = np.zeros((2, m))
    p[sources] = q[targets] = 1 / n
    costs = ground[np.ix_(sources, targets)]
    best = costs[linear_sum_assignment(costs)].sum() / n
    assert emd(p, q, ground) == pytest.approx(best, abs=1e-9)


@SOME
@given(seeds)
def test_as_if_all_ways_were_tried(chance: np.random.Generator) -> None:
    m = 70
    p, q = _beliefs(chance, m)
    ground = chance.random((m, m)) ** chance.integers(1, 6)
    np.fill_diagonal(ground, 0.0)
    balances = np.vstack((np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))[:-1]))
    whole = linprog(ground.ravel(), A_eq=balances, b_eq=np.concatenate((p, q[:-1])))
    assert emd(p, q, ground) == pytest.approx(whole.fun, abs=1e-8)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_scale_of_distances_does_not_matter(scale: float) -> None:
    p, q = _beliefs(np.random.default_rng(1), 20)
    assert emd(p, q, _line(20) * scale) == pytest.approx(emd_ordered(p, q) * scale, rel=1e-9)
    assert emd(p, q, np.zeros((20, 20))) == 0.0


def test_many_values_take_little_memory() -> None:
    # A matrix of all balances and all ways would be a gigabyte.
    m = 400
    p, q = _beliefs(np.random.default_rng(1), m)
    tracemalloc.start()
    try:
        assert emd(p, q, _line(m)) == pytest.approx(emd_ordered(p, q), abs=1e-9)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_too_many_values_are_refused() -> None:
    m = MOST_VALUES + 1
    with pytest.raises(TooLarge, match=str(m)):
        emd(np.full(m, 1 / m), np.full(m, 1 / m), _line(m))


def test_work_is_cancelled_between_rounds() -> None:
    p, q = np.random.default_rng(1).dirichlet(np.ones(150), 2)
    assert polls_of(lambda progress: emd(p, q, 1.0 - np.eye(150), progress)) >= 3


def test_what_was_not_finished_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_SECONDS", 1e-9)
    p, q = _beliefs(np.random.default_rng(1), 200)
    with pytest.raises(TooLarge, match="too long"):
        emd(p, q, _line(200))
