"""Attributes: shown unchanged beside sensitive values, in the groups where their records are."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core.loss_oracles import unique_rows
from tests.db.clinic import (
    HALF,
    SENSITIVE,
    create_clinic,
    declare_hopeless,
    one,
    overhear,
    publish,
    rows_of,
    sentence,
    state_policy,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

REGISTER = (
    "SELECT bkpriv.register_dataset(%s, %s, %s, %s::text[], attributes => %s::text[], "
    "respondent => %s)"
)
VISITS = """
SELECT setseed(0.5); CREATE TABLE clinic.visit AS
SELECT 1000 + row_number() OVER (ORDER BY random()) AS visit, sex, city, disease,
    (ARRAY['calm', NULL, 'tired', 'it''s "odd"'])[1 + row_number() OVER () % 4] AS "A Note",
    'p' || row_number() OVER () AS patient
FROM clinic.patient
"""

COLUMNS = ["sex", "city", SENSITIVE, "visit", "A Note"]
METHODS = ["mondrian", "incognito", "bucketize", "anatomy"]


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection to a clinic that numbers its visits, with few quasi-identifiers."""
    create_clinic(db)
    db.execute(VISITS)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    return db


def register(
    db: Connection,
    respondent: str | None = None,
    *,
    name: str = "visits",
    source: str = "clinic.visit",
    keys: str = "{sex,city}",
    sensitive: str = "{disease}",
    attributes: str = "{visit,A Note}",
) -> None:
    """Register a source with attributes."""
    db.execute(REGISTER, [name, source, keys, sensitive, attributes, respondent])


def told(db: Connection, method: str) -> Counter[tuple[Any, ...]]:
    """Frequencies of shown visits: group, sensitive value, visit and note."""
    table = "public.shown_sensitive" if method == "anatomy" else "public.shown"
    group = "group_id" if method in ("bucketize", "anatomy") else "NULL"
    count = "count" if method == "anatomy" else "1"
    query = f'SELECT {group}, disease, visit, "A Note", {count} FROM {table}'
    shown: Counter[tuple[Any, ...]] = Counter()
    for *kind, times in db.execute(query).fetchall():
        shown[tuple(kind)] += times
    return shown


def source(db: Connection) -> dict[int, tuple[Any, ...]]:
    """Every visit of the source: quasi-identifiers, sensitive value, note, patient."""
    query = 'SELECT visit, sex, city, disease, "A Note", patient FROM clinic.visit'
    return {visit: tuple(row) for visit, *row in db.execute(query).fetchall()}


@pytest.mark.parametrize("respondent", [None, "patient"])
@pytest.mark.parametrize("method", METHODS)
def test_every_record_is_shown_with_its_own(
    visits: Connection, method: str, respondent: str | None
) -> None:
    register(visits, respondent)
    release = publish(visits, "visits", view="public.shown", method=method)
    records, shown = source(visits), told(visits, method)
    assert set(shown.values()) == {1}
    published = {visit: group for group, _, visit, _ in shown}
    assert published.keys() <= records.keys()
    suppressed = one(visits, "SELECT suppressed FROM bkpriv.release WHERE release = %s", [release])
    assert len(published) == len(shown) == len(records) - suppressed
    for _, disease, visit, note in shown:
        assert records[visit][2:4] == (disease, note)
    if method in ("bucketize", "anatomy"):
        # Which records a group has is told by their visits, and whose they may be by its rows.
        held, keyed = defaultdict(list), defaultdict(list)
        for visit, group in published.items():
            held[group].append(records[visit][:2])
        for sex, city, group in visits.execute("SELECT sex, city, group_id FROM public.shown"):
            keyed[group].append((sex, city))
        assert {group: Counter(rows) for group, rows in held.items()} == {
            group: Counter(rows) for group, rows in keyed.items()
        }
        assert len(held) > (8 if method == "anatomy" else 7)
    if respondent and method in ("bucketize", "anatomy"):
        # It is the group that the history has the respondent in.
        recorded = visits.execute(
            "SELECT name, label FROM bkpriv.release_respondent, "
            "unnest(respondents, group_ids) AS u(name, label) WHERE release = %s",
            [release],
        ).fetchall()
        groups = {records[visit][4]: group for visit, group in published.items()}
        assert {name: label for name, label in recorded if label >= 0} == groups


