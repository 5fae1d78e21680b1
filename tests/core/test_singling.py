"""Singling out: the fewest columns that tell records apart, by trying all, and coarser ones."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.bins import Bin
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.identification import classes
from bkpriv_core.table.singling import coarser_bins, coarser_prefixes, fewest_apart, joined
from tests.core.strategies import MANY


@st.composite
def columns(draw: st.DrawFn) -> list[list[int]]:
    """Columns of few values, of 20 to 40 records."""
    records, seed = draw(st.integers(20, 40)), draw(st.integers(0, 10**6))
    chance = np.random.default_rng(seed)
    return [
        chance.integers(0, draw(st.integers(1, 30)), records).tolist()
        for _ in range(draw(st.integers(1, 4)))
    ]


def apart(some: tuple[list[int], ...]) -> bool:
    """Whether there are more than nine different rows for every ten."""
    rows = [*zip(*some, strict=True)]
    return 10 * len(set(rows)) > 9 * len(rows)


@MANY
@given(columns())
def test_the_fewest_columns_are_found(drawn: list[list[int]]) -> None:
    places = [place for place, column in enumerate(drawn) if not apart((column,))]
    labels: list[IntArray] = [classes(np.array(drawn[place]))[0] for place in places]
    some = [
        size
        for size in range(2, len(places) + 1)
        for chosen in combinations(places, size)
        if apart(tuple(drawn[place] for place in chosen))
    ]
    found = fewest_apart(labels)
    assert (found is None) is (not some)
    if found is not None:
        chosen = tuple(drawn[places[place]] for place in found.columns)
        rows = [*zip(*chosen, strict=True)]
        assert apart(chosen)
        assert found.unique == sum(rows.count(row) == 1 for row in rows)
        # A triple may be missed.
        assert len(chosen) == some[0] or some[0] == 3


@MANY
@given(columns())
def test_classes_of_several_columns_are_those_of_their_rows(drawn: list[list[int]]) -> None:
    label, sizes = joined([classes(np.array(column))[0] for column in drawn])
    rows = [*zip(*drawn, strict=True)]
    assert sorted(sizes.tolist()) == sorted(rows.count(row) for row in set(rows))
    assert len({*zip(label.tolist(), rows, strict=True)}) == len(set(rows)) == label.max() + 1


@pytest.mark.parametrize(
    ("type_name", "own", "units"),
    [
        ("date", None, ["month", "year"]),
        ("timestamptz", None, ["day", "month", "year"]),
        ("timestamp", "hour", ["day", "month", "year"]),
        ("date", "week", ["month", "year"]),
        ("date", "month", ["year"]),
        ("date", "year", []),
    ],
)
def test_days_and_times_become_coarser_by_units(
    type_name: str, own: str | None, units: list[str]
) -> None:
    bin_ = None if own is None else Bin(type_name, unit=own)
    assert [each.unit for each in coarser_bins(type_name, 0.0, 1.0, bin_)] == units


@pytest.mark.parametrize(
    ("type_name", "low", "high", "own", "widths"),
    [
        ("int4", 18, 90, None, ["5", "20"]),
        ("int4", 18, 90, "5", ["20"]),
        ("int4", 18, 90, "20", []),
        ("int4", 0, 10, None, ["2"]),
        ("int4", 0, 3, None, []),
        ("float8", 0, 3, None, ["0.2", "1"]),
        ("numeric", -1000, 1000, None, ["100", "500"]),
        ("numeric", 7, 7, None, []),
        ("float8", float("-inf"), 7, None, []),
        ("float8", float("nan"), 7, None, []),
    ],
)
def test_numbers_become_coarser_by_round_widths(
    type_name: str, low: float, high: float, own: str | None, widths: list[str]
) -> None:
    bin_ = None if own is None else Bin(type_name, width=Decimal(own))
    found = [each.width for each in coarser_bins(type_name, low, high, bin_)]
    assert found == [Decimal(width) for width in widths]


@pytest.mark.parametrize(
    ("shortest", "longest", "lengths"),
    [
        (5, 5, [3, 2]),
        (3, 5, [3, 2]),
        (1, 5, []),
        (2, 2, [1]),
        (1, 1, []),
        (8, 12, [8, 5]),
        (5, 13, []),
    ],
)
def test_codes_become_coarser_by_their_beginnings(
    shortest: int, longest: int, lengths: list[int]
) -> None:
    assert coarser_prefixes(shortest, longest) == lengths
