"""When values are nearly unique."""

from __future__ import annotations

import pytest

from bkpriv_core.table.inspection import nearly_unique


@pytest.mark.parametrize(
    ("records", "values", "expected"),
    [
        (0, 0, False),
        (19, 19, False),
        (20, 20, True),
        (20, 19, True),
        (20, 18, False),
        (1000, 901, True),
        (1000, 900, False),
        (1000, 1, False),
    ],
)
def test_more_than_nine_in_ten_of_at_least_twenty(
    records: int, values: int, expected: bool
) -> None:
    assert nearly_unique(records, values) is expected
