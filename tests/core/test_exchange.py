"""Exchanges of groups, against the same from lists of records; and which of them a round makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.implication.buckets import Buckets
from bkpriv_core.partition.evaluation import Evaluator, InferenceBudget, Measured
from bkpriv_core.partition.exchange import Exchanges, GroupIndex, Round, move, peel, recut, unite
from bkpriv_core.requirement import BtPrivacy, CkSafety, KAnonymity, Requirement
from bkpriv_core.table.groups import Groups, IntArray
from tests.core.certifying import by_age
from tests.core.exchange_oracles import (
    Partition,
    as_partition,
    layouts,
    moves,
    recuts,
    total_loss,
    unions,
)
from tests.core.oracles import Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    naive,
    requirement_lists,
)
from tests.core.test_safety import LIMITS, most
from tests.core.watching import Watched

EVERYTHING = InferenceBudget(256, -1, np.inf, np.inf, "bethe")

Laid = tuple[Records, GroupIndex, list[Group]]


def listed(proposed: Exchanges) -> list[tuple[list[int], Partition, float]]:
    """List each proposal: the groups given up, those in their place, and its cost."""
    return [
        (
            proposed.before[place].tolist(),
            as_partition([proposed.after[group].tolist() for group in proposed.spans[place]]),
            float(proposed.costs[place]),
        )
        for place in range(len(proposed))
    ]


def check_costs(laid: Laid, proposed: Exchanges, *, out: int = 0) -> None:
    """Check that proposals keep all parts, or all but so many, and cost what they say."""
    records, layout, members = laid
    for place, (before, after, cost) in enumerate(listed(proposed)):
        assert len(set(before)) == len(before)
        assert proposed.made_for[place] == before[0]
        old = [layout.groups[group].tolist() for group in before]
        parts = [part for group in old for part in group]
        kept = [part for group in after for part in group]
        assert len(set(kept)) == len(kept) == len(parts) - out
        assert set(kept) <= set(parts)
        expected = total_loss(records, members, after) - total_loss(records, members, old)
        expected += sum(len(members[part]) for part in set(parts) - set(kept))
        assert cost == pytest.approx(expected, abs=1e-9)


def draw_tuples(data: st.DataObject, groups: Groups, widest: int = 3) -> list[list[int]]:
    """Draw some groups each, several times."""
    several = st.permutations(range(len(groups))).flatmap(
        lambda order: st.integers(1, min(widest, len(order))).map(lambda size: order[:size])
    )
    return data.draw(st.lists(several, max_size=4))


# --- Proposals ------------------------------------------------------------------------------------


@MANY
@given(layouts())
def test_what_a_layout_says_is_what_records_say(laid: Laid) -> None:
    records, layout, members = laid
    groups = [group.tolist() for group in layout.groups]
    np.testing.assert_array_equal(
        layout.sizes, [sum(len(members[part]) for part in group) for group in groups]
    )
    np.testing.assert_allclose(
        layout.lost, [total_loss(records, members, [group]) for group in groups], atol=1e-9
    )
    relief = [
        total_loss(records, members, [group])
        - total_loss(records, members, [rest] if (rest := [p for p in group if p != part]) else [])
        for group in groups
        for part in group
    ]
    np.testing.assert_allclose(layout.relief, relief, atol=1e-9)


@MANY
@given(layouts(), st.data())
def test_unions_are_all_parts_of_some_groups(laid: Laid, data: st.DataObject) -> None:
    _, layout, _ = laid
    drawn = draw_tuples(data, layout.groups)
    proposed = unite(layout, as_groups(drawn))
    check_costs(laid, proposed)
    assert [(before, after) for before, after, _ in listed(proposed)] == [
        (before, unions([layout.groups[group].tolist() for group in before])) for before in drawn
    ]


@MANY
@given(layouts(), st.data())
def test_recuts_are_all_cuts_of_a_union(laid: Laid, data: st.DataObject) -> None:
    records, layout, members = laid
    drawn = [*map(list, dict.fromkeys(map(tuple, draw_tuples(data, layout.groups))))]
    proposed = recut(layout, as_groups(drawn), 50)
    check_costs(laid, proposed)
    found = listed(proposed)
    for before in drawn:
        given_up = [layout.groups[group].tolist() for group in before]
        mine = [after for given, after, _ in found if given == before]
        assert set(mine) == recuts(records, members, given_up)
    assert all(given in drawn for given, _, _ in found)
    # Of few places those are kept that are asked for.
    axes = len(records.attributes)
    fewer = recut(layout, as_groups(drawn), 1)
    assert len(fewer) <= 2 * axes * len(drawn)
    assert {(tuple(b), a) for b, a, _ in listed(fewer)} <= {(tuple(b), a) for b, a, _ in found}


@MANY
@given(layouts(), st.data())
def test_moves_hand_one_part_over(laid: Laid, data: st.DataObject) -> None:
    _, layout, _ = laid
    groups = layout.groups
    possible = [
        (membership, receiver)
        for membership, owner in enumerate(groups.owner.tolist())
        for receiver in range(len(groups))
        if receiver != owner and groups.widths[owner] > 1
    ]
    chosen = data.draw(st.permutations(possible))[: data.draw(st.integers(0, 30))]
    memberships, receivers = (
        np.array([pair[side] for pair in chosen], dtype=np.int64) for side in (0, 1)
    )
    donors = groups.owner[memberships]
    backwards = np.array(data.draw(st.lists(st.booleans(), min_size=30, max_size=30)))
    made_for = np.where(backwards[: len(chosen)], receivers, donors)
    proposed = move(layout, memberships, receivers, made_for)
    check_costs(laid, proposed)
    np.testing.assert_array_equal(proposed.made_for, made_for)
    np.testing.assert_allclose(
        layout.cost_of_moves(memberships, receivers), proposed.costs, atol=1e-9
    )
    for (membership, receiver), (before, after, _) in zip(chosen, listed(proposed), strict=True):
        donor, part = int(groups.owner[membership]), int(groups.members[membership])
        assert set(before) == {donor, receiver}
        assert after == as_partition(
            [set(groups[donor].tolist()) - {part}, {*groups[receiver].tolist(), part}]
        )
    every = move(layout, *_columns(possible), groups.owner[_columns(possible)[0]])
    for one in range(len(groups)):
        for other in range(one):
            mine = {after for before, after, _ in listed(every) if set(before) == {one, other}}
            assert mine == moves(groups[one].tolist(), groups[other].tolist())


def _columns(pairs: list[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


@MANY
@given(layouts(), st.data())
def test_a_group_is_peeled_of_each_of_its_parts(laid: Laid, data: st.DataObject) -> None:
    _, layout, _ = laid
    several = np.flatnonzero(layout.groups.widths > 1).tolist()
    chosen = [group for group in several if data.draw(st.booleans())]
    proposed = peel(layout, np.array(chosen, dtype=np.int64))
    check_costs(laid, proposed, out=1)
    assert {(before[0], after) for before, after, _ in listed(proposed)} == {
        (group, as_partition([set(layout.groups[group].tolist()) - {part}]))
        for group in chosen
        for part in layout.groups[group].tolist()
    }


@SOME
@given(layouts(), st.data())
def test_proposals_are_selected_joined_and_ordered(laid: Laid, data: st.DataObject) -> None:
    _, layout, _ = laid
    drawn = as_groups(draw_tuples(data, layout.groups))
    lists = [unite(layout, drawn), recut(layout, drawn, 3), unite(layout, drawn)]
    joined = Exchanges.joined(lists)
    every = [item for proposed in lists for item in listed(proposed)]
    assert listed(joined) == every
    order = data.draw(st.permutations(range(len(every))))[: data.draw(st.integers(0, 9))]
    chosen = joined.select(np.array(order, dtype=np.int64))
    assert listed(chosen) == [every[place] for place in order]
    assert listed(Exchanges.joined([chosen, joined])) == listed(chosen) + every
    ordered = [(before[0], cost) for before, _, cost in listed(joined.in_order())]
    assert ordered == sorted(ordered)
    assert len(ordered) == len(every)


# --- Rounds ---------------------------------------------------------------------------------------


def every_exchange(layout: GroupIndex, chosen: Iterable[int]) -> Exchanges:
    """Every exchange of some groups with one other group each."""
    groups = layout.groups
    pairs = [(one, other) for one in chosen for other in range(len(groups)) if other != one]
    some = Groups(np.array(pairs, dtype=np.int64).ravel(), 2 * np.arange(len(pairs) + 1))
    moved = [
        (membership, receiver, made_for)
        for made_for, other in pairs
        for donor, receiver in ((made_for, other), (other, made_for))
        for membership in range(groups.offsets[donor], groups.offsets[donor + 1])
        if groups.widths[donor] > 1
    ]
    columns = np.array(moved, dtype=np.int64).reshape(-1, 3).T
    return Exchanges.joined([unite(layout, some), recut(layout, some, 50), move(layout, *columns)])


def judged(
    laid: Laid, requirements: list[Requirement], progress: Watched | None = None
) -> tuple[Evaluator, Measured, npt.NDArray[np.bool_]]:
    """A judge, the partition as it measures it, and which groups hold."""
    threat = ThreatModel(laid[1].parts, progress=progress or Watched())
    judge = Evaluator(threat, requirements, "exact")
    state = judge.measure(laid[1].groups)
    return judge, state, judge.met(state)


@MANY
@given(layouts(), requirement_lists(), st.data())
def test_a_round_exchanges_each_group_once_and_none_that_could_be_is_left(
    laid: Laid, requirements: list[Requirement], data: st.DataObject
) -> None:
    records, layout, members = laid
    judge, state, met = judged(laid, requirements)
    groups = layout.groups
    exact, omega = (naive(records, requirements, name) for name in ("exact", "omega"))

    def hold(after: Partition, allowed: Any = exact) -> bool:
        return all(
            allowed([record for part in group for record in members[part]]) for group in after
        )

    chosen = [group for group in range(len(groups)) if data.draw(st.booleans())]
    proposed = every_exchange(layout, chosen)
    made = Round(judge, layout, met, (), next(judge.efforts()))
    # In two offers, as a group finds first what is near.
    first = data.draw(st.integers(0, len(proposed)))
    shuffled = proposed.select(
        np.random.default_rng(first).permutation(len(proposed)).astype(np.int64)
    )
    made.offer(shuffled.select(np.arange(first)))
    once = made.taken.copy()
    made.offer(shuffled.select(np.arange(first, len(proposed))))
    assert (made.taken >= once).all()

    after, held = made.after(state), made.met()
    assert sorted(after.groups.members.tolist()) == list(range(len(members)))
    kept = [groups[group].tolist() for group in np.flatnonzero(~made.taken).tolist()]
    assert [group.tolist() for group in after.groups][: len(kept)] == kept
    np.testing.assert_array_equal(held[: len(kept)], met[~made.taken])
    assert held[len(kept) :].all()
    assert len(after.groups) == len(held) == len(kept) + len(made)
    new = [group.tolist() for group in after.groups][len(kept) :]
    for group in new:
        assert hold(as_partition([group]))
    for requirement, measured in zip(requirements, after.measurements, strict=True):
        anew = requirement.measure(ThreatModel(judge.threat.parts), after.groups, "exact")
        np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)

    # What was given up and what came for it are proposals; none that holds was left open.
    for before, result, _ in listed(proposed):
        if made.taken[before].any() or not hold(result):
            continue
        assert len(result) > 1
        assert not hold(result, omega)


@MANY
@given(layouts(most=9), requirement_lists(), st.data())
def test_the_cheapest_that_holds_is_accepted(
    laid: Laid, requirements: list[Requirement], data: st.DataObject
) -> None:
    records, layout, members = laid
    assume(len(layout.groups) > 1)
    judge, state, met = judged(laid, requirements)
    exact, omega = (naive(records, requirements, name) for name in ("exact", "omega"))
    group = data.draw(st.integers(0, len(layout.groups) - 1))
    proposed = every_exchange(layout, [group])
    made = Round(judge, layout, met, (), next(judge.efforts()))
    made.offer(proposed)

    def holding(allowed: Any) -> list[tuple[list[int], Partition, float]]:
        return [
            (before, after, cost)
            for before, after, cost in listed(proposed)
            if all(allowed([record for part in item for record in members[part]]) for item in after)
        ]

    held = holding(exact)
    promising = [item for item in held if item in holding(omega)]
    best = promising or [item for item in held if len(item[1]) == 1]
    assert bool(best) == bool(len(made))
    if best:
        result = made.after(state).groups
        kept = len(result) - len(made)
        new = as_partition([item.tolist() for item in result][kept:])
        costs = [cost for _, after, cost in best if after == new]
        assert costs
        assert min(costs) <= min(cost for _, _, cost in best) + 1e-9


@SOME
@given(layouts(), requirement_lists(), st.integers(0, 12), st.integers(1, 60), st.integers(1, 200))
def test_a_round_keeps_to_its_work_and_its_states(
    laid: Laid, requirements: list[Requirement], above: int, most_states: int, work: int
) -> None:
    _, layout, _ = laid
    judge, state, met = judged(laid, requirements)
    effort = InferenceBudget(256, above, most_states, work, "exact")
    spent = []
    holding = judge.holding

    def counted(groups: Groups, effort: InferenceBudget) -> Any:
        spent.append(judge.states(groups).sum())
        return holding(groups, effort)

    made = Round(judge, layout, met, (), effort)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "holding", counted)
        made.offer(every_exchange(layout, range(len(layout.groups))))
    assert sum(spent) <= work
    kept = len(state.groups) - made.taken.sum()
    after = made.after(state).groups
    states = judge.states(after.select(np.arange(kept, len(after))))
    assert (states <= most_states).all()
    # Of each exchange one group at least takes more than what is left to an earlier effort.
    assert (states > above).sum() * 2 >= len(states)


@MANY
@given(layouts(most=8), st.sampled_from(LIMITS), st.integers(0, 2), st.integers(1, 3), st.data())
def test_what_holds_stays_safe_round_after_round(
    laid: Laid, c: float, k: int, size: int, data: st.DataObject
) -> None:
    records, layout, members = laid
    joint = [CkSafety(c, k)]
    if data.draw(st.booleans()):
        joint.append(CkSafety(data.draw(st.sampled_from(LIMITS)), 0))
    judge, state, met = judged(laid, [KAnonymity(size)])
    keepers = [item.keeper(judge.threat, layout.groups.select(met)) for item in joint]

    def safe(groups: Groups) -> list[bool]:
        lists = [[record for part in group for record in members[part]] for group in groups]
        return [not lists or most(records, lists, item.k) < item.c - 1e-9 for item in joint]

    was = safe(state.groups.select(met))
    for _ in range(3):
        layout = GroupIndex(layout.parts, state.groups)
        made = Round(judge, layout, met, keepers, EVERYTHING)
        made.offer(every_exchange(layout, range(len(layout.groups))))
        made.offer(peel(layout, np.flatnonzero(~made.taken & (layout.groups.widths > 1))))
        state, met = made.after(state), made.met()
        held = state.groups.select(met)
        now = safe(held)
        assert all(after or not before for before, after in zip(was, now, strict=True))
        was = now
        for keeper in keepers:
            # The keeper knows what holds: it lets go of it, and of nothing else.
            histograms = layout.parts.histograms(held)
            buckets: Buckets = keeper._buckets
            buckets.remove(histograms)
            assert not len(buckets)
            buckets.add(histograms)


@MANY
@given(st.data())
def test_buckets_are_exchanged_unless_that_is_unsafe(data: st.DataObject) -> None:
    histogram = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)
    start = data.draw(st.lists(histogram, max_size=5))
    out = data.draw(st.permutations(range(len(start))))[: data.draw(st.integers(0, 5))]
    new = data.draw(st.lists(histogram, max_size=3))
    k, c = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(LIMITS))

    def rebuilt(histograms: list[list[int]]) -> Buckets:
        buckets = Buckets(k)
        buckets.add(np.array(histograms, dtype=np.int64).reshape(-1, 3))
        return buckets

    after = [item for place, item in enumerate(start) if place not in out] + new
    buckets = rebuilt(start)
    done = buckets.exchange(
        np.array([start[place] for place in out], dtype=np.int64).reshape(-1, 3),
        np.array(new, dtype=np.int64).reshape(-1, 3),
        c,
    )
    assert done == (rebuilt(after).safe(c) or not rebuilt(start).safe(c))
    left = after if done else start
    assert len(buckets) == len(left)
    if left:
        np.testing.assert_allclose(buckets.curve(), rebuilt(left).curve())
        buckets.remove(np.array(left, dtype=np.int64))
    assert not len(buckets)


def test_unions_that_come_last_stand_by_their_cost() -> None:
    # Unions are judged eight at a time, some hold: the cheapest are taken, be it that omega says of
    # none that it holds.
    records = by_age(" ".join(f"{age}a" for age in range(24)))
    layout = GroupIndex(
        ThreatModel(as_table(records)).parts, as_groups([[cell] for cell in range(24)])
    )
    pairs = [[one, other] for one in (0, 12) for other in range(24) if other not in (0, 12)]

    class Doubtful(Evaluator):
        """Takes nothing for promising, and few unions for good."""

        def promising(self, groups: Groups, effort: InferenceBudget) -> npt.NDArray[np.bool_]:
            return np.zeros(len(groups), dtype=bool)

        def holding(self, groups: Groups, effort: InferenceBudget) -> Any:
            good = ([0, 7], [0, 9], [0, 10], [0, 11], [12, 21], [12, 22], [12, 23])
            held = np.array([sorted(group.tolist()) in good for group in groups])
            return held, self.measure(groups).select(held)

    doubtful = Doubtful(ThreatModel(layout.parts), [KAnonymity(2)], "exact")
    made = Round(doubtful, layout, np.zeros(24, dtype=bool), (), EVERYTHING)
    made.offer(unite(layout, as_groups(pairs)))
    assert np.flatnonzero(made.taken).tolist() == [0, 7, 12, 21]


def test_work_that_is_spent_is_spent() -> None:
    # The union of two records of different diseases has four states; none of them holds.
    records = by_age("1a 2b 3a 4b 5a 6b")
    layout = GroupIndex(
        ThreatModel(as_table(records)).parts, as_groups([[cell] for cell in range(6)])
    )
    laid = (records, layout, records.cells())
    judge, _, met = judged(laid, [BtPrivacy(((0.5, 1e-6),))])
    spent = []
    holding = judge.holding

    def counted(groups: Groups, effort: InferenceBudget) -> Any:
        spent.append(judge.states(groups).sum())
        return holding(groups, effort)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "holding", counted)
        made = Round(judge, laid[1], met, (), InferenceBudget(256, 0, 100, 10, "exact"))
        made.offer(unite(laid[1], as_groups([[0, 1], [0, 3], [0, 5], [2, 3], [2, 5], [4, 5]])))
    assert sum(spent) == 8
    assert not len(made)


def test_offering_can_be_cancelled() -> None:
    polls: list[None] = []
    laid = (
        records := by_age("1a 2b 3a"),
        GroupIndex(ThreatModel(as_table(records)).parts, as_groups([[0], [1], [2]])),
        records.cells(),
    )
    judge, _, met = judged(laid, [KAnonymity(3)], Watched(poll=lambda: polls.append(None)))
    Round(judge, laid[1], met, (), EVERYTHING).offer(unite(laid[1], as_groups([[0, 1]])))
    assert polls
