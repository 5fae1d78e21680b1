"""The class that a record widens least, against comparison of each with each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility import widening
from bkpriv_core.utility.measures import utility
from bkpriv_core.utility.widening import Corners, widened_penalties
from tests.core.generated import hierarchical_table, numeric_table
from tests.core.oracles import Records
from tests.core.strategies import MANY, SOME, as_groups, as_table, partitions, tables
from tests.core.watching import Watched


def naive(table: Table, boxes: Corners, records: Corners) -> list[float]:
    """Penalty of one record and one class after the other."""
    found = []
    for first, last in zip(*records, strict=True):
        best = (np.inf, np.inf)
        for low, high in zip(*boxes, strict=True):
            before, after = (
                round(float(table.penalty(ends[0][None], ends[1][None])[0]), 12)
                for ends in ((low, high), (np.minimum(low, first), np.maximum(high, last)))
            )
            best = min(best, (round(after - before, 9), after))
        found.append(best[1])
    return found


@MANY
@given(tables(max_records=30), st.data(), st.sampled_from([1, 4, 1_000_000]))
def test_each_record_with_each_class(records: Records, data: st.DataObject, at_a_time: int) -> None:
    parts = Parts.of(as_table(records))
    groups = as_groups(data.draw(partitions(len(parts), suppress=True, most=8).filter(bool)))
    boxes, points = parts.boxes(groups), (parts.places, parts.places)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widening, "_COMPARED", at_a_time)
        found = widened_penalties(parts.table, boxes, points)
    assert found.tolist() == pytest.approx(naive(parts.table, boxes, points), abs=1e-9)


@pytest.mark.parametrize(
    "table",
    [numeric_table(1_500, 1, nulls=0.05), hierarchical_table(3_000, 2, nulls=0.05)],
    ids=["numeric", "hierarchical"],
)
def test_what_is_ruled_out_is_not_nearest(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Parts.of(table)
    rng = np.random.default_rng(3)
    order = np.lexsort(parts.places.T)
    groups = as_groups([cells.tolist() for cells in np.array_split(order, 150)])
    boxes = parts.boxes(groups)
    some = rng.choice(len(parts), 60, replace=False)
    points = (parts.places[some], parts.places[some])
    compared = []
    one_by_one = widening._compared

    def watched(*given: Any, **named: Any) -> FloatArray:
        compared.append(len(named["some"]) * len(named["classes"]))
        return one_by_one(*given, **named)

    monkeypatch.setattr(widening, "_compared", watched)
    polls: list[None] = []
    found = []
    for at_a_time in (10**9, 50):
        monkeypatch.setattr(widening, "_COMPARED", at_a_time)
        watching = Watched(lambda: polls.append(None))
        found.append(widened_penalties(table, boxes, points, watching))
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0].tolist() == pytest.approx(naive(table, boxes, points), abs=1e-9)
    assert compared[0] == 60 * 150
    assert sum(compared[1:]) < compared[0] / 2
    assert len(polls) > len(compared)


@SOME
@given(tables(max_records=16), st.data())
def test_whole_columns_are_widened_by_classes(records: Records, data: st.DataObject) -> None:
    """A record that is left out is widened to as what it would have been shown."""
    parts = Parts.of(as_table(records))
    levels = [Levels.of(domain) for domain in parts.table.quasi_identifiers]
    node = [data.draw(st.integers(0, len(of) - 1)) for of in levels]
    form = Generalized(
        tuple(
            of.recoding(domain, level)
            for of, domain, level in zip(levels, parts.table.quasi_identifiers, node, strict=True)
        )
    )
    shown = [
        tuple(of.codes[level, code] for of, level, code in zip(levels, node, codes, strict=True))
        for codes in parts.codes.tolist()
    ]
    kinds = sorted(set(shown))
    published = data.draw(st.lists(st.sampled_from(kinds), unique=True, min_size=1))
    groups = as_groups(
        [[cell for cell, kind in enumerate(shown) if kind == one] for one in published]
    )
    release = Release(parts, groups, form)
    # Each class is as wide as all records of the table that are shown alike, published or not.
    alike = as_groups([[cell for cell, kind in enumerate(shown) if kind == one] for one in kinds])
    low, high = form.boxes(parts, alike)
    at = {kind: place for place, kind in enumerate(kinds)}
    penalty = parts.table.penalty(low, high)
    boxes = tuple(ends[[at[kind] for kind in published]] for ends in (low, high))
    total = 0.0
    for cell, weight in enumerate(parts.weights.tolist()):
        place = at[shown[cell]]
        if shown[cell] in published:
            total += weight * penalty[place]
        else:
            points = (low[[place]], high[[place]])
            total += weight * naive(parts.table, (boxes[0], boxes[1]), points)[0]
    assert utility(release)["rgcp"] == pytest.approx(total / parts.table.records)


def test_nobody_left_out_is_asked_about() -> None:
    table = numeric_table(20, 1)
    parts = Parts.of(table)
    none = np.zeros((0, len(table.quasi_identifiers)), dtype=np.int64)
    assert widened_penalties(table, (parts.places, parts.places), (none, none)).shape == (0,)


def test_without_classes_everything_is_lost() -> None:
    parts = Parts.of(numeric_table(20, 1))
    figures = utility(Release(parts, as_groups([]), Generalized()))
    assert figures["rgcp"] == 1
    assert figures["gcp"] is not None
    assert np.isnan(figures["gcp"])
