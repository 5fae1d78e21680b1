"""Randomized releases: drawn once, shown as they were drawn, by channels that readers may read."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from psycopg.types.json import Jsonb
from scipy.stats import chisquare

from tests.conftest import Connection
from tests.db.clinic import (
    QUASI_IDENTIFIERS,
    SENSITIVE,
    declare_people,
    one,
    overhear,
    publish,
    rows_of,
    state_policy,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

BOTH = {"scheme": "rr-both"}
ATTRIBUTES = [*QUASI_IDENTIFIERS, SENSITIVE]


def draw(
    db: Connection,
    tau: float = 0.3,
    view: str = "public.drawn",
    dataset: str = "patients",
    secret: bool = False,
    **more: Any,
) -> int:
    """Publish a randomized release of the clinic; the same every time, unless it is secret."""
    state_policy(db, "drawn", {"max_disclosure": {"tau": tau}})
    return publish(db, dataset, "drawn", view, BOTH | more, "randomize", None if secret else 1)


@pytest.fixture
def coarse(clinic: Connection) -> Connection:
    """Superuser's connection to the clinic, ages in bins of 50 years."""
    return _binned(clinic)


@pytest.fixture(scope="module")
def released(shared_clinic: Connection) -> Connection:
    """The same with a release 1, by rr-both and a tau of 0.3, that is only looked at."""
    assert draw(_binned(shared_clinic)) == 1
    return shared_clinic


def _binned(clinic: Connection) -> Connection:
    clinic.execute("SELECT bkpriv.drop_dataset('patients')")
    clinic.execute(
        "SELECT bkpriv.register_dataset('patients', 'clinic.patient', '{age,sex,city}', 'disease', "
        "bins => '{\"age\": 50}')"
    )
    return clinic


def test_a_view_read_twice_gives_the_same_rows_and_a_new_release_redraws(
    coarse: Connection,
) -> None:
    draw(coarse, secret=True)
    first = rows_of(coarse, "public.drawn")
    assert len(first) == 300
    assert rows_of(coarse, "public.drawn") == first
    as_shown = "(SELECT age, sex, city, disease FROM bkpriv_release.release_1) AS stored"
    assert rows_of(coarse, as_shown) == first
    draw(coarse, secret=True)
    assert sorted(rows_of(coarse, "public.drawn"), key=str) != sorted(first, key=str)
    assert rows_of(coarse, as_shown) == first
    statuses = "SELECT array_agg(status ORDER BY release) FROM bkpriv.releases"
    assert one(coarse, statuses) == ["superseded", "published"]


def test_what_is_drawn_is_what_is_recorded_and_shown(released: Connection) -> None:
    drawn = released.execute(
        "SELECT codes, counts, (SELECT array_agg(labels::text ORDER BY place) "
        "FROM bkpriv.release_attribute) FROM bkpriv.release_draw"
    ).fetchone()
    assert drawn is not None
    codes, counts, labels = drawn
    assert sum(counts) == 300
    assert len(codes) == len(counts) * 4
    domains = [text.strip("{}").split(",") for text in labels]
    recorded: Counter[tuple[str, ...]] = Counter()
    for place, count in enumerate(counts):
        row = codes[4 * place : 4 * place + 4]
        recorded[tuple(domain[code] for domain, code in zip(domains, row, strict=True))] += count
    shown = released.execute("SELECT lower(age)::text, city, sex, disease FROM public.drawn")
    assert Counter(shown.fetchall()) == recorded


@pytest.mark.parametrize(
    ("scheme", "distorted"),
    [("rr-s", [SENSITIVE]), ("rr-qi", QUASI_IDENTIFIERS), ("rr-both", ATTRIBUTES)],
)
def test_readers_see_how_each_attribute_was_distorted(
    coarse: Connection, scheme: str, distorted: list[str]
) -> None:
    tau = 0.6 if scheme == "rr-s" else 0.3
    draw(coarse, tau, scheme=scheme)
    rows = coarse.execute("SELECT * FROM public.drawn_randomization").fetchall()
    channels = {}
    for name in ATTRIBUTES:
        mine = [(value, p, q) for attribute, value, p, q in rows if attribute == name]
        # Values are written as the view writes them.
        values = one(
            coarse,
            f"SELECT array_agg(DISTINCT {name}::text) FROM clinic.patient"
            if name != "age"
            else "SELECT array_agg(DISTINCT age::text) FROM public.drawn",
        )
        assert sorted(value for value, _, _ in mine) == sorted(values)
        ((p, q),) = {(p, q) for _, p, q in mine}
        assert p + q * (len(mine) - 1) == pytest.approx(1)
        assert p == 1 or name in distorted
        channels[name] = p
    assert min(channels.values()) < 1
    told = one(coarse, "SELECT parameters FROM bkpriv.audits")
    assert told["scheme"] == scheme
    # What is kept has no epsilon.
    epsilons = told["epsilon"].items()
    assert {name for name, epsilon in epsilons if epsilon is None} == {
        name for name, p in channels.items() if p == 1
    }
    recorded = coarse.execute(
        "SELECT attribute, retention FROM bkpriv.release_attribute"
    ).fetchall()
    assert dict(recorded) == channels
    # What is not distorted is there as it was.
    kept = ", ".join(name for name in ATTRIBUTES if name not in distorted and name != "age")
    if kept:
        query = f"SELECT {kept} FROM {{}} ORDER BY {kept}"
        original = coarse.execute(query.format("clinic.patient").encode()).fetchall()
        assert coarse.execute(query.format("public.drawn").encode()).fetchall() == original


