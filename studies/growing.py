"""A table that grows month by month, and three ways of publishing it again.

The study ``again`` and the benchmarks measure it. Each way has a dataset of its own, since a
dataset's releases are one history; all are of one table.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from psycopg import sql

from bkpriv_client.declaration import call, declare_source
from bkpriv_client.loading import TableName, copy_rows, load_source
from bkpriv_client.server import Connection
from bkpriv_client.source import Column, Source

__all__ = ["CERTIFY", "GROW", "NAIVE", "WAYS", "GrowingTable", "Way", "numbered"]

_NUMBER = "number"
"""Column that tells people apart."""


@dataclass(frozen=True)
class Way:
    """A way of publishing a table again."""

    name: str
    overlap: str
    """Treatment of earlier releases by its policy."""
    grow: bool = False
    """Whether every release but the first grows from the one before."""


NAIVE = Way("naive", "warn")
"""Every release by itself."""

GROW = Way("grow", "certify", grow=True)
"""The last release's groups stay, and newcomers are grouped among themselves; so little is left to
certify together."""

CERTIFY = Way("certify", "certify")
"""The whole table is grouped anew, and keeps the policy together with all earlier releases."""

WAYS = (NAIVE, GROW, CERTIFY)


def numbered(source: Source, seed: int, records: int | None = None, first: int = 1) -> Source:
    """Have the people of a source, or some of them, come in a random order, numbered from one on.

    Args:
        records: Number of people who come; all by default.
    """
    count = source.records if records is None else records
    order = random.Random(seed).sample(range(source.records), count)
    columns = {
        name: Column(column.type, [column.values[place] for place in order])
        for name, column in source.columns.items()
    }
    numbers = Column("integer", range(first, first + count))
    return replace(source, columns={_NUMBER: numbers, **columns}, serial=(_NUMBER,))


class GrowingTable:
    """The table of a source, which as many people join every month.

    It is created without any.

    Args:
        source: People who come, in order: see `numbered`.
    """

    def __init__(self, connection: Connection, schema: str, source: Source, months: int) -> None:
        nobody = {name: Column(column.type, ()) for name, column in source.columns.items()}
        load_source(connection, schema, replace(source, columns=nobody))
        self.connection = connection
        self.schema = schema
        self.source = source
        self.months = months
        self._coming = source.rows()

    def admit(self, month: int) -> int:
        """Have the newcomers of a month, from 1, join; return how many people there are then."""
        before, after = (self.source.records * m // self.months for m in (month - 1, month))
        table = TableName(self.schema, self.source.name)
        newcomers = islice(self._coming, after - before)
        copy_rows(self.connection, table, self.source.columns, newcomers)
        return after

    def declaration(self, way: Way, requirements: Mapping[str, Any]) -> Sequence[sql.Composed]:
        """Statements that declare the table, and what its releases must keep, to go one way."""
        name = self.dataset(way)
        policy = json.dumps({**requirements, "overlap": way.overlap})
        return [
            *declare_source(self.connection, name, self.schema, self.source),
            call("set_policy", name, policy),
        ]

    def publication(self, way: Way, month: int) -> sql.Composed:
        """Statement that publishes it as the view of a way."""
        name = self.dataset(way)
        view = TableName(self.schema, f"{self.source.name}_{way.name}").written(self.connection)
        grow = {"options": json.dumps({"grow": True})} if way.grow and month > 1 else {}
        return call("publish", name, name, view, **grow)

    def dataset(self, way: Way) -> str:
        """Name of the dataset of a way, and of its policy."""
        return f"{self.schema}_{self.source.name}_{way.name}"
