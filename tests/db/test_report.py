"""Reports: their figures are those of other functions, and outsiders are told less."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from bkpriv_core.report.words import figure, share
from tests.conftest import Connection
from tests.db.clinic import BELIEFS, one, publish, state_policy
from tests.db.refusal import refused
from tests.db.several import create_releases

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]


def page_of(connection: Connection, release: int, audience: str = "officer") -> str:
    """A report."""
    return str(one(connection, "SELECT bkpriv.report_html(%s, %s)", [release, audience]))


def words_of(page: str) -> str:
    """Text of a page, on one line."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


@pytest.fixture
def release(clinic: Connection) -> int:
    """A release that leaves records out, in place of an earlier one."""
    state_policy(clinic, "strict", BELIEFS | {"l_diversity": {"l": 4}})
    publish(clinic, policy="plain", view="public.shown")
    return publish(clinic, policy="strict", view="public.shown", options={"ranges": "bounds"})


def test_figures_are_those_of_the_audit_and_of_utility(clinic: Connection, release: int) -> None:
    words = words_of(page_of(clinic, release))
    for worst, mean, threshold, group, value in clinic.execute(
        "SELECT worst, mean, threshold, worst_records, value FROM bkpriv.audit(%s) "
        "WHERE threshold IS NOT NULL",
        [release],
    ).fetchall():
        assert f"{figure(threshold)} {figure(worst)} {figure(mean)}" in words
        assert f"A group of {figure(group)}" in words
        assert value is None or value in words
    for metric, value in clinic.execute(
        "SELECT metric, value FROM bkpriv.utility(%s) WHERE metric IN "
        "('gcp', 'rgcp', 'suppressed_share', 'discernibility', 'kl')",
        [release],
    ).fetchall():
        written = figure(value) if metric in ("discernibility", "kl") else share(value)
        assert " ".join(written.split()) in words, metric
    suppressed = one(clinic, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release])
    assert f"{figure(suppressed)} records left out" in words
    for records, requirement in clinic.execute(
        "SELECT records, requirement FROM bkpriv.explain_suppressed(%s)", [release]
    ).fetchall():
        assert figure(records) in words
        assert requirement
    for column, comment in clinic.execute(
        "SELECT attname, col_description(attrelid, attnum) FROM pg_attribute "
        "WHERE attrelid = 'public.shown'::regclass AND attnum > 0"
    ).fetchall():
        assert f"{column} " in words
        assert comment in words
    # One that nobody would read to its end is not read to it.
    clinic.execute(f"COMMENT ON COLUMN public.shown.disease IS '{'so ' * 4000}'".encode())
    assert 0 < words_of(page_of(clinic, release)).count("so so") <= 333
    # A report is no audit and no attack: nothing is recorded.
    recorded = "SELECT count(*) FROM bkpriv.audits", "SELECT count(*) FROM bkpriv.attacks"
    before = [one(clinic, query) for query in recorded]
    page_of(clinic, release)
    assert [one(clinic, query) for query in recorded] == before


def test_history_is_told(clinic: Connection, release: int) -> None:
    clinic.execute("DELETE FROM clinic.patient WHERE age = 30")
    clinic.execute("SELECT bkpriv.withdraw(1, 'a mistake')")
    words = words_of(page_of(clinic, release))
    assert "stale" in words
    assert "The source has changed" in words
    assert "1 mondrian withdrawn" in words
    assert f"{release} (this) mondrian published" in words
    words = words_of(page_of(clinic, 1))
    assert "This release is withdrawn." in words
    assert "a mistake" in words
    clinic.execute("SELECT bkpriv.purge(1, 'somebody objected', force => true)")
    for audience in ("officer", "outsiders"):
        words = words_of(page_of(clinic, 1, audience))
        assert "This release is purged." in words
        assert "cannot be measured any more" in words
        assert ("somebody objected" in words) == (audience == "officer")


