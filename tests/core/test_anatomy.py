"""Anatomy: its guarantee, the rule by which groups draw, chance, and what it refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.partition import anatomy as anatomy_module
from bkpriv_core.partition.anatomy import anatomy
from bkpriv_core.table.chance import Chance, SecretChance, SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.strategies import MANY
from tests.core.watching import Cancelled, Watched, cancelling


def table_of(counts: Sequence[Sequence[int]] | IntArray) -> Table:
    """A table of the records of each cell with each value; cells differ in one number."""
    array = np.array(counts, dtype=np.int64)
    numbers = np.arange(len(array), dtype=np.float64)
    return Table(
        (Domain("age", tuple(map(str, range(len(array)))), numbers),),
        Domain("disease", tuple(f"d{value}" for value in range(array.shape[1]))),
        np.arange(len(array), dtype=np.int64)[:, None],
        array,
    )


@st.composite
def eligible(draw: st.DrawFn, *, cells: int, most: int) -> tuple[Table, int]:
    """A table of at most `most` records in a cell with a value, and an l it is eligible for."""
    size = draw(st.integers(1, 7))
    row = st.lists(st.integers(0, most), min_size=size, max_size=size).filter(any)
    table = table_of(draw(st.lists(row, min_size=1, max_size=cells)))
    largest = table.records // int(table.counts.sum(axis=0).max())
    return table, draw(st.integers(1, largest))


def values_of(parts: Parts, groups: Groups) -> list[list[int]]:
    """The values of each group's records, in order."""
    return [
        [value for value, count in enumerate(row) for _ in range(count)]
        for row in parts.histograms(groups).tolist()
    ]


# --- What every outcome holds ---------------------------------------------------------------------


@MANY
@given(eligible(cells=4, most=5), st.integers(0, 2**32))
def test_groups_of_l_distinct_values_that_hold_every_record_once(
    drawn: tuple[Table, int], seed: int
) -> None:
    table, size = drawn
    parts, groups = anatomy(Parts.of(table), size, SeededChance(seed))
    assert len(groups) == table.records // size
    assert sorted(groups.members.tolist()) == list(range(len(parts)))
    values_by_group = values_of(parts, groups)
    for values in values_by_group:
        assert len(values) >= size
        assert len(set(values)) == len(values)
    assert sum(len(values) - size for values in values_by_group) == table.records % size
    records = Counter[tuple[int, int]]()
    for row, counts in zip(parts.codes.tolist(), parts.counts.tolist(), strict=True):
        records.update({(row[0], value): count for value, count in enumerate(counts)})
    assert +records == +Counter(
        {(cell, value): int(count) for (cell, value), count in np.ndenumerate(table.counts)}
    )


def follow_the_rule(totals: Sequence[int], groups: Sequence[Sequence[int]], size: int) -> bool:
    """Tell whether groups come about, one after another, by drawing from the fullest buckets.

    A group of more than `size` records holds some of the residue; any of its records may be that.
    """
    states = {(tuple(totals), frozenset[int]())}
    for values in groups:
        reached = set()
        for left, residue in states:
            for chosen in combinations(values, size):
                others = [left[value] for value in range(len(left)) if value not in chosen]
                emptiest = min(left[value] for value in chosen)
                extra = set(values) - set(chosen)
                if emptiest < max([1, *others]) or extra & residue:
                    continue
                after = tuple(count - (value in chosen) for value, count in enumerate(left))
                reached.add((after, residue | extra))
        states = reached
    return any(
        all(count == (value in residue) for value, count in enumerate(left))
        for left, residue in states
    )


def test_the_rule_by_hand() -> None:
    assert follow_the_rule([2, 1, 1], [[0, 1], [0, 2]], 2)
    assert not follow_the_rule([2, 1, 1], [[1, 2], [0, 0]], 2)
    assert follow_the_rule([2, 2, 1], [[0, 1, 2], [0, 1]], 2)
    assert not follow_the_rule([3, 2, 2, 1], [[0, 1], [2, 3], [0, 1], [0, 2]], 2)
    assert follow_the_rule([3, 2, 2, 1], [[0, 1], [0, 2], [0, 1], [2, 3]], 2)


