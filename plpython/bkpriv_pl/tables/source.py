"""Sources: the relations that records, hierarchies and priors are read from.

A name is resolved once, to an object identifier that is locked: from then on the relation cannot be
renamed, moved or dropped, and what was checked of it holds. Only its schema can still be renamed,
by that schema's owner, so that the name leads to another relation.

To read a relation can be to run somebody's code with the reader's rights. So a name that stands in
a table, and was not given by the caller, is followed only if all such code belongs to the caller or
to superusers. Owners are looked up once the relation is locked, by functions that see what was
committed until then (``VOLATILE``), in a transaction that does. A caller who names a relation
trusts its owner, that of its schema, and the owners of what it visibly reads, also later on, but
nobody else who owns any of that by then. A column may be of somebody else's type, or a partition
may be theirs; they are not trusted there. See `bkpriv_pl.tables.strangers`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import plpy

from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import Refusal, entry, prepare, require, run
from bkpriv_pl.tables.column import as_written
from bkpriv_pl.tables.strangers import Stranger, find_strangers

__all__ = [
    "SOURCES",
    "Relation",
    "check_readable",
    "check_strangers",
    "filtered_for_others",
    "find_distributed",
    "old_snapshot",
    "open_named",
    "open_relation",
    "seen_in",
    "strangers",
    "tell_hidden_rows",
    "unreadable",
    "untrusted",
]

SOURCES = {
    "r": "table",
    "p": "partitioned table",
    "f": "foreign table",
    "v": "view",
    "m": "materialized view",
}
"""Descriptions of relations that can be read from, by their kind."""

_SHOWN = 8
"""Limit of the roles that an error lists."""

_ATTEMPTS = 10
"""Limit of how often a name is resolved anew that changed its meaning while being locked."""


@dataclass(frozen=True)
class Relation:
    """A relation that is locked against being renamed, moved or dropped.

    Parameters
    ----------
    oid : int
        Identifier of the relation.
    schema, name : str
        Name of the relation.
    kind : str
        A key of `SOURCES`.
    """

    oid: int
    schema: str
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{plpy.quote_ident(self.schema)}.{plpy.quote_ident(self.name)}"


def open_named(text: str) -> Relation:
    """Open a relation that the caller has named, to read it; see `check_strangers`."""
    relation = open_relation(text)
    check_strangers(relation, f"{relation}", "", named=True)
    return relation


def open_relation(text: str) -> Relation:
    """Resolve a name, written as in SQL, to something to read records from, and lock it.

    The lock lasts as long as the transaction, and lets everybody read and write. Before the
    relation is read, see `check_strangers`.

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


def check_strangers(
    relation: Relation,
    subject: str,
    hint: str,
    *,
    named: bool,
    known: Collection[str] | None = None,
    trusted: Collection[str] = (),
) -> None:
    """Refuse a relation by which strangers could have their code run with the caller's rights.

    Parameters
    ----------
    relation : Relation
        Relation that is to be read.
    subject : str
        Noun for the relation in errors.
    hint : str
        Remedy, if somebody else has named it.
    named : bool
        Whether the caller has named it, and so trusts the owners of it and of its schema, and whom
        it visibly reads.
    known : collection of str, optional
        Roles that the caller trusted when it was named, if that was before: a name may lead to what
        somebody else has put there since, and what it reads may have been given away. See
        `seen_in`.
    trusted : collection of str
        Further roles that the caller trusts.

    Raises
    ------
    Refusal
        If there are such strangers; or if the transaction may not see who they are, where somebody
        else has named it.
    """
    level = None if named else old_snapshot()
    if level is not None:
        raise Refusal(
            "25000",
            f"{subject} is not read in a {level} transaction",
            detail="The caller has not named it, and the transaction does not see whose code "
            "reading it runs by now.",
            hint="Use a READ COMMITTED transaction.",
        )
    found = untrusted(relation, named=named, known=known, trusted=trusted)
    if not found:
        return
    owned = "; ".join(map(str, found[:_SHOWN])) + ("; ..." if len(found) > _SHOWN else "")
    hints = [hint] if any(not stranger.hidden for stranger in found) else []
    hints += [_way_round(stranger, relation) for stranger in found if stranger.hidden][:1]
    raise Refusal(
        "42501",
        f"{subject} is up to {' and '.join(stranger.role for stranger in found)}",
        detail=f"Reading it may run code of theirs with the caller's rights: {owned}.",
        hint=" ".join(hints),
    )


def _way_round(stranger: Stranger, relation: Relation) -> str:
    """Remedy for a stranger who has a say that nobody sees."""
    if stranger.attribute is None:
        return (
            f"The owner of {stranger.place or relation} does not answer for its partitions, "
            "children, parents and statistics that others own. Let one role own them all, or read "
            "a copy."
        )
    shown = as_written(stranger.attribute)
    if stranger.place is None:
        return (
            f'Read it from a view that shows column "{stranger.attribute}" by {shown}, which calls '
            "no code of the type's owner, or ask a superuser to own the type."
        )
    return (
        f'Instead of {stranger.place}, use a view with column "{stranger.attribute}" as {shown}, '
        "or a type in which it is a text: neither calls code of the type's owner. Or ask a "
        "superuser to own the type."
    )


def untrusted(
    relation: Relation,
    *,
    named: bool,
    known: Collection[str] | None = None,
    trusted: Collection[str] = (),
) -> list[Stranger]:
    """Return strangers whose code reading a relation may run; see `check_strangers`."""
    return [
        stranger
        for stranger in find_strangers(relation.oid)
        if stranger.role not in trusted
        and (stranger.hidden or not named or (known is not None and stranger.role not in known))
    ]


def seen_in(relation: Relation) -> list[str]:
    """Return whom who names a relation trusts, but for themselves and superusers."""
    return sorted({each.role for each in find_strangers(relation.oid) if not each.hidden})


@entry
def strangers(source: str | None) -> list[tuple[str, str]]:
    """See ``bkpriv_internal.strangers``."""
    relation = open_relation(require(source, "source"))
    return [(each.role, str(each)) for each in find_strangers(relation.oid)]


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

    Parameters
    ----------
    what : str
        Subject of the message, such as "dataset".
    """
    if not _filtered(relation):
        return
    role = str(run("SELECT current_user::text AS role")[0]["role"])
    telling.notice(
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
