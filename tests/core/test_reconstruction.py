"""Counts reconstructed from distorted records, against whole matrices and over many draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query import tally as tally_module
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.predicate import EVERYTHING, And, Comparison, Or, Point
from bkpriv_core.query.workload import draw_workload
from bkpriv_core.randomization import grid as grid_module
from bkpriv_core.randomization import likelihood as likelihood_module
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.randomized import tally as randomized_tally
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.randomized.reconstruction import find_attributes, reconstruct
from bkpriv_core.release.randomized.tally import RandomizedTally
from bkpriv_core.release.release import Release
from bkpriv_core.release.rewriting import fragment
from bkpriv_core.release.rewriting.fragment import ShownColumn
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import reconstruction_oracles
from tests.core.oracles import Attribute, Value
from tests.core.query_strategies import as_predicate, cases, conditions
from tests.core.strategies import MANY, SOME
from tests.core.watching import Watched

SHARES = (Fraction(1, 4), Fraction(2, 3), Fraction(9, 10), Fraction(1))
"""Places of retentions between one that tells nothing, 0, and one that tells everything, 1."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A randomized release, and the same in plain values."""

    attributes: tuple[Attribute, ...]
    retentions: tuple[Fraction, ...]
    rows: list[tuple[Value, ...]]
    release: Release


@st.composite
def randomized(draw: st.DrawFn, max_attributes: int = 2) -> Shown:
    """A small table, and records that may have been drawn from it."""
    case = draw(cases(max_attributes=max_attributes, suppress=False))
    retentions = []
    for attribute in case.attributes:
        least = Fraction(1, len(attribute.values))
        retentions.append(least + (1 - least) * draw(st.sampled_from(SHARES)))
    rows = [
        tuple(
            value if retention == 1 else draw(st.sampled_from(attribute.values))
            for value, attribute, retention in zip(row, case.attributes, retentions, strict=True)
        )
        for row in case.records.rows
    ]
    codes = np.array(
        [
            [item.values.index(value) for item, value in zip(case.attributes, row, strict=True)]
            for row in rows
        ]
    )
    first, _, counts = distinct_rows(codes)
    channels = tuple(
        Channel(len(attribute.values), float(retention))
        for attribute, retention in zip(case.attributes, retentions, strict=True)
    )
    form = Randomized(channels, Drawn(codes[first], counts))
    release = Release(case.release.parts, None, form)
    return Shown(case.attributes, tuple(retentions), rows, release)


def tally_of(release: Release) -> RandomizedTally:
    tally = release.estimated
    assert isinstance(tally, RandomizedTally)
    return tally


def some_keys(data: st.DataObject, shown: Shown, most: int = 3) -> list[int]:
    keys = st.sampled_from(range(len(shown.attributes)))
    return data.draw(st.lists(keys, unique=True, max_size=most))


# --- Without bias ---------------------------------------------------------------------------------


@MANY
@given(randomized(), st.data())
def test_estimates_and_errors_by_whole_matrices(shown: Shown, data: st.DataObject) -> None:
    condition = data.draw(conditions(shown.attributes))
    keys = some_keys(data, shown)
    expected = reconstruction_oracles.reconstructed(
        shown.attributes, shown.retentions, shown.rows, condition, keys
    )
    found = tally_of(shown.release).estimate(as_predicate(condition, shown.attributes), keys)
    assert found.codes.tolist() == sorted(found.codes.tolist())
    told = {
        tuple(shown.attributes[key].values[code] for key, code in zip(keys, row, strict=True)): (
            count,
            error,
        )
        for row, count, error in zip(found.codes.tolist(), found.counts, found.errors, strict=True)
    }
    assert len(told) == len(found.counts)
    assert bool(keys) or len(told) == 1
    for key, (estimate, variance) in expected.items():
        count, error = told.pop(key, (0.0, 0.0))
        assert count == pytest.approx(float(estimate), rel=1e-9, abs=1e-9)
        assert error**2 == pytest.approx(max(0.0, float(variance)), rel=1e-9, abs=1e-9)
    assert not told


@SOME
@given(randomized(), st.data())
def test_workloads_are_answered_query_by_query(shown: Shown, data: st.DataObject) -> None:
    domains = shown.release.domains
    if any(domain.labels == (None,) for domain in domains):
        return
    dimensions = data.draw(st.integers(1, len(domains) - 1))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    workload = draw_workload(domains, 20, dimensions, 0.3, random)
    answers = tally_of(shown.release).answer(workload)
    for query, answer in enumerate(answers.tolist()):
        _, (count,) = tally_of(shown.release).by_key(workload.predicate(query))
        assert answer == pytest.approx(count, rel=1e-9, abs=1e-9)