def test_boxes_show_what_their_records_have(visits: Connection) -> None:
    visits.execute("ALTER TABLE clinic.visit ADD age int; UPDATE clinic.visit SET age = visit % 50")
    register(visits, keys="{sex,age}")
    publish(visits, "visits", view="public.shown")
    # Boxes of mondrian do not overlap, so every record has one place to be.
    boxes = visits.execute(
        'SELECT sex, age, disease, "A Note", count(*) FROM public.shown GROUP BY 1, 2, 3, 4'
    ).fetchall()
    assert len({box[:2] for box in boxes}) > 8
    for sex, age, disease, note, count in boxes:
        held = one(
            visits,
            "SELECT count(*) FROM clinic.visit WHERE (%s = '*' OR sex = %s) "
            'AND age <@ %s::int4range AND disease = %s AND "A Note" IS NOT DISTINCT FROM %s',
            [sex, sex, age, disease, note],
        )
        assert held == count


def test_rows_stand_in_no_order_of_the_source(visits: Connection) -> None:
    register(visits, "patient")
    for method in ("mondrian", "bucketize"):
        publish(visits, "visits", view="public.shown", method=method)
        places = [row[0] for row in visits.execute("SELECT visit FROM public.shown")]
        written = [row[0] for row in visits.execute("SELECT visit FROM clinic.visit")]
        rank = {visit: place for place, visit in enumerate(written)}
        steps = [rank[b] - rank[a] for a, b in pairwise(places)]
        # One in so many neighbours would be neighbours by chance.
        assert sum(step == 1 for step in steps) < 15
    publish(visits, "visits", view="public.a", method="anatomy", options={"seed": 3})
    publish(visits, "visits", view="public.b", method="anatomy", options={"seed": 3})
    assert rows_of(visits, "public.a") == rows_of(visits, "public.b")
    assert rows_of(visits, "public.a_sensitive") == rows_of(visits, "public.b_sensitive")


def test_beside_whom_attributes_stand_is_drawn_anew(visits: Connection) -> None:
    visits.execute("ALTER TABLE clinic.visit ADD age int; UPDATE clinic.visit SET age = visit % 50")
    register(visits, keys="{sex,age}")
    state_policy(visits, "large", {"k_anonymity": {"k": 20}})
    beside: list[dict[int, int]] = []
    for _ in range(2):
        publish(visits, "visits", "large", "public.shown", method="bucketize", seed=None)
        beside.append(dict(visits.execute("SELECT visit, age FROM public.shown").fetchall()))
    own = sum(age == visit % 50 for visit, age in beside[0].items())
    same = sum(age == beside[1][visit] for visit, age in beside[0].items())
    # Groups are of ten ages or so, and each is as likely beside a visit as any.
    assert max(own, same) < 100


def test_what_is_suppressed_is_gone(db: Connection) -> None:
    people = declare_hopeless(db)
    db.execute("ALTER TABLE people ADD tag text; UPDATE people SET tag = 'tag of ' || age")
    register(
        db, name="tagged", source="people", keys="{age}", sensitive="{secret}", attributes="{tag}"
    )
    db.execute("SELECT bkpriv.set_interval_hierarchy('tagged', 'age', '{6}')")
    publish(db, "tagged", "sharp", "public.some", HALF, "incognito")
    shown = Counter(db.execute("SELECT secret, tag FROM public.some").fetchall())
    assert shown == Counter((secret, f"tag of {age}") for age, secret in people[3:])