def test_marginals_are_those_of_the_channel(db: Connection) -> None:
    db.execute(
        "CREATE TABLE wide AS SELECT i % 3 AS a, CASE WHEN i % 10 < 6 THEN 'x' WHEN i % 10 < 9 "
        "THEN 'y' ELSE 'z' END AS b FROM generate_series(0, 59999) AS i"
    )
    db.execute("SELECT bkpriv.register_dataset('wide', 'wide', '{a}', 'b')")
    # One in a million seeds would fail; this one does not.
    draw(db, 0.15, dataset="wide", seed=20260)
    channels = {
        name: (p, q)
        for name, p, q in db.execute(
            "SELECT DISTINCT attribute, retention, flip_probability FROM drawn_randomization"
        ).fetchall()
    }
    (p, q), (r, s) = channels["a"], channels["b"]
    assert p < 1
    assert r < 1
    shares = {"x": 0.6, "y": 0.3, "z": 0.1}
    found = Counter(db.execute("SELECT a, b FROM drawn").fetchall())
    expected = {
        (a, b): 60_000
        * sum((p if a == c else q) / 3 for c in range(3))
        * sum((r if b == d else s) * share for d, share in shares.items())
        for a in range(3)
        for b in shares
    }
    keys = sorted(expected)
    observed = [found[key] for key in keys]
    assert chisquare(observed, [expected[key] for key in keys]).pvalue > 1e-6
    # A test that could fail: the original is far away.
    plain = [20_000 * shares[b] for _, b in keys]
    assert chisquare(observed, plain).pvalue < 1e-6


def test_no_order_tells_which_records_were_moved(db: Connection) -> None:
    # In the source, rows stand in order; nothing of that is left in what is stored.
    db.execute(
        "CREATE TABLE ordered AS SELECT i / 2000 AS a, i % 2 AS b FROM generate_series(0, 9999) i"
    )
    db.execute("SELECT bkpriv.register_dataset('ordered', 'ordered', '{a}', 'b')")
    draw(db, 0.15, dataset="ordered")
    rows = [
        a
        for (a, *_) in db.execute("SELECT a FROM bkpriv_release.release_1 ORDER BY ctid").fetchall()
    ]
    assert [a for (a, *_) in rows_of(db, "drawn")] == rows
    # Neighbours agree as often as strangers do: a fifth of 9,999 pairs, five standard errors.
    alike = sum(one == other for one, other in pairwise(rows))
    shares = [count / 10_000 for count in Counter(rows).values()]
    expected = 9_999 * sum(share**2 for share in shares)
    assert abs(alike - expected) < 5 * (expected * 0.8) ** 0.5
    # All were written by one statement, so that no transaction or command tells any apart.
    assert (
        one(db, "SELECT count(DISTINCT (xmin::text, cmin::text)) FROM bkpriv_release.release_1")
        == 1
    )


def test_seeds_are_not_kept_and_what_is_drawn_is_not_repeatable(coarse: Connection) -> None:
    state = "SELECT options::text FROM bkpriv.release WHERE release = %s"
    release = draw(coarse)
    assert one(coarse, state, [release]) == '{"scheme": "rr-both"}'
    columns = one(
        coarse,
        "SELECT string_agg(attname, ' ') FROM pg_attribute "
        "WHERE attrelid IN ('bkpriv.release_draw'::regclass, 'bkpriv.release'::regclass)",
    )
    assert "seed" not in columns
    # A seed that is stated, for tests, repeats all of it.
    seeded = []
    for _ in range(2):
        draw(coarse, seed=5)
        seeded.append(rows_of(coarse, "public.drawn"))
    assert seeded[0] == seeded[1]
    draw(coarse, seed=6)
    assert rows_of(coarse, "public.drawn") != seeded[0]


