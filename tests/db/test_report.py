"""Reports: their figures are those of other functions, and outsiders are told less."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from bkpriv_core.report.words import figure, share
from tests.conftest import Connection
from tests.db.clinic import BELIEFS, one, publish, state_policy
from tests.db.refusal import refused


def page_of(connection: Connection, release: int, audience: str = "officer") -> str:
    """A report."""
    return str(one(connection, "SELECT bkpriv.report_html(%s, %s)", [release, audience]))


def words_of(page: str) -> str:
    """All text of a page, on one line."""
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
        "SELECT worst, mean, threshold, worst_records, value FROM bkpriv.audit(%s)", [release]
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
    # A report is no audit: nothing is recorded.
    audits = one(clinic, "SELECT count(*) FROM bkpriv.audits")
    page_of(clinic, release)
    assert one(clinic, "SELECT count(*) FROM bkpriv.audits") == audits


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
        assert "Every bound that was asked for is kept." in words_of(
            page_of(clinic, release, audience)
        )


def test_people_are_counted_where_they_may_have_several_records(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE visit AS SELECT p, 20 + p % 30 AS age, chr(97 + (p + i) % 3) AS code FROM "
        "generate_series(1, 150) AS p, generate_series(1, 1 + p % 3) AS i; "
        "SELECT bkpriv.register_dataset('visits', 'visit', '{age}', 'code', 'p')"
    )
    options = {"max_records_per_person": "all"}
    release = publish(clinic, "visits", "plain", "public.shown", options)
    assert one(clinic, "SELECT count(*) FROM shown") > 200
    words = words_of(page_of(clinic, release))
    assert "150 people published 0 people left out" in words
    assert "records published" not in words


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
