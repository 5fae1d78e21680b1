"""``make study STUDY=amiri2016``: the study, from a CSV file and the clinic's model to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from bkpriv_client.options import Uri
from studies.amiri2016 import serial, single
from studies.amiri2016.design import FULL, QUICK
from studies.amiri2016.trial import enter
from studies.clinic.register import draw_register
from studies.procedure import Adult, Out, Quick, Study, in_database

__all__ = ["STUDY", "amiri2016"]

STUDY = Study("amiri2016", (*single.FIGURES, *serial.FIGURES))


def amiri2016(
    adult: Adult,
    out: Out,
    uri: Uri = "",
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Repeat the study of Amiri et al. 2016: data and picture of each figure.

    The clinic's weeks are published in a database of its own beside the given one, which it drops
    at the end: the role must be a superuser. All but the times comes out the same at every run.
    """
    design = QUICK if quick else FULL
    clinic = in_database(
        STUDY.name, lambda: draw_register(design.patients, design.weeks, design.seed), uri
    )
    STUDY.carry_out(enter(adult, design, clinic), design, out, only or ())
