"""Queries count rows where persons have several, against rows spread over boxes one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import judge_queries
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.query.bound import QueryError
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.query.workload import draw_workload
from bkpriv_core.release.release import Release
from bkpriv_core.table import table as table_module
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility.comparison import query_errors
from tests.core.oracles import Attribute, Records, Value
from tests.core.query_oracles import Condition, Key, Spot, mentioned, spots, truth, value_of
from tests.core.query_strategies import GENERALIZED, as_predicate, conditions, stepped
from tests.core.strategies import (
    MANY,
    SOME,
    as_domain,
    as_groups,
    as_table,
    attributes,
    occurring,
    partitions,
    records_of,
)

Row = tuple[Value, ...]
Person = tuple[Row, list[Row]]


class Visits:
    """Persons of some rows each, in groups of cells: as lists, and as a release.

    Args:
        known, told: Quasi-identifiers and sensitive columns.
        persons: Quasi-identifiers of each person, and the sensitive values of their rows.
        steps: Distance of neighbouring points of each quasi-identifier.
    """

    def __init__(
        self,
        known: Sequence[Attribute],
        told: Sequence[Attribute],
        persons: Sequence[Person],
        steps: Sequence[int | None],
    ) -> None:
        rows = [row for _, some in persons for row in some]
        self.known = [
            occurring(item, [qi[axis] for qi, _ in persons]) for axis, item in enumerate(known)
        ]
        self.told = [occurring(item, [row[axis] for row in rows]) for axis, item in enumerate(told)]
        self.persons, self.steps = persons, steps
        codes = [[i.values.index(v) for i, v in zip(self.told, r, strict=True)] for r in rows]
        offsets = np.cumsum([0, *(len(some) for _, some in persons)])
        sensitive, values = Combination.of(
            tuple(as_domain(item) for item in self.told), np.array(codes), offsets
        )
        self.people = Records(
            tuple(self.known),
            Attribute("told", tuple(map(str, range(sensitive.size)))),
            tuple((*qi, str(v)) for (qi, _), v in zip(persons, values.tolist(), strict=True)),
        )
        plain = as_table(self.people)
        table = Table(plain.quasi_identifiers, sensitive, plain.codes, plain.counts)
        self.table = stepped(table, steps)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All columns, the sensitive ones last."""
        return (*self.known, *self.told)

    def release(self, cells: list[list[int]]) -> Release:
        """The release of groups of cells."""
        return Release(Parts.of(self.table), as_groups(cells), GENERALIZED)

    def dealt(self, groups: list[list[int]]) -> Release:
        """The release of groups of persons, who may be some of a cell's."""
        labels = np.full(len(self.persons), -1)
        for group, persons in enumerate(groups):
            labels[persons] = group
        cells, values = np.empty((2, len(self.persons)), dtype=np.int64)
        for cell, persons in enumerate(self.people.cells()):
            cells[persons] = cell
        values[:] = self.people.secrets(self.people.everything())
        return Release(*Parts.of(self.table).dealt(cells, values, labels), GENERALIZED)

    def rows(self, persons: Sequence[int]) -> list[Row]:
        """The rows of some persons, as a table has them."""
        return [(*qi, *row) for place in persons for qi, row in self._rows_of(place)]

    def _rows_of(self, place: int) -> list[tuple[Row, Row]]:
        qi, some = self.persons[place]
        return [(qi, row) for row in some]

    def actual(self, condition: Condition, keys: Sequence[int]) -> dict[Key, Fraction]:
        """Rows that meet a condition, by key, of all persons."""
        found: dict[Key, Fraction] = defaultdict(Fraction)
        for row in self.rows(range(len(self.persons))):
            point = [value_of(item, v) for item, v in zip(self.attributes, row, strict=True)]
            if truth(condition, self.attributes, point):
                found[tuple(row[key] for key in keys)] += 1
        return found

    def estimated(
        self, groups: list[list[int]], condition: Condition, keys: Sequence[int]
    ) -> dict[Key, Fraction]:
        """The same, of rows of groups of persons that are anywhere in their group's box."""
        literals: dict[int, list[object]] = {key: [] for key in keys}
        for axis, more in mentioned(condition):
            literals.setdefault(axis, []).extend(more)
        found: dict[Key, Fraction] = defaultdict(Fraction)
        for group in groups:
            rows = self.rows(group)
            sides = [
                spots(item, [row[axis] for row in rows], self.steps[axis], literals[axis])
                if axis in literals
                else [Spot(None, Fraction(1))]
                for axis, item in enumerate(self.known)
            ]
            for row, place in product(rows, product(*sides)):
                told = [
                    Spot(value_of(item, v), Fraction(1), v)
                    for item, v in zip(self.told, row[len(self.known) :], strict=True)
                ]
                point = [*place, *told]
                if all(point[key].exact for key in keys) and truth(
                    condition, self.attributes, [spot.value for spot in point]
                ):
                    share = Fraction(1)
                    for spot in place:
                        share *= spot.share
                    found[tuple(point[key].label for key in keys)] += share
        return found


