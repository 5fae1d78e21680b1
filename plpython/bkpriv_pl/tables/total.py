"""Totals: sums over all records of a source, by which shards tell that none of theirs changed.

Counting a table that Citus distributes brings its coordinator a row for each combination of values
of each shard. A total brings a number of each: the sum of the hashes of all records, wherever they
lie. Readings that have the same are the same, but for collisions of 64 bits. The hash is no
cryptographic one: its seed is drawn for each reading and kept with the sum, since who knows it
could write other records of the same sum.

The reverse need not hold, where a node writes values otherwise than another. So a total that is
another decides nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

import plpy

from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Column, Period
from bkpriv_pl.tables.source import Relation, find_distributed
from bkpriv_pl.tables.texts import written_one_way

__all__ = ["draw_seed", "read_total", "total_of"]

_SEED_BITS = 63


def draw_seed(source: Relation, columns: Iterable[Column]) -> int | None:
    """Draw the seed of a total; None where none is of use.

    Parameters
    ----------
    source : Relation
        Relation that is read. Others than distributed ones are counted where they lie.
    columns : iterable of Column
        Columns that are read. Equal values of theirs must have one text, which is hashed.
    """
    if find_distributed([source.oid]) and all(map(written_one_way, columns)):
        return secrets.randbits(_SEED_BITS)
    return None


def total_of(values: Iterable[str], seed: str, times: str = "") -> str:
    """SQL of a total, which has its seed before the sum.

    Parameters
    ----------
    values : iterable of str
        SQL of the values of a record.
    seed : str
        SQL of the seed.
    times : str
        SQL of a factor of each hash.
    """
    # Not of rows by `hash_record_extended`, which is linear in the hashes of their columns: its sum
    # does not tell who has which value.
    text = f'(ROW({", ".join(values)}))::text COLLATE "C"'
    return f"({seed} || ' ' || sum({times}hashtextextended({text}, {seed}))::text)"


def read_total(
    source: Relation, columns: Iterable[Column], period: Period | None, recorded: str
) -> str | None:
    """Read the total of a source, with the seed of one that was recorded."""
    types, values, picked = ["text"], [recorded.split(" ")[0]], ""
    if period is not None:
        types, values = [*types, "text"], [*values, period.text]
        # Records of no period count too: a reading would refuse them.
        unplaced = f"s.{plpy.quote_ident(period.column.name)} IS NULL"
        picked = f" WHERE {period.condition('s', '$2')} OR {unplaced}"
    total = total_of([column.expression("s") for column in columns], "$1::pg_catalog.int8")
    (row,) = run(f"SELECT {total} AS total FROM {source} AS s{picked}", types, values)
    read: str | None = row["total"]
    return read
