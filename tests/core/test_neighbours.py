"""Neighbours and what unions cost, against sums over records, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.partition import neighbours as neighbours_module
from bkpriv_core.partition.neighbours import (
    box_centres,
    cheapest_neighbours,
    losses,
    nearest_groups,
    nearest_members,
)
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core import oracles
from tests.core.oracles import Group, Records
from tests.core.strategies import (
    SOME,
    as_groups,
    as_parts,
    as_table,
    by_age,
    partitions,
    records_of,
    tables,
)
from tests.core.watching import Watched


def lost(records: Records, group: Group) -> float:
    """Certainty penalty of the records of a group, in sum."""
    penalties = [
        oracles.certainty_penalty(attribute, records.column(group, axis))
        for axis, attribute in enumerate(records.attributes)
    ]
    return float(len(group) * sum(penalties) / len(penalties))


@SOME
@given(
    tables(max_records=24),
    st.integers(1, 30),
    st.integers(1, 3),
    st.sampled_from([0, 100_000]),
    st.data(),
)
def test_neighbours_stand_by_the_cost_of_the_union(
    records: Records, near: int, at_once: int, few: int, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells, most=9)))
    if not len(groups):
        return
    chosen = np.array(data.draw(st.permutations(range(len(groups))))[:5], dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours_module, "_RANKED_AT_ONCE", at_once)
        patch.setattr(neighbours_module, "_FEW", few)
        found, costs = cheapest_neighbours(Parts.of(table), groups, chosen, near)
    members = [records_of(records, cells.tolist()) for cells in groups]
    np.testing.assert_allclose(
        losses(Parts.of(table), groups), [lost(records, group) for group in members], atol=1e-9
    )
    assert found.shape == costs.shape == (len(chosen), min(near, len(groups) - 1))
    for group, others, prices in zip(chosen.tolist(), found.tolist(), costs.tolist(), strict=True):
        assert group not in others
        assert len(set(others)) == len(others)
        assert prices == sorted(prices)
        for other, price in zip(others, prices, strict=True):
            mine, theirs = members[group], members[other]
            expected = lost(records, mine + theirs) - lost(records, mine) - lost(records, theirs)
            assert price == pytest.approx(expected, abs=1e-9)
            assert price >= -1e-9


@SOME
@given(tables(max_records=24), st.integers(1, 30), st.data())
def test_neighbours_may_be_looked_for_among_some(
    records: Records, near: int, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells, most=9)))
    if len(groups) < 2:
        return
    shuffled = np.array(data.draw(st.permutations(range(len(groups)))), dtype=np.int64)
    split = data.draw(st.integers(1, len(groups) - 1))
    chosen, among = shuffled[:split], shuffled[split:]
    found, costs = cheapest_neighbours(Parts.of(table), groups, chosen, near, among=among)
    assert found.shape == costs.shape == (len(chosen), min(near, len(among)))
    assert set(found.ravel().tolist()) <= set(among.tolist())
    everything, prices = cheapest_neighbours(Parts.of(table), groups, chosen, len(groups))
    if near >= len(among):
        for row, (others, all_costs) in enumerate(zip(everything, prices, strict=True)):
            mine = np.isin(others, among)
            assert sorted(found[row]) == sorted(others[mine])
            np.testing.assert_allclose(costs[row], all_costs[mine], atol=1e-12)


@SOME
@given(tables(max_records=24), st.integers(1, 30), st.sampled_from([0, 100_000]), st.data())
def test_members_that_are_nearest_to_groups(
    records: Records, near: int, few: int, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells, most=9)))
    if not len(groups):
        return
    shuffled = np.array(data.draw(st.permutations(range(len(groups)))), dtype=np.int64)
    chosen = shuffled[: data.draw(st.integers(1, len(groups)))]
    among = np.flatnonzero(~np.isin(groups.owner, chosen))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours_module, "_FEW", few)
        found = nearest_members(Parts.of(table), groups, chosen, among, near)
    assert found.shape == (len(chosen), min(near, len(among)))
    places = Parts.of(table).places
    centres = box_centres(table, *Parts.of(table).boxes(groups)).tolist()
    for group, those in zip(chosen.tolist(), found.tolist(), strict=True):
        assert set(those) <= set(among.tolist())
        assert len(set(those)) == len(those)
        apart = {}
        for membership in among.tolist():
            place = places[groups.members[[membership]]]
            own = box_centres(table, place, place).tolist()[0]
            apart[membership] = sum(
                abs(one - other) for one, other in zip(own, centres[group], strict=True)
            )
        expected = sorted(apart.values())[:near]
        np.testing.assert_allclose([apart[each] for each in those], expected, atol=1e-12)


@SOME
@given(
    st.lists(st.integers(0, 200), min_size=2, max_size=40, unique=True),
    st.integers(1, 12),
    st.data(),
)
def test_what_is_nearest_is_so_by_a_tree_and_without(
    ages: list[int], near: int, data: st.DataObject
) -> None:
    labels = tuple(str(age) for age in sorted(ages))
    attribute = oracles.Attribute("age", labels, {label: int(label) for label in labels})
    records = Records((attribute,), oracles.Attribute("s", ("u",)), tuple((x, "u") for x in labels))
    parts, groups = Parts.of(as_table(records)), as_groups([[cell] for cell in range(len(labels))])
    chosen = np.array(data.draw(st.permutations(range(len(labels)))), dtype=np.int64)
    for few in (0, 100_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighbours_module, "_FEW", few)
            found = nearest_groups(parts, groups, chosen, near)
        assert found.shape == (len(chosen), min(near + 1, len(groups)))
        for cell, others in zip(chosen.tolist(), found.tolist(), strict=True):
            apart = sorted(abs(int(labels[cell]) - int(label)) for label in labels)
            assert [abs(int(labels[cell]) - int(labels[i])) for i in others] == apart[: near + 1]


def test_groups_with_the_same_centre_are_neighbours() -> None:
    letters = oracles.Attribute("q", tuple("abcd"))
    records = Records(
        (letters, letters),
        oracles.Attribute("s", ("u",)),
        tuple((one, other, "u") for one in "abcd" for other in "abcd"),
    )
    # Two groups of the corners of the table, and two of the corners of its middle.
    groups = as_groups([[0, 15], [3, 12], [5, 10], [6, 9]])
    found, costs = cheapest_neighbours(Parts.of(as_table(records)), groups, np.arange(4), 2)
    assert all(group not in others for group, others in enumerate(found.tolist()))
    assert found.shape == (4, 2)
    np.testing.assert_allclose(costs, 0, atol=1e-12)


def test_ranking_is_cancelled_between_chunks() -> None:
    ages = tuple(str(age) for age in range(1200))
    numbers = {age: int(age) for age in ages}
    records = Records(
        (oracles.Attribute("age", ages, numbers),),
        oracles.Attribute("s", ("u",)),
        tuple((age, "u") for age in ages),
    )
    polls: list[None] = []
    groups = as_groups([[cell] for cell in range(1200)])
    progress = Watched(poll=lambda: polls.append(None))
    found, _ = cheapest_neighbours(
        Parts.of(as_table(records)), groups, np.arange(1200), 2, progress
    )
    assert found[600].tolist() in ([599, 601], [601, 599])
    assert len(polls) >= 2


def test_those_of_ones_own_cluster_are_nearer_than_any_other() -> None:
    # Ages rise, and clusters take turns.
    parts = as_parts(by_age(*"a" * 12), range(12))
    groups = Groups.from_rows(np.arange(12))
    kin = np.arange(12) % 3
    near, _ = cheapest_neighbours(parts, groups, np.arange(12), 3, kin=kin)
    assert (kin[near] == kin[:, None]).all()
    near, _ = cheapest_neighbours(parts, groups, np.arange(12), 3)
    assert not (kin[near] == kin[:, None]).all()
