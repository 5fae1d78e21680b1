"""Scales of numbers and days: computed, declared, recorded, and the same for whoever measures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

READER = {"bandwidth": 0.3, "t": 0.2}


@pytest.fixture
def people(db: Connection) -> Connection:
    """Superuser's connection to a database with 1,500 people of 18 to 87 years."""
    db.execute(
        "CREATE TABLE person AS SELECT 18 + i % 70 AS age, date '1950-01-01' + i * 7 AS born, "
        "(ARRAY['flu', 'gout', 'rash'])[1 + i * i / 7 % 3] AS dx FROM generate_series(1, 1500) i"
    )
    return db


def register(connection: Connection, known: list[str], scales: Any = None, name: str = "p") -> None:
    """Register the dataset."""
    connection.execute(
        "SELECT bkpriv.register_dataset(%s, 'person', %s, 'dx', scales => %s::jsonb)",
        [name, known, json.dumps(scales or {})],
    )


def bounds_of(connection: Connection, release: int) -> dict[str, list[float] | None]:
    """Bounds of the scales that were recorded of a release."""
    return dict(
        connection.execute(
            "SELECT attribute, bounds FROM bkpriv.release_attribute WHERE release = %s",
            [release],
        ).fetchall()
    )


def priors(connection: Connection, width: float = 0.3) -> dict[int, dict[str, float]]:
    """Belief about people of each age."""
    found: dict[int, dict[str, float]] = {}
    for known, value, share in connection.execute(
        "SELECT qi, sensitive, probability FROM bkpriv.prior('p', %s::jsonb)", [json.dumps(width)]
    ):
        found.setdefault(known["age"], {})[value] = share
    return found


def by_definition(connection: Connection, length: int, width: float) -> dict[int, dict[str, float]]:
    """The same by pairs of people."""
    rows = connection.execute("SELECT age, dx, count(*) FROM person GROUP BY age, dx").fetchall()
    found = {}
    for own in {age for age, *_ in rows}:
        seen = dict.fromkeys(["flu", "gout", "rash"], 0.0)
        for age, value, records in rows:
            far = min(abs(age - own) / length, 1.0) / width
            seen[value] += records * max(0.0, 1 - far**2)
        found[own] = {value: share / sum(seen.values()) for value, share in seen.items()}
    return found


@pytest.mark.parametrize("width", [0.3, 1.5])
@pytest.mark.parametrize("outlier", [120, 999999, -99])
def test_a_value_far_out_changes_no_bandwidth(
    people: Connection, outlier: int, width: float
) -> None:
    people.execute("INSERT INTO person VALUES (%s, '1970-01-01', 'flu')", [outlier])
    register(people, ["age"])
    expected = by_definition(people, length=69, width=width)
    for age, shares in priors(people, width).items():
        assert shares == pytest.approx(expected[age], abs=1e-12)


def test_a_release_is_measured_on_the_scale_that_it_had(people: Connection) -> None:
    people.execute("INSERT INTO person VALUES (120, '9999-12-31', 'flu')")
    register(people, ["age", "born"])
    state_policy(people, "loose", {"k_anonymity": {"k": 5}, "bt_privacy": READER})
    release = publish(people, "p", "loose", "public.shown")
    days = [seconds_of(people, day) for day in ("1950-01-08", "1978-10-01")]
    assert bounds_of(people, release) == {"age": [18, 87], "born": days, "dx": None}
    measured = [
        people.execute(statement, [release]).fetchall()
        for statement in ("SELECT * FROM bkpriv.utility(%s)", "SELECT worst FROM bkpriv.audit(%s)")
    ]
    people.execute("DELETE FROM person WHERE age > 60; UPDATE person SET age = age * 3")
    assert measured == [
        people.execute(statement, [release]).fetchall()
        for statement in ("SELECT * FROM bkpriv.utility(%s)", "SELECT worst FROM bkpriv.audit(%s)")
    ]


