"""Time to try 12 policies, through SQL, beside publishing under each of them.

The baseline publishes under one policy of each bandwidth, each in a session of its own, and is
scaled up to all. A publication also loads Python, counts the source, computes priors, and writes
the release and its history. What trials in one call share is told by processor time, beside trials
of the same policies one by one, likewise scaled.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bench.figure import Figure, seconds_against
from bench.publication import peak_megabytes, processor_seconds, publish
from bkpriv_client.declaration import ask
from bkpriv_client.server import connect
from bkpriv_client.source import Source

__all__ = ["measure_exploration"]

_BANDWIDTHS, _TS = (0.2, 0.4, 0.8), (0.1, 0.15, 0.2, 0.3)
_BESIDE = {"k_anonymity": {"k": 5}}
_MOST = 1.0
"""Each policy forms and repairs groups of its own, which takes most of the time."""


class _Tried(NamedTuple):
    """Cost of a call: time, and what is known of the backend: processor time and peak memory."""

    seconds: float
    processor: float | None
    megabytes: float | None


def measure_exploration(uri: str, source: Source, dataset: str) -> list[Figure]:
    """Measure a source that was loaded and declared, with three bandwidths and four t, once."""
    grid = {"grid": {"bandwidth": list(_BANDWIDTHS), "t": list(_TS)}, "with": _BESIDE}
    tried = _explore(uri, dataset, grid)
    some = [
        _BESIDE | {"bt_privacy": {"bandwidth": width, "t": _TS[place % 4]}}
        for place, width in enumerate(_BANDWIDTHS)
    ]
    policies = len(_BANDWIDTHS) * len(_TS)
    baseline = policies * sum(publish(uri, dataset, each).seconds for each in some) / len(some)
    singly = [_explore(uri, dataset, each).processor for each in some]
    seconds, megabytes = tried.seconds, tried.megabytes
    told = "not on this machine" if megabytes is None else f"{megabytes:.0f} MB"
    return [
        seconds_against(
            f"{policies} policies tried, {source.name}", seconds, "published", baseline, _MOST
        ),
        _processor_figure(tried.processor, singly, policies),
        Figure("    peak memory", told, ""),
    ]


def _explore(uri: str, dataset: str, policies: Mapping[str, Any]) -> _Tried:
    """Try policies in a fresh backend."""
    with connect(uri) as connection:
        started = time.perf_counter()
        connection.execute(ask("explore", dataset, json.dumps(policies))).fetchall()
        seconds = time.perf_counter() - started
        pid = connection.info.backend_pid
        return _Tried(seconds, processor_seconds(pid), peak_megabytes(pid))


def _processor_figure(
    together: float | None, singly: Sequence[float | None], policies: int
) -> Figure:
    """Compare the processor time of all policies in one call with that of some, each in its own."""
    known = [taken for taken in singly if taken is not None]
    if together is None or not known:
        return Figure("    processor", "not on this machine", "")
    baseline = policies * sum(known) / len(known)
    return Figure(
        "    processor",
        f"{together:.1f} s",
        f"singly {baseline:.1f} s",
        together / baseline,
    )
