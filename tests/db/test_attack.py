"""Attacks that are played on releases, and their figures counted anew from the tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

Beliefs = dict[tuple[tuple[Any, ...], str], float]
"""Belief in a value of each kind of people."""

KIND = "(qi->>'age')::int, qi->>'sex', qi->>'city'"


@pytest.fixture
def published(clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with release 1."""
    assert publish(clinic) == 1
    return clinic


def attack(db: Connection, attacker: str, **options: Any) -> dict[str, float]:
    """Figures of an attack on release 1."""
    call = "SELECT metric, value FROM bkpriv.attack(1, %s, %s)"
    return dict(db.execute(call, [attacker, Jsonb(options)]).fetchall())


def patients(db: Connection) -> list[tuple[tuple[Any, ...], str]]:
    """Kind and disease of each patient."""
    rows = db.execute("SELECT age, sex, city, disease FROM clinic.patient").fetchall()
    return [(tuple(kind), disease) for *kind, disease in rows]


def learned(db: Connection, knowledge: Any) -> Beliefs:
    """Belief without the release in each value of each kind."""
    query = f"SELECT {KIND}, sensitive, probability FROM bkpriv.prior('patients', %s)"
    rows = db.execute(query, [Jsonb(knowledge)]).fetchall()
    return {(tuple(kind), value): chance for *kind, value, chance in rows}


def guessed(people: list[tuple[tuple[Any, ...], str]], beliefs: Beliefs, values: set[str]) -> float:
    """Share of people whose value is believed most; ties count in shares."""
    right = 0.0
    for kind, disease in people:
        most = max(beliefs[kind, value] for value in values)
        tied = [value for value in values if beliefs[kind, value] == most]
        right += (disease in tied) / len(tied)
    return right / len(people)


def shared(db: Connection, values: set[str]) -> Beliefs:
    """Share of each value in the group of each kind."""
    rows = db.execute(f"SELECT group_id, {KIND} FROM bkpriv.disclosure(1, '0.3')").fetchall()
    group = {tuple(kind): number for number, *kind in rows}
    held: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for kind, disease in patients(db):
        held[group[kind]][disease] += 1
    return {
        (kind, value): held[number][value] / held[number].total()
        for kind, number in group.items()
        for value in values
    }


def test_the_majority_guesses_what_groups_show(published: Connection) -> None:
    people = patients(published)
    values = {disease for _, disease in people}
    before = learned(published, {"learned": "bayes"})
    after = shared(published, values)
    found = attack(published, "majority", model="bayes", sure=0.6, unsure=0.4)
    assert found["people"] == len(people)
    assert found["accuracy"] == pytest.approx(guessed(people, after, values))
    assert found["baseline_accuracy"] == pytest.approx(guessed(people, before, values))
    assert found["log_loss"] == pytest.approx(
        sum(-math.log(after[kind, disease]) for kind, disease in people) / len(people)
    )
    claims = [(kind, value) for kind, _ in people for value in values if after[kind, value] > 0.6]
    assert found["claimed"] == len(claims) > 0
    right = [(kind, disease) for kind, disease in people if after[kind, disease] > 0.6]
    assert found["claimed_right"] == len(right)
    assert found["breached"] == sum(before[kind, disease] < 0.4 for kind, disease in right) > 0
    assert "over_t" not in found
    assert found["seconds"] > 0


