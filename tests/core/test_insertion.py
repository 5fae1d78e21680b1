"""Insertion of left over records into groups that bear them, against trying every group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.growth import grow
from bkpriv_core.partition.insertion import insert, told_from_others
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import (
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MInvariance,
    Requirement,
    alone_and_joint,
    satisfied,
)
from bkpriv_core.table.groups import Groups
from tests.core import requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    SOME,
    as_parts,
    by_age,
    naive,
    requirement_lists,
    tables,
    told_apart,
)
from tests.core.watching import Watched

REMEMBERED = Remembered("s")
POOL = Generalized().pool


def groups_of(groups: Groups) -> list[list[int]]:
    """The groups as lists."""
    return [group.tolist() for group in groups]


def told(threat: ThreatModel, requirements: list[Requirement], groups: Groups) -> Groups:
    """Groups that hold, though a reader takes those that look alike for one."""
    alone, _ = alone_and_joint(requirements)
    return told_from_others(Evaluator(threat.tried(), alone, "omega"), groups, POOL)


def inserted(
    threat: ThreatModel, requirements: list[Requirement], groups: Groups, order: list[int]
) -> Groups:
    """Groups with what was inserted of an order."""
    alone, joint = alone_and_joint(requirements)
    left = np.array([part for part in order if part not in groups.members], dtype=np.int64)
    judge = Evaluator(threat.tried(), alone, "omega")
    return insert(judge, joint, groups, Groups.from_rows(left), pool=POOL)


@SOME
@given(
    tables(min_records=2, max_records=14),
    requirement_lists(),
    st.one_of(st.none(), st.floats(0.05, 0.8)),
    st.data(),
)
def test_all_groups_hold_and_none_bears_another_record(
    records: Records, requirements: list[Requirement], j: float | None, data: st.DataObject
) -> None:
    threat, believed = data.draw(told_apart(records))
    order = data.draw(st.permutations(range(len(records.rows))))
    alike = naive(records, requirements, "omega")

    def allowed(group: Group) -> bool:
        if j is None:
            return alike(group)
        far = requirement_oracles.divergence([believed[record] for record in group])
        return alike(group) and far <= j + 1e-9

    if j is not None:
        requirements = [JsDivergence(j, REMEMBERED), *requirements]
    grown = told(threat, requirements, grow(threat, requirements, np.array(order)))
    groups = inserted(threat, requirements, grown, order)
    assert all(allowed(group) for group in groups_of(groups))
    within = {frozenset(group) for group in groups_of(groups)}
    assert sum(map(len, within)) == len(groups.members) == len(set(groups.members.tolist()))
    # Groups that were there are there still, with others, or with one another if they look alike.
    assert all(any(set(group) <= other for other in within) for group in groups_of(grown))
    assert len(POOL(threat.parts, groups)) == len(groups)
    for record in set(order) - set(groups.members.tolist()):
        for place, group in enumerate(groups_of(groups)):
            if allowed([*group, record]):
                # It would look like another group, with which it does not hold.
                made = [*groups_of(groups)]
                made[place] = [*group, record]
                pooled = POOL(threat.parts, Groups.from_lists([np.array(some) for some in made]))
                assert not all(allowed(some) for some in groups_of(pooled))


@SOME
@given(tables(min_records=4, max_records=16), st.integers(1, 3), st.data())
def test_groups_are_safe_together(records: Records, k: int, data: st.DataObject) -> None:
    threat = ThreatModel(as_parts(records, records.everything()))
    c = data.draw(st.sampled_from([0.6, 0.8, 0.95]))
    requirements: list[Requirement] = [KAnonymity(2), LDiversity(2), CkSafety(c, k)]
    order = data.draw(st.permutations(records.everything()))
    grown = told(threat, requirements, grow(threat, requirements, np.array(order)))
    groups = inserted(threat, requirements, grown, order)
    assert len(grown.members) <= len(groups.members)
    assert satisfied(requirements, threat, groups).all()


def test_a_record_goes_where_it_costs_least() -> None:
    # All groups would bear both.
    records = by_age(*"aab" * 4, "b", "a")
    threat = ThreatModel(as_parts(records, range(14)))
    groups = Groups.from_lists([np.arange(3), np.arange(3, 6), np.arange(9, 12)])
    made = inserted(threat, [LDiversity(2)], groups, [6, 12])
    assert sorted(map(sorted, groups_of(made))) == [[0, 1, 2], [3, 4, 5, 6], [9, 10, 11, 12]]


def test_a_record_waits_until_a_group_is_large_enough() -> None:
    # Of the last b is believed. One in six is too many, one in seven is not; so first comes the
    # other, though farther off.
    believed = np.tile([1.0, 0.0], (7, 1))
    believed[5] = [0.0, 1.0]
    records = by_age(*"abababa")
    threat = ThreatModel(as_parts(records, range(7)), library=Known(respondents=believed))
    requirements: list[Requirement] = [KAnonymity(2), JsDivergence(0.6, REMEMBERED)]
    groups = Groups.from_lists([np.arange(5)])
    assert groups_of(inserted(threat, requirements, groups, [5])) == [[0, 1, 2, 3, 4]]
    made = inserted(threat, requirements, groups, [5, 6])
    assert groups_of(made) == [[0, 1, 2, 3, 4, 5, 6]]


def test_a_signature_is_kept() -> None:
    past = np.zeros((5, 4), dtype=np.int64)
    past[3] = [1, 1, 1, 0]
    threat = ThreatModel(as_parts(by_age(*"abcab"), range(5)), library=Known(past=past))
    groups = Groups.from_lists([np.array([0, 1])])
    made = inserted(threat, [MInvariance(2)], groups, [2, 3, 4])
    assert groups_of(made) == [[0, 1, 2]]


def test_insertion_can_be_cancelled() -> None:
    def cancel() -> None:
        raise KeyboardInterrupt

    threat = ThreatModel(as_parts(by_age(*"abab"), range(4)), progress=Watched(poll=cancel))
    with pytest.raises(KeyboardInterrupt):
        inserted(threat, [KAnonymity(2)], Groups.from_lists([np.arange(2)]), [2, 3])


def test_of_groups_that_look_alike_the_largest_stays() -> None:
    # All are of one age. Of the last b is believed, and one in six is too many.
    rows = tuple(("30", value) for value in "ababab")
    age = Attribute("age", ("30",), numbers={"30": 30})
    records = Records((age,), Attribute("s", ("a", "b")), rows)
    believed = np.repeat([[1.0, 0.0], [0.0, 1.0]], (5, 1), axis=0)
    threat = ThreatModel(as_parts(records, range(6)), library=Known(respondents=believed))
    groups = Groups.from_lists([np.array([5]), np.arange(3), np.arange(3, 5)])
    assert groups_of(told(threat, [JsDivergence(0.6, REMEMBERED)], groups)) == [[0, 1, 2]]
    assert len(told(threat, [JsDivergence(0.7, REMEMBERED)], groups).members) == 6
