"""Bands: neighbours are united in the order of their numbers, and named in their own writing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.suggestion import by_structure
from bkpriv_core.table.bands import Bands
from tests.core.strategies import MANY


def _levels(labels: Sequence[str]) -> list[list[str]]:
    """Names on each level of the first kind that is offered."""
    bands = Bands.of(labels)
    assert bands is not None
    found = []
    for level in next(iter(bands.levels(labels))):
        groups = [
            [label for label, number in zip(labels, level, strict=True) if number == each]
            for each in np.unique(level)
        ]
        found.append([each[0] if len(each) == 1 else bands.name(each) for each in groups])
    return found


@pytest.mark.parametrize(
    ("labels", "finest"),
    [
        (["0-4", "5-9", "10-14", "15-19", "20-29", "90-99"], ["0-9", "10-19", "20-29", "90-99"]),
        (["under 5", "5–9", "10–14", "15–19", "90+"], ["under 10", "10–19", "90+"]),
        (["<18", "18-24", "25-34", "35-44", "45-54", "55-64", "65 and over"],
         ["<25", "25-34", "35-44", "45-54", "55-64", "65 and over"]),
        (["80-84", "85-89", "90-94", "95-99", "100+"], ["80-89", "90-99", "100+"]),
        (["70-79", "80-89", "90+"], ["70-79", "80+"]),
        (["71-80", "81-90", "over 90"], ["71-80", "over 80"]),
        (["[20,30)", "[30,40)", "[40,50)", ">=50"], ["[20,40)", ">=40"]),
        (["[0, 5[", "[5, 10[", "[10, 15["], ["[0, 10[", "[10, 15["]),
        (["(0,10]", "(10,20]", "(20,30]", ">30"], ["(0,20]", ">20"]),
        (["under $10,000", "$10,000-19,999", "$20,000-29,999", "$100,000 or more"],
         ["under $20,000", "$20,000-29,999", "$100,000 or more"]),
        (["$0-$9,999", "$10,000-$19,999", "$20,000-$29,999"], ["$0-$19,999", "$20,000-$29,999"]),
        (["10 to 14 years", "15 to 19 years", "20 to 24 years"],
         ["10 to 19 years", "20 to 24 years"]),
        (["0-10k €", "10-20k €", "20-30k €", "30k+ €"], ["0-20k €", "20k+ €"]),
        (["5 mg", "10 mg", "20 mg"], ["5-10 mg", "20 mg"]),
        (["0-9", "10-19", "20-29", "unknown"], ["0-19", "20-29", "unknown"]),
    ],
    ids=str,
)  # fmt: skip
def test_neighbours_are_united_and_named(labels: list[str], finest: list[str]) -> None:
    assert _levels(labels)[0] == finest


@pytest.mark.parametrize(
    "labels",
    [
        ["24103", "24105", "22111"],
        ["A00.1", "A01.0", "B12"],
        ["d0", "d1", "d2", "d3"],
        ["12-34", "13-20", "12-40", "12-05"],
        ["0-4", "0-9", "5-9"],
        ["2020-01", "2020-02", "2021-10"],
        ["12 High Street", "3 Low Road", "5 Main Street"],
        ["5-9 months", "1-4 years", "10-14 years"],
        ["10-19", "20-29", "red", "green"],
        ["[10-19", "20-29", "30-39", "(", ")"],
    ],
    ids=str,
)
def test_what_overlaps_or_is_no_band_is_none(labels: list[str]) -> None:
    assert Bands.of(labels) is None


@MANY
@given(st.lists(st.integers(2, 40), min_size=4, max_size=30), st.booleans())
def test_a_group_is_named_by_its_ends_and_levels_nest(widths: list[int], more: bool) -> None:
    starts = np.concatenate(([0], np.cumsum(widths)))
    labels = [f"{low}-{high - 1}" for low, high in pairwise(starts)]
    if more:
        labels.append(f"{starts[-1]}+")
    bands = Bands.of(labels)
    assert bands is not None
    for kind in bands.levels(labels):
        finer = np.arange(len(labels))
        for level in kind:
            assert 1 < len(np.unique(level)) < len(np.unique(finer))
            assert len({*zip(finer.tolist(), level.tolist(), strict=True)}) == len(np.unique(finer))
            # Groups of neighbours: their numbers rise with those of bands.
            assert (np.diff(level) >= 0).all()
            for each in np.unique(level):
                places = np.flatnonzero(level == each).tolist()
                end = starts[places[-1] + 1] - 1 if places[-1] < len(widths) else None
                name = f"{starts[places[0]]}" + ("+" if end is None else f"-{end}")
                if len(places) > 1:
                    assert bands.name([labels[place] for place in places]) == name
            finer = level


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        ([f"d{n}" for n in range(7)], set()),
        ([f"d{n}" for n in range(40)], set()),
        ([f"{n} mg" for n in (5, 10, 50, 100)], {"list"}),
        ([f"{day:02}-{month}-20" for day in range(1, 20) for month in ("JAN", "FEB")], {"dates"}),
        ([f"{first}{second:02}.{n}" for first in "AEJ" for second in range(9, 12)
          for n in range(3)], {"prefixes"}),
        ([f"{region}{n:03}" for region in (24, 25, 80) for n in range(40)], {"prefixes"}),
        ([f"A{n}" for n in range(10)] + [f"B{n}" for n in range(12)], set()),
        (["0-4", "5-9", "50-59", "0-9"], set()),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_characters_of_codes_alone_are_cut(labels: list[str], kinds: set[str]) -> None:
    found = by_structure(labels, np.full(len(labels), 10))
    assert {each.kind for each in found} == kinds
