"""Publishing again, withdrawing, and what the published views are made of."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, one, publish, rows_of
from tests.db.refusal import unchanged
from tests.db.waiting import until_blocked
from tests.db.writing import apart, publish_apart

pytestmark = pytest.mark.pooled


def releases(db: Connection) -> list[tuple[Any, ...]]:
    """Versions, states and reasons of all releases."""
    return db.execute(
        "SELECT release, version, status, reason FROM bkpriv.releases ORDER BY release"
    ).fetchall()


# --- publishing again -----------------------------------------------------------------------------


def test_publishing_again_moves_the_view_and_counts_up(clinic: Connection) -> None:
    first = publish(clinic)
    clinic.execute("DELETE FROM clinic.patient WHERE city = 'Aln'")
    second = publish(clinic)
    assert second > first
    assert releases(clinic) == [
        (first, 1, "superseded", f"release {second} took its place in public.patients"),
        (second, 2, "published", None),
    ]
    left = one(clinic, "SELECT count(*) FROM clinic.patient")
    assert one(clinic, "SELECT count(*) FROM patients") == left
    # The earlier release can still be measured.
    assert one(clinic, "SELECT sum(records) FROM bkpriv.disclosure(%s, '0.3')", [first]) == 300


def test_readers_see_either_release_and_never_none(clinic: Connection, database: Database) -> None:
    publish(clinic)
    clinic.execute("DELETE FROM clinic.patient WHERE city = 'Aln'")
    left = one(clinic, "SELECT count(*) FROM clinic.patient")
    reader = database.connect()
    with clinic.transaction():
        publish(clinic)
        # Moving a plain view of the same columns lets readers go on with the former release; at
        # worst they wait for the commit.
        reader.execute("SET lock_timeout = '100ms'")
        with suppress(psycopg.errors.LockNotAvailable):
            assert one(reader, "SELECT count(*) FROM patients") == 300
        assert one(clinic, "SELECT count(*) FROM patients") == left
    assert one(reader, "SELECT count(*) FROM patients") == left


def test_a_publication_that_is_rolled_back_leaves_nothing(clinic: Connection) -> None:
    publish(clinic)
    before = rows_of(clinic, "patients")
    with unchanged(clinic), clinic.transaction(force_rollback=True):
        publish(clinic, policy="beliefs")
        publish(clinic, policy="beliefs", view="public.other")
    assert rows_of(clinic, "patients") == before


def test_publishing_again_in_one_transaction(clinic: Connection) -> None:
    with clinic.transaction():
        first = publish(clinic)
        with clinic.transaction(force_rollback=True):
            publish(clinic, policy="beliefs")
        second = publish(clinic, policy="beliefs")
        clinic.execute("SELECT bkpriv.withdraw(%s, 'at once')", [first])
    assert [(release, version, status) for release, version, status, _ in releases(clinic)] == [
        (first, 1, "withdrawn"),
        (second, 2, "published"),
    ]
    assert one(clinic, "SELECT count(*) FROM patients") == 300


def test_views_of_one_dataset_are_independent(clinic: Connection) -> None:
    publish(clinic, view="public.a")
    publish(clinic, view="public.b")
    assert [status for _, _, status, _ in releases(clinic)] == ["published", "published"]
    assert [version for _, version, _, _ in releases(clinic)] == [1, 2]


def test_the_first_schema_of_the_search_path_takes_a_plain_name(clinic: Connection) -> None:
    clinic.execute("CREATE SCHEMA elsewhere; SET search_path = nowhere, elsewhere, public")
    publish(clinic, view="shown")
    assert one(clinic, "SELECT view_name FROM bkpriv.releases") == "elsewhere.shown"


def test_options_are_kept(clinic: Connection) -> None:
    publish(clinic, options={"estimator": "exact", "seed": 3})
    # But for the seed, by which the release could be made again.
    assert one(clinic, "SELECT options FROM bkpriv.releases") == {"estimator": "exact"}


@pytest.mark.parametrize(
    "change",
    [
        "SELECT 1",  # the columns stay as they are: the view is replaced
        "ALTER TABLE clinic.patient ALTER age TYPE bigint",  # a range of another type: made anew
    ],
)
def test_privileges_and_comment_of_a_view_survive(
    clinic: Connection, make_role: Callable[..., str], change: str
) -> None:
    reader, deputy = make_role("reader"), make_role("deputy")
    publish(clinic, view="public.v")
    roles = (sql.Identifier(reader), sql.Identifier(deputy))
    clinic.execute(sql.SQL("GRANT SELECT ON public.v TO {}").format(roles[0]))
    clinic.execute(sql.SQL("GRANT SELECT ON public.v TO {} WITH GRANT OPTION").format(roles[1]))
    clinic.execute(sql.SQL("GRANT SELECT (age, disease) ON public.v TO PUBLIC"))
    clinic.execute("COMMENT ON VIEW public.v IS 'it''s $$ quoted \\ well'")
    acl = (
        "SELECT c.relacl::text, array_agg(a.attacl::text ORDER BY a.attnum), "
        "obj_description(c.oid, 'pg_class'), c.reloptions, c.relowner "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
        "WHERE c.oid = 'public.v'::regclass GROUP BY c.oid"
    )
    before = clinic.execute(acl).fetchall()
    clinic.execute(change)
    publish(clinic, view="public.v")
    assert clinic.execute(acl).fetchall() == before


def test_what_is_built_on_a_view_stays(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    clinic.execute("CREATE VIEW public.built AS SELECT count(*) AS n FROM public.v")
    clinic.execute("DELETE FROM clinic.patient WHERE city = 'Aln'")
    publish(clinic, view="public.v")
    assert one(clinic, "SELECT n FROM built") == one(clinic, "SELECT count(*) FROM clinic.patient")


def test_what_is_built_on_a_view_keeps_it_from_being_made_anew(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    clinic.execute("CREATE VIEW public.built AS SELECT age FROM public.v")
    clinic.execute("ALTER TABLE clinic.patient ALTER age TYPE bigint")
    with unchanged(clinic), pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
        publish(clinic, view="public.v")
    assert "built" in (caught.value.diag.message_detail or "")


@pytest.mark.parametrize("change", ["SELECT 1", "ALTER TABLE own ALTER a TYPE bigint"])
def test_a_member_may_publish_for_the_owner(
    clinic: Connection,
    make_publisher: Callable[..., Connection],
    make_role: Callable[..., str],
    database: Database,
    change: str,
) -> None:
    publisher = make_publisher()
    reader, member = make_role("reader"), make_role("member")
    clinic.execute(f"GRANT {publisher.info.user} TO {member}".encode())
    declare_own(publisher)
    publish(publisher, "mine", view="shown")
    schema = sql.Identifier(publisher.info.user)
    publisher.execute(
        sql.SQL("GRANT USAGE ON SCHEMA {0} TO {1}; GRANT SELECT ON shown TO {1}").format(
            schema, sql.Identifier(reader)
        )
    )
    publisher.execute(change)
    publisher.execute("UPDATE own SET b = 99 WHERE a = 3")
    view = schema.as_string(clinic) + ".shown"
    publish(database.connect(member), "mine", view=view)
    # The owner's view shows it, to the owner and to its readers.
    for connection in (publisher, database.connect(reader)):
        rows = connection.execute(sql.SQL("SELECT b FROM {}.shown").format(schema)).fetchall()
        assert (99,) in rows
    # And the owner goes on.
    publish(publisher, "mine", view="shown")
    made = clinic.execute("SELECT created_by FROM bkpriv.releases ORDER BY release").fetchall()
    assert made == [(publisher.info.user,), (member,), (publisher.info.user,)]


def test_a_member_of_the_owner_may_publish(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    owner, member = make_publisher("owner"), make_publisher("member")
    declare_own(owner)
    clinic.execute(
        sql.SQL("GRANT {} TO {}").format(
            sql.Identifier(owner.info.user), sql.Identifier(member.info.user)
        )
    )
    release = publish(member, "mine", view="shown")
    assert one(owner, "SELECT created_by FROM bkpriv.releases") == member.info.user
    assert one(member, "SELECT count(*) FROM shown") == 120
    owner.execute("SELECT bkpriv.utility(%s)", [release])
    member.execute("SELECT bkpriv.withdraw(%s, 'done')", [release])
    member.execute("SELECT bkpriv.drop_dataset('mine')")


# --- what a release is made of --------------------------------------------------------------------


def test_the_view_hides_what_it_reads_from_leaky_functions(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    publish(clinic, view="public.v")
    options = one(clinic, "SELECT reloptions FROM pg_class WHERE oid = 'public.v'::regclass")
    assert any(option.startswith("security_barrier") for option in options)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {} SELECT * FROM {} LIMIT 1",
        "UPDATE {} SET disease = disease",
        "UPDATE {} SET disease = disease WHERE false",
        "DELETE FROM {}",
        "TRUNCATE {}",
    ],
)
def test_a_release_table_is_frozen_even_for_a_superuser(
    shared_clinic: Connection, statement: str
) -> None:
    release = publish(shared_clinic, view="public.frozen")
    table = sql.Identifier("bkpriv_release", f"release_{release}")
    change = sql.SQL(statement.replace("{}", "{0}")).format(table)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as caught:
        shared_clinic.execute(change)
    assert f"release_{release}" in str(caught.value)
    assert caught.value.diag.message_detail
    assert caught.value.diag.message_hint
    assert one(shared_clinic, "SELECT count(*) FROM public.frozen") == 300


def test_a_plain_view_cannot_be_written_through(shared_clinic: Connection) -> None:
    publish(shared_clinic, view="public.frozen")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        shared_clinic.execute("DELETE FROM public.frozen")


def test_a_release_is_no_view_of_live_data(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    before = rows_of(clinic, "public.v")
    clinic.execute("UPDATE clinic.patient SET disease = 'ulcer', age = 99, city = 'Aln'")
    clinic.execute("DROP TABLE clinic.patient CASCADE")
    assert rows_of(clinic, "public.v") == before


# --- materialized views ---------------------------------------------------------------------------


def kind_of(db: Connection, view: str) -> str:
    """Kind of a relation: v or m."""
    kind: str = one(db, "SELECT relkind::text FROM pg_class WHERE oid = %s::regclass", [view])
    return kind


def test_a_materialized_view_may_be_asked_for_and_left_again(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    for materialized, kind in ((True, "m"), (True, "m"), (False, "v"), (True, "m")):
        publish(clinic, view="public.v", options={"materialized": materialized})
        assert kind_of(clinic, "public.v") == kind
        assert one(clinic, "SELECT count(*) FROM public.v") == 300
        clinic.execute(sql.SQL("GRANT SELECT ON public.v TO {}").format(sql.Identifier(reader)))
        assert one(clinic, "SELECT has_table_privilege(%s, 'public.v', 'SELECT')", [reader])
    publish(clinic, view="public.v", options={"materialized": False})
    assert one(clinic, "SELECT has_table_privilege(%s, 'public.v', 'SELECT')", [reader])
    assert [status for _, _, status, _ in releases(clinic)] == ["superseded"] * 4 + ["published"]


def test_a_comment_moves_between_kinds_of_views(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    clinic.execute("COMMENT ON VIEW public.v IS 'kept'")
    for materialized in (True, False):
        publish(clinic, view="public.v", options={"materialized": materialized})
        assert one(clinic, "SELECT obj_description('public.v'::regclass, 'pg_class')") == "kept"


def test_a_materialized_view_is_withdrawn(clinic: Connection) -> None:
    release = publish(clinic, view="public.v", options={"materialized": True})
    clinic.execute("SELECT bkpriv.withdraw(%s, 'done')", [release])
    assert one(clinic, "SELECT to_regclass('public.v')") is None


# --- withdraw -------------------------------------------------------------------------------------


def test_withdrawing_removes_data_and_view_and_keeps_history(clinic: Connection) -> None:
    release = publish(clinic, view="public.v")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'a patient objected')", [release])
    assert one(clinic, "SELECT to_regclass('public.v')") is None
    assert one(clinic, "SELECT count(*) FROM pg_tables WHERE schemaname = 'bkpriv_release'") == 0
    assert releases(clinic) == [(release, 1, "withdrawn", "a patient objected")]
    # What was released can still be measured.
    assert clinic.execute("SELECT * FROM bkpriv.audit(%s)", [release]).fetchall()


def test_withdrawing_a_superseded_release_leaves_the_view(clinic: Connection) -> None:
    first, second = publish(clinic, view="public.v"), publish(clinic, view="public.v")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'old')", [first])
    assert one(clinic, "SELECT count(*) FROM public.v") == 300
    assert [status for _, _, status, _ in releases(clinic)] == ["withdrawn", "published"]
    clinic.execute("SELECT bkpriv.withdraw(%s, 'new')", [second])
    assert one(clinic, "SELECT to_regclass('public.v')") is None


def test_a_view_that_was_dropped_or_renamed_does_not_hinder(clinic: Connection) -> None:
    first = publish(clinic, view="public.v")
    clinic.execute("DROP VIEW public.v")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'gone')", [first])
    second = publish(clinic, view="public.v")
    clinic.execute("DROP VIEW public.v; CREATE TABLE public.v AS SELECT 1 AS mine")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'gone')", [second])
    # What stands there now is somebody's own.
    assert one(clinic, "SELECT mine FROM public.v") == 1


def test_a_withdrawn_view_name_may_be_used_again(clinic: Connection) -> None:
    release = publish(clinic, view="public.v")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'again')", [release])
    publish(clinic, view="public.v")
    assert [status for _, _, status, _ in releases(clinic)] == ["withdrawn", "published"]


# --- two at a time --------------------------------------------------------------------------------


def test_two_publications_of_one_view_take_turns(clinic: Connection, database: Database) -> None:
    other = database.connect()
    with clinic.transaction():
        first = publish(clinic, view="public.v")
        thread, outcomes = apart(lambda: publish(other, view="public.v"))
        until_blocked(clinic, other.info.backend_pid)
        assert outcomes == []
    thread.join()
    assert [(version, status) for _, version, status, _ in releases(clinic)] == [
        (1, "superseded"),
        (2, "published"),
    ]
    assert [release for release, *_ in releases(clinic)] == [first, *outcomes]


def test_many_publications_at_once_all_succeed(clinic: Connection, database: Database) -> None:
    failures: list[psycopg.Error] = []

    def work(view: str) -> None:
        connection = database.connect()
        try:
            for _ in range(3):
                publish(connection, view=view)
        except psycopg.Error as error:
            failures.append(error)

    views = ["public.v", "public.v", "public.w"]
    threads = [threading.Thread(target=work, args=[view]) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [version for _, version, _, _ in releases(clinic)] == list(range(1, 10))
    states = Counter(status for _, _, status, _ in releases(clinic))
    assert states == {"superseded": 7, "published": 2}


def test_publications_of_different_datasets_do_not_wait(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    publisher.execute("SET lock_timeout = '5s'")
    with clinic.transaction():
        publish(clinic)
        publish(publisher, "mine", view="shown")


def test_withdrawing_waits_for_a_publication_and_leaves_its_view(
    clinic: Connection, database: Database
) -> None:
    first = publish(clinic, view="public.v")
    other = database.connect()
    withdraw = "SELECT bkpriv.withdraw(%s, 'old')"
    with clinic.transaction():
        second = publish(clinic, view="public.v")
        thread = threading.Thread(target=other.execute, args=[withdraw, [first]])
        thread.start()
        until_blocked(clinic, other.info.backend_pid)
    thread.join()
    assert [status for _, _, status, _ in releases(clinic)] == ["withdrawn", "published"]
    assert one(clinic, "SELECT count(*) FROM public.v") == 300
    other.execute("SET default_transaction_isolation = 'repeatable read'")
    with pytest.raises(psycopg.errors.InvalidTransactionState, match="repeatable read"):
        other.execute(withdraw, [second])


def test_dropping_a_dataset_waits_for_its_publication(
    clinic: Connection, database: Database
) -> None:
    other = database.connect()
    with clinic.transaction():
        publish(clinic)
        thread, outcomes = apart(lambda: other.execute("SELECT bkpriv.drop_dataset('patients')"))
        until_blocked(clinic, other.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in outcomes] == ["2BP01"]
    assert one(clinic, "SELECT count(*) FROM bkpriv.dataset") == 1


def test_a_dataset_that_is_dropped_while_a_publication_waits_is_not_published(
    clinic: Connection, database: Database
) -> None:
    other = database.connect()
    with clinic.transaction():
        clinic.execute("SELECT bkpriv.drop_dataset('patients')")
        thread, outcomes = publish_apart(other)
        until_blocked(clinic, other.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in outcomes] == ["42704"]
    assert releases(clinic) == []
