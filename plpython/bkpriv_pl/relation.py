"""Published relations: the view, or materialized view, that shows a release.

A published view is recognised by what it reads: a table of the schema ``bkpriv_release``. A view
that reads anything else is somebody else's and is left alone, whatever its name.
"""

from __future__ import annotations

from dataclasses import dataclass

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_pl.boundary import Refusal, run

__all__ = ["ShownView", "View", "find_view", "parse_view_name", "put_view"]

_NAME_BYTES = 63


@dataclass(frozen=True)
class View:
    """Schema and name of a view."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{plpy.quote_ident(self.schema)}.{plpy.quote_ident(self.name)}"


@dataclass(frozen=True)
class ShownView:
    """A published view as it stands.

    Parameters
    ----------
    view : View
        Its name.
    materialized : bool
        Whether it is a materialized view.
    release : int
        The release that it shows.
    columns : tuple of (str, str)
        Names and types of its columns.
    """

    view: View
    materialized: bool
    release: int
    columns: tuple[tuple[str, str], ...]

    def drop(self) -> None:
        """Drop it; refused by PostgreSQL where other objects depend on it."""
        run(f"DROP {'MATERIALIZED ' if self.materialized else ''}VIEW {self.view}")


def parse_view_name(text: str, default_schema: str | None) -> View:
    """Read a view name, quoted and qualified as in SQL, and check that it may be created.

    Raises
    ------
    InvalidParameter
        If it is no identifier, or too long.
    Refusal
        If the schema does not exist or the caller may not create in it.
    """
    hint = 'Write it as in SQL: name, schema.name, or "Quoted Name".'
    try:
        parts = run("SELECT parse_ident($1) AS parts", ["text"], [text])[0]["parts"]
    except plpy.spiexceptions.InvalidParameterValue:
        raise InvalidParameter(
            f"the view name {text!r} is not an identifier",
            detail="It has to be one or two SQL identifiers.",
            hint=hint,
        ) from None
    if len(parts) > 2:
        raise InvalidParameter(
            f"the view name {text!r} has more than two parts",
            detail=f"The parts are {parts}.",
            hint=hint,
        )
    if len(parts) == 1 and default_schema is None:
        raise Refusal(
            "3F000",
            f"no schema has been selected to create view {text} in",
            detail="The caller's search_path has no schema that exists.",
            hint="Qualify the view's name, or set search_path to a schema that exists.",
        )
    schema, name = (default_schema, *parts)[-2:]
    assert schema is not None
    for part in (schema, name):
        if len(part.encode()) > _NAME_BYTES:
            raise InvalidParameter(
                f"the identifier {part!r} is too long",
                detail=f"It has {len(part.encode())} bytes; PostgreSQL keeps {_NAME_BYTES}.",
                hint="Choose a shorter view name.",
            )
    _check_schema(schema)
    return View(schema, name)


def _check_schema(schema: str) -> None:
    rows = run(
        "SELECT current_user::text AS role, has_schema_privilege(oid, 'CREATE') AS may "
        "FROM pg_namespace WHERE nspname = $1",
        ["text"],
        [schema],
    )
    if not rows:
        raise Refusal(
            "3F000",
            f'schema "{schema}" does not exist',
            detail="The view cannot be created.",
            hint="Create it, or name another.",
        )
    if not rows[0]["may"] or schema in ("bkpriv", "bkpriv_release"):
        raise Refusal(
            "42501",
            f'permission denied to create a view in schema "{schema}"',
            detail=f'The role is "{rows[0]["role"]}".',
            hint=f"Name another schema, or GRANT CREATE ON SCHEMA {plpy.quote_ident(schema)} "
            f"TO {plpy.quote_ident(rows[0]['role'])}.",
        )


def find_view(view: View, dataset: str, withdrawing: int | None = None) -> ShownView | None:
    """Find what stands under a view's name; None if nothing does.

    Parameters
    ----------
    view : View
        The name.
    dataset : str
        The dataset whose release it must show.
    withdrawing : int, optional
        A release being withdrawn: then anything that does not show it is none of ours.

    Raises
    ------
    Refusal
        If a relation of that name is not a published view of the dataset's.
    """
    rows = run(
        "SELECT c.oid::int8 AS oid, c.relkind::text AS kind, r.release, r.dataset "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "LEFT JOIN pg_rewrite w ON w.ev_class = c.oid "
        "LEFT JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid "
        "AND d.refclassid = 'pg_class'::regclass AND d.refobjid IN (SELECT t.oid FROM pg_class t "
        "WHERE t.relnamespace = 'bkpriv_release'::regnamespace) "
        "LEFT JOIN pg_class s ON s.oid = d.refobjid "
        "LEFT JOIN bkpriv.release r ON bkpriv._release_table(r.release) = s.relname "
        "WHERE n.nspname = $1 AND c.relname = $2 ORDER BY r.release NULLS LAST LIMIT 1",
        ["text", "text"],
        [view.schema, view.name],
    )
    if not rows:
        return None
    row = rows[0]
    if row["release"] is None or row["dataset"] != dataset:
        if withdrawing is not None:
            return None
        detail = "It is not a view published from this dataset."
        if row["dataset"] is not None:
            detail = f'It shows release {row["release"]} of dataset "{row["dataset"]}".'
        raise Refusal(
            "42P07",
            f"relation {view} already exists",
            detail=detail,
            hint="Choose another view name, or drop or withdraw what stands there.",
        )
    columns = run(
        "SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute "
        "WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        ["int8"],
        [row["oid"]],
    )
    return ShownView(
        view,
        row["kind"] == "m",
        row["release"],
        tuple((column["name"], column["type"]) for column in columns),
    )


def put_view(
    view: View,
    release: int,
    columns: tuple[tuple[str, str], ...],
    materialized: bool,
    previous: ShownView | None,
) -> None:
    """Show a release under a view's name, in place of what it showed before.

    A plain view of the same columns is replaced, and what depends on it stays; otherwise it is made
    anew with the privileges and the comment of the former.
    """
    names = ", ".join(plpy.quote_ident(name) for name, _ in columns)
    table = run("SELECT bkpriv._release_table($1) AS name", ["bigint"], [release])[0]["name"]
    body = f"AS SELECT {names} FROM bkpriv_release.{plpy.quote_ident(table)}"
    kept: list[str] = []
    replaced = (
        previous is not None
        and not materialized
        and not previous.materialized
        and previous.columns == columns
    )
    if previous is not None and not replaced:
        kept = _privileges(view, materialized)
        previous.drop()
    if materialized:
        run(f"CREATE MATERIALIZED VIEW {view} {body}")
    else:
        run(f"CREATE {'OR REPLACE ' if replaced else ''}VIEW {view} WITH (security_barrier) {body}")
    for statement in kept:
        run(statement)


def _privileges(view: View, materialized: bool) -> list[str]:
    """Statements that give a view made anew the privileges and comment of the present one."""
    rows = run(
        "SELECT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(g.rolname) END AS grantee, "
        "x.privilege_type AS privilege, x.is_grantable AS grantable, "
        "obj_description(c.oid, 'pg_class') AS comment "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "LEFT JOIN LATERAL aclexplode(c.relacl) AS x ON x.grantee <> c.relowner "
        "LEFT JOIN pg_roles g ON g.oid = x.grantee WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text"],
        [view.schema, view.name],
    )
    statements = [
        f"GRANT {row['privilege']} ON {view} TO {row['grantee']}"
        f"{' WITH GRANT OPTION' if row['grantable'] else ''}"
        for row in rows
        if row["privilege"] is not None
    ]
    if rows and rows[0]["comment"] is not None:
        kind = "MATERIALIZED VIEW" if materialized else "VIEW"
        comment = plpy.quote_literal(rows[0]["comment"])
        statements.append(f"COMMENT ON {kind} {view} IS {comment}")
    return statements
