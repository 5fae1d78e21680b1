"""One publication through SQL, in a backend of its own, watched from a second session.

So no publication profits from what another loaded or kept; its time includes loading Python.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from psycopg import sql

from bench.figure import Figure
from bkpriv_client.declaration import call, declare_source
from bkpriv_client.loading import load_source
from bkpriv_client.server import Connection, connect, scalar
from bkpriv_client.source import Source
from bkpriv_core.method import DEFAULT_METHOD

__all__ = [
    "ANONYMOUS",
    "SCHEMA",
    "SKYLINE",
    "Publication",
    "detail_lost",
    "load",
    "memory_figure",
    "peak_megabytes",
    "processor_seconds",
    "publish",
    "published",
    "typical",
    "watch",
]

SCHEMA = "bench"
"""Schema for the tables of the benchmarks."""

ANONYMOUS = {"k_anonymity": {"k": 4}}
"""A policy without adversaries."""

SKYLINE = {
    **ANONYMOUS,
    "bt_privacy": [{"bandwidth": bandwidth, "t": 0.2} for bandwidth in (0.2, 0.3, 0.5)],
}
"""A policy against three adversaries, as the demo's."""

_POLL_SECONDS = 0.01


@dataclass(frozen=True)
class Publication:
    """Cost of a publication."""

    release: int
    seconds: float
    """Time from the call to its return."""
    steps: Mapping[str, float]
    megabytes: float | None
    """Peak memory of the backend, shared buffers that it touched included; None if the server runs
    on another machine.
    """
    suppressed: int


def load(uri: str, source: Source) -> str:
    """Load a source into the benchmarks' schema and declare it; return the dataset's name."""
    dataset = f"bench_{source.name}"
    with connect(uri) as connection:
        load_source(connection, SCHEMA, source)
        for statement in declare_source(connection, dataset, SCHEMA, source):
            connection.execute(statement)
    return dataset


def watch(
    uri: str, connection: Connection, statement: sql.Composed
) -> tuple[Any, Mapping[str, float]]:
    """Run a call that publishes, and see from a second session how many seconds each step takes."""
    seconds: dict[str, float] = defaultdict(float)
    with connect(uri) as watcher, ThreadPoolExecutor(1) as pool:
        publication = pool.submit(scalar, connection, statement)
        query = sql.SQL("SELECT application_name FROM pg_stat_activity WHERE pid = {}").format(
            sql.Literal(connection.info.backend_pid)
        )
        before = time.perf_counter()
        while not publication.done():
            time.sleep(_POLL_SECONDS)
            title, _, step = str(scalar(watcher, query)).partition(": ")
            now = time.perf_counter()
            if title == "bkpriv publish":
                seconds[step.rstrip("%0123456789 ")] += now - before
            before = now
        return publication.result(), seconds


@contextmanager
def published(
    uri: str,
    dataset: str,
    requirements: Mapping[str, Any],
    estimator: str = "auto",
    method: str = DEFAULT_METHOD,
    period: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Iterator[tuple[Connection, Publication]]:
    """Publish in a fresh backend and say what it took; withdraw in the end.

    Who remembers a period remembers it all the same. Options other than the estimator are those of
    a method that has none.
    """
    with connect(uri) as connection:
        policy = f"{dataset}_policy"
        connection.execute(call("set_policy", policy, json.dumps(requirements)))
    with connect(uri) as connection:
        statement = sql.SQL(
            "SELECT bkpriv.publish({}, {}, {}, method => {}, period => {}, options => {})"
        ).format(
            sql.Literal(dataset),
            sql.Literal(policy),
            sql.Literal(f"{SCHEMA}.{dataset}_view"),
            sql.Literal(method),
            sql.Literal(period),
            sql.Literal(json.dumps(options or {"estimator": estimator})),
        )
        started = time.perf_counter()
        release, steps = watch(uri, connection, statement)
        seconds = time.perf_counter() - started
        peak = peak_megabytes(connection.info.backend_pid)
        suppressed: int = scalar(
            connection,
            sql.SQL("SELECT suppressed FROM bkpriv.releases WHERE release = {}").format(
                sql.Literal(release)
            ),
        )
        yield connection, Publication(release, seconds, steps, peak, suppressed)
        connection.execute(call("withdraw", release, "benchmark"))


def publish(
    uri: str, dataset: str, requirements: Mapping[str, Any], estimator: str = "auto"
) -> Publication:
    """Publish in a fresh backend, withdraw again, and say what it took."""
    with published(uri, dataset, requirements, estimator) as (_, publication):
        return publication


def detail_lost(connection: Connection, publication: Publication) -> float:
    """The global certainty penalty of a release."""
    statement = sql.SQL("SELECT value FROM bkpriv.utility({}) WHERE metric = 'gcp'")
    lost: float = scalar(connection, statement.format(sql.Literal(publication.release)))
    return lost


def typical(publications: Sequence[Publication]) -> Publication:
    """Median times, and the most of memory and suppressed records, of publications alike."""
    megabytes = [item.megabytes for item in publications if item.megabytes is not None]
    names = {name for item in publications for name in item.steps}
    return Publication(
        publications[-1].release,
        median(item.seconds for item in publications),
        {name: median(item.steps.get(name, 0.0) for item in publications) for name in names},
        max(megabytes) if megabytes else None,
        max(item.suppressed for item in publications),
    )


def memory_figure(ours: Publication, baseline: Publication) -> Figure:
    """Compare the peak memory of backends, where it could be read."""
    what = "    peak memory"
    if ours.megabytes is None or baseline.megabytes is None:
        return Figure(what, "not on this machine", "")
    return Figure(
        what,
        f"{ours.megabytes:.0f} MB",
        f"{baseline.megabytes:.0f} MB",
        ours.megabytes / baseline.megabytes,
    )


def peak_megabytes(pid: int) -> float | None:
    """Peak resident memory of a process of this machine."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    peak = re.search(r"^Name:\s+postgres$.*^VmHWM:\s+(\d+) kB$", status.read_text(), re.M | re.S)
    return int(peak[1]) / 1024 if peak else None


def processor_seconds(pid: int) -> float | None:
    """Processor time that a process of this machine has taken, if it is a backend."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return None
    name, _, rest = status.read_text().rpartition(")")
    if not name.endswith("(postgres"):
        return None
    user, system = map(int, rest.split()[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")
