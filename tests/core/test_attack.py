"""Attackers against inference record by record, and on tables of which it is known what is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.attack import Outcome, Target, find_attacker, learner, metrics, parse_options
from bkpriv_core.belief.classifier import Model
from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.knowledge import Learned
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.method import parse_options as parse_method_options
from bkpriv_core.progress import SILENT
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import BtPrivacy, KAnonymity
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.conftest import sample
from tests.core.learning_oracles import features, learned, precise, trained
from tests.core.oracles import Group, Records, belief_distance, exact_posterior
from tests.core.strategies import (
    SOME,
    as_groups,
    as_table,
    partitions,
    record_groups,
    tables,
)
from tests.core.watching import Watched

__all__ = ["precise"]

pytestmark = pytest.mark.usefixtures("precise")

models = st.sampled_from(["logistic", "bayes"])


def played(target: Target, attacker: str, **options: Any) -> Outcome:
    """Outcome of an attack."""
    one = find_attacker(attacker)
    return one.attack(target, parse_options(one, options), SILENT)


def found(target: Target, attacker: str, **options: Any) -> dict[str, float]:
    """Figures of an attack."""
    one = find_attacker(attacker)
    chosen = parse_options(one, options)
    return {m.name: m.value for m in metrics(one.attack(target, chosen, SILENT), [], chosen)}


def released(parts: Parts, groups: Groups) -> Target:
    """A release of groups with exact quasi-identifiers, to be attacked."""
    return Target(Release(parts, groups, Bucketized()), ThreatModel(parts))


def inferred(records: Records, groups: Sequence[Group], believed: list[Any]) -> dict[int, Any]:
    """Exact posterior of each record that is in a group."""
    after: dict[int, Any] = {}
    for group in groups:
        beliefs = exact_posterior([believed[record] for record in group], records.secrets(group))
        assert beliefs is not None
        after |= dict(zip(group, beliefs, strict=True))
    return after


def learned_from_groups(
    records: Records, groups: Sequence[Group], model: str, rounds: int
) -> dict[int, Any]:
    """Expectation maximization, record by record."""
    of_axis = [features(records, axis) for axis in range(len(records.attributes))]
    sizes = [len(next(iter(shares.values()))) for shares in of_axis]
    values = len(records.sensitive.values)
    rows = [
        [float(s) for axis, shares in enumerate(of_axis) for s in shares[row[axis]]]
        for row in records.rows
    ]
    believed: dict[int, Any] = {}
    for group in groups:
        told = records.secrets(group)
        shares = np.array([told.count(value) / len(told) for value in range(values)])
        believed |= dict.fromkeys(group, shares)
    for _ in range(rounds):
        shown = sorted(believed)
        targets = np.array([believed[record] for record in shown], dtype=float)
        predict = trained([rows[record] for record in shown], sizes, targets, model)
        believed = inferred(records, groups, [predict(row) for row in rows])
    return believed


@SOME
@given(st.data(), tables(max_records=9, max_attributes=2, max_values=3), models, st.integers(1, 3))
def test_the_learner_is_expectation_maximization(
    data: st.DataObject, records: Records, model: Model, rounds: int
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "_STEADY", -1.0)
        patch.setattr(learner, "_STEEP", 1e-6)
        outcome = played(released(Parts.of(table), groups), "learner", model=model, rounds=rounds)
    expected = learned_from_groups(records, record_groups(records, groups), model, rounds)
    assert outcome.figures == {"rounds": rounds}
    for cell, row in zip(outcome.cell.tolist(), outcome.believed, strict=True):
        for record in records.cells()[cell]:
            assert row == pytest.approx(np.array(expected[record], dtype=float), abs=1e-4)


@SOME
@given(st.data(), tables(max_records=9, max_attributes=2, max_values=3), models)
def test_the_informed_have_exact_posteriors(
    data: st.DataObject, records: Records, model: Model
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells, suppress=True)) or [[0]])
    target = released(Parts.of(table), groups)
    outcome = played(target, "informed", model=model, folds=3, seed=4)
    prior = learned(records, model, 3, 4)
    expected = inferred(records, record_groups(records, groups), prior)
    for cell, before, after in zip(
        outcome.cell.tolist(), outcome.baseline, outcome.believed, strict=True
    ):
        for record in records.cells()[cell]:
            assert before == pytest.approx(prior[record], abs=1e-4)
            assert after == pytest.approx(np.array(expected[record], dtype=float), abs=1e-3)


# --- Tables of which it is known what is told -----------------------------------------------------


VALUES, HELD = 6, 3
"""Sensitive values, and how many of them each group has, once each."""


def dealt(values: IntArray, ages: IntArray) -> Target:
    """Groups of people of some ages, each row the values of one, shapes (g, 3)."""
    told = Domain("s", tuple("abcdef"))
    known = Domain("age", tuple(map(str, range(60))), positions=np.arange(60.0))
    codes = np.column_stack((ages.ravel(), values.ravel()))
    table, cells = Table.from_rows((known,), told, codes, np.ones(len(codes), np.int64))
    labels = np.repeat(np.arange(len(values)), HELD)
    parts, groups = Parts.of(table).dealt(cells, values.ravel(), labels)
    return released(parts, groups)


def drawn(draw: np.random.Generator, groups: int) -> IntArray:
    """Values of groups: three different ones each."""
    return np.array([draw.permutation(VALUES)[:HELD] for _ in range(groups)])


def test_a_planted_dependence_is_found() -> None:
    draw = np.random.default_rng(7)
    values = drawn(draw, 200)
    # Every value has a decade of its own, nine times in ten; not in the order of the values.
    ages = 10 * np.array([2, 0, 5, 3, 1, 4])[values] + draw.integers(0, 10, values.shape)
    ages = np.where(draw.random(values.shape) < 0.1, draw.integers(0, 60, values.shape), ages)
    for model in ("logistic", "bayes"):
        figures = found(dealt(values, ages), "learner", model=model)
        assert found(dealt(values, ages), "majority")["accuracy"] == pytest.approx(1 / HELD)
        assert figures["accuracy"] > figures["baseline_accuracy"] > 0.8
        assert figures["claimed_right"] > 0.9 * figures["claimed"] > 100


def planted(groups: int) -> Target:
    """A release of which every value has a decade of its own."""
    draw = np.random.default_rng(3)
    values = drawn(draw, groups)
    return dealt(values, 10 * values + draw.integers(0, 10, values.shape))


def test_large_groups_are_inferred_exactly_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = played(planted(60), "learner", rounds=5)
    monkeypatch.setattr(learner, "_STATES", 0)
    target = planted(60)
    quick = played(target, "learner", rounds=5)
    # Exact beliefs hand out what the group has, and no more.
    groups = target.release.groups
    sums = groups.sum(quick.believed * target.release.weights[:, None])
    assert sums == pytest.approx(target.release.histograms, abs=1e-9)
    assert quick.believed == pytest.approx(whole.believed, abs=0.05)


def test_a_learner_can_be_stopped_and_says_how_far_it_is() -> None:
    one, target = find_attacker("learner"), planted(20)
    shares: list[float] = []
    one.attack(target, parse_options(one, {}), Watched(report=shares.append))
    assert shares == sorted(shares)
    assert 0.0 < shares[0] <= shares[-1] <= 1.0

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.attack(target, parse_options(one, {}), Watched(poll=stop))


@pytest.mark.parametrize("model", ["logistic", "bayes"])
def test_where_nothing_depends_the_learner_finds_what_groups_show(model: Model) -> None:
    """Guesses of a value of the group are right once in three; so is the learner, in the mean.

    Standard error of the mean of 200 trials: .006. Claims are no better than their beliefs say.
    """
    trials, accuracies, claimed, right = sample(200), [], 0.0, 0.0
    for seed in range(trials):
        draw = np.random.default_rng(seed)
        target = dealt(drawn(draw, 12), draw.integers(0, 60, (12, HELD)))
        figures = found(target, "learner", model=model, rounds=6)
        accuracies.append(figures["accuracy"])
        claimed, right = claimed + figures["claimed"], right + figures["claimed_right"]
    error = np.std(accuracies) / math.sqrt(trials)
    assert error < 0.02
    assert abs(np.mean(accuracies) - 1 / HELD) < 4 * error
    assert right < 0.6 * claimed + 5


# --- Certification --------------------------------------------------------------------------------


@SOME
@given(tables(min_records=6, max_records=10, max_attributes=2, max_values=3), models)
def test_nobody_is_above_t_of_a_certified_release(records: Records, model: Model) -> None:
    table, t = as_table(records), 0.1
    demanded = BtPrivacy(((Learned(model, 3, 2), t),))
    method = GROUP_METHODS["mondrian"]
    threat = ThreatModel(table)
    made = method.make(
        Job(
            threat,
            (KAnonymity(1), demanded),
            options := parse_method_options(method, {}),
            options.chance(),
            SILENT,
        )
    ).release
    prior = learned(records, model, 3, 2)
    after = inferred(records, record_groups(records, made.groups), prior)
    for record, belief in after.items():
        assert belief_distance(records.sensitive, list(prior[record]), list(belief)) <= t + 1e-3
    # Cells whose parts or order differ are believed alike: what is audited is what was certified.
    order = np.arange(table.cells)[::-1]
    again = Table(table.quasi_identifiers, table.sensitive, table.codes[order], table.counts[order])
    assert np.array_equal(
        ThreatModel(again).prior(Learned(model, 3, 2))[order], threat.prior(Learned(model, 3, 2))
    )


def test_distances_are_those_of_beliefs() -> None:
    target = dealt(np.arange(12).reshape(4, 3) % VALUES, np.arange(12).reshape(4, 3))
    outcome = played(target, "majority")
    moved = js_divergence(outcome.baseline, outcome.believed)
    assert found(target, "majority")["worst"] == moved.max()
