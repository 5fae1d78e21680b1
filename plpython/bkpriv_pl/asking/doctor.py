"""Doctor: whether the installation is sound, for whoever installs it."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import scipy

import bkpriv_core
import bkpriv_pl
from bkpriv_pl.publishing.distribution import has_citus
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, run

__all__ = ["doctor"]

Check = tuple[str, bool, str]


@entry(Access.NOTHING)
def doctor() -> list[Check]:
    """See ``bkpriv.doctor``."""
    path = run("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
    return [
        *_versions(),
        _digest(path),
        *_paths(path),
        *_access(),
        *_permissions(),
        _owners(),
        _releases(),
        _nodes(),
    ]


def _versions() -> list[Check]:
    server = run(
        "SELECT current_setting('server_version') AS v, bkpriv.version() AS ours, "
        "getdatabaseencoding() AS encoding"
    )[0]
    installed = run("SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'")[0]["extversion"]
    major = int(str(server["v"]).split(".")[0].split("beta")[0].split("rc")[0].split("devel")[0])
    packages = {bkpriv_core.__version__, bkpriv_pl.__version__}
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "not set")
    return [
        ("server", major >= 14, f"PostgreSQL {server['v']}, 14 or later is needed"),
        ("encoding", server["encoding"] == "UTF8", f"{server['encoding']}, UTF8 is needed"),
        ("interpreter", sys.version_info >= (3, 10), f"Python {sys.version.split()[0]}"),
        (
            "version",
            packages == {installed} and server["ours"] == installed,
            f"extension {installed}, its functions {server['ours']}, "
            f"packages {', '.join(sorted(packages))}",
        ),
        ("numpy", True, f"{numpy.__version__} with {threads} threads"),
        ("scipy", True, scipy.__version__),
    ]


def _digest(path: str) -> Check:
    """Whether the database holds the SQL that is installed, which versions alone do not show."""
    held = run("SELECT bkpriv_internal.digest() AS digest")[0]["digest"]
    installed = "unknown"
    if os.path.exists(stamp := os.path.join(path, "sql.digest")):
        with open(stamp, encoding="ascii") as file:
            installed = file.read().strip()
    if held == installed:
        return ("sql", True, f"that of the installed files, {held[:12]}")
    return (
        "sql",
        False,
        f"the database has {held[:12]}, the installed files are {installed[:12]}: ALTER EXTENSION "
        "bkpriv UPDATE; under one version, install the files that made it, or DROP EXTENSION "
        "bkpriv CASCADE, which removes history and releases, and CREATE EXTENSION bkpriv",
    )


def _paths(path: str) -> list[Check]:
    inside = os.path.realpath(path) + os.sep
    origins = [
        os.path.realpath(module.__file__ or "") for module in (numpy, scipy, bkpriv_core, bkpriv_pl)
    ]
    # Where the server's user owns the server's programs too, as on a private server, packages that
    # it may change add nothing to what it may do.
    programs = os.path.dirname(os.path.realpath("/proc/self/exe"))
    writable = os.access(path, os.W_OK) or os.access(os.path.dirname(path), os.W_OK)
    private = writable and os.access(programs, os.W_OK)
    verdict = "the server's user cannot change them"
    if private:
        verdict = "the server's user can change them, like the server's own programs"
    elif writable:
        verdict = "the server's user can change them: install as another user"
    return [
        (
            "packages",
            all(origin.startswith(inside) for origin in origins) and sys.path[0] == path,
            f"loaded from {path}",
        ),
        ("packages are read-only", private or not writable, verdict),
        (
            "user site-packages",
            site.getusersitepackages() not in sys.path,
            "not on the module path",
        ),
    ]


_ACCESS = """
SELECT o.name, coalesce(r.rolname, 'PUBLIC')::text AS role, a.privilege_type AS privilege,
    o.reading, o.name IN ('schema bkpriv', 'schema bkpriv_release', 'bkpriv_internal.auditor()')
        AS granted_with_job,
    NOT coalesce(r.rolsuper OR r.rolname = ANY (o.expected), false)
        AND NOT (o.shared AND a.privilege_type = 'SELECT') AS strange