def test_the_most_damaging_comes_first(published: Connection) -> None:
    options = {"model": "bayes", "sure": 0.6, "unsure": 0.4}
    found = attack(published, "majority", **options)
    rows = published.execute(
        f"SELECT {KIND}, sensitive, baseline, believed, records, correct, breached, distance "
        "FROM bkpriv.explain_attack(1, 'majority', %s)",
        [Jsonb(options)],
    ).fetchall()
    people = Counter(patients(published))
    values = {disease for _, disease in people}
    before, after = learned(published, {"learned": "bayes"}), shared(published, values)
    assert sum(row[6] for row in rows) == found["people"]
    assert sum(row[8] for row in rows) == found["breached"]
    assert max(row[9] for row in rows) == pytest.approx(found["worst"])
    assert rows == sorted(rows, key=lambda row: (not row[8], -row[9]))
    for *qi, value, baseline, believed, records, correct, _, _ in rows:
        kind = tuple(qi)
        assert baseline == pytest.approx(before[kind, value])
        assert believed == pytest.approx(max(after[kind, each] for each in values))
        assert records == sum(people[kind, each] for each in values)
        assert correct == people[kind, value]


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy", "js_reduce"])
def test_the_informed_believe_what_posteriors_are(clinic: Connection, method: str) -> None:
    """Folds are dealt alike when a release is read back, whatever its form."""
    publish(clinic, method=method, options={"seed": 2} if method != "mondrian" else {})
    knowledge = {"learned": "bayes", "folds": 3, "seed": 5}
    rows = clinic.execute(
        f"SELECT group_id, {KIND}, sensitive, prior, posterior FROM bkpriv.posterior(1, %s)",
        [Jsonb(knowledge)],
    ).fetchall()
    found = clinic.execute(
        f"SELECT group_id, {KIND}, sensitive, baseline, believed "
        "FROM bkpriv.explain_attack(1, 'informed', %s)",
        [Jsonb({"model": "bayes", "folds": 3, "seed": 5})],
    ).fetchall()
    most = {row[:4]: row[6] for row in sorted(rows, key=lambda row: row[6])}
    believed = {row[:5]: row[5:] for row in rows}
    assert len(found) == len(most) > 100
    for *key, baseline, belief in found:
        assert (baseline, belief) == believed[tuple(key)]
        assert belief == most[tuple(key[:4])]


def test_learning_from_the_release_finds_more_than_groups_show(clinic: Connection) -> None:
    state_policy(clinic, "diverse", {"l_diversity": {"l": 2}})
    publish(clinic, policy="diverse", method="anatomy", options={"seed": 1})
    learner, majority = attack(clinic, "learner"), attack(clinic, "majority")
    assert learner["accuracy"] > majority["accuracy"] + 0.05
    assert 1 <= learner.pop("rounds") <= 20
    again = attack(clinic, "learner")
    assert {name: again[name] for name in learner if name != "seconds"} == {
        name: value for name, value in learner.items() if name != "seconds"
    }


def test_a_policy_may_bound_what_a_classifier_is_told(clinic: Connection) -> None:
    bound = {"bandwidth": {"learned": "logistic", "folds": 4}, "t": 0.2}
    policy = {"k_anonymity": {"k": 2}, "bt_privacy": bound}
    state_policy(clinic, "learned", policy)
    publish(clinic, policy="learned")
    rows = clinic.execute("SELECT parameters, worst, vulnerable FROM bkpriv.audit(1)").fetchall()
    ((stated, worst, vulnerable),) = [row for row in rows if "bandwidth" in row[0]]
    assert stated["bandwidth"] == bound["bandwidth"]
    assert vulnerable == 0
    informed = attack(clinic, "informed", folds=4)
    assert informed["over_t"] == 0
    assert informed["worst"] == pytest.approx(worst, abs=1e-12)
    assert attack(clinic, "informed", folds=5)["over_t"] >= 0
    breach = {"belief_breach": {**bound, "rho1": 0.5, "rho2": 0.9}}
    del breach["belief_breach"]["t"]
    found = clinic.execute("SELECT worst FROM bkpriv.audit(1, %s)", [Jsonb(breach)]).fetchall()
    assert len(found) == 1
    shown = clinic.execute("SELECT prior FROM bkpriv.posterior(1, %s)", [Jsonb(bound["bandwidth"])])
    before = clinic.execute(
        "SELECT probability FROM bkpriv.prior('patients', %s)", [Jsonb(bound["bandwidth"])]
    )
    assert sorted(shown.fetchall()) == sorted(before.fetchall())


@pytest.mark.parametrize(
    ("attacker", "options", "names"),
    [
        ("majoriti", {}, ["majoriti"]),
        ("majority", {"sures": 0.9}, ["sures"]),
        ("majority", {"sure": 0.4}, ["sure", "0.4"]),
        ("majority", {"unsure": 0.95}, ["unsure", "0.95", "0.9"]),
        ("majority", {"model": "forest"}, ["forest"]),
        ("majority", {"folds": 1}, ["folds", "1"]),
        ("majority", [], ["options of majority"]),
    ],
)
def test_what_means_nothing_is_refused(
    published: Connection, attacker: str, options: Any, names: list[str]
) -> None:
    for function in ("attack", "explain_attack"):
        statement = f"SELECT * FROM bkpriv.{function}(1, %s, %s)"
        refused(published, statement, [attacker, Jsonb(options)], sqlstate="22023", names=names)
