"""Identification: how many people columns single out, against counting pairs of records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.identification import Distinction, classes, most_distinct
from tests.core.strategies import MANY

Rows = list[tuple[int, ...]]


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """Records of a few columns of small numbers."""
    width = draw(st.integers(1, 4))
    sizes = [draw(st.integers(0, 4)) for _ in range(width)]
    row = st.tuples(*(st.integers(0, size) for size in sizes))
    return draw(st.lists(row, min_size=1, max_size=14))


def by_hand(rows: Rows, places: Sequence[int]) -> tuple[float, float, int]:
    """Distinction, separation and unique people, record by record."""
    seen = [tuple(row[place] for place in places) for row in rows]
    pairs = list(combinations(seen, 2))
    apart = sum(one != other for one, other in pairs)
    alone = sum(seen.count(each) == 1 for each in seen)
    return len(set(seen)) / len(seen), apart / len(pairs) if pairs else 0.0, alone


def figures(found: Distinction) -> tuple[float, float, int]:
    return found.distinction, found.separation, found.unique


@MANY
@given(tables())
def test_figures_are_those_of_counting_by_hand(rows: Rows) -> None:
    values = np.array(rows)
    width = values.shape[1]
    read = [classes(values[:, place]) for place in range(width)]
    labels, sizes = [each[0] for each in read], [each[1] for each in read]
    singles = [Distinction.of((place,), size) for place, size in enumerate(sizes)]
    for place, single in enumerate(singles):
        assert figures(single) == pytest.approx(by_hand(rows, [place]))
    pairs, triples = most_distinct(labels, singles, range(width), 100)
    for found in (*pairs, *triples):
        assert figures(found) == pytest.approx(by_hand(rows, found.columns))
    # Listed is what says more than each of its columns, and those best that single out most.
    wanted = {
        pair: by_hand(rows, pair)
        for pair in combinations(range(width), 2)
        if all(by_hand(rows, pair)[:0:-1] > by_hand(rows, [one])[:0:-1] for one in pair)
    }
    assert {found.columns for found in pairs} == set(wanted)
    ranks = [found.rank for found in pairs]
    assert ranks == sorted(ranks, reverse=True)


def test_the_best_pair_may_be_of_columns_that_tell_little_alone() -> None:
    rows = np.array([(i % 10, i // 10, i % 2, 0) for i in range(100)])
    read = [classes(column) for column in rows.T]
    singles = [Distinction.of((place,), size) for place, (_, size) in enumerate(read)]
    pairs, triples = most_distinct([label for label, _ in read], singles, range(4), 3)
    assert pairs[0] == Distinction((0, 1), 1.0, 1.0, 100)
    assert triples == []


def test_large_classes_do_not_overflow() -> None:
    found = Distinction.of((0,), np.array([2**40, 2**40]))
    assert found.separation == pytest.approx(0.5)
    assert Distinction.of((0,), np.array([], dtype=np.int64)).distinction == 0.0
