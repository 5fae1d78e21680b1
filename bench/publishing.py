"""How long a whole publication takes, and how much memory, through SQL.

Every publication runs in a backend of its own, so that none profits from what another loaded or
kept; the time includes loading Python there. Loading the table is not included. The baseline is a
plain k-anonymous publication of the same table.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from psycopg import sql

from bench.figure import Figure
from bkpriv_core.cli.declaration import call, declare_source
from bkpriv_core.cli.loading import load_source
from bkpriv_core.cli.server import connect, scalar
from bkpriv_core.cli.source import Source

__all__ = ["SCHEMA", "copied", "load", "measure_copies", "measure_growth", "measure_publishing"]

SCHEMA = "bench"
"""Schema for the tables of the benchmarks."""

_K = {"k_anonymity": {"k": 4}}
_SKYLINE = {
    **_K,
    "bt_privacy": [{"bandwidth": bandwidth, "t": 0.2} for bandwidth in (0.2, 0.3, 0.5)],
}
_ONE_ADVERSARY = {
    "k_anonymity": {"k": 5},
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}],
}
_SECONDS = {"omega": 4, "auto": 12}
_COPIES = 10
_GROWTH_BY_COPIES = 3
_MEGABYTES = 600


@dataclass(frozen=True)
class _Publication:
    """What a publication took.

    Parameters
    ----------
    seconds : float
        From the call to its return.
    megabytes : float, optional
        Peak memory of the backend, shared buffers that it touched included; None if the server runs
        on another machine.
    suppressed : int
        Records that were not published.
    """

    seconds: float
    megabytes: float | None
    suppressed: int


def copied(source: Source) -> Source:
    """Repeat every record of a source ten times."""
    columns = {
        name: replace(column, values=[*column.values] * _COPIES)
        for name, column in source.columns.items()
    }
    return replace(source, name=f"{source.name}_copied", columns=columns)


def load(uri: str, source: Source) -> str:
    """Load a source into the benchmarks' schema and declare it; return the dataset's name."""
    dataset = f"bench_{source.name}"
    with connect(uri) as connection:
        load_source(connection, SCHEMA, source)
        for statement in declare_source(connection, dataset, SCHEMA, source):
            connection.execute(statement)
    return dataset


def measure_publishing(uri: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure the skyline of three adversaries under either estimator."""
    plain: list[_Publication] = []
    private: dict[str, list[_Publication]] = {estimator: [] for estimator in _SECONDS}
    for _ in range(rounds):
        plain.append(_publish(uri, dataset, _K))
        for estimator, taken in private.items():
            taken.append(_publish(uri, dataset, _SKYLINE, estimator))
    figures = []
    baseline = _typical(plain)
    for estimator, limit in _SECONDS.items():
        ours = _typical(private[estimator])
        figures.append(
            Figure(
                f"publish, 3 adversaries, {estimator}",
                f"{ours.seconds:.2f} s",
                f"k-anonymous {baseline.seconds:.2f} s",
                ours.seconds / baseline.seconds,
                f"{limit} s",
                ours.seconds <= limit,
            )
        )
        figures.append(_memory(ours, baseline))
    return figures


def measure_growth(
    uri: str, small: Source, large: Source, datasets: tuple[str, str], rounds: int
) -> list[Figure]:
    """Measure how time grows from a table to a larger one of the same shape, with omega."""
    fewer, more = (_count_cells(uri, source) for source in (small, large))
    baseline, ours = (
        _typical([_publish(uri, dataset, _SKYLINE, "omega") for _ in range(rounds)])
        for dataset in datasets
    )
    growth = ours.seconds / baseline.seconds
    return [
        Figure(
            "a large and a small census",
            f"{large.records:,} records",
            f"{small.records:,} records",
            large.records / small.records,
        ),
        Figure("    cells", f"{more:,}", f"{fewer:,}", more / fewer),
        Figure(
            "    publish, omega",
            f"{ours.seconds:.2f} s",
            f"{baseline.seconds:.2f} s",
            growth,
            "as cells, not records",
            growth < math.sqrt(more / fewer * large.records / small.records),
        ),
        _memory(ours, baseline),
    ]


