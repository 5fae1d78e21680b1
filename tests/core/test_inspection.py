"""When values are nearly unique, and when they nearly tell those of another column."""

from __future__ import annotations

import pytest

from bkpriv_core.table.inspection import nearly_tells, nearly_unique, tells_apart


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


@pytest.mark.parametrize(
    ("records", "hits", "usual", "expected"),
    [
        (19, 1.0, 0.5, False),
        (20, 1.0, 0.5, True),
        (20, 0.75, 0.5, True),
        (20, 0.74, 0.5, False),
        (20, 1.0, 1.0, False),
        (20, 0.0, 0.1, False),
        (1000, 0.15, 0.04, True),
        (1000, 0.11, 0.04, False),
        (1000, 0.1, 0.01, True),
        (1000, 0.09, 0.01, False),
    ],
)
def test_a_column_tells_another_that_halves_errors_or_trebles_hits(
    records: int, hits: float, usual: float, expected: bool
) -> None:
    assert nearly_tells(records, hits, usual) is expected


@pytest.mark.parametrize(
    ("records", "own", "expected"),
    [(19, 19, False), (20, 11, True), (20, 10, False), (1000, 501, True), (0, 0, False)],
)
def test_a_column_tells_records_apart_most_of_which_have_a_value_of_their_own(
    records: int, own: int, expected: bool
) -> None:
    assert tells_apart(records, own) is expected
