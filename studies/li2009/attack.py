"""Figures 1a and 1b, and the one the paper could not draw: records vulnerable to knowledge.

A record is vulnerable if the release moves the belief of the adversary about it by more than t. The
paper measures that with the omega-estimate; inferred as well as can be, which is exactly for nearly
all groups, it is another figure.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import psycopg

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Finding, Laboratory, paced
from studies.li2009.design import (
    BY_OMEGA,
    CERTIFIED,
    TABLES,
    USUAL,
    Design,
    Parameters,
    TableKind,
)

__all__ = ["FIGURES"]

_VULNERABLE = "vulnerable records"


def _audit(
    laboratory: Laboratory, design: Design, table: TableKind, parameters: Parameters, estimator: str
) -> list[Finding]:
    """Audit a table against all adversaries, who are measured together."""
    requirements = table.requirements(parameters)
    release = laboratory.publish(requirements, table.estimator).release
    return laboratory.audit(release, design.adversaries, parameters.t, estimator)


def _row(table: TableKind, parameters: Parameters, estimator: str, finding: Finding) -> Row:
    return {
        "table": table.name,
        "parameters": parameters.name,
        "t": parameters.t,
        "adversary": finding.bandwidth,
        "estimator": estimator,
        "vulnerable": finding.vulnerable,
        "worst": finding.worst,
        "mean": finding.mean,
        "estimator_used": finding.estimator_used,
    }


def _against_adversaries(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Every adversary against every table of every row of Table V."""
    settings = itertools.product(design.estimators, design.parameters, TABLES)
    return [
        _row(table, parameters, estimator, finding)
        for estimator, parameters, table in paced(
            settings, advance, lambda item: f"{item[2].name}, {item[1].name}, {item[0]}"
        )
        for finding in _audit(laboratory, design, table, parameters, estimator)
    ]


def _against_parameters(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Measure, of these tables, the adversary that the (B,t)-private ones are made for."""
    rows = _against_adversaries(laboratory, design, advance)
    return [row for row in rows if row["adversary"] == USUAL.b]


def _against_thresholds(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """(B,t)-private tables under exact inference, where that is feasible."""
    settings = itertools.product(design.thresholds, (BY_OMEGA, CERTIFIED), ("omega", "exact"))
    rows: list[Row] = []
    for t, table, estimator in paced(
        settings, advance, lambda item: f"t = {item[0]}, {item[1].name}, {item[2]}"
    ):
        parameters = replace(USUAL, name="", t=t)
        release = laboratory.publish(table.requirements(parameters), table.estimator).release
        try:
            (finding,) = laboratory.audit(release, [parameters.b], t, estimator)
        except psycopg.errors.ProgramLimitExceeded:
            (finding,) = laboratory.audit(release, [parameters.b], t, "auto")
        measured = "by omega" if estimator == "omega" else "exactly if feasible"
        row = dict(_row(table, parameters, estimator, finding))
        del row["parameters"]
        rows.append({"line": f"{table.name}, measured {measured}", **row})
    return rows


FIGURES = (
    Figure(
        "figure_1a",
        "Figure 1(a): vulnerable records against b′, para1",
        _against_adversaries,
        Lines(
            x="adversary",
            y="vulnerable",
            x_label="bandwidth b′ of the adversary",
            y_label=_VULNERABLE,
            series="table",
            scale="symlog",
            panel="estimator",
            panel_label="beliefs inferred by {}",
            where={"parameters": USUAL.name},
        ),
    ),
    Figure(
        "figure_1b",
        "Figure 1(b): vulnerable records against privacy parameters, b′ = 0.3",
        _against_parameters,
        Lines(
            x="parameters",
            y="vulnerable",
            x_label="privacy parameters (Table V)",
            joined=False,
            y_label=_VULNERABLE,
            series="table",
            scale="symlog",
            panel="estimator",
            panel_label="beliefs inferred by {}",
        ),
    ),
    Figure(
        "extra_thresholds",
        "Vulnerable records of (B,t)-private tables against t",
        _against_thresholds,
        Lines(
            x="t",
            y="vulnerable",
            x_label="t (bits); b = b′ = 0.3",
            y_label=_VULNERABLE,
            series="line",
        ),
    ),
)
