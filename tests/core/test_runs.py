"""Sums over boxes against boxes written out value by value, and what is not written out."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import TooLarge
from bkpriv_core.release.generalized import runs as runs_module
from bkpriv_core.release.generalized.runs import Runs, sum_boxes
from bkpriv_core.table.groups import FloatArray, IntArray
from tests.core.strategies import SOME
from tests.core.watching import Watched

Side = tuple[Runs, IntArray]


@st.composite
def sides(draw: st.DrawFn, groups: int) -> Side:
    """Runs of an attribute with a few values, and the extent of each group."""
    values = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True))
    extents = draw(st.integers(1, 4))
    runs = [draw(st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted)) for _ in
            range(extents)]  # fmt: skip
    share = st.sampled_from([0.25, 0.5, 1.0, 3.0])
    return Runs(
        np.array(values),
        np.array([draw(share) for _ in values]),
        np.array([min(first, len(values)) for first, _ in runs]),
        np.array([min(end, len(values)) - min(first, len(values)) for first, end in runs]),
        np.array([draw(share) for _ in runs]),
    ), np.array([draw(st.integers(0, extents - 1)) for _ in range(groups)], dtype=np.int64)


def one_by_one(chosen: list[Side], weights: FloatArray) -> dict[tuple[int, ...], float]:
    totals: dict[tuple[int, ...], float] = defaultdict(float)
    for group, weight in enumerate(weights.tolist()):
        if not weight:
            continue
        lists = []
        for runs, owner in chosen:
            extent = owner[group]
            places = range(runs.start[extent], runs.start[extent] + runs.length[extent])
            lists.append([
                (int(runs.values[place]), runs.shares[place] * runs.scale[extent])
                for place in places
            ])  # fmt: skip
        for point in product(*lists):
            share = np.prod([share for _, share in point])
            totals[tuple(value for value, _ in point)] += weight * float(share)
    return totals


@SOME
@given(st.data())
@pytest.mark.parametrize(("table", "chunk"), [(4_000_000, 1_000_000), (0, 1), (0, 5), (40, 3)])
def test_sums_over_boxes(table: int, chunk: int, data: st.DataObject) -> None:
    groups = data.draw(st.integers(0, 6))
    chosen = [data.draw(sides(groups)) for _ in range(data.draw(st.integers(1, 3)))]
    weights = np.array([data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])) for _ in range(groups)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runs_module, "_TABLE", table)
        patched.setattr(runs_module, "_CHUNK", chunk)
        codes, sums = sum_boxes(chosen, weights, lambda count: None)
    expected = one_by_one(chosen, weights)
    rows = [tuple(row) for row in codes.tolist()]
    assert rows == sorted(expected)
    assert sums.tolist() == [expected[row] for row in rows]  # powers of 2: exact


def ranges(size: int, first: IntArray, length: int) -> Side:
    """A range of so many of so many values from each of some."""
    count = len(first)
    return Runs(
        np.arange(size), np.ones(size), first, np.full(count, length), np.full(count, 1 / length)
    ), np.arange(count)


def test_few_boxes_among_very_many_combinations() -> None:
    size, count, poll = 1_000_000, 400, 0
    random = np.random.default_rng(1)
    first = random.integers(0, size - 8, (4, count))
    chosen = [ranges(size, axis, 8) for axis in first]  # 10 ** 24 combinations

    def polled() -> None:
        nonlocal poll
        poll += 1

    tracemalloc.start()
    codes, sums = sum_boxes(chosen, np.ones(count), lambda totals: None, Watched(polled))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000_000
    assert poll > 1
    distinct = {tuple(point) for group in range(count) for point in product(
        *(range(axis[group], axis[group] + 8) for axis in first))}  # fmt: skip
    assert len(codes) == len(distinct) == count * 8**4
    assert sums.sum() == pytest.approx(count)


def test_too_many_combinations_are_found_out_early() -> None:
    def check(count: int) -> None:
        if count > 1000:
            raise TooLarge("too many", detail=str(count), hint="none")

    size = 10**6
    zero = np.zeros(1, dtype=np.int64)
    whole = [ranges(size, zero, size) for _ in range(12)]
    with pytest.raises(TooLarge):  # before one of 10 ** 72 is written out
        sum_boxes(whole, np.ones(1), check)
    apart = [ranges(size, np.arange(2000) * 400, 400) for _ in range(2)]
    with pytest.raises(TooLarge) as caught:
        sum_boxes(apart, np.ones(2000), lambda count: check(count - 160_000))
    assert int(caught.value.detail or 0) < 3_000_000  # of 320,000,000
    few = sum_boxes([ranges(size, np.arange(0, 1000, 10), 10)], np.ones(100), check)
    assert len(few[1]) == 1000
