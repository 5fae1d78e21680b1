"""Figures 4a and 4b: how long tables and priors take.

A publication is timed as a whole, in a session that has published before: one SQL call that counts
the source, computes priors, forms groups, certifies them and writes the release. The paper leaves
the priors out; here they are in, since they are a hundredth of a second. Priors are timed as the
SQL call that returns them all. The line for a bandwidth near 0, at which there is nothing to
smooth, is what reading the source and returning the figures takes.
"""

from __future__ import annotations

import itertools
import time
from statistics import median

from psycopg import sql

from bkpriv_client.server import scalar
from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory, paced
from studies.li2009.design import TABLES, Design

__all__ = ["FIGURES"]

_NOTHING = 1e-9
"""Bandwidth at which every cell's prior is its own share."""


def _publications(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    settings = itertools.product(design.parameters, TABLES)
    return [
        {
            "table": table.name,
            "parameters": parameters.name,
            "seconds": laboratory.time_publication(
                table.requirements(parameters), table.estimator, design.rounds
            ),
        }
        for parameters, table in paced(
            settings, advance, lambda item: f"{item[1].name}, {item[0].name}"
        )
    ]


def _priors(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    sizes = [round(share * laboratory.source.records) for share in design.shares]
    datasets = {size: laboratory.sample(size, design.seed) for size in sizes}
    settings = itertools.product((_NOTHING, *design.adversaries), sizes)
    rows: list[Row] = []
    for bandwidth, size in paced(
        settings, advance, lambda item: f"{item[1]} records, b = {item[0]}"
    ):
        seconds = [_time_prior(laboratory, datasets[size], bandwidth) for _ in range(design.rounds)]
        name = "near 0: no smoothing" if bandwidth == _NOTHING else f"{bandwidth}"
        rows.append({"records": size, "b": name, "seconds": median(seconds)})
    return rows


def _time_prior(laboratory: Laboratory, dataset: str, bandwidth: float) -> float:
    """Seconds of a call of ``prior``, whose rows stay in the server."""
    started = time.perf_counter()
    scalar(
        laboratory.connection,
        sql.SQL("SELECT count(*) FROM bkpriv.prior(%s, to_jsonb(%s::float8))"),
        dataset,
        bandwidth,
    )
    return time.perf_counter() - started


FIGURES = (
    Figure(
        "figure_4a",
        "Figure 4(a): time to publish",
        _publications,
        Lines(
            x="parameters",
            y="seconds",
            x_label="privacy parameters (Table V)",
            joined=False,
            y_label="time (s)",
            series="table",
        ),
    ),
    Figure(
        "figure_4b",
        "Figure 4(b): time to compute priors",
        _priors,
        Lines(
            x="records",
            y="seconds",
            x_label="records",
            y_label="time (s)",
            series="b",
            series_label="bandwidth b",
        ),
    ),
)
