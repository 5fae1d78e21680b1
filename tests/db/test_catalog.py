"""The catalog: rules that hold for every object. Signatures are those of the reference."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Connection

LINE = 100
"""Characters of a comment that fit a line beside the names that psql shows with it."""


OURS = "pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)"

NAME = "regexp_replace(pronamespace::regnamespace || '.' || proname, '^bkpriv[._]', '')"
"""Name of a function: ``publish``, ``internal.owns``."""


def _internal(*names: str) -> list[str]:
    return [f"internal.{name}" for name in names]


VOLATILITY = {
    # They compute from their arguments alone.
    "IMMUTABLE": {
        *("exact_posterior", "bethe_posterior", "omega_posterior", "additive_posterior"),
        *("js_divergence", "emd", "smoothed_distance", "worst_case", "version"),
        "randomization_risk",
        *_internal("digest", "release_table", "auditor"),
    },
    # They read tables or catalogs.
    "STABLE": {
        *("utility", "compare_releases", "max_disclosure", "query_accuracy"),
        *("rewrite_query", "association", "doctor", "reconstruct", "sequential_knowledge"),
        *_internal("release_tables"),
        *_internal("owns", "owned", "sees_all", "reads_for", "written_tables", "watch_token"),
        *_internal("watch_tokens"),
        *_internal("as_published", "called", "carried_token", "distributed", "invoked"),
        *_internal("live_releases", "views_of", "readers_of", "watch_trigger"),
        *_internal("bases", "releases_of", "python_path", "columns_read"),
        *_internal("built_on", "has_job"),
    },
    # They write: an audit is remembered, too. Or they draw at random. Or they read relations of
    # users, as these are when they are locked.
    "VOLATILE": {
        *("prior", "posterior", "disclosure", "explain_disclosure", "explain_suppressed"),
        *("report_html", "explore", "lattice", "optimize_randomization", "explain_publication"),
        *("recount", "audit_table", "utility_table", "attack_table"),
        *("audit_together", "explain_together", "audit_readers", "attack", "explain_attack"),
        *("sequential_audit", "revised_belief", "suggest_hierarchy"),
        *_internal("prior", "posterior", "disclosure"),
        *("query_workload", "register_dataset", "set_hierarchy", "set_interval_hierarchy"),
        *("set_prefix_hierarchy", "set_list_hierarchy", "set_date_hierarchy", "inspect_columns"),
        *("unset_hierarchy", "drop_dataset", "set_policy", "publish", "withdraw", "purge", "audit"),
        *("grant_publisher", "grant_auditor", "grant_watcher", "revoke_jobs", "reassign"),
        *("watch", "unwatch", "set_sequential_knowledge", "unset_sequential_knowledge"),
        *_internal("create_release_table", "seal_release_tables", "clear_release", "empty_view"),
        *_internal("write", "next_release", "next_audit", "grant_job", "open_views"),
        *_internal("guard", "guard_row", "guard_dataset", "mark_stale", "add_stale"),
        *_internal("note_alteration", "register_watch", "hold_writers", "distribute_release_table"),
    },
}

PARALLEL_SAFE = {"version", *_internal("digest", "release_table")}

DEFINERS = _internal("write", "mark_stale", "note_alteration", "python_path")
"""The functions that act with the rights of the extension's owner."""


def test_volatility_is_as_documented(shared_db: Connection) -> None:
    words = {"i": "IMMUTABLE", "s": "STABLE", "v": "VOLATILE"}
    found: dict[str, set[str]] = {word: set() for word in words.values()}
    for name, letter in shared_db.execute(
        f"SELECT {NAME}, provolatile::text FROM pg_proc WHERE {OURS}"
    ).fetchall():
        found[words[letter]].add(name)
    assert found == VOLATILITY


def test_only_what_is_proven_is_parallel_safe(shared_db: Connection) -> None:
    marked = shared_db.execute(
        f"SELECT {NAME} FROM pg_proc WHERE {OURS} AND proparallel <> 'u'"
    ).fetchall()
    assert {name for (name,) in marked} == PARALLEL_SAFE


def test_only_the_known_functions_are_security_definer(shared_db: Connection) -> None:
    found = shared_db.execute(
        f"SELECT {NAME}, lanname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang "
        f"WHERE {OURS} AND prosecdef"
    ).fetchall()
    assert {name for name, _ in found} == set(DEFINERS)


# By default a server compiles queries that it expects to be long: for seconds in each call.
@pytest.mark.parametrize("setting", ["search_path=pg_catalog, pg_temp", "jit=off"])
def test_every_function_pins(shared_db: Connection, setting: str) -> None:
    unpinned = shared_db.execute(
        f"SELECT oid::regprocedure::text FROM pg_proc WHERE {OURS} "
        "AND NOT coalesce(proconfig, '{}') @> ARRAY[%s]",
        [setting],
    ).fetchall()
    assert unpinned == []


