"""Random orders: permutations, fairly drawn from where they are said to be drawn."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.shuffle import Shuffle, secret_shuffle, seeded_shuffle


@given(st.integers(0, 300), st.integers(0, 9))
def test_an_order_holds_everything_once(size: int, seed: int) -> None:
    for shuffle in (secret_shuffle, seeded_shuffle(seed)):
        order = shuffle(size)
        assert order.dtype == np.int64
        assert sorted(order.tolist()) == list(range(size))


@pytest.mark.parametrize("shuffle", [secret_shuffle, seeded_shuffle(7)])
def test_all_orders_are_equally_likely(shuffle: Shuffle) -> None:
    # Of 6,000 draws each order of three has 1,000 with a standard deviation of 29.
    orders = Counter(tuple(shuffle(3).tolist()) for _ in range(6_000))
    assert len(orders) == 6
    assert all(abs(count - 1_000) < 29 * 7 for count in orders.values())


def test_a_secret_order_is_never_repeated() -> None:
    np.random.seed(1)  # noqa: NPY002 - shows that the global generator has no say
    once = secret_shuffle(100).tolist()
    np.random.seed(1)  # noqa: NPY002
    assert secret_shuffle(100).tolist() != once


def test_a_secret_order_has_64_bits_of_the_system_for_each_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def urandom(size: int) -> bytes:
        sizes.append(size)
        # Little-endian: only the highest bytes decide, and only the lowest ones between equals.
        return np.array([5 << 56, 3 << 56, (3 << 56) + 1, 1 << 63], dtype="<u8").tobytes()

    monkeypatch.setattr(os, "urandom", urandom)
    assert secret_shuffle(4).tolist() == [1, 2, 0, 3]
    assert sizes == [32]


def test_a_seed_repeats_the_sequence_of_orders() -> None:
    sizes = (50, 50, 3, 80)
    first, again, other = seeded_shuffle(3), seeded_shuffle(3), seeded_shuffle(4)
    once = [first(size).tolist() for size in sizes]
    assert once == [again(size).tolist() for size in sizes]
    assert once[0] != once[1]
    assert once != [other(size).tolist() for size in sizes]
