"""``make study STUDY=martin2007``: the study, from a CSV file to figures."""

from __future__ import annotations

from typing import Annotated

import typer

from bkpriv_client.adult import read_adult
from bkpriv_client.options import Uri
from studies.martin2007 import safety, worst
from studies.martin2007.design import FULL
from studies.martin2007.nodes import narrowed
from studies.procedure import Adult, Out, Study, in_database

__all__ = ["STUDY", "martin2007"]

STUDY = Study("martin2007", (*worst.FIGURES, *safety.FIGURES))


def martin2007(
    adult: Adult,
    out: Out,
    uri: Uri = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Repeat the study of Martin et al. 2007: data and picture of each figure.

    Works in a database of its own beside the given one, which it drops at the end: the role must be
    a superuser. All comes out the same at every run.
    """
    tables = in_database(STUDY.name, lambda: narrowed(read_adult(adult)), uri)
    STUDY.carry_out(tables, FULL, out, only or ())
