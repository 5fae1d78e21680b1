"""Purge: what a release was made from is erased, what was found about it stays."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import declare_people, one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"
PURGE = "SELECT bkpriv.purge(%s, 'and wants to be forgotten')"

ERASED = (
    *("release_content", "release_draw", "release_respondent", "release_attribute"),
    "release_notice",
    "release_belief",
)

BELIEVE = "INSERT INTO bkpriv.release_belief VALUES (%s, repeat('0', 64), 'months', '{1}')"
KEPT = ("release", "audit_record", "attack_record", "verdict_record", "dataset", "policy")

MEASURES = (
    *("posterior({}, '0.3')", "disclosure({}, '0.3')", "explain_disclosure({}, '0.3')"),
    *("audit({})", "utility({})", "association({})", "max_disclosure({}, 1)"),
    *("explain_suppressed({})", "compare_releases(ARRAY[{}])", "attack({})", "explain_attack({})"),
    *("audit_together(ARRAY[{}])", "explain_together(ARRAY[{}])"),
    "query_accuracy({}, 'SELECT count(*) FROM released')",
    *("query_workload({}, 1, 1, 0.5)", "rewrite_query({}, 'SELECT count(*) FROM released')"),
    "reconstruct({}, '{{age}}')",
)


def of(db: Connection, table: str, release: int) -> list[tuple[object, ...]]:
    """Rows of a table of the history about a release."""
    return db.execute(f"SELECT * FROM bkpriv.{table} WHERE release = {release}").fetchall()


def test_data_go_and_verdicts_stay(clinic: Connection) -> None:
    declare_people(clinic)
    other = publish(clinic)
    release = publish(clinic, "people", view="public.people", method="bucketize")
    clinic.execute("SELECT bkpriv.attack(%s, 'majority', '{\"model\": \"bayes\"}')", [release])
    for believed in (other, release):
        clinic.execute(BELIEVE, [believed])
    clinic.execute("INSERT INTO bkpriv.release_draw VALUES (%s, '{0}', '{1}')", [release])
    clinic.execute(WITHDRAW, [release])
    kept = {table: sorted(map(repr, rows_of(clinic, f"bkpriv.{table}"))) for table in KEPT}
    views = ("bkpriv.audits", "bkpriv.attacks")
    verdicts = [rows_of(clinic, view) for view in views]
    assert all(verdicts)
    others = {table: of(clinic, table, other) for table in ERASED}
    assert all(of(clinic, table, release) for table in ERASED)
    clinic.execute(PURGE, [release])
    assert not any(of(clinic, table, release) for table in ERASED)
    now = {table: sorted(map(repr, rows_of(clinic, f"bkpriv.{table}"))) for table in KEPT}
    assert now == kept
    assert {table: of(clinic, table, other) for table in ERASED} == others
    assert [rows_of(clinic, view) for view in views] == verdicts
    states = "SELECT status, reason FROM bkpriv.releases WHERE release = %s"
    assert clinic.execute(states, [release]).fetchall() == [("purged", "and wants to be forgotten")]
    kinds = "SELECT array_agg(kind ORDER BY event) FROM bkpriv.release_event WHERE release = %s"
    assert one(clinic, kinds, [release]) == ["withdrawn", "purged"]
    for measure in MEASURES:
        call = f"SELECT * FROM bkpriv.{measure.format(release)}"
        said = refused(clinic, call, sqlstate="55000", names=[str(release), "to be forgotten"])
        assert "purged" in (said.message_primary or ""), measure
    assert clinic.execute(f"SELECT * FROM bkpriv.audit({other})").fetchall()
    with unchanged(clinic):
        refused(clinic, PURGE, [release], sqlstate="55000", names=["already purged"])
    clinic.execute("SELECT bkpriv.drop_dataset('people')")


@pytest.mark.parametrize("method", ["bucketize", "randomize"])
def test_no_value_of_a_purged_release_is_left_anywhere(clinic: Connection, method: str) -> None:
    # A value that nothing else holds, looked for in every table there is, statistics included.
    clinic.execute(
        "INSERT INTO clinic.patient SELECT 77, 'x', 'Secretville', 'ulcer' FROM "
        "generate_series(1, 9)"
    )
    clinic.execute("DELETE FROM bkpriv.hierarchy")
    if method == "randomize":
        state_policy(clinic, "drawn", {"max_disclosure": {"tau": 0.5}})
        release = publish(clinic, policy="drawn", method=method, options={"scheme": "rr-both"})
    else:
        release = publish(clinic, method=method)
    clinic.execute("ANALYZE")
    clinic.execute(
        "TRUNCATE clinic.patient; DELETE FROM pg_statistic WHERE starelid = "
        "'clinic.patient'::regclass"
    )

    def holders() -> set[str]:
        tables = clinic.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'm') "
            "AND relnamespace::regnamespace::text !~ '^(information_schema|pg_toast)'"
        ).fetchall()
        return {
            table
            for (table,) in tables
            if one(
                clinic,
                f"SELECT EXISTS (SELECT FROM {table} AS t WHERE t::text ~ 'Secretville')",
            )
        }

    assert "bkpriv.release_attribute" in holders()
    clinic.execute(WITHDRAW, [release])
    clinic.execute(PURGE, [release])
    assert holders() == set()


def test_purging_comes_after_withdrawing_and_by_the_owner(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    release = publish(clinic)
    both = make_publisher("auditor")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [both.info.user])
    stranger = make_publisher("stranger")
    with unchanged(clinic):
        said = refused(clinic, PURGE, [release], sqlstate="55000", names=["not withdrawn"])
        assert "bkpriv.withdraw" in (said.message_hint or "")
        forced = "SELECT bkpriv.purge(%s, %s, %s)"
        refused(clinic, forced, [release, "why", True], sqlstate="55000", names=["not withdrawn"])
        refused(clinic, forced, [release, "", True], sqlstate="22023", names=["reason"])
        refused(clinic, forced, [release, "why", None], sqlstate="22023", names=["force"])
        refused(clinic, forced, [None, "why", True], sqlstate="22023", names=["release"])
        refused(clinic, forced, [release + 9, "why", True], sqlstate="42704", names=["10"])
    clinic.execute(WITHDRAW, [release])
    with unchanged(clinic):
        refused(both, PURGE, [release], sqlstate="42501", names=[str(release), "postgres"])
        refused(stranger, PURGE, [release], sqlstate="42704", names=[str(release)])
        clinic.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
        refused(clinic, PURGE, [release], sqlstate="25000", names=["serializable"])
        clinic.execute("ROLLBACK")


def test_what_a_later_inference_needs_is_not_purged_unless_forced(clinic: Connection) -> None:
    first, second = publish(clinic), publish(clinic)
    clinic.execute(WITHDRAW, [first])
    with unchanged(clinic):
        # That it is superseded takes no copy of the second out of the world.
        refused(clinic, PURGE, [first], sqlstate="2BP01", names=[str(second), "public.patients"])
    third = publish(clinic)
    clinic.execute(WITHDRAW, [third])
    with unchanged(clinic):
        refused(clinic, PURGE, [first], sqlstate="2BP01", names=[f"{second} ("])
    clinic.execute("SELECT bkpriv.purge(%s, 'asked by law', force => true)", [first])
    assert not of(clinic, "release_content", first)
    clinic.execute(WITHDRAW, [second])
    for release in (second, third):
        clinic.execute(PURGE, [release])
    assert rows_of(clinic, "bkpriv.release_content") == []


def test_a_publisher_purges_its_own_and_touches_nothing_else(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    for table in ERASED:
        with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
            victim.execute(f"DELETE FROM bkpriv.{table}")
    refused(attacker, PURGE, [1], sqlstate="42704", names=["release 1"])
    victim.execute(WITHDRAW, [1])
    victim.execute(PURGE, [1])
    assert not of(db, "release_content", 1)


def test_a_superuser_deletes_only_what_is_being_purged(clinic: Connection) -> None:
    publish(clinic)
    event = (
        "INSERT INTO bkpriv.release_event (release, kind, reason, by) "
        "VALUES (%s, 'purged', 'x', 'postgres')"
    )
    for table in ("release_content", "release_attribute"):
        delete = f"DELETE FROM bkpriv.{table} WHERE release = 1"
        with unchanged(clinic), pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            clinic.execute(delete)
        for release, allowed in ((2, False), (1, True)):
            with clinic.transaction(force_rollback=True):
                clinic.execute(event, [release])
                if allowed:
                    assert clinic.execute(delete).rowcount
                else:
                    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                        clinic.execute(delete)


def test_planners_statistics_hold_none_of_it(clinic: Connection) -> None:
    kept = "SELECT count(*) FROM pg_attribute WHERE attrelid = ANY (%s::regclass[]) "
    kept += "AND attnum > 0 AND attstattarget <> 0"
    assert one(clinic, kept, [[f"bkpriv.{table}" for table in ERASED]]) == 0
