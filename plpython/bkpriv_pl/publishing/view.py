"""Published relations: the views, or materialized views, that show the exhibits of a release.

Every release has its *records*; where these do not say all, a second view, the companion, shows the
*sensitive* values of groups, or how values were distorted by *randomization*. A published view is
recognised by what it reads: a table of the schema ``bkpriv_release``. A view that reads anything
else is somebody else's and is left alone, whatever its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import plpy

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.release.release import Exhibit
from bkpriv_pl.publishing.values import Shown
from bkpriv_pl.server.boundary import Refusal, run

__all__ = [
    "ShownView",
    "View",
    "check_name",
    "dependents",
    "find_view",
    "parse_view_name",
    "put_view",
    "split_view_name",
]

_NAME_BYTES = 63

_DEPENDENTS = 1000
"""Largest number of objects that are looked at for what depends on a view."""

_LISTED = 50
"""Largest number of dependent objects that are named."""

_COMMENT = "Published by bkpriv as release "
"""Beginning of the comments on views that publication wrote."""


@dataclass(frozen=True)
class View:
    """Schema and name of a view."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{plpy.quote_ident(self.schema)}.{plpy.quote_ident(self.name)}"

    def of(self, exhibit: Exhibit) -> View:
        """View that shows an exhibit of the release whose records this one shows."""
        return self if exhibit == "records" else View(self.schema, f"{self.name}_{exhibit}")


@dataclass(frozen=True)
class ShownView:
    """A published view as it stands."""

    view: View
    oid: int
    materialized: bool
    release: int
    columns: tuple[tuple[str, str], ...]

    def replaceable(self, columns: Sequence[Shown]) -> bool:
        """Whether a plain view of some columns can replace it, so that what depends on it stays."""
        return not self.materialized and self.columns == tuple(
            (item.name, item.type) for item in columns
        )

    def drop(self) -> None:
        """Drop it; refused where other objects depend on it."""
        _change(self.view, f"DROP {'MATERIALIZED ' if self.materialized else ''}VIEW {self.view}")


def parse_view_name(text: str, default_schema: str | None) -> View:
    """Read a view name, quoted and qualified as in SQL, and check that it may be created.

    Raises:
        InvalidParameter: If it is no identifier, or too long.
        Refusal: If the schema does not exist or the caller may not create in it.
    """
    parts = split_view_name(text)
    if len(parts) == 1 and default_schema is None:
        raise Refusal(
            "3F000",
            f"no schema has been selected to create view {text} in",
            detail="The caller's search_path has no schema that exists.",
            hint="Qualify the view's name, or set search_path to a schema that exists.",
        )
    schema, name = default_schema if len(parts) == 1 else parts[0], parts[-1]
    assert schema is not None
    for part in (schema, name):
        check_name(part)
    _check_schema(schema)
    return View(schema, name)


def split_view_name(text: str) -> list[str]:
    """Read the one or two identifiers of a view's name, quoted as in SQL.

    Raises:
        InvalidParameter: If there are none, or more.
    """
    hint = 'Write it as in SQL: name, schema.name, or "Quoted Name".'
    try:
        parts: list[str] = run("SELECT parse_ident($1) AS parts", ["text"], [text])[0]["parts"]
    except plpy.spiexceptions.InvalidParameterValue:
        raise InvalidParameter(
            f"the view name {as_json(text)} is not an identifier",
            detail="It has to be one or two SQL identifiers.",
            hint=hint,
        ) from None
    if len(parts) > 2:
        raise InvalidParameter(
            f"the view name {as_json(text)} has more than two parts",
            detail=f"The parts are {as_json(parts)}.",
            hint=hint,
        )
    return parts


