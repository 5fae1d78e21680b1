"""Bounds of what several releases tell, against enumeration and integer programmes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import LinearConstraint, milp

from bkpriv_core.composition import inference
from bkpriv_core.composition.constraint import Constraints, told_apart
from bkpriv_core.composition.counting import Bounds, settle
from bkpriv_core.composition.inference import infer
from bkpriv_core.composition.problem import Problem
from bkpriv_core.errors import UnsoundHistory
from bkpriv_core.progress import Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups
from tests.conftest import sample
from tests.core.composition_histories import Shown, drawn, possible_in, shown, truth_of
from tests.core.sequences import as_step


def certain_by_programme(history: Shown) -> list[bool]:
    """Whether no other value is left to each person: an integer programme for each value."""
    persons, values = history.prior.shape
    rows = [np.kron(np.eye(persons)[person], np.ones(values)) for person in range(persons)]
    held = [1] * persons
    for some, counts in history.groups:
        inside = np.isin(np.arange(persons), list(some))
        for value in range(values):
            rows.append(np.kron(inside, np.eye(values)[value]))
            held.append(counts.get(value, 0))
    sums = LinearConstraint(np.array(rows), held, held)
    certain = []
    for person in range(persons):
        others = np.arange(persons * values) // values == person
        others[person * values + history.values[person]] = False
        whole = np.ones(len(others), dtype=np.int64)
        found = milp(-others.astype(float), integrality=whole, constraints=sums)
        assert found.fun is not None
        certain.append(bool(-found.fun < 0.5))
    return certain


@settings(max_examples=sample(150), deadline=None)
@given(shown(most=5))
def test_bounds_contain_the_truth_however_it_is_inferred(history: Shown) -> None:
    possible = possible_in(history)
    alike = Shown(history.values, history.releases, np.full_like(history.prior, 1 / 3))
    for each in (history, alike):
        told = infer(Constraints.of(each.history), (each.prior,), "omega")
        truth = truth_of(each)
        assert (told.low <= truth + 1e-9).all()
        assert (told.high >= truth - 1e-9).all()
        assert (told.possible >= possible).all()
        assert (told.low <= told.posteriors[0] + 1e-9).all()
        assert (told.high >= told.posteriors[0] - 1e-9).all()


@pytest.mark.parametrize("seed", range(40))
def test_certainty_is_not_missed(seed: int) -> None:
    random = np.random.default_rng(seed)
    history = drawn(random, 12, 4, int(random.integers(2, 4)), 3)
    expected = certain_by_programme(history)
    constraints = Constraints.of(history.history)
    assert infer(constraints, (history.prior,)).certain.tolist() == expected
    # Sums alone say it, too: in none of these does it take that numbers are whole.
    assert infer(constraints, (history.prior,), "omega").certain.tolist() == expected


@pytest.mark.parametrize("seed", [12, 65, 69, 99])
def test_what_takes_a_linear_programme(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group by itself leaves room that all sums together do not; exact inference sees it."""
    history = drawn(np.random.default_rng(seed), 12, 3, 3, 3)
    constraints, priors = Constraints.of(history.history), (history.prior,)
    tight = infer(constraints, priors, "omega")
    monkeypatch.setattr(inference, "_PROGRAMMES", 0)
    monkeypatch.setattr(inference, "_WHOLE", 0)
    loose, exact = (infer(constraints, priors, each) for each in ("omega", "exact"))
    assert (loose.possible > tight.possible).any()
    assert tight.possible.tolist() == exact.possible.tolist()
    assert not loose.tight.all()
    assert exact.tight.all()


