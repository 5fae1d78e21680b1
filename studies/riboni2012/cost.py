"""Figures 8(a) and 8(b), what detail and which answers are lost; and gain against loss."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from statistics import mean

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory, paced
from studies.riboni2012.design import (
    BEST,
    DEFENCES,
    DK,
    JS_REDUCE,
    Defence,
    Design,
    js_reduce,
    skyline,
)
from studies.riboni2012.history import Released, learn, published

__all__ = ["FIGURES"]


def _weighed(
    laboratory: Laboratory, design: Design, defence: Defence, advance: Advance
) -> Sequence[Released]:
    """Return the releases whose utility is measured."""
    releases = published(laboratory, design, defence, advance)
    return releases[:: -design.weighed][::-1]


def _detail(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    rows: list[Row] = []
    for defence in DEFENCES:
        for released in _weighed(laboratory, design, defence, advance):
            advance(None, f"{defence.name}, week {released.week}")
            utility = laboratory.utility(released.release)
            rows.append(
                {
                    "defence": defence.name,
                    "week": released.week,
                    "gcp": utility["gcp"],
                    "average_class_size": utility["average_class_size"],
                    "suppressed": released.suppressed,
                }
            )
    return rows


def _suppressed(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    return [
        {
            "defence": defence.name,
            "week": released.week,
            "suppressed": released.suppressed,
            "share": released.suppressed / design.patients,
        }
        for defence in DEFENCES
        for released in published(laboratory, design, defence, advance)
    ]


def _queries(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Count queries over the last week's releases; all answer the same."""
    rows: list[Row] = []
    for selectivity, defence in paced(
        itertools.product(design.selectivities, DEFENCES),
        advance,
        lambda item: f"{item[1].name}, selectivity {item[0]}",
    ):
        released = published(laboratory, design, defence, advance)[-1]
        row = laboratory.connection.execute(
            "SELECT percentile_cont(ARRAY[0.5, 0.25, 0.75]) WITHIN GROUP (ORDER BY relative_error),"
            " avg(relative_error), count(relative_error), count(*)"
            " FROM bkpriv.query_workload(%s, %s, %s, %s, %s)",
            [
                released.release,
                design.queries,
                len(laboratory.source.quasi_identifiers),
                selectivity,
                design.seed,
            ],
        ).fetchone()
        assert row is not None
        (middle, lower, upper), average, defined, queries = row
        rows.append(
            {
                "defence": defence.name,
                "selectivity": selectivity,
                "median_relative_error": middle,
                "lower_quartile": lower,
                "upper_quartile": upper,
                "mean_relative_error": average,
                "queries": queries,
                "undefined": queries - defined,
            }
        )
    return rows


def _families(design: Design) -> Iterable[tuple[str, Defence, str]]:
    """Name families of defences, and their members in order, with what tells these apart."""
    for j in design.thresholds:
        yield "JS-reduce by omega, by j", js_reduce(j), f"j = {j:g}"
    for t in design.bounds:
        yield "sequential (B,t) by omega, by t", skyline(t), f"t = {t:g}"
    for defence in DEFENCES:
        if defence not in (JS_REDUCE, skyline(0.2)):
            yield defence.name, defence, ""


def _trade(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    """Compare the final gain of the best informed adversary with the average loss of detail."""
    rows: list[Row] = []
    for family, defence, threat in _families(design):
        finding = learn(laboratory, design, defence, DK, BEST, advance)[-1]
        weighed = _weighed(laboratory, design, defence, advance)
        gcp = mean(laboratory.utility(released.release)["gcp"] for released in weighed)
        suppressed = mean(
            released.suppressed for released in published(laboratory, design, defence, advance)
        )
        rows.append(
            {
                "family": family,
                "defence": defence.name,
                "setting": threat,
                "gcp": gcp,
                "gain": finding.gain,
                "confidence": finding.confidence,
                "worst": finding.worst,
                "suppressed_share": suppressed / design.patients,
            }
        )
    return rows


FIGURES = (
    Figure(
        "figure_8a",
        "Figure 8(a): loss of detail",
        _detail,
        Lines(
            x="week",
            y="gcp",
            x_label="week",
            y_label="global certainty penalty",
            series="defence",
        ),
    ),
    Figure(
        "figure_8b",
        "Figure 8(b): error of count queries, last week",
        _queries,
        Lines(
            x="selectivity",
            across="log",
            y="median_relative_error",
            x_label="share of combinations of values that a query asks for",
            y_label="median relative error, and its quartiles",
            series="defence",
            spread=("lower_quartile", "upper_quartile"),
        ),
    ),
    Figure(
        "extra_suppressed",
        "Records left out",
        _suppressed,
        Lines(
            x="week",
            y="share",
            x_label="week",
            y_label="share of the week's records",
            series="defence",
        ),
    ),
    Figure(
        "extra_trade",
        "Gain in the last week against loss of detail",
        _trade,
        Lines(
            x="gcp",
            y="gain",
            x_label="global certainty penalty, average of weeks",
            y_label="gain in the last week (DK, auto)",
            series="family",
            note="setting",
        ),
    ),
)
