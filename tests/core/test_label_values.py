"""Values that read like a label under which others are published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData
from bkpriv_core.release.generalized.extent import Labels
from bkpriv_core.suggestion import suggest
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.reading import read_extents
from bkpriv_core.table.rule import Listed, Prefixes
from bkpriv_core.table.table import Table
from tests.core.strategies import MANY

NORTH = {"north": ["Kiel", "Husum"], "south": ["Ulm"]}


def told_apart(domain: Domain) -> bool:
    """Whether a reader of every value as it is takes each for itself."""
    labels = Labels(domain, domain.labels)
    every = np.arange(domain.size)
    return bool(np.array_equal(labels.spread().shares(every, labels.owner), np.eye(domain.size)))


def accepted(domain: Domain) -> bool:
    try:
        domain.check_labels()
    except InvalidData:
        return False
    return True


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Domains whose values and labels have the same few names."""
    values = draw(st.lists(st.sampled_from("*abc"), min_size=1, unique=True))
    null = draw(st.booleans())
    labels = (*sorted(values), *([None] if null else []))
    if draw(st.booleans()):
        return Domain("town", labels)
    above = {value: draw(st.sampled_from([value, *"ab"])) for value in values}
    root = draw(st.sampled_from("*a"))
    return Domain(
        "town",
        labels,
        hierarchy=Hierarchy({value: (value, above[value], root) for value in values}),
    )


@MANY
@given(domains())
def test_values_are_refused_where_a_reader_would_mistake_them(domain: Domain) -> None:
    assert accepted(domain) == told_apart(domain)


@pytest.mark.parametrize(
    ("values", "tree", "named"),
    [
        (["*", "Kiel"], None, ("'*'", "root")),
        (["24*", "24103"], Prefixes((2, 1)), ("'24*'", "label")),
        (["Husum", "Kiel", "north"], Listed.checked("place", NORTH, "else"), ("'north'", "label")),
    ],
)
def test_value_label_and_a_way_out_are_named(
    values: list[str], tree: Prefixes | Listed | None, named: Sequence[str]
) -> None:
    hierarchy = None if tree is None else tree.over("place", values)
    with pytest.raises(InvalidData) as caught:
        Domain("place", tuple(values), hierarchy=hierarchy).check_labels()
    assert f'value {named[0]} of attribute "place"' in caught.value.message
    assert named[1] in caught.value.detail
    assert f'NULLIF("place", {named[0]})' in caught.value.hint
    assert '{"nulls": "category"}' in caught.value.hint
    assert "bkpriv.set_hierarchy" in caught.value.hint


@pytest.mark.parametrize(
    "rows", [[["a", "a", "x"], ["b", "b", "x"]], [["a", "a", "a"]], [["*", "*", "x"]]]
)
def test_a_value_may_repeat_as_its_own_label(rows: list[list[str]]) -> None:
    values = tuple(row[0] for row in rows)
    Domain("town", values, hierarchy=Hierarchy.from_rows("town", rows)).check_labels()


def test_a_root_in_a_table_made_elsewhere_stands_for_all_though_it_is_a_value() -> None:
    low, high = read_extents(Domain("town", ("*", "a", "b")), ["*", "a"])
    assert (low.tolist(), high.tolist()) == ([0, 1], [2, 1])


def test_no_hierarchy_is_proposed_with_a_label_that_is_a_value() -> None:
    values = ("*", *(f"24{number}" for number in range(100, 130)))
    codes = np.arange(len(values), dtype=np.int64)[:, None]
    counts = np.full((len(values), 1), 5, dtype=np.int64)
    table = Table((Domain("zip", values),), Domain("", ("*",)), codes, counts)
    with pytest.raises(InvalidData, match="also a label"):
        suggest(table, 0)
