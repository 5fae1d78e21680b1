"""Learned priors against classifiers trained record by record."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import classifier
from bkpriv_core.belief.classifier import Features, Model, learn
from bkpriv_core.belief.knowledge import Learned, Remembered, parse_knowledge, state_knowledge
from bkpriv_core.belief.learned import learned_prior
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.table import Table
from tests.core.learning_oracles import learned, precise
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_table, tables

__all__ = ["precise"]

pytestmark = pytest.mark.usefixtures("precise")

models = st.sampled_from(["logistic", "bayes"])


@SOME
@given(tables(max_attributes=2), models, st.integers(2, 4), st.integers(0, 2**53 - 1))
def test_beliefs_are_those_of_classifiers_without_the_record(
    records: Records, model: Model, folds: int, seed: int
) -> None:
    prior = learned_prior(as_table(records), model, folds, seed)
    expected = learned(records, model, folds, seed)
    for row, cell in zip(prior, records.cells(), strict=True):
        assert row == pytest.approx(expected[cell[0]], abs=2e-5)


@given(st.lists(st.integers(0, 60), min_size=20, max_size=60), st.booleans())
@SOME
def test_many_numbers_have_knots(ages: list[int], null: bool) -> None:
    numbers = {str(age): age for age in sorted(set(ages))}
    attribute = Attribute("age", (*numbers, *([None] if null else [])), numbers)
    rows: list[tuple[str | None, str]] = [(str(age), "ab"[age % 7 < 3]) for age in ages]
    rows += [(None, "a"), (None, "b")] if null else [("0", "a"), ("0", "b")] if 0 in ages else []
    values = tuple(value for value in "ab" if any(row[1] == value for row in rows))
    records = Records((attribute,), Attribute("s", values), tuple(rows))
    prior = learned_prior(as_table(records), "bayes", 3, 1)
    expected = learned(records, "bayes", 3, 1)
    for row, cell in zip(prior, records.cells(), strict=True):
        assert row == pytest.approx(expected[cell[0]], abs=1e-9)


@given(tables(max_attributes=2), models, st.randoms())
def test_the_order_of_rows_plays_no_part(records: Records, model: Model, random: Random) -> None:
    table = as_table(records)
    order = np.array(random.sample(range(table.cells), table.cells))
    other = Table(table.quasi_identifiers, table.sensitive, table.codes[order], table.counts[order])
    prior = learned_prior(table, model, 3, 5)
    assert np.array_equal(learned_prior(other, model, 3, 5), prior[order])


def test_where_the_optimum_is_sought_from_does_not_show() -> None:
    ages = np.arange(60)
    age = Domain("age", tuple(map(str, ages)), positions=ages.astype(np.float64))
    counts = 1 + (ages[:, None] * np.arange(3, 6) // 7 + np.arange(3)) % 5
    table = Table((age,), Domain("s", ("a", "b", "c")), ages[:, None], counts)
    features, without = Features.of(table), counts.astype(np.float64)
    without[10, 0] -= 1
    found = []
    for value in range(3):  # The value of the person who is left out.
        whole = without.copy()
        whole[10, value] += 1
        trained = learn("logistic", features, without, learn("logistic", features, whole))
        found.append(trained.predict(features))
    assert np.ptp(found, axis=0).max() < 1e-13


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        ({"learned": "logistic"}, Learned("logistic")),
        ({"learned": "bayes", "folds": 10}, Learned("bayes", 10)),
        ({"learned": "bayes", "seed": 7}, Learned("bayes", seed=7)),
        ({"sequence": "mined", "bandwidth": {"learned": "bayes"}}, None),
        ({"learned": 0.3}, {"learned": 0.3}),
    ],
)
def test_it_is_read_and_stated_again(stated: object, meant: object) -> None:
    parsed = parse_knowledge(stated)
    assert parsed == (Remembered("mined", Learned("bayes")) if meant is None else meant)
    assert json.loads(json.dumps(state_knowledge(parsed))) == stated


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({"learned": "forest"}, "logistic"),
        ({"learned": "bayes", "folds": 1}, "folds"),
        ({"learned": "bayes", "folds": 21}, "folds"),
        ({"learned": "bayes", "seed": -1}, "seed"),
        ({"learned": "bayes", "seeds": 1}, "seeds"),
    ],
)
def test_what_means_nothing_is_refused(stated: object, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_knowledge(stated)
    assert named in f"{caught.value.message} {caught.value.hint}"


def many(size: int, hierarchy: Hierarchy | None = None) -> Table:
    """A table of one record for each of many labels."""
    labels = tuple(f"{code:05}" for code in range(size))
    known = Domain("zip", labels, hierarchy=hierarchy)
    counts = np.eye(2, dtype=np.int64)[np.arange(size) % 2]
    counts[7] *= 5
    return Table((known,), Domain("s", ("a", "b")), np.arange(size)[:, None], counts)


def test_of_many_labels_the_commonest_count_or_nodes_of_the_hierarchy() -> None:
    features = Features.of(many(1000)).matrix.toarray()
    assert features.shape == (1000, 256)
    assert (features.sum(axis=1) == 1).all()
    assert sorted(features.sum(axis=0).tolist()) == [1.0] * 255 + [745.0]
    assert features[:, features[7] == 1].sum() == 1
    paths = [(f"{code:05}", f"{code // 10}", f"{code // 100}", "*") for code in range(1000)]
    features = Features.of(many(1000, Hierarchy.from_rows("zip", paths))).matrix.toarray()
    assert features.sum(axis=0).tolist() == [10.0] * 100


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(1000)
    for limit in ("_MOST_FEATURES", "_MOST_WEIGHTS", "_MOST_BELIEFS"):
        with monkeypatch.context() as changed:
            changed.setattr(classifier, limit, 10)
            changed.setattr(classifier, "learn", None)
            with pytest.raises(TooLarge, match=r"1000 combinations|256 features"):
                learned_prior(table, "bayes", 2, 0)


def test_nobody_is_in_a_table_of_one() -> None:
    table = many(8)
    alone = replace(table, codes=table.codes[:1], counts=table.counts[:1])
    assert learned_prior(alone, "logistic", 5, 0).tolist() == [[0.5, 0.5]]


def test_a_setting_computes_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    threat = ThreatModel(many(20))
    prior = threat.prior(Learned("bayes", 4, 3))
    assert np.array_equal(prior, learned_prior(many(20), "bayes", 4, 3))
    assert threat.prior(Learned("bayes", 4, 3)) is prior
