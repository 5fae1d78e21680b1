"""Calculators on plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bkpriv_core import implication
from bkpriv_core.belief import distance, posterior, transport
from bkpriv_core.belief.kernels import check_bandwidth
from bkpriv_core.progress import Progress
from bkpriv_core.randomization.risk import risks_by_hand
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import as_floats, as_integers, entry
from bkpriv_pl.server.progress import POLLED

__all__ = [
    "additive_posterior",
    "bethe_posterior",
    "emd",
    "exact_posterior",
    "js_divergence",
    "omega_posterior",
    "randomization_risk",
    "smoothed_distance",
    "worst_case",
]


_Estimate = Callable[[FloatArray, IntArray, Progress], FloatArray]


def _posterior(estimate: _Estimate, prior: list[Any], counts: list[Any]) -> list[Any]:
    """Estimate the posteriors of one group."""
    beliefs = estimate(as_floats(prior, "prior"), as_integers(counts, "counts"), POLLED)
    rows: list[Any] = beliefs.tolist()
    return rows


@entry(Access.NOTHING)
def exact_posterior(prior: list[Any], counts: list[Any]) -> list[Any]:
    """See ``bkpriv.exact_posterior``."""
    return _posterior(posterior.exact_posterior, prior, counts)


@entry(Access.NOTHING)
def bethe_posterior(prior: list[Any], counts: list[Any]) -> list[Any]:
    """See ``bkpriv.bethe_posterior``."""
    return _posterior(posterior.bethe_posterior, prior, counts)


@entry(Access.NOTHING)
def omega_posterior(prior: list[Any], counts: list[Any]) -> list[Any]:
    """See ``bkpriv.omega_posterior``."""
    return _posterior(posterior.omega_posterior, prior, counts)


@entry(Access.NOTHING)
def additive_posterior(prior: list[Any], counts: list[Any]) -> list[Any]:
    """See ``bkpriv.additive_posterior``."""
    return _posterior(posterior.additive_posterior, prior, counts)


@entry(Access.NOTHING)
def js_divergence(p: list[Any], q: list[Any]) -> float:
    """See ``bkpriv.js_divergence``."""
    before, after = as_floats(p, "p"), as_floats(q, "q")
    distance.check_distributions(before, after)
    return float(distance.js_divergence(before, after))


@entry(Access.NOTHING)
def emd(p: list[Any], q: list[Any], ground: list[Any]) -> float:
    """See ``bkpriv.emd``."""
    before, after, distances = as_floats(p, "p"), as_floats(q, "q"), as_floats(ground, "ground")
    distance.check_distributions(before, after)
    distance.check_ground(distances, len(before))
    return transport.emd(before, after, distances, POLLED)


@entry(Access.NOTHING)
def smoothed_distance(p: list[Any], q: list[Any], ground: list[Any], bandwidth: float) -> float:
    """See ``bkpriv.smoothed_distance``."""
    before, after, distances = as_floats(p, "p"), as_floats(q, "q"), as_floats(ground, "ground")
    distance.check_distributions(before, after)
    distance.check_ground(distances, len(before))
    check_bandwidth(bandwidth, "the bandwidth")
    return float(distance.BeliefDistance.smoothed(distances, bandwidth)(before, after))


@entry(Access.NOTHING)
def worst_case(histograms: list[Any], k: int, language: str) -> list[float]:
    """See ``bkpriv.worst_case``."""
    buckets = np.atleast_2d(as_integers(histograms, "histograms"))
    curve: list[float] = implication.worst_case(buckets, k, language, POLLED).tolist()
    return curve


@entry(Access.NOTHING)
def randomization_risk(joint: list[Any], retention: list[Any], scheme: str) -> list[Any]:
    """See ``bkpriv.randomization_risk``."""
    figures = risks_by_hand(
        as_floats(joint, "joint"), as_floats(retention, "retention"), scheme, POLLED
    )
    rows: list[Any] = figures.tolist()
    return rows
