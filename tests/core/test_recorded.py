"""Recorded material of a release: read back as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.recorded import Arrays, Attribute, read_release
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.strategies import as_table, tables


def recorded(table: Table, groups: Groups) -> tuple[list[Attribute], Arrays]:
    """Material that a publication records of a table and its groups, cell by cell."""
    attributes = [
        Attribute(
            domain.name,
            domain.labels,
            domain.positions,
            None if domain.hierarchy is None else list(domain.hierarchy.paths.values()),
            None,
            None,
            None,
            domain.ends,
            domain.step,
            None,
            domain.bounds,
        )
        for domain in (*table.quasi_identifiers, table.sensitive)
    ]
    rows = [
        (cell, value, int(count))
        for cell, row in enumerate(table.counts)
        for value, count in enumerate(row)
        if count
    ]
    cells, values, counts = (np.array(part, dtype=np.int64) for part in zip(*rows, strict=True))
    labels = groups.labels(table.cells)
    return attributes, Arrays(table.codes.ravel(), labels, cells, values, counts)


@st.composite
def releases(draw: st.DrawFn) -> tuple[Table, Groups]:
    """Draw a table with groups, some of its cells suppressed."""
    table = as_table(draw(tables(max_records=16)))
    labels = draw(st.lists(st.integers(-1, 3), min_size=table.cells, max_size=table.cells))
    labels[0] = max(labels[0], 0)
    used = sorted({label for label in labels if label >= 0})
    dense = [SUPPRESSED if label < 0 else used.index(label) for label in labels]
    return table, Groups.from_labels(np.array(dense, dtype=np.int64))


@given(releases())
def test_what_was_recorded_is_read_back(release: tuple[Table, Groups]) -> None:
    table, groups = release
    attributes, arrays = recorded(table, groups)
    stepped = [replace(item, step=7.0) for item in attributes]
    read = read_release(stepped, arrays, Generalized())
    parts, regrouped = read.parts, read.groups
    again = parts.table
    assert parts.whole
    assert (again.codes == table.codes).all()
    assert (again.counts == table.counts).all()
    assert (regrouped.members == groups.members).all()
    assert (regrouped.offsets == groups.offsets).all()
    for mine, theirs in zip(again.quasi_identifiers, table.quasi_identifiers, strict=True):
        assert (mine.name, mine.labels) == (theirs.name, theirs.labels)
        assert mine.step == (7.0 if mine.numeric else None)
        for part in ("positions", "ends"):
            assert (getattr(mine, part) is None) is (getattr(theirs, part) is None)
            if getattr(mine, part) is not None:
                np.testing.assert_array_equal(getattr(mine, part), getattr(theirs, part))


@given(releases(), st.data())
def test_counterfeits_are_read_back(release: tuple[Table, Groups], data: st.DataObject) -> None:
    table, groups = release
    attributes, arrays = recorded(table, groups)
    # Records of published cells are shown with values drawn, one after the other.
    places, values = Parts.of(table).enumerate_records()
    published = groups.labels(table.cells) >= 0
    last = table.sensitive.size - 1
    shown = [
        data.draw(st.integers(0, last)) if published[cell] else value
        for cell, value in zip(places.tolist(), values.tolist(), strict=True)
    ]
    false = np.zeros_like(table.counts)
    for cell, value, seen in zip(places, values, shown, strict=True):
        false[cell, value] -= 1
        false[cell, seen] += 1
    number = int(false[false > 0].sum())
    if number:
        cells, changed = np.nonzero(false)
        arrays = replace(
            arrays, false_cells=cells, false_values=changed, false_counts=false[cells, changed]
        )
    read = read_release(attributes, arrays, Generalized()).parts
    assert read.counterfeited == number
    assert (read.table.counts == table.counts).all()
    assert (read.actual == table.counts).all()
    assert (read.counts == table.counts + false).all()
