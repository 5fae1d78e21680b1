"""Samples: some records of a relation, by which its columns are judged whatever its size.

What is read, kept and sent is bounded:

- of tables and materialized views, records that are drawn from all of them, the same each time
  (``TABLESAMPLE ... REPEATABLE``), as many as the planner's estimate of the size gives, or the
  count, where Citus distributes them;
- of views and foreign tables, which have to be computed or fetched, of the first million records
  those whose number has a hash that is right.

Drawing record by record reads the whole table; drawing blocks reads these alone, and is as random
as records lie in them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plpy

from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.identification import classes
from bkpriv_pl.server.boundary import run, unpack_integers
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.source import Relation, find_distributed

__all__ = ["Sample", "as_text", "hashed", "read_classes"]

_RECORDS = 100_000
"""Largest number of records that are looked at."""

_VALUES = 8_000_000
"""Largest number of values that are looked at, 64 MB of hashes."""

_FIRST = 1_000_000
"""Records that are read at most of what has to be computed or fetched."""


@dataclass(frozen=True)
class Sample:
    """Records of a relation that are looked at."""

    source: str
    """SQL of them, as what a query reads, under the alias s."""
    most: int
    drawn: bool

    @classmethod
    def of(
        cls,
        relation: Relation,
        columns: Sequence[Column],
        drawing: Literal["BERNOULLI", "SYSTEM"] = "BERNOULLI",
    ) -> Sample:
        """All records of a relation, or a sample of them, bounded by how many columns it has.

        Args:
            drawing: Way in which a stored relation is sampled: record by record, or by blocks.
        """
        most = min(_RECORDS, _VALUES // len(columns))
        computed = not _can_be_sampled(relation)
        if find_distributed([relation.oid]):
            # Nodes count in parallel, and send a number each.
            (row,) = run(f"SELECT count(*) AS records FROM {relation}")
            size = float(row["records"])
        else:
            reach = _FIRST if computed else most + 1
            (row,) = run(
                f"SELECT count(*) AS records FROM (SELECT FROM {relation} LIMIT {reach}) AS x"
            )
            size = 0.0 if computed or row["records"] <= most else _estimated(relation)
        if row["records"] <= most:
            return cls(f"{relation} AS s", most, drawn=False)
        if computed:
            listed = ", ".join(plpy.quote_ident(column.name) for column in columns)
            bound = int(2**31 * most / row["records"])
            picked = (
                f"(SELECT {listed} FROM (SELECT {listed}, row_number() OVER () AS bkpriv_place "
                f"FROM {relation} LIMIT {_FIRST}) AS numbered "
                f"WHERE hashint8extended(bkpriv_place, 0) & 2147483647 < {bound}) AS s"
            )
            return cls(picked, most, drawn=True)
        share = 100.0 * most / max(size, most + 1)
        drawn = f"{relation} AS s TABLESAMPLE {drawing} ({share!r}) REPEATABLE (0)"
        return cls(drawn, most, drawn=True)


def _can_be_sampled(relation: Relation) -> bool:
    """Whether PostgreSQL can sample a relation: it, and all below it, are stored here."""
    (row,) = run(
        "WITH RECURSIVE family AS (SELECT $1::oid AS oid UNION "
        "SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid) "
        "SELECT bool_and(c.relkind IN ('r', 'p', 'm')) AS so "
        "FROM family f JOIN pg_class c ON c.oid = f.oid",
        ["oid"],
        [relation.oid],
    )
    return bool(row["so"])


def _estimated(relation: Relation) -> float:
    """Number of records that the planner expects."""
    (row,) = run(f"EXPLAIN (FORMAT JSON) SELECT FROM {relation}")
    plan = next(iter(row.values()))
    (stated,) = json.loads(plan) if isinstance(plan, str) else plan
    return float(stated["Plan"]["Plan Rows"])


def as_text(column: Column, value: str) -> str:
    """SQL of a text that tells the values of a column apart; `value` is the SQL of one."""
    # A number's scale is not part of its value.
    number = column.type_name == "numeric" or (column.bin is not None and column.bin.width)
    return f"trim_scale({value})::text" if number else f"({value})::text"


def hashed(text: str) -> str:
    """SQL of a hash of the SQL expression `text`, of 64 bits; two texts hardly ever share one."""
    return f'hashtextextended({text} COLLATE "C", 0)'


def read_classes(sample: Sample, texts: Sequence[str]) -> list[IntArray]:
    """Class of each record by each text, the SQL of one of a record under alias s; from 0 on."""
    places = range(len(texts))
    hashes = ", ".join(f"{hashed(text)} AS h{place}" for place, text in enumerate(texts))
    packed = ", ".join(
        f"string_agg(int8send(coalesce(h{place}, 0)), ''::bytea) AS h{place}" for place in places
    )
    (row,) = run(
        f"WITH g AS MATERIALIZED (SELECT {hashes} FROM {sample.source} LIMIT {sample.most}) "
        f"SELECT {packed} FROM g"
    )
    return [classes(unpack_integers(row[f"h{place}"], ">i8"))[0] for place in places]
