"""Staleness: having tables watched, so that it is known when releases made from them are stale.

A table is watched by one statement trigger, which serves all datasets. Its argument is a random
token that says nothing and is bound to the table; releases keep the tokens of what they were made
from. Watching is up to the table's owner: a trigger runs code with the rights of whoever writes.

A table that holds several periods may be watched by period. It then has a trigger for each event,
which all have the one token, and the name of the column but for that of TRUNCATE. A watch becomes
one by period under the token that it had: what PostgreSQL locks the table for, no write slips past.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.tables.source import SOURCES, Relation, find_distributed, open_relation

__all__ = ["unwatch", "watch", "watch_own"]

_TRIGGER = "bkpriv_watch"

_ROWS = {
    "insert": "NEW TABLE AS bkpriv_new",
    "update": "OLD TABLE AS bkpriv_old NEW TABLE AS bkpriv_new",
    "delete": "OLD TABLE AS bkpriv_old",
}
"""Rows that the trigger of an event sees, if the table is watched by period."""

_UNWATCHABLE = (
    "Views, foreign and unlogged tables and what Citus distributes cannot be watched, and stay "
    "unknown; bkpriv.recount compares a release with its source. Where a view reads tables that "
    "can be, publish from one of these."
)

_TRIGGERS = [_TRIGGER, *(f"{_TRIGGER}_{event}" for event in _ROWS)]


@dataclass(frozen=True)
class _Member:
    """A table that a write to a source may name.

    Parameters
    ----------
    oid, name, kind, owner
        Identity of the table; the name as in SQL.
    owned : bool
        Whether the caller may put triggers on it.
    token : str or None
        Token of its watch.
    columns : tuple of str
        Columns by which its triggers tell periods apart.
    told : bool
        Whether the column that is asked for can tell periods apart in it.
    unlogged : bool
        Whether a crash empties it.
    distributed : bool
        Whether Citus distributes it.
    """

    oid: int
    name: str
    kind: str
    owner: str
    owned: bool
    token: str | None
    columns: tuple[str, ...]
    told: bool
    unlogged: bool
    distributed: bool

    @property
    def watched(self) -> bool:
        """Whether it is watched."""
        return self.token is not None

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


def _family(source: Relation, period: str | None = None) -> list[_Member]:
    """The source, its partitions and children, and the parents of all these."""
    rows = run(
        "SELECT w AS oid, w::regclass::text AS name, c.relkind::text AS kind, "
        "quote_ident(r.rolname) AS owner, pg_has_role(c.relowner, 'USAGE') AS owned, "
        "bkpriv_internal.watch_token(w) AS token, ARRAY(SELECT DISTINCT t.period "
        "FROM bkpriv_internal.watch_triggers(w) AS t WHERE t.period IS NOT NULL) AS columns, "
        "bkpriv_internal.period_type(w, $2) IS NOT NULL AS told, "
        "c.relpersistence = 'u' AS unlogged "
        "FROM bkpriv_internal.written_tables($1) AS w JOIN pg_class c ON c.oid = w "
        "JOIN pg_roles r ON r.oid = c.relowner ORDER BY w <> $1, 1",
        ["oid", "text"],
        [source.oid, period],
    )
    distributed = find_distributed([row["oid"] for row in rows])
    return [
        _Member(**{**row, "columns": tuple(row["columns"])}, distributed=row["oid"] in distributed)
        for row in rows
    ]


@entry
def watch(source: str | None, period: str | None) -> None:
    """See ``bkpriv.watch``."""
    relation = open_relation(require(source, "source"))
    family = _family(relation, period)
    if period is not None and not family[0].told:
        raise InvalidParameter(
            f'{relation} cannot be watched by periods of column "{period}"',
            detail="It has no such column, or one whose texts do not tell its values apart for "
            "certain: only numbers, days and times, texts and the like do, of built-in types.",
            hint="Watch it without a column; then a write makes releases of all periods stale.",
        )
    for member in family:
        hindrance = member.hindrance
        if hindrance is None and _by_other(member, period) and not member.owned:
            hindrance = f"{member.name} belongs to role {member.owner}"
        if hindrance is not None:
            raise Refusal(
                "42501" if member.watchable else "42809",
                f"{relation} cannot be watched",
                detail=f"{hindrance}.",
                hint=f"Ask that role to call bkpriv.watch('{relation}')."
                if member.watchable
                else _UNWATCHABLE,
            )
    failed = _put_triggers(relation, period)
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


def _by_other(member: _Member, period: str | None) -> bool:
    """Whether a table, watched or not, is not watched by the column of periods, though it could."""
    return period is not None and member.told and member.columns != (period,)


def watch_own(source: Relation, dataset: str, period: str | None) -> None:
    """Have a source that is being registered watched if the caller may; else say what is missing.

    Parameters
    ----------
    dataset : str
        The dataset, for the notice.
    period : str or None
        Column that tells periods apart.
    """
    family = _family(source, period)
    # What other datasets are watched by is left to them, and what others own is theirs.
    others = [
        member
        for member in family
        if _by_other(member, period) and (member.columns or not member.owned)
    ]
    by_period = period is not None and family[0].told and not others
    reason = _hindered(family)
    hint = f"The owner of a table has it watched by bkpriv.watch('{source}')."
    if reason is None:
        reason = _put_triggers(source, period if by_period else None)
        hint = _UNWATCHABLE
    elif not all(member.watchable for member in family):
        hint = _UNWATCHABLE
    if reason is not None:
        telling.notice(
            f'whether releases of dataset "{dataset}" are stale will be unknown',
            detail=reason,
            hint=hint,
        )
    elif period is not None and not by_period:
        _tell_all_periods(source, dataset, period, others)


def _tell_all_periods(
    source: Relation, dataset: str, period: str, others: Sequence[_Member]
) -> None:
    """Say why a write to one period will make releases of all periods stale."""
    named = plpy.quote_literal(period)
    telling.notice(
        f'writes to any period will make releases of dataset "{dataset}" stale',
        detail=f"{', '.join(member.name for member in others)} is watched otherwise."
        if others
        else f'Texts of column "{period}" do not tell its values apart for certain.',
        hint=f"The owner of a table has it watched by bkpriv.watch('{source}', {named})."
        if others
        else "Numbers, days and times, texts and the like of built-in types do.",
    )


def _put_triggers(source: Relation, period: str | None) -> str | None:
    """Put triggers on the tables that lack them; what PostgreSQL said if it refuses."""
    try:
        with plpy.subtransaction():
            for member in _family(source, period):
                if member.watched and not _by_other(member, period):
                    continue
                token = member.token
                if token is None:
                    (row,) = run("SELECT gen_random_uuid()::text AS token")
                    token = row["token"]
                _put_trigger(member, plpy.quote_literal(token), period if member.told else None)
                run("SELECT bkpriv_internal.register_watch($1)", ["oid"], [member.oid])
    except (
        plpy.spiexceptions.FeatureNotSupported,
        plpy.spiexceptions.InsufficientPrivilege,
        plpy.spiexceptions.InternalError,  # of an extension that distributes the table
    ) as error:
        return f"PostgreSQL refuses its trigger: {error.args[0]}."
    return None


def _put_trigger(member: _Member, token: str, period: str | None) -> None:
    """Put the triggers of a watch on a table, so that all the time some watch all that is written.

    Parameters
    ----------
    member : _Member
        The table.
    token : str
        The token, as in SQL.
    period : str or None
        The column of periods.
    """
    made = {_TRIGGER: ("insert OR update OR delete OR truncate", "", token)}
    if period is not None:
        arguments = f"{token}, {plpy.quote_literal(period)}"
        made = {
            f"{_TRIGGER}_{event}": (event, f" REFERENCING {rows}", arguments)
            for event, rows in _ROWS.items()
        } | {_TRIGGER: ("truncate", "", token)}
    for name, (events, rows, arguments) in made.items():
        run(
            f"CREATE OR REPLACE TRIGGER {name} AFTER {events} ON {member.name}{rows} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale({arguments})"
        )
    # An alteration is looked at, and the watch must be complete by then.
    for name in made:
        # Also in sessions that replicate, which fire no ordinary triggers.
        run(f"ALTER TABLE {member.name} ENABLE ALWAYS TRIGGER {name}")
    # Left of a watch by period that was taken off in part. IF EXISTS would tell of what is not.
    for row in run(
        "SELECT tgname::text AS name FROM pg_trigger WHERE tgrelid = $1 AND tgname = ANY ($2)",
        ["oid", "name[]"],
        [member.oid, sorted({*_TRIGGERS} - {*made})],
    ):
        run(f"DROP TRIGGER {row['name']} ON {member.name}")


@entry
def unwatch(source: str | None) -> None:
    """See ``bkpriv.unwatch``."""
    relation = open_relation(require(source, "source"))
    rows = run(
        "WITH RECURSIVE family AS (SELECT $1::oid AS oid UNION SELECT i.inhrelid "
        "FROM pg_inherits i JOIN family f ON i.inhparent = f.oid) "
        "SELECT c.oid::regclass::text AS name, r.rolname::text AS owner, "
        "pg_has_role(c.relowner, 'USAGE') AS owned, t.tgname::text AS trigger "
        "FROM family f JOIN pg_class c USING (oid) JOIN pg_roles r ON r.oid = c.relowner "
        "JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = ANY ($2) ORDER BY 1, 4",
        ["oid", "name[]"],
        [relation.oid, _TRIGGERS],
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
        run(f"DROP TRIGGER {row['trigger']} ON {row['name']}")
