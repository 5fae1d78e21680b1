"""Sources: the relations that records, hierarchies and priors are read from."""

from __future__ import annotations

import plpy

from bkpriv_pl.boundary import Refusal, run

__all__ = ["SOURCES", "check_readable", "find_relation"]

SOURCES = {
    "r": "table",
    "p": "partitioned table",
    "f": "foreign table",
    "v": "view",
    "m": "materialized view",
}
"""What can be read from, by the kind of relation."""


def check_readable(schema: str, relation: str, names: tuple[str, ...]) -> None:
    """Refuse a relation of which the caller may not read the named columns."""
    rows = run(
        "SELECT has_schema_privilege(n.oid, 'USAGE') AS schema, current_user::text AS role, "
        "ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname::text = ANY ($3) AND NOT has_column_privilege(c.oid, a.attnum, 'SELECT') "
        "ORDER BY a.attnum) AS unreadable "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text", "text[]"],
        [schema, relation, list(names)],
    )
    row = rows[0]
    if not row["schema"]:
        raise Refusal(
            "42501",
            f'permission denied for schema "{schema}"',
            detail=f'Role "{row["role"]}" lacks USAGE.',
            hint=f"GRANT USAGE ON SCHEMA {plpy.quote_ident(schema)} "
            f"TO {plpy.quote_ident(row['role'])}.",
        )
    if row["unreadable"]:
        raise Refusal(
            "42501",
            f'permission denied for table "{schema}"."{relation}"',
            detail=f'Role "{row["role"]}" may not read {", ".join(row["unreadable"])}.',
            hint=f"GRANT SELECT ON {plpy.quote_ident(schema)}.{plpy.quote_ident(relation)} "
            f"TO {plpy.quote_ident(row['role'])}.",
        )


def find_relation(text: str) -> tuple[str, str]:
    """Schema and name of a regclass argument, which must be something to read records from.

    Raises
    ------
    Refusal
        If there is no such relation, it is of another kind, or its schema is out of reach.
    """
    try:
        rows = run(
            "SELECT n.nspname AS schema, c.relname AS name, c.relkind::text AS kind "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.oid = $1::text::regclass",
            ["text"],
            [text],
        )
    except plpy.spiexceptions.InsufficientPrivilege:
        raise Refusal(
            "42501",
            f"permission denied for the schema of {text}",
            detail=f'Role "{_current_role()}" lacks USAGE.',
            hint=f"GRANT USAGE on it TO {plpy.quote_ident(_current_role())}.",
        ) from None
    if not rows:
        raise Refusal(
            "42P01",
            f"relation {text} does not exist",
            detail="No relation has that identifier.",
            hint="Name a table, such as 'public.patients'.",
        )
    if rows[0]["kind"] not in SOURCES:
        raise Refusal(
            "42809",
            f"{text} is not something to read records from",
            detail="It is an index, a sequence or a type.",
            hint=f"Use a {', '.join(SOURCES.values())}.",
        )
    return rows[0]["schema"], rows[0]["name"]


def _current_role() -> str:
    return str(run("SELECT current_user::text AS role")[0]["role"])
