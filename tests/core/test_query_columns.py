"""Counts by sensitive columns against tables that have the other column beside the cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.query.columns import ColumnTally
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Records
from tests.core.query_oracles import Condition
from tests.core.query_strategies import as_predicate, conditions
from tests.core.several import Told, told
from tests.core.strategies import MANY, as_table


def beside(table: Told) -> Records:
    """The table with the first sensitive column as one more quasi-identifier."""
    first, second = table.columns
    rows = tuple((*row, other[-1]) for row, other in zip(first.rows, second.rows, strict=True))
    return Records((*first.attributes, first.sensitive), second.sensitive, rows)


def moved(condition: Condition, by: int) -> Condition:
    """The condition on attributes of numbers so much larger."""
    kind, *rest = condition
    if kind in ("and", "or"):
        return (kind, [moved(part, by) for part in rest[0]])
    if kind == "not":
        return (kind, moved(rest[0], by))
    return (kind, rest[0] + by, *rest[1:])


@MANY
@given(told(), st.data())
def test_counts_by_sensitive_columns(table: Told, data: st.DataObject) -> None:
    sensitive = table.table.sensitive
    assert isinstance(sensitive, Combination)
    oracle = beside(table)
    attributes = (*oracle.attributes, oracle.sensitive)
    predicate = as_predicate(data.draw(conditions(attributes)), attributes)
    keys = data.draw(st.lists(st.integers(0, len(attributes) - 1), unique=True))
    counted = ColumnTally(CellCounts.of(table.table), sensitive)
    codes, counts = counted.by_key(predicate, keys)
    expected = CellCounts.of(as_table(oracle)).by_key(predicate, keys)
    np.testing.assert_array_equal(codes, expected[0])
    np.testing.assert_allclose(counts, expected[1])


@MANY
@given(told(), st.sampled_from([Generalized(), Bucketized()]), st.data())
def test_what_is_asked_of_sensitive_columns_alone_is_exact(
    table: Told, form: Generalized | Bucketized, data: st.DataObject
) -> None:
    release = Release(Parts.of(table.table), Groups.whole(table.table.cells), form)
    known = len(table.joint.attributes)
    assert [domain.name for domain in release.columns[known:]] == ["s1", "s2"]
    oracle = beside(table)
    attributes = (*oracle.attributes, oracle.sensitive)
    told_of = attributes[known:]
    condition = data.draw(conditions(told_of))
    predicate = as_predicate(moved(condition, known), attributes)
    actual = release.by_column(release.actual).by_key(predicate)[1]
    estimate = release.by_column(release.estimated).by_key(predicate)[1]
    assert estimate == pytest.approx(actual, abs=1e-9)
    keys = [known + 1, known]
    for one, other in zip(
        release.by_column(release.actual).by_key(predicate, keys),
        release.by_column(release.estimated).by_key(predicate, keys),
        strict=True,
    ):
        np.testing.assert_allclose(other, one, atol=1e-9)
