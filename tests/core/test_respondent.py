"""Respondents: each group holds as many of them with each value as it was published with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.respondent import NOBODY, Respondents
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, as_table, tables


def numbered(records: Records, seed: int) -> tuple[Respondents, dict[str, tuple[int, int]]]:
    """A table's rows in some order, with numbers for names; each record's cell and value."""
    table = as_table(records)
    cells, values = (kind[SeededChance(seed).order(len(kind))] for kind in np.nonzero(table.counts))
    counts = table.counts[cells, values]
    truth: dict[str, tuple[int, int]] = {}
    for cell, value, count in zip(cells.tolist(), values.tolist(), counts.tolist(), strict=True):
        for _ in range(count):
            truth[str(len(truth))] = cell, value
    respondents, row = Respondents.of_rows("id", list(truth), cells, values, counts)
    assert [truth[name] for name in respondents.names] == [
        *zip(cells[row].tolist(), values[row].tolist(), strict=True)
    ]
    return respondents, truth


def of_records(names: Sequence[str | None], cells: IntArray, values: IntArray) -> Respondents:
    """Respondents of rows of one record each."""
    return Respondents.of_rows("id", names, cells, values, np.ones_like(cells))[0]


@MANY
@given(tables(), st.integers(0, 99), st.data())
def test_groups_hold_respondents_with_their_values(
    records: Records, seed: int, data: st.DataObject
) -> None:
    respondents, truth = numbered(records, seed)
    assert list(respondents.names) == sorted(truth)
    assert [truth[name] for name in respondents.names] == list(
        zip(respondents.cells.tolist(), respondents.values.tolist(), strict=True)
    )
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    drawn = data.draw(st.lists(st.integers(-1, 2), min_size=len(cells), max_size=len(cells)))
    _, dense = np.unique([label for label in drawn if label >= 0], return_inverse=True)
    labels = np.full(len(cells), -1)
    labels[np.array(drawn) >= 0] = dense
    parts, groups = Parts.of(table).dealt(cells, values, labels)
    places = respondents.places(parts, SeededChance(seed + 1))
    ours = Counter(
        (*truth[name], label)
        for name, label in zip(
            respondents.names, groups.labels(len(parts))[places].tolist(), strict=True
        )
    )
    # Each in a part of the cell, as many with each value as the part has records.
    assert [truth[name][0] for name in respondents.names] == parts.cell[places].tolist()
    held = np.zeros_like(parts.counts)
    for name, place in zip(respondents.names, places.tolist(), strict=True):
        held[place, truth[name][1]] += 1
    assert held.tolist() == parts.counts.tolist()
    theirs = Counter(zip(cells.tolist(), values.tolist(), labels.tolist(), strict=True))
    assert ours == theirs


@given(tables(), st.integers(0, 99))
def test_whole_cells_take_all_their_respondents_along(records: Records, seed: int) -> None:
    respondents, truth = numbered(records, seed)
    table = as_table(records)
    places = respondents.places(Parts.of(table), SeededChance(seed))
    assert places.tolist() == [truth[name][0] for name in respondents.names]


@given(tables(), st.integers(0, 99))
def test_respondents_who_are_told_apart_are_in_their_own_parts(records: Records, seed: int) -> None:
    respondents, truth = numbered(records, seed)
    table = as_table(records)
    order = SeededChance(seed + 1).order(len(respondents.names))
    counts = np.zeros((len(order), table.sensitive.size), dtype=np.int64)
    counts[np.arange(len(order)), respondents.values[order]] = 1
    parts = Parts(table, respondents.cells[order], counts, order)
    places = respondents.places(parts, SeededChance(seed + 2))
    assert parts.respondent is not None
    assert parts.respondent[places].tolist() == list(range(len(truth)))


def test_who_of_several_alike_is_where_is_drawn_by_lot() -> None:
    records = Records((Attribute("q", ("a",)),), Attribute("s", ("x",)), (("a", "x"),) * 40)
    respondents, _ = numbered(records, 1)
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    parts, groups = Parts.of(table).dealt(cells, values, np.arange(40) % 2)
    drawn = [
        tuple(groups.labels(2)[respondents.places(parts, SeededChance(seed))].tolist())
        for seed in range(5)
    ]
    assert len(set(drawn)) == 5
    assert all(sum(labels) == 20 for labels in drawn)


def test_records_are_about_one_respondent_each() -> None:
    some = np.zeros(4, dtype=np.int64)
    with pytest.raises(InvalidData, match="2 respondents have more than one") as caught:
        of_records(["b", "a", "b", "a"], some, some)
    assert "'a' (2), 'b' (2)" in caught.value.detail
    with pytest.raises(InvalidData, match=r'"id" has NULL in 1 of 4 records$'):
        of_records(["b", None, "c", "a"], some, some)
    ones = np.ones_like(some)
    with pytest.raises(InvalidData, match=r"1 respondents .* in period 2024-03, by"):
        Respondents.of_rows("id", ["b", "c", "b", "a"], some, some, ones, "2024-03")
    with pytest.raises(InvalidData, match=r"1 of 4 records of period 2024-03$"):
        Respondents.of_rows("id", ["b", "c", None, "a"], some, some, ones, "2024-03")


def test_the_same_respondents_have_the_same_records() -> None:
    cells, values = np.array([0, 1]), np.array([1, 0])
    one = of_records(["a", "b"], cells, values)
    assert one.same_as(of_records(["b", "a"], cells[::-1], values[::-1]))
    assert not one.same_as(of_records(["b", "a"], cells, values))
    assert not one.same_as(of_records(["a", "c"], cells, values))
    assert not one.same_as(of_records(["a", "b"], cells, values[::-1]))


@MANY
@given(tables(), st.integers(0, 99), st.data())
def test_a_release_that_tells_respondents_apart_is_one_that_does_not(
    records: Records, seed: int, data: st.DataObject
) -> None:
    respondents, _ = numbered(records, seed)
    table = as_table(records)
    parts = respondents.apart(table)
    count = len(respondents.names)
    assert parts.counts.sum() == count == table.records
    np.testing.assert_array_equal(parts.respondent, np.arange(count))
    drawn = data.draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    _, dense = np.unique([label for label in drawn if label >= 0], return_inverse=True)
    labels = np.full(count, -1)
    labels[np.array(drawn) >= 0] = dense
    apart = Release(parts, Groups.from_labels(labels), Generalized())
    shown, place = apart.together()
    assert shown.parts.respondent is None
    united = shown.groups.labels(len(shown.parts))
    np.testing.assert_array_equal(united[place], labels)
    np.testing.assert_array_equal(shown.parts.cell[place], respondents.cells)
    # No two parts are alike, and each has the records of its respondents.
    assert len({*zip(united.tolist(), shown.parts.cell.tolist(), strict=True)}) == len(shown.parts)
    held = np.zeros_like(shown.parts.counts)
    np.add.at(held, (place, respondents.values), 1)
    np.testing.assert_array_equal(held, shown.parts.counts)
    assert shown.together()[0] is shown


@given(tables(), st.integers(0, 99))
def test_nobody_is_in_no_part_and_draws_nothing(records: Records, seed: int) -> None:
    parts = Parts.of(as_table(records))
    chance = SeededChance(seed)
    moved = NOBODY.moved(np.zeros(parts.table.cells, dtype=np.int64))
    assert not moved
    assert moved.same_as(NOBODY)
    assert moved.places(parts, chance).shape == (0,)
    assert moved.shown(parts, np.zeros(0, dtype=np.int64)) is None
    assert chance.order(9).tolist() == SeededChance(seed).order(9).tolist()