SIZES, RETENTIONS = (3, 4, 5), (0.7, 0.5, 0.6)


def table_of(codes: np.ndarray, sizes: Sequence[int]) -> Table:
    """A table of numbers; records are rows of codes."""
    domains = tuple(
        Domain(f"x{place}", tuple(map(str, range(size))), np.arange(size, dtype=float))
        for place, size in enumerate(sizes)
    )
    ones = np.ones(len(codes), dtype=np.int64)
    return Table.from_rows(domains[:-1], domains[-1], codes, ones)[0]


def dependent(records: int, sizes: Sequence[int]) -> Table:
    """A table whose attributes depend on one another."""
    random = np.random.default_rng(1)
    first = (random.random(records) ** 2 * sizes[0]).astype(np.int64)
    columns = [first]
    for size in sizes[1:]:
        noise = random.integers(0, 2, records)
        columns.append((columns[-1] + noise + (random.random(records) < 0.2)) % size)
    return table_of(np.column_stack(columns), sizes)


def test_over_400_draws_estimates_are_unbiased_and_errors_are_right() -> None:
    table = dependent(3000, SIZES)
    channels = tuple(map(Channel, SIZES, RETENTIONS))
    condition = Or((Comparison(0, "=", Point(0, 1)), Comparison(1, ">", Point(1, 2))))
    actual = Release(Parts.of(table), None, Randomized()).actual
    truth = np.concatenate(
        (
            actual.tabulate(EVERYTHING, (0, 2)).ravel(),
            actual.tabulate(EVERYTHING, (1,)).ravel(),
            actual.tabulate(condition).ravel(),
        )
    )
    counts, errors, covered = [], [], []
    for seed in range(400):
        drawn = draw(table, channels, SeededChance(seed))
        tally = RandomizedTally(table.domains, channels, drawn)
        found = [
            tally.estimate(EVERYTHING, (0, 2)),
            tally.estimate(EVERYTHING, (1,)),
            tally.estimate(condition),
        ]
        counts.append(np.concatenate([item.counts for item in found]))
        errors.append(np.concatenate([item.errors for item in found]))
        low, high = np.hstack([item.interval for item in found])
        covered.append((low <= truth) & (truth <= high))
    estimates, spread = np.array(counts), np.std(counts, axis=0)
    assert estimates.shape == (400, 15 + 4 + 1)
    assert (np.abs(estimates.mean(axis=0) - truth) <= 4 * spread / 20).all()
    assert np.mean(errors, axis=0) == pytest.approx(spread, rel=0.15)
    assert 0.93 <= np.mean(covered) <= 0.97
    # Of a single estimate, four standard errors of such a share.
    assert (np.abs(np.mean(covered, axis=0) - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / 400)).all()


def test_what_is_kept_is_counted_as_it_is() -> None:
    table = dependent(200, SIZES)
    channels = (Channel(3, 1.0), Channel(4, 0.5), Channel(5, 1.0))
    drawn = draw(table, channels, SeededChance(1))
    tally = RandomizedTally(table.domains, channels, drawn)
    actual = Release(Parts.of(table), None, Randomized()).actual
    found = tally.estimate(EVERYTHING, (2, 0))
    codes, counts = actual.by_key(EVERYTHING, (2, 0))
    assert found.codes.tolist() == codes.tolist()  # Others have no record for sure.
    assert found.counts.tolist() == counts.tolist()
    assert not found.errors.any()


def test_everything_is_known() -> None:
    table = dependent(50, SIZES)
    channels = tuple(map(Channel, SIZES, RETENTIONS))
    tally = RandomizedTally(table.domains, channels, draw(table, channels, SeededChance(1)))
    found = tally.estimate(EVERYTHING)
    assert (found.counts.tolist(), found.errors.tolist()) == ([50.0], [0.0])
    both = Or((Comparison(0, "<", Point(1, 2)), Comparison(0, ">=", Point(1, 2))))
    found = tally.estimate(both)
    assert found.counts == pytest.approx([50])
    assert found.errors == pytest.approx([0], abs=1e-6)


# --- Maximum likelihood ---------------------------------------------------------------------------


def likelihood(counts: FloatArray, seen: FloatArray, matrix: FloatArray, each: float) -> float:
    used = seen > 0
    told = float(seen[used] @ np.log(matrix[used] @ counts))
    return told + (each * float(np.log(counts).sum()) if each else 0.0)


