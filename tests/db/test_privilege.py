"""Privileges: every role against every object."""

from __future__ import annotations

import pytest

from tests.conftest import Connection

# --- role × object --------------------------------------------------------------------------------
# The privileges of each job, in the letters of PostgreSQL's access lists. What is not listed is
# none. Superusers have all; a reader of a published view, and everyone else, have none.

RELATIONS = """
    relation                   publisher  auditor
    bkpriv.dataset             r          r
    bkpriv.hierarchy           r          r
    bkpriv.policy              r          r
    bkpriv.release             r          r
    bkpriv.release_base        r          r
    bkpriv.release_attribute   r          r
    bkpriv.release_content     r          r
    bkpriv.release_draw        r          r
    bkpriv.release_notice      r          r
    bkpriv.release_event       r          r
    bkpriv.release_respondent  r          r
    bkpriv.release_belief      r          r
    bkpriv.sequential_knowledge r         r
    bkpriv.audit_record        r          r
    bkpriv.attack_record       r          r
    bkpriv.verdict_record      r          r
    bkpriv.watched             -          -
    bkpriv.policies            r          r
    bkpriv.releases            r          r
    bkpriv.audits              r          r
    bkpriv.attacks             r          r
    bkpriv.release_id          -          -
    bkpriv.release_event_id    -          -
    bkpriv.audit_id            -          -
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
    bkpriv_internal.as_published(regclass,regclass)                      X          X
    bkpriv_internal.auditor()                                            -          X
    bkpriv_internal.create_release_table(bigint,text[],regtype[],text)   -          -
    bkpriv_internal.digest()                                             X          X
    bkpriv_internal.audit(bigint,jsonb,text)                             X          X
    bkpriv_internal.explain_disclosure(bigint,jsonb,text)                X          X
    bkpriv_internal.disclosure(bigint,jsonb,text)                        X          X
    bkpriv_internal.grant_job(text,regrole)                              -          -
    bkpriv_internal.clear_release(bigint)                                -          -
    bkpriv_internal.empty_view(regclass,regclass)                        -          -
    bkpriv_internal.guard()                                              -          -
    bkpriv_internal.guard_dataset()                                      -          -
    bkpriv_internal.guard_row()                                          -          -
    bkpriv_internal.invoked(oid)                                         X          X
    bkpriv_internal.live_releases(text,text)                             X          -
    bkpriv_internal.mark_stale()                                         X          -
    bkpriv_internal.has_job(oid)                                         X          X
    bkpriv_internal.next_audit()                                         -          -
    bkpriv_internal.next_release()                                       -          -
    bkpriv_internal.owns(text)                                           X          X
    bkpriv_internal.posterior(bigint,jsonb,text)                         X          X
    bkpriv_internal.prior(text,jsonb,text)                               X          X
    bkpriv_internal.python_path()                                        X          X
    bkpriv_internal.release_table(bigint,text)                           X          X
    bkpriv_internal.release_tables(bigint)                               X          X
    bkpriv_internal.seal_release_tables(bigint)                          -          -
    bkpriv_internal.owned()                                              X          X
    bkpriv_internal.sees_all()                                           X          X
    bkpriv_internal.carried_token(oid)                                   X          X
    bkpriv_internal.watch_token(oid)                                     X          X
    bkpriv_internal.reads_for(text)                                      X          X
    bkpriv_internal.register_watch(oid,oid)                              -          -
    bkpriv_internal.write()                                              X          X
    bkpriv_internal.called(oid)                                          X          X
    bkpriv_internal.watch_tokens(text,text)                              X          X
    bkpriv_internal.watch_trigger(oid)                                   X          X
    bkpriv_internal.add_stale(oid,text[],text,text)                      -          -
    bkpriv_internal.columns_read(bkpriv.release)                         -          -
    bkpriv_internal.note_alteration()                                    -          -
    bkpriv_internal.hold_writers(bigint)                                 -          -
    bkpriv_internal.written_tables(oid)                                  X          X
    bkpriv_internal.views_of(bigint)                                     X          X
    bkpriv_internal.open_views(bigint)                                   X          X
    bkpriv_internal.bases(text,text)                                     X          X
    bkpriv_internal.built_on(oid)                                        X          X
    bkpriv_internal.releases_of(text,text,text[])                        X          X
    bkpriv_internal.distributed(regclass)                                X          X
    bkpriv_internal.distribute_release_table(bigint,text,text)           -          -
    bkpriv_internal.readers_of(bigint)                                   X          X
    bkpriv.association(bigint)                                           X          X
    bkpriv.attack(bigint,text,jsonb)                                     X          X
    bkpriv.attack_table(regclass,text,jsonb,text,jsonb,text)             X          X
    bkpriv.audit(bigint,anycompatible,text)                              X          X
    bkpriv.audit_table(regclass,text,jsonb,jsonb,text,text)              X          X
    bkpriv.bethe_posterior(double_precision[],integer[])                 X          X
    bkpriv.disclosure(bigint,anycompatible,text)                         X          X
    bkpriv.doctor()                                                      X          X
    bkpriv.drop_dataset(text)                                            X          -
    bkpriv.emd(double_precision[],double_precision[],double_precision[]) X          X
    bkpriv.exact_posterior(double_precision[],integer[])                 X          X
    bkpriv.explain_attack(bigint,text,jsonb)                             X          X
    bkpriv.explain_disclosure(bigint,anycompatible,text)                 X          X
    bkpriv.explain_publication(text,text,text,text,text,jsonb,text)      X          -
    bkpriv.explain_suppressed(bigint,integer)                            X          X
    bkpriv.explore(text,jsonb,text,jsonb,text,boolean)                   X          -
    bkpriv.grant_auditor(regrole)                                        -          -
    bkpriv.grant_publisher(regrole)                                      -          -
    bkpriv.grant_watcher(regrole)                                        -          -
    bkpriv.revoke_jobs(regrole)                                          -          -
    bkpriv.unset_hierarchy(text,text)                                    X          -
    bkpriv.unwatch(regclass)                                             X          -
    bkpriv.watch(regclass)                                               X          -
    bkpriv.js_divergence(double_precision[],double_precision[])          X          X
    bkpriv.lattice(text,text,jsonb,text)                                 X          X
    bkpriv.max_disclosure(bigint,integer,text)                           X          X
    bkpriv.omega_posterior(double_precision[],integer[])                 X          X
    bkpriv.additive_posterior(double_precision[],integer[])              X          X
    bkpriv.optimize_randomization(text,text,double_precision,jsonb,text) X          X
    bkpriv.posterior(bigint,anycompatible,text)                          X          X
    bkpriv.randomization_risk(double_precision[],double_precision[],text) X          X
    bkpriv.prior(text,anycompatible,text)                                X          X
    bkpriv.publish(text,text,text,text,text,jsonb,text)                  X          -
    bkpriv.recount(bigint)                                               X          X
    bkpriv.purge(bigint,text,boolean)                                    X          -
    bkpriv.query_accuracy(bigint,text)                                   X          X
    bkpriv.query_workload(bigint,integer,integer,double_precision,bigint) X          X
    bkpriv.reassign(text,regrole)                                        -          -
    bkpriv.reconstruct(bigint,text[],text)                               X          X
    bkpriv.register_dataset(text,regclass,text[],text,text,text,jsonb,jsonb) X      -
    bkpriv.register_dataset(text,regclass,text[],text[],text,text,jsonb,text[],jsonb) X -
    bkpriv.rewrite_query(bigint,text)                                    X          X
    bkpriv.set_hierarchy(text,text,regclass)                             X          -
    bkpriv.set_interval_hierarchy(text,text,numeric[],numeric)           X          -
    bkpriv.set_date_hierarchy(text,text,text[])                          X          -
    bkpriv.set_list_hierarchy(text,text,jsonb,text)                      X          -
    bkpriv.set_prefix_hierarchy(text,text,integer[])                     X          -
    bkpriv.suggest_hierarchy(text,text)                                  X          -
    bkpriv.inspect_columns(regclass)                                     X          -
    bkpriv.set_policy(text,jsonb)                                        X          -
    bkpriv.set_sequential_knowledge(text,text,text,regclass,integer)     X          -
    bkpriv.unset_sequential_knowledge(text,text)                         X          -
    bkpriv.sequential_knowledge(text,text)                               X          X
    bkpriv.sequential_audit(text,text,text,jsonb)                        X          X
    bkpriv.revised_belief(text,text,text,text,text,jsonb)                X          X
    bkpriv.smoothed_distance(double_precision[],double_precision[],double_precision[],double_precision) X          X
    bkpriv.compare_releases(bigint[])                                    X          X
    bkpriv.audit_together(bigint[],jsonb,text)                           X          X
    bkpriv.explain_together(bigint[],jsonb,text)                         X          X
    bkpriv.audit_readers(text,jsonb,jsonb,text)                          X          X
    bkpriv.report_html(bigint,text)                                      X          X
    bkpriv.utility(bigint)                                               X          X
    bkpriv.utility_table(regclass,text,jsonb,text)                       X          X
    bkpriv.verdict(bigint)                                               X          X
    bkpriv.version()                                                     X          X
    bkpriv.withdraw(bigint,text)                                         X          -
    bkpriv.worst_case(integer[],integer,text)                            X          X
"""  # noqa: E501

COLUMNS = {
    ("bkpriv.watched", column, "SELECT", f"bkpriv_{job}")
    for column in ("token", "named") for job in ("publisher", "auditor", "watcher")}  # fmt: skip
"""Privileges to single columns, beyond those to the whole relation, and the group that has them."""

WATCHER = {
    "bkpriv_internal.called(oid)",
    "bkpriv_internal.carried_token(oid)",
    "bkpriv_internal.has_job(oid)",
    "bkpriv_internal.mark_stale()",
    "bkpriv_internal.python_path()",
    "bkpriv_internal.watch_token(oid)",
    "bkpriv_internal.watch_tokens(text,text)",
    "bkpriv_internal.watch_trigger(oid)",
    "bkpriv_internal.write()",
    "bkpriv_internal.written_tables(oid)",
    *("bkpriv.unwatch(regclass)", "bkpriv.version()", "bkpriv.watch(regclass)"),
}
"""Functions that a watcher may execute; a watcher may use the schema, and no more."""

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


def test_every_table_has_row_level_security(shared_db: Connection) -> None:
    open_tables = shared_db.execute(
        "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace "
        "AND relkind = 'r' AND NOT relrowsecurity"
    ).fetchall()
    assert open_tables == []