@MANY
@pytest.mark.parametrize("orders", [1, 1_000])
@given(drawn=eligible(cells=1, most=60), seed=st.integers(0, 2**32))
def test_groups_draw_from_the_fullest_buckets(
    orders: int, drawn: tuple[Table, int], seed: int
) -> None:
    table, size = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anatomy_module, "_ORDERS", orders)
        parts, groups = anatomy(Parts.of(table), size, SeededChance(seed))
    assert follow_the_rule(table.counts[0].tolist(), values_of(parts, groups), size)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "totals",
    [
        [900, 700, 699, 698, 401, 400, 150, 20, 3, 1],
        [500, 499, 499, 300, 300, 299, 299, 298],
        [400] * 7,
        [400, 1] * 5,
    ],
)
def test_long_runs_draw_from_the_fullest_buckets(
    totals: list[int], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anatomy_module, "_ORDERS", 1)
    taken: list[int] = []
    run = anatomy_module._run

    def spy(heights: IntArray, size: int) -> tuple[int, int, int]:
        ahead, behind, rounds = run(heights, size)
        taken.append(rounds)
        return ahead, behind, rounds

    monkeypatch.setattr(anatomy_module, "_run", spy)
    parts, groups = anatomy(Parts.of(table_of([totals])), size, SeededChance(size))
    assert follow_the_rule(totals, values_of(parts, groups), size)
    assert min(taken) >= 1
    assert len(taken) <= len(totals)


def test_a_million_records_take_seconds() -> None:
    random = np.random.default_rng(5)
    shares = random.dirichlet(np.full(14, 20.0))
    assert shares.max() < 0.2
    cells = random.multinomial(80, shares, size=12_500)
    begun = process_time()
    parts, groups = anatomy(Parts.of(table_of(cells)), 4, SecretChance())
    assert process_time() - begun < 15  # about 1 s on an idle machine
    histograms = parts.histograms(groups)
    assert len(groups) == 250_000
    assert histograms.max() == 1
    assert histograms.sum(axis=1).min() == 4
    np.testing.assert_array_equal(histograms.sum(axis=0), cells.sum(axis=0))


# --- By hand --------------------------------------------------------------------------------------


def test_one_value_less_than_its_limit_leaves_a_residue() -> None:
    # Three groups of two; the seventh record joins one that lacks its value.
    parts, groups = anatomy(Parts.of(table_of([[3, 3, 1]])), 2, SeededChance(1))
    values_by_group = values_of(parts, groups)
    assert sorted(map(len, values_by_group)) == [2, 2, 3]
    assert [0, 1, 2] in values_by_group


def test_at_l_1_every_record_is_a_group() -> None:
    parts, groups = anatomy(Parts.of(table_of([[3, 0], [2, 2]])), 1, SeededChance(1))
    assert len(groups) == len(parts) == 7
    assert parts.weights.tolist() == [1] * 7


def test_records_of_one_cell_and_value_lie_in_different_groups() -> None:
    parts, groups = anatomy(Parts.of(table_of([[3, 0], [0, 3]])), 2, SeededChance(1))
    assert values_of(parts, groups) == [[0, 1]] * 3
    assert parts.codes.ravel().tolist() == [0, 1] * 3


# --- Chance ---------------------------------------------------------------------------------------


def test_who_is_drawn_with_whom_is_chance() -> None:
    # Cells 0-2 hold one record each of value 0, cells 3-5 of value 1: nine equally likely pairs.
    table = table_of([[1, 0]] * 3 + [[0, 1]] * 3)
    pairs: Counter[tuple[int, ...]] = Counter()
    places: Counter[tuple[int, int]] = Counter()
    for seed in range(900):
        parts, groups = anatomy(Parts.of(table), 2, SeededChance(seed))
        for place, group in enumerate(groups):
            pairs[tuple(parts.codes[group].ravel().tolist())] += 1
            places.update((place, cell) for cell in parts.codes[group].ravel().tolist())
    # 900 draws with a chance of 1/3: 300 with a standard deviation of 14.
    assert len(pairs) == 9
    assert len(places) == 18
    assert all(abs(count - 300) < 14 * 6 for count in (*pairs.values(), *places.values()))


def test_level_buckets_are_drawn_from_by_chance() -> None:
    kinds: Counter[tuple[int, ...]] = Counter()
    for seed in range(600):
        parts, groups = anatomy(Parts.of(table_of([[1] * 4])), 2, SeededChance(seed))
        kinds[tuple(values_of(parts, groups)[0])] += 1
    # Six pairs: 100 each with a standard deviation of 9.
    assert len(kinds) == 6
    assert all(abs(count - 100) < 9 * 6 for count in kinds.values())


def test_level_buckets_take_turns_in_many_orders() -> None:
    parts, groups = anatomy(Parts.of(table_of([[3_000] * 6])), 3, SeededChance(2))
    kinds = Counter(tuple(values) for values in values_of(parts, groups))
    assert len(kinds) == 20  # three of six
    assert max(kinds.values()) < 3 * min(kinds.values())


