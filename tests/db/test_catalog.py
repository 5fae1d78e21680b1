"""The catalog: the interface that others rely on, and rules that hold for every object."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Connection
from tests.db.clinic import one

LINE = 100
"""Characters of a comment that fit a line beside the names that psql shows with it."""

ATTACK = "release bigint, attacker text DEFAULT 'learner'::text, options jsonb DEFAULT '{}'::jsonb"

INTERFACE = {
    # Declare
    "register_dataset": (
        "name text, source regclass, quasi_identifiers text[], sensitive text, "
        "respondent text DEFAULT NULL::text, period text DEFAULT NULL::text, "
        "bins jsonb DEFAULT '{}'::jsonb",
        "text",
    ),
    "set_hierarchy": ("dataset text, attribute text, levels regclass", "void"),
    "unset_hierarchy": ("dataset text, attribute text", "void"),
    "set_interval_hierarchy": (
        "dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0",
        "void",
    ),
    "set_prefix_hierarchy": ("dataset text, attribute text, lengths integer[]", "void"),
    "set_date_hierarchy": (
        "dataset text, attribute text, units text[] DEFAULT '{month,year}'::text[]",
        "void",
    ),
    "suggest_hierarchy": ("dataset text, attribute text", "TABLE(levels integer"),
    "set_list_hierarchy": (
        "dataset text, attribute text, branches jsonb, rest text DEFAULT NULL::text",
        "void",
    ),
    "inspect_columns": (
        "source regclass",
        "TABLE(columns text[], distinct_share double precision, unique_people double precision, "
        "looks_like text",
    ),
    "set_policy": ("name text, requirements jsonb", "text"),
    "drop_dataset": ("dataset text", "void"),
    "set_sequential_knowledge": (
        "dataset text, name text, kind text, source regclass DEFAULT NULL::regclass, "
        "memory integer DEFAULT NULL::integer",
        "void",
    ),
    "sequential_knowledge": (
        "dataset text, name text",
        "TABLE(history text[], next text, probability double precision, support double precision",
    ),
    # Publish
    "publish": (
        "dataset text, policy text, view_name text, method text DEFAULT 'agglomerate'::text, "
        "period text DEFAULT NULL::text, options jsonb DEFAULT '{}'::jsonb",
        "bigint",
    ),
    "explain_publication": (
        "dataset text, policy text, view_name text, method text DEFAULT 'agglomerate'::text, "
        "period text DEFAULT NULL::text, options jsonb DEFAULT '{}'::jsonb",
        "TABLE(release bigint, reason text, detail text",
    ),
    "withdraw": ("release bigint, reason text DEFAULT NULL::text", "void"),
    "purge": (
        "release bigint, reason text DEFAULT NULL::text, force boolean DEFAULT false",
        "void",
    ),
    "reassign": ("owner text, new_owner regrole", "void"),
    # Measure
    "prior": (
        "dataset text, bandwidth anycompatible",
        "TABLE(qi jsonb, sensitive text, probability double precision",
    ),
    "posterior": (
        "release bigint, bandwidth anycompatible, estimator text DEFAULT 'auto'::text",
        "TABLE(group_id integer, qi jsonb, sensitive text, prior double precision, "
        "posterior double precision",
    ),
    "disclosure": (
        "release bigint, bandwidth anycompatible, estimator text DEFAULT 'auto'::text",
        "TABLE(group_id integer, qi jsonb, records bigint, disclosure double precision",
    ),
    "audit": (
        "release bigint, requirements anycompatible DEFAULT NULL::text, "
        "estimator text DEFAULT 'auto'::text",
        "TABLE(requirement text, parameters jsonb, threshold double precision, "
        "worst double precision, mean double precision, vulnerable bigint, satisfied boolean",
    ),
    "attack": (ATTACK, "TABLE(metric text, value double precision"),
    "explain_attack": (ATTACK, "TABLE(group_id integer, qi jsonb, sensitive text"),
    "explain_suppressed": (
        'release bigint, "limit" integer DEFAULT 10',
        "TABLE(qi jsonb, records bigint, requirement text, parameters jsonb, "
        "threshold double precision, attained double precision",
    ),
    "max_disclosure": (
        "release bigint, k integer, language text DEFAULT 'implications'::text",
        "TABLE(k integer, disclosure double precision, witness jsonb",
    ),
    "lattice": ("dataset text, policy text", "TABLE(levels jsonb, safe boolean, minimal boolean"),
    "explore": (
        "dataset text, policies jsonb DEFAULT NULL::jsonb, "
        "method text DEFAULT 'agglomerate'::text, options jsonb DEFAULT '{}'::jsonb, "
        "period text DEFAULT NULL::text, draft boolean DEFAULT false",
        "TABLE(place integer, policy jsonb, metric text, value double precision",
    ),
    "sequential_audit": (
        "dataset text, knowledge text, estimator text DEFAULT 'omega'::text",
        "TABLE(release bigint, period text, records bigint, gain double precision, "
        "confidence double precision, worst double precision",
    ),
    "revised_belief": (
        "dataset text, knowledge text, respondent text, period text",
        "TABLE(sensitive text, prior double precision, posterior double precision",
    ),
    "report_html": ("release bigint, audience text DEFAULT 'officer'::text", "text"),
    "utility": ("release bigint", "TABLE(metric text, value double precision"),
    "verdict": (
        "release bigint",
        "TABLE(state text, what text, count bigint, of bigint, advice text",
    ),
    "audit_table": (
        "source regclass, dataset text, columns jsonb, requirements jsonb, "
        "estimator text DEFAULT 'auto'::text, period text DEFAULT NULL::text",
        "TABLE(requirement text, parameters jsonb, threshold double precision, "
        "worst double precision, mean double precision, vulnerable bigint, satisfied boolean",
    ),
    "utility_table": (
        "source regclass, dataset text, columns jsonb DEFAULT '{}'::jsonb, "
        "period text DEFAULT NULL::text",
        "TABLE(metric text, value double precision",
    ),
    "attack_table": (
        "source regclass, dataset text, columns jsonb DEFAULT '{}'::jsonb, "
        "attacker text DEFAULT 'learner'::text, options jsonb DEFAULT '{}'::jsonb, "
        "period text DEFAULT NULL::text",
        "TABLE(metric text, value double precision, sensitive text",
    ),
    "compare_releases": ("releases bigint[]", "TABLE(metric text, release bigint"),
    "audit_together": (
        "releases bigint[], requirements jsonb DEFAULT NULL::jsonb, "
        "estimator text DEFAULT 'auto'::text",
        "TABLE(requirement text, parameters jsonb, threshold double precision, "
        "worst double precision, mean double precision, vulnerable bigint, satisfied boolean",
    ),
    "explain_together": (
        "releases bigint[], requirements jsonb DEFAULT NULL::jsonb, "
        "estimator text DEFAULT 'auto'::text",
        "TABLE(requirement text, parameters jsonb, respondent text, sensitive text, "
        "prior double precision, posterior double precision, figure double precision, "
        "releases bigint[]",
    ),
    "audit_readers": (
        "dataset text, readers jsonb DEFAULT NULL::jsonb, "
        "requirements jsonb DEFAULT NULL::jsonb, estimator text DEFAULT 'auto'::text",
        "TABLE(reader text, releases bigint[], requirement text, parameters jsonb, "
        "threshold double precision",
    ),
    "query_accuracy": (
        "release bigint, query text",
        "TABLE(key jsonb, actual double precision, estimate double precision, "
        "relative_error double precision",
    ),
    "query_workload": (
        "release bigint, queries integer, dimensions integer, selectivity double precision, "
        "seed bigint DEFAULT NULL::bigint",
        "TABLE(query text, actual double precision, estimate double precision, "
        "relative_error double precision",
    ),
    "association": (
        "release bigint",
        "TABLE(attribute text, other text, original double precision, released double precision",
    ),
    "rewrite_query": ("release bigint, query text", "text"),
    "reconstruct": (
        "release bigint, attributes text[], estimator text DEFAULT 'unbiased'::text",
        "TABLE(key jsonb, estimate double precision, standard_error double precision",
    ),
    "optimize_randomization": (
        "dataset text, scheme text, tau double precision",
        "TABLE(attribute text, domain_size integer, retention double precision, "
        "epsilon double precision",
    ),
    # Calculators
    "exact_posterior": ("prior double precision[], counts integer[]", "double precision[]"),
    "bethe_posterior": ("prior double precision[], counts integer[]", "double precision[]"),
    "additive_posterior": ("prior double precision[], counts integer[]", "double precision[]"),
    "omega_posterior": ("prior double precision[], counts integer[]", "double precision[]"),
    "js_divergence": ("p double precision[], q double precision[]", "double precision"),
    "emd": (
        "p double precision[], q double precision[], ground double precision[]",
        "double precision",
    ),
    "smoothed_distance": (
        "p double precision[], q double precision[], ground double precision[], "
        "bandwidth double precision",
        "double precision",
    ),
    "worst_case": (
        "histograms integer[], k integer, language text DEFAULT 'implications'::text",
        "double precision[]",
    ),
    "randomization_risk": (
        "joint double precision[], retention double precision[], scheme text",
        "double precision[]",
    ),
    # Operate
    "doctor": ("", "TABLE(check_name text, ok boolean, detail text"),
    "version": ("", "text"),
    "grant_publisher": ("role regrole", "void"),
    "grant_auditor": ("role regrole", "void"),
    "watch": ("source regclass", "void"),
    "unwatch": ("source regclass", "void"),
    "recount": ("release bigint", "boolean"),
}
"""Leading arguments and leading result columns of the functions that people call."""

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
        *("utility", "verdict", "compare_releases", "max_disclosure", "query_accuracy"),
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
        *_internal("prior", "posterior", "disclosure", "explain_disclosure", "audit"),
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


@pytest.mark.parametrize("name", INTERFACE)
def test_a_function_keeps_its_signature(shared_db: Connection, name: str) -> None:
    arguments, result = INTERFACE[name]
    found = shared_db.execute(
        "SELECT pg_get_function_arguments(oid), pg_get_function_result(oid) FROM pg_proc "
        "WHERE pronamespace = 'bkpriv'::regnamespace AND proname = %s",
        [name],
    ).fetchall()
    assert any(
        (actual == arguments or actual.startswith(f"{arguments}, "))
        and (returned == result or returned.startswith((f"{result}, ", f"{result})")))
        for actual, returned in found
    )


def test_datasets_have_one_sensitive_column_or_several(shared_db: Connection) -> None:
    found = shared_db.execute(
        "SELECT pg_get_function_arguments(oid) FROM pg_proc "
        "WHERE oid::regprocedure::text LIKE 'bkpriv.register_dataset(%text[],text[],%'"
    ).fetchall()
    assert found == [
        (
            "name text, source regclass, quasi_identifiers text[], sensitive text[], "
            "respondent text DEFAULT NULL::text, period text DEFAULT NULL::text, "
            "bins jsonb DEFAULT '{}'::jsonb, attributes text[] DEFAULT '{}'::text[], "
            "scales jsonb DEFAULT '{}'::jsonb",
        )
    ]


def test_arguments_that_were_added_have_defaults(shared_db: Connection) -> None:
    added = shared_db.execute(
        "SELECT proname, pronargs - pronargdefaults FROM pg_proc "
        "WHERE pronamespace = 'bkpriv'::regnamespace AND proname = ANY (%s)",
        [list(INTERFACE)],
    ).fetchall()
    for name, needed in added:
        arguments = [part for part in INTERFACE[name][0].split(", ") if part]
        assert needed == sum("DEFAULT" not in argument for argument in arguments), name


def test_the_catalog_views_keep_their_columns(shared_db: Connection) -> None:
    kept = {
        "releases": "release dataset version view_name method policy period records suppressed "
        "groups status stale created_at created_by",
        "audits": "audit release dataset requirement parameters threshold worst mean vulnerable "
        "satisfied estimator audited_at audited_by",
        "attacks": "attack release dataset attacker options metric value sensitive attacked_at "
        "attacked_by",
    }
    for view, columns in kept.items():
        found: str = one(
            shared_db,
            "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute "
            "WHERE attrelid = %s::regclass AND attnum > 0",
            [f"bkpriv.{view}"],
        )
        assert f"{found} ".startswith(f"{columns} "), view


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
