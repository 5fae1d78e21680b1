"""Insensitive attributes: shown in the group of their record, beside its sensitive value."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import TooLarge
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.payload import (
    MOST_BYTES,
    MOST_VALUES,
    NO_PAYLOAD,
    GroupedRows,
    Payload,
    check_passed,
)
from bkpriv_core.table.respondent import Respondents
from tests.core.loss_oracles import unique_rows
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, as_table, tables

NOTES = ("fine", None, "poor")
WARDS = ("north", "south")

Kind = tuple[int, int, str | None, str]
"""Cell, sensitive value, and what passes through, of a record."""


@st.composite
def noted(draw: st.DrawFn) -> tuple[Records, list[Kind]]:
    """A table, and what each of its records is, in no order."""
    records = draw(tables())
    cells, values = Parts.of(as_table(records)).enumerate_records()
    passing = st.tuples(st.sampled_from(NOTES), st.sampled_from(WARDS))
    kinds: list[Kind] = [
        (cell, value, *draw(passing))
        for cell, value in zip(cells.tolist(), values.tolist(), strict=True)
    ]
    return records, draw(st.permutations(kinds))


def of_rows(rows: list[Kind], records: list[int], row: IntArray | None = None) -> Payload:
    """Insensitive attributes of counted rows."""
    codes = np.array([[NOTES.index(note), WARDS.index(ward)] for _, _, note, ward in rows])
    cells, values = np.array([kind[:2] for kind in rows]).T
    counts = np.array(records)
    columns = (("note", "ward"), (NOTES, WARDS), codes)
    if row is None:
        return Payload.of_rows(*columns, cells, values, counts)
    return Payload.of_persons(*columns, cells[row], values[row], row)


def counted(kinds: list[Kind]) -> Payload:
    """Insensitive attributes of records, equal ones counted together."""
    rows = Counter(kinds)
    return of_rows(list(rows), list(rows.values()))


def named(kinds: list[Kind]) -> tuple[Payload, Respondents]:
    """The same where the records are of respondents 0, 1, ..., and these."""
    cells, values = np.array([kind[:2] for kind in kinds]).T
    names, ones = [str(place) for place in range(len(kinds))], np.ones_like(cells)
    respondents, row = Respondents.of_rows("id", names, cells, values, ones)
    return of_rows(kinds, [1] * len(kinds), row), respondents


def kinds_of(passed: Payload) -> list[Kind]:
    """Kind of each record."""
    rows = np.column_stack((passed.cells, passed.values, passed.tuples[passed.which]))
    return [(c, v, NOTES[note], WARDS[ward]) for c, v, note, ward in rows.tolist()]


def told_of(told: GroupedRows) -> Counter[tuple[int, int, str | None, str]]:
    """Records as groups show them: group, sensitive value, and insensitive attributes."""
    rows = np.column_stack((told.groups, told.rows, told.codes)).tolist()
    kinds = [(group, value, NOTES[note], WARDS[ward]) for group, value, note, ward in rows]
    assert len({*kinds}) == len(kinds)
    return Counter(dict(zip(kinds, told.counts.tolist(), strict=True)))


@st.composite
def dealt(draw: st.DrawFn, records: Records) -> tuple[Parts, Groups]:
    """Groups of a table's records, which may part those of a cell, and leave some out."""
    parts = Parts.of(as_table(records))
    cells, values = parts.enumerate_records()
    some = draw(st.lists(st.integers(-1, 2), min_size=len(cells), max_size=len(cells)))
    labels = np.array(some)
    labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)[1]
    return parts.dealt(cells, values, labels)


@MANY
@given(noted(), st.data(), st.integers(0, 99))
def test_groups_show_what_passes_through_of_as_many_records_as_they_have(
    given_: tuple[Records, list[Kind]], data: st.DataObject, seed: int
) -> None:
    records, kinds = given_
    passed = counted(kinds)
    assert Counter(kinds_of(passed)) == Counter(kinds)
    parts, groups = data.draw(dealt(records))
    places = passed.places(parts, SeededChance(seed))
    # Each record is in a part of its cell, and each part has its records with each value.
    held = np.zeros_like(parts.counts)
    for (cell, value, _, _), place in zip(kinds_of(passed), places.tolist(), strict=True):
        assert parts.cell[place] == cell
        held[place, value] += 1
    np.testing.assert_array_equal(held, parts.counts)
    labels = groups.labels(len(parts))[places]
    told = told_of(passed.told(labels, as_table(records).sensitive))
    assert told == Counter(
        (label, value, note, ward)
        for label, (_, value, note, ward) in zip(labels.tolist(), kinds_of(passed), strict=True)
        if label >= 0
    )
    histograms = parts.histograms(groups)
    shown: Counter[tuple[int, int]] = Counter()
    for (group, value, _, _), count in told.items():
        shown[group, value] += count
    bare = GroupedRows.of(histograms, parts.table.sensitive)
    pairs = zip(bare.groups.tolist(), bare.rows.tolist(), bare.counts.tolist(), strict=True)
    assert shown == {(group, value): count for group, (value,), count in pairs}
    assert bare.codes.shape == (len(bare.groups), 0)


