"""Lower bounds of the loss of k-anonymous releases, against the best of all partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table
from bkpriv_core.utility import least
from bkpriv_core.utility.least import gcp_at_least, least_gcp, prices, shares
from bkpriv_core.utility.measures import utility
from tests.core.generated import hierarchical_table, numeric_table
from tests.core.loss_oracles import least_loss
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_table, tables
from tests.core.watching import Watched

SMALL: dict[str, object] = {"_BLOCK": 2, "_ABREAST": 1}

LIMITS: tuple[dict[str, object], ...] = (
    {},
    SMALL,
    {**SMALL, "_NEAR": (2, 2, 2)},
    {**SMALL, "_NEAR": (3, 3, 3), "_COMPARED": 5},
    {"_THIRDS": (2, 2)},
    {"_NEAR": (4, 4, 4), "_THIRDS": (3, 3), "_RAISED": 2},
)
"""Limits that are not reached, and such as small tables reach."""


@contextmanager
def limited(limits: Mapping[str, object]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(least, name, value)
        yield


@MANY
@given(tables(min_records=2, max_records=8), st.integers(2, 4), st.data())
def test_no_partition_loses_less(records: Records, k: int, data: st.DataObject) -> None:
    suppressed = data.draw(st.integers(0, 2))
    best = least_loss(records, k, suppressed)
    table = as_table(records)
    with limited(data.draw(st.sampled_from(LIMITS))):
        if len(records.rows) - suppressed < k:
            with pytest.raises(InvalidParameter, match="no group"):
                least_gcp(table, k, suppressed)
            return
        assert best is not None
        found = least_gcp(table, k, suppressed)
        assert 0.0 <= found <= float(best) / (len(records.rows) - suppressed) + 1e-9
        if not suppressed:
            for each in (prices(table, k), shares(table, k)):
                assert each @ table.weights <= float(best) + 1e-9


def naive_prices(table: Table, k: int) -> FloatArray:
    """Prices alone, of record by record."""
    places = np.repeat(table.places, table.weights, axis=0)
    kth = []
    for one in places:
        price = []
        for other in places:
            low = np.minimum(np.minimum(one, other), places)
            high = np.maximum(np.maximum(one, other), places)
            price.append(np.sort(table.penalty(low, high))[k - 1])
        kth.append(sorted(price)[k - 1])
    return np.array(kth)


@pytest.mark.parametrize("k", [2, 6])
@pytest.mark.parametrize(
    "table",
    [numeric_table(50, 1, nulls=0.05), hierarchical_table(70, 2, nulls=0.05)],
    ids=["numeric", "hierarchical"],
)
def test_prices_are_those_of_records(table: Table, k: int) -> None:
    expected = naive_prices(table, k)
    with limited({"_NEAR": (200, 200, 200), "_THIRDS": (200, 200)}):
        found = np.repeat(prices(table, k), table.weights)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    # What is not looked at only lowers them.
    for limits in LIMITS:
        with limited(limits):
            lower = np.repeat(prices(table, k), table.weights)
        assert (lower <= expected + 1e-12).all()


@MANY
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 20), st.integers(1, 3)), max_size=4),
    st.integers(2, 4),
    st.integers(0, 9),
    st.data(),
)
def test_room_is_that_of_the_tightest_group(
    others: list[tuple[int, int, int]], k: int, own: int, data: st.DataObject
) -> None:
    records = data.draw(st.integers(1, k - 1))
    others.sort()
    room = np.inf
    for taken in product(range(1, records + 1), *(range(each[2] + 1) for each in others)):
        mine, *counts = taken
        if k <= sum(taken) < 2 * k:
            penalty = max(each[0] for each, count in zip(others, counts, strict=True) if count)
            shares = sum(each[1] * count for each, count in zip(others, counts, strict=True))
            room = min(room, (sum(taken) * penalty - shares) / mine - own)
    price, share, weights = np.array(others, dtype=np.int64).reshape(-1, 3).T
    found = least._room(price.astype(float), share.astype(float), weights, k, own, records)
    assert found == pytest.approx(room)


def first_columns(table: Table, columns: int) -> Table:
    """Records by their first quasi-identifiers only."""
    codes = np.column_stack((table.codes[:, :columns], np.zeros(table.cells, dtype=np.int64)))
    domains = table.quasi_identifiers[:columns]
    return Table.from_rows(domains, Domain("s", ("s",)), codes, table.weights)[0]


@pytest.mark.parametrize(
    "table",
    [
        first_columns(numeric_table(1_500, 1, nulls=0.05), 3),
        hierarchical_table(1_500, 2, nulls=0.05),
    ],
    ids=["numeric", "hierarchical"],
)
def test_blocks_that_are_left_out_change_nothing(table: Table) -> None:
    one, other = (
        _sought(table, limits) for limits in ({"_BLOCK": 16, "_ABREAST": 1}, {"_BLOCK": 10_000})
    )
    np.testing.assert_allclose(one[0], other[0], atol=1e-12)
    assert one[1] < other[1]
    assert one[2] > 20


def _sought(table: Table, limits: Mapping[str, object]) -> tuple[FloatArray, int, int]:
    """Penalties with near cells, how many pairs were compared, and polls."""
    compared: list[int] = []
    polls: list[None] = []
    of_two = least._Boxes.of_two

    def counted(boxes: least._Boxes, some: IntArray, others: IntArray) -> FloatArray:
        compared.append(len(some) * len(others))
        return of_two(boxes, some, others)

    with limited({**limits, "_NEAR": (20, 20, 20)}), pytest.MonkeyPatch.context() as patch:
        patch.setattr(least._Boxes, "of_two", counted)
        watching = Watched(lambda: polls.append(None))
        near = least._find_near(table, 4, least._Boxes(table), watching)
    np.testing.assert_array_equal(near.reach, near.apart[:, -1])
    return near.apart[np.argsort(near.cells)], sum(compared), len(polls)


def test_who_is_not_compared_counts_nothing() -> None:
    table = numeric_table(700, 1, nulls=0.05)
    with limited({"_BLOCK": 16, "_ABREAST": 1}):
        found = shares(table, 4)
    assert (found > 0).all()
    with limited({"_BLOCK": 16, "_ABREAST": 1, "_COMPARED": 100_000}):
        some = shares(table, 4)
    assert 0.05 < (some > 0).mean() < 0.9
    # Those who lie apart come first.
    assert found[some > 0].mean() > found.mean()


@pytest.mark.parametrize("method", ["mondrian", "agglomerate"])
@pytest.mark.parametrize("k", [3, 7])
def test_bounds_are_near_what_is_published(method: str, k: int) -> None:
    """Shares are far above prices, and no release is below them."""
    for table in (numeric_table(400, 3), hierarchical_table(600, 4)):
        requirements = parse_policy({"k_anonymity": {"k": k}}).requirements
        made = GROUP_METHODS[method]
        release, _ = made.certified(
            Job(Setting(table), requirements, made.options(), SeededChance(1), SILENT)
        )
        lost = utility(release)["gcp"] or 0.0
        alone = float(prices(table, k) @ table.weights) / table.records
        assert 1.05 * alone < least_gcp(table, k) <= lost
        assert lost < 4 * least_gcp(table, k)


def test_no_release_is_below_its_own_bound() -> None:
    """Nor is one whose groups are smaller than its policy states; counterfeits have no bound."""
    table = numeric_table(400, 3)
    mild, strict = (parse_policy({"k_anonymity": {"k": k}}).requirements for k in (3, 7))
    made = GROUP_METHODS["agglomerate"]
    release, _ = made.certified(Job(Setting(table), mild, made.options(), SeededChance(1), SILENT))
    lost = utility(release)["gcp"] or 0.0
    assert least_gcp(table, 7) > lost
    for requirements in (mild, strict):
        (bound,) = gcp_at_least([(release, requirements)])
        assert bound is not None
        assert 0 < bound <= lost
    false = np.zeros_like(release.parts.counts)
    false[0, 0] = 1
    assert gcp_at_least([(replace(release, parts=release.parts.shown(false)), mild)]) == [None]


def test_bounds_of_several_releases_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares are found once for a table and a k, whoever read it; not where penalties differ."""
    known = least._known
    asked: list[int] = []

    def counted(table: Table, k: int, *given: object) -> object:
        asked.append(k)
        return known(table, k, *given)  # type: ignore[arg-type]

    table = numeric_table(120, 3)
    again = Table(
        tuple(replace(domain) for domain in table.quasi_identifiers),
        table.sensitive,
        table.codes.copy(),
        table.counts.copy(),
    )
    first = table.quasi_identifiers[0]
    assert first.positions is not None
    stretched = replace(first, positions=np.where(first.positions > 0, 2, 1) * first.positions)
    other = replace(again, quasi_identifiers=(stretched, *again.quasi_identifiers[1:]))
    made = GROUP_METHODS["agglomerate"]
    several: list[tuple[Release, Sequence[Requirement]]] = []
    for each, k in ((table, 3), (again, 3), (table, 5), (other, 3), (again, 5)):
        requirements = parse_policy({"k_anonymity": {"k": k}}).requirements
        job = Job(Setting(each), requirements, made.options(), SeededChance(1), SILENT)
        release, _ = made.certified(job)
        if k == 5:
            some = np.arange(len(several) // 2, len(release.groups))
            release = Release(release.parts, release.groups.select(some), release.form)
        several.append((release, requirements))
    expected = [gcp_at_least([one])[0] for one in several]
    monkeypatch.setattr(least, "_known", counted)
    assert gcp_at_least(several) == expected
    assert asked == [3, 5, 3]
    assert expected[0] == expected[1] != expected[3]
    assert expected[2] != expected[4]  # Of as many groups left out as each leaves out.


def line(*numbers: float) -> Table:
    """Records with a number each."""
    labels = tuple(f"{number:g}" for number in numbers)
    place = Domain("place", labels, positions=np.array(numbers, dtype=float))
    counts = np.ones((len(numbers), 1), dtype=np.int64)
    return Table((place,), Domain("s", ("s",)), np.arange(len(numbers))[:, None], counts)


def test_nobody_pays_for_others_who_are_not_known() -> None:
    """Two who lie apart, and are nearer to a pair each than to each other, are best together."""
    table = line(0, 1, 50, 110, 160, 161)
    best = (2 * 1 + 2 * 60 + 2 * 1) / 161 / 6
    assert least_gcp(table, 2) == pytest.approx(best)
    for near, paid in ((3, 51), (4, 60)):
        with limited({"_NEAR": (near, near, near)}):
            assert shares(table, 2)[[2, 3]].max() <= paid / 161 + 1e-9
            assert 0.8 * best < least_gcp(table, 2) <= best + 1e-9


def test_who_reaches_less_is_raised_first() -> None:
    """The third does not know the last, who knows the third and is to see what it pays."""
    table = line(0, 0.5, 15.5, 31.5)
    with limited({"_NEAR": (3, 3, 3)}):
        found = shares(table, 2) * 31.5
    assert found == pytest.approx([0.5, 0.5, 15.5, 2 * 16 - 15.5])


@MANY
@given(
    tables(min_records=7, max_records=8, kinds=("numeric",), max_attributes=2),
    st.integers(2, 3),
    st.integers(2, 5),
)
def test_what_is_not_known_breaks_no_bound(records: Records, k: int, near: int) -> None:
    best = least_loss(records, k)
    assert best is not None
    with limited({**SMALL, "_NEAR": (near, near, near)}):
        assert least_gcp(as_table(records), k) <= float(best) / len(records.rows) + 1e-9


def test_who_lies_apart_spoils_the_group_of_others() -> None:
    """Two pairs, each a hundredth apart, and one far off, whose group at best is of two."""
    table = line(0, 1, 10, 11, 100)
    assert prices(table, 2) == pytest.approx([0.01, 0.01, 0.01, 0.01, 0.89])
    # The one of a pair who joins pays as much, less the own price.
    assert shares(table, 2) == pytest.approx([0.01, 0.01, 0.01, 0.01, 2 * 0.89 - 0.01])
    # The best has the other of the pair with the first two, and costs 2.08.
    assert least_gcp(table, 2) == pytest.approx(1.81 / 5)
    assert least_gcp(table, 2, suppressed=1) == pytest.approx(0.01)
    assert least_gcp(table, 1) == 0.0
    with pytest.raises(InvalidParameter, match="4 published records are no group of 5"):
        least_gcp(table, 5, suppressed=1)
