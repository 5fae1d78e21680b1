"""Persons: their records are gathered, and everything holds for persons."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.combination import Combination, rows_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.persons import Persons
from tests.core.strategies import MANY

COLUMNS = (Domain("disease", ("flu", "cold", "acne")), Domain("ward", ("a", "b")))

visits = st.lists(
    st.tuples(st.sampled_from("pqrst"), st.integers(0, 2), st.integers(0, 1)), min_size=1
)


@MANY
@given(visits)
def test_everybody_has_his_records_and_no_others(visits: list[tuple[str, int, int]]) -> None:
    names = [name for name, *_ in visits]
    told = np.array([told for _, *told in visits])
    codes = np.array([[ord(name) % 2, ord(name) % 3] for name in names])
    persons = Persons.of_records("id", names, codes, COLUMNS, told)
    assert list(persons.names) == sorted({*names})
    assert isinstance(persons.sensitive, Combination)
    for number, name in enumerate(persons.names):
        assert persons.codes[number].tolist() == [ord(name) % 2, ord(name) % 3]
        his = Counter((disease, ward) for who, disease, ward in visits if who == name)
        _, rows = rows_of(persons.sensitive, persons.values[[number]])
        assert Counter(map(tuple, rows.tolist())) == his
        # Whatever else a record has goes with its row.
        assert told[persons.records[number]].tolist() == rows.tolist()
        assert {names[place] for place in persons.records[number].tolist()} == {name}


def test_one_record_each_is_no_combination() -> None:
    told = np.array([[2], [0]])
    persons = Persons.of_records("id", ["b", "a"], np.array([[1], [0]]), COLUMNS[:1], told)
    assert persons.sensitive is COLUMNS[0]
    assert persons.values.tolist() == [0, 2]
    assert persons.codes.tolist() == [[0], [1]]


def test_a_person_of_two_cells_is_refused() -> None:
    with pytest.raises(InvalidData, match="1 respondents") as error:
        Persons.of_records(
            "id", ["a", "b", "a"], np.array([[0], [0], [1]]), COLUMNS[:1], np.zeros((3, 1), int)
        )
    assert "'a'" in str(error.value.detail)
    assert "max_records_per_person" in str(error.value.hint)


def test_a_record_of_nobody_is_refused() -> None:
    with pytest.raises(InvalidData, match="NULL in 1 of 2 records of period May"):
        Persons.of_records(
            "id", ["a", None], np.zeros((2, 1), int), COLUMNS[:1], np.zeros((2, 1), int), "May"
        )
