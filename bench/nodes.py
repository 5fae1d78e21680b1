"""Time to compute, through SQL, the worst case of a whole lattice of generalizations.

Every node is made from the table and its maximum disclosure computed for each number of pieces of
knowledge, in both languages, as the study of Martin et al. 2007 does; nothing is kept between
rounds. There is no baseline: nothing else at hand computes it.
"""

from __future__ import annotations

import time
from statistics import median

from psycopg import sql

from bench.figure import Figure
from bkpriv_client.server import connect, scalar
from bkpriv_client.source import Source
from studies.martin2007.design import FULL
from studies.martin2007.nodes import create_nodes, narrowed

__all__ = ["measure_nodes"]

_SECONDS = 10


def measure_nodes(uri: str, schema: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure a source that was loaded into a schema and declared as a dataset."""
    taken = []
    for _ in range(rounds):
        with connect(uri) as connection, connection.transaction(force_rollback=True):
            started = time.perf_counter()
            create_nodes(connection, schema, narrowed(source), dataset, FULL.k)
            taken.append(time.perf_counter() - started)
            node = sql.Identifier(schema, "node")
            nodes = scalar(connection, sql.SQL("SELECT count(*) FROM {}").format(node))
    ours = median(taken)
    return [
        Figure(
            f"worst case of {nodes} nodes",
            f"{ours:.2f} s",
            "",
            None,
            f"{_SECONDS} s",
            ours <= _SECONDS,
        )
    ]
