"""Posteriors of groups of cells, for several adversaries, against listing all worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import exact as exact_module
from bkpriv_core.belief.posterior import (
    exact_states,
    posterior,
)
from bkpriv_core.table.groups import FloatArray, IntArray
from tests.core import oracles
from tests.core.oracles import Belief
from tests.core.strategies import MANY, SOME, as_array, as_groups, beliefs

Prior = list[Fraction]
Cells = list[tuple[list[int], list[Prior]]]
"""Codes of the values of each cell's records, and one prior for each adversary."""


@st.composite
def cells_and_groups(draw: st.DrawFn, *, adversaries: int = 2) -> tuple[Cells, list[list[int]]]:
    """Cells of one to three records, and candidate groups of them that may share cells."""
    values = draw(st.integers(1, 4))
    cells = []
    for _ in range(draw(st.integers(1, 5))):
        secrets = draw(st.lists(st.integers(0, values - 1), min_size=1, max_size=3))
        cells.append((secrets, [draw(beliefs(values, positive=True)) for _ in range(adversaries)]))
    group = st.lists(st.integers(0, len(cells) - 1), min_size=1, max_size=3, unique=True)
    return cells, draw(st.lists(group, min_size=1, max_size=4))


def as_counts(cells: Cells) -> IntArray:
    values = len(cells[0][1][0])
    return np.array([np.bincount(secrets, minlength=values) for secrets, _ in cells])


def as_priors(cells: Cells) -> tuple[FloatArray, ...]:
    return tuple(
        as_array([prior[adversary] for _, prior in cells]) for adversary in range(len(cells[0][1]))
    )


def expected_beliefs(
    cells: Cells, lists: list[list[int]], adversary: int, estimator: str
) -> FloatArray:
    """Expected beliefs about the first record of each membership."""
    infer = {"exact": oracles.exact_posterior, "omega": oracles.omega_posterior}[estimator]
    rows: list[Belief] = []
    for group in lists:
        secrets = [value for cell in group for value in cells[cell][0]]
        prior = [cells[cell][1][adversary] for cell in group for _ in cells[cell][0]]
        belief = infer(prior, secrets)
        assert belief is not None
        start = 0
        for cell in group:
            rows.append(belief[start])
            start += len(cells[cell][0])
    return as_array(rows)


@MANY
@given(cells_and_groups())
def test_groups_of_cells_for_several_adversaries(drawn: tuple[Cells, list[list[int]]]) -> None:
    cells, lists = drawn
    groups, counts, priors = as_groups(lists), as_counts(cells), as_priors(cells)
    for estimator in ("exact", "omega"):
        inferred = posterior(groups, counts, priors, estimator)
        assert inferred.exact.tolist() == [estimator == "exact"] * len(lists)
        assert len(inferred.beliefs) == len(priors)
        for adversary, belief in enumerate(inferred.beliefs):
            expected = expected_beliefs(cells, lists, adversary, estimator)
            np.testing.assert_allclose(belief, expected, atol=1e-12)
    auto = posterior(groups, counts, priors, "auto")
    assert auto.exact.all()
    for mine, yours in zip(
        auto.beliefs, posterior(groups, counts, priors, "exact").beliefs, strict=True
    ):
        np.testing.assert_array_equal(mine, yours)


@SOME
@given(cells_and_groups(adversaries=1))
def test_record_weighted_columns_are_the_histogram(drawn: tuple[Cells, list[list[int]]]) -> None:
    cells, lists = drawn
    groups, counts = as_groups(lists), as_counts(cells)
    (belief,) = posterior(groups, counts, as_priors(cells), "exact").beliefs
    weights = counts[groups.members].sum(axis=1)
    np.testing.assert_allclose(
        groups.sum(belief * weights[:, None]), groups.sum(counts[groups.members]), atol=1e-9
    )


def random_cells(secrets: list[list[int]], values: int, seed: int) -> Cells:
    random = np.random.default_rng(seed)
    parts = random.integers(1, 9, size=(len(secrets), values)).tolist()
    return [
        (held, [[Fraction(part, sum(row)) for part in row]])
        for held, row in zip(secrets, parts, strict=True)
    ]


@pytest.mark.parametrize(
    ("secrets", "placed"),
    [
        # Two cells, many values: 5 * 4 states by cells, 2 ** 7 by values.
        ([[0, 1, 2, 3], [4, 5, 6]], "values"),
        ([[0, 1, 2, 0], [3, 4, 4]], "values"),
        ([[2, 1, 0, 3, 4]], "values"),
        # Many cells, two values: 2 ** 7 states by cells, 5 * 4 by values.
        ([[0], [1], [0], [1], [0], [1], [0]], "records"),
        ([[0, 0], [1], [2, 2], [0], [0]], "records"),
    ],
)
def test_records_or_values_as_items(
    secrets: list[list[int]], placed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = random_cells(secrets, 7, seed=len(secrets))
    taken: list[str] = []
    for name in ("records", "values"):
        place = getattr(exact_module._Inference, f"place_{name}")

        def spy(*arguments: object, name: str = name, place: object = place) -> None:
            taken.append(name)
            place(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(exact_module._Inference, f"place_{name}", spy)
    everything = [list(range(len(cells)))]
    inferred = posterior(as_groups(everything), as_counts(cells), as_priors(cells), "exact")
    assert taken == [placed]
    expected = expected_beliefs(cells, everything, 0, "exact")
    np.testing.assert_allclose(inferred.beliefs[0], expected, atol=1e-12)


def test_many_groups_of_both_kinds_at_once() -> None:
    # Groups of equal capacities are placed together though their values and cells differ in order.
    random = np.random.default_rng(5)
    secrets = [random.integers(0, 4, size=size).tolist() for size in [1, 1, 2, 1, 3, 1, 1, 2] * 6]
    cells = random_cells(secrets, 4, seed=6)
    lists = [
        random.choice(len(cells), size=size, replace=False).tolist()
        for size in random.integers(1, 5, size=80)
    ]
    inferred = posterior(as_groups(lists), as_counts(cells), as_priors(cells), "exact")
    for row, group in enumerate(lists):
        counts = tuple(as_counts(cells)[group].sum(axis=0).tolist())
        prior = [cells[cell][1][0] for cell in group for _ in cells[cell][0]]
        by_record = oracles.posterior_by_equation_3(prior, counts)
        first = np.cumsum([0, *(len(cells[cell][0]) for cell in group[:-1])])
        span = slice(*as_groups(lists).offsets[row : row + 2])
        np.testing.assert_allclose(
            inferred.beliefs[0][span], as_array([by_record[place] for place in first]), atol=1e-12
        )


def test_no_groups() -> None:
    inferred = posterior(as_groups([]), np.ones((2, 3), dtype=np.int64), (np.full((2, 3), 1 / 3),))
    assert inferred.beliefs[0].shape == (0, 3)
    assert inferred.exact.shape == inferred.used.shape == (0,)


@SOME
@given(cells_and_groups(adversaries=1))
def test_exact_states_are_those_of_the_cheaper_order(drawn: tuple[Cells, list[list[int]]]) -> None:
    cells, lists = drawn
    expected = []
    for group in lists:
        secrets = [value for cell in group for value in cells[cell][0]]
        by_value = by_cell = 1
        for value in set(secrets):
            by_value *= secrets.count(value) + 1
        for cell in group:
            by_cell *= len(cells[cell][0]) + 1
        expected.append(min(by_value, by_cell))
    groups, counts = as_groups(lists), as_counts(cells)
    held = counts[groups.members]
    assert exact_states(groups, held.sum(axis=1), groups.sum(held)).tolist() == expected