@MANY
@given(noted(), st.data(), st.integers(0, 99))
def test_respondents_keep_what_passes_through_of_their_own(
    given_: tuple[Records, list[Kind]], data: st.DataObject, seed: int
) -> None:
    records, kinds = given_
    passed, respondents = named(kinds)
    assert kinds_of(passed) == [kinds[int(name)] for name in respondents.names]
    parts, groups = data.draw(dealt(records))
    labels = groups.labels(len(parts))[respondents.places(parts, SeededChance(seed))]
    assert told_of(passed.told(labels, as_table(records).sensitive)) == Counter(
        (label, *kinds[int(name)][1:])
        for name, label in zip(respondents.names, labels.tolist(), strict=True)
        if label >= 0
    )


def test_what_passes_through_of_records_alike_is_dealt_by_lot() -> None:
    records = Records((Attribute("q", ("a",)),), Attribute("s", ("x",)), (("a", "x"),) * 40)
    parts = Parts.of(as_table(records))
    cells, values = parts.enumerate_records()
    parts, groups = parts.dealt(cells, values, np.arange(40) % 2)
    fine: Kind = (0, 0, "fine", "north")
    passed = counted([fine] * 20 + [(0, 0, "poor", "south")] * 20)
    drawn = []
    for seed in range(400):
        labels = groups.labels(2)[passed.places(parts, SeededChance(seed))]
        told = told_of(passed.told(labels, as_table(records).sensitive))
        drawn.append(told[0, 0, "fine", "north"])
        assert drawn[-1] + told[1, 0, "fine", "north"] == 20
        assert drawn[-1] + told[0, 0, "poor", "south"] == 20
    # Hypergeometric: 10 on average, with a variance of 20 * 1/4 * 20/39.
    assert abs(np.mean(drawn) - 10) < 4 * np.sqrt(100 / 39 / 400)
    assert np.var(drawn) == pytest.approx(100 / 39, rel=0.3)


@given(noted(), st.randoms(use_true_random=False))
def test_the_same_passes_through_in_whatever_order_it_is_counted(
    given_: tuple[Records, list[Kind]], random: Random
) -> None:
    _, kinds = given_
    passed = counted(kinds)
    shuffled = random.sample(kinds, len(kinds))
    assert passed.same_as(counted(shuffled))
    place = random.randrange(len(kinds))
    cell, value, note, ward = kinds[place]
    for other in ((cell, value, note, WARDS[1 - WARDS.index(ward)]), (cell + 1, value, note, ward)):
        assert not passed.same_as(counted([*kinds[:place], other, *kinds[place + 1 :]]))
    mine, _ = named(kinds)
    assert mine.same_as(named(kinds)[0])
    # With respondents it matters whose is what.
    assert mine.same_as(named(shuffled)[0]) == (shuffled == kinds)


def test_merged_cells_take_along_what_passes_through() -> None:
    passed = counted([(0, 0, "fine", "north"), (1, 0, None, "south"), (2, 1, None, "north")])
    assert kinds_of(passed.moved(np.array([0, 0, 1]))) == [
        (0, 0, "fine", "north"),
        (0, 0, None, "south"),
        (1, 1, None, "north"),
    ]


@given(tables(), st.integers(0, 99))
def test_nothing_passes_through_of_bare_records(records: Records, seed: int) -> None:
    parts, chance = Parts.of(as_table(records)), SeededChance(seed)
    moved = NO_PAYLOAD.moved(np.zeros(parts.table.cells, dtype=np.int64))
    assert not moved
    assert moved.same_as(NO_PAYLOAD)
    places = moved.places(parts, chance)
    told = moved.told(np.zeros(len(parts), dtype=np.int64)[places], parts.table.sensitive)
    assert told.groups.shape == (0,)
    assert told.codes.shape == (0, 0)
    assert chance.order(9).tolist() == SeededChance(seed).order(9).tolist()


def test_what_would_not_fit_in_memory_is_refused() -> None:
    names = ["note", "ward"]
    check_passed(names, MOST_VALUES // 2, MOST_BYTES)
    with pytest.raises(TooLarge, match="25000001 records times 2 columns"):
        check_passed(names, MOST_VALUES // 2 + 1, 0)
    with pytest.raises(TooLarge, match=f"values of {MOST_BYTES + 1} bytes") as caught:
        check_passed(names, 1, MOST_BYTES + 1)
    assert '"note", "ward"' in caught.value.detail


@MANY
@given(st.lists(st.tuples(*(st.integers(0, 3) for _ in range(4))), min_size=1, max_size=30))
def test_rows_that_are_unique_within_their_group(kinds: list[tuple[int, ...]]) -> None:
    # A group, a sensitive value, which does not matter, and what passes through by two columns.
    counts = Counter(kinds)
    rows = np.array([*counts])
    told = GroupedRows(rows[:, 0], rows[:, [1]], rows[:, 2:], np.array([*counts.values()]))
    bare = [(group, *passing) for group, _, *passing in kinds]
    assert told.unique.tolist() == unique_rows(bare)


@MANY
@given(
    st.lists(st.integers(0, 39), min_size=1, max_size=90), st.lists(st.integers(40, 60), min_size=0)
)
def test_rows_that_a_value_links(few: list[int], more: list[int]) -> None:
    values = [*few, *more, *range(100, 110)]
    sizes = Counter(values)
    kinds = np.array([*sizes])
    nothing = np.zeros((len(kinds), 1), dtype=np.int64)
    counts = np.array([*sizes.values()])
    told = GroupedRows(kinds % 3, nothing, np.column_stack((kinds, kinds % 2)), counts)
    shared = sum(2 <= sizes[value] <= 20 for value in values)
    linked = len(values) >= 20 and len(sizes) > 20 and 2 * shared > len(values)
    assert told.shared.tolist() == [shared if linked else 0, 0]
