"""Time and loss of groups from the bottom up, beside Mondrian's of the same table and policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.figure import Figure, seconds_against
from bench.publication import (
    SKYLINE,
    Publication,
    detail_lost,
    memory_figure,
    published,
    typical,
)
from bkpriv_client.source import Source

__all__ = ["measure_agglomeration"]

# Policy: what it requires, and in how many times the time of Mondrian. That cuts along one
# column at a time; groups from the bottom up are compared with their neighbours in all of them.
_POLICIES: dict[str, tuple[Mapping[str, Any], float]] = {
    "k = 5": ({"k_anonymity": {"k": 5}}, 1.6),
    "skyline": (SKYLINE, 1.0),
}

# Largest ratio to the detail that Mondrian loses; elsewhere 1. It falls with the size of the table:
# .81 of 6,000 records of the census, .78 of 45,222.
_SHARES = {
    ("adult", "k = 5"): 0.85,
    ("census", "k = 5"): 0.85,
    ("hospital", "k = 5"): 0.95,
}


def measure_agglomeration(uri: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure a source that was loaded and declared as a dataset."""
    figures = []
    for policy, (requirements, most) in _POLICIES.items():
        share = _SHARES.get((source.name, policy), 1.0)
        taken: dict[str, list[Publication]] = {"agglomerate": [], "mondrian": []}
        detail = dict.fromkeys(taken, 0.0)
        for _ in range(rounds):
            for method, publications in taken.items():
                with published(uri, dataset, requirements, method=method) as (connection, it):
                    publications.append(it)
                    detail[method] = detail_lost(connection, it)
        ours, baseline = map(typical, taken.values())
        lost, theirs = detail.values()
        figures += [
            seconds_against(
                f"agglomerate, {policy}, {source.name}",
                ours.seconds,
                "mondrian",
                baseline.seconds,
                most,
            ),
            memory_figure(ours, baseline),
            Figure(
                "    suppressed",
                f"{ours.suppressed:,} records",
                f"{baseline.suppressed:,} records",
                None,
                "no more",
                ours.suppressed <= baseline.suppressed,
            ),
            Figure(
                "    detail lost (GCP)",
                f"{lost:.4f}",
                f"{theirs:.4f}",
                lost / theirs,
                f"ratio {share:g}",
                lost <= share * theirs,
            ),
        ]
    return figures
