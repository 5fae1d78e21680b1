"""Certainty of readers: the closing notice, the report and audits agree."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.belief.posterior import may_understate
from tests.conftest import Connection
from tests.db.clinic import declare_people, fill, one, publish, state_policy
from tests.db.months import MONTHS, months, publish_month
from tests.db.several import COLUMNS, declare, draw_visits
from tests.db.test_report import page_of, words_of

__all__ = ["months"]

pytestmark = pytest.mark.rolled_back

K = {"k_anonymity": {"k": 2}}

CUSTOMARY = {"belief_breach": {"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9}}

MEANT = ": believed at most 50 % before, above 90 % after."

LINE = re.compile(
    r"A reader( whom the policy does not name)? \((.*)\) becomes sure of (about )?"
    rf"(\d+) of (\d+) (records|persons){re.escape(MEANT)}"
)


def told(db: Connection, release: int) -> list[str]:
    """Lines of the closing notice about readers who become sure."""
    detail = one(
        db,
        "SELECT detail FROM bkpriv.release_notice WHERE release = %s ORDER BY place DESC LIMIT 1",
        [release],
    )
    return [line for line in detail.splitlines() if "becomes sure" in line]


def _reader(parameters: dict[str, Any]) -> str:
    """A reader, and what they are kept from, as the notice says it."""
    knows = parameters["bandwidth"]
    if isinstance(knows, dict):
        order = ("sequence", "bandwidth", "kernel")
        knows = {key: knows[key] for key in order if key in knows}
    said = [f"bandwidth = {json.dumps(knows)}"]
    if "sensitive" in parameters:
        said.append(f"sensitive = {parameters['sensitive']}")
    return ", ".join([*said, "joint = true"] if "joint" in parameters else said)


def agreeing(
    db: Connection, release: int, policy: dict[str, Any] | None = None, unit: str = "records"
) -> list[int]:
    """Numbers of those of whom readers become sure, if notice, audit and report agree on them."""
    audited = db.execute(
        "SELECT parameters, sure, estimator_used FROM bkpriv.audit(%s, %s) WHERE sure IS NOT NULL",
        [release, Jsonb(CUSTOMARY if policy is None else policy)],
    ).fetchall()
    assert audited
    lines = told(db, release)
    assert len(lines) == len({_reader(parameters) for parameters, *_ in audited})
    published = one(
        db, "SELECT records - suppressed FROM bkpriv.releases WHERE release = %s", [release]
    )
    words = words_of(page_of(db, release))
    counts = []
    for line in lines:
        match = LINE.fullmatch(line)
        assert match is not None, line
        unnamed, stated, about, sure, among, of = match.groups()
        assert (int(among), of, bool(unnamed)) == (published, unit, policy is None)
        ((count, estimator),) = {
            (count, estimator)
            for parameters, count, estimator in audited
            if _reader(parameters) == stated
        }
        assert int(sure) == count
        assert bool(about) == may_understate(estimator)
        assert f"{sure} of {published} {unit}" in words
        counts.append(count)
    assert words.count("): believed at most 50 % before") == len(lines)
    assert ("whom the policy does not name, becomes sure" in words) == (policy is None)
    assert "becomes sure" not in words_of(page_of(db, release, "outsiders"))
    return counts


@pytest.mark.parametrize("method", ["mondrian", "agglomerate", "incognito", "bucketize", "anatomy"])
def test_where_the_policy_names_no_reader_one_stands_in(clinic: Connection, method: str) -> None:
    state_policy(clinic, "small", {**K, "l_diversity": {"l": 2}} if method == "anatomy" else K)
    (sure,) = agreeing(clinic, publish(clinic, policy="small", method=method))
    assert (sure > 0) == (method != "incognito")


@pytest.mark.parametrize(
    "policy",
    [
        {"bt_privacy": {"bandwidth": 0.3, "t": 0.9}},
        {"bt_privacy": [{"bandwidth": 0.3, "t": 0.9}, {"bandwidth": 0.1, "t": 0.95}]},
        CUSTOMARY,
        {"belief_breach": {"bandwidth": 0.3, "rho1": 0.1, "rho2": 0.99}},
        {"bt_privacy": {"bandwidth": {"from": 0.2, "to": 0.5}, "t": 0.9}},
        {"bt_privacy": {"bandwidth": {"kernel": "uniform"}, "t": 0.9}, "l_diversity": {"l": 1}},
    ],
    ids=str,
)
def test_readers_whom_the_policy_names_are_counted(
    clinic: Connection, policy: dict[str, Any]
) -> None:
    state_policy(clinic, "stated", {**K, **policy})
    counts = agreeing(clinic, publish(clinic, policy="stated"), policy)
    assert (sum(counts) == 0) == (policy == CUSTOMARY)


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_so_they_are_of_several_columns_and_of_persons(
    clinic: Connection, persons: bool, named: bool
) -> None:
    clinic.execute(
        "CREATE TABLE clinic.visit "
        "(id int, age int, sex text, city text, disease text, treatment text)"
    )
    visits = draw_visits(240)
    fill(clinic, "clinic.visit", [*visits, *visits[:60]] if persons else visits)
    declare(clinic)
    policy: dict[str, Any] = {
        "bt_privacy": [
            {"bandwidth": 0.3, "t": 0.9},
            {"bandwidth": 0.3, "t": 0.95, "joint": True},
        ]
    }
    state_policy(clinic, "stated", {**K, **policy} if named else K)
    options = {"max_records_per_person": 2} if persons else {}
    release = publish(clinic, "visits", "stated", "public.visits", options)
    unit = "persons" if persons else "records"
    if named:
        assert len(agreeing(clinic, release, policy, unit)) == 3
    else:
        counts = agreeing(clinic, release, unit=unit)
        assert len(counts) == len(COLUMNS)
        assert all(counts)


def test_so_they_are_of_releases_that_grow_and_are_judged_together(clinic: Connection) -> None:
    declare_people(clinic)
    for option in ({"grow": True}, {"grow": True, "estimator": "exact"}):
        state_policy(clinic, "plain", {**K, "overlap": "warn"})
        agreeing(clinic, publish(clinic, "people", "plain", "public.people", option))
    policy = {"bt_privacy": {"bandwidth": 0.3, "t": 0.9}}
    state_policy(clinic, "beliefs", {**K, **policy, "overlap": "certify"})
    release = publish(clinic, "people", "beliefs", "public.beliefs")
    alone, *together = told(clinic, release)
    assert LINE.fullmatch(alone)
    (row,) = clinic.execute(
        "SELECT sure, estimator_used FROM bkpriv.audit_together(ARRAY(SELECT release "
        "FROM bkpriv.releases WHERE dataset = 'people'), %s)",
        [Jsonb(policy)],
    ).fetchall()
    about = "" if row[1] == "exact" else "about "
    assert len(together) == 1
    assert f"becomes sure of {about}{row[0]} persons{MEANT}" in together[0]
    assert "together = [1" in together[0]


def test_so_they_are_against_who_remembers(months: Connection) -> None:
    months.execute(
        "SELECT bkpriv.set_sequential_knowledge('months', 'course', 'domain', 'clinic.course')"
    )
    policy = {"bt_privacy": {"bandwidth": {"sequence": "course", "bandwidth": 0.5}, "t": 0.9}}
    state_policy(months, "wary", {**K, **policy})
    for month in MONTHS[:2]:
        agreeing(months, publish_month(months, month, "wary"), policy)


def test_of_records_that_are_drawn_nothing_is_counted(clinic: Connection) -> None:
    state_policy(clinic, "drawn", {"max_disclosure": {"tau": 0.7}})
    release = publish(
        clinic, "patients", "drawn", "public.v", {"scheme": "rr-both"}, method="randomize"
    )
    assert told(clinic, release) == [
        "Of whom a reader becomes sure is not counted of records that are drawn."
    ]
    assert "becomes sure" not in words_of(page_of(clinic, release))
    assert one(clinic, "SELECT sure IS NULL FROM bkpriv.audit(%s)", [release])


def test_where_that_would_take_long_nothing_is_counted_and_the_table_is_published(
    clinic: Connection,
) -> None:
    clinic.execute(
        "CREATE TABLE wide AS SELECT a, a * 7919 % 4211 AS b, a * 31 % 4201 AS c, "
        "i::text AS s FROM (SELECT i, i % 2000 AS a FROM generate_series(1, 2100) AS i) AS x"
    )
    clinic.execute("SELECT bkpriv.register_dataset('wide', 'wide', '{a,b,c}', 's')")
    state_policy(clinic, "k", {"k_anonymity": {"k": 1000}})
    release = publish(clinic, "wide", "k", "public.wide_shown")
    (line,) = told(clinic, release)
    assert line == (
        "Of whom a reader becomes sure is not counted: what a reader of bandwidth 0.3 believes of "
        "2000 combinations takes long."
    )
    said = (
        "People about whom a reader becomes sure were not counted. What a reader of bandwidth 0.3"
    )
    assert said in words_of(page_of(clinic, release))