TYPES = {
    "integer": ["7", "-1"],
    "numeric": ["1.0", "1.00", "NaN"],
    "real": ["0.1", "Infinity"],
    "double precision": ["0.1", "1e-300"],
    "boolean": ["t", "f"],
    "char(5)": ["ab", "abc"],
    "varchar(4)": ["ab ", "ab"],
    "text": ["", "a", 'it\'s "odd"\\,{}'],
    "bytea": ["\\x00ff", "\\x"],
    "date": ["2020-02-29", "infinity", "0044-03-15 BC"],
    "timestamptz": ["2020-02-29 12:00:00.123456+00", "infinity"],
    "interval": ["1 mon -3 days 04:05:06.7", "-1 year"],
    "uuid": ["00000000-0000-0000-0000-000000000001"],
    "inet": ["10.0.0.1/8"],
    "json": ['{"b": 1,  "a": 2, "a": 3}', "null"],
    "xml": ["<a>1</a>", "not <b/> a document"],
    "jsonb": ['{"b": [1, null]}', '"x"'],
    "point": ["(1,2)", "(0.1,-3)"],
    "bit(3)": ["101", "000"],
    "int4range": ["[1,5)", "empty"],
    "integer[]": ["{1,NULL,3}", "[2:3]={1,2}", "{}"],
    "text[]": ['{"a,b",NULL,"NULL",""}'],
    "tsvector": ["'a':1 'b'", "'b'"],
    'clinic."Odd Type"': ["sad", "good"],
    "clinic.kind": ["ward", "home"],
    "clinic.small": ["3", "4"],
    "clinic.pair": ["(1,)", "(2,x)"],
    "regclass": ["clinic.visit", "pg_class"],
}


def test_all_types_pass_through_as_they_are(visits: Connection) -> None:
    visits.execute(
        """
        CREATE TYPE clinic.kind AS ENUM ('ward', 'home');
        CREATE DOMAIN clinic.small AS int CHECK (VALUE < 10);
        CREATE DOMAIN clinic."Odd Type" AS text COLLATE "C";
        CREATE TYPE clinic.pair AS (a int, b text);
        CREATE TABLE clinic.odd AS SELECT sex, disease FROM clinic.visit;
        """
    )
    if not one(visits, "SELECT count(*) FROM pg_config WHERE setting ~ 'with-libxml'"):
        TYPES.pop("xml", None)
    visits.execute("SET xmloption = content")
    names = [f'Column "{place}"' for place in range(len(TYPES))]
    for name, (type_, values) in zip(names, TYPES.items(), strict=True):
        visits.execute(
            sql.SQL("ALTER TABLE clinic.odd ADD {} {}").format(sql.Identifier(name), sql.SQL(type_))
        )
        visits.execute(
            sql.SQL("UPDATE clinic.odd SET {} = (%s::text[])[1 + (random() * %s)::int]::{}").format(
                sql.Identifier(name), sql.SQL(type_)
            ),
            [values, len(values)],
        )
    visits.execute(
        REGISTER, ["odd", "clinic.odd", ["sex"], ["disease"], names, None], prepare=False
    )
    listed = sql.SQL(", ").join(
        sql.SQL("{}::text").format(sql.Identifier(name)) for name in ["sex", "disease", *names]
    )
    query = sql.SQL("SELECT {} FROM {}")
    held = Counter(visits.execute(query.format(listed, sql.SQL("clinic.odd"))).fetchall())
    visits.execute("SET xmloption = document")
    assert all(None in {row[place] for row in held} for place in range(2, len(TYPES) + 2))
    for method in ("mondrian", "bucketize"):
        publish(visits, "odd", view="public.odd", method=method)
        shown = Counter(visits.execute(query.format(listed, sql.SQL("public.odd"))).fetchall())
        if method == "mondrian":
            assert shown == held
        assert Counter(row[1:] for row in shown.elements()) == Counter(
            row[1:] for row in held.elements()
        )
    types = visits.execute(
        "SELECT a.attname, t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
        "WHERE attrelid = 'public.odd'::regclass AND attname LIKE 'Column%'"
    ).fetchall()
    expected: dict[str, str] = dict(types)
    for name, type_ in zip(names, TYPES, strict=True):
        built_in = type_ not in ("clinic.kind", "clinic.pair", "regclass", "text")
        assert (expected[name] == "text") != (built_in and type_ != 'clinic."Odd Type"')


