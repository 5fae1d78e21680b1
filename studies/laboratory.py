"""A database of a study's own, and what the extension does and measures there.

Rules
-----
- The database lies beside the one that was given and is named after it. A comment marks it; one
  that an interrupted study left behind is replaced, any other of that name is left alone.
- Everything that is measured comes from the extension, by SQL.
- Groups are those of the papers, Mondrian's at medians, not refined.
- Equal publications and audits are made once, and figures share them. What is timed is made anew.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, TypeVar

from psycopg import sql
from psycopg.conninfo import make_conninfo

from bkpriv_client.declaration import declare_source
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import NAME_BYTES, load_source
from bkpriv_client.server import Connection, connect, open_session, scalar
from bkpriv_client.source import Column, Source
from bkpriv_client.terminal import Advance
from studies.blending import SMOOTHING

__all__ = ["Finding", "Laboratory", "Publication", "own_database", "paced"]

_SCHEMA = "study"

_RECORD = "record"
"""Column that numbers the records, from 1."""

_Item = TypeVar("_Item")


def paced(
    items: Iterable[_Item], advance: Advance, name: Callable[[_Item], str]
) -> Iterator[_Item]:
    """Iterate over measurements to be made, reporting how many are done and which is next."""
    waiting = list(items)
    for place, item in enumerate(waiting):
        advance(place / len(waiting), name(item))
        yield item


@contextmanager
def own_database(uri: str, suffix: str, mark: str) -> Iterator[Connection]:
    """Create a database with the extension, and drop it at the end, however that comes.

    Args:
        uri: A database of the same server, as a role that may create databases and the extension.
        suffix: Suffix that is added to that database's name.
        mark: Comment by which the database is known to be the study's own.

    Raises:
        ClientError: If a database of that name exists without the mark, or the name is too long.
        psycopg.errors.ObjectInUse: If a study is running in it.
    """
    with open_session(uri) as server:
        name = f"{server.info.dbname}_{suffix}"
        if len(name.encode()) > NAME_BYTES:
            raise ClientError(
                f'the name "{name}" of the study\'s database is too long',
                detail=f"A name has at most {NAME_BYTES} bytes.",
                hint="Connect to a database with a shorter name.",
            )
        identifier = sql.Identifier(name)
        comment = server.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s",
            [name],
        ).fetchone()
        if comment and comment[0] != mark:
            raise ClientError(
                f'the database "{name}" was not made by this command',
                detail="It is left as it is.",
                hint="Rename it, or connect to a database with another name.",
            )
        if comment:
            # Without FORCE: a study that is running there goes on.
            server.outside(sql.SQL("DROP DATABASE {}").format(identifier))
        server.outside(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(identifier))
        try:
            server.execute(
                sql.SQL("COMMENT ON DATABASE {} IS {}").format(identifier, sql.Literal(mark))
            )
            own = make_conninfo(uri, dbname=name)
            with open_session(own) as first:
                first.execute("CREATE EXTENSION bkpriv CASCADE")
            with connect(own) as connection:
                yield connection
        finally:
            server.outside(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))


@dataclass(frozen=True)
class Publication:
    """A release and what making it took."""

    release: int
    seconds: float
    """Time from the call of ``publish`` to its return."""
    suppressed: int
    groups: int
    """Records left out, and groups published."""


@dataclass(frozen=True)
class Finding:
    """Finding of an audit about one adversary."""

    bandwidth: float
    """The adversary's, for every quasi-identifier."""
    worst: float
    mean: float
    """Largest and average disclosure of published records, in bits."""
    vulnerable: int
    """Records above the threshold."""
    estimator_used: str


