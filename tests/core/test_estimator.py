"""Estimators: their names, and which of them is used for which group."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.posterior import (
    AUTO_STATES,
    ESTIMATORS,
    Asked,
    Estimator,
    Posterior,
    check_estimator,
    may_understate,
    posterior,
)
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.groups import FloatArray, IntArray
from tests.core.strategies import as_groups


@pytest.mark.parametrize("name", ["", "Exact", "bethel", "omega "])
def test_an_unknown_estimator_is_named(name: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        check_estimator(name)
    assert f'"{name}"' in caught.value.message
    assert "auto, exact, bethe, omega" in caught.value.hint


@pytest.mark.parametrize("name", get_args(Asked))
def test_a_known_estimator_is_returned(name: str) -> None:
    assert check_estimator(name) == name


@pytest.mark.parametrize(
    ("described", "estimated"),
    [
        ("exact", False),
        ("bound", False),
        ("exact, but bound for 2 groups (60 records)", False),
        ("exact, but bound for 1 group (1 person)", False),
        ("exact, but bound for 2 groups (60 records) and bethe for 1 group (9 records)", True),
        ("bound, but omega for 1 group (9 records)", True),
        ("exact, given beliefs by omega", True),
        ("omega", True),
    ],
)
def test_what_may_understate_is_told_from_its_words(described: str, estimated: bool) -> None:
    assert may_understate(described) == estimated


# --- Which one is used ----------------------------------------------------------------------------


def used(inferred: Posterior) -> list[str]:
    return [ESTIMATORS[place] for place in inferred.used]


def one_record_per_cell(size: int) -> tuple[IntArray, FloatArray]:
    """As many values as cells, so that either lattice has ``2 ** size`` states."""
    random = np.random.default_rng(size)
    return np.eye(size, dtype=np.int64), random.dirichlet(np.ones(size), size)


def test_auto_falls_back_to_bethe_and_says_so() -> None:
    counts, prior = one_record_per_cell(20)
    assert AUTO_STATES < 2**20
    groups = as_groups([[3, 4], list(range(20)), [7, 1, 2]])
    inferred = posterior(groups, counts, (prior, prior[::-1].copy()), "auto")
    assert inferred.exact.tolist() == [True, False, True]
    assert used(inferred) == ["exact", "bethe", "exact"]
    alike: tuple[tuple[Estimator, list[int]], ...] = (("exact", [0, 2]), ("bethe", [1]))
    for estimator, chosen in alike:
        part = groups.select(np.array(chosen))
        alone = posterior(part, counts, (prior, prior[::-1].copy()), estimator)
        assert used(alone) == [estimator] * len(chosen)
        members = np.isin(groups.owner, chosen)
        for mine, yours in zip(inferred.beliefs, alone.beliefs, strict=True):
            np.testing.assert_allclose(mine[members], yours, atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "limit", "expected"),
    [
        ("exact", 0, ["exact", "exact"]),
        ("omega", 16, ["omega", "omega"]),
        ("auto", 16, ["exact", "exact"]),
        ("auto", 4, ["exact", "bethe"]),
        ("auto", 3, ["omega", "bethe"]),
        ("bethe", 16, ["exact", "bethe"]),
        ("bethe", 3, ["omega", "bethe"]),
    ],
)
def test_what_does_not_converge_is_inferred_otherwise(
    estimator: Estimator, limit: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Groups of 4 and 16 states. Belief propagation does not converge for two records, unless the
    # prior tells nothing; that suffices for the second adversary, but not for the first.
    monkeypatch.setattr(posterior_module, "AUTO_STATES", limit)
    counts = np.eye(4, dtype=np.int64)
    prior = np.array([[0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.1, 0.2], [0.25] * 4, [0.2, 0.2, 0.3, 0.3]])
    priors = (prior, np.full((4, 4), 0.25))
    groups = as_groups([[0, 1], [0, 1, 2, 3]])
    inferred = posterior(groups, counts, priors, estimator)
    assert used(inferred) == expected
    for name in ("exact", "bethe", "omega"):
        chosen = np.array([place for place, other in enumerate(expected) if other == name], int)
        if chosen.size:
            alone = posterior(groups.select(chosen), counts, priors, name)
            members = np.isin(groups.owner, chosen)
            for mine, yours in zip(inferred.beliefs, alone.beliefs, strict=True):
                np.testing.assert_array_equal(mine[members], yours)


def test_the_budget_of_auto_is_inclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, prior = one_record_per_cell(4)
    groups = as_groups([[0, 1, 2], [0, 1, 2, 3]])
    for limit, expected in ((7, [False, False]), (8, [True, False]), (16, [True, True])):
        monkeypatch.setattr(posterior_module, "AUTO_STATES", limit)
        assert posterior(groups, counts, (prior,), "auto").exact.tolist() == expected
