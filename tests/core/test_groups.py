"""Groups of cells and reductions over them, against lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table import groups as groups_module
from bkpriv_core.table.groups import SUPPRESSED, Groups
from tests.core.strategies import as_groups

lists_of_cells = st.lists(
    st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True), max_size=6
)
"""Groups that may share cells, as candidates do."""


@given(lists_of_cells)
def test_groups_are_their_lists(lists: list[list[int]]) -> None:
    groups = as_groups(lists)
    assert len(groups) == len(lists)
    assert [group.tolist() for group in groups] == lists
    assert groups.widths.tolist() == [len(cells) for cells in lists]
    assert groups.owner.tolist() == [i for i, cells in enumerate(lists) for _ in cells]
    for array in (groups.members, groups.offsets, groups.owner, groups.widths):
        assert array.dtype == np.int64


@given(st.lists(st.integers(-1, 4), max_size=12))
def test_labels_there_and_back(raw: list[int]) -> None:
    distinct = sorted(set(raw) - {SUPPRESSED})
    labels = [distinct.index(label) if label != SUPPRESSED else SUPPRESSED for label in raw]
    groups = Groups.from_labels(np.array(labels, dtype=np.int64))
    expected = [
        [cell for cell, label in enumerate(labels) if label == group]
        for group in range(len(distinct))
    ]
    assert [group.tolist() for group in groups] == expected
    assert groups.labels(len(labels)).tolist() == labels


def test_whole() -> None:
    assert [group.tolist() for group in Groups.whole(3)] == [[0, 1, 2]]


@given(lists_of_cells, st.data())
def test_select(lists: list[list[int]], data: st.DataObject) -> None:
    groups = as_groups(lists)
    mask = data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists)))
    kept = groups.select(np.array(mask, dtype=bool))
    chosen = [cells for cells, keep in zip(lists, mask, strict=True) if keep]
    assert [group.tolist() for group in kept] == chosen
    index = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5)) if lists else []
    picked = groups.select(np.array(index, dtype=np.int64))
    assert [group.tolist() for group in picked] == [lists[i] for i in index]


@given(lists_of_cells, st.data())
def test_reductions(lists: list[list[int]], data: st.DataObject) -> None:
    groups = as_groups(lists)
    size = sum(len(cells) for cells in lists)
    figures = data.draw(st.lists(st.integers(-9, 9), min_size=size, max_size=size))
    flat = np.array(figures, dtype=np.int64)
    runs, start = [], 0
    for cells in lists:
        runs.append(figures[start : start + len(cells)])
        start += len(cells)
    assert groups.sum(flat).tolist() == [sum(run) for run in runs]
    assert groups.max(flat).tolist() == [max(run) for run in runs]
    assert groups.min(flat).tolist() == [min(run) for run in runs]
    rows = np.column_stack((flat, 2 * flat))
    for large in (0, groups_module._LARGE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(groups_module, "_LARGE", large)
            sums = groups.sum(rows)
        assert sums.tolist() == [[sum(run), 2 * sum(run)] for run in runs]
        assert sums.dtype == rows.dtype
    assert groups.max(flat > 0).tolist() == [any(figure > 0 for figure in run) for run in runs]


@given(lists_of_cells, st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=13))
def test_figures_of_parts_are_reduced_by_columns(
    lists: list[list[int]], figures: list[tuple[int, int]]
) -> None:
    columns = np.ascontiguousarray(np.array(figures, dtype=np.int64).T)
    groups = as_groups(lists)
    for ufunc, reduced in ((np.add, sum), (np.minimum, min), (np.maximum, max)):
        expected = [
            [reduced(figures[part][column] for part in cells) for column in (0, 1)]
            for cells in lists
        ]
        found = groups.of_columns(ufunc, columns)
        assert found.shape == (len(lists), 2)
        assert found.tolist() == expected


@given(lists_of_cells, st.integers(0, 12))
def test_chunks_are_whole_groups_of_limited_size(lists: list[list[int]], size: int) -> None:
    chunks = list(as_groups(lists).chunks(size))
    assert [group for first, last in chunks for group in range(first, last)] == [*range(len(lists))]
    for place, (first, last) in enumerate(chunks):
        held = sum(map(len, lists[first:last]))
        assert held <= size or last == first + 1
        if place + 1 < len(chunks):
            assert held + len(lists[last]) > size


@given(lists_of_cells, lists_of_cells)
def test_groups_are_joined_in_order(lists: list[list[int]], others: list[list[int]]) -> None:
    joined = Groups.joined([as_groups(lists), as_groups(others)])
    assert [group.tolist() for group in joined] == lists + others
    assert not len(Groups.joined([]))


@given(lists_of_cells, st.data())
def test_unions_hold_the_parts_of_both(lists: list[list[int]], data: st.DataObject) -> None:
    pair = st.tuples(*(st.integers(0, max(len(lists) - 1, 0)) for _ in range(2)))
    pairs = data.draw(st.lists(pair, max_size=5)) if lists else []
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    unions = as_groups(lists).united(Groups.from_rows(np.column_stack((first, second))))
    assert [group.tolist() for group in unions] == [lists[a] + lists[b] for a, b in pairs]