def check_likeliest(shown: Shown, keys: Sequence[int]) -> None:
    """Hold the likeliest counts against what a general method finds."""
    attributes = [shown.attributes[key] for key in keys]
    retentions = [shown.retentions[key] for key in keys]
    rows = [[row[key] for key in keys] for row in shown.rows]
    theirs, seen, matrix = reconstruction_oracles.likeliest(attributes, retentions, rows)
    found = reconstruct(shown.release, keys, "maximum_likelihood")
    mine = np.zeros([len(attribute.values) for attribute in attributes])
    mine[tuple(found.codes.T)] = found.counts
    assert (mine >= 0).all()
    assert mine.sum() == pytest.approx(len(shown.rows))
    assert np.isnan(found.errors).all()
    best = likelihood(theirs, seen, matrix, 0)
    assert likelihood(mine.ravel(), seen, matrix, 0) >= best - 2e-4
    # What is expected to be shown is unique; counts need not be.
    used = seen > 0
    assert matrix[used] @ mine.ravel() == pytest.approx(
        matrix[used] @ theirs, abs=0.02 * len(shown.rows)
    )


@SOME
@given(randomized(max_attributes=1), st.data())
def test_no_counts_are_likelier(shown: Shown, data: st.DataObject) -> None:
    keys = some_keys(data, shown, 2) or [0]
    if prod(len(shown.attributes[key].values) for key in keys) <= 12:
        check_likeliest(shown, keys)


@pytest.mark.parametrize("retentions", [(0.7, 0.5, 0.6), (1.0, 0.5, 1.0), (0.4, 0.9, 1.0)])
def test_the_likeliest_counts_are_those_of_a_general_method(
    retentions: tuple[float, ...],
) -> None:
    table = dependent(2000, SIZES)
    channels = tuple(map(Channel, SIZES, retentions))
    drawn = draw(table, channels, SeededChance(3))
    attributes = tuple(Attribute(domain.name, domain.labels) for domain in table.domains)
    rows = [tuple(map(str, row)) for row in np.repeat(drawn.codes, drawn.counts, axis=0).tolist()]
    exact = tuple(Fraction(retention) for retention in retentions)
    release = Release(Parts.of(table), None, Randomized(channels, drawn))
    for keys in combinations(range(3), 2):
        theirs, _, _ = reconstruction_oracles.likeliest(
            [attributes[key] for key in keys],
            [exact[key] for key in keys],
            [tuple(row[key] for key in keys) for row in rows],
        )
        found = reconstruct(release, keys, "maximum_likelihood")
        mine = np.zeros([SIZES[key] for key in keys])
        mine[tuple(found.codes.T)] = found.counts
        assert mine.ravel() == pytest.approx(theirs, abs=1.0)


def test_likeliest_counts_are_unbiased_ones_where_these_are_positive() -> None:
    table = dependent(5000, (2, 3))
    channels = (Channel(2, 0.9), Channel(3, 0.8))
    release = Release(
        Parts.of(table), None, Randomized(channels, draw(table, channels, SeededChance(5)))
    )
    free = reconstruct(release, [0, 1])
    assert (free.counts > 0).all()
    assert reconstruct(release, [0, 1], "maximum_likelihood").counts == pytest.approx(
        free.counts, abs=1
    )


def test_where_rows_are_told_apart_each_is_likeliest_by_itself() -> None:
    table = dependent(1500, SIZES)
    channels = (Channel(3, 1.0), Channel(4, 0.5), Channel(5, 0.8))
    drawn = draw(table, channels, SeededChance(2))
    release = Release(Parts.of(table), None, Randomized(channels, drawn))
    found = reconstruct(release, [1, 0], "maximum_likelihood")
    for value in range(3):
        of_value = drawn.codes[:, 0] == value
        part = Drawn(drawn.codes[of_value][:, [0, 1, 2]], drawn.counts[of_value])
        alone = replace(release, form=Randomized(channels, part))
        expected = reconstruct(alone, [1], "maximum_likelihood")
        mine = found.counts[found.codes[:, 1] == value]
        assert mine == pytest.approx(expected.counts, abs=0.5)
        assert mine.sum() == pytest.approx(part.records)


# --- Refusals -------------------------------------------------------------------------------------


def release_of(records: int = 60) -> Release:
    table = dependent(records, SIZES)
    channels = tuple(map(Channel, SIZES, RETENTIONS))
    return Release(
        Parts.of(table), None, Randomized(channels, draw(table, channels, SeededChance(1)))
    )


