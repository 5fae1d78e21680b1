"""A measured figure beside its baseline, and how figures are taken, shown and kept.

Seconds differ from machine to machine and from hour to hour; their ratio to a baseline that is
measured in the same run, in turn with it, hardly does. So targets are of ratios alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from rich.table import Table
from rich.text import Text

from bkpriv_client.terminal import make_table

__all__ = ["Figure", "alternate", "figure_table", "seconds_against", "written"]


@dataclass(frozen=True)
class Figure:
    """A figure beside its baseline."""

    what: str
    ours: str
    baseline: str
    ratio: float | None = None
    """The figure over its baseline, or the reverse where `target` says so."""
    target: str = ""
    """Target of the ratio; empty if it is only reported."""
    met: bool | None = None
    """Whether it is; None if there is no target, or no way to measure it here."""


def seconds_against(
    what: str, ours: float, beside: str, baseline: float, most: float | None = None
) -> Figure:
    """Seconds beside those of a baseline, of whose ratio there may be a target."""
    return Figure(
        what,
        f"{ours:.2f} s",
        f"{beside} {baseline:.2f} s",
        ours / baseline,
        "" if most is None else f"ratio {most:g}",
        None if most is None else ours <= most * baseline,
    )


def alternate(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Median seconds of each of several works, run in turn, `rounds` times each.

    They alternate so that whatever else the machine does falls on all of them.
    """
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for taken, work in zip(seconds, works, strict=True):
            started = time.perf_counter()
            work()
            taken.append(time.perf_counter() - started)
    return [median(taken) for taken in seconds]


def figure_table(figures: Sequence[Figure]) -> Table:
    """Lay out figures."""
    numbers = ("ours", "baseline", "ratio")
    table = make_table("what", *numbers, "target", "met?", numbers=numbers)
    verdicts = {
        None: Text("", style="dim"),
        True: Text("yes", style="green"),
        False: Text("NO", style="bold red"),
    }
    for figure in figures:
        table.add_row(
            figure.what,
            figure.ours,
            figure.baseline,
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            figure.target,
            verdicts[figure.met],
        )
    return table


def written(figures: Sequence[Figure]) -> str:
    """Figures as a table in Markdown."""
    verdicts = {None: "", True: "yes", False: "**no**"}
    rows = [
        ("what", "ours", "beside", "ratio", "target", "met"),
        ("---", "--:", "--:", "--:", "---", "---"),
        *(
            (
                figure.what.replace("    ", "– "),
                figure.ours,
                figure.baseline,
                "" if figure.ratio is None else f"{figure.ratio:.2f}",
                figure.target,
                verdicts[figure.met],
            )
            for figure in figures
        ),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