def test_the_audit_measures_the_risk_of_records(released: Connection) -> None:
    columns = "requirement, threshold, vulnerable, satisfied, estimator_used, worst_group"
    query = f"SELECT {columns}, parameters, worst, mean FROM bkpriv.audit(%s)"
    ((*row, parameters, worst, mean),) = released.execute(query, [1]).fetchall()
    assert row == ["max_disclosure", 0.3, 0, True, "exact", None]
    assert 0.29 < worst <= 0.3
    assert 0 < mean < worst
    assert parameters["tau"] == 0.3
    assert parameters["scheme"] == "rr-both"
    assert sorted(parameters["epsilon"]) == sorted(ATTRIBUTES)
    assert all(epsilon is None or epsilon > 0 for epsilon in parameters["epsilon"].values())
    # It was certified so.
    certified = "SELECT requirement, worst, mean, vulnerable FROM bkpriv.audits WHERE audit = 1"
    assert released.execute(certified).fetchall() == [("max_disclosure", worst, mean, 0)]
    # By what is asked, records are vulnerable.
    asked = "SELECT vulnerable, satisfied FROM bkpriv.audit(%s, %s)"
    stricter = [1, '{"max_disclosure": {"tau": 0.1}}']
    ((vulnerable, satisfied),) = released.execute(asked, stricter).fetchall()
    assert (vulnerable > 0, satisfied) == (True, False)
    told = (
        "SELECT sum(records)::int FROM bkpriv.explain_disclosure(%s, NULL) WHERE disclosure > 0.1"
    )
    assert one(released, told, [1]) == vulnerable
    error = '{"query_error": {"median": 9}}'
    ((bound, *_),) = released.execute("SELECT * FROM bkpriv.audit(%s, %s)", [1, error]).fetchall()
    assert bound == "query_error"


def test_the_riskiest_records_are_named(released: Connection) -> None:
    rows = released.execute(
        "SELECT group_id, records, qi, disclosure, sensitive, prior, posterior, estimator_used "
        "FROM bkpriv.explain_disclosure(%s, NULL)",
        [1],
    ).fetchall()
    figures = [row[3] for row in rows]
    assert figures == sorted(figures, reverse=True)
    assert sum(row[1] for row in rows) == 300
    assert {(row[0], row[7]) for row in rows} == {(None, "exact")}
    assert all(row[3] == row[6] for row in rows)
    group, records, qi, worst, value, share, _, _ = rows[0]
    assert (group, worst) == (
        None,
        one(released, "SELECT worst FROM bkpriv.audits WHERE audit = 1"),
    )
    counted = one(
        released,
        "SELECT count(*) FROM clinic.patient WHERE (age / 50 * 50, sex, city, disease) "
        "= (%s, %s, %s, %s)",
        [qi["age"], qi["sex"], qi["city"], value],
    )
    assert counted == records
    everybody = one(
        released, "SELECT avg((disease = %s)::int)::float8 FROM clinic.patient", [value]
    )
    assert share == pytest.approx(everybody)
    refused(
        released,
        "SELECT * FROM bkpriv.explain_disclosure(%s, '0.3')",
        [1],
        sqlstate="22023",
        names=["bandwidth", "randomized"],
    )


NO_GROUPS = (
    "posterior(1, '0.3')",
    "disclosure(1, '0.3')",
    "max_disclosure(1, 1)",
    "explain_suppressed(1)",
    "attack(1)",
    "explain_attack(1)",
)


@pytest.mark.parametrize("call", NO_GROUPS)
def test_what_is_about_groups_says_that_there_are_none(released: Connection, call: str) -> None:
    statement = f"SELECT * FROM bkpriv.{call}"
    refused(released, statement, sqlstate="42809", names=["release 1", "groups"])


def test_an_audit_of_groups_is_refused(released: Connection) -> None:
    for requirements in (
        '{"k_anonymity": {"k": 2}}',
        '{"k_anonymity": {"k": 2}, "max_disclosure": {"tau": 0.5}}',
    ):
        refused(
            released,
            "SELECT * FROM bkpriv.audit(%s, %s)",
            [1, requirements],
            sqlstate="22023",
            names=["k_anonymity", "groups"],
        )


# --- Coarsened attributes -------------------------------------------------------------------------


