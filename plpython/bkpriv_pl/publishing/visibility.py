"""Visibility: a proof that nothing was written to a table while a release was made of it.

PostgreSQL never changes a row in place: whoever inserts or updates writes a row version, which
bears the number of the writing transaction, its ``xmin``. Let S be the oldest transaction that was
at work just before the source was counted, so that all transactions with lower numbers had ended.
Look at the source again, with writers locked out. If every row version that is visible now is older
than S, then its writer had committed before the count, and nobody has deleted it since; so the
count saw it. If there are also as many as were counted, then the count saw nothing else: what it
saw and what is there now are the same row versions, and row versions do not change.

- An update, or a deletion that is made good by an insertion, leaves a row version that is not older
  than S; a deletion alone leaves fewer. A subtransaction has a higher number than its transaction,
  a prepared transaction counts as at work, and a lock of a row (``xmax``) changes nothing.
- The number of a transaction has 64 bits, of which a row bears 32. A row's age is compared instead,
  which is right for all rows written since S as long as fewer than 2^31 numbers were given out
  since then. A frozen row whose number has come round may look young, never the reverse: then there
  is no proof.
- One transaction that is at work for long makes S old, wherever it writes, and all rows that were
  loaded since look young. So the source is looked at before the count, too, for who wrote its young
  rows, and which of these are on record as committed by then. The snapshot of the count is younger,
  so it shows all that such a writer left there, and no more will come: a row version of theirs that
  is visible at the end was counted. A subtransaction is on record as committed once its transaction
  is, not before; so nobody who is still at work, under whatever number, is among them. Half of a
  number, which is what a row bears, is completed from S; if the row is much older, the number is
  not its writer's, but the row was visible to the count all the same.
- A snapshot's list of transactions at work would make a sharper S, too, but names no
  subtransactions.
- Whatever rewrites or truncates a table or changes its columns locks readers out, and the count's
  own lock lasts until the transaction ends; so that cannot happen between count and look.
- Partitions and children may come and go. The rows of ``pg_inherits`` that say what belongs to the
  source must be as old, too: then all that belongs to it now did so when it was counted.
- Where row-level security picks the rows, rows may be seen or not; there is no proof either.
- Where the records of one period were counted, the same is true of the row versions of that period:
  the period of a row version does not change either. So writes to other periods are no hindrance.

Without a proof nothing is known: the source may have changed or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import plpy

from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.source import find_distributed

__all__ = ["Before", "look_before", "unwritten_since"]

_NUMBERS = 2**32
"""Number of transaction numbers before they come round."""

_WRITERS = 1000
"""Largest number of writers of young rows that are told apart; if there are more, none are."""

_FAMILY = """
WITH RECURSIVE family AS (
    SELECT $1::text::regclass::oid AS oid, NULL::xid AS attached
    UNION
    SELECT i.inhrelid, i.xmin FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
)
"""
"""SQL for a relation, its partitions and children, and who said that they belong to it."""


@dataclass(frozen=True)
class Before:
    """Snapshot of transactions just before a count."""

    oldest: int
    """Oldest transaction at work; all with lower numbers had ended."""
    ended: tuple[int, ...] = ()
    """Further transactions that had committed: the numbers that rows bear."""

    @property
    def sent(self) -> list[str | list[str]]:
        """Snapshot as parameters of SQL."""
        return [str(self.oldest % _NUMBERS), list(map(str, self.ended))]


def look_before(schema: str, name: str, period: Period | None = None) -> Before:
    """Look at a relation that this transaction is about to count.

    Its rows are looked at only while a transaction is at work that is older than this one.
    """
    row = run(
        "SELECT pg_snapshot_xmin(s)::text AS oldest, "
        "pg_snapshot_xmin(s) < pg_current_xact_id() AS disturbed FROM pg_current_snapshot() AS s"
    )[0]
    before = Before(int(row["oldest"]))
    source = _written(schema, name)
    if not row["disturbed"] or not _tells_writers(source):
        return before
    picked, types, values = _of_period(period, 3)
    young = run(
        f"{_FAMILY}, young AS (SELECT DISTINCT s.xmin AS writer FROM {source} AS s "
        f"WHERE age(s.xmin) <= age($2::xid) AND {picked} LIMIT {_WRITERS + 1}) "
        "SELECT writer::text FROM young UNION "
        "SELECT attached::text FROM family WHERE age(attached) <= age($2::xid)",
        ["text", "text", *types],
        [source, before.sent[0], *values],
    )
    if len(young) > _WRITERS:
        return before
    numbers = [before.oldest + (int(row["writer"]) - before.oldest) % _NUMBERS for row in young]
    ended = run(
        # Whoever asks for the state of what has not begun yet fails.
        "SELECT n::text AS number FROM unnest($1::text[]::xid8[]) AS n WHERE CASE "
        "WHEN n < pg_snapshot_xmax(pg_current_snapshot()) "
        "THEN pg_xact_status(n) = 'committed' END",
        ["text[]"],
        [list(map(str, numbers))],
    )
    return Before(before.oldest, tuple(int(row["number"]) % _NUMBERS for row in ended))


def unwritten_since(
    schema: str, name: str, before: Before, records: int, period: Period | None = None
) -> bool:
    """Prove that a relation holds the records of a count of it.

    Writers must be locked out of the relation and of its partitions and children, and the
    transaction must see what others have committed.

    Args:
        before: Result of `look_before` before the count.
        records: Number of records that were counted, in this transaction.

    Returns:
        True if nothing was written since; False if that cannot be proved.
    """
    source = _written(schema, name)
    if not _tells_writers(source) or not _same_family(source, before):
        return False
    picked, types, values = _of_period(period, 3)
    row = run(
        "SELECT count(*) AS records, "
        "bool_and(age(s.xmin) > age($1::xid) OR s.xmin = ANY ($2::xid[])) AS older "
        f"FROM {source} AS s WHERE {picked}",
        ["text", "text[]", *types],
        [*before.sent, *values],
    )[0]
    return bool(row["older"]) and row["records"] == records


def _written(schema: str, name: str) -> str:
    """A relation's name, as in SQL."""
    return f"{plpy.quote_ident(schema)}.{plpy.quote_ident(name)}"