def test_every_body_is_valid(shared_db: Connection) -> None:
    # Scripts of extensions check none, so that functions may come in any order.
    shared_db.execute("SET search_path = pg_catalog, pg_temp")
    try:
        checked = shared_db.execute(
            f"SELECT count(CASE lanname WHEN 'sql' THEN fmgr_sql_validator(p.oid)::text "
            f"WHEN 'plpgsql' THEN plpgsql_validator(p.oid)::text "
            f"WHEN 'plpython3u' THEN plpython3_validator(p.oid)::text END), count(*) "
            f"FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE {OURS}"
        ).fetchall()
    finally:
        shared_db.execute("RESET search_path")
    ((valid, every),) = checked
    assert valid == every > 0


def test_every_object_has_a_comment(shared_db: Connection) -> None:
    bare = shared_db.execute(
        f"""
        SELECT oid::regprocedure::text FROM pg_proc
        WHERE {OURS} AND obj_description(oid, 'pg_proc') IS NULL
        UNION ALL
        SELECT oid::regclass::text FROM pg_class
        WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v')
            AND obj_description(oid, 'pg_class') IS NULL
        UNION ALL
        SELECT nspname FROM pg_namespace
        WHERE nspname LIKE 'bkpriv%' AND obj_description(oid, 'pg_namespace') IS NULL
        UNION ALL
        SELECT extname FROM pg_extension
        WHERE extname = 'bkpriv' AND obj_description(oid, 'pg_extension') IS NULL
        """
    ).fetchall()
    assert bare == []


def test_every_column_has_a_comment_of_one_line(shared_db: Connection) -> None:
    columns = shared_db.execute(
        """
        SELECT attrelid::regclass::text, attname, coalesce(col_description(attrelid, attnum), '')
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v')
            AND attnum > 0 AND NOT attisdropped
        """
    ).fetchall()
    assert len(columns) > 150
    assert [row for row in columns if not 0 < len(row[2]) <= LINE or "\n" in row[2]] == []


def test_comments_fit_lines_and_the_first_is_a_sentence(shared_db: Connection) -> None:
    # \df+, \d+ and \dd of psql show a comment as it is, line by line.
    comments = shared_db.execute(
        f"""
        SELECT oid::regprocedure::text, obj_description(oid, 'pg_proc')
        FROM pg_proc WHERE {OURS}
        UNION ALL
        SELECT oid::regclass::text, obj_description(oid, 'pg_class')
        FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v')
        """
    ).fetchall()
    assert len(comments) > 100
    for name, comment in comments:
        first, *more = comment.split("\n")
        assert all(0 < len(line) <= LINE for line in (first, *more)), (name, comment)
        assert not re.search(r"[^.]\. ", first), (name, first)
        assert first.endswith(".") == bool(more), (name, first)
        assert not comment.endswith("."), (name, comment)


def test_public_gets_nothing(shared_db: Connection) -> None:
    given = shared_db.execute(
        f"""
        SELECT o.name, a.privilege_type
        FROM (
            SELECT oid::regprocedure::text AS name, proacl AS acl, 'f' AS kind, proowner AS owner
            FROM pg_proc WHERE {OURS}
            UNION ALL
            SELECT oid::regclass::text, relacl, CASE relkind WHEN 'S' THEN 's' ELSE 'r' END,
                relowner
            FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v', 'S')
            UNION ALL
            SELECT nspname, nspacl, 'n', nspowner FROM pg_namespace WHERE nspname LIKE 'bkpriv%'
            UNION ALL
            SELECT typname, typacl, 'T', typowner FROM pg_type
            WHERE typnamespace = 'bkpriv'::regnamespace AND typtype <> 'c' AND typelem = 0
        ) AS o,
        LATERAL aclexplode(coalesce(o.acl, acldefault(o.kind::"char", o.owner))) AS a
        WHERE a.grantee = 0
        """
    ).fetchall()
    assert given == []


def test_every_table_and_sequence_is_dumped(shared_db: Connection) -> None:
    left_out = shared_db.execute(
        """
        SELECT c.oid::regclass::text FROM pg_class c
        WHERE c.relnamespace = 'bkpriv'::regnamespace AND c.relkind IN ('r', 'S')
            AND c.oid <> ALL (SELECT unnest(extconfig) FROM pg_extension WHERE extname = 'bkpriv')
        """
    ).fetchall()
    assert left_out == []


def test_no_table_names_objects_by_numbers(db: Connection) -> None:
    """A dump would carry them to where they are those of other objects."""
    found = db.execute(
        "SELECT c.relname, a.attname FROM pg_attribute AS a JOIN pg_class c ON c.oid = a.attrelid "
        "JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_type AS e ON e.oid = t.typelem "
        "WHERE c.relnamespace = 'bkpriv'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
        "AND coalesce(nullif(e.typname, 'char'), t.typname) ~ '^(oid|reg.*|xid8?|tid)$'"
    ).fetchall()
    assert found == []
