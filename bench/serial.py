"""Cost of publishing the same people week after week, against an adversary who remembers.

The clinic's weeks are published by JS-reduce, beliefs revised and kept, each in a fresh backend,
beside the same weeks under k-anonymity alone, for which nothing is remembered. Then two weeks of
many more patients, of which the second has a past.

The knowledge is of three weeks. Until then many patients are alike to who remembers; from the
fourth week on nearly everybody has a belief of their own, and so a cell. Later weeks are compared
with the first of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from bench.figure import Figure, seconds_against
from bench.publication import (
    ANONYMOUS,
    SCHEMA,
    Publication,
    load,
    memory_figure,
    published,
)
from bkpriv_client.declaration import call, declare_source
from bkpriv_client.loading import TableName
from bkpriv_client.server import connect
from studies.clinic.register import draw_register
from studies.clinic.tables import load_transitions

__all__ = ["measure_serial"]

_COURSE = "course"
"""Name of the table of domain knowledge, and of the sequential knowledge."""

_REMEMBERED = {
    "k_anonymity": {"k": 5},
    "t_closeness": {"t": 0.5, "ground": "equal"},
    "js_divergence": {"j": 0.6, "bandwidth": {"sequence": _COURSE}},
}
"""A policy with the paper's bold parameters."""

_WEEK, _PRO_RATA = 3.0, 1.0
_UNEVEN = 1.5
"""Largest ratio of the time of the last weeks to that of the first with a whole past."""

_PAST = 3
"""Weeks that the knowledge is of."""

_FEW = 3
"""Weeks of which the median counts, at either end."""


def measure_serial(uri: str, patients: int, weeks: int, many: int, seed: int) -> list[Figure]:
    """Measure publishing so many patients for so many weeks, and many of them for two."""
    with connect(uri) as connection:
        load_transitions(connection, TableName(SCHEMA, _COURSE), order=_PAST, weeks=weeks)
    source = draw_register(patients, weeks, seed)
    ours = _publish(uri, load(uri, source), weeks, _REMEMBERED, "js_reduce")
    plain = f"bench_{source.name}_plain"
    with connect(uri) as connection:
        for statement in declare_source(connection, plain, SCHEMA, source):
            connection.execute(statement)
    theirs = _publish(uri, plain, weeks, ANONYMOUS, "mondrian")
    crowd = replace(draw_register(many, 2, seed), name="crowd")
    large = _publish(uri, load(uri, crowd), 2, _REMEMBERED, "js_reduce")[-1]
    whole, baseline = (sum(item.seconds for item in items) for items in (ours, theirs))
    view, plainly = (median(item.seconds for item in items) for items in (ours, theirs))
    past = min(_PAST, weeks - 1)
    last, first = (_typical(ours[-_FEW:]), _typical(ours[past : past + _FEW]))
    expected = view * many / patients
    return [
        seconds_against(f"a week of {patients:,} by js_reduce", view, "k", plainly, _WEEK),
        seconds_against(f"    {weeks} weeks", whole, "k", baseline),
        Figure(
            "    last weeks, first with a past",
            f"{last:.2f} s",
            f"{first:.2f} s",
            last / first,
            f"ratio {_UNEVEN:g}",
            last <= _UNEVEN * first,
        ),
        seconds_against(f"a week of {many:,}", large.seconds, "pro rata", expected, _PRO_RATA),
        memory_figure(large, ours[-1]),
    ]


def _typical(publications: Sequence[Publication]) -> float:
    return median(item.seconds for item in publications)


def _publish(
    uri: str, dataset: str, weeks: int, requirements: Mapping[str, Any], method: str
) -> list[Publication]:
    """Publish all weeks, one after the other, each in a fresh backend."""
    with connect(uri) as connection:
        course = TableName(SCHEMA, _COURSE).written(connection)
        connection.execute(call("set_sequential_knowledge", dataset, _COURSE, "domain", course))
    publications = []
    for week in range(1, weeks + 1):
        with published(uri, dataset, requirements, method=method, period=str(week)) as (_, made):
            publications.append(made)
    return publications
