"""Staleness: having tables watched, so that it is known when releases made from them are stale.

A table is watched by one statement trigger, which serves all datasets. Its argument is a random
token that says nothing and is bound to the table; releases keep the tokens of what they were made
from. Watching is up to the table's owner: a trigger runs code with the rights of whoever writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plpy

from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.memory import lifted
from bkpriv_pl.server.pinned import acting
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.source import SOURCES, Relation, find_distributed, open_relation

__all__ = ["unwatch", "watch", "watch_own"]

_TRIGGER = "bkpriv_watch"

_UNWATCHABLE = (
    "Views, foreign and unlogged tables and what Citus distributes cannot be watched, and stay "
    "unknown; bkpriv.recount compares a release with its source. Where a view reads tables that "
    "can be, publish from one of these."
)


@dataclass(frozen=True)
class _Member:
    """A table that a write to a source may name."""

    oid: int
    name: str
    kind: str
    owner: str
    """Identity of the table; the name as in SQL."""
    owned: bool
    """Whether the caller may put triggers on it."""
    watched: bool
    unlogged: bool
    distributed: bool

    @property
    def watchable(self) -> bool:
        """Whether a trigger on it fires whenever it changes."""
        return self.kind in "rp" and not self.distributed and not self.unlogged

    @property
    def hindrance(self) -> str | None:
        """Reason why it is not watched and the caller cannot have it watched, if there is one."""
        if self.kind not in "rp":
            return f"{self.name} is a {SOURCES.get(self.kind, 'relation')}"
        if self.distributed:
            return f"{self.name} is distributed, and written elsewhere"
        if self.unlogged:
            return f"{self.name} is unlogged, so that a crash empties it"
        return None if self.watched or self.owned else f"{self.name} belongs to role {self.owner}"


def _family(source: Relation) -> list[_Member]:
    """The source, its partitions and children, and the parents of all these."""
    rows = run(
        "SELECT w AS oid, w::regclass::text AS name, c.relkind::text AS kind, "
        "quote_ident(r.rolname) AS owner, pg_has_role(c.relowner, 'USAGE') AS owned, "
        "bkpriv_internal.watch_token(w) IS NOT NULL AS watched, "
        "c.relpersistence = 'u' AS unlogged "
        "FROM bkpriv_internal.written_tables($1) AS w JOIN pg_class c ON c.oid = w "
        "JOIN pg_roles r ON r.oid = c.relowner ORDER BY w <> $1, 1",
        ["oid"],
        [source.oid],
    )
    distributed = find_distributed([row["oid"] for row in rows])
    return [_Member(**row, distributed=row["oid"] in distributed) for row in rows]


@entry(Access.NAMED)
def watch(source: str | None) -> None:
    """See ``bkpriv.watch``."""
    relation = open_relation(require(source, "source"))
    for member in _family(relation):
        hindrance = member.hindrance
        if hindrance is not None:
            raise Refusal(
                "42501" if member.watchable else "42809",
                f"{relation} cannot be watched",
                detail=f"{hindrance}.",
                hint=f"Ask that role to call bkpriv.watch('{relation}')."
                if member.watchable
                else _UNWATCHABLE,
            )
    failed = _put_triggers(relation)
    if failed is not None:
        raise Refusal(
            "0A000",
            f"{relation} cannot be watched",
            detail=failed,
            hint="Whether releases made from it are stale stays unknown.",
        )


def _hindered(family: Sequence[_Member]) -> str | None:
    """Reason why a source is not watched, if the caller may not watch all of its tables."""
    hindrances = [member.hindrance for member in family if member.hindrance is not None]
    return f"The source is not watched: {'; '.join(hindrances)}." if hindrances else None


def watch_own(source: Relation, dataset: str) -> None:
    """Have a source that is being registered watched if the caller may; else say why not."""
    family = _family(source)
    reason = _hindered(family)
    hint = f"The owner of a table has it watched by bkpriv.watch('{source}')."
    if reason is None:
        reason = _put_triggers(source)
        hint = _UNWATCHABLE
    elif not all(member.watchable for member in family):
        hint = _UNWATCHABLE
    if reason is not None:
        notices.notice(
            f'whether releases of dataset "{dataset}" are stale will be unknown',
            detail=reason,
            hint=hint,
        )


def _put_triggers(source: Relation) -> str | None:
    """Put triggers on the tables that lack them; what PostgreSQL said if it refuses."""
    try:
        with lifted(), plpy.subtransaction():
            for member in _family(source):
                if not member.watched:
                    _put_trigger(member)
                    bind = "SELECT bkpriv_internal.register_watch($1, $2)"
                    write(bind, ["oid", "oid"], [member.oid, acting()])
    except (
        plpy.spiexceptions.FeatureNotSupported,
        plpy.spiexceptions.InsufficientPrivilege,
        plpy.spiexceptions.InternalError,  # of an extension that distributes the table
    ) as error:
        return f"PostgreSQL refuses its trigger: {error.args[0]}."
    return None


def _put_trigger(member: _Member) -> None:
    """Put the trigger of a watch on a table, with a new token."""
    (row,) = run("SELECT gen_random_uuid()::text AS token")
    run(
        f"CREATE OR REPLACE TRIGGER {_TRIGGER} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE "
        f"ON {member.name} FOR EACH STATEMENT "
        f"EXECUTE FUNCTION bkpriv_internal.mark_stale({plpy.quote_literal(row['token'])})"
    )
    # Also in sessions that replicate, which fire no ordinary triggers.
    run(f"ALTER TABLE {member.name} ENABLE ALWAYS TRIGGER {_TRIGGER}")


@entry(Access.NAMED)
def unwatch(source: str | None) -> None:
    """See ``bkpriv.unwatch``."""
    relation = open_relation(require(source, "source"))
    rows = run(
        "WITH RECURSIVE family AS (SELECT $1::oid AS oid UNION SELECT i.inhrelid "
        "FROM pg_inherits i JOIN family f ON i.inhparent = f.oid) "
        "SELECT c.oid::regclass::text AS name, r.rolname::text AS owner, "
        "pg_has_role(c.relowner, 'USAGE') AS owned "
        "FROM family f JOIN pg_class c USING (oid) JOIN pg_roles r ON r.oid = c.relowner "
        "JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = $2 ORDER BY 1",
        ["oid", "name"],
        [relation.oid, _TRIGGER],
    )
    if not rows:
        raise Refusal(
            "42704",
            f"{relation} is not watched",
            detail="Neither it nor a partition or child of it carries the trigger.",
            hint="bkpriv.watch begins a watch; there is nothing to end.",
        )
    for row in rows:
        if not row["owned"]:
            raise Refusal(
                "42501",
                f"must be owner of table {row['name']} to end its watch",
                detail=f'It belongs to role "{row["owner"]}".',
                hint="Ask that role.",
            )
    for row in rows:
        run(f"DROP TRIGGER {_TRIGGER} ON {row['name']}")
