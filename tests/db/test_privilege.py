"""Who may do what: every role against every object, and each job done without superuser."""

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

# --- role × object --------------------------------------------------------------------------------
# The privileges of each job, in the letters of PostgreSQL's access lists. What is not listed is
# none. Superusers have all; a reader of a published view, and everyone else, have none.

RELATIONS = """
    relation                   publisher  auditor
    bkpriv.dataset             ra         r
    bkpriv.hierarchy           ra         r
    bkpriv.policy              ra         r
    bkpriv.release             ra         r
    bkpriv.release_base        ra         r
    bkpriv.release_attribute   ra         r
    bkpriv.release_content     ra         r
    bkpriv.release_draw        ra         r
    bkpriv.release_event       ra         r
    bkpriv.release_respondent  ra         r
    bkpriv.release_belief      ra         r
    bkpriv.sequential_knowledge ra        r
    bkpriv.audit_record        ra         ra
    bkpriv.watched             -          -
    bkpriv.policies            r          r
    bkpriv.releases            r          r
    bkpriv.audits              r          r
    bkpriv.release_id          U          -
    bkpriv.release_event_id    U          -
    bkpriv.audit_id            U          U
    bkpriv_release.release_1   r          -
"""

SCHEMAS = """
    schema           publisher  auditor  watcher
    bkpriv           U          U        U
    bkpriv_internal  U          U        U
    bkpriv_release   U          -        -
"""

