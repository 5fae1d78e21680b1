"""Parts of cells: told apart by groups or respondents, and united where nothing does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from bkpriv_core.errors import TooLarge
from bkpriv_core.table import table as table_module
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_table, tables


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Records, list[int]]:
    """A table and the group of each of its records, some in none."""
    records = draw(tables(max_records=16))
    raw = draw(st.lists(st.integers(-1, 3), min_size=len(records.rows), max_size=16))
    raw = raw[: len(records.rows)]
    labels = sorted({label for label in raw if label >= 0})
    return records, [labels.index(label) if label >= 0 else -1 for label in raw]


def parted(records: Records, labels: Sequence[int]) -> tuple[Parts, Groups]:
    """Parts by the group of each record, listed in the records' own order."""
    cell_of = {record: cell for cell, members in enumerate(records.cells()) for record in members}
    everything = records.everything()
    return Parts.of(as_table(records)).dealt(
        np.array([cell_of[record] for record in everything], dtype=np.int64),
        np.array(records.secrets(everything), dtype=np.int64),
        np.array(labels, dtype=np.int64),
    )


@MANY
@given(labelled())
def test_there_is_a_part_for_each_group_and_cell(drawn: tuple[Records, list[int]]) -> None:
    records, labels = drawn
    parts, groups = parted(records, labels)
    rows = []
    for label in sorted(set(labels)):
        for cell, members in enumerate(records.cells()):
            part = [record for record in members if labels[record] == label]
            if part:
                secrets = records.secrets(part)
                counts = [secrets.count(value) for value in range(parts.table.sensitive.size)]
                rows.append((label, cell, counts))
    assert parts.cell.tolist() == [cell for _, cell, _ in rows]
    assert parts.counts.tolist() == [counts for _, _, counts in rows]
    assert groups.labels(len(parts)).tolist() == [label for label, _, _ in rows]
    assert len(groups) == max(labels) + 1
    assert parts.codes.tolist() == parts.table.codes[parts.cell].tolist()
    assert parts.places.tolist() == parts.table.places[parts.cell].tolist()
    assert parts.cell.dtype == parts.counts.dtype == np.dtype(np.int64)
    assert parts.weights.sum() == len(records.rows)


@MANY
@given(labelled(), st.booleans())
def test_parts_with_codes_are_of_one_table(drawn: tuple[Records, list[int]], wide: bool) -> None:
    records, labels = drawn
    parts, _ = parted(records, labels)
    domains, codes = parts.table.quasi_identifiers, parts.codes
    if wide:
        # More combinations than an integer can number: 15 more columns that hold one of 60 values.
        domains += tuple(Domain(f"w{axis}", tuple(map(str, range(60)))) for axis in range(15))
        codes = np.hstack((codes, np.full((len(parts), 15), 59)))
    again = Parts.of_codes(domains, parts.table.sensitive, codes, parts.counts)
    expected = as_table(records)
    width = expected.codes.shape[1]
    counts_of = dict(
        zip(map(tuple, expected.codes.tolist()), expected.counts.tolist(), strict=True)
    )
    table = again.table
    assert counts_of == dict(
        zip(map(tuple, table.codes[:, :width].tolist()), table.counts.tolist(), strict=True)
    )
    assert table.cells == expected.cells
    np.testing.assert_array_equal(again.codes, codes)


@given(tables(max_records=16))
def test_the_cells_of_a_table_are_its_parts(records: Records) -> None:
    table = as_table(records)
    for parts in (
        Parts.of(table),
        Parts.of_codes(table.quasi_identifiers, table.sensitive, table.codes, table.counts),
    ):
        assert parts.whole
        assert parts.cell.tolist() == list(range(table.cells))
        assert parts.codes is parts.table.codes


@given(tables(max_records=16))
def test_records_are_enumerated_cell_after_cell(records: Records) -> None:
    cells, values = Parts.of(as_table(records)).enumerate_records()
    expected = [
        (cell, value)
        for cell, members in enumerate(records.cells())
        for value in sorted(records.secrets(members))
    ]
    assert list(zip(cells.tolist(), values.tolist(), strict=True)) == expected


