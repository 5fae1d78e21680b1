"""The procedure of every study: find the data, measure each figure, write it, leave nothing else.

Rules
-----
- A study that goes through SQL works in a database of its own beside the given one, and drops it at
  the end.
- Each figure is written as soon as it is measured, so that an interrupted study keeps what it has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import typer
from rich.console import Console

from bkpriv_client.failure import ClientError
from bkpriv_client.source import Source
from bkpriv_client.terminal import make_console, step
from studies.figure import Figure
from studies.laboratory import Laboratory, own_database

__all__ = ["Adult", "Out", "Quick", "Study", "in_database", "mark"]

Adult = Annotated[
    Path,
    typer.Option(
        metavar="PATH",
        help="CSV file of the UCI Adult data, with hierarchy_ATTRIBUTE.csv files beside it.",
    ),
]

Out = Annotated[Path, typer.Option(metavar="DIR", help="Where to write figures; it is created.")]

Quick = Annotated[
    bool, typer.Option("--quick", help="Measure few points, to see whether it works.")
]

_Place = TypeVar("_Place")
_Design = TypeVar("_Design")


@dataclass(frozen=True)
class Study(Generic[_Place, _Design]):
    """A study of a paper."""

    name: str
    """The command's; its database, if it has one, is named after it."""
    figures: tuple[Figure[_Place, _Design], ...]

    @property
    def choice(self) -> str:
        """Names of the figures, for people."""
        return ", ".join(figure.name for figure in self.figures)

    def chosen(self, only: Iterable[str]) -> Sequence[Figure[_Place, _Design]]:
        """Return the figures of some names, or all if there are none.

        Raises:
            ClientError: If there is no figure of a name.
        """
        by_name = {figure.name: figure for figure in self.figures}
        wanted = list(only)
        unknown = [name for name in wanted if name not in by_name]
        if unknown:
            raise ClientError(
                f'there is no figure "{unknown[0]}"', hint=f"There are {self.choice}."
            )
        return [by_name[name] for name in wanted] or self.figures

    def carry_out(
        self,
        enter: Callable[[Console], AbstractContextManager[_Place]],
        design: _Design,
        out: Path,
        only: Iterable[str] = (),
    ) -> None:
        """Measure figures and write them into a directory.

        Args:
            enter: Finds the data and the place where they are measured, which is left at the end.
            only: Names of figures; all if there are none.
        """
        started = time.monotonic()
        figures = self.chosen(only)
        console = make_console()
        with enter(console) as place:
            out.mkdir(parents=True, exist_ok=True)
            for figure in figures:
                with step(console, figure.title) as advance:
                    figure.write(figure.measure(place, design, advance), out)
        console.print(f"\nFigures are in {out}. Done in {time.monotonic() - started:.0f} s.")


def mark(study: str) -> str:
    """Comment by which a study's database is known to be its own."""
    return f"Made by `make study STUDY={study}`, which drops it when it is done."


def in_database(
    study: str, read: Callable[[], Source], uri: str
) -> Callable[[Console], AbstractContextManager[Laboratory]]:
    """Return what loads a source into a database of a study's own.

    Args:
        uri: A database of the server, as a superuser.
    """

    @contextmanager
    def enter(console: Console) -> Iterator[Laboratory]:
        source = read()
        with own_database(uri, study, mark(study)) as connection:
            with step(console, f"Loading {source.records:,} {source.title}") as advance:
                laboratory = Laboratory(
                    connection, source, lambda count: advance(count / source.records)
                )
            yield laboratory

    return enter