FUNCTIONS = """
    function                                                             publisher  auditor
    bkpriv_internal.auditor()                                            -          X
    bkpriv_internal.create_release_table(bigint,text[],regtype[],text)   X          -
    bkpriv_internal.digest()                                             X          X
    bkpriv_internal.disclosure(bigint,jsonb,text)                        X          X
    bkpriv_internal.disclosure_given(bigint,jsonb)                       X          X
    bkpriv_internal.grant_job(text,regrole)                              -          -
    bkpriv_internal.clear_release(bigint)                                X          -
    bkpriv_internal.empty_view(regclass,regclass)                        -          -
    bkpriv_internal.erase_release(bigint)                                X          -
    bkpriv_internal.drop_row()                                           -          -
    bkpriv_internal.guard()                                              -          -
    bkpriv_internal.guard_dataset()                                      -          -
    bkpriv_internal.guard_row()                                          -          -
    bkpriv_internal.invoked(oid)                                         X          X
    bkpriv_internal.live_releases(text,text)                             X          -
    bkpriv_internal.mark_stale()                                         X          -
    bkpriv_internal.meant(jsonb,double_precision,jsonb)                  X          X
    bkpriv_internal.next_audit()                                         X          X
    bkpriv_internal.next_release()                                       X          -
    bkpriv_internal.owns(text)                                           X          X
    bkpriv_internal.posterior(bigint,jsonb,text)                         X          X
    bkpriv_internal.prior(text,jsonb,text)                               X          X
    bkpriv_internal.python_path()                                        X          X
    bkpriv_internal.release_table(bigint,text)                           X          X
    bkpriv_internal.release_tables(bigint)                               X          X
    bkpriv_internal.seal_release_tables(bigint)                          X          -
    bkpriv_internal.owned()                                              X          X
    bkpriv_internal.sees_all()                                           X          X
    bkpriv_internal.carried_token(oid)                                   X          X
    bkpriv_internal.watch_token(oid)                                     X          X
    bkpriv_internal.reads(text,text)                                     X          X
    bkpriv_internal.register_watch(oid)                                  X          -
    bkpriv_internal.called(oid)                                          X          X
    bkpriv_internal.watch_tokens(text,text)                              X          X
    bkpriv_internal.watch_triggers(oid)                                  X          X
    bkpriv_internal.period_type(oid,text)                                X          -
    bkpriv_internal.add_stale(oid,text[],text,text,bigint[])             -          -
    bkpriv_internal.note_alteration()                                    -          -
    bkpriv_internal.hold_writers(bigint)                                 X          -
    bkpriv_internal.written_tables(oid)                                  X          X
    bkpriv_internal.views_of(bigint)                                     X          X
    bkpriv_internal.open_views(bigint)                                   X          X
    bkpriv_internal.bases(text,text)                                     X          X
    bkpriv_internal.releases_of(text,text,text[])                        X          X
    bkpriv_internal.distributed(regclass)                                X          X
    bkpriv_internal.distribute_release_table(bigint,text,text)           X          -
    bkpriv_internal.readers_of(bigint)                                   X          X
    bkpriv.association(bigint)                                           X          X
    bkpriv.audit(bigint,jsonb,text)                                      X          X
    bkpriv.bethe_posterior(double_precision[],integer[])                 X          X
    bkpriv.disclosure(bigint,jsonb,text)                                 X          X
    bkpriv.disclosure_given(bigint,jsonb)                                X          X
    bkpriv.doctor()                                                      X          X
    bkpriv.drop_dataset(text)                                            X          -
    bkpriv.emd(double_precision[],double_precision[],double_precision[]) X          X
    bkpriv.exact_posterior(double_precision[],integer[])                 X          X
    bkpriv.explain_disclosure(bigint,jsonb,text)                         X          X
    bkpriv.explain_suppressed(bigint,integer)                            X          X
    bkpriv.explore(text,jsonb,text,jsonb,text)                           X          -
    bkpriv.grant_auditor(regrole)                                        -          -
    bkpriv.grant_publisher(regrole)                                      -          -
    bkpriv.grant_watcher(regrole)                                        -          -
    bkpriv.revoke_jobs(regrole)                                          -          -
    bkpriv.unset_hierarchy(text,text)                                    X          -
    bkpriv.unwatch(regclass)                                             X          -
    bkpriv.watch(regclass,text)                                          X          -
    bkpriv.js_divergence(double_precision[],double_precision[])          X          X
    bkpriv.lattice(text,text,jsonb,text)                                 X          X
    bkpriv.max_disclosure(bigint,integer,text)                           X          X
    bkpriv.omega_posterior(double_precision[],integer[])                 X          X
    bkpriv.additive_posterior(double_precision[],integer[])              X          X
    bkpriv.optimize_randomization(text,text,double_precision,jsonb,text) X          X
    bkpriv.posterior(bigint,jsonb,text)                                  X          X
    bkpriv.randomization_risk(double_precision[],double_precision[],text) X          X
    bkpriv.prior(text,jsonb,text)                                        X          X
    bkpriv.publish(text,text,text,text,text,jsonb,text)                  X          -
    bkpriv.purge(bigint,text,boolean)                                    X          -
    bkpriv.query_accuracy(bigint,text)                                   X          X
    bkpriv.query_workload(bigint,integer,integer,double_precision,bigint) X          X
    bkpriv.reassign(text,regrole)                                        -          -
    bkpriv.reconstruct(bigint,text[],text)                               X          X
    bkpriv.register_dataset(text,regclass,text[],text,text,text,jsonb)   X          -
    bkpriv.register_dataset(text,regclass,text[],text[],text,text,jsonb,text[]) X   -
    bkpriv.rewrite_query(bigint,text)                                    X          X
    bkpriv.set_hierarchy(text,text,regclass)                             X          -
    bkpriv.set_interval_hierarchy(text,text,numeric[],numeric)           X          -
    bkpriv.set_policy(text,jsonb)                                        X          -
    bkpriv.set_sequential_knowledge(text,text,text,regclass,integer)     X          -
    bkpriv.unset_sequential_knowledge(text,text)                         X          -
    bkpriv.sequential_knowledge(text,text)                               X          X
    bkpriv.sequential_audit(text,text,text,boolean,jsonb)                X          X
    bkpriv.revised_belief(text,text,text,text,text,boolean,jsonb)        X          X
    bkpriv.explain_sequence(text,text,integer,text,jsonb)                X          X
    bkpriv.smoothed_distance(double_precision[],double_precision[],double_precision[],double_precision) X          X
    bkpriv.compare_releases(bigint[])                                    X          X
    bkpriv.audit_together(bigint[],jsonb,text)                           X          X
    bkpriv.explain_together(bigint[],jsonb,text)                         X          X
    bkpriv.audit_readers(text,jsonb,jsonb,text)                          X          X
    bkpriv.report_html(bigint,text)                                      X          X
    bkpriv.utility(bigint)                                               X          X
    bkpriv.version()                                                     X          X
    bkpriv.withdraw(bigint,text)                                         X          -
    bkpriv.worst_case(integer[],integer,text)                            X          X
"""  # noqa: E501