def test_attributes_are_coarsened_before_they_are_drawn(clinic: Connection) -> None:
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{25}', 20)")
    draw(clinic, 0.999, levels={"age": 1, "city": 1})
    query = "SELECT age, sex, city, disease FROM public.drawn"
    shown = Counter(clinic.execute(query).fetchall())
    low, high = "min(age) OVER w", "max(age) OVER w"
    truth = clinic.execute(
        f"SELECT format('[%s,%s]', {low}, {high}), sex, region, disease "
        "FROM clinic.patient JOIN clinic.city_levels USING (city) "
        "WINDOW w AS (PARTITION BY (age - 20) / 25)".encode()
    )
    # A tau that the table itself keeps distorts nothing.
    assert shown == Counter(truth.fetchall())
    draw(clinic, 0.3, levels={"age": 1, "city": 1})
    values = "SELECT array_agg(value ORDER BY value) FROM drawn_randomization WHERE attribute = "
    assert one(clinic, values + "'city'") == ["north", "south"]
    assert one(clinic, values + "'age'") == one(clinic, "SELECT array_agg(DISTINCT age) FROM drawn")
    types = "SELECT array_agg(type ORDER BY place) FROM bkpriv.release_attribute WHERE release = 2"
    assert one(clinic, types) == ["text"] * 4
    counted = "SELECT count(*) FROM patients WHERE city = 'north' AND sex = 'f'"
    ((_, actual, _, _),) = clinic.execute(
        "SELECT * FROM bkpriv.query_accuracy(2, %s)", [counted]
    ).fetchall()
    regions = "SELECT count(*) FROM clinic.patient JOIN clinic.city_levels USING (city) "
    assert actual == one(clinic, regions + "WHERE region = 'north' AND sex = 'f'")
    alone = "SELECT vulnerable FROM bkpriv.audit(2) WHERE parameters ? 'scheme'"
    assert one(clinic, alone) == 0
    # Named people are in cells of what is published.
    declare_people(clinic)
    release = draw(clinic, 0.9, dataset="people", view="public.people", levels={"age": 1})
    assert one(clinic, "SELECT cardinality(parts) FROM bkpriv.release_respondent") == 300
    refused(
        clinic,
        "SELECT * FROM bkpriv.max_disclosure(%s, 1)",
        [release],
        sqlstate="42809",
        names=["groups"],
    )


@pytest.mark.parametrize(
    ("levels", "names"),
    [
        ({"nose": 1}, ["nose"]),
        ({"disease": 1}, ["disease"]),
        ({"city": 9}, ["city", "9"]),
        ({"city": -1}, ["city", "-1"]),
        ({"city": "region"}, ["city", "region"]),
        ({}, ["levels"]),
    ],
)
def test_levels_that_there_are_not_are_refused(
    clinic: Connection, levels: dict[str, Any], names: list[str]
) -> None:
    state_policy(clinic, "drawn", {"max_disclosure": {"tau": 0.3}})
    options = Jsonb(BOTH | {"levels": levels})
    publish_it = "SELECT bkpriv.publish('patients', 'drawn', 'x', 'randomize', options => %s)"
    with unchanged(clinic):
        refused(clinic, publish_it, [options], sqlstate="22023", names=names)


# --- Several draws --------------------------------------------------------------------------------


def test_a_second_draw_is_warned_of_or_refused(coarse: Connection) -> None:
    said = overhear(coarse)
    first = draw(coarse)
    assert said == []
    coarse.execute("SELECT bkpriv.withdraw(%s, 'why')", [first])
    second = draw(coarse, view="public.other")
    (warning,) = [line for line in said if "have been released before" in line]
    assert f"{first} (withdrawn)" in warning
    assert "What they disclose together is not measured." in warning
    assert len(coarse.execute("SELECT FROM bkpriv.audit(%s)", [second]).fetchall()) == 1
    state_policy(coarse, "once", {"max_disclosure": {"tau": 0.3}, "overlap": "refuse"})
    with unchanged(coarse):
        error = refused(
            coarse,
            "SELECT bkpriv.publish('patients', 'once', 'x', 'randomize', options => %s)",
            [Jsonb(BOTH)],
            sqlstate="22023",
            names=[f"{second} (published)", "not measured"],
        )
    assert "method that forms groups" in str(error.message_hint)


def test_that_nothing_was_distorted_is_said(coarse: Connection) -> None:
    said = overhear(coarse)
    release = draw(coarse, tau=0.999)
    assert any(f"release {release} shows every record as it is" in line for line in said)
