"""Sources: the relations that records, hierarchies and priors are read from.

A name is resolved once, to an object identifier that is locked: from then on the relation cannot be
renamed, moved or dropped, and what was checked of it holds. Only its schema can still be renamed,
by that schema's owner, so that the name leads to another relation.

Whoever names a relation trusts it, as with SELECT: to read it can be to run its owner's code with
the reader's rights. What the caller has not named is read only for whom `check_reader` lets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plpy

from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, prepare, run

__all__ = [
    "SOURCES",
    "Relation",
    "check_readable",
    "check_reader",
    "filtered_for_others",
    "find_distributed",
    "in_charge",
    "old_snapshot",
    "open_relation",
    "owners_of",
    "tell_hidden_rows",
    "unreadable",
]

SOURCES = {
    "r": "table",
    "p": "partitioned table",
    "f": "foreign table",
    "v": "view",
    "m": "materialized view",
}
"""Descriptions of relations that can be read from, by their kind."""

_ATTEMPTS = 10
"""Limit of how often a name is resolved anew that changed its meaning while being locked."""


@dataclass(frozen=True)
class Relation:
    """A relation that is locked against being renamed, moved or dropped."""

    oid: int
    schema: str
    name: str
    kind: str
    """A key of `SOURCES`."""

    def __str__(self) -> str:
        return f"{plpy.quote_ident(self.schema)}.{plpy.quote_ident(self.name)}"


def open_relation(text: str) -> Relation:
    """Resolve a name, written as in SQL, to something to read records from, and lock it.

    The lock lasts as long as the transaction, and lets everybody read and write.

    Raises:
        Refusal: If there is no such relation, it is of another kind, or its schema is out of reach.
    """
    for _ in range(_ATTEMPTS):
        relation = _look_up(text)
        if relation.kind not in SOURCES:
            raise Refusal(
                "42809",
                f"{text} is not something to read records from",
                detail="It is an index, a sequence or a type.",
                hint=f"Use a {', '.join(SOURCES.values())}.",
            )
        try:
            # Analysing a statement locks what it names, and runs nothing.
            prepare(f"SELECT FROM {relation}")
        except plpy.spiexceptions.UndefinedTable:
            continue
        except plpy.spiexceptions.InsufficientPrivilege:
            raise _out_of_reach(text) from None
        if _is_locked(relation.oid) and _look_up(text) == relation:
            return relation
    raise Refusal(
        "55006",
        f"{text} keeps changing",
        detail=f"The name meant something else in each of {_ATTEMPTS} attempts to lock it.",
        hint="Find out who renames relations or schemas, and try again.",
    )


def _look_up(text: str) -> Relation:
    """Relation that a name means now."""
    try:
        rows = run(
            "SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name, "
            "c.relkind::text AS kind "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.oid = to_regclass($1)",
            ["text"],
            [text],
        )
    except (
        plpy.spiexceptions.InvalidName,
        plpy.spiexceptions.SyntaxError,
        plpy.spiexceptions.FeatureNotSupported,  # a table of another database
    ):
        rows = []
    except plpy.spiexceptions.InsufficientPrivilege:
        raise _out_of_reach(text) from None
    if not rows:
        raise Refusal(
            "42P01",
            f"relation {text} does not exist",
            detail="No relation goes by that name.",
            hint="Name a table as in SQL and with its schema, such as 'public.patients'.",
        )
    row = rows[0]
    return Relation(row["oid"], row["schema"], row["name"], row["kind"])


def _is_locked(oid: int) -> bool:
    rows = run(
        "SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' "
        # Catalogs of all databases are of none.
        "AND database IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())) "
        "AND relation = $1 AND granted",
        ["oid"],
        [oid],
    )
    return bool(rows)


def _out_of_reach(text: str) -> Refusal:
    role = str(run("SELECT current_user::text AS role")[0]["role"])
    return Refusal(
        "42501",
        f"permission denied for the schema of {text}",
        detail=f'Role "{role}" lacks USAGE.',
        hint=f"GRANT USAGE on it TO {plpy.quote_ident(role)}.",
    )


def check_reader(owner: str, subject: str, way_out: str = "") -> None:
    """Refuse a caller for whom what another role has named is not read.

    Args:
        way_out: Remedies other than to become that role.

    Raises:
        Refusal: If the caller is neither the role nor a member of it, or is a superuser or an
            auditor and the role is none; or if there is no such role.
    """
    (row,) = run(
        "SELECT current_user::text AS role, bkpriv_internal.reads_for($1) AS may, "
        "EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS there",
        ["text"],
        [owner],
    )
    if row["may"]:
        return
    if not row["there"]:
        raise Refusal(
            "42704",
            f'role "{owner}", to whom {subject} belongs, does not exist',
            detail="It was renamed or dropped.",
            hint="A superuser hands on what it owns: "
            f"bkpriv.reassign({plpy.quote_literal(owner)}, new_owner).",
        )
    raise Refusal(
        "42501",
        f'{subject} is not read for role "{row["role"]}"',
        detail=f'It belongs to role "{owner}". What that role has named is read for it and its '
        "members; for superusers and auditors only if it is one, too.",
        hint=f"SET ROLE {plpy.quote_ident(owner)}; or connect as that role, if you do not trust "
        f"it: its code can RESET ROLE.{way_out}",
    )


def owners_of(relation: Relation) -> tuple[str, str]:
    """Return who can put code into a relation, and who another relation in its place.

    These are its owner and that of its schema.
    """
    (row,) = run(
        "SELECT pg_get_userbyid(c.relowner)::text AS own, pg_get_userbyid(CASE n.nspowner "
        "WHEN 'pg_database_owner'::regrole THEN d.datdba ELSE n.nspowner END)::text AS above "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "JOIN pg_database AS d ON d.datname = current_database() WHERE c.oid = $1",
        ["oid"],
        [relation.oid],
    )
    return row["own"], row["above"]


def in_charge(
    relation: Relation, trusted: Sequence[str], with_schema: Sequence[str] = ()
) -> list[str]:
    """Return which of the owners of a relation and of its schema are not trusted.

    Trusted are the caller, superusers and the named roles; some with the schema alone.
    """
    own, above = owners_of(relation)
    asked = {own} - {*trusted} | {above} - {*trusted, *with_schema}
    rows = run(
        "SELECT rolname::text AS role FROM pg_roles WHERE rolname = ANY ($1) "
        "AND NOT rolsuper AND rolname <> current_user ORDER BY 1",
        ["text[]"],
        [sorted(asked)],
    )
    return [row["role"] for row in rows]


def unreadable(relation: Relation, names: tuple[str, ...]) -> list[str]:
    """Return which of the named columns of a relation the caller may not read."""
    rows = run(
        "SELECT a.attname::text AS name FROM pg_attribute a WHERE a.attrelid = $1 "
        "AND a.attname::text = ANY ($2) AND NOT has_column_privilege($1, a.attnum, 'SELECT') "
        "ORDER BY a.attnum",
        ["oid", "text[]"],
        [relation.oid, list(names)],
    )
    return [row["name"] for row in rows]


def check_readable(relation: Relation, names: tuple[str, ...]) -> None:
    """Refuse a relation of which the caller may not read the named columns."""
    hidden = unreadable(relation, names)
    if hidden:
        role = str(run("SELECT current_user::text AS role")[0]["role"])
        listed = ", ".join(map(plpy.quote_ident, hidden))
        raise Refusal(
            "42501",
            f'permission denied for table "{relation.schema}"."{relation.name}"',
            detail=f'Role "{role}" may not read {", ".join(hidden)}.',
            hint=f"GRANT SELECT ({listed}) ON {relation} TO {plpy.quote_ident(role)}.",
        )


def tell_hidden_rows(relation: Relation, what: str) -> None:
    """Say that row-level security decides which rows of a relation the caller sees, if it does.

    Args:
        what: Subject of the message, such as "dataset".
    """
    if not _filtered(relation):
        return
    role = str(run("SELECT current_user::text AS role")[0]["role"])
    notices.notice(
        f'row-level security of {relation} is active for role "{role}"',
        detail=f"{what} has only the rows that this role may see. Others are not counted, and "
        "nothing is known of them.",
        hint="To publish all rows, publish as the table's owner or a role with BYPASSRLS.",
    )


def _filtered(relation: Relation) -> bool:
    return bool(
        run(f"{_INVOKED} SELECT FROM seen WHERE row_security_active(oid)", ["oid"], [relation.oid])
    )


_INVOKED = (
    "WITH RECURSIVE seen AS (SELECT $1 AS oid UNION SELECT d.refobjid FROM seen "
    "JOIN pg_rewrite AS r ON r.ev_class = seen.oid AND r.ev_type = '1' "
    "JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid "
    "AND d.refclassid = 'pg_class'::regclass WHERE bkpriv_internal.invoked(seen.oid))"
)
"""SQL of a relation, and of what it reads with the rights of the caller."""


def filtered_for_others(relation: Relation, role: str) -> bool:
    """Whether the caller is not that role, and row-level security may show them other rows.

    A view with ``security_invoker`` reads with the rights of the caller, and is followed.
    """
    return bool(
        run(
            f"{_INVOKED} SELECT FROM seen, bkpriv_internal.written_tables(seen.oid) AS w "
            "JOIN pg_class AS c ON c.oid = w WHERE c.relrowsecurity AND current_user <> $2",
            ["oid", "text"],
            [relation.oid, role],
        )
    )


def old_snapshot() -> str | None:
    """Return the transaction's level of isolation, if it does not see what others commit."""
    level = str(run("SELECT current_setting('transaction_isolation') AS level")[0]["level"])
    return level if level in ("repeatable read", "serializable") else None


def find_distributed(oids: list[int]) -> set[int]:
    """Return which tables Citus distributes: their rows lie elsewhere, and are written there."""
    if run("SELECT to_regclass('pg_catalog.pg_dist_partition') AS found")[0]["found"] is None:
        return set()
    rows = run(
        "SELECT logicalrelid::oid AS oid FROM pg_catalog.pg_dist_partition "
        "WHERE logicalrelid = ANY ($1::regclass[])",
        ["oid[]"],
        [oids],
    )
    return {row["oid"] for row in rows}
