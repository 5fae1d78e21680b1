"""``make study STUDY=attacks``: the study, from a CSV file to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.attacks import found, small
from studies.attacks.design import FULL, QUICK
from studies.attacks.trial import enter
from studies.procedure import Adult, Out, Quick, Study

__all__ = ["STUDY", "attacks"]

STUDY = Study("attacks", (*found.FIGURES, *small.FIGURES))


def attacks(
    adult: Adult,
    out: Out,
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Attack releases of three tables in all ways: data and picture of each figure.

    Needs no server. All comes out the same at every run.
    """
    design = QUICK if quick else FULL
    STUDY.carry_out(enter(adult, design), design, out, only or ())