def test_the_residue_joins_any_group_that_lacks_its_value() -> None:
    # The last pair is drawn from one record of each value. What is left has value 2, and may join
    # any of four groups, or else only the last group lacks its value.
    hosts: Counter[int] = Counter()
    for seed in range(1_200):
        parts, groups = anatomy(Parts.of(table_of([[4, 4, 1]])), 2, SeededChance(seed))
        hosts[values_of(parts, groups).index([0, 1, 2])] += 1
    # 100 each and the other 900, with standard deviations of 10 and 15.
    assert all(abs(hosts[group] - 100) < 10 * 6 for group in range(3))
    assert abs(hosts[3] - 900) < 15 * 6


@given(eligible(cells=4, most=5), st.integers(0, 2**32), st.data())
def test_the_order_of_cells_does_not_matter(
    drawn: tuple[Table, int], seed: int, data: st.DataObject
) -> None:
    table, size = drawn
    order = data.draw(st.permutations(range(table.cells)))
    moved = Table(table.quasi_identifiers, table.sensitive, table.codes[order], table.counts[order])
    once, there = (anatomy(Parts.of(each), size, SeededChance(seed)) for each in (table, moved))
    assert values_of(*once) == values_of(*there)


def test_a_seed_repeats_the_groups_and_secret_ones_differ() -> None:
    table = table_of([[5, 4, 3], [2, 3, 4], [1, 1, 1]])

    def outcome(chance: Chance) -> tuple[list[int], ...]:
        parts, groups = anatomy(Parts.of(table), 2, chance)
        return (
            parts.codes.ravel().tolist(),
            parts.counts.ravel().tolist(),
            groups.offsets.tolist(),
        )

    assert outcome(SeededChance(1)) == outcome(SeededChance(1))
    assert outcome(SeededChance(1)) != outcome(SeededChance(2))
    assert outcome(SecretChance()) != outcome(SecretChance())


# --- Refusals -------------------------------------------------------------------------------------


@MANY
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any),
    st.integers(1, 12),
)
def test_exactly_the_eligible_tables_are_grouped(totals: list[int], size: int) -> None:
    if all(count <= sum(totals) / size for count in totals):
        _, groups = anatomy(Parts.of(table_of([totals])), size, SeededChance(0))
        assert len(groups) == sum(totals) // size
        return
    with pytest.raises(UnattainableRequirement) as caught:
        anatomy(Parts.of(table_of([totals])), size, SeededChance(0))
    fullest = totals.index(max(totals))
    assert f"'d{fullest}'" in caught.value.message
    assert f"{totals[fullest]} of {sum(totals)} records" in caught.value.detail


def test_a_value_that_is_too_frequent_is_named_with_its_share() -> None:
    with pytest.raises(UnattainableRequirement) as caught:
        anatomy(Parts.of(table_of([[4, 0, 1], [2, 5, 4]])), 3, SeededChance(0))
    error = caught.value
    assert error.message == "the value 'd0' of \"disease\" is too frequent for anatomy with l = 3"
    assert "6 of 16 records, a share of 0.375" in error.detail
    assert "at most 1/3 is allowed, which is 5 records" in error.detail
    assert error.hint == "The largest l that would do is 2."
    anatomy(Parts.of(table_of([[4, 0, 1], [2, 5, 4]])), 2, SeededChance(0))


def test_a_value_of_most_records_rules_anatomy_out() -> None:
    with pytest.raises(UnattainableRequirement) as caught:
        anatomy(Parts.of(table_of([[2, 5]])), 2, SeededChance(0))
    assert "'d1'" in caught.value.message
    assert "Only l = 1 would do, which protects nothing" in caught.value.hint


def test_null_is_named_as_such() -> None:
    table = table_of([[1, 5]])
    sensitive = Domain("disease", ("flu", None))
    with pytest.raises(UnattainableRequirement, match='the value NULL of "disease"'):
        anatomy(
            Parts.of(Table(table.quasi_identifiers, sensitive, table.codes, table.counts)),
            2,
            SeededChance(0),
        )


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "2", None])
def test_l_must_be_a_whole_number(size: object) -> None:
    with pytest.raises(InvalidParameter, match=f"l of anatomy is {size!r}") as caught:
        anatomy(Parts.of(table_of([[1, 1]])), size, SeededChance(0))  # type: ignore[arg-type]
    assert "number of different sensitive values" in caught.value.detail
    assert "whole number" in caught.value.hint


# --- Work -----------------------------------------------------------------------------------------


def test_progress_rises_to_the_whole() -> None:
    shares: list[float] = []
    anatomy(
        Parts.of(table_of([[50, 40, 30, 20]])),
        2,
        SeededChance(0),
        progress=Watched(report=shares.append),
    )
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1.0


@pytest.mark.parametrize("calls", [1, 2, 9])
def test_polling_can_cancel(calls: int) -> None:
    with pytest.raises(Cancelled):
        anatomy(
            Parts.of(table_of([[50, 40, 30, 20]])), 2, SeededChance(0), progress=cancelling(calls)
        )
