"""``make compare``: the comparison, from a CSV file to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.compare.design import FULL, QUICK
from studies.compare.found import FIGURES
from studies.compare.trial import enter
from studies.procedure import Adult, Out, Quick, Study

__all__ = ["STUDY", "compare"]

STUDY = Study("compare", FIGURES)


def compare(
    adult: Adult,
    out: Out,
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Have other tools publish the same tables, and measure all alike.

    Needs no server. The other tools are in an environment of their own, .build/compare.
    """
    design = QUICK if quick else FULL
    STUDY.carry_out(enter(adult, design), design, out, only or ())
