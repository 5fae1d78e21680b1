"""Microaggregation: every step is one that the algorithm allows, by exact distances."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import Job, find_method
from bkpriv_core.partition import microaggregation
from bkpriv_core.partition.microaggregation import microaggregate
from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import satisfied
from bkpriv_core.table.chance import Chance, SeededChance
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, as_parts, as_table, by_age, tables
from tests.core.watching import Watched

Point = tuple[Fraction, ...]

NEAR = Fraction(1, 10**9)
"""Distances that differ by less may be taken for equal."""


def points_of(parts: Parts, groups: Groups) -> list[list[Point]]:
    """Places of the records of each group."""
    places = box_centres(parts.table, parts.places, parts.places)
    return [
        [
            tuple(Fraction(along) for along in places[part].tolist())
            for part in group
            for _ in range(parts.weights[part])
        ]
        for group in groups
    ]


def apart(one: Point, other: Point) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def farthest(place: Point, left: list[Point]) -> set[Point]:
    """Points that may be taken for the farthest from a place."""
    most = max(apart(place, point) for point in left)
    return {point for point in left if apart(place, point) >= most - NEAR}


def founds(founder: Point, group: list[Point], rest: list[Point]) -> bool:
    """Whether a group is of the points nearest to its founder."""
    reach = max(apart(founder, point) for point in group)
    return founder in group and all(apart(founder, point) >= reach - NEAR for point in rest)


def check_run(groups: list[list[Point]], k: int) -> None:
    """Hold groups, in the order in which they were formed, against the algorithm."""
    left = [point for group in groups for point in group]
    formed = iter(groups)
    while len(left) >= 2 * k:
        before = len(left)
        centre = tuple(sum(along, Fraction(0)) / before for along in zip(*left, strict=True))
        founders = farthest(centre, left)
        for _ in range(2 if before >= 3 * k else 1):
            group = next(formed)
            assert len(group) == k
            left = list((Counter(left) - Counter(group)).elements())
            founders = {founder for founder in founders if founds(founder, group, left)}
            assert founders
            founders = {far for founder in founders for far in farthest(founder, left)}
    assert Counter(next(formed)) == Counter(left)
    assert not list(formed)


@MANY
@given(tables(max_records=24), st.integers(1, 6), st.integers(0, 2**32))
def test_every_step_is_that_of_the_algorithm(records: Records, k: int, seed: int) -> None:
    k = min(k, len(records.rows))
    parts = Parts.of(as_table(records))
    told, groups = microaggregate(parts, k, SeededChance(seed))
    check_run(points_of(told, groups), k)
    # Every record is in one group.
    assert sorted(groups.members.tolist()) == list(range(len(told)))
    counts = np.zeros_like(parts.counts)
    np.add.at(counts, told.cell, told.counts)
    np.testing.assert_array_equal(counts, parts.counts)


def aged(*ages: int) -> Records:
    """Records of such ages, each with a value of its own."""
    numbers = {str(age): age for age in sorted(set(ages))}
    rows = tuple((str(age), f"s{record}") for record, age in enumerate(ages))
    sensitive = Attribute("s", tuple(sorted(secret for _, secret in rows)))
    return Records((Attribute("age", tuple(numbers), numbers=numbers),), sensitive, rows)


def ages_of(records: Records, k: int, chance: Chance | None = None) -> list[list[int]]:
    parts, groups = microaggregate(Parts.of(as_table(records)), k, chance or SeededChance(1))
    ages = [int(label or "") for label in parts.table.quasi_identifiers[0].labels]
    return [
        sorted(ages[code] for code in np.repeat(parts.codes[group, 0], parts.weights[group]))
        for group in groups
    ]


@pytest.mark.parametrize(
    ("ages", "expected"),
    [
        # Fewer than six: one group. Fewer than nine: 100 is farther from 42.0 than 0 is, founds a
        # group, and what is left is one.
        ((0, 1, 2, 50, 100), [[0, 1, 2, 50, 100]]),
        ((0, 1, 2, 3, 50, 98, 99, 100), [[98, 99, 100], [0, 1, 2, 3, 50]]),
        # Of nine 100 is farthest from 45.9, then 0 from 100; the rest is a group however wide.
        ((0, 1, 2, 3, 50, 60, 98, 99, 100), [[98, 99, 100], [0, 1, 2], [3, 50, 60]]),
        # Cells are split: of five at 10 three are taken to 0, and two are left with 20.
        ((0, 10, 10, 10, 10, 10, 20), [[0, 10, 10], [10, 10, 10, 20]]),
    ],
)
def test_groups_by_hand(ages: tuple[int, ...], expected: list[list[int]]) -> None:
    assert ages_of(aged(*ages), 3) == expected


def test_which_record_of_a_cell_is_taken_is_drawn() -> None:
    records = aged(0, 10, 10, 10, 10, 10, 20)
    drawn = set()
    for seed in range(60):
        parts, groups = microaggregate(Parts.of(as_table(records)), 3, SeededChance(seed))
        first = np.flatnonzero(parts.histograms(groups)[0])
        assert first[0] == 0
        drawn.add(tuple(first[1:].tolist()))
    assert len(drawn) == 10  # pairs of five


@MANY
@given(tables(min_records=4, max_records=24), st.integers(1, 4), st.integers(1, 8))
def test_blocks(records: Records, k: int, most: int) -> None:
    parts = Parts.of(as_table(records))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(microaggregation, "_CELLS", most)
        told, groups = microaggregate(parts, k, SeededChance(1))
    sizes = told.sizes(groups)
    assert (sizes >= k).all()
    assert (sizes < 2 * k).all()
    assert told.weights.sum() == len(records.rows)


def test_no_group_reaches_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microaggregation, "_CELLS", 4)
    records = aged(0, 1, 2, 3, 4, 5, 6, 7)
    assert ages_of(records, 3) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    # Unless there would be too few in one.
    assert ages_of(records, 5) == [[0, 1, 2, 3, 4, 5, 6, 7]]


def test_respondents_stay_who_they_are() -> None:
    records = aged(5, 5, 5, 5, 9, 9)
    parts = as_parts(records, (3, 1, 5, 0, 2, 4))
    told, groups = microaggregate(parts, 2, SeededChance(4))
    before, after = (
        dict(zip(some.respondent.tolist(), some.counts.argmax(axis=1).tolist(), strict=True))
        for some in (parts, told)
        if some.respondent is not None
    )
    assert before == after
    assert sorted(told.sizes(groups).tolist()) == [2, 2, 2]


def test_some_of_a_table_are_grouped_by_themselves() -> None:
    everybody = Parts.of(as_table(aged(1, 1, 1, 4, 5, 8, 9, 9)))
    some = everybody.select(np.flatnonzero(np.isin(everybody.places[:, 0], [1, 3, 4])))
    told, groups = microaggregate(some, 2, SeededChance(2))
    assert told.sizes(groups).tolist() == [2, 2]
    assert set(told.cell.tolist()) == set(some.cell.tolist())
    assert told.counts.sum() == some.counts.sum() == 4


def test_progress_is_told_and_polled() -> None:
    shares: list[float] = []
    microaggregate(
        Parts.of(as_table(aged(*range(30)))),
        3,
        SeededChance(1),
        progress=Watched(report=shares.append),
    )
    assert shares == sorted(shares)
    assert len(shares) == 10
    assert shares[-1] == 1.0


# --- The method -----------------------------------------------------------------------------------


def test_the_method_needs_a_k() -> None:
    method, threat = find_method("microaggregate"), ThreatModel(as_table(aged(1, 2, 3)))
    requirements = parse_policy({"l_diversity": {"l": 2}}).requirements
    with pytest.raises(InvalidParameter, match="needs the requirement k_anonymity") as caught:
        method.check(threat, requirements, method.options())
    assert '{"k_anonymity": {"k": 5}}' in caught.value.hint


def test_certification_mends_what_values_break() -> None:
    threat = ThreatModel(as_table(by_age(*"aaaaaabbbbbb")))
    method = find_method("microaggregate")
    policy = {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}}
    requirements = parse_policy(policy).requirements
    release, _, _ = method.make(
        Job(threat, requirements, method.options(), SeededChance(1), SILENT)
    )
    assert release.published == 12
    assert len(release.groups) > 1
    published = threat.over(release.parts)
    assert satisfied(requirements, published, release.groups, "exact").all()


def test_records_of_a_cell_whose_groups_are_given_up_are_left_out_as_one() -> None:
    ages, values = (0, 0, 0, 1, 2, 3), "aaaaba"
    age = Attribute("age", tuple(map(str, sorted(set(ages)))), {str(n): n for n in ages})
    rows = tuple((str(own), value) for own, value in zip(ages, values, strict=True))
    table = as_table(Records((age,), Attribute("s", ("a", "b")), rows))
    method = find_method("microaggregate")
    policy = {"k_anonymity": {"k": 2}, "ck_safety": {"c": 0.9, "k": 0}}
    requirements = parse_policy(policy).requirements
    for seed in range(20):
        release, _, _ = method.make(
            Job(ThreatModel(table), requirements, method.options(), SeededChance(seed), SILENT)
        )
        places = list(zip(release.labels.tolist(), release.parts.cell.tolist(), strict=True))
        assert len(set(places)) == len(places)
