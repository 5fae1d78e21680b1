"""Joint distributions, their divergences and associations, over the whole grid one by one."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from bkpriv_core.errors import TooLarge
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.release.generalized import joint
from bkpriv_core.utility import divergence
from bkpriv_core.utility.divergence import association, divergences, uncertainty
from tests.core import query_oracles
from tests.core.query_strategies import (
    GENERALIZED,
    Case,
    cases,
    one_group,
    split_cases,
    tabulate,
)
from tests.core.strategies import MANY, SOME
from tests.core.watching import Watched


def compare(case: Case, expected: query_oracles.Joint) -> None:
    """Hold divergences and associations against those over the grid."""
    original = query_oracles.original_joint(case.records)
    measures = divergences(case.release)
    wanted = query_oracles.divergences(original, expected)
    assert measures.keys() == wanted.keys()
    for name, figure in wanted.items():
        # A root of a rounded difference: 1e-16 becomes 1e-8.
        assert measures[name] == pytest.approx(figure, rel=1e-9, abs=1e-7, nan_ok=True)
    if not any(case.groups):
        return
    rows = association(case.release)
    pairs = permutations(range(len(case.attributes)), 2)
    for (one, other, before, after), pair in zip(rows, pairs, strict=True):
        assert (one, other) == pair
        assert before == pytest.approx(
            query_oracles.uncertainty(original, one, other), abs=1e-9, nan_ok=True
        )
        assert after == pytest.approx(
            query_oracles.uncertainty(expected, one, other), abs=1e-9, nan_ok=True
        )


@SOME
@given(cases(max_attributes=3))
def test_generalized(case: Case) -> None:
    expected = query_oracles.generalized_joint(case.records, case.groups)
    compare(case, expected)


@SOME
@given(cases(max_attributes=3))
def test_generalized_in_parts(case: Case) -> None:
    whole = GENERALIZED.joint(case.release)
    calls: list[None] = []
    parts = GENERALIZED.joint(case.release, Watched(lambda: calls.append(None)))
    codes = case.release.table.codes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint, "_ROWS", 1)
        np.testing.assert_allclose(parts.at(codes), whole.at(codes), rtol=1e-12)
        assert len(calls) == len(codes)
        assert parts.square() == pytest.approx(whole.square())
        assert len(calls) == len(codes) + len(case.groups)


@MANY
@given(split_cases())
def test_bucketized(case: Case) -> None:
    everything = ("and", ())
    keys = range(len(case.attributes))
    expected = query_oracles.bucketized_estimates(case.records, case.groups, everything, keys)
    compare(case, expected)


@SOME
@given(cases(suppress=False, kinds=("hierarchical", "flat")))
def test_joint_and_counts_agree_on_labels(case: Case) -> None:
    keys = range(len(case.attributes))
    counts = tabulate(case.release.estimated, EVERYTHING, keys)
    codes = np.argwhere(np.ones(counts.shape[:-1], dtype=bool))
    spread = GENERALIZED.joint(case.release).at(codes).reshape(counts.shape)
    np.testing.assert_allclose(spread, counts, atol=1e-12)


def test_uncertainty_by_hand() -> None:
    # Knowing the column tells the row in half of the records, else leaves one of two.
    assert uncertainty(np.array([[2.0, 1.0], [0.0, 1.0]])) == pytest.approx(
        1 - 0.5 / -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    )
    assert uncertainty(np.eye(3)) == pytest.approx(1.0)
    assert uncertainty(np.ones((2, 3))) == pytest.approx(0.0)
    assert math.isnan(uncertainty(np.ones((1, 3))))
    assert math.isnan(uncertainty(np.zeros((2, 2))))


@pytest.mark.parametrize("limit", ["_WORK", "_PAIRS"])
def test_too_many_pairs_of_values(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(divergence, limit, 0)
    release = one_group([20, 60], 1.0)
    with pytest.raises(TooLarge, match="too many pairs of values"):
        association(release)
