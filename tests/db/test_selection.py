"""Reasons why releases are left out of those taken together: one list, whoever asks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

REGISTER = "SELECT bkpriv.register_dataset('ward', 'ward', '{age}', %s::text[], %s)"
"""The dataset, by its sensitive columns and its column of respondents."""


@pytest.fixture
def ward(db: Connection) -> Connection:
    """A ward whose respondents are known by two names, and policies."""
    db.execute(
        "CREATE TABLE ward (name text, bed text, age int, disease text, drug text);"
        "INSERT INTO ward SELECT 'p' || i, 'b' || i, 20 + i, "
        "(ARRAY['flu', 'HIV', 'ulcer'])[1 + i % 3], (ARRAY['x', 'y'])[1 + i % 2] "
        "FROM generate_series(1, 18) AS i"
    )
    db.execute(REGISTER, [["disease"], "name"])
    state_policy(db, "plain", {"k_anonymity": {"k": 3}, "max_disclosure": {"tau": 0.9}})
    warned = {"max_disclosure": {"tau": 0.9}, "overlap": "warn"}
    state_policy(db, "warned", warned)
    state_policy(db, "varied", warned | {"m_invariance": {"m": 2}})
    return db


def drop(db: Connection, release: int) -> None:
    """Drop the dataset, whose release is no more in the way then."""
    db.execute("SELECT bkpriv.withdraw(%s, 'to be another')", [release])
    db.execute("SELECT bkpriv.drop_dataset('ward')")


def of_else(sensitive: list[str], respondent: str | None) -> Callable[[Connection], int]:
    """A release of the dataset as it was registered before."""

    def made(db: Connection) -> int:
        db.execute("SELECT bkpriv.drop_dataset('ward')")
        db.execute(REGISTER, [sensitive, respondent])
        release = publish(db, "ward", "warned")
        drop(db, release)
        db.execute(REGISTER, [["disease"], "name"])
        return release

    return made


def purged(db: Connection) -> int:
    """A release that was erased."""
    release = publish(db, "ward", "plain")
    db.execute("SELECT bkpriv.withdraw(%s, 'for the test')", [release])
    db.execute("SELECT bkpriv.purge(%s, 'for the test', force => true)", [release])
    return release


def lost(db: Connection) -> int:
    """A release whose attributes a restore lost."""
    release = publish(db, "ward", "plain")
    db.execute("ALTER TABLE bkpriv.release_attribute DISABLE TRIGGER USER")
    db.execute("DELETE FROM bkpriv.release_attribute WHERE release = %s", [release])
    db.execute("ALTER TABLE bkpriv.release_attribute ENABLE TRIGGER USER")
    return release


def by(policy: str, method: str, **options: Any) -> Callable[[Connection], int]:
    """A release made so."""
    return lambda db: publish(db, "ward", policy, "public.shown", options, method)


class Case(NamedTuple):
    """A release that is left out: how it is made, why, and by whom."""

    make: Callable[[Connection], int]
    words: str
    sqlstate: str = "55000"


CASES = {
    "purged": Case(purged, "was purged"),
    "nothing on record": Case(lost, "has no content on record"),
    "randomized": Case(
        by("warned", "randomize", scheme="rr-both"),
        "is randomized, and shows no groups",
    ),
    "of nobody": Case(of_else(["disease"], None), "names no respondents", "42703"),
    "of some records": Case(
        by("warned", "mondrian", max_records_per_person=1),
        "shows some of each person's records",
    ),
    "of another column": Case(of_else(["disease"], "bed"), 'names respondents by column "bed"'),
    "of another attribute": Case(of_else(["drug"], "name"), 'is about "drug"'),
    "of combinations": Case(of_else(["disease", "drug"], "name"), 'is about "disease, drug"'),
}


@pytest.mark.parametrize("kind", CASES)
def test_whoever_takes_releases_together_says_the_same_reason(ward: Connection, kind: str) -> None:
    case = CASES[kind]
    release = case.make(ward)
    said = overhear(ward)
    # Who publishes another, by itself and together with others.
    other = publish(ward, "ward", "plain", "public.other")
    (warning,) = [message for message in said if "are not judged together" in message]
    assert f"Release {release} {case.words}." in warning
    # Who judges both.
    call = "SELECT * FROM bkpriv.audit_together(%s)"
    with unchanged(ward):
        names = [f"release {release} {case.words}"]
        refused(ward, call, [[release, other]], sqlstate=case.sqlstate, names=names)
    # Who judges what a reader holds.
    said.clear()
    readers = f'{{"press": [{release}, {other}]}}'
    rows = ward.execute(
        "SELECT DISTINCT releases FROM bkpriv.audit_readers('ward', %s)", [readers]
    ).fetchall()
    assert rows == [([other],)]
    assert any(f"release {release} {case.words}." in message for message in said)
    # Who follows values.
    ward.execute("SELECT bkpriv.set_sequential_knowledge('ward', 'same', 'constant')")
    said.clear()
    audited = "SELECT left_out FROM bkpriv.sequential_audit('ward', 'same') WHERE release = %s"
    assert one(ward, audited, [release]) == case.words
    assert any(f"release {release} {case.words}." in message for message in said)


# What a release is that is left out, for which reason, and by which list of reasons.
TABLE = """
DO LANGUAGE plpython3u $$
    from dataclasses import replace

    from bkpriv_pl.past import selection
    from bkpriv_pl.past.selection import (
        Reason, RecordedPeriod, ReleaseFilter, ReleaseRecord, find_left_out)

    march = RecordedPeriod("2024-03", "text", "month")
    fit = ReleaseRecord(
        7, 1, "ward", "me", "public.ward", "public", "ward", "mondrian", 18, 0, 3, 0, "name",
        march, "disease", 2, *(False, False, True, False, False), [],
    )
    like = ReleaseFilter("ward", "me", "disease", "name", march)
    together, following = "together", "following"
    cases = [
        ({}, None, {together, following}),
        ({"attributes": 0, "purged": True}, "was purged", {together, following}),
        ({"attributes": 0}, "has no content on record", {together, following}),
        ({"drawn": True}, "is randomized, and shows no groups", {together, following}),
        ({"named": False}, "names no respondents", {together, following}),
        ({"some": True}, "shows some of each person's records", {together, following}),
        ({"several": True}, "shows several records of a person", {following}),
        ({"respondent": "bed"}, 'names respondents by column "bed"', {together, following}),
        ({"sensitive": "drug"}, 'is about "drug"', {together, following}),
        ({"counterfeited": 1}, "shows counterfeit values", {together}),
        ({"dataset": "other"}, "is of another dataset", set()),
        ({"owner": "another"}, "is of another dataset", set()),
        ({"period": RecordedPeriod("2024-04", "text", "month")}, "is of period 2024-04", set()),
        ({"period": selection.NO_PERIOD}, "is of no period", set()),
        # What comes first is said.
        (
            {"attributes": 0, "named": False, "some": True},
            "has no content on record",
            {together, following},
        ),
        ({"sensitive": "drug", "counterfeited": 1}, 'is about "drug"', {together, following}),
    ]
    met = set()
    for changes, words, lists in cases:
        release = replace(fit, **changes)
        for name in (together, following):
            found = find_left_out(release, like, getattr(selection, name.upper()))
            assert (name in lists) == (words == (found and str(found))), (changes, name, found)
        found = find_left_out(release, like, Reason)
        assert words == (found and str(found)), (changes, found)
        met |= {found and found.reason}
    assert met == {None, *Reason}, met
    # Any column will do where none is named.
    assert find_left_out(replace(fit, respondent="bed"), replace(like, respondent=None)) is None
$$
"""


def test_each_reason_has_its_words_and_those_whom_it_concerns(db: Connection) -> None:
    db.execute("SELECT count(*) FROM bkpriv.doctor()")
    db.execute(TABLE)


@pytest.mark.parametrize(
    ("other", "may_be"),
    [
        ("None", True),
        ("'2024-03', 'text', 'month'", True),
        ("'2024-03', 'date', 'day'", True),
        ("'2024-04', 'text', 'month'", False),
        ("'2024-04', None, 'month'", True),
        ("'2024-04', 'date', 'month'", True),
        ("'2024-04', 'text', 'day'", True),
        ("'2024-04', 'text', 'month', 'year'", True),
    ],
)
def test_periods_that_cannot_be_told_apart_may_be_the_same(
    db: Connection, other: str, may_be: bool
) -> None:
    db.execute("SELECT count(*) FROM bkpriv.doctor()")
    body = f"""
        from bkpriv_pl.past.selection import RecordedPeriod
        march = RecordedPeriod('2024-03', 'text', 'month')
        assert march.may_be(RecordedPeriod({other})) is {may_be}
    """
    db.execute("DO LANGUAGE plpython3u $$" + textwrap.dedent(body) + "$$")
