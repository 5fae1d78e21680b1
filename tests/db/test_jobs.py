"""Each job done without superuser; `test_privilege` holds every role against every object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, one, publish, state_policy
from tests.db.refusal import refused, unchanged

# --- a publisher ----------------------------------------------------------------------------------


@pytest.mark.always
def test_a_publisher_does_the_whole_job_without_superuser(
    db: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    publisher.execute(
        "CREATE TABLE levels AS "
        "SELECT i, 20 + i / 4 AS four, 30 AS root FROM generate_series(0, 11) i"
    )
    publisher.execute("SELECT bkpriv.set_hierarchy('mine', 'a', 'levels')")
    publisher.execute("SELECT bkpriv.set_interval_hierarchy('mine', 'b', '{2, 4}')")
    skyline = [{"bandwidth": 0.4, "t": 0.3}, {"bandwidth": 1.1, "t": 0.3}]
    state_policy(publisher, "own", {"k_anonymity": {"k": 3}, "bt_privacy": skyline})
    state_policy(publisher, "own", {"k_anonymity": {"k": 4}, "bt_privacy": skyline})
    first = publish(publisher, "mine", "own", "shown")
    second = publish(publisher, "mine", "own", "shown", {"materialized": True})
    assert one(publisher, "SELECT count(*) FROM shown") == 120
    assert one(publisher, "SELECT stale FROM bkpriv.releases WHERE release = %s", [second]) is False
    publisher.execute("INSERT INTO own VALUES (1, 1)")
    assert one(publisher, "SELECT stale FROM bkpriv.releases WHERE release = %s", [second]) is True
    for call in (
        "prior('mine', '0.3')",
        "explore('mine', '[{\"k_anonymity\": {\"k\": 4}}]')",
        "posterior(1, '0.3')",
        "disclosure(1, '0.3')",
        "audit(1)",
        "utility(1)",
        "compare_releases(ARRAY[1])",
        "report_html(1)",
        "doctor()",
        "version()",
    ):
        assert publisher.execute(f"SELECT * FROM bkpriv.{call}").fetchall(), call
    assert publisher.execute("SELECT * FROM bkpriv.audits").fetchall()
    for release in (first, second):
        publisher.execute("SELECT bkpriv.withdraw(%s, 'done')", [release])
    publisher.execute("SELECT bkpriv.drop_dataset('mine')")


def test_a_publisher_may_not_grant(shared_database: Database, people: dict[str, str]) -> None:
    publisher = shared_database.connect(people["publisher"])
    for job in ("publisher", "auditor"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            publisher.execute(f"SELECT bkpriv.grant_{job}(%s)", [people["nobody"]])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        publisher.execute("SELECT bkpriv_internal.auditor()")


def test_publishers_do_not_see_each_other(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    colleague = shared_database.connect(people["colleague"])
    for relation in (
        *("dataset", "hierarchy", "release", "release_attribute", "release_content"),
        *("release_respondent", "release_event", "audit_record", "releases", "audits"),
        *("attack_record", "attacks"),
        *("release_base", "release_belief", "release_draw", "sequential_knowledge"),
        "release_notice",
    ):
        query = sql.SQL("SELECT * FROM bkpriv.{}").format(sql.Identifier(relation))
        assert colleague.execute(query).fetchall() == [], relation
    with unchanged(shared_db):
        for call in (
            *("posterior(1, '0.3')", "disclosure(1, '0.3')", "audit(1)", "utility(1)"),
            *("max_disclosure(1, 1)", "explain_suppressed(1)"),
            *("compare_releases(ARRAY[1])", "audit_together(ARRAY[1])"),
            *("explain_together(ARRAY[1])", "report_html(1)", "attack(1)", "explain_attack(1)"),
        ):
            refused(colleague, f"SELECT * FROM bkpriv.{call}", sqlstate="42704", names=["1"])
        for call in (
            "lattice('mine', 'own')", "prior('mine', '0.3')", "audit_readers('mine')",
            "optimize_randomization('mine', 'rr-qi', 0.5)",
            "publish('mine', 'own', 'v')", "drop_dataset('mine')",
            "explore('mine', '[{\"k_anonymity\": {\"k\": 4}}]')",
            "set_hierarchy('mine', 'a', 'pg_class')", "set_interval_hierarchy('mine', 'a', '{5}')",
            "suggest_hierarchy('mine', 'a')",
        ):  # fmt: skip
            refused(colleague, f"SELECT * FROM bkpriv.{call}", sqlstate="42704", names=["mine"])
        refused(colleague, "SELECT bkpriv.withdraw(1, 'x')", sqlstate="42704", names=["1"])
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            colleague.execute("SELECT * FROM bkpriv_release.release_1")


def test_the_same_name_is_refused_without_telling_whose_it_is(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    colleague = shared_database.connect(people["colleague"])
    colleague.execute("CREATE TABLE IF NOT EXISTS other AS SELECT 1 AS a, 2 AS b")
    with unchanged(shared_db):
        statement = "SELECT bkpriv.register_dataset('mine', 'other', '{a}', 'b')"
        said = refused(colleague, statement, sqlstate="42710", names=["mine"])
    assert people["publisher"] not in f"{said.message_primary}{said.message_detail}"


# --- an auditor -----------------------------------------------------------------------------------


def test_an_auditor_measures_everything(
    shared_clinic: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    publish(shared_clinic, view="public.patients")
    auditor = shared_database.connect(people["auditor"])
    assert one(auditor, "SELECT count(DISTINCT dataset) FROM bkpriv.releases") == 2
    for release, created_by in auditor.execute(
        "SELECT release, created_by FROM bkpriv.releases"
    ).fetchall():
        before = one(auditor, "SELECT count(*) FROM bkpriv.audits WHERE release = %s", [release])
        for call in ("posterior(%s, '0.3')", "disclosure(%s, '0.3')", "audit(%s)", "utility(%s)"):
            assert auditor.execute(f"SELECT * FROM bkpriv.{call}", [release]).fetchall(), call
        after = (
            "SELECT count(*), max(audited_by) FROM bkpriv.audits "
            "WHERE release = %s AND audited_by <> %s"
        )
        ((count, by),) = auditor.execute(after, [release, created_by]).fetchall()
        assert (count > 0, by) == (True, people["auditor"])
        assert before
        attack = "attack(%s, 'majority', '{\"model\": \"bayes\"}')"
        assert auditor.execute(f"SELECT * FROM bkpriv.{attack}", [release]).fetchall()
        by = "SELECT max(attacked_by) FROM bkpriv.attacks WHERE release = %s AND attacked_by <> %s"
        assert one(auditor, by, [release, created_by]) == people["auditor"]
    found = {row[0] for row in auditor.execute("SELECT name FROM bkpriv.dataset").fetchall()}
    assert found == {"mine", "patients"}


def test_an_auditor_needs_the_source_for_what_reads_it(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    auditor = shared_database.connect(people["auditor"])
    with unchanged(shared_db):
        for dataset in ("patients", "mine"):
            for call in ("prior(%s, '0.3')", "optimize_randomization(%s, 'rr-qi', 0.5)"):
                refused(auditor, f"SELECT * FROM bkpriv.{call}", [dataset], sqlstate="42501")


def test_an_auditor_changes_nothing(
    shared_clinic: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    auditor = shared_database.connect(people["auditor"])
    requests = [
        "SELECT bkpriv.publish('mine', 'own', 'v')",
        "SELECT bkpriv.withdraw(1, 'x')",
        "SELECT bkpriv.drop_dataset('mine')",
        "SELECT bkpriv.register_dataset('x', 'pg_class', '{relname}', 'relkind')",
        "SELECT bkpriv.set_policy('x', '{\"k_anonymity\": {\"k\": 1}}')",
        "SELECT bkpriv.set_hierarchy('mine', 'a', 'pg_class')",
        "SELECT bkpriv.set_interval_hierarchy('mine', 'a', '{5}')",
        "SELECT bkpriv.grant_auditor('postgres')",
        "SELECT * FROM bkpriv_release.release_1",
        "CREATE TABLE bkpriv.mine (a int)",
    ]
    with unchanged(shared_clinic):
        for statement in requests:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(statement)


def test_an_auditor_of_one_requirement_is_told_what_it_asked(
    shared_database: Database, people: dict[str, str]
) -> None:
    auditor = shared_database.connect(people["auditor"])
    rows: list[tuple[Any, ...]] = auditor.execute(
        "SELECT requirement, parameters, threshold, satisfied FROM bkpriv.audit(1, %s)",
        [Jsonb({"l_diversity": {"l": 2}})],
    ).fetchall()
    assert rows == [("l_diversity", {"l": 2, "variant": "distinct"}, 2.0, True)]


# --- a job elsewhere ------------------------------------------------------------------------------

DEFINED = {
    "write": ("", "42501"),
    "python_path": ("", None),
    # Triggers: the first marks what has the token of the table that it is on.
    "mark_stale": ("", "0A000"),
    "note_alteration": ("", "42501"),
}
"""Functions with the rights of the extension's owner: arguments, and what they refuse with."""


