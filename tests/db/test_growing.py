"""Releases that keep the groups of the one before, and group newcomers among themselves."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import (
    BELIEFS,
    PLAIN,
    create_clinic,
    draw_rows,
    fill,
    one,
    overhear,
    rows_of,
    sentence,
    state_policy,
)

pytestmark = pytest.mark.rolled_back

GROWING = {"grow": True, "seed": 7}
"""Options."""

METHODS = ["mondrian", "agglomerate", "bucketize", "anatomy", "js_reduce", "microaggregate"]

People = dict[str, tuple[int, str]]
"""Group and value of each person whom a release shows."""


@pytest.fixture
def ward(db: Connection) -> Connection:
    """A table of 60 numbered patients, registered as the dataset ``people``."""
    create_clinic(db)
    db.execute(
        "CREATE TABLE clinic.person "
        "(id int PRIMARY KEY, age int, sex text, city text, disease text)"
    )
    admit(db, 0, 60)
    db.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex,city}', 'disease', "
        "'id')"
    )
    for attribute in ("city", "disease"):
        db.execute(
            "SELECT bkpriv.set_hierarchy('people', %s, %s)",
            [attribute, f"clinic.{attribute}_levels"],
        )
    state_policy(db, "plain", PLAIN)
    state_policy(db, "beliefs", BELIEFS)
    return db


def admit(db: Connection, first: int, last: int) -> None:
    """Add patients by their numbers."""
    rows = draw_rows(last, seed=3)[first:]
    fill(db, "clinic.person", [(first + i, *row) for i, row in enumerate(rows)])


def grow(
    db: Connection,
    policy: str = "plain",
    method: str = "mondrian",
    view: str = "public.people",
    **options: Any,
) -> int:
    """Publish a release that grows, and return it."""
    release = one(
        db,
        "SELECT bkpriv.publish('people', %s, %s, %s, options => %s)",
        [policy, view, method, Jsonb(GROWING | options)],
    )
    return int(release)


def people_of(db: Connection, release: int) -> People:
    """People whom a release shows, by the history."""
    rows = db.execute(
        "SELECT u.name, u.label, a.labels[u.value + 1] FROM bkpriv.release_respondent AS p, "
        "unnest(respondents, group_ids, sensitive_codes) AS u(name, label, value), "
        "LATERAL (SELECT labels FROM bkpriv.release_attribute AS l WHERE l.release = p.release "
        "ORDER BY place DESC LIMIT 1) AS a WHERE p.release = %s AND label >= 0",
        [release],
    ).fetchall()
    return {name: (label, value) for name, label, value in rows}


def members(people: People) -> set[frozenset[tuple[str, str]]]:
    """The groups, as sets of people with their values."""
    groups: dict[int, set[tuple[str, str]]] = {}
    for name, (label, value) in people.items():
        groups.setdefault(label, set()).add((name, value))
    return {frozenset(group) for group in groups.values()}


def within(before: People, after: People) -> None:
    """Check that groups are kept, of which some may have been joined by others shown alike."""
    later = members(after)
    for group in members(before):
        assert any(group <= other for other in later)


def shown_rows(db: Connection, view: str) -> Counter[tuple[Any, ...]]:
    """Rows of a view, but for the numbers of groups and the values that stand beside at random."""
    columns = one(
        db,
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND (attname <> ALL ('{group_id,disease}') "
        "OR attname = 'disease' AND NOT EXISTS (SELECT FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attname = 'group_id'))",
        [view, view],
    )
    return Counter(db.execute(f"SELECT {columns} FROM {view}", prepare=False).fetchall())


def test_earlier_groups_stay_row_for_row(ward: Connection) -> None:
    first = grow(ward)
    rows = Counter(rows_of(ward, "public.people"))
    admit(ward, 60, 100)
    second = grow(ward)
    later = Counter(rows_of(ward, "public.people"))
    assert rows <= later
    within(people_of(ward, first), people_of(ward, second))
    assert ward.execute(
        "SELECT release, records, suppressed, grown_from FROM bkpriv.releases ORDER BY 1"
    ).fetchall() == [(first, 60, 0, None), (second, 100, 100 - later.total(), first)]


@pytest.mark.parametrize("method", METHODS)
def test_a_year(ward: Connection, method: str) -> None:
    before: People = {}
    rows: Counter[tuple[Any, ...]] = Counter()
    for month in range(12):
        admit(ward, 60 + 9 * month, 69 + 9 * month)
        release = grow(ward, method=method)
        after = people_of(ward, release)
        within(before, after)
        assert rows <= (rows := shown_rows(ward, "public.people"))
        records, suppressed = ward.execute(
            "SELECT records, suppressed FROM bkpriv.releases WHERE release = %s", [release]
        ).fetchall()[0]
        assert (records, records - suppressed) == (69 + 9 * month, len(after))
        for audited in ward.execute(
            "SELECT requirement, satisfied FROM bkpriv.audit(%s)", [release]
        ).fetchall():
            assert audited[1] or audited == ("exchange", None), audited
        before = after
    assert len(before) > 150


# --- who left, or changed -------------------------------------------------------------------------


def some_of(db: Connection, release: int, count: int = 3) -> list[int]:
    """Choose people, each of another group."""
    groups: dict[int, str] = {}
    for name, (label, _) in people_of(db, release).items():
        groups.setdefault(label, name)
    return [int(name) for name in [*groups.values()][:count]]


def test_who_left_or_changed_stays_as_published(ward: Connection) -> None:
    first = grow(ward)
    before, rows = people_of(ward, first), Counter(rows_of(ward, "public.people"))
    left, moved, ill = some_of(ward, first)
    ward.execute("DELETE FROM clinic.person WHERE id = %s", [left])
    ward.execute("UPDATE clinic.person SET age = 69 - age + 20 WHERE id = %s", [moved])
    ward.execute(
        "UPDATE clinic.person SET disease = CASE disease WHEN 'ulcer' THEN 'asthma' ELSE 'ulcer' "
        "END WHERE id = %s",
        [ill],
    )
    said = overhear(ward)
    second = grow(ward)
    assert members(people_of(ward, second)) == members(before)
    assert Counter(rows_of(ward, "public.people")) == rows
    assert (
        f"release {second} grows from release {first}: {len(before)} records stay as they were "
        "published, 0 came, and 0 wait: Groups of newcomers alone: 0. Of those shown "
        "before, 1 have left and 2 have another record now; they stay as they were published."
    ) in said
    # What counts are compared with is what the release was made from.
    assert one(ward, "SELECT records FROM bkpriv.releases WHERE release = %s", [second]) == 60


def test_groups_of_who_left_are_withdrawn_for_good(ward: Connection) -> None:
    first = grow(ward)
    before = people_of(ward, first)
    left, moved, _ = some_of(ward, first)
    ward.execute("DELETE FROM clinic.person WHERE id = %s", [left])
    ward.execute("UPDATE clinic.person SET age = 69 - age + 20 WHERE id = %s", [moved])
    gone = {
        name
        for name, (label, _) in before.items()
        if label in (before[str(left)][0], before[str(moved)][0])
    }
    for newcomers in (0, 12, 12):
        last = one(ward, "SELECT max(id) FROM clinic.person") + 1
        admit(ward, last, last + newcomers)
        release = grow(ward, departed="withdraw")
        shown = people_of(ward, release)
        assert not gone & shown.keys()
        within({name: at for name, at in before.items() if name not in gone}, shown)
    assert len(shown) > len(before)
    explained = ward.execute(
        "SELECT sum(records), bool_and(threshold IS NULL AND parameters = %s) "
        "FROM bkpriv.explain_suppressed(%s) WHERE requirement = 'grow'",
        [Jsonb({"departed": "withdraw"}), release],
    ).fetchone()
    assert explained == (len(gone) - 1, True)
    # Everybody is grouped anew without the option, where nobody is left out for earlier releases.
    state_policy(ward, "plain", PLAIN | {"overlap": "warn"})
    fresh = grow(ward, grow=False)
    assert gone - {str(left)} <= people_of(ward, fresh).keys()


def test_newcomers_too_few_wait_and_are_explained(ward: Connection) -> None:
    first = grow(ward)
    admit(ward, 60, 63)
    said = overhear(ward)
    second = grow(ward)
    assert (
        f"release {second} grows from release {first}: 60 records stay as they were published, 0 "
        "came, and 3 wait: Groups of newcomers alone: 0. Of those shown before, 0 have "
        "left and 0 have another record now; they stay as they were published."
    ) in said
    assert people_of(ward, second).keys() == people_of(ward, first).keys()
    explained = ward.execute(
        "SELECT DISTINCT requirement, attained, sum(records) OVER () "
        "FROM bkpriv.explain_suppressed(%s)",
        [second],
    ).fetchall()
    assert explained == [("k_anonymity", 3, 3)]
    admit(ward, 63, 80)
    third = grow(ward)
    assert {"60", "61", "62"} & people_of(ward, third).keys()


def test_who_left_a_withdrawn_group_does_not_come_back_among_newcomers(ward: Connection) -> None:
    """Beside newcomers they would be known by the group that showed them before."""
    first = grow(ward)
    ward.execute("CREATE TABLE clinic.away AS SELECT * FROM clinic.person WHERE id = 5")
    ward.execute("DELETE FROM clinic.person WHERE id = 5")
    second = grow(ward, departed="withdraw")
    gone = people_of(ward, first).keys() - people_of(ward, second).keys()
    assert "5" in gone
    ward.execute("INSERT INTO clinic.person SELECT * FROM clinic.away")
    admit(ward, 60, 80)
    third = grow(ward, departed="withdraw")
    shown = people_of(ward, third)
    assert not gone & shown.keys()
    assert len(shown) > len(people_of(ward, second))


# --- what is refused ------------------------------------------------------------------------------


def refused(db: Connection, words: str, **options: Any) -> psycopg.Error:
    """Publish in vain; return the error."""
    with pytest.raises(psycopg.Error, match=words) as caught:
        grow(db, **options)
    assert caught.value.diag.message_hint
    return caught.value


def test_without_respondents_nothing_grows(ward: Connection) -> None:
    ward.execute("SELECT bkpriv.register_dataset('nobody', 'clinic.person', '{age}', 'disease')")
    with pytest.raises(psycopg.Error, match="option grow cannot be combined with dataset"):
        ward.execute("SELECT bkpriv.publish('nobody', 'plain', 'n', options => '{\"grow\": true}')")


def test_what_changed_is_named(ward: Connection) -> None:
    grow(ward)
    ward.execute("UPDATE clinic.city_levels SET region = 'east' WHERE city = 'Aln'")
    ward.execute("SELECT bkpriv.set_hierarchy('people', 'city', 'clinic.city_levels')")
    error = refused(ward, 'attribute "city" is no more what it was')
    assert error.diag.message_detail == (
        "Its hierarchy had Aln < north < *, and has Aln < east < *."
    )
    ward.execute("SELECT bkpriv.unset_hierarchy('people', 'city')")
    error = refused(ward, 'attribute "city" is no more what it was')
    ward.execute("ALTER TABLE clinic.person ALTER age TYPE bigint")
    error = refused(ward, "has other attributes than its dataset, and cannot grow")
    assert '"age" integer' in str(error.diag.message_detail)


def test_other_forms_are_refused(ward: Connection) -> None:
    grow(ward)
    refused(ward, "is generalized, and cannot grow", method="bucketize")
    assert grow(ward, method="bucketize", grow=False)
    refused(ward, "is bucketized, and cannot grow")
    refused(ward, "is bucketized, and cannot grow", method="anatomy")
    assert grow(ward, method="incognito", grow=False)
    refused(ward, "is generalized, by whole columns, and cannot grow")
    refused(ward, "method incognito cannot be combined with option grow", method="incognito")


def test_what_was_purged_does_not_grow_and_harms_nothing(ward: Connection) -> None:
    first = grow(ward)
    admit(ward, 60, 80)
    second = grow(ward)
    audit = "SELECT * FROM bkpriv.audit(%s)"
    figures = ward.execute(audit, [second]).fetchall()
    ward.execute("SELECT bkpriv.withdraw(%s, 'old')", [first])
    ward.execute("SELECT bkpriv.purge(%s, 'old', force => true)", [first])
    assert ward.execute(audit, [second]).fetchall() == figures
    assert ward.execute("SELECT * FROM bkpriv.explain_suppressed(%s)", [second]) is not None
    admit(ward, 80, 100)
    third = grow(ward)
    within(people_of(ward, second), people_of(ward, third))
    ward.execute("SELECT bkpriv.withdraw(%s, 'old')", [third])
    ward.execute("SELECT bkpriv.purge(%s, 'old', force => true)", [third])
    refused(ward, f"release {third} was purged, and cannot grow")


# --- what is asked of it --------------------------------------------------------------------------


def test_it_is_measured_and_asked_as_any_release(ward: Connection) -> None:
    for month in range(3):
        admit(ward, 60 + 20 * month, 80 + 20 * month)
        ward.execute("DELETE FROM clinic.person WHERE id = %s", [month])
        release = grow(ward, policy="beliefs")
    records, shown = ward.execute(
        "SELECT records, records - suppressed FROM bkpriv.releases WHERE release = %s", [release]
    ).fetchall()[0]
    assert records == 119  # Of those who left, one did before anything was published.
    assert one(ward, "SELECT sum(records) FROM bkpriv.disclosure(%s, '0.3')", [release]) == shown
    metrics: dict[str, float] = dict(ward.execute("SELECT * FROM bkpriv.utility(%s)", [release]))
    assert metrics["suppressed_share"] == pytest.approx(1 - shown / records)
    ((actual, estimate),) = ward.execute(
        "SELECT actual, estimate FROM bkpriv.query_accuracy(%s, 'SELECT count(*) FROM people')",
        [release],
    ).fetchall()
    assert (actual, estimate) == (records, pytest.approx(shown))
    # What publication found of the release by itself is what an audit finds.
    figures = "requirement, threshold, worst, vulnerable, satisfied"
    audited = ward.execute(
        f"SELECT {figures} FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL", [release]
    ).fetchall()
    recorded = ward.execute(
        f"SELECT {figures} FROM bkpriv.audits WHERE release = %s "
        "AND NOT parameters ? 'together' ORDER BY audit, requirement DESC",
        [release],
    ).fetchall()
    assert [(*row[:2], pytest.approx(row[2]), *row[3:]) for row in audited] == recorded[:2]


def test_what_is_kept_may_break_what_is_required_now(ward: Connection) -> None:
    first = grow(ward)
    state_policy(ward, "strict", {"k_anonymity": {"k": 10}})
    admit(ward, 60, 100)
    second = grow(ward, policy="strict")
    assert sentence(ward, second).startswith("violated: k_anonymity: broken for")
    within(before := people_of(ward, first), after := people_of(ward, second))
    sizes = Counter(label for label, _ in after.values())
    assert min(sizes.values()) < 10
    for name, (label, _) in after.items():
        assert name in before or sizes[label] >= 10
