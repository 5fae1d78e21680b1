"""Bins as they are declared, and what is none."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.bins import CALENDAR, Bin, parse_bins

TYPES = {
    **{name: name for name in ("int2", "int4", "int8", "numeric", "float4", "float8")},
    **{name: name for name in ("date", "timestamp", "timestamptz", "text", "bool", "interval")},
    "enumeration": "",
}
UNITS = ("year", "quarter", "month", "week", "day", "hour")


def test_numbers_have_bins_of_one_width() -> None:
    for name in ("int2", "int4", "int8", "numeric", "float4", "float8"):
        for size, width in ((5, "5"), (10.0, "10.0"), (10**25, f"{10**25}")):
            assert parse_bins({name: size}, TYPES) == {name: Bin(name, width=Decimal(width))}
    for name in ("numeric", "float4", "float8"):
        # As it is written, not the double that is nearest to it.
        assert parse_bins({name: 0.1}, TYPES) == {name: Bin(name, width=Decimal("0.1"))}


def test_days_and_times_have_bins_of_the_calendar() -> None:
    assert tuple(CALENDAR) == UNITS
    for name in ("date", "timestamp", "timestamptz"):
        for unit in UNITS if name != "date" else UNITS[:-1]:
            assert parse_bins({name: unit}, TYPES) == {name: Bin(name, unit=unit)}


def test_columns_are_binned_one_by_one() -> None:
    assert parse_bins({}, TYPES) == {}
    stated = {"date": "week", "int4": 7}
    assert parse_bins(stated, TYPES) == {
        "date": Bin("date", unit="week"),
        "int4": Bin("int4", width=Decimal(7)),
    }


@pytest.mark.parametrize("name", ["int2", "int4", "int8", "numeric", "float4", "float8"])
def test_numbers_that_are_codes_are_labels(name: str) -> None:
    assert parse_bins({name: "label"}, TYPES) == {name: None}


NO_NUMBERS: list[Any] = ["5", "year", None, True, [5], {}]
NO_UNITS: list[Any] = [1, None, ["year"], "Year", "decade"]


@pytest.mark.parametrize(
    ("name", "size", "why"),
    [
        *((name, 5, "only numbers") for name in ("text", "bool", "interval", "enumeration")),
        ("text", "year", "only numbers"),
        ("text", "label", "only numbers"),
        ("date", "label", "given by year"),
        *(("int4", size, "a number") for size in NO_NUMBERS),
        *(("float8", size, "above 0 and finite") for size in (0, -1, float("inf"), float("nan"))),
        *((name, 2.5, "whole widths") for name in ("int2", "int4", "int8")),
        ("date", "hour", "given by year, quarter, month, week, day"),
        *(("timestamp", size, "given by year") for size in NO_UNITS),
    ],
)
def test_what_suits_no_type_is_no_bin(name: str, size: Any, why: str) -> None:
    with pytest.raises(InvalidParameter, match=f'column "{name}" cannot be binned') as caught:
        parse_bins({"numeric": 1, name: size}, TYPES)
    assert why in caught.value.detail.lower()


def test_what_is_stated_of_no_attribute_is_refused() -> None:
    with pytest.raises(InvalidParameter, match='"nobody" is binned, but is no attribute'):
        parse_bins({"nobody": 5}, TYPES)
    misshapen: list[object] = [None, [], "year", 5]
    for stated in misshapen:
        with pytest.raises(InvalidParameter, match="not a JSON object"):
            parse_bins(stated, TYPES)
