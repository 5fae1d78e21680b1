"""Belief propagation: against a loop over every record and copy of a value, and against exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import bethe as bethe_module
from bkpriv_core.belief.bethe import bethe
from bkpriv_core.belief.exact import exact
from bkpriv_core.belief.posterior import bethe_posterior, omega_posterior, posterior
from bkpriv_core.errors import TooLarge
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core import oracles
from tests.core.oracles import Belief
from tests.core.strategies import MANY, SOME, as_array, beliefs
from tests.core.watching import Cancelled, Watched, cancelling

STEPS = 500


# --- A slow, obvious answer -----------------------------------------------------------------------


def propagation(
    prior: Sequence[Belief], secrets: Sequence[int]
) -> tuple[list[list[float]] | None, float]:
    """Beliefs by messages between each record and each copy of a value; the last step's change.

    Records and copies whose value is certain are taken out first. Beliefs are None where a message
    is no number any more, or where somebody is left without a value.
    """
    values = range(len(prior[0]))
    sure: dict[int, int] = {}
    left = list(secrets)
    while True:
        waiting = [record for record in range(len(prior)) if record not in sure]
        may_have = {
            value: [record for record in waiting if prior[record][value]] for value in set(left)
        }
        settled = {
            record: value
            for value, takers in may_have.items()
            if len(takers) == left.count(value)
            for record in takers
        }
        for record in waiting:
            choices = [value for value in may_have if record in may_have[value]]
            if len(choices) == 1:
                settled.setdefault(record, choices[0])
        if not settled:
            break
        for value in settled.values():
            if value not in left:
                return None, math.inf
            left.remove(value)
        sure |= settled
    if any(len(takers) < left.count(value) for value, takers in may_have.items()):
        return None, math.inf
    rest = [
        {copy: float(prior[record][value]) for copy, value in enumerate(left)} for record in waiting
    ]
    try:
        shares, change = messages([{c: p for c, p in row.items() if p} for row in rest])
    except (ZeroDivisionError, OverflowError):
        return None, math.inf
    rows = []
    for record in range(len(prior)):
        if record in sure:
            rows.append([float(value == sure[record]) for value in values])
        else:
            by_copy = shares[waiting.index(record)]
            rows.append([sum(s for c, s in by_copy.items() if left[c] == v) for v in values])
    return rows, change


def messages(rows: list[dict[int, float]]) -> tuple[list[dict[int, float]], float]:
    """Marginals of the perfect matchings of rows and columns, by belief propagation."""
    edges = [(r, c) for r, row in enumerate(rows) for c in row]
    to_row = dict.fromkeys(edges, 1.0)
    change = 0.0
    for _ in range(STEPS):
        to_column = {
            (r, c): rows[r][c] / sum(p * to_row[r, d] for d, p in rows[r].items() if d != c)
            for r, c in edges
        }
        fresh = {
            (r, c): 1 / sum(to_column[q, c] for q in range(len(rows)) if q != r and c in rows[q])
            for r, c in edges
        }
        damped = {edge: to_row[edge] ** (1 / 8) * fresh[edge] ** (7 / 8) for edge in edges}
        change = max((abs(damped[edge] / to_row[edge] - 1) for edge in edges), default=0.0)
        to_row = damped
        if change < 1e-12:
            break
    shares = []
    for r, row in enumerate(rows):
        weights = {c: p * to_row[r, c] for c, p in row.items()}
        shares.append({c: weight / sum(weights.values()) for c, weight in weights.items()})
    return shares, change


# --- Drawing --------------------------------------------------------------------------------------

Drawn = list[tuple[list[list[int]], list[Belief]]]
"""Values of each cell's records, and each cell's prior, for each group."""


@st.composite
def drawn_groups(draw: st.DrawFn, *, positive: bool = False, most: int = 3) -> Drawn:
    """Groups of a few cells of one to three records."""
    values = draw(st.integers(2, 4))
    drawn: Drawn = []
    for _ in range(draw(st.integers(1, most))):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
        secrets = [
            draw(st.lists(st.integers(0, values - 1), min_size=size, max_size=size))
            for size in sizes
        ]
        drawn.append((secrets, [draw(beliefs(values, positive=positive)) for _ in sizes]))
    return drawn


def arrays(drawn: Drawn) -> tuple[Groups, IntArray, IntArray, FloatArray]:
    """Groups, weights, histograms and priors of memberships."""
    prior = as_array([row for _, rows in drawn for row in rows])
    held = np.array(
        [np.bincount(cell, minlength=prior.shape[1]) for secrets, _ in drawn for cell in secrets]
    )
    offsets = np.cumsum([0, *(len(secrets) for secrets, _ in drawn)]).astype(np.int64)
    groups = Groups(np.arange(len(prior)), offsets)
    return groups, held.sum(axis=1), groups.sum(held), prior


def random_groups(size: int, concentration: float, number: int, seed: int) -> list[FloatArray]:
    """Priors and held values of groups of records with six values, drawn from the priors."""
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.full(6, concentration), size * number)
    drawn = (random.random((len(prior), 1)) > prior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return [prior, np.eye(6, dtype=np.int64)[drawn]]


# --- Against the loop -----------------------------------------------------------------------------


@SOME
@given(st.booleans().flatmap(lambda positive: drawn_groups(positive=positive)))
def test_messages_are_those_between_records_and_copies(drawn: Drawn) -> None:
    groups, weights, histograms, prior = arrays(drawn)
    estimate, converged = bethe(groups, weights, histograms, prior)
    for place, (secrets, rows) in enumerate(drawn):
        by_record = [row for held, row in zip(secrets, rows, strict=True) for _ in held]
        expected, change = propagation(by_record, [value for held in secrets for value in held])
        mine = estimate[groups.offsets[place] : groups.offsets[place + 1]]
        if not converged[place]:
            assert not mine.any()
            assert expected is None or change > 1e-10
            continue
        assert expected is not None
        first = np.cumsum([0, *(len(held) for held in secrets[:-1])])
        np.testing.assert_allclose(mine, np.array(expected)[first], rtol=0, atol=1e-7)


@MANY
@given(drawn_groups())
def test_what_converges_hands_out_the_values(drawn: Drawn) -> None:
    groups, weights, histograms, prior = arrays(drawn)
    estimate, converged = bethe(groups, weights, histograms, prior)
    rest = converged[groups.owner]
    assert (estimate >= 0).all()
    assert not estimate[(prior == 0) | (histograms[groups.owner] == 0)].any()
    np.testing.assert_allclose(estimate[rest].sum(axis=1), 1.0, rtol=0, atol=1e-12)
    columns = groups.sum(weights[:, None] * estimate)
    np.testing.assert_allclose(columns[converged], histograms[converged], rtol=0, atol=1e-6)
    for place, (secrets, rows) in enumerate(drawn):
        by_record = [row for held, row in zip(secrets, rows, strict=True) for _ in held]
        everyone = [value for held in secrets for value in held]
        if oracles.exact_posterior(by_record, everyone) is None:
            assert not converged[place]


# --- Against exact inference ----------------------------------------------------------------------


@pytest.mark.parametrize("concentration", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("size", [8, 10, 12, 14, 16, 18, 20])
def test_it_errs_far_less_than_omega(size: int, concentration: float) -> None:
    number = 60
    prior, held = random_groups(size, concentration, number, seed=size)
    counts = held.astype(np.int64)
    groups = Groups(np.arange(len(prior)), np.arange(0, len(prior) + 1, size))
    weights, histograms = np.ones(len(prior), dtype=np.int64), groups.sum(counts)
    (truth,) = exact(groups, weights, histograms, (prior,))
    inferred, converged = bethe(groups, weights, histograms, prior)
    assert converged.mean() >= 0.95
    (omega,) = posterior(groups, counts, (prior,), "omega").beliefs
    compared = converged[groups.owner]
    error, baseline = (
        np.abs(estimate - truth)[compared].sum(axis=1).mean() / 2 for estimate in (inferred, omega)
    )
    assert error <= (0.15 if size >= 12 and concentration >= 1 else 0.3) * baseline


@SOME
@given(st.integers(2, 6), st.data())
def test_trees_are_exact(size: int, data: st.DataObject) -> None:
    # Record i may have value i and some of those before: only one world is possible.
    prior = np.eye(size)
    for record in range(1, size):
        others = data.draw(st.lists(st.integers(0, record - 1), unique=True))
        prior[record, others] = 1.0
    prior /= prior.sum(axis=1, keepdims=True)
    order = np.array(data.draw(st.permutations(range(size))))
    estimate = bethe_posterior(prior[order], np.ones(size, dtype=np.int64))
    np.testing.assert_array_equal(estimate, np.eye(size)[order])


@pytest.mark.parametrize(
    ("prior", "counts", "expected"),
    [
        ([[0.2, 0.8]], [1, 0], [[1, 0]]),
        ([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]], [0, 3], [[0, 1]] * 3),
        # Li, Li, Zhang 2009, table III: the first two records cannot have the first value.
        ([[0.0, 1.0], [0.0, 1.0], [0.3, 0.7]], [1, 2], [[0, 1], [0, 1], [1, 0]]),
        # Two records, of which one has no choice.
        ([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], [1, 1, 0], [[1, 0, 0], [0, 1, 0]]),
        # Two records without a difference between them.
        ([[0.3, 0.7], [0.3, 0.7]], [1, 1], [[0.5, 0.5]] * 2),
        # One of the first value's two copies is the first record's.
        ([[1.0, 0.0], [0.3, 0.7], [0.3, 0.7], [0.3, 0.7]], [2, 2], [[1, 0]] + [[1 / 3, 2 / 3]] * 3),
        # The first value is the first record's; of the others no more is known.
        ([[0.5, 0.2, 0.3], [0.0, 0.6, 0.4], [0.0, 0.6, 0.4]], [1, 1, 1],
         [[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]),
    ],
)  # fmt: skip
def test_certain_and_even_cases(
    prior: list[list[float]], counts: list[int], expected: list[list[float]]
) -> None:
    estimate = bethe_posterior(np.array(prior), np.array(counts))
    np.testing.assert_allclose(estimate, expected, rtol=0, atol=1e-9)


@SOME
@given(st.integers(3, 9), beliefs(3, positive=True), st.data())
def test_equal_priors_leave_the_shares_of_the_group(
    size: int, prior: Belief, data: st.DataObject
) -> None:
    secrets = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    counts = np.bincount(secrets, minlength=3)
    estimate = bethe_posterior(as_array([prior] * size), counts)
    np.testing.assert_allclose(estimate, [counts / size] * size, rtol=0, atol=1e-9)


# --- What does not converge -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "prior",
    [
        # Two records, two values: messages grow without end, beliefs tend to a certainty.
        [[0.6, 0.4], [0.4, 0.6]],
        [[0.9999, 0.0001], [0.0001, 0.9999]],
        [[1 - 1e-9, 1e-9], [0.5, 0.5]],
    ],
)
def test_what_runs_away_is_reported(prior: list[list[float]]) -> None:
    beliefs_, converged = bethe(
        Groups.whole(2), np.ones(2, np.int64), np.array([[1, 1]]), np.array(prior)
    )
    assert converged.tolist() == [False]
    assert not beliefs_.any()
    with pytest.raises(TooLarge, match="did not converge") as caught:
        bethe_posterior(np.array(prior), np.array([1, 1]))
    assert "2 records" in caught.value.detail
    assert "exact_posterior" in caught.value.hint


def test_a_record_without_a_choice_is_reported() -> None:
    # Each value has more takers than copies, so that nobody's value is certain.
    prior = np.array([[0.6, 0.4, 0.0], [0.3, 0.7, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    beliefs_, converged = bethe(Groups.whole(4), np.ones(4, np.int64), np.array([[2, 2, 0]]), prior)
    assert converged.tolist() == [False]
    assert not beliefs_.any()


def test_too_few_steps_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    prior = np.random.default_rng(2).dirichlet(np.ones(3), 9)
    counts = np.array([3, 3, 3])
    bethe_posterior(prior, counts)
    monkeypatch.setattr(bethe_module, "_STEPS", 5)
    with pytest.raises(TooLarge):
        bethe_posterior(prior, counts)


@pytest.mark.parametrize("tiny", [1e-12, 1e-150, 1e-300])
def test_chances_far_apart(tiny: float) -> None:
    # All but the last record are nearly certain, and sums have one term beside which others vanish.
    prior = np.array([[1.0, tiny, tiny * tiny]] * 3 + [[tiny, 1.0, tiny]] * 3 + [[0.5, 0.25, 0.25]])
    prior /= prior.sum(axis=1, keepdims=True)
    groups, weights, histograms = Groups.whole(7), np.ones(7, np.int64), np.array([[3, 3, 1]])
    (truth,) = exact(groups, weights, histograms, (prior,))
    estimate, converged = bethe(groups, weights, histograms, prior)
    assert converged.all()
    np.testing.assert_allclose(estimate, truth, rtol=0, atol=1e-11)


def test_only_the_ratio_of_chances_matters() -> None:
    # The last record was all but sure to have a value that is not in the group.
    weights, histograms = np.ones(4, np.int64), np.array([[2, 2, 0]])
    prior = np.array([[0.6, 0.4, 0.0], [0.3, 0.7, 0.0], [0.5, 0.5, 0.0], [2 / 3, 1 / 3, 0.0]])
    expected, _ = bethe(Groups.whole(4), weights, histograms, prior)
    prior[3] = [2e-322, 1e-322, 1.0]
    estimate, converged = bethe(Groups.whole(4), weights, histograms, prior)
    assert converged.all()
    np.testing.assert_allclose(estimate, expected, rtol=0, atol=1e-7)


# --- One group and many ---------------------------------------------------------------------------


@SOME
@given(drawn_groups(most=6), st.sampled_from([1, 20, 10**6]))
def test_groups_do_not_influence_one_another(drawn: Drawn, floats: int) -> None:
    groups, weights, histograms, prior = arrays(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bethe_module, "_CHUNK_FLOATS", floats)
        estimate, converged = bethe(groups, weights, histograms, prior)
    for place in range(len(groups)):
        rows = groups.owner == place
        alone, alone_converged = bethe(
            Groups.whole(int(rows.sum())), weights[rows], histograms[[place]], prior[rows]
        )
        assert alone_converged.tolist() == [converged[place]]
        np.testing.assert_array_equal(estimate[rows], alone)


def test_many_groups_end_at_different_steps() -> None:
    prior, held = random_groups(10, 0.3, 200, seed=4)
    groups = Groups(np.arange(len(prior)), np.arange(0, len(prior) + 1, 10))
    weights, histograms = np.ones(len(prior), np.int64), groups.sum(held.astype(np.int64))
    polls: list[None] = []
    estimate, converged = bethe(
        groups, weights, histograms, prior, Watched(lambda: polls.append(None))
    )
    assert len(polls) > 50
    for place in range(0, 200, 7):
        rows = groups.owner == place
        steps: list[None] = []
        alone, rests = bethe(
            Groups.whole(10),
            weights[rows],
            histograms[[place]],
            prior[rows],
            Watched(partial(steps.append, None)),
        )
        assert rests.tolist() == [converged[place]]
        assert len(steps) <= len(polls)
        np.testing.assert_array_equal(estimate[rows], alone)


@SOME
@given(drawn_groups(positive=True, most=1), st.data())
def test_orders_of_cells_and_values_do_not_matter(drawn: Drawn, data: st.DataObject) -> None:
    groups, weights, histograms, prior = arrays(drawn)
    cells = np.array(data.draw(st.permutations(range(len(prior)))))
    values = np.array(data.draw(st.permutations(range(prior.shape[1]))))
    estimate, converged = bethe(groups, weights, histograms, prior)
    moved, moved_converged = bethe(
        groups, weights[cells], histograms[:, values], prior[cells][:, values]
    )
    assert moved_converged.tolist() == converged.tolist()
    np.testing.assert_allclose(moved, estimate[cells][:, values], rtol=0, atol=1e-7)


@SOME
@given(drawn_groups(most=1))
def test_a_cell_is_as_many_cells_of_one_record(drawn: Drawn) -> None:
    groups, weights, histograms, prior = arrays(drawn)
    estimate, converged = bethe(groups, weights, histograms, prior)
    records = np.repeat(np.arange(len(prior)), weights)
    split, split_converged = bethe(
        Groups.whole(len(records)), np.ones(len(records), np.int64), histograms, prior[records]
    )
    assert split_converged.tolist() == converged.tolist()
    np.testing.assert_allclose(split, estimate[records], rtol=0, atol=1e-7)


def test_inputs_are_left_alone() -> None:
    prior, held = random_groups(6, 1.0, 3, seed=1)
    groups = Groups(np.arange(18), np.arange(0, 19, 6))
    given_ = [np.ones(18, dtype=np.int64), groups.sum(held.astype(np.int64)), prior]
    copies = [array.copy() for array in given_]
    bethe(groups, given_[0], given_[1], given_[2])
    for array, copy in zip(given_, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_no_groups() -> None:
    nothing = Groups.from_lists([])
    estimate, converged = bethe(
        nothing, np.zeros(0, np.int64), np.zeros((0, 3), np.int64), np.zeros((0, 3))
    )
    assert estimate.shape == (0, 3)
    assert converged.shape == (0,)


@pytest.mark.parametrize("calls", [1, 2, 7])
def test_polling_can_cancel(calls: int) -> None:
    prior, held = random_groups(8, 1.0, 1, seed=3)
    with pytest.raises(Cancelled):
        bethe(
            Groups.whole(8),
            np.ones(8, np.int64),
            held.astype(np.int64).sum(axis=0)[None],
            prior,
            cancelling(calls),
        )


def test_it_may_overstate_what_omega_understates() -> None:
    # Li, Li, Zhang 2009, table II: .8028 in truth.
    prior = [[0.05, 0.95], [0.05, 0.95], [0.3, 0.7]]
    counts = np.array([1, 2])
    expected, _ = propagation(prior, [0, 1, 1])
    assert expected is not None
    figure = bethe_posterior(np.array(prior), counts)[2, 0]
    assert figure == pytest.approx(expected[2][0], abs=1e-8)
    assert omega_posterior(np.array(prior), counts)[2, 0] < 0.27075 / 0.33725 < figure < 0.88
