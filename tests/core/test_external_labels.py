"""Tables made elsewhere: labels that cannot be read, or are not true, where people are known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.external import Rows, Unread, find_release
from tests.core.strategies import SOME, as_table, by_age
from tests.core.test_external import coded, people_of, rows_of


def test_people_stand_in_for_groups_whose_label_cannot_be_read_alone() -> None:
    records = by_age(*"abbaab")
    shown = [*enumerate([("[20,23]",), ("[20,23]",), ("any",), ("any",), ("[22,25]",), ("24",)])]
    found = find_release(as_table(records), rows_of(records, shown), people_of(records, range(6)))
    low, high = found.form.sides(found)
    assert [*zip(low[:, 0].tolist(), high[:, 0].tolist(), strict=True)] == [
        (0, 3),
        (2, 3),
        (2, 5),
        (4, 4),
    ]
    assert found.unread == {"age": Unread(("any",), 1)}
    assert found.manners == {"age": "people"}


def test_a_group_by_number_spans_its_people_and_the_labels_that_can_be_read() -> None:
    records = by_age(*"abba")
    labels = coded(["[22,23]", "any", "22", "23"])
    rows = Rows((labels,), coded(["1", "1", "2", "2"]), np.array([0, 1, 1, 0]), np.ones(4, int))
    found = find_release(as_table(records), rows, people_of(records, range(4)))
    low, high = found.form.sides(found)
    assert [*zip(low[:, 0].tolist(), high[:, 0].tolist(), strict=True)] == [(0, 3), (2, 3)]


@SOME
@given(st.lists(st.sampled_from(["20", "[20,21]", "[22,)", "*", "any"]), min_size=4, max_size=4))
def test_rows_whose_labels_are_not_true_are_counted(labels: list[str]) -> None:
    records = by_age(*"abba")
    held = {"20": {20}, "[20,21]": {20, 21}, "[22,)": {22, 23}}
    strayed = sum(age not in held.get(label, {age}) for age, label in enumerate(labels, 20))
    table = as_table(records)
    rows = rows_of(records, [(record, (label,)) for record, label in enumerate(labels)])
    assert find_release(table, rows, people_of(records, range(4))).strayed == strayed
    assert find_release(table, rows).strayed == 0