SAME_AFTER = """
CREATE FUNCTION same_after(name text, change text) RETURNS boolean LANGUAGE plpython3u
SET search_path = pg_catalog, pg_temp AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
from bkpriv_core.method import METHODS, parse_options
from bkpriv_pl.publishing import concurrent_writes, subject
from bkpriv_pl.server.access import Access, within
from bkpriv_pl.tables.dataset import find_dataset
way = METHODS["mondrian"]
options = parse_options(way, {"nulls": "category"})
with within(Access.SOURCE):
    read = subject.Subject.read(find_dataset(name), None, way, options, None)
    plpy.execute(change)
    return settling._same_source(read)
$$
"""


@pytest.mark.parametrize("respondent", [None, "patient"])
def test_a_change_of_attributes_alone_is_one(visits: Connection, respondent: str | None) -> None:
    visits.execute(SAME_AFTER)
    register(visits, respondent)
    same = "SELECT same_after('visits', %s)"
    visits.execute("UPDATE clinic.visit SET visit = visit")
    assert one(visits, same, ["UPDATE clinic.visit SET visit = visit"]) is True
    with visits.transaction(force_rollback=True):
        change = "UPDATE clinic.visit SET \"A Note\" = 'new' WHERE visit = 1001"
        assert one(visits, same, [change]) is False
    # Two patients alike who change visits are as before, unless it is told who they are.
    first, second, *_ = one(
        visits,
        'SELECT array_agg(visit) FROM clinic.visit GROUP BY sex, city, disease, "A Note" '
        "HAVING count(*) > 1 LIMIT 1",
    )
    swap = (
        f"UPDATE clinic.visit SET visit = {first + second} - visit "
        f"WHERE visit IN ({first}, {second})"
    )
    assert one(visits, same, [swap]) is (respondent is None)
    release = publish(visits, "visits", view="public.shown")
    stale = "SELECT stale FROM bkpriv.releases WHERE release = %s"
    assert one(visits, stale, [release]) is False
    visits.execute("UPDATE clinic.visit SET \"A Note\" = 'other' WHERE visit = 1001")
    assert one(visits, stale, [release]) is True


def test_what_adversaries_are_supposed_not_to_know_is_said(visits: Connection) -> None:
    register(visits)
    release = publish(visits, "visits", view="public.shown")
    text = "300 of 300 rows are unique within their group by visit, A Note"
    assert text in sentence(visits, release)
    ((what, advice),) = visits.execute(
        "SELECT what, advice FROM bkpriv.verdict(%s) WHERE what LIKE 'attributes:%%'", [release]
    ).fetchall()
    assert what == f"attributes: {text}"
    assert "suppose that no reader knows these values of any person" in advice
    names = "SELECT attributes FROM bkpriv.release WHERE release = %s"
    assert one(visits, names, [release]) == ["visit", "A Note"]
    bare = "SELECT bkpriv.register_dataset('bare', 'clinic.visit', '{sex,city}', 'disease')"
    visits.execute(bare)
    other = publish(visits, "bare", view="public.bare")
    assert "unique within" not in sentence(visits, other)
    assert one(visits, names, [other]) == []


def test_what_releases_tell_together_is_not_measured_by_attributes(visits: Connection) -> None:
    register(visits, "patient")
    state_policy(visits, "told", {"max_disclosure": {"tau": 0.99}})
    first, second = (
        publish(visits, "visits", "told", f"public.v{place}", method="mondrian")
        for place in range(2)
    )
    heard = overhear(visits)
    visits.execute("SELECT bkpriv.audit_together(%s)", [[first, second]])
    (said,) = (text for text in heard if "attributes" in text)
    assert "pass through 2 of 2 releases are not measured" in said
    assert f"release {first}: visit, A Note; release {second}: visit, A Note" in said


