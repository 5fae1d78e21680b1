"""Coarsening against a plain loop over lists of records, and what any result must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.anatomy import anatomy
from bkpriv_core.partition.coarsening import coarsen
from bkpriv_core.requirement import (
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
    satisfied,
)
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    naive,
    partitions,
    record_groups,
    requirement_lists,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling


def as_sets(groups: Sequence[Group]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def centre(records: Records, group: Group) -> tuple[int, ...]:
    """Twice the middle of the places of a group's values, for each attribute."""
    ends = []
    for axis, attribute in enumerate(records.attributes):
        leaves = sorted(attribute.values, key=attribute.place)
        places = [leaves.index(value) for value in records.column(group, axis)]
        ends.append(min(places) + max(places))
    return tuple(ends)


def joined(
    records: Records, given: Sequence[Group], allowed: Callable[[Group], bool]
) -> list[list[Group]]:
    """Unions of the given groups, made by one group after another, round by round."""
    runs = [[group] for group in sorted(given, key=lambda group: centre(records, group))]

    def holds(run: list[Group]) -> bool:
        return allowed([record for group in run for record in group])

    if all(holds(run) for run in runs):
        return [[group] for group in given]
    while len(runs) > 1 and not all(holds(run) for run in runs):
        waiting, runs = runs, []
        while waiting:
            run = waiting.pop(0)
            if not holds(run):
                enough = 2 * len(run)
                while waiting and len(run) < enough:
                    run = run + waiting.pop(0)
                while runs and len(run) < enough:
                    run = runs.pop() + run
            runs.append(run)
    return runs


@st.composite
def groupings(draw: st.DrawFn) -> tuple[Records, list[list[int]]]:
    """A table and a partition of its cells, some of them left out now and then."""
    records = draw(tables(min_records=2, max_records=20))
    cells = len(records.cells())
    if draw(st.booleans()):
        return records, [[cell] for cell in draw(st.permutations(range(cells)))]
    return records, draw(partitions(cells, suppress=True, most=12).filter(bool))


@MANY
@given(groupings(), requirement_lists())
def test_groups_are_those_of_a_plain_loop(
    drawn: tuple[Records, list[list[int]]], requirements: list[Requirement]
) -> None:
    records, lists = drawn
    groups = as_groups(lists)
    allowed = naive(records, requirements, "omega")
    expected = joined(records, record_groups(records, groups), allowed)
    groups_joined = record_groups(
        records, coarsen(ThreatModel(as_table(records)), requirements, groups)
    )
    assert [sorted(group) for group in groups_joined] == [
        sorted(record for group in run for record in group) for run in expected
    ]


@SOME
@given(groupings(), requirement_lists())
def test_every_group_holds_and_none_is_joined_without_need(
    drawn: tuple[Records, list[list[int]]], requirements: list[Requirement]
) -> None:
    records, lists = drawn
    given = [frozenset(group) for group in record_groups(records, as_groups(lists))]
    allowed = naive(records, requirements, "omega")
    assume(allowed(sorted(frozenset().union(*given))))
    outcome = coarsen(ThreatModel(as_table(records)), requirements, as_groups(lists))
    joined = [frozenset(group) for group in record_groups(records, outcome)]
    assert sorted(record for group in joined for record in group) == sorted(
        record for group in given for record in group
    )
    for group in joined:
        assert allowed(sorted(group))
        parts = [part for part in given if part & group]
        assert frozenset().union(*parts) == group
        assert len(parts) == 1 or not all(allowed(sorted(part)) for part in parts)


# --- By hand --------------------------------------------------------------------------------------


def ages(*secrets: str) -> Records:
    """Records of ages 10, 11, ... with one letter each for a value; one cell per age."""
    numbers = {str(10 + place): 10 + place for place in range(len(secrets))}
    rows = [(age, value) for age, values in zip(numbers, secrets, strict=True) for value in values]
    values = tuple(sorted(set("".join(secrets))))
    return Records(
        (Attribute("age", tuple(numbers), numbers=numbers),), Attribute("s", values), tuple(rows)
    )


def joined_ages(records: Records, *requirements: Requirement) -> list[list[int]]:
    """Cells of each group, from one group for each cell."""
    table = as_table(records)
    cells = as_groups([[cell] for cell in range(table.cells)])
    return [group.tolist() for group in coarsen(ThreatModel(table), requirements, cells)]


def test_a_failing_group_is_joined_with_the_next() -> None:
    records = ages("aa", "a", "aa", "aa", "aa")
    assert joined_ages(records, KAnonymity(2)) == [[0], [1, 2], [3], [4]]


