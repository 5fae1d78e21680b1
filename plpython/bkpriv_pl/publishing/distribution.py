"""Distribution: release tables over the nodes of Citus, at their publisher's wish.

A release table is made and filled here, distributed, and then guarded, row by row: the guard of a
whole table would not hear of what is written to its shards. It is filled before since its publisher
writes it and the extension's owner distributes it, and Citus lets one role alone touch a shard in a
transaction. The schema of release tables is the extension's, so Citus makes the extension on every
node that gets a shard, and its files must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.release.release import Exhibit
from bkpriv_pl.publishing.view import View
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.server.writing import write

__all__ = [
    "begin_distributing",
    "check_citus",
    "check_column",
    "distribute",
    "has_citus",
    "made_here_alone",
    "tell_readers",
]


def has_citus() -> bool:
    """Whether Citus is installed in the database."""
    (row,) = run("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found")
    return bool(row["found"])


def begin_distributing() -> None:
    """Have the transaction distribute tables, or alter distributed ones, before it reads any.

    Citus alters nothing everywhere once the transaction has looked at shards otherwise than over
    one connection to each node.
    """
    if has_citus():
        run("SELECT set_config('citus.enable_local_execution', 'off', true)")
        run("SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)")


@contextmanager
def made_here_alone() -> Iterator[None]:
    """Have what is made inside made on the coordinator alone, where there is Citus.

    Views of releases are: workers have none of what guards them, and neither tables nor rights.
    """
    name = "citus.enable_ddl_propagation"
    (before,) = run("SELECT current_setting($1, true) AS value", ["text"], [name])
    if before["value"] is None:
        yield
        return
    asked = "SELECT set_config($1, $2, true)"
    run(asked, ["text", "text"], [name, "off"])
    yield
    run(asked, ["text", "text"], [name, before["value"]])


def check_citus() -> None:
    """Refuse to distribute where there is no Citus."""
    if not has_citus():
        raise Refusal(
            "0A000",
            "option distribute_by needs Citus",
            detail="The extension citus is not in this database, so there are no nodes to "
            "distribute a release over.",
            hint="Leave it out, or publish on a coordinator of Citus.",
        )


def check_column(name: str, shown: Sequence[str]) -> None:
    """Refuse a column that the view of records does not have.

    Args:
        name: Column that the release is to be distributed by.
        shown: Columns of the view, or before the source is read those that it may have.
    """
    if name not in shown:
        raise InvalidParameter(
            f"the release cannot be distributed by {as_json(name)}",
            detail=f"The columns of its view are {', '.join(map(as_json, shown))}.",
            hint="Name one of them.",
        )


def distribute(release: int, exhibit: Exhibit, column: str) -> None:
    """Distribute the table of an exhibit, which is filled and not yet sealed."""
    write(
        "SELECT bkpriv_internal.distribute_release_table($1, $2, $3)",
        ["bigint", "text", "text"],
        [release, exhibit, column],
        release=release,
    )


def tell_readers(release: int, views: Mapping[Exhibit, View]) -> None:
    """Say what readers of the views of a distributed release need besides them."""
    statements = []
    for exhibit, view in views.items():
        (row,) = run(
            "SELECT format('bkpriv_release.%I', bkpriv_internal.release_table($1, $2)) AS held, "
            "(SELECT string_agg(DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC'), ', ') "
            "FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a "
            "LEFT JOIN pg_roles AS r ON r.oid = a.grantee "
            "WHERE c.oid = $3::regclass AND a.privilege_type = 'SELECT' "
            "AND a.grantee <> c.relowner) AS readers",
            ["bigint", "text", "text"],
            [release, exhibit, str(view)],
        )
        statements.append(f"GRANT SELECT ON {row['held']} TO {row['readers'] or '<reader>'}")
    notices.notice(
        f"readers of release {release} need SELECT on its tables, too",
        detail="Citus reads shards with the rights of whoever asks, not of the owner of a view.",
        hint=f"{'; '.join(statements)}; and take it back together with the view.",
    )