def test_what_cannot_be_had_with_attributes_is_refused(visits: Connection) -> None:
    register(visits, "patient")
    visits.execute("SELECT bkpriv.set_sequential_knowledge('visits', 'same', 'constant')")
    state_policy(visits, "drawn", {"max_disclosure": {"tau": 0.9}})
    state_policy(visits, "joint", {"max_disclosure": {"tau": 0.9}, "overlap": "certify"})
    remembering = {"bandwidth": {"sequence": "same"}, "t": 0.9}
    state_policy(visits, "remembering", {"k_anonymity": {"k": 2}, "bt_privacy": remembering})
    cases: list[tuple[str, str, dict[str, Any], str, str]] = [
        ("drawn", "randomize", {"scheme": "rr-both"}, "22023", "randomize"),
        ("plain", "mondrian", {"grow": True}, "22023", "option grow"),
        ("remembering", "js_reduce", {"unfit": "counterfeit"}, "22023", "counterfeit"),
        ("remembering", "mondrian", {}, "0A000", "bt_privacy"),
        ("joint", "mondrian", {}, "0A000", "certify"),
    ]
    for policy, method, options, sqlstate, named in cases:
        with unchanged(visits):
            said = refused(
                visits,
                "SELECT bkpriv.publish('visits', %s, 'public.shown', %s, options => %s)",
                [policy, method, Jsonb(options)],
                sqlstate=sqlstate,
                names=[named, "visit", "attributes"],
            )
        assert "attributes" in (said.message_hint or "")
    explored = visits.execute(
        "SELECT place, metric FROM bkpriv.explore('visits', %s)",
        [Jsonb([{"k_anonymity": {"k": 4}}, {"bt_privacy": remembering}])],
    ).fetchall()
    assert (2, "refused") in explored
    assert (1, "gcp") in explored
    by_draws = "bkpriv.explore('visits', %s, 'randomize', %s)"
    asked = [Jsonb({"max_disclosure": {"tau": 0.9}}), Jsonb({"scheme": "rr-both"})]
    assert one(visits, f"SELECT metric FROM {by_draws}", asked) == "refused"
    assert one(visits, "SELECT count(*) FROM bkpriv.optimize_randomization('visits', 'rr-s', 0.9)")
    # By default they are not certified together, and others are warned of.
    publish(visits, "visits", "drawn", "public.shown")
    hints: list[str] = []
    visits.add_notice_handler(
        lambda said: hints.append(said.message_hint or "") if said.severity == "WARNING" else None
    )
    publish(visits, "visits", "drawn", "public.shown")
    (hint,) = hints
    assert "readers" in hint
    assert "certify" not in hint


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy"])
def test_queries_count_as_if_nothing_passed_through(visits: Connection, method: str) -> None:
    register(visits)
    visits.execute(
        "SELECT bkpriv.register_dataset('bare', 'clinic.visit', '{sex,city}', 'disease')"
    )
    query = "SELECT count(*) FROM clinic.visit WHERE sex = 'f' AND disease = 'ulcer'"
    estimates = []
    for dataset in ("visits", "bare"):
        release = publish(visits, dataset, view=f"public.{dataset}", method=method,
                          options={"seed": 1})  # fmt: skip
        estimate = "SELECT estimate FROM bkpriv.query_accuracy(%s, %s)"
        estimates.append(one(visits, estimate, [release, query]))
        written = one(visits, "SELECT bkpriv.rewrite_query(%s, %s)", [release, query])
        estimates.append(one(visits, written))
    assert estimates == pytest.approx([estimates[0]] * 4)
    release = one(visits, "SELECT min(release) FROM bkpriv.releases WHERE dataset = 'visits'")
    for named in ("visit = 1001", "\"A Note\" = 'calm'"):
        said = refused(
            visits,
            "SELECT bkpriv.query_accuracy(%s, %s)",
            [release, f"SELECT count(*) FROM clinic.visit WHERE {named}"],
            sqlstate="22023",
            names=["passes through"],
        )
        assert "calm" not in (said.message_detail or "")


