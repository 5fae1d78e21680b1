"""Suggestions: planted structure is found, whatever labels are called and in whatever order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.suggestion import (
    MOST_CODES,
    MOST_LABELS,
    Suggestion,
    by_structure,
    check_labels,
    suggest,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.resemblance import (
    best_levels,
    bring_together,
    cut_in_order,
    expected_loss,
    label_records,
)
from bkpriv_core.table.rule import Listed, Prefixes
from bkpriv_core.table.table import Table
from tests.core.strategies import MANY

Rows = list[tuple[str | None, int, str]]
"""Records: a town, an age and a job."""

REGIONS = 5


def tabulate(rows: Rows) -> Table:
    """Table of towns, ages and jobs; nothing is sensitive."""
    towns, ages, jobs = zip(*rows, strict=True)
    domains = []
    codes = []
    for name, values in (("town", towns), ("age", ages), ("job", jobs)):
        distinct = sorted({value for value in values if value is not None})
        labels: list[Any] = [*distinct, *([None] if None in values else [])]
        positions = np.array(distinct, dtype=float) if name == "age" else None
        shown = tuple(None if label is None else str(label) for label in labels)
        domains.append(Domain(name, shown, positions))
        codes.append([labels.index(value) for value in values])
    told = Domain("", ("*",))
    columns = np.column_stack([*codes, [0] * len(rows)]).astype(np.int64)
    return Table.from_rows(tuple(domains), told, columns, np.ones(len(rows), np.int64))[0]


def planted(seed: int, records: int = 1500, towns: int = 30) -> Rows:
    """Towns of five regions, of which ages and jobs tell; some towns are larger than others."""
    draw = np.random.default_rng(seed)
    chances = 1 / (5 + np.arange(towns))
    town = draw.choice(towns, records, p=chances / chances.sum())
    region = town % REGIONS
    age = 20 + 12 * region + draw.integers(0, 14, records)
    job = (region + (draw.random(records) < 0.2)) % REGIONS
    return [(_town(t), int(a), f"job {j}") for t, a, j in zip(town, age, job, strict=True)]


def _town(number: int) -> str:
    return f"town of {'abcdefghij'[number // 10]}{'klmnopqrst'[number % 10]}"


def as_sets(labels: Sequence[str], partition: Sequence[int]) -> set[frozenset[str]]:
    """Groups of labels, by their numbers."""
    return {
        frozenset(label for label, other in zip(labels, partition, strict=True) if other == number)
        for number in set(partition)
    }


def leaves(branches: Any) -> list[str]:
    """Labels under a name."""
    if isinstance(branches, list):
        return branches
    return [label for under in branches.values() for label in leaves(under)]


def groups_of(found: Suggestion) -> list[set[frozenset[str]]]:
    """Groups of each level of a list, the coarser first."""
    levels, under = [], [found.argument]
    for _ in range(found.levels):
        under = [each for one in under for each in one.values()]
        levels.append({frozenset(leaves(each)) for each in under})
    return levels


# --- Groups ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_labels_of_a_region_are_brought_together(seed: int) -> None:
    rows = planted(seed)
    table = tabulate(rows)
    labels = [label for label in table.quasi_identifiers[0].labels if label is not None]
    regions = {
        frozenset(_town(town) for town in range(30) if town % REGIONS == region) & set(labels)
        for region in range(REGIONS)
    }
    partitions = bring_together(table, 0)
    assert regions in [as_sets(labels, each.tolist()) for each in partitions]
    for finer, coarser in pairwise(partitions):
        assert all(len(set(coarser[finer == number])) == 1 for number in set(finer.tolist()))


@MANY
@given(st.data())
def test_an_order_is_cut_at_the_least_cost(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    records = np.array(data.draw(st.lists(st.integers(1, 9), min_size=count, max_size=count)))
    profiles = np.array(
        data.draw(
            st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=count, max_size=count)
        )
    )
    joined = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    number = np.cumsum([not each for each in joined])
    least = data.draw(st.integers(1, int(records.sum())))
    variance = _scatter(profiles, records)

    def cost(bounds: tuple[int, ...]) -> float:
        total = 0.0
        for first, last in zip((0, *bounds), (*bounds, count), strict=True):
            part = slice(first, last)
            total += records[part].sum() / records.sum() * (last - first) / count
            total += _scatter(profiles[part], records[part]) / max(variance, 1e-12)
        return total

    allowed = [place for place in range(1, count) if number[place] != number[place - 1]]
    costs = {
        bounds: cost(bounds)
        for size in range(len(allowed) + 1)
        for bounds in combinations(allowed, size)
        if all(
            records[first:last].sum() >= least
            for first, last in zip((0, *bounds), (*bounds, count), strict=True)
        )
    }
    if variance < 1e-9:  # Rounding decides.
        return
    found = cut_in_order(number, profiles, records, least)
    cuts = tuple(place for place in range(1, count) if found[place] != found[place - 1])
    assert costs[cuts] == pytest.approx(min(costs.values()), abs=1e-6)


def _scatter(profiles: np.ndarray[Any, Any], records: np.ndarray[Any, Any]) -> float:
    centre = np.average(profiles, axis=0, weights=records)
    return float((records * ((profiles - centre) ** 2).sum(axis=1)).sum())


@MANY
@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 3)), min_size=1, max_size=12))
def test_expected_loss_is_that_of_the_lowest_node_with_so_many(
    drawn: list[tuple[int, int]],
) -> None:
    records = np.array([size for size, _ in drawn])
    fine = np.array([number for _, number in drawn])
    coarse = fine // 2
    everybody = int(records.sum())
    sizes = np.geomspace(min(5, everybody), everybody, 24)
    losses = []
    for size in sizes:
        for label, held in enumerate(records):
            if held >= size:
                loss = 0.0
            else:
                loss = 1.0
                for level in (coarse, fine):
                    inside = level == level[label]
                    if records[inside].sum() >= size:
                        loss = inside.sum() / len(records)
            losses.append(loss * held)
    expected = sum(losses) / everybody / len(sizes)
    assert expected_loss([fine, coarse], records) == pytest.approx(expected)
    for levels, chosen in enumerate(best_levels([fine, coarse], records, 3), start=1):
        assert len(chosen) == levels
        assert expected_loss([[fine, coarse][place] for place in chosen], records) == min(
            expected_loss([[fine, coarse][place] for place in places], records)
            for places in combinations(range(2), levels)
        )


# --- Suggestions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_planted_regions_are_suggested_and_lose_less(seed: int) -> None:
    table = tabulate(planted(seed))
    found = suggest(table, 0)
    assert [each.kind for each in found] == ["list"] * 3
    assert sorted(each.levels for each in found) == [1, 2, 3]
    for each in found:
        assert each.gcp is not None
        assert each.gcp_now is not None
        assert each.gcp < each.gcp_now - 0.05
        Listed.checked("town", each.argument, None)
    assert [each.gcp for each in found] == sorted(each.gcp or 0 for each in found)
    for group in groups_of(found[0])[-1]:
        # Groups of the finest level are of one region, as their second letter tells by its number.
        assert len({"klmnopqrst".index(label[-1]) % REGIONS for label in group}) == 1


def test_names_and_order_do_not_matter() -> None:
    rows = planted(7, 1200)
    before = suggest(tabulate(rows), 0)
    draw = np.random.default_rng(1)
    others = draw.permutation(1000)
    named = {town: f"place {chr(0x4E00 + int(others[n]))}, \"{n}'" for n, town in
             enumerate(sorted({row[0] or "" for row in rows}))}  # fmt: skip
    renamed: Rows = [(named[town or ""], age, job) for town, age, job in rows]
    draw.shuffle(renamed)
    after = suggest(tabulate(renamed), 0)
    assert {each.levels: _renamed(groups_of(each), named) for each in before} == {
        each.levels: groups_of(each) for each in after
    }
    for each in after:
        Listed.checked("town", json.loads(json.dumps(each.argument)), None)
    draw.shuffle(rows)
    assert suggest(tabulate(rows), 0) == before


def _renamed(levels: list[set[frozenset[str]]], named: dict[str, str]) -> list[set[frozenset[str]]]:
    return [{frozenset(named[label] for label in group) for group in level} for level in levels]


def test_null_is_no_label_and_a_hierarchy_that_is_there_is_compared_with() -> None:
    rows = planted(3, 800, towns=12)
    rows += [(None, age, job) for _, age, job in rows[:40]]
    table = tabulate(rows)
    found = suggest(table, 0)
    labels = [label for label in table.quasi_identifiers[0].labels if label is not None]
    for each in found:
        assert sorted(leaves(each.argument)) == labels
    assert label_records(table, 0).sum() == 800
    best = found[0]
    tree = Listed.checked("town", best.argument, None).over("town", labels)
    town = Domain("town", table.quasi_identifiers[0].labels, hierarchy=tree)
    declared = Table((town, *table.quasi_identifiers[1:]), table.sensitive, table.codes,
                     table.counts)  # fmt: skip
    assert {each.gcp_now for each in suggest(declared, 0)} == {best.gcp}


def test_codes_go_up_to_their_first_characters() -> None:
    draw = np.random.default_rng(5)
    codes = [f"{letter}{first}{second}.{third}" for letter in "EIJ" for first in range(3)
             for second in range(3) for third in range(2)]  # fmt: skip
    rows: Rows = [
        (codes[int(n)], int(age), "job")
        for n, age in zip(draw.integers(0, len(codes), 900), draw.integers(0, 80, 900), strict=True)
    ]
    found = suggest(tabulate(rows), 0)
    assert {each.kind for each in found} == {"prefixes"}
    for each in found:
        assert each.levels == len(each.argument)
        Prefixes.checked("town", each.argument)
        assert each.gcp is not None
        assert each.gcp_now is not None
        assert each.gcp < each.gcp_now
    assert all(set(each.argument) <= {1, 2, 3} for each in found)


def test_days_as_texts_go_to_months_or_to_a_view() -> None:
    draw = np.random.default_rng(5)
    days = [f"{1950 + int(year)}-{1 + int(month):02}-{1 + int(day):02}" for year, month, day in
            draw.integers(0, (50, 12, 28), (400, 3))]  # fmt: skip
    found = suggest(tabulate([(day, 1, "job") for day in days]), 0)
    assert {each.kind for each in found} == {"prefixes"}
    assert all(set(each.argument) <= {10, 7, 4, 3} for each in found)
    german = [".".join(reversed(day.split("-"))) for day in days]
    (view,) = suggest(tabulate([(day, 1, "job") for day in german]), 0)
    assert (view.kind, view.gcp) == ("dates", None)
    assert "set_date_hierarchy" in view.reason


def test_codes_that_number_kinds_are_listed() -> None:
    draw = np.random.default_rng(5)
    rows: Rows = [(str(int(n)), int(n) % 4 * 20, "job") for n in draw.integers(0, 25, 600)]
    assert {each.kind for each in suggest(tabulate(rows), 0)} == {"list"}


def test_names_of_groups_are_none_of_the_labels() -> None:
    rows: Rows = [
        (town, 10 * (place // 3), "job")
        for place, town in enumerate(["a", "b", "a, b", "c", "d", "c, d", "e", "f", "", "g, h"])
        for _ in range(12)
    ]
    rows += [("x" * 300 + end, 90, "job") for end in "yz" for _ in range(12)]
    table = tabulate(rows)
    for each in suggest(table, 0):
        Listed.checked("town", each.argument, None)
        labels = {label for label in table.quasi_identifiers[0].labels if label is not None}
        names = _names(each.argument)
        assert all(leaves(under) == [name] for name, under in names if name in labels)
        assert all(len(name) < 120 or len(leaves(under)) == 1 for name, under in names)


def _names(branches: Any) -> list[tuple[str, Any]]:
    if isinstance(branches, list):
        return []
    return [pair for name, under in branches.items() for pair in [(name, under), *_names(under)]]


def test_columns_of_many_kinds_are_compared_with() -> None:
    rows = planted(2, 600, towns=10)
    table = tabulate(rows)
    jobs = table.quasi_identifiers[2]
    tree = Hierarchy({f"{label}": (f"{label}", f"of {label}", "*") for label in jobs.labels})
    street = np.arange(table.cells) % 40
    domains = (
        *table.quasi_identifiers[:2],
        Domain("job", jobs.labels, hierarchy=tree),
        Domain("street", tuple(f"{n:02}" for n in range(40))),
    )
    wide = Table(domains, table.sensitive, np.column_stack((table.codes, street)), table.counts)
    assert suggest(wide, 0)
    alone = Table.from_rows(
        table.quasi_identifiers[:1], table.sensitive, table.codes[:, [0, 2]] * np.array([1, 0]),
        table.weights,
    )[0]  # fmt: skip
    assert suggest(alone, 0)


def test_a_large_table_is_measured_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    table = tabulate(planted(4, 600, towns=10))
    whole = suggest(table, 0)
    monkeypatch.setattr("bkpriv_core.suggestion._CELLS", table.cells // 2)
    part = suggest(table, 0)
    assert [each.argument for each in sorted(part, key=lambda each: each.levels)] == [
        each.argument for each in sorted(whole, key=lambda each: each.levels)
    ]
    # Fewer records lose more.
    assert (whole[0].gcp or 0) < (part[0].gcp or 0) < (part[0].gcp_now or 0)


def test_what_loses_more_than_no_hierarchy_is_not_proposed() -> None:
    draw = np.random.default_rng(4)
    codes = ["24103", "24105", "22111"]
    drawn = draw.integers(0, (3, 60, 2), (60, 3))
    rows: Rows = [(codes[int(code)], int(age), f"job {job}") for code, age, job in drawn]
    (found,) = by_structure(codes, np.ones(3, dtype=np.int64))
    assert found.argument == [2]
    with pytest.raises(InvalidParameter, match="loses less"):
        suggest(tabulate(rows), 0)
    for seed in range(4):
        drawn = np.random.default_rng(seed).integers(0, (9, 60, 2), (150, 3))
        names = [f"{region}{n}" for region in ("A1", "A2", "B1") for n in range(3)]
        proposed = suggest(tabulate([(names[c], int(a), f"{j}") for c, a, j in drawn]), 0)
        assert all((each.gcp or 0) <= (each.gcp_now or 0) for each in proposed)


def test_too_many_labels_and_too_few_are_refused() -> None:
    with pytest.raises(TooLarge, match="town"):
        check_labels("town", MOST_CODES + 1)
    with pytest.raises(TooLarge, match="town"):
        suggest(tabulate([(f"town {n}", 1, "job") for n in range(MOST_LABELS + 1)]), 0)
    with pytest.raises(InvalidParameter, match="town"):
        check_labels("town", 2)
    few: Rows = [(town, 1, "job") for town in ("a", "b", "c")]
    with pytest.raises(InvalidParameter, match="cannot be brought together"):
        suggest(tabulate(few), 0)


def test_of_fewer_records_than_a_draft_needs_no_loss_is_told() -> None:
    few: Rows = [("x1", 20, "a"), ("y1", 30, "a"), ("x2", 40, "b")]
    assert {(each.gcp, each.gcp_now) for each in suggest(tabulate(few), 0)} == {(None, None)}
