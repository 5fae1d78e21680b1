"""Grouping sets as SQL defines them, and which keys are answered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import TooLarge
from bkpriv_core.query import tally
from bkpriv_core.query.grouping import answer_groups, cross, cube, rollup, together
from bkpriv_core.query.predicate import EVERYTHING, And, Comparison, Or, Point
from bkpriv_core.release.release import Release
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import query_oracles
from tests.core.query_strategies import (
    BUCKETIZED,
    GENERALIZED,
    Case,
    as_predicate,
    cases,
    conditions,
    one_group,
)
from tests.core.strategies import SOME


@SOME
@given(cases(), st.data())
def test_keys_where_anything_is_counted(case: Case, data: st.DataObject) -> None:
    condition = data.draw(conditions(case.attributes))
    attributes = st.sampled_from(range(len(case.attributes)))
    keys = tuple(data.draw(st.lists(attributes, unique=True, max_size=3)))
    predicate = as_predicate(condition, case.attributes)
    counts = answer_groups(case.release.actual, case.release.estimated, predicate, keys)
    actual = query_oracles.actual(case.records, condition, keys)
    estimate = query_oracles.estimates(case.records, case.groups, condition, case.steps, keys)
    rows = {
        tuple(case.attributes[key].values[code] for key, code in zip(keys, codes, strict=True)): row
        for row, codes in enumerate(counts.codes.tolist())
    }
    assert rows.keys() == actual.keys() | estimate.keys() | (set() if keys else {()})
    for values, row in rows.items():
        assert counts.actual[row] == actual.get(values, 0)
        assert counts.estimate[row] == pytest.approx(float(estimate.get(values, 0)))


def test_exact_quasi_identifiers_have_only_keys_that_occur(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size = 60
    domains = tuple(
        Domain(name, tuple(f"{place:02}" for place in range(size))) for name in ("a", "b", "c")
    )
    codes = np.arange(size)[:, None] * np.array([[1, 7, 11]]) % size
    counts = np.zeros((size, size), dtype=np.int64)
    counts[np.arange(size), np.arange(size) * 13 % size] = 2
    table = Table(domains, Domain("s", domains[0].labels), codes, counts)
    release = Release(Parts.of(table), Groups.from_labels(np.arange(size) // 2), GENERALIZED)
    keys = (3, 0, 2, 1)  # 60 ** 4 combinations
    grouped = answer_groups(release.actual, BUCKETIZED.tally(release), EVERYTHING, keys)
    assert len(grouped.codes) == 2 * size
    assert grouped.codes.tolist() == sorted(grouped.codes.tolist())
    assert grouped.actual.sum() == grouped.estimate.sum() == 2 * size
    assert set(grouped.estimate.tolist()) == {1.0}
    assert sorted(set(grouped.actual.tolist())) == [0.0, 2.0]
    with pytest.raises(TooLarge, match="grouping by s, a, c, b has more than 1000000 keys"):
        answer_groups(release.actual, release.estimated, EVERYTHING, keys)
    monkeypatch.setattr(tally, "_KEYS", 100)
    with pytest.raises(TooLarge, match="grouping by s, a, c, b has more than 100 keys"):
        answer_groups(release.actual, BUCKETIZED.tally(release), EVERYTHING, keys)


def test_generalized_ones_have_only_keys_that_can_occur() -> None:
    # 20,000 records in pairs of neighbours, each pair in a small box of its own.
    size = 20_000
    domains = tuple(
        Domain(
            name,
            tuple(map(str, range(times * size))),
            np.arange(times * size, dtype=float),
            step=1.0,
        )
        for name, times in (("a", 1), ("b", 1), ("c", 7))
    )
    codes = np.arange(size)[:, None] * np.array([[1, 1, 7]])
    table = Table(domains, Domain("s", ("x",)), codes, np.ones((size, 1), dtype=np.int64))
    release = Release(Parts.of(table), Groups.from_labels(np.arange(size) // 2), GENERALIZED)
    below = And((Comparison(0, "<", Point(10, 10, 9.5)), Comparison(2, "<=", Point(20, 21, 20.0))))
    counts = answer_groups(release.actual, release.estimated, below, (1, 0))
    # Pairs (0, 1), (2, 3) ... (8, 9), whose c is from 14 i to 14 i + 7; 20 cuts the second one.
    expected = {}
    for pair in range(5):
        inside = sum(c <= 20 for c in range(14 * pair, 14 * pair + 8)) / 8
        for b in (2 * pair, 2 * pair + 1):
            for a in (2 * pair, 2 * pair + 1):
                expected[b, a] = 2 * inside / 4
    held = {key: share for key, share in expected.items() if share}
    rows = [tuple(row) for row in counts.codes.tolist()]
    assert rows == sorted(held)
    assert counts.estimate.tolist() == pytest.approx([held[row] for row in rows])
    assert counts.actual.tolist() == [float(a == b and 7 * a <= 20) for b, a in rows]
    whole = answer_groups(release.actual, release.estimated, EVERYTHING, (2, 1, 0))
    assert len(whole.codes) == size // 2 * 2 * 2 * 8
    assert whole.estimate.sum() == pytest.approx(size)


def test_grouping_sets() -> None:
    a, b, c = (0,), (1,), (2,)
    assert sorted(cube([a, b])) == [(), (0,), (0, 1), (1,)]
    assert len(cube([a, b, c])) == 8
    assert rollup([a, b, c]) == [(0, 1, 2), (0, 1), (0,), ()]
    assert rollup([(0, 1), c]) == [(0, 1, 2), (0, 1), ()]
    assert cross([[a], rollup([b]), [(), c]]) == [(0, 1), (0, 1, 2), (0,), (0, 2)]
    assert cross([[a], [(1, 0)]]) == [(0, 1)]  # grouped by once
    assert cross([]) == [()]


def test_budgets_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    cube([(place,) for place in range(12)])
    with pytest.raises(TooLarge, match="more than 4096 grouping sets"):
        cube([(place,) for place in range(13)])
    with pytest.raises(TooLarge, match="more than 4096 grouping sets"):
        cross([[()] * 64, [()] * 65])
    assert len(cross([[()] * 64, [()] * 64])) == 4096
    # Refused before they are made: a list of them grows with the square of its length.
    assert len(rollup([()] * 4095)) == 4096
    with pytest.raises(TooLarge, match="more than 4096 grouping sets"):
        rollup([()] * 1_000_000)
    assert together([[(0,)], [(), (1,)]]) == [(0,), (), (1,)]
    assert len(together([[()]] * 4096)) == 4096
    with pytest.raises(TooLarge, match="more than 4096 grouping sets"):
        together([()] * 4096 for _ in iter(int, 1))
    release = one_group([20, 60], 1.0)
    monkeypatch.setattr(tally, "_KEYS", 3)
    with pytest.raises(TooLarge, match="grouping by age, illness has more than 3 keys"):
        answer_groups(release.actual, release.estimated, EVERYTHING, (0, 1))
    # In two parts, neither of which is too many.
    either = Or((Comparison(0, "=", Point(0, 1, 20.0)), Comparison(1, "=", Point(0, 1))))
    assert len(release.estimated.by_key(either, (0, 1))[1]) == 3
    monkeypatch.setattr(tally, "_KEYS", 2)
    with pytest.raises(TooLarge, match="grouping by age, illness has more than 2 keys"):
        release.estimated.by_key(either, (0, 1))
