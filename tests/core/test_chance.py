"""Chance: orders and numbers, fairly drawn from where they are said to be drawn."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from bkpriv_core.table.chance import Chance, SecretChance, SeededChance

BOTH = pytest.mark.parametrize("chance", [SecretChance(), SeededChance(7)])


@given(st.integers(0, 300), st.integers(0, 9))
def test_an_order_holds_everything_once(size: int, seed: int) -> None:
    for chance in (SecretChance(), SeededChance(seed)):
        order = chance.order(size)
        assert order.dtype == np.int64
        assert sorted(order.tolist()) == list(range(size))


@BOTH
def test_all_orders_are_equally_likely(chance: Chance) -> None:
    # Of 6,000 draws each order of three has 1,000 with a standard deviation of 29.
    orders = Counter(tuple(chance.order(3).tolist()) for _ in range(6_000))
    assert len(orders) == 6
    assert all(abs(count - 1_000) < 29 * 7 for count in orders.values())


@BOTH
def test_numbers_are_uniform_and_independent(chance: Chance) -> None:
    drawn = chance.uniform(200_000)
    assert drawn.dtype == np.float64
    assert drawn.min() >= 0
    assert drawn.max() < 1
    # By chance, the secret one breaks these once in a billion runs.
    assert kstest(drawn, "uniform").pvalue > 1e-9
    first, second = (drawn.reshape(-1, 2) * 16).astype(int).T
    assert chisquare(np.bincount(16 * first + second, minlength=256)).pvalue > 1e-9


def test_numbers_have_the_highest_53_bits_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def urandom(size: int) -> bytes:
        sizes.append(size)
        return np.array([0, 2**11 - 1, 2**11, 2**63, 2**64 - 1], dtype="<u8").tobytes()

    monkeypatch.setattr(os, "urandom", urandom)
    assert SecretChance().uniform(5).tolist() == [0, 0, 2**-53, 0.5, 1 - 2**-53]
    assert sizes == [40]


def test_what_is_secret_is_never_repeated() -> None:
    chance = SecretChance()
    np.random.seed(1)  # noqa: NPY002 - shows that the global generator has no say
    once = chance.order(100).tolist(), chance.uniform(4).tolist()
    np.random.seed(1)  # noqa: NPY002
    assert chance.order(100).tolist() != once[0]
    assert chance.uniform(4).tolist() != once[1]


def test_a_secret_order_has_64_bits_of_the_system_for_each_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def urandom(size: int) -> bytes:
        sizes.append(size)
        # Little-endian: only the highest bytes decide, and only the lowest ones between equals.
        return np.array([5 << 56, 3 << 56, (3 << 56) + 1, 1 << 63], dtype="<u8").tobytes()

    monkeypatch.setattr(os, "urandom", urandom)
    assert SecretChance().order(4).tolist() == [1, 2, 0, 3]
    assert sizes == [32]


def test_a_seed_repeats_the_sequence_of_what_is_drawn() -> None:
    sizes = (50, 50, 3, 80)
    first, again, other = SeededChance(3), SeededChance(3), SeededChance(4)
    once = [(first.order(size).tolist(), first.uniform(size).tolist()) for size in sizes]
    assert once == [(again.order(size).tolist(), again.uniform(size).tolist()) for size in sizes]
    assert once[0] != once[1]
    assert once != [(other.order(size).tolist(), other.uniform(size).tolist()) for size in sizes]
