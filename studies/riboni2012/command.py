"""``make study STUDY=riboni2012``: the study, from the clinic's model to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from bkpriv_client.options import Uri
from studies.clinic.register import draw_register
from studies.procedure import Out, Quick, Study, in_database
from studies.riboni2012 import cost, gain
from studies.riboni2012.design import FULL, QUICK

__all__ = ["STUDY", "riboni2012"]

STUDY = Study("riboni2012", (*gain.FIGURES, *cost.FIGURES))


def riboni2012(
    out: Out,
    uri: Uri = "",
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Repeat the study of Riboni et al. 2012: data and picture of each figure.

    Works in a database of its own beside the given one, which it drops at the end: the role must be
    a superuser. The data are drawn from the model of a clinic; all comes out the same at every run.
    """
    design = QUICK if quick else FULL
    clinic = in_database(
        STUDY.name, lambda: draw_register(design.patients, design.weeks, design.seed), uri
    )
    STUDY.carry_out(clinic, design, out, only or ())
