"""Doctor: whether the installation is sound, for whoever installs it."""

from __future__ import annotations

import os
import site
import sys

import numpy
import scipy

import bkpriv_core
import bkpriv_pl
from bkpriv_pl.boundary import entry, run

__all__ = ["doctor"]

Check = tuple[str, bool, str]


@entry
def doctor() -> list[Check]:
    """See ``bkpriv.doctor``."""
    path = run("SELECT bkpriv._python_path() AS path")[0]["path"]
    return [*_versions(), *_paths(path), *_permissions()]


def _versions() -> list[Check]:
    server = run("SELECT current_setting('server_version') AS v, bkpriv.version() AS ours")[0]
    installed = run("SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'")[0]["extversion"]
    major = int(str(server["v"]).split(".")[0].split("beta")[0].split("rc")[0].split("devel")[0])
    packages = {bkpriv_core.__version__, bkpriv_pl.__version__}
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "not set")
    return [
        ("server", major >= 14, f"PostgreSQL {server['v']}, 14 or later is needed"),
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
    told = "the server's user cannot change them"
    if private:
        told = "the server's user can change them, like the server's own programs"
    elif writable:
        told = "the server's user can change them: install as another user"
    return [
        (
            "packages",
            all(origin.startswith(inside) for origin in origins) and sys.path[0] == path,
            f"loaded from {path}",
        ),
        ("packages are read-only", private or not writable, told),
        (
            "user site-packages",
            site.getusersitepackages() not in sys.path,
            "not on the module path",
        ),
    ]


def _permissions() -> list[Check]:
    public = run(
        "SELECT count(*) AS n FROM (SELECT proacl AS acl, 'f' AS kind, proowner AS owner "
        "FROM pg_proc WHERE pronamespace = 'bkpriv'::regnamespace UNION ALL "
        "SELECT relacl, 'r', relowner FROM pg_class WHERE relnamespace IN "
        "('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace) AND relkind IN ('r', 'v', 'S') "
        "UNION ALL SELECT nspacl, 'n', nspowner FROM pg_namespace "
        "WHERE nspname IN ('bkpriv', 'bkpriv_release')) AS o, "
        'LATERAL aclexplode(coalesce(acl, acldefault(o.kind::"char", owner))) AS a '
        "WHERE a.grantee = 0"
    )[0]["n"]
    unpinned = run(
        "SELECT count(*) AS n FROM pg_proc WHERE pronamespace = 'bkpriv'::regnamespace "
        "AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']"
    )[0]["n"]
    unguarded = run(
        "SELECT count(*) AS n FROM pg_class c WHERE c.relkind = 'r' AND "
        "(c.relnamespace = 'bkpriv'::regnamespace AND NOT c.relrowsecurity "
        "OR (c.relnamespace = 'bkpriv_release'::regnamespace "
        "OR c.relnamespace = 'bkpriv'::regnamespace "
        "AND c.relname IN ('release', 'release_attribute', 'release_content', "
        "'release_respondent', 'release_event', 'audit_record')) "
        "AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid "
        "AND t.tgname = 'guard' AND t.tgenabled IN ('O', 'A')))"
    )[0]["n"]
    return [
        ("nothing to PUBLIC", public == 0, f"{public} privileges are granted to PUBLIC"),
        ("search_path", unpinned == 0, f"{unpinned} functions do not pin it"),
        ("guards", unguarded == 0, f"{unguarded} tables are not guarded"),
    ]
