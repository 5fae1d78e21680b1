"""Time for groups alike in belief and to the table, beside k-anonymity alone by Mondrian."""

from __future__ import annotations

from bench.figure import Figure, seconds_against
from bench.publication import Publication, memory_figure, published, typical
from bkpriv_client.source import Source

__all__ = ["measure_primacy"]

_MOST = {"k_anonymity_primacy": 6.0, "beta_likeness_primacy": 6.0, "microaggregate": 5.0}

_POLICY = {
    "k_anonymity": {"k": 5},
    "beta_likeness": {"beta": 4},
    "pair_divergence": {"theta": 0.2, "bandwidth": 0.3},
}

_METHODS = {
    "k_anonymity_primacy": _POLICY,
    "beta_likeness_primacy": _POLICY,
    # It does not regard what is believed.
    "microaggregate": {name: _POLICY[name] for name in ("k_anonymity", "beta_likeness")},
}


def measure_primacy(uri: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure a source that was loaded and declared as a dataset."""
    plain = {"k_anonymity": _POLICY["k_anonymity"]}
    figures = []
    for method, requirements in _METHODS.items():
        taken: list[tuple[Publication, Publication]] = []
        for _ in range(rounds):
            with published(uri, dataset, requirements, method=method) as (_, ours):
                pass
            with published(uri, dataset, plain) as (_, baseline):
                taken.append((ours, baseline))
        ours, baseline = (typical(some) for some in zip(*taken, strict=True))
        figures += [
            seconds_against(
                f"{method}, {source.name}", ours.seconds, "k", baseline.seconds, _MOST[method]
            ),
            memory_figure(ours, baseline),
            Figure("    suppressed", f"{ours.suppressed:,} records", f"{baseline.suppressed:,}"),
        ]
    return figures
