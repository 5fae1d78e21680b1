"""Bounds of posteriors: never on the wrong side, and narrow where records are alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import bounding as bounding_module
from bkpriv_core.belief.bethe import bethe
from bkpriv_core.belief.bounding import bounds
from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.exact import exact
from bkpriv_core.belief.interval import divergence_within
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.conftest import sample
from tests.core import oracles
from tests.core.oracles import Belief
from tests.core.strategies import MANY, as_array, as_groups, beliefs

ROUNDING = 1e-12


def bounded(
    prior: FloatArray, weights: IntArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds of one group."""
    return bounds(Groups.whole(len(prior)), weights, counts[None], prior)


def encloses(low: FloatArray, high: FloatArray, posterior: FloatArray) -> bool:
    return bool(((low <= posterior + ROUNDING) & (posterior <= high + ROUNDING)).all())


@MANY
@given(st.integers(1, 4), st.data())
def test_bounds_enclose_what_enumeration_finds(values: int, data: st.DataObject) -> None:
    prior = data.draw(st.lists(beliefs(values), min_size=1, max_size=6))
    secrets = [
        data.draw(st.sampled_from([value for value in range(values) if belief[value]]))
        for belief in prior
    ]
    told = oracles.exact_posterior(prior, secrets)
    assert told is not None
    counts = np.bincount(secrets, minlength=values)
    low, high = bounded(as_array(prior), np.ones(len(prior), dtype=np.int64), counts)
    assert encloses(low, high, as_array(told))
    assert (low >= 0).all()
    assert (low <= high).all()
    assert (high <= 1).all()
    assert (high[:, counts == 0] == 0).all()


def drawn(random: np.random.Generator) -> tuple[FloatArray, IntArray, IntArray]:
    """A group: priors that are alike or not, with impossible values or not; records; counts."""
    values, members = int(random.integers(1, 7)), int(random.integers(1, 9))
    prior = random.dirichlet(np.full(values, random.choice([0.1, 1.0, 8.0])), members)
    prior = prior ** random.choice([1, 1, 20])
    prior[random.random(prior.shape) < random.choice([0.0, 0.0, 0.3])] = 0.0
    empty = prior.sum(axis=1) == 0
    prior[empty, 0] = 1.0
    prior /= prior.sum(axis=1, keepdims=True)
    weights = random.integers(1, random.choice([2, 4]), members)
    counts = np.zeros(values, dtype=np.int64)
    for belief, weight in zip(prior, weights.tolist(), strict=True):
        counts += random.multinomial(weight, belief / belief.sum())
    return prior, weights.astype(np.int64), counts


def test_bounds_enclose_exact_beliefs_about_two_thousand_groups() -> None:
    random, narrow, trials = np.random.default_rng(31), 0, sample(2000)
    for _ in range(trials):
        prior, weights, counts = drawn(random)
        low, high = bounded(prior, weights, counts)
        (told,) = exact(Groups.whole(len(prior)), weights, counts[None], (prior,))
        assert encloses(low, high, told), (prior.tolist(), weights, counts)
        narrow += bool((high - low).max() < 0.05)
    # Bounds that say nothing would enclose everything.
    assert narrow > trials / 3


def test_bounds_hold_where_odds_are_many_orders_apart() -> None:
    random = np.random.default_rng(7)
    for _ in range(sample(300)):
        values, members = int(random.integers(2, 5)), int(random.integers(2, 7))
        orders = random.integers(0, random.choice([3, 30, 100, 290]), (members, values))
        rows = [[Fraction(1, 10 ** int(order)) for order in row] for row in orders]
        prior: list[Belief] = [[each / sum(row) for each in row] for row in rows]
        secrets = random.integers(0, values, members).tolist()
        counts = np.bincount(secrets, minlength=values)
        told = oracles.posterior_by_equation_3(prior, tuple(counts.tolist()))
        low, high = bounded(as_array(prior), np.ones(members, dtype=np.int64), counts)
        assert encloses(low, high, as_array(told)), (orders.tolist(), counts)


def test_bounds_are_narrow_where_records_are_alike() -> None:
    random = np.random.default_rng(3)
    base = random.dirichlet(np.ones(8))
    prior = base * random.uniform(0.7, 1.4, (40, 8))
    prior /= prior.sum(axis=1, keepdims=True)
    weights = np.full(40, 2, dtype=np.int64)
    counts = random.multinomial(weights, prior).sum(axis=0)
    low, high = bounded(prior, weights, counts)
    assert (high - low).max() < 0.15
    _, most = divergence_within(prior, low, high)
    (told,) = bethe(Groups.whole(40), weights, counts[None], prior)[:1]
    assert (most - js_divergence(prior, told)).max() < 0.02


def test_alike_records_have_their_shares() -> None:
    prior = np.tile([0.5, 0.3, 0.2], (5, 1))
    low, high = bounded(prior, np.array([1, 2, 3, 1, 1]), np.array([4, 0, 4]))
    np.testing.assert_allclose(low, np.tile([0.5, 0.0, 0.5], (5, 1)), atol=1e-8)
    np.testing.assert_allclose(high, np.tile([0.5, 0.0, 0.5], (5, 1)), atol=1e-8)


def test_groups_do_not_influence_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    drawn_ = [drawn(random) for _ in range(30)]
    values = max(len(counts) for _, _, counts in drawn_)
    lists, start = [], 0
    prior, weights, counts = [], [], []
    for rows, records, histogram in drawn_:
        lists.append(list(range(start, start + len(rows))))
        start += len(rows)
        wider = [(0, 0), (0, values - rows.shape[1])]
        prior.append(np.pad(rows, wider))
        weights.append(records)
        counts.append(np.pad(histogram, wider[1]))
    whole = as_groups(lists), np.concatenate(weights), np.array(counts), np.concatenate(prior)
    together = bounds(*whole)
    monkeypatch.setattr(bounding_module, "_CHUNK_FLOATS", 1)
    for one, other in zip(together, bounds(*whole), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_of_groups_that_are_too_large_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    prior = np.tile([0.5, 0.3, 0.2], (5, 1))
    monkeypatch.setattr(bounding_module, "_MOST_FLOATS", 5 * 2**2 - 1)
    low, high = bounded(prior, np.ones(5, dtype=np.int64), np.array([3, 2, 0]))
    assert (low == 0).all()
    np.testing.assert_array_equal(high, np.tile([1.0, 1.0, 0.0], (5, 1)))
