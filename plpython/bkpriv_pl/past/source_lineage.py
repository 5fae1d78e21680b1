"""Bases: the relations that a source reads, by which releases of the same records are known.

Two views of one table show the same records, and so do a materialized view, a partition and the
whole. What a source reads is recorded with each release, by name, as it then was: views are
replaced. What functions read, and what a foreign table reads elsewhere, is not followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.writing import write

__all__ = ["SEEN", "bases_of", "find_bases", "record_bases", "unseen"]

SEEN = (
    "({0} = {1} OR EXISTS (SELECT FROM pg_roles AS seer JOIN pg_roles AS seen "
    "ON seen.rolname = {1} AND pg_has_role(seer.oid, seen.oid, 'MEMBER') "
    "OR has_function_privilege(seer.oid, 'bkpriv_internal.auditor()', 'EXECUTE') "
    "WHERE seer.rolname = {0}))"
)
"""SQL for whether a role may see releases of another, by the names of both.

A role that publishes or audits for an owner may see more than the owner does. Nothing that is
recorded of the owner's releases may tell of that."""


def find_bases(source_schema: str, source_name: str) -> list[str]:
    """Names, as in SQL, of a source and of all that it reads now; at most 2000."""
    (row,) = run(
        "SELECT bkpriv_internal.bases($1, $2) AS bases",
        ["text", "text"],
        [source_schema, source_name],
    )
    bases: list[str] | None = row["bases"]
    return bases or []


def bases_of(release: int) -> list[str]:
    """Names that are recorded of a release."""
    rows = run(
        "SELECT base FROM bkpriv.release_base WHERE release = $1 ORDER BY base",
        ["bigint"],
        [release],
    )
    return [row["base"] for row in rows]


def record_bases(release: int, source_schema: str, source_name: str) -> None:
    """Append what the source of a release reads now; see `find_bases`."""
    write(
        "INSERT INTO bkpriv.release_base (release, base) SELECT $1, unnest($2)",
        ["bigint", "text[]"],
        [release, find_bases(source_schema, source_name)],
        release=release,
    )


def unseen(release: int, others: Sequence[int]) -> set[int]:
    """Return which releases the owner of one may not see."""
    if not others:
        return set()
    rows = run(
        "SELECT o.release FROM bkpriv.release AS r CROSS JOIN bkpriv.release AS o WHERE "
        f"r.release = $1 AND o.release = ANY ($2) AND NOT {SEEN.format('r.owner', 'o.owner')}",
        ["bigint", "bigint[]"],
        [release, list(others)],
    )
    return {row["release"] for row in rows}
