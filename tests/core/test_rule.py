"""Rules of hierarchies: what paths values have, whether known beforehand or not."""

from __future__ import annotations

import datetime
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import BkprivError, TooLarge
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.rule import Listed, Prefixes, Units, parse_rule
from tests.core.strategies import MANY

codes = st.lists(st.text("01A*é", max_size=5), min_size=1, max_size=8, unique=True)
lengths = st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True).map(
    lambda sizes: sorted(sizes, reverse=True)
)


@MANY
@given(codes, lengths)
def test_values_meet_where_their_first_characters_are_alike(
    values: list[str], sizes: list[int]
) -> None:
    domain = Domain(
        "code", tuple(values), hierarchy=Prefixes.checked("code", sizes).over("", values)
    )
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            # A value shorter than a prefix has that prefix with no other.
            alike = [one == other] + [
                one == other or (min(len(one), len(other)) >= size and one[:size] == other[:size])
                for size in sizes
            ]
            assert [*alike, True] == (domain.nodes[:, i] == domain.nodes[:, j]).tolist()


def test_prefixes_are_marked_and_shorter_values_are_not() -> None:
    rule = Prefixes.checked("code", [3, 1])
    assert rule.path("24103") == ("24103", "241*", "2*", "*")
    assert rule.path("24") == ("24", "24", "2*", "*")
    assert rule.path("") == ("", "", "", "*")


@pytest.mark.parametrize(
    "sizes", [None, [], [0], [-1], [2, 2], [1, 2], [2, None], [[3], [2]], [1001], [True], "32"]
)
def test_lengths_fall_and_are_positive(sizes: Any) -> None:
    with pytest.raises(BkprivError, match="zip"):
        Prefixes.checked("zip", sizes)


def test_values_go_under_the_name_that_lists_them() -> None:
    listed = Listed.checked("city", {"north": ["Kiel", "Hamburg"], "south": ["Ulm"]}, None)
    assert listed.over("city", ["Kiel"]).paths == {
        "Kiel": ("Kiel", "north", "*"),
        "Hamburg": ("Hamburg", "north", "*"),
        "Ulm": ("Ulm", "south", "*"),
    }
    with pytest.raises(BkprivError, match="city") as caught:
        Domain("city", ("Bonn", "Ulm"), hierarchy=listed.over("city", ["Bonn", "Ulm"]))
    assert "Bonn" in str(caught.value.detail)


def test_what_is_not_listed_may_have_a_name() -> None:
    listed = Listed.checked("city", {"here": {"north": ["Kiel"]}, "sea": ["Fehmarn"]}, "elsewhere")
    assert listed.over("city", ["Kiel", "Oslo"]).paths == {
        "Kiel": ("Kiel", "north", "here", "*"),
        "Fehmarn": ("Fehmarn", "sea", "sea", "*"),
        "Oslo": ("Oslo", "elsewhere", "elsewhere", "*"),
    }


def test_a_list_of_very_many_values_is_refused_before_it_is_looked_at() -> None:
    endless = [str(number) for number in range(10**6)]
    started = time.process_time()
    with pytest.raises(TooLarge, match="100000"):
        Listed.checked("city", {"a": endless, "b": endless}, None)
    assert time.process_time() - started < 2


def test_a_branch_of_one_value_may_be_called_like_it() -> None:
    listed = Listed.checked("city", {"Kiel": {"Kiel": ["Kiel"]}, "south": ["Ulm", "Bonn"]}, "else")
    assert listed.over("city", ["Kiel"]).paths["Kiel"] == ("Kiel", "Kiel", "Kiel", "*")


def test_a_branch_may_be_the_rest() -> None:
    listed = Listed.checked("n", {"few": [1, 2], "more": [3]}, "more")
    assert listed.over("n", ["17"]).paths["17"] == ("17", "more", "*")


@pytest.mark.parametrize(
    ("branches", "rest"),
    [
        ({}, None),
        ([], None),
        ({"a": []}, None),
        ({"a": {}}, None),
        ({"a": "b"}, None),
        ({"a": [None]}, None),
        ({"a": [["b"]]}, None),
        ({"a": ["b", "b"]}, None),
        ({"a": ["x"], "b": ["x"]}, None),
        ({"a": {"n": ["x"]}, "b": {"n": ["y"]}}, None),
        ({"a": ["b"]}, ""),
        ({"a": {"n": ["x"]}}, "n"),
        # What would be read as something else.
        ({"a": ["b"], "b": ["c"]}, None),
        ({"a": ["b"], "c": {"b": ["d"]}}, None),
        ({"a": {"b": ["b", "c"]}}, None),
        ({"*": ["b"]}, None),
        ({"a": ["b"]}, "b"),
        ({"a": ["b"]}, "*"),
    ],
)
def test_a_list_has_one_path_for_each_value(branches: Any, rest: str | None) -> None:
    with pytest.raises(BkprivError, match="city"):
        Listed.checked("city", branches, rest)


@pytest.mark.parametrize(
    "kept", [None, 1, [], {}, {"prefix": [1]}, {"prefixes": 1}, {"list": {"a": ["b"]}}]
)
def test_what_was_not_written_by_bkpriv_is_no_rule(kept: Any) -> None:
    with pytest.raises(BkprivError, match="zip"):
        parse_rule("zip", kept)


def test_rules_are_read_as_they_are_kept() -> None:
    assert parse_rule("zip", {"prefixes": [3, 1]}) == Prefixes((3, 1))
    kept = {"list": {"a": ["b"]}, "rest": "c"}
    assert parse_rule("zip", kept) == Listed.checked("zip", {"a": ["b"]}, "c")


@MANY
@given(st.lists(st.dates(), min_size=1, max_size=6, unique=True))
def test_days_meet_in_the_units_of_the_calendar(days: list[datetime.date]) -> None:
    rule = Units.checked("born", ["day", "month", "quarter", "year", "decade"])
    values = [f"{day.isoformat()} 12:00:00+00" for day in days]
    domain = Domain("born", tuple(values), hierarchy=rule.over("born", values))
    for i, one in enumerate(days):
        for j, other in enumerate(days):
            year = one.year == other.year
            month = year and one.month == other.month
            quarter = year and (one.month - 1) // 3 == (other.month - 1) // 3
            decade = one.year // 10 == other.year // 10
            alike = [one == other, one == other, month, quarter, year, decade, True]
            assert alike == (domain.nodes[:, i] == domain.nodes[:, j]).tolist()


def test_units_are_written_as_people_read_them() -> None:
    rule = parse_rule("born", {"units": ["month", "quarter", "year", "decade"]})
    assert rule.over("born", ["2024-11-05"]).paths["2024-11-05"] == (
        *("2024-11-05", "2024-11", "2024-Q4", "2024", "2020s", "*"),
    )
    for odd in ("infinity", "0044-03-15 BC"):
        assert set(rule.over("born", [odd]).paths[odd]) == {odd, "*"}


@pytest.mark.parametrize("units", [None, [], ["week"], ["year", "month"], ["year", "year"], [None]])
def test_units_become_coarser(units: Any) -> None:
    with pytest.raises(BkprivError, match="born"):
        Units.checked("born", units)
