"""Contradictions: seen by every estimator, and named by group and by value or part."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import contradiction as contradiction_module
from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.contradiction import contradictory
from bkpriv_core.belief.posterior import (
    Asked,
    Estimator,
    additive_posterior,
    bethe_posterior,
    exact_posterior,
    omega_posterior,
    posterior,
)
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core import oracles
from tests.core.strategies import MANY, as_array, as_groups, beliefs
from tests.core.watching import Watched

ESTIMATORS: tuple[Asked, ...] = get_args(Asked)


def refusal(
    groups: Groups, counts: IntArray, priors: tuple[FloatArray, ...], estimator: Estimator
) -> ContradictoryKnowledge:
    with pytest.raises(ContradictoryKnowledge) as caught:
        posterior(groups, counts, priors, estimator)
    assert "probability 0" in caught.value.detail
    assert caught.value.hint
    return caught.value


@pytest.fixture(params=[0, 10**6], ids=["beyond the budget", "within the budget"], autouse=True)
def _budget(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether `auto` and `bethe` may infer exactly must not matter."""
    monkeypatch.setattr(posterior_module, "AUTO_STATES", request.param)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_value_that_nobody_may_have(estimator: Estimator) -> None:
    counts = np.array([[1, 0], [0, 1], [1, 0]])
    possible, impossible = np.full((3, 2), 0.5), np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    groups = as_groups([[0, 1], [2], [1], [2, 1], [2]])
    error = refusal(groups, counts, (possible, impossible), estimator)
    assert error.message == "the prior contradicts the release in group 1: value 0"
    assert "all but 0 of the group's 1 records" in error.detail
    assert (error.group, error.value, error.part) == (1, 0, None)
    posterior(groups, counts, (possible,), estimator)
    posterior(groups.select(np.array([0, 2, 3])), counts, (possible, impossible), estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_value_that_occurs_more_often_than_it_may(estimator: Estimator) -> None:
    # Two records of the second part may have the third value, which occurs three times.
    counts = np.array([[1, 0, 2], [0, 1, 1]])
    prior = np.array([[0.5, 0.5, 0.0], [0.3, 0.3, 0.4]])
    error = refusal(as_groups([[0, 1]]), counts, (prior,), estimator)
    assert (error.group, error.value, error.part) == (0, 2, None)
    assert "occurs 3 times" in error.detail
    assert "all but 2 of the group's 5 records" in error.detail


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_part_that_may_have_no_value_of_its_group(estimator: Estimator) -> None:
    # Values 0 and 1 suit the other two records, but nothing suits the record of part 2.
    counts = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])
    prior = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    groups = as_groups([[0, 1], [2, 3, 0]])
    error = refusal(groups, counts, (prior,), estimator)
    assert error.message == "the prior contradicts the release in group 1: part 2"
    assert "the group's 3 records" in error.detail
    assert (error.group, error.value, error.part) == (1, None, 2)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_contradiction_of_several_together(estimator: Estimator) -> None:
    # Three records insist on two values that occur once each; the others suit all.
    counts = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    prior = np.array([[0.5, 0.5, 0, 0], [0.2, 0.8, 0, 0], [0.7, 0.3, 0, 0], [0.25] * 4, [0.25] * 4])
    error = refusal(as_groups([[0, 1, 2, 3, 4]]), counts, (prior,), estimator)
    assert error.message == "the prior contradicts the release in group 0"
    assert "No value and no record alone" in error.detail
    assert "its 5 records" in error.detail
    assert (error.group, error.value, error.part) == (0, None, None)


@pytest.mark.parametrize(
    "infer", [exact_posterior, bethe_posterior, omega_posterior, additive_posterior]
)
@pytest.mark.parametrize(
    ("prior", "counts", "fault", "value", "part"),
    [
        ([[1, 0], [1, 0]], [1, 1], ": value 2", 1, None),
        ([[0.5, 0.5, 0], [0, 0, 1], [0.5, 0.5, 0]], [2, 1, 0], ": record 2", None, 1),
        # Each value suits somebody, but the first two records both insist on the first.
        ([[1, 0, 0], [1, 0, 0], [0, 0.5, 0.5]], [1, 1, 1], "", None, None),
    ],
)
def test_records_and_values_of_one_group_count_from_1(
    infer: object,
    prior: list[list[float]],
    counts: list[int],
    fault: str,
    value: int | None,
    part: int | None,
) -> None:
    with pytest.raises(ContradictoryKnowledge) as caught:
        infer(np.array(prior, dtype=float), np.array(counts, dtype=np.int64))  # type: ignore[operator]
    assert caught.value.message == f"the prior contradicts the counts{fault}"
    assert (caught.value.group, caught.value.value, caught.value.part) == (None, value, part)
    assert caught.value.hint


