"""Quasi-identifiers of as many values as there are people: birth dates, times, postcodes."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

PEOPLE = 7_000

BANDWIDTH = '{"born": 0.3, "sex": 0.5, "postcode": 1.5}'

BY_DEFINITION = """
SELECT (sum(w.weight) FILTER (WHERE other.illness = 'flu') / sum(w.weight))::float8
FROM clinic.person AS who, clinic.person AS other,
    (SELECT (max(born) - min(born))::numeric AS days FROM clinic.person) AS range,
    LATERAL (SELECT greatest(0, 1 - (abs(who.born - other.born) / range.days / 0.3) ^ 2)
        * (who.sex = other.sex)::int
        * CASE WHEN who.postcode = other.postcode THEN 1 ELSE 1 - (1 / 1.5) ^ 2 END) AS w(weight)
WHERE (who.born, who.sex, who.postcode) = (%s, %s, %s)
"""

SOME_CELLS = """
SELECT qi->>'born', qi->>'sex', qi->>'postcode', probability FROM cells WHERE sensitive = 'flu'
ORDER BY md5(qi::text) LIMIT 9
"""


@pytest.fixture
def people(db: Connection) -> Connection:
    """Table of people who were born on different days, fourteen to a postcode."""
    db.execute(
        f"""
        CREATE SCHEMA clinic;
        CREATE TABLE clinic.person AS
        SELECT date '1930-01-01' + 4 * i AS born, (ARRAY['f', 'm'])[1 + i % 2] AS sex,
            to_char(i / 14 * 7, 'FM00000') AS postcode, i AS number,
            timestamp '2020-01-01' + i * interval '1.5 s' AS seen,
            (ARRAY['flu', 'none', 'asthma', 'none'])[1 + (i * i / 3) % 4] AS illness
        FROM generate_series(1, {PEOPLE}) AS i
        """
    )
    return db


def test_birth_dates_are_published_and_audited(people: Connection) -> None:
    people.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.person', %s, 'illness')",
        [["born", "sex", "postcode"]],
    )
    people.execute(f"CREATE TABLE cells AS SELECT * FROM bkpriv.prior('people', '{BANDWIDTH}')")
    for born, sex, postcode, probability in people.execute(SOME_CELLS).fetchall():
        assert one(people, BY_DEFINITION, [born, sex, postcode]) == pytest.approx(
            probability, abs=1e-12
        )
    beliefs = [{"bandwidth": {"born": 0.02, "sex": 0.5, "postcode": 1.5}, "t": 0.3}]
    state_policy(people, "p", {"k_anonymity": {"k": 4}, "bt_privacy": beliefs})
    release = publish(people, "people", "p", "public.shown", {"estimator": "omega"})
    measured = people.execute(
        "SELECT requirement, satisfied FROM bkpriv.audit(%s, NULL, 'omega')", [release]
    ).fetchall()
    assert measured == [("k_anonymity", True), ("bt_privacy", True)]
    ranges = one(people, "SELECT count(DISTINCT born) FROM public.shown")
    assert 100 < ranges < PEOPLE / 4
    assert one(people, "SELECT count(*) FROM public.shown") == PEOPLE


def test_so_many_times_and_numbers_at_once(people: Connection) -> None:
    people.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.person', %s, 'illness')",
        [["number", "seen"]],
    )
    state_policy(people, "p", {"bt_privacy": [{"bandwidth": 0.1, "t": 0.3}]})
    assert publish(people, "people", "p", "public.shown", {"estimator": "omega"})


def test_distances_of_so_many_sensitive_values_are_refused(people: Connection) -> None:
    people.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.person', %s, 'number')", [["sex"]]
    )
    adversary = {"bandwidth": 0.3, "t": 0.3}
    state_policy(people, "p", {"bt_privacy": adversary})
    # Where values are alike or not, there are no distances to hold.
    assert publish(people, "people", "p", "public.unblended")
    state_policy(people, "p", {"bt_privacy": {**adversary, "smoothing": 0.5}})
    refused(
        people,
        "SELECT bkpriv.publish('people', 'p', 'shown')",
        sqlstate="54000",
        names=['"number"', "7000", "sensitive values", "5000"],
    )
