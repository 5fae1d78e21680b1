"""Figures 5a and 5b, the general measures of utility, and 6a and 6b, the error of count queries.

The paper leaves open how its queries are drawn; `bkpriv.query_workload` says how ours are. All
tables answer the same queries. The relative error of a query that nobody fulfils is undefined; such
queries are counted and left out of the averages.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory, paced
from studies.li2009.design import TABLES, USUAL, Design

__all__ = ["FIGURES"]

_METRICS = ("discernibility", "gcp", "average_class_size", "suppressed_share")


def _general(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    settings = itertools.product(design.parameters, TABLES)
    rows: list[Row] = []
    for parameters, table in paced(
        settings, advance, lambda item: f"{item[1].name}, {item[0].name}"
    ):
        requirements = table.requirements(parameters)
        release = laboratory.publish(requirements, table.estimator).release
        measured = laboratory.utility(release)
        figures = {metric: measured[metric] for metric in _METRICS}
        rows.append({"table": table.name, "parameters": parameters.name, **figures})
    return rows


def _by_dimension(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    kinds = ((dimension, design.selectivity) for dimension in design.dimensions)
    return _queries(laboratory, design, kinds, advance)


def _by_selectivity(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    kinds = ((design.dimension, selectivity) for selectivity in design.selectivities)
    return _queries(laboratory, design, kinds, advance)


def _queries(
    laboratory: Laboratory,
    design: Design,
    kinds: Iterable[tuple[int, float]],
    advance: Advance,
) -> list[Row]:
    """Queries of several kinds, of a dimension and a selectivity each, over every table."""
    rows: list[Row] = []
    for (dimension, selectivity), table in paced(
        itertools.product(kinds, TABLES),
        advance,
        lambda item: f"{item[1].name}, dimension {item[0][0]}, selectivity {item[0][1]}",
    ):
        release = laboratory.publish(table.requirements(USUAL), table.estimator).release
        row = laboratory.connection.execute(
            "SELECT avg(relative_error),"
            " stddev(relative_error) / sqrt(count(relative_error)),"
            " percentile_cont(0.5) WITHIN GROUP (ORDER BY relative_error),"
            " count(relative_error), count(*)"
            " FROM bkpriv.query_workload(%s, %s, %s, %s, %s)",
            [release, design.queries, dimension, selectivity, design.seed],
        ).fetchone()
        assert row is not None
        mean, error, middle, defined, queries = row
        rows.append(
            {
                "table": table.name,
                "dimension": dimension,
                "selectivity": selectivity,
                "mean_relative_error": mean,
                "standard_error": error,
                "median_relative_error": middle,
                "queries": queries,
                "undefined": queries - defined,
            }
        )
    return rows


FIGURES = (
    Figure(
        "figure_5a",
        "Figure 5(a): discernibility",
        _general,
        Lines(
            x="parameters",
            y="discernibility",
            x_label="privacy parameters (Table V)",
            joined=False,
            y_label="discernibility (squared records)",
            series="table",
            scale="log",
        ),
    ),
    Figure(
        "figure_5b",
        "Figure 5(b): global certainty penalty",
        _general,
        Lines(
            x="parameters",
            y="gcp",
            x_label="privacy parameters (Table V)",
            joined=False,
            y_label="share of detail lost (GCP, 0 to 1)",
            series="table",
        ),
    ),
    Figure(
        "figure_6a",
        "Figure 6(a): error of count queries against dimension, para1",
        _by_dimension,
        Lines(
            x="dimension",
            y="mean_relative_error",
            x_label="quasi-identifiers in the query",
            y_label="average relative error, and its standard error",
            series="table",
            spread="standard_error",
            scale="log",
        ),
    ),
    Figure(
        "figure_6b",
        "Figure 6(b): error of count queries against selectivity, para1",
        _by_selectivity,
        Lines(
            x="selectivity",
            across="log",
            y="mean_relative_error",
            x_label="share of combinations of values that a query asks for",
            y_label="average relative error, and its standard error",
            series="table",
            spread="standard_error",
            scale="log",
        ),
    ),
)
