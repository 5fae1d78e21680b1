"""Cuts against every run of values taken out of a group, record by record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.partition.cutting import Cuts, find_cuts, median_cuts
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.generated import hierarchical_table, numeric_table
from tests.core.oracles import Records
from tests.core.strategies import (
    MANY,
    as_groups,
    as_table,
    by_age,
    partitions,
    record_groups,
    tables,
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Records, Groups, IntArray]:
    """A table, groups of its cells, and a dimension for each; a group may stand there twice."""
    deep = tables(min_records=8, max_records=20, max_attributes=1, kinds=("hierarchical",))
    records = draw(st.one_of(tables(max_records=16), deep))
    groups = as_groups(draw(partitions(len(records.cells()), suppress=True, most=2)))
    twice = draw(st.lists(st.integers(0, max(len(groups) - 1, 0)), max_size=3 * bool(len(groups))))
    groups = groups.select(np.array([*range(len(groups)), *twice], dtype=np.int64))
    axis = st.integers(0, len(records.attributes) - 1)
    axes = draw(st.lists(axis, min_size=len(groups), max_size=len(groups)))
    return records, groups, np.array(axes, dtype=np.int64)


def pairs(records: Records, cuts: Cuts) -> list[frozenset[frozenset[int]]]:
    """The halves of each cut as sets of records."""
    halves = [frozenset(half) for half in record_groups(records, cuts.halves())]
    return [frozenset(pair) for pair in zip(halves[0::2], halves[1::2], strict=True)]


def unevenness(cut: frozenset[frozenset[int]]) -> int:
    one, other = map(len, cut)
    return abs(one - other)


@MANY
@given(cases())
def test_there_is_every_cut_once_and_those_that_halve_come_first(
    case: tuple[Records, Groups, IntArray],
) -> None:
    records, groups, axes = case
    cuts = find_cuts(Parts.of(as_table(records)), groups, axes, most=100)
    found = pairs(records, cuts)
    assert (np.diff(cuts.parents) >= 0).all()
    for number, group in enumerate(record_groups(records, groups)):
        mine = [cut for cut, of in zip(found, cuts.parents.tolist(), strict=True) if of == number]
        assert set(mine) == oracles.all_cuts(records, group, int(axes[number]))
        assert len(set(mine)) == len(mine)
        assert [unevenness(cut) for cut in mine] == sorted(map(unevenness, mine))


@MANY
@given(cases(), st.integers(1, 4))
def test_few_cuts_are_some_of_all_and_the_median_is_among_them(
    case: tuple[Records, Groups, IntArray], most: int
) -> None:
    records, groups, axes = case
    parts = Parts.of(as_table(records))
    cuts = find_cuts(parts, groups, axes, most)
    found, medians = pairs(records, cuts), median_cuts(parts, groups, axes)
    at_median = dict(zip(medians.parents.tolist(), pairs(records, medians), strict=True))
    for number, group in enumerate(record_groups(records, groups)):
        mine = {cut for cut, of in zip(found, cuts.parents.tolist(), strict=True) if of == number}
        every = oracles.all_cuts(records, group, int(axes[number]))
        assert mine <= every
        assert len(mine) <= 2 * most
        assert (number in at_median) == bool(mine) == bool(every)
        if every:
            one, other = oracles.median_cut(records, group, int(axes[number]))
            assert at_median[number] == frozenset((frozenset(one), frozenset(other)))
            assert at_median[number] in mine


@MANY
@given(cases(), st.integers(1, 30))
def test_counts_of_halves_are_known_without_them(
    case: tuple[Records, Groups, IntArray], size: int
) -> None:
    records, groups, axes = case
    parts = Parts.of(as_table(records))
    cuts = find_cuts(parts, groups, axes, most=3)
    whole = cuts.histograms(parts.counts)
    np.testing.assert_array_equal(whole, parts.histograms(cuts.halves()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bkpriv_core.partition.cutting._ADDED_AT_ONCE", size)
        np.testing.assert_array_equal(cuts.histograms(parts.counts), whole)
    chunks = list(cuts.chunks(size))
    assert all(len(chunk) == 1 or len(chunk.halves().members) <= size for chunk in chunks)
    joined = [half.tolist() for chunk in chunks for half in chunk.halves()]
    assert joined == [half.tolist() for half in cuts.halves()]


def test_places_of_many_lie_at_even_distances() -> None:
    parts = Parts.of(as_table(by_age(*("s" * 101))))
    cuts = find_cuts(parts, Groups.whole(101), np.array([0]), most=4)
    # In the order of preference places are 50, 51, 49, 52, ..., and each 25th of them is taken.
    assert cuts.starts.tolist() == [0, 0, 0, 0]
    assert cuts.ends.tolist() == [50, 63, 25, 88]


@pytest.mark.parametrize("draw", [numeric_table, hierarchical_table])
def test_a_large_group_has_a_bounded_number_of_cuts(draw: Callable[..., Table]) -> None:
    parts = Parts.of(draw(3000, seed=1, nulls=0.1))
    dimensions = parts.codes.shape[1]
    groups = Groups.whole(len(parts)).select(np.zeros(dimensions, dtype=np.int64))
    cuts = find_cuts(parts, groups, np.arange(dimensions), most=20)
    assert (np.bincount(cuts.parents) <= 2 * 20).all()
