"""Persons: several records of one respondent are published as one person's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused
from tests.db.visits import ALL, publish_as, register, shown

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]


def groups_of(db: Connection, release: int) -> dict[str, int]:
    """The group of each person, by the history."""
    query = (
        "SELECT name, label FROM bkpriv.release_respondent, "
        "unnest(respondents, group_ids) AS u(name, label) WHERE release = %s"
    )
    return dict(db.execute(query, [release]).fetchall())


def test_without_the_option_each_has_one_record_and_the_hint_names_it(visits: Connection) -> None:
    said = refused(
        visits,
        "SELECT bkpriv.publish('visits', 'crowd', 'public.shown')",
        sqlstate="22000",
        names=["60 respondents have more than one record"],
    )
    assert "max_records_per_person" in str(said.message_hint)


def test_groups_are_of_persons_and_show_all_their_records(visits: Connection) -> None:
    release = publish_as(visits, ALL)
    groups = groups_of(visits, release)
    assert len(groups) == 90
    persons = Counter(groups.values())
    assert min(persons.values()) >= 4
    assert len(persons) > 10
    records = visits.execute("SELECT patient, age, sex, disease FROM clinic.visit").fetchall()
    boxes = defaultdict(list)
    for patient, age, sex, disease in records:
        boxes[groups[patient]].append((age, sex, disease))
    rows = Counter[tuple[Any, ...]]()
    for group in boxes.values():
        low, high = min(age for age, *_ in group), max(age for age, *_ in group)
        label = "/".join(sorted({sex for _, sex, _ in group}))
        for _, _, disease in group:
            rows[low, high, len(label) > 1, disease] += 1
    query = "lower(age), upper(age) - 1, sex NOT IN ('f', 'm'), disease"
    assert shown(visits, query) == rows
    made = one(visits, "SELECT records FROM bkpriv.release WHERE release = %s", [release])
    assert made == 90
    (crowd,) = visits.execute(
        "SELECT worst FROM bkpriv.audit(%s) WHERE requirement = 'k_anonymity'", [release]
    ).fetchall()
    assert crowd == (min(persons.values()),)


@pytest.mark.parametrize("most", [1, 2])
def test_the_latest_records_of_each_are_published(visits: Connection, most: int) -> None:
    publish_as(visits, {"max_records_per_person": most, "latest_by": "visited"})
    latest = visits.execute(
        "SELECT disease, count(*) FROM (SELECT *, row_number() OVER (PARTITION BY patient "
        "ORDER BY visited DESC) AS place FROM clinic.visit) AS v WHERE place <= %s GROUP BY 1",
        [most],
    ).fetchall()
    assert shown(visits, "disease") == {(disease,): count for disease, count in latest}


def test_records_are_chosen_at_random(visits: Connection) -> None:
    register(visits, "noted", "{visit}")
    drawn = []
    for view in ("one", "two"):
        publish(
            visits,
            "noted",
            policy="crowd",
            view=f"public.{view}",
            options={"max_records_per_person": 1},
            seed=None,
        )
        chosen = visits.execute(f"SELECT disease, visit FROM public.{view}").fetchall()
        assert Counter(visit // 10 for _, visit in chosen) == dict.fromkeys(range(1, 91), 1)
        truth: dict[int, str] = dict(
            visits.execute("SELECT visit, disease FROM clinic.visit").fetchall()
        )
        assert all(truth[visit] == disease for disease, visit in chosen)
        drawn.append({visit for _, visit in chosen})
    # Of 60 patients with several visits about a third has the same one again.
    assert 30 < len(drawn[0] & drawn[1]) < 85


def test_what_passes_through_goes_with_its_record(visits: Connection) -> None:
    register(visits, "noted", "{visit,visited}")
    release = publish(visits, "noted", policy="crowd", view="public.shown", options=ALL)
    groups = groups_of(visits, release)
    truth = visits.execute("SELECT disease, visit, visited FROM clinic.visit").fetchall()
    assert shown(visits, "disease, visit, visited") == Counter(map(tuple, truth))
    boxes = visits.execute("SELECT visit / 10, sex, age FROM public.shown").fetchall()
    by_group = defaultdict(set)
    for patient, *box in boxes:
        by_group[groups[f"p{patient}"]].add(tuple(box))
    assert all(len(box) == 1 for box in by_group.values())


def test_different_quasi_identifiers_of_one_person_are_refused(visits: Connection) -> None:
    visits.execute("UPDATE clinic.visit SET age = age + 1 WHERE visit = 22")
    refused(
        visits,
        "SELECT bkpriv.publish('visits', 'crowd', 'public.shown', options => "
        """'{"max_records_per_person": "all"}')""",
        sqlstate="22000",
        names=["1 respondents", "'p2'"],
    )
    publish_as(visits, {"max_records_per_person": 1})
    assert shown(visits, "'x'") == {("x",): 90}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"latest_by": "visited"}, "latest_by means nothing"),
        ({"max_records_per_person": "all", "latest_by": "visited"}, "latest_by means nothing"),
        ({"max_records_per_person": 1, "latest_by": "nowhere"}, 'no column "nowhere"'),
        ({"max_records_per_person": 0}, "max_records_per_person"),
        ({"max_records_per_person": "some"}, "max_records_per_person"),
    ],
)
def test_odd_options_are_refused(visits: Connection, options: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        publish_as(visits, options)


def test_a_method_that_shows_one_record_of_each_says_so(visits: Connection) -> None:
    state_policy(visits, "crowd", {"max_disclosure": {"tau": 0.9}})
    with pytest.raises(Exception, match="method randomize cannot be combined with"):
        publish_as(visits, {**ALL, "scheme": "rr-s"}, method="randomize")


@pytest.mark.parametrize("method", ["mondrian", "agglomerate", "microaggregate", "js_reduce"])
def test_methods_publish_persons_within_the_policy(visits: Connection, method: str) -> None:
    state_policy(
        visits,
        "strict",
        {
            "k_anonymity": {"k": 4},
            "l_diversity": {"l": 1.25, "variant": "probabilistic"},
            "bt_privacy": {"bandwidth": 0.5, "t": 0.25},
        },
    )
    release = publish(visits, "visits", "strict", "public.shown", ALL, method)
    groups = groups_of(visits, release)
    has = defaultdict(set)
    for patient, disease in visits.execute("SELECT patient, disease FROM clinic.visit"):
        has[patient].add(disease)
    members = defaultdict(list)
    for patient, group in groups.items():
        if group >= 0:
            members[group].append(patient)
    worst = 0.0
    for persons in members.values():
        assert len(persons) >= 4
        for disease in ("flu", "cold", "acne", "gout"):
            share = sum(disease in has[patient] for patient in persons) / len(persons)
            worst = max(worst, share)
    assert 0.5 < worst <= 0.8
    (diversity,) = visits.execute(
        "SELECT worst FROM bkpriv.audit(%s) WHERE requirement = 'l_diversity'", [release]
    ).fetchall()
    assert diversity == (pytest.approx(1 / worst),)
    assert one(visits, "SELECT bool_and(satisfied) FROM bkpriv.audit(%s)", [release])


def test_without_respondents_there_are_no_persons(visits: Connection) -> None:
    visits.execute(
        "SELECT bkpriv.register_dataset('nobody', 'clinic.visit', '{age,sex}', 'disease')"
    )
    with pytest.raises(Exception, match='dataset "nobody", which names no respondents'):
        publish(visits, "nobody", policy="crowd", view="public.shown", options=ALL)


@pytest.mark.parametrize("options", [ALL, {"max_records_per_person": 1}])
def test_a_choice_at_random_is_no_change_of_the_source(
    visits: Connection, options: dict[str, Any]
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit')")
    release = publish_as(visits, options)
    stale = "SELECT stale FROM bkpriv.releases WHERE release = %s"
    assert one(visits, stale, [release]) is False
    visits.execute("UPDATE clinic.visit SET disease = 'gout' WHERE visit = 11")
    assert one(visits, stale, [release]) is True


def test_who_reads_some_columns_may_choose_by_others_he_reads(
    visits: Connection, make_publisher: Callable[..., Connection]
) -> None:
    clerk = make_publisher("clerk")
    visits.execute(
        sql.SQL(
            "GRANT USAGE ON SCHEMA clinic TO {0}; "
            "GRANT SELECT (patient, age, sex, disease) ON clinic.visit TO {0}"
        ).format(sql.Identifier(clerk.info.user))
    )
    register(clerk, "mine")
    state_policy(clerk, "clerks", {"k_anonymity": {"k": 4}})
    some = {"max_records_per_person": 1}
    publish(clerk, "mine", policy="clerks", view="shown", options=some)
    assert one(clerk, "SELECT count(*) FROM shown") == 90
    with pytest.raises(Exception, match="visited"):
        publish(
            clerk, "mine", policy="clerks", view="shown", options=some | {"latest_by": "visited"}
        )


def test_some_records_of_each_are_not_judged_together_with_others(visits: Connection) -> None:
    first = publish_as(visits, {"max_records_per_person": 1})
    heard = overhear(visits)
    second = publish_as(visits, ALL)
    assert any(f"together with this one: {first}" in said for said in heard), heard
    refused(
        visits,
        "SELECT * FROM bkpriv.audit_together(%s)",
        [[first, second]],
        sqlstate="55000",
        names=["some of each person's records"],
    )


def test_releases_of_all_records_are_judged_together(visits: Connection) -> None:
    state_policy(visits, "belief", {"bt_privacy": [{"bandwidth": 0.5, "t": 0.99}]})
    releases = [
        publish(visits, "visits", "belief", f"public.{method}", ALL, method)
        for method in ("mondrian", "agglomerate")
    ]
    ((worst, value, before, after),) = visits.execute(
        "SELECT worst, value, value_before, value_after FROM bkpriv.audit_together(%s)", [releases]
    ).fetchall()
    assert 0 < worst <= 1
    assert value in {f'{{"disease":"{name}"}}' for name in ("flu", "cold", "acne", "gout")}
    assert before != after


def test_releases_of_other_columns_do_not_grow(visits: Connection) -> None:
    visits.execute("SELECT bkpriv.drop_dataset('visits')")
    register = (
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age,sex}', %s::text[], "
        "respondent => 'patient')"
    )
    visits.execute(register, [["disease", "visit"]])
    latest = {"max_records_per_person": 1, "latest_by": "visit"}
    first = publish_as(visits, latest)
    visits.execute("SELECT bkpriv.withdraw(%s, 'to be another')", [first])
    visits.execute("SELECT bkpriv.drop_dataset('visits')")
    visits.execute(register, [["disease"]])
    refused(
        visits,
        "SELECT bkpriv.publish('visits', 'crowd', 'public.shown', options => %s)",
        [Jsonb({**latest, "grow": True})],
        sqlstate="55000",
        names=[f"release {first} has other attributes than its dataset"],
    )


def test_policies_are_tried_on_persons(visits: Connection) -> None:
    tried = visits.execute(
        "SELECT metric, value FROM bkpriv.explore('visits', "
        """'[{"k_anonymity": {"k": 4}, "l_diversity": {"l": 1.2, "variant": "probabilistic"}}]', """
        """options => '{"max_records_per_person": "all"}')"""
    ).fetchall()
    figures: dict[str, float] = dict(tried)
    assert figures["groups"] > 5
    assert figures["suppressed_share"] == 0


def test_persons_of_several_columns_are_judged_together(visits: Connection) -> None:
    visits.execute(
        "ALTER TABLE clinic.visit ADD care text; "
        "UPDATE clinic.visit SET care = (ARRAY['pills', 'rest'])[1 + visit % 2]; "
        "SELECT bkpriv.register_dataset('both', 'clinic.visit', '{age,sex}', "
        "ARRAY['disease', 'care'], respondent => 'patient')"
    )
    policy = {
        "k_anonymity": {"k": 4},
        "max_disclosure": {"tau": 0.9, "sensitive": "disease"},
        "bt_privacy": [{"bandwidth": 0.4, "t": 0.3}, {"bandwidth": 0.4, "t": 0.6, "joint": True}],
    }
    state_policy(visits, "both", policy)
    for view in ("public.one", "public.two"):
        publish(visits, "both", policy="both", view=view, options=ALL)
    told = visits.execute(
        "SELECT requirement, parameters ->> 'sensitive', worst, threshold "
        "FROM bkpriv.audit_together(ARRAY[1, 2])"
    ).fetchall()
    assert [row[:2] for row in told] == [
        ("k_anonymity", None),
        ("max_disclosure", "disease"),
        ("bt_privacy", "disease"),
        ("bt_privacy", "care"),
        ("bt_privacy", None),
    ]
    assert all(worst <= threshold for _, _, worst, threshold in told[1:])
    named = visits.execute(
        """SELECT requirement, sensitive FROM bkpriv.explain_together(ARRAY[1, 2],
        '{"max_disclosure": {"tau": 0.1}, "bt_privacy": {"bandwidth": 0.4, "t": 0.01}}')"""
    ).fetchall()
    # A value that somebody has, or has not.
    assert {requirement for requirement, _ in named} == {"max_disclosure", "bt_privacy"}
    assert all("disease" in value or "care" in value for _, value in named)


def test_comparisons_are_of_what_persons_have(visits: Connection) -> None:
    release = publish_as(visits, ALL)
    comparing = "SELECT metric, value FROM bkpriv.compare_releases(%s)"
    auditing = "SELECT worst FROM bkpriv.audit(%s, %s)"
    bound = Jsonb({"max_disclosure": {"tau": 0.99}})
    figures: dict[str, float] = dict(visits.execute(comparing, [[release]]).fetchall())
    assert figures["max_disclosure"] == one(visits, auditing, [release, bound]) < 1


def test_nulls_of_one_record_are_the_same_whatever_others_have(visits: Connection) -> None:
    visits.execute("UPDATE clinic.visit SET disease = NULL WHERE disease = 'gout'")
    visits.execute(
        "CREATE VIEW clinic.alone AS SELECT * FROM clinic.visit AS v WHERE NOT EXISTS "
        "(SELECT FROM clinic.visit AS o WHERE o.patient = v.patient AND o.visit > v.visit)"
    )
    visits.execute(
        "SELECT bkpriv.register_dataset('alone', 'clinic.alone', '{age,sex}', 'disease', "
        "respondent => 'patient')"
    )
    nulls = {"nulls": "category"}
    one_each = publish(visits, "alone", "crowd", "public.alone", nulls)
    every = publish_as(visits, {**ALL, **nulls})
    several = one(
        visits,
        "SELECT count(*) FROM (SELECT FROM clinic.visit GROUP BY patient HAVING count(*) > 1) AS p",
    )
    said = overhear(visits)
    visits.execute(
        "SELECT bkpriv.audit_together(%s, %s)",
        [[one_each, every], Jsonb({"k_anonymity": {"k": 2}})],
    )
    assert any(f"values that changed, {several} times" in message for message in said), said
