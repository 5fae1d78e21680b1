"""Time to try 24 policies, through SQL, beside publishing under each of them.

The baseline publishes under one policy of each bandwidth, each in a session of its own, and is
scaled up to all. A publication also loads Python, counts the source, computes priors, and writes
the release and its history.
"""

from __future__ import annotations

import json
import time

from bench.figure import Figure
from bench.publication import peak_megabytes, publish
from bkpriv_client.declaration import ask
from bkpriv_client.server import connect
from bkpriv_client.source import Source

__all__ = ["measure_exploration"]

_BANDWIDTHS, _TS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8), (0.1, 0.15, 0.2, 0.3)
_BESIDE = {"k_anonymity": {"k": 5}}
_SECONDS = 60


def measure_exploration(uri: str, source: Source, dataset: str) -> list[Figure]:
    """Measure a source that was loaded and declared, with six bandwidths and four t, once."""
    grid = {"grid": {"bandwidth": list(_BANDWIDTHS), "t": list(_TS)}, "with": _BESIDE}
    with connect(uri) as connection:
        started = time.perf_counter()
        connection.execute(ask("explore", dataset, json.dumps(grid))).fetchall()
        seconds = time.perf_counter() - started
        megabytes = peak_megabytes(connection.info.backend_pid)
    apart = [
        publish(uri, dataset, _BESIDE | {"bt_privacy": {"bandwidth": width, "t": _TS[place % 4]}})
        for place, width in enumerate(_BANDWIDTHS)
    ]
    policies = len(_BANDWIDTHS) * len(_TS)
    baseline = policies * sum(item.seconds for item in apart) / len(apart)
    told = "not on this machine" if megabytes is None else f"{megabytes:.0f} MB"
    return [
        Figure(
            f"{policies} policies tried, {source.name}",
            f"{seconds:.1f} s",
            f"published {baseline:.1f} s",
            seconds / baseline,
            f"{_SECONDS} s",
            seconds <= _SECONDS,
        ),
        Figure("    peak memory", told, ""),
    ]
