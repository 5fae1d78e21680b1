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
- A snapshot's list of transactions at work would make a sharper S, but names no subtransactions.
- Whatever rewrites or truncates a table or changes its columns locks readers out, and the count's
  own lock lasts until the transaction ends; so that cannot happen between count and look.
- Partitions and children may come and go. The rows of ``pg_inherits`` that say what belongs to the
  source must be older than S too: then all that belongs to it now did so when it was counted.
- Where row-level security picks the rows, rows may be seen or not; there is no proof either.
- Where the records of one period were counted, the same is true of the row versions of that period:
  the period of a row version does not change either. So writes to other periods are no hindrance.

Without a proof nothing is known: the source may have changed or not.
"""

from __future__ import annotations

import plpy

from bkpriv_pl.boundary import run
from bkpriv_pl.counts import Period
from bkpriv_pl.source import find_distributed

__all__ = ["oldest_at_work", "unwritten_since"]

_NUMBERS = 2**32
"""How many numbers of transactions there are before they come round."""


def oldest_at_work() -> int:
    """Return the oldest transaction that is at work; all with lower numbers have ended."""
    row = run("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest")[0]
    return int(row["oldest"])


def unwritten_since(
    schema: str, name: str, oldest: int, records: int, period: Period | None = None
) -> bool:
    """Prove that a relation holds the records of a count of it.

    Writers must be locked out of the relation and of its partitions and children, and the
    transaction must see what others have committed.

    Parameters
    ----------
    schema, name : str
        The relation.
    oldest : int
        The `oldest_at_work` before the count.
    records : int
        How many records were counted, in this transaction.
    period : Period, optional
        The period that they are of.

    Returns
    -------
    bool
        True if nothing was written since; False if that cannot be proved.
    """
    source = f"{plpy.quote_ident(schema)}.{plpy.quote_ident(name)}"
    if not _shows_writers(source, oldest):
        return False
    types, values, picked = ["text"], [str(oldest % _NUMBERS)], ""
    if period is not None:
        types, values = [*types, "text"], [*values, period.text]
        picked = f" WHERE {period.condition('s', '$2')}"
    row = run(
        "SELECT count(*) AS records, min(age(s.xmin)) > age($1::xid) AS older "
        f"FROM {source} AS s{picked}",
        types,
        values,
    )[0]
    return bool(row["older"]) and row["records"] == records


def _shows_writers(source: str, oldest: int) -> bool:
    """Whether the rows of a relation and of all that belongs to it tell truly who wrote them."""
    row = run(
        """
        WITH RECURSIVE family AS (
            SELECT $1::text::regclass::oid AS oid, NULL::xid AS attached
            UNION
            SELECT i.inhrelid, i.xmin FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
        )
        SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS newest,
            NOT row_security_active($1::text) AND has_table_privilege($1::text, 'SELECT')
            AND bool_and(
                (c.relkind = 'p' OR c.relkind = 'r' AND a.amname IS NOT DISTINCT FROM 'heap')
                AND coalesce(age(f.attached) > age($2::xid), true)
            ) AS plain,
            array_agg(c.oid) AS family
        FROM family f JOIN pg_class c ON c.oid = f.oid LEFT JOIN pg_am a ON a.oid = c.relam
        """,
        ["text", "text"],
        [source, str(oldest % _NUMBERS)],
    )[0]
    if not row["plain"] or int(row["newest"]) - oldest >= _NUMBERS // 2:
        return False
    # The rows of a table that Citus distributes have numbers of their own.
    return not find_distributed(row["family"])
