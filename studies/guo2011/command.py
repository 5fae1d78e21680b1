"""``make study STUDY=guo2011``: the study, from a CSV file to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.guo2011 import association, belief, distance, query, retention
from studies.guo2011.design import FULL, QUICK
from studies.guo2011.workshop import in_process
from studies.procedure import Adult, Out, Quick, Study

__all__ = ["STUDY", "guo2011"]

STUDY = Study(
    "guo2011",
    tuple(
        figure
        for topic in (retention, distance, query, association, belief)
        for figure in topic.FIGURES
    ),
)


def guo2011(
    adult: Adult,
    out: Out,
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Repeat the study of Guo et al. 2011: data and picture of each figure.

    Needs no server. All but the times comes out the same at every run.
    """
    design = QUICK if quick else FULL
    STUDY.carry_out(in_process(adult, design.seed), design, out, only or ())
