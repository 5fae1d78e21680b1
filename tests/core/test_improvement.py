"""Improvement: less detail is lost, and nothing of what was certified."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import improvement as improvement_module
from bkpriv_core.partition.evaluation import Evaluator, Measured
from bkpriv_core.partition.exchange import GroupIndex
from bkpriv_core.partition.improvement import improve
from bkpriv_core.requirement import CkSafety, KAnonymity, Requirement, TableRequirement
from bkpriv_core.table.groups import Groups
from tests.core.certifying import as_cells, by_age
from tests.core.exchange_oracles import layouts, moves, recuts, total_loss
from tests.core.oracles import Group, Records
from tests.core.strategies import MANY, as_groups, as_table, naive, requirement_lists
from tests.core.test_safety import LIMITS, most
from tests.core.watching import Watched

Laid = tuple[Records, GroupIndex, list[Group]]


def loss(laid: Laid, groups: Groups) -> float:
    """Loss of detail of some groups of parts."""
    records, _, members = laid
    return total_loss(records, members, [group.tolist() for group in groups])


def judged(laid: Laid, requirements: list[Requirement], estimator: Estimator) -> Measured:
    """The groups that hold."""
    judge = Evaluator(ThreatModel(laid[1].parts), requirements, estimator)
    state = judge.measure(laid[1].groups)
    return state.select(judge.met(state))


@MANY
@given(layouts(most=8), requirement_lists(), st.sampled_from(["exact", "auto", "bethe", "omega"]))
def test_no_detail_and_no_guarantee_is_lost(
    laid: Laid, requirements: list[Requirement], estimator: Estimator
) -> None:
    records, layout, members = laid
    state = judged(laid, requirements, estimator)
    judge = Evaluator(ThreatModel(layout.parts), requirements, estimator)
    shares: list[float] = []
    better = improve(judge, state, progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert sorted(better.groups.members) == sorted(state.groups.members)
    before, after = loss(laid, state.groups), loss(laid, better.groups)
    assert after <= before + 1e-9
    assert judge.met(better).all()
    if estimator in ("exact", "auto"):
        assert all(item.exact.all() for item in better.measurements)
    if estimator != "bethe":
        allowed = naive(records, requirements, "omega" if estimator == "omega" else "exact")
        for group in better.groups:
            assert allowed([record for part in group.tolist() for record in members[part]])
        for requirement, measured in zip(requirements, better.measurements, strict=True):
            anew = requirement.measure(ThreatModel(judge.threat.parts), better.groups, estimator)
            np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)
            np.testing.assert_array_equal(measured.used, anew.used)
    again = loss(laid, improve(judge, better).groups)
    assert again <= after + 1e-9


@MANY
@given(layouts(max_records=10), requirement_lists())
def test_nothing_that_saves_is_left_undone(laid: Laid, requirements: list[Requirement]) -> None:
    records, layout, members = laid
    state = judged(laid, requirements, "exact")
    judge = Evaluator(ThreatModel(layout.parts), requirements, "exact")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(improvement_module, "_WORTH", 0.0)
        patch.setattr(improvement_module, "_PLACES", 50)  # all
        groups = [group.tolist() for group in improve(judge, state).groups]
    exact, omega = (naive(records, requirements, name) for name in ("exact", "omega"))
    ways = [([group], recuts(records, members, [group])) for group in groups]
    ways += [([a, b], moves(a, b)) for place, a in enumerate(groups) for b in groups[:place]]
    for old, found in ways:
        for new in found:
            saved = total_loss(records, members, old) - total_loss(records, members, new)
            # Nothing is inferred that omega does not find promising.
            assert saved <= 1e-9 or not all(
                exact(mine) and omega(mine)
                for group in new
                for mine in [[record for part in group for record in members[part]]]
            )


@MANY
@given(layouts(most=6), st.sampled_from(LIMITS), st.integers(0, 2), st.integers(1, 3))
def test_what_all_groups_meet_together_they_go_on_to_meet(
    laid: Laid, c: float, k: int, size: int
) -> None:
    records, _, members = laid
    state = judged(laid, [KAnonymity(size)], "auto")
    judge = Evaluator(ThreatModel(laid[1].parts), [KAnonymity(size)], "auto")
    joint: TableRequirement = CkSafety(c, k)

    def safe(groups: Groups) -> bool:
        lists = [[record for part in group for record in members[part]] for group in groups]
        return not lists or most(records, lists, k) < c - 1e-9

    better = improve(judge, state, [joint.keeper(judge.threat, state.groups)])
    assert safe(better.groups) or not safe(state.groups)
    assert loss(laid, better.groups) <= loss(laid, state.groups) + 1e-9


@pytest.mark.parametrize("lists", [[[0, 1, 5], [2, 3, 4]], [[0, 4, 5], [1, 2, 3]], [[*range(6)]]])
def test_parts_go_where_they_lie(lists: list[list[int]]) -> None:
    # Groups of pairs at least, and no group reaches from one end to the other.
    judge = Evaluator(
        ThreatModel(as_table(by_age("1a 2b 3a 21b 22a 23b"))), [KAnonymity(2)], "exact"
    )
    better = improve(judge, judge.measure(as_groups(lists)))
    assert all(max(group) <= 2 or min(group) >= 3 for group in as_cells(better.groups))


def test_no_move_is_left_that_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(improvement_module, "_WORTH", 0.0)
    random = np.random.default_rng(4)
    threat = ThreatModel(as_table(by_age(" ".join(f"{age}a" for age in range(40)))))
    for _ in range(5):
        lists = random.permutation(40).reshape(5, 8).tolist()
        judge = Evaluator(threat, [KAnonymity(5)], "exact")
        state = improve(judge, judge.measure(as_groups(lists)))
        layout = GroupIndex(threat.parts, state.groups)
        widths = layout.groups.widths
        donors = np.flatnonzero(widths[layout.groups.owner] > 5)
        for receiver in range(len(widths)):
            others = donors[layout.groups.owner[donors] != receiver]
            costs = layout.cost_of_moves(others, np.full(len(others), receiver))
            assert (costs >= -1e-9).all()


def test_improvement_can_be_cancelled() -> None:
    polls: list[None] = []
    progress = Watched(poll=lambda: polls.append(None))
    threat = ThreatModel(as_table(by_age("1a 2b 3a 21b 22a 23b")), progress=progress)
    judge = Evaluator(threat, [KAnonymity(2)], "exact")
    improve(judge, judge.measure(Groups.whole(6)))
    assert len(polls) > 1
