"""One release of Adult: what it loses and gives away, by k, beta and j; and all methods at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from bkpriv_client.terminal import Advance
from studies.amiri2016.design import KINDS, SWEPT, Design, Kind, Point
from studies.amiri2016.trial import Sites
from studies.figure import Figure, Lines, Row
from studies.laboratory import paced

__all__ = ["COST", "FIGURES"]

COST = {
    "gcp": "GCP of published records",
    "rgcp": "RGCP of all records",
    "suppressed_share": "share of records left out",
}
_PRIVACY = {
    "gain": "gain",
    "disclosure": "how far beliefs move (bits)",
    "beta_mean": "β reached, on average",
}
_CLASSES = {
    "smallest": "smallest class",
    "median": "median class",
    "largest": "largest class",
}
_TIME = {"seconds": "seconds of a processor"}

_Points = Callable[[Design], Sequence[Point]]


def _ks(design: Design) -> list[Point]:
    return [replace(design.centre, k=k) for k in design.ks]


def _betas(design: Design) -> list[Point]:
    return [replace(design.centre, beta=beta) for beta in design.betas]


def _js(design: Design) -> list[Point]:
    return [replace(design.centre, j=j) for j in design.js]


def _curves(
    points: _Points, measures: Mapping[str, str], sites: Sites, design: Design, advance: Advance
) -> list[Row]:
    """Measures of a release of each kind at each point."""
    rows: list[Row] = []
    settings = [(kind, point) for kind in SWEPT for point in points(design)]
    for kind, point in paced(settings, advance, _named):
        figures = sites.adult.figures(kind, point)
        rows += [
            {
                "method": kind.name,
                "k": point.k,
                "beta": point.beta,
                "j": point.j,
                "measure": title,
                "figure": figures[name],
            }
            for name, title in measures.items()
        ]
    return rows


def _named(threat: tuple[Kind, Point]) -> str:
    kind, point = threat
    return f"{kind.name}, k = {point.k}, β = {point.beta:g}, j = {point.j:g}"


def _methods(sites: Sites, design: Design, advance: Advance) -> list[Row]:
    """Every measure of several releases of each kind, at the centre."""
    settings = [
        (kind, draw) for kind in KINDS for draw in range(design.draws if kind.chance else 1)
    ]
    return [
        {"method": kind.name, "draw": draw, **sites.adult.figures(kind, design.centre, draw)}
        for kind, draw in paced(settings, advance, lambda item: f"{item[0].name}, {item[1]}")
    ]


_CURVES = Lines(
    x="k",
    y="figure",
    x_label="k",
    y_label="",
    series="method",
    panel="measure",
    own_heights=True,
)

_AXES: tuple[tuple[str, str, _Points], ...] = (
    ("k", "k", _ks),
    ("beta", "β", _betas),
    ("j", "j = θ (bits)", _js),
)


def _by(
    name: str,
    title: str,
    measures: Mapping[str, str],
    axes: Sequence[tuple[str, str, _Points]] = _AXES,
    picture: Lines = _CURVES,
) -> list[Figure[Sites, Design]]:
    """Figures of some measures by each of some parameters."""
    return [
        Figure(
            f"{name}_by_{column}",
            f"{title} by {label}, Adult",
            partial(_curves, points, measures),
            replace(picture, x=column, x_label=label),
        )
        for column, label, points in axes
    ]


FIGURES = (
    Figure(
        "methods",
        "Gain against loss of detail, Adult",
        _methods,
        Lines(
            x="rgcp",
            y="gain",
            x_label="RGCP of all records",
            y_label="average gain of the adversary",
            series="method",
            series_label="one point for each release",
            joined=False,
        ),
    ),
    *_by("cost", "What is lost", COST),
    *_by("privacy", "What is given away", _PRIVACY),
    *_by("classes", "Sizes of classes", _CLASSES, _AXES[:2], replace(_CURVES, scale="log")),
    *_by(
        "time",
        "Time",
        _TIME,
        _AXES[:1],
        replace(_CURVES, y_label="seconds of a processor", panel=""),
    ),
)