CHANGED = {
    "dataset": "registered_at dropped", "hierarchy": "levels widths origin dropped",
    "policy": "requirements set_at smoothing",
    "sequential_knowledge": "kind memory labels parents oldest "
    "offsets following probabilities support set_at dropped",
}  # fmt: skip

COLUMNS = {(f"bkpriv.{table}", column, "UPDATE", "bkpriv_publisher")
    for table, columns in CHANGED.items() for column in columns.split()} | {
    ("bkpriv.watched", column, "SELECT", f"bkpriv_{job}")
    for column in ("token", "named") for job in ("publisher", "auditor", "watcher")}  # fmt: skip
"""Privileges to single columns, beyond those to the whole relation, and the group that has them."""

WATCHER = {
    "bkpriv_internal.called(oid)",
    "bkpriv_internal.carried_token(oid)",
    "bkpriv_internal.mark_stale()",
    "bkpriv_internal.period_type(oid,text)",
    "bkpriv_internal.python_path()",
    "bkpriv_internal.register_watch(oid)",
    "bkpriv_internal.watch_token(oid)",
    "bkpriv_internal.watch_tokens(text,text)",
    "bkpriv_internal.watch_triggers(oid)",
    "bkpriv_internal.written_tables(oid)",
    *("bkpriv.unwatch(regclass)", "bkpriv.version()", "bkpriv.watch(regclass,text)"),
}
"""Functions that who may only watch his tables may execute; he may use the schema, and no more."""

LETTERS = {
    "r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE", "D": "TRUNCATE", "x": "REFERENCES",
    "t": "TRIGGER", "U": "USAGE", "C": "CREATE", "X": "EXECUTE",
}  # fmt: skip


def expected(table: str) -> dict[str, dict[str, set[str]]]:
    """Read one of the tables above: object, role, privileges."""
    header, *lines = (line.split() for line in table.strip().splitlines())
    return {
        name.replace("_precision", " precision"): {
            role: {LETTERS[letter] for letter in letters if letter != "-"}
            for role, letters in zip(header[1:], cells, strict=True)
        }
        for name, *cells in lines
    }


def expectation(cells: dict[str, set[str]], job: str, everything: set[str]) -> set[str]:
    """Privileges of a job: those of its column, all for a superuser, none for anyone else."""
    return everything if job == "superuser" else cells.get(job, set())


JOBS = ["superuser", "publisher", "auditor", "watcher", "reader", "nobody"]


@pytest.mark.parametrize("job", JOBS)
def test_privileges_on_tables_views_and_sequences(
    shared_db: Connection, people: dict[str, str], job: str
) -> None:
    table_privileges = [LETTERS[letter] for letter in "rawdDxt"]
    found = {
        name: set(privileges)
        for name, privileges in shared_db.execute(
            """
            SELECT c.oid::regclass::text, array_remove(array_agg(
                CASE WHEN CASE c.relkind WHEN 'S' THEN p <> 'SELECT' AND has_sequence_privilege(%(role)s, c.oid, p)
                    ELSE has_table_privilege(%(role)s, c.oid, p) END THEN p END), NULL)
            FROM pg_class c CROSS JOIN LATERAL unnest(CASE c.relkind WHEN 'S'
                THEN ARRAY['USAGE', 'UPDATE', 'SELECT'] ELSE %(table)s::text[] END) AS p
            WHERE c.relnamespace IN ('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace)
                AND c.relkind IN ('r', 'v', 'm', 'S', 'p', 'f')
            GROUP BY c.oid
            """,  # noqa: E501
            {"role": people[job], "table": table_privileges},
        ).fetchall()
    }
    table = expected(RELATIONS)
    assert set(found) == set(table), "an object without an expectation, or the reverse"
    for name, cells in table.items():
        everything = {"USAGE", "UPDATE"} if name.endswith("_id") else set(table_privileges)
        assert found[name] == expectation(cells, job, everything), name