def check_name(name: str) -> None:
    """Refuse an identifier that PostgreSQL would cut short."""
    if len(name.encode()) > _NAME_BYTES:
        raise InvalidParameter(
            f"the identifier {as_json(name)} is too long",
            detail=f"It has {len(name.encode())} bytes; PostgreSQL keeps {_NAME_BYTES}.",
            hint="Choose a shorter view name.",
        )


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
    if schema.startswith("pg_") or schema in ("information_schema", "bkpriv", "bkpriv_release"):
        raise Refusal(
            "42501",
            f'permission denied to create a view in schema "{schema}"',
            detail="The schema belongs to PostgreSQL or to bkpriv.",
            hint="Name another schema.",
        )
    if not rows[0]["may"]:
        raise Refusal(
            "42501",
            f'permission denied to create a view in schema "{schema}"',
            detail=f'The role is "{rows[0]["role"]}".',
            hint=f"Name another schema, or GRANT CREATE ON SCHEMA {plpy.quote_ident(schema)} "
            f"TO {plpy.quote_ident(rows[0]['role'])}.",
        )


def find_view(
    view: View, exhibit: Exhibit, dataset: str, owner: str, *, only: int | None = None
) -> ShownView | None:
    """Find what stands under a view's name; None if nothing does.

    Args:
        exhibit: Exhibit of a release that it must show.
        dataset, owner: The dataset whose release it must show, and whose that is: releases outlive
            datasets, whose names may then be taken by others.
        only: The one release looked for: then anything that does not show it is none of ours.

    Raises:
        Refusal: If a relation of that name is not a published view of the dataset's, or belongs to
            a role that may not read the release: anybody may name its table in a view.
    """
    rows = run(
        "SELECT c.oid::int8 AS oid, c.relkind::text AS kind, r.release, r.dataset, r.owner, part, "
        "pg_get_userbyid(c.relowner)::text AS role, "
        "has_table_privilege(c.relowner, s.oid, 'SELECT') AS readable "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        # What its rule reads, besides itself: a published view reads one release and nothing else.
        "LEFT JOIN LATERAL (SELECT min(d.refobjid) AS oid FROM pg_rewrite w "
        "JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid "
        "AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid "
        "WHERE w.ev_class = c.oid AND c.relkind IN ('v', 'm') "
        "HAVING count(DISTINCT d.refobjid) = 1) AS read ON true "
        "LEFT JOIN pg_class s ON s.oid = read.oid "
        "AND s.relnamespace = 'bkpriv_release'::regnamespace "
        "LEFT JOIN (bkpriv.release r CROSS JOIN unnest($3) AS part) "
        "ON s.relname = bkpriv_internal.release_table(r.release, part) "
        "WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text", "text[]"],
        [view.schema, view.name, list(get_args(Exhibit))],
    )
    if not rows:
        return None
    row = rows[0]
    current = row["release"]
    if only is not None and current != only:
        return None
    if current is None or (row["dataset"], row["owner"], row["part"]) != (dataset, owner, exhibit):
        if only is not None:
            return None
        detail = "It is not a view published from this dataset."
        if current is not None:
            detail = (
                f"It shows the {row['part']} part of release {current} of dataset "
                f'"{row["dataset"]}" of role "{row["owner"]}".'
            )
        raise Refusal(
            "42P07",
            f"relation {view} already exists",
            detail=detail,
            hint="Choose another view name, or drop or withdraw what stands there.",
        )
    if only is None and not row["readable"]:
        raise _of_another(view, row["role"])
    columns = run(
        "SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute "
        "WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        ["int8"],
        [row["oid"]],
    )
    return ShownView(
        view,
        row["oid"],
        row["kind"] == "m",
        row["release"],
        tuple((column["name"], column["type"]) for column in columns),
    )


