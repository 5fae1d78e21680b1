"""Knowledge in JSON: whom and what it names, and what is told reads back as the same."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.implication import Atom, Implication, Witness
from bkpriv_core.implication.persons import Cells, NamedPersons, Names, StatedValues
from bkpriv_core.implication.statement import (
    atom_json,
    implication_json,
    parse_statements,
    witness_json,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.notation import json_values
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.several import COLUMNS, Told, told
from tests.core.strategies import MANY, as_table, tables

NUMBERS = Domain(
    "size",
    ("-1.50", "0.1", "2", "10", "10000000000000000000000000", None),
    positions=np.array([-1.5, 0.1, 2, 10, 1e25, np.nan]),
)
WORDS = Domain("word", ("1", "one", "true", "", "sNaN", "Infinity", None))


def decoded(text: str) -> Any:
    """JSON as it comes from PostgreSQL: numbers may have any number of digits."""
    return json.loads(text, parse_float=Decimal)


def persons_of(records: Records, data: st.DataObject, kind: str) -> NamedPersons:
    """The persons of a table whose cells are grouped, and split, at random."""
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    labels = np.array(
        data.draw(st.lists(st.integers(0, 1), min_size=len(cells), max_size=len(cells)))
    )
    labels -= labels.min()
    split, groups = Parts.of(table).dealt(cells, values, labels)
    if kind == "cells":
        return Cells(split, groups)
    names = sorted(str(number) for number in range(len(cells)))
    return Names(split, groups, names, np.append(labels[:-1], -1))


@MANY
@pytest.mark.parametrize("kind", ["cells", "names"])
@given(records=tables(), data=st.data())
def test_everybody_is_found_by_what_is_said(
    kind: str, records: Records, data: st.DataObject
) -> None:
    persons = persons_of(records, data, kind)
    groups = persons.groups if isinstance(persons, Cells) else persons.members  # type: ignore[attr-defined]
    said = []
    for group in range(len(groups)):
        members = groups[group]
        size = int(persons.parts.weights[members].sum()) if kind == "cells" else len(members)
        for person in range(size):
            who = decoded(f"{{{persons.json_pairs(group, person)}}}")
            assert set(who) == persons.keys
            assert persons.find(who) == (group, person)
            said.append(persons.json_pairs(group, person))
            for value in range(persons.table.sensitive.size):
                atom = Atom(group, person, value)
                stated = decoded(atom_json(atom, persons))
                (implication,) = parse_statements([{"not": stated}], persons)
                assert implication == Implication((atom,))
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("domain", [NUMBERS, WORDS])
def test_values_are_found_as_they_are_written(domain: Domain) -> None:
    written = json_values(domain, np.arange(domain.size))
    for code, (label, text) in enumerate(zip(domain.labels, written, strict=True)):
        assert StatedValues(domain).find(decoded(text)) == code
        assert StatedValues(domain).find(label) == code


def test_numbers_are_found_by_what_they_are() -> None:
    numbers = (-1.5, Decimal("-1.500"), 0.1, 2, 2.0, 10, 1e25, 10**25)
    codes = [StatedValues(NUMBERS).find(number) for number in numbers]
    assert codes == [*(0, 0, 1, 2, 2, 3, 4, 4)]
    assert StatedValues(WORDS).find(1) == 0
    assert StatedValues(WORDS).find(True) == 2
    strange: list[object] = [
        "-1.5",
        3,
        True,
        "none",
        [],
        {},
        float("nan"),
        Decimal("0.10000000000000000000000001"),
    ]
    for stated in strange:
        with pytest.raises(InvalidParameter, match='"size" has no value'):
            StatedValues(NUMBERS).find(stated)


HOSPITAL = Table(
    (Domain("sex", ("f", "m")),),
    Domain("disease", ("flu", "mumps")),
    np.array([[0], [1]]),
    np.array([[2, 1], [1, 2]]),
)
PEOPLE = Names(
    Parts.of(HOSPITAL), Groups.whole(2), ["a", "b", "c", "d", "e", "f"], np.array([0] * 5 + [-1])
)


@MANY
@given(told())
def test_a_value_of_one_column_is_had_with_any_combination(table: Told) -> None:
    persons = Cells(Parts.of(table.table), Groups.whole(table.table.cells))
    for column, (name, records) in enumerate(zip(COLUMNS, table.columns, strict=True)):
        for value in records.sensitive.values:
            text = json.dumps({name: value}, ensure_ascii=False, separators=(",", ":"))
            having = [place for place, pair in enumerate(table.pairs) if pair[column] == value]
            assert persons.having(text).tolist() == having
            (item,) = parse_statements(
                [{"not": json.loads(f"{{{persons.json_pairs(0, 0)}}}") | {"value": text}}], persons
            )
            assert item == Implication((Atom(0, 0, having[0], tuple(having[1:])),))
    for place, pair in enumerate(table.pairs):
        label = dict(zip(COLUMNS, pair, strict=True))
        text = json.dumps(label, ensure_ascii=False, separators=(",", ":"))
        assert persons.having(text).tolist() == [place]
    for stated in ('{"s1":"no such"}', '{"s3":"v0"}', "v0", None):
        with pytest.raises(InvalidParameter, match="has no value"):
            persons.having(stated)


def test_implications_are_written_and_read() -> None:
    flu, mumps = Atom(0, 0, 0), Atom(0, 1, 1)
    item = Implication((flu, mumps), (Atom(0, 2, 0),))
    stated = decoded(implication_json(item, PEOPLE))
    assert stated == {
        "if": [{"respondent": "a", "value": "flu"}, {"respondent": "b", "value": "mumps"}],
        "then": [{"respondent": "c", "value": "flu"}],
    }
    assert parse_statements([stated], PEOPLE) == [item]
    one_of = Implication((), (flu, mumps))
    none_of = Implication((flu, mumps))
    for item in (one_of, none_of):
        stated = decoded(implication_json(item, PEOPLE))
        assert parse_statements([stated], PEOPLE) == [item]
    assert decoded(implication_json(Implication((flu,)), PEOPLE)) == {
        "not": {"respondent": "a", "value": "flu"}
    }


def test_a_witness_is_written_in_its_language() -> None:
    witness = Witness(0.5, Atom(0, 0, 0), (Atom(0, 0, 1),))
    said = {"respondent": "a", "value": "mumps"}
    assert decoded(witness_json(witness, "negations", PEOPLE)) == [{"not": said}]
    then = [{"respondent": "a", "value": "flu"}]
    assert decoded(witness_json(witness, "implications", PEOPLE)) == [{"if": [said], "then": then}]


def test_names_may_be_written_as_numbers() -> None:
    persons = Names(Parts.of(HOSPITAL), Groups.whole(2), ["1", "10", "2"], np.array([0, 0, 0]))
    assert persons.find({"respondent": 10}) == (0, 1)
    for name in (True, None, 1.0, "3", ["1"]):
        with pytest.raises(InvalidParameter, match="no respondent"):
            persons.find({"respondent": name})


def test_a_suppressed_respondent_is_not_in_the_release() -> None:
    with pytest.raises(InvalidParameter, match="'f' was suppressed"):
        PEOPLE.find({"respondent": "f"})


def test_a_suppressed_cell_is_in_no_group() -> None:
    persons = Cells(Parts.of(HOSPITAL), Groups.from_labels(np.array([-1, 0])))
    with pytest.raises(InvalidParameter, match="has no records") as caught:
        persons.find({"qi": {"sex": "f"}})
    assert "none" in caught.value.detail
    assert persons.find({"qi": {"sex": "m"}, "person": 3}) == (0, 2)
    for person in (0, 4, True, 1.0, "1"):
        with pytest.raises(InvalidParameter, match="no person"):
            persons.find({"qi": {"sex": "m"}, "person": person})
    for group in (1, True, "0", None):
        with pytest.raises(InvalidParameter, match="has no records"):
            persons.find({"qi": {"sex": "m"}, "group": group})


def test_values_that_are_one_as_floats_are_told_apart() -> None:
    labels = ("0.1", "0.1000000000000000000001", "1.50", "12345678901234567890123")
    prices = Domain("price", labels, positions=np.array([0.1, 0.1, 1.5, 1.2345678901234568e22]))
    table = Table((prices,), HOSPITAL.sensitive, np.arange(4)[:, None], np.ones((4, 2), np.int64))
    persons = Cells(Parts.of(table), Groups.whole(4))
    for cell, label in enumerate(labels):
        assert f'"qi": {{"price": {label}}}' in persons.json_pairs(0, 2 * cell)
        assert persons.find(decoded(f"{{{persons.json_pairs(0, 2 * cell)}}}")) == (0, 2 * cell)
