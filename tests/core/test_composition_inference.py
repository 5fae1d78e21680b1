"""Inference from several releases: every estimator against enumeration, and golden cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import BETHE, EXACT, Sound, posterior
from bkpriv_core.composition import exact as exact_module
from bkpriv_core.composition import inference
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.inference import ALONE, Together, infer
from bkpriv_core.errors import ContradictoryKnowledge, TooLarge
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import Groups
from tests.conftest import sample
from tests.core import composition_oracles as oracles
from tests.core.composition_histories import Shown, drawn, possible_in, shown, truth_of
from tests.core.sequences import as_step
from tests.core.watching import Watched

LABELS = ("HIV", "flu")

INSERTED = History(
    (
        as_step(0, LABELS, range(4), [0, 0, 0, 1], [0] * 4),
        as_step(1, LABELS, range(5), [0, 0, 0, 1, 0], [0] * 5, release=2),
    )
)
"""A-D {HIV 3, flu 1}, then A-E {HIV 4, flu 1}."""


def told_by(history: Shown, estimator: Sound = "auto") -> Together:
    return infer(Constraints.of(history.history), (history.prior,), estimator)


def test_one_inserted_person_is_known() -> None:
    """Priors do not matter: E has HIV."""
    told = infer(Constraints.of(INSERTED), (np.tile([0.3, 0.7], (5, 1)),))
    assert told.posteriors[0][4] == pytest.approx([1.0, 0.0])
    assert told.posteriors[0][:4] == pytest.approx(np.tile([0.75, 0.25], (4, 1)))
    assert told.certain.tolist() == [False] * 4 + [True]


def test_revision_with_independent_members_does_not_know_it() -> None:
    """Release by release E has HIV with .364: A-D .75 each after the first, E .3 before."""
    first, second = (step.groups for step in INSERTED.steps)
    prior = np.tile([0.3, 0.7], (5, 1))
    counts = INSERTED.steps[1].counts
    known = posterior(first, counts[:4], (prior[:4],)).beliefs[0]
    revised = posterior(second, counts, (np.concatenate((known, prior[4:])),)).beliefs[0]
    ways = oracles.posteriors([[0.75, 0.25]] * 4 + [[0.3, 0.7]], [(range(5), {0: 4, 1: 1})])
    assert ways is not None
    assert revised[4] == pytest.approx(ways[4])
    assert revised[4, 0] == pytest.approx(0.364, abs=5e-4)


@settings(max_examples=sample(1000), deadline=None)
@given(shown(most=5, positive=False))
def test_exact_is_the_share_of_all_ways(history: Shown) -> None:
    ways = oracles.posteriors(history.prior.tolist(), history.groups)
    if ways is None:
        with pytest.raises(ContradictoryKnowledge):
            told_by(history, "exact")
        return
    told = told_by(history, "exact")
    assert told.posteriors[0] == pytest.approx(np.array(ways), abs=1e-9)
    assert (told.possible == possible_in(history)).all()
    assert set(told.used.tolist()) <= {EXACT, ALONE}


@pytest.mark.parametrize("seed", range(12))
def test_exact_is_the_share_of_all_ways_among_more_people(seed: int) -> None:
    random = np.random.default_rng(seed)
    history = drawn(random, 8, 3, int(random.integers(2, 4)), 2)
    assert told_by(history).posteriors[0] == pytest.approx(truth_of(history), abs=1e-9)


def test_who_is_in_no_group_is_believed_as_before() -> None:
    prior = np.array([[0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    history = History((as_step(0, LABELS, range(2), [0, 1], [0, 0]),))
    told = infer(Constraints.of(history), (prior,))
    assert told.posteriors[0][2].tolist() == prior[2].tolist()
    assert (told.used[2], told.component[2]) == (ALONE, ALONE)
    assert told.component.tolist()[:2] == [0, 0]


@settings(max_examples=sample(300), deadline=None)
@given(shown(most=6), st.sampled_from([3, 4, 7]), st.sampled_from([0.1, np.inf]))
def test_exact_is_so_however_states_are_packed_and_priors_scaled(
    history: Shown, bits: int, balanced: float
) -> None:
    """Words of few bits are full, and numbers left to what opens later stand in others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_module, "_BITS", bits)
        patch.setattr(exact_module, "_BALANCED", balanced)
        told = told_by(history, "exact")
    assert told.posteriors[0] == pytest.approx(truth_of(history))
    assert (told.possible == possible_in(history)).all()


@pytest.mark.parametrize("estimator", ["auto", "exact", "bethe", "omega"])
def test_one_release_is_told_as_by_itself(estimator: Sound) -> None:
    history = drawn(np.random.default_rng(3), 30, 4, 1, 5)
    step = history.history.steps[0]
    alone = posterior(step.groups, step.counts, (history.prior,), estimator)
    together = told_by(history, estimator)
    members = step.groups.members
    assert together.posteriors[0][members] == pytest.approx(alone.beliefs[0])
    assert together.used[members].tolist() == alone.used[step.groups.owner].tolist()


def test_people_of_a_kind_are_counted_not_listed() -> None:
    """Ten thousand people of two priors in two releases that overlap are a matter of two atoms."""
    persons = 10_000
    values = np.arange(persons) % 2
    history = History(
        (
            as_step(0, LABELS, range(persons - 1), values[:-1], [0] * (persons - 1)),
            as_step(1, LABELS, range(1, persons), values[1:], [0] * (persons - 1), release=2),
        )
    )
    prior = np.where(np.arange(persons)[:, None] % 3 == 0, [0.4, 0.6], [0.5, 0.5])
    told = infer(Constraints.of(history), (prior,), "omega")
    # The first is even, the last odd, or all others would not do for both.
    assert told.certain.sum() == 2


