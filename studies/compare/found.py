"""Loss of detail and its companions, and what publishing took."""

from __future__ import annotations

from bkpriv_client.terminal import Advance
from studies.compare.design import ATTACKERS, Design
from studies.compare.trial import Site, Trial
from studies.figure import Figure, Lines, Row

__all__ = ["FIGURES"]

_DETAIL = ("loss", "left_out", "groups", "error", "k", "l", "t", "beta", *ATTACKERS)


def _named(trial: Trial, site: Site) -> dict[str, str | int]:
    """Columns that tell trials apart."""
    return {
        "table": trial.table,
        "records": trial.records,
        "place": f"{trial.table}, {trial.records:,} records",
        "sample": trial.sample,
        "bounds": trial.bounds,
        "tool": trial.tool.name,
        "version": site.versions[trial.tool.package],
    }


def _detail(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Measure what is published by each tool."""
    return [
        {**_named(trial, site), **{name: trial.figures.get(name) for name in _DETAIL}}
        for trial in site.tried(advance)
        if trial.figures
    ]


def _cost(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Measure what publishing takes."""
    return [
        {
            **_named(trial, site),
            "outcome": trial.outcome,
            "seconds": trial.seconds,
            "megabytes": trial.megabytes,
        }
        for trial in site.tried(advance)
    ]


FIGURES = (
    Figure(
        "detail",
        "Detail lost by each tool; a point for each sample",
        _detail,
        Lines(
            x="loss",
            y="tool",
            x_label="loss of detail (GCP; left out counts 1)",
            y_label="tool",
            series="bounds",
            panel="place",
            joined=False,
        ),
    ),
    Figure(
        "cost",
        "CPU time of publishing; a point for each sample",
        _cost,
        Lines(
            x="seconds",
            y="tool",
            x_label="CPU seconds",
            y_label="tool",
            series="bounds",
            panel="place",
            across="log",
            joined=False,
        ),
    ),
)
