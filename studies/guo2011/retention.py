"""Table 3, the optimal retentions, and what finding them costs.

A retention is the probability with which a value is kept. Where a scheme cannot keep risks at or
below 1 / l there are none; the data say what it can get to, and how many records stand in the way.
"""

from __future__ import annotations

import itertools
import time
from statistics import median

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.guo2011.design import (
    BOUND,
    GROUPED,
    RANDOMIZED,
    RISK,
    RR_BOTH,
    RR_QI,
    Design,
    Kind,
)
from studies.guo2011.workshop import Workshop, find_retentions
from studies.laboratory import paced

__all__ = ["FIGURES"]


def _of_emgrw(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    return _retentions(workshop, design, advance, "EMGRW")


def _of_esgro(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    return _retentions(workshop, design, advance, "ESGRO")


def _retentions(workshop: Workshop, design: Design, advance: Advance, name: str) -> list[Row]:
    rows: list[Row] = []
    settings = itertools.product(RANDOMIZED, design.levels)
    for kind, ell in paced(settings, advance, lambda item: f"{item[0].name}, l = {item[1]}"):
        found = workshop.retentions(name, kind, ell)
        domains = workshop.tables[name].domains
        rows += [
            {
                "table": name,
                "scheme": kind.name,
                "l": ell,
                "attribute": domain.name,
                "values": domain.size,
                "retention": channel.retention if channel else None,
                "epsilon": channel.epsilon if channel else None,
                "risk": found.risk,
                "objective": found.objective,
                "best_attainable": found.best,
                "records_over": found.over,
            }
            for domain, channel in zip(
                domains, found.channels or itertools.repeat(None, len(domains)), strict=True
            )
        ]
    return rows


def _times(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    rows: list[Row] = []
    settings = itertools.product(design.levels, (RR_QI, RR_BOTH, *GROUPED))
    for ell, kind in paced(settings, advance, lambda item: f"{item[1].name}, l = {item[0]}"):
        seconds = [_time(workshop, kind, ell, number) for number in range(design.rounds)]
        rows.append({"table": "ESGRO", "released": kind.name, "l": ell, "seconds": median(seconds)})
    return rows


def _time(workshop: Workshop, kind: Kind, ell: int, number: int) -> float:
    """Processor time of a release of ESGRO: to find channels and draw, or to group and certify."""
    seconds = 0.0
    if kind.scheme is not None:
        started = time.process_time()
        find_retentions(workshop.tables["ESGRO"], kind, ell)
        seconds = time.process_time() - started
        workshop.retentions("ESGRO", kind, ell)
    started = time.process_time()
    workshop.make("ESGRO", kind, ell, number)
    return seconds + time.process_time() - started


_PICTURE = Lines(
    x="l",
    y="retention",
    x_label=RISK,
    y_label="probability that a value is kept",
    series="attribute",
    panel="scheme",
)

FIGURES = (
    Figure(
        "table_3",
        "Table 3: optimal retentions, EMGRW",
        _of_emgrw,
        _PICTURE,
    ),
    Figure(
        "extra_retentions",
        "Optimal retentions, ESGRO",
        _of_esgro,
        _PICTURE,
    ),
    Figure(
        "extra_time",
        "Processor time of making a release of ESGRO",
        _times,
        Lines(
            x="l",
            y="seconds",
            x_label=BOUND,
            y_label="seconds of a processor",
            series="released",
            scale="log",
        ),
    ),
)
