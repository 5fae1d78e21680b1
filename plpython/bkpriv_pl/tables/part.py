"""Parts of sources that are inspected.

A source is read once, as far as its first million records: enough to judge what its columns are
like, whatever its size. Of a table that Citus distributes, records would all have to come from its
nodes, as many from each, so that fewer are drawn from all of them there.
"""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.source import Relation, find_distributed

__all__ = ["Part"]

_INSPECTED = 1_000_000
"""Largest number of records that are read."""

_FETCHED = 200_000
"""Approximate number of records that are drawn of a table that lies elsewhere."""


@dataclass(frozen=True)
class Part:
    """The part of a source that is inspected."""

    source: str
    """SQL of it, under the alias s, as what a query reads."""
    most: int
    drawn: bool = False

    @classmethod
    def of(cls, source: Relation, most: int = _INSPECTED) -> Part:
        """The first so many records of a source, or a sample of what is distributed."""
        if not find_distributed([source.oid]):
            return cls(f"{source} AS s LIMIT {most}", most)
        fetched = min(most, _FETCHED)
        # Nodes count in parallel, and send a number each.
        (row,) = run(f"SELECT count(*) AS records FROM {source} AS s")
        sampled = row["records"] > fetched
        share = 100 * fetched / max(row["records"], 1)
        drawn = f" TABLESAMPLE BERNOULLI ({share!r}) REPEATABLE (0)" if sampled else ""
        # For the limit, Citus has records come, and does not group them by sets, which it cannot.
        return cls(f"{source} AS s{drawn} LIMIT {_INSPECTED}", _INSPECTED, drawn=sampled)

    def seen(self, inspected: int) -> str:
        """Note for a source of which not all records were read, but so many."""
        if self.drawn:
            return f" Seen were {inspected} records, drawn at random."
        return f" Seen were the first {self.most} records." if inspected >= self.most else ""
