"""Repair: failing groups are mended where they can be, and nothing is lost or doubled."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import ESTIMATORS, Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import exchange as exchange_module
from bkpriv_core.partition import repair as repair_module
from bkpriv_core.partition.evaluation import Evaluator, Measured
from bkpriv_core.partition.exchange import Exchanges, GroupIndex
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.repair import repair
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from tests.core.certifying import as_cells, by_age, limit_exact
from tests.core.exchange_oracles import holding, layouts, moves, recuts, unions
from tests.core.oracles import Group, Records
from tests.core.strategies import (
    MANY,
    as_groups,
    as_table,
    naive,
    records_of,
    requirement_lists,
)
from tests.core.test_safety import LIMITS, most
from tests.core.watching import Watched

Mended = tuple[Measured, npt.NDArray[np.bool_]]


def mend(
    threat: ThreatModel,
    requirements: list[Requirement],
    groups: Groups,
    estimator: Estimator = "exact",
    *,
    rearranging: bool = True,
    progress: Watched | None = None,
) -> Mended:
    """Measure a partition and repair it."""
    judge = Evaluator(threat, requirements, estimator)
    state = judge.measure(groups)
    return repair(
        judge,
        state,
        judge.met(state),
        rearranging=rearranging,
        progress=progress or Watched(),
    )


@MANY
@given(
    layouts(most=8),
    requirement_lists(),
    st.sampled_from(["exact", "auto", "bethe", "omega"]),
    st.booleans(),
)
def test_what_is_said_to_hold_does_and_nothing_is_lost(
    laid: tuple[Records, GroupIndex, list[Group]],
    requirements: list[Requirement],
    estimator: Estimator,
    rearranging: bool,
) -> None:
    records, layout, members = laid
    threat = ThreatModel(layout.parts)
    shares: list[float] = []
    state, met = mend(
        threat,
        requirements,
        layout.groups,
        estimator,
        rearranging=rearranging,
        progress=Watched(report=shares.append),
    )
    assert sorted(state.groups.members.tolist()) == list(range(len(members)))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    held = state.select(met)
    allowed = naive(records, requirements, "omega" if estimator == "omega" else "exact")

    def hold(group: list[int]) -> bool:
        return allowed([record for part in group for record in members[part]])

    for group, used in zip(held.groups, _worst_used(held), strict=True):
        if ESTIMATORS[used] == "exact" or estimator == "omega":
            assert hold(group.tolist())
    if estimator == "exact":
        assert not any(_worst_used(held))
    for requirement, measured in zip(requirements, held.measurements, strict=True):
        anew = requirement.measure(ThreatModel(threat.parts), held.groups, "exact")
        exact = measured.exact[held.groups.owner]
        np.testing.assert_allclose(measured.figures[:, exact], anew.figures[:, exact], atol=1e-12)

    # What held is not lost; without rearranging it is not cut either.
    judge = Evaluator(threat, requirements, estimator)
    before = judge.met(judge.measure(layout.groups))
    failing = {part for group in layout.groups.select(~before) for part in group.tolist()}
    lost = {part for group in state.groups.select(~met) for part in group.tolist()}
    assert lost <= failing
    if not rearranging:
        for group in layout.groups:
            assert any(set(group.tolist()) <= set(home.tolist()) for home in state.groups)


def _worst_used(state: Measured) -> list[int]:
    if not state.measurements:
        return [0] * len(state.groups)
    return np.max([item.used for item in state.measurements], axis=0).tolist()  # type: ignore[no-any-return]


@MANY
@given(
    layouts(most=8),
    st.sampled_from(LIMITS),
    st.integers(0, 2),
    st.integers(1, 4),
    st.booleans(),
)
def test_what_all_groups_meet_together_they_go_on_to_meet(
    laid: tuple[Records, GroupIndex, list[Group]], c: float, k: int, size: int, rearranging: bool
) -> None:
    records, layout, members = laid
    judge = Evaluator(ThreatModel(layout.parts), [KAnonymity(size)], "auto")
    state = judge.measure(layout.groups)
    met = judge.met(state)

    def safe(groups: Groups) -> bool:
        lists = [[record for part in group for record in members[part]] for group in groups]
        return not lists or most(records, lists, k) < c - 1e-9

    was = safe(layout.groups.select(met))
    keeper = CkSafety(c, k).keeper(judge.threat, layout.groups.select(met))
    state, met = repair(judge, state, met, [keeper], rearranging=rearranging)
    assert safe(state.groups.select(met)) or not was
    assert sorted(state.groups.members.tolist()) == list(range(len(members)))


@MANY
@given(layouts(most=8), requirement_lists(), st.integers(4, 30))
def test_an_estimate_is_asked_where_no_proof_mends(
    laid: tuple[Records, GroupIndex, list[Group]], requirements: list[Requirement], budget: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        limit_exact(patch, budget)
        threat, outcomes = ThreatModel(laid[1].parts), []
        for beyond in (False, True):
            judge = Evaluator(threat, requirements, "auto", beyond=beyond)
            state = judge.measure(laid[1].groups)
            if any(_worst_used(state)):
                return
            outcomes.append(outcome(repair(judge, state, judge.met(state))))
    (proved, given_up), (held, _) = outcomes
    assert given_up or proved == held


# --- Each way of mending, where no other does -----------------------------------------------------


def outcome(mended: Mended) -> tuple[set[frozenset[int]], set[frozenset[int]]]:
    """The groups that hold, and those that do not."""
    state, met = mended
    return as_cells(state.groups.select(met)), as_cells(state.groups.select(~met))


def sets(*groups: list[int]) -> set[frozenset[int]]:
    """Groups in no order."""
    return {frozenset(group) for group in groups}


ONLY = {
    "recut": (by_age("1b 3a 4c 5c 6c 7a 8c 10c 11c"), 0.3, 0.05, [0, 1, 2, 3, 4, 5], [6, 7, 8]),
    "union": (by_age("0a 1c 6c 8c 11a"), 0.5, 0.02, [0, 1], [2, 3, 4]),
    "move": (by_age("2b 4c 5b 6a 8a 11c"), 0.5, 0.05, [0, 1], [2, 3, 4, 5]),
    "peel": (by_age("0b 3c 4c 5c 7c"), 0.5, 0.05, [0, 1, 2], [3, 4]),
}
"""Ages and diseases, bandwidth and t of an adversary, and two groups of which one fails."""


@pytest.mark.parametrize("way", sorted(ONLY))
@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_each_way_of_mending_is_found_where_no_other_is_better(
    way: str, estimator: Estimator
) -> None:
    records, bandwidth, t, one, other = ONLY[way]
    policy: list[Requirement] = [KAnonymity(2), BtPrivacy(((bandwidth, t),))]
    allowed = naive(records, policy, "exact")
    assert allowed(one) != allowed(other)  # every cell is one record
    found = {
        "union": {unions([one, other])},
        "recut": recuts(records, records.cells(), [one, other]),
        "move": moves(one, other),
    }
    mending = {way: holding(ways, records.cells(), allowed) for way, ways in found.items()}
    if way == "move":  # The union holds as well, and loses more.
        mending["union"] = set()
    assert {way for way, ways in mending.items() if ways} == {way} - {"peel"}
    mended = mend(ThreatModel(as_table(records)), policy, as_groups([one, other]), estimator)
    held, failing = outcome(mended)
    if way != "peel":
        assert held in [set(partition) for partition in mending[way]]
        assert not failing
    else:
        fails, holds = (one, other) if allowed(other) else (other, one)
        rest = [part for part in fails if frozenset([part]) not in failing]
        assert len(rest) == len(fails) - 1
        assert held == sets(holds, rest)


def test_what_no_neighbour_mends_several_do() -> None:
    # Five of a need five others, and each of the neighbours has one of them to spare.
    records = by_age("50a 50a 50a 50a 50a " + " ".join(f"{age}b {age}b {age}c" for age in range(8)))
    policy: list[Requirement] = [LDiversity(2.0, "probabilistic")]
    # Of bbc two are b: by itself none of the others holds; with the five, three are needed.
    allowed = naive(records, policy, "exact")
    fives = records_of(records, [0])
    others = [records_of(records, [cell]) for cell in range(1, 9)]
    assert not any(allowed(fives + other) for other in others)
    assert not any(allowed(one + other) for one, other in combinations(others, 2))
    state, met = mend(ThreatModel(as_table(records)), policy, as_groups([[c] for c in range(9)]))
    (home,) = [group.tolist() for group in state.groups.select(met) if 0 in group]
    assert allowed(records_of(records, home))
    assert len(home) > 2


def test_dissolved_parts_find_groups_one_by_one() -> None:
    # Of three records of a and one b no rest is diverse, but every other group can bear one a.
    rows = "0a 10a 20a 20b " + " ".join(f"{age}b {age}c {age}d" for age in (1, 11, 21))
    records = by_age(rows)
    policy: list[Requirement] = [LDiversity(2.5, "probabilistic")]
    groups = as_groups([[0, 1, 2], [3], [4], [5]])
    judge = Evaluator(ThreatModel(as_table(records)), policy, "exact")
    with pytest.MonkeyPatch.context() as patch:
        # No union with several, and no recuts or moves.
        patch.setattr(repair_module, "_WIDER", ())
        patch.setattr(repair_module, "_REARRANGED", 0)
        state = judge.measure(groups)
        assert judge.met(state).tolist() == [False, True, True, True]
        held, failing = outcome(repair(judge, state, judge.met(state)))
    assert not failing
    assert len(held) == 3
    homes = {min(group): group for group in held}
    assert homes[0] >= {0}
    assert homes[1] >= {1}


@pytest.mark.parametrize("beyond", [False, True])
def test_what_finds_no_group_is_united_where_estimates_are_asked(beyond: bool) -> None:
    # No two of three are enough, and no three are tried at once.
    threat = ThreatModel(as_table(by_age("1a 2b 3c")))
    policy: list[Requirement] = [KAnonymity(3), BtPrivacy(((0.5, 1.0),))]
    judge = Evaluator(threat, policy, "auto", beyond=beyond)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair_module, "_WIDER", ())
        state = judge.measure(as_groups([[0], [1], [2]]))
        held, failing = outcome(repair(judge, state, judge.met(state)))
    assert (held, len(failing)) == ((sets([0, 1, 2]), 0) if beyond else (set(), 3))


def test_only_what_fails_is_peeled() -> None:
    # Without its age of 9 the last group is diverse; the first two are, and stay as they are.
    threat = ThreatModel(as_table(by_age("1a 2b 3c 4a 5b 6c 7a 8b 9b 9b")))
    policy: list[Requirement] = [LDiversity(2.0, "probabilistic")]
    judge = Evaluator(threat, policy, "exact")
    state = judge.measure(as_groups([[0, 1, 2], [3, 4, 5], [6, 7, 8]]))
    assert judge.met(state).tolist() == [True, True, False]
    vain = repair_module._Vain.of(len(threat.parts))
    work = repair_module._Repair(judge, (), True, SILENT, 3, {}, vain)
    held, failing = outcome(work.peel(state, judge.met(state)))
    assert held == sets([0, 1, 2], [3, 4, 5], [6, 7])
    assert failing == sets([8])


@MANY
@given(layouts(most=8), requirement_lists(), st.sampled_from(["exact", "auto"]), st.booleans())
def test_what_was_tried_in_vain_would_be_in_vain_again(
    laid: tuple[Records, GroupIndex, list[Group]],
    requirements: list[Requirement],
    estimator: Estimator,
    rearranging: bool,
) -> None:
    _, layout, _ = laid
    threat = ThreatModel(layout.parts)
    outcomes = []
    for forgetful in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if forgetful:
                patch.setattr(repair_module._Vain, "add", lambda *_: None)
            state, met = mend(
                threat, requirements, layout.groups, estimator, rearranging=rearranging
            )
        outcomes.append((sorted(map(sorted, state.groups)), int(met.sum())))
    assert outcomes[0] == outcomes[1]


@pytest.mark.always
def test_houses_remember_what_was_in_vain() -> None:
    # One group is tried in several rounds, the more of whose neighbours are mended.
    threat = ThreatModel(houses(1500)).tried()
    policy: list[Requirement] = [KAnonymity(4), BtPrivacy(((0.2, 0.03), (0.4, 0.03)))]
    judge = Evaluator(threat, policy, "auto")
    state = judge.measure(mondrian(threat, policy))
    outcomes: list[tuple[list[list[int]], int]] = []
    united: list[int] = []

    def unite(layout: GroupIndex, before: Groups) -> Exchanges:
        united[-1] += len(before)
        return exchange_module.unite(layout, before)

    for forgetful in (False, True):
        united.append(0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(repair_module, "unite", unite)
            if forgetful:
                patch.setattr(repair_module._Vain, "add", lambda *_: None)
            mended, met = repair(judge, state, judge.met(state))
        outcomes.append((sorted(map(sorted, mended.groups)), int(met.sum())))
    assert outcomes[0] == outcomes[1]
    assert united[0] < united[1]


def test_houses_lose_nothing() -> None:
    threat = ThreatModel(houses(1500))
    policy: list[Requirement] = [KAnonymity(4), BtPrivacy(((0.2, 0.1), (0.4, 0.1)))]
    judge = Evaluator(threat, policy, "auto", beyond=False)
    state = judge.measure(mondrian(threat, policy))
    met = judge.met(state)
    assert not met.all()
    state, met = repair(judge, state, met)
    assert met.all()
    exactly = Evaluator(threat, policy, "exact")
    assert exactly.met(exactly.measure(state.groups)).all()
    assert sorted(state.groups.members.tolist()) == list(range(len(threat.parts)))


def houses(number: int) -> Table:
    """A table of places and price classes, the nearer to a corner the cheaper."""
    random = np.random.default_rng(11)
    places = random.integers(0, 60, size=(number, 2))
    noise = random.normal(0.0, 12.0, size=number)
    prices = np.clip((places.sum(axis=1) + noise) // 30, 0, 3).astype(np.int64)
    cells, home = np.unique(places, axis=0, return_inverse=True)
    counts = np.zeros((len(cells), 4), dtype=np.int64)
    np.add.at(counts, (home.ravel(), prices), 1)
    axis = [
        Domain(name, tuple(map(str, range(60))), positions=np.arange(60.0)) for name in ("x", "y")
    ]
    return Table(tuple(axis), Domain("price", tuple("abcd")), cells, counts)
