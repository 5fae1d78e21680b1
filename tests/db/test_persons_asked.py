"""Persons with several records: asked of before publishing, over time and of several releases."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused
from tests.db.visits import ALL, publish_as

pytestmark = pytest.mark.rolled_back


def test_who_remembers_is_refused_where_a_person_has_several_values_at_a_time(
    visits: Connection,
) -> None:
    remembers = {
        "k_anonymity": {"k": 4},
        "bt_privacy": {"bandwidth": {"sequence": "seen"}, "t": 0.99},
    }
    state_policy(visits, "remembers", remembers)
    visits.execute("SELECT bkpriv.set_sequential_knowledge('visits', 'seen', 'incremental')")
    about = ["What is remembered of a person is one value of each release"]
    lattice = "SELECT * FROM bkpriv.lattice('visits', 'remembers', %s)"
    refused(visits, lattice, [Jsonb(ALL)], sqlstate="0A000", names=about)
    publishing = "SELECT bkpriv.publish('visits', 'remembers', 'public.shown', options => %s)"
    refused(visits, publishing, [Jsonb(ALL)], sqlstate="0A000", names=about)
    release = publish_as(visits, ALL)
    audit = "SELECT * FROM bkpriv.audit(%s, %s)"
    refused(
        visits,
        audit,
        [release, Jsonb(remembers)],
        sqlstate="0A000",
        names=[f"before release {release}", *about],
    )
    heard = overhear(visits)
    (audited,) = visits.execute("SELECT * FROM bkpriv.sequential_audit('visits', 'seen')")
    assert audited[-1] == "shows several records of a person"
    assert any(notice.startswith("1 of 1 releases are left out") for notice in heard)


def test_several_records_of_a_person_and_later_one_are_judged_together(visits: Connection) -> None:
    """Requirements on a column are, in either release, about what persons have."""
    state_policy(
        visits,
        "crowd",
        {
            "k_anonymity": {"k": 4},
            "l_diversity": {"l": 1.2, "variant": "probabilistic"},
            "bt_privacy": {"bandwidth": 0.5, "t": 0.5},
        },
    )
    first = publish_as(visits, ALL)
    visits.execute("DELETE FROM clinic.visit WHERE visit % 10 > 1")
    visits.execute("DELETE FROM clinic.visit WHERE patient = 'p7'")
    second = publish(visits, "visits", policy="crowd", view="public.later")
    both = [first, second]
    rows = visits.execute(
        "SELECT requirement, parameters ->> 'sensitive' FROM bkpriv.audit_together(%s)", [both]
    ).fetchall()
    about = [("k_anonymity", None), ("l_diversity", "disease"), ("bt_privacy", "disease")]
    assert rows == about
    asking = "SELECT worst FROM bkpriv.audit_together(%s, %s)"
    share = Jsonb({"max_disclosure": {"tau": 0.99}})
    assert one(visits, asking, [both, share]) == one(visits, asking, [both[::-1], share])
    visits.execute("SELECT * FROM bkpriv.explain_suppressed(%s)", [second])
    exposed = "SELECT count(*) FROM bkpriv.explain_together(%s, %s)"
    assert one(visits, exposed, [both, Jsonb({"max_disclosure": {"tau": 0.1}})]) > 0


@pytest.mark.parametrize(
    ("type_", "one_way", "another"),
    [
        *(("numeric", "7.0", "7.00"), ("float8", "0", "-0"), ("interval", "24 hours", "1 day")),
        *(("numeric[]", "{7.0}", "{7.00}"), ("numrange", "[7.0,8]", "[7.00,8]")),
        ("public.pair", "(7.0,x)", "(7.00,x)"),
    ],
)
def test_a_person_who_is_written_in_two_ways_is_not_taken_for_two(
    db: Connection, type_: str, one_way: str, another: str
) -> None:
    db.execute("CREATE TYPE public.pair AS (number numeric, text text)")
    db.execute(
        f"CREATE TABLE public.visit AS SELECT p::{type_} AS who, 30 AS age, d AS disease "
        "FROM unnest(%s::text[], '{flu,cold}'::text[]) AS v (p, d)",
        [[one_way, another]],
    )
    db.execute("SELECT bkpriv.register_dataset('v', 'public.visit', '{age}', 'disease', 'who')")
    state_policy(db, "pair", {"k_anonymity": {"k": 2}})
    publishing = "SELECT bkpriv.publish('v', 'pair', 'public.shown', options => %s)"
    written = ['column "who"', "1 respondents"]
    refused(db, publishing, [Jsonb(ALL)], sqlstate="22000", names=written)
    refused(db, publishing, [Jsonb({})], sqlstate="22000", names=written)


def test_the_latest_are_by_a_column_that_has_an_order(visits: Connection) -> None:
    visits.execute("ALTER TABLE clinic.visit ADD note json")
    publishing = "SELECT bkpriv.publish('visits', 'crowd', 'public.shown', options => %s)"
    options = Jsonb({"max_records_per_person": 1, "latest_by": "note"})
    refused(visits, publishing, [options], sqlstate="42883", names=['column "note"', "no order"])


def test_what_is_asked_before_publishing_is_of_the_persons_who_would_be_published(
    visits: Connection,
) -> None:
    latest = {"max_records_per_person": 1, "latest_by": "visited"}
    asking = "SELECT retention FROM bkpriv.optimize_randomization('visits', 'rr-both', 0.2, %s)"
    told = visits.execute(asking, [Jsonb(latest)]).fetchall()
    visits.execute(
        "DELETE FROM clinic.visit AS v USING clinic.visit AS w "
        "WHERE v.patient = w.patient AND v.visited < w.visited"
    )
    assert visits.execute(asking, [Jsonb({})]).fetchall() == told


def test_what_would_not_be_published_is_not_answered_before(visits: Connection) -> None:
    for asking in (
        "SELECT * FROM bkpriv.optimize_randomization('visits', 'rr-both', 0.2)",
        "SELECT * FROM bkpriv.lattice('visits', 'crowd')",
    ):
        refused(visits, asking, sqlstate="22000", names=["60 respondents"])


def test_a_release_of_several_records_does_not_grow_by_one_of_each(visits: Connection) -> None:
    release = publish_as(visits, ALL)
    publishing = "SELECT bkpriv.publish('visits', 'crowd', 'public.shown', options => %s)"
    options = Jsonb({"max_records_per_person": 1, "latest_by": "visit", "grow": True})
    names = [f"release {release} shows several records of a person"]
    refused(visits, publishing, [options], sqlstate="55000", names=names)


def test_people_who_have_another_record_now_stay_as_published(visits: Connection) -> None:
    visits.execute("CREATE TABLE clinic.later AS SELECT * FROM clinic.visit WHERE visit % 10 > 1")
    visits.execute("DELETE FROM clinic.visit WHERE visit % 10 > 1")
    latest = {"max_records_per_person": 1, "latest_by": "visit"}
    publish_as(visits, latest)
    shown = "SELECT age, sex, disease FROM shown ORDER BY 1, 2, 3"
    before = visits.execute(shown, prepare=False).fetchall()
    visits.execute("INSERT INTO clinic.visit SELECT * FROM clinic.later LIMIT 1")
    publish_as(visits, latest | {"grow": True})
    assert visits.execute(shown, prepare=False).fetchall() == before
    said = overhear(visits)
    publish_as(visits, latest | {"grow": True, "departed": "withdraw"})
    assert any("have another record now" in text for text in said)


def test_implications_are_about_one_record_of_each_person(visits: Connection) -> None:
    release = publish_as(visits, ALL)
    asking = "SELECT * FROM bkpriv.max_disclosure(%s, 1)"
    names = [f"persons of release {release} have several records"]
    refused(visits, asking, [release], sqlstate="0A000", names=names)


def test_respondents_can_be_compared(visits: Connection) -> None:
    visits.execute("ALTER TABLE clinic.visit ADD who json")
    registering = "SELECT bkpriv.register_dataset('w', 'clinic.visit', '{age}', 'disease', 'who')"
    refused(visits, registering, sqlstate="42883", names=['column "who"', "cannot be compared"])
