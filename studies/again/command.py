"""``make study STUDY=again``: the study, from a CSV file to figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from bkpriv_client.adult import read_adult
from bkpriv_client.options import Uri
from bkpriv_client.terminal import step
from studies.again import told
from studies.again.course import Course
from studies.again.design import FULL, QUICK
from studies.laboratory import own_database
from studies.procedure import Adult, Out, Quick, Study, mark

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
