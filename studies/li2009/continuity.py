"""Figures 3a and 3b: whether the worst disclosure changes gradually with the bandwidths."""

from __future__ import annotations

import itertools

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Grid, Lines, Row
from studies.laboratory import Laboratory, paced
from studies.li2009.design import (
    BY_OMEGA,
    CERTIFIED,
    USUAL,
    Design,
    TableKind,
    bt_privacy,
)

__all__ = ["FIGURES"]

# What the paper did; the same tables seen without its estimate; and what the extension does.
_VIEWS = ((BY_OMEGA, "omega"), (BY_OMEGA, "auto"), (CERTIFIED, "auto"))


def _measured(table: TableKind, estimator: str) -> str:
    return f"{table.name}, measured by {estimator}"


def _one_bandwidth(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Every adversary against tables made for every bandwidth."""
    settings = itertools.product(_VIEWS, design.bandwidths)
    rows: list[Row] = []
    for (table, estimator), bandwidth in paced(
        settings, advance, lambda item: f"{_measured(*item[0])}, b = {item[1]}"
    ):
        policy = bt_privacy(USUAL, bandwidth)
        release = laboratory.publish(policy, table.estimator).release
        findings = laboratory.audit(release, design.adversaries, USUAL.t, estimator)
        rows += [
            {
                "view": _measured(table, estimator),
                "b": bandwidth,
                "adversary": finding.bandwidth,
                "worst": finding.worst,
                "vulnerable": finding.vulnerable,
                "estimator_used": finding.estimator_used,
            }
            for finding in findings
        ]
    return rows


def _two_bandwidths(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Measure one adversary against tables made for B = (b₁, b₁, b₁, b₂, b₂, b₂)."""
    names = laboratory.source.quasi_identifiers
    half = len(names) // 2
    settings = itertools.product(_VIEWS, design.first_bandwidths, design.second_bandwidths)
    rows: list[Row] = []
    for (table, estimator), first, second in paced(
        settings, advance, lambda item: f"{_measured(*item[0])}, b = {item[1]}, {item[2]}"
    ):
        policy = bt_privacy(
            USUAL,
            dict.fromkeys(names[:half], first) | dict.fromkeys(names[half:], second),
        )
        release = laboratory.publish(policy, table.estimator).release
        (finding,) = laboratory.audit(release, [USUAL.b], USUAL.t, estimator)
        rows.append(
            {
                "view": _measured(table, estimator),
                "b1": first,
                "b2": second,
                "adversary": finding.bandwidth,
                "worst": finding.worst,
                "vulnerable": finding.vulnerable,
                "estimator_used": finding.estimator_used,
            }
        )
    return rows


FIGURES = (
    Figure(
        "figure_3a",
        "Figure 3(a): worst disclosure against b, t = 0.25",
        _one_bandwidth,
        Lines(
            x="b",
            y="worst",
            x_label="bandwidth b that the table is made for",
            y_label="worst disclosure (bits)",
            series="adversary",
            series_label="bandwidth b′ of the adversary",
            panel="view",
            bound=USUAL.t,
            bound_label=f"t = {USUAL.t:g}",
        ),
    ),
    Figure(
        "figure_3b",
        "Figure 3(b): worst disclosure against b₁ and b₂, b′ = 0.3, t = 0.25",
        _two_bandwidths,
        Grid(
            x="b1",
            y="b2",
            x_label="b₁ (age, workclass, education)",
            y_label="b₂ (marital status, race, sex)",
            value="worst",
            value_label="worst disclosure (bits)",
            panel="view",
        ),
    ),
)
