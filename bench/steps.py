"""Time of each step of one publication of many records, beside a lower bound of that step.

The records are copies of those of the census, so that there are many to a cell, and the requirement
is k-anonymity alone: what is measured is how records are read and written. Counting is set beside
the GROUP BY that it needs, writing beside an INSERT … SELECT of the same rows in random order, and
settling whether the release is stale beside counting the source once more.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping
from statistics import median

from psycopg import sql

from bench.figure import Figure
from bench.publication import watch
from bkpriv_client.declaration import call
from bkpriv_client.server import connect
from bkpriv_client.source import Source

__all__ = ["measure_steps"]

_NAME = "bench_steps"
_COUNTING, _WRITING, _SETTLING = "counting", "writing", "waiting for writers"
_LIMITS = {_COUNTING: 2.5, _WRITING: 1.3, _SETTLING: 0.2}


def measure_steps(uri: str, schema: str, source: Source, records: int, rounds: int) -> list[Figure]:
    """Measure the steps of publishing at least so many records, copied from a loaded source."""
    copies = -(-records // source.records)
    table, copied = sql.Identifier(schema, _NAME), sql.Identifier(schema, f"{_NAME}_copy")
    view = sql.Identifier(schema, f"{_NAME}_view")
    attributes = [*source.quasi_identifiers, source.sensitive]
    names = sql.SQL(", ").join(map(sql.Identifier, attributes))
    with connect(uri) as connection:
        connection.execute(
            sql.SQL("CREATE TABLE {} AS SELECT c.* FROM {} c, generate_series(1, {})").format(
                table, sql.Identifier(schema, source.name), sql.Literal(copies)
            )
        )
        connection.outside(sql.SQL("VACUUM ANALYZE {}").format(table))
        connection.execute(
            call(
                "register_dataset",
                _NAME,
                f"{schema}.{_NAME}",
                list(source.quasi_identifiers),
                source.sensitive,
            )
        )
        connection.execute(call("set_policy", _NAME, json.dumps({"k_anonymity": {"k": 5}})))
    ours: dict[str, list[float]] = defaultdict(list)
    theirs: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        steps, release = _publish(uri, f"{schema}.{_NAME}_view")
        for step in _LIMITS:
            ours[step].append(steps.get(step, 0.0))
        grouped = sql.SQL("SELECT count(*) FROM (SELECT {}, count(*) FROM {} GROUP BY {}) AS x")
        theirs[_COUNTING].append(_seconds(uri, grouped.format(names, table, names)))
        inserted = sql.SQL(
            "CREATE TABLE {copy} AS SELECT * FROM {view} LIMIT 0; "
            "INSERT INTO {copy} SELECT * FROM {view} ORDER BY gen_random_uuid()"
        )
        theirs[_WRITING].append(_seconds(uri, inserted.format(copy=copied, view=view)))
        theirs[_SETTLING].append(steps[_COUNTING])
        with connect(uri) as connection:
            connection.execute(sql.SQL("DROP TABLE {}").format(copied))
            connection.execute(call("withdraw", release, "benchmark"))
    beside = {
        _COUNTING: "GROUP BY",
        _WRITING: "INSERT",
        _SETTLING: "counting",
    }
    figures = [Figure("steps of a publication", f"{copies * source.records:,} records", "")]
    for step, limit in _LIMITS.items():
        mine, baseline = median(ours[step]), median(theirs[step])
        figures.append(
            Figure(
                f"    {step}",
                f"{mine:.2f} s",
                f"{beside[step]} {baseline:.2f} s",
                mine / baseline,
                f"ratio {limit:g}",
                mine <= limit * baseline,
            )
        )
    return figures


def _publish(uri: str, view: str) -> tuple[Mapping[str, float], int]:
    """Publish, Python being loaded already: seconds of each step, and the release."""
    with connect(uri) as connection:
        connection.execute("SELECT bkpriv.version()")
        release, steps = watch(uri, connection, call("publish", _NAME, _NAME, view))
    return steps, release


def _seconds(uri: str, statement: sql.Composed) -> float:
    """Seconds that a statement takes in a session of its own."""
    with connect(uri) as connection:
        started = time.perf_counter()
        connection.execute(statement)
        return time.perf_counter() - started