def measure_copies(uri: str, datasets: tuple[str, str], rounds: int) -> list[Figure]:
    """Measure what a certified publication takes if every record occurs ten times."""
    once, ours = (
        _typical([_publish(uri, dataset, _ONE_ADVERSARY) for _ in range(rounds)])
        for dataset in datasets
    )
    growth = ours.seconds / once.seconds
    return [
        Figure(
            f"publish, {_COPIES} times over, auto",
            f"{ours.seconds:.2f} s",
            f"once {once.seconds:.2f} s",
            growth,
            f"ratio {_GROWTH_BY_COPIES}",
            growth <= _GROWTH_BY_COPIES,
        ),
        Figure(
            "    suppressed",
            f"{ours.suppressed:,} records",
            f"{once.suppressed:,} records",
            None,
            "no more",
            ours.suppressed <= once.suppressed,
        ),
        _memory(ours, once),
    ]


def _publish(
    uri: str, dataset: str, requirements: Mapping[str, Any], estimator: str = "auto"
) -> _Publication:
    """Publish in a fresh backend, withdraw again, and say what it took."""
    with connect(uri) as connection:
        policy = f"{dataset}_policy"
        connection.execute(call("set_policy", policy, json.dumps(requirements)))
    with connect(uri) as connection:
        statement = sql.SQL("SELECT bkpriv.publish({}, {}, {}, options => {})").format(
            sql.Literal(dataset),
            sql.Literal(policy),
            sql.Literal(f"{SCHEMA}.{dataset}_view"),
            sql.Literal(json.dumps({"estimator": estimator})),
        )
        started = time.perf_counter()
        release = scalar(connection, statement)
        seconds = time.perf_counter() - started
        peak = _peak_megabytes(connection.info.backend_pid)
        suppressed = connection.execute(
            "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release]
        ).fetchone()
        publication = _Publication(seconds, peak, suppressed[0] if suppressed else 0)
        connection.execute(call("withdraw", release, "benchmark"))
    return publication


def _typical(publications: Sequence[_Publication]) -> _Publication:
    """Median time, and the most of memory and suppressed records."""
    megabytes = [item.megabytes for item in publications if item.megabytes is not None]
    return _Publication(
        median(item.seconds for item in publications),
        max(megabytes) if megabytes else None,
        max(item.suppressed for item in publications),
    )


def _memory(ours: _Publication, baseline: _Publication) -> Figure:
    """Compare the peak memory of backends, where it could be read."""
    what, target = "    peak memory", f"{_MEGABYTES} MB"
    if ours.megabytes is None or baseline.megabytes is None:
        return Figure(what, "not on this machine", "", None, target)
    return Figure(
        what,
        f"{ours.megabytes:.0f} MB",
        f"{baseline.megabytes:.0f} MB",
        ours.megabytes / baseline.megabytes,
        target,
        ours.megabytes < _MEGABYTES,
    )


def _peak_megabytes(pid: int) -> float | None:
    """Peak resident memory of a process of this machine."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    peak = re.search(r"^Name:\s+postgres$.*^VmHWM:\s+(\d+) kB$", status.read_text(), re.M | re.S)
    return int(peak[1]) / 1024 if peak else None


def _count_cells(uri: str, source: Source) -> int:
    """Count the distinct combinations of quasi-identifiers."""
    statement = sql.SQL("SELECT count(*) FROM (SELECT DISTINCT {} FROM {}) AS cell").format(
        sql.SQL(", ").join(map(sql.Identifier, source.quasi_identifiers)),
        sql.Identifier(SCHEMA, source.name),
    )
    with connect(uri) as connection:
        count: int = scalar(connection, statement)
    return count