@st.composite
def sparse_groups(draw: st.DrawFn) -> list[tuple[list[int], list[list[int]], list[list[float]]]]:
    """Groups, each of cells with records' values and priors in which zeros are common."""
    drawn = []
    for _ in range(draw(st.integers(1, 3))):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        secrets = [
            draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)) for size in sizes
        ]
        prior = [[float(share) for share in draw(beliefs(4))] for _ in sizes]
        drawn.append((sizes, secrets, prior))
    return drawn


@MANY
@given(
    sparse_groups(),
    st.sampled_from(ESTIMATORS),
    st.sampled_from([1, 10**6]),
)
def test_a_group_without_any_possible_world_is_found(
    drawn: list[tuple[list[int], list[list[int]], list[list[float]]]],
    estimator: Estimator,
    edges: int,
) -> None:
    counts = np.array(
        [np.bincount(held, minlength=4) for _, secrets, _ in drawn for held in secrets]
    )
    prior = as_array([row for *_, rows in drawn for row in rows])
    ends = np.cumsum([len(sizes) for sizes, *_ in drawn])
    groups = as_groups(
        [list(range(end - len(sizes), end)) for end, (sizes, *_) in zip(ends, drawn, strict=True)]
    )
    impossible = []
    for sizes, secrets, rows in drawn:
        by_record = [row for size, row in zip(sizes, rows, strict=True) for _ in range(size)]
        everyone = [value for held in secrets for value in held]
        impossible.append(oracles.exact_posterior(by_record, everyone) is None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contradiction_module, "_CHUNK_EDGES", edges)
        assert contradictory(groups, counts[groups.members], prior).tolist() == impossible
        if any(impossible):
            error = refusal(groups, counts, (prior,), estimator)
            assert error.group == impossible.index(True)
            named_rightly(error, groups, counts, prior)
        else:
            posterior(groups, counts, (prior,), estimator)


def named_rightly(
    error: ContradictoryKnowledge, groups: Groups, counts: IntArray, prior: FloatArray
) -> None:
    """A value that occurs too often goes before a part without choice, and that before neither."""
    assert error.group is not None
    parts = groups[error.group].tolist()
    occurs = [sum(int(counts[part, value]) for part in parts) for value in range(4)]
    may_have = [
        sum(int(counts[part].sum()) for part in parts if prior[part, value]) for value in range(4)
    ]
    lacking = [value for value in range(4) if occurs[value] > may_have[value]]
    stuck = [part for part in parts if not any(occurs[v] and prior[part, v] for v in range(4))]
    assert error.value == (lacking[0] if lacking else None)
    assert error.part == (stuck[0] if stuck and not lacking else None)


def test_no_flow_is_sought_where_every_true_value_is_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Partitioning asks omega about many groups, and the table's own priors rule out no true value.
    def refuse(*_: object) -> None:
        raise AssertionError("a flow")

    counts = np.array([[1, 0, 1], [0, 1, 0], [2, 0, 0]])
    prior = np.array([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    monkeypatch.setattr(contradiction_module, "contradictory", refuse)
    posterior(Groups.whole(3), counts, (prior,), "omega")
    with pytest.raises(AssertionError, match="a flow"):
        posterior(Groups.whole(3), counts[::-1].copy(), (prior,), "omega")


def test_flows_of_many_groups_are_polled() -> None:
    calls: list[None] = []
    counts = np.eye(4, dtype=np.int64)
    groups = as_groups([[0, 1], [2, 3]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contradiction_module, "_CHUNK_EDGES", 8)
        contradictory(groups, counts, np.full((4, 4), 0.25), Watched(lambda: calls.append(None)))
    assert len(calls) == 2


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_only_tried_is_no_error(estimator: Estimator) -> None:
    counts = np.array([[1, 0], [0, 1], [1, 0]])
    priors = np.full((3, 2), 0.5), np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    groups = as_groups([[0, 1], [2], [1], [2, 1], [2]])
    inferred = posterior(groups, counts, priors, estimator, refuse=False)
    assert inferred.contradicted.tolist() == [[False] * 5, [False, True, False, False, True]]
    kept = np.array([0, 2, 3])
    rows = np.isin(groups.owner, kept)
    alone = posterior(groups.select(kept), counts, priors, estimator)
    assert not alone.contradicted.any()
    for belief, expected in zip(inferred.beliefs, alone.beliefs, strict=True):
        np.testing.assert_allclose(belief[rows], expected, atol=1e-12)
    np.testing.assert_array_equal(inferred.beliefs[1][~rows], priors[1][groups.members[~rows]])
