"""Combinations against lists of rows, and their distances and aspects by their definitions."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import TooLarge
from bkpriv_core.table import combination
from bkpriv_core.table.combination import MOST_ASPECTS, Combination, marginals_of, rows_of
from bkpriv_core.table.domain import Domain
from tests.core.strategies import MANY, as_domain, attributes

Row = tuple[int, ...]


@st.composite
def multisets(draw: st.DrawFn, most: int = 3) -> tuple[tuple[Domain, ...], list[list[Row]]]:
    """Draw columns, and multisets of rows over them."""
    columns = tuple(
        as_domain(draw(attributes(name, max_values=3))) for name in "abc"[: draw(st.integers(1, 3))]
    )
    row = st.tuples(*(st.integers(0, column.size - 1) for column in columns))
    several = st.lists(row, min_size=1, max_size=most)
    return columns, draw(st.lists(several, min_size=1, max_size=6))


def combined(
    columns: tuple[Domain, ...], sets: list[list[Row]]
) -> tuple[Combination, list[list[Row]]]:
    """Combinations of multisets, and the rows of the value that each of them is."""
    rows = np.array([row for each in sets for row in each])
    offsets = np.cumsum([0, *(len(each) for each in sets)])
    made, values = Combination.of(columns, rows, offsets)
    return made, [[tuple(row) for row in made.rows[made.sets[value]]] for value in values]


@MANY
@given(multisets())
def test_multisets_are_told_apart_by_their_rows(
    given: tuple[tuple[Domain, ...], list[list[Row]]],
) -> None:
    columns, sets = given
    made, values = combined(columns, sets)
    assert values == [sorted(each) for each in sets]
    assert made.size == len({tuple(sorted(each)) for each in sets})
    assert len(set(made.labels)) == made.size
    for value, label in enumerate(made.labels):
        assert label is not None
        spelled = [
            {column.name: column.labels[code] for column, code in zip(columns, row, strict=True)}
            for row in made.rows[made.sets[value]]
        ]
        if len(spelled) > 1:
            assert json.loads(label) == spelled
        elif len(columns) > 1 or spelled[0][columns[0].name] is None:
            assert json.loads(label) == spelled[0]
        else:
            # As where nobody has several records.
            assert label == spelled[0][columns[0].name]


@MANY
@given(multisets(), st.lists(st.integers(0, 99)))
def test_values_are_spelled_out_row_by_row(
    given: tuple[tuple[Domain, ...], list[list[Row]]], picks: list[int]
) -> None:
    made, _ = combined(*given)
    values = np.array([pick % made.size for pick in picks], dtype=np.int64)
    which, rows = rows_of(made, values)
    assert list(zip(which.tolist(), map(tuple, rows.tolist()), strict=True)) == [
        (place, tuple(row))
        for place, value in enumerate(values)
        for row in made.rows[made.offsets[value] : made.offsets[value + 1]].tolist()
    ]
    plain, codes = rows_of(made.columns[0], np.array([2, 0]))
    assert (plain.tolist(), codes.tolist()) == ([0, 1], [[2], [0]])


@MANY
@given(multisets())
def test_distances_are_of_the_row_that_is_farthest_from_its_nearest(
    given: tuple[tuple[Domain, ...], list[list[Row]]],
) -> None:
    columns, sets = given
    made, _ = combined(columns, sets)

    def numbered(value: int) -> list[tuple[Row, int]]:
        seen: Counter[Row] = Counter()
        rows = []
        for row in map(tuple, made.rows[made.sets[value]].tolist()):
            rows.append((row, seen[row]))
            seen[row] += 1
        return rows

    def apart(one: tuple[Row, int], other: tuple[Row, int]) -> float:
        if one[1] != other[1]:
            return 1.0
        pairs = zip(columns, one[0], other[0], strict=True)
        return sum(float(c.distances[x, y]) for c, x, y in pairs) / len(columns)

    def directed(one: int, other: int) -> float:
        return max(min(apart(x, y) for y in numbered(other)) for x in numbered(one))

    expected = [
        [max(directed(x, y), directed(y, x)) for y in range(made.size)] for x in range(made.size)
    ]
    np.testing.assert_allclose(made.distances, expected, rtol=0, atol=1e-12)
    # A metric: what differs is apart, and no way round is shorter.
    d = made.distances
    assert ((d > 0) == ~np.eye(made.size, dtype=bool)).all()
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()
    assert (d <= 1.0).all()


@MANY
@given(multisets(most=1))
def test_of_one_row_each_the_columns_are_the_aspects(
    given: tuple[tuple[Domain, ...], list[list[Row]]],
) -> None:
    columns, sets = given
    made, values = combined(columns, sets)
    assert not made.several
    assert [aspect.domain for aspect in made.aspects] == list(columns)
    for place, aspect in enumerate(made.aspects):
        assert aspect.column == columns[place].name
        assert [row[place] for (row,) in values] == [row[place] for (row,) in sets]
        assert aspect.classes.tolist() == made.rows[:, place].tolist()


@MANY
@given(multisets())
def test_of_several_rows_having_a_value_is_an_aspect(
    given: tuple[tuple[Domain, ...], list[list[Row]]],
) -> None:
    columns, sets = given
    made, _ = combined(columns, sets)
    if not made.several:
        return
    told = {aspect.label(0): (1 - aspect.classes).tolist() for aspect in made.aspects}
    lacking = [{"not": json.loads(label)} for label in told]
    assert [json.loads(aspect.label(1)) for aspect in made.aspects] == lacking
    assert len(told) == sum(column.size for column in columns)
    for place, column in enumerate(columns):
        for code in range(column.size):
            has = [
                int(any(made.rows[row, place] == code for row in made.sets[value]))
                for value in range(made.size)
            ]
            value = json.dumps({column.name: column.labels[code]}, separators=(",", ":"))
            assert told[value] == has


@MANY
@given(multisets(), st.integers(0, 2**32 - 1))
def test_aspects_collapse_counts_and_beliefs(
    given: tuple[tuple[Domain, ...], list[list[Row]]], seed: int
) -> None:
    made, _ = combined(*given)
    counts = np.random.default_rng(seed).integers(0, 9, (4, made.size))
    for aspect in marginals_of(made):
        collapsed = aspect.count(counts)
        for row, summed in zip(counts.tolist(), collapsed.tolist(), strict=True):
            by_class = [0] * aspect.domain.size
            for number, kind in zip(row, aspect.classes.tolist(), strict=True):
                by_class[kind] += number
            assert summed == by_class


def test_an_attribute_that_is_no_combination_is_its_own_aspect() -> None:
    domain = Domain("a", ("x", "y"))
    (aspect,) = marginals_of(domain)
    assert aspect.domain is domain
    np.testing.assert_array_equal(aspect.count(np.array([[1, 2]])), [[1, 2]])


@MANY
@given(multisets(), st.data())
def test_some_combinations_are_named_as_if_they_were_all(
    given: tuple[tuple[Domain, ...], list[list[Row]]], data: st.DataObject
) -> None:
    made, _ = combined(*given)
    chosen = data.draw(st.sets(st.integers(0, made.size - 1), min_size=1))
    some = made.select(np.array(sorted(chosen)))
    expected, _ = combined(
        made.columns, [[tuple(r) for r in made.rows[made.sets[v]]] for v in sorted(chosen)]
    )
    assert some.labels == expected.labels
    np.testing.assert_array_equal(some.rows, expected.rows)


def test_too_many_rows_are_refused_by_the_columns_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combination, "PAIRED_VALUES", 1)
    made, _ = Combination.of(
        (Domain("a", ("x", "y")), Domain("b", ("z",))), np.array([[0, 0], [1, 0]])
    )
    with pytest.raises(TooLarge, match="the 2 combinations of a, b have 2 rows") as error:
        made.distances  # noqa: B018
    assert "by itself" in error.value.hint


def test_values_too_many_to_be_bounded_one_by_one_are_refused() -> None:
    columns = (Domain("a", tuple(map(str, range(MOST_ASPECTS + 1)))),)
    several, _ = Combination.of(columns, np.array([[0], [1]]), np.array([0, 2]))
    with pytest.raises(TooLarge, match=f"the {MOST_ASPECTS + 1} values of a are too many"):
        several.aspects  # noqa: B018
    one, _ = Combination.of(columns, np.array([[0], [1]]))
    assert len(one.aspects) == 1


def test_one_record_with_null_is_called_as_where_nobody_has_several() -> None:
    disease = Domain("disease", ("acne", "flu", None))
    rows, offsets = np.array([[0], [2], [1], [2], [2], [2]]), np.array([0, 1, 2, 4, 6])
    made = Combination.assembled((disease,), rows, offsets)
    assert made.called == ("acne", None, *made.labels[2:])
    assert len({*made.called}) == len(made.called)
    assert {*made.called[:2]} < {*disease.called}
