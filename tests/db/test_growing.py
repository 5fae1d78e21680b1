"""Releases that keep the groups of the one before, and group newcomers among themselves."""

from __future__ import annotations

from collections import Counter
from typing import Any

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
    rows_of,
    state_policy,
)

GROWING = {"grow": True, "seed": 7}
"""Options."""

METHODS = ["mondrian", "agglomerate", "bucketize", "anatomy", "js_reduce"]

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
    """Whom a release shows, by the history."""
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
            assert audited[1], audited
        before = after
    assert len(before) > 150
