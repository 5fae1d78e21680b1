"""``make study STUDY=li2009``: the study, from a CSV file to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from bkpriv_client.adult import read_adult
from bkpriv_client.options import Uri
from studies.li2009 import attack, continuity, cost, inference, utility
from studies.li2009.design import FULL, QUICK
from studies.procedure import Adult, Out, Quick, Study, in_database

__all__ = ["STUDY", "li2009"]

STUDY = Study(
    "li2009",
    tuple(
        figure
        for topic in (attack, continuity, utility, inference, cost)
        for figure in topic.FIGURES
    ),
)


def li2009(
    adult: Adult,
    out: Out,
    uri: Uri = "",
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Repeat the study of Li, Li and Zhang 2009: data and picture of each figure.

    Works in a database of its own beside the given one, which it drops at the end: the role must be
    a superuser. All but the times comes out the same at every run.
    """
    design = QUICK if quick else FULL
    STUDY.carry_out(
        in_database(STUDY.name, lambda: read_adult(adult), uri), design, out, only or ()
    )
