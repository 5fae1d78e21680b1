"""Domains against explicit lowest common ancestors, and what is wrong with a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Attribute, Records, Value
from tests.core.strategies import (
    MANY,
    as_array,
    as_domain,
    as_groups,
    as_table,
    attributes,
    occurring,
    partitions,
    records_of,
    tables,
)

CATEGORICAL = ("hierarchical", "flat")

EDUCATION = [
    ["9th", "school", "any"],
    ["10th", "school", "any"],
    ["BSc", "university", "any"],
    ["MSc", "university", "any"],
    ["PhD", "university", "any"],
]


@st.composite
def occurring_attributes(
    draw: st.DrawFn, kinds: Sequence[str] = ("numeric", *CATEGORICAL)
) -> Attribute:
    """An attribute some of whose values occur: its hierarchy may know others too."""
    attribute = draw(attributes("q", kinds=kinds))
    subset = st.lists(st.sampled_from(attribute.values), min_size=1, unique=True)
    return occurring(attribute, draw(subset))


# --- Distances and hierarchies --------------------------------------------------------------------


@MANY
@given(occurring_attributes())
def test_distances_by_explicit_common_ancestors(attribute: Attribute) -> None:
    expected = [
        [oracles.distance(attribute, one, other) for other in attribute.values]
        for one in attribute.values
    ]
    distances = as_domain(attribute).distances
    np.testing.assert_allclose(distances, as_array(expected), rtol=0, atol=1e-15)


def test_distances_by_hand() -> None:
    education = Domain(
        "education",
        ("10th", "9th", "MSc", "PhD"),
        hierarchy=Hierarchy.from_rows("education", EDUCATION),
    )
    siblings = [[0, 0.5, 1, 1], [0.5, 0, 1, 1], [1, 1, 0, 0.5], [1, 1, 0.5, 0]]
    np.testing.assert_array_equal(education.distances, siblings)
    age = Domain("age", ("20", "25", "60"), positions=np.array([20.0, 25.0, 60.0]))
    np.testing.assert_array_equal(age.distances, [[0, 0.125, 1], [0.125, 0, 0.875], [1, 0.875, 0]])
    sex = Domain("sex", ("m", "f"))
    np.testing.assert_array_equal(sex.distances, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(Domain("x", ("7",), positions=np.array([7.0])).distances, [[0]])


@MANY
@given(occurring_attributes())
def test_size_kind_and_height(attribute: Attribute) -> None:
    domain = as_domain(attribute)
    assert domain.size == len(attribute.values)
    assert domain.numeric == (attribute.numbers is not None)
    if not domain.numeric:
        assert domain.height == len(attribute.path(attribute.values[0])) - 1


@MANY
@given(occurring_attributes(CATEGORICAL))
def test_membership_names_the_node_of_every_value(attribute: Attribute) -> None:
    membership = as_domain(attribute).membership
    paths = [attribute.path(value) for value in attribute.values]
    assert membership.shape == (len(paths[0]) - 1, len(paths), len(paths))
    for level, nodes in enumerate(membership):
        assert (nodes.sum(axis=1) == 1).all()
        for one, mine in enumerate(paths):
            for other, yours in enumerate(paths):
                together = bool((nodes[one] == nodes[other]).all())
                assert together == (mine[level:] == yours[level:])


# --- Order of leaves, boxes and labels ------------------------------------------------------------


@MANY
@given(occurring_attributes())
def test_leaves_of_every_node_are_contiguous(attribute: Attribute) -> None:
    domain = as_domain(attribute)
    places = dict(zip(attribute.values, domain.leaf_order.tolist(), strict=True))
    assert sorted(places.values()) == list(range(domain.size))
    if attribute.numbers is not None:
        assert list(places.values()) == list(range(domain.size))
        return
    for level in range(domain.height + 1):
        nodes: dict[tuple[Value, ...], list[int]] = {}
        for value, place in places.items():
            nodes.setdefault(attribute.path(value)[level:], []).append(place)
        for leaves in nodes.values():
            assert max(leaves) - min(leaves) == len(leaves) - 1


@MANY
@given(occurring_attributes())
def test_the_order_of_leaves_is_that_of_labels_from_the_root(attribute: Attribute) -> None:
    expected = sorted(attribute.values, key=attribute.place)
    order = sorted(
        attribute.values,
        key=dict(zip(attribute.values, as_domain(attribute).leaf_order, strict=True)).__getitem__,
    )
    assert order == expected


@MANY
@given(occurring_attributes(), st.data())
def test_penalty_and_label_of_an_extent(attribute: Attribute, data: st.DataObject) -> None:
    domain = as_domain(attribute)
    values = data.draw(st.lists(st.sampled_from(attribute.values), min_size=1, max_size=4))
    places = [int(domain.leaf_order[attribute.values.index(value)]) for value in values]
    low, high = np.array([min(places)]), np.array([max(places)])
    expected = float(oracles.certainty_penalty(attribute, values))
    assert domain.ncp(low, high)[0] == pytest.approx(expected, abs=1e-15)
    if domain.numeric:
        return
    level, label = oracles.common_ancestor(attribute, values)
    assert domain.ancestor_level(low, high).tolist() == [level]
    assert domain.generalize(low, high) == [label]


@MANY
@given(occurring_attributes(CATEGORICAL), st.data())
def test_branches_are_the_children_of_an_ancestor(
    attribute: Attribute, data: st.DataObject
) -> None:
    domain = as_domain(attribute)
    level = data.draw(st.integers(0, domain.height))
    starts = domain.branch_start(np.full(domain.size, level), domain.leaf_order)
    child = max(level - 1, 0)
    for one, mine in zip(attribute.values, starts, strict=True):
        below = [
            domain.leaf_order[code]
            for code, value in enumerate(attribute.values)
            if attribute.path(value)[child:] == attribute.path(one)[child:]
        ]
        assert mine == min(below)


def test_extents_by_hand() -> None:
    labels = ("10th", "9th", "BSc", "MSc", "PhD")
    domain = Domain("education", labels, hierarchy=Hierarchy.from_rows("education", EDUCATION))
    low, high = np.array([0, 0, 2, 1]), np.array([0, 1, 4, 2])
    assert domain.generalize(low, high) == ["10th", "school", "university", "any"]
    np.testing.assert_allclose(domain.ncp(low, high), [0, 0.4, 0.6, 1])
    flat = Domain("sex", ("f", "m"))
    assert flat.generalize(np.array([1, 0]), np.array([1, 1])) == ["m", ROOT]
    np.testing.assert_allclose(flat.ncp(np.array([1, 0]), np.array([1, 1])), [0, 1])
    age = Domain("age", ("20", "25", "60"), positions=np.array([20.0, 25.0, 60.0]))
    np.testing.assert_allclose(age.ncp(np.array([0, 1]), np.array([1, 2])), [0.125, 0.875])
    only = Domain("age", ("20",), positions=np.array([20.0]))
    np.testing.assert_allclose(only.ncp(np.array([0]), np.array([0])), [0])


# --- NULL as a value ------------------------------------------------------------------------------


def test_null_is_as_far_from_every_value_as_can_be() -> None:
    numbers = Domain("age", ("20", "25", None), positions=np.array([20.0, 25.0, np.nan]))
    flat = Domain("sex", ("f", "m", None))
    hierarchy = Hierarchy.from_rows("education", EDUCATION)
    tree = Domain("education", ("10th", "9th", None), hierarchy=hierarchy)
    only = Domain("age", (None,), positions=np.array([np.nan]))
    assert numbers.has_null
    assert only.has_null
    assert not Domain("sex", ("f", "m")).has_null
    np.testing.assert_array_equal(numbers.distances, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(flat.distances, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(tree.distances, [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(only.distances, [[0]])


def test_null_mixed_with_values_may_be_anything() -> None:
    numbers = Domain("age", ("20", "25", "60", None), positions=np.array([20.0, 25, 60, np.nan]))
    penalties = numbers.ncp(np.array([0, 1, 2, 3]), np.array([1, 3, 3, 3]))
    np.testing.assert_allclose(penalties, [0.125, 1, 1, 0])
    labels = ("10th", "9th", "MSc", None)
    tree = Domain("education", labels, hierarchy=Hierarchy.from_rows("education", EDUCATION))
    null = int(tree.leaf_order[-1])
    ends = [int(tree.leaf_order[code]) for code in range(3)]
    low = np.array([null, min(null, *ends), min(ends[:2])])
    high = np.array([null, max(null, *ends), max(ends[:2])])
    assert tree.generalize(low, high) == [None, "any", "school"]
    np.testing.assert_allclose(tree.ncp(low, high), [0, 1, 0.5])


def test_null_is_not_the_empty_string() -> None:
    hierarchy = Hierarchy.from_rows("q", [["", "*"], ["a", "*"]])
    domain = Domain("q", ("", "a", None), hierarchy=hierarchy)
    np.testing.assert_array_equal(domain.distances, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert domain.generalize(np.array([0]), np.array([1])) == ["*"]


# --- Tables ---------------------------------------------------------------------------------------


def test_penalty_of_bins_is_the_share_of_what_they_span() -> None:
    bins = Domain(
        "born",
        ("0", "10", "40", None),
        positions=np.array([0.0, 10.0, 40.0, np.nan]),
        ends=np.array([10.0, 20.0, 50.0, np.nan]),
    )
    low, high = np.array([0, 0, 0, 1, 1, 3]), np.array([0, 1, 2, 2, 3, 3])
    np.testing.assert_allclose(bins.ncp(low, high), [0, 0.4, 1, 0.8, 1, 0])
    only = Domain("born", ("0",), positions=np.array([0.0]), ends=np.array([10.0]))
    assert only.ncp(np.array([0]), np.array([0])).tolist() == [0]


@MANY
@given(tables(max_records=16), st.data())
def test_sums_boxes_and_penalties_of_groups(records: Records, data: st.DataObject) -> None:
    table = as_table(records)
    lists = data.draw(partitions(table.cells, suppress=True))
    groups = as_groups(lists)
    members = [records_of(records, cells) for cells in lists]
    assert table.records == len(records.rows)
    assert table.weights.tolist() == [len(cell) for cell in records.cells()]
    parts = Parts.of(table)
    assert parts.sizes(groups).tolist() == [len(group) for group in members]
    assert parts.histograms(groups).tolist() == [
        [records.secrets(group).count(value) for value in range(table.sensitive.size)]
        for group in members
    ]
    low, high = parts.boxes(groups)
    penalties = []
    for row, group in enumerate(members):
        for axis, attribute in enumerate(records.attributes):
            leaves = sorted(attribute.values, key=attribute.place)
            places = [leaves.index(value) for value in records.column(group, axis)]
            assert (low[row, axis], high[row, axis]) == (min(places), max(places))
        each = [
            oracles.certainty_penalty(attribute, records.column(group, axis))
            for axis, attribute in enumerate(records.attributes)
        ]
        penalties.append(float(sum(each) / len(each)))
    np.testing.assert_allclose(table.penalty(low, high), penalties, atol=1e-12)


def test_a_cell_is_described_by_its_values() -> None:
    age = Domain("age", ("1", None), positions=np.array([1.0, np.nan]))
    cells = (age, Domain("City", ("it's", "x")))
    codes, counts = np.array([[0, 1], [1, 0]]), np.ones((2, 1), dtype=np.int64)
    table = Table(cells, Domain("s", ("y",)), codes, counts)
    assert table.describe(0) == "\"age\" is '1', \"City\" is 'x'"
    assert table.describe(1) == '"age" is NULL, "City" is "it\'s"'


# --- What is wrong with a hierarchy or a domain ---------------------------------------------------


def refusal(rows: Sequence[Sequence[str | None]]) -> InvalidData:
    with pytest.raises(InvalidData) as caught:
        Hierarchy.from_rows("education", rows)
    assert '"education"' in caught.value.message
    return caught.value


def test_a_hierarchy_by_rows() -> None:
    hierarchy = Hierarchy.from_rows("education", [*EDUCATION, EDUCATION[0]])
    assert hierarchy.height == 2
    assert hierarchy.paths["MSc"] == ("MSc", "university", "any")
    assert len(hierarchy.paths) == 5


def test_a_label_may_recur_on_another_level() -> None:
    rows = [["other", "other", "any"], ["PhD", "university", "any"], ["any", "other", "any"]]
    labels = ("PhD", "any", "other")
    domain = Domain("education", labels, hierarchy=Hierarchy.from_rows("education", rows))
    np.testing.assert_array_equal(domain.distances, [[0, 1, 1], [1, 0, 0.5], [1, 0.5, 0]])


@pytest.mark.parametrize(
    ("rows", "message", "details", "hint"),
    [
        ([], "is empty", [], "one row per value"),
        ([["9th"], ["10th"]], "only one level", [], "two columns"),
        ([["10th", None, "any"]], "NULL label", ['["10th", null, "any"]'], "Fill it"),
        ([[None, "school", "any"]], "NULL label", ['[null, "school", "any"]'], "Fill it"),
        (
            [*EDUCATION, ["BSc", "school", "any"]],
            "two paths to the value 'BSc'",
            ['["BSc", "university", "any"]', '["BSc", "school", "any"]'],
            "",
        ),
        (
            [["9th", "low", "school", "any"], ["1st", "low", "preschool", "any"]],
            "two parents to the label 'low'",
            ["level 1", "'school'", "'preschool'"],
            "name of its own",
        ),
        (
            [["9th", "school"], ["BSc", "university"]],
            "no single root",
            ["'school', 'university'"],
            "last column",
        ),
    ],
)
def test_what_is_no_hierarchy(
    rows: Sequence[Sequence[str | None]], message: str, details: list[str], hint: str
) -> None:
    error = refusal(rows)
    assert message in error.message
    assert all(detail in error.detail for detail in details)
    assert hint in error.hint


def test_no_single_root_lists_a_few_of_many() -> None:
    error = refusal([[f"leaf{i}", f"root{i:02}"] for i in range(20)])
    assert "'root00'" in error.detail
    assert "'root07' and 12 more" in error.detail
    assert "'root08'" not in error.detail


def test_values_missing_from_the_hierarchy() -> None:
    hierarchy = Hierarchy.from_rows("education", EDUCATION)
    with pytest.raises(InvalidData) as caught:
        Domain("education", ("11th", "9th", "MD"), hierarchy=hierarchy)
    assert 'attribute "education"' in caught.value.message
    assert "missing from its hierarchy" in caught.value.message
    assert "'11th', 'MD'" in caught.value.detail
    assert "'9th'" not in caught.value.detail
    assert "set_hierarchy" in caught.value.hint


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite(number: float) -> None:
    with pytest.raises(InvalidData) as caught:
        Domain("weight", ("70", "strange"), positions=np.array([70.0, number]))
    assert 'attribute "weight"' in caught.value.message
    assert "'strange'" in caught.value.detail
    assert "'70'" not in caught.value.detail
