"""``bkpriv bench again``: the study, from a CSV file to figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from bkpriv_core.cli.adult import read_adult
from bkpriv_core.cli.options import Uri
from bkpriv_core.cli.study.again import told
from bkpriv_core.cli.study.again.course import Course
from bkpriv_core.cli.study.again.design import FULL, QUICK
from bkpriv_core.cli.study.laboratory import own_database
from bkpriv_core.cli.study.procedure import Adult, Out, Quick, Study, mark
from bkpriv_core.cli.terminal import step

__all__ = ["STUDY", "again"]

STUDY = Study("again", told.FIGURES)


def again(
    adult: Adult,
    out: Out,
    uri: Uri = "",
    quick: Quick = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE", help=f"Only this one; repeatable. {STUDY.choice}."),
    ] = None,
) -> None:
    """Publish a table again that grows, in several ways: data and picture of each figure.

    Works in a database of its own beside the given one, which it drops at the end: the role must be
    a superuser. Lots decide which of equal records is in which group, so that figures differ a
    little from run to run.
    """
    design = QUICK if quick else FULL

    @contextmanager
    def enter(console: Console) -> Iterator[Course]:
        with step(console, f"Reading {adult.name} and its hierarchies"):
            source = read_adult(adult)
        with own_database(uri, STUDY.name, mark(STUDY.name)) as connection:
            yield Course(connection, source)

    STUDY.carry_out(enter, design, out, only or ())
