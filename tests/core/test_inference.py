"""Beliefs about all persons of a release, against enumeration of all worlds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import ContradictoryKnowledge, TooLarge
from bkpriv_core.implication import Atom, Implication, disclosure_given
from bkpriv_core.implication.inference import PersonBeliefs, believe
from bkpriv_core.implication.persons import Cells, NamedPersons, Names
from bkpriv_core.table.groups import SUPPRESSED
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_table, by_age, tables
from tests.core.worlds import Worlds

Person = tuple[int, int]
"""A group, and a number within it."""


@st.composite
def releases(draw: st.DrawFn) -> tuple[Table, list[int]]:
    """A table, and a group for each of its records; some are in none."""
    table = as_table(draw(tables(min_records=3, max_records=6, max_attributes=1)))
    label = st.integers(-1, 1)
    labels = draw(st.lists(label, min_size=table.records, max_size=table.records))
    labels[0] = max(labels[0], 0)  # somebody is published
    dense = {label: place for place, label in enumerate(sorted({*labels} - {-1}))}
    return table, [dense.get(label, SUPPRESSED) for label in labels]


def as_persons(table: Table, labels: list[int], *, named: bool) -> NamedPersons:
    """The persons of a release by their names or by their cells."""
    cells, values = Parts.of(table).enumerate_records()
    parts, groups = Parts.of(table).dealt(cells, values, np.array(labels))
    if not named:
        return Cells(parts, groups)
    names = [f"r{place}" for place in range(len(labels))]
    return Names(parts, groups, names, np.array(labels))


def expected_rows(
    persons: NamedPersons, apart: set[Person]
) -> dict[tuple[int, int, int], set[Person]]:
    """People of each row, by group, member and number; counted person by person."""
    rows: dict[tuple[int, int, int], set[Person]] = {}
    for group in range(len(persons.groups)):
        if isinstance(persons, Names):
            for number, respondent in enumerate(persons.members[group].tolist()):
                rows[group, respondent, 0] = {(group, number)}
            continue
        number = 0
        for part in persons.groups[group].tolist():
            for within in range(1, int(persons.parts.weights[part]) + 1):
                alone = within if (group, number) in apart else 0
                rows.setdefault((group, part, alone), set()).add((group, number))
                number += 1
    return rows


@MANY
@given(releases(), st.booleans(), st.data())
def test_everybody_is_believed_to_have_what_the_worlds_say(
    release: tuple[Table, list[int]], named: bool, data: st.DataObject
) -> None:
    persons = as_persons(*release, named=named)
    buckets = persons.parts.histograms(persons.groups).tolist()
    everybody = [(place, number) for place, row in enumerate(buckets) for number in range(sum(row))]
    atom = st.builds(
        lambda who, value: Atom(who[0], who[1], value),
        st.sampled_from(everybody),
        st.integers(0, persons.table.sensitive.size - 1),
    )
    first, then = (st.lists(atom, min_size=least, max_size=2).map(tuple) for least in (1, 0))
    rules = st.builds(Implication, first, then)
    implications = data.draw(st.lists(rules, min_size=1, max_size=3))
    worlds = Worlds(buckets)
    event = worlds.certain
    for item in implications:
        event &= worlds.rule(
            (
                [(a.bucket, a.person, a.value) for a in item.antecedent],
                [(a.bucket, a.person, a.value) for a in item.consequent],
            )
        )
    if not event:
        with pytest.raises(ContradictoryKnowledge, match=r"contradicts release 7$"):
            believe(persons, implications, "release 7")
        return
    inferred = believe(persons, implications, "release 7")
    apart = {(atom.bucket, atom.person) for item in implications for atom in item.atoms}
    expected = expected_rows(persons, apart)
    rows = rows_of(inferred)
    assert len(rows) == len(inferred.roll.group) == len(expected)
    assert rows.keys() == expected.keys()
    for key, about in expected.items():
        for group, number in about:
            for value in range(persons.table.sensitive.size):
                probability = worlds.probability(worlds.atoms[group, number, value], event)
                assert rows[key][value] == pytest.approx(float(probability), abs=1e-12)


def rows_of(inferred: PersonBeliefs) -> dict[tuple[int, int, int], list[float]]:
    """Beliefs by group, member and number."""
    roll = inferred.roll
    keys = zip(roll.group.tolist(), roll.member.tolist(), roll.person.tolist(), strict=True)
    return dict(zip(keys, inferred.beliefs[roll.belief].tolist(), strict=True))


def two_groups() -> NamedPersons:
    """Ages 20 to 25 in two groups of three; flu is in one of them only."""
    records: Records = by_age("flu", "hiv", "hiv", "none", "none", "hiv")
    return as_persons(as_table(records), [0, 0, 0, 1, 1, 1], named=False)


def test_a_contradiction_names_groups_and_how_many_persons() -> None:
    implications = [Implication((Atom(0, person, value),)) for person in (0, 1) for value in (0, 1)]
    implications.append(Implication((Atom(1, 2, 0),)))
    with pytest.raises(ContradictoryKnowledge, match="contradicts the release") as caught:
        believe(two_groups(), implications, "the release")
    assert "Groups (persons) that it names: 0 (2), 1 (1)." in caught.value.detail


def test_knowledge_that_links_too_many_names_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    frugal = partial(disclosure_given, budget=2)
    monkeypatch.setattr("bkpriv_core.implication.inference.disclosure_given", frugal)
    implications = [Implication((Atom(0, 0, 0), Atom(1, 1, 2)), (Atom(0, 1, 1),))]
    with pytest.raises(TooLarge) as caught:
        believe(two_groups(), implications, "the release")
    assert caught.value.detail.endswith("Groups (persons) that it names: 0 (2), 1 (1).")


def test_nobody_is_told_apart_without_knowledge() -> None:
    inferred = believe(two_groups(), [], "the release")
    assert not inferred.roll.person.any()
    assert inferred.roll.belief.tolist() == inferred.roll.group.tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(inferred.beliefs, [[1 / 3, 2 / 3, 0], [0, 1 / 3, 2 / 3]])