@pytest.mark.parametrize("method", ["bucketize", "anatomy", "randomize", "incognito"])
def test_every_form_is_reported(clinic: Connection, method: str) -> None:
    state_policy(clinic, "drawn", {"max_disclosure": {"tau": 0.7}})
    options = {"scheme": "rr-both"} if method == "randomize" else {}
    policy = "drawn" if method == "randomize" else "plain"
    release = publish(clinic, "patients", policy, "public.shown", options, method)
    for audience in ("officer", "outsiders"):
        words = words_of(page_of(clinic, release, audience))
        assert "Every bound of the policy is satisfied" in words


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_records_per_person": "all"}, "Of each person all records are shown."),
        (
            {"max_records_per_person": 2, "latest_by": "seen"},
            "Of each person at most 2 records are shown, the latest by seen.",
        ),
        ({"max_records_per_person": 1}, "Of each person one record is shown, chosen at random."),
    ],
)
def test_persons_are_counted_where_they_may_have_several_records(
    clinic: Connection, options: dict[str, Any], said: str
) -> None:
    clinic.execute(
        "CREATE TABLE visit AS SELECT p, 20 + p % 30 AS age, chr(97 + (p + i) % 3) AS code, "
        "i AS seen FROM generate_series(1, 153) AS p, generate_series(1, 1 + p % 3) AS i; "
        "INSERT INTO visit SELECT 200 + p, 50, 'a', 1 FROM generate_series(1, 3) AS p; "
        "SELECT bkpriv.register_dataset('visits', 'visit', '{age}', 'code', 'p')"
    )
    state_policy(clinic, "persons", {"k_anonymity": {"k": 4}, "max_disclosure": {"tau": 0.9}})
    release = publish(clinic, "visits", "persons", "public.shown", options)
    rows = one(clinic, "SELECT count(*) FROM shown")
    persons = one(clinic, "SELECT records - suppressed FROM bkpriv.releases")
    for audience in ("officer", "outsiders"):
        words = words_of(page_of(clinic, release, audience))
        assert f"{persons} persons published {rows} records of theirs" in words
        assert f"{persons} are published, with {rows} records" in words
        assert said.removesuffix(" by seen.") in words or audience == "officer"
        assert "records published" not in words
        assert '{"' not in without_advice(clinic, release, words)
    words = words_of(page_of(clinic, release))
    assert said in words
    assert f"max_records_per_person: {options['max_records_per_person']}" in words
    assert "Persons over it" in words


def without_advice(db: Connection, release: int, words: str) -> str:
    """Words of a page without options and requirements that the verdict advises."""
    asked = "SELECT advice FROM bkpriv.verdict(%s) WHERE advice IS NOT NULL"
    for (advice,) in db.execute(asked, [release]).fetchall():
        words = words.replace(advice, "")
    return words


def test_values_of_several_columns_are_told_in_words(clinic: Connection) -> None:
    create_releases(clinic)
    words = words_of(page_of(clinic, 1))
    assert '{"' not in without_advice(clinic, 1, words)
    for value, before, after in clinic.execute(
        "SELECT value, value_before, value_after FROM bkpriv.audit(1) WHERE value IS NOT NULL"
    ).fetchall():
        written = " · ".join(f"{column}: {told}" for column, told in json.loads(value).items())
        assert f"{written} , {share(before)} before, {share(after)} after" in words


def test_who_may_read_the_release_is_told_to_officers(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    release = publish(clinic, view="public.shown")
    reader = make_role("reader")
    clinic.execute(sql.SQL("GRANT SELECT ON shown TO {}").format(sql.Identifier(reader)))
    assert reader in words_of(page_of(clinic, release))
    assert reader not in page_of(clinic, release, "outsiders")


def test_of_many_releases_the_latest_are_listed(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute(
        "INSERT INTO bkpriv.release SELECT (jsonb_populate_record(r, "
        "jsonb_build_object('release', release + i, 'version', 1 + i))).* "
        "FROM bkpriv.release AS r, generate_series(1, 3000) AS i"
    )
    latest = one(clinic, "SELECT max(release) FROM bkpriv.release")
    page = page_of(clinic, release)
    words = words_of(page)
    assert "Releases of the dataset, with this one: 50 of 3 001" in words
    assert f"{release} (this) mondrian published" in words
    assert f"{latest} mondrian" in words
    assert f"{latest - 48} mondrian" in words
    assert f"{latest - 49} mondrian" not in words
    assert "Its dataset has 3 000 others." in words_of(page_of(clinic, release, "outsiders"))


def test_of_many_events_the_latest_are_listed(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute(
        "INSERT INTO bkpriv.release_event (release, kind, reason, by, at) SELECT %s, 'stale', "
        "format('reason<%%s>', i), 'postgres', now() + make_interval(secs => i) "
        "FROM generate_series(1, 3000) AS i",
        [release],
    )
    words = words_of(page_of(clinic, release))
    assert "What became of this release: the last 50 of 3 000 events" in words
    assert ("reason<2951>" in words, "reason<2950>" in words) == (True, False)
    assert words.index("reason<2951>") < words.index("reason<3000>")


def test_the_latest_attack_of_each_reader_is_told(
    clinic: Connection, release: int, make_role: Callable[..., str]
) -> None:
    """An attack on another release, an earlier one and who played it are told apart."""
    assert "No attack was played on this release" in words_of(page_of(clinic, release))
    auditor = make_role("auditor")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [auditor])
    played = "SELECT metric, value FROM bkpriv.attack(%s, %s, %s)"
    usual = json.dumps({"model": "bayes"})
    clinic.execute(played, [release - 1, "learner", usual])
    assert "No attack was played on this release" in words_of(page_of(clinic, release))
    clinic.execute(played, [release, "majority", json.dumps({"model": "bayes", "sure": 0.95})])
    clinic.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(auditor)))
    latest: dict[str, float] = dict(clinic.execute(played, [release, "majority", usual]).fetchall())
    informed: dict[str, float] = dict(
        clinic.execute(played, [release, "informed", usual]).fetchall()
    )
    clinic.execute("RESET ROLE")
    # An earlier one, though its id is the last.
    clinic.execute(
        "INSERT INTO bkpriv.attack_record (attack, place, release, attacker, options, metric, "
        "value, attacked_at, attacked_by) SELECT bkpriv_internal.next_audit(), 0, %s, "
        "'informed', '{}', 'people', 7777, now() - interval '1 day', 'postgres'",
        [release],
    )
    words = words_of(page_of(clinic, release))
    for name, found in (("majority", latest), ("informed", informed)):
        counts = " ".join(
            figure(found[key]) for key in ("people", "claimed", "claimed_right", "breached")
        )
        shares = f"{share(found['accuracy'])} {share(found['baseline_accuracy'])}"
        assert f"{name} {shares} {counts} {figure(found['over_t'])}" in words
    assert words.count(f"by {auditor}") == 2
    assert "sure: 0.95" not in words
    assert words.count("Its options: model: bayes") == 2
    assert "7 777" not in words
    assert "Not played: learner, without_groups." in words
    outside = words_of(page_of(clinic, release, "outsiders"))
    assert f"majority {share(latest['accuracy'])} {share(latest['baseline_accuracy'])}" in outside
    assert auditor not in outside
    # What breached more is not hidden by what was played after it by other options.
    for sure in (0.5, 0.99):
        clinic.execute(played, [release, "majority", json.dumps({"model": "bayes", "sure": sure})])
    words = words_of(page_of(clinic, release))
    assert "sure: 0.5" in words
    assert "sure: 0.99" not in words


