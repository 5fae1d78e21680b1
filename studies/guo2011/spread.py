"""Figures of releases that differ by chance: their mean, and how far they spread."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

from bkpriv_core.release.release import Release
from studies.guo2011.design import Design, Kind
from studies.guo2011.workshop import Workshop

__all__ = ["NONE", "Measure", "Point", "Spread", "spreads"]

Measure = Callable[[Release], Mapping[str, Mapping[str, float]]]
"""Figures of a release by name, for each estimate; that of groups is called ""."""


@dataclass(frozen=True)
class Point:
    """Point of the study: one setting of a release."""

    table: str
    kind: Kind
    ell: int
    size: float = 1.0
    """Size of the table as a multiple of its own."""


@dataclass(frozen=True)
class Spread:
    """A figure of several releases."""

    mean: float | None
    """Mean of the figures; None if there is no release."""
    deviation: float | None
    """Standard deviation of a single one; None if there is but one."""


NONE = Spread(None, None)
"""Spread of a figure that is not measured."""


def spreads(
    workshop: Workshop, design: Design, point: Point, measure: Measure
) -> dict[str, dict[str, Spread]]:
    """Measure releases of a point.

    Args:
        design: Extent of what is measured, with the number of releases.

    Returns:
        Spreads by what was released, with the estimate if there are several, and by figure. There
        are no figures if there is no release.
    """
    differ = point.kind.chance or point.size != int(point.size)
    found: dict[str, dict[str, list[float]]] = {}
    for number in range(design.draws if differ else 1):
        release = workshop.release(point.table, point.kind, point.ell, number, point.size)
        if release is None:
            return {point.kind.name: {}}
        told = workshop.once((measure, point, number), partial(measure, release))
        for estimate, figures in told.items():
            name = f"{point.kind.name}, {estimate}" if estimate else point.kind.name
            for metric, figure in figures.items():
                found.setdefault(name, {}).setdefault(metric, []).append(figure)
    return {
        name: {metric: _spread(figures) for metric, figures in by_metric.items()}
        for name, by_metric in found.items()
    }


def _spread(figures: list[float]) -> Spread:
    several = len(figures) > 1 and all(map(math.isfinite, figures))
    return Spread(fmean(figures), stdev(figures) if several else None)
