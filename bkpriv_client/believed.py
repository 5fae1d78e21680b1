"""Picture of an attack: beliefs with a release against those without, and how far claims hold.

Rules
-----
- To the left each kind of people is a point: the belief in what the attacker believes most of them,
  without the release and with it. Its area is the number of people. Filled are kinds in which
  somebody has the value; crosses are those in which nobody has. The corner of breaches is shaded.
- To the right people are sorted by that belief: how many of them have the value, against how many
  should. On the diagonal the attacker is as often right as they believe; the share of the people
  stands below.
- No two things are told apart by colour only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Belief", "draw_beliefs"]

_RIGHT, _WRONG, _SHADE = "#0072B2", "#D55E00", "#F0E442"

_BINS = 10
"""Classes of beliefs to the right."""

_AREA = 30_000
"""Area of all people's points, in square points."""

_SMALLEST, _LARGEST = 4.0, 400.0
"""Least and largest area of a point."""


class Belief(NamedTuple):
    """Belief of an attacker about one kind of people."""

    baseline: float
    believed: float
    """Belief in the value that is believed most, without the release and with it."""
    records: int
    correct: int
    breached: int
    """People of the kind, those who have the value, and those who are breached by it."""


def draw_beliefs(
    file: IO[bytes],
    kind: str,
    title: str,
    beliefs: Sequence[Belief],
    *,
    sure: float,
    unsure: float,
) -> None:
    """Draw beliefs.

    Args:
        sure, unsure: Limits that define who is breached.
    """
    from matplotlib.figure import Figure as Canvas  # slow to import
    from matplotlib.ticker import PercentFormatter

    canvas = Canvas(figsize=(11.5, 6), layout="constrained")
    grid = canvas.add_gridspec(2, 2, height_ratios=(4, 1))
    moved = canvas.add_subplot(grid[:, 0])
    held = canvas.add_subplot(grid[0, 1])
    people = canvas.add_subplot(grid[1, 1], sharex=held)
    _draw_moved(moved, beliefs, sure, unsure)
    _draw_held(held, people, beliefs)
    breached = sum(each.breached for each in beliefs)
    canvas.suptitle(f"{title}: {breached:,} people breached")
    for axis in (moved, held, people):
        axis.xaxis.set_major_formatter(PercentFormatter(1))
        axis.grid(color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    people.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for axis in (moved, held):
        axis.yaxis.set_major_formatter(PercentFormatter(1))
        axis.plot([0, 1], [0, 1], color="#666666", linewidth=1, linestyle="--", zorder=1)
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1.02)
    canvas.savefig(file, format=kind, dpi=130)


def _draw_moved(axis: Axes, beliefs: Sequence[Belief], sure: float, unsure: float) -> None:
    axis.fill_between([0, unsure], sure, 1.02, color=_SHADE, alpha=0.5, zorder=0, linewidth=0)
    white = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5}
    words = "breached, if right"
    axis.text(0.01, sure - 0.03, words, fontsize="small", bbox=white, zorder=5)
    unit = _AREA / max(sum(each.records for each in beliefs), 1)
    for right, marker, colour, words in (
        (False, "x", _WRONG, "nobody of the kind has the value"),
        (True, "o", _RIGHT, "somebody has it"),
    ):
        some = [each for each in beliefs if (each.correct > 0) is right]
        axis.scatter(
            [each.baseline for each in some],
            [each.believed for each in some],
            s=[min(max(unit * each.records, _SMALLEST), _LARGEST) for each in some],
            marker=marker,
            color=colour,
            alpha=0.35,
            linewidths=0.8 if marker == "x" else 0,
            label=words,
            rasterized=True,
        )
    axis.set_xlabel("belief without the release")
    axis.set_ylabel("belief with the release")
    axis.set_title("what is believed most of people", fontsize="medium")
    for handle in axis.legend(loc="lower right", fontsize="small").legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)


def _draw_held(axis: Axes, below: Axes, beliefs: Sequence[Belief]) -> None:
    bins: list[list[Belief]] = [[] for _ in range(_BINS)]
    for each in beliefs:
        bins[min(int(each.believed * _BINS), _BINS - 1)].append(each)
    all_people = sum(each.records for each in beliefs) or 1
    points, shares, middles = [], [], [(place + 0.5) / _BINS for place in range(_BINS)]
    for some in bins:
        people = sum(each.records for each in some)
        shares.append(people / all_people)
        if people:
            belief = sum(each.believed * each.records for each in some) / people
            points.append((belief, sum(each.correct for each in some) / people))
    axis.plot(*zip(*points, strict=True), color=_RIGHT, marker="o", linewidth=1.4)
    axis.set_ylabel("who have the value")
    axis.set_title("how far beliefs hold", fontsize="medium")
    axis.tick_params(labelbottom=False)
    below.bar(middles, shares, width=0.9 / _BINS, color="#888888")
    below.set_ylabel("people")
    below.set_xlabel("belief with the release")
    below.set_ylim(bottom=0)