@pytest.mark.parametrize("seed", [12, 65, 69, 99])
@pytest.mark.parametrize("told", [True, False])
def test_programmes_in_whole_numbers_say_what_is_possible(
    seed: int, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = drawn(np.random.default_rng(seed), 12, 3, 3, 3)
    constraints, priors = Constraints.of(history.history), (history.prior,)
    monkeypatch.setattr(inference, "_PROGRAMMES", 0)
    known = np.zeros(len(history.prior), dtype=np.int64)
    for step, codes in zip(history.history.steps, history.history.codes, strict=True):
        known[step.persons] = codes[step.actual]
    whole = infer(constraints, priors, "omega", actual=known if told else None)
    exact = infer(constraints, priors, "exact")
    assert whole.possible.tolist() == whole.attained.tolist() == exact.possible.tolist()


def test_estimates_are_cut_to_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that meets no sums."""

    def estimated(problem: Problem, _: Progress) -> tuple[FloatArray, BoolArray, BoolArray]:
        rests = np.ones(problem.priors.shape[:2], dtype=bool)
        return problem.priors.copy(), rests, ~rests

    monkeypatch.setattr(inference, "propagated", estimated)
    monkeypatch.setattr(inference, "_AUTO_WAYS", 1)
    cut = 0
    for seed in range(20):
        history = drawn(np.random.default_rng(seed), 12, 3, 2, 2)
        prior = np.random.default_rng(seed).dirichlet(np.full(3, 0.1), 2)[np.arange(12) % 2]
        told = infer(Constraints.of(history.history), (prior,))
        belief = told.posteriors[0]
        assert belief.sum(axis=1) == pytest.approx(1.0)
        assert (told.low <= belief + 1e-9).all()
        assert (told.high >= belief - 1e-9).all()
        cut += np.count_nonzero((prior < told.low - 0.01) | (prior > told.high + 0.01))
    assert cut


def test_what_is_settled_is_a_group_by_itself() -> None:
    for seed in range(20):
        history = drawn(np.random.default_rng(seed), 12, 3, 3, 3)
        system, _, weights = Constraints.of(history.history).atoms(12)
        settled, bounds = settle(system, weights, Bounds.none(weights, 3))
        groups_of = np.bincount(settled.members.members, minlength=len(weights))
        assert (groups_of[bounds.settled] == 1).all()
        alone = settled.members.members[settled.members.offsets[:-1][settled.members.widths == 1]]
        assert set(np.flatnonzero(bounds.settled)) <= set(alone)


def test_groups_within_one_another_fall_apart() -> None:
    lists = [np.arange(10), np.arange(4), np.arange(2), np.arange(4, 8), np.arange(8, 10)]
    values = np.arange(10) % 3
    histograms = np.array([np.bincount(values[some], minlength=3) for some in lists])
    refined = Constraints(Groups.from_lists(lists), histograms).refined()
    assert sorted(group.tolist() for group in refined.members) == [
        [0, 1],
        [2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]
    for group, held in zip(refined.members, refined.histograms, strict=True):
        assert held.tolist() == np.bincount(values[group], minlength=3).tolist()


@pytest.mark.parametrize(
    ("lists", "histograms"),
    [
        ([[0, 1], [0, 1]], [[1, 1], [2, 0]]),
        ([[0, 1], [0, 1, 2]], [[2, 0], [1, 2]]),
        ([[0, 1], [1, 2], [0, 2]], [[2, 0], [2, 0], [0, 2]]),
    ],
)
def test_what_nobody_published_is_refused(
    lists: list[list[int]], histograms: list[list[int]]
) -> None:
    groups = Groups.from_lists([np.array(some) for some in lists])
    with pytest.raises(UnsoundHistory):
        infer(Constraints(groups, np.array(histograms)).distinct(), (np.full((3, 2), 0.5),))


def test_releases_that_show_other_values_constrain_nothing() -> None:
    labels = ("a", "b")
    step = as_step(0, labels, [0, 1], [0, 1], [0, 0])
    forged = type(step)(
        2, labels, step.persons, step.actual, step.groups, 0, shown=np.array([1, 1])
    )
    with pytest.raises(ValueError, match="release 2 shows values that nobody has"):
        Constraints.of(History((step, forged)))


def test_whose_value_changes_is_another_person() -> None:
    labels = ("a", "b")
    history = History(
        (
            as_step(0, labels, [0, 1, 2], [0, 1, 0], [0, 0, 0]),
            as_step(1, labels, [0, 1, 2], [0, 0, 0], [0, 0, 0]),
            as_step(2, ("b", "a"), [0, 1], [1, 1], [0, 0]),
        )
    )
    apart, origin = told_apart(history)
    assert [step.persons.tolist() for step in apart.steps] == [[0, 1, 2], [0, 3, 2], [0, 3]]
    assert origin.tolist() == [0, 1, 2, 1]
