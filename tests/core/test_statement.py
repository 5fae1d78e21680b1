"""Witnesses in JSON: everybody is named, in either language."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.implication import Atom, Witness
from bkpriv_core.implication.statement import Cells, NamedPersons, Names
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_table, tables


@MANY
@pytest.mark.parametrize("named", [False, True])
@given(records=tables(), data=st.data())
def test_everybody_is_named(named: bool, records: Records, data: st.DataObject) -> None:
    """Persons of a table whose cells are grouped, and split, at random."""
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    labels = np.array(
        data.draw(st.lists(st.integers(0, 1), min_size=len(cells), max_size=len(cells)))
    )
    labels -= labels.min()
    split, groups = Parts.of(table).dealt(cells, values, labels)
    labels[-1] = -1
    names = sorted(str(number) for number in range(len(cells)))
    persons = Names(split, names, labels) if named else Cells(split, groups)
    for group in range(len(groups)):
        expected: list[dict[str, object]] = [
            {"group": group, "qi": json.loads(qi_json(table, split.cell[[part]])[0]), "person": one}
            for part in groups[group].tolist()
            for one in range(1, int(split.weights[part]) + 1)
        ]
        if named:
            expected = [{"respondent": names[place]} for place in np.flatnonzero(labels == group)]
        for person, who in enumerate(expected):
            for value, label in enumerate(table.sensitive.labels):
                stated = json.loads(persons.atom_json(Atom(group, person, value)))
                assert stated == who | {"value": label}


HOSPITAL = Table(
    (Domain("sex", ("f", "m")),),
    Domain("disease", ('"flu"', None)),
    np.array([[0], [1]]),
    np.array([[2, 1], [1, 2]]),
)
NAMED = Names(Parts.of(HOSPITAL), ["á", "b", "c", "d", "e", "f"], np.array([0] * 5 + [-1]))
COUNTED = Cells(Parts.of(HOSPITAL), Groups.whole(2))


@pytest.mark.parametrize(
    ("persons", "target", "other"),
    [
        (NAMED, {"respondent": "á"}, {"respondent": "e"}),
        (
            COUNTED,
            {"group": 0, "qi": {"sex": "f"}, "person": 1},
            {"group": 0, "qi": {"sex": "m"}, "person": 2},
        ),
    ],
)
def test_a_witness_is_written_in_its_language(
    persons: NamedPersons, target: dict[str, object], other: dict[str, object]
) -> None:
    witness = Witness(0.5, Atom(0, 0, 0), (Atom(0, 0, 1), Atom(0, 4, 1)))
    denied = [target | {"value": None}, other | {"value": None}]
    assert json.loads(persons.witness_json(witness, "negations")) == [{"not": no} for no in denied]
    then = [target | {"value": '"flu"'}]
    assert json.loads(persons.witness_json(witness, "implications")) == [
        {"if": [one], "then": then} for one in denied
    ]
    assert persons.witness_json(Witness(0.5, Atom(0, 0, 0), ()), "implications") == "[]"


def test_values_that_are_one_as_floats_are_told_apart() -> None:
    labels = ("0.1", "0.1000000000000000000001", "1.50", "12345678901234567890123")
    prices = Domain("price", labels, positions=np.array([0.1, 0.1, 1.5, 1.2345678901234568e22]))
    table = Table((prices,), HOSPITAL.sensitive, np.arange(4)[:, None], np.ones((4, 2), np.int64))
    persons = Cells(Parts.of(table), Groups.whole(4))
    for cell, label in enumerate(labels):
        assert f'"qi": {{"price": {label}}}' in persons.json_pairs(0, 2 * cell)