@pytest.mark.parametrize("respondent", [None, "patient"])
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_attributes_tell_apart_are_counted(
    visits: Connection, method: str, respondent: str | None
) -> None:
    visits.execute("UPDATE clinic.visit SET visit = visit / 12")
    register(visits, respondent)
    # Groups that are drawn anew may hold no two visits alike: once in some hundred runs.
    release = publish(visits, "visits", view="public.shown", method=method, options={"seed": 1})
    table = "public.shown_sensitive" if method == "anatomy" else "public.shown"
    group = "group_id" if method in ("bucketize", "anatomy") else "(sex, city)::text"
    times = "count" if method == "anatomy" else "1"
    seen = visits.execute(
        f'SELECT {group}, visit, "A Note" FROM {table}, generate_series(1, {times})'
    ).fetchall()
    visit, note, both = unique_rows(seen)
    assert 0 < visit < both < len(seen)
    said = f"{both} of {len(seen)} rows are unique within their group by visit, A Note"
    assert said in sentence(visits, release)
    found = visits.execute(
        "SELECT parameters -> 'attributes', threshold, worst, mean, vulnerable, satisfied, "
        "estimator_used FROM bkpriv.audit(%s) WHERE requirement = 'attributes'",
        [release],
    ).fetchall()
    assert found == [
        (names, None, None, unique / len(seen), unique, None, "exact")
        for names, unique in ((["visit"], visit), (["A Note"], note), (["visit", "A Note"], both))
    ]
    asked = "SELECT requirement FROM bkpriv.audit(%s, %s)"
    assert visits.execute(asked, [release, Jsonb({"k_anonymity": {"k": 2}})]).fetchall() == [
        ("k_anonymity",)
    ]
    kept = "array_agg(vulnerable ORDER BY vulnerable) FROM bkpriv.audits WHERE threshold IS NULL"
    assert one(visits, f"SELECT {kept}") == sorted([visit, note, both])


def test_rows_of_persons_are_told_apart_too(visits: Connection) -> None:
    visits.execute("UPDATE clinic.visit SET visit = visit % 9, patient = sex || city")
    register(visits, "patient")
    options = {"max_records_per_person": "all"}
    state_policy(visits, "alone", {"k_anonymity": {"k": 2}})
    release = publish(visits, "visits", "alone", "public.shown", options)
    seen = visits.execute('SELECT (sex, city)::text, visit, "A Note" FROM public.shown').fetchall()
    counted = one(visits, "SELECT unique_rows FROM bkpriv.release WHERE release = %s", [release])
    assert counted == unique_rows(seen)


@pytest.mark.parametrize("method", ["mondrian", "anatomy"])
def test_the_history_holds_none_of_their_values(visits: Connection, method: str) -> None:
    visits.execute("UPDATE clinic.visit SET \"A Note\" = 'Secretnote' WHERE visit % 2 = 0")
    register(visits, "patient")
    release = publish(visits, "visits", view="public.shown", method=method)
    visits.execute("SELECT bkpriv.audit(%s)", [release])
    for audience in ("officer", "outsiders"):
        page = one(visits, "SELECT bkpriv.report_html(%s, %s)", [release, audience])
        assert "Passed through" in page
        assert "A Note" in page
        assert "Columns that pass through are shown as they are" in page
        assert "Secretnote" not in page

    def holders() -> set[str]:
        tables = visits.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'm') AND "
            "relnamespace::regnamespace::text !~ '^(information_schema|pg_toast|clinic)'"
        ).fetchall()
        query = "SELECT EXISTS (SELECT FROM {} AS t WHERE t::text ~ 'Secretnote')"
        return {table for (table,) in tables if one(visits, query.format(table))}

    visits.execute("DELETE FROM pg_statistic WHERE starelid = 'clinic.visit'::regclass")
    table = "release_1" if method == "mondrian" else "release_1_sensitive"
    assert holders() == {f"bkpriv_release.{table}", "pg_statistic"}
    visits.execute("SELECT bkpriv.withdraw(%s, 'asked for')", [release])
    assert holders() == set()
    visits.execute("SELECT bkpriv.purge(%s, 'asked for')", [release])
    assert one(visits, "SELECT attributes FROM bkpriv.release") == ["visit", "A Note"]
