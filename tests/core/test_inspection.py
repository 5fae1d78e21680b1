"""Warnings of values that are nearly unique, and of numbers that are codes."""

from __future__ import annotations

import pytest

from bkpriv_core.table.inspection import (
    has_many_labels,
    identifies_by_code,
    links_rows,
    nearly_unique,
    tells_apart,
    tells_by_code,
)


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
    ("records", "own", "expected"),
    [(19, 19, False), (20, 11, True), (20, 10, False), (1000, 501, True), (0, 0, False)],
)
def test_a_column_tells_records_apart_most_of_which_have_a_value_of_their_own(
    records: int, own: int, expected: bool
) -> None:
    assert tells_apart(records, own) is expected


@pytest.mark.parametrize(
    ("records", "values", "expected"),
    [
        (19, 3, False),
        (20, 1, False),
        (20, 2, True),
        (20, 10, True),
        (20, 11, False),
        (500, 20, True),
        (500, 21, False),
    ],
)
def test_sensitive_codes_are_few(records: int, values: int, expected: bool) -> None:
    assert tells_by_code(records, values) is expected


@pytest.mark.parametrize(
    ("name", "records", "values", "least", "expected"),
    [
        ("kind", 19, 3, 1, False),
        ("kind", 20, 3, 1, True),
        ("kind", 20, 11, 1, False),
        ("kind", 500, 20, 1, True),
        ("kind", 500, 21, 1, False),
        ("kind", 500, 2, 1, False),
        ("children", 500, 9, 0, False),
        ("year", 500, 9, 1990, False),
        ("Postcode", 500, 250, 10115, True),
        ("job_code", 500, 250, 11, True),
        ("codeine", 500, 250, 11, False),
    ],
)
def test_codes_of_people_begin_with_one_or_are_called_so(
    name: str, records: int, values: int, least: int, expected: bool
) -> None:
    assert identifies_by_code(name, records, values, least) is expected


@pytest.mark.parametrize(
    ("records", "values", "expected"),
    [(500, 20, False), (500, 21, True), (500, 450, True), (500, 451, False)],
)
def test_labels_are_many_unless_they_are_nearly_unique(
    records: int, values: int, expected: bool
) -> None:
    assert has_many_labels(records, values) is expected


@pytest.mark.parametrize(
    ("records", "values", "shared", "expected"),
    [
        (800, 200, 800, True),
        (800, 200, 401, True),
        (800, 200, 400, False),
        (60, 21, 60, True),
        (60, 20, 60, False),
        (19, 21, 19, False),
    ],
)
def test_rows_are_linked_by_many_values_that_few_of_them_share(
    records: int, values: int, shared: int, expected: bool
) -> None:
    assert links_rows(records, values, shared) is expected
