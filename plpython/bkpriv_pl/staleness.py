"""Staleness: having tables watched, so that it is known when releases made from them are stale.

A table is watched by one statement trigger, which serves all datasets. Its argument is a random
token that says nothing; releases keep the tokens of what they were made from. Watching is up to
the table's owner: a trigger runs code with the rights of whoever writes.
"""

from __future__ import annotations

from dataclasses import dataclass

import plpy

from bkpriv_pl.boundary import Refusal, entry, require, run
from bkpriv_pl.source import SOURCES, Relation, find_distributed, open_relation

__all__ = ["unwatch", "watch", "watch_own"]

_TRIGGER = "bkpriv_watch"


@dataclass(frozen=True)
class _Member:
    """A table that a write to a source may name."""

    oid: int
    name: str
    kind: str
    owner: str
    owned: bool
    watched: bool
    distributed: bool

    @property
    def watchable(self) -> bool:
        """Whether a trigger on it fires for all that is written."""
        return self.kind in "rp" and not self.distributed

    @property
    def hindrance(self) -> str | None:
        """Why it is not watched and the caller cannot have it watched, if so."""
        if self.kind not in "rp":
            return f"{self.name} is a {SOURCES.get(self.kind, 'relation')}"
        if self.distributed:
            return f"{self.name} is distributed, and written elsewhere"
        return None if self.watched or self.owned else f"{self.name} belongs to role {self.owner}"


def _family(source: Relation) -> list[_Member]:
    """The source, its partitions and children, and the parents of all these."""
    rows = run(
        "SELECT w AS oid, w::regclass::text AS name, c.relkind::text AS kind, "
        "quote_ident(r.rolname) AS owner, pg_has_role(c.relowner, 'USAGE') AS owned, "
        "bkpriv_internal.watch_token(w) IS NOT NULL AS watched "
        "FROM bkpriv_internal.written_tables($1) AS w JOIN pg_class c ON c.oid = w "
        "JOIN pg_roles r ON r.oid = c.relowner ORDER BY w <> $1, 1",
        ["oid"],
        [source.oid],
    )
    distributed = find_distributed([row["oid"] for row in rows])
    return [_Member(**row, distributed=row["oid"] in distributed) for row in rows]


@entry
def watch(source: str | None) -> None:
    """See ``bkpriv.watch``."""
    relation = open_relation(require(source, "source"))
    for member in _family(relation):
        if member.hindrance is not None:
            raise Refusal(
                "42501" if member.watchable else "42809",
                f"{relation} cannot be watched",
                detail=f"{member.hindrance}.",
                hint=f"Ask that role to call bkpriv.watch('{relation}')."
                if member.watchable
                else "Watch the tables that it reads, or publish from one of them; whether "
                "releases made from it are stale stays unknown.",
            )
    failed = _put_triggers(relation)
    if failed is not None:
        raise Refusal(
            "0A000",
            f"{relation} cannot be watched",
            detail=failed,
            hint="Whether releases made from it are stale stays unknown.",
        )


def watch_own(source: Relation, dataset: str) -> None:
    """Have a source that is being registered watched if the caller may; else say what is missing.

    Parameters
    ----------
    source : Relation
        The source.
    dataset : str
        The dataset, for the notice.
    """
    hindrances = [member.hindrance for member in _family(source) if member.hindrance is not None]
    reason = f"The source is not watched: {'; '.join(hindrances)}." if hindrances else None
    reason = reason or _put_triggers(source)
    if reason is not None:
        plpy.notice(
            f'whether releases of dataset "{dataset}" are stale will be unknown',
            detail=reason,
            hint=f"The owner of a table has it watched by bkpriv.watch('{source}').",
        )


def _put_triggers(source: Relation) -> str | None:
    """Put triggers on the tables that are not watched; what PostgreSQL said if it refuses."""
    try:
        with plpy.subtransaction():
            for member in _family(source):
                if member.watched:
                    continue
                (row,) = run("SELECT quote_literal(gen_random_uuid()) AS token")
                run(
                    f"CREATE OR REPLACE TRIGGER {_TRIGGER} "
                    f"AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {member.name} "
                    "FOR EACH STATEMENT "
                    f"EXECUTE FUNCTION bkpriv_internal.mark_stale({row['token']})"
                )
                # Also in sessions that replicate, which fire no ordinary triggers.
                run(f"ALTER TABLE {member.name} ENABLE ALWAYS TRIGGER {_TRIGGER}")
                run("SELECT bkpriv_internal.register_watch($1)", ["oid"], [member.oid])
    except (
        plpy.spiexceptions.FeatureNotSupported,
        plpy.spiexceptions.InsufficientPrivilege,
        plpy.spiexceptions.InternalError,  # of an extension that distributes the table
    ) as error:
        return f"PostgreSQL refuses its trigger: {error.args[0]}."
    return None


@entry
def unwatch(source: str | None) -> None:
    """See ``bkpriv.unwatch``."""
    relation = open_relation(require(source, "source"))
    rows = run(
        "WITH RECURSIVE family AS (SELECT $1::oid AS oid UNION SELECT i.inhrelid "
        "FROM pg_inherits i JOIN family f ON i.inhparent = f.oid) "
        "SELECT c.oid::regclass::text AS name, r.rolname::text AS owner, "
        "pg_has_role(c.relowner, 'USAGE') AS owned FROM family f JOIN pg_class c USING (oid) "
        "JOIN pg_roles r ON r.oid = c.relowner "
        "JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = $2 ORDER BY 1",
        ["oid", "text"],
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
