"""Time to judge releases together, and to publish a table that grows month after month.

The people of a table come in twelve months. Every month it is published three times, each in a
session of its own, with or without the option growing from the month before, and certified together
with all months; and afresh by itself, which is the baseline. The last two releases of the baseline,
of nearly the same people in quite other groups, are judged together, beside an audit of the last
one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from psycopg import sql

from bench.figure import Figure, seconds_against
from bench.publication import SCHEMA, Publication, memory_figure, peak_megabytes
from bkpriv_client.declaration import ask
from bkpriv_client.server import Connection, connect, scalar
from bkpriv_client.source import Source
from studies.growing import CERTIFY, GROW, NAIVE, GrowingTable, Way, numbered

__all__ = ["measure_again"]

_REQUIREMENTS = {"k_anonymity": {"k": 5}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}]}
_GROWN, _CERTIFIED, _TOGETHER = 4.0, 5.0, 12.0


def measure_again(uri: str, source: Source, months: int, seed: int) -> list[Figure]:
    """Measure the people of a source, coming in so many months."""
    coming = replace(numbered(source, seed), name="coming")
    with connect(uri) as owner:
        table = GrowingTable(owner, SCHEMA, coming, months)
        for way in (GROW, CERTIFY, NAIVE):
            for statement in table.declaration(way, _REQUIREMENTS):
                owner.execute(statement)
        with connect(uri) as growing, connect(uri) as certified, connect(uri) as afresh:
            sessions = {GROW: growing, CERTIFY: certified, NAIVE: afresh}
            seconds: dict[Way, float] = dict.fromkeys(sessions, 0.0)
            releases: dict[Way, list[int]] = {way: [] for way in sessions}
            for month in range(1, months + 1):
                table.admit(month)
                for way, session in sessions.items():
                    started = time.perf_counter()
                    releases[way].append(scalar(session, table.publication(way, month)))
                    seconds[way] += time.perf_counter() - started
            listened = _audit(growing, "audit_together", releases[GROW])
            taken = {
                way: _taken(session, releases[way], seconds[way])
                for way, session in sessions.items()
            }
    with connect(uri) as both, connect(uri) as one:
        together = _audit(both, "audit_together", releases[NAIVE][-2:])
        alone = _audit(one, "audit", releases[NAIVE][-1])
        pair = _taken(both, releases[NAIVE], together)
        single = _taken(one, releases[NAIVE], alone)
    whole = seconds[GROW] + listened
    return [
        seconds_against(
            f"{months} growing months, {coming.records:,} people",
            whole,
            "afresh",
            seconds[NAIVE],
            _GROWN,
        ),
        memory_figure(taken[GROW], taken[NAIVE]),
        seconds_against(
            "the same certified together", seconds[CERTIFY], "afresh", seconds[NAIVE], _CERTIFIED
        ),
        memory_figure(taken[CERTIFY], taken[NAIVE]),
        seconds_against("two months judged together", together, "audit", alone, _TOGETHER),
        memory_figure(pair, single),
    ]


def _audit(connection: Connection, function: str, releases: int | Sequence[int]) -> float:
    """Seconds that an audit takes."""
    query = sql.SQL("SELECT count(*) FROM ({}) AS audit").format(ask(function, releases))
    started = time.perf_counter()
    scalar(connection, query)
    return time.perf_counter() - started


def _taken(connection: Connection, releases: Sequence[int], seconds: float) -> Publication:
    """Measure the work of a session by now."""
    peak = peak_megabytes(connection.info.backend_pid)
    return Publication(releases[-1], seconds, {}, peak, 0)