def seconds_of(connection: Connection, day: str) -> float:
    """Seconds of a day since 1970."""
    return float(one(connection, "SELECT extract(epoch FROM %s::date)::float8", [day]))


def test_bandwidths_are_said_in_units_and_values_beyond_are_judged(people: Connection) -> None:
    people.execute("INSERT INTO person VALUES (120, '1970-01-01', 'flu')")
    register(people, ["age", "born"])
    wide = {"age": 1, "born": 0.5}
    bounds = [READER, {"bandwidth": wide, "t": 0.2}, {"bandwidth": {"kernel": "uniform"}, "t": 0.3}]
    state_policy(people, "loose", {"k_anonymity": {"k": 5}, "bt_privacy": bounds})
    said: list[str] = []
    people.add_notice_handler(lambda each: said.append(each.message_detail or ""))
    release = publish(people, "p", "loose", "public.shown")
    lines = said[-1].split("\n")
    assert [line for line in lines if line.startswith("B = ")] == [
        "B = 0.3 (age: 20.7; born: 8.62 years).",
        'B = {"age": 1.0, "born": 0.5} (age: 69; born: 14.4 years).',
    ]
    page = one(people, "SELECT bkpriv.report_html(%s)", [release])
    assert "less than 0.3 of its scale (age: 20.7; born: 8.62 years)" in page
    page = one(people, "SELECT bkpriv.report_html(%s, 'outsiders')", [release])
    assert "20.7" not in page
    judged = "SELECT count FROM bkpriv.verdict(%s) WHERE what LIKE 'scale: %%scale of age'"
    assert one(people, judged, [release]) == 1
    people.execute("SELECT bkpriv.audit(%s)", [release])
    assert one(people, judged, [release]) == 1


def test_declared_scales_are_what_bandwidths_are_shares_of(people: Connection) -> None:
    register(people, ["age"], {"age": [0, 100]})
    expected = by_definition(people, length=100, width=0.3)
    for age, shares in priors(people).items():
        assert shares == pytest.approx(expected[age], abs=1e-12)


def test_loss_is_measured_on_the_scale(people: Connection) -> None:
    register(people, ["age"], {"age": [0, 1000]})
    state_policy(people, "k", {"k_anonymity": {"k": 30}})
    release = publish(people, "p", "k", "public.shown")
    loss = one(people, "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'", [release])
    lengths = one(
        people,
        "SELECT sum(upper(age) - 1 - lower(age))::float8 / count(*) FROM shown",
    )
    assert loss == pytest.approx(lengths / 1000, abs=1e-12)


def test_the_same_declaration_changes_nothing(people: Connection) -> None:
    scales = {"age": [0, 100], "born": ["1900-01-01", "2025-12-31"]}
    register(people, ["age", "born"], scales)
    register(people, ["age", "born"], scales)
    said = refused(
        people,
        "SELECT bkpriv.register_dataset('p', 'person', '{age,born}', 'dx', "
        """scales => '{"age": [0, 90]}')""",
        sqlstate="42710",
        names=["scales"],
    )
    assert "[0, 100]" in (said.message_detail or "")


@pytest.mark.parametrize(
    ("scales", "names"),
    [
        ({"dx": [0, 1]}, ["dx"]),
        ({"weight": [0, 1]}, ["weight"]),
        ({"age": [0]}, ["age", "[0]"]),
        ({"born": [0, 1]}, ["born"]),
    ],
)
def test_refused_scales(people: Connection, scales: Any, names: list[str]) -> None:
    refused(
        people,
        "SELECT bkpriv.register_dataset('p', 'person', '{age,born}', 'dx', scales => %s::jsonb)",
        [json.dumps(scales)],
        sqlstate="22023",
        names=names,
    )


def test_labels_have_no_scale(people: Connection) -> None:
    refused(
        people,
        "SELECT bkpriv.register_dataset('p', 'person', '{age}', 'dx', "
        """bins => '{"age": "label"}', scales => '{"age": [0, 90]}')""",
        sqlstate="22023",
        names=["age"],
    )