def test_trees_are_told_exactly_by_messages() -> None:
    """A chain of groups, each of which has one person in common with the next."""
    random = np.random.default_rng(5)
    groups = [range(2 * at, 2 * at + 3) for at in range(5)]
    values = random.integers(3, size=11)
    constraints = Constraints(
        Groups.from_lists([np.array(group) for group in groups]),
        np.array([np.bincount(values[group], minlength=3) for group in groups]),
    )
    prior = random.dirichlet(np.ones(3), 11)
    exact, bethe = (infer(constraints, (prior,), each) for each in ("exact", "bethe"))
    rests = bethe.used == BETHE
    assert rests.any()
    assert bethe.posteriors[0][rests] == pytest.approx(exact.posteriors[0][rests], abs=2e-3)


@pytest.mark.parametrize(("alpha", "ratio"), [(0.3, 0.6), (1.0, 0.8), (5.0, 1.3)])
def test_how_far_propagation_errs_beside_fitting(alpha: float, ratio: float) -> None:
    """Mean total variation distance to the exact posterior where that is not certain.

    Propagation is the better where priors tell, and may be the worse where they hardly do.
    """
    errors = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        history = drawn(random, 16, 4, 2, 4, alpha)
        exact, bethe, omega = (told_by(history, each) for each in ("exact", "bethe", "omega"))
        counted = (bethe.used == BETHE) & ~exact.certain
        right = exact.posteriors[0][counted]
        distances = [np.abs(each.posteriors[0][counted] - right) for each in (bethe, omega)]
        errors.append([each.sum(axis=1) / 2 for each in distances])
    bethe_error, omega_error = (np.concatenate(each).mean() for each in zip(*errors, strict=True))
    assert bethe_error < ratio * omega_error


def test_what_did_not_change_is_not_inferred_again(monkeypatch: pytest.MonkeyPatch) -> None:
    history = drawn(np.random.default_rng(1), 60, 3, 2, 20)
    constraints = Constraints.of(history.history)
    first = infer(constraints, (history.prior,))

    def never(*_: object) -> None:
        raise AssertionError

    for name in ("posterior", "exact", "propagated", "fitted"):
        monkeypatch.setattr(inference, name, never)
    again = infer(constraints, (history.prior,), before=first)
    assert again.posteriors[0].tolist() == first.posteriors[0].tolist()
    assert (again.low.tolist(), again.used.tolist()) == (first.low.tolist(), first.used.tolist())
    with pytest.raises(AssertionError):
        infer(constraints.select(np.arange(1, len(constraints))), (history.prior,), before=first)


def test_another_group_is_told_of_its_own_component_alone() -> None:
    history = drawn(np.random.default_rng(2), 60, 3, 2, 20)
    constraints = Constraints.of(history.history)
    first = infer(constraints, (history.prior,))
    fewer = constraints.select(np.arange(1, len(constraints)))
    anew = infer(fewer, (history.prior,))
    reused = infer(fewer, (history.prior,), before=first)
    assert reused.posteriors[0] == pytest.approx(anew.posteriors[0])
    assert reused.component.tolist() == anew.component.tolist()


def test_only_components_asked_for_are_judged() -> None:
    constraints = Constraints(
        Groups.from_lists([np.array([0, 1]), np.array([2, 3])]), np.array([[1, 1], [1, 1]])
    )
    prior = np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7], [0.5, 0.5]])
    among = np.array([True, False, False, False])
    told = infer(constraints, (prior,), among=among)
    everything = infer(constraints, (prior,))
    assert told.judged.tolist() == [True, True, False, False]
    assert told.posteriors[0][:2].tolist() == everything.posteriors[0][:2].tolist()
    assert told.posteriors[0][2:].tolist() == prior[2:].tolist()
    assert told.used.tolist() == [EXACT, EXACT, ALONE, ALONE]


def test_a_contradiction_may_be_left() -> None:
    prior = np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    constraints = Constraints(
        Groups.from_lists([np.array([0, 1]), np.array([1, 2])]), np.array([[1, 1], [1, 1]])
    )
    told = infer(constraints, (prior, np.full((3, 2), 0.5)), refuse=False)
    assert told.contradicted.tolist() == [[True] * 3, [False] * 3]
    assert told.posteriors[0].tolist() == prior.tolist()


def test_memory_is_refused_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    constraints = Constraints.of(INSERTED)
    monkeypatch.setattr(inference, "_FLOATS", 30)
    with pytest.raises(TooLarge, match="beliefs about 5 people"):
        infer(constraints, (np.full((5, 2), 0.5),))


def test_exact_refuses_what_auto_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    history = drawn(np.random.default_rng(0), 30, 4, 2, 5)
    for name in ("_EXACT_WAYS", "_AUTO_WAYS"):
        monkeypatch.setattr(inference, name, 50)
    assert (told_by(history).used > EXACT).any()
    with pytest.raises(TooLarge, match="exact inference is not feasible"):
        told_by(history, "exact")


@pytest.mark.parametrize("estimator", ["exact", "bethe", "omega"])
def test_work_is_cancelled(estimator: Sound) -> None:
    history = drawn(np.random.default_rng(0), 16, 4, 2, 4)

    def cancel() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        infer(
            Constraints.of(history.history),
            (history.prior,),
            estimator,
            progress=Watched(poll=cancel),
        )
