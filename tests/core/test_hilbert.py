"""Hilbert's curve against what defines it, and a curve that is drawn by recursion."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.partition.hilbert import curve_ranks, hilbert_ranks
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_table, tables


def drawn(order: int) -> list[tuple[int, int]]:
    """The curve in the plane: four smaller ones, the outer two mirrored at the diagonals."""
    if not order:
        return [(0, 0)]
    smaller, half = drawn(order - 1), 2 ** (order - 1)
    return [
        *((y, x) for x, y in smaller),
        *((x, y + half) for x, y in smaller),
        *((x + half, y + half) for x, y in smaller),
        *((2 * half - 1 - y, half - 1 - x) for x, y in smaller),
    ]


@pytest.mark.parametrize("bits", range(1, 7))
def test_the_curve_in_the_plane(bits: int) -> None:
    points = np.array(list(itertools.product(range(2**bits), repeat=2)))
    along = [tuple(point) for point in points[np.argsort(curve_ranks(points, bits))].tolist()]
    # It begins in a corner and leaves along either of two sides, the longer way by its order.
    mirrored = [(y, x) for x, y in drawn(bits)]
    assert along in (drawn(bits), mirrored)


@pytest.mark.parametrize(
    ("dimensions", "bits"), [(1, 7), (2, 5), (3, 4), (4, 3), (5, 2), (6, 2), (10, 1), (13, 1)]
)
def test_every_place_is_one_step_from_the_next(dimensions: int, bits: int) -> None:
    points = np.array(list(itertools.product(range(2**bits), repeat=dimensions)))
    shuffled = np.random.default_rng(7).permutation(points)
    ranks = curve_ranks(shuffled, bits)
    assert sorted(ranks.tolist()) == list(range(2 ** (bits * dimensions)))
    along = shuffled[np.argsort(ranks)]
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()
    # Each of the subcubes is gone through at once.
    for bit in range(1, bits):
        cubes = (along >> bit).tolist()
        assert len(list(itertools.groupby(cubes))) == 2 ** ((bits - bit) * dimensions)


@pytest.mark.parametrize(("dimensions", "bits"), [(3, 62), (40, 16), (70, 3), (200, 2)])
def test_places_that_no_integer_numbers(dimensions: int, bits: int) -> None:
    # A face of the cube is gone through as often as one comes by; subcubes stay together.
    rng = np.random.default_rng(3)
    points = rng.integers(0, 2**bits - 1, (400, dimensions), endpoint=True)
    points[:300, 1:] &= ~((1 << (bits - 1)) - 1)
    points[200:] = points[:200]
    ranks = curve_ranks(points, bits)
    np.testing.assert_array_equal(ranks[200:], ranks[:200])
    distinct = {tuple(point) for point in points.tolist()}
    assert sorted(set(ranks.tolist())) == list(range(len(distinct)))
    along = (points[np.argsort(ranks, kind="stable")] >> (bits - 1)).tolist()
    assert len(list(itertools.groupby(along))) == len({tuple(corner) for corner in along})


def test_dimensions_that_are_none_or_have_one_value() -> None:
    assert curve_ranks(np.zeros((3, 0), dtype=np.int64), 4).tolist() == [0, 0, 0]
    assert curve_ranks(np.zeros((3, 2), dtype=np.int64), 4).tolist() == [0, 0, 0]
    assert curve_ranks(np.zeros((0, 2), dtype=np.int64), 4).tolist() == []


@SOME
@given(tables(max_records=12), st.data())
def test_parts_have_the_rank_of_their_cell(records: Records, data: st.DataObject) -> None:
    table = as_table(records)
    of_cells = hilbert_ranks(Parts.of(table))
    assert len(set(of_cells.tolist())) == table.cells
    cell = np.array(data.draw(st.lists(st.integers(0, table.cells - 1), max_size=20)), dtype=int)
    parts = Parts(table, cell, table.counts[cell])
    np.testing.assert_array_equal(hilbert_ranks(parts), of_cells[cell])


def test_steps_are_as_long_as_penalties() -> None:
    # Ages 20, 21 and 80: the first two are near, the third is at the other end.
    ages = {"20": 20, "21": 21, "80": 80}
    rows = tuple((age, sex, "s") for age in ages for sex in ("f", "m"))
    age, sex = Attribute("age", tuple(ages), numbers=ages), Attribute("sex", ("f", "m"))
    records = Records((age, sex), Attribute("s", ("s",)), rows)
    ranks = hilbert_ranks(Parts.of(as_table(records)))
    quadrants = [(int(age) > 50, sex) for age, sex, _ in (rows[i] for i in np.argsort(ranks))]
    assert len(list(itertools.groupby(quadrants))) == 4
