"""Figures 3, 4 and 5: how far what a reader reconstructs is from the original distribution.

The divergences are those of `utility`, of the estimate with maximum likelihood: one without bias
may be negative, and then has none but the Euclidean distance. The paper does not say which estimate
it measures, and its formula of the chi-square distance is lost. Divided by the original shares, in
place of the estimated ones, there is one of the estimate without bias, too, over the combinations
that occur.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from bkpriv_client.terminal import Advance
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.release.release import Release
from bkpriv_core.utility.comparison import largest_disclosure
from bkpriv_core.utility.divergence import divergences
from studies.figure import Figure, Lines, Row
from studies.guo2011.design import (
    BOUND,
    GROUPED,
    RISK,
    RR_BOTH,
    RR_QI,
    RR_S_MARGINAL,
    Design,
    Kind,
)
from studies.guo2011.reading import LIKELIEST, UNBIASED, readings
from studies.guo2011.spread import Point, spreads
from studies.guo2011.workshop import Workshop
from studies.laboratory import paced

__all__ = ["FIGURES"]

_METRICS = {
    "kl": "Kullback-Leibler (bits)",
    "chi_square": "chi-square",
    "chi_square_by_original": "chi-square, by the original",
    "l2": "Euclidean",
}

_COMPARED = (RR_QI, *GROUPED)
_SCHEMES = (RR_QI, RR_BOTH, RR_S_MARGINAL)
_SIZES = "records, as a multiple of the table's"


def _distances(release: Release) -> dict[str, dict[str, float]]:
    """Divergences of a release by estimate, and what it discloses."""
    everything = tuple(range(len(release.domains)))
    actual = release.actual.tabulate(EVERYTHING, everything) / release.table.records
    disclosed = largest_disclosure(release)
    told = {}
    for estimate, read in readings(release).items():
        figures = {"max_disclosure": disclosed}
        if estimate != UNBIASED:
            figures |= divergences(release)
        if estimate != LIKELIEST:
            apart = read(everything) / release.published - actual
            there = actual > 0
            by_original = float((apart[there] ** 2 / actual[there]).sum())
            figures |= {"chi_square_by_original": by_original}
            figures.setdefault("l2", float(np.linalg.norm(apart)))
        told[estimate] = figures
    return told


def _measured(
    points: Iterable[Point], workshop: Workshop, design: Design, advance: Advance
) -> list[Row]:
    rows: list[Row] = []
    for point in paced(points, advance, lambda item: f"{item.kind.name}, l = {item.ell}"):
        for released, figures in spreads(workshop, design, point, _distances).items():
            rows += [
                {
                    "table": point.table,
                    "released": released,
                    "l": point.ell,
                    "size": point.size,
                    "distance": title,
                    "figure": figures[metric].mean,
                    "deviation": figures[metric].deviation,
                    "max_disclosure": figures["max_disclosure"].mean,
                }
                for metric, title in _METRICS.items()
                if metric in figures
            ]
    return rows


def _by_l(
    name: str, kinds: Sequence[Kind], workshop: Workshop, design: Design, advance: Advance
) -> list[Row]:
    points = [Point(name, kind, ell) for kind, ell in itertools.product(kinds, design.levels)]
    return _measured(points, workshop, design, advance)


def _by_size(
    name: str, kinds: Sequence[Kind], workshop: Workshop, design: Design, advance: Advance
) -> list[Row]:
    points = [
        Point(name, kind, design.level, size)
        for kind, size in itertools.product(kinds, design.sizes)
    ]
    return _measured(points, workshop, design, advance)


def _picture(x: str, x_label: str) -> Lines:
    return Lines(
        x=x,
        y="figure",
        x_label=x_label,
        y_label="distance",
        series="released",
        series_label="mean of several draws, and standard deviation of one",
        spread="deviation",
        panel="distance",
        own_heights=True,
        scale="log",
    )


FIGURES = (
    Figure(
        "figure_3",
        "Figure 3: distance of the reconstructed from the original distribution, EMGRW",
        partial(_by_l, "EMGRW", _SCHEMES),
        _picture("l", RISK),
    ),
    Figure(
        "extra_schemes",
        "Distance of the reconstructed from the original distribution, ESGRO",
        partial(_by_l, "ESGRO", _SCHEMES),
        _picture("l", RISK),
    ),
    Figure(
        "figure_4",
        "Figure 4: distance by the size of the table, EMGRW",
        partial(_by_size, "EMGRW", (RR_QI, RR_BOTH)),
        _picture("size", _SIZES),
    ),
    Figure(
        "figure_5",
        "Figure 5: distance of randomized and grouped releases, ESGRO",
        partial(_by_l, "ESGRO", _COMPARED),
        _picture("l", BOUND),
    ),
    Figure(
        "extra_size",
        "Distance by the size of the table, ESGRO",
        partial(_by_size, "ESGRO", _COMPARED),
        _picture("size", _SIZES),
    ),
)
