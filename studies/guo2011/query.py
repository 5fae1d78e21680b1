"""Figure 6: error of counts by all attributes, and by every choice of them.

The relative error of a count is that of `query_accuracy`; it is undefined, and left out, where
nothing is counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from bkpriv_client.terminal import Advance
from bkpriv_core.query.grouping import cube
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.query.workload import relative_errors
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray
from studies.figure import Figure, Lines, Row, Value
from studies.guo2011.design import BOUND, GROUPED, RR_QI, TABLES, Design
from studies.guo2011.reading import Reading, readings
from studies.guo2011.spread import Point, spreads
from studies.guo2011.workshop import Workshop
from studies.laboratory import paced

__all__ = ["FIGURES"]

_COMPARED = (RR_QI, *GROUPED)

_MOST = len(TABLES["ESGRO"]) - 1
_QUERIES = {str(_MOST): "(a) GROUP BY all attributes", "cube": "(b) CUBE of all attributes"}
"""The paper's queries by the name of their average."""


def _errors(release: Release) -> dict[str, dict[str, float]]:
    """Mean relative errors by estimate."""
    return {estimate: _averages(release, read) for estimate, read in readings(release).items()}


def _averages(release: Release, read: Reading) -> dict[str, float]:
    """Mean errors of the cube, and of counts by the sensitive and so many other attributes."""
    sensitive = len(release.domains) - 1
    by_others: dict[str, list[FloatArray]] = {"cube": []}
    for keys in cube([(place,) for place in range(len(release.domains))]):
        codes, actual = release.actual.by_key(EVERYTHING, keys)
        errors = relative_errors(actual, read(keys)[tuple(codes.T)].reshape(actual.shape))
        by_others["cube"].append(errors)
        if sensitive in keys:
            by_others.setdefault(str(len(keys) - 1), []).append(errors)
    return {name: float(np.concatenate(errors).mean()) for name, errors in by_others.items()}


def _measured(
    column: str,
    names: Mapping[str, Value],
    points: Iterable[Point],
    workshop: Workshop,
    design: Design,
    advance: Advance,
) -> list[Row]:
    """Averages of some names, which are written in a column as they are called there."""
    rows: list[Row] = []
    for point in paced(points, advance, lambda item: f"{item.kind.name}, l = {item.ell}"):
        for released, told in spreads(workshop, design, point, _errors).items():
            rows += [
                {
                    "table": point.table,
                    "released": released,
                    "l": point.ell,
                    column: called,
                    "error": told[name].mean,
                    "deviation": told[name].deviation,
                }
                for name, called in names.items()
                if name in told
            ]
    return rows


def _by_query(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    settings = itertools.product(_COMPARED, design.levels)
    points = [Point("ESGRO", kind, ell) for kind, ell in settings]
    return _measured("query", _QUERIES, points, workshop, design, advance)


def _by_others(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    points = [Point("ESGRO", kind, design.level) for kind in _COMPARED]
    others = {str(number): number for number in range(1, _MOST + 1)}
    return _measured("quasi_identifiers", others, points, workshop, design, advance)


def _picture(x: str, x_label: str, panel: str = "") -> Lines:
    return Lines(
        x=x,
        y="error",
        x_label=x_label,
        y_label="average relative error",
        series="released",
        series_label="mean of several draws, and standard deviation of one",
        spread="deviation",
        panel=panel,
        scale="log",
    )


FIGURES = (
    Figure(
        "figure_6", "Figure 6: error of counts, ESGRO", _by_query, _picture("l", BOUND, "query")
    ),
    Figure(
        "extra_cube",
        "Error of counts by the occupation and some quasi-identifiers, ESGRO",
        _by_others,
        _picture("quasi_identifiers", "quasi-identifiers beside the occupation"),
    ),
)
