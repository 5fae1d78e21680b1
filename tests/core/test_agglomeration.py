"""Agglomeration against a plain one over records, and what any result must hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import GroupOptions, find_method
from bkpriv_core.partition import agglomeration as agglomeration_module
from bkpriv_core.partition.agglomeration import agglomerate
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import cheapest_neighbours, losses
from bkpriv_core.requirement import (
    Bound,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts
from tests.core import oracles
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_table,
    naive,
    record_groups,
    requirement_lists,
    tables,
)
from tests.core.test_mondrian import as_sets, hospital
from tests.core.test_safety import draw_attainable, worst
from tests.core.watching import Cancelled, Watched, cancelling

# --- A plain agglomeration ------------------------------------------------------------------------


class Tied(Exception):
    """Error: two unions have the same price, so either may be made."""


def lost(records: Records, group: Group) -> float:
    """Certainty penalty of the records of a group, in sum."""
    penalties = [
        float(oracles.certainty_penalty(attribute, records.column(group, axis)))
        for axis, attribute in enumerate(records.attributes)
    ]
    return len(group) * sum(penalties) / len(penalties)


def shortfall(records: Records, group: Group, k: int, t: float) -> float:
    """Shortfall of a group in k-anonymity and in t-closeness, record by record."""
    short = 1.0 if len(group) < k else 0.0
    overall = oracles.shares(records, records.everything())
    shares = oracles.shares(records, group)
    figure = float(sum(abs(p - q) for p, q in zip(shares, overall, strict=True)) / 2)
    if figure <= t + 1e-9:
        return short
    return max(short, sum(0.1 + 1 - t / figure for _ in group))


def priced(
    records: Records, groups: Sequence[Group], k: int, t: float
) -> list[tuple[float, int, int]]:
    """Price of every union of a group that falls short with another, lowest first."""
    found = []
    for (one, mine), (other, theirs) in combinations(enumerate(groups), 2):
        before = sum(shortfall(records, group, k, t) for group in (mine, theirs))
        if not before:
            continue
        union = mine + theirs
        taken = before - shortfall(records, union, k, t)
        cost = lost(records, union) - lost(records, mine) - lost(records, theirs)
        found.append((cost / max(taken, before / 1000), one, other))
    prices = [price for price, _, _ in sorted(found)]
    if any(b - a <= 1e-9 * b for a, b in pairwise(prices)):
        raise Tied
    return sorted(found)


def plain(records: Records, k: int, t: float) -> list[Group]:
    """Unite in rounds the cheaper half of the pairs that one would choose one by one."""
    groups = records.cells()
    while len(groups) > 1 and any(shortfall(records, group, k, t) for group in groups):
        pairs: list[tuple[int, int]] = []
        for _, one, other in priced(records, groups, k, t):
            if not any({one, other} & {*pair} for pair in pairs):
                pairs.append((one, other))
        del pairs[(len(pairs) + 1) // 2 :]
        gone = {place for pair in pairs for place in pair}
        groups = [
            *(group for place, group in enumerate(groups) if place not in gone),
            *(groups[one] + groups[other] for one, other in pairs),
        ]
    return groups


def of_points(drawn: Sequence[tuple[int, int, str]]) -> Records:
    """Records with two numbers and a secret each."""
    columns = (sorted({one for one, _, _ in drawn}), sorted({other for _, other, _ in drawn}))
    attributes = tuple(
        Attribute(
            f"q{axis}", tuple(map(str, column)), numbers={str(number): number for number in column}
        )
        for axis, column in enumerate(columns)
    )
    secrets = tuple(sorted({row[-1] for row in drawn}))
    rows = tuple((str(one), str(other), secret) for one, other, secret in drawn)
    return Records(attributes, Attribute("s", secrets), rows)


def check_united(records: Records, k: int, t: float) -> None:
    expected = plain(records, k, t)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agglomeration_module, "mondrian", lambda *_, groups, **__: groups)
        groups = agglomerate(ThreatModel(as_table(records)), [KAnonymity(k), TCloseness(t)])
    assert as_sets(record_groups(records, groups)) == as_sets(expected)


@SOME
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from("aabc")),
        min_size=1,
        max_size=10,
    ),
    st.integers(1, 4),
    st.sampled_from([0.3, 0.5, 1.0]),
)
def test_groups_are_united_as_by_a_plain_agglomeration(
    drawn: list[tuple[int, int, str]], k: int, t: float
) -> None:
    try:
        check_united(of_points(drawn), k, t)
    except Tied:
        reject()


@pytest.mark.parametrize("seed", range(12))
def test_many_groups_are_united_as_by_a_plain_agglomeration(seed: int) -> None:
    random = Random(seed)
    drawn = [
        (random.randrange(10**9), random.randrange(10**9), random.choice("aaabbc"))
        for _ in range(24)
    ]
    check_united(of_points(drawn), k=1 + seed % 3, t=(0.2, 0.35)[seed % 2])


# --- What any result must hold --------------------------------------------------------------------


@MANY
@given(tables(max_records=24, max_attributes=3), requirement_lists())
def test_every_group_meets_every_requirement(
    records: Records, requirements: list[Requirement]
) -> None:
    allowed = naive(records, requirements, "omega")
    groups = record_groups(records, agglomerate(ThreatModel(as_table(records)), requirements))
    assert sorted(record for group in groups for record in group) == records.everything()
    if allowed(records.everything()):
        for group in groups:
            assert allowed(group)
            for one, other in oracles.cuts_of(records, group):
                assert not (allowed(one) and allowed(other))


@MANY
@given(tables(max_records=16, max_values=5), st.data())
def test_groups_are_safe_together(records: Records, data: st.DataObject) -> None:
    c, k = draw_attainable(data, records, 3)
    size = data.draw(st.integers(1, min(3, len(records.rows))))
    requirements: list[Requirement] = [CkSafety(c, k), KAnonymity(size)]
    groups = record_groups(records, agglomerate(ThreatModel(as_table(records)), requirements))
    assert sorted(record for group in groups for record in group) == records.everything()
    assert min(map(len, groups)) >= size
    assert worst(records, groups, k) < c


@SOME
@given(tables(max_records=16), requirement_lists(), st.randoms(use_true_random=False))
def test_parts_of_cells_are_united_like_cells(
    records: Records, requirements: list[Requirement], random: Random
) -> None:
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    labels = np.array([random.randrange(3) for _ in cells], dtype=np.int64)
    labels = np.unique(labels, return_inverse=True)[1]
    parts, _ = Parts.of(table).dealt(cells, values, labels)
    threat = ThreatModel(table).over(parts)
    groups = agglomerate(threat, requirements)
    assert sorted(groups.members.tolist()) == list(range(len(parts)))
    whole = Groups.whole(len(parts))
    if all(item.satisfied(threat, whole).all() for item in requirements):
        assert all(item.satisfied(threat, groups).all() for item in requirements)


def test_the_detail_lost_is_less_than_by_cutting() -> None:
    records = hospital(600, seed=5)
    threat = ThreatModel(as_table(records))
    policies: list[list[Requirement]] = [
        [KAnonymity(5)],
        [KAnonymity(4), LDiversity(3, "distinct")],
        [TCloseness(0.3)],
        [LDiversity(2.5, "entropy")],
        [KAnonymity(3), BtPrivacy(((0.3, 0.15), (0.5, 0.15)))],
        [CkSafety(0.8, 1)],
    ]
    for requirements in policies:
        grown, cut = (
            losses(threat.parts, partition(threat, requirements)).sum()
            for partition in (agglomerate, mondrian)
        )
        assert grown < 0.95 * cut, requirements


# --- Edges ----------------------------------------------------------------------------------------


def by_number(*secrets: str, distinct: int) -> Records:
    """Records with these secrets, as many different numbers among them."""
    numbers = {str(number): number for number in range(distinct)}
    rows = tuple((str(place % distinct), secret) for place, secret in enumerate(secrets))
    attribute = Attribute("q", tuple(numbers), numbers=numbers)
    return Records((attribute,), Attribute("s", tuple(sorted(set(secrets)))), rows)


def test_one_cell_is_one_group() -> None:
    threat = ThreatModel(as_table(by_number(*"aabb", distinct=1)))
    assert [list(group) for group in agglomerate(threat, [KAnonymity(2)])] == [[0]]
    # Even where it does not meet what is required.
    assert [list(group) for group in agglomerate(threat, [KAnonymity(9)])] == [[0]]


def test_cells_that_meet_the_requirements_stay_alone() -> None:
    threat = ThreatModel(as_table(by_number(*"ababab", distinct=3)))
    assert len(agglomerate(threat, [KAnonymity(2)])) == 3
    assert len(agglomerate(threat, [])) == 3


def test_the_whole_table_is_one_group_where_nothing_less_holds() -> None:
    threat = ThreatModel(as_table(by_number(*"aaaabbbb", distinct=8)))
    for requirements in ([KAnonymity(8)], [CkSafety(0.6, 0), KAnonymity(5)]):
        groups = agglomerate(threat, list(requirements))
        assert [sorted(group) for group in groups] == [list(range(8))]


def test_a_group_joins_one_that_makes_up_for_what_it_lacks() -> None:
    # Two a stand near each other, and so do two b; a union of equals would not help.
    records = by_number(*"aabb", distinct=4)
    groups = agglomerate(ThreatModel(as_table(records)), [LDiversity(2, "distinct")])
    assert sorted(sorted(group) for group in groups) != [[0, 1, 2, 3]]
    assert len(groups) == 2


def test_groups_that_are_safe_by_themselves_but_not_together_are_united() -> None:
    counts = ((1, 3, 6, 2), (5, 1, 6, 1), (1, 1, 6, 6))
    numbers = {str(number): number for number in range(3)}
    rows = tuple(
        (str(number), secret)
        for number, held in enumerate(counts)
        for secret, times in zip("abcd", held, strict=True)
        for _ in range(times)
    )
    attribute = Attribute("q", tuple(numbers), numbers=numbers)
    records = Records((attribute,), Attribute("s", tuple("abcd")), rows)
    assert max(worst(records, [cell], 2) for cell in records.cells()) < 0.86
    assert worst(records, records.cells(), 2) > 0.87
    groups = record_groups(
        records, agglomerate(ThreatModel(as_table(records)), [CkSafety(0.86, 2)])
    )
    assert worst(records, groups, 2) < 0.86


def test_many_quasi_identifiers() -> None:
    random = Random(6)
    flags = tuple(Attribute(f"q{place}", ("n", "y")) for place in range(40))
    rows = tuple((*(random.choice("ny") for _ in flags), random.choice("abc")) for _ in range(120))
    records = Records(flags, Attribute("s", ("a", "b", "c")), rows)
    threat = ThreatModel(as_table(records))
    groups = agglomerate(threat, [KAnonymity(3), LDiversity(2, "distinct")])
    by_record = record_groups(records, groups)
    assert sorted(record for group in by_record for record in group) == records.everything()
    assert min(map(len, by_record)) >= 3
    assert min(len(set(records.secrets(group))) for group in by_record) >= 2
    assert len(groups) >= 20


def test_a_policy_that_cannot_be_met_is_refused_beforehand() -> None:
    threat = ThreatModel(as_table(by_number(*"aabb", distinct=4)))
    with pytest.raises(UnattainableRequirement, match="not even by one group of the whole table"):
        find_method("agglomerate").check(threat, [KAnonymity(5)], GroupOptions())


def test_it_says_how_far_it_is_and_is_cancelled() -> None:
    threat = ThreatModel(as_table(hospital(400, seed=7)))
    shares: list[float] = []
    polls: list[None] = []
    progress = Watched(poll=lambda: polls.append(None), report=shares.append)
    agglomerate(threat, [KAnonymity(6), CkSafety(0.8, 1)], progress=progress)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 4

    with pytest.raises(Cancelled):
        agglomerate(threat, [KAnonymity(6)], progress=cancelling())


def test_what_is_measured_at_a_time_has_room_for_all_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threat = ThreatModel(as_table(hospital(400, seed=7)))
    requirements = [KAnonymity(6), BtPrivacy(((0.5, 0.1),))]
    groups = agglomerate(threat, requirements)
    room = 40 * threat.table.sensitive.size
    monkeypatch.setattr(agglomeration_module, "_MEASURED_AT_ONCE", room)
    tried: list[Groups] = []
    united = Groups.united

    def watched(before: Groups, pairs: Groups) -> Groups:
        tried.append(united(before, pairs))
        return tried[-1]

    def made(*arguments: Any, **named: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(Groups, "united", united)
            return unite(*arguments, **named)

    unite = agglomeration_module._united
    monkeypatch.setattr(agglomeration_module, "_united", made)
    monkeypatch.setattr(Groups, "united", watched)
    again = agglomerate(threat, requirements)
    assert [group.tolist() for group in again] == [group.tolist() for group in groups]
    assert max(one.widths.sum() for one in tried if len(one) > 1) in range(30, 41)


# --- What unions lack -----------------------------------------------------------------------------


def lacked(
    threat: ThreatModel, requirements: Sequence[Requirement], group: Sequence[int]
) -> tuple[float, list[float]]:
    """Shortfall of one group that is made and measured; and in each requirement on small ones."""
    most, fine = 0.0, []
    whole = Groups.from_lists([np.array(group)])
    for item in requirements:
        worst = 0.0
        for bound, figures in zip(item.bounds, item.measure(threat, whole).figures, strict=True):
            short = [
                (figure, int(weight))
                for figure, weight in zip(
                    figures.tolist(), threat.parts.weights[whole.members], strict=True
                )
                if bound.broken(np.array([figure])).any()
            ]
            if item.absorbing:
                worst = max(worst, float(bool(short)))
            else:
                worst = max(worst, sum(far(bound, one) * weight for one, weight in short))
        most = max(most, worst)
        fine += [] if item.coarse else [worst]
    return most, fine


def far(bound: Bound, figure: float) -> float:
    """Lack of a record whose group has a figure that breaks a bound."""
    if bound.upper:
        return 0.1 + 1 - bound.threshold / figure
    return 0.1 + 1 - (figure / bound.threshold if bound.threshold else 0.0)


@SOME
@given(tables(max_records=16), requirement_lists(), st.randoms(use_true_random=False))
def test_sums_tell_what_unions_lack(
    records: Records, requirements: list[Requirement], random: Random
) -> None:
    threat = ThreatModel(as_table(records))
    requirements = [*requirements, JsDivergence(random.choice([0.05, 0.3]), 0.5)]
    lacking = agglomeration_module._Lacking(threat, requirements)
    cells = len(threat.parts)
    names = np.arange(cells)
    grown = agglomeration_module._Grown(lambda: Groups.from_rows(names), lacking.counts, names)
    pairs = np.array(list(combinations(range(cells), 2)), dtype=np.int64).reshape(-1, 2)
    unions = grown.unions(pairs[:, 0], pairs[:, 1])
    expected = [lacked(threat, requirements, pair) for pair in pairs.tolist()]
    assert lacking.shortfall(unions) == pytest.approx([most for most, _ in expected])
    told = lacking.fine(unions).ravel()
    assert told == pytest.approx([one for _, fine in expected for one in fine])


@SOME
@given(tables(max_records=24, max_attributes=3, max_values=5), requirement_lists(), st.data())
def test_what_was_tried_before_changes_nothing(
    records: Records, requirements: list[Requirement], data: st.DataObject
) -> None:
    if data.draw(st.booleans()):
        c, k = draw_attainable(data, records, 3)
        requirements = [*requirements, CkSafety(c, k)]
    threat = ThreatModel(as_table(records))
    groups = agglomerate(threat, requirements)
    tried = agglomeration_module._Tried
    further = tried.further
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            tried, "further", lambda _, lacking, *rest: further(tried.none(lacking), lacking, *rest)
        )
        again = agglomerate(threat, requirements)
    assert [group.tolist() for group in groups] == [group.tolist() for group in again]


def test_no_union_is_measured_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    threat = ThreatModel(as_table(hospital(400, seed=7)))
    measured: list[frozenset[int]] = []
    shortfall = agglomeration_module._Lacking.shortfall

    def watched(self: Any, grown: Any) -> FloatArray:
        measured.extend(frozenset(map(int, members)) for members in grown.groups)
        return shortfall(self, grown)

    monkeypatch.setattr(agglomeration_module._Lacking, "shortfall", watched)
    agglomerate(threat, [KAnonymity(5), BtPrivacy(((0.3, 0.2),))])
    unions = [group for group in measured if len(group) > 1]
    assert len(unions) == len(set(unions)) > 100


def test_fewer_neighbours_are_considered_of_very_many_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threat = ThreatModel(as_table(hospital(400, seed=7)))
    asked: list[tuple[int, int]] = []

    def watched(parts: Parts, groups: Groups, chosen: Any, near: int, **named: Any) -> Any:
        asked.append((len(chosen), near))
        return cheapest_neighbours(parts, groups, chosen, near, **named)

    monkeypatch.setattr(agglomeration_module, "cheapest_neighbours", watched)
    monkeypatch.setattr(agglomeration_module, "_CONSIDERED", 1_000)
    groups = agglomerate(threat, [KAnonymity(6)])
    assert threat.parts.sizes(groups).min() >= 6
    assert asked == [(many, min(max(1_000 // many, 8), 32)) for many, _ in asked]
    nearest = {near for _, near in asked}
    assert min(nearest) == 8
    assert max(nearest) == 32
    assert len(nearest) > 2


@pytest.mark.parametrize("seed", [0, 5])
def test_large_groups_lose_no_more_than_by_cutting(seed: int) -> None:
    random = Random(seed)
    drawn = [
        (random.randrange(40), random.randrange(40), f"{random.randrange(60):02}")
        for _ in range(600)
    ]
    threat = ThreatModel(as_table(of_points(drawn)))
    requirements: list[Requirement] = [TCloseness(0.3)]
    cut, grown = (
        losses(threat.parts, partition(threat, requirements)).sum()
        for partition in (mondrian, agglomerate)
    )
    assert grown <= cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agglomeration_module, "_LARGE", len(threat.parts))
        united = losses(threat.parts, agglomerate(threat, requirements)).sum()
    # Either may lose less.
    assert grown == min(united, cut)
    assert (united > cut) == (seed == 0)
