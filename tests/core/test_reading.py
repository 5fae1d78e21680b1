"""Labels of generalized tables, read as a person reads them, and as they were written."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.progress import Progress
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.table import reading
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.reading import UNREAD, read_extents, read_values
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_groups, as_table, partitions, tables

AGES = [-5, 0, 20, 21, 25, 29, 30, 64]


def _numbers(values: Sequence[float], null: bool = False) -> Domain:
    labels = (*map(str, values), *([None] if null else []))
    positions = np.array([*values, *([np.nan] if null else [])], dtype=np.float64)
    return Domain("age", labels, positions, step=1.0)


@pytest.mark.parametrize(
    ("label", "ages"),
    [
        ("21", [21]),
        ("21.0", [21]),
        ("2.1e1", [21]),
        ("22", []),
        ("*", AGES),
        (None, AGES),
        ("(,)", AGES),
        ("[20,30)", [20, 21, 25, 29]),
        ("[20, 30[", [20, 21, 25, 29]),
        ("[20-30)", [20, 21, 25, 29]),
        ("[20;30]", [20, 21, 25, 29, 30]),
        ("(20,30]", [21, 25, 29, 30]),
        ("]20..30]", [21, 25, 29, 30]),
        ("[20,)", [20, 21, 25, 29, 30, 64]),
        ("(,20)", [-5, 0]),
        ("[-5--1]", [-5]),
        ("[-5,0]", [-5, 0]),
        ("20-29", [20, 21, 25, 29]),
        ("20 – 29", [20, 21, 25, 29]),
        ("20–<29", [20, 21, 25]),
        ("22-24", []),
        ("30-20", []),
        ("<20", [-5, 0]),
        ("<= 20", [-5, 0, 20]),
        ("≥30", [30, 64]),
        ("> 30", [64]),
        ("30+", [30, 64]),
        ("{20, 25}", [20, 21, 25]),
        ("{18, 20, 29}", [20, 21, 25, 29]),
        ("{22, 23}", []),
        ("{20-24, 30}", [20, 21, 25, 29, 30]),
        ("{20, >25}", [20, 21, 25, 29, 30, 64]),
        ("{20–<30, 0}", [0, 20, 21, 25, 29]),
        ("{>20, 20, 25}", [20, 21, 25, 29, 30, 64]),
        ("{20, *}", AGES),
        ("{20,}", []),
        ("{20, x}", []),
        ("{}", []),
        ("{", []),
        ("[-infinity,21]", [-5, 0, 20, 21]),
        ("infinity", []),
        ("twenties", []),
        ("[20,30", []),
        ("empty", []),
        ("", []),
        ("1e999", []),
        ("[2020-01-01,2021-01-01)", []),
    ],
)
def test_labels_of_numbers(label: str | None, ages: list[int]) -> None:
    ((low,), (high,)) = read_extents(_numbers(AGES), [label])
    assert (AGES[low : high + 1] if low != UNREAD else []) == ages
    assert (low == high == UNREAD) == (not ages)


def test_null_is_a_value_where_the_domain_has_it() -> None:
    low, high = read_extents(_numbers(AGES, null=True), [None, "*", "(,)", "[20,)"])
    assert low.tolist() == [8, 0, 0, 2]
    assert high.tolist() == [8, 8, 8, 7]


def test_a_bin_is_read_by_where_it_begins_and_a_number_by_its_bin() -> None:
    bins = Domain("age", ("0", "20", "40"), np.array([0.0, 20, 40]), ends=np.array([20.0, 40, 60]))
    low, high = read_extents(bins, ["[20,40)", "20–39", "20-<60", "33", "60", "[0,20)", "{33, 7}"])
    assert low.tolist() == [1, 1, 1, 1, UNREAD, 0, 0]
    assert high.tolist() == [1, 1, 2, 1, UNREAD, 0, 1]
    assert read_values(bins, ["[20,40)", "33", "20", "[0,60)"]).tolist() == [1, 1, 1, UNREAD]


@pytest.mark.parametrize(
    ("label", "days"),
    [
        ("2024-02-28", [28]),
        ("[2024-02-01,2024-03-01)", [1, 28]),
        ("2024-02-28–2024-03-01", [28, 31]),
        ('["2024-02-28 00:00:00","2024-03-01 00:00:00"]', [28, 31]),
        ("[2024-02-28 00:00:00+00,)", [28, 31]),
        ('["2024-02-28 00:00","2024-03-01 00:00+00")', [28]),
        ("[-infinity,2024-02-28]", [1, 28]),
        ("[-infinity,infinity]", [1, 28, 31]),
        (">=2024-02-28", [28, 31]),
        ("2024", []),
        ("2024-02-31", []),
        ("28", []),
    ],
)
def test_labels_of_days(label: str, days: list[int]) -> None:
    there = [1, 28, 31]
    dates = [datetime.date(2024, 2, 1), datetime.date(2024, 2, 28), datetime.date(2024, 3, 1)]
    start = datetime.date(1970, 1, 1)
    positions = np.array([(day - start).days * 86400.0 for day in dates])
    ((low,), (high,)) = read_extents(Domain("d", tuple(map(str, dates)), positions), [label])
    assert (there[low : high + 1] if low != UNREAD else []) == days


def test_a_node_spans_its_leaves_wherever_they_stand() -> None:
    # In the order of the type, and not of the hierarchy.
    tree = Hierarchy(
        {x: (x, node, "all") for x, node in (("a", "two"), ("b", "one"), ("c", "one"))}
    )
    domain = Domain("x", ("a", "c", "b"), hierarchy=tree)
    places = sorted(domain.leaf_order[[1, 2]].tolist())
    low, high = read_extents(domain, ["one", "two", "c", "{c,b}"])
    assert [low[0], high[0]] == [low[3], high[3]] == places
    assert low[1] == high[1] == domain.leaf_order[0]
    assert low[2] == high[2] == domain.leaf_order[1]


@pytest.mark.parametrize(
    ("label", "cities"),
    [
        ("Aln", "A"),
        ("north", "AB"),
        ("*", "ABCD"),
        (None, "ABCD"),
        ("{Aln,Brix}", "AB"),
        ('{"Brix", Corve}', "BC"),
        ("{north, Dunn}", "ABCD"),
        ("{Aln,Nowhere}", ""),
        ("east", ""),
    ],
)
def test_labels_of_a_hierarchy(label: str | None, cities: str) -> None:
    regions = {"Aln": "north", "Brix": "north", "Corve": "south", "Dunn": "south"}
    tree = Hierarchy({city: (city, region, "all") for city, region in regions.items()})
    ((low,), (high,)) = read_extents(Domain("city", (*regions,), hierarchy=tree), [label])
    assert ("ABCD"[low : high + 1] if low != UNREAD else "") == cities


def test_values_are_those_of_the_domain() -> None:
    found = read_values(_numbers(AGES, null=True), ["21", "21.00", None, "*", "[21,22)", "22"])
    assert found.tolist() == [3, 3, 8, UNREAD, 3, UNREAD]
    nothing = Domain("age", (None,), np.array([np.nan]))
    assert read_values(nothing, ["*", None, "1"]).tolist() == [UNREAD, 0, UNREAD]
    letters = Domain("x", ("a", "b"))
    assert read_values(letters, ["b", "*", None]).tolist() == [1, UNREAD, UNREAD]


@MANY
@given(tables(kinds=("numeric", "binned", "flat")), st.data())
def test_what_a_release_shows_is_read_as_its_boxes(records: Records, data: st.DataObject) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(len(records.cells()))))
    form, parts = Generalized(), Parts.of(table)
    low, high = form.boxes(parts, groups)
    for axis, domain in enumerate(table.quasi_identifiers):
        labels = shown(domain, low[:, axis], high[:, axis])
        first, last = read_extents(domain, labels)
        anything = np.array([label in ("*", "(,)") for label in labels])
        assert first.tolist() == np.where(anything, 0, low[:, axis]).tolist()
        assert last.tolist() == np.where(anything, domain.size - 1, high[:, axis]).tolist()
        # What is shown costs what its people do.
        assert domain.ncp(first, last).tolist() == domain.ncp(low[:, axis], high[:, axis]).tolist()


def shown(domain: Domain, low: IntArray, high: IntArray) -> list[str | None]:
    """Labels of boxes as text."""
    if not domain.numeric:
        return domain.generalize(low, high)
    ends = [
        (domain.labels[one], domain.labels[other]) for one, other in zip(low, high, strict=True)
    ]
    return [
        first if first == last else "(,)" if last is None else f"[{first},{last}]"
        for first, last in ends
    ]


@given(st.text(max_size=12))
def test_anything_may_be_written(label: str) -> None:
    for domain in (_numbers(AGES), Domain("x", ("a", "b"))):
        ((low,), (high,)) = read_extents(domain, [label])
        assert low == high == UNREAD or 0 <= low <= high < domain.size


BLANKS = " " * 100_000

LONG = [
    "1" * 100_000,
    "[" + "1" * 100_000,
    "1-" * 50_000,
    f"[{BLANKS}1",
    f"[1,{BLANKS}1",
    f"1-{BLANKS}x",
    f">{BLANKS}x",
    "{" * 5000 + "5" + "}" * 5000,
    "{[" + BLANKS + "1}",
]


@pytest.mark.parametrize("label", LONG, ids=[label[:3] for label in LONG])
def test_a_long_label_is_read_at_once(label: str) -> None:
    started = time.process_time()
    for domain in (_numbers(AGES), Domain("x", ("a", "b"))):
        assert read_extents(domain, [label])[0].tolist() == [UNREAD]
    assert time.process_time() - started < 1


@pytest.mark.parametrize("blank", [" ", "\n"])
@pytest.mark.parametrize("label", ["[{0}20{0},{0}30{0})", "20{0}-{0}<{0}30", "<{0}30", "30{0}+"])
def test_no_pattern_is_slower_than_linear(label: str, blank: str) -> None:
    # The limit of the length aside, as a second guard.
    text = f"{label.format(blank * 100_000)}x"
    started = time.process_time()
    for pattern in (reading._BRACKETED, reading._BARE, reading._SIDED, reading._UPWARDS):
        assert pattern.fullmatch(text) is None
    assert time.process_time() - started < 1


def test_members_of_sets_are_polled() -> None:
    class Stopped(Exception):
        """A cancellation."""

    class Counting(Progress):
        """Progress that is stopped at the tenth step."""

        polled = 0

        def poll(self) -> None:
            self.polled += 1
            if self.polled == 10:
                raise Stopped

    for domain, member in ((_numbers(AGES), "21"), (Domain("x", ("a", "b")), "a")):
        with pytest.raises(Stopped):
            read_extents(domain, ["{" + ",".join([member] * 100) + "}"], Counting())