def test_the_last_group_is_joined_with_the_one_before() -> None:
    assert joined_ages(ages("aa", "aa", "a"), KAnonymity(2)) == [[0], [1, 2]]
    assert joined_ages(ages("aa", "a", "a", "a"), KAnonymity(2)) == [[0], [1, 2, 3]]


def test_failing_groups_are_joined_in_pairs_then_in_fours() -> None:
    records = ages(*"aaaaaaaaaaaa")
    assert joined_ages(records, KAnonymity(2)) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    assert joined_ages(records, KAnonymity(3)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_a_union_that_fails_takes_as_many_groups_as_it_has() -> None:
    # Three records of a alone need five pairs: two, four and eight groups are tried.
    records = ages("aaa", *["ab"] * 9)
    diverse = LDiversity(1.6, "probabilistic")
    assert joined_ages(records, diverse) == [[0, 1, 2, 3, 4, 5, 6, 7], [8], [9]]


def test_the_first_quasi_identifier_orders_before_the_second() -> None:
    first = Attribute("first", ("1", "2"), numbers={"1": 1, "2": 2})
    second = Attribute("second", ("1", "2"), numbers={"1": 1, "2": 2})
    rows = (("1", "1", "s"), ("2", "1", "s"), ("1", "2", "s"), ("2", "2", "s"))
    records = Records((first, second), Attribute("s", ("s",)), rows)
    assert as_sets(joined_ages(records, KAnonymity(2))) == {frozenset({0, 2}), frozenset({1, 3})}


def test_groups_that_hold_are_given_back() -> None:
    table = as_table(ages("ab", "ab", "ab"))
    groups = as_groups([[2], [0, 1]])
    shares: list[float] = []
    joined = coarsen(
        ThreatModel(table), [KAnonymity(2)], groups, progress=Watched(report=shares.append)
    )
    assert joined is groups
    assert shares == [1.0]
    none = as_groups([])
    assert len(coarsen(ThreatModel(table), [KAnonymity(2)], none)) == 0


def test_what_the_whole_table_fails_ends_in_one_group() -> None:
    diverse = LDiversity(2, "distinct")
    assert joined_ages(ages(*"aaaaa"), diverse) == [[0, 1, 2, 3, 4]]
    assert joined_ages(ages("a"), KAnonymity(2)) == [[0]]


# --- After anatomy --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "requirements",
    [
        [KAnonymity(7)],
        [TCloseness(0.15, "equal")],
        [KAnonymity(5), BtPrivacy(((0.3, 0.25), (0.8, 0.1)))],
    ],
)
def test_groups_of_anatomy_come_to_meet_other_requirements(requirements: list[Requirement]) -> None:
    random = np.random.default_rng(3)
    letters = ["".join(random.choice(list("aabbcdef"), 6)) for _ in range(60)]
    whole = as_table(ages(*letters))
    parts, groups = anatomy(Parts.of(whole), 3, SeededChance(3))
    threat = ThreatModel(parts)
    assert satisfied(requirements, threat, Groups.whole(len(parts))).all()
    assert not satisfied(requirements, threat, groups).all()
    coarse = coarsen(threat, requirements, groups)
    assert 1 < len(coarse) < len(groups)
    assert sorted(coarse.members.tolist()) == list(range(len(parts)))
    assert satisfied([*requirements, LDiversity(3.0, "probabilistic")], threat, coarse).all()


# --- Work -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [False, True])
def test_a_group_that_keeps_failing_takes_few_rounds(last: bool) -> None:
    # It needs 500 of 600 others: nine rounds until it is made of 512 groups.
    secrets = ["a" * 500, *["ab"] * 600]
    table = as_table(ages(*(reversed(secrets) if last else secrets)))
    cells = as_groups([[cell] for cell in range(table.cells)])
    rounds: list[float] = []
    diverse = [LDiversity(1.5, "probabilistic")]
    outcome = coarsen(ThreatModel(table), diverse, cells, progress=Watched(report=rounds.append))
    widths = [512] + [1] * 89
    assert outcome.widths.tolist() == (widths[::-1] if last else widths)
    assert rounds == [0.0] * 8 + [1.0]


def test_progress_rises_to_the_whole_and_polling_can_cancel() -> None:
    table = as_table(ages(*"aaaaaaaaaaaa"))
    cells = as_groups([[cell] for cell in range(12)])
    shares: list[float] = []
    coarsen(ThreatModel(table), [KAnonymity(5)], cells, progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == 1.0
    with pytest.raises(Cancelled):
        coarsen(ThreatModel(table, progress=cancelling()), [KAnonymity(5)], cells)
