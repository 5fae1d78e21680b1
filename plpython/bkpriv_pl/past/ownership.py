"""Ownership: whose datasets and releases are, by the name of a role, and handing them on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.pinned import acting
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.dataset import Dataset, find_dataset, refuse_old_snapshot
from bkpriv_pl.tables.source import check_readable, check_reader, open_relation

__all__ = [
    "reassign",
    "telling_losses",
]


@contextmanager
def telling_losses(dataset: Dataset) -> Iterator[None]:
    """Say which right was lost during long work, where PostgreSQL speaks of a policy of a table.

    Raises:
        Refusal: If something was not permitted, and what the work began with is no more: the
            caller's job, the dataset's owner, or the right to read its source.
    """
    try:
        yield
    except plpy.spiexceptions.InsufficientPrivilege:
        (row,) = run(
            "SELECT current_user::text AS role, "
            "has_schema_privilege('bkpriv_internal', 'USAGE') AS has_job"
        )
        if not row["has_job"]:
            role = plpy.quote_literal(row["role"])
            raise Refusal(
                "42501",
                f'role "{row["role"]}" is a publisher no more',
                detail="It lost the job while it was publishing. Nothing was published.",
                hint=f"A superuser gives it: bkpriv.grant_publisher({role}).",
            ) from None
        check_reader(dataset.owner, f'dataset "{dataset.name}"')
        find_dataset(dataset.name)
        source = open_relation(dataset.source)
        check_readable(source, (*dataset.measured, *dataset.attributes, *dataset.extras))
        raise


@entry(Access.NOTHING)
def reassign(owner: str | None, new_owner: str | None) -> None:
    """See ``bkpriv.reassign``."""
    refuse_old_snapshot()
    owner = require(owner, "owner")
    heir = _role(require(new_owner, "new owner"))
    if heir == owner:
        raise InvalidParameter(
            "the old and the new owner are the same",
            detail=f'Both are "{owner}".',
            hint="Name another role.",
        )
    # First the datasets: whoever is publishing from one is waited for.
    changed = [
        _hand_on("dataset", owner, heir),
        _hand_on("policy", owner, heir),
    ]
    _refuse_collisions(owner, heir)
    releases = [
        row["release"]
        for row in write(
            "INSERT INTO bkpriv.release_event (release, kind, reason, by) "
            "SELECT release, 'reassigned', format('from %I to %I', $1, $2), pg_get_userbyid($3) "
            "FROM bkpriv.release WHERE owner = $1 ORDER BY release RETURNING release",
            ["text", "text", "oid"],
            [owner, heir, acting()],
            owner=owner,
        )
    ]
    changed.append(_hand_on("release", owner, heir))
    if not any(changed):
        raise Refusal(
            "42704",
            f'nothing belongs to role "{owner}"',
            detail="It owns no dataset, policy or release.",
            hint="See the column owner of bkpriv.dataset, bkpriv.policy and bkpriv.release.",
        )
    for release in releases:
        _hand_on_tables(release, plpy.quote_ident(heir))


def _role(name: str) -> str:
    """Read a regrole, which comes as it is written in SQL."""
    rows = run(
        "SELECT rolname::text AS name FROM pg_roles WHERE oid = $1::regrole", ["text"], [name]
    )
    if not rows:
        raise Refusal(
            "42704",
            f"role {name} does not exist",
            detail="It is to own datasets, policies and releases.",
            hint="Name a role that exists.",
        )
    return str(rows[0]["name"])


def _hand_on(relation: str, owner: str, heir: str) -> bool:
    """Change the owner in a table's rows; return whether there were any."""
    # What a former owner trusted, the heir need not trust.
    trusted = ", source_owners = '{}'" if relation == "dataset" else ""
    changed = write(
        f"UPDATE bkpriv.{relation} SET owner = $2{trusted} WHERE owner = $1",
        ["text", "text"],
        [owner, heir],
        owner=owner,
    )
    return changed.nrows() > 0