def _of_period(period: Period | None, place: int) -> tuple[str, list[str], list[str]]:
    """SQL that picks the records `s` of a period, and its parameter, with the type."""
    if period is None:
        return "true", [], []
    return period.condition("s", f"${place}"), ["text"], [period.text]


def _tells_writers(source: str) -> bool:
    """Whether the rows of a relation and of all that belongs to it tell truly who wrote them."""
    row = run(
        f"""{_FAMILY}
        SELECT NOT row_security_active($1::text) AND has_table_privilege($1::text, 'SELECT')
            AND bool_and(
                c.relkind = 'p' OR c.relkind = 'r' AND a.amname IS NOT DISTINCT FROM 'heap'
            ) AS plain,
            array_agg(c.oid) AS family
        FROM family f JOIN pg_class c ON c.oid = f.oid LEFT JOIN pg_am a ON a.oid = c.relam
        """,
        ["text"],
        [source],
    )[0]
    # The rows of a table that Citus distributes have numbers of their own.
    return bool(row["plain"]) and not find_distributed(row["family"])


def _same_family(source: str, before: Before) -> bool:
    """Whether all that belongs to a relation did so before, and numbers can be compared."""
    row = run(
        f"""{_FAMILY}
        SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS newest, bool_and(
            coalesce(age(attached) > age($2::xid) OR attached = ANY ($3::xid[]), true)
        ) AS same FROM family
        """,
        ["text", "text", "text[]"],
        [source, *before.sent],
    )[0]
    return bool(row["same"]) and int(row["newest"]) - before.oldest < _NUMBERS // 2