def test_privileges_on_single_columns(shared_db: Connection, people: dict[str, str]) -> None:
    granted = shared_db.execute(
        """
        SELECT a.attrelid::regclass::text, a.attname, x.privilege_type, r.rolname
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        CROSS JOIN LATERAL aclexplode(a.attacl) AS x LEFT JOIN pg_roles r ON r.oid = x.grantee
        WHERE c.relnamespace::regnamespace::text ~ '^bkpriv'
        """
    ).fetchall()
    assert set(granted) == COLUMNS


@pytest.mark.parametrize("job", JOBS)
def test_privileges_on_schemas(shared_db: Connection, people: dict[str, str], job: str) -> None:
    table = expected(SCHEMAS)
    for name, usage, create in shared_db.execute(
        "SELECT nspname, has_schema_privilege(%(role)s, oid, 'USAGE'), "
        "has_schema_privilege(%(role)s, oid, 'CREATE') FROM pg_namespace "
        "WHERE nspname ~ '^bkpriv'",
        {"role": people[job]},
    ).fetchall():
        found = {privilege for privilege, has in (("USAGE", usage), ("CREATE", create)) if has}
        assert found == expectation(table.pop(name), job, {"USAGE", "CREATE"}), name
    assert not table


@pytest.mark.parametrize("job", JOBS)
def test_privileges_on_functions(shared_db: Connection, people: dict[str, str], job: str) -> None:
    found: dict[str, bool] = dict(
        shared_db.execute(
            "SELECT oid::regprocedure::text, has_function_privilege(%s, oid, 'EXECUTE') "
            "FROM pg_proc WHERE pronamespace::regnamespace::text ~ '^bkpriv'",
            [people[job]],
        ).fetchall()
    )
    table = expected(FUNCTIONS)
    assert set(found) == set(table), "a function without an expectation, or the reverse"
    for name, cells in table.items():
        may = name in WATCHER if job == "watcher" else bool(expectation(cells, job, {"EXECUTE"}))
        assert found[name] == may, name


def test_a_second_publisher_has_the_privileges_of_the_job_and_no_others(
    shared_db: Connection, people: dict[str, str]
) -> None:
    differing = shared_db.execute(
        """
        SELECT c.oid::regclass::text FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p
        WHERE c.relnamespace::regnamespace::text ~ '^bkpriv' AND c.relkind IN ('r', 'v')
            AND has_table_privilege(%s, c.oid, p) <> has_table_privilege(%s, c.oid, p)
        """,  # noqa: E501
        [people["publisher"], people["colleague"]],
    ).fetchall()
    assert differing == [("bkpriv_release.release_1",)]


def test_nobody_owns_anything_but_the_superuser(shared_db: Connection) -> None:
    owners = shared_db.execute(
        "SELECT DISTINCT relowner::regrole::text FROM pg_class "
        "WHERE relnamespace::regnamespace::text ~ '^bkpriv' UNION "
        "SELECT proowner::regrole::text FROM pg_proc "
        "WHERE pronamespace::regnamespace::text ~ '^bkpriv'"
    ).fetchall()
    assert owners == [("postgres",)]


# --- a publisher ----------------------------------------------------------------------------------