class Laboratory:
    """A source, loaded and declared in a database of the study's own.

    Args:
        connection: Connection to that database, which is empty but for the extension.
        source: The source; its records are numbered there in a column of their own.
        loaded: Told now and then how many records have been sent.
    """

    def __init__(
        self,
        connection: Connection,
        source: Source,
        loaded: Callable[[int], None] = lambda count: None,
    ) -> None:
        number = Column("integer", range(1, source.records + 1))
        self.connection = connection
        self.source = replace(source, columns={_RECORD: number, **source.columns})
        self.dataset = source.name
        self._publications: dict[str, Publication] = {}
        self._audits: dict[str, list[Finding]] = {}
        self._views = itertools.count(1)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_SCHEMA)))
        self._load(self.source, loaded)

    @property
    def schema(self) -> str:
        """Name of the study's schema."""
        return _SCHEMA

    @property
    def table(self) -> sql.Identifier:
        """The source's table; its column ``record`` numbers the records from 1."""
        return self.name(self.source.name)

    def name(self, thing: str) -> sql.Identifier:
        """Name for something in the study's schema."""
        return sql.Identifier(_SCHEMA, thing)

    def publish(self, requirements: Mapping[str, Any], estimator: str = "auto") -> Publication:
        """Publish the source under requirements, unless that has been done."""
        key = json.dumps([requirements, estimator], sort_keys=True)
        if key not in self._publications:
            self._publications[key] = self._publish(requirements, estimator)
        return self._publications[key]

    def time_publication(
        self, requirements: Mapping[str, Any], estimator: str, rounds: int
    ) -> float:
        """Median seconds of several publications, in a session that has published before."""
        self.publish(requirements, estimator)
        return median(self._publish(requirements, estimator).seconds for _ in range(rounds))

    def audit(
        self, release: int, adversaries: Sequence[float], t: float, estimator: str
    ) -> list[Finding]:
        """Measure what a release discloses to adversaries of given bandwidths."""
        skyline = [{"bandwidth": known, "t": t, "smoothing": SMOOTHING} for known in adversaries]
        policy = {"bt_privacy": skyline}
        key = json.dumps([release, policy, estimator])
        if key not in self._audits:
            rows = self.connection.execute(
                "SELECT parameters -> 'bandwidth', worst, mean, vulnerable, estimator_used"
                " FROM bkpriv.audit(%s, %s, %s)",
                [release, json.dumps(policy), estimator],
            )
            self._audits[key] = [Finding(*row) for row in rows]
        return self._audits[key]

    def utility(self, release: int) -> dict[str, float]:
        """Utility of a release, by metric."""
        rows = self.connection.execute(
            "SELECT metric, value FROM bkpriv.utility(%s)", [release]
        ).fetchall()
        return dict(rows)

    def sample(self, records: int, seed: int) -> str:
        """Load a random part of the records as a dataset of its own; return its name.

        Samples with one seed hold one another.
        """
        order = random.Random(seed).sample(range(self.source.records), self.source.records)
        chosen = sorted(order[:records])
        part = replace(
            self.source,
            name=f"sample_{records}",
            columns={
                name: Column(column.type, [column.values[place] for place in chosen])
                for name, column in self.source.columns.items()
            },
        )
        self._load(part)
        return part.name

    def _load(self, source: Source, loaded: Callable[[int], None] = lambda count: None) -> None:
        """Load a source into a table and declare it under the table's name."""
        load_source(self.connection, _SCHEMA, source, loaded=loaded)
        for statement in declare_source(self.connection, source.name, _SCHEMA, source):
            self.connection.execute(statement)

    def _publish(self, requirements: Mapping[str, Any], estimator: str) -> Publication:
        """Publish the source as a view of its own."""
        self.connection.execute("SELECT bkpriv.set_policy('study', %s)", [json.dumps(requirements)])
        view = f"release_{next(self._views)}"
        started = time.perf_counter()
        release = scalar(
            self.connection,
            sql.SQL("SELECT bkpriv.publish(%s, 'study', %s, options => %s, view_schema => %s)"),
            self.dataset,
            view,
            json.dumps({"estimator": estimator, "refine": False}),
            _SCHEMA,
        )
        seconds = time.perf_counter() - started
        row = self.connection.execute(
            "SELECT suppressed, groups FROM bkpriv.releases WHERE release = %s", [release]
        ).fetchone()
        assert row is not None
        return Publication(release, seconds, *row)
