"""Posteriors: golden figures, and against listing all worlds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import exact as exact_module
from bkpriv_core.belief.posterior import (
    ADDITIVE,
    EXACT_STATES,
    additive_posterior,
    bethe_posterior,
    exact_posterior,
    omega_posterior,
    posterior,
)
from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core import oracles
from tests.core.oracles import Belief
from tests.core.strategies import MANY, SOME, as_array, as_groups, beliefs
from tests.core.watching import Cancelled, Watched, cancelling

Prior = list[Fraction]


# --- Golden figures (Li, Li, Zhang 2009, tables II and III; values: HIV, none) ------------

TABLE_2 = np.array([[0.05, 0.95], [0.05, 0.95], [0.3, 0.7]])
TABLE_3 = np.array([[0.0, 1.0], [0.0, 1.0], [0.3, 0.7]])
RELEASED = np.array([1, 2])


@pytest.mark.parametrize(
    ("infer", "prior", "figure", "rounded"),
    [
        # .95 * .95 * .3 of that + 2 * .95 * .05 * .7; the paper rounds to .8.
        (exact_posterior, TABLE_2, 0.27075 / 0.33725, 0.8028),
        # Equation 5.
        (omega_posterior, TABLE_2, 0.75 / (0.75 + 1.4 / 2.6), 0.5821),
        # Neither t1 nor t2 can have HIV, so t3 has it.
        (exact_posterior, TABLE_3, 1.0, 1.0),
        # Section III-D: omega understates; the paper rounds to .66.
        (omega_posterior, TABLE_3, 1 / (1 + 1.4 / 2.7), 0.6585),
    ],
)
def test_tables_2_and_3(infer: Any, prior: FloatArray, figure: float, rounded: float) -> None:
    belief = infer(prior, RELEASED)
    assert belief[2, 0] == pytest.approx(figure, abs=1e-12)
    assert belief[2, 0] == pytest.approx(rounded, abs=5e-5)
    if infer is exact_posterior:
        np.testing.assert_allclose(belief[:2, 0], (1 - figure) / 2, atol=1e-12)


# Riboni, Pareschi, Bettini 2012, tables 3 and 4: Alice and Carol, BCM-pos, PNE-pos and the rest.
TABLE_4 = np.array([[0.31, 0.05, 0.64], [0.02, 0.31, 0.67]])


def test_table_4_additive_and_exact() -> None:
    # Sums weigh .31 + .31 against .05 + .02, products .31 * .31 against .05 * .02.
    released = np.array([1, 1, 0])
    belief = additive_posterior(TABLE_4, released)
    np.testing.assert_allclose(belief[:, 0], [0.62 / 0.69, 0.07 / 0.69], atol=1e-12)
    assert exact_posterior(TABLE_4, released)[0, 0] == pytest.approx(0.0961 / 0.0971, abs=1e-12)


# --- One group of records -------------------------------------------------------------------------


@st.composite
def groups_of_records(
    draw: st.DrawFn, *, max_records: int = 6, max_values: int = 4, positive: bool = False
) -> tuple[list[Prior], list[int]]:
    """Priors of some records and the codes of their values."""
    size = draw(st.integers(1, max_records))
    values = draw(st.integers(1, max_values))
    prior = [draw(beliefs(values, positive=positive)) for _ in range(size)]
    secrets = draw(st.lists(st.integers(0, values - 1), min_size=size, max_size=size))
    return prior, secrets


def counted(secrets: Sequence[int], values: int) -> IntArray:
    return np.bincount(secrets, minlength=values).astype(np.int64)


@MANY
@given(groups_of_records())
def test_exact_lists_all_worlds(drawn: tuple[list[Prior], list[int]]) -> None:
    prior, secrets = drawn
    counts = counted(secrets, len(prior[0]))
    expected = oracles.exact_posterior(prior, secrets)
    if expected is None:
        with pytest.raises(ContradictoryKnowledge):
            exact_posterior(as_array(prior), counts)
        return
    np.testing.assert_allclose(
        exact_posterior(as_array(prior), counts), as_array(expected), atol=1e-12
    )


@pytest.mark.parametrize(
    "secrets",
    [
        [0, 1, 2, 3, 4, 5, 6, 7],  # 40320 worlds
        [0, 0, 0, 0, 1, 1, 1, 1],  # 70 worlds; two values of four
        [0, 0, 0, 0, 0, 0, 0, 2],
        [1, 1, 2, 2, 3, 3, 0, 0],
    ],
)
def test_exact_lists_all_worlds_of_eight_records(secrets: list[int]) -> None:
    random = np.random.default_rng(sum(secrets))
    values = max(secrets) + 1
    parts = random.integers(1, 9, size=(8, values)).tolist()
    prior = [[Fraction(part, sum(row)) for part in row] for row in parts]
    expected = oracles.exact_posterior(prior, secrets)
    assert expected is not None
    belief = exact_posterior(as_array(prior), counted(secrets, values))
    np.testing.assert_allclose(belief, as_array(expected), atol=1e-12)


@SOME
@given(groups_of_records(positive=True))
def test_the_oracles_agree(drawn: tuple[list[Prior], list[int]]) -> None:
    prior, secrets = drawn
    counts = tuple(counted(secrets, len(prior[0])).tolist())
    assert oracles.exact_posterior(prior, secrets) == oracles.posterior_by_equation_3(prior, counts)


@SOME
@given(groups_of_records(max_records=14, max_values=3, positive=True))
def test_exact_is_equation_3(drawn: tuple[list[Prior], list[int]]) -> None:
    prior, secrets = drawn
    counts = counted(secrets, len(prior[0]))
    expected = oracles.posterior_by_equation_3(prior, tuple(counts.tolist()))
    belief = exact_posterior(as_array(prior), counts)
    np.testing.assert_allclose(belief, as_array(expected), atol=1e-12)


@MANY
@given(groups_of_records())
def test_omega_is_equation_5_for_each_record(drawn: tuple[list[Prior], list[int]]) -> None:
    prior, secrets = drawn
    counts = counted(secrets, len(prior[0]))
    expected = oracles.omega_posterior(prior, secrets)
    # Equation 5 may give an estimate where no world is possible.
    if expected is None or oracles.exact_posterior(prior, secrets) is None:
        with pytest.raises(ContradictoryKnowledge):
            omega_posterior(as_array(prior), counts)
        return
    belief = omega_posterior(as_array(prior), counts)
    np.testing.assert_allclose(belief, as_array(expected), atol=1e-12)


@MANY
@given(groups_of_records(max_records=7))
def test_additive_is_the_sum_over_all_configurations(
    drawn: tuple[list[Prior], list[int]],
) -> None:
    prior, secrets = drawn
    counts = counted(secrets, len(prior[0]))
    expected = oracles.additive_posterior(prior, secrets)
    if expected is None or oracles.exact_posterior(prior, secrets) is None:
        with pytest.raises(ContradictoryKnowledge):
            additive_posterior(as_array(prior), counts)
        return
    belief = additive_posterior(as_array(prior), counts)
    np.testing.assert_allclose(belief, as_array(expected), atol=1e-12)


@SOME
@given(groups_of_records(max_records=6, positive=True), st.data())
def test_additive_treats_records_of_a_part_as_it_treats_each(
    drawn: tuple[list[Prior], list[int]], data: st.DataObject
) -> None:
    prior, secrets = drawn
    times = [data.draw(st.integers(1, 3)) for _ in prior]
    held = np.zeros((len(prior), len(prior[0])), dtype=np.int64)
    apart, values = [], []
    for part, number in enumerate(times):
        for _ in range(number):
            values.append(data.draw(st.sampled_from(secrets)))
            held[part, values[-1]] += 1
            apart.append(prior[part])
    together = posterior(Groups.whole(len(prior)), held, (as_array(prior),), "additive")
    assert together.used.tolist() == [ADDITIVE]
    singly = additive_posterior(as_array(apart), counted(values, len(prior[0])))
    np.testing.assert_allclose(np.repeat(together.beliefs[0], times, axis=0), singly, atol=1e-12)


@MANY
@given(groups_of_records(max_records=12, positive=True))
def test_rows_sum_to_1_and_exact_columns_to_the_counts(
    drawn: tuple[list[Prior], list[int]],
) -> None:
    prior, secrets = drawn
    counts = counted(secrets, len(prior[0]))
    exact, omega = (infer(as_array(prior), counts) for infer in (exact_posterior, omega_posterior))
    for belief in (exact, omega):
        assert (belief >= 0).all()
        assert (belief[:, counts == 0] == 0).all()
        np.testing.assert_allclose(belief.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(exact.sum(axis=0), counts, atol=1e-9)


@MANY
@given(groups_of_records(max_records=8, positive=True), st.data())
def test_orders_of_records_and_values_do_not_matter(
    drawn: tuple[list[Prior], list[int]], data: st.DataObject
) -> None:
    prior, secrets = as_array(drawn[0]), drawn[1]
    counts = counted(secrets, prior.shape[1])
    records = np.array(data.draw(st.permutations(range(len(prior)))))
    values = np.array(data.draw(st.permutations(range(prior.shape[1]))))
    for infer in (exact_posterior, omega_posterior):
        belief = infer(prior, counts)
        moved = infer(prior[records][:, values], counts[values])
        np.testing.assert_allclose(moved, belief[records][:, values], atol=1e-12)


@given(st.integers(1, 8), beliefs(3, positive=True), st.data())
def test_equal_priors_leave_the_shares_of_the_group(
    size: int, prior: Belief, data: st.DataObject
) -> None:
    # The random-world assumption: here exact and omega agree.
    secrets = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    counts = counted(secrets, 3)
    for infer in (exact_posterior, omega_posterior):
        belief = infer(as_array([prior] * size), counts)
        np.testing.assert_allclose(belief, [counts / size] * size, atol=1e-12)


def test_inputs_are_left_alone() -> None:
    prior, counts = TABLE_2.copy(), RELEASED.copy()
    exact_posterior(prior, counts)
    omega_posterior(prior, counts)
    np.testing.assert_array_equal(prior, TABLE_2)
    np.testing.assert_array_equal(counts, RELEASED)


# --- Budgets --------------------------------------------------------------------------------------


def one_record_per_cell(size: int) -> tuple[IntArray, FloatArray]:
    """As many values as cells, so that either way there are ``2 ** size`` states."""
    random = np.random.default_rng(size)
    return np.eye(size, dtype=np.int64), random.dirichlet(np.ones(size), size)


def test_exact_refuses_what_is_too_large() -> None:
    counts, prior = one_record_per_cell(26)
    assert EXACT_STATES < 2**26
    groups = as_groups([[3, 4], list(range(26))])
    with pytest.raises(TooLarge, match="group 1") as caught:
        posterior(groups, counts, (prior,), "exact")
    assert "6.71e+07 states" in caught.value.detail
    assert f"at most {EXACT_STATES}" in caught.value.detail
    assert "1 groups are too large" in caught.value.detail
    assert "auto" in caught.value.hint
    with pytest.raises(TooLarge):
        exact_posterior(prior, np.ones(26, dtype=np.int64))


def test_exact_refuses_more_states_than_any_number() -> None:
    counts, prior = one_record_per_cell(1100)
    with pytest.raises(TooLarge):
        posterior(Groups.whole(1100), counts, (prior,), "exact")


def test_progress_rises_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "_CALLS", 0.0)  # nothing is hosted
    counts, prior = one_record_per_cell(6)
    shares: list[float] = []
    groups = as_groups([[0, 1], [2], [3, 4, 5], [1, 2]])
    posterior(groups, counts, (prior,), "exact", progress=Watched(report=shares.append))
    # 4, 2, 8 and 4 states; the two of four go together.
    assert shares == sorted(shares)
    assert shares == pytest.approx([2 / 18, 10 / 18, 1.0])


@pytest.mark.parametrize("calls", [0.0, 20.0, 1e9])
def test_who_hosts_whom_does_not_change_beliefs(
    monkeypatch: pytest.MonkeyPatch, calls: float
) -> None:
    """Groups of all sizes and capacities, of few parts and of many, are inferred one by one."""
    random = np.random.default_rng(7)
    counts = random.multinomial(1, np.full(5, 0.2), 60) * random.integers(1, 3, (60, 1))
    priors = tuple(random.dirichlet(np.ones(5), 60) for _ in range(2))
    ends = np.cumsum([1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3])
    groups = Groups(random.permutation(60)[: ends[-1]], np.concatenate(([0], ends)))
    monkeypatch.setattr(exact_module, "_CALLS", calls)
    together = posterior(groups, counts, priors, "exact")
    for place in range(len(groups)):
        alone = posterior(groups.select(np.array([place])), counts, priors, "exact")
        for belief, own in zip(together.beliefs, alone.beliefs, strict=True):
            np.testing.assert_allclose(belief[groups.owner == place], own, atol=1e-12)


def test_polling_can_cancel() -> None:
    counts, prior = one_record_per_cell(4)
    for estimator in ("exact", "bethe", "omega", "auto"):
        with pytest.raises(Cancelled):
            posterior(Groups.whole(4), counts, (prior,), estimator, progress=cancelling())


# --- Validation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("infer", [exact_posterior, bethe_posterior, omega_posterior])
@pytest.mark.parametrize(
    ("prior", "counts", "words", "detail"),
    [
        ([0.5, 0.5], [1, 1], "records x values", "2 and 2"),
        ([[0.5, 0.5]], [[1, 0]], "one per value", "1 x 2 and 1 x 2"),
        ([[0.5, 0.5]], [1, 0, 0], "one per value", "1 x 2 and 3"),
        ([[]], [], "records x values", "1 x 0 and 0"),
        ([[1.5, -0.5]], [1, 0], "negative", "-0.5 to 1.5"),
        ([[float("nan"), 1.0]], [1, 0], "non-finite", "nan"),
        ([[0.5, 0.5], [0.5, 0.4]], [1, 1], "record 2 does not sum to 1", "0.9"),
        ([[0.5, 0.5]], [2, -1], "non-negative", "1 records"),
        ([[0.5, 0.5]], [1, 1], "sum to the number of records", "sum to 2"),
    ],
)
def test_bad_arguments_are_named(
    infer: object, prior: list[float], counts: list[int], words: str, detail: str
) -> None:
    with pytest.raises(InvalidParameter, match=words) as caught:
        infer(np.array(prior, dtype=float), np.array(counts, dtype=np.int64))  # type: ignore[operator]
    assert detail in caught.value.detail
    assert caught.value.hint
