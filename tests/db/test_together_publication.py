"""Publishing again: each release is certified together with the earlier ones of its people.

What several releases tell is found from the history alone, by listing all ways to give the people
whom groups connect values that agree with what was shown; see `composition_oracles`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.conftest import Connection
from tests.core import composition_oracles
from tests.db.clinic import fill, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

SURE = {"max_disclosure": {"tau": 0.8}}

LEAST = {"k_anonymity": {"k": 3}, "max_disclosure": {"tau": 0.7}}

Person = tuple[int, int, str]


def register(connection: Connection, people: Iterable[Person], dataset: str = "people") -> None:
    """Register a table ``person`` of these, by name, age and disease."""
    connection.execute("CREATE TABLE person (name int, age int, disease text)")
    fill(connection, "person", list(people))
    connection.execute(
        "SELECT bkpriv.register_dataset(%s, 'person', '{age}', 'disease', 'name')", [dataset]
    )


GOLDEN: list[Person] = [(0, 20, "hiv"), (1, 21, "hiv"), (2, 22, "hiv"), (3, 23, "flu")]

E: Person = (4, 24, "hiv")


def shown(connection: Connection, release: int) -> list[dict[str, str]]:
    """Value of each member of each group of a release, by the history."""
    rows = connection.execute(
        "SELECT u.label, u.name, a.labels[u.code + 1] FROM bkpriv.release_respondent AS r, "
        "unnest(r.respondents, r.group_ids, r.sensitive_codes) AS u(name, label, code), "
        "LATERAL (SELECT labels FROM bkpriv.release_attribute AS l "
        "WHERE l.release = r.release ORDER BY place DESC LIMIT 1) AS a "
        "WHERE r.release = %s AND u.label >= 0",
        [release],
    ).fetchall()
    groups: dict[int, dict[str, str]] = {}
    for label, name, value in rows:
        groups.setdefault(label, {})[name] = value
    return list(groups.values())


def surest(groups: list[dict[str, str]]) -> dict[str, float]:
    """Largest belief about each person's value, for a reader without knowledge: by enumeration.

    One component of people after the other, values of all equally likely before.
    """
    values = sorted({value for group in groups for value in group.values()})
    sure: dict[str, float] = {}
    left = list(groups)
    while left:
        component, reached = [left.pop()], set[str]()
        while True:
            reached = {name for group in component for name in group}
            more = [group for group in left if reached & group.keys()]
            if not more:
                break
            component += more
            left = [group for group in left if not reached & group.keys()]
        people = sorted(reached)
        told = [
            (
                [people.index(name) for name in group],
                Counter(values.index(value) for value in group.values()),
            )
            for group in component
        ]
        prior = [[1.0 / len(values)] * len(values)] * len(people)
        posterior = composition_oracles.posteriors(prior, told)
        assert posterior is not None
        sure |= {name: max(row) for name, row in zip(people, posterior, strict=True)}
    return sure


def findings(connection: Connection, release: int) -> list[tuple[Any, ...]]:
    """Findings that were recorded of a release together with others."""
    return connection.execute(
        "SELECT requirement, parameters -> 'together', worst, vulnerable, satisfied "
        "FROM bkpriv.audits WHERE release = %s AND parameters ? 'together' ORDER BY 1",
        [release],
    ).fetchall()


def test_who_came_alone_is_not_found_by_taking_one_release_from_the_other(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE)
    publish(db, "people", "p", "shown")
    fill(db, "person", [E])
    said = overhear(db)
    release = publish(db, "people", "p", "shown")
    assert shown(db, release) == [{"0": "hiv", "1": "hiv", "2": "hiv", "3": "flu"}]
    assert findings(db, release) == [("max_disclosure", [1, 2], 0.75, 0, True)]
    columns = "records, requirement, parameters, attained"
    explain = f"SELECT {columns} FROM bkpriv.explain_suppressed({release})"
    explained = db.execute(explain.encode()).fetchall()
    assert explained == [(1, "max_disclosure", {"tau": 0.8, "together": [1, 2]}, 1.0)]
    assert [message for message in said if "1 records are left out" in message]
    assert not [message for message in said if "released before" in message]


def test_who_came_with_others_is_shown_among_them(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE)
    publish(db, "people", "p", "shown")
    fill(db, "person", [E, *[(5 + i, 40 + i, "hiv" if i % 2 else "flu") for i in range(4)]])
    release = publish(db, "people", "p", "shown")
    assert sum(map(len, shown(db, release))) == 9
    assert max(surest(shown(db, 1) + shown(db, release)).values()) <= 0.8


def test_who_has_another_value_since_is_counted(db: Connection) -> None:
    register(db, [*GOLDEN, *[(5 + i, 40 + i, "hiv" if i % 2 else "flu") for i in range(4)]])
    state_policy(db, "p", SURE)
    publish(db, "people", "p", "shown")
    said = overhear(db)
    publish(db, "people", "p", "shown")
    assert not [message for message in said if "another sensitive" in message]
    db.execute("UPDATE person SET disease = 'flu' WHERE name = 1")
    release = publish(db, "people", "p", "shown")
    words = f"1 respondents of release {release} had another sensitive value"
    assert [message for message in said if words in message]


def test_it_is_pointed_out_where_the_policy_says_so(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE | {"overlap": "warn"})
    publish(db, "people", "p", "shown")
    fill(db, "person", [E])
    said = overhear(db)
    release = publish(db, "people", "p", "shown")
    assert surest(shown(db, 1) + shown(db, release))["4"] == 1
    assert findings(db, release) == []
    assert [message for message in said if "have been released before: 1 (published)" in message]


def test_it_is_refused_where_the_policy_says_so(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE | {"overlap": "refuse"})
    publish(db, "people", "p", "shown")
    with unchanged(db):
        refused(
            db,
            "SELECT bkpriv.publish('people', 'p', 'other')",
            sqlstate="22023",
            names=["1 (published)"],
        )


def test_a_withdrawn_release_counts(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE)
    publish(db, "people", "p", "shown")
    db.execute("SELECT bkpriv.withdraw(1, 'for the test')")
    fill(db, "person", [E])
    release = publish(db, "people", "p", "shown")
    assert ["4" in group for group in shown(db, release)] == [False]


def test_a_purged_release_is_pointed_out(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "p", SURE)
    publish(db, "people", "p", "shown")
    db.execute("SELECT bkpriv.withdraw(1, 'for the test')")
    db.execute("SELECT bkpriv.purge(1, 'for the test')")
    fill(db, "person", [E])
    said = overhear(db)
    release = publish(db, "people", "p", "shown")
    assert ["4" in group for group in shown(db, release)] == [True]
    (warning,) = [message for message in said if "are not judged together" in message]
    assert "1 (withdrawn)" in warning or "1 (purged)" in warning
    assert findings(db, release) == []


def test_where_the_first_release_exposes_somebody_it_is_said(db: Connection) -> None:
    register(db, GOLDEN)
    state_policy(db, "loose", {"k_anonymity": {"k": 4}, "overlap": "warn"})
    state_policy(db, "p", {"max_disclosure": {"tau": 0.7}})
    publish(db, "people", "loose", "shown")
    fill(db, "person", [(4, 24, "flu"), (5, 25, "hiv")])
    said = overhear(db)
    release = publish(db, "people", "p", "other")
    assert [message for message in said if message.startswith("4 people are exposed by what was")]
    ((_, together, worst, vulnerable, satisfied),) = findings(db, release)
    assert (together, worst, vulnerable, satisfied) == ([1, 2], 0.75, 4, False)
    assert surest(shown(db, 1) + shown(db, release))["0"] <= 0.75


def people(count: int, seed: int) -> list[Person]:
    """People of some ages and diseases."""
    draw = random.Random(seed)
    # In every beginning of them no disease is that of more than half.
    diseases = [d for _ in range(count) for d in draw.sample(("flu", "hiv", "gout"), 3)]
    return [(name, draw.randint(20, 40), diseases[name]) for name in range(count)]


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy", "microaggregate"])
def test_nobody_is_found_in_a_table_that_grows(db: Connection, method: str) -> None:
    """Four months of publishing everything anew, by methods of every form."""
    population = people(14, 3)
    register(db, population[:8])
    state_policy(db, "p", LEAST | {"l_diversity": {"l": 2, "variant": "distinct"}})
    told: list[dict[str, str]] = []
    options = {"seed": 1}
    for month, coming in enumerate((0, 2, 1, 3)):
        arrived = 8 + sum((0, 2, 1, 3)[:month])
        fill(db, "person", population[arrived : arrived + coming])
        if month == 2:
            db.execute("DELETE FROM person WHERE name = 3")
        release = publish(db, "people", "p", "shown", options, method)
        told += shown(db, release)
        assert max(surest(told).values()) <= 0.7 + 1e-9
        assert all(satisfied for *_, satisfied in findings(db, release))
        assert len(findings(db, release)) == 3 * bool(month)


def test_two_policies_on_one_table(db: Connection) -> None:
    register(db, people(12, 5))
    state_policy(db, "fine", {"k_anonymity": {"k": 2}, "max_disclosure": {"tau": 0.7}})
    state_policy(db, "coarse", {"k_anonymity": {"k": 4}, "max_disclosure": {"tau": 0.7}})
    first = publish(db, "people", "coarse", "for_press")
    second = publish(db, "people", "fine", "for_research")
    assert max(surest(shown(db, first) + shown(db, second)).values()) <= 0.7 + 1e-9


def test_whole_columns_stay_generalized_as_a_whole(db: Connection) -> None:
    """A class of newcomers is shown; a newcomer in another class waits, if they would be found."""
    diseases = ("hiv", "flu", "gout")
    register(db, [(name, 20 + name % 5, diseases[name % 3]) for name in range(6)])
    db.execute("SELECT bkpriv.set_interval_hierarchy('people', 'age', '{5,10}')")
    state_policy(db, "p", LEAST)
    publish(db, "people", "p", "shown", None, "incognito")
    fill(db, "person", [(6 + i, 50 + i, disease) for i, disease in enumerate(diseases)])
    fill(db, "person", [(9, 21, "hiv")])
    release = publish(db, "people", "p", "shown", None, "incognito")
    told = shown(db, release)
    assert sorted(map(sorted, told)) == [list("012345"), list("678")]
    assert max(surest(shown(db, 1) + told).values()) <= 0.7
    ranges = db.execute("SELECT DISTINCT age FROM shown ORDER BY 1").fetchall()
    assert len(ranges) == 2


def test_a_policy_that_certifies_needs_respondents(clinic: Connection) -> None:
    state_policy(clinic, "p", {"k_anonymity": {"k": 5}, "overlap": "certify"})
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'p', 'shown')",
            sqlstate="42703",
            names=["patients", "respondents"],
        )


@pytest.mark.parametrize(
    ("policy", "method", "options", "names"),
    [
        ({"max_disclosure": {"tau": 0.9}}, "randomize", '{"scheme": "rr-both"}', ["randomize"]),
        (SURE, "js_reduce", '{"unfit": "relax"}', ["unfit", "relax"]),
        (SURE, "js_reduce", '{"unfit": "counterfeit"}', ["unfit", "counterfeit"]),
        ({"ck_safety": {"c": 0.9, "k": 0}}, "mondrian", "{}", ["ck_safety"]),
    ],
)
def test_what_cannot_be_certified_together_is_refused_or_pointed_out(
    db: Connection, policy: dict[str, Any], method: str, options: str, names: list[str]
) -> None:
    register(db, people(12, 1))
    state_policy(db, "p", policy | {"overlap": "certify"})
    state_policy(db, "default", policy)
    call = "SELECT bkpriv.publish('people', %s, %s, %s, options => %s)"
    with unchanged(db):
        refused(db, call, ["p", "shown", method, options], sqlstate="22023", names=names)
    db.execute(call, ["default", "shown", method, options])
    said = overhear(db)
    db.execute(call, ["default", "other", method, options])
    assert [message for message in said if "have been released before" in message]
