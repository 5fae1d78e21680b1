"""Speed of priors, against products over pairs of occupied cells.

The baseline is what one writes in numpy for lack of a better idea, and writes well: the kernel
weight of every pair of occupied cells, times the counts, in blocks of rows that fit the cache.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bench.figure import Figure, alternate
from bkpriv_client.source import Column, Hierarchy, Source
from bkpriv_core.belief.prior import kernel_prior
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from studies.cells import count_cells

__all__ = ["measure_many_values", "measure_priors", "measure_unique_cells"]

_Floats = npt.NDArray[np.float64]

_BANDWIDTH = 0.3
_WIDE = 1.5
_BLOCK = 32
_TABLED = 5_000
_SHARE = 20
_FEWER = 1_000
_TOLERANCE = 1e-12
_TARGET = 10
"""Pairs grow with the square of the cells: of 20,000 unique ones they take 14 times as long."""


def measure_priors(source: Source, rounds: int) -> list[Figure]:
    """Measure the prior of one adversary.

    Raises:
        AssertionError: If the two ways do not agree.
    """
    table = count_cells(source)
    ours, baseline, difference = _compare(table, _BANDWIDTH, rounds)
    return [
        Figure(
            f"priors of {table.cells:,} cells, B = {_BANDWIDTH}",
            f"{ours:.3f} s",
            f"by pairs {baseline:.2f} s",
            baseline / ours,
            f"{_TARGET} times faster",
            baseline >= _TARGET * ours,
        ),
        Figure("    largest difference", f"{difference:.0e}", "", None, "1e-12", True),
    ]


def measure_many_values(values: int, rounds: int) -> list[Figure]:
    """Measure priors where a numeric quasi-identifier has that many values, as birth dates have.

    Pairs are weighed for one cell in 20 only, and that time taken 20 times.

    Raises:
        AssertionError: If the two ways do not agree about those cells.
    """
    table = count_cells(_births(values))
    figures = []
    for bandwidth in (_BANDWIDTH, _WIDE):
        ours, part, difference = _compare(table, bandwidth, rounds, every=_SHARE)
        baseline = _SHARE * part
        figures += [
            Figure(
                f"priors of {values:,} dates, B = {bandwidth}",
                f"{ours:.2f} s",
                f"by pairs {baseline:.0f} s",
                baseline / ours,
                f"{_TARGET} times faster",
                baseline >= _TARGET * ours,
            ),
            Figure("    by pairs was", "", f"{part:.2f} s for a {_SHARE}th", _SHARE),
            Figure("    largest difference", f"{difference:.0e}", "", None, "1e-12", True),
        ]
    return [*figures, Figure("    cells", f"{table.cells:,}", "")]


def measure_unique_cells(people: int, rounds: int) -> list[Figure]:
    """Measure priors where hardly two people have the same quasi-identifiers.

    Pairs are weighed for one cell in 1,000 only, and that time taken 1,000 times.

    Raises:
        AssertionError: If the two ways do not agree about those cells.
    """
    table = count_cells(_residents(people))
    figures = []
    for bandwidth in (_BANDWIDTH, _WIDE):
        ours, part, difference = _compare(table, bandwidth, rounds, every=_FEWER)
        baseline = _FEWER * part
        figures += [
            Figure(
                f"priors of {table.cells:,} nearly unique cells, B = {bandwidth}",
                f"{ours:.2f} s",
                f"by pairs {baseline:.0f} s",
                baseline / ours,
                f"{_TARGET} times faster",
                baseline >= _TARGET * ours,
            ),
            Figure("    by pairs was", "", f"{part:.2f} s for a {_FEWER}th", _FEWER),
            Figure("    largest difference", f"{difference:.0e}", "", None, "1e-12", True),
        ]
    return figures


def _compare(
    table: Table, bandwidth: float, rounds: int, every: int = 1
) -> tuple[float, float, float]:
    """Seconds of priors and of the baseline for one cell of so many; the largest difference."""
    fast = kernel_prior(table, bandwidth)[::every]
    slow = _pairwise_prior(table, bandwidth, every)
    difference = float(np.abs(fast - slow).max())
    if difference > _TOLERANCE:
        raise AssertionError(f"priors differ by {difference}")
    ours, baseline = alternate(
        rounds,
        lambda: kernel_prior(table, bandwidth),
        lambda: _pairwise_prior(table, bandwidth, every),
    )
    return ours, baseline, difference


def _pairwise_prior(table: Table, bandwidth: float, every: int) -> _Floats:
    """Nadaraya-Watson averages with Epanechnikov weights, by pairs of cells, for some of them."""
    counts = table.counts.astype(np.float64)
    some = np.arange(0, table.cells, every)
    weighers = [
        _weigher(attribute, table.codes[:, axis].copy(), bandwidth)
        for axis, attribute in enumerate(table.quasi_identifiers)
    ]
    blocks = []
    for start in range(0, len(some), _BLOCK):
        weights = np.ones((1, 1))
        for weigh in weighers:
            weights = weights * weigh(some[start : start + _BLOCK])
        blocks.append(weights @ counts)
    numerator = np.concatenate(blocks)
    prior: _Floats = numerator / numerator.sum(axis=1, keepdims=True)
    return prior


def _weigher(
    attribute: Domain, codes: npt.NDArray[np.int64], bandwidth: float
) -> Callable[[npt.NDArray[np.int64]], _Floats]:
    """Weights between some cells and all in one attribute: by a matrix, if it is not too large."""
    if attribute.positions is None and attribute.size > _TABLED:
        paths = attribute.nodes[:-1]
        steps = np.arange(attribute.height + 1) / attribute.height / bandwidth
        by_height = np.where(steps < 1, 1 - steps**2, 0)
        return lambda cells: by_height[
            sum((level[codes[cells]][:, None] != level[codes]).astype(np.int8) for level in paths)
        ]
    if attribute.positions is None or attribute.size <= _TABLED:
        scaled = attribute.distances / bandwidth
        kernel = np.where(scaled < 1, 1 - scaled**2, 0)
        return lambda cells: np.take(kernel[codes[cells]], codes, axis=1)
    places = attribute.positions[codes] / (np.ptp(attribute.positions) * bandwidth)
    return lambda cells: np.maximum(0, 1 - np.subtract.outer(places[cells], places) ** 2)


def _births(values: int) -> Source:
    """Draw people: every one of so many days of birth, half of them once more, sex and city."""
    random = np.random.default_rng(values)
    days = np.append(np.arange(values), random.integers(0, values, values // 2))
    drawn = {"sex": 2, "city": 20, "illness": 10}
    columns = {"born": Column("integer", days.tolist())}
    for name, size in drawn.items():
        codes = random.integers(0, size, len(days)).tolist()
        columns[name] = Column("text", [f"{name} {code:02}" for code in codes])
    *quasi_identifiers, sensitive = columns
    return Source("births", "births", columns, tuple(quasi_identifiers), sensitive)


def _residents(people: int) -> Source:
    """Draw people: date of birth, postcode with its prefixes, sex, occupation in two levels."""
    random = np.random.default_rng(people)
    born = random.triangular(0, 14_000, 30_000, people).astype(np.int64)
    postcodes = np.minimum(30_000 * random.beta(1.2, 1.6, people), 29_999).astype(np.int64)
    occupations = np.minimum(random.geometric(0.012, people) - 1, 349)
    columns = {
        "born": Column("integer", born.tolist()),
        "postcode": Column("text", [f"{code:05}" for code in postcodes.tolist()]),
        "sex": Column("text", np.array(["f", "m"])[random.integers(0, 2, people)].tolist()),
        "occupation": Column("text", [f"{code:03}" for code in occupations.tolist()]),
        "illness": Column(
            "text", [f"illness {code}" for code in np.minimum(random.geometric(0.25, people), 10)]
        ),
    }
    prefixes = [f"{code:05}" for code in range(30_000)]
    hierarchies: dict[str, Hierarchy] = {
        "postcode": [(code, *(code[:kept] for kept in (4, 3, 2, 1)), "*") for code in prefixes],
        "occupation": [
            (f"{code:03}", f"minor {code // 10}", f"major {code // 50}", "*") for code in range(350)
        ],
    }
    *quasi_identifiers, sensitive = columns
    return Source(
        "residents", "residents", columns, tuple(quasi_identifiers), sensitive, hierarchies
    )