def put_view(
    view: View,
    release: int,
    exhibit: Exhibit,
    columns: Sequence[Shown],
    about: str,
    materialized: bool,
    previous: ShownView | None,
) -> None:
    """Show an exhibit of a release under a view's name, in place of what it showed before.

    A plain view of the same columns is replaced, and what depends on it stays; otherwise it is made
    anew with the owner and the privileges of the former.

    Comments say what the columns and, in `about`, the rows are. They tell the number of the
    release, which whoever asks about it is asked for, and nothing else of how it was made. A
    comment on the view that somebody else wrote stays.
    """
    names = ", ".join(plpy.quote_ident(item.name) for item in columns)
    commented = _commented(view)
    table = run(
        "SELECT bkpriv_internal.release_table($1, $2) AS name",
        ["bigint", "text"],
        [release, exhibit],
    )[0]["name"]
    body = f"AS SELECT {names} FROM bkpriv_release.{plpy.quote_ident(table)}"
    kept: list[str] = []
    replaced = not materialized and previous is not None and previous.replaceable(columns)
    if previous is not None and not replaced:
        kept = _privileges(previous, materialized, [item.name for item in columns])
        previous.drop()
    _create(view, body, materialized, previous if replaced else None)
    if commented is None or commented.startswith(_COMMENT):
        commented = f"{_COMMENT}{release}. {about}"
    _comment(view, materialized, commented, columns)
    if previous is not None and not replaced:
        # Default privileges must not give back what was revoked from the former view.
        kept = [f"REVOKE ALL ON {view} FROM {name}" for name in _grantees(view)] + kept
    for statement in kept:
        run(statement)


def _create(view: View, body: str, materialized: bool, replaced: ShownView | None) -> None:
    """Create a view, or replace a plain one, which must be the one that was looked at."""
    if materialized:
        run(f"CREATE MATERIALIZED VIEW {view} {body}")
        return
    anew = "OR REPLACE " if replaced else ""
    _change(view, f"CREATE {anew}VIEW {view} WITH (security_barrier) {body}")
    if replaced and _identifier(view) != replaced.oid:
        raise _exchanged(view)


def _comment(view: View, materialized: bool, about: str, columns: Sequence[Shown]) -> None:
    """Comment on a view and on its columns."""
    run(f"COMMENT ON {_kind(materialized)} {view} IS {plpy.quote_literal(about)}")
    for item in columns:
        column = f"{view}.{plpy.quote_ident(item.name)}"
        run(f"COMMENT ON COLUMN {column} IS {plpy.quote_literal(item.says)}")


def dependents(view: int) -> list[str]:
    """Describe what depends on a view, directly or not, whoever may see it."""
    rows = run(
        # A view depends on another by its rule, anything on a view's row type by that.
        "WITH RECURSIVE reached(class, object) AS ("
        "SELECT 'pg_class'::regclass::oid, $1 UNION "
        "SELECT CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END, "
        "coalesce(w.ev_class, d.objid) FROM reached r "
        "JOIN pg_depend d ON d.refclassid = r.class AND d.refobjid = r.object "
        "LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid "
        "WHERE d.deptype = 'n' OR d.classid = 'pg_type'::regclass), "
        # Strangers decide how many there are.
        f"near AS MATERIALIZED (SELECT * FROM reached LIMIT {_DEPENDENTS}) "
        "SELECT pg_describe_object(class, object, 0) || coalesce(' of role ' "
        "|| quote_ident(pg_get_userbyid(coalesce(c.relowner, p.proowner))), '') AS dependent "
        "FROM near LEFT JOIN pg_class c ON class = 'pg_class'::regclass AND c.oid = object "
        "LEFT JOIN pg_proc p ON class = 'pg_proc'::regclass AND p.oid = object "
        "WHERE class <> 'pg_type'::regclass AND object <> $1 ORDER BY 1",
        ["oid"],
        [view],
    )
    described = [row["dependent"] for row in rows]
    if len(described) > _LISTED:
        return [*described[:_LISTED], f"{len(described) - _LISTED} others or more"]
    return described


def _identifier(view: View) -> int:
    """Identifier of a view that is there."""
    row = run(
        "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text"],
        [view.schema, view.name],
    )[0]
    return int(row["oid"])


