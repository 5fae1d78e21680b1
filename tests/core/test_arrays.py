"""Distinct rows against numpy's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.arrays import distinct_rows


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=12),
    st.sampled_from([1, 2**30, 2**60]),
)
def test_distinct_rows_are_those_of_numpy(rows: list[list[int]], scale: int) -> None:
    # Large factors keep the columns from fitting into one integer.
    array = np.array(rows) * scale
    expected, at, place, number = np.unique(
        array, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    first, kind, counts = distinct_rows(array)
    np.testing.assert_array_equal(array[first], expected)
    np.testing.assert_array_equal(first, at)
    np.testing.assert_array_equal(kind, place.ravel())
    np.testing.assert_array_equal(counts, number)


def test_nothing_has_no_distinct_rows() -> None:
    assert all(not len(rows) for rows in distinct_rows(np.zeros((0, 2), dtype=np.int64)))