def _hand_on_tables(release: int, heir: str) -> None:
    """Give the tables of a release, and the views that show it, to an heir, and to nobody else.

    Superusers' views stay theirs. So does a view that is not as publication writes it: what the
    former owner wrote into it would run with the rights of the heir. Nobody can read the release
    through it any more, but for what a materialized one holds.
    """
    key = ["bigint"], [release]
    handed = {}
    for view in _views(release, heir, of_heir=False):
        if view["plain"]:
            kind = "MATERIALIZED VIEW" if view["materialized"] else "VIEW"
            run(f"ALTER {kind} {view['name']} OWNER TO {heir}")
            handed[view["oid"]] = view["name"]
        else:
            notices.notice(
                f"view {view['name']} stays with its owner, and can read release {release} no more",
                detail="It is not as the release was published."
                + " What it holds already, it shows." * view["materialized"],
                hint="Drop it; the new owner publishes the dataset again to have it, or makes a "
                "view over the published one.",
            )
    granted = (
        "FROM (SELECT format('bkpriv_release.%I', t)::regclass AS oid "
        "FROM bkpriv_internal.release_tables($1) AS t) AS t JOIN pg_class AS c USING (oid)"
    )
    for row in run(
        "SELECT format('REVOKE ALL ON %s FROM %s CASCADE', t.oid, string_agg(DISTINCT "
        "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, "
        f"', ')) AS statement {granted}, aclexplode(c.relacl) AS a "
        "WHERE a.grantee <> c.relowner GROUP BY t.oid",
        *key,
    ):
        run(row["statement"])
    for row in run(f"SELECT t.oid::text AS name {granted}", *key):
        run(f"GRANT SELECT ON {row['name']} TO {heir}")
    # They are locked by now. Who was changing one meanwhile was waited for.
    plain = {view["oid"] for view in _views(release, heir, of_heir=True) if view["plain"]}
    if changed := sorted(handed[oid] for oid in handed.keys() - plain):
        raise Refusal(
            "40001",
            f"view {changed[0]} was changed while it was handed on",
            detail=f"It is not as release {release} was published. Nothing was handed on.",
            hint="Call bkpriv.reassign again.",
        )


def _views(release: int, heir: str, *, of_heir: bool) -> list[dict[str, Any]]:
    """Views that can read a release, the heir's or those of others who are no superusers.

    One is `plain` if it is as published, and its indexes and statistics compute nothing.
    """
    return run(
        "SELECT v.view::oid AS oid, v.view::text AS name, v.materialized, bool_and("
        "bkpriv_internal.as_published(v.view, v.release_table) AND NOT EXISTS (SELECT "
        "FROM pg_index WHERE indrelid = v.view AND num_nonnulls(indexprs, indpred) > 0) "
        "AND NOT EXISTS (SELECT FROM pg_statistic_ext "
        "WHERE stxrelid = v.view AND stxexprs IS NOT NULL)) AS plain "
        "FROM bkpriv_internal.views_of($1) AS v JOIN pg_class AS c ON c.oid = v.view "
        "JOIN pg_roles AS r ON r.oid = c.relowner WHERE v.readable AND CASE "
        "WHEN quote_ident(r.rolname) = $2 THEN $3 ELSE NOT $3 AND NOT r.rolsuper END "
        "GROUP BY v.view, v.materialized",
        ["bigint", "text", "boolean"],
        [release, heir, of_heir],
    )


def _refuse_collisions(owner: str, heir: str) -> None:
    """Refuse releases of two owners that would become the same version of the same dataset."""
    rows = run(
        "SELECT format('%s and %s are both version %s of %I', r.release, o.release, r.version, "
        "r.dataset) AS pair FROM bkpriv.release r JOIN bkpriv.release o USING (dataset, version) "
        "WHERE r.owner = $1 AND o.owner = $2 ORDER BY r.release",
        ["text", "text"],
        [owner, heir],
    )
    if rows:
        listed = "; ".join(row["pair"] for row in rows[:8])
        raise Refusal(
            "23505",
            f'releases of "{owner}" and of "{heir}" have the same dataset and version',
            detail=f"Releases {listed}{'; ...' if len(rows) > 8 else ''}.",
            hint="Hand them to a role that had no dataset of that name, such as a new one.",
        )