def test_a_publisher_does_the_whole_job_without_superuser(
    db: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    publisher.execute(
        "CREATE TABLE levels AS SELECT i, i / 4 AS four, 0 AS root FROM generate_series(0, 11) i"
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
        *("release_base", "release_belief", "release_draw", "sequential_knowledge"),
    ):
        query = sql.SQL("SELECT * FROM bkpriv.{}").format(sql.Identifier(relation))
        assert colleague.execute(query).fetchall() == [], relation
    with unchanged(shared_db):
        for call in (
            *("posterior(1, '0.3')", "disclosure(1, '0.3')", "audit(1)", "utility(1)"),
            *("max_disclosure(1, 1)", "disclosure_given(1, '[]')", "explain_suppressed(1)"),
            *("compare_releases(ARRAY[1])", "audit_together(ARRAY[1])"),
            *("explain_together(ARRAY[1])", "report_html(1)"),
        ):
            refused(colleague, f"SELECT * FROM bkpriv.{call}", sqlstate="42704", names=["1"])
        for call in (
            "lattice('mine', 'own')", "prior('mine', '0.3')", "audit_readers('mine')",
            "optimize_randomization('mine', 'rr-qi', 0.5)",
            "publish('mine', 'own', 'v')", "drop_dataset('mine')",
            "explore('mine', '[{\"k_anonymity\": {\"k\": 4}}]')",
            "set_hierarchy('mine', 'a', 'pg_class')", "set_interval_hierarchy('mine', 'a', '{5}')",
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
        "SELECT nextval('bkpriv.release_id')",
        "SELECT setval('bkpriv.audit_id', 1)",
        "INSERT INTO bkpriv.release_event (release, kind, reason) VALUES (1, 'withdrawn', 'x')",
        "UPDATE bkpriv.dataset SET registered_at = now()",
        "UPDATE bkpriv.hierarchy SET dropped = true",
        "DELETE FROM bkpriv.hierarchy",
        "SELECT * FROM bkpriv_release.release_1",
        "CREATE TABLE bkpriv.mine (a int)",
    ]
    with unchanged(shared_clinic):
        for statement in requests:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(statement)


def test_an_auditor_records_audits_only_as_itself(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    auditor = shared_database.connect(people["auditor"])
    publisher = shared_database.connect(people["publisher"])
    insert = (
        "INSERT INTO bkpriv.audit_record (audit, place, release, requirement, parameters, "
        "threshold, vulnerable, satisfied, estimator, audited_by, audited_at) "
        "VALUES ({}, 0, {}, 'k_anonymity', '{{}}', 1, 0, true, 'exact', {}, {})"
    )
    with unchanged(shared_db):
        for audit, release, by, at in (
            ("nextval('bkpriv.audit_id')", 1, "'postgres'", "now()"),
            ("nextval('bkpriv.audit_id')", 1, "current_user", "now() - interval '1 day'"),
            # An id that was not handed out: the next one to ask for it would fail.
            ("nextval('bkpriv.audit_id') + 1", 1, "current_user", "now()"),
            ("nextval('bkpriv.audit_id') - 1", 1, "current_user", "now()"),
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(insert.format(audit, release, by, at))
        # A publisher audits nobody else's releases.
        other = one(shared_db, "SELECT max(release) FROM bkpriv.release WHERE owner = 'postgres'")
        if other:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                publisher.execute(
                    insert.format("nextval('bkpriv.audit_id')", other, "current_user", "now()")
                )


def test_an_auditor_of_one_requirement_is_told_what_it_asked(
    shared_database: Database, people: dict[str, str]
) -> None:
    auditor = shared_database.connect(people["auditor"])
    rows: list[tuple[Any, ...]] = auditor.execute(
        "SELECT requirement, parameters, threshold, satisfied FROM bkpriv.audit(1, %s)",
        [Jsonb({"l_diversity": {"l": 2}})],
    ).fetchall()
    assert rows == [("l_diversity", {"l": 2, "variant": "distinct"}, 2.0, True)]