@st.composite
def visits(draw: st.DrawFn, columns: int = 2) -> Visits:
    """Up to six persons of one to three rows, of whom one has several."""
    known = [
        draw(attributes(f"q{axis}", max_values=3)) for axis in range(draw(st.integers(1, columns)))
    ]
    kinds = ("numeric", "hierarchical", "flat")
    told = [
        draw(attributes(f"s{axis}", kinds=kinds, max_values=3))
        for axis in range(draw(st.integers(1, columns)))
    ]
    qi, row = (st.tuples(*(st.sampled_from(i.values) for i in some)) for some in (known, told))
    person = st.tuples(qi, st.lists(row, min_size=1, max_size=3))
    persons = draw(st.lists(person, min_size=1, max_size=6))
    persons.append((draw(qi), draw(st.lists(row, min_size=2, max_size=3))))
    steps = [draw(st.sampled_from((1, None))) for _ in known]
    return Visits(known, told, persons, steps)


def by_key(
    found: tuple[np.ndarray, np.ndarray], attributes: Sequence[Attribute], keys: Sequence[int]
) -> dict[Key, float]:
    """Counts of a tally, by the values of keys; no entry where there is no count."""
    codes, counts = found
    labels = [
        tuple(attributes[key].values[code] for key, code in zip(keys, row, strict=True))
        for row in codes.tolist()
    ]
    assert len(set(labels)) == len(labels)
    return {label: count for label, count in zip(labels, counts.tolist(), strict=True) if count}


@SOME
@given(visits(), st.data())
def test_rows_are_counted_and_estimated(clinic: Visits, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        cells = data.draw(partitions(clinic.table.cells, suppress=True))
        groups, made = [records_of(clinic.people, group) for group in cells], clinic.release(cells)
    else:
        groups = data.draw(partitions(len(clinic.persons), suppress=True))
        made = clinic.dealt(groups)
    release = made.counted
    condition = data.draw(conditions(clinic.attributes))
    places = st.sampled_from(range(len(clinic.attributes)))
    keys = data.draw(st.lists(places, unique=True, max_size=3))
    predicate = as_predicate(condition, clinic.attributes)
    for tally, expected in (
        (release.actual, clinic.actual(condition, keys)),
        (release.estimated, clinic.estimated(groups, condition, keys)),
    ):
        counted = by_key(release.by_column(tally).by_key(predicate, keys), clinic.attributes, keys)
        assert counted == pytest.approx(
            {key: float(count) for key, count in expected.items() if count}, rel=1e-9, abs=1e-9
        )


@SOME
@given(visits(), st.data())
def test_random_queries_count_rows(clinic: Visits, data: st.DataObject) -> None:
    cells = data.draw(partitions(clinic.table.cells))
    release = clinic.release(cells).counted
    random = np.random.default_rng(data.draw(st.integers(0, 9)))
    try:
        workload = draw_workload(release.domains, 5, 1, 0.4, random)
    except InvalidParameter:  # A column of nothing but NULL.
        return
    answered = release.actual.answer(workload), release.estimated.answer(workload)
    for query in range(len(workload)):
        predicate = workload.predicate(query)
        for tally, answers in zip((release.actual, release.estimated), answered, strict=True):
            assert answers[query] == pytest.approx(float(tally.by_key(predicate)[1][0]), abs=1e-9)


@MANY
@given(visits(columns=1), st.data())
def test_errors_are_those_of_a_release_of_rows(clinic: Visits, data: st.DataObject) -> None:
    """Rows of one column make a plain table: errors are those of that in the same groups."""
    cells = data.draw(partitions(clinic.table.cells))
    rows = clinic.rows(range(len(clinic.persons)))
    flat = as_table(Records(tuple(clinic.known), clinic.told[0], tuple(rows)))
    plain = Release(Parts.of(stepped(flat, clinic.steps)), as_groups(cells), GENERALIZED)
    release = clinic.release(cells)
    errors, expected = (
        (figures.median, figures.mean) for figures in map(query_errors, (release, plain))
    )
    assert errors == pytest.approx(expected, nan_ok=True)
    bound = QueryError(0.1, queries=50, selectivity=0.5)
    try:
        found = judge_queries(plain, bound)
    except InvalidParameter:  # No query counts anything.
        with pytest.raises(InvalidParameter):
            judge_queries(release, bound)
        return
    judged = judge_queries(release, bound)
    assert (judged.worst, judged.mean) == pytest.approx((found.worst, found.mean))


def test_rows_are_no_more_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    known, told = Attribute("q", ("a", "b")), Attribute("s", ("u", "v", "w", "x"))
    persons: list[Person] = [((qi,), [("u",), ("v",), ("w",), ("x",)]) for qi in "ab"]
    release = Visits([known], [told], persons, [None]).release([[0, 1]])
    monkeypatch.setattr(table_module, "_DENSE_COUNTS", 7)
    with pytest.raises(TooLarge, match='2 parts of cells times 4 values of "s"'):
        _ = release.counted
    monkeypatch.undo()
    assert release.counted.estimated.by_key(EVERYTHING)[1].tolist() == [8.0]


def test_a_release_of_one_row_each_is_counted_as_it_is() -> None:
    known, told = Attribute("q", ("a", "b")), Attribute("s", ("u", "v"))
    release = Visits([known], [told], [(("a",), [("u",)]), (("b",), [("v",)])], [None]).release(
        [[0, 1]]
    )
    assert release.counted is release
