"""Sources: the relations that records, hierarchies and priors are read from.

A name is resolved once, to an object identifier that is locked: from then on the relation cannot be
renamed, moved or dropped, and what was checked of it holds. Only its schema can still be renamed,
by that schema's owner, so that the name leads to another relation. So a name that the caller did
not give himself, but that stands in a table, is followed only where the relation and its schema
belong to the caller or to a superuser: to read a relation can be to run its owner's code with the
reader's rights, such as the functions of a view, of a row-level policy, or of a plain table's
index, whose expressions the planner folds.
"""

from __future__ import annotations

from dataclasses import dataclass

import plpy

from bkpriv_pl.boundary import Refusal, run

__all__ = ["SOURCES", "Relation", "check_readable", "find_distributed", "open_relation"]

SOURCES = {
    "r": "table",
    "p": "partitioned table",
    "f": "foreign table",
    "v": "view",
    "m": "materialized view",
}
"""What can be read from, by the kind of relation."""

_ATTEMPTS = 10
"""How often a name is resolved anew that came to mean something else while it was being locked."""


@dataclass(frozen=True)
class Relation:
    """A relation that is locked against being renamed, moved or dropped.

    Parameters
    ----------
    oid : int
        Its identifier.
    schema, name : str
        Its name.
    kind : str
        A key of `SOURCES`.
    strangers : tuple of str
        Who could have code of theirs run by whoever reads it: the owners of it and of its schema,
        but for the caller and superusers.
    """

    oid: int
    schema: str
    name: str
    kind: str
    strangers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{plpy.quote_ident(self.schema)}.{plpy.quote_ident(self.name)}"


def open_relation(text: str) -> Relation:
    """Resolve a name, written as in SQL, to something to read records from, and lock it.

    The lock lasts as long as the transaction, and lets everybody read and write.

    Raises
    ------
    Refusal
        If there is no such relation, it is of another kind, or its schema is out of reach.
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
            plpy.prepare(f"SELECT FROM {relation}")
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
    """What a name means now."""
    try:
        rows = run(
            "SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name, "
            "c.relkind::text AS kind, "
            "ARRAY(SELECT DISTINCT rolname::text FROM pg_roles WHERE oid IN (r.oid, s.oid) "
            "AND NOT rolsuper AND rolname <> current_user ORDER BY 1) AS strangers "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "JOIN pg_roles r ON r.oid = c.relowner "
            # The schema public belongs to whoever owns the database.
            "JOIN pg_database d ON d.datname = current_database() "
            "JOIN pg_roles s ON s.oid = CASE n.nspowner WHEN 'pg_database_owner'::regrole "
            "THEN d.datdba ELSE n.nspowner END "
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
    return Relation(row["oid"], row["schema"], row["name"], row["kind"], tuple(row["strangers"]))


def _is_locked(oid: int) -> bool:
    rows = run(
        "SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
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


def check_readable(relation: Relation, names: tuple[str, ...]) -> None:
    """Refuse a relation of which the caller may not read the named columns."""
    row = run(
        "SELECT current_user::text AS role, "
        "ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = $1 "
        "AND a.attname::text = ANY ($2) AND NOT has_column_privilege($1, a.attnum, 'SELECT') "
        "ORDER BY a.attnum) AS unreadable",
        ["oid", "text[]"],
        [relation.oid, list(names)],
    )[0]
    if row["unreadable"]:
        raise Refusal(
            "42501",
            f'permission denied for table "{relation.schema}"."{relation.name}"',
            detail=f'Role "{row["role"]}" may not read {", ".join(row["unreadable"])}.',
            hint=f"GRANT SELECT ON {relation} TO {plpy.quote_ident(row['role'])}.",
        )


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
