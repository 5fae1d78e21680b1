"""Tables assembled from counted rows, against records one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import TooLarge
from bkpriv_core.table import table as module
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_domain, by_age, tables


@MANY
@given(tables(), st.data())
def test_a_table_has_the_records_of_its_rows(records: Records, data: st.DataObject) -> None:
    attributes = (*records.attributes, records.sensitive)
    coded = [
        tuple(
            attribute.values.index(value) for attribute, value in zip(attributes, row, strict=True)
        )
        for row in records.rows
    ]
    # A kind of record may come in several rows.
    rows = sorted(Counter((row, data.draw(st.integers(0, 1))) for row in coded).items())
    rows = data.draw(st.permutations(rows))
    codes = np.array([row for (row, _), _ in rows])
    table, cells = Table.from_rows(
        tuple(map(as_domain, records.attributes)),
        as_domain(records.sensitive),
        codes,
        np.array([count for _, count in rows]),
    )
    assert [tuple(cell) for cell in table.codes.tolist()] == sorted({row[:-1] for row in coded})
    np.testing.assert_array_equal(table.codes[cells], codes[:, :-1])
    expected = Counter(coded)
    found = {
        (*cell, value): count
        for cell, counts in zip(table.codes.tolist(), table.counts.tolist(), strict=True)
        for value, count in enumerate(counts)
        if count
    }
    assert found == expected


def test_counts_that_would_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DENSE_COUNTS", 7)
    records = by_age("flu", "hiv", "flu", "flu")
    domains = tuple(map(as_domain, records.attributes))
    codes = np.array([[0, 0], [1, 1], [2, 0], [3, 0]])
    with pytest.raises(TooLarge, match='4 cells times 2 values of "disease" is too many'):
        Table.from_rows(domains, as_domain(records.sensitive), codes, np.ones(4, np.int64))
    table, _ = Table.from_rows(domains, as_domain(records.sensitive), codes[:3], np.ones(3, int))
    assert table.records == 3