def test_outsiders_are_told_less(clinic: Connection, make_role: Callable[..., str]) -> None:
    name = "</title><script>é'\"\u202e"
    clinic.execute(
        sql.SQL(
            "CREATE SCHEMA hidden; CREATE TABLE hidden.source AS SELECT * FROM clinic.patient; "
            "SELECT bkpriv.register_dataset({name}, 'hidden.source', '{{age,sex}}', 'disease')"
        ).format(name=sql.Literal(name))
    )
    state_policy(clinic, "hidden policy", {"k_anonymity": {"k": 6}, "l_diversity": {"l": 4}})
    view = sql.Identifier(f"hidden {name}").as_string(clinic)
    release = publish(clinic, name, "hidden policy", f"hidden.{view}")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'hidden reason')", [release])
    page = page_of(clinic, release)
    for told in (
        "hidden.source",
        "hidden policy",
        "hidden reason",
        "postgres",
        "</title><script>é",
    ):
        assert told in words_of(page)
    assert "<script" not in page
    page = page_of(clinic, release, "outsiders")
    for told in ("hidden", "postgres", "script", "patient"):
        assert told not in page
    for told in ("age", "sex", "disease", "at least 6"):
        assert told in words_of(page)


def test_who_may_have_a_report(
    clinic: Connection, connect_as: Callable[[str], Connection], make_role: Callable[..., str]
) -> None:
    release = publish(clinic)
    auditor, publisher = make_role("auditor"), make_role("publisher")
    clinic.execute(
        "SELECT bkpriv.grant_auditor(%s), bkpriv.grant_publisher(%s)", [auditor, publisher]
    )
    assert "Release" in page_of(connect_as(auditor), release)
    call: tuple[str, list[Any]] = ("SELECT bkpriv.report_html(%s)", [release])
    refused(connect_as(publisher), *call, sqlstate="42704", names=[str(release)])


@pytest.mark.parametrize("audience", [None, "everybody", "Officer"])
def test_unknown_audiences_are_refused(clinic: Connection, audience: str | None) -> None:
    said = refused(
        clinic, "SELECT bkpriv.report_html(1, %s)", [audience], sqlstate="22023", names=["audience"]
    )
    assert "outsiders" in (said.message_hint or "")
    refused(clinic, "SELECT bkpriv.report_html(77)", sqlstate="42704", names=["77"])
    refused(clinic, "SELECT bkpriv.report_html(NULL)", sqlstate="22023")


def test_a_release_that_cannot_be_measured_any_more_is_reported_as_certified(
    clinic: Connection,
) -> None:
    clinic.execute(
        "CREATE TABLE clinic.known AS SELECT age, sex, city, disease, 0.2 AS probability "
        "FROM (SELECT DISTINCT age, sex, city FROM clinic.patient) AS q, "
        "(SELECT DISTINCT disease FROM clinic.patient) AS d"
    )
    state_policy(
        clinic,
        "outside",
        {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": {"table": "clinic.known"}, "t": 0.9}},
    )
    release = publish(clinic, policy="outside", view="public.shown")
    assert "Measured when this report was made" in words_of(page_of(clinic, release))
    clinic.execute("DROP TABLE clinic.known")
    notices: list[str] = []
    clinic.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    words = words_of(page_of(clinic, release))
    assert "Measured at 20" in words
    assert any("reported as it was certified" in notice for notice in notices)