FROM (
    SELECT c.oid::regclass::text AS name, x.acl, c.relowner AS owner, c.relkind <> 'S' AS reading,
        c.relnamespace = 'bkpriv_release'::regnamespace
            AND bkpriv_internal.distributed(c.oid) AS shared,
        CASE c.relnamespace WHEN 'bkpriv'::regnamespace THEN $1
             ELSE (SELECT ARRAY[m.created_by, m.owner] FROM bkpriv.release m
                   CROSS JOIN unnest(ARRAY['records', 'sensitive', 'randomization']) AS part
                   WHERE c.relname = bkpriv_internal.release_table(m.release, part))
        END AS expected
    FROM pg_class c CROSS JOIN LATERAL (
        SELECT c.relacl AS acl
        UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = c.oid) AS x
    WHERE c.relnamespace IN ('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace)
        AND c.relkind IN ('r', 'v', 'S')
    UNION ALL
    SELECT p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)),
        p.proowner, false, false,
        CASE p.oid WHEN 'bkpriv_internal.auditor()'::regprocedure THEN $2 ELSE $1 END
    FROM pg_proc p WHERE p.pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
    UNION ALL
    SELECT 'schema ' || n.nspname, n.nspacl, n.nspowner, false, false,
        CASE n.nspname WHEN 'bkpriv_internal' THEN $1 ELSE $2 END
    FROM pg_namespace n WHERE n.nspname IN ('bkpriv', 'bkpriv_internal', 'bkpriv_release')
) AS o
CROSS JOIN LATERAL aclexplode(o.acl) AS a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE a.grantee <> o.owner
"""
"""Grants of roles: groups what their job needs, members the schemas, publishers their release
tables; readers, too, those that are distributed."""

_RESTORED = (
    ". Roles whose database was restored have their jobs again after bkpriv.grant_publisher, "
    "bkpriv.grant_auditor or bkpriv.grant_watcher: memberships are in no dump of a database"
)

_SHOWN = 20
"""Largest number of roles without a job that are listed."""

_GROUPS = ["bkpriv_publisher", "bkpriv_auditor", "bkpriv_watcher"]


def _access() -> list[Check]:
    """Check who can read what, and whether anybody was granted more than a job."""
    members = run(
        "SELECT g.rolname::text AS job, r.rolname::text AS role FROM pg_roles r, pg_roles g "
        "WHERE g.rolname = ANY ($1) AND NOT r.rolsuper AND r.rolname <> ALL ($1) "
        "AND pg_has_role(r.oid, g.oid, 'USAGE') AND has_schema_privilege(r.oid, 'bkpriv', 'USAGE') "
        "AND (g.rolname <> 'bkpriv_auditor' "
        "OR has_function_privilege(r.oid, 'bkpriv_internal.auditor()', 'EXECUTE')) ORDER BY 1, 2",
        ["text[]"],
        [_GROUPS],
    )
    granted = run(_ACCESS, ["text[]", "text[]"], [_GROUPS, [row["role"] for row in members]])
    strange = sorted(
        f"{row['role']}: {row['privilege']} on {row['name']}" for row in granted if row["strange"]
    )
    # What is granted to a role itself is in a dump, and its membership of a group is not.
    restored = any(row["strange"] and row["granted_with_job"] for row in granted)
    readers = sorted(
        {
            row["role"]
            for row in granted
            if row["reading"] and row["name"].startswith("bkpriv_release.")
        }
    )
    return [
        (
            "jobs",
            True,
            f"{_by_job(members)}; superusers have all of them; members of these groups without a "
            f"job in this database: {_without_job()}",
        ),
        ("readers of release tables", True, f"their publishers: {', '.join(readers) or 'none'}"),
        (
            "nothing to others",
            not strange,
            f"{'; '.join(strange[:8])}{'; ...' if len(strange) > 8 else ''}{_RESTORED * restored}"
            or "no role has more than its job",
        ),
    ]


def _without_job() -> str:
    """List the roles that have a job in other databases alone."""
    rows = run(
        "SELECT DISTINCT r.rolname::text AS role FROM pg_roles r, pg_roles g "
        "WHERE g.rolname = ANY ($1) AND NOT r.rolsuper AND r.rolname <> ALL ($1) "
        "AND pg_has_role(r.oid, g.oid, 'USAGE') AND NOT bkpriv_internal.has_job(r.oid) ORDER BY 1",
        ["text[]"],
        [_GROUPS],
    )
    names = [row["role"] for row in rows]
    return f"{', '.join(names[:_SHOWN])}{', ...' * (len(names) > _SHOWN)}" or "none"


def _by_job(members: Sequence[Mapping[str, Any]]) -> str:
    """List the members of each job."""
    listed = []
    for job in _GROUPS:
        roles = [row["role"] for row in members if row["job"] == job]
        listed.append(f"{job.removeprefix('bkpriv_')}s: {', '.join(roles) or 'none'}")
    return "; ".join(listed)


def _permissions() -> list[Check]:
    unpinned = run(
        "SELECT count(*) AS n FROM pg_proc "
        "WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace) "
        "AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']"
    )[0]["n"]
    # One that was replaced by hand has lost what the extension's script gave to all of them.
    loose = run(
        "SELECT count(*) AS n FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang "
        "WHERE p.pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace) "
        "AND l.lanname IN ('plpython3u', 'plpgsql') "
        "AND NOT coalesce(p.proconfig, '{}') @> (SELECT proconfig FROM pg_proc "
        "WHERE oid = 'bkpriv_internal.guard()'::regprocedure)"
    )[0]["n"]
    unguarded = run(
        "SELECT count(*) AS n FROM pg_class c WHERE c.relkind = 'r' AND "
        "(c.relnamespace = 'bkpriv'::regnamespace AND NOT c.relrowsecurity "
        "OR EXISTS (SELECT FROM unnest(CASE "
        "WHEN c.relnamespace = 'bkpriv_release'::regnamespace THEN '{guard}'::text[] "
        "WHEN c.relnamespace <> 'bkpriv'::regnamespace THEN '{}' "
        "WHEN c.relname IN ('dataset', 'release_base', 'release_event') "
        "OR c.relname ~ '_record$' THEN '{guard}' "
        "WHEN c.relname ~ '^release' THEN '{guard,guard_row}' END) AS needed "
        "WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid "
        "AND t.tgname = needed AND t.tgenabled IN ('O', 'A'))))"
    )[0]["n"]
    asleep = run(
        "SELECT 3 - count(*) AS n FROM pg_event_trigger "
        "WHERE evtfoid = 'bkpriv_internal.note_alteration()'::regprocedure "
        "AND evtenabled IN ('O', 'A')"
    )[0]["n"]
    return [
        ("search_path", unpinned == 0, f"{unpinned} functions do not pin it"),
        (
            "settings",
            loose == 0,
            f"{loose} functions do not pin how values are written",
        ),
        ("guards", unguarded == 0, f"{unguarded} tables are not guarded"),
        ("alterations", asleep == 0, f"{asleep} of 3 event triggers do not notice them"),
    ]


def _owners() -> Check:
    gone = run(
        "SELECT DISTINCT quote_ident(owner) AS name FROM (SELECT owner FROM bkpriv.dataset UNION "
        "SELECT owner FROM bkpriv.policy UNION SELECT owner FROM bkpriv.release) AS o "
        "WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = owner) ORDER BY 1"
    )
    names = ", ".join(row["name"] for row in gone)
    hint = f"no role {names}, which owns datasets, policies or releases: bkpriv.reassign"
    return ("owners", not gone, hint if gone else "all exist")


def _releases() -> Check:
    """Whether releases have their data and history, such as after a restore in parts."""
    lost = run(
        "SELECT format('no data of release %s in bkpriv_release: withdraw it, or restore it', "
        "r.release) AS remedy, r.release FROM bkpriv.release r WHERE NOT EXISTS "
        "(SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind = 'withdrawn') "
        "AND r.suppressed < r.records AND NOT EXISTS (SELECT FROM pg_class c "
        "WHERE c.relname = bkpriv_internal.release_table(r.release, 'records') "
        "AND c.relnamespace = 'bkpriv_release'::regnamespace "
        # Rows of what is distributed lie elsewhere.
        "AND (pg_relation_size(c.oid) > 0 OR bkpriv_internal.distributed(c.oid))) "
        # To refresh what publication did not write would run what somebody else wrote.
        "UNION ALL SELECT format('no data in materialized view %s of release %s: ' || CASE "
        "WHEN bkpriv_internal.as_published(v.view, v.release_table) "
        "THEN 'REFRESH MATERIALIZED VIEW %1$s' "
        "ELSE 'it is not as it was published; drop it, and publish again' END, "
        "v.view, r.release), r.release FROM bkpriv.release r "
        "CROSS JOIN bkpriv_internal.views_of(r.release) AS v JOIN pg_class c ON c.oid = v.view "
        # Others can make one too, but nothing could be in it.
        "WHERE v.materialized AND NOT v.readable AND "
        "has_table_privilege(c.relowner, v.release_table, 'SELECT') "
        "UNION ALL SELECT format('the history of release %s is not whole: restore it', r.release), "
        "r.release FROM bkpriv.release r LEFT JOIN bkpriv.release_content c USING (release) "
        "WHERE NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release "
        "AND e.kind = 'purged') AND NOT coalesce("
        "(SELECT sum(n) FROM unnest(c.counts) AS n) = r.records "
        "AND (SELECT max(n) FROM unnest(c.cells) AS n) < cardinality(c.group_ids) "
        "AND (SELECT count(*) FROM bkpriv.release_attribute a WHERE a.release = r.release) "
        "> cardinality(c.codes) / cardinality(c.group_ids) "
        "- (coalesce(cardinality(c.combinations), 1) = 0)::int, false) ORDER BY release"
    )
    return ("releases", not lost, "; ".join(row["remedy"] for row in lost) or "all have their data")


def _nodes() -> Check:
    """Whether nodes of Citus have the extension where it is needed, of the same version."""
    if not has_citus():
        return ("nodes", True, "Citus is not installed")
    (row,) = run(
        "SELECT count(*) FILTER (WHERE bkpriv_internal.distributed(oid)) AS shown "
        "FROM pg_class WHERE relnamespace = 'bkpriv_release'::regnamespace AND relkind = 'r'"
    )
    asked = "SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'"
    workers = run(
        "SELECT format('%s:%s', nodename, nodeport) AS node, success, result "
        "FROM pg_catalog.run_command_on_workers($1) ORDER BY 1",
        ["text"],
        [asked],
    )
    silent = [f"{item['node']} does not answer" for item in workers if not item["success"]]
    held = {item["node"]: item["result"] for item in workers if item["success"] and item["result"]}
    other = [
        f"{node} has version {version} of bkpriv: ALTER EXTENSION bkpriv UPDATE there"
        for node, version in held.items()
        if version != bkpriv_pl.__version__
    ]
    if held and not row["shown"]:
        other.append(
            f"{', '.join(held)} have bkpriv without need, since no release is distributed: what "
            "is published there is unknown here, and citus_add_node fails on nodes without its "
            "files. SET citus.enable_ddl_propagation = off before CREATE EXTENSION bkpriv"
        )
    return (
        "nodes",
        not other and not silent,
        "; ".join([*silent, *other])
        or f"{row['shown']} release tables are distributed; nodes with bkpriv: {len(held)}",
    )