@pytest.mark.parametrize("estimator", ["unbiased", "maximum_likelihood"])
def test_a_grid_too_large_names_its_attributes(
    estimator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid_module, "_PLACES", 59)
    release = release_of()
    assert len(reconstruct(release, [1, 2], estimator).counts) == 20
    with pytest.raises(TooLarge, match="have 60 combinations") as caught:
        reconstruct(release, [0, 1, 2], estimator)
    assert '"x2" (5), "x1" (4), "x0" (3)' in caught.value.detail


def test_too_many_keys_and_too_long_a_statement_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = release_of()
    columns = [ShownColumn(f"r.x{place}", "integer") for place in range(3)]

    def rewrite(*keys: int) -> str:
        query = Query(Comparison(0, "<", Point(2, 2)), (keys,))
        return release.form.rewrite(release, query, {"records": "shown"}, columns)

    with monkeypatch.context() as patched:
        patched.setattr(tally_module, "_KEYS", 40)
        rewrite(0, 1, 2)  # Two of the three values of x0 may meet the condition.
        for estimator in ("unbiased", "maximum_likelihood"):
            with pytest.raises(TooLarge, match="grouping by x0, x1, x2 has more than 40 keys"):
                reconstruct(release, [0, 1, 2], estimator)
        patched.setattr(tally_module, "_KEYS", 39)
        with pytest.raises(TooLarge, match="grouping by x0, x1, x2 has more than 39 keys"):
            rewrite(0, 1, 2)
    monkeypatch.setattr(fragment, "_LONGEST", 100)
    with pytest.raises(TooLarge, match="too long as SQL"):
        rewrite(1)


def test_counts_by_keys_that_a_condition_tells_apart_end(monkeypatch: pytest.MonkeyPatch) -> None:
    release = release_of()
    told_apart = Or(tuple(Comparison(0, "=", Point(code, code + 1)) for code in range(3)))
    polls: list[int] = []

    def count(progress: Progress = SILENT) -> None:
        release.form.tally(release).by_key(told_apart, (0, 1), progress)

    count(Watched(poll=lambda: polls.append(1)))
    assert len(polls) >= 3
    monkeypatch.setattr(randomized_tally, "_WORK", 10)
    with pytest.raises(TooLarge, match="too many values of x0, x1 apart"):
        count()


def test_a_likelihood_that_takes_too_many_steps_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likelihood_module, "_STEPS", 3)
    with pytest.raises(TooLarge, match="not found in 3 steps"):
        reconstruct(release_of(), [0, 1], "maximum_likelihood")


def test_a_leap_that_goes_astray_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    release = release_of(500)
    expected = reconstruct(release, [0, 1], "maximum_likelihood")

    def astray(problem: object, counts: FloatArray, once: FloatArray, twice: FloatArray) -> object:
        return twice[::-1]

    monkeypatch.setattr(likelihood_module._Problem, "_leap", astray)
    found = reconstruct(release, [0, 1], "maximum_likelihood")
    assert found.counts == pytest.approx(expected.counts, abs=0.2)


def test_the_likelihood_can_be_cancelled() -> None:
    polls: list[None] = []
    watched = Watched(lambda: polls.append(None))
    reconstruct(release_of(), [0, 1], "maximum_likelihood", watched)
    assert len(polls) > 10


def test_attributes_are_found_by_name() -> None:
    release = release_of()
    assert find_attributes(release, ["x2", "x0"]) == [2, 0]
    assert find_attributes(release, []) == []
    with pytest.raises(InvalidParameter, match='no attribute "x3"'):
        find_attributes(release, ["x3"])
    with pytest.raises(InvalidParameter, match='"x1" is given twice'):
        find_attributes(release, ["x1", "x0", "x1"])


def test_other_estimates_and_other_releases_are_refused() -> None:
    release = release_of()
    with pytest.raises(InvalidParameter, match="no estimator 'omega'"):
        reconstruct(release, [0], "omega")
    whole = Release(release.parts, Groups.whole(len(release.parts)), Bucketized())
    with pytest.raises(InvalidParameter, match="the release is bucketized, not randomized"):
        reconstruct(whole, [0])
    with pytest.raises(InvalidParameter, match="the release is bucketized, not randomized"):
        find_attributes(whole, ["x0"])


def test_a_condition_that_does_not_factor_is_weighed_as_well() -> None:
    release = release_of(2000)
    either = Or((Comparison(0, "=", Point(0, 1)), Comparison(1, "=", Point(0, 1))))
    both = And((Comparison(0, "=", Point(0, 1)), Comparison(1, "=", Point(0, 1))))
    tally = tally_of(release)
    parts = [tally.estimate(part).counts[0] for part in (*either.parts, both)]
    assert tally.estimate(either).counts[0] == pytest.approx(parts[0] + parts[1] - parts[2])
