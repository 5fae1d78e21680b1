"""Blocks of rows and the boxes near them: equal to a comparison of each row with each box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.generalized import spread
from bkpriv_core.release.generalized.blocks import blocks, narrowed
from bkpriv_core.release.generalized.spread import LabelSpread, RangeSpread, Spread
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from tests.core.strategies import SOME


def hulls_of(random: np.random.Generator, sizes: list[int], count: int) -> list[IntArray]:
    """So many boxes: first and last place along each axis."""
    return [np.sort(random.integers(0, size, (2, count)), axis=0) for size in sizes]


@SOME
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 50), min_size=1, max_size=4),
    st.integers(1, 7),
)
def test_blocks_have_the_boxes_that_reach_into_them(seed: int, sizes: list[int], most: int) -> None:
    random = np.random.default_rng(seed)
    rows, boxes = hulls_of(random, sizes, 40), hulls_of(random, sizes, 25)
    places = np.column_stack([low for low, _ in rows])
    met = []
    for some, near in blocks(
        places, [(a, b) for a, b in rows], [(a, b) for a, b in boxes], sizes, most
    ):
        met += some.tolist()
        assert 1 <= len(some) <= most
        expected = [
            box
            for box in range(25)
            if all(
                low[box] <= max(ends[some].tolist()) and high[box] >= min(starts[some].tolist())
                for (low, high), (starts, ends) in zip(boxes, rows, strict=True)
            )
        ]
        assert near.tolist() == expected
    assert sorted(met) == list(range(40))


def test_few_boxes_are_near_where_they_do_not_overlap() -> None:
    # A chessboard of 4,096 cells in 1,024 boxes of four, in blocks of 64: 16 boxes are there.
    places = np.argwhere(np.ones((64, 64), dtype=bool))
    low = np.argwhere(np.ones((32, 32), dtype=bool)) * 2
    cells = [(column, column) for column in places.T]
    boxes = [(column, column + 1) for column in low.T]
    found = [len(near) for _, near in blocks(places, cells, boxes, (64, 64), 64)]
    assert found == [16] * 64


def test_blocks_of_rows_that_differ_everywhere_are_apart() -> None:
    random = np.random.default_rng(1)
    places = np.column_stack([random.permutation(1000) for _ in range(8)])
    cells = [(column, column) for column in places.T]
    for rows, near in blocks(places, cells, cells, [1000] * 8, 32):
        assert near.tolist() == sorted(rows.tolist())


def test_no_rows_are_no_blocks() -> None:
    none = np.zeros((0, 1), dtype=np.int64)
    box = (np.array([0]), np.array([1]))
    assert not list(blocks(none, [(none[:, 0], none[:, 0])], [box], [2], 3))


def spreads(random: np.random.Generator, extents: int) -> tuple[Spread, FloatArray]:
    """Ranges or labels, and the share of each extent that each of 12 values is, by hand."""
    from scipy import sparse

    shares = np.zeros((12, extents))
    if random.integers(2):
        first, last = np.sort(random.integers(0, 12, (2, extents)), axis=0)
        for extent in range(extents):
            shares[first[extent] : last[extent] + 1, extent] = 1
        shares /= shares.sum(axis=0)
        return RangeSpread(first, last), shares
    shares[random.random((12, extents)) < 0.3] = 1
    shares[random.integers(0, 12, extents), np.arange(extents)] = 1
    shares /= shares.sum(axis=0)
    domain = Domain("letter", tuple("abcdefghijkl"))
    return LabelSpread(domain, sparse.csr_array(shares)), shares


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_spreads_by_hand(seed: int, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dense:
        monkeypatch.setattr(spread, "_DENSE", 0)
    random = np.random.default_rng(seed)
    made, shares = spreads(random, 6)
    codes, ones, others = random.integers(0, [[12], [6], [6]], (3, 9))
    np.testing.assert_array_equal(made.shares(codes, ones), shares[codes][:, ones])
    np.testing.assert_array_equal(made.holds(codes, ones), shares[codes][:, ones] > 0)
    common = shares.T @ shares
    np.testing.assert_allclose(made.overlaps(ones, others), common[ones][:, others], rtol=1e-14)
    np.testing.assert_array_equal(made.meets(ones, others), common[ones][:, others] > 0)
    first, last = made.hull
    for extent in range(6):
        held = np.flatnonzero(shares[:, extent])
        assert (first[extent], last[extent]) == (held.min(), held.max())


@pytest.mark.parametrize("seed", range(8))
def test_narrowed_boxes_hold_some_row(seed: int) -> None:
    random = np.random.default_rng(seed)
    sides = [spreads(random, 6) for _ in range(3)]
    owners = list(random.integers(0, 6, (3, 20)))
    rows = random.integers(0, 12, (4, 3))
    near = np.flatnonzero(random.random(20) < 0.8)
    boxes, held = narrowed(rows, near, owners, [made.holds for made, _ in sides])
    along = [shares[rows[:, axis]][:, owners[axis]] > 0 for axis, (_, shares) in enumerate(sides)]
    truth = np.all(along, axis=0)
    expected = [box for box in near.tolist() if truth[:, box].any()]
    assert boxes.tolist() == expected
    np.testing.assert_array_equal(held, truth[:, boxes])
