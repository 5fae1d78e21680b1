"""Writing: the one way into the extension's own tables, and to the tables of releases.

Publishers and auditors have no right to write any of them. `write` leaves a statement in the memory
of the session's interpreter, in which only superusers run code, and calls the SQL function
``bkpriv_internal.write``, which has the rights of the extension's owner. That function takes the
statement out before it executes it. So whatever else calls it finds none: a trigger, a function
that the statement runs, or a user. An error leaves none either.

Statements are constants of the packages, and values are parameters of built-in types. No cast,
domain, trigger or default of a user takes part. ``current_user`` is the extension's owner there, so
the role that acts is handed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import plpy

from bkpriv_pl.server.access import Access, depth
from bkpriv_pl.server.boundary import Refusal, entry
from bkpriv_pl.server.memory import lifted
from bkpriv_pl.server.pinned import acting

__all__ = ["execute", "write"]


@dataclass
class _Statement:
    """A statement with its parameters, who acts and for whom, and what became of it."""

    query: str
    types: list[str]
    values: list[Any]
    role: int
    owner: str | None
    release: int | None
    result: plpy.PLyResult | None = None


_handed: _Statement | None = None
"""Statement on its way; None but while ``bkpriv_internal.write`` is being called."""

_MAY = """
SELECT quote_ident(pg_get_userbyid($1)) AS role, has_schema_privilege($1, CASE
        WHEN $2 IS NULL AND $3 IS NULL THEN 'bkpriv' ELSE 'bkpriv_release' END, 'USAGE') AS has_job,
    $2 IS NULL AND $3 IS NULL OR (SELECT rolsuper FROM pg_roles WHERE oid = $1) OR EXISTS (
        SELECT FROM pg_roles WHERE pg_has_role($1, oid, 'MEMBER')
        AND rolname = coalesce($2, (SELECT owner FROM bkpriv.release WHERE release = $3))) AS owns
"""


def write(
    query: str,
    types: Iterable[str],
    values: Iterable[Any],
    *,
    owner: str | None = None,
    release: int | None = None,
) -> plpy.PLyResult:
    """Execute one statement that writes with the rights of the extension's owner.

    Args:
        query, types, values: See `bkpriv_pl.server.boundary.run`.
        owner, release: Role that what is written belongs to, or release that it is about: the role
            that acts must be a member and a publisher. Without both it must have a job.

    Raises:
        plpy.spiexceptions.InsufficientPrivilege: If the role that acts may not.
        Refusal: If the call is part of another, which has looked at history before.
    """
    global _handed
    if depth() > 1:
        raise Refusal(
            "2F003",
            "a call within another call of bkpriv cannot write",
            detail="Code that a relation or a type runs has called bkpriv.",
            hint="Call it by itself, before or after.",
        )
    with lifted():
        statement = _Statement(query, list(types), list(values), acting(), owner, release)
        try:
            _handed = statement
            plpy.execute("SELECT bkpriv_internal.write()")
        finally:
            _handed = None
    assert statement.result is not None
    return statement.result


@entry(Access.NOTHING)
def execute() -> None:
    """See ``bkpriv_internal.write``."""
    global _handed
    statement, _handed = _handed, None
    if statement is None:
        raise Refusal(
            "42501",
            "bkpriv_internal.write() is called by bkpriv alone",
            detail="There is no statement to execute.",
            hint="Only the functions of bkpriv write its tables.",
        )
    with lifted():
        (may,) = plpy.execute(
            plpy.prepare(_MAY, ["oid", "text", "bigint"]),
            [statement.role, statement.owner, statement.release],
        )
        if may["has_job"] and may["owns"]:
            statement.result = plpy.execute(
                plpy.prepare(statement.query, statement.types), statement.values
            )
            return
    raise Refusal(
        "42501",
        f"role {may['role']} may not write this",
        detail=f"It belongs to another role{'' if may['has_job'] else ', or the job was lost'}.",
        hint="Ask its owner; a superuser gives jobs.",
    )
