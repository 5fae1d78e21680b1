"""Remainders of groups when others within them are taken away, against trying all choices."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.composition import nesting, remainder
from bkpriv_core.composition.nesting import equal, nested
from bkpriv_core.composition.remainder import remainders
from bkpriv_core.errors import TooLarge
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core.strategies import MANY, SOME
from tests.core.watching import Watched, polls_of

Some = frozenset[int]

ATOMS = 8


# --- Oracles --------------------------------------------------------------------------------------


def choices(groups: Sequence[Some], around: Some, who: int) -> list[list[Some]]:
    """Disjoint groups within one, none of which shows somebody; in all ways."""
    within = [group for group in groups if group < around and who not in group]
    return [
        list(some)
        for count in range(len(within) + 1)
        for some in combinations(within, count)
        if all(one.isdisjoint(other) for one, other in combinations(some, 2))
    ]


def fewest(groups: Sequence[Some], weights: Sequence[int], who: int) -> float:
    """Fewest people who are left beside somebody, of all choices."""
    return min(
        (
            sum(weights[atom] for atom in around.difference(*some))
            for around in groups
            if who in around
            for some in choices(groups, around, who)
        ),
        default=np.inf,
    )


def without_all(groups: Sequence[Some], weights: Sequence[int], who: int) -> float:
    """The same, as if groups that cross could both be taken away."""
    return min(
        (
            sum(
                weights[atom]
                for atom in around.difference(
                    *(group for group in groups if group < around and who not in group)
                )
            )
            for around in groups
            if who in around
        ),
        default=np.inf,
    )


# --- Small ----------------------------------------------------------------------------------------

some_groups = st.lists(
    st.one_of(
        st.frozensets(st.integers(0, ATOMS - 1), min_size=1),
        st.frozensets(st.integers(0, ATOMS - 1), min_size=2, max_size=4),
        st.just(frozenset(range(ATOMS))),
    ),
    max_size=6,
    unique=True,
)
some_weights = st.lists(st.integers(1, 4), min_size=ATOMS, max_size=ATOMS)


def told(groups: Sequence[Some], weights: Sequence[int]) -> tuple[FloatArray, list[bool]]:
    listed = Groups.from_lists([np.array(list(group)) for group in groups])
    left, exact = remainders(listed, np.array(weights))
    return left, exact.tolist()


@MANY
@given(some_groups, some_weights)
def test_the_best_choice_is_found(groups: list[Some], weights: list[int]) -> None:
    left, exact = told(groups, weights)
    assert all(exact)
    assert left.tolist() == [fewest(groups, weights, who) for who in range(ATOMS)]


@SOME
@given(some_groups, some_weights)
def test_of_tangles_of_many_groups_there_is_a_lower_bound(
    groups: list[Some], weights: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remainder, "_CHOSEN", 0)
        left, exact = told(groups, weights)
    assert left.tolist() == [without_all(groups, weights, who) for who in range(ATOMS)]
    for who in range(ATOMS):
        truth = fewest(groups, weights, who)
        assert left[who] == truth if exact[who] else left[who] <= truth


@SOME
@given(some_groups, some_weights)
def test_of_tangles_beyond_that_there_is_one_as_well(
    groups: list[Some], weights: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remainder, "_CHOSEN", 0)
        patch.setattr(remainder, "_OF_A_TANGLE", 0)
        left, exact = told(groups, weights)
    assert (left >= weights).all()
    for who in range(ATOMS):
        truth = fewest(groups, weights, who)
        assert left[who] == truth if exact[who] else left[who] <= truth


@SOME
@given(some_groups, some_weights)
def test_a_few_at_a_time_all_are_looked_at(groups: list[Some], weights: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remainder, "_AT_ONCE", 5)
        left, exact = told(groups, weights)
    assert all(exact)
    assert left.tolist() == [fewest(groups, weights, who) for who in range(ATOMS)]


def test_groups_that_cross_are_not_both_taken_away() -> None:
    # A-H less A, B, C and less C, D, E: E and F-H are left beside F, or A and B and these.
    around, one, other = frozenset(range(8)), frozenset({0, 1, 2}), frozenset({2, 3, 4})
    left, exact = told([around, one, other], [1] * 8)
    assert left.tolist() == [3, 3, 3, 3, 3, 5, 5, 5]
    assert all(exact)


@MANY
@given(
    st.lists(st.lists(st.integers(0, ATOMS - 1), min_size=1, max_size=4, unique=True), max_size=12)
)
def test_groups_of_the_same_members_are_found(groups: list[list[int]]) -> None:
    first, same = equal(Groups.from_lists([np.array(group) for group in groups]))
    sets = [frozenset(group) for group in groups]
    kinds = list(dict.fromkeys(sets))
    assert first.tolist() == [sets.index(kind) for kind in kinds]
    assert same.tolist() == [kinds.index(some) for some in sets]


def test_groups_of_which_no_two_look_alike_are_not_looked_at_one_by_one() -> None:
    groups = Groups.from_rows(np.arange(40_000).reshape(-1, 4))
    polled: list[None] = []
    first, same = equal(groups, Watched(poll=lambda: polled.append(None)))
    assert first.tolist() == same.tolist() == list(range(10_000))
    assert len(polled) < 10


def test_groups_that_overlap_too_much_are_refused() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "_OVERLAPS", 10)
        with pytest.raises(TooLarge, match="2 groups overlap too much"):
            nested(Groups.from_lists([np.arange(4), np.arange(3)]))


# --- Many -----------------------------------------------------------------------------------------


def measured(lists: Sequence[IntArray], people: int) -> tuple[FloatArray, IntArray]:
    """Remainders of persons, and how many of them are exact, in at most 100 MB."""
    groups = Groups.from_lists(lists)
    remainders(Groups.from_lists([np.arange(2), np.arange(1)]), np.ones(2, dtype=np.int64))
    tracemalloc.start()
    try:
        left, exact = remainders(groups, np.ones(people, dtype=np.int64))
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    return left, np.bincount(exact, minlength=2)


def test_a_whole_table_over_ten_thousand_pairs() -> None:
    people = 20_003
    pairs = np.arange(20_000).reshape(-1, 2)
    left, (bounds, _) = measured([np.arange(people), *pairs], people)
    assert left.tolist() == [2] * 20_000 + [3] * 3
    assert bounds == 0


def test_a_whole_table_over_two_crossing_partitions() -> None:
    people = 30_003
    square = np.arange(30_000).reshape(3_000, 10)
    crossing = np.arange(30_000).reshape(10, 3_000).T
    left, (bounds, _) = measured([np.arange(people), *square, *crossing], people)
    assert left.tolist() == [4] * 30_000 + [3] * 3
    assert bounds == people


def test_a_tangle_that_is_too_large_to_be_compared() -> None:
    people = 6_000
    inside = np.random.default_rng(5).random((14, people)) < 0.5
    inside[:, -1] = False
    left, (bounds, _) = measured([np.arange(people), *map(np.flatnonzero, inside)], people)
    assert bounds == people
    alike = np.unique(inside.T, axis=0, return_inverse=True, return_counts=True)
    # Who is in none of them is always left.
    nobody = int((~inside.any(axis=0)).sum())
    same = alike[2][alike[1].ravel()]
    assert left.tolist() == np.where(inside.any(axis=0), same + nobody, nobody).tolist()


def test_it_can_be_cancelled_anywhere() -> None:
    # Groups along a line, of which each crosses the next.
    line = np.arange(4_000)
    lists = [line, *np.lib.stride_tricks.sliding_window_view(line, 40)[::20]]
    groups, weights = Groups.from_lists(lists), np.ones(len(line), dtype=np.int64)
    assert polls_of(lambda progress: remainders(groups, weights, progress=progress)) > 5