def test_a_job_in_another_database_gives_none_here(
    db: Connection, make_publisher: Callable[..., Connection], publisher: Connection
) -> None:
    stranger = make_publisher("a_stranger")  # Not all are listed.
    db.execute(
        "SELECT bkpriv.grant_auditor(%s), bkpriv.grant_watcher(%s)", [stranger.info.user] * 2
    )
    # What is left is what a job in another database gives.
    db.execute("SELECT bkpriv.revoke_jobs(%s)", [stranger.info.user])
    stranger.execute("CREATE TABLE t (i int)")
    for call in (
        "register_dataset('x', 't', '{i}', 'i')",
        "set_policy('x', '{\"k_anonymity\": {\"k\": 2}}')",
        "watch('t')",
    ):
        with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
            stranger.execute(f"SELECT bkpriv.{call}".encode())
    found = db.execute(
        "SELECT proname FROM pg_proc "
        "WHERE prosecdef AND pronamespace::regnamespace::text ~ '^bkpriv'"
    ).fetchall()
    assert {name for (name,) in found} == set(DEFINED)
    stranger.execute(
        "CREATE TRIGGER bkpriv_watch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON t "
        "FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('mine')"
    )
    with unchanged(db):
        for name, (arguments, sqlstate) in DEFINED.items():
            internal = f"SELECT bkpriv_internal.{name}({arguments})".encode()
            if sqlstate is None:
                assert stranger.execute(internal).fetchall()
                continue
            with pytest.raises(psycopg.Error) as raised:
                stranger.execute(internal)
            assert raised.value.sqlstate == sqlstate, name
    jobs = one(db, "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'jobs'")
    assert stranger.info.user in jobs.partition("without a job in this database: ")[2]
    assert publisher.info.user not in jobs.partition("without a job in this database: ")[2]
