"""Fingerprints of what was read: alike for the same records, and for no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.fingerprint import fingerprint
from bkpriv_core.table.payload import NO_PAYLOAD, Payload
from bkpriv_core.table.respondent import NOBODY, Respondents
from bkpriv_core.table.table import Table

Record = tuple[str, str, str, str]
"""A record: two quasi-identifiers, the sensitive value, and what passes through."""


def read(
    records: list[Record], unused: str = "", named: bool = False, passing: bool = False
) -> str:
    """Fingerprint of records as a reading gives them; domains also have `unused` values."""
    columns = list(zip(*records, strict=True))
    domains = [
        Domain(name, tuple(sorted({*values, *unused})))
        for name, values in zip("abs", columns, strict=False)
    ]
    codes = np.array(
        [
            [domain.labels.index(value) for domain, value in zip(domains, record, strict=False)]
            for record in records
        ]
    )
    ones = np.ones(len(records), dtype=np.int64)
    table, cells = Table.from_rows((domains[0], domains[1]), domains[2], codes, ones)
    order = list(range(len(records)))
    respondents = Respondents(tuple(map(str, order)), cells, codes[:, 2]) if named else NOBODY
    passed = NO_PAYLOAD
    if passing:
        labels = tuple(sorted({*columns[3]}))
        through = np.array([[labels.index(record[3])] for record in records])
        if named:
            passed = Payload.of_persons(
                ("p",), (labels,), through, cells, codes[:, 2], np.array(order)
            )
        else:
            passed = Payload.of_rows(("p",), (labels,), through, cells, codes[:, 2], ones)
    return fingerprint(table, respondents, passed)


VALUE = st.sampled_from("xyz")
RECORDS = st.lists(st.tuples(VALUE, VALUE, VALUE, VALUE), min_size=1, max_size=8)


@given(RECORDS, RECORDS, st.booleans(), st.booleans())
def test_fingerprints_agree_exactly_where_records_do(
    one: list[Record], other: list[Record], named: bool, passing: bool
) -> None:
    def kept(records: list[Record]) -> Any:
        seen = [record if passing else record[:3] for record in records]
        return seen if named else sorted(seen)

    def known(records: list[Record]) -> str:
        return read(records, named=named, passing=passing)

    assert (known(one) == known(other)) == (kept(one) == kept(other))
    assert read(one, "vw", named, passing) == known(one)


def test_names_and_order_of_values_count() -> None:
    domains = Domain("a", ("x", "y")), Domain("s", ("u", "v"))
    table = Table((domains[0],), domains[1], np.array([[0], [1]]), np.array([[1, 2], [3, 0]]))
    seen = {fingerprint(table, NOBODY, NO_PAYLOAD)}
    for changed in (
        replace(table, quasi_identifiers=(Domain("b", ("x", "y")),)),
        replace(table, quasi_identifiers=(Domain("a", ("y", "x")),)),
        replace(table, quasi_identifiers=(Domain("a", ("x", None)),)),
        replace(table, sensitive=Domain("s", ("v", "u"))),
        replace(table, counts=np.array([[1, 2], [2, 1]])),
    ):
        seen.add(fingerprint(changed, NOBODY, NO_PAYLOAD))
    assert len(seen) == 6


@pytest.mark.parametrize("several", [False, True])
def test_combinations_are_told_apart(several: bool) -> None:
    columns = Domain("s", ("u", "v", "w")), Domain("t", ("u", "v"))
    rows = np.array([[0, 0], [0, 1], [2, 1]])
    told, values = Combination.of(columns, rows, np.array([0, 2, 3]) if several else None)
    codes = np.column_stack((np.zeros(len(values), dtype=np.int64), values))
    ones = np.ones(len(values), dtype=np.int64)
    table, _ = Table.from_rows((Domain("a", ("x",)),), told, codes, ones)
    fewer = replace(columns[0], labels=("u", "w"))
    again, values = Combination.of(
        (fewer, columns[1]),
        np.array([[0, 0], [0, 1], [1, 1]]),
        np.array([0, 2, 3]) if several else None,
    )
    same, _ = Table.from_rows((Domain("a", ("x",)),), again, codes, ones)
    assert fingerprint(table, NOBODY, NO_PAYLOAD) == fingerprint(same, NOBODY, NO_PAYLOAD)
