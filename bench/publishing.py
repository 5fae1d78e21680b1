"""Time and memory of a whole publication, through SQL.

Loading the table is not included. The baseline is a plain k-anonymous publication of the same
table.
"""

from __future__ import annotations

import math
from dataclasses import replace

from psycopg import sql

from bench.figure import Figure, seconds_against
from bench.publication import (
    ANONYMOUS,
    SCHEMA,
    SKYLINE,
    Publication,
    memory_figure,
    publish,
    published,
    typical,
)
from bkpriv_client.declaration import call
from bkpriv_client.server import connect, scalar
from bkpriv_client.source import Source

__all__ = ["copied", "measure_copies", "measure_draw", "measure_growth", "measure_publishing"]

_ONE_ADVERSARY = {
    "k_anonymity": {"k": 5},
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}],
}
_MOST = {"omega": 4.0, "auto": 5.0}
"""Each adversary's beliefs are inferred and held to, each by itself: one more than k alone."""
_COPIES = 10
_GROWTH_BY_COPIES = 3
_EMGRW = ("education", "marital_status", "sex", "race")
_DISCLOSURE = {"max_disclosure": {"tau": 1 / 3}}
_DRAWN = 1.5


def copied(source: Source) -> Source:
    """Repeat every record of a source ten times."""
    columns = {
        name: replace(column, values=[*column.values] * _COPIES)
        for name, column in source.columns.items()
    }
    return replace(source, name=f"{source.name}_copied", columns=columns)


def measure_publishing(uri: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure the skyline of three adversaries under either estimator."""
    plain: list[Publication] = []
    private: dict[str, list[Publication]] = {estimator: [] for estimator in _MOST}
    for _ in range(rounds):
        plain.append(publish(uri, dataset, ANONYMOUS))
        for estimator, taken in private.items():
            taken.append(publish(uri, dataset, SKYLINE, estimator))
    figures = []
    baseline = typical(plain)
    for estimator, limit in _MOST.items():
        ours = typical(private[estimator])
        figures.append(
            seconds_against(
                f"publish, 3 adversaries, {estimator}",
                ours.seconds,
                "k-anonymous",
                baseline.seconds,
                limit,
            )
        )
        figures.append(memory_figure(ours, baseline))
    return figures


def measure_draw(uri: str, source: Source, rounds: int) -> list[Figure]:
    """Measure how long records of a loaded source take that are drawn by scheme rr-both.

    The columns are those of the table EMGRW of Guo, Ying and Wu 2011; the baseline is a release of
    the same ones in groups.
    """
    ours, theirs, dataset = [], [], "bench_draw"
    with connect(uri) as connection:
        table = f"{SCHEMA}.{source.name}"
        connection.execute(call("register_dataset", dataset, table, list(_EMGRW), "workclass"))
    for _ in range(rounds):
        with published(
            uri, dataset, _DISCLOSURE, method="randomize", options={"scheme": "rr-both"}
        ) as (_, publication):
            ours.append(publication)
        theirs.append(publish(uri, dataset, ANONYMOUS))
    drawn, grouped = typical(ours), typical(theirs)
    return [
        seconds_against(
            f"{source.records:,} records, drawn and published",
            drawn.seconds,
            "k-anonymous",
            grouped.seconds,
            _DRAWN,
        ),
        memory_figure(drawn, grouped),
    ]


def measure_growth(
    uri: str, small: Source, large: Source, datasets: tuple[str, str], rounds: int
) -> list[Figure]:
    """Measure how time grows from a table to a larger one of the same shape, with omega."""
    fewer, more = (_count_cells(uri, source) for source in (small, large))
    baseline, ours = (
        typical([publish(uri, dataset, SKYLINE, "omega") for _ in range(rounds)])
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
            "as cells",
            growth < math.sqrt(more / fewer * large.records / small.records),
        ),
        memory_figure(ours, baseline),
    ]


def measure_copies(uri: str, datasets: tuple[str, str], rounds: int) -> list[Figure]:
    """Measure what a certified publication takes if every record occurs ten times."""
    once, ours = (
        typical([publish(uri, dataset, _ONE_ADVERSARY) for _ in range(rounds)])
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
        memory_figure(ours, once),
    ]


def _count_cells(uri: str, source: Source) -> int:
    """Count the distinct combinations of quasi-identifiers."""
    statement = sql.SQL("SELECT count(*) FROM (SELECT DISTINCT {} FROM {}) AS cell").format(
        sql.SQL(", ").join(map(sql.Identifier, source.quasi_identifiers)),
        sql.Identifier(SCHEMA, source.name),
    )
    with connect(uri) as connection:
        count: int = scalar(connection, statement)
    return count