@MANY
@given(labelled(), st.data())
def test_what_nothing_tells_apart_is_united(
    drawn: tuple[Records, list[int]], data: st.DataObject
) -> None:
    records, labels = drawn
    parts, groups = parted(records, labels)
    # Groups are joined at random, some suppressed.
    joined = data.draw(st.lists(st.integers(-1, 1), min_size=len(groups), max_size=len(groups)))
    kept = sorted(set(joined) - {-1})
    dense = [kept.index(label) if label >= 0 else -1 for label in joined]
    part_labels = [dense[label] if label >= 0 else -1 for label in groups.labels(len(parts))]
    unions = Groups.from_labels(np.array(part_labels, dtype=np.int64))
    united, regrouped = parts.unite(unions)
    expected: Counter[tuple[int, int, int]] = Counter()
    for label, cell, counts in zip(part_labels, parts.cell, parts.counts, strict=True):
        expected.update({(label, cell, value): count for value, count in enumerate(counts)})
    rows = list(zip(regrouped.labels(len(united)).tolist(), united.cell.tolist(), strict=True))
    assert len(set(rows)) == len(rows)
    ours: Counter[tuple[int, int, int]] = Counter()
    for (label, cell), counts in zip(rows, united.counts, strict=True):
        ours.update({(label, cell, value): count for value, count in enumerate(counts)})
    assert ours == expected
    assert len(regrouped) == len(unions)
    assert united.unite(regrouped)[0] is united


def test_parts_in_another_order_are_not_taken_for_the_cells() -> None:
    table = Table(
        (Domain("q", ("a", "b")),),
        Domain("s", ("x", "y")),
        np.array([[0], [1]]),
        np.array([[1, 1], [1, 1]]),
    )
    turned = Parts(table, np.array([1, 0]), table.counts)
    assert not turned.whole
    assert turned.codes.tolist() == turned.places.tolist() == [[1], [0]]
    halves, _ = Parts.of(table).dealt(
        np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1])
    )
    assert not halves.whole
    assert halves.unite(Groups.whole(len(halves)))[0].whole


def test_records_of_different_respondents_are_not_united() -> None:
    table = Table(
        (Domain("q", ("a", "b")),),
        Domain("s", ("x", "y")),
        np.array([[0], [1]]),
        np.array([[2, 1], [0, 1]]),
    )
    own = np.eye(2, dtype=np.int64)[[0, 0, 1, 1]]
    parts = Parts(table, np.array([0, 0, 0, 1]), own, respondent=np.array([2, 0, 1, 3]))
    united, groups = parts.unite(Groups.whole(4))
    assert united is parts
    alike = Parts(table, np.array([0, 0, 0, 1]), own, respondent=np.array([2, 0, 0, 3]))
    united, groups = alike.unite(Groups.whole(4))
    assert (len(united), len(groups)) == (3, 1)
    assert united.respondent is not None
    assert dict(zip(united.respondent.tolist(), united.counts.tolist(), strict=True)) == {
        2: [1, 0],
        0: [1, 1],
        3: [0, 1],
    }


def test_parts_that_would_not_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    age = Domain("age", ("1", "2"), positions=np.array([1.0, 2.0]))
    counts = np.array([[2, 1, 1], [0, 1, 2]])
    table = Table((age,), Domain("s", ("x", "y", "z")), np.array([[0], [1]]), counts)
    cells, values = Parts.of(table).enumerate_records()
    labels = np.array([0, 1, 0, 1, 0, 1, 1])
    monkeypatch.setattr(table_module, "_DENSE_COUNTS", 12)
    assert len(Parts.of(table).dealt(cells, values, labels)[0]) == 4
    monkeypatch.setattr(table_module, "_DENSE_COUNTS", 11)
    with pytest.raises(TooLarge, match='4 parts of cells times 3 values of "s"') as caught:
        Parts.of(table).dealt(cells, values, labels)
    assert "At most 11" in caught.value.detail
    assert "bin the sensitive column" in caught.value.hint
