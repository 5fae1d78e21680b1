"""The benchmarks' own table, and that they run."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from bench.__main__ import app
from bench.priors import measure_many_values, measure_priors, measure_unique_cells
from studies.cells import count_cells
from studies.census import ADULT_RECORDS, census
from studies.houses import HOUSES, houses
from tests.conftest import Connection, Database


def test_the_census_is_shaped_like_adult() -> None:
    source = census(ADULT_RECORDS, seed=1)
    sizes = [len(set(column.values)) for column in source.columns.values()]
    assert sizes == [74, 7, 16, 7, 5, 2, 14]
    columns = [source.columns[name].values for name in source.quasi_identifiers]
    assert len(set(zip(*columns, strict=True))) == pytest.approx(12_546, rel=0.05)
    for attribute, hierarchy in source.hierarchies.items():
        assert {path[0] for path in hierarchy} >= set(source.columns[attribute].values)


def test_houses_are_shaped_like_those_of_california() -> None:
    source = houses(HOUSES, seed=1)
    numbers = {
        name: np.array(source.columns[name].values, dtype=float)
        for name in source.quasi_identifiers
    }
    # Nearly every block is a cell of its own, and counts have long tails.
    assert len(set(zip(*numbers.values(), strict=True))) > 0.99 * HOUSES
    for name, median in {
        "rooms": 2_127,
        "bedrooms": 435,
        "population": 1_166,
        "households": 409,
    }.items():
        assert np.median(numbers[name]) == pytest.approx(median, rel=0.05)
        assert numbers[name].max() > 12 * median
    assert np.quantile(numbers["income"], [0.25, 0.5, 0.75]) == pytest.approx(
        [2.56, 3.53, 4.74], rel=0.05
    )
    values = np.array([int(value.split()[-1]) for value in source.columns["value"].values])
    assert sorted(set(values.tolist())) == list(range(0, 501, 50))
    assert (values.mean(), values.std()) == pytest.approx((207 - 25, 115), rel=0.15)
    assert np.corrcoef(values, numbers["income"])[0, 1] == pytest.approx(0.69, abs=0.05)


def test_cells_are_counted() -> None:
    source = census(300, seed=1)
    table = count_cells(source)
    names = (*source.quasi_identifiers, source.sensitive)
    records = Counter(zip(*(map(str, source.columns[name].values) for name in names), strict=True))
    counted = {
        tuple(
            domain.labels[code]
            for domain, code in zip(table.domains, (*table.codes[cell], value), strict=True)
        ): int(table.counts[cell, value])
        for cell, value in zip(*table.counts.nonzero(), strict=True)
    }
    assert counted == records
    assert [domain.hierarchy is not None for domain in table.domains] == [False] + [True] * 6


def test_priors_agree() -> None:
    figures = measure_priors(census(500, seed=1), rounds=1)
    assert figures[0].ratio is not None


def test_priors_of_many_values_agree() -> None:
    # More than the baseline has a matrix for.
    figures = measure_many_values(6_000, rounds=1)
    assert [figure.ratio is not None for figure in figures] == [True, True, False] * 2 + [False]


def test_priors_of_unique_cells_agree() -> None:
    # More postcodes than the baseline has a matrix for.
    figures = measure_unique_cells(12_000, rounds=1)
    assert [figure.ratio is not None for figure in figures] == [True, True, False] * 2


@pytest.mark.extended
def test_benchmarks_run_and_clean_up(database: Database, db: Connection) -> None:
    result = CliRunner().invoke(
        app,
        [
            *("--uri", database.uri(), "--large", "600", "--small", "300", "--rounds", "1"),
            *("--buckets", "3000", "--values", "300", "--records", "1500"),
            *("--residents", "1000", "--people", "300"),
            *("--many-blocks", "600", "--admissions", "300"),
            *("--patients", "150", "--weeks", "2", "--crowd", "200"),
            *("--months", "3"),
        ],
        env={"ADULT": ""},
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"publish, 3 adversaries, auto +[\d.]+ s", result.output)
    assert re.search(r"priors of 300 dates, B = 0.3 +[\d.]+ s", result.output)
    assert re.search(r"certified, \d+ cells +[\d.]+ s +omega", result.output)
    assert re.search(r"publish, 10 times over, auto +[\d.]+ s", result.output)
    for name in ("census", "hospital"):
        assert re.search(rf"certified skyline, {name} +[\d.]+ s", result.output)
    assert len(re.findall(r"certifying +[\d.]+ s +audit [\d.]+ s +[\d.]+", result.output)) == 2
    assert len(re.findall(r"improving +[\d.]+ s +audit [\d.]+ s +[\d.]+", result.output)) == 2
    for policy in ("k = 5, census", "skyline, census"):
        figure = rf"agglomerate, {policy} +[\d.]+ s +mondrian [\d.]+ s +[\d.]+"
        assert re.search(figure, result.output)
    assert len(re.findall(r"detail lost \(GCP\) +0\.\d+ +0\.\d+ +[\d.]+", result.output)) == 5
    for method in ("k_anonymity_primacy", "beta_likeness_primacy", "microaggregate"):
        assert re.search(rf"{method}, census +[\d.]+ s +k [\d.]+ s +[\d.]+", result.output)
    assert re.search(r"worst case of 3,000 buckets +[\d.]+ s", result.output)
    assert re.search(r"optimal channels, EMGRW +[\d.]+ s +full matrix [\d.]+ s", result.output)
    assert re.search(r"a week of 150 by js_reduce +[\d.]+ s +k [\d.]+ s", result.output)
    assert re.search(r"last weeks, first with a past +[\d.]+ s +[\d.]+ s", result.output)
    assert re.search(r"a week of 200 +[\d.]+ s +pro rata [\d.]+ s", result.output)
    assert re.search(r"the same certified together +[\d.]+ s +afresh [\d.]+ s", result.output)
    assert re.search(r"3 growing months, 300 people +[\d.]+ s +afresh [\d.]+ s", result.output)
    assert re.search(r"two months judged together +[\d.]+ s +audit [\d.]+ s", result.output)
    tried = r"12 policies tried, census +[\d.]+ s +published [\d.]+ s +[\d.]+"
    assert re.search(tried, result.output)
    assert re.search(r"processor +[\d.]+ s +singly [\d.]+ s +[\d.]+", result.output)
    assert re.search(r"steps of a publication +1,800 records", result.output)
    assert re.search(r"counting +[\d.]+ s +GROUP BY [\d.]+ s", result.output)
    assert re.search(r"writing +[\d.]+ s +INSERT [\d.]+ s", result.output)
    assert db.execute("SELECT to_regnamespace('bench')::text").fetchone() == (None,)
    assert db.execute("SELECT count(*) FROM bkpriv.dataset").fetchone() == (0,)