def _change(view: View, statement: str) -> None:
    """Change or drop a view, which only its owner may, and only alone."""
    try:
        run(statement)
    except plpy.spiexceptions.DependentObjectsStillExist:
        raise Refusal(
            "2BP01",
            f"view {view} cannot be made anew, since other objects depend on it",
            detail=f"They are {', '.join(dependents(_identifier(view)))}.",
            hint="Publish the same columns in the same kind of view, choose another view name, or "
            "ask their owners to drop them.",
        ) from None
    except plpy.spiexceptions.InsufficientPrivilege:
        rows = run(
            "SELECT r.rolname::text AS owner, bkpriv_internal.owns(r.rolname::text) AS owned "
            "FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
            ["text", "text"],
            [view.schema, view.name],
        )
        if not rows or rows[0]["owned"]:
            raise  # It is about something else, such as the schema or a tablespace.
        raise _of_another(view, rows[0]["owner"]) from None


def _of_another(view: View, owner: str) -> Refusal:
    return Refusal(
        "42501",
        f"must be owner of view {view}",
        detail=f'It belongs to "{owner}".',
        hint=f"Members of an owning role share a view after ALTER VIEW {view} OWNER TO it.",
    )


def _kind(materialized: bool) -> str:
    return "MATERIALIZED VIEW" if materialized else "VIEW"


def _commented(view: View) -> str | None:
    """The comment on a view, if it is there and has one, as far as anybody would read it."""
    rows = run(
        "SELECT left(obj_description(c.oid, 'pg_class'), 100000) AS comment FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
        ["text", "text"],
        [view.schema, view.name],
    )
    return rows[0]["comment"] if rows else None


def _grantees(view: View) -> list[str]:
    """Roles other than the owner that have privileges on a view, quoted."""
    rows = run(
        "SELECT DISTINCT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(g.rolname) END "
        "AS grantee FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "CROSS JOIN LATERAL aclexplode(c.relacl) AS x LEFT JOIN pg_roles g ON g.oid = x.grantee "
        "WHERE n.nspname = $1 AND c.relname = $2 AND x.grantee <> c.relowner",
        ["text", "text"],
        [view.schema, view.name],
    )
    return [row["grantee"] for row in rows]


def _exchanged(view: View) -> Refusal:
    return Refusal(
        "40001",
        f"view {view} was exchanged during the publication",
        detail="The owner of its schema can put another view in its place.",
        hint="Publish again, in a schema whose owner you trust.",
    )


def _privileges(former: ShownView, materialized: bool, columns: list[str]) -> list[str]:
    """Statements that give a view made anew the owner and privileges of the former.

    That is by its identifier the one that was found. Of privileges on single columns, those on
    `columns`, which are all that the new one has.
    """
    view = former.view
    relation = "FROM pg_class c"
    where = "WHERE c.oid = $1::oid"
    granted = run(
        "SELECT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(g.rolname) END AS grantee, "
        "x.privilege_type AS privilege, x.is_grantable AS grantable, o.columns "
        f"{relation} CROSS JOIN LATERAL (SELECT c.relacl AS acl, '' AS columns UNION ALL "
        "SELECT a.attacl, format(' (%I)', a.attname) FROM pg_attribute a "
        "WHERE a.attrelid = c.oid AND a.attname = ANY ($2)) AS o "
        "CROSS JOIN LATERAL aclexplode(o.acl) AS x "
        f"LEFT JOIN pg_roles g ON g.oid = x.grantee {where} AND x.grantee <> c.relowner",
        ["int8", "text[]"],
        [former.oid, columns],
    )
    statements = [
        f"GRANT {row['privilege']}{row['columns']} ON {view} TO {row['grantee']}"
        f"{' WITH GRANT OPTION' if row['grantable'] else ''}"
        for row in granted
    ]
    owners = run(
        "SELECT quote_ident(r.rolname) AS owner, "
        f"r.rolname = current_user AS own {relation} JOIN pg_roles r ON r.oid = c.relowner {where}",
        ["int8"],
        [former.oid],
    )
    if not owners:
        raise _exchanged(view)
    if not owners[0]["own"]:
        statements.append(f"ALTER {_kind(materialized)} {view} OWNER TO {owners[0]['owner']}")
    return statements
